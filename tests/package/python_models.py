"""Models that tests of the Python module share."""

import numpy as np
import onnx
import onnx.parser


IMAGE = """<ir_version: 10, opset_import: ["" : 17]>
net (float[n, 3, h, w] image, int64 rate) => (float[n, 3, h, w] y, float z) { a = Relu (image)  y = Neg (a)  z = Cast <to = 1> (rate) }"""


def addition(folder, count):
    """The path of a model that adds 0, 1, 2, ..., which are external data, to `count` numbers."""
    np.arange(count, dtype=np.float32).tofile(folder / "numbers.bin")
    numbers = onnx.TensorProto(name="numbers", data_type=onnx.TensorProto.FLOAT, dims=[count], data_location=onnx.TensorProto.EXTERNAL)
    numbers.external_data.add(key="location", value="numbers.bin")
    x, y = (onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [count]) for name in "xy")
    graph = onnx.helper.make_graph([onnx.helper.make_node("Add", ["x", "numbers"], ["y"])], "addition", [x], [y], [numbers])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=9)
    path = folder / "addition.onnx"
    path.write_bytes(model.SerializeToString())
    return path


def save_with_external_data(path, location):
    model = onnx.parser.parse_model(TINY)
    for tensor in model.graph.initializer:
        tensor.CopyFrom(onnx.numpy_helper.from_array(onnx.numpy_helper.to_array(tensor), tensor.name))
    onnx.save(model, path, save_as_external_data=True, location=location, size_threshold=0)


TINY = '<ir_version: 9, opset_import: ["" : 17]> g (float[4] x) => (float[4] y) <float[4] w = {1, 2, 3, 4}> { y = Add (x, w) }'
