"""--stateful without GenAI: variables keep the caches, beam_idx reorders them, reset_state empties them."""

import numpy as np
import onnx
import openvino
import pytest

from ..genai.decoders import Shape, llama
from ..genai.reference import empty_caches, session_of
from .generation_models import VOCABULARY, gpt2_decoder
from .runtime import CONFIG
from .tool import convert, tool_path

pytestmark = pytest.mark.matrix


def make_steps(dtype):
    """Inputs of three inferences of 2, 3 and 3 rows: the row of the previous inference that each row continues, and the inputs of the model."""
    generator = np.random.default_rng(1)
    length = 0
    for rows, count in (([0, 1], 4), ([1, 0, 1], 1), ([2, 2, 0], 2)):
        length += count
        tokens = generator.integers(0, VOCABULARY, (len(rows), count))
        positions = np.broadcast_to(np.arange(length - count, length), tokens.shape)
        fed = {"input_ids": tokens, "position_ids": positions, "attention_mask": np.ones((len(rows), length))}
        yield np.array(rows, np.int32), {name: value.astype(dtype) for name, value in fed.items()}


def expected_logits(model, batch_axis, steps):
    """The results of onnxruntime if caches are outputs, are reordered, and are inputs again."""
    session = session_of(model)
    names = [node.name for node in session.get_outputs()]
    caches = empty_caches(session, 2, batch_axis)
    for rows, fed in steps:
        reordered = {name: np.take(value, rows, batch_axis) for name, value in caches.items()}
        results = dict(zip(names, session.run(names, {**fed, **reordered})))
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


MODELS = {"llama": (llama, 0, np.int64), "llama_all_heads": (lambda: llama(Shape(cached_heads=4)), 0, np.int64), "gpt2": (gpt2, 1, np.int32)}


@pytest.mark.parametrize("name", MODELS)
def test_caches_are_kept_reordered_and_reset(name, tmp_path):
    make, batch_axis, dtype = MODELS[name]
    model = make()
    request = compiled(model, tmp_path).create_infer_request()
    steps = list(make_steps(dtype))
    for _ in range(2):
        for (rows, fed), expected in zip(steps, expected_logits(model, batch_axis, steps)):
            request.infer({**fed, "beam_idx": rows})
            np.testing.assert_allclose(request.get_tensor("logits").data, expected, rtol=1e-3, atol=1e-4)
        request.reset_state()


@pytest.mark.parametrize("name", ["llama", "llama_all_heads"])
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
        request.infer({**fed, "beam_idx": rows})
        np.testing.assert_allclose(request.get_tensor("logits").data, expected, rtol=1e-3, atol=1e-4)


def test_one_mask_for_all_keys(tmp_path):
    """The attention of the CPU plugin on caches is wrong if the mask has one column for all keys."""
    model = llama()
    model.graph.initializer.append(onnx.numpy_helper.from_array(np.array([-1]), "last_column"))
    where = next(node for node in model.graph.node if node.op_type == "Where")
    insert_after(model, where, onnx.helper.make_node("Gather", ["replaced", "last_column"], ["column"], axis=3))
    assert_equal_steps(model, tmp_path, list(make_steps(np.int64)))


def test_rows_without_visible_keys(tmp_path):
    """As PyTorch exports attention: -infinity hides keys, and weights that are NaN become 0."""
    model = llama(Shape(layers=1))
    where = next(node for node in model.graph.node if node.op_type == "Where")
    model.graph.initializer.extend(onnx.numpy_helper.from_array(np.float32(value), name) for name, value in (("no_weight", 0), ("no_score", -np.inf)))
    where.input[2] = "no_score"
    softmax = next(node for node in model.graph.node if node.op_type == "Softmax")
    check = onnx.helper.make_node("IsNaN", ["replaced"], ["undefined"])
    insert_after(model, softmax, check, onnx.helper.make_node("Where", ["undefined", "no_weight", "replaced"], ["defined"]))
    steps = list(make_steps(np.int64))
    for rows, fed in steps:
        fed["attention_mask"][0, :2] = 0  # the first queries of the first row see nothing
    assert_equal_steps(model, tmp_path, steps)
