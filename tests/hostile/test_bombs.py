"""Files below 100 KB that expand: 10 s and 1 GiB by default, with an IR or with an error that names the option to raise a limit."""

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from .limited import BYTES, IS_SANITIZED, convert_limited
from .test_hostile import doubling_functions, real, save

SECONDS = 10


def nested_calls(tmp_path, leaf, levels, *, shape=(2,), opset=21, attributes=(), default_attributes=()):
    """The nodes `leaf` from `a` to `b` in 2^levels calls."""
    imports = [helper.make_opsetid("", opset), helper.make_opsetid("d", 1)]
    functions = [helper.make_function("d", "F0", ["a"], ["b"], leaf, imports, attributes=list(attributes), attribute_protos=list(default_attributes))]
    for level in range(1, levels):
        calls = [helper.make_node(f"F{level - 1}", [source], [target], domain="d") for source, target in ("at", "tb")]
        for call in calls:
            for name in attributes:
                call.attribute.add(name=name, ref_attr_name=name, type=onnx.AttributeProto.FLOATS)
        functions.append(helper.make_function("d", f"F{level}", ["a"], ["b"], calls, imports, attributes=list(attributes)))
    call = helper.make_node(f"F{levels - 1}", ["x"], ["y"], domain="d")
    for name in attributes:
        call.attribute.append(helper.make_attribute(name, floats(50_000)))
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    return save(tmp_path, [call], inputs=[real("x", shape)], outputs=[y], opset=opset, functions=functions, imports=imports[1:])


def floats(count):
    return (np.arange(count) + 0.5).astype(np.float32).tolist()


def determinants(size, levels):
    nodes = [helper.make_node("Det", ["a"], ["d"]), helper.make_node("Add", ["a", "d"], ["b"])]
    return lambda folder: nested_calls(folder, nodes, levels, shape=(size, size))


def float_lists(folder):
    nodes = [helper.make_node("Constant", [], ["k"], value_floats=floats(19_000)), helper.make_node("Add", ["a", "k"], ["b"])]
    return nested_calls(folder, nodes, 17, shape=(19_000,))


def float_lists_of_a_parameter(folder):
    """An attribute of 200 KB, given to 65,536 calls."""
    constant = helper.make_node("Constant", [], ["k"])
    constant.attribute.add(name="value_floats", ref_attr_name="v", type=onnx.AttributeProto.FLOATS)
    return nested_calls(folder, [constant, helper.make_node("Add", ["a", "k"], ["b"])], 17, shape=(50_000,), attributes=["v"])


def float_lists_by_default(folder):
    """The same as a default value of the parameter."""
    constant = helper.make_node("Constant", [], ["k"])
    constant.attribute.add(name="value_floats", ref_attr_name="v", type=onnx.AttributeProto.FLOATS)
    nodes = [constant, helper.make_node("Add", ["a", "k"], ["b"])]
    return nested_calls(folder, nodes, 17, shape=(50_000,), default_attributes=[helper.make_attribute("v", floats(50_000))])


def integer_lists(folder):
    constant = helper.make_node("Constant", [], ["k"], value_ints=list(range(40_000)))
    nodes = [constant, helper.make_node("ReduceSum", ["k"], ["s"]), helper.make_node("Cast", ["s"], ["f"], to=1), helper.make_node("Add", ["a", "f"], ["b"])]
    return nested_calls(folder, nodes, 16)


def string_lists(folder):
    """Words of an attribute, which each call reads."""
    node = helper.make_node("StringNormalizer", ["a"], ["b"], stopwords=[f"word {i}" for i in range(8_000)], is_case_sensitive=1)
    path = nested_calls(folder, [node], 14)
    model = onnx.load(path)
    for value in (model.graph.input[0], model.graph.output[0]):
        value.type.tensor_type.elem_type = TensorProto.STRING
    onnx.save(model, path)
    return path


def long_node_names(folder):
    return nested_calls(folder, [helper.make_node("Neg", ["a"], ["t"], name="A" * 45_000), helper.make_node("Abs", ["t"], ["b"], name="B" * 45_000)], 17)


