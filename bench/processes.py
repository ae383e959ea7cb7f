"""Time of whole processes, model to files: onnx2ir and OpenVINO's own conversion, run alternately.

    python bench/processes.py BUILD_FOLDER MODEL ...
"""

import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROUNDS = 40


def measure(command):
    """Seconds of wall clock and of processor time of one process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    done = subprocess.run(command, capture_output=True, close_fds=False, check=False)
    wall = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.decode(errors="replace").strip().splitlines()[0])
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def figures(times):
    walls, processor = zip(*times)
    return f"{statistics.median(walls) * 1e3:8.2f} {min(walls) * 1e3:8.2f} {statistics.median(processor) * 1e3:8.2f}"


def main(build, *models):
    build = Path(build)
    print(f"{'process time in ms':40} {'median':>8} {'min':>8} {'cpu':>8}")
    with tempfile.TemporaryDirectory() as folder:
        for model in models:
            commands = {
                "onnx2ir": [build / "onnx2ir", "--sync", "never", model, "-o", f"{folder}/ours.xml"],
                "openvino": [build / "onnx2ir_peer", model, f"{folder}/peer.xml"],
            }
            times = {name: [] for name in commands}
            for name in list(commands):
                try:
                    measure(commands[name])
                except RuntimeError as error:
                    print(f"{Path(model).name:30} {name:9} {error}")
                    del commands[name]
            for _ in range(ROUNDS):
                for name, command in commands.items():
                    times[name].append(measure(command))
            for name in commands:
                print(f"{Path(model).name:30} {name:9} {figures(times[name])}")


if __name__ == "__main__":
    main(*sys.argv[1:])
