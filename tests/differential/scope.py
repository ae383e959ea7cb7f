"""Graphs under construction: the main graph and the bodies in it."""

from dataclasses import dataclass, field

import numpy as np
from onnx import GraphProto, helper, numpy_helper

from .types import BOOL, F32, NUMPY, Sequence, Symbol, Tensor, Value, at_most, joined, type_proto

MOST_ELEMENTS = 12  # of an axis; longer axes are truncated
MOST_MAGNITUDE = 1000
MOST_EXACT = 2**24  # as a float
LEAST_INPUTS = {"Loop": 2}  # that are written although they are optional


@dataclass
class Model:
    """State shared by all graphs of one model."""

    source: object
    opset: int
    budget: int  # of operations the generator may still choose
    about_sizes: bool = False  # sizes of tensors instead of sequences and optionals
    inputs: list = field(default_factory=list)  # (Value, function that creates the value for one run)
    names: int = 0

    def name(self, prefix):
        self.names += 1
        return f"{prefix}{self.names}"


class Scope:
    """A graph under construction. Values of enclosing graphs are visible in it."""

    def __init__(self, model, parent=None, iterations=1):
        self.model = model
        self.source = model.source
        self.opset = model.opset
        self.parent = parent
        self.depth = parent.depth + 1 if parent else 0
        self.iterations = parent.iterations * iterations if parent else 1
        self.nodes = []
        self.initializers = []
        self.inputs = []
        self.values = []
        self.only_outputs = []  # values that no operation may use
        self.is_running = False  # an operation of the generator
        self.helpers = set()  # names of values that an operation made only for its result: shapes, indices, constants

    # Values ---------------------------------------------------------------------------------------------------

    def visible(self):
        """All values, the newest first."""
        scope, values = self, []
        while scope:
            values += reversed(scope.values)
            scope = scope.parent
        return values

    def holds(self, symbol):
        """Whether a size belongs to this graph or to an enclosing one, so that it is constant in this graph."""
        scope = self
        while scope:
            if symbol.scope is scope:
                return True
            scope = scope.parent
        return False

    def find(self, wanted=lambda value_type: True):
        """One of the visible values that `wanted` takes, or None. The newest are taken more often, and helpers less."""
        fitting = [value for value in self.visible() if value.type.bound <= MOST_EXACT and wanted(value.type)]
        if not fitting:
            return None
        results = [value for value in fitting if value.name not in value.scope.helpers] or fitting
        kind = self.source.integer(0, 5)
        return self.source.pick(results[:3] if kind < 3 else results if kind < 5 else fitting)

    def find_tensor(self, wanted=lambda tensor: True):
        return self.find(lambda value_type: isinstance(value_type, Tensor) and wanted(value_type))

    def find_sequence(self, wanted=lambda sequence: True):
        return self.find(lambda value_type: isinstance(value_type, Sequence) and wanted(value_type))

    def add_value(self, name, value_type, returnable=True):
        value = Value(name, value_type, self, returnable)
        self.values.append(value)
        if self.is_running:
            self.helpers.add(name)
        return value

    def set_aside(self, value):
        """Makes a value unavailable for operations. It can still be an output of the model."""
        self.values.remove(value)
        self.only_outputs.append(value)

    def run(self, operation):
        """Adds an operation of the generator."""
        self.is_running = True
        result = operation(self)
        self.is_running = False
        if result:
            self.helpers -= {result.name, *(self.nodes[-1].output if self.nodes else ())}

    # Nodes ----------------------------------------------------------------------------------------------------

    def emit(self, operator, inputs, value_type, **attributes):
        """A node with one output."""
        return self.emit_many(operator, inputs, [value_type], **attributes)[0]

    def emit_many(self, operator, inputs, types, **attributes):
        names = [self.model.name("v") for _ in types]
        given = ["" if value is None else value.name for value in inputs]
        while len(given) > LEAST_INPUTS.get(operator, 0) and not given[-1]:
            given.pop()
        self.nodes.append(helper.make_node(operator, given, names, **attributes))
        return [self.add_value(name, value_type) for name, value_type in zip(names, types)]

    def emit_if(self, condition, then, otherwise):
        """An If. Each branch is a Scope and its outputs, of the same forms."""
        types = [joined(a.type, b.type, self) for a, b in zip(then[1], otherwise[1])]
        graphs = {
            "then_branch": then[0].graph(self.model.name("then"), then[1]),
            "else_branch": otherwise[0].graph(self.model.name("else"), otherwise[1]),
        }
        return self.emit_many("If", [condition], types, **graphs)

    def constant(self, array, element=None):
        """A constant: an initializer of this graph or a Constant node."""
        element = element or next(key for key, kind in NUMPY.items() if kind == np.asarray(array).dtype.type)
        array = np.asarray(array, NUMPY[element])
        bound = int(np.abs(array.astype(np.float64)).max(initial=1) + 1)
        value_type = Tensor(element, array.shape, bound)
        if self.source.one_in(3):
            return self.emit("Constant", [], value_type, value=numpy_helper.from_array(array))
        name = self.model.name("c")
        self.initializers.append(numpy_helper.from_array(array, name))
        return self.add_value(name, value_type)

    def integer(self, number):
        return self.constant(np.int64(number))

    def integers(self, *numbers):
        return self.constant(np.array(numbers, np.int64))

    def given(self, value_type, make):
        """An input of the model; make(run) gives its value."""
        main = self
        while main.parent:
            main = main.parent
        value = main.add_value(self.model.name("x"), value_type)
        main.helpers.discard(value.name)
        self.model.inputs.append((value, make))
        return value

    def add_input(self, prefix, value_type, returnable=True):
        """An input of this body."""
        value = self.add_value(self.model.name(prefix), value_type, returnable)
        self.inputs.append(value)
        return value

    # Keeping values and sizes small ---------------------------------------------------------------------------

    def tame(self, value, magnitude=MOST_MAGNITUDE, elements=MOST_ELEMENTS):
        """`value` with small values and sizes."""
        tensor = value.type
        for axis, dimension in enumerate(tensor.dims):
            if at_most(dimension) > elements:
                dims = list(tensor.dims)
                dims[axis] = Symbol(self, 0, elements)
                limits = [self.integers(0), self.integers(elements), self.integers(axis)]
                tensor = Tensor(tensor.element, tuple(dims), tensor.bound)
                value = self.emit("Slice", [value, *limits], tensor)
        if tensor.bound <= magnitude or tensor.element == BOOL:
            return value
        if tensor.element == F32:
            if self.opset < 11:
                return self.emit("Clip", [value], Tensor(F32, tensor.dims, 8), min=-8.0, max=8.0)
            limits = [self.constant(np.float32(-8)), self.constant(np.float32(8))]
            return self.emit("Clip", [value, *limits], Tensor(F32, tensor.dims, 8))
        divisor = self.constant(NUMPY[tensor.element](11))
        return self.emit("Mod", [value, divisor], Tensor(tensor.element, tensor.dims, 10))

    # The finished graph ---------------------------------------------------------------------------------------

    def returned(self, value):
        """`value` as an output of this graph: onnxruntime requires a node of the graph itself for it."""
        own = any(value is mine for mine in self.values) and value.returnable
        return value if own else self.emit("Identity", [value], value.type)

    def graph(self, name, outputs, shapeless=0):
        """The GraphProto without unused nodes, and without the shapes of the inputs and of the first `shapeless`
        outputs if that is not 0. (onnxruntime needs those of scan outputs for zero-iteration loops.)"""
        needed = {value.name for value in outputs}
        kept = []
        for node in reversed(self.nodes):
            if needed & set(node.output):
                kept.append(node)
                needed |= used_names(node)
        info = [
            [
                helper.make_value_info(value.name, type_proto(value.type, index >= count or is_scalar(value.type)))
                for index, value in enumerate(values)
            ]
            for values, count in ((self.inputs, shapeless and len(self.inputs)), (outputs, shapeless))
        ]
        initializers = [tensor for tensor in self.initializers if tensor.name in needed]
        return helper.make_graph(kept[::-1], name, *info, initializers)


def is_scalar(value_type):
    return isinstance(value_type, Tensor) and value_type.is_scalar


def used_names(node):
    """Names that a node and its bodies use."""
    names = set(node.input)
    for attribute in node.attribute:
        if attribute.HasField("g"):
            graph: GraphProto = attribute.g
            names |= {output.name for output in graph.output}
            for inner in graph.node:
                names |= used_names(inner)
    return names


CONDITION = Tensor(BOOL, ())
