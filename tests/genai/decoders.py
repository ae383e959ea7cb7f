"""Small decoders with random weights, in the form in which `transformers` models are exported: decomposed attention and rotary
embeddings, a cache of keys and values for each layer, with inputs past_key_values.* and outputs present.*."""

from dataclasses import dataclass

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

LOWEST = np.finfo(np.float32).min


@dataclass(frozen=True)
class Shape:
    vocabulary: int = 256
    hidden: int = 64
    inner: int = 128
    layers: int = 2
    heads: int = 4
    cached_heads: int = 2
    size: int = 16


class Graph:
    """Collects nodes; each method returns the name of its value."""

    def __init__(self, seed):
        self.nodes, self.initializers = [], []
        self.generator = np.random.default_rng(seed)

    def op(self, op_type, *inputs, name=None, **attributes):
        name = name or f"{op_type}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(op_type, list(inputs), [name], name=name, **attributes))
        return name

    def constant(self, value, dtype=np.int64):
        name = f"constant_{len(self.initializers)}"
        self.initializers.append(numpy_helper.from_array(np.asarray(value, dtype), name))
        return name

    def weight(self, name, *shape, scale=None):
        scale = scale or shape[0] ** -0.5
        self.initializers.append(numpy_helper.from_array((self.generator.standard_normal(shape) * scale).astype(np.float32), name))
        return name

    def linear(self, name, x, inputs, outputs, bias=False, scale=None):
        product = self.op("MatMul", x, self.weight(f"{name}.weight", inputs, outputs, scale=scale), name=f"{name}/MatMul")
        return self.op("Add", product, self.weight(f"{name}.bias", outputs, scale=0.1)) if bias else product

    def rms_norm(self, name, x, size):
        square = self.op("Pow", x, self.constant(2, np.float32))
        mean = self.op("ReduceMean", square, self.constant([-1]), keepdims=1)
        root = self.op("Sqrt", self.op("Add", mean, self.constant(1e-6, np.float32)))
        normal = self.op("Mul", x, self.op("Reciprocal", root))
        gain = f"{name}.weight"
        self.initializers.append(numpy_helper.from_array((1 + 0.1 * self.generator.standard_normal(size)).astype(np.float32), gain))
        return self.op("Mul", gain, normal)


def rotation(graph, shape):
    frequencies = 10000.0 ** (-np.arange(0, shape.size, 2) / shape.size)
    positions = graph.op("Cast", graph.op("Unsqueeze", "position_ids", graph.constant([2])), to=TensorProto.FLOAT)
    angles = graph.op("Mul", positions, graph.constant(frequencies.reshape(1, 1, -1), np.float32))
    both = graph.op("Concat", angles, angles, axis=-1)
    return [graph.op("Unsqueeze", graph.op(function, both), graph.constant([1])) for function in ("Cos", "Sin")]


def rotated(graph, x, angles, shape):
    half = shape.size // 2
    first = graph.op("Slice", x, graph.constant([0]), graph.constant([half]), graph.constant([3]))
    second = graph.op("Slice", x, graph.constant([half]), graph.constant([2**62]), graph.constant([3]))
    turned = graph.op("Concat", graph.op("Neg", second), first, axis=-1)
    return graph.op("Add", graph.op("Mul", x, angles[0]), graph.op("Mul", turned, angles[1]))


def attention_bias(graph):
    """0 for visible keys, the lowest number for others: [batch, 1, queries, keys]."""
    total = graph.op("Gather", graph.op("Shape", "attention_mask"), graph.constant(1), axis=0)
    count = graph.op("Gather", graph.op("Shape", "input_ids"), graph.constant(1), axis=0)
    keys = graph.op("Range", graph.constant(0), total, graph.constant(1))
    queries = graph.op("Range", graph.op("Sub", total, count), total, graph.constant(1))
    causal = graph.op("LessOrEqual", keys, graph.op("Unsqueeze", queries, graph.constant([1])))
    given = graph.op("Unsqueeze", graph.op("Cast", "attention_mask", to=TensorProto.BOOL), graph.constant([1, 2]))
    return graph.op("Where", graph.op("And", causal, given), graph.constant(0, np.float32), graph.constant(LOWEST, np.float32))


