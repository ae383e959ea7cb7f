"""Models that are designed to crash the converter or to exhaust time and memory: an IR or a clear error, within 5 s and 1 GiB."""

from pathlib import Path

import onnx
import pytest
from onnx import TensorProto, helper

from .limited import BYTES, IS_SANITIZED, SECONDS, convert_limited

MODELS = sorted((Path(__file__).parent / "models").iterdir())
# These once read out of bounds, divided by zero, overflowed, gave an invalid IR, or had a size from the model that no memory holds:
# an IR with the bad node cannot be right.
# Its bad nodes are in the body of a Loop that never runs.
NEVER_RUN = "sig8_520294_115780_f16b.onnx"
REFUSED = ("sig", "slice_", "upsample_", "resize_", "causalconv", "col2im", "convolution_", "refused_", "contrib_", "expand_")


def check(run):
    assert run.exit_code in (0, 1), f"exit code {run.exit_code}: {run.errors}"
    assert IS_SANITIZED or run.seconds <= SECONDS, f"{run.seconds:.1f} s"
    assert IS_SANITIZED or run.peak_bytes <= BYTES, f"{run.peak_bytes >> 20} MiB"
    assert "libprotobuf" not in run.errors
    if run.exit_code == 1:
        assert run.errors.startswith(("error: ", "warning: ")), run.errors


@pytest.mark.parametrize("model", MODELS, ids=lambda path: path.stem)
def test_ends_within_limits(model, tmp_path):
    run = convert_limited(model, tmp_path)
    check(run)
    if model.name.startswith(REFUSED) and model.name != NEVER_RUN:
        # A branch of an If that fails for all inputs is removed.
        assert run.exit_code == 1 or "is left out, because it fails for all inputs" in run.errors


def save(tmp_path, nodes, *, inputs=(), outputs=(), opset=17, functions=(), imports=(), initializers=()):
    graph = helper.make_graph(list(nodes), "g", list(inputs), list(outputs), initializer=list(initializers))
    opsets = [helper.make_opsetid("", opset), *imports]
    model = helper.make_model(graph, opset_imports=opsets, functions=list(functions), ir_version=9)
    path = tmp_path / "model.onnx"
    onnx.save(model, path)
    return path


def real(name, shape=(2,)):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


def integer(name, shape):
    return helper.make_tensor_value_info(name, TensorProto.INT32, shape)


def test_an_initializer_with_many_axes(tmp_path):
    """The error names the initializer, also one that a graph returns without a node."""
    many = helper.make_tensor("w", TensorProto.FLOAT, [1] * 300, [1])
    path = save(tmp_path, [helper.make_node("Neg", ["w"], ["y"])], outputs=[real("y", None), real("w", None)], initializers=[many])
    run = convert_limited(path, tmp_path)
    check(run)
    assert "initializer 'w': a tensor has 300 axes; more than 256 are not supported [bad-initializer]\n  at main\n" in run.errors


def test_many_attributes(tmp_path):
    node = helper.make_node("F", ["x"], ["y"], domain="d")
    for i in range(300_000):
        node.attribute.add(name=f"a{i}", type=onnx.AttributeProto.INT, i=i)
    path = save(tmp_path, [node], inputs=[real("x")], outputs=[real("y")], imports=[helper.make_opsetid("d", 1)])
    run = convert_limited(path, tmp_path)
    check(run)
    assert "operator d.F is not supported" in run.errors


def test_many_calls_of_a_function_with_many_imports(tmp_path):
    count = 20_000
    imports = [helper.make_opsetid("", 17), *(helper.make_opsetid(f"d{i}", 1) for i in range(count))]
    function = helper.make_function("d", "F", ["a"], ["b"], [helper.make_node("Neg", ["a"], ["b"])], imports)
    names = ["x", *(f"v{i}" for i in range(count - 1)), "y"]
    nodes = [helper.make_node("F", [names[i]], [names[i + 1]], domain="d") for i in range(count)]
    opset = [helper.make_opsetid("d", 1)]
    path = save(tmp_path, nodes, inputs=[real("x")], outputs=[real("y")], functions=[function], imports=opset)
    run = convert_limited(path, tmp_path)
    check(run)
    assert run.exit_code == 0, run.errors


