"""Models that are large or deep: the time grows with the size of the model, not faster, and deep nesting does not exhaust the stack."""

import resource
import subprocess

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from ..conformance.tool import tool_path
from .limited import IS_SANITIZED, convert_limited
from .test_hostile import check, real, save

SECONDS = 10
DEPTH = 60


def bool_value(name):
    return helper.make_tensor_value_info(name, TensorProto.BOOL, [])


def int_value(name):
    return helper.make_tensor_value_info(name, TensorProto.INT64, [])


def chain(count):
    """The field `node` of a GraphProto: `count` nodes v0000001 = Add(v0000000, step) and so on. Serialized, because a million objects of
    protobuf take longer than their conversion."""
    template = np.frombuffer(b"\x0a\x1f\x0a\x08v0000000\x0a\x04step\x12\x08v0000000\x22\x03Add", np.uint8)
    nodes = np.tile(template, (count, 1))
    assert nodes[0, 1] == template.size - 2
    for first, offset in ((5, 0), (21, 1)):
        numbers = np.arange(count) + offset
        for digit in range(7):
            nodes[:, first + 6 - digit] = ord("0") + numbers // 10**digit % 10
    return nodes.tobytes()


def loop_of(folder, count):
    """A Loop whose body has `count` nodes."""
    body = helper.make_graph(
        [helper.make_node("Identity", ["c"], ["d"])],
        "body",
        [int_value("i"), bool_value("c"), real("v0000000")],
        [bool_value("d"), real(f"v{count:07}")],
        initializer=[helper.make_tensor("step", TensorProto.FLOAT, [2], [1, 2])],
    )
    body.MergeFromString(chain(count))
    loop = helper.make_node("Loop", ["m", "", "x"], ["y"], body=body)
    return save(folder, [loop], inputs=[real("x"), int_value("m")], outputs=[real("y")])


@pytest.mark.skipif(IS_SANITIZED, reason="measures time")
def test_time_is_linear_in_the_size_of_a_loop_body(tmp_path):
    runs = {}
    for count in (125_000, 1_000_000):
        runs[count] = convert_limited(loop_of(tmp_path, count), tmp_path)
        assert runs[count].exit_code == 0, runs[count].errors
    assert runs[1_000_000].seconds < SECONDS
    assert runs[1_000_000].seconds < 16 * runs[125_000].seconds


def split_of(folder, count):
    """A Split of many outputs, all of which a Concat reads."""
    parts = [f"s{i}" for i in range(count)]
    nodes = [helper.make_node("Split", ["x"], parts, axis=0, num_outputs=count), helper.make_node("Concat", parts[::-1], ["y"], axis=0)]
    return save(folder, nodes, inputs=[real("x", (count,))], outputs=[real("y", (count,))], opset=18)


def states_of(folder, count):
    """A Loop of many states."""
    inputs = [int_value("i"), bool_value("c"), *(real(f"a{i}") for i in range(count))]
    nodes = [helper.make_node("Add", [f"a{i}", f"a{(i + 1) % count}"], [f"b{i}"]) for i in range(count)]
    body = helper.make_graph([helper.make_node("Identity", ["c"], ["d"]), *nodes], "b", inputs, [bool_value("d"), *(real(f"b{i}") for i in range(count))])
    loop = helper.make_node("Loop", ["m", "", *["x"] * count], [f"y{i}" for i in range(count)], body=body)
    return save(folder, [loop], inputs=[real("x"), int_value("m")], outputs=[real(f"y{i}") for i in range(count)], opset=18)


@pytest.mark.skipif(IS_SANITIZED, reason="measures time")
@pytest.mark.parametrize(("make", "count"), [(split_of, 30_000), (states_of, 8_000)], ids=["outputs", "states"])
def test_a_layer_with_many_ports(make, count, tmp_path):
    """The readers of a written IR looked for each port among all ports of the layer: 8 s for 20,000 outputs."""
    run = convert_limited(make(tmp_path, count), tmp_path)
    assert run.exit_code == 0 and run.seconds < SECONDS, run.errors
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([tool_path(), "diff", tmp_path / "model.xml", tmp_path / "model.xml"], capture_output=True, check=False)
    assert done.returncode == 0 and not done.stdout, done.stdout[:1000]
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before.ru_utime < 3


