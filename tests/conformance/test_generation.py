"""Searches of onnxruntime, whose decoder is an attribute: the tokens equal those of onnxruntime."""

import numpy as np
import pytest

from .case import Case, Run
from .entry import Entry, assert_passed, parameters
from .generation_models import VOCABULARY, beam_model, gpt2_decoder, greedy_model, sampling_model, t5_decoder, t5_encoder

END, PAD = 5, 0
PROMPT = np.array([[3, 7, 2, 9], [0, 0, 4, 11]], np.int32)  # the second one is padded
CASES = {}


def one(value, dtype=np.int32):
    return np.array([value], dtype)


def add_greedy(name, *runs, seed=1, **attributes):
    def make():
        attributes.setdefault("decoder", gpt2_decoder(seed))
        attributes.setdefault("eos_token_id", END)
        model = greedy_model(list(runs[0]), pad_token_id=PAD, **attributes)
        return Case(f"greedy-{name}", model, [Run(run) for run in runs], one_compiled=True, time_limit=60)

    CASES[f"greedy-{name}"] = make


def add_all_greedy():
    base = {"input_ids": PROMPT, "max_length": one(20)}
    for seed in range(3):
        add_greedy(f"plain_{seed}", base, {"input_ids": PROMPT[:1, 1:], "max_length": one(9)}, seed=seed)
    add_greedy("without_end", base, eos_token_id=-1)
    add_greedy("min_length", {**base, "min_length": one(12)})
    for penalty in (0.7, 1.0, 1.6):
        add_greedy(f"repetition_penalty_{penalty}", {**base, "repetition_penalty": one(penalty, np.float32)}, eos_token_id=-1)
    for size in (1, 2, 3):
        add_greedy(f"ngrams_{size}", {**base, "max_length": one(16)}, no_repeat_ngram_size=size, eos_token_id=-1)
    add_greedy("vocabulary", {**base, "vocab_mask": np.arange(VOCABULARY, dtype=np.int32) % 2})
    first = np.stack([np.arange(VOCABULARY) % 3 == 1, np.arange(VOCABULARY) % 4 == 2]).astype(np.int32)
    add_greedy("first_vocabulary", {**base, "prefix_vocab_mask": first})
    add_greedy("attention_mask", {**base, "attention_mask": np.array([[0, 1, 1, 1], [1, 1, 1, 1]], np.int32)})
    add_greedy("init_decoder", base, init_decoder=gpt2_decoder(1), decoder=gpt2_decoder(1, length=1))
    add_greedy("one_token", {"input_ids": PROMPT, "max_length": one(5)})


def add_all_samplings():
    """Only one token is possible, so the result is not random."""
    run = {"input_ids": PROMPT, "max_length": one(16), "min_length": one(0), "repetition_penalty": one(1.2, np.float32)}
    for name, options in {"best": dict(min_tokens_to_keep=1), "custom": dict(custom=1), "cold": dict(min_tokens_to_keep=1, temperature=0.5)}.items():

        def make(name=name, options=options):
            shared = dict(decoder=gpt2_decoder(1), eos_token_id=-1, pad_token_id=PAD, top_p=1e-6)
            return Case(f"sampling-{name}", sampling_model(list(run), **shared, **options), [Run(run)], time_limit=60)

        CASES[f"sampling-{name}"] = make


def add_beams(name, *runs, seed=1, outputs=2, **attributes):
    def make():
        if "encoder" not in attributes:
            attributes.setdefault("decoder", gpt2_decoder(seed))
        attributes.setdefault("eos_token_id", END)
        model = beam_model(list(runs[0]), outputs, pad_token_id=PAD, **attributes)
        return Case(f"beams-{name}", model, [Run(run) for run in runs], one_compiled=True, time_limit=60, atol=1e-4)

    CASES[f"beams-{name}"] = make


def beams(count, returned=None, length=16, prompt=PROMPT, penalty=1.0):
    return {
        "input_ids": prompt,
        "max_length": one(length),
        "min_length": one(0),  # required by onnxruntime
        "num_beams": one(count),
        "num_return_sequences": one(count if returned is None else returned),
        "length_penalty": one(penalty, np.float32),
    }


def add_all_beams():
    for seed in range(4):
        add_beams(f"plain_{seed}", beams(3), beams(4, 2, 9), beams(1, 1, 12, PROMPT[:1, 1:]), seed=seed)
        add_beams(f"early_{seed}", beams(3), beams(4, 2, 9), seed=seed, early_stopping=1)
    for penalty in (0.5, 2.0):
        add_beams(f"length_penalty_{penalty}", beams(3, penalty=penalty), seed=2)
    add_beams("without_end", beams(3), eos_token_id=-1)
    add_beams("sequences_alone", beams(2), outputs=1)
    add_beams("min_length", {**beams(3), "min_length": one(10)}, seed=2)
    add_beams("repetition_penalty", {**beams(3), "repetition_penalty": one(1.4, np.float32)})
    add_beams("ngrams", beams(3), no_repeat_ngram_size=2)
    add_beams("vocabulary", {**beams(3), "vocab_mask": np.arange(VOCABULARY, dtype=np.int32) % 2})
    add_beams("init_decoder", beams(3), init_decoder=gpt2_decoder(1), decoder=gpt2_decoder(1, length=1))
    for seed in range(3):
        t5 = dict(model_type=1, decoder_start_token_id=1, encoder=t5_encoder(seed), decoder=t5_decoder(seed))
        add_beams(f"t5_{seed}", beams(3), beams(2, 1, 9, PROMPT[:1]), **t5)


add_all_greedy()
add_all_samplings()
add_all_beams()


@pytest.mark.parametrize("conformance", parameters(Entry(("generation", name), make) for name, make in CASES.items()))
def test_generation(conformance, result):
    assert_passed(result)
