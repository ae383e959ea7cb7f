"""Our IR beside OpenVINO's own front end (read_model of the ONNX file) and onnxruntime, for the exported models of tests/zoo: processor
time of inference in random turns; beside the front end, also of read_model and compile_model, and peak memory.

    ./dev bench --inference [PATTERN [options of onnx2ir]]

Prints ours over theirs for each model whose inference differs from the front end's by more than 3 %, and geometric means. Each model is
measured in its own process, because some models end the process. A model counts only if all give the same results; onnxruntime is left
out where it does not run the model. Needs the packages that export the models: `./dev test --models` installs them. Quantised models are
part of the table, with the tolerance of their tests.
"""

import functools
import math
import multiprocessing
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import openvino as ov

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.measurement import OnnxRuntime, geometric_mean, undisturbed  # noqa: E402
from tests.conformance import runtime  # noqa: E402

ROUNDS = 300
FEWEST_ROUNDS = 20
SECONDS = 1.2  # at most, for the runs of one model
COMPILATIONS = 2
TIME_LIMIT = 120
NOTABLE = 0.03
TOLERANCE = 1e-3
SETTINGS = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1}
FIGURES = ("inference", "read_model", "compile_model", "memory", "inference to onnxruntime")


def timed(function, *arguments):
    """The result of a call, and its processor time."""
    begun = time.process_time()
    result = function(*arguments)
    return result, time.process_time() - begun


def infer(request):
    return request.infer(share_outputs=True)


def request_of(compiled, inputs):
    """A request with its inputs; ValueError for a model with other inputs (sequences)."""
    request = compiled.create_infer_request()
    for port in compiled.inputs:
        name = next((name for name in port.get_names() if name in inputs), None)
        if name is None:
            raise ValueError("other inputs")
        request.set_tensor(port, runtime.to_tensor(inputs[name]))
    return request


def are_equal(a, b, tolerance):
    """Whether two lists of outputs are equal but for rounding: of floating-point numbers, or to the steps of a quantised model."""
    a, b = ([np.asarray(value) for value in outputs] for outputs in (a, b))
    if len(a) != len(b) or any(x.shape != y.shape for x, y in zip(a, b)):
        return False
    return all(x.dtype.kind in "OSU" or np.allclose(x, y, tolerance, tolerance, equal_nan=True) for x, y in zip(a, b))


def in_onnxruntime(file, inputs):
    """The model in onnxruntime and its results; (None, None) if it does not run there."""
    try:
        session = OnnxRuntime(file, inputs)
        return session, session.run()
    except Exception:  # noqa: BLE001 (onnxruntime has exceptions of its own)
        return None, None


def times(files, inputs, tolerance=TOLERANCE):
    """The processor times of reading, compiling and running our IR and the ONNX model, and of running the model in onnxruntime (infinite if
    it does not run there); a text if they cannot be compared."""
    core = ov.Core()
    reading, compiling = [[] for _ in files], [[] for _ in files]
    requests = [None] * len(files)
    for _ in range(COMPILATIONS):
        for index in random.sample(range(len(files)), len(files)):
            model, seconds = timed(core.read_model, files[index])
            reading[index].append(seconds)
            compiled, seconds = timed(core.compile_model, model, "CPU", SETTINGS)
            compiling[index].append(seconds)
            requests[index] = request_of(compiled, inputs)
    results = [infer(request).to_tuple() for request in requests]
    session, expected = in_onnxruntime(files[1], inputs)
    if not are_equal(*results, tolerance) or (session and not are_equal(results[0], expected, tolerance)):
        return "the results differ"
    runners = [functools.partial(infer, request) for request in requests]
    if session:
        runners.append(session.run)
    running = [[] for _ in runners]
    started = time.perf_counter()
    for _ in range(ROUNDS):
        for index in random.sample(range(len(runners)), len(runners)):
            running[index].append(timed(runners[index])[1])
        if time.perf_counter() - started > SECONDS and len(running[0]) > FEWEST_ROUNDS:
            break
    figures = [(undisturbed(run), min(read), min(compiled)) for run, read, compiled in zip(running, reading, compiling)]
    return figures, undisturbed(running[2]) if session else math.inf


def peak_memory(file, inputs):
    """The MiB that a process needs to read, compile and run the model."""
    core = ov.Core()
    before = memory("VmRSS")
    infer(request_of(core.compile_model(core.read_model(file), "CPU", SETTINGS), inputs))
    return memory("VmHWM") - before


def memory(kind):
    """MiB of this process: VmRSS at present, VmHWM at most."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(re.search(rf"^{kind}:\s+(\d+) kB", status, re.MULTILINE)[1]) / 1024


def answer(connection, function, arguments):
    try:
        connection.send(function(*arguments))
    except (RuntimeError, ValueError) as error:
        connection.send(str(error).strip().splitlines()[-1])


def in_process(function, *arguments, limit=TIME_LIMIT):
    """The result of the function in a process of its own; a text if it fails. `limit`: in seconds."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=answer, args=(theirs, function, arguments))
    process.start()
    theirs.close()
    try:
        return ours.recv() if ours.poll(limit) else "no end"
    except EOFError:
        return "the process ended"
    finally:
        process.kill()
        process.join()


def ratios(tool, options, exported, tolerance, folder):
    """Ours over theirs by FIGURES, 0 where onnxruntime does not run the model; a text if they cannot be compared."""
    source, xml = Path(folder, "model.onnx"), Path(folder, "model.xml")
    source.write_bytes(exported.model)
    if subprocess.run([tool, str(source), "-o", str(xml), "--quiet", *options], check=False, capture_output=True).returncode != 0:
        return "not converted"
    files = (xml, source)
    taken = in_process(times, files, exported.runs[0], tolerance)
    if isinstance(taken, str):
        return taken
    peaks = [in_process(peak_memory, file, exported.runs[0]) for file in files]
    if any(isinstance(peak, str) for peak in peaks):
        return "no memory measured"
    figures, onnxruntime_time = taken
    ours, theirs = ((*of_file, max(peak, 1)) for of_file, peak in zip(figures, peaks))
    return [a / b for a, b in zip(ours, theirs)] + [ours[0] / onnxruntime_time]


def main(tool, pattern="", *options):
    from tests.zoo.cases import exported_models  # not at the top: the other processes would import all models
    from tests.zoo.models import MODELS

    pairs = [(model, exporter) for model in MODELS.values() for exporter in model.exporters if re.search(pattern, f"{model.name}-{exporter}")]
    measured, skipped = [], {}
    for (model, exporter), exported in zip(pairs, exported_models(pairs)):
        if exported.failure:
            continue
        with tempfile.TemporaryDirectory() as folder:
            result = ratios(tool, options, exported, max(TOLERANCE, model.atol), folder)
        if isinstance(result, str):
            skipped.setdefault(result, []).append(f"{model.name}-{exporter}")
            continue
        measured.append(result)
        if abs(result[0] - 1) > NOTABLE or pattern:
            print(f"{model.name}-{exporter}:", ", ".join(f"{name} {ratio:.3f}" for name, ratio in zip(FIGURES, result)), flush=True)
    for reason, names in skipped.items():
        print(f"not compared, {reason}: {len(names)} ({', '.join(names)})")
    print(f"OpenVINO {ov.get_version()}, {len(measured)} models; ours over OpenVINO's own and onnxruntime's, geometric means:")
    for name, ratios_of_models in zip(FIGURES, zip(*measured)):
        known = [ratio for ratio in ratios_of_models if ratio]
        print(f"  {name} {geometric_mean(known):.3f} ({len(known)} models)")


if __name__ == "__main__":
    main(*sys.argv[1:])
