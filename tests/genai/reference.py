"""Runs a decoder in onnxruntime, token by token."""

import numpy as np
import onnxruntime


def session_of(model):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def empty_caches(session, batch, batch_axis=0):
    """The caches before the first token: the only dynamic size besides the batch is their length."""
    caches = {}
    for node in session.get_inputs():
        if node.name.startswith("past"):
            sizes = [size if isinstance(size, int) else 0 for size in node.shape]
            sizes[batch_axis] = batch
            caches[node.name] = np.zeros(sizes, np.float32)
    return caches


def greedy_tokens(model, prompt, count):
    """The `count` tokens after `prompt`, a list of numbers; each step reads the caches of the previous one."""
    session = session_of(model)
    names = [node.name for node in session.get_outputs()]
    has_positions = any(node.name == "position_ids" for node in session.get_inputs())
    fed = empty_caches(session, 1)
    tokens, step = list(prompt), list(prompt)
    for _ in range(count):
        fed["input_ids"] = np.array([step])
        if has_positions:
            fed["position_ids"] = np.arange(len(tokens) - len(step), len(tokens))[None]
        fed["attention_mask"] = np.ones((1, len(tokens)), np.int64)
        results = dict(zip(names, session.run(names, fed)))
        fed = {f"past_key_values{name.removeprefix('present')}": value for name, value in results.items() if name != "logits"}
        step = [int(results["logits"][0, -1].argmax())]
        tokens += step
    return tokens[len(prompt):]
