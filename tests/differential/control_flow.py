"""If, Loop and Scan with random bodies."""

from . import resizing, sequences, sizes, tensors
from .scope import CONDITION, MOST_ELEMENTS, MOST_MAGNITUDE, Scope
from .types import BOOL, I64, Optional, Sequence, Symbol, Tensor, at_least, at_most, joined, kept, same_form, same_size

MOST_DEPTH = 3
MOST_ITERATIONS = 40  # of a body, with all loops around it


def fill(scope, operations):
    """Some random operations in `scope`."""
    for _ in range(operations):
        if scope.model.budget <= 0:
            return
        scope.model.budget -= 1
        scope.run(scope.source.weighted(choices(scope)))


def choices(scope):
    about_sizes = sizes.OPERATIONS + resizing.OPERATIONS
    found = tensors.OPERATIONS + about_sizes
    if scope.model.about_sizes:
        found = found + about_sizes
    else:
        found = found + sequences.OPERATIONS
        if scope.opset >= 16:
            found = found + sequences.OPTIONALS
    if scope.depth < MOST_DEPTH:
        more = 2 if scope.model.about_sizes else 1
        found = found + [(6, branch), (9 * more, loop), (3, scan)]
    return found


def distinct(scope, values):
    """`values` as outputs of a graph: each is the output of a separate node."""
    outputs = []
    for value in values:
        value = scope.returned(value)
        if any(value is other for other in outputs):
            value = scope.emit("Identity", [value], value.type)
        outputs.append(value)
    return outputs


def condition(scope):
    """A dynamic boolean scalar."""
    compared = sizes.compared_sizes(scope) if scope.source.one_in(3) else None
    return compared or tensors.condition(scope)


# If ---------------------------------------------------------------------------------------------------------------


def branch(scope):
    chosen = condition(scope)
    then, otherwise = Scope(scope.model, scope), Scope(scope.model, scope)
    for inner in (then, otherwise):
        fill(inner, scope.source.integer(0, 3))
    pairs = []
    for _ in range(scope.source.integer(1, 2)):
        value = then.find()
        other = value and otherwise.find(lambda value_type: same_form(value_type, value.type))
        if other:
            pairs.append((value, other))
    if not pairs:
        return None
    outputs = [distinct(inner, values) for inner, values in zip((then, otherwise), zip(*pairs))]
    return scope.emit_if(chosen, (then, outputs[0]), (otherwise, outputs[1]))[0]


# Loop -------------------------------------------------------------------------------------------------------------


def state_type(value_type, body, changing, least):
    """The type of a state in a body if it starts as `value_type`; its sizes may differ between iterations if
    it is `changing`. `least`: the minimum number of tensors in a sequence."""
    if isinstance(value_type, Optional):
        return Optional(state_type(value_type.content, body, changing, least))
    if isinstance(value_type, Sequence):
        dims = tuple(None for _ in value_type.dims) if changing else value_type.dims
        return Sequence(value_type.element, dims, least, MOST_MAGNITUDE)
    dims = value_type.dims
    if changing:
        dims = tuple(Symbol(body, 0, max(MOST_ELEMENTS, at_most(size))) for size in dims)
    return Tensor(value_type.element, dims, MOST_MAGNITUDE)


def can_follow(value_type, state, changing):
    """Whether a value can be the next value of a state."""
    if not same_form(value_type, state):
        return False
    if isinstance(state, Optional):
        return can_follow(value_type.content, state.content, changing)
    if value_type.bound > MOST_MAGNITUDE and value_type.element != BOOL and not isinstance(state, Tensor):
        return False
    if isinstance(state, Sequence):
        same = all(own is None or (size is not None and same_size(own, size)) for own, size in zip(state.dims, value_type.dims))
        return same and value_type.at_least >= state.at_least
    return changing or all(map(same_size, state.dims, value_type.dims))


def least_tensors(value_type):
    """The minimum number of tensors of a state that starts as `value_type`."""
    if isinstance(value_type, Optional):
        return least_tensors(value_type.content)
    return min(value_type.at_least, 1) if isinstance(value_type, Sequence) else 0


def small(scope, value, changing):
    """A tensor in a form that is valid for states; other values unchanged."""
    if not isinstance(value.type, Tensor):
        return value
    return scope.tame(value, elements=MOST_ELEMENTS if changing else 10**6)


def body_condition(body, condition_in, iteration, limit, counted):
    """The condition of a body, and whether it is always true when the first one is."""
    kind = body.source.integer(0, 2)
    going, kept_on = None, kind != 2
    if kind == 0:
        going = body.constant(True)
    elif kind == 1:
        going = condition_in
    else:
        going = condition(body)
    if counted:
        return going, kept_on
    below = body.emit("Less", [iteration, body.integer(limit - 1)], CONDITION)
    return body.emit("And", [going, below], CONDITION), False


def trip_count(scope, limit):
    """The trip count (None: no limit) and the minimum number of iterations."""
    kind = scope.source.integer(0, 4)
    if kind == 0:
        count = scope.source.integer(0, limit)
        return scope.integer(count), count
    if kind == 1:
        return scope.given(Tensor(I64, (), limit), lambda run: run.integer(-1, limit)), 0
    if kind == 2 and (number := tensors.position(scope, scope.integer(limit + 1))):
        return number, 0
    if kind == 3:
        size = sizes.some_size(scope, limit)
        return sizes.scalar(scope, size), at_least(size.dimension)
    return None, 0


def first_condition(scope):
    kind = scope.source.integer(0, 3)
    if kind == 0:
        return None, True
    if kind == 1:
        return scope.constant(True), True
    if kind == 2:
        return scope.given(CONDITION, lambda run: run.flag()), False
    return condition(scope), False