def repeated(graph, x, shape):
    """[batch, cached heads, keys, size] for all heads."""
    if shape.heads == shape.cached_heads:
        return x
    sizes = graph.op("Shape", x)
    batch, keys = (graph.op("Gather", sizes, graph.constant([axis]), axis=0) for axis in (0, 2))
    group = graph.constant([shape.heads // shape.cached_heads])
    wide = graph.op("Concat", batch, graph.constant([shape.cached_heads]), group, keys, graph.constant([shape.size]), axis=0)
    all_heads = graph.op("Expand", graph.op("Unsqueeze", x, graph.constant([2])), wide)
    return graph.op("Reshape", all_heads, graph.op("Concat", batch, graph.constant([shape.heads]), keys, graph.constant([shape.size]), axis=0))


def attention(graph, layer, x, angles, bias, shape, *, has_bias, has_head_norm):
    prefix = f"model.layers.{layer}.self_attn"

    def projected(name, heads, norm):
        flat = graph.linear(f"{prefix}.{name}_proj", x, shape.hidden, heads * shape.size, has_bias)
        split = graph.op("Reshape", flat, graph.constant([0, 0, heads, shape.size]))
        if norm:
            split = graph.rms_norm(f"{prefix}.{name}_norm", split, shape.size)
        return graph.op("Transpose", split, perm=[0, 2, 1, 3])

    query = rotated(graph, projected("q", shape.heads, has_head_norm), angles, shape)
    key = rotated(graph, projected("k", shape.cached_heads, has_head_norm), angles, shape)
    value = projected("v", shape.cached_heads, False)
    key = graph.op("Concat", f"past_key_values.{layer}.key", key, name=f"present.{layer}.key", axis=2)
    value = graph.op("Concat", f"past_key_values.{layer}.value", value, name=f"present.{layer}.value", axis=2)
    keys = graph.op("Transpose", repeated(graph, key, shape), perm=[0, 1, 3, 2])
    scores = graph.op("Mul", graph.op("MatMul", query, keys), graph.constant(shape.size**-0.5, np.float32))
    weights = graph.op("Softmax", graph.op("Add", scores, bias), axis=-1)
    mixed = graph.op("Transpose", graph.op("MatMul", weights, repeated(graph, value, shape)), perm=[0, 2, 1, 3])
    flat = graph.op("Reshape", mixed, graph.constant([0, 0, -1]))
    return graph.linear(f"{prefix}.o_proj", flat, shape.heads * shape.size, shape.hidden)


def lengths_of_rows(graph):
    """seqlens_k and total_sequence_length of GroupQueryAttention, as onnxruntime-genai computes them."""
    last = graph.op("Sub", graph.op("ReduceSum", "attention_mask", graph.constant([1]), keepdims=1), graph.constant([1]))
    total = graph.op("Gather", graph.op("Shape", "attention_mask"), graph.constant(1), axis=0)
    return [graph.op("Cast", value, to=TensorProto.INT32) for value in (last, total)]


def tables_of_angles(graph, shape, positions=256):
    angles = np.arange(positions)[:, None] * 10000.0 ** (-np.arange(0, shape.size, 2) / shape.size)
    return [graph.constant(function(angles), np.float32) for function in (np.cos, np.sin)]


def group_query_attention(graph, layer, x, lengths, tables, shape, **attributes):
    prefix = f"model.layers.{layer}.self_attn"
    heads = {"q": shape.heads, "k": shape.cached_heads, "v": shape.cached_heads}
    states = [graph.linear(f"{prefix}.{name}_proj", x, shape.hidden, count * shape.size) for name, count in heads.items()]
    pasts, presents = ([f"{name}.{layer}.{part}" for part in ("key", "value")] for name in ("past_key_values", "present"))
    result = f"{prefix}.attention"
    counts = {"num_heads": shape.heads, "kv_num_heads": shape.cached_heads}
    inputs = [*states, *pasts, *lengths, *tables]
    graph.nodes.append(
        helper.make_node("GroupQueryAttention", inputs, [result, *presents], domain="com.microsoft", do_rotary=1, **counts, **attributes)
    )
    return graph.linear(f"{prefix}.o_proj", result, shape.heads * shape.size, shape.hidden)


def mlp(graph, layer, x, shape):
    prefix = f"model.layers.{layer}.mlp"
    gate = graph.linear(f"{prefix}.gate_proj", x, shape.hidden, shape.inner)
    active = graph.op("Mul", gate, graph.op("Sigmoid", gate))
    product = graph.op("Mul", active, graph.linear(f"{prefix}.up_proj", x, shape.hidden, shape.inner))
    return graph.linear(f"{prefix}.down_proj", product, shape.inner, shape.hidden)


def tensor(name, *dimensions, dtype=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, dtype, list(dimensions))


def caches(shape, name, length):
    return [
        tensor(f"{name}.{layer}.{part}", "batch", shape.cached_heads, length, shape.size)
        for layer in range(shape.layers)
        for part in ("key", "value")
    ]


def decoder(seed, shape, prepare, steps):
    """`prepare` returns the attention, a function of the layer and its input; `steps` gives the length of each input besides the caches."""
    graph = Graph(seed)
    x = graph.op("Gather", graph.weight("model.embed_tokens.weight", shape.vocabulary, shape.hidden, scale=1.0), "input_ids", axis=0)
    attend = prepare(graph)
    for layer in range(shape.layers):
        normal = graph.rms_norm(f"model.layers.{layer}.input_layernorm", x, shape.hidden)
        x = graph.op("Add", x, attend(layer, normal))
        normal = graph.rms_norm(f"model.layers.{layer}.post_attention_layernorm", x, shape.hidden)
        x = graph.op("Add", x, mlp(graph, layer, normal, shape))
    x = graph.rms_norm("model.norm", x, shape.hidden)
    logits = graph.linear("lm_head", x, shape.hidden, shape.vocabulary, scale=1.0)
    graph.op("Identity", logits, name="logits")
    inputs = [tensor(name, "batch", steps[name], dtype=TensorProto.INT64) for name in steps]
    outputs = [tensor("logits", "batch", "sequence", shape.vocabulary), *caches(shape, "present", "total")]
    made = helper.make_graph(graph.nodes, "decoder", inputs + caches(shape, "past_key_values", "past"), outputs, graph.initializers)
    opsets = [helper.make_opsetid("", 20), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(made, opset_imports=opsets, ir_version=10)
    onnx.checker.check_model(model, full_check=True)
    return model


def of_transformers(seed, shape, **options):
    def prepare(graph):
        angles, bias = rotation(graph, shape), attention_bias(graph)
        return lambda layer, x: attention(graph, layer, x, angles, bias, shape, **options)

    return decoder(seed, shape, prepare, {"input_ids": "sequence", "attention_mask": "total", "position_ids": "sequence"})


def llama(shape=Shape()):
    return of_transformers(1, shape, has_bias=False, has_head_norm=False)


def qwen_2(shape=Shape()):
    return of_transformers(2, shape, has_bias=True, has_head_norm=False)


def qwen_3(shape=Shape()):
    return of_transformers(3, shape, has_bias=False, has_head_norm=True)


def llama_of_onnxruntime_genai(shape=Shape(), **attributes):
    """With GroupQueryAttention, whose attributes may be given."""

    def prepare(graph):
        lengths, tables = lengths_of_rows(graph), tables_of_angles(graph, shape)
        return lambda layer, x: group_query_attention(graph, layer, x, lengths, tables, shape, **attributes)

    return decoder(4, shape, prepare, {"input_ids": "sequence", "attention_mask": "total"})
