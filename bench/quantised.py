"""Quantised models: our IR beside OpenVINO's own front end (read_model of the ONNX file) and onnxruntime.

    ./dev bench --quantised [PATTERN] [--isa LEVEL] [--also OPTIONS]... [--layers] [--seconds S] [--list] [--make] [options of onnx2ir]

A row for each model whose name has PATTERN: the processor time of one inference on one thread, how far the results are from those of the
model before quantisation (RMS of the difference over RMS of the result; the worst output), ours over onnxruntime's error, how many of the
Convolution, FullyConnected and MatMul layers the CPU plugin runs with integers, and peak memory. `--also "--quantization exact"` measures
our IR with other options in addition; `--layers` prints precisions and kernels.
Needs the packages that export the models: `./dev test --models` installs them. Models are made once and kept in the cache.
"""

import argparse
import re
import shlex
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.inference import in_process  # noqa: E402
from bench.measurement import OnnxRuntime, geometric_mean  # noqa: E402
from bench.quantised_measuring import OpenVino, examine, times  # noqa: E402

TESTS = 4  # runs that give the errors
FRONT_END, ONNXRUNTIME = "front end", "onnxruntime"
MOST = 1.05  # of the front end's time, and of onnxruntime's error
TIME_LIMIT = 600  # seconds for one step; a machine that also does other things may need minutes to compile a network six times
EXACT = 1e-5  # smaller errors are rounding in f32


def converted(tool, source, xml, options):
    """None, or the error of onnx2ir."""
    done = subprocess.run([tool, str(source), "-o", str(xml), "--quiet", *options], check=False, capture_output=True, text=True)
    return None if done.returncode == 0 else (done.stderr.strip().splitlines() or ["not converted"])[0][:200]


def errors(results, expected):
    """For each real output, the RMS of the difference over that of the expected values, of all runs together."""
    return [
        relative_rms([run[i] for run in results], [run[i] for run in expected])
        for i in range(len(expected[0]))
        if expected[0][i].dtype.kind == "f"
    ]


def relative_rms(values, expected):
    difference = sum(np.square(a.astype(np.float64) - b).sum() for a, b in zip(values, expected))
    return float(np.sqrt(difference / max(sum(np.square(b, dtype=np.float64).sum() for b in expected), 1e-30)))


def is_integer(layer, kernels):
    """Whether a layer multiplies integers: its inputs are integers, or its kernel quantises them at run time, which the runtime model does not
    tell from a kernel that computes in f32 with compressed weights."""
    _, precision, kernel = layer
    if kernel.lower().endswith("_i8"):
        return True
    # The kernel may have unsigned weights where the layer has signed ones.
    return any(is_dynamic for _, _, _, weights, is_dynamic in kernels if weights[1:] == precision[1:])


class Measured:
    """The figures of one model by contender. A contender without a time has a reason in `failures`."""

    def __init__(self):
        self.time, self.error, self.layers, self.kernels, self.memory, self.failures = {}, {}, {}, {}, {}, {}

    def error_ratio(self, name):
        """The largest error over onnxruntime's, of all outputs."""
        if name not in self.error or ONNXRUNTIME not in self.error:
            return None
        return max(max(a, EXACT) / max(b, EXACT) for a, b in zip(self.error[name], self.error[ONNXRUNTIME]))

    def ratio(self, name, other):
        return self.time[name] / self.time[other] if name in self.time and other in self.time else None

    def share(self, name):
        if name not in self.layers:
            return "-"
        return f"{sum(is_integer(layer, self.kernels[name]) for layer in self.layers[name])}/{len(self.layers[name])}"


def measure(tool, source, reference, runs, variants, seconds):
    """`variants`: options of onnx2ir by the name of the contender."""
    result = Measured()
    expected = in_process(examine, OnnxRuntime, reference, runs, TESTS, limit=TIME_LIMIT)
    if isinstance(expected, str):
        raise RuntimeError(f"{reference}: {expected}")
    with tempfile.TemporaryDirectory() as folder:
        contenders = {}
        for number, (name, options) in enumerate(variants.items()):
            xml = Path(folder, f"{number}.xml")
            failure = converted(tool, source, xml, options)
            if failure is None:
                contenders[name] = (OpenVino, xml)
            else:
                result.failures[name] = failure
        contenders |= {FRONT_END: (OpenVino, source), ONNXRUNTIME: (OnnxRuntime, source)}
        for name, contender in list(contenders.items()):
            found = in_process(examine, *contender, runs, TESTS, limit=TIME_LIMIT)
            if isinstance(found, str):
                result.failures[name] = found
                del contenders[name]
            else:
                result.memory[name], result.layers[name], result.kernels[name] = found[:3]
                result.error[name] = errors(found[3], expected[3])
        result.layers.pop(ONNXRUNTIME, None)
        taken = in_process(times, list(contenders.values()), runs, seconds, limit=TIME_LIMIT)
        if isinstance(taken, str):
            result.failures["times"] = taken
        else:
            result.time = dict(zip(contenders, taken))
    return result


