"""No file that the tool reads or writes is overwritten by another one that it writes: each way is refused before anything is written."""

import json
import os
import subprocess

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from ..conformance.tool import tool_path

MAP = '{"operators": []}'


def save(path, *, external=None, unsupported=False):
    weights = onnx.numpy_helper.from_array(np.arange(4096, dtype=np.float32), "w")
    nodes = [helper.make_node("Add", ["x", "w"], ["y"])]
    if unsupported:
        nodes = [helper.make_node("Frobnicate", ["x", "w"], ["y"], domain="com.example")]
    value = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [4096]) for name in "xy"]
    graph = helper.make_graph(nodes, "g", value[:1], value[1:], initializer=[weights])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("com.example", 1)], ir_version=9)
    options = {"save_as_external_data": True, "location": external, "size_threshold": 0} if external else {}
    onnx.save(model, path, **options)


@pytest.fixture
def folder(tmp_path):
    """A folder with files of all kinds that the tool reads, and links to them."""
    save(tmp_path / "m.onnx", external="w.data")
    save(tmp_path / "inner.onnx")
    save(tmp_path / "broken.onnx", external="broken.data", unsupported=True)
    save(tmp_path / "a.onnx")
    save(tmp_path / "b.onnx", external="a.bin")
    (tmp_path / "map.json").write_text(MAP)
    (tmp_path / "out.bin").write_text(MAP)
    (tmp_path / "rules.xml").write_text(MAP)
    (tmp_path / "extension.so").write_bytes(b"\x7fELF")
    (tmp_path / "text.ir").write_text("not read")
    (tmp_path / "text.bin").write_text("not read")
    subprocess.run([tool_path(), "inner.onnx", "-o", "ir.xml"], cwd=tmp_path, check=True)
    save(tmp_path / ".onnx2ir-weights")  # the name of temporary files
    (tmp_path / "sub").mkdir()
    for name, target in {"to_m": "m.onnx", "to_w": "w.data", "to_ir": "ir.xml", "to_bin": "ir.bin", "to_new": "new.xml", "to_map": "map.json"}.items():
        (tmp_path / name).symlink_to(target)
    os.link(tmp_path / "m.onnx", tmp_path / "hard_m")
    os.link(tmp_path / "ir.xml", tmp_path / "hard_ir")
    os.link(tmp_path / "ir.bin", tmp_path / "hard_bin")
    os.link(tmp_path / "map.json", tmp_path / "hard_map")
    return tmp_path


def contents(folder):
    return {
        path.relative_to(folder): os.readlink(path) if path.is_symlink() else path.read_bytes()
        for path in folder.rglob("*")
        if path.is_symlink() or path.is_file()
    }


WAYS = [
    "m.onnx -o new --report m.onnx",
    "m.onnx -o new --report ./m.onnx",
    "m.onnx -o new --report sub/../m.onnx",
    "m.onnx -o new --report {folder}/m.onnx",
    "m.onnx -o new --report to_m",
    "m.onnx -o new --report hard_m",
    "m.onnx --check --report m.onnx",
    "m.onnx --check --report to_m",
    "to_m -o new --report m.onnx",
    "m.onnx -o new --html m.onnx",
    "m.onnx --check --html m.onnx",
    "m.onnx -o new --html to_m",
    "m.onnx -o new --html hard_m",
    "m.onnx -o new --report w.data",
    "m.onnx -o new --report to_w",
    "m.onnx --check --report w.data",
    "m.onnx -o new --html w.data",
    "m.onnx --check --html to_w",
    "broken.onnx -o new --report broken.data",
    "inner.onnx -o new --operator-map map.json --report map.json",
    "inner.onnx -o new --operator-map map.json --report to_map",
    "inner.onnx -o new --operator-map map.json --html hard_map",
    "inner.onnx --check --operator-map to_map --html map.json",
    "inner.onnx -o out --operator-map out.bin",
    "inner.onnx -o rules --operator-map rules.xml",
    "inner.onnx -o new --extension extension.so --report extension.so",
    "inner.onnx -o new --extension extension.so --html extension.so",
    "inner.onnx -o out --extension out.bin",
    "inner.onnx -o new --report new.xml",
    "inner.onnx -o new --report new.bin",
    "inner.onnx -o new --html new.xml",
    "inner.onnx -o new --html sub/../new.bin",
    "inner.onnx -o new --html to_new",
    "inner.onnx -o sub/ --report sub/inner.xml",
    "inner.onnx -o missing/new --report missing/new.bin",
    "inner.onnx -o new --report page --html page",
    "inner.onnx -o new --report page --html {folder}/sub/../page",
    "show inner.onnx --html inner.onnx",
    "show m.onnx --html w.data",
    "show ir.xml --html ir.xml",
    "show ir.xml --html ir.bin",
    "show ir.xml --html to_ir",
    "show ir.xml --html hard_bin",
    "show to_ir --html ir.xml",
    "show text.ir --html text.bin",
    "show inner.onnx --operator-map map.json --html map.json",
    "- -o new --report inner.onnx",
    "- -o new --html inner.onnx",
    "a.onnx b.onnx",
    "b.onnx a.onnx -o ./",
    "inner.onnx m.onnx -o sub --report w.data",
    ".onnx2ir-weights -o new",
    "m.onnx -o sub/w",
    "stats m.onnx --html m.onnx",
    "stats m.onnx --html to_w",
    "stats ir.xml --html ir.bin",
    "diff ir.xml inner.onnx --html ir.xml",
    "diff ir.xml inner.onnx --report ir.xml",
    "verify inner.onnx ir.xml --report ir.xml",
    "verify inner.onnx --html inner.onnx",
    "--check-files ir.xml --html ir.xml inner.onnx --report ir.bin",
]
# These commands have no such option, or need another package.
WITHOUT_MESSAGE = ("diff", "verify", "--check-files", "m.onnx -o sub/w")


@pytest.mark.parametrize("way", WAYS)
def test_nothing_is_lost(way, folder):
    before = contents(folder)
    words = [word.format(folder=folder) for word in way.split()]
    with open(folder / "inner.onnx", "rb") as standard_input:
        done = subprocess.run([tool_path(), *words], cwd=folder, stdin=standard_input, capture_output=True, text=True, timeout=60, check=False)
    now = contents(folder)
    changed = {str(path) for path in before.keys() | now.keys() if before.get(path) != now.get(path)}
    if way == "m.onnx -o sub/w":
        assert changed == {"sub/w.xml", "sub/w.bin"} and done.returncode == 0
        return
    assert not changed, done.stderr
    if not way.startswith(WITHOUT_MESSAGE):
        assert done.returncode == 1, done.stderr
        assert "would be written over" in done.stderr
        assert "choose another name or folder for the output" in done.stderr


def test_devices_and_old_files_are_written(folder):
    """What is no file of the run is replaced as before."""
    (folder / "old.json").write_text("old")
    (folder / "old.html").write_text("old")
    words = ["inner.onnx", "-o", "old.xml", "--report", "old.json", "--html", "old.html"]
    for _ in range(2):
        subprocess.run([tool_path(), *words], cwd=folder, check=True)
    assert "onnx2ir" in json.loads((folder / "old.json").read_text())
    assert (folder / "old.html").read_text().startswith("<!DOCTYPE html>")
    subprocess.run([tool_path(), "m.onnx", "--check", "--report", "/dev/null", "--html", "/dev/null"], cwd=folder, check=True)
