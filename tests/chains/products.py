"""Templates of matrix products and attention."""

import numpy as np

from .steps import any_transpose, any_unary, between, broadcast_shape, dtype, shape, start, with_constant
from .template import template


def matrix(g, low=2, high=4):
    return start(g, shape(g, low, high), dtype(g, integers=False))


def weights(g, x, columns=None):
    return g.weights((x.shape[-1], columns or g.choices.pick([3, 2, 4, 1])), x.dtype)


@template("MatMulMultiplyFusion", "FuseFullyConnectedAndSimpleOperation", "FullyConnectedBiasFusion", "ConvertMatMulToFC", "MoveFCReshapeToWeights")
def product_and_constants(g):
    x = matrix(g)
    y = g.matmul(x, weights(g, x))
    for _ in range(g.choices.integer(1, 3)):
        y = with_constant(g, y, ("Add", "Mul", "Sub", "Div"), grow=g.choices.one_in(4))
    return [between(g, y)]


@template("MatMulMultiplyFusion", "FuseMatMulAndSimpleOperation")
def constants_and_product(g):
    x = with_constant(g, matrix(g), ("Mul", "Div", "Add"))
    w = weights(g, x)
    if g.choices.one_in(2):
        w = g.binary("Mul", w, g.factors(broadcast_shape(g, w.shape), x.dtype))
    y = g.matmul(x, w)
    return [g.swapped("Mul", y, g.factors((), x.dtype))]


@template("TransposeMatMul", "MatMulConstTransposesExtraction", "TransposeReshapeEliminationForMatmul", "TransposeFCFusion", "FuseFCAndTransposeOnWeights")
def transposed_product(g):
    x = matrix(g)
    order = list(range(x.rank))
    order[-2:] = order[:-3:-1]
    left = g.transpose(x, order) if g.choices.one_in(2) else x
    columns = g.choices.pick([3, 2, 1])
    lead = x.shape[:-2] if g.choices.one_in(3) else ()
    inner = left.shape[-1]
    right = g.choices.pick([lambda: g.weights((*lead, columns, inner), x.dtype), lambda: start(g, (*lead, columns, inner), x.dtype)])()
    back = list(range(right.rank))
    back[-2:] = back[:-3:-1]
    y = g.matmul(left, g.transpose(right, back))
    if g.choices.one_in(2):
        y = g.transpose(y, order)
    return [with_constant(g, y)]


@template("ReshapeSinkingMatMul", "DeReshapeMatMul", "DeReshapeFullyConnected", "ReshapeFullyConnectedFusion", "TransposeReshapeEliminationForMatmul")
def reshaped_product(g):
    x = matrix(g, 3, 4)
    rows = int(np.prod(x.shape[:-1]))
    flat = g.reshape(x, (rows, x.shape[-1]), [-1, x.shape[-1]])
    y = g.matmul(flat, weights(g, x))
    y = with_constant(g, y, ("Add", "Mul")) if g.choices.one_in(2) else y
    y = between(g, y)
    lead = list(x.shape[:-1])
    written = [-1, *lead[1:], y.shape[-1]] if y.shape == (rows, y.shape[-1]) else None
    return [g.reshape(y, (*lead, y.shape[-1]), written)] if written else [y]


@template("FullyConnectedBiasFusion", "Gemm", "MatMulConstTransposesExtraction")
def gemm(g):
    x = start(g, shape(g, 2, 2))
    columns = g.choices.pick([3, 1, 2])
    transposed = g.choices.integer(0, 1)
    flipped = g.choices.integer(0, 1)
    inner = x.shape[0] if flipped else x.shape[1]
    rows = x.shape[1] if flipped else x.shape[0]
    w = g.weights((columns, inner) if transposed else (inner, columns))
    bias = [g.weights(g.choices.pick([(columns,), (1, columns), (rows, 1), (), (rows, columns)]))] if g.choices.one_in(2) else []
    y = g.op("Gemm", [x, w, *bias], (rows, columns), transA=flipped, transB=transposed, alpha=g.choices.pick([1.0, 0.5]), beta=g.choices.pick([1.0, 2.0]))
    return [with_constant(g, y)]


@template("QKVProjFusion", "MLPFusion", "SharedOpOptimization", "FullyConnectedHorizontalFusion", "GLUFusion")
def products_of_one_value(g):
    """Several products of the same value, as queries, keys and values, or gated layers."""
    x = matrix(g, 2, 3)
    columns = g.choices.pick([4, 2])
    results = []
    for _ in range(g.choices.integer(2, 3)):
        y = g.matmul(x, weights(g, x, columns))
        results.append(with_constant(g, y, ("Add", "Mul")) if g.choices.one_in(2) else y)
    way = g.choices.integer(0, 2)
    if way == 0:
        return results
    if way == 1:
        gate = g.binary("Mul", results[0], g.unary("Sigmoid", results[0])) if g.choices.one_in(2) else g.unary("Sigmoid", results[0])
        product = g.swapped("Mul", gate, results[1]) if gate.shape == results[1].shape else gate
        return [g.matmul(product, weights(g, product))]
    return [g.concat(results, -1)] if len({y.shape[:-1] for y in results}) == 1 else results


