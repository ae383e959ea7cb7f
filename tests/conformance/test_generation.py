"""Searches of onnxruntime, whose decoder is an attribute: the tokens equal those of onnxruntime."""

import numpy as np
import pytest

from .case import Case, Run
from .entry import Entry, assert_passed, parameters
from .generation_models import MELS, NO_SPEECH, SCORES, SEQUENCE_SCORES, SEQUENCES, VOCABULARY
from .generation_models import beam_model, gpt2_decoder, greedy_model, sampling_model, silence_model, t5_decoder, t5_encoder
from .generation_models import whisper_decoder, whisper_encoder, whisper_model

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


def add_beams(name, *runs, seed=1, outputs=(SEQUENCES, SEQUENCE_SCORES), **attributes):
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
    for seed in range(3):
        prompts = np.random.default_rng(seed).integers(6, VOCABULARY, (6, 4), dtype=np.int32)
        add_beams(f"many_prompts_{seed}", beams(4, length=24, prompt=prompts), seed=seed)
    add_beams("sequences_alone", beams(2), outputs=[SEQUENCES])
    add_beams("scores", beams(2), beams(3, 1, 5), outputs=[SEQUENCES, SEQUENCE_SCORES, SCORES], eos_token_id=VOCABULARY - 1)
    add_beams("min_length", {**beams(3), "min_length": one(10)}, seed=2)
    add_beams("repetition_penalty", {**beams(3), "repetition_penalty": one(1.4, np.float32)})
    add_beams("ngrams", beams(3), no_repeat_ngram_size=2)
    add_beams("vocabulary", {**beams(3), "vocab_mask": np.arange(VOCABULARY, dtype=np.int32) % 2})
    add_beams("init_decoder", beams(3), init_decoder=gpt2_decoder(1), decoder=gpt2_decoder(1, length=1))
    for seed in range(3):
        t5 = dict(model_type=1, decoder_start_token_id=1, encoder=t5_encoder(seed), decoder=t5_decoder(seed))
        add_beams(f"t5_{seed}", beams(3), beams(2, 1, 9, PROMPT[:1]), **t5)
    t5["decoder"] = t5_decoder(0, "sequence")
    add_beams("t5_sequences", beams(3), **t5)


FIRST_TIMESTAMP = 11
TOKENS = dict(decoder_start_token_id=6, translate_token_id=7, transcribe_token_id=8, start_of_lm_token_id=9, no_speech_token_id=9, no_timestamps_token_id=10)
TOKENS["beginning_timestamp_token_id"] = FIRST_TIMESTAMP


def add_whisper(name, *runs, seed=0, outputs=(SEQUENCES, SEQUENCE_SCORES), has_hidden_states=False, **attributes):
    def make():
        encoder, decoder = whisper_encoder(seed), whisper_decoder(seed, has_hidden_states)
        tokens = {} if attributes.get("op_type") == "BeamSearch" else TOKENS
        options = {"eos_token_id": END, "pad_token_id": END, "encoder": encoder, "decoder": decoder, **tokens, **attributes}
        model, oracle = whisper_model(list(runs[0]), outputs, **options), None
        if NO_SPEECH in outputs:
            oracle = silence_model(whisper_model(list(runs[0]), outputs[:2], **options), encoder, TOKENS["no_speech_token_id"])
        return Case(f"whisper-{name}", model, [Run(run) for run in runs], one_compiled=True, time_limit=60, atol=1e-4, oracle_model=oracle)

    CASES[f"whisper-{name}"] = make


def sound(batch, frames, seed=0):
    return np.random.default_rng(seed).standard_normal((batch, MELS, frames)).astype(np.float32)


def speech(count=3, batch=2, frames=8, prompt=(6, 8), length=14, **others):
    inputs = beams(count, length=length)
    del inputs["input_ids"]
    if prompt:
        inputs["decoder_input_ids"] = np.array([prompt] * batch, np.int32)
    return {"input_features": sound(batch, frames, seed=frames), **inputs, **others}


def add_all_whispers():
    for seed in range(3):
        add_whisper(f"plain_{seed}", speech(), speech(2, 1, 13, length=9), seed=seed)
        rules = dict(logits_processor=one(1))
        add_whisper(f"timestamps_{seed}", speech(**rules), speech(2, 1, 13, length=20, **rules), speech(4, 3, 4, (6,), **rules), seed=seed)
    add_whisper("timestamps_in_the_prompt", *(speech(prompt=(6, 8, *more), logits_processor=one(1)) for more in [(12,), (12, 3), (12, 3, 13), (12, 3, 13, 13), (13, 3, 12, 2)]))
    add_whisper("chosen_rules", speech(logits_processor=one(0)), speech(logits_processor=one(1)), speech(logits_processor=one(2)))
    add_whisper("start_token", speech(prompt=None))
    add_whisper("hidden_states", speech(), has_hidden_states=True)
    add_whisper("temperature", *(speech(temperature=one(t, np.float32)) for t in (0.5, 1, 0, 3)))
    add_whisper("repetition_penalty", speech(repetition_penalty=one(1.4, np.float32)), no_repeat_ngram_size=2)
    add_whisper("scores", speech(length=7), outputs=[SEQUENCES, SEQUENCE_SCORES, SCORES], early_stopping=1)
    add_whisper("no_speech", speech(), speech(batch=1, prompt=(6,)), outputs=[SEQUENCES, SEQUENCE_SCORES, ("",), ("",), NO_SPEECH])
    add_whisper("vocabulary", speech(), vocab_size=VOCABULARY, outputs=[SEQUENCES])
    older = dict(op_type="BeamSearch", decoder_start_token_id=6)
    add_whisper("older_operator", speech(), **older)


add_all_greedy()
add_all_samplings()
add_all_beams()
add_all_whispers()


@pytest.mark.parametrize("conformance", parameters(Entry(("generation", name), make) for name, make in CASES.items()))
def test_generation(conformance, result):
    assert_passed(result)
