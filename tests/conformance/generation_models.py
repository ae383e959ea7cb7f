"""Small decoders with random weights inside of GreedySearch, Sampling and BeamSearch, in the form that onnxruntime's convert_generation
writes: the decoder is an attribute, its nodes are those of onnxruntime's optimizer."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

VOCABULARY, HIDDEN, HEADS, SIZE, LAYERS, POSITIONS = 24, 16, 2, 8, 2, 40
MICROSOFT = "com.microsoft"


def tensor(name, dtype, *dimensions):
    return helper.make_tensor_value_info(name, dtype, list(dimensions))


class Graph:
    """Collects nodes and weights; each method returns the name of its value."""

    def __init__(self, seed):
        self.nodes, self.weights = [], []
        self.generator = np.random.default_rng(seed)

    def op(self, op_type, *inputs, outputs=None, **attributes):
        names = outputs or [f"{op_type}_{len(self.nodes)}"]
        self.nodes.append(helper.make_node(op_type, list(inputs), names, name=f"{op_type}_{len(self.nodes)}", **attributes))
        return names[0]

    def constant(self, value):
        name = f"constant_{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def weight(self, *shape, scale=None, mean=0.0):
        values = mean + self.generator.standard_normal(shape) * (scale or shape[0] ** -0.5)
        return self.constant(values.astype(np.float32))

    def linear(self, x, inputs, outputs, scale=None):
        product = self.op("MatMul", x, self.weight(inputs, outputs, scale=scale))
        return self.op("Add", product, self.weight(outputs, scale=0.1))

    def normalized(self, x):
        gain, bias = self.weight(HIDDEN, scale=0.1, mean=1.0), self.weight(HIDDEN, scale=0.1)
        return self.op("LayerNormalization", x, gain, bias, axis=-1, epsilon=1e-5)


def gpt2_decoder(seed, length="sequence"):
    """`length` of what it reads: 1 for a decoder beside an init_decoder."""
    graph = Graph(seed)
    words = graph.op("Gather", graph.weight(VOCABULARY, HIDDEN, scale=1.0), "input_ids")
    x = graph.op("Add", words, graph.op("Gather", graph.weight(POSITIONS, HIDDEN, scale=0.5), "position_ids"))
    for layer in range(LAYERS):
        inputs = [graph.normalized(x), graph.weight(HIDDEN, 3 * HIDDEN, scale=0.5), graph.weight(3 * HIDDEN, scale=0.1)]
        outputs = [f"attention_{layer}", f"present_{layer}"]
        graph.op("Attention", *inputs, "attention_mask", f"past_{layer}", outputs=outputs, domain=MICROSOFT, num_heads=HEADS, unidirectional=1)
        x = graph.op("Add", x, graph.linear(outputs[0], HIDDEN, HIDDEN, scale=0.5))
        inner = graph.op("FastGelu", graph.linear(graph.normalized(x), HIDDEN, 2 * HIDDEN), domain=MICROSOFT)
        x = graph.op("Add", x, graph.linear(inner, 2 * HIDDEN, HIDDEN))
    graph.op("MatMul", graph.normalized(x), graph.weight(HIDDEN, VOCABULARY, scale=1.0), outputs=["logits"])
    inputs = [tensor(name, TensorProto.INT32, "batch", length) for name in ("input_ids", "position_ids")]
    inputs.append(tensor("attention_mask", TensorProto.INT32, "batch", "total"))
    inputs += [tensor(f"past_{i}", TensorProto.FLOAT, 2, "batch", HEADS, "past", SIZE) for i in range(LAYERS)]
    outputs = [tensor("logits", TensorProto.FLOAT, "batch", length, VOCABULARY)]
    outputs += [tensor(f"present_{i}", TensorProto.FLOAT, 2, "batch", HEADS, "total", SIZE) for i in range(LAYERS)]
    return helper.make_graph(graph.nodes, "gpt2 decoder", inputs, outputs, graph.weights)


INPUTS = {
    "input_ids": (TensorProto.INT32, "batch", "sequence"),
    "max_length": (TensorProto.INT32, 1),
    "min_length": (TensorProto.INT32, 1),
    "num_beams": (TensorProto.INT32, 1),
    "num_return_sequences": (TensorProto.INT32, 1),
    "length_penalty": (TensorProto.FLOAT, 1),
    "repetition_penalty": (TensorProto.FLOAT, 1),
    "vocab_mask": (TensorProto.INT32, VOCABULARY),
    "prefix_vocab_mask": (TensorProto.INT32, "batch", VOCABULARY),
    "attention_mask": (TensorProto.INT32, "batch", "sequence"),
    "seed": (TensorProto.INT32, 1),
}
GREEDY = ["input_ids", "max_length", "min_length", "repetition_penalty", "vocab_mask", "prefix_vocab_mask", "attention_mask"]
SAMPLING = [*GREEDY, "presence_mask", "seed"]
BEAMS = ["input_ids", "max_length", "min_length", "num_beams", "num_return_sequences", "length_penalty", "repetition_penalty"]
BEAMS += ["vocab_mask", "prefix_vocab_mask", "attention_mask"]


def search_model(op_type, all_inputs, given, outputs, **attributes):
    """A model of one search; inputs that are not `given` are left out."""
    names = [name if name in given else "" for name in all_inputs]
    node = helper.make_node(op_type, names, [name for name, *_ in outputs], name=op_type, domain=MICROSOFT, **attributes)
    graph = helper.make_graph([node], op_type, [tensor(name, *INPUTS[name]) for name in names if name], [tensor(*output) for output in outputs])
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid(MICROSOFT, 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10).SerializeToString()


def greedy_model(given, **attributes):
    outputs = [("sequences", TensorProto.INT32, "batch", "length")]
    return search_model("GreedySearch", GREEDY, given, outputs, model_type=0, **attributes)


def sampling_model(given, **attributes):
    outputs = [("sequences", TensorProto.INT32, "batch", "length")]
    return search_model("Sampling", SAMPLING, given, outputs, model_type=0, **attributes)


def beam_model(given, outputs=1, **attributes):
    all_outputs = [("sequences", TensorProto.INT32, "batch", "returned", "length"), ("sequences_scores", TensorProto.FLOAT, "batch", "returned")]
    return search_model("BeamSearch", BEAMS, given, all_outputs[:outputs], **{"model_type": 0, **attributes})


def split_heads(graph, x):
    return graph.op("Transpose", graph.op("Reshape", x, graph.constant(np.array([0, 0, HEADS, SIZE]))), perm=[0, 2, 1, 3])


def attended(graph, query, key, value, bias=None):
    scores = graph.op("MatMul", query, graph.op("Transpose", key, perm=[0, 1, 3, 2]))
    if bias:
        scores = graph.op("Add", scores, bias)
    mixed = graph.op("MatMul", graph.op("Softmax", scores, axis=-1), value)
    return graph.op("Reshape", graph.op("Transpose", mixed, perm=[0, 2, 1, 3]), graph.constant(np.array([0, 0, HIDDEN])))


def padding_bias(graph):
    mask = graph.op("Unsqueeze", graph.op("Cast", "encoder_attention_mask", to=TensorProto.FLOAT), graph.constant(np.array([1, 2])))
    return graph.op("Mul", graph.op("Sub", graph.constant(np.float32(1)), mask), graph.constant(np.float32(-1e4)))


def t5_encoder(seed):
    """In the newer form: its outputs are the keys and values that the decoder's cross attention reads."""
    graph = Graph(seed)
    x = graph.op("Gather", graph.weight(VOCABULARY, HIDDEN, scale=1.0), "encoder_input_ids")
    heads = [split_heads(graph, graph.linear(graph.normalized(x), HIDDEN, HIDDEN)) for _ in range(3)]
    x = graph.op("Add", x, graph.linear(attended(graph, *heads, padding_bias(graph)), HIDDEN, HIDDEN))
    x = graph.normalized(x)
    names = [f"present_{part}_cross_{i}" for i in range(LAYERS) for part in ("key", "value")]
    for name in names:
        split = graph.op("Reshape", graph.linear(x, HIDDEN, HIDDEN, scale=0.7), graph.constant(np.array([0, 0, HEADS, SIZE])))
        graph.op("Transpose", split, perm=[0, 2, 1, 3], outputs=[name])
    inputs = [tensor(name, TensorProto.INT32, "batch", "source") for name in ("encoder_input_ids", "encoder_attention_mask")]
    outputs = [tensor(name, TensorProto.FLOAT, "batch", HEADS, "source", SIZE) for name in names]
    return helper.make_graph(graph.nodes, "t5 encoder", inputs, outputs, graph.weights)


