"""Compares converted models with onnxruntime. Needs the packages numpy, onnx, onnxruntime and openvino.

>>> rows = onnx2ir.verify.verify("model.onnx")
>>> assert all(row.is_equal for row in rows)

The same from a shell: `onnx2ir verify MODEL.onnx [IR.xml]`.
"""

from ._compare import Comparison
from ._heat_map import heat_map
from ._locate import Location, locate
from ._runs import Failure
from ._verify import Row, verify

__all__ = ["Comparison", "Failure", "Location", "Row", "heat_map", "locate", "verify"]
