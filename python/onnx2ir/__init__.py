"""ONNX models to OpenVINO IR.

>>> model = onnx2ir.convert("model.onnx", input="x[1,3,224,224]")
>>> model.save("model.xml")
>>> compiled = openvino.Core().compile_model(model.to_openvino(), "CPU")

>>> compiled = openvino.Core().compile_model(onnx2ir.convert_model("model.onnx", input=("x", [1, 3, 224, 224])), "CPU")  # as ov.convert_model

For comparisons with another runtime, compile with {"INFERENCE_PRECISION_HINT": "f32"}: by default, OpenVINO computes in bf16 or f16 on some CPUs.
"""

from ._api import convert, get_include, supported_operators
from ._convert_model import convert_model
from ._inspect import check_files, diff, differences, legalize, lint, stats
from ._library import version as _version
from ._model import Model, read_ir
from ._types import (
    AffectedLayer,
    BodyPort,
    ChangedElements,
    ConversionError,
    Costs,
    Diagnostic,
    Difference,
    Dimension,
    GraphCounts,
    Layer,
    LayerBody,
    LayerOutput,
    Operator,
    OperatorCount,
    Place,
    Port,
    Stats,
    WeightCount,
)

__version__ = _version()

__all__ = [
    "AffectedLayer",
    "BodyPort",
    "ChangedElements",
    "ConversionError",
    "Costs",
    "Diagnostic",
    "Difference",
    "Dimension",
    "GraphCounts",
    "Layer",
    "LayerBody",
    "LayerOutput",
    "Model",
    "Operator",
    "OperatorCount",
    "Place",
    "Port",
    "Stats",
    "WeightCount",
    "check_files",
    "convert",
    "convert_model",
    "diff",
    "differences",
    "get_include",
    "legalize",
    "lint",
    "read_ir",
    "stats",
    "supported_operators",
]

for _name in __all__:
    globals()[_name].__module__ = __name__
del _name
