"""A Llama as the model builder of onnxruntime-genai makes it: GroupQueryAttention, fused norms, and MatMulNBits with 4 bits for all products."""

import contextlib
import io
import os
import sys
import tempfile
from pathlib import Path

from bench.quantised_language import LAYERS, WORDS, llama_model
from bench.quantised_networks import CALIBRATION, TESTS, Files, network

PAST, HEADS, SIZE = 64, 4, 64


def save_for_builder(folder):
    """The configuration, the weights and a tokenizer, without which the builder does not run."""
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from transformers import PreTrainedTokenizerFast

    llama_model().save_pretrained(folder)
    words = WordLevel({f"word_{number}": number for number in range(WORDS)}, unk_token="word_0")
    PreTrainedTokenizerFast(tokenizer_object=Tokenizer(words), unk_token="word_0").save_pretrained(folder)


def step(generator):
    import numpy as np

    past = {
        f"past_key_values.{layer}.{kind}": generator.standard_normal((1, HEADS, PAST, SIZE), np.float32)
        for layer in range(LAYERS)
        for kind in ("key", "value")
    }
    return {"input_ids": generator.integers(3, WORDS, (1, 1)), "attention_mask": np.ones((1, PAST + 1), np.int64)} | past


def inlined(path):
    import onnx

    return onnx.load(path).SerializeToString()


@network("llama_of_genai", ("f32", "4_bits_level_4"), exporter=None)
def llama_of_genai():
    """One token after 64."""
    sys.path.insert(0, os.environ["ONNX2IR_MODEL_BUILDER"])  # set by ./dev: the folder of builder.py
    import builder
    import torch
    from numpy.random import default_rng

    torch.manual_seed(1)
    precisions = {"f32": ("fp32", {}), "4_bits_level_4": ("int4", {"int4_accuracy_level": 4, "int4_block_size": 32})}
    models = {}
    unused = io.StringIO()
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(unused), contextlib.redirect_stderr(unused):
        source, cache = Path(folder, "source"), Path(folder, "cache")
        save_for_builder(source)
        for form, (precision, options) in precisions.items():
            builder.create_model("llama", str(source), f"{folder}/{form}", precision, "cpu", str(cache), **options)
            models[form] = inlined(f"{folder}/{form}/model.onnx")
    generator = default_rng(1)
    return Files(models, [step(generator) for _ in range(CALIBRATION + TESTS)])
