"""--stateful without GenAI: variables keep the caches, beam_idx reorders them, reset_state empties them."""

import subprocess

import numpy as np
import onnx
import openvino
import pytest

from ..genai.decoders import Shape, llama, llama_of_onnxruntime_genai
from ..genai.reference import empty_caches, session_of
from .generation_models import VOCABULARY, gpt2_decoder
from .merged_decoders import HEADS, HIDDEN, SIZE, expected_steps, merged_decoder
from .runtime import CONFIG
from .tool import convert, tool_path

pytestmark = pytest.mark.matrix


def make_steps(dtype=np.int64, last_count=2):
    """Inputs of three inferences of 2, 3 and 3 rows: the row of the previous inference that each row continues, and the inputs of the model."""
    generator = np.random.default_rng(1)
    length = 0
    for rows, count in (([0, 1], 4), ([1, 0, 1], 1), ([2, 2, 0], last_count)):
        length += count
        tokens = generator.integers(0, VOCABULARY, (len(rows), count))
        positions = np.broadcast_to(np.arange(length - count, length), tokens.shape)
        fed = {"input_ids": tokens, "position_ids": positions, "attention_mask": np.ones((len(rows), length))}
        yield np.array(rows, np.int32), {name: value.astype(dtype) for name, value in fed.items()}


def make_padded_steps(lengths, is_left):
    """Inputs of three inferences: prompts of different lengths, padded at one end, and two further tokens."""
    generator = np.random.default_rng(2)
    longest = max(lengths)
    mask = np.array([[1] * n + [0] * (longest - n) for n in lengths])
    mask = mask[:, ::-1] if is_left else mask
    rows = np.arange(len(lengths), dtype=np.int32)
    for count in (longest, 1, 1):
        tokens = generator.integers(0, VOCABULARY, (len(lengths), count))
        mask = mask if count > 1 else np.pad(mask, ((0, 0), (0, 1)), constant_values=1)
        lengths_of_rows = {"seqlens_k": mask.sum(1).astype(np.int32) - 1, "total_sequence_length": np.array(mask.shape[1], np.int32)}
        yield rows, {"input_ids": tokens, "attention_mask": mask, **lengths_of_rows}


def alone(steps, row):
    """The same inputs for one row of the batch without padding."""
    for _, fed in steps:
        mask = fed["attention_mask"][row]
        tokens = fed["input_ids"][row]
        yield np.zeros(1, np.int32), {"input_ids": tokens[mask[-len(tokens):] == 1][None], "attention_mask": np.ones((1, mask.sum()), np.int64)}


def expected_logits(model, batch_axis, steps):
    """The results of onnxruntime if caches are outputs, are reordered, and are inputs again."""
    session = session_of(model)
    inputs = {node.name for node in session.get_inputs()}
    names = [node.name for node in session.get_outputs()]
    caches = empty_caches(session, len(steps[0][0]), batch_axis)
    for rows, fed in steps:
        reordered = {name: np.take(value, rows, batch_axis) for name, value in caches.items()}
        results = dict(zip(names, session.run(names, {**{name: value for name, value in fed.items() if name in inputs}, **reordered})))
        caches = {name: results[name.replace("past_key_values", "present").replace("past", "present")] for name in caches}
        yield results["logits"]


def compiled(model, folder):
    onnx.save_model(model, folder / "model.onnx")
    convert(tool_path(), folder / "model.onnx", folder / "model.xml", ["--stateful"])
    return openvino.Core().compile_model(folder / "model.xml", "CPU", {**CONFIG, "KV_CACHE_PRECISION": "f32"})


def gpt2():
    graph = gpt2_decoder(1)
    opsets = [onnx.helper.make_opsetid("", 17), onnx.helper.make_opsetid("com.microsoft", 1)]
    return onnx.helper.make_model(graph, opset_imports=opsets, ir_version=10)


def with_given_positions():
    model = llama_of_onnxruntime_genai()
    model.graph.input.append(onnx.helper.make_tensor_value_info("position_ids", onnx.TensorProto.INT64, ["batch", "sequence"]))
    for node in model.graph.node:
        if node.op_type == "GroupQueryAttention":
            node.input.append("position_ids")
    return model


GROUPED = {"grouped": {}, "grouped_window": {"local_window_size": 3}}
MODELS = {
    "llama": (llama, 0, np.int64),
    "llama_all_heads": (lambda: llama(Shape(cached_heads=4)), 0, np.int64),
    "gpt2": (gpt2, 1, np.int32),
    **{name: (lambda options=options: llama_of_onnxruntime_genai(**options), 0, np.int64) for name, options in GROUPED.items()},
    "grouped_positions": (with_given_positions, 0, np.int64),
}


