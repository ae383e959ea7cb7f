"""onnx2ir.convert_model with models of PyTorch, beside OpenVINO's own function."""

import io
import os
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx
import onnx_ir
import openvino as ov
import pytest
import torch

BUILD = Path(os.environ.get("ONNX2IR_BUILD", Path(__file__).resolve().parents[2] / "build/release"))

IMAGE, SCALE = torch.arange(2 * 3 * 8 * 9).reshape(2, 3, 8, 9) / 100, torch.tensor([2.0])


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.convolution = torch.nn.Conv2d(3, 4, 3)
        self.dropout = torch.nn.Dropout(0.5)

    def forward(self, image, scale=None):
        y = self.dropout(self.convolution(image)).relu()
        return y if scale is None else y * scale


@pytest.fixture(scope="module")
def onnx2ir():
    sys.path.insert(0, str(BUILD / "python"))
    import onnx2ir

    yield onnx2ir
    sys.path.remove(str(BUILD / "python"))


@pytest.fixture(scope="module")
def net():
    torch.manual_seed(0)
    return Net()


def ports(model):
    return [(port.get_any_name(), str(port.partial_shape), port.element_type.get_type_name()) for port in model.inputs]


def check_values(net, model, *inputs):
    compiled = ov.Core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    net.eval()
    np.testing.assert_allclose(compiled([one.numpy() for one in inputs])[0], net(*inputs).detach().numpy(), rtol=1e-4, atol=1e-5)


# Arguments of convert_model, the inputs of the result, and whether OpenVINO gives the same ones. It knows that an image has 3 channels
# because it infers the inputs from the weights.
TRACED = {
    "tensor": ({"example_input": IMAGE}, [("image", "[?,?,?,?]", "f32")]),
    "array": ({"example_input": IMAGE.numpy()}, [("image", "[?,?,?,?]", "f32")]),
    "tuple": ({"example_input": (IMAGE, SCALE)}, [("image", "[?,?,?,?]", "f32"), ("scale", "[?]", "f32")]),
    "dict": ({"example_input": {"image": IMAGE, "scale": SCALE}}, [("image", "[?,?,?,?]", "f32"), ("scale", "[?]", "f32")]),
    "shape": ({"example_input": IMAGE, "input": [-1, 3, 8, 9]}, [("image", "[?,3,8,9]", "f32")]),
    "bounds": ({"example_input": IMAGE, "input": {"image": [ov.Dimension(1, 4), 3, 8, -1]}}, [("image", "[1..4,3,8,?]", "f32")]),
    "other size": ({"example_input": IMAGE, "input": ("image", [5, 3, 16, 9])}, [("image", "[5,3,16,9]", "f32")]),
}
EXPORTED = {
    "tensor": ({"example_input": IMAGE}, [("image", "[2,3,8,9]", "f32")]),
    "shape": ({"example_input": (IMAGE,), "input": [-1, 3, 8, 9]}, [("image", "[?,3,8,9]", "f32")]),
    "dict": (
        {"example_input": {"image": IMAGE, "scale": SCALE}, "input": {"image": [ov.Dimension(1, 10), 3, 8, -1]}},
        [("image", "[1..10,3,8,?]", "f32"), ("scale", "[1]", "f32")],
    ),
}


@pytest.mark.parametrize("form", TRACED)
def test_traced_module(onnx2ir, net, form):
    arguments, expected = TRACED[form]
    net.train()
    model = onnx2ir.convert_model(net, **arguments)
    assert net.training and ports(model) == expected
    theirs = [(name, shape.replace("[?,3,?,?]", "[?,?,?,?]"), kind) for name, shape, kind in ports(ov.convert_model(net, **arguments))]
    assert theirs == expected
    if form != "other size":
        check_values(net, model, *[IMAGE, SCALE][: len(expected)])


@pytest.mark.parametrize("form", EXPORTED)
def test_exported_module(onnx2ir, net, form):
    arguments, expected = EXPORTED[form]
    model = onnx2ir.convert_model(net, dynamo=True, **arguments)
    assert ports(model) == expected
    check_values(net, model, *[IMAGE, SCALE][: len(expected)])