def scanned_rows(scope, body, most):
    """Values of a body whose sizes do not depend on the iteration."""
    rows = []
    for _ in range(scope.source.integer(0, most)):
        if body.model.about_sizes and body.source.one_in(2):
            row = sizes.seen_sizes(body)
        else:
            row = body.find_tensor(lambda tensor: tensor.rank < 3 and all(kept(size, scope) is not None for size in tensor.dims))
        if row:
            rows.append(row)
    return rows


def loop(scope):
    limit = min(5, MOST_ITERATIONS // scope.iterations)
    if limit < 1:
        return None
    count, least = trip_count(scope, limit)
    initial_condition, starts = first_condition(scope)
    body = Scope(scope.model, scope, iterations=limit)
    iteration = body.add_input("i", Tensor(I64, (), limit), returnable=False)
    condition_in = body.add_input("c", CONDITION, returnable=False)
    states = []  # (initial value, the body's, whether its sizes change)
    for _ in range(scope.source.integer(0, 3)):
        initial = scope.find()
        if not initial or (isinstance(initial.type, Optional) and scope.opset < 16):
            continue
        changing = scope.source.one_in(2)
        initial = small(scope, initial, changing)
        if not isinstance(initial.type, Tensor):
            # onnxruntime moves a sequence into the loop, so that other uses of it are wrong.
            initial = scope.emit("Identity", [initial], initial.type)
        if initial.type.bound > MOST_MAGNITUDE:
            continue
        known = least_tensors(initial.type) if scope.source.one_in(2) else 0
        state_is = state_type(initial.type, body, changing, known)
        state = body.add_input("s", state_is, returnable=isinstance(state_is, Tensor))
        states.append((initial, state, changing))
    fill(body, scope.source.integer(1, 6))
    nexts = []
    for _, state, changing in states:
        if changing and isinstance(state.type, Tensor) and state.type.rank > 0 and body.source.one_in(2):
            found = resizing.resized(body, state)
        else:
            found = body.find(lambda value_type: can_follow(value_type, state.type, changing))
        nexts.append(small(body, found, changing))
    goes_on, kept_on = body_condition(body, condition_in, iteration, limit, count is not None)
    rows = scanned_rows(scope, body, 2)
    if not states and not rows:
        return None
    outputs = distinct(body, [goes_on, *nexts, *rows])
    if not (starts and kept_on):
        least = 0
    types = [joined(initial.type, state.type, scope) for initial, state, _ in states]
    types += [Tensor(row.type.element, (Symbol(scope, least, limit), *row.type.dims), row.type.bound) for row in rows]
    graph = body.graph(scope.model.name("body"), outputs, (1 + len(states)) * scope.source.integer(0, 1))
    values = scope.emit_many("Loop", [count, initial_condition, *[initial for initial, _, _ in states]], types, body=graph)
    if least == 0:
        for value, row in zip(values[len(states) :], rows):
            if not row.type.is_static:
                # Without rows, onnxruntime gives the sizes that the body declares, which are none.
                scope.set_aside(value)
    return values[-1]


# Scan -------------------------------------------------------------------------------------------------------------


def scan(scope):
    def scannable(tensor):
        return any(at_least(size) > 0 and at_most(size) * scope.iterations <= MOST_ITERATIONS for size in tensor.dims)

    first = scope.find_tensor(scannable)
    if not first:
        return None
    axes = [i for i, size in enumerate(first.type.dims) if at_least(size) > 0 and at_most(size) * scope.iterations <= MOST_ITERATIONS]
    size = first.type.dims[scope.source.pick(axes)]
    scanned = [first]
    if scope.source.one_in(2):
        scanned.append(scope.find_tensor(lambda tensor: any(same_size(size, other) for other in tensor.dims)))
    input_axes = [next(i for i, other in enumerate(value.type.dims) if same_size(size, other)) for value in scanned]
    body = Scope(scope.model, scope, iterations=at_most(size))
    states = []
    for _ in range(scope.source.integer(0, 2)):
        initial = scope.find_tensor()
        initial = small(scope, initial, False)
        # onnxruntime is wrong if a state is returned unchanged.
        states.append((initial, body.add_input("s", state_type(initial.type, body, False, 0), returnable=False)))
    for value, axis in zip(scanned, input_axes):
        dims = value.type.dims[:axis] + value.type.dims[axis + 1 :]
        body.add_input("r", Tensor(value.type.element, dims, value.type.bound), returnable=False)
    fill(body, scope.source.integer(1, 4))
    nexts = []
    for _, state in states:
        found = body.find(lambda value_type: can_follow(value_type, state.type, False))
        nexts.append(small(body, found, False))
    rows = scanned_rows(scope, body, 2)
    if not states and not rows:
        return None
    outputs = distinct(body, [*nexts, *rows])
    # onnxruntime fails on empty rows along an axis other than the first.
    output_axes = [
        scope.source.integer(0, row.type.rank) if all(at_least(size) > 0 for size in row.type.dims) else 0 for row in rows
    ]
    types = [Tensor(initial.type.element, initial.type.dims, MOST_MAGNITUDE) for initial, _ in states]
    for row, axis in zip(rows, output_axes):
        dims = row.type.dims[:axis] + (size,) + row.type.dims[axis:]
        types.append(Tensor(row.type.element, dims, row.type.bound))
    attributes = {
        "body": body.graph(scope.model.name("body"), outputs),
        "num_scan_inputs": len(scanned),
        "scan_input_axes": input_axes,
        "scan_input_directions": [scope.source.integer(0, 1) for _ in scanned],
    }
    if rows:
        attributes["scan_output_axes"] = output_axes
        attributes["scan_output_directions"] = [scope.source.integer(0, 1) for _ in rows]
    return scope.emit_many("Scan", [initial for initial, _ in states] + scanned, types, **attributes)[-1]