def number(value, digits):
    return "-" if value is None else f"{value:.{digits}f}"


def row(name, measured, variants):
    """One line of the table; `*` marks a ratio above MOST."""
    first, *others = variants
    names = [*variants, FRONT_END, ONNXRUNTIME]
    of_time = measured.ratio(first, FRONT_END)
    of_error = measured.error_ratio(first)
    worst = {name: max(values, default=0) for name, values in measured.error.items()}
    cells = [
        name,
        " / ".join(number(measured.time.get(name), 2) for name in names),
        number(of_time, 2) + ("*" if of_time and of_time > MOST else ""),
        number(measured.ratio(first, ONNXRUNTIME), 2),
        " / ".join("-" if name not in worst else f"{worst[name]:.2g}" for name in names),
        number(of_error, 3) + ("*" if of_error and of_error > MOST else ""),
        " / ".join(measured.share(name) for name in names[:-1]),
        " / ".join(number(measured.memory.get(name), 0) for name in names),
    ]
    return f"| {' | '.join(cells)} |"


def print_means(rows, variants):
    groups = defaultdict(list)
    for group, measured in rows:
        groups[group].append(measured)
    print("\nGeometric means (number of models) of the time, and the largest ratio of errors:")
    for group, found in groups.items():
        for name in variants:
            parts = []
            for other in (FRONT_END, ONNXRUNTIME):
                ratios = [ratio for one in found if (ratio := one.ratio(name, other))]
                above = sum(ratio > MOST for ratio in ratios)
                mean = number(geometric_mean(ratios) if ratios else None, 3)
                parts.append(f"{mean} of {other} ({len(ratios)}, {above} above {MOST})")
            of_errors = [ratio for one in found if (ratio := one.error_ratio(name))]
            parts.append(f"errors up to {number(max(of_errors, default=None), 3)} of {ONNXRUNTIME}'s")
            print(f"- {group}, {name}: {', '.join(parts)}")


def parsed(arguments):
    parser = argparse.ArgumentParser(prog="./dev bench --quantised")
    parser.add_argument("pattern", nargs="?", default="")
    parser.add_argument("--also", action="append", default=[], metavar="OPTIONS")
    parser.add_argument("--layers", action="store_true")
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--make", action="store_true", help="only makes the models and prints their files")
    return parser.parse_known_args(arguments)


def main(tool, *arguments):
    from bench import quantised_making, quantised_networks  # not at the top: the other processes would import them
    from bench.quantised_forms import FORMS

    options, of_tool = parsed(arguments)
    variants = {"ours": of_tool} | {f"ours {more}": [*of_tool, *shlex.split(more)] for more in options.also}
    chosen = {}
    for network in quantised_networks.load().values():
        forms = [form for form in network.forms if re.search(options.pattern, f"{network.name}-{form}")]
        if forms:
            chosen[network] = forms
    if options.list:
        print("\n".join(f"{network.name}-{form}" for network, forms in chosen.items() for form in forms))
        return
    if not options.make:
        print_head(variants)
    rows = []
    for network, forms in chosen.items():
        folder = quantised_making.made(network, forms)
        for form in forms:
            name, source = f"{network.name}-{form}", folder / f"{form}.onnx"
            if not source.exists():
                print(f"{name} not made: {(folder / f'{form}.txt').read_text()}")
            elif options.make:
                print(source)
            else:
                measured = measure(tool, source, folder / "f32.onnx", folder / "runs.pickle", variants, options.seconds)
                rows.append((FORMS[form].group, measured))
                print(row(name, measured, variants), flush=True)
                print_details(measured, options.layers)
    if not options.make:
        print_means(rows, variants)


def print_head(variants):
    import openvino as ov

    names = " / ".join([*variants, FRONT_END, ONNXRUNTIME])
    print(f"OpenVINO {ov.get_version()}; {names}; one thread")
    print(f"| model | ms | of {FRONT_END} | of {ONNXRUNTIME} | error against f32 | error of {ONNXRUNTIME}'s | integer layers | peak MiB |")
    print("|---|---|---|---|---|---|---|---|", flush=True)


def print_details(measured, with_layers):
    for name, failure in measured.failures.items():
        print(f"    {name}: {failure}", flush=True)
    if with_layers:
        for name, layers in measured.layers.items():
            counted = ", ".join(f"{count} {' '.join(layer)}" for layer, count in Counter(layers).most_common())
            print(f"    {name}, layers: {counted}", flush=True)
            for primitive, implementation, inputs, weights, is_dynamic in measured.kernels[name]:
                print(f"    {name}, kernel: {primitive} {implementation} {inputs} x {weights}{' quantised at run time' * is_dynamic}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
