"""Single operations around the templates: ways to get a value of a given shape, and operations that follow any value."""

import numpy as np

UNARY = ["Relu", "Abs", "Neg", "Sigmoid", "Tanh", "Floor", "Round", "Sign", "Erf", "HardSwish", "Elu", "LeakyRelu", "HardSigmoid", "Softplus"]
INTEGER_UNARY = ["Abs", "Neg", "Sign"]
EXACT_UNARY = ["Relu", "Abs", "Neg", "LeakyRelu"]
REDUCTIONS = ["ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceL2", "ReduceL1", "ReduceSumSquare", "ReduceProd", "ReduceLogSumExp"]
INTEGER_REDUCTIONS = ["ReduceSum", "ReduceMax", "ReduceMin"]


def shape(g, low=2, high=4, most=5):
    """A random shape."""
    return tuple(g.choices.pick([2, 3, 1, 4, 5][:most]) for _ in range(g.choices.integer(low, high)))


def dtype(g, integers=True):
    return g.choices.pick(["float32"] * 6 + ["float16"] + (["int64", "int32"] if integers else []))


def start(g, shape, dtype="float32", low=-3, high=3):
    """A value of this shape: an input, or an operation on one."""
    way = g.choices.pick([direct] * 4 + [sliced, gathered, from_transpose, from_reshape, joined, from_split, from_unary, from_unary, from_scale, from_squeeze])
    return way(g, tuple(shape), dtype, low, high)


def direct(g, shape, dtype, low, high):
    """Mostly a new input, sometimes one that exists."""
    same = [value for value, _ in g.inputs.values() if value.shape == shape and value.dtype == dtype]
    if same and g.choices.one_in(3):
        return g.choices.pick(same)
    return g.input(shape, dtype, low, high)


def sliced(g, shape, dtype, low, high):
    axis = g.choices.integer(0, len(shape) - 1)
    larger = shape[:axis] + (shape[axis] + 2,) + shape[axis + 1 :]
    begin = g.choices.integer(0, 2)
    return g.slice(g.input(larger, dtype, low, high), [begin], [begin + shape[axis]], [axis])


def gathered(g, shape, dtype, low, high):
    axis = g.choices.integer(0, len(shape))
    rows = g.input(shape[:axis] + (3,) + shape[axis:], dtype, low, high)
    return g.gather(rows, g.choices.pick([0, 1, -1]), axis)


def from_transpose(g, shape, dtype, low, high):
    order = g.choices.shuffled(range(len(shape)))
    source = [0] * len(shape)
    for place, axis in enumerate(order):
        source[axis] = shape[place]
    return g.transpose(g.input(source, dtype, low, high), order)


def from_reshape(g, shape, dtype, low, high):
    axis = g.choices.integer(0, len(shape) - 1)
    if axis + 1 < len(shape):
        merged = shape[:axis] + (shape[axis] * shape[axis + 1],) + shape[axis + 2 :]
    else:
        merged = shape[:axis] + (1, shape[axis])
    return g.reshape(g.input(merged, dtype, low, high), shape)


def joined(g, shape, dtype, low, high):
    axes = [axis for axis, size in enumerate(shape) if size > 1]
    if not axes:
        return g.input(shape, dtype, low, high)
    axis = g.choices.pick(axes)
    first = g.choices.integer(1, shape[axis] - 1)
    sizes = [first, shape[axis] - first]
    parts = [g.input(shape[:axis] + (size,) + shape[axis + 1 :], dtype, low, high) for size in sizes]
    if g.choices.one_in(3):
        parts[1] = g.weights(parts[1].shape, dtype, low, high)
    return g.concat(parts, axis)


def from_split(g, shape, dtype, low, high):
    axis = g.choices.integer(0, len(shape) - 1)
    larger = shape[:axis] + (shape[axis] * 2,) + shape[axis + 1 :]
    parts = g.split(g.input(larger, dtype, low, high), [shape[axis]] * 2, axis)
    if g.choices.one_in(2):
        g.outputs.append(parts[1])
    return parts[0]


def from_unary(g, shape, dtype, low, high):
    x = direct(g, shape, dtype, low, high)
    return g.unary(g.choices.pick(["Abs"] if low >= 0 else UNARY if x.is_float else INTEGER_UNARY), x)


