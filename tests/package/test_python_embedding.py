"""Programs that embed the Python module: costs and differences as values, output to functions, layers, external data of the program."""

import errno
import io
import pickle

import numpy as np
import onnx
import onnx.parser
import pytest

from .test_package import MODEL

CHAIN = """
<ir_version: 10, opset_import: ["" : 17]>
m (float[n, 3] x) => (float[n, 3] y) { two = Constant <value = float {2.0}> ()  a = Mul (x, two)  y = Relu (a) }
"""


def test_stats(onnx2ir):
    model = onnx2ir.convert(CHAIN)
    counts = onnx2ir.stats(model, {"n": 4})
    assert counts == onnx2ir.stats(CHAIN, {"n": 4})
    assert {row.type: row.count for row in counts.onnx.operators} == {"Constant": 1, "Mul": 1, "Relu": 1}
    assert {row.type: row.flops for row in counts.ir.operators if row.flops} == {"Multiply": 12, "ReLU": 12}
    assert counts.costs.peak_bytes == 2 * 4 * 12 and counts.missing_sizes == ()
    assert onnx2ir.stats(model).missing_sizes == ("n",) and onnx2ir.stats(model).costs.peak_bytes is None
    assert pickle.loads(pickle.dumps(counts)) == counts
    for sizes, message in (({"m": 4}, "no input of the model has a dimension 'm'"), ({"n": -1}, "is not NAME=SIZE")):
        with pytest.raises(ValueError, match=message):
            onnx2ir.stats(model, sizes)


def test_a_page_with_a_chart(onnx2ir):
    model = onnx2ir.convert(CHAIN)
    assert '"missing_sizes":["n"]' in model.html() and '"flops":24' in model.html({"n": 4}) and '"flops":24' not in model.html()
    with pytest.raises(ValueError, match="no input of the model has a dimension 'm'"):
        model.html({"m": 4})


def test_differences(onnx2ir):
    before, after = onnx2ir.convert(CHAIN), onnx2ir.convert(CHAIN.replace("2.0", "3.0").replace("Relu", "Abs"))
    found = onnx2ir.differences(before, after)
    assert [str(one) for one in found] == onnx2ir.diff(before, after)
    assert ("operation", "ReLU", "Abs") in [(one.what, one.before, one.after) for one in found]
    renamed = onnx2ir.convert(CHAIN.replace("a = Mul", "b = Mul").replace("Relu (a)", "Relu (b)"))
    assert onnx2ir.diff(before, renamed) != [] == onnx2ir.diff(before, renamed, ignore_names=True)


def test_write(onnx2ir, tmp_path):
    model = onnx2ir.convert(MODEL)
    xml, weights = io.BytesIO(), io.BytesIO()
    stages = []
    model.write(xml, weights, progress=lambda stage, fraction: stages.append(stage))
    assert xml.getvalue() == model.xml() and weights.getvalue() == model.weights()
    assert stages[0] == "weights" and stages[-1] == "done"
    with open(tmp_path / "m.xml", "wb") as xml_file, open(tmp_path / "m.bin", "wb") as bin_file:
        model.write(xml_file, bin_file)
    onnx2ir.check_files(tmp_path / "m.xml")


def test_write_ends_with_the_exception_of_the_target(onnx2ir):
    class Full:
        def write(self, data):
            raise OSError(errno.ENOSPC, "full")

    with pytest.raises(OSError, match="full"):
        onnx2ir.convert(MODEL).write(io.BytesIO(), Full())

    def stop(stage, fraction):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        onnx2ir.convert(MODEL).write(io.BytesIO(), io.BytesIO(), progress=stop)
    with pytest.raises(RuntimeError, match="larger than 100 bytes"):
        onnx2ir.convert(MODEL).write(io.BytesIO(), io.BytesIO(), max_xml_size=100)


class Raw(io.RawIOBase):
    """A raw stream that takes at most `most` bytes at a time; None: it would block."""

    def __init__(self, most):
        super().__init__()
        self.most = most
        self.taken = b""

    def writable(self):
        return True

    def write(self, data):
        if self.most is None:
            return None
        self.taken += data[: self.most]
        return min(len(data), self.most)


def test_write_to_a_raw_stream_that_takes_less(onnx2ir):
    model = onnx2ir.convert(MODEL)
    xml, weights = Raw(100), Raw(7)
    model.write(xml, weights)
    assert xml.taken == model.xml() and weights.taken == model.weights()
    for most in (0, None):
        with pytest.raises(OSError, match="did not take"):
            model.write(io.BytesIO(), Raw(most))


