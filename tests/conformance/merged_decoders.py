"""Decoders as Optimum merges them: an If on `use_cache_branch` with a decoder for the prompt and one that reads caches."""

import numpy as np
import onnx
from onnx import TensorProto, helper

from ..genai.decoders import Graph, tensor
from ..genai.reference import session_of
from .generation_models import VOCABULARY

HEADS, SIZE = 2, 4
HIDDEN = HEADS * SIZE
WEIGHTS = ("q", "k", "v", "o", "cross_q", "cross_k", "cross_v", "cross_o")


def weights_of(graph):
    graph.weight("embedding", VOCABULARY, HIDDEN, scale=1.0)
    graph.weight("head", HIDDEN, VOCABULARY, scale=1.0)
    for name in WEIGHTS:
        graph.weight(name, HIDDEN, HIDDEN, scale=0.5)


def split(graph, x, weight):
    states = graph.op("Reshape", graph.op("MatMul", x, weight), graph.constant([0, 0, HEADS, SIZE]))
    return graph.op("Transpose", states, perm=[0, 2, 1, 3])


def attend(graph, x, query, key, value, weight, bias=None):
    scores = graph.op("MatMul", query, graph.op("Transpose", key, perm=[0, 1, 3, 2]))
    if bias:
        scores = graph.op("Add", scores, bias)
    mixed = graph.op("Transpose", graph.op("MatMul", graph.op("Softmax", scores, axis=-1), value), perm=[0, 2, 1, 3])
    flat = graph.op("Reshape", mixed, graph.constant([0, 0, HIDDEN]))
    return graph.op("Add", x, graph.op("MatMul", flat, weight))


def causal_bias(graph):
    count = graph.op("Gather", graph.op("Shape", "input_ids"), graph.constant(1), axis=0)
    numbers = graph.op("Range", graph.constant(0), count, graph.constant(1))
    hidden = graph.op("Less", graph.op("Unsqueeze", numbers, graph.constant([1])), numbers)
    return graph.op("Where", hidden, graph.constant(-1e9, np.float32), graph.constant(0, np.float32))


def branch(has_past, has_encoder, dummy_sizes):
    """The decoder for the prompt, or the one that reads caches: without a causal mask, because it was exported for one token. It does not
    compute the caches of the encoder, so Optimum gives it constants without elements."""
    graph = Graph(1)
    name = "cached" if has_past else "prompt"
    graph.op = lambda *inputs, name=None, op=graph.op, prefix=name, **attributes: op(*inputs, name=name or f"{prefix}_{len(graph.nodes)}", **attributes)
    x = graph.op("Gather", "embedding", "input_ids", axis=0)
    query, key, value = (split(graph, x, weight) for weight in "qkv")
    outputs = {}
    for part, states in (("key", key), ("value", value)):
        pasts = [f"past_key_values.0.decoder.{part}"] if has_past else []
        outputs[f"decoder.{part}"] = graph.op("Concat", *pasts, states, axis=2)
    x = attend(graph, x, query, outputs["decoder.key"], outputs["decoder.value"], "o", None if has_past else causal_bias(graph))
    if has_encoder:
        keys = {part: f"past_key_values.0.encoder.{part}" if has_past else split(graph, "encoder_hidden_states", f"cross_{part[0]}") for part in ("key", "value")}
        x = attend(graph, x, split(graph, x, "cross_q"), keys["key"], keys["value"], "cross_o")
        for part, states in keys.items():
            dummy = graph.op("Constant", value=helper.make_tensor("none", TensorProto.FLOAT, dummy_sizes, [0.0] * int(np.prod(dummy_sizes)))) if has_past else states
            outputs[f"encoder.{part}"] = dummy
    results = [graph.op("MatMul", x, "head"), *outputs.values()]
    # The constants of a branch are nodes of it.
    constants = [helper.make_node("Constant", [], [value.name], value=value) for value in graph.initializers]
    declared = [helper.make_tensor_value_info(result, TensorProto.FLOAT, None) for result in results]
    return helper.make_graph(constants + graph.nodes, name, [], declared), list(outputs)


def renamed(graph, prefix):
    """Names of constants differ between the branches."""
    names = {node.output[0]: f"{prefix}_{node.output[0]}" for node in graph.node if node.op_type == "Constant"}
    for node in graph.node:
        node.input[:] = [names.get(name, name) for name in node.input]
        node.output[:] = [names.get(name, name) for name in node.output]
    for output in graph.output:
        output.name = names.get(output.name, output.name)
    return graph


def merged_decoder(has_encoder=True, dummy_sizes=(0, HEADS, 1, SIZE)):
    main = Graph(7)
    weights_of(main)
    cached, parts = branch(True, has_encoder, dummy_sizes)
    prompt, _ = branch(False, has_encoder, dummy_sizes)
    outputs = ["logits", *(f"present.0.{part}" for part in parts)]
    branches = {"then_branch": renamed(cached, "cached"), "else_branch": renamed(prompt, "prompt")}
    node = helper.make_node("If", ["use_cache_branch"], outputs, **branches)
    inputs = [tensor("input_ids", "batch", "sequence", dtype=TensorProto.INT64)]
    if has_encoder:
        inputs.append(tensor("encoder_hidden_states", "batch", "encoder_sequence", HIDDEN))
    lengths = {"decoder": "past_sequence", "encoder": "encoder_sequence"}
    inputs += [tensor(f"past_key_values.0.{part}", "batch", HEADS, lengths[part.split(".")[0]], SIZE) for part in parts]
    inputs.append(tensor("use_cache_branch", 1, dtype=TensorProto.BOOL))
    declared = [tensor("logits", "batch", "sequence", VOCABULARY), *(tensor(name, "batch_out", HEADS, f"{name}_length", SIZE) for name in outputs[1:])]
    graph = helper.make_graph([node], "merged", inputs, declared, main.initializers)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


def expected_steps(model, steps):
    """The logits of each step in onnxruntime as Optimum runs it: the caches of the encoder are those of the first step."""
    session = session_of(model)
    names = [node.name for node in session.get_outputs()]
    inputs = {node.name: node.shape for node in session.get_inputs()}
    caches = {}
    for number, (rows, fed) in enumerate(steps):
        for name in (name for name in inputs if name.startswith("past") and number == 0):
            caches[name] = np.zeros((len(rows), HEADS, 0, SIZE), np.float32)
        given = {name: np.take(value, rows, 0) for name, value in caches.items()}
        fed = {name: value for name, value in fed.items() if name in inputs}
        results = dict(zip(names, session.run(names, {**fed, **given, "use_cache_branch": np.array([number > 0])})))
        for name in caches:
            if number == 0 or ".encoder." not in name:
                given[name] = results[name.replace("past_key_values", "present")]
        caches = given
        yield results["logits"]
