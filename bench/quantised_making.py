"""Makes the models of ./dev bench --quantised, in a separate process for each network: python -m bench.quantised_making NAME FOLDER FORM..."""

import fcntl
import hashlib
import os
import pickle
import subprocess
import sys
import warnings
from importlib import metadata
from pathlib import Path

from bench import quantised_forms, quantised_networks
from bench.quantised_forms import FORMS
from bench.quantised_networks import CALIBRATION, TESTS, Files
from tests.zoo.cases import code_of

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("torch", "torchvision", "transformers", "onnxruntime", "onnx")


def folder_of(network):
    """The folder in the cache for the models of a network."""
    key = hashlib.sha256()
    for source in (*quantised_networks.sources(network), quantised_forms.__file__):
        key.update(code_of(source))
    key.update(" ".join(map(metadata.version, PACKAGES)).encode())
    cache = os.environ.get("ONNX2IR_CACHE") or Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "onnx2ir"
    return Path(cache) / "quantised-models" / f"{network.name}-{key.hexdigest()[:16]}"


def made(network, forms):
    """The folder with f32.onnx, runs.pickle, and for each form FORM.onnx, or FORM.txt with the reason why it cannot be made."""
    folder = folder_of(network)
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # another run may make the same models
        return _made(network, forms, folder)


def _made(network, forms, folder):
    missing = [form for form in forms if not any((folder / f"{form}.{kind}").exists() for kind in ("onnx", "txt"))]
    if missing or not (folder / "runs.pickle").exists():
        command = [sys.executable, "-m", "bench.quantised_making", network.name, str(folder), *missing]
        # transformers imports TensorFlow if it finds it, which takes seconds and logs.
        quiet = {"USE_TF": "0", "TRANSFORMERS_VERBOSITY": "error", "TF_CPP_MIN_LOG_LEVEL": "3"}
        subprocess.run(command, cwd=ROOT, check=True, env=os.environ | quiet)
    return folder


def make_network(network, folder):
    files = network.build() if network.exporter is None else exported_files(network)
    for form, model in files.models.items():
        (folder / f"{form}.onnx").write_bytes(model)
    (folder / "runs.pickle").write_bytes(pickle.dumps(files.runs))


def exported_files(network):
    from tests.zoo.export import export
    from tests.zoo.registry import Model

    def build():
        built = network.build()
        built.sizes = built.sizes[:1] * (CALIBRATION + TESTS)
        return built

    exported = export(Model(network.name, build, (network.exporter,), {}, 0, 0), network.exporter)
    if exported.failure:
        raise SystemExit(f"{network.name}: {exported.failure}")
    return Files({"f32": exported.model}, list(exported.runs))


def make_form(form, folder):
    runs = pickle.loads((folder / "runs.pickle").read_bytes())[:CALIBRATION]
    part = folder / f"{form}.part.onnx"
    try:
        FORMS[form].apply(folder / "f32.onnx", part, runs)
        part.rename(folder / f"{form}.onnx")
    except Exception as error:  # noqa: BLE001 (the tools raise all kinds)
        (folder / f"{form}.txt").write_text(f"{type(error).__name__}: {error}"[:500])


def main(name, folder, *forms):
    import logging

    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    folder = Path(folder)
    if not (folder / "runs.pickle").exists():
        make_network(quantised_networks.load()[name], folder)
    for form in forms:
        if not (folder / f"{form}.onnx").exists():
            make_form(form, folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
