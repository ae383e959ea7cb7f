"""Templates of operations that move data: Reshape, Transpose, Concat, Split, Slice, Gather, Pad, Broadcast."""

import numpy as np

from .steps import any_gather, any_reduce, any_slice, any_transpose, any_unary, between, broadcast_shape, dtype, shape, start, with_constant
from .template import template


def data(g, low=2, high=4):
    return start(g, shape(g, low, high), dtype(g))


@template("TransposeSinking", "TSUnary", "TSBinary", "TransposeFuse", "MergeTransposeAndReorder", "EliminateTranspose", "MoveEltwiseUpThroughDataMov")
def transposes_around(g):
    x = any_transpose(g, data(g, 3, 4))
    for _ in range(g.choices.integer(1, 3)):
        x = g.choices.pick([with_constant, any_unary, any_reduce, any_slice, any_gather])(g, x)
        if g.choices.one_in(3):
            g.outputs.append(x)
    return [any_transpose(g, x)]


@template("TSConcat", "TSSplit", "TransposeSinkingFuse", "SwapConvertTranspose")
def transposed_parts(g):
    x = data(g, 3, 4)
    order = g.choices.shuffled(range(x.rank))
    back = [order.index(axis) for axis in range(x.rank)]
    y = g.transpose(x, order)
    axis = g.choices.integer(0, x.rank - 1)
    if g.choices.one_in(2):
        other = g.transpose(start(g, x.shape, x.dtype), order) if g.choices.one_in(2) else g.weights(y.shape, x.dtype)
        return [g.transpose(g.concat([between(g, y), other], axis), back)]
    size = y.shape[axis]
    if size < 2:
        return [g.transpose(between(g, y), back)]
    parts = g.split(y, [1, size - 1], axis)
    return [g.transpose(parts[0], back), with_constant(g, g.transpose(parts[1], back))]


