"""Element types in ONNX, numpy, the IR and OpenVINO's Python binding."""

from dataclasses import dataclass

import ml_dtypes
import numpy as np


@dataclass(frozen=True)
class ElementType:
    name: str  # in the IR and in ov.Type: "f32", "boolean"
    dtype: np.dtype  # the type for computations in tests
    bits: int = 0  # per element if several share a byte, otherwise 0


def _type(name, dtype, bits=0):
    return ElementType(name, np.dtype(dtype), bits)


# The types that OpenVINO has. float8e4m3fnuz, float8e5m2fnuz, int2 and the complex types are not among them.
ELEMENT_TYPES = [
    _type("boolean", np.bool_),
    _type("f16", np.float16),
    _type("f32", np.float32),
    _type("f64", np.float64),
    _type("bf16", ml_dtypes.bfloat16),
    _type("f8e4m3", ml_dtypes.float8_e4m3fn),
    _type("f8e5m2", ml_dtypes.float8_e5m2),
    _type("f8e8m0", ml_dtypes.float8_e8m0fnu),
    _type("f4e2m1", ml_dtypes.float4_e2m1fn, 4),
    _type("i4", ml_dtypes.int4, 4),
    _type("u4", ml_dtypes.uint4, 4),
    _type("u2", ml_dtypes.uint2, 2),
    _type("i8", np.int8),
    _type("i16", np.int16),
    _type("i32", np.int32),
    _type("i64", np.int64),
    _type("u8", np.uint8),
    _type("u16", np.uint16),
    _type("u32", np.uint32),
    _type("u64", np.uint64),
]

BY_NAME = {entry.name: entry for entry in ELEMENT_TYPES}
BY_DTYPE = {entry.dtype: entry for entry in ELEMENT_TYPES}

# Types that the binding's own numpy view represents; the others travel as raw bytes.
NUMPY_NAMES = {"boolean", "f16", "f32", "f64", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"}


def is_string(array):
    return array.dtype.kind in "OUS"


def type_name(array):
    """The name of an array's type in the IR, or in numpy if the IR does not have it."""
    if is_string(array):
        return "string"
    entry = BY_DTYPE.get(array.dtype)
    return entry.name if entry else str(array.dtype)


def pack_bits(array, bits):
    """The bytes of a 2-bit or 4-bit array, the first element in the lowest bits."""
    per_byte = 8 // bits
    flat = array.reshape(-1).view(np.uint8) & ((1 << bits) - 1)
    padded = np.zeros(-(-flat.size // per_byte) * per_byte, np.uint8)
    padded[: flat.size] = flat
    packed = np.zeros(padded.size // per_byte, np.uint8)
    for position in range(per_byte):
        packed |= padded[position::per_byte] << (bits * position)
    return packed


def unpack_bits(packed, count, entry):
    """The inverse of pack_bits: `count` elements of the type `entry`."""
    bits = entry.bits
    per_byte = 8 // bits
    flat = np.zeros(packed.size * per_byte, np.uint8)
    for position in range(per_byte):
        flat[position::per_byte] = (packed >> (bits * position)) & ((1 << bits) - 1)
    flat = flat[:count]
    if entry.name == "i4":
        flat = np.where(flat >= 8, flat | 0xF0, flat).astype(np.uint8)
    return flat.view(entry.dtype)
