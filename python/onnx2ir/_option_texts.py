"""The text forms of the options of `convert` that name inputs, outputs and files, as on the command line."""

import os
from typing import Any, Iterable, Optional, Sequence, Union

Path = Union[str, "os.PathLike[str]"]


def _escaped(name: str) -> str:
    return "".join("\\" + letter if letter in "\\,[{-" else letter for letter in name)


def _dimension_text(dimension: Any) -> str:
    if hasattr(dimension, "get_min_length"):  # openvino.Dimension
        dimension = (dimension.get_min_length(), dimension.get_max_length())
    if dimension is None or dimension == "?" or dimension == -1:
        return "?"
    if isinstance(dimension, (tuple, list)):
        least, most = dimension
        return f"{least}..{'' if most is None or most < 0 or most >= 1 << 31 else most}"
    return str(int(dimension))


def _type_text(kind: Any) -> str:
    if hasattr(kind, "get_type_name"):  # openvino.Type
        return str(kind.get_type_name())
    if isinstance(kind, str):
        return kind
    import numpy

    dtype = numpy.dtype(kind)
    return "boolean" if dtype.kind == "b" else f"{dtype.kind}{8 * dtype.itemsize}"


def _is_shape(value: Any) -> bool:
    return isinstance(value, (list, tuple)) or type(value).__name__ in ("PartialShape", "Shape")


def _input_text(name: str, *changes: Any) -> str:
    text = _escaped(name)
    for change in changes:
        if _is_shape(change):
            text += f"[{','.join(_dimension_text(size) for size in change)}]"
        else:
            text += f"{{{_type_text(change)}}}"
    return text


def inputs_text(inputs: Any) -> Optional[str]:
    """The text form of the input argument of `convert`."""
    if inputs is None or isinstance(inputs, str):
        return inputs
    if isinstance(inputs, dict):
        rows = [(name, *(change if isinstance(change, tuple) and any(map(_is_shape, change)) else (change,))) for name, change in inputs.items()]
        return ",".join(_input_text(*row) for row in rows)
    texts = []
    for one in inputs:
        if isinstance(one, str):
            texts.append(one)
        elif isinstance(one, tuple) and one and isinstance(one[0], str):
            texts.append(_input_text(*one))
        elif _is_shape(one):
            texts.append(_input_text("", one))
        else:
            raise TypeError(f"an input must be a name, a shape or a tuple of a name, a shape and a type, not {one!r}")
    return ",".join(texts)


def _list_text(names: Iterable[str]) -> str:
    return ",".join(name.replace("\\", "\\\\").replace(",", "\\,") for name in names)


def outputs_text(outputs: Union[None, str, Sequence[str]]) -> Optional[str]:
    """The text form of the output argument of `convert`."""
    return outputs if outputs is None or isinstance(outputs, str) else _list_text(outputs)


def extensions_text(extensions: Union[None, Path, Sequence[Path]]) -> Optional[str]:
    """The text form of the extensions argument of `convert`."""
    if isinstance(extensions, (str, os.PathLike)):
        extensions = [extensions]
    return _list_text(map(os.fspath, extensions)) if extensions else None
