"""Model inputs and outputs as the IR has them.

A tensor keeps its name. A sequence `y` is the pair `y/values` (1-D, the data of all elements in C order) and `y/shapes`
(i64 [elements, rank], rows padded with -1 if an element has a smaller rank); an optional `y` has `y/has_value`
beside `y` or beside its pair.
"""

import numpy as np

from .case import INTERFACE, WRONG_SHAPE, Failure

TENSOR = "tensor"
SEQUENCE = "sequence"
OPTIONAL = "optional "  # prefix of the other two


def kind_of(type_proto):
    """The kind of an onnx.TypeProto: "tensor", "sequence", "optional tensor" or "optional sequence"."""
    which = type_proto.WhichOneof("value")
    if which == "optional_type":
        return OPTIONAL + kind_of(type_proto.optional_type.elem_type)
    return SEQUENCE if which == "sequence_type" else TENSOR


def element_dtype(type_proto):
    """The numpy type of the tensors inside an onnx.TypeProto."""
    from onnx.helper import tensor_dtype_to_np_dtype

    while True:
        which = type_proto.WhichOneof("value")
        inner = getattr(type_proto, which)
        if which == "tensor_type":
            return np.dtype(tensor_dtype_to_np_dtype(inner.elem_type))
        type_proto = inner.elem_type


def tensor_names(name, type_proto):
    """The IR's tensors of the model input or output `name`."""
    kind = kind_of(type_proto)
    names = [f"{name}/has_value"] if kind.startswith(OPTIONAL) else []
    return names + ([f"{name}/values", f"{name}/shapes"] if kind.endswith(SEQUENCE) else [name])


def pack(name, value, type_proto, sizes_of):
    """The IR's tensors of the model input `name`. sizes_of(tensor_name) gives the sizes of one, 0 where
    they are open."""
    kind = kind_of(type_proto)
    dtype = element_dtype(type_proto)
    tensors = {}
    if kind.startswith(OPTIONAL):
        tensors[f"{name}/has_value"] = np.array(value is not None)
        kind = kind[len(OPTIONAL) :]
        if value is None:
            value = [] if kind == SEQUENCE else np.zeros(sizes_of(name), dtype)
    if kind == TENSOR:
        tensors[name] = np.asarray(value)
        return tensors
    elements = [np.asarray(element) for element in value]
    rank = elements[0].ndim if elements else sizes_of(f"{name}/shapes")[1]
    flat = [element.reshape(-1) for element in elements]
    tensors[f"{name}/values"] = np.concatenate(flat) if flat else np.zeros([0], dtype)
    shapes = [element.shape for element in elements]
    tensors[f"{name}/shapes"] = np.array(shapes, np.int64).reshape(len(elements), rank)
    return tensors


def unpack(name, type_proto, tensor):
    """The value of the model output `name`; tensor(tensor_name) gives one of the IR's outputs."""
    kind = kind_of(type_proto)
    if kind.startswith(OPTIONAL):
        if not bool(tensor(f"{name}/has_value").reshape(())):
            return None
        kind = kind[len(OPTIONAL) :]
    if kind == TENSOR:
        return tensor(name)
    values = tensor(f"{name}/values")
    shapes = tensor(f"{name}/shapes")
    if values.ndim != 1 or shapes.ndim != 2:
        raise Failure(INTERFACE, f"{name}: a sequence's values have rank {values.ndim}, its shapes rank {shapes.ndim}")
    shapes = [[size for size in row if size != -1] for row in shapes.tolist()]
    sizes = [int(np.prod(shape, dtype=np.int64)) for shape in shapes]
    if sum(sizes) != values.size:
        raise Failure(WRONG_SHAPE, f"{name}: {values.size} values for elements of {sizes}")
    starts = np.cumsum([0] + sizes)
    return [values[a : a + n].reshape(shape) for a, n, shape in zip(starts, sizes, shapes)]