def test_layers_are_those_of_the_xml(onnx2ir):
    """Names, types, attributes, inputs, outputs and bytes, also in the body."""
    from xml.etree import ElementTree

    model = onnx2ir.convert(MODEL)
    layers = model.layers(values=True)
    assert [layer.id for layer in layers] == list(range(len(layers)))
    by_id = {layer.id: layer for layer in layers}
    weights = model.weights()
    net = ElementTree.fromstring(model.xml())
    elements = net.findall(".//layer")
    assert len(elements) == len(layers) and {layer.graph for layer in layers} > {""}
    for element in net.findall("layers/layer"):
        (layer,) = [one for one in layers if one.graph == "" and one.name == element.get("name")]
        assert (layer.type, layer.opset) == (element.get("type"), element.get("version"))
        data = element.find("data")
        attributes = {} if data is None else {key: value for key, value in data.attrib.items() if key not in ("offset", "size", "element_type", "shape")}
        assert attributes.items() <= layer.attributes.items()
        if layer.type == "Const":
            offset = int(data.get("offset"))
            assert layer.value == weights[offset : offset + int(data.get("size"))] and layer.constant_size == len(layer.value)
    names = {element.get("id"): element.get("name") for element in net.findall("layers/layer")}
    edges = {(names[edge.get("from-layer")], names[edge.get("to-layer")]) for edge in net.findall("edges/edge")}
    assert edges == {(by_id[source].name, layer.name) for layer in layers if layer.graph == "" for source, _ in layer.inputs}
    (loop,) = [layer for layer in layers if layer.type == "Loop"]
    (body,) = loop.bodies
    kinds = [port.kind for port in body.ports]
    assert body.name == "body" and {"state", "scan", "condition"} <= set(kinds)
    for port in body.ports:
        assert port.parameter is None or by_id[port.parameter].type == "Parameter" and by_id[port.parameter].graph == f"{loop.name}/body"
        assert port.result is None or by_id[port.result].type == "Result"
        assert port.output is None or port.output < len(loop.outputs)
    assert model.layers()[0].value is None


def external_model(folder):
    model = onnx.parser.parse_model('<ir_version: 10, opset_import: ["" : 17]> m (float[4096] x) => (float[4096] y) { y = Add (x, w) }')
    weight = onnx.numpy_helper.from_array(np.arange(4096, dtype=np.float32), "w")
    model.graph.initializer.append(weight)
    onnx.save(model, folder / "m.onnx", save_as_external_data=True, location="secret.bin", size_threshold=0)
    return (folder / "secret.bin").read_bytes()


@pytest.mark.parametrize("form", [bytes, memoryview, io.BytesIO])
def test_external_data_of_the_program(onnx2ir, tmp_path, form):
    """A file that is encrypted: the model is converted from bytes and from its path, and the file is never read."""
    plain = external_model(tmp_path)
    (tmp_path / "secret.bin").write_bytes(bytes(255 - byte for byte in plain))
    asked = []

    def supply(location):
        asked.append(location)
        return form(bytes(255 - byte for byte in (tmp_path / location).read_bytes()))

    for source in (tmp_path / "m.onnx", (tmp_path / "m.onnx").read_bytes()):
        model = onnx2ir.convert(source, external_data=supply)
        assert plain in model.weights()
        model.save(tmp_path / "out.xml")
        assert plain in (tmp_path / "out.bin").read_bytes()
    assert asked == ["secret.bin"] * 2


def test_external_data_that_cannot_be_supplied(onnx2ir, tmp_path):
    plain = external_model(tmp_path)
    assert plain in onnx2ir.convert(tmp_path / "m.onnx", external_data=lambda location: None).weights()  # the file
    with pytest.raises(onnx2ir.ConversionError, match="secret.bin"):
        onnx2ir.convert((tmp_path / "m.onnx").read_bytes(), external_data=lambda location: None)
    with pytest.raises(onnx2ir.ConversionError):  # too short
        onnx2ir.convert(tmp_path / "m.onnx", external_data=lambda location: plain[:100])

    def fail(location):
        raise PermissionError("no key")

    with pytest.raises(PermissionError, match="no key"):
        onnx2ir.convert(tmp_path / "m.onnx", external_data=fail)

    class Broken(io.BytesIO):
        def read(self, size=-1):
            raise ConnectionError("lost")

    with pytest.raises(ConnectionError, match="lost"):
        onnx2ir.convert(tmp_path / "m.onnx", external_data=lambda location: Broken(plain))