def doubling_functions(levels):
    """Each function calls the previous one twice."""
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("d", 1)]
    functions = [helper.make_function("d", "F0", ["a"], ["b"], [helper.make_node("Neg", ["a"], ["b"])], opsets)]
    for level in range(1, levels):
        calls = [
            helper.make_node(f"F{level - 1}", ["a"], ["c"], domain="d"),
            helper.make_node(f"F{level - 1}", ["c"], ["b"], domain="d"),
        ]
        functions.append(helper.make_function("d", f"F{level}", ["a"], ["b"], calls, opsets))
    return functions


def test_limit_of_nodes_from_functions_can_be_raised(tmp_path):
    call = helper.make_node("F7", ["x"], ["y"], domain="d")
    path = save(
        tmp_path,
        [call],
        inputs=[real("x")],
        outputs=[real("y")],
        functions=doubling_functions(8),
        imports=[helper.make_opsetid("d", 1)],
    )
    refused = convert_limited(path, tmp_path, "--max-function-nodes", "100")
    assert refused.exit_code == 1
    assert "more than 100 nodes" in refused.errors
    assert "--max-function-nodes" in refused.errors
    assert convert_limited(path, tmp_path, "--max-function-nodes", "1000").exit_code == 0


def test_shapes_that_move_from_state_to_state(tmp_path):
    count = 1_600
    states = [f"s{i}" for i in range(count)]
    nodes = [helper.make_node("Identity", ["go"], ["go_out"])]
    nodes += [helper.make_node("Neg", [states[i - 1]], [f"n{i}"]) for i in range(1, count)]
    nodes.append(helper.make_node("Concat", ["s0", "s0"], ["n0"], axis=0))
    body = helper.make_graph(
        nodes,
        "b",
        [
            helper.make_tensor_value_info("i", TensorProto.INT64, ()),
            helper.make_tensor_value_info("go", TensorProto.BOOL, ()),
            *(real(name, None) for name in states),
        ],
        [helper.make_tensor_value_info("go_out", TensorProto.BOOL, ()), *(real(f"n{i}", None) for i in range(count))],
    )
    loop = helper.make_node("Loop", ["m", "", *(f"x{i}" for i in range(count))], [f"y{i}" for i in range(count)], body=body)
    inputs = [helper.make_tensor_value_info("m", TensorProto.INT64, ()), *(real(f"x{i}", (i + 1,)) for i in range(count))]
    path = save(tmp_path, [loop], inputs=inputs, outputs=[real(f"y{i}", None) for i in range(count)])
    run = convert_limited(path, tmp_path)
    check(run)
    assert run.exit_code == 0, run.errors


def nested_loops(depth, value, innermost):
    """Nested loops whose state starts as an outer value and changes its size. `innermost` is the operator of the innermost body."""
    body = [helper.make_node("Identity", [f"g{depth}"], [f"go{depth}"])]
    if depth == 0:
        inputs = [f"s{depth}", f"s{depth}"] if innermost == "Concat" else ["s0"]
        body.append(helper.make_node(innermost, inputs, [f"n{depth}"], axis=0))
    else:
        body += nested_loops(depth - 1, f"s{depth}", innermost)
        body.append(helper.make_node("Concat", [f"y{depth - 1}", f"s{depth}"], [f"n{depth}"], axis=0))
    graph = helper.make_graph(
        body,
        f"b{depth}",
        [
            helper.make_tensor_value_info(f"i{depth}", TensorProto.INT64, ()),
            helper.make_tensor_value_info(f"g{depth}", TensorProto.BOOL, ()),
            real(f"s{depth}", None),
        ],
        [helper.make_tensor_value_info(f"go{depth}", TensorProto.BOOL, ()), real(f"n{depth}", None)],
    )
    return [helper.make_node("Loop", ["m", "", value], [f"y{depth}"], body=graph)]


@pytest.mark.parametrize(("innermost", "exit_code"), [("Concat", 0), ("Unknown", 1)])
def test_time_is_not_exponential_in_loop_depth(innermost, exit_code, tmp_path):
    inputs = [real("x"), helper.make_tensor_value_info("m", TensorProto.INT64, ())]
    path = save(tmp_path, nested_loops(30, "x", innermost), inputs=inputs, outputs=[real("y30", None)])
    run = convert_limited(path, tmp_path)
    check(run)
    assert run.exit_code == exit_code, run.errors


