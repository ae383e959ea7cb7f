"""Measures which releases and instruction sets have which faults: python -m tests.faults.measure --help

`./dev faults` calls it with an interpreter for each supported release.
"""

import argparse
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from .. import isa
from . import occurrences
from .run_experiments import FAULTY, RIGHT, UNAVAILABLE

# Levels of ONEDNN_MAX_CPU_ISA, and a flag of /proc/cpuinfo that a CPU needs to run each.
LEVELS = {
    "AVX2": "avx2",
    "AVX512_CORE": "avx512bw",
    "AVX512_CORE_VNNI": "avx512_vnni",
    "AVX512_CORE_BF16": "avx512_bf16",
    "AVX512_CORE_AMX": "amx_int8",
}


def supported_levels():
    """The levels that this machine can run."""
    with open("/proc/cpuinfo") as file:
        flags = next(line for line in file if line.startswith("flags")).split()
    return [level for level, flag in LEVELS.items() if flag in flags]


def run(interpreter, level, names):
    """(release, level, outcomes by name)."""
    done = subprocess.run(
        [interpreter, "-W", "ignore", "-m", "tests.faults.run_experiments", *names],
        capture_output=True,
        text=True,
        env=os.environ | isa.environment(level) | {"OPENVINO_TELEMETRY": "0"},
    )
    if done.returncode != 0:
        sys.exit(f"{interpreter}: {done.stderr}")
    answer = json.loads(done.stdout)
    return answer["release"], level, answer["outcomes"]


def measure(interpreters, levels, names):
    """For each experiment, its outcome for each (release, level)."""
    jobs = [(interpreter, level) for interpreter in interpreters for level in levels]
    table = {}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for release, level, outcomes in pool.map(lambda job: run(*job, names), jobs):
            for name, outcome in outcomes.items():
                table.setdefault(name, {})[occurrences.parse_release(release), level] = outcome
    return table


def parse_arguments():
    parser = argparse.ArgumentParser(description="Runs the experiments on several releases and instruction sets.")
    parser.add_argument("names", nargs="*", help="experiments; all by default")
    parser.add_argument("--interpreter", action="append", required=True, help="a Python with an OpenVINO release")
    parser.add_argument("--update", action="store_true", help="rewrite target/fault_occurrences.txt")
    parser.add_argument("-v", "--verbose", action="store_true", help="print each outcome")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    levels = supported_levels()
    missing = [level for level in LEVELS if level not in levels]
    if missing:
        print(f"this CPU lacks {', '.join(missing)}: what the table says of them is kept")
    table = measure(arguments.interpreter, levels, arguments.names)
    rows, failed = dict(occurrences.load()), False
    for name, outcomes in sorted(table.items()):
        broken = {place: outcome for place, outcome in outcomes.items() if outcome.split(":")[0] not in (FAULTY, RIGHT, UNAVAILABLE)}
        found = [place for place, outcome in outcomes.items() if outcome == FAULTY]
        if arguments.verbose or broken:
            for (release, level), outcome in sorted((outcomes if arguments.verbose else broken).items()):
                print(f"{name} {release[0]}.{release[1]} {level}: {outcome}")
        failed = failed or bool(broken)
        if not found:
            print(f"{name}: no release has this fault")
            failed = True
            continue
        row = occurrences.summarize(found, max(release for release, _ in outcomes), list(LEVELS), missing, rows.get(name))
        if row != rows.get(name):
            print(f"{name}: measured {row}, written down {rows.get(name)}")
            failed = failed or not arguments.update
        rows[name] = row
    if arguments.update:
        if not arguments.names:
            rows = {name: rows[name] for name in table if name in rows}
        occurrences.save(rows)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
