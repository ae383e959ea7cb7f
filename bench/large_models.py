"""Reproducible models whose conversion takes long.

    python bench/large_models.py FOLDER NAME ...
    python bench/large_models.py --list
"""

import contextlib
import sys
from pathlib import Path

import numpy
import onnx
from onnx import TensorProto, helper

OPSET = 17
BLOCK = 1 << 22  # elements of one block of weights


def tensor_of(name, shape):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


def small_tensor(name, values):
    values = numpy.asarray(values)
    data_type = {"f": TensorProto.FLOAT, "i": TensorProto.INT64, "b": TensorProto.BOOL}[values.dtype.kind]
    return helper.make_tensor(name, data_type, values.shape, values.tobytes(), raw=True)


def model_of(graph):
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8)


def save(graph, path):
    path.write_bytes(model_of(graph).SerializeToString())


def add_node(graph, op_type, inputs, output, name=""):
    graph.node.add(op_type=op_type, input=inputs, output=[output], name=name)


def chain(path, count):
    """A chain of Adds, each of which reads the previous one and a shared constant."""
    graph = helper.make_graph(
        [],
        "chain",
        [tensor_of("v0", [1, 8])],
        [tensor_of(f"v{count}", [1, 8])],
        [small_tensor("step", numpy.full(8, 0.5, numpy.float32))],
    )
    for i in range(count):
        add_node(graph, "Add", [f"v{i}", "step"], f"v{i + 1}", f"add_{i}")
    save(graph, path)


def wide(path, count):
    """One value that is used by `count` nodes, and a tree that adds their results."""
    graph = helper.make_graph([], "wide", [tensor_of("x", [1, 8])], [tensor_of("sum", [1, 8])])
    level = []
    for i in range(count):
        add_node(graph, "Relu" if i % 2 else "Exp", ["x"], f"leaf_{i}")
        level.append(f"leaf_{i}")
    depth = 0
    while len(level) > 1:
        depth += 1
        above = []
        for i in range(0, len(level) - 1, 2):
            name = "sum" if len(level) == 2 else f"sum_{depth}_{i // 2}"
            add_node(graph, "Add", level[i : i + 2], name)
            above.append(name)
        level = above + level[len(level) - len(level) % 2 :]
    save(graph, path)


def constants(path, count):
    """A chain in which each node has a small constant; every tenth one equals an earlier one."""
    graph = helper.make_graph([], "constants", [tensor_of("v0", [4, 16])], [tensor_of(f"v{count}", [4, 16])])
    for i in range(count):
        value = numpy.full(16, i - i % 10 if i % 10 == 9 else i, numpy.float32) / 1024
        graph.initializer.append(small_tensor(f"c{i}", value))
        add_node(graph, "Mul" if i % 2 else "Add", [f"v{i}", f"c{i}"], f"v{i + 1}")
    save(graph, path)


def body_of_thirteen(prefix):
    """A Loop body: the state goes through ten nodes; the condition and the trip count have their own."""
    body = helper.make_graph(
        [],
        prefix + "body",
        [
            helper.make_tensor_value_info(prefix + "i", TensorProto.INT64, []),
            helper.make_tensor_value_info(prefix + "go", TensorProto.BOOL, []),
            tensor_of(prefix + "s0", [1, 8]),
        ],
        [helper.make_tensor_value_info(prefix + "on", TensorProto.BOOL, []), tensor_of(prefix + "s10", [1, 8])],
        [
            small_tensor(prefix + "limit", numpy.float32(1e6)),
            small_tensor(prefix + "axes", numpy.array([0, 1], numpy.int64)),
        ],
    )
    for i in range(10):
        inputs = [prefix + f"s{i}"] + ([prefix + "s0"] if i % 2 else [])
        add_node(body, "Add" if i % 2 else "Tanh", inputs, prefix + f"s{i + 1}")
    body.node.append(helper.make_node("ReduceMax", [prefix + "s10"], [prefix + "peak"], keepdims=0))
    add_node(body, "Less", [prefix + "peak", prefix + "limit"], prefix + "fits")
    add_node(body, "And", [prefix + "fits", prefix + "go"], prefix + "on")
    return body


def loop_graph(name, count):
    return helper.make_graph(
        [],
        name,
        [tensor_of("v0", [1, 8]), helper.make_tensor_value_info("trips", TensorProto.INT64, [])],
        [tensor_of(f"v{count}", [1, 8])],
        [small_tensor("yes", numpy.array(True))],
    )