def test_long_chain_of_expands(tmp_path):
    """Each Broadcast asks whether the other operand has its sizes, which come from the start of the chain."""
    nodes, x = [], "x"
    for i in range(8_000):
        nodes += [helper.make_node("Shape", [x], [f"s{i}"]), helper.make_node("Expand", ["b", f"s{i}"], [f"e{i}"]), helper.make_node("Add", [x, f"e{i}"], [f"x{i}"])]
        x = f"x{i}"
    inputs = [real("x", ("n", "m", "k")), real("b", (1,))]
    run = convert_limited(save(tmp_path, nodes, inputs=inputs, outputs=[real(x, (None, None, None))]), tmp_path)
    check(run)
    assert run.exit_code == 0


def test_long_chain_of_reshapes_to_dynamic_sizes(tmp_path):
    """Each Reshape asks for the size of its -1."""
    nodes, x = [], "x"
    for i in range(8_000):
        nodes += [
            helper.make_node("Shape", [x], [f"s{i}"], start=0, end=1),
            helper.make_node("Concat", [f"s{i}", "rest"], [f"c{i}"], axis=0),
            helper.make_node("Reshape", [x, f"c{i}"], [f"x{i}"]),
        ]
        x = f"x{i}"
    rest = helper.make_tensor("rest", TensorProto.INT64, [2], [-1, 8])
    path = save(tmp_path, nodes, inputs=[real("x", ("n", 4, 8))], outputs=[real(x, (None, None, None))], initializers=[rest])
    run = convert_limited(path, tmp_path)
    check(run)
    assert run.exit_code == 0


def strings(name, shape=(2,)):
    return helper.make_tensor_value_info(name, TensorProto.STRING, shape)


def test_long_delimiter(tmp_path):
    """All prefixes of the delimiter are almost suffixes."""
    split = helper.make_node("StringSplit", ["x"], ["y", "n"], delimiter="a" * 2_000_000 + "b")
    count = helper.make_tensor_value_info("n", TensorProto.INT64, (2,))
    run = convert_limited(save(tmp_path, [split], inputs=[strings("x")], outputs=[strings("y", (2, None)), count], opset=20), tmp_path)
    check(run)
    assert run.exit_code == 0, run.errors


def test_stop_words_of_different_lengths(tmp_path):
    """A table of all words, padded to the longest, would have 4 GB."""
    node = helper.make_node("StringNormalizer", ["x"], ["y"], stopwords=["a"] * 20_000 + ["b" * 200_000], is_case_sensitive=1)
    run = convert_limited(save(tmp_path, [node], inputs=[strings("x")], outputs=[strings("y", (None,))]), tmp_path)
    check(run)
    assert run.exit_code == 1


def test_long_n_grams_with_skips(tmp_path):
    """Each word of an n-gram would be compared for each number of skipped words."""
    size = 2_000
    node = helper.make_node(
        "TfIdfVectorizer",
        ["x"],
        ["y"],
        max_gram_length=size,
        min_gram_length=1,
        max_skip_count=1000,
        mode="TF",
        ngram_counts=[0] * size,
        ngram_indexes=[0],
        pool_int64s=[1] * size,
    )
    words = helper.make_tensor_value_info("x", TensorProto.INT64, (5,))
    run = convert_limited(save(tmp_path, [node], inputs=[words], outputs=[real("y", (None,))]), tmp_path)
    check(run)
    assert run.exit_code == 1


def test_sequence_of_many_tensors(tmp_path):
    nodes = [
        helper.make_node("SequenceConstruct", ["x"] * 100_000, ["s"]),
        helper.make_node("SequenceLength", ["s"], ["n"]),
    ]
    count = helper.make_tensor_value_info("n", TensorProto.INT64, ())
    run = convert_limited(save(tmp_path, nodes, inputs=[real("x")], outputs=[count]), tmp_path)
    check(run)
    assert run.exit_code == 0, run.errors


