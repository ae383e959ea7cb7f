"""Weights with sizes beyond 31 and 32 bits. The files are sparse, so they need little space and time."""

import subprocess
import xml.etree.ElementTree as ElementTree

import pytest
from onnx import TensorProto, helper

from .tool import tool_path

GIB = 1 << 30


@pytest.fixture
def large_model(tmp_path):
    """One tensor of 5 GiB and, after it in the same file, two of 1 GiB that differ in their last element only."""
    path = tmp_path / "weights.data"
    shapes = {"large": (5 * GIB // 4096, 1024), "a": (GIB // 4096, 1024), "b": (GIB // 4096, 1024)}
    tensors, nodes, offset = [], [], 0
    with path.open("wb") as file:
        for name, shape in shapes.items():
            tensor = TensorProto(name=name, dims=shape, data_type=TensorProto.FLOAT, data_location=TensorProto.EXTERNAL)
            size = shape[0] * shape[1] * 4
            for key, value in {"location": path.name, "offset": offset, "length": size}.items():
                tensor.external_data.add(key=key, value=str(value))
            file.seek(offset + size - 4)
            file.write(name[0].encode() * 4)
            tensors.append(tensor)
            nodes.append(helper.make_node("Gather", [name, "i"], [name + "_row"]))
            offset += size
    inputs = [helper.make_tensor_value_info("i", TensorProto.INT64, [1])]
    outputs = [helper.make_tensor_value_info(node.output[0], TensorProto.FLOAT, [1, 1024]) for node in nodes]
    graph = helper.make_graph(nodes, "large", inputs, outputs, tensors)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    (tmp_path / "large.onnx").write_bytes(model.SerializeToString())
    return tmp_path / "large.onnx"


def test_weights_beyond_four_gigabytes(large_model):
    if not large_model.with_name("weights.data").stat().st_blocks * 512 < GIB:
        pytest.skip("the file system does not leave out what was not written")
    xml = large_model.with_suffix(".xml")
    subprocess.run([tool_path(), large_model, "-o", xml], check=True)
    places = {}
    for layer in ElementTree.parse(xml).iter("layer"):
        if layer.get("name") in ("large", "a", "b"):
            data = layer.find("data")
            places[layer.get("name")] = (int(data.get("offset")), int(data.get("size")))
    assert places["large"][1] == 5 * GIB
    assert places["a"][1] == places["b"][1] == GIB
    assert len({offset for offset, _ in places.values()}) == len(places), "different tensors share no place"
    with xml.with_suffix(".bin").open("rb") as file:
        for name in ("large", "a", "b"):
            offset, size = places[name]
            file.seek(offset)
            assert file.read(8) == bytes(8)
            file.seek(offset + size - 8)
            assert file.read(8) == bytes(4) + name[0].encode() * 4
    assert xml.with_suffix(".bin").stat().st_blocks * 512 < GIB, "what the source leaves out is left out"