@template("GLUFusion", "SplitFC", "VariadicSplit")
def split_product(g):
    x = matrix(g, 2, 3)
    y = g.matmul(x, weights(g, x, 4))
    left, right = g.split(y, [2, 2], -1)
    return [g.swapped("Mul", left, any_unary(g, right)) if g.choices.one_in(2) else with_constant(g, left)]


@template("SDPAFusion", "MHATokenization", "ExplicitTransposeMatMulInputs", "SplitDimensionM", "SDPAFuseTransposeReshape", "ScaledDotProductAttentionDecomposition")
def attention(g):
    batch, heads, queries, keys, width = 1, g.choices.pick([2, 1]), g.choices.pick([3, 1, 4]), g.choices.pick([3, 2]), g.choices.pick([4, 2])
    lead = (batch, heads) if g.choices.one_in(2) else (heads,)
    axes = list(range(len(lead)))

    def operand(rows, constant=False):
        if constant:
            return g.weights((*lead, rows, width))
        if len(lead) == 2 and g.choices.one_in(2):
            x = start(g, (batch, rows, heads * width))
            return g.transpose(g.reshape(x, (batch, rows, heads, width)), [0, 2, 1, 3])
        return start(g, (*lead, rows, width))

    q, k, v = operand(queries), operand(keys, g.choices.one_in(6)), operand(keys, g.choices.one_in(6))
    if g.choices.one_in(3):
        q = g.swapped("Mul", q, g.like(q, 0.5))
    scores = g.matmul(q, g.transpose(k, [*axes, len(lead) + 1, len(lead)]))
    if g.choices.one_in(2):
        scores = g.binary("Div", scores, g.like(q, 2)) if g.choices.one_in(2) else g.swapped("Mul", scores, g.like(q, 0.5))
    if g.choices.one_in(2):
        form = g.choices.pick([(queries, keys), (1, keys), (*[1] * len(lead), 1, keys), (*lead, queries, keys), ()])
        mask = g.weights(form, low=-2, high=0) if g.choices.one_in(2) or not form else start(g, form)
        scores = g.swapped("Add", scores, mask)
    y = g.matmul(g.softmax(scores, -1), v)
    if len(lead) == 2 and g.choices.one_in(2):
        y = g.reshape(g.transpose(y, [0, 2, 1, 3]), (batch, queries, heads * width))
        y = g.matmul(y, weights(g, y))
    return [between(g, y)]


@template("RoPEFusion", "RoPEFusionGPTNEOX", "MarkRopeInputsToKeepInMixedPrecision")
def rotary(g):
    heads, steps, width = g.choices.pick([2, 1]), g.choices.pick([3, 1]), g.choices.pick([4, 2])
    x = start(g, (1, heads, steps, width))
    cos, sin = (start(g, (1, 1, steps, width)) if g.choices.one_in(2) else g.weights((1, 1, steps, width)) for _ in range(2))
    half = width // 2
    if g.choices.one_in(2):
        left, right = g.split(x, [half, half], -1)
    else:
        left, right = g.slice(x, [0], [half], [3]), g.slice(x, [half], [2**31 - 1], [3])
    rotated = g.concat([g.unary("Neg", right), left] if not g.choices.one_in(4) else [right, g.unary("Neg", left)], -1)
    return [g.swapped("Add", g.swapped("Mul", x, cos), g.swapped("Mul", rotated, sin))]


@template("AlignMatMulInputRanks", "BroadcastMatMulFusion", "ConvertMatMulToFC")
def product_ranks(g):
    """Operands of different ranks, of rank 1, and of batches that are broadcast."""
    inner, rows, columns = g.choices.pick([3, 1]), g.choices.pick([2, 1]), g.choices.pick([4, 1])
    left = g.choices.pick([(rows, inner), (inner,), (2, rows, inner), (1, rows, inner), (2, 1, rows, inner)])
    right = g.choices.pick([(inner, columns), (inner,), (2, inner, columns), (1, inner, columns), (3, inner, columns) if left[:-2] != (2,) else (inner, columns)])
    a = start(g, left)
    b = g.weights(right) if g.choices.one_in(2) else start(g, right)
    y = g.matmul(a, b)
    return [with_constant(g, y, grow=True) if y.rank else y]


@template("EmbeddingLookup", "ConvertGatherToCompressed", "SharedOpOptimization", "GatherSinking")
def embedding(g):
    table = g.weights((5, 4))
    ids = g.cast(start(g, shape(g, 1, 2), "int64", 0, 4), "int64") if g.choices.one_in(3) else g.input(shape(g, 1, 2), "int64", 0, 4)
    y = g.op("Gather", [table, ids], ids.shape + (4,), axis=0) if not g.choices.one_in(4) else g.op("Gather", [table, ids], ids.shape + (4,), axis=-2)
    y = with_constant(g, y)
    if g.choices.one_in(2) and y.rank and y.shape[-1] == 4:
        return [g.matmul(y, g.transpose(table, [1, 0]))]
    return [any_transpose(g, y)]
