"""Expected values from onnxruntime."""

import onnxruntime

from .case import ORACLE_ERROR, Failure


class Oracle:
    def __init__(self, model):
        """`model`: a serialized ModelProto."""
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        try:
            self._session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        except Exception as error:
            raise Failure(ORACLE_ERROR, f"onnxruntime: {error}") from error

    def run(self, inputs):
        """All outputs by name."""
        names = [output.name for output in self._session.get_outputs()]
        try:
            values = self._session.run(names, inputs)
        except Exception as error:
            raise Failure(ORACLE_ERROR, f"onnxruntime: {error}") from error
        return dict(zip(names, values))