def conditions_of(folder, count):
    """Squeezes of unknown size whose results one chain of Ands joins to a condition: all of them must be scalars."""
    nodes = []
    for i in range(count):
        nodes += [helper.make_node("Squeeze", ["v"], [f"s{i}"]), helper.make_node("And", [f"c{i}", f"s{i}"], [f"c{i + 1}"])]
    then_branch, else_branch = (helper.make_graph([helper.make_node(name, ["x"], [name])], name, [], [real(name)]) for name in ("Neg", "Abs"))
    nodes.append(helper.make_node("If", [f"c{count}"], ["y"], then_branch=then_branch, else_branch=else_branch))
    inputs = [real("x"), bool_value("c0"), helper.make_tensor_value_info("v", TensorProto.BOOL, ["n"])]
    return save(folder, nodes, inputs=inputs, outputs=[real("y")])


@pytest.mark.skipif(IS_SANITIZED, reason="measures time")
def test_ranks_that_common_readers_require(tmp_path):
    """Each Squeeze walked the whole rest of the chain: 1.2 s for 4,000 of them, a minute for these."""
    run = convert_limited(conditions_of(tmp_path, 20_000), tmp_path)
    check(run)
    assert run.exit_code == 0, run.errors


# Python's protobuf does not make messages as deep as these: bodies are added as serialized fields.


def field(number, content):
    """A field of a message or of bytes."""
    size, varint = len(content), b""
    while size >= 128:
        varint += bytes([size % 128 + 128])
        size //= 128
    return bytes([number * 8 + 2]) + varint + bytes([size]) + content


def node(operator, inputs, outputs, axis=None, **bodies):
    """A NodeProto. Its bodies are serialized graphs."""
    content = helper.make_node(operator, inputs, outputs, axis=axis).SerializeToString()
    for name, graph in bodies.items():
        content += field(5, onnx.AttributeProto(name=name, type=onnx.AttributeProto.GRAPH).SerializeToString() + field(6, graph))
    return content


def graph(nodes, name, inputs, outputs):
    return helper.make_graph([], name, inputs, outputs).SerializeToString() + b"".join(field(1, content) for content in nodes)


def branches(depth, value, inner):
    made = {}
    for name, operator in (("then", "Neg"), ("else", "Abs")):
        output = f"{name}{depth}"
        nodes = inner(depth - 1, value, output) if name == "then" and depth > 1 else [node(operator, [value], [output])]
        made[f"{name}_branch"] = graph(nodes, f"{name}{depth}", [], [real(output)])
    return made


def loop_body(depth, inner, scans):
    """The state of a Loop starts as that of the Loop around it; each iteration adds the outermost value."""
    nodes = [*inner, node("Add", [f"t{depth}", "x"], [f"n{depth}"]), node("Identity", [f"g{depth}"], [f"d{depth}"])]
    inputs = [int_value(f"i{depth}"), bool_value(f"g{depth}"), real(f"s{depth}", None)]
    return graph(nodes, f"b{depth}", inputs, [bool_value(f"d{depth}"), real(f"n{depth}", None), *scans])


def nested_ifs(depth, value, output):
    """Each condition and the value are captured from the outermost graph."""
    return [node("If", ["c"], [output], **branches(depth, value, nested_ifs))]


def nested_loops(depth, value, output):
    inner = nested_loops(depth - 1, f"s{depth}", f"t{depth}") if depth > 1 else [node("Neg", [f"s{depth}"], [f"t{depth}"])]
    body = loop_body(depth, inner, [real(f"t{depth}", None)])
    return [node("Loop", ["m", "", value], [output, f"scan{depth}"], body=body)]


def alternating(depth, value, output):
    """A Loop in a branch in a Loop, and so on."""
    if depth % 2 or depth == 1:
        return [node("If", ["c"], [output], **branches(depth, value, alternating))]
    return [node("Loop", ["m", "", value], [output], body=loop_body(depth, alternating(depth - 1, f"s{depth}", f"t{depth}"), []))]


def failing_branches(depth, value, output):
    """Ifs whose else_branch multiplies vectors of different sizes. It is left out, and the other branch replaces the If."""
    inner = failing_branches(depth - 1, value, f"t{depth}") if depth > 1 else [node("Neg", [value], ["t1"])]
    failing = [node("Concat", [value, value], [f"d{depth}"], axis=0), node("MatMul", [value, f"d{depth}"], [f"e{depth}"])]
    return [
        node(
            "If",
            ["c"],
            [output],
            then_branch=graph(inner, f"then{depth}", [], [real(f"t{depth}", None)]),
            else_branch=graph(failing, f"else{depth}", [], [real(f"e{depth}", None)]),
        )
    ]


