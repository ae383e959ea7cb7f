"""Runs experiments on models in which `onnx2ir legalize` has worked around faults: python -m tests.faults.run_legalized TOOL NAME...

Prints one JSON object: for each experiment its outcome, and the faults that `onnx2ir lint` finds in the models that it compiles.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import openvino as ov

from . import experiment
from .run_experiments import run_alone


def legalized(tool, log):
    """A preparation (experiment.py) that appends the found faults to the file `log`."""

    def prepare(model):
        with tempfile.TemporaryDirectory() as folder:
            xml, fixed = Path(folder, "model.xml"), Path(folder, "fixed.xml")
            ov.save_model(model, xml, compress_to_fp16=False)
            done = subprocess.run([tool, "lint", xml, "--json"], capture_output=True, text=True)
            if done.returncode not in (0, 1):
                raise AssertionError(done.stderr)
            with open(log, "a") as file:
                file.writelines(layer["fault"] + "\n" for layer in json.loads(done.stdout))
            done = subprocess.run([tool, "legalize", xml, "-o", fixed], capture_output=True, text=True)
            if done.returncode != 0:
                raise AssertionError(done.stderr)
            return ov.Core().read_model(fixed)

    return prepare


def main():
    tool, *names = sys.argv[1:]
    experiments = experiment.load_all()
    answer = {}
    for name in names or sorted(experiments):
        with tempfile.NamedTemporaryFile("r") as log:
            experiment.preparation = legalized(tool, log.name)
            outcome = run_alone(experiments[name])
            answer[name] = {"outcome": outcome, "found": sorted(set(log.read().split()))}
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
