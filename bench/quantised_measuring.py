"""Measures a quantised model in OpenVINO and in onnxruntime, on one thread. Each function runs in a process of its own."""

import contextlib
import ctypes
import os
import pickle
import random
import re
import tempfile
import time
from pathlib import Path

import numpy as np

from bench.inference import memory, request_of, timed
from bench.measurement import OnnxRuntime, undisturbed

# With one stream of one thread, errors are not reported: infer returns, and the results are wrong.
SETTINGS = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1, "NUM_STREAMS": "0"}
FEWEST_ROUNDS, ROUNDS = 12, 300
MATRIX_PRIMITIVES = ("convolution", "deconvolution", "inner_product", "matmul")
MATRIX_LAYERS = ("Convolution", "Deconvolution", "FullyConnected", "MatMul")


class OpenVino:
    def __init__(self, path, inputs):
        import openvino as ov

        self.core = ov.Core()
        model = self.core.read_model(path)
        self.products = {node.get_friendly_name() for node in model.get_ops() if node.get_type_name() == "MatMul"}
        self.compiled = self.core.compile_model(model, "CPU", SETTINGS)
        self.request = request_of(self.compiled, inputs)

    def run(self):
        return self.request.infer(share_outputs=True)

    def results(self, inputs):
        given = {port: inputs[next(name for name in port.get_names() if name in inputs)] for port in self.compiled.inputs}
        return [np.array(value) for value in self.request.infer(given).to_tuple()]

    def layers(self):
        """The type, the precision and the kernel of each layer that multiplies matrices, also of those in a fused kernel."""
        found = []
        for node in self.compiled.get_runtime_model().get_ordered_ops():
            if "layerType" not in node.get_rt_info():
                continue
            kind, precision, kernel, names = (
                info(node, key) for key in ("layerType", "runtimePrecision", "primitiveType", "originalLayersNames")
            )
            if kind in MATRIX_LAYERS:
                found.append((kind, precision, kernel))
            elif kind == "Subgraph" and len(self.products.intersection(names.split(","))) == 2:
                found.extend(("MatMul", precision, f"fused_{precision}") for precision in attention_precisions(node))
        return found


def info(node, key):
    return str(node.get_rt_info()[key].astype(str))


def attention_precisions(node):
    """What a fused attention multiplies: queries and keys, its inputs 0 and 1, and in the second product values, its last input."""
    inputs = [info(value.get_node(), "outputPrecisions").split(",")[value.get_index()] for value in node.input_values()]
    is_integer = [precision in ("i8", "u8") for precision in inputs]
    return ["I8" if is_integer[0] and is_integer[1] else "f32", "I8" if is_integer[-1] else "f32"]


@contextlib.contextmanager
def output_lines():
    """A list that gets the lines which the process writes to its standard output inside of the context, also from C++."""
    lines, flush = [], ctypes.CDLL(None).fflush
    with tempfile.TemporaryFile() as file:
        flush(None)
        saved = os.dup(1)
        os.dup2(file.fileno(), 1)
        try:
            yield lines
        finally:
            flush(None)
            os.dup2(saved, 1)
            os.close(saved)
            file.seek(0)
            lines.extend(file.read().decode(errors="replace").splitlines())


def kernel_of(line):
    """(primitive, implementation, type of inputs, type of weights, whether inputs are quantised at run time) of a line of oneDNN's log; None if
    it does not create a kernel that multiplies matrices."""
    fields = line.split(",")
    if fields[0] != "onednn_verbose" or len(fields) < 10 or not fields[3].startswith("create") or fields[5] not in MATRIX_PRIMITIVES:
        return None
    types = {part.split(":")[0]: part.split(":")[1] for part in fields[8].split() if ":" in part}
    group = re.search(r"src_dyn_quant_group_size:(\d+)", line)
    return fields[5], fields[6], types.get("src", ""), types.get("wei", ""), group is not None and int(group[1]) > 0


def runs_of(path):
    return pickle.loads(Path(path).read_bytes())


def prepared(program, path, inputs):
    """A compiled model. All errors become a RuntimeError, with the line that says most."""
    try:
        return program(path, inputs)
    except Exception as error:  # noqa: BLE001 (onnxruntime has exceptions of its own)
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        lines = [line for line in lines if not line.startswith(("Exception from", "Check '", "While validating"))] or lines or [repr(error)]
        raise RuntimeError(lines[-1][:200]) from error


def examine(program, path, runs, count):
    """The memory in MiB that reading, compiling and one inference need, the layers, the kernels of oneDNN, and the results of the last
    `count` runs."""
    os.environ["ONEDNN_VERBOSE"] = "profile_create"  # with `profile_exec`, execution of some convolutions fails
    runs = runs_of(runs)[-count:]
    with output_lines() as lines:
        if program is OpenVino:
            import openvino  # noqa: F401 (not part of the memory)
        else:
            import onnxruntime  # noqa: F401
        before = memory("VmRSS")
        model = prepared(program, path, runs[0])
        model.run()
        needed = memory("VmHWM") - before
        layers, results = model.layers(), [model.results(inputs) for inputs in runs]
    kernels = {kernel for line in lines if (kernel := kernel_of(line)) is not None}
    return needed, layers, sorted(kernels, key=str), results


def times(contenders, runs, seconds):
    """The least processor time in milliseconds of one inference for each contender, a program and a path.

    All are compiled in one process, then in the opposite order: the first one that is compiled is often slower.
    """
    inputs = runs_of(runs)[-1]
    numbers = range(len(contenders))
    orders = [times_in(order, contenders, inputs, seconds / 2) for order in (numbers, reversed(numbers))]
    return [min(taken[index] for taken in orders) * 1e3 for index in numbers]


def times_in(order, contenders, inputs, seconds):
    models = {index: prepared(*contenders[index], inputs) for index in order}
    taken = {index: [] for index in models}
    for model in models.values():
        model.run()
    started = time.perf_counter()
    for number in range(ROUNDS):
        for index in random.sample(list(models), len(models)):
            taken[index].append(timed(models[index].run)[1])
        if number >= FEWEST_ROUNDS and time.perf_counter() - started > seconds:
            break
    return {index: undisturbed(times) for index, times in taken.items()}
