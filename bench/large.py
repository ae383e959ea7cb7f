"""Large models: onnx2ir, OpenVINO's own conversion and `cp`, run in turn.

    python bench/large.py BUILD_FOLDER [--quick] [--only REGULAR_EXPRESSION] [--rounds N] [--folder FOLDER]

Prints medians of wall time, processor time and peak memory of whole processes, the fastest run of each, the ratios to
us, and how the time per node grows. Other load on the machine only adds time: if medians and fastest runs differ,
the fastest runs compare the programs, and the medians include the load. A process starts with the 15 MiB of the measuring Python process, so
smaller sizes cannot be distinguished. The models are created, one at a time, in a temporary folder (of FOLDER) and removed; the largest takes 17 GB with its copies.
"""

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent


@dataclass
class Run:
    wall: float
    processor: float
    peak: float  # bytes, mapped pages of files included
    written: int = 0  # bytes


TOUCH = """
import mmap, sys
mmap.mmap(-1, int(sys.argv[1]), flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | mmap.MAP_POPULATE)
"""


def touch_memory(size):
    """The host of a virtual machine reclaims free memory, so the first access to it is slow: up to three times as
    long for a copy of 4 GiB. So a separate process accesses it before each measured process."""
    free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    subprocess.run([sys.executable, "-c", TOUCH, str(min(size, free * 3 // 4))], check=True)


def measure(command, memory):
    """One process, after `memory` bytes have been touched. Writes pending output of earlier processes to the disk
    first, so that it does not count as time of this one."""
    os.sync()
    if memory != 0:
        touch_memory(memory)
    started = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.perf_counter() - started
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        return None
    return Run(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)


@dataclass
class Summary:
    """The measurements of the runs of one command."""

    fastest: float  # wall time
    wall: float  # medians, also below
    processor: float
    peak: float


def summary(runs):
    medians = (statistics.median(getattr(run, field) for run in runs) for field in ("wall", "processor", "peak"))
    return Summary(min(run.wall for run in runs), *medians)


def total_size(files):
    return sum(file.stat().st_size for file in files)


def outputs_in(folder):
    return [*folder.glob("ours.*"), *folder.glob("peer.*"), *folder.glob("copies/*")]


def memory_to_touch(folder, runs):
    """The memory that any of the commands needs: its output, about as large as the model's files, and its peak in the
    runs before. All commands get the same amount, so that none profits from memory that another has touched. 0 for small models, which
    fit into free memory, so that their code stays in the caches."""
    inputs = total_size(file for file in folder.iterdir() if file.is_file())
    needed = max([inputs, *(run.written + run.peak for run in runs)])
    return int(needed) if needed > 2**28 else 0


def rounds_for(seconds, most):
    return max(1, min(most, int(60 / max(seconds, 1e-3))))


def commands_for(build, model, folder):
    files = sorted(folder.glob(model.stem + ".*"))
    copies = folder / "copies"
    copies.mkdir(exist_ok=True)
    plain = {
        "onnx2ir": [build / "onnx2ir", "--quiet", model, "-o", folder / "ours.xml"],
        "openvino": [build / "onnx2ir_peer", model, folder / "peer.xml"],
        "cp": ["cp", *files, copies],
    }
    if not re.match("inline|external", model.stem):
        return {"": plain}
    compressed = {
        "onnx2ir": [*plain["onnx2ir"], "--compress_to_fp16"],
        "openvino": [*plain["openvino"], "fp16"],
        "cp": plain["cp"],
    }
    return {"": plain, " fp16": compressed}


def run_in_turn(commands, folder, most_rounds):
    runs = {name: [] for name in commands}
    limits = dict.fromkeys(commands, most_rounds)
    for number in range(most_rounds):
        # The commands take turns in running first, because the first one is slower if the host must provide memory.
        names = list(commands)
        for name in names[number % len(names) :] + names[: number % len(names)]:
            if number >= limits[name]:
                continue
            for old in outputs_in(folder):
                old.unlink()
            run = measure(commands[name], memory_to_touch(folder, sum(runs.values(), [])))
            if run is None:
                limits[name] = 0
                continue
            run.written = total_size(outputs_in(folder))
            runs[name].append(run)
            limits[name] = rounds_for(run.wall, most_rounds)
    return {name: summary(list_of_runs) if list_of_runs else None for name, list_of_runs in runs.items()}


def cell(value, ours):
    return f"{value:9.3f} {value / ours:7.2f}x" if value is not None and ours else f"{'failed':>18}"


COLUMNS = {
    "wall s": ("wall", 1),
    "fastest s": ("fastest", 1),
    "cpu s": ("processor", 1),
    "peak MiB": ("peak", 2**20),
}


def report(name, results):
    ours = results["onnx2ir"]
    for tool, run in results.items():
        row = f"{name:22} {tool:9}"
        if run is None or ours is None:
            print(row, "failed")
            continue
        print(row, *(cell(getattr(run, field) / unit, getattr(ours, field) / unit) for field, unit in COLUMNS.values()))
    sys.stdout.flush()


def report_growth(results):
    chains = {int(name.split("_")[1]): found for name, found in results.items() if name.startswith("chain_")}
    if not chains:
        return
    print(f"\n{'processor time per node in us':32} {'onnx2ir':>9} {'openvino':>9}")
    for count, found in sorted(chains.items()):
        times = [f"{found[tool].processor / count * 1e6:9.2f}" if found[tool] else " " * 9 for tool in ("onnx2ir", "openvino")]
        print(f"chain of {count:<23,}", *times)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=Path)
    parser.add_argument("--quick", action="store_true", help="only models that take seconds")
    parser.add_argument("--only", default="", help="only models whose name matches this regular expression")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--folder", help="the parent of the temporary folder")
    arguments = parser.parse_args()
    make = [sys.executable, HERE / "large_models.py"]
    names = subprocess.run([*make, "--list"], capture_output=True, text=True, check=True).stdout.split()
    print(f"{'':32}", *(f"{title:>9} {'to us':>8}" for title in COLUMNS))
    everything = {}
    for name in names:
        if not re.search(arguments.only, name) or (arguments.quick and re.search("1000000|inline|external", name)):
            continue
        with tempfile.TemporaryDirectory(dir=arguments.folder) as temporary:
            folder = Path(temporary)
            subprocess.run([*make, folder, name], check=True)
            for variant, commands in commands_for(arguments.build, folder / f"{name}.onnx", folder).items():
                everything[name + variant] = run_in_turn(commands, folder, arguments.rounds)
                report(name + variant, everything[name + variant])
    report_growth(everything)


if __name__ == "__main__":
    main()
