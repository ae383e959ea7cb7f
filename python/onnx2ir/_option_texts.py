"""The text forms of the options of `convert` that name inputs, outputs and files, as on the command line.

An input is a name, a shape, a type, a constant value, or a tuple or list of at most one of each. Its forms are those of
`openvino.convert_model`, and more: names of types, bounds as pairs, arrays as constants.
"""

import os
import re
from dataclasses import dataclass
from typing import Any, Iterable, Iterator, List, Optional, Sequence, Tuple, Union

Path = Union[str, "os.PathLike[str]"]

# The names in the IR of the types with another name in numpy, PyTorch or Python.
_IR_TYPES = {"bool": "boolean", "float": "f32", "double": "f64", "half": "f16", "bfloat16": "bf16", "str": "string", "object": "string"}
_TYPE_PATTERN = re.compile(r"(f|bf|i|u|float|int|uint|bfloat)(4|8|16|32|64)|nf4|boolean|bool|string|f8e4m3|f8e5m2|f8e8m0|f4e2m1")
_NUMBERED = re.compile(r"(float|int|uint)(\d+)")
_DIMENSION_PATTERN = re.compile(r"\?|-1|\d+|\d*\.\.\d*")
_MAX_SIZE = 1 << 31  # sizes from here on mean no upper bound in openvino.Dimension


def _escaped(name: str) -> str:
    return "".join("\\" + letter if letter in "\\,[{-" else letter for letter in name)


def _type_name(text: str) -> str:
    numbered = _NUMBERED.fullmatch(text)
    return numbered[1][0] + numbered[2] if numbered else _IR_TYPES.get(text, text)


def is_type(value: Any) -> bool:
    """An openvino.Type, a numpy or PyTorch dtype, a Python type, or the name of a type."""
    if isinstance(value, str):
        return _TYPE_PATTERN.fullmatch(value) is not None
    return isinstance(value, type) or hasattr(value, "get_type_name") or type(value).__name__.lower().endswith("dtype")


def _type_text(kind: Any) -> str:
    if hasattr(kind, "get_type_name"):  # openvino.Type
        return str(kind.get_type_name())
    if isinstance(kind, str):
        return _type_name(kind)
    if type(kind).__module__ == "torch":
        return _type_name(str(kind).replace("torch.", ""))
    import numpy

    dtype = numpy.dtype(kind)
    return "string" if dtype.kind in "USO" else _type_name(dtype.name)


def _is_size(value: Any) -> bool:
    """One dimension: a number, an openvino.Dimension, None, "?", "1..8"."""
    if isinstance(value, str):
        return _DIMENSION_PATTERN.fullmatch(value) is not None
    if value is None or hasattr(value, "get_min_length"):
        return True
    return not isinstance(value, bool) and hasattr(value, "__index__") and not hasattr(value, "shape") or type(value).__module__ == "numpy" and value.ndim == 0


def _is_bounds(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) == 2 and all(map(_is_size, value)) and not any(isinstance(size, str) for size in value)


def _is_shape_object(value: Any) -> bool:
    return type(value).__name__ in ("PartialShape", "Shape", "Size", "TensorShape") and not isinstance(value, type)


def is_shape(value: Any) -> bool:
    """A shape wherever an input is given: a list of only pairs is a list of shapes there, as in OpenVINO."""
    if _is_shape_object(value):
        return True
    if not isinstance(value, (list, tuple)):
        return False
    # ["?", "?"] could be names.
    has_size = not value or any(_is_size(size) and not isinstance(size, str) and size is not None for size in value)
    return has_size and all(_is_size(size) or _is_bounds(size) for size in value)


def _is_shape_of_name(value: Any) -> bool:
    """A shape beside the name of its input."""
    return is_shape(value) or isinstance(value, (list, tuple)) and all(_is_size(size) or _is_bounds(size) for size in value)


def _is_constant(value: Any) -> bool:
    """A numpy array or number, or another array (PyTorch)."""
    return hasattr(value, "__array__") and not isinstance(value, type) and not is_type(value)


def _bounds_text(least: Any, most: Any) -> str:
    least = 0 if least is None else int(least)
    if most is None or int(most) < 0 or int(most) >= _MAX_SIZE:
        return f"{least}.." if least > 0 else "?"
    return str(least) if least == int(most) else f"{least}..{int(most)}"


def _dimension_text(dimension: Any) -> str:
    if hasattr(dimension, "get_min_length"):  # openvino.Dimension
        return _bounds_text(dimension.get_min_length(), dimension.get_max_length())
    if isinstance(dimension, (tuple, list)):
        return _bounds_text(*dimension)
    if isinstance(dimension, str):
        return "?" if dimension == "-1" else dimension
    return "?" if dimension is None or dimension == -1 else str(int(dimension))


def _shape_text(shape: Any) -> str:
    rank = getattr(shape, "rank", None)
    if rank is not None and getattr(rank, "is_dynamic", False):
        raise ValueError("a shape of dynamic rank cannot be requested: leave it out to keep that of the model")
    return f"[{','.join(map(_dimension_text, shape))}]"


def _value_text(value: Any, *, has_shape: bool) -> str:
    """The value of a constant, with its shape and without its type: the model's type of the input is used.

    The shape of a list of numbers is left out unless it was requested (`has_shape`), so that a wrong number of elements is an error.
    """
    import numpy

    array = numpy.asarray(value.detach().cpu() if hasattr(value, "detach") else value)
    elements = array.reshape(-1).tolist()
    if array.dtype.kind in "USO":
        raise TypeError("an array of strings cannot be the value of an input")
    texts = [str(element).lower() if isinstance(element, bool) else repr(element) for element in elements]
    shape = "" if array.ndim == 1 and array.size and not has_shape else f"[{','.join(map(str, array.shape))}]"
    return f"{shape}->{f'[{chr(44).join(texts)}]' if array.shape else texts[0]}"