@template("TransposeToReshape", "ReshapeSequenceFusion", "EliminateReshape", "EliminateSqueeze", "EliminateUnsqueeze", "ReshapeOptimizations")
def reshape_chain(g):
    x = data(g)
    for _ in range(g.choices.integer(2, 4)):
        way = g.choices.integer(0, 4)
        size = int(np.prod(x.shape))
        if way == 0:
            x = g.reshape(x, (size,), [-1])
        elif way == 1 and x.rank:
            target = x.shape[:1] + (size // x.shape[0],)
            x = g.reshape(x, target, [0, -1])
        elif way == 2:
            x = g.unsqueeze(x, g.choices.integer(-x.rank - 1, x.rank))
        elif way == 3 and 1 in x.shape:
            x = g.squeeze(x, g.choices.pick([axis for axis, s in enumerate(x.shape) if s == 1]))
        elif x.rank and x.rank > 1:
            x = any_transpose(g, x)
        if g.choices.one_in(4):
            x = between(g, x)
        if g.choices.one_in(5):
            g.outputs.append(x)
    return [x]


@template("PullUnsqueezeThroughReduce", "PullReshapeThroughReduce", "ReduceReshapeFusion", "EliminateReduceReshape", "ReduceMerge", "ConvertReduceMultiAxis")
def reshape_and_reduce(g):
    x = data(g, 2, 3)
    if g.choices.one_in(2):
        x = g.unsqueeze(x, g.choices.integer(0, x.rank))
    y = any_reduce(g, x)
    if g.choices.one_in(2):
        y = any_reduce(g, y)
    if g.choices.one_in(2):
        size = int(np.prod(y.shape))
        y = g.reshape(y, (size,) if g.choices.one_in(2) else (1, size))
    elif y.rank < 4:
        y = g.unsqueeze(y, g.choices.integer(0, y.rank))
    return [with_constant(g, y, grow=True) if g.choices.one_in(2) and y.rank else y]


@template("BroadcastElementwiseFusion", "BroadcastTransition", "EliminateBroadcast", "NopBroadcast", "ConcatToBroadcast", "ConcatToTile", "ConvertBroadcastToTiles")
def broadcasts(g):
    x = data(g)
    y = start(g, broadcast_shape(g, x.shape) or (1,), x.dtype)
    way = g.choices.integer(0, 3)
    if way == 0:
        wide = g.expand(y, x.shape)
    elif way == 1:
        wide = g.op("Expand", [y, g.shape_of(x)], x.shape)
    elif way == 2:
        y = y if y.rank == x.rank else g.reshape(y, (1,) * (x.rank - y.rank) + y.shape)
        wide = g.tile(y, [a // b for a, b in zip(x.shape, y.shape)])
    else:
        y = y if y.rank == x.rank else g.reshape(y, (1,) * (x.rank - y.rank) + y.shape)
        axis = g.choices.integer(0, x.rank - 1)
        wide = g.concat([y] * (x.shape[axis] // y.shape[axis]), axis)
    wide = between(g, wide)
    return [g.swapped(g.choices.pick(["Add", "Mul", "Max"]), x, wide)]


@template("GroupedSliceToVSplitOptimization", "GroupedStridedSliceOptimizer", "UselessSliceEraser", "SliceSequenceToSingleSlice", "EliminateSlice")
def slices(g):
    x = data(g)
    axis = g.choices.integer(0, x.rank - 1)
    size = x.shape[axis]
    if g.choices.one_in(2):
        for _ in range(g.choices.integer(2, 3)):
            x = any_slice(g, x)
        return [x]
    cut = g.choices.integer(0, size)
    parts = []
    for begin, end in ((0, cut), (cut, g.choices.pick([size, 2**31 - 1]))):
        if begin < min(end, size):
            part = g.slice(x, [begin], [end], [axis if g.choices.one_in(2) else axis - x.rank], [1] if g.choices.one_in(2) else None)
            parts.append(between(g, part))
    if g.choices.one_in(2) and len(parts) == 2:
        return [g.concat(g.choices.shuffled(parts), axis)]
    return parts


@template("SplitSqueezeConcatFusion", "SplitConcatPairToInterpolateFusion", "EliminateSplitConcat", "EliminateSplit", "EliminateConcat", "ConcatFusion", "ConcatReduceFusion")
def split_and_concat(g):
    x = data(g)
    axis = g.choices.integer(0, x.rank - 1)
    size = x.shape[axis]
    parts = g.split(x, [1] * size, axis)
    way = g.choices.integer(0, 3)
    if way == 0:
        other = g.choices.integer(0, x.rank - 1)
        return [g.concat([g.squeeze(part, axis) for part in parts], min(other, x.rank - 2))]
    if way == 1:
        repeats = g.choices.integer(2, 3)
        return [g.concat([part for part in parts for _ in range(repeats)], axis)]
    if way == 2:
        return [g.concat([between(g, part) for part in g.choices.shuffled(parts)], axis)]
    joined = g.concat(parts, axis)
    if size > 1:
        joined = g.concat([joined, parts[0]], axis)
    return [g.reduce(g.choices.pick(["ReduceMax", "ReduceMin", "ReduceSum"]), joined, [axis], g.choices.integer(0, 1))]


@template("EliminateUnsqueezeGather", "EliminateGatherUnsqueeze", "GatherNopElimination", "TSGather", "GatherNegativeConstIndicesNormalize", "SharedOpOptimization")
def gathers(g):
    x = data(g)
    way = g.choices.integer(0, 3)
    if way == 0:
        axis = g.choices.integer(0, x.rank)
        return [g.gather(between(g, g.unsqueeze(x, axis)), g.choices.pick([0, [0], -1]), axis)]
    if way == 1:
        axis = g.choices.integer(0, x.rank - 1)
        return [g.unsqueeze(g.gather(x, g.choices.pick([0, -1]), axis), axis)]
    if way == 2:
        axis = g.choices.integer(0, x.rank - 1)
        return [between(g, g.gather(x, list(range(x.shape[axis])), axis))]
    y = any_transpose(g, x)
    first, second = any_gather(g, y), any_gather(g, y)
    return [first, any_transpose(g, second)]


@template("SharedOpOptimization", "SharedShapeOf", "EliminateEltwise")
def equal_operations(g):
    """The same operation twice, or almost the same, on one value."""
    x = data(g)
    results = []
    kind = g.choices.pick(["Transpose", "Slice", "Reshape", "Cast", "Reduce", "Mul", "Softmax", "Pad", "Split"])
    order, axis = g.choices.shuffled(range(x.rank)), g.choices.integer(0, x.rank - 1)
    for _ in range(2):
        differs = g.choices.one_in(3)
        if kind == "Transpose":
            y = g.transpose(x, order[::-1] if differs else order)
        elif kind == "Slice":
            y = g.slice(x, [0], [1], [x.rank - 1 - axis if differs else axis])
        elif kind == "Reshape":
            y = g.reshape(x, (int(np.prod(x.shape)), 1), None if differs else [-1, 1])
        elif kind == "Cast":
            y = g.cast(x, "int64" if differs else "int32")
        elif kind == "Reduce":
            y = g.reduce("ReduceMax", x, [x.rank - 1 - axis if differs else axis], 0 if g.choices.one_in(3) else 1)
        elif kind == "Softmax" and x.is_float:
            y = g.softmax(x, x.rank - 1 - axis if differs else axis)
        elif kind == "Pad":
            y = g.pad(x, [0] * x.rank, [1] * x.rank, value=1 if differs else None)
        elif kind == "Split" and x.shape[axis] > 1:
            y = g.split(x, [x.shape[axis] - 1, 1] if differs else [1, x.shape[axis] - 1], axis)[0]
        else:
            y = g.binary("Mul", x, g.like(x, 3 if differs else 2))
        results.append(between(g, y))
    return results


@template("SimplifyShapeOfSubGraph", "GatherNopElimination", "PrepareShapeOpsForElimination", "SymbolicOptimizations", "MarkPrecisionSensitiveShapeOf")
def computed_shapes(g):
    """A Reshape or Expand to sizes that are computed from Shape, as exporters write view()."""
    x = between(g, data(g, 2, 4))
    sizes = []
    for axis in range(x.rank):
        size = g.gather(g.shape_of(x), axis, 0)
        sizes.append(g.unsqueeze(size, 0))
    way = g.choices.integer(0, 2)
    if way == 0:
        merged = g.binary("Mul", sizes[0], sizes[1])
        target = (x.shape[0] * x.shape[1],) + x.shape[2:]
        y = g.op("Reshape", [x, g.concat([merged, *sizes[2:]], 0)], target)
    elif way == 1:
        y = g.op("Reshape", [x, g.concat([sizes[0], g.integers(-1)], 0)], (x.shape[0], int(np.prod(x.shape[1:]))))
    else:
        order = list(range(x.rank))[::-1]
        y = g.op("Reshape", [g.transpose(x, order), g.concat(sizes[::-1], 0)], x.shape[::-1])
    return [between(g, y)]


@template("DepthToSpaceFusion", "ShuffleChannelsFusion", "SpaceToDepth", "ConvertDepthToSpace", "ConvertShuffleChannels3")
def shuffles(g):
    batch, block, height, width, channels = g.choices.integer(1, 2), 2, g.choices.integer(1, 3), g.choices.integer(1, 3), g.choices.integer(1, 2)
    way = g.choices.integer(0, 3)
    kind = dtype(g)
    if way == 0:
        x = start(g, (batch, channels * 4, height, width), kind)
        first = (batch, 2, 2, channels, height, width) if g.choices.one_in(2) else (batch, channels, 2, 2, height, width)
        order = [0, 3, 4, 1, 5, 2] if first[1] == 2 and first[3] == channels and len(first) == 6 and first[2] == 2 and first[1:4] == (2, 2, channels) else [0, 1, 4, 2, 5, 3]
        if g.choices.one_in(4):
            order[1:] = g.choices.shuffled(order[1:])
        y = g.transpose(g.reshape(x, first), order)
        sizes = y.shape
        return [between(g, g.reshape(y, (sizes[0], sizes[1], sizes[2] * sizes[3], sizes[4] * sizes[5])))]
    if way == 1:
        x = start(g, (batch, channels * 4, height, width), kind if kind != "int32" else "float32")
        if x.dtype != "float32":
            x = g.cast(x, "float32")
        y = g.op("DepthToSpace", [x], (batch, channels, height * 2, width * 2), blocksize=2, mode=g.choices.pick(["DCR", "CRD"]))
        return [with_constant(g, y)]
    if way == 2:
        x = start(g, (batch, channels, height * 2, width * 2))
        return [with_constant(g, g.op("SpaceToDepth", [x], (batch, channels * 4, height, width), blocksize=2))]
    groups = g.choices.integer(2, 3)
    x = start(g, (batch, groups * block, height, width), kind)
    y = g.transpose(g.reshape(x, (batch, groups, block, height, width)), [0, 2, 1, 3, 4] if not g.choices.one_in(4) else [0, 2, 1, 4, 3])
    return [between(g, g.reshape(y, (batch, groups * block, *y.shape[3:])))]


@template("PadFusion", "EliminatePad", "ConvertPadToGroupConvolution")
def pads(g):
    x = data(g)
    for _ in range(g.choices.integer(1, 2)):
        begins, ends = [[g.choices.pick([0, 1, 0, 2, -1]) for _ in x.shape] for _ in range(2)]
        begins = [0 if begin + end + size < 1 else begin for begin, end, size in zip(begins, ends, x.shape)]
        ends = [max(end, 0) for end in ends]
        begins = [max(begin, 1 - size) for begin, size in zip(begins, x.shape)]
        x = g.pad(x, begins, ends, value=g.choices.pick([None, 0, 2]))
    return [between(g, x)]


@template("InterpolateSequenceFusion", "NearestNeighborUpsamplingFusion", "WrapInterpolateIntoTransposes", "TSInterpolate", "FuseInterpolateAndSimpleOperation", "PermuteSliceAndInterpolation")
def resizes(g):
    x = start(g, shape(g, 4, 4))
    mode = g.choices.pick(["nearest", "linear"])
    if g.choices.one_in(3):
        x = any_transpose(g, x)
    for _ in range(g.choices.integer(1, 2)):
        scales = [1, 1, *(g.choices.pick([1, 2]) for _ in range(2))]
        operands = [x, None, g.constant(np.array(scales, np.float32))]
        y = tuple(int(size * scale) for size, scale in zip(x.shape, scales))
        x = g.op("Resize", operands, y, mode=mode, coordinate_transformation_mode=g.choices.pick(["asymmetric", "half_pixel"]), nearest_mode="floor")
    return [with_constant(g, any_transpose(g, x) if g.choices.one_in(3) else x)]


@template("ConvertScatterElementsToScatter", "NonZeroHorizontalFusion", "EliminateScatterUpdate", "ConvertTopK", "ConvertSliceScatter")
def scatters(g):
    x = data(g, 1, 3)
    way = g.choices.integer(0, 3)
    axis = g.choices.integer(0, x.rank - 1)
    if way == 0:
        updates = start(g, x.shape[:axis] + (1,) + x.shape[axis + 1 :], x.dtype)
        indices = g.constant(np.full(updates.shape, g.choices.integer(0, x.shape[axis] - 1), np.int64))
        return [between(g, g.op("ScatterElements", [x, indices, updates], x.shape, axis=axis))]
    if way == 1:
        indices = np.argsort(g.numbers(x.shape), axis=axis, kind="stable")
        return [between(g, g.op("GatherElements", [x, g.constant(indices.astype(np.int64))], x.shape, axis=axis))]
    if way == 2:
        update = start(g, (1,) + x.shape[1:], x.dtype)
        indices = g.integers(g.choices.integer(0, x.shape[0] - 1))
        return [between(g, g.op("ScatterND", [x, g.reshape(indices, (1, 1)), update], x.shape))]
    exact = g.swapped("Add", x, g.constant(np.arange(int(np.prod(x.shape))).reshape(x.shape) * 8, x.dtype))
    k = g.choices.integer(1, x.shape[axis])
    sizes = x.shape[:axis] + (k,) + x.shape[axis + 1 :]
    values, _ = g.op("TopK", [exact, g.integers(k)], [sizes, sizes], axis=axis)
    return [between(g, values)]
