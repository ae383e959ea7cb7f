"""Small decoders with random weights inside of GreedySearch, Sampling and BeamSearch, in the form that onnxruntime's convert_generation
writes: the decoder is an attribute, its nodes are those of onnxruntime's optimizer."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

VOCABULARY, HIDDEN, HEADS, SIZE, LAYERS, POSITIONS = 24, 16, 2, 8, 2, 40
MELS = 6
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
    "input_features": (TensorProto.FLOAT, "batch", MELS, "frames"),
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
    "decoder_input_ids": (TensorProto.INT32, "batch", "prompt"),
    "logits_processor": (TensorProto.INT32, 1),
    "temperature": (TensorProto.FLOAT, 1),
}
GREEDY = ["input_ids", "max_length", "min_length", "repetition_penalty", "vocab_mask", "prefix_vocab_mask", "attention_mask"]
SAMPLING = [*GREEDY, "presence_mask", "seed"]
BEAMS = ["input_ids", "max_length", "min_length", "num_beams", "num_return_sequences", "length_penalty", "repetition_penalty"]
BEAMS += ["vocab_mask", "prefix_vocab_mask", "attention_mask", "decoder_input_ids", "logits_processor"]
WHISPER_BEAMS = ["input_features", *BEAMS[1:], "cross_qk_layer_head", "extra_decoding_ids", "temperature"]


def search_model(op_type, all_inputs, given, outputs, **attributes):
    """A model of one search; inputs that are not `given` are left out."""
    names = [name if name in given else "" for name in all_inputs]
    while not names[-1]:
        names.pop()
    node = helper.make_node(op_type, names, [name for name, *_ in outputs], name=op_type, domain=MICROSOFT, **attributes)
    graph = helper.make_graph([node], op_type, [tensor(name, *INPUTS[name]) for name in names if name], [tensor(*output) for output in outputs if output[0]])
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid(MICROSOFT, 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10).SerializeToString()


def greedy_model(given, **attributes):
    outputs = [("sequences", TensorProto.INT32, "batch", "length")]
    return search_model("GreedySearch", GREEDY, given, outputs, model_type=0, **attributes)


def sampling_model(given, **attributes):
    outputs = [("sequences", TensorProto.INT32, "batch", "length")]
    return search_model("Sampling", SAMPLING, given, outputs, model_type=0, **attributes)


SEQUENCES = ("sequences", TensorProto.INT32, "batch", "returned", "length")
SEQUENCE_SCORES = ("sequences_scores", TensorProto.FLOAT, "batch", "returned")
SCORES = ("scores", TensorProto.FLOAT, "steps", "batch", "beams", VOCABULARY)
NO_SPEECH = ("non_speech_probs", TensorProto.FLOAT, "batch")


def beam_model(given, outputs=(SEQUENCES,), **attributes):
    return search_model("BeamSearch", BEAMS, given, outputs, **{"model_type": 0, **attributes})


def whisper_model(given, outputs, op_type="WhisperBeamSearch", **attributes):
    """The subgraphs are those of Whisper; BeamSearch with model_type 2 is the older form of WhisperBeamSearch."""
    inputs = WHISPER_BEAMS if op_type == "WhisperBeamSearch" else ["input_features", *BEAMS[1:]]
    return search_model(op_type, inputs, given, outputs, model_type=2, **attributes)


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


def cache_names(kind):
    """The names of the keys and values of all layers; `kind` is "self" or "cross"."""
    return [f"{part}_{kind}_{i}" for i in range(LAYERS) for part in ("key", "value")]


def crossed_caches(graph, x):
    """The outputs of an encoder that the decoder's cross attention reads."""
    for name in cache_names("cross"):
        split = graph.op("Reshape", graph.linear(x, HIDDEN, HIDDEN, scale=0.7), graph.constant(np.array([0, 0, HEADS, SIZE])))
        graph.op("Transpose", split, perm=[0, 2, 1, 3], outputs=[f"present_{name}"])


def caches(prefix, kind, length):
    return [tensor(f"{prefix}_{name}", TensorProto.FLOAT, "batch", HEADS, length, SIZE) for name in cache_names(kind)]


def t5_encoder(seed):
    """In the newer form: its outputs are the keys and values that the decoder's cross attention reads."""
    graph = Graph(seed)
    x = graph.op("Gather", graph.weight(VOCABULARY, HIDDEN, scale=1.0), "encoder_input_ids")
    heads = [split_heads(graph, graph.linear(graph.normalized(x), HIDDEN, HIDDEN)) for _ in range(3)]
    x = graph.op("Add", x, graph.linear(attended(graph, *heads, padding_bias(graph)), HIDDEN, HIDDEN))
    x = graph.normalized(x)
    crossed_caches(graph, x)
    inputs = [tensor(name, TensorProto.INT32, "batch", "source") for name in ("encoder_input_ids", "encoder_attention_mask")]
    return helper.make_graph(graph.nodes, "t5 encoder", inputs, caches("present", "cross", "source"), graph.weights)


def t5_decoder(seed, length=1):
    """`length` of what it reads: 1, or "sequence" if it reads all tokens again in each step."""
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
    inputs = [tensor("input_ids", TensorProto.INT32, "batch", length), tensor("encoder_attention_mask", TensorProto.INT32, "batch", "source")]
    inputs += [*caches("past", "self", "past"), *caches("past", "cross", "source")]
    outputs = [tensor("logits", TensorProto.FLOAT, "batch", length, VOCABULARY), *caches("present", "self", "total")]
    return helper.make_graph(graph.nodes, "t5 decoder", inputs, outputs, graph.weights)