def t5_decoder(seed):
    graph = Graph(seed)
    x = graph.op("Gather", graph.weight(VOCABULARY, HIDDEN, scale=1.0), "input_ids")
    bias = padding_bias(graph)
    for layer in range(LAYERS):
        normal = graph.normalized(x)
        query, key, value = (split_heads(graph, graph.linear(normal, HIDDEN, HIDDEN, scale=0.5)) for _ in range(3))
        key = graph.op("Concat", f"past_key_self_{layer}", key, axis=2, outputs=[f"present_key_self_{layer}"])
        value = graph.op("Concat", f"past_value_self_{layer}", value, axis=2, outputs=[f"present_value_self_{layer}"])
        x = graph.op("Add", x, graph.linear(attended(graph, query, key, value), HIDDEN, HIDDEN))
        query = split_heads(graph, graph.linear(graph.normalized(x), HIDDEN, HIDDEN))
        crossed = attended(graph, query, f"past_key_cross_{layer}", f"past_value_cross_{layer}", bias)
        x = graph.op("Add", x, graph.linear(crossed, HIDDEN, HIDDEN))
        x = graph.op("Add", x, graph.linear(graph.op("Relu", graph.linear(graph.normalized(x), HIDDEN, 32)), 32, HIDDEN))
    graph.op("MatMul", graph.normalized(x), graph.weight(HIDDEN, VOCABULARY, scale=1.0), outputs=["logits"])
    own = [f"{part}_self_{i}" for i in range(LAYERS) for part in ("key", "value")]
    crossed = [f"{part}_cross_{i}" for i in range(LAYERS) for part in ("key", "value")]
    inputs = [tensor("input_ids", TensorProto.INT32, "batch", 1), tensor("encoder_attention_mask", TensorProto.INT32, "batch", "source")]
    inputs += [tensor(f"past_{name}", TensorProto.FLOAT, "batch", HEADS, "past", SIZE) for name in own]
    inputs += [tensor(f"past_{name}", TensorProto.FLOAT, "batch", HEADS, "source", SIZE) for name in crossed]
    outputs = [tensor("logits", TensorProto.FLOAT, "batch", 1, VOCABULARY)]
    outputs += [tensor(f"present_{name}", TensorProto.FLOAT, "batch", HEADS, "total", SIZE) for name in own]
    return helper.make_graph(graph.nodes, "t5 decoder", inputs, outputs, graph.weights)
