"""Decoders of many architectures, exported by Optimum and by the builder of onnxruntime-genai, equal onnxruntime: step by step, with
caches that are inputs and with caches in variables; and their greedy tokens in OpenVINO GenAI and in Optimum's classes for OpenVINO."""

import json
import subprocess

import numpy as np
import openvino
import openvino_genai
import pytest

from ..conformance.tool import tool_path
from . import exported_steps
from .architectures import CLASSES, DECODERS, ENCODER_DECODERS, OF_BUILDER, OF_OPTIMUM, export_by_builder, export_by_optimum, without_rounding
from .byte_tokenizer import save_tokenizers

# Keys and values of the cache would be rounded to 8 bits.
EXACT = {"INFERENCE_PRECISION_HINT": "f32", "KV_CACHE_PRECISION": "f32"}
PROMPT = [7, 20, 33, 5, 41, 12, 50, 9, 28]
TOKENS = 24
EXPORTS = [(name, "optimum") for name in OF_OPTIMUM] + [(name, precision) for name, precisions in OF_BUILDER.items() for precision in precisions]


def converted(model, *options, to=None):
    xml = to or model.with_suffix(".xml")
    done = subprocess.run([tool_path(), model, "-o", xml, *options], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return xml


def assert_named(model, session):
    """The names of all ports are those of the ONNX model."""
    names = {node.name for node in [*session.get_inputs(), *session.get_outputs()]} | {"beam_idx"}
    assert {port.get_any_name() for port in [*model.inputs, *model.outputs]} <= names


def assert_steps_equal(path, options, paddings, counts=exported_steps.COUNTS, with_caches=None, reference=None):
    session = exported_steps.session_of(reference or path)
    compiled = openvino.Core().compile_model(converted(path, *options), "CPU", EXACT)
    assert_named(compiled, session)
    has_f16 = any(node.type == "tensor(float16)" for node in session.get_inputs())  # the logits may be f32
    for batch, padding in [(1, None), *((2, padding) for padding in paddings)]:
        caches = with_caches(batch) if with_caches else exported_steps.empty_caches(session, batch)
        steps = list(exported_steps.make_steps(session, batch, padding, counts))
        for fed, expected, result in zip(steps, exported_steps.expected_logits(session, steps, caches), exported_steps.our_logits(compiled, steps, caches)):
            is_token = np.ones(expected.shape[:2], bool)
            if "attention_mask" in fed:
                is_token = fed["attention_mask"][:, -expected.shape[1]:] == 1
            tolerance = 2e-2 if has_f16 else 2e-3
            np.testing.assert_allclose(result[is_token], expected[is_token], rtol=tolerance, atol=tolerance * np.abs(expected).max())


@pytest.fixture(scope="module", params=EXPORTS, ids="-".join)
def decoder(request, tmp_path_factory):
    name, form = request.param
    folder = tmp_path_factory.mktemp(f"{name}-{form}")
    export_by_optimum(name, folder) if form == "optimum" else export_by_builder(name, form, folder)
    return name, form, folder / "model.onnx"


@pytest.mark.parametrize("options", [[], ["--stateful"]], ids=["inputs", "stateful"])
def test_steps_of_a_decoder(decoder, options):
    """onnxruntime's GroupQueryAttention takes padding at the end only."""
    _, form, path = decoder
    paddings = ["start", None] if form == "optimum" else ["end", None]
    if form == "int4":
        assert_steps_equal(path, [*options, "--dynamic-quantization", "never"], paddings, reference=without_rounding(path))
    else:
        assert_steps_equal(path, options, paddings)


def write_folder(decoder, folder):
    name, _, path = decoder
    converted(path, "--stateful", to=folder / "openvino_model.xml")
    save_tokenizers(folder)
    (folder / "config.json").write_text(json.dumps(DECODERS[name]().to_dict() | {"architectures": ["Any"]}))
    return exported_steps.greedy_tokens(exported_steps.session_of(path), PROMPT, TOKENS)


@pytest.mark.parametrize("backend", [{"ATTENTION_BACKEND": "SDPA"}, {}], ids=["stateful", "default"])
def test_tokens_in_genai(decoder, backend, tmp_path):
    expected = write_folder(decoder, tmp_path)
    pipeline = openvino_genai.LLMPipeline(tmp_path, "CPU", **EXACT, **backend)
    prompt = np.array([PROMPT])
    inputs = openvino_genai.TokenizedInputs(openvino.Tensor(prompt), openvino.Tensor(np.ones_like(prompt)))
    result = pipeline.generate(inputs, max_new_tokens=TOKENS, do_sample=False, ignore_eos=True, eos_token_id=0)
    assert list(result.tokens[0]) == expected


def test_tokens_in_optimum(decoder, tmp_path):
    import torch
    from optimum.intel import OVModelForCausalLM

    expected = write_folder(decoder, tmp_path)
    model = OVModelForCausalLM.from_pretrained(tmp_path, ov_config=EXACT)
    result = model.generate(torch.tensor([PROMPT]), max_new_tokens=TOKENS, min_new_tokens=TOKENS, do_sample=False, eos_token_id=None, pad_token_id=0)
    assert result[0, len(PROMPT):].tolist() == expected


@pytest.fixture(scope="module", params=ENCODER_DECODERS)
def encoder_decoder(request, tmp_path_factory):
    return request.param, export_by_optimum(request.param, tmp_path_factory.mktemp(request.param))


@pytest.mark.parametrize("options", [[], ["--stateful"]], ids=["inputs", "stateful"])
def test_steps_of_a_merged_decoder(encoder_decoder, options):
    _, folder = encoder_decoder
    assert_steps_equal(folder / "decoder_model_merged.onnx", options, [None])


@pytest.mark.parametrize("options", [[], ["--stateful"]], ids=["inputs", "stateful"])
def test_steps_of_a_decoder_with_past(encoder_decoder, options):
    """The caches of the encoder stay inputs. The decoder takes one token in each step, also in the first one."""
    _, folder = encoder_decoder
    path = folder / "decoder_with_past_model.onnx"
    session = exported_steps.session_of(path)

    def with_encoder(batch):
        caches = exported_steps.empty_caches(session, batch)
        generator = np.random.default_rng(batch)
        for cache in caches:
            if ".encoder." in cache:
                _, heads, _, size = caches[cache].shape
                caches[cache] = generator.standard_normal((batch, heads, 7, size)).astype(np.float32)
        return caches

    assert_steps_equal(path, options, [None], (1, 1, 1), with_encoder)


def test_a_decoder_without_past_has_no_caches(encoder_decoder):
    _, folder = encoder_decoder
    done = subprocess.run([tool_path(), folder / "decoder_model.onnx", "--stateful", "-o", folder / "none.xml"], capture_output=True, text=True)
    assert done.returncode == 1 and "no-cache" in done.stderr


def test_mixtral_is_not_exported(tmp_path):
    """Neither Optimum nor the builder of onnxruntime-genai exports Mixtral: this fails as soon as one of them does. `./dev test --models`
    converts exports of transformers' own Mixtral, with its cache (tests/zoo)."""
    with pytest.raises((ValueError, KeyError), match="mixtral"):
        export_by_optimum("mixtral", tmp_path)
    with pytest.raises(NotImplementedError, match="not currently supported"):
        export_by_builder("mixtral", "fp32", tmp_path / "builder")


def inputs_of(name, generator):
    shapes = {"whisper": ("input_features", (2, 8, 3000)), "moonshine": ("input_values", (2, 2000)),
              "speech_to_text": ("input_features", (2, 40, 8)), "donut": ("pixel_values", (2, 3, 32, 32))}
    if name in shapes:
        key, shape = shapes[name]
        return {key: generator.standard_normal(shape).astype(np.float32)}
    mask = np.ones((2, 7), np.int64)
    mask[1, -3:] = 0
    return {"input_ids": generator.integers(4, 60, (2, 7)) * mask, "attention_mask": mask}


CLASSES_OF_OPTIMUM = {"whisper": "OVModelForSpeechSeq2Seq", "speech_to_text": "OVModelForSpeechSeq2Seq", "donut": "OVModelForVision2Seq"}


def test_tokens_of_an_encoder_and_a_decoder_in_optimum(encoder_decoder, tmp_path):
    """With beams, which reorder the caches. The same class runs PyTorch's weights."""
    import optimum.intel
    import torch
    import transformers

    name, folder = encoder_decoder
    converted(folder / "encoder_model.onnx", to=tmp_path / "openvino_encoder_model.xml")
    converted(folder / "decoder_model_merged.onnx", "--stateful", to=tmp_path / "openvino_decoder_model.xml")
    for config in ("config.json", "generation_config.json"):
        (tmp_path / config).write_bytes((folder / config).read_bytes())
    model = getattr(optimum.intel, CLASSES_OF_OPTIMUM.get(name, "OVModelForSeq2SeqLM")).from_pretrained(tmp_path, ov_config=EXACT)
    reference = getattr(transformers, CLASSES.get(name, ("AutoModelForSeq2SeqLM",))[0]).from_pretrained(folder).eval()
    given = {key: torch.from_numpy(value) for key, value in inputs_of(name, np.random.default_rng(5)).items()}
    if name == "moonshine":  # optimum-intel has no class for it: this fails as soon as it has one
        with pytest.raises(ValueError, match="input_values"):
            model.generate(**given, max_new_tokens=12)
        return
    for beams in (1, 3):
        options = {"max_new_tokens": 12, "min_new_tokens": 12, "num_beams": beams, "do_sample": False}
        assert model.generate(**given, **options).tolist() == reference.generate(**given, **options).tolist()