def causal_bias(graph, length):
    """Hides the tokens after each of `length` tokens."""
    hidden = numpy_helper.from_array(np.array([-1e4], np.float32))
    square = graph.op("ConstantOfShape", graph.op("Concat", length, length, axis=0), value=hidden)
    return graph.op("Trilu", square, graph.constant(np.array(1)), upper=1)


def whisper_layers(graph, x, positions, crossed, bias=None, past=None):
    """The decoder of Whisper; `crossed` is the prefix of the caches that its cross attention reads."""
    x = graph.op("Add", x, graph.op("Gather", graph.weight(POSITIONS, HIDDEN, scale=0.5), positions))
    for layer in range(LAYERS):
        normal = graph.normalized(x)
        query, key, value = (split_heads(graph, graph.linear(normal, HIDDEN, HIDDEN, scale=0.5)) for _ in range(3))
        for part, new in (("key", key), ("value", value)):
            name = f"present_{part}_self_{layer}"
            if past:
                graph.op("Concat", f"{past}_{part}_self_{layer}", new, axis=2, outputs=[name])
            else:
                graph.op("Identity", new, outputs=[name])
        x = graph.op("Add", x, graph.linear(attended(graph, query, f"present_key_self_{layer}", f"present_value_self_{layer}", bias), HIDDEN, HIDDEN))
        query = split_heads(graph, graph.linear(graph.normalized(x), HIDDEN, HIDDEN))
        mixed = attended(graph, query, f"{crossed}_key_cross_{layer}", f"{crossed}_value_cross_{layer}")
        x = graph.op("Add", x, graph.linear(mixed, HIDDEN, HIDDEN))
        x = graph.op("Add", x, graph.linear(graph.op("Relu", graph.linear(graph.normalized(x), HIDDEN, 32)), 32, HIDDEN))
    graph.op("MatMul", graph.normalized(x), graph.weight(HIDDEN, VOCABULARY, scale=1.0), outputs=["logits"])


def whisper_encoder(seed):
    """Reads the sound, and the first tokens with a decoder of its own."""
    graph = Graph(seed)
    sound = graph.op("Conv", "encoder_input_ids", graph.weight(HIDDEN, MELS, 3, scale=0.4), graph.weight(HIDDEN, scale=0.1), pads=[1, 1], strides=[2])
    hidden = graph.normalized(graph.op("Transpose", sound, perm=[0, 2, 1]))
    graph.op("Identity", hidden, outputs=["encoder_hidden_states"])
    crossed_caches(graph, hidden)
    length = graph.op("Shape", "decoder_input_ids", start=1, end=2)
    positions = graph.op("Range", graph.constant(np.array(0)), graph.op("Squeeze", length), graph.constant(np.array(1)))
    words = graph.op("Gather", graph.weight(VOCABULARY, HIDDEN, scale=1.0), "decoder_input_ids")
    whisper_layers(graph, words, positions, "present", bias=causal_bias(graph, length))
    inputs = [tensor("encoder_input_ids", TensorProto.FLOAT, "batch", MELS, "frames"), tensor("decoder_input_ids", TensorProto.INT32, "batch", "prompt")]
    outputs = [tensor("logits", TensorProto.FLOAT, "batch", "prompt", VOCABULARY), tensor("encoder_hidden_states", TensorProto.FLOAT, "batch", "source", HIDDEN)]
    outputs += [*caches("present", "self", "prompt"), *caches("present", "cross", "source")]
    return helper.make_graph(graph.nodes, "whisper encoder", inputs, outputs, graph.weights)


def whisper_decoder(seed, has_hidden_states=False):
    """`has_hidden_states`: with the input encoder_hidden_states, as older tools write it."""
    graph = Graph(seed)
    position = graph.op("Shape", "past_key_self_0", start=2, end=3)
    words = graph.op("Gather", graph.weight(VOCABULARY, HIDDEN, scale=1.0), "input_ids")
    whisper_layers(graph, words, position, "past", past="past")
    inputs = [tensor("input_ids", TensorProto.INT32, "batch", 1)]
    if has_hidden_states:
        inputs.append(tensor("encoder_hidden_states", TensorProto.FLOAT, "batch", "source", HIDDEN))
    inputs += [*caches("past", "self", "past"), *caches("past", "cross", "source")]
    outputs = [tensor("logits", TensorProto.FLOAT, "batch", 1, VOCABULARY), *caches("present", "self", "total")]
    return helper.make_graph(graph.nodes, "whisper decoder", inputs, outputs, graph.weights)


def silence_model(search, encoder, token):
    """`search` without its output NO_SPEECH, which onnxruntime leaves unset, and `encoder` once more with the probability of `token`."""
    model = onnx.load_from_string(search)
    graph = Graph(0)
    graph.weights += encoder.initializer
    graph.op("Identity", "input_features", outputs=["encoder_input_ids"])
    graph.nodes += encoder.node
    last = graph.op("Gather", "logits", graph.constant(np.array(-1)), axis=1)
    graph.op("Gather", graph.op("Softmax", last, axis=-1), graph.constant(np.array(token)), axis=1, outputs=[NO_SPEECH[0]])
    model.graph.node.extend(graph.nodes)
    model.graph.initializer.extend(graph.weights)
    model.graph.output.append(tensor(*NO_SPEECH))
    return model.SerializeToString()
