"""Models as Optimum exports them: `onnx2ir verify` finds that their conversions equal onnxruntime, and the exports that the tests of pages
keep are those of the installed release."""

import os
import re
import subprocess
import sys
from pathlib import Path

import onnx
import pytest

from ..browser import exports
from ..conformance.tool import tool_path
from .architectures import ENCODER_DECODERS, OF_OPTIMUM, export_by_optimum

KEPT = {"llama": ("llama", "model.onnx"), "bart_merged": ("bart", "decoder_model_merged.onnx")}


@pytest.fixture(scope="module")
def export(tmp_path_factory):
    folders = {}

    def exported(name):
        if name not in folders:
            folders[name] = export_by_optimum(name, tmp_path_factory.mktemp(name))
        return folders[name]

    return exported


def run_verify(path):
    environment = {**os.environ, "PYTHONPATH": str(Path(tool_path()).parent / "python"), "PYTHONWARNINGS": "ignore"}
    return subprocess.run([sys.executable, "-m", "onnx2ir.verify", path], env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", [*OF_OPTIMUM, *ENCODER_DECODERS])
def test_verify(export, name):
    """All sizes are chosen from the names of dimensions; no result is equal because it is NaN."""
    paths = sorted(export(name).glob("*model*.onnx"))
    decoders = [path for path in paths if "encoder" not in path.name]
    assert len(decoders) == (3 if name in ENCODER_DECODERS else 1)
    for path in decoders:
        done = run_verify(path)
        assert done.returncode == 0, f"{path.name}: {done.stdout}{done.stderr}"
        assert re.search(r"^1 +logits .* equal$", done.stdout, re.MULTILINE), done.stdout
        assert "NaN" not in done.stdout + done.stderr


def nodes_of(graph):
    """Operators, names and outputs, also in branches. Which of two equal weights Optimum keeps when it merges decoders differs from run to run."""
    for node in graph.node:
        yield node.op_type, node.name, *node.output
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from nodes_of(attribute.g)


@pytest.mark.parametrize("name", KEPT)
def test_kept_exports(export, name, request):
    architecture, file = KEPT[name]
    model = exports.without_weights(onnx.load(export(architecture) / file))
    if request.config.getoption("--update"):
        exports.keep(name, model)
    kept = exports.kept(name)
    assert [*nodes_of(kept.graph)] == [*nodes_of(model.graph)]
    assert [*kept.graph.input, *kept.graph.output] == [*model.graph.input, *model.graph.output]