def from_scale(g, shape, dtype, low, high):
    return g.swapped("Mul", direct(g, shape, dtype, low, high), g.constant(np.full([1] * g.choices.integer(0, len(shape)), 2, dtype)))


def from_squeeze(g, shape, dtype, low, high):
    axis = g.choices.integer(0, len(shape))
    return g.squeeze(g.input(shape[:axis] + (1,) + shape[axis:], dtype, low, high), axis)


def broadcast_shape(g, shape, grow=False):
    """A shape that broadcasts to `shape`: scalar, one number, per axis, full, without leading axes; `grow`: or makes it larger."""
    rank = len(shape)
    if rank == 0:
        return (2,) if grow and g.choices.one_in(2) else ()
    way = g.choices.pick(["scalar", "channel", "full", "one", "any axis", "last", "some", "shorter"] + (["larger"] if grow else []))
    if way == "scalar":
        return ()
    if way == "one":
        return (1,) * g.choices.integer(1, rank)
    if way == "full":
        return shape
    if way == "shorter":
        return shape[g.choices.integer(0, rank - 1) :]
    if way == "some":
        return tuple(size if g.choices.one_in(2) else 1 for size in shape)
    if way == "larger":
        if g.choices.one_in(2):
            return (2,) + (1,) * rank
        return tuple(3 if size == 1 else size if g.choices.one_in(2) else 1 for size in shape)
    axis = {"channel": min(1, rank - 1), "last": rank - 1}.get(way)
    axis = g.choices.integer(0, rank - 1) if axis is None else axis
    full = (1,) * axis + (shape[axis],) + (1,) * (rank - 1 - axis)
    return full[g.choices.integer(0, axis) :]


def with_constant(g, x, kinds=("Add", "Mul", "Sub", "Div", "Max", "Min"), grow=False):
    kind = g.choices.pick(list(kinds))
    form = broadcast_shape(g, x.shape, grow)
    number = g.factors(form, x.dtype) if kind in ("Div", "Mul") else g.weights(form, x.dtype)
    if kind == "Sub" and g.choices.one_in(3):
        return g.binary(kind, number, x)
    return g.binary(kind, x, number) if kind in ("Sub", "Div") else g.swapped(kind, x, number)


def any_unary(g, x):
    if not x.is_float:
        return g.unary(g.choices.pick(INTEGER_UNARY), x)
    return g.unary(g.choices.pick(UNARY), x)


def any_reduce(g, x):
    if not x.rank:
        return x
    axes = g.choices.shuffled(range(x.rank))[: g.choices.integer(1, x.rank)]
    axes = sorted(axis - x.rank if g.choices.one_in(3) else axis for axis in axes)
    kinds = REDUCTIONS if x.is_float else INTEGER_REDUCTIONS
    if np.prod(x.shape) > 32:  # the order decides whether products of more numbers overflow
        kinds = [kind for kind in kinds if kind != "ReduceProd"]
    return g.reduce(g.choices.pick(kinds), x, axes, g.choices.integer(0, 1))


def any_transpose(g, x):
    return g.transpose(x, g.choices.shuffled(range(x.rank))) if x.rank else x


