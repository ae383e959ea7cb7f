"""OpenVINO GenAI runs our IR of language models (--stateful): the greedy tokens equal those of onnxruntime."""

import json
import subprocess

import onnx
import openvino_genai
import pytest

from ..conformance.tool import tool_path
from .byte_tokenizer import save_tokenizers
from .decoders import llama, llama_of_onnxruntime_genai, qwen_2, qwen_3
from .quantized import in_4_bits
from .reference import greedy_tokens

STEPS = 64
PROMPT = "Once upon a time"
MODELS = {"llama": llama, "qwen_2": qwen_2, "qwen_3": qwen_3, "llama_of_onnxruntime_genai": llama_of_onnxruntime_genai}
# Keys and values of the cache would be rounded to 8 bits.
EXACT = {"INFERENCE_PRECISION_HINT": "f32", "KV_CACHE_PRECISION": "f32"}
BACKENDS = {"stateful": {"ATTENTION_BACKEND": "SDPA"}, "default": {}}


def write_folder(model, folder):
    """The inputs of products with weights of 4 bits are not rounded, so that tokens are equal (docs/quantised-models.md)."""
    onnx.save_model(model, folder / "model.onnx")
    options = ["--stateful", "--dynamic-quantization", "never", "-o", folder / "openvino_model.xml"]
    subprocess.run([tool_path(), folder / "model.onnx", *options], check=True)
    save_tokenizers(folder)
    (folder / "config.json").write_text(json.dumps({"model_type": "llama", "vocab_size": 256, "eos_token_id": 0}))
    return folder


@pytest.fixture(scope="module", params=MODELS)
def name(request):
    return request.param


@pytest.fixture(scope="module", params=["f32", "4_bits"])
def case(request, name, tmp_path_factory):
    """The folder of a pipeline, and the tokens that onnxruntime generates."""
    model = MODELS[name]()
    if request.param == "4_bits":
        model = in_4_bits(model)
    folder = write_folder(model, tmp_path_factory.mktemp(name))
    return folder, greedy_tokens(model, list(PROMPT.encode()), STEPS)


@pytest.mark.parametrize("backend", BACKENDS)
def test_greedy_tokens_equal_those_of_onnxruntime(case, backend):
    folder, expected = case
    pipeline = openvino_genai.LLMPipeline(folder, "CPU", **EXACT, **BACKENDS[backend])
    encoded = pipeline.get_tokenizer().encode(PROMPT)
    result = pipeline.generate(encoded, max_new_tokens=STEPS, do_sample=False, ignore_eos=True, eos_token_id=0)
    assert list(result.tokens[0]) == expected
