"""The cost of the default target on the newest OpenVINO: exported models (tests/zoo), converted for all supported releases and for the
newest one alone. Compares the time of conversion, the operations in the IR and the processor time of inference, measured in random
turns.

    ./dev bench --targets [PATTERN]

Where both conversions give the same graph, inference takes the same time by definition and is not measured. Needs the
packages that export the models: `./dev test --models` installs them.
"""

import random
import re
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import openvino as ov

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.measurement import geometric_mean, undisturbed  # noqa: E402
from tests.conformance import runtime  # noqa: E402
from tests.zoo.cases import exported_models  # noqa: E402
from tests.zoo.models import MODELS  # noqa: E402

ROUNDS = 300
FEWEST_ROUNDS = 20
SECONDS = 4.0  # at most, for the runs of one model
CONVERSIONS = 5


def convert(tool, source, xml, options):
    """The seconds of a process that converts."""
    started = time.perf_counter()
    subprocess.run([tool, str(source), "-o", str(xml), "--quiet", *options], check=True, capture_output=True)
    return time.perf_counter() - started


def operations(xml):
    return sum(1 for _ in ElementTree.parse(xml).iter("layer"))


def request_of(core, xml, inputs):
    """A request, and its inputs as the IR has them; None for a model with other inputs (sequences)."""
    compiled = core.compile_model(core.read_model(xml), "CPU", {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1})
    values = {}
    for port in compiled.inputs:
        name = next((name for name in port.get_names() if name in inputs), None)
        if name is None:
            return None
        values[port] = runtime.to_tensor(inputs[name])
    return compiled.create_infer_request(), values


def inference_ratio(core, files, inputs):
    """Processor time with the default target over that with the newest release alone. The model that is compiled first takes about 2 %
    more time, whichever it is: half of the rounds have the one first, half the other."""
    ratios = []
    for order in ((0, 1), (1, 0)):
        requests = {index: request_of(core, files[index], inputs) for index in order}
        if None in requests.values():
            return None
        times = measured_times(requests)
        ratios.append(undisturbed(times[0]) / undisturbed(times[1]))
    return geometric_mean(ratios)


def measured_times(requests):
    """The processor times of each of the two requests, run in random turns."""
    times = {index: [] for index in requests}
    started = time.perf_counter()
    for _ in range(ROUNDS // 2):
        for index in random.sample((0, 1), 2):
            request, values = requests[index]
            begun = time.process_time()
            request.infer(values)
            times[index].append(time.process_time() - begun)
        if time.perf_counter() - started > SECONDS / 2 and len(times[0]) > FEWEST_ROUNDS:
            break
    return times


def graph_of(xml):
    """The IR without the record of its options."""
    return re.sub(rb"<rt_info>.*?</rt_info>", b"", xml.read_bytes(), flags=re.DOTALL)


def measure(core, tool, newest, exported, folder):
    """(ratio of conversion time, operations with either target, ratio of inference time or None)."""
    source = Path(folder, "model.onnx")
    source.write_bytes(exported.model)
    files = [Path(folder, f"{name}.xml") for name in ("default", "newest")]
    options = [[], ["--target-runtime", newest]]
    seconds = [[], []]
    for _ in range(CONVERSIONS):
        for index in random.sample((0, 1), 2):
            seconds[index].append(convert(tool, source, files[index], options[index]))
    counts = [operations(xml) for xml in files]
    same = graph_of(files[0]) == graph_of(files[1]) and files[0].with_suffix(".bin").read_bytes() == files[1].with_suffix(".bin").read_bytes()
    ratio = 1.0 if same else inference_ratio(core, files, exported.runs[0])
    return min(seconds[0]) / min(seconds[1]), counts, ratio


def main(tool, pattern="", *_):
    core = ov.Core()
    newest = ".".join(ov.get_version().split("-")[0].split(".")[:2])
    pairs = [(model, exporter) for model in MODELS.values() for exporter in model.exporters if re.search(pattern, model.name)]
    conversions, inferences, counts = [], [], [0, 0]
    for (model, exporter), exported in zip(pairs, exported_models(pairs)):
        if exported.failure:
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                conversion, operation_counts, inference = measure(core, tool, newest, exported, folder)
            except (subprocess.CalledProcessError, RuntimeError):
                continue  # tests/zoo tests that it converts and runs
        conversions.append(conversion)
        counts = [total + count for total, count in zip(counts, operation_counts)]
        if inference is not None:
            inferences.append(inference)
            if inference != 1.0:
                print(f"{model.name}-{exporter}: {operation_counts[0]} and {operation_counts[1]} operations, inference {inference:.3f}", flush=True)
    print(f"{len(conversions)} models; default target over {newest} alone, geometric means:")
    print(f"conversion {geometric_mean(conversions):.3f}, operations {counts[0] / max(1, counts[1]):.4f}, inference {geometric_mean(inferences):.3f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