def test_programs(onnx2ir, net):
    """Those of torch.export and torch.onnx keep their own sizes; a scripted module has dynamic ones."""
    net.eval()
    static = [("image", "[2,3,8,9]", "f32")]
    program = torch.onnx.export(net, (IMAGE,), dynamo=True, verbose=False)
    for form in (program, program.model, program.model_proto, io.BytesIO(program.model_proto.SerializeToString()), torch.export.export(net, (IMAGE,))):
        model = onnx2ir.convert_model(form)
        assert ports(model) == static
        check_values(net, model, IMAGE)
    for form in (program, program.model):
        assert onnx2ir.convert(form).inputs[0].shape == (2, 3, 8, 9)
    scripted = onnx2ir.convert_model(torch.jit.trace(net, IMAGE), example_input=IMAGE)
    assert ports(scripted) == [("image", "[?,?,?,?]", "f32")]
    check_values(net, scripted, IMAGE)


class OtherSelf(torch.nn.Module):
    def forward(s, x):  # noqa: N805
        return x * 2


def test_the_instance_of_a_scripted_module_is_no_input(onnx2ir):
    model = onnx2ir.convert_model(torch.jit.script(OtherSelf()), example_input=SCALE)
    assert ports(model) == [("x", "[?]", "f32")]


def test_no_file_is_left(onnx2ir, net):
    before = set(os.listdir(tempfile.gettempdir()))
    onnx2ir.convert_model(net, example_input=IMAGE)
    with pytest.raises(TypeError, match="example_input"):
        onnx2ir.convert_model(net)
    with pytest.raises(TypeError, match="example_input"):
        onnx2ir.convert(net)
    with pytest.raises(Exception, match="size|shape"):
        onnx2ir.convert_model(net, example_input=torch.zeros(1, 2))
    assert not [name for name in set(os.listdir(tempfile.gettempdir())) - before if name.startswith("onnx2ir-")]


def ir_model(folder):
    """A loop and weights of several types, in a file beside the model."""
    text = """<ir_version: 10, opset_import: ["" : 17]> m (float[1024] x, int64 n) => (float[1024] y, float[1024] z) {
      [loop] y = Loop (n, , x) <body = step (int64 i, bool c, float[1024] s) => (bool d, float[1024] t) { d = Identity (c)  t = Mul (s, w) }>
      z = Add (x, w) }"""
    model = onnx.parser.parse_model(text)
    model.graph.initializer.append(onnx.numpy_helper.from_array(np.arange(1024, dtype=np.float32) / 1000, "w"))
    onnx.save(model, folder / "m.onnx", save_as_external_data=True, location="w.bin", size_threshold=0)
    return onnx_ir.load(folder / "m.onnx")


def results(model):
    x = np.linspace(-1, 1, 1024, dtype=np.float32)
    done = ov.Core().compile_model(model.to_openvino(), "CPU", {"INFERENCE_PRECISION_HINT": "f32"})({"x": x, "n": np.int64(2)})
    return x, done["y"], done["z"]


@pytest.mark.parametrize("form", ["file", "memory", "lazy"])
def test_model_of_onnx_ir(onnx2ir, tmp_path, form):
    """Its weights may be in a file beside the model, in memory, or computed when they are read; the model is not changed."""
    model = ir_model(tmp_path)
    weights = np.arange(1024, dtype=np.float32) / 1000
    asked = []

    def load():
        asked.append(1)
        return onnx_ir.tensor(weights, name="w")

    value = model.graph.initializers["w"]
    if form == "memory":
        value.const_value = onnx_ir.tensor(weights, name="w")
    elif form == "lazy":
        value.const_value = onnx_ir.LazyTensor(load, dtype=onnx_ir.DataType.FLOAT, shape=onnx_ir.Shape([1024]), name="w")
    tensor = value.const_value
    converted = onnx2ir.convert(model)
    assert model.graph.initializers["w"].const_value is tensor and len(asked) <= 1
    x, y, z = results(converted)
    np.testing.assert_allclose(y, x * weights * weights, rtol=1e-6)
    np.testing.assert_allclose(z, x + weights, rtol=1e-6)
    if form == "lazy":
        assert asked == [1]


def test_weights_of_onnx_ir_that_cannot_be_read(onnx2ir, tmp_path):
    model = ir_model(tmp_path)

    def load():
        raise PermissionError("no key")

    model.graph.initializers["w"].const_value = onnx_ir.LazyTensor(load, dtype=onnx_ir.DataType.FLOAT, shape=onnx_ir.Shape([1024]), name="w")
    with pytest.raises(PermissionError, match="no key"):
        onnx2ir.convert(model)
    missing = ir_model(tmp_path)
    (tmp_path / "w.bin").unlink()
    with pytest.raises(FileNotFoundError):
        onnx2ir.convert(missing)