def any_reshape(g, x):
    size = int(np.prod(x.shape))
    if g.choices.one_in(3) and x.rank:
        axis = g.choices.integer(0, x.rank)
        return g.unsqueeze(x, axis)
    if g.choices.one_in(2) and x.rank > 1:
        axis = g.choices.integer(0, x.rank - 2)
        merged = x.shape[:axis] + (x.shape[axis] * x.shape[axis + 1],) + x.shape[axis + 2 :]
        written = [0] * axis + [-1] + list(merged[axis + 1 :])
        return g.reshape(x, merged, written)
    factors = [factor for factor in range(1, size + 1) if size % factor == 0]
    first = g.choices.pick(factors)
    return g.reshape(x, (first, size // first), [first, -1] if g.choices.one_in(2) else None)


def any_concat(g, x):
    if not x.rank:
        return x
    axis = g.choices.integer(0, x.rank - 1)
    same = [v for v in g.values if v.dtype == x.dtype and v.rank == x.rank and all(a == b for i, (a, b) in enumerate(zip(v.shape, x.shape)) if i != axis)]
    other = g.choices.pick([*same, g.weights(x.shape, x.dtype)])
    parts = [x, other] if g.choices.one_in(2) else [other, x]
    return g.concat(parts, axis if g.choices.one_in(2) else axis - x.rank)


def any_slice(g, x):
    if not x.rank:
        return x
    axis = g.choices.integer(0, x.rank - 1)
    size = x.shape[axis]
    begin = g.choices.integer(0, size - 1)
    step = g.choices.pick([1, 2, -1])
    if step < 0:
        return g.slice(x, [size - 1], [-size - 1], [axis], [-1])
    return g.slice(x, [begin], [g.choices.pick([2**31 - 1, size, size + 3])], [axis], [step])


def any_gather(g, x):
    if not x.rank:
        return x
    axis = g.choices.integer(0, x.rank - 1)
    size = x.shape[axis]
    indices = g.choices.pick([0, -1, [0], [size - 1, 0], [[0, -1]]])
    return g.gather(x, indices, axis)


def any_split(g, x):
    axes = [axis for axis, size in enumerate(x.shape) if size > 1]
    if not axes:
        return x
    axis = g.choices.pick(axes)
    first = g.choices.integer(1, x.shape[axis] - 1)
    left, right = g.split(x, [first, x.shape[axis] - first], axis)
    if g.choices.one_in(2):
        g.outputs.append(left)
        return right
    return left


def any_pad(g, x):
    if not x.rank:
        return x
    begins, ends = [[g.choices.pick([0, 1, 0, 2]) for _ in x.shape] for _ in range(2)]
    return g.pad(x, begins, ends, value=g.choices.pick([None, 0, 1]))


def any_cast(g, x):
    to = g.choices.pick(["float32", "int32", "int64", "float16"])
    return g.cast(x, to)


def with_earlier(g, x):
    """A binary operation with a value of a broadcastable shape."""
    fitting = [value for value in [*g.values, *(value for value, _ in g.inputs.values())] if value.dtype == x.dtype and broadcasts(value.shape, x.shape)]
    return g.swapped(g.choices.pick(["Add", "Mul", "Max", "Min"]), x, g.choices.pick(fitting)) if fitting else x


def broadcasts(a, b):
    return all(left == right or 1 in (left, right) for left, right in zip(a[::-1], b[::-1]))


def any_softmax(g, x):
    return g.softmax(x, g.choices.integer(-x.rank, x.rank - 1)) if x.is_float and x.rank else x


def any_where(g, x):
    return g.where(g.binary("Greater", x, g.like(x, 0)), x, g.weights(broadcast_shape(g, x.shape), x.dtype))


def any_product(g, x):
    if not x.rank or x.dtype != "float32":
        return x
    return g.matmul(x, g.weights((x.shape[-1], g.choices.pick([2, 3, 1])), x.dtype))


def any_clip(g, x):
    return g.clip(x, *g.choices.pick([(-1, 2), (0, 6), (None, 1), (0, None)]))


FOLLOWING = [
    with_constant, with_constant, with_constant, any_unary, any_unary, any_reduce, any_transpose, any_reshape, any_concat, any_slice, any_gather,
    any_split, any_pad, any_cast, with_earlier, any_softmax, any_where, any_product, any_clip,
]  # fmt: skip


def follow(g, x):
    """Any operation on `x`; it returns `x` if the operation does not take its type or shape."""
    if x.dtype == "bool":
        return g.cast(x, "float32")
    if x.dtype not in ("float32", "float16", "int32", "int64"):
        return g.cast(x, "int32")
    return g.choices.pick(FOLLOWING)(g, x)


def between(g, x, exact=False):
    """Mostly `x` itself, else an operation that keeps its shape: what separates the operations of a pattern."""
    if not g.choices.one_in(4):
        return x
    if g.choices.one_in(2):
        return g.unary(g.choices.pick(EXACT_UNARY if exact else UNARY), x) if x.is_float else g.unary("Abs", x)
    return with_constant(g, x)
