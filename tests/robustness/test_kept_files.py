"""Files that a conversion must not overwrite, and the properties of replaced files that it keeps."""

import os
import stat
import subprocess

import onnx
import pytest

from ..passes.tool import opt_path
from .pairs import check, convert, save_model, strays


@pytest.fixture
def external(tmp_path):
    """A model with its weights in ez.bin."""
    save_model(tmp_path / "ez.onnx", 1, 1, external=True)
    return tmp_path


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def assert_refused(done, folder, before, message):
    assert done.returncode == 1, done.stderr
    assert message in done.stderr
    assert "choose another name or folder" in done.stderr
    assert contents(folder) == before


def test_external_data_is_not_overwritten(external):
    before = contents(external)
    done = convert("ez.onnx", ".", cwd=external)
    assert_refused(done, external, before, "ez.bin', which 'ez.onnx' is read from")


def test_a_link_to_external_data_is_not_replaced(external):
    (external / "out").mkdir()
    (external / "out/ez.bin").symlink_to("../ez.bin")
    done = convert(external / "ez.onnx", external / "out")
    assert done.returncode == 1 and "would be written over" in done.stderr
    assert (external / "out/ez.bin").is_symlink()


def test_the_model_is_not_overwritten(tmp_path):
    save_model(tmp_path / "model.xml", 1, 1)
    before = contents(tmp_path)
    assert_refused(convert("model.xml", "model.xml", cwd=tmp_path), tmp_path, before, "which the model is read from")


def test_a_text_model_is_not_overwritten(tmp_path):
    (tmp_path / "model.xml").write_text('<ir_version: 9, opset_import: ["" : 17]> g (float x) => (float y) { y = Neg (x) }')
    before = contents(tmp_path)
    assert_refused(convert("model.xml", "model.xml", cwd=tmp_path), tmp_path, before, "which the model is read from")


def test_xml_and_bin_must_be_different_files(tmp_path):
    save_model(tmp_path / "model.onnx", 1, 1)
    (tmp_path / "o.xml").write_text("old")
    os.link(tmp_path / "o.xml", tmp_path / "o.bin")
    before = contents(tmp_path)
    assert_refused(convert("model.onnx", "o.xml", cwd=tmp_path), tmp_path, before, "'o.bin' would be written over 'o.xml', which the XML is written to")


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir], ids=["pipe", "folder"])
def test_only_regular_files_are_replaced(make, tmp_path):
    save_model(tmp_path / "model.onnx", 1, 1)
    make(tmp_path / "o.bin")
    done = convert("model.onnx", "o.xml", cwd=tmp_path)
    assert done.returncode == 1
    assert "'o.bin' exists and is not a regular file" in done.stderr
    assert not (tmp_path / "o.xml").exists()


@pytest.mark.parametrize("name", ["o.ir", "o.bin"])
def test_text_ir_does_not_replace_a_device(name, tmp_path):
    save_model(tmp_path / "model.onnx", 1, 1)
    os.mkfifo(tmp_path / name)
    done = subprocess.run([opt_path(), "model.onnx", "-o", "o.ir"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1
    assert f"'{name}' exists and is not a regular file" in done.stderr
    assert stat.S_ISFIFO((tmp_path / name).stat().st_mode)
    assert {path.name for path in tmp_path.iterdir()} == {"model.onnx", name}


def test_file_modes(tmp_path):
    save_model(tmp_path / "model.onnx", 1, 1)
    pair = [tmp_path / "model.xml", tmp_path / "model.bin"]

    def modes(umask):
        assert convert("model.onnx", ".", cwd=tmp_path, preexec_fn=lambda: os.umask(umask)).returncode == 0
        return [stat.S_IMODE(path.stat().st_mode) for path in pair]

    assert modes(0o027) == [0o640, 0o640]
    for path in pair:
        path.chmod(0o600)
    assert modes(0o022) == [0o600, 0o600]
    for path in pair:
        path.chmod(0o666)
    assert modes(0o077) == [0o666, 0o666]
    for path in pair:
        path.unlink()
    assert modes(0o022) == [0o644, 0o644]


def test_files_of_a_killed_writer_are_removed(tmp_path):
    save_model(tmp_path / "model.onnx", 1, 1)
    (tmp_path / "out").mkdir()
    for role in ("weights", "model"):
        (tmp_path / f"out/.onnx2ir-{role}").write_text("left")
    assert convert("model.onnx", "out/model.xml", cwd=tmp_path).returncode == 0
    assert strays(tmp_path / "out", tmp_path / "out/model.xml") == []
    assert check(tmp_path / "out/model.xml").returncode == 0


@pytest.mark.parametrize("when", ["replaced", "always", "never"])
def test_sync(when, tmp_path):
    save_model(tmp_path / "model.onnx", 1, 1)
    for _ in range(2):
        assert convert("model.onnx", "o.xml", "--sync", when, cwd=tmp_path).returncode == 0
    assert check(tmp_path / "o.xml").returncode == 0


def test_a_model_without_constants(tmp_path):
    graph = onnx.helper.make_graph(
        [onnx.helper.make_node("Neg", ["x"], ["y"])],
        "g",
        [onnx.helper.make_tensor_value_info("x", 1, (2,))],
        [onnx.helper.make_tensor_value_info("y", 1, (2,))],
    )
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=9), tmp_path / "model.onnx")
    assert convert("model.onnx", "o.xml", cwd=tmp_path).returncode == 0
    assert check(tmp_path / "o.xml").returncode == 0
    assert "not written" not in check(tmp_path / "o.xml").stderr
    (tmp_path / "o.bin").write_bytes(b"x")
    assert check(tmp_path / "o.xml").returncode == 1
