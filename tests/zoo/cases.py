"""Conformance cases of exported models; exports are cached."""

import ast
import functools
import hashlib
import inspect
import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib import metadata
from pathlib import Path

import onnx

from ..conformance.case import Case, Run
from ..conformance.pool import WORKERS
from ..conformance.tool import REPOSITORY
from . import export as exporting
from . import registry
from .outcome import Exported

EXPORT_SECONDS = 600
CASE_SECONDS = 120.0
_PACKAGES = ("torch", "torchvision", "transformers", "onnxscript", "onnx", "tensorflow-cpu", "tf2onnx")


def exported_models(pairs):
    """The Exported of each pair of a model and an exporter, in the same order."""
    paths = [export_path(*pair) for pair in pairs]  # not in threads: ast.parse of Python 3.11 fails in several at a time
    with ThreadPoolExecutor(WORKERS) as threads:
        return list(threads.map(lambda pair, path: _exported(*pair, path), pairs, paths))


def make_case(model, exporter, exported):
    runs = [Run(inputs) for inputs in exported.runs]
    name = f"{model.name}-{exporter}"
    oracle = exported.reference or None
    return Case(name, exported.model, runs, one_compiled=True, rtol=model.rtol, atol=model.atol, oracle_model=oracle, time_limit=CASE_SECONDS)


def count_nodes(exported):
    return len(onnx.load_from_string(exported.model).graph.node)


def export_path(model, exporter):
    """The file of the cached export. Its name depends on the code of the scripts and on the versions of the packages."""
    module = inspect.getmodule(inspect.unwrap(model.build))
    used = [exporting, registry, module, *_imports_from_zoo(module)]
    sources = sorted({inspect.getsourcefile(source) for source in used})
    key = hashlib.sha256(b"".join(map(code_of, sources)))
    key.update(" ".join(map(metadata.version, _PACKAGES)).encode())
    cache = os.environ.get("ONNX2IR_CACHE") or Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "onnx2ir"
    return Path(cache) / "zoo-exports" / f"{model.name}-{exporter}-{key.hexdigest()[:16]}.pickle"


@functools.cache
def code_of(path):
    """The syntax tree of a source, without comments and docstrings."""
    tree = ast.parse(Path(path).read_bytes())
    for node in ast.walk(tree):
        has_docstring = isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None
        if has_docstring:
            del node.body[0]
    return ast.dump(tree).encode()


def _imports_from_zoo(module):
    """Functions and classes that a file of models imports from other files."""
    named = [value for value in vars(module).values() if inspect.isfunction(value) or inspect.isclass(value)]
    return [value for value in named if value.__module__.startswith(__package__)]


def _exported(model, exporter, path):
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "tests.zoo.export", model.name, exporter, str(path)]
        try:
            done = subprocess.run(
                command, cwd=REPOSITORY, capture_output=True, text=True, timeout=EXPORT_SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            return Exported(failure=f"no end within {EXPORT_SECONDS} s")
        if done.returncode != 0:
            return Exported(failure=f"exit code {done.returncode}: {done.stderr[-2000:]}")
    return pickle.loads(path.read_bytes())
