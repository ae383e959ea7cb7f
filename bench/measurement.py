"""Helpers for measurements."""

import math


def undisturbed(times):
    """One of the shortest times: the 5th of 100. Other load makes times longer, never shorter."""
    return sorted(times)[len(times) // 20]


def geometric_mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else 1.0


class OnnxRuntime:
    """A model in onnxruntime, on one thread."""

    def __init__(self, path, inputs):
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        self.session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        self.inputs = inputs

    def run(self):
        return self.session.run(None, self.inputs)

    def results(self, inputs):
        return self.session.run(None, inputs)

    def layers(self):
        return []
