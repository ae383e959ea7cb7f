"""Products with quantised weights: processor time of our IR beside OpenVINO's own IR of the same ONNX model, in random turns, and how
far the results of both are from onnxruntime's (the largest difference over the largest result).

    ./dev bench --weights [PATTERN] [--isa LEVEL]

OpenVINO's own IR is also measured with DYNAMIC_QUANTIZATION_GROUP_SIZE 0, where the CPU plugin does not round inputs.
"""

import math
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import onnxruntime
import openvino as ov
from onnx import TensorProto, helper

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.measurement import geometric_mean, undisturbed  # noqa: E402
from tests.conformance.quantized_weights import dequantized, mat_mul_n_bits  # noqa: E402

SIZE = 1024  # inputs and outputs of the product
ROWS = (1, 64)
ROUNDS = 100
EXACT = {"DYNAMIC_QUANTIZATION_GROUP_SIZE": "0"}


def models():
    """The ONNX models by name: how to make each."""
    yield "floats", float_product
    for type_name in ("uint4", "int4", "uint8", "int8"):
        for has_zero_points in (False, True):
            for axis, block in ((None, 0), (1, 0), (0, 32), (1, 32)):
                yield model_of(*dequantized(type_name, SIZE, SIZE, axis, block, has_zero_points, may_round=True))
    for bits in (4, 8):
        for zero_points in (None, "packed"):
            for level in (0, 4):
                yield model_of(*mat_mul_n_bits(bits, SIZE, SIZE, 32, zero_points, level))


def model_of(name, make_case):
    return name, lambda: make_case().model


def float_product():
    """A product with weights that are not quantised, for comparison."""
    weights = helper.make_tensor("w", TensorProto.FLOAT, [SIZE, SIZE], np.random.default_rng(0).standard_normal((SIZE, SIZE), np.float32))
    rows, columns = (helper.make_tensor_value_info(name, TensorProto.FLOAT, ["rows", SIZE]) for name in "xy")
    graph = helper.make_graph([helper.make_node("MatMul", ["x", "w"], ["y"])], "floats", [rows], [columns], [weights])
    return helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid("", 21)]).SerializeToString()


def request_of(core, path, options):
    """An inference request; None if OpenVINO does not read or compile the model."""
    try:
        settings = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1, **options}
        return core.compile_model(core.read_model(path), "CPU", settings).create_infer_request()
    except RuntimeError:
        return None


def microseconds(requests, x):
    """The processor time of one inference for each request; infinite for those that are None."""
    times = [[] for _ in requests]
    for _ in range(ROUNDS):
        for request, taken in random.sample(list(zip(requests, times)), len(requests)):
            if request is not None:
                begun = time.process_time()
                request.infer({"x": x})
                taken.append(time.process_time() - begun)
    return [undisturbed(taken) * 1e6 if taken else math.inf for taken in times]


def errors(requests, x, expected):
    """How far each result is from the expected one; NaN for requests that are None."""
    largest = np.abs(expected).max()
    return [np.abs(request.infer({"x": x})[0] - expected).max() / largest if request else math.nan for request in requests]


def main(tool, pattern="", *_):
    core = ov.Core()
    ratios = {rows: ([], []) for rows in ROWS}
    print(f"OpenVINO {ov.get_version()}, {SIZE} x {SIZE}; microseconds: ours, OpenVINO's, OpenVINO's without rounding; distances from onnxruntime")
    for name, make in models():
        if not re.search(pattern, name):
            continue
        with tempfile.TemporaryDirectory() as folder:
            source, xml = Path(folder, "model.onnx"), Path(folder, "model.xml")
            source.write_bytes(make())
            subprocess.run([tool, str(source), "-o", str(xml), "--quiet"], check=True)
            requests = [request_of(core, xml, {}), request_of(core, source, {}), request_of(core, source, EXACT)]
            session = onnxruntime.InferenceSession(str(source), providers=["CPUExecutionProvider"])
        for rows in ROWS:
            x = np.random.default_rng(rows).standard_normal((rows, SIZE)).astype(np.float32)
            far = errors(requests, x, session.run(None, {"x": x})[0])
            taken = microseconds(requests, x)
            print(f"{name}, {rows} rows: {taken[0]:.0f} {taken[1]:.0f} {taken[2]:.0f}; {far[0]:.0e} {far[1]:.0e} {far[2]:.0e}", flush=True)
            if math.isfinite(taken[1]):
                for other, ratio in zip(taken[1:], ratios[rows]):
                    ratio.append(taken[0] / other)
    for rows, (as_it_is, exact) in ratios.items():
        print(f"{rows} rows: {geometric_mean(as_it_is):.3f} of OpenVINO's time, {geometric_mean(exact):.3f} of its time without rounding")


if __name__ == "__main__":
    main(*sys.argv[1:])
