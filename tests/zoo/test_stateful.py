"""Exported language models with --stateful: the caches are in variables, the CPU plugin runs attention on them, and each step equals
onnxruntime's."""

import re
import subprocess

import numpy as np
import onnx
import onnxruntime
import openvino
import pytest

from ..conformance.runtime import CONFIG
from ..conformance.tool import tool_path
from . import language
from .cases import exported_models
from .models import MODELS

DECODERS = [model for model in MODELS.values() if model.name.endswith("_cache") and model.build.__module__ == language.__name__]
PAIRS = [(model, exporter) for model in DECODERS for exporter in model.exporters if exporter not in model.export_fails]
RENAMED = {"ids": "input_ids", "mask": "attention_mask"}
TOKENS = (5, 1, 1, 3)  # of each step


def with_names_of_genai(model):
    """The model with the names that --stateful and OpenVINO GenAI expect."""
    names = dict(RENAMED)
    for value in [*model.graph.input, *model.graph.output]:
        if found := re.fullmatch(r"(new_)?(key|value)_(\d+)", value.name):
            is_new, part, layer = found.groups()
            names[value.name] = f"{'present' if is_new else 'past_key_values'}.{layer}.{part}"
    for node in model.graph.node:
        node.input[:] = [names.get(name, name) for name in node.input]
        node.output[:] = [names.get(name, name) for name in node.output]
    for value in [*model.graph.input, *model.graph.output]:
        value.name = names.get(value.name, value.name)
    return model


def make_steps():
    """The tokens and the mask of each step for two rows; the first two tokens of the first row are padding."""
    generator = np.random.default_rng(1)
    length = 0
    for count in TOKENS:
        length += count
        mask = np.ones((2, length), np.int64)
        mask[0, :2] = 0
        yield {"input_ids": generator.integers(1, 30, (2, count)), "attention_mask": mask}


def expected_logits(model, steps):
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    names = [node.name for node in session.get_outputs()]
    caches = {node.name: np.zeros((2, node.shape[1], 0, node.shape[3]), np.float32) for node in session.get_inputs() if node.name.startswith("past")}
    for fed in steps:
        results = dict(zip(names, session.run(names, {**fed, **caches})))
        caches = {name: results[name.replace("past_key_values", "present")] for name in caches}
        yield results["logits"]


@pytest.mark.parametrize(("language_model", "exporter"), PAIRS, ids=lambda value: getattr(value, "name", value))
def test_steps_equal_onnxruntime(language_model, exporter, tmp_path):
    exported = exported_models([(language_model, exporter)])[0]
    assert not exported.failure
    model = with_names_of_genai(onnx.load_from_string(exported.model))
    onnx.save_model(model, tmp_path / "model.onnx")
    subprocess.run([tool_path(), tmp_path / "model.onnx", "--stateful", "-o", tmp_path / "model.xml"], check=True, capture_output=True)
    compiled = openvino.Core().compile_model(tmp_path / "model.xml", "CPU", {**CONFIG, "KV_CACHE_PRECISION": "f32"})
    types = [node.get_rt_info()["layerType"].astype(str) for node in compiled.get_runtime_model().get_ops()]
    layers = sum(value.name.endswith(".key") for value in model.graph.output)
    assert types.count("MemoryInput") == 2 * layers
    assert types.count("ScaledDotProductAttention") == layers
    request = compiled.create_infer_request()
    steps = list(make_steps())
    for fed, expected in zip(steps, expected_logits(model, steps)):
        request.infer({**fed, "beam_idx": np.arange(2, dtype=np.int32)})
        np.testing.assert_allclose(request.get_tensor("logits").data, expected, rtol=1e-3, atol=1e-5)
