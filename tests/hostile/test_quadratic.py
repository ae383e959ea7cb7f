"""Models of a few MB at most for which the time once grew with the square of their size, or faster: within 5 s."""

import resource
import subprocess

import onnx
import pytest
from onnx import TensorProto, helper

from ..conformance.tool import tool_path
from .limited import IS_SANITIZED, SECONDS, convert_limited
from .test_hostile import check, real, save

pytestmark = pytest.mark.skipif(IS_SANITIZED, reason="measures time")


def truth(name):
    return helper.make_tensor_value_info(name, TensorProto.BOOL, None)


def identities(value, prefix, count):
    """Nodes that copy `value`, and the name of the last copy."""
    names = [value, *(f"{prefix}_{i}" for i in range(count))]
    return [helper.make_node("Identity", [names[i]], [names[i + 1]]) for i in range(count)], names[-1]


def conditional(condition, output, then_value, else_value, value_type):
    branches = {
        f"{which}_branch": helper.make_graph([helper.make_node("Identity", [value], [f"{which}_{output}"])], which, [], [value_type(f"{which}_{output}")])
        for which, value in (("then", then_value), ("else", else_value))
    }
    return helper.make_node("If", [condition], [output], **branches)


def conditions_of_copies(folder, uses, length):
    """The output of an If that is not used if one branch was taken: its uses are in Ifs whose condition is the first one after many copies."""
    nodes, condition = identities("c", "copy_of_c", length)
    for i in range(8):
        nodes.append(conditional(condition, f"d{i}", condition, condition, truth))
        copies, condition = identities(f"d{i}", f"copy_of_d{i}", length)
        nodes += copies
    nodes.append(helper.make_node("Unsqueeze", ["x", "axis"], ["row"]))
    nodes.append(conditional("c", "y", "x", "row", lambda name: real(name, None)))
    nodes += [conditional(condition, f"z{i}", "y", "x", lambda name: real(name, None)) for i in range(uses)]
    nodes.append(helper.make_node("Sum", [f"z{i}" for i in range(uses)], ["sum"]))
    axis = helper.make_tensor("axis", TensorProto.INT64, [1], [0])
    condition_input = helper.make_tensor_value_info("c", TensorProto.BOOL, [])
    return save(folder, nodes, inputs=[real("x", ["n"]), condition_input], outputs=[real("sum", ["n"])], initializers=[axis])


def test_many_uses_of_the_output_of_an_if(tmp_path):
    """Each use followed all copies: 40 s."""
    run = convert_limited(conditions_of_copies(tmp_path, 1_000, 990), tmp_path)
    check(run)
    assert run.exit_code == 0, run.errors


def calling(folder, body, parameters, values):
    """A call of a function that consists of the node `body`."""
    function = helper.make_function("f", "F", ["x"], ["y"], [body], [helper.make_opsetid("d", 1)], attributes=parameters)
    call = helper.make_node("F", ["x"], ["y"], domain="f", **values)
    imports = [helper.make_opsetid("f", 1), helper.make_opsetid("d", 1)]
    return save(folder, [call], inputs=[real("x")], outputs=[real("y")], functions=[function], imports=imports)


def test_references_to_the_last_of_many_attributes(tmp_path):
    """Each reference searched all attributes of the function: 13 s."""
    names = [f"a{i}" for i in range(60_000)]
    body = helper.make_node("G", ["x"], ["y"], domain="d")
    for name in names:
        body.attribute.add(name=name, ref_attr_name=names[-1], type=onnx.AttributeProto.INT)
    run = convert_limited(calling(tmp_path, body, names, {}), tmp_path)
    check(run)
    assert "operator d.G is not supported" in run.errors


def test_uses_of_a_captured_sequence(tmp_path):
    """Each use captured all elements again: 12 s."""
    count = 8_000

    def branch(name):
        parts = [f"{name}{i}" for i in range(count)]
        nodes = [helper.make_node("SequenceAt", ["s", "position"], [part]) for part in parts]
        nodes.append(helper.make_node("Sum", parts, [name]))
        return helper.make_graph(nodes, name, [], [real(name, None)])

    nodes = [
        helper.make_node("SequenceConstruct", ["x"] * count, ["s"]),
        helper.make_node("If", ["c"], ["y"], then_branch=branch("a"), else_branch=branch("b")),
    ]
    position = helper.make_tensor("position", TensorProto.INT64, [], [1])
    condition = helper.make_tensor_value_info("c", TensorProto.BOOL, [])
    run = convert_limited(save(tmp_path, nodes, inputs=[real("x"), condition], outputs=[real("y", None)], initializers=[position]), tmp_path)
    check(run)
    assert run.exit_code == 0, run.errors


def test_statistics_of_many_inputs(tmp_path):
    """Each name of a dimension was searched among all others: 21 s."""
    inputs = [real(f"i{i}", [f"d{i:07}", f"e{i:07}"]) for i in range(40_000)]
    path = save(tmp_path, [helper.make_node("Relu", ["i0"], ["y"])], inputs=inputs, outputs=[real("y", None)])
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run([tool_path(), "stats", path], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr[:1000]
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before <= SECONDS


def test_references_to_attributes_without_a_value(tmp_path):
    """Each of them was deleted alone, which moved all later ones: 20 s."""
    body = helper.make_node("G", ["x"], ["y"], domain="d")
    for i in range(400_000):
        body.attribute.add(name=f"a{i}", ref_attr_name="p", type=onnx.AttributeProto.INT)
    run = convert_limited(calling(tmp_path, body, ["p"], {}), tmp_path)
    check(run)
    assert "operator d.G is not supported" in run.errors


def test_many_ifs_that_compare_a_size_of_an_input(tmp_path):
    """The hint of each of them, an option for the input, compared all inputs with all parameters: 11 s."""
    inputs = [real(f"i{i}", [f"d{i}"]) for i in range(20_000)]
    last = inputs[-1].name
    nodes = [
        helper.make_node("Shape", [last], ["sizes"]),
        helper.make_node("Equal", ["sizes", "two"], ["equal"]),
        helper.make_node("Squeeze", ["equal", "zero"], ["c"]),
        helper.make_node("Unsqueeze", [last, "zero"], ["row"]),
    ]
    nodes += [conditional("c", f"y{i}", last, "row", lambda name: real(name, None)) for i in range(3)]
    constants = [helper.make_tensor(name, TensorProto.INT64, [1], [value]) for name, value in (("two", 2), ("zero", 0))]
    run = convert_limited(save(tmp_path, nodes, inputs=inputs, outputs=[real(f"y{i}", None) for i in range(3)], initializers=constants), tmp_path)
    check(run)
    assert f"the option --input {last}[2] makes the condition true" in run.errors


def test_sizes_broadcast_with_a_shared_expression(tmp_path):
    """A size that is broadcast from three others in 2^15 ways was searched for each of the other sizes: 7 s."""
    others = [f"z{i}" for i in range(40_000)]
    inputs = [real(name, [f"size of {name}"]) for name in [*others, "a0", "b0", "c0"]]
    nodes = [helper.make_node("Mul", [f"{x}{i}", f"{y}{i}"], [f"{x}{i + 1}"]) for i in range(15) for x, y in ("ab", "bc", "ca")]
    nodes += [helper.make_node("Add", ["a15", name], [f"sum_{name}"]) for name in others]
    nodes.append(helper.make_node("ReduceMax", ["sum_z0"], ["y"]))
    run = convert_limited(save(tmp_path, nodes, inputs=inputs, outputs=[real("y", [1])]), tmp_path)
    check(run)
    assert run.exit_code == 0, run.errors