@dataclass
class Input:
    """A requested input."""

    name: Optional[str] = None
    shape: Any = None
    type: Any = None
    value: Any = None

    def add(self, part: Any, *, is_named: bool) -> bool:
        """Adds the part of a tuple. Returns False if the input has a part of this kind already."""
        if part is None:
            return True
        # A text after the name is a type, or an error: an input has one name.
        if isinstance(part, str) and not (is_type(part) and is_named):
            field = "name"
        elif _is_constant(part):
            field = "value"
        elif is_type(part):
            field = "type"
        elif _is_shape_of_name(part) if is_named else is_shape(part):
            field = "shape"
        else:
            raise TypeError(f"an input must be a name, a shape, a type, an array or a tuple of these, not {part!r}")
        if getattr(self, field) is not None:
            return False
        setattr(self, field, part)
        return True

    def text(self) -> str:
        text = "" if self.name is None else _escaped(self.name)
        if self.shape is not None and self.value is None:
            text += _shape_text(self.shape)
        if self.type is not None:
            text += f"{{{_type_text(self.type)}}}"
        if self.value is not None:
            text += _value_text(self.value, has_shape=self.shape is not None or self.name is None)
        return text


def _single(given: Any, name: Optional[str] = None) -> Optional[Input]:
    """One input; None if it has several names, shapes, types or values, so that it is a list of inputs."""
    found = Input(name)
    is_part = is_shape(given) or _is_constant(given) or is_type(given) or name is not None and _is_shape_of_name(given)
    parts: Sequence[Any] = given if isinstance(given, (list, tuple)) and not is_part else (given,)  # add() explains what is wrong
    for index, part in enumerate(parts):
        # The first text of a tuple is its name, even if a type is called the same.
        is_named = name is not None or found.name is not None or (index > 0 and not isinstance(parts[0], str))
        if not found.add(part, is_named=is_named):
            return None
    return found


def _single_or_none(given: Any) -> Optional[Input]:
    try:
        return _single(given)
    except TypeError:
        return None


def _one(given: Any, name: Optional[str] = None) -> Input:
    found = _single(given, name)
    if found is None:
        raise TypeError(f"an input has one name, one shape, one type and one value at most: {given!r}")
    return found


def _of_dictionary(inputs: Any) -> Iterator[Input]:
    for name, given in inputs.items():
        if not isinstance(name, str):
            raise TypeError(f"the name of an input must be text, not {name!r}")
        if isinstance(given, (list, tuple)) and given and isinstance(given[0], str) and given[0] == name:  # {"x": ("x", [1, 3])}
            given = given[1:]
        yield _one(given, name)


def _texts(inputs: Any) -> Iterable[str]:
    if isinstance(inputs, dict):
        return [found.text() for found in _of_dictionary(inputs)]
    if isinstance(inputs, (list, tuple)):
        if all(isinstance(one, str) for one in inputs):
            # Names, in the form of the command line; ("x", "f16") is a name and a type.
            if not (isinstance(inputs, tuple) and len(inputs) == 2 and is_type(inputs[1])):
                return list(inputs)
        elif (found := _single_or_none(inputs)) is None:
            return [one if isinstance(one, str) else _one(one).text() for one in inputs]
    return [_one(inputs).text()]


def inputs_text(inputs: Any) -> Optional[str]:
    """The text form of the input argument of `convert` and `convert_model`."""
    if inputs is None or isinstance(inputs, str):
        return inputs
    if isinstance(inputs, (list, tuple, dict)) and not inputs:
        return None
    return ",".join(_texts(inputs))


def _list_text(names: Iterable[str]) -> str:
    return ",".join(name.replace("\\", "\\\\").replace(",", "\\,") for name in names)


def outputs_text(outputs: Union[None, str, Sequence[str]]) -> Optional[str]:
    """The text form of the output argument of `convert`."""
    if outputs is not None and not isinstance(outputs, str):
        if not isinstance(outputs, Iterable) or not all(isinstance(name, str) for name in outputs):
            raise TypeError(f"output must be a name or a list of names, not {outputs!r}")
    return outputs if outputs is None or isinstance(outputs, str) else _list_text(outputs) or None


def extensions_text(extensions: Union[None, Path, Sequence[Path]]) -> Optional[str]:
    """The text form of the extensions argument of `convert`."""
    if extensions is not None and not isinstance(extensions, (str, os.PathLike, Iterable)):
        raise TypeError(f"extension must be a path or a list of paths, not {type(extensions).__name__}")
    if isinstance(extensions, (str, os.PathLike)):
        extensions = [extensions]
    return _list_text(os.fspath(one) for one in extensions) if extensions else None


def path_text(name: str, path: Optional[Path]) -> Optional[Path]:
    """The argument `name`, a path. Raises TypeError if it is anything else."""
    if path is not None and not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"{name} must be a path, not {type(path).__name__}")
    return path


def input_shapes(inputs: Any) -> List[Tuple[Optional[str], Any]]:
    """The names and shapes in the input argument of `convert_model`, for an export from PyTorch."""
    if inputs is None or isinstance(inputs, str):
        return []
    if isinstance(inputs, dict):
        return [(found.name, found.shape) for found in _of_dictionary(inputs)]
    single = _single_or_none(inputs)
    rows = [single] if single is not None else [Input(one) if isinstance(one, str) else _one(one) for one in inputs]
    return [(found.name, found.shape) for found in rows]