NESTINGS = {"ifs": nested_ifs, "loops": nested_loops, "alternating": alternating, "failing branches": failing_branches}


def nested(name, depth, folder):
    inputs, outputs = [real("x"), bool_value("c"), int_value("m")], [real("y", None)]
    path = save(folder, [], inputs=inputs, outputs=outputs)
    # Two fields of one message are one message.
    path.write_bytes(path.read_bytes() + field(7, b"".join(field(1, content) for content in NESTINGS[name](depth, "x", "y"))))
    return path


@pytest.mark.parametrize("name", NESTINGS)
def test_deep_nesting(name, tmp_path):
    run = convert_limited(nested(name, DEPTH, tmp_path), tmp_path)
    check(run)
    assert run.exit_code == 0, run.errors
    for command in (["show"], ["show", "--html", "-"], ["stats"], ["stats", "--json"], ["lint"], ["legalize", "-o", tmp_path / "legal.xml"]):
        done = subprocess.run([tool_path(), *command, tmp_path / "model.xml"], capture_output=True, timeout=60, check=False)
        assert done.returncode == 0 or (command == ["lint"] and done.returncode == 1), (command, done.returncode, done.stderr)
    done = subprocess.run([tool_path(), "diff", tmp_path / "model.xml", tmp_path / "model.xml"], capture_output=True, timeout=60, check=False)
    assert done.returncode == 0 and not done.stdout, done.stdout[:1000]


@pytest.mark.skipif(IS_SANITIZED, reason="measures time")
@pytest.mark.parametrize("name", NESTINGS)
def test_time_is_not_exponential_in_depth(name, tmp_path):
    """Twice the depth may take the square of two as long: captured values pass through all levels."""
    seconds = [convert_limited(nested(name, depth, tmp_path), tmp_path).seconds for depth in (DEPTH // 2, DEPTH)]
    assert seconds[1] < 0.2 + 8 * seconds[0]


@pytest.mark.parametrize("name", NESTINGS)
@pytest.mark.parametrize("depth", [100, 300])
def test_deeper_nesting_is_an_error(name, depth, tmp_path):
    run = convert_limited(nested(name, depth, tmp_path), tmp_path)
    check(run)
    assert run.exit_code == 1
    assert "nested" in run.errors, run.errors


def test_each_failing_branch_is_reported_once(tmp_path):
    """Each level translated the branch that remains twice: 2^depth warnings."""
    run = convert_limited(nested("failing branches", 10, tmp_path), tmp_path)
    check(run)
    assert run.exit_code == 0, run.errors
    # One message with all its places.
    assert run.errors.count("else_branch is left out, because it fails for all inputs") == 1
    assert run.errors.count("  at main") == 10, run.errors


def test_very_deep_nesting_is_an_error(tmp_path):
    content = node("Neg", ["x"], ["y"])
    empty = node("If", ["c"], ["y"], else_branch=graph([node("Abs", ["x"], ["y"])], "e", [], [real("y")]))
    for _ in range(2_000):
        body = graph([], "b", [], [real("y")]) + field(1, content)
        attribute = onnx.AttributeProto(name="then_branch", type=onnx.AttributeProto.GRAPH).SerializeToString() + field(6, body)
        content = empty + field(5, attribute)
    path = save(tmp_path, [], inputs=[real("x"), bool_value("c")], outputs=[real("y", None)])
    path.write_bytes(path.read_bytes() + field(7, field(1, content)))
    run = convert_limited(path, tmp_path)
    check(run)
    assert run.exit_code == 1


@pytest.mark.skipif(IS_SANITIZED, reason="measures time")
def test_many_models_in_one_run(tmp_path):
    """Each output is compared with all files that are read and written; the second run replaces the outputs of the first one."""
    count = 600
    model = save(tmp_path, [helper.make_node("Relu", ["x"], ["y"])], inputs=[real("x")], outputs=[real("y")])
    models = [tmp_path / f"m{i}.onnx" for i in range(count)]
    for path in models:
        path.write_bytes(model.read_bytes())
    (tmp_path / "out").mkdir()
    for _ in range(2):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([tool_path(), *models, "-o", f"{tmp_path / 'out'}/", "--quiet"], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < SECONDS
    assert len(list((tmp_path / "out").iterdir())) == 2 * count
