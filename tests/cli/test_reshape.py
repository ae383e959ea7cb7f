"""Models of static sizes, converted with dynamic ones, and reshaped in OpenVINO: docs/limits.md."""

import numpy as np
import onnx
import onnx.parser
import onnxruntime
import openvino as ov
import pytest

from .command import run

MODELS = {
    "factor of a size": ("float[1,4] x", "s = Shape <start = 1> (x) f = Cast <to = 1> (s) r = Sqrt (f) y = Div (x, r)", "float[n,m] y", [(1, 9), (3, 2)]),
    "mean": ("float[1,4] x", "s = Size (x) f = Cast <to = 1> (s) t = ReduceSum <keepdims = 0> (x) y = Div (t, f)", "float y", [(3, 4), (1, 1)]),
    "axes that were 1": ("float[1,1,3] x", "y = Transpose <perm = [1, 0, 2]> (x)", "float[n,m,k] y", [(4, 2, 3), (1, 5, 2)]),
    "last index": ("float[2,3] x", "y = ArgMax <axis = 1, keepdims = 0, select_last_index = 1> (x)", "int64[n] y", [(2, 5), (4, 1)]),
    "scaled size": (
        "float[1,1,4,4] x",
        """s = Shape <start = 2> (x) t = Constant <value_ints = [2, 2]> () d = Mul (s, t) b = Shape <end = 2> (x) e = Concat <axis = 0> (b, d)
        y = Resize <mode = "nearest"> (x, , , e)""",
        "float[n,c,h,w] y",
        [(2, 1, 5, 6), (1, 3, 4, 4)],
    ),
}


@pytest.mark.parametrize(
    "names, shape", [(("batch", "16", "-16"), "[?,16,?]"), (("0", "1", "2"), "[?,?,?]"), (("2", "2", "00"), "[2,2,?]")]
)
def test_a_size_whose_name_is_a_number_is_static(tmp_path, names, shape):
    """PyTorch 2.15 writes sizes that the exported program requires so. The number of an axis, 0 and 1 are names of users."""
    model = onnx.parser.parse_model('<ir_version: 10, opset_import: ["" : 20]> main (float[A, B, C] x) => (float[D, E, F] y) { y = Neg(x) }')
    for size, name in zip(model.graph.input[0].type.tensor_type.shape.dim, names):
        size.dim_param = name
    onnx.save(model, tmp_path / "m.onnx")
    assert run("m.onnx", folder=tmp_path).returncode == 0
    assert str(ov.Core().read_model(tmp_path / "m.xml").input(0).partial_shape) == shape


@pytest.mark.parametrize("name", MODELS)
def test_dynamic_sizes_can_be_reshaped(tmp_path, name):
    inputs, nodes, output, shapes = MODELS[name]
    model = onnx.parser.parse_model(f'<ir_version: 10, opset_import: ["" : 20]> main ({inputs}) => ({output}) {{ {nodes} }}')
    for size in model.graph.input[0].type.tensor_type.shape.dim:
        size.dim_param = ""
        size.ClearField("dim_value")
    session = onnxruntime.InferenceSession(model.SerializeToString())
    static = onnx.parser.parse_model(f'<ir_version: 10, opset_import: ["" : 20]> main ({inputs}) => ({output}) {{ {nodes} }}')
    onnx.save(static, tmp_path / "m.onnx")
    rank = len(static.graph.input[0].type.tensor_type.shape.dim)
    assert run("m.onnx", "--input", f"x[{','.join('?' * rank)}]", folder=tmp_path).returncode == 0
    for shape in shapes:
        converted = ov.Core().read_model(tmp_path / "m.xml")
        converted.reshape(list(shape))
        x = np.arange(np.prod(shape), dtype=np.float32).reshape(shape) % 7
        found = ov.Core().compile_model(converted, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})([x])[0]
        expected = session.run(None, {"x": x})[0]
        assert found.shape == expected.shape and found.dtype == expected.dtype
        np.testing.assert_allclose(found, expected, rtol=1e-6)