def test_long_list_of_known_elements(tmp_path):
    """100,000 parts of 1024 known elements each."""
    part = helper.make_tensor("c", TensorProto.INT64, [1024], range(1024))
    node = helper.make_node("Concat", ["c"] * 100_000, ["y"], axis=0)
    output = helper.make_tensor_value_info("y", TensorProto.INT64, None)
    run = convert_limited(save(tmp_path, [node], outputs=[output], initializers=[part]), tmp_path)
    check(run)
    assert run.exit_code == 0


@pytest.mark.parametrize("operator", ["Div", "ReduceMax"])
def test_long_chain_after_a_reduction(operator, tmp_path):
    """Workarounds for fused reductions look for the start or the end of the chain."""
    options = {"keepdims": 1} if operator == "ReduceMax" else {}
    nodes = [helper.make_node("ReduceSum", ["x", "axes"], ["x0"], keepdims=1)]
    other = "axes" if operator == "ReduceMax" else "c"
    nodes += [helper.make_node(operator, [f"x{i}", other], [f"x{i + 1}"], **options) for i in range(40_000)]
    constants = [helper.make_tensor("axes", TensorProto.INT64, [1], [0]), helper.make_tensor("c", TensorProto.INT32, [], [3])]
    shape = ("a", "b", "c")
    path = save(tmp_path, nodes, inputs=[integer("x", shape)], outputs=[integer("x40000", None)], initializers=constants, opset=18)
    run = convert_limited(path, tmp_path)
    check(run)
    assert run.exit_code == 0


def test_sums_after_a_squeeze_in_a_branch(tmp_path):
    """Whether all uses of the result of the If ignore its first dimension: each sum uses a value twice."""
    sums = "\n".join(f"y{i + 1} = Add(y{i}, y{i})" for i in range(60))
    path = tmp_path / "model.onnxtxt"
    path.write_text(f"""<ir_version: 9, opset_import: ["" : 17]>
        g (float[n, 3] x, bool c) => (float[m] y) {{
          y0 = If (c) <
            then_branch = t () => (float r) {{
              axes = Constant <value = int64[1] {{0}}> ()
              r = Squeeze(x, axes)
            }},
            else_branch = e () => (float s) {{ s = Identity(x) }}
          >
          {sums}
          shape = Constant <value = int64[1] {{-1}}> ()
          y = Reshape(y60, shape)
        }}""")
    run = convert_limited(path, tmp_path)
    check(run)
    assert run.exit_code == 0


def test_reshapes_of_many_axes(tmp_path):
    """Whether the query has as many heads as the key: each Reshape compares all sizes of its input."""
    nodes = [helper.make_node("Relu", ["x"], ["q0"]), helper.make_node("Sigmoid", ["x"], ["k0"])]
    for i in range(4):
        nodes += [helper.make_node("Reshape", [f"{name}{i}", f"p{i}"], [f"{name}{i + 1}"]) for name in "qk"]
    nodes.append(helper.make_node("Attention", ["q4", "k4", "k4"], ["y"]))
    patterns = [helper.make_tensor_value_info(f"p{i}", TensorProto.INT64, [4 if i == 3 else 256]) for i in range(4)]
    inputs = [real("x", [f"d{i}" for i in range(256)]), *patterns]
    run = convert_limited(save(tmp_path, nodes, inputs=inputs, outputs=[real("y", None)], opset=23), tmp_path)
    check(run)


LEARNING = "ai.onnx.ml"


def convert_learned(node, value_type, tmp_path):
    inputs = [helper.make_tensor_value_info("x", value_type, [2, 1])]
    outputs = [helper.make_tensor_value_info(name, TensorProto.UNDEFINED, None) for name in node.output]
    for output in outputs:
        output.ClearField("type")
    run = convert_limited(save(tmp_path, [node], inputs=inputs, outputs=outputs, imports=[helper.make_opsetid(LEARNING, 3)]), tmp_path)
    check(run)
    assert run.exit_code == 1
    return run.errors


@pytest.mark.parametrize("attribute", ["keys", "values"])
def test_table_of_one_long_text_and_many_short_ones(attribute, tmp_path):
    texts = ["a"] * 100_000 + ["b" * 100_000]
    numbers = "values" if attribute == "keys" else "keys"
    options = {f"{attribute}_strings": texts, f"{numbers}_int64s": range(len(texts))}
    node = helper.make_node("LabelEncoder", ["x"], ["y"], domain=LEARNING, **options)
    errors = convert_learned(node, TensorProto.STRING if attribute == "keys" else TensorProto.INT64, tmp_path)
    assert "exceeds the limit" in errors


