"""Expected values from onnxruntime."""

import onnx
import onnxruntime

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
