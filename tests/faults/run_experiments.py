"""Runs experiments on the OpenVINO package of this interpreter: python -m tests.faults.run_experiments [NAME...]

Prints one JSON object: the release, and the outcome of each experiment. Each runs in a separate process, because a fault
may end the process. ONEDNN_MAX_CPU_ISA chooses the instruction set.
"""

import faulthandler
import json
import os
import select
import signal
import sys

import openvino as ov

from .experiment import Unavailable, load_all

FAULTY, RIGHT, UNAVAILABLE, BROKEN = "faulty", "right", "unavailable", "broken"
TIME_LIMIT = 60  # seconds


def release():
    """The release of the OpenVINO package: "2025.4"."""
    return ".".join(ov.get_version().split("-")[0].split(".")[:2])


def _outcome(experiment):
    try:
        return FAULTY if experiment.run() else RIGHT
    except Unavailable as reason:
        return f"{UNAVAILABLE}: {reason}"
    except BaseException as error:  # reported, but not counted as a fault
        return f"{BROKEN}: {type(error).__name__}: {error}"[:2000]


def run_alone(experiment):
    """The outcome of an experiment, in a separate process."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        faulthandler.disable()  # a process that ends here is an outcome, not a report of the test run
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        os.write(writer, _outcome(experiment).encode())
        os._exit(0)
    os.close(writer)
    in_time = bool(select.select([reader], [], [], TIME_LIMIT)[0])
    text = os.read(reader, 4096).decode(errors="replace") if in_time else ""
    os.close(reader)
    if not in_time:
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    if text:
        return text
    return FAULTY if experiment.may_crash else f"{BROKEN}: the process {'ended' if in_time else 'hung'}"


def main():
    experiments = load_all()
    names = sys.argv[1:] or sorted(experiments)
    print(json.dumps({"release": release(), "outcomes": {name: run_alone(experiments[name]) for name in names}}))


if __name__ == "__main__":
    main()