def infer(request, rows, fed):
    inputs = {name for port in request.get_compiled_model().inputs for name in port.get_names()}
    request.infer({**{name: value for name, value in fed.items() if name in inputs}, "beam_idx": rows})


@pytest.mark.parametrize("name", MODELS)
def test_caches_are_kept_reordered_and_reset(name, tmp_path):
    make, batch_axis, dtype = MODELS[name]
    model = make()
    request = compiled(model, tmp_path).create_infer_request()
    # onnxruntime's GroupQueryAttention takes one token after the prompt for each row.
    steps = list(make_steps(dtype, last_count=1 if name.startswith("grouped") else 2))
    for _ in range(2):
        for (rows, fed), expected in zip(steps, expected_logits(model, batch_axis, steps)):
            infer(request, rows, fed)
            np.testing.assert_allclose(request.get_tensor("logits").data, expected, rtol=1e-3, atol=1e-4)
        request.reset_state()


@pytest.mark.parametrize("name", ["llama", "llama_all_heads", *GROUPED])
def test_the_plugin_keeps_the_caches_in_its_attention(name, tmp_path):
    make, *_ = MODELS[name]
    nodes = compiled(make(), tmp_path).get_runtime_model().get_ops()
    types = [node.get_rt_info()["layerType"].astype(str) for node in nodes]
    assert types.count("ScaledDotProductAttention") == Shape().layers and "Softmax" not in types


def insert_after(model, node, *others):
    """Inserts nodes after `node`; the last one gets the name of its output."""
    name, node.output[0] = node.output[0], "replaced"
    others[-1].output[0] = name
    for other in reversed(others):
        model.graph.node.insert(list(model.graph.node).index(node) + 1, other)


def assert_equal_steps(model, folder, steps):
    request = compiled(model, folder).create_infer_request()
    for (rows, fed), expected in zip(steps, expected_logits(model, 0, steps)):
        infer(request, rows, fed)
        np.testing.assert_allclose(request.get_tensor("logits").data, expected, rtol=1e-3, atol=1e-4)


def test_one_mask_for_all_keys(tmp_path):
    """The attention of the CPU plugin on caches is wrong if the mask has one column for all keys."""
    model = llama()
    model.graph.initializer.append(onnx.numpy_helper.from_array(np.array([-1]), "last_column"))
    where = next(node for node in model.graph.node if node.op_type == "Where")
    insert_after(model, where, onnx.helper.make_node("Gather", ["replaced", "last_column"], ["column"], axis=3))
    assert_equal_steps(model, tmp_path, list(make_steps()))


def test_rows_without_visible_keys(tmp_path):
    """As PyTorch exports attention: -infinity hides keys, and weights that are NaN become 0."""
    model = llama(Shape(layers=1))
    where = next(node for node in model.graph.node if node.op_type == "Where")
    model.graph.initializer.extend(onnx.numpy_helper.from_array(np.float32(value), name) for name, value in (("no_weight", 0), ("no_score", -np.inf)))
    where.input[2] = "no_score"
    softmax = next(node for node in model.graph.node if node.op_type == "Softmax")
    check = onnx.helper.make_node("IsNaN", ["replaced"], ["undefined"])
    insert_after(model, softmax, check, onnx.helper.make_node("Where", ["undefined", "no_weight", "replaced"], ["defined"]))
    steps = list(make_steps())
    for rows, fed in steps:
        fed["attention_mask"][0, :2] = 0  # the first queries of the first row see nothing
    assert_equal_steps(model, tmp_path, steps)


def with_given_lengths(**options):
    """The lengths are inputs, so that no attention mask tells which tokens of the cache are padding."""
    model = llama_of_onnxruntime_genai(**options)
    lengths = ["seqlens_k", "total_sequence_length"]
    for node in model.graph.node:
        if node.op_type == "GroupQueryAttention":
            node.input[5:7] = lengths
    inputs = [onnx.helper.make_tensor_value_info(name, onnx.TensorProto.INT32, shape) for name, shape in zip(lengths, (["batch"], []))]
    model.graph.input.extend(inputs)
    return model


def with_room_for_16_tokens():
    """The caches have a fixed length, of which a part is used."""
    model = llama_of_onnxruntime_genai()
    for value in (*model.graph.input, *model.graph.output):
        if value.name.startswith(("past", "present")):
            value.type.tensor_type.shape.dim[2].dim_value = 16
    return model


PADDED = {
    **{name: (lambda options=options: llama_of_onnxruntime_genai(**options)) for name, options in GROUPED.items()},
    "given_lengths": with_given_lengths,
    "room_for_16_tokens": with_room_for_16_tokens,
}


