"""Models for screenshots: with residual connections, repeated blocks, long chains."""

import numpy as np
import onnx
import onnx.numpy_helper
from onnx import TensorProto, helper


def saved(path, name, nodes, inputs, outputs, constants=()):
    initializers = [onnx.numpy_helper.from_array(value, tensor) for tensor, value in constants]
    values = [[helper.make_tensor_value_info(tensor, TensorProto.FLOAT, shape) for tensor, shape in ports] for ports in (inputs, outputs)]
    graph = helper.make_graph(nodes, name, *values, initializers)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def classifier(path, blocks=8):
    """A residual network: convolutions with a skip connection in each block. Names have no numbers of blocks."""
    constants = [("w", np.full((8, 8, 3, 3), 0.01, np.float32)), ("stem", np.full((8, 3, 3, 3), 0.01, np.float32)), ("head", np.ones((8, 10), np.float32))]
    nodes = [helper.make_node("Conv", ["image", "stem"], ["b0"], name="stem", pads=[1, 1, 1, 1])]
    for block in range(blocks):
        kinds = [("Conv", "w"), ("Relu",), ("Conv", "w"), ("Add", f"b{block}"), ("Relu",)]
        value = f"b{block}"
        for step, (kind, *others) in enumerate(kinds):
            output = f"b{block + 1}" if step == len(kinds) - 1 else f"b{block}s{step}"
            nodes.append(helper.make_node(kind, [value, *others], [output], name=f"{kind}{block}s{step}", **({"pads": [1, 1, 1, 1]} if kind == "Conv" else {})))
            value = output
    nodes += [helper.make_node("ReduceMean", [value], ["mean"], name="pool", axes=[2, 3], keepdims=0), helper.make_node("MatMul", ["mean", "head"], ["scores"], name="fc")]
    saved(path, "classifier", nodes, [("image", ["batch", 3, 32, 32])], [("scores", ["batch", 10])], constants)


def transformer(path, layers=24):
    """A decoder without caches, whose layers have the names that PyTorch's exporter gives."""
    constants = [("w", np.full((16, 16), 0.01, np.float32)), ("eps", np.float32(1e-5)), ("two", np.float32(2)), ("scale", np.ones(16, np.float32))]
    nodes = []
    state = "embeddings"
    for layer in range(layers):
        prefix = f"/model/layers.{layer}"

        def add(kind, inputs, name, prefix=prefix, **attributes):
            nodes.append(helper.make_node(kind, inputs, [f"{prefix}/{name}_output_0"], name=f"{prefix}/{name}", **attributes))
            return f"{prefix}/{name}_output_0"

        square = add("Pow", [state, "two"], "input_layernorm/Pow")
        root = add("Sqrt", [add("Add", [add("ReduceMean", [square], "input_layernorm/ReduceMean", axes=[-1]), "eps"], "input_layernorm/Add")], "input_layernorm/Sqrt")
        normal = add("Mul", [add("Div", [state, root], "input_layernorm/Div"), "scale"], "input_layernorm/Mul")
        query, key, value = (add("MatMul", [normal, "w"], f"self_attn/{part}_proj/MatMul") for part in "qkv")
        scores = add("Softmax", [add("MatMul", [query, add("Transpose", [key], "self_attn/Transpose", perm=[0, 2, 1])], "self_attn/MatMul")], "self_attn/Softmax", axis=-1)
        mixed = add("MatMul", [add("MatMul", [scores, value], "self_attn/MatMul_1"), "w"], "self_attn/o_proj/MatMul")
        state = add("Add", [state, mixed], "Add")
        state = add("Add", [state, add("MatMul", [add("Tanh", [add("MatMul", [state, "w"], "mlp/up_proj/MatMul")], "mlp/act_fn/Tanh"), "w"], "mlp/down_proj/MatMul")], "Add_1")
    nodes.append(helper.make_node("Identity", [state], ["hidden"], name="/model/Identity"))
    saved(path, "decoder", nodes, [("embeddings", ["batch", "length", 16])], [("hidden", ["batch", "length", 16])], constants)


def chain(path, layers):
    """Layers one after the other."""
    nodes = [helper.make_node(["Sigmoid", "Elu", "Tanh"][i % 3], [f"t{i - 1}" if i else "x"], [f"t{i}"], name=f"n{i}") for i in range(layers)]
    saved(path, "chain", nodes, [("x", ["batch", 4])], [(f"t{layers - 1}", ["batch", 4])])