def test_many_classes_of_support_vectors(tmp_path):
    classes, vectors = 1_000, 2_000
    node = helper.make_node(
        "SVMClassifier",
        ["x"],
        ["label", "scores"],
        domain=LEARNING,
        classlabels_ints=range(classes),
        vectors_per_class=[vectors // classes] * classes,
        rho=[0.0] * (classes * (classes - 1) // 2),
        coefficients=[1.0] * (vectors * (classes - 1)),
        support_vectors=[1.0] * vectors,
    )
    assert "exceeds the limit" in convert_learned(node, TensorProto.FLOAT, tmp_path)


def test_deep_tree(tmp_path):
    inner = 100_000
    count = inner + 1
    node = helper.make_node(
        "TreeEnsembleRegressor",
        ["x"],
        ["y"],
        domain=LEARNING,
        nodes_treeids=[0] * count,
        nodes_nodeids=range(count),
        nodes_featureids=[0] * count,
        nodes_truenodeids=[min(i + 1, inner) for i in range(count)],
        nodes_falsenodeids=[inner] * count,
        nodes_modes=["BRANCH_LEQ"] * inner + ["LEAF"],
        nodes_values=[0.0] * count,
        target_treeids=[0],
        target_nodeids=[inner],
        target_ids=[0],
        target_weights=[1.0],
    )
    assert "decisions on a path" in convert_learned(node, TensorProto.FLOAT, tmp_path)


def test_long_separator(tmp_path):
    node = helper.make_node(
        "Tokenizer", ["x"], ["y"], domain="com.microsoft", separators=["a" * 200_000 + "b"], mark=0, mincharnum=1, pad_value="#"
    )
    texts = helper.make_tensor_value_info("x", TensorProto.STRING, [2])
    tokens = helper.make_tensor_value_info("y", TensorProto.STRING, None)
    path = save(tmp_path, [node], inputs=[texts], outputs=[tokens], imports=[helper.make_opsetid("com.microsoft", 1)])
    run = convert_limited(path, tmp_path)
    check(run)
    assert "the separators have more than" in run.errors


def test_wide_concat_of_known_sizes(tmp_path):
    """Sizes that become constants one after the other: the Concat of all of them is not searched each time."""
    count = 100_000
    nodes = [helper.make_node("Shape", ["x"], ["s"])]
    nodes += [helper.make_node("Gather", ["s", "i"], [f"s{i}"], axis=0) for i in range(count)]
    nodes += [helper.make_node("Concat", [f"s{i}" for i in range(count)], ["c"], axis=0), helper.make_node("Cast", ["c"], ["f"], to=1), helper.make_node("Add", ["f", "v"], ["y"])]
    index = helper.make_tensor("i", TensorProto.INT64, [1], [0])
    path = save(tmp_path, nodes, inputs=[real("x", (3, None)), real("v", (count,))], outputs=[real("y", (count,))], initializers=[index])
    run = convert_limited(path, tmp_path)
    check(run)
    assert run.exit_code == 0


def test_cache_of_nested_concats(tmp_path):
    """Each of eight Concats reads the one before 40 times: there are 40^8 ways from the cache to the last one."""
    past = value = "past_key_values.0.key"
    nodes = [helper.make_node("Concat", [past, "x"], ["present.0.key"], axis=2)]
    for level in range(8):
        nodes.append(helper.make_node("Concat", [value] * 40, [f"c{level}"], axis=2))
        value = f"c{level}"
    nodes.append(helper.make_node("ReduceMax", [value], ["y"], axes=[0, 1, 2, 3], keepdims=0))
    inputs = [real("x", (1, 2, 1, 4)), real(past, (1, 2, "length", 4))]
    path = save(tmp_path, nodes, inputs=inputs, outputs=[real("y", ()), real("present.0.key", (1, 2, "total", 4))])
    run = convert_limited(path, tmp_path, "--stateful")
    check(run)
    assert run.exit_code == 0, run.errors