def loops(path, count):
    graph = loop_graph("loops", count)
    for i in range(count):
        node = helper.make_node("Loop", ["trips", "yes", f"v{i}"], [f"v{i + 1}"], name=f"loop_{i}")
        node.attribute.append(helper.make_attribute("body", body_of_thirteen(f"l{i}_")))
        graph.node.append(node)
    save(graph, path)


def nested_body(prefix, depth):
    if depth == 0:
        return body_of_thirteen(prefix)
    body = helper.make_graph(
        [],
        prefix + "body",
        [
            helper.make_tensor_value_info(prefix + "i", TensorProto.INT64, []),
            helper.make_tensor_value_info(prefix + "go", TensorProto.BOOL, []),
            tensor_of(prefix + "s0", [1, 8]),
        ],
        [helper.make_tensor_value_info(prefix + "on", TensorProto.BOOL, []), tensor_of(prefix + "s2", [1, 8])],
    )
    add_node(body, "Identity", [prefix + "go"], prefix + "on")
    inner = helper.make_node("Loop", ["trips", "yes", prefix + "s0"], [prefix + "s1"])
    inner.attribute.append(helper.make_attribute("body", nested_body(prefix + "n_", depth - 1)))
    body.node.append(inner)
    add_node(body, "Add", [prefix + "s1", "v0"], prefix + "s2")
    return body


def nested(path, count):
    """`count` Loops, nested eight deep, that capture values of the main graph at every depth."""
    graph = loop_graph("nested", count)
    for i in range(count):
        node = helper.make_node("Loop", ["trips", "yes", f"v{i}"], [f"v{i + 1}"], name=f"loop_{i}")
        node.attribute.append(helper.make_attribute("body", nested_body(f"l{i}_", 7)))
        graph.node.append(node)
    save(graph, path)


def weight_blocks(tensor, count):
    """The elements of tensor number `tensor`, in blocks. No two blocks are alike, and all numbers fit into fp16."""
    base = numpy.random.default_rng(7).standard_normal(BLOCK, numpy.float32) / 32
    for at in range(0, count, BLOCK):
        scale = numpy.float32(1 + (tensor * 4096 + at // BLOCK) / 2**20)
        yield base[: count - at] * scale


def weights(path, sizes, external):
    """A chain of MatMuls; matrix i is sizes[i] by sizes[i + 1]."""
    graph = helper.make_graph(
        [], "weights", [tensor_of("v0", [1, sizes[0]])], [tensor_of(f"v{len(sizes) - 1}", [1, sizes[-1]])]
    )
    data = path.with_suffix(".data")
    with data.open("wb") if external else contextlib.nullcontext() as file:
        for i, shape in enumerate(zip(sizes, sizes[1:])):
            tensor = TensorProto(name=f"w{i}", dims=shape, data_type=TensorProto.FLOAT)
            blocks = weight_blocks(i, shape[0] * shape[1])
            if external:
                start = file.tell()
                for block in blocks:
                    file.write(block.tobytes())
                entries = {"location": data.name, "offset": start, "length": file.tell() - start}
                for key, value in entries.items():
                    tensor.external_data.add(key=key, value=str(value))
                tensor.data_location = TensorProto.EXTERNAL
            else:
                tensor.raw_data = b"".join(block.tobytes() for block in blocks)
            graph.initializer.append(tensor)
            add_node(graph, "MatMul", [f"v{i}", f"w{i}"], f"v{i + 1}")
    save(graph, path)


MODELS = {
    **{f"chain_{count}": lambda path, count=count: chain(path, count) for count in (10, 1_000, 10_000, 100_000, 1_000_000)},
    "wide_100000": lambda path: wide(path, 100_000),
    "constants_100000": lambda path: constants(path, 100_000),
    "loops_1000": lambda path: loops(path, 1_000),
    "nested_100": lambda path: nested(path, 100),
    "inline_1g": lambda path: weights(path, [8192] * 5, external=False),
    # 2.25, 1.5 and 0.25 GiB: the size of one tensor exceeds 31 bits
    "external_4g": lambda path: weights(path, [24576, 24576, 16384, 4096], external=True),
}


def make(folder, name):
    path = Path(folder) / f"{name}.onnx"
    MODELS[name](path)
    return path


if __name__ == "__main__":
    if sys.argv[1:] == ["--list"]:
        print(*MODELS, sep="\n")
    else:
        for name in sys.argv[2:]:
            make(sys.argv[1], name)
