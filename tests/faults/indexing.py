"""Faults of operations that select, sort and scatter elements."""

import numpy as np
import openvino as ov

from .experiment import element_type, experiment, fails, number, numbers, opset, parameter, results, shapes


@experiment(may_crash=True)
def topk_of_zero():
    """TopK with k = 0 gives an empty tensor."""
    x, k = parameter([2, 3]), parameter([], "i64")
    top = opset.topk(x, k, 1, "max", "value", "i64")
    given = np.ones((2, 3), np.float32)
    return any(fails(shapes, [x, k], output, (given, np.array(0))) or shapes([x, k], output, (given, np.array(2)), (given, np.array(0))) != [(2, 2), (2, 0)] for output in top.outputs())


@experiment
def negative_gather_elements():
    """GatherElements counts a negative index from the end."""
    x, indices = parameter([2, 3]), parameter([2, 3], "i64")
    values = np.arange(6, dtype=np.float32).reshape(2, 3)
    places = np.array([[-1, 0, -2], [0, -2, -1]])
    return any(
        results([x, indices], opset.gather_elements(x, indices, axis), (values, places if axis else places % -2))[0].tolist()
        != np.take_along_axis(values, places if axis else places % -2, axis).tolist()
        for axis in (0, 1)
    )


@experiment
def negative_gather_nd():
    """GatherND counts a negative index from the end."""
    x, indices = parameter([2, 3]), parameter([2, 2], "i64")
    values, places = np.arange(6, dtype=np.float32).reshape(2, 3), np.array([[0, 1], [1, -1]])
    return results([x, indices], opset.gather_nd(x, indices, 0), (values, places))[0].tolist() != [1, 5]


@experiment(may_crash=True)
def gather_of_one_batch():
    """Three rows of 4 numbers of one batch of 11 rows."""
    x, indices = parameter([1, 11, 4]), parameter([1, 3], "i64")
    values, places = np.arange(44, dtype=np.float32).reshape(1, 11, 4), np.array([[7, 0, 10]])
    gathered = opset.gather(x, indices, number(1), 1)
    return any(not np.array_equal(given, values[:, places[0]]) for given in results([x, indices], gathered, *[(values, places)] * 3))


@experiment(may_crash=True)
def unique_order():
    """Unique with sorted = false gives elements in the order of their first occurrence."""
    x = parameter([4])
    unique = opset.unique(x, None, False, "i64", "i64")
    return results([x], unique.output(0), (np.array([3, 1, 3, 2], np.float32),))[0].tolist() != [3, 1, 2]


@experiment
def unique_slices():
    """Columns that occur once, of which there are two, and the numbers of bytes."""
    x, values = parameter([2, 3]), np.array([[0, 0, 0], [0, 1, 1]], np.float32)
    columns = opset.unique(x, number(1), True, "i64", "i64").output(0)
    b = parameter([24], "i8")
    counts = opset.unique(b, number(0), True, "i64", "i64").output(3)
    drawn = [np.random.RandomState(seed).randint(0, 2, 24).astype(np.int8) for seed in range(8)]
    right = [np.unique(given, return_counts=True)[1].tolist() for given in drawn]
    return results([x], columns, (values,))[0].shape != (2, 2) or [found.tolist() for found in results([b], counts, *[(given,) for given in drawn])] != right


@experiment
def merged_slice_axes():
    """Two Slices along one axis, which is 1 in one of them and -1 in the other one, compile."""
    x = parameter([-1, -1])
    first = opset.slice(x, numbers(1), numbers(5), numbers(1), numbers(1))
    return fails(shapes, [x], opset.slice(first, numbers(1), numbers(9), numbers(1), numbers(-1)), (np.ones((2, 6), np.float32),))


@experiment
def slice_before_gather_elements():
    """Elements of the first of three matrices, along its rows."""
    x, values, places = parameter([3, 2, 2]), np.arange(12, dtype=np.float32).reshape(3, 2, 2), np.array([[[1, 0], [0, 1]]])
    first = opset.slice(x, numbers(0), numbers(1), numbers(1), numbers(0))
    gathered = opset.gather_elements(first, opset.constant(places), 1)
    return fails(results, [x], gathered, [values]) or not np.array_equal(results([x], gathered, [values])[0], np.take_along_axis(values[:1], places, 1))


@experiment
def static_slice():
    """A Slice of one element backwards from a computed start selects it."""
    x, sizes = parameter([1]), parameter([-1])
    backwards = opset.slice(x, opset.shape_of(sizes, "i64"), numbers(-(2**31) + 1), numbers(-1), numbers(0))
    return fails(results, [x, sizes], opset.relu(backwards), (np.ones(1, np.float32), np.ones(2, np.float32)))


@experiment
def slice_from_both_ends():
    """The first element of a row, backwards to the one before the last: it is there if the row, of up to four elements, has one. And the
    elements from the third from the end to the second one."""
    x = parameter(ov.PartialShape([ov.Dimension(0, 4)]))
    backwards = opset.slice(x, numbers(0), numbers(-2), numbers(-1), numbers(0))
    forwards = opset.slice(x, numbers(-3), numbers(1), numbers(1), numbers(0))
    return any(fails(shapes, [x], output, (np.ones(1, np.float32),)) or shapes([x], output, (np.ones(1, np.float32),)) != [(1,)] for output in (backwards, forwards))


@experiment
def sliced_size():
    """Sizes of an axis of up to 15 elements and of its first ones, as many as another input has, and the same with all but the last ones."""
    x, y = parameter(ov.PartialShape([ov.Dimension(0, 15)])), parameter([-1])
    size = opset.shape_of(y, "i64")
    first = opset.slice(x, numbers(0), size, numbers(1), numbers(0))
    last = opset.slice(x, size, numbers(99), numbers(1), numbers(0))
    one, given = opset.constant(np.ones(1, np.float32)), (np.ones(5, np.float32), np.ones(2, np.float32))
    return any(
        results([x, y], opset.concat([opset.broadcast(one, opset.shape_of(value, "i64")) for value in (part, x)], 0), given)[0].shape != (count,)
        for part, count in ((first, 7), (last, 8))
    )


def strings_are_wrong(operation):
    """Whether an operation on strings ends the process, or gives others than NumPy says: both short and long ones, more and fewer."""
    element_type("string")
    x = parameter([-1, 2], "string")
    runs = [np.array([[f"{row}", f"{row} is not stored in the string object"] for row in range(count)]) for count in (3, 1, 9)]
    expected = [operation(np, run).tolist() for run in runs]
    return [run.tolist() for run in results([x], operation(opset, x), *((run,) for run in runs))] != expected


@experiment(may_crash=True)
def moved_strings():
    """A Slice of strings gives some of the strings."""
    return strings_are_wrong(lambda module, x: x[1:] if module is np else opset.slice(x, numbers(1), numbers(99), numbers(1), numbers(0)))


@experiment(may_crash=True)
def transposed_strings():
    """A Transpose of strings gives the strings in another order."""
    return strings_are_wrong(lambda module, x: x.T if module is np else opset.transpose(x, numbers(1, 0)))
