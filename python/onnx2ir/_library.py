"""The C interface of the library (onnx2ir/onnx2ir.h), as ctypes functions."""

import ctypes
import sys
from pathlib import Path
from typing import Any

ABI_VERSION = 1
OK = 0

Progress = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, ctypes.c_double, ctypes.c_void_p)
Allocate = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p)
ExternalSize = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_char_p, ctypes.c_void_p)
ExternalRead = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, ctypes.c_uint64, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p)
Write = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p)
Visit = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)

_TEXT = ctypes.c_char_p
_HANDLE = ctypes.c_void_p
_SIZE = ctypes.POINTER(ctypes.c_size_t)

# Result and parameters of each function.
_FUNCTIONS: "dict[str, tuple[Any, list[Any]]]" = {
    "onnx2ir_version": (_TEXT, []),
    "onnx2ir_abi_version": (ctypes.c_int, []),
    "onnx2ir_options_new": (_HANDLE, []),
    "onnx2ir_options_delete": (None, [_HANDLE]),
    "onnx2ir_options_set": (ctypes.c_int, [_HANDLE, _TEXT, _TEXT]),
    "onnx2ir_options_problem": (_TEXT, [_HANDLE]),
    "onnx2ir_options_set_progress": (None, [_HANDLE, Progress, ctypes.c_void_p]),
    "onnx2ir_options_set_external_data": (None, [_HANDLE, ExternalSize, ExternalRead, ctypes.c_void_p]),
    "onnx2ir_convert_file": (_HANDLE, [_TEXT, _HANDLE]),
    "onnx2ir_convert_bytes": (_HANDLE, [ctypes.c_void_p, ctypes.c_size_t, _HANDLE]),
    "onnx2ir_read_ir": (_HANDLE, [_TEXT, _TEXT]),
    "onnx2ir_read_ir_bytes": (_HANDLE, [_TEXT, ctypes.c_size_t, _TEXT, ctypes.c_size_t]),
    "onnx2ir_conversion_delete": (None, [_HANDLE]),
    "onnx2ir_conversion_status": (ctypes.c_int, [_HANDLE]),
    "onnx2ir_conversion_text": (_TEXT, [_HANDLE]),
    "onnx2ir_conversion_json": (_TEXT, [_HANDLE]),
    "onnx2ir_conversion_save": (ctypes.c_int, [_HANDLE, _TEXT, _TEXT, _HANDLE]),
    "onnx2ir_conversion_xml": (ctypes.c_void_p, [_HANDLE, _SIZE]),
    "onnx2ir_conversion_weights": (ctypes.c_void_p, [_HANDLE, _SIZE]),
    "onnx2ir_conversion_copy_weights": (ctypes.c_int, [_HANDLE, Allocate, ctypes.c_void_p]),
    "onnx2ir_conversion_write": (ctypes.c_int, [_HANDLE, Write, ctypes.c_void_p, Write, ctypes.c_void_p, _HANDLE]),
    "onnx2ir_conversion_visit_layers": (ctypes.c_int, [_HANDLE, Visit, ctypes.c_void_p]),
    "onnx2ir_layer_constant_size": (ctypes.c_uint64, [_HANDLE]),
    "onnx2ir_layer_constant_read": (ctypes.c_int, [_HANDLE, ctypes.c_uint64, ctypes.c_void_p, ctypes.c_size_t]),
    "onnx2ir_layer_json": (_TEXT, [_HANDLE]),
    "onnx2ir_conversion_graph": (_TEXT, [_HANDLE]),
    "onnx2ir_conversion_html": (_TEXT, [_HANDLE]),
    "onnx2ir_conversion_html_with_sizes": (_TEXT, [_HANDLE, _TEXT]),
    "onnx2ir_conversion_differences": (_TEXT, [_HANDLE, _HANDLE, ctypes.c_int]),
    "onnx2ir_conversion_stats": (_TEXT, [_HANDLE, _TEXT]),
    "onnx2ir_conversion_lint": (_TEXT, [_HANDLE, _HANDLE]),
    "onnx2ir_conversion_legalize": (_HANDLE, [_HANDLE, _HANDLE]),
    "onnx2ir_check_files": (ctypes.c_int, [_TEXT, _TEXT, ctypes.c_char_p, ctypes.c_size_t]),
    "onnx2ir_supported_operators": (_TEXT, []),
    "onnx2ir_list_options": (_TEXT, []),
}


def _load() -> ctypes.CDLL:
    """The library in the wheel, in the build folder or in the installed tree; otherwise the library of the system."""
    here = Path(__file__).absolute().parent
    for folder in (here, here.parents[1], here.parents[2]):
        path = folder / ("onnx2ir.dll" if sys.platform == "win32" else "libonnx2ir.so")
        if path.exists():
            return ctypes.CDLL(str(path))
    return ctypes.CDLL("libonnx2ir.so.0.2")


library: Any = _load()
for _name, (_result, _parameters) in _FUNCTIONS.items():
    _function = getattr(library, _name)
    _function.restype = _result
    _function.argtypes = _parameters

if library.onnx2ir_abi_version() != ABI_VERSION:
    raise ImportError(f"libonnx2ir has another ABI: {library.onnx2ir_abi_version()}, not {ABI_VERSION}")


def version() -> str:
    text: bytes = library.onnx2ir_version()
    return text.decode()
