"""Expected values from onnxruntime."""

import onnx
import onnx.parser

from .case import ORACLE_ERROR, Failure


class Oracle:
    def __init__(self, model):
        """`model`: a ModelProto, which may be changed."""
        give_each_output_a_value_of_its_own(model.graph)
        self._session = session(model)

    def run(self, inputs):
        """All outputs by name."""
        names = [output.name for output in self._session.get_outputs()]
        try:
            values = self._session.run(names, inputs)
        except Exception as error:
            raise Failure(ORACLE_ERROR, f"onnxruntime: {error}") from error
        return dict(zip(names, values))


def session(model):
    import onnxruntime  # only here: it crashes under qemu, where the worker gets the expected values (tests/devices/test_arm.py)

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    try:
        return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    except Exception as error:
        raise Failure(ORACLE_ERROR, f"onnxruntime: {error}") from error


def give_each_output_a_value_of_its_own(graph):
    """A branch or body may give one value as several outputs, as PyTorch's exporter writes it. onnxruntime computes only
    the last of them and leaves the others uninitialised: test_oracle.py."""
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                give_each_output_a_value_of_its_own(attribute.g)
    given = set()
    for index, output in enumerate(graph.output):
        if output.name in given:
            copy = f"{output.name}_as_output_{index}"
            graph.node.append(onnx.helper.make_node("Identity", [output.name], [copy]))
            output.name = copy
        given.add(output.name)


def expected_values(case):
    """The expected values of each run, which onnxruntime computes if the run does not give them; None if it may reject the inputs and does."""
    if all(run.expected is not None for run in case.runs):
        return [run.expected for run in case.runs]
    oracle = Oracle(parse_model(case.oracle_model or case.model))
    return [run.expected if run.expected is not None else _computed(oracle, run) for run in case.runs]


def _computed(oracle, run):
    try:
        return oracle.run(run.inputs)
    except Failure:
        if not run.is_optional:
            raise
        return None


def parse_model(data):
    """A ModelProto from its serialized form or from ONNX text."""
    if data.lstrip()[:1] == b"<":
        return onnx.parser.parse_model(data.decode())
    return onnx.ModelProto.FromString(data)