def long_value_names(folder):
    name = "é" * 45_000
    return nested_calls(folder, [helper.make_node("Neg", ["a"], [name]), helper.make_node("Abs", [name], ["b"])], 17)


def long_names_of_bodies(folder):
    """Names of captured values, in many bodies."""
    name, nodes = "A" * 80_000, [helper.make_node("Neg", ["x"], ["A" * 80_000])]
    for i in range(150):
        branches = {
            f"{which}_branch": helper.make_graph([helper.make_node(kind, [name], ["r"])], which, [], [helper.make_tensor_value_info("r", TensorProto.FLOAT, [2])])
            for which, kind in (("then", "Abs"), ("else", "Exp"))
        }
        nodes.append(helper.make_node("If", ["c"], [f"v{i}"], **branches))
    condition = helper.make_tensor_value_info("c", TensorProto.BOOL, [])
    return save(folder, nodes, inputs=[real("x"), condition], outputs=[real("v0"), real("v149")])


def wide_vectors(count, columns=1 << 24):
    """Each n-gram has a column of its own, the last one, and a weight: all columns have weights."""

    def make(folder):
        nodes = [
            helper.make_node(
                "TfIdfVectorizer",
                ["x"],
                [f"y{i}"],
                mode="TFIDF",
                min_gram_length=1,
                max_gram_length=1,
                max_skip_count=0,
                ngram_counts=[0],
                ngram_indexes=[columns - count + i],
                pool_int64s=[1],
                weights=[2.0],
            )
            for i in range(count)
        ]
        outputs = [helper.make_tensor_value_info(f"y{i}", TensorProto.FLOAT, None) for i in range(count)]
        return save(folder, nodes, inputs=[helper.make_tensor_value_info("x", TensorProto.INT64, [20])], outputs=outputs, opset=9)

    return make


def negations(folder):
    call = helper.make_node("F18", ["x"], ["y"], domain="d")
    imports = [helper.make_opsetid("d", 1)]
    return save(folder, [call], inputs=[real("x")], outputs=[real("y")], functions=doubling_functions(19), imports=imports)


BOMBS = {
    **{f"determinants of {size}, {levels} levels": determinants(size, levels) for size, levels in [(3, 15), (4, 15), (6, 13), (6, 15), (8, 14), (16, 17)]},
    "floats": float_lists,
    "floats of a parameter": float_lists_of_a_parameter,
    "floats by default": float_lists_by_default,
    "integers": integer_lists,
    "strings": string_lists,
    "node names": long_node_names,
    "value names": long_value_names,
    "names in bodies": long_names_of_bodies,
    "vectors": wide_vectors(60),
    "vectors of half the size": wide_vectors(60, (1 << 23) + 60),
    "one vector": wide_vectors(1),
    "nodes": negations,
}


@pytest.mark.parametrize("name", BOMBS)
def test_bomb(name, tmp_path):
    model = BOMBS[name](tmp_path)
    run = convert_limited(model, tmp_path)
    assert run.exit_code in (0, 1), run.errors
    if run.exit_code == 1:
        assert "--max-memory" in run.errors or "--max-function-nodes" in run.errors or "--max-xml-size" in run.errors, run.errors
    if not IS_SANITIZED:
        assert run.peak_bytes <= BYTES, f"{run.peak_bytes >> 20} MiB"
        assert run.seconds <= SECONDS, f"{run.seconds:.1f} s"


@pytest.mark.skipif(IS_SANITIZED, reason="needs gigabytes")
def test_the_default_limit_of_memory_can_be_raised(tmp_path):
    model = wide_vectors(3)(tmp_path)
    assert convert_limited(model, tmp_path, "--max-memory", "100M").exit_code == 1
    assert convert_limited(model, tmp_path, "--max-memory", "0").exit_code == 0
    assert convert_limited(model, tmp_path, "--max-memory", "auto").exit_code == 0