@pytest.mark.parametrize("name", PADDED)
def test_prompts_padded_at_the_end(name, tmp_path):
    model = PADDED[name]()
    steps = list(make_padded_steps([5, 2, 4], is_left=False))
    request = compiled(model, tmp_path).create_infer_request()
    for (rows, fed), expected in zip(steps, expected_logits(model, 0, steps)):
        infer(request, rows, fed)
        is_token = fed["attention_mask"][:, -expected.shape[1]:] == 1
        np.testing.assert_allclose(request.get_tensor("logits").data[is_token], expected[is_token], rtol=1e-3, atol=1e-4)


def test_a_cache_whose_names_do_not_pair_is_as_in_onnxruntime(tmp_path):
    """It stays an input and an output, so padding is removed from it."""
    model = llama_of_onnxruntime_genai(Shape(layers=2))
    for value in (*model.graph.output, *model.graph.node):
        names = [value.name] if isinstance(value, onnx.ValueInfoProto) else list(value.output)
        renamed = [name.replace("present.1", "present_of_layer_1") for name in names]
        if isinstance(value, onnx.ValueInfoProto):
            value.name = renamed[0]
        else:
            value.output[:] = renamed
    request = compiled(model, tmp_path).create_infer_request()
    session = session_of(model)
    ends = {name: name.replace("past_key_values", "present").replace("present.1", "present_of_layer_1") for name in empty_caches(session, 1, 0)}
    caches = empty_caches(session, 3, 0)
    given = caches
    kept = [name for name in caches if ".1." in name]
    for rows, fed in make_padded_steps([5, 2, 4], is_left=False):
        names = ["logits", *ends.values()]
        expected = dict(zip(names, session.run(names, {"input_ids": fed["input_ids"], "attention_mask": fed["attention_mask"], **caches})))
        infer(request, rows, {**fed, **given})
        caches = {past: expected[present] for past, present in ends.items()}
        given = {past: request.get_tensor(ends[past]).data.copy() for past in kept}
        mask = fed["attention_mask"]
        is_token = mask[:, -expected["logits"].shape[1]:] == 1
        np.testing.assert_allclose(request.get_tensor("logits").data[is_token], expected["logits"][is_token], rtol=1e-3, atol=1e-4)
        is_kept = np.arange(mask.shape[1]) < mask.sum(1)[:, None]
        for name in kept:
            ours, theirs = (np.swapaxes(cache[name], 1, 2)[is_kept] for cache in (given, caches))
            np.testing.assert_allclose(ours, theirs, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("options", GROUPED.values(), ids=GROUPED)
def test_prompts_padded_at_the_start(options, tmp_path):
    """As GenAI pads them, which onnxruntime's GroupQueryAttention does not compute: each row is as if it were alone."""
    model = llama_of_onnxruntime_genai(**options)
    steps = list(make_padded_steps([5, 2, 4], is_left=True))
    request = compiled(model, tmp_path).create_infer_request()
    results = []
    for rows, fed in steps:
        infer(request, rows, fed)
        results.append(request.get_tensor("logits").data.copy())
    for row in range(3):
        for result, expected in zip(results, expected_logits(model, 0, list(alone(steps, row)))):
            np.testing.assert_allclose(result[row, -1], expected[0, -1], rtol=1e-3, atol=1e-4)


MERGED = {
    "decoder": {"has_encoder": False},
    "encoder_decoder": {},
    "dummies_of_length_0": {"dummy_sizes": (1, HEADS, 0, SIZE)},
    "dummies_with_elements": {"dummy_sizes": (1, HEADS, 1, SIZE)},
}


@pytest.mark.parametrize("name", MERGED)
def test_merged_decoders(name, tmp_path):
    """The decoder for the prompt runs if the cache is empty, the one with caches otherwise. It returns constants as the caches of the
    encoder: those of the first step stay."""
    model = merged_decoder(**MERGED[name])
    states = np.random.default_rng(3).standard_normal((3, 5, HIDDEN)).astype(np.float32)
    request = compiled(model, tmp_path).create_infer_request()
    names = {port.get_any_name() for port in request.get_compiled_model().inputs}
    assert names <= {"input_ids", "encoder_hidden_states", "beam_idx"}
    steps = [(rows, {**fed, "encoder_hidden_states": states[:len(rows)]}) for rows, fed in make_steps(last_count=1)]
    for _ in range(2):
        for (rows, fed), expected in zip(steps, expected_steps(model, steps)):
            infer(request, rows, fed)
            np.testing.assert_allclose(request.get_tensor("logits").data, expected, rtol=1e-3, atol=1e-4)
        request.reset_state()


def without_mask(make, *options):
    """Attention that adds no mask to its scores: all queries see all keys."""
    model = make(*options)
    added = {node.output[0]: node.input[0] for node in model.graph.node if node.op_type == "Add"}
    for node in model.graph.node:
        if node.op_type == "Softmax":
            node.input[0] = added[node.input[0]]
    return model


@pytest.mark.parametrize("options", [[], [Shape(cached_heads=4)]], ids=["shared_heads", "all_heads"])
def test_attention_without_a_mask(options, tmp_path):
    assert_equal_steps(without_mask(llama, *options), tmp_path, list(make_steps()))


@pytest.mark.parametrize("is_left", [False, True], ids=["padded_at_the_end", "padded_at_the_start"])
def test_a_cache_of_the_window_grows(is_left, tmp_path):
    """The cache of a window holds as many keys as fit into the past. A variable is empty at first: it keeps all keys, of which a query sees
    those in its window."""
    options = {"local_window_size": 3}
    steps = list(make_padded_steps([5, 2, 4], is_left))
    request = compiled(llama_of_onnxruntime_genai(**options, sliding_window_cache=1), tmp_path).create_infer_request()
    results = []
    for rows, fed in steps:
        infer(request, rows, fed)
        results.append(request.get_tensor("logits").data.copy())
    model = llama_of_onnxruntime_genai(**options)
    for row in range(3):
        for (_, fed), result, expected in zip(steps, results, expected_logits(model, 0, list(alone(steps, row)))):
            last = result.shape[1] - 1 if is_left or result.shape[1] == 1 else fed["attention_mask"][row].sum() - 1
            np.testing.assert_allclose(result[row, last], expected[0, -1], rtol=1e-3, atol=1e-4)


def test_a_cache_of_the_window_without_a_mask_is_an_error(tmp_path):
    """The number of its keys is only known from the mask."""
    model = with_given_lengths(local_window_size=3, sliding_window_cache=1)
    onnx.save_model(model, tmp_path / "model.onnx")
    converted = subprocess.run([tool_path(), tmp_path / "model.onnx", "--stateful", "-o", tmp_path / "model.xml"], capture_output=True, text=True)
    assert converted.returncode == 1 and "sliding_window_cache" in converted.stderr and "attention_mask" in converted.stderr


@pytest.mark.parametrize("to", [onnx.TensorProto.FLOAT16, onnx.TensorProto.BFLOAT16], ids=["f16", "bf16"])
def test_logits_are_f32(to, tmp_path):
    """GenAI reads logits as f32."""
    model = llama()
    logits = model.graph.output[0]
    logits.type.tensor_type.elem_type = to
    identity = next(node for node in model.graph.node if node.output[0] == logits.name)
    identity.CopyFrom(onnx.helper.make_node("Cast", list(identity.input), [logits.name], to=to))
    request = compiled(model, tmp_path).create_infer_request()
    (rows, fed), = list(make_steps())[:1]
    infer(request, rows, fed)
    result = request.get_tensor("logits").data
    expected = next(expected_logits(llama(), 0, [(rows, fed)]))
    assert result.dtype == np.float32
    np.testing.assert_allclose(result, expected, rtol=1e-2, atol=1e-2)


@pytest.mark.parametrize("to", [onnx.TensorProto.FLOAT16, onnx.TensorProto.BFLOAT16], ids=["f16", "bf16"])
def test_caches_of_small_types(to, tmp_path):
    """The CPU plugin does not run variables of these types if it computes in f32: they become f32."""
    model = llama()
    for value in (*model.graph.input, *model.graph.output):
        if value.name.startswith(("past", "present")):
            value.type.tensor_type.elem_type = to
    for node in list(model.graph.node):
        if node.output[0].startswith("present"):
            past = node.input[0]
            model.graph.node.insert(0, onnx.helper.make_node("Cast", [past], [f"{past}_f32"], to=onnx.TensorProto.FLOAT))
            node.input[0], present = f"{past}_f32", node.output[0]
            node.output[0] = f"{present}_f32"
            for other in model.graph.node:
                other.input[:] = [f"{present}_f32" if name == present else name for name in other.input]
            model.graph.node.append(onnx.helper.make_node("Cast", [f"{present}_f32"], [present], to=to))
    request = compiled(model, tmp_path).create_infer_request()
    steps = list(make_steps())
    for (rows, fed), expected in zip(steps, expected_logits(llama(), 0, steps)):
        infer(request, rows, fed)
        np.testing.assert_allclose(request.get_tensor("logits").data, expected, rtol=0.1, atol=0.1)
