"""Random models with control flow, and inputs for them."""

import numpy as np
from onnx import helper

from ..conformance.case import Case, Run
from .control_flow import distinct, fill
from .scope import CONDITION, Model, Scope, used_names
from .sizes import seen_sizes
from .types import BOOL, ELEMENTS, F32, I64, NUMPY, Optional, Sequence, SizeNames, Symbol, Tensor, type_proto

OPSETS = (17, 21, 14, 16, 18, 23)
IR_VERSION = 10
RUNS = 3
MOST_OPERATIONS = 30
MOST_OUTPUTS = 4
FEW_ELEMENTS = (F32, F32, I64)  # in models about sizes, so that more tensors fit each other
LONGEST_AXIS = 5
INPUT_MAGNITUDE = 4


class RunValues:
    """The values of one run's inputs."""

    def __init__(self, seed):
        self._random = np.random.default_rng(seed)
        self._sizes = {}

    def integer(self, low, high):
        return np.array(self._random.integers(low, high + 1), np.int64)

    def flag(self):
        return np.array(self._random.integers(0, 3) > 0)

    def size(self, dimension):
        if dimension is None:
            return int(self._random.integers(0, 4))
        if isinstance(dimension, int):
            return dimension
        if dimension not in self._sizes:
            most = dimension.at_most if self.flag() else dimension.at_least + 1
            self._sizes[dimension] = int(self._random.integers(dimension.at_least, most + 1))
        return self._sizes[dimension]

    def tensor(self, tensor):
        shape = [self.size(dimension) for dimension in tensor.dims]
        low = 0 if tensor.element == BOOL else -INPUT_MAGNITUDE
        high = 2 if tensor.element == BOOL else INPUT_MAGNITUDE + 1
        return self._random.integers(low, high, shape).astype(NUMPY[tensor.element])

    def value(self, value_type):
        if isinstance(value_type, Optional):
            return self.value(value_type.content) if self.flag() else None
        if isinstance(value_type, Sequence):
            count = value_type.at_least + int(self._random.integers(0, 3))
            return [self.tensor(value_type) for _ in range(count)]
        return np.array(self.tensor(value_type))


def add_input(scope):
    source = scope.source
    about_sizes = scope.model.about_sizes
    kinds = [(4, "tensor")]
    if not about_sizes or scope.values:
        kinds += [(2, "number"), (1, "flag")]
    if not about_sizes:
        kinds += [(1, "sequence")] + ([(1, "optional")] if scope.opset >= 16 else [])
    kind = source.weighted(kinds)
    if kind == "number":
        value_type = Tensor(I64, (), INPUT_MAGNITUDE)
    elif kind == "flag":
        value_type = CONDITION
    else:
        dims = tuple(input_size(scope) for _ in range(source.integer(1 if about_sizes else 0, 3)))
        elements = FEW_ELEMENTS if about_sizes else ELEMENTS
        value_type = Tensor(source.pick(elements), dims, INPUT_MAGNITUDE)
    if kind == "sequence" or (kind == "optional" and source.one_in(2)):
        open_dims = tuple(None if source.one_in(2) else size for size in value_type.dims)
        value_type = Sequence(value_type.element, open_dims, source.integer(0, 2), INPUT_MAGNITUDE)
    if kind == "optional":
        value_type = Optional(value_type)
    return scope.given(value_type, lambda run: run.value(value_type))


def input_size(scope):
    """A static size, a size of an earlier input, or a new one."""
    source = scope.source
    if source.one_in(4 if scope.model.about_sizes else 2):
        return source.integer(1, 3)
    before = [
        size
        for value in scope.values
        if isinstance(value.type, (Tensor, Sequence))
        for size in value.type.dims
        if isinstance(size, Symbol)
    ]
    if before and source.one_in(2):
        return source.pick(before)
    return Symbol(scope, source.integer(0, 1), LONGEST_AXIS)


def random_case(source):
    """A model and its runs, as a Case; None if there is nothing to compare."""
    budget = max(source.integer(1, MOST_OPERATIONS), source.integer(1, MOST_OPERATIONS))
    model = Model(source, source.pick(OPSETS), budget, about_sizes=source.one_in(2))
    main = Scope(model)
    for _ in range(source.integer(1, 4)):
        add_input(main)
    fill(main, MOST_OPERATIONS)
    nodes = {name for node in main.nodes for name in node.output}
    made = [value for value in reversed(main.values) if value.name in nodes and value.name not in main.helpers]
    made = made[: source.integer(1, MOST_OUTPUTS * (2 if model.about_sizes else 1))] + main.only_outputs[:2]
    if model.about_sizes and made:
        made += [seen for _ in range(source.integer(0, 2)) if (seen := seen_sizes(main))]
    outputs = distinct(main, made)
    if not outputs:
        return None
    graph = main.graph("random", outputs)
    used = set().union(*(used_names(node) for node in graph.node))
    inputs = [(value, make) for value, make in model.inputs if value.name in used]
    names = SizeNames() if source.one_in(2) else None
    graph.input.extend(helper.make_value_info(value.name, type_proto(value.type, names=names)) for value, _ in inputs)
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", model.opset)], ir_version=IR_VERSION)
    if not inputs:
        return None  # everything is known at conversion time, or handled by the runtime
    seed = source.integer(0, 1000)
    runs = []
    for index in range(RUNS):
        values = RunValues([seed, index])
        runs.append(Run({value.name: make(values) for value, make in inputs}))
    return Case("random", proto.SerializeToString(), runs, one_compiled=not source.one_in(4), rtol=1e-5)


