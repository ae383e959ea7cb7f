"""Runs decoders step by step in onnxruntime and in our IR; the caches of a step are inputs of the next one."""

import numpy as np
import onnxruntime

HEAD_SIZE = 16  # of onnxruntime-genai's exports, which do not declare it
TYPES = {"tensor(float)": np.float32, "tensor(float16)": np.float16, "tensor(int64)": np.int64, "tensor(int32)": np.int32, "tensor(bool)": np.bool_}
COUNTS = (5, 1, 1, 1, 1)  # tokens of each step


def session_of(path):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def present_of(past):
    return past.replace("past_key_values", "present").replace("past", "present")


def empty_caches(session, batch):
    caches = {}
    for node in session.get_inputs():
        if node.name.startswith("past"):
            sizes = [size if isinstance(size, int) else 0 for size in node.shape]
            sizes[0] = batch
            if len(sizes) == 4 and sizes[3] == 0:
                sizes[3] = HEAD_SIZE
            caches[node.name] = np.zeros(sizes, TYPES[node.type])
    return caches


def make_steps(session, batch, padding, counts=COUNTS):
    """The inputs of each step besides the caches. `padding`: "start" or "end" of the prompt in the first row, or none."""
    generator = np.random.default_rng(batch)
    types = {node.name: TYPES[node.type] for node in session.get_inputs()}
    mask = np.ones((batch, 0), np.int64)
    states = generator.standard_normal((batch, 7, 32))
    states_mask = np.ones((batch, 7))
    states_mask[1:, -3:] = 0
    for number, count in enumerate(counts):
        new = np.ones((batch, count), np.int64)
        if number == 0 and padding:
            new[0, slice(0, 2) if padding == "start" else slice(-2, None)] = 0
        mask = np.concatenate([mask, new], 1)
        tokens = generator.integers(4, 60, (batch, count))
        fed = {"input_ids": tokens, "decoder_input_ids": tokens, "attention_mask": mask, "decoder_attention_mask": mask,
               "position_ids": np.maximum(np.cumsum(mask, 1) - 1, 0)[:, -count:], "cache_position": np.arange(mask.shape[1] - count, mask.shape[1]),
               "encoder_hidden_states": states, "encoder_attention_mask": states_mask}
        yield {name: np.asarray(value).astype(types[name]) for name, value in fed.items() if name in types}


def next_caches(caches, results, is_merged, number):
    """A merged decoder returns the caches of the encoder in the first step only."""
    return {name: results[present_of(name)] if present_of(name) in results and not (is_merged and number > 0 and ".encoder." in name) else value
            for name, value in caches.items()}


def expected_logits(session, steps, caches):
    names = [node.name for node in session.get_outputs()]
    is_merged = any(node.name == "use_cache_branch" for node in session.get_inputs())
    for number, fed in enumerate(steps):
        choice = {"use_cache_branch": np.array([number > 0])} if is_merged else {}
        results = dict(zip(names, session.run(names, {**fed, **choice, **caches})))
        caches = next_caches(caches, results, is_merged, number)
        yield results["logits"]


def our_logits(compiled, steps, caches):
    request = compiled.create_infer_request()
    inputs = {name for port in compiled.inputs for name in port.get_names()}
    outputs = [name for port in compiled.outputs for name in port.get_names()]
    for number, fed in enumerate(steps):
        batch = len(fed["input_ids"])
        given = {**fed, **caches, "use_cache_branch": np.array([number > 0]), "beam_idx": np.arange(batch, dtype=np.int32)}
        request.infer({name: value for name, value in given.items() if name in inputs})
        results = {name: request.get_tensor(name).data.copy() for name in outputs}
        caches = next_caches(caches, results, "use_cache_branch" in inputs, number)
        yield results["logits"]


def greedy_tokens(session, prompt, count):
    """The tokens that follow `prompt`, a list of numbers."""
    inputs = {node.name for node in session.get_inputs()}
    names = [node.name for node in session.get_outputs()]
    caches = empty_caches(session, 1)
    tokens, step = list(prompt), list(prompt)
    for _ in range(count):
        fed = {"input_ids": np.array([step]), "attention_mask": np.ones((1, len(tokens)), np.int64),
               "position_ids": np.arange(len(tokens) - len(step), len(tokens))[None]}
        results = dict(zip(names, session.run(names, {**{name: value for name, value in fed.items() if name in inputs}, **caches})))
        caches = next_caches(caches, results, False, 0)
        step = [int(results["logits"][0, -1].argmax())]
        tokens += step
    return tokens[len(prompt):]
