"""Names, long paths, pairs, locks and external data with the tool of another system."""

import shutil
import subprocess

import pytest

from .tools import HERE, MODEL, MODELS, THERE, files, run


@pytest.mark.parametrize("name", ["Größe", "模型", "модель", "🙂", " space ' quote"])
def test_names_in_any_language(name, tmp_path):
    folder = tmp_path / name
    folder.mkdir()
    model = folder / f"{name}.onnx"
    shutil.copy(MODEL, model)
    xml = folder / f"{name} out.xml"
    done = run(THERE, model, "-o", xml)
    assert done.returncode == 0, done.stderr
    assert run(HERE, model, "-o", tmp_path / "m.xml").returncode == 0
    assert xml.read_bytes() == (tmp_path / "m.xml").read_bytes()
    assert xml.with_suffix(".bin").read_bytes() == (tmp_path / "m.bin").read_bytes()
    assert run(THERE, "--check-files", xml).returncode == 0


def test_messages_have_names_in_utf_8(tmp_path):
    done = run(THERE, tmp_path / "模型.onnx", "-o", tmp_path)
    assert done.returncode == 1
    assert "模型.onnx" in done.stderr.decode() and "No such file or directory" in done.stderr.decode()


def test_long_paths(tmp_path):
    folder = tmp_path.joinpath(*["folder_" + 60 * "x"] * 5)
    folder.mkdir(parents=True)
    shutil.copy(MODEL, folder / "model.onnx")
    done = run(THERE, folder / "model.onnx", "-o", folder / "out.xml")
    assert done.returncode == 0, done.stderr
    assert sorted(files(folder)) == ["model.onnx", "out.bin", "out.xml"]
    assert run(THERE, "--check-files", folder / "out.xml").returncode == 0


def test_folders_are_created(tmp_path):
    done = run(THERE, MODEL, "-o", tmp_path / "new/folder/m.xml")
    assert done.returncode == 0, done.stderr
    assert sorted(files(tmp_path / "new/folder")) == ["m.bin", "m.xml"]


def test_a_replaced_pair_leaves_no_other_files(tmp_path):
    for _ in range(2):
        done = run(THERE, MODEL, "-o", tmp_path / "m.xml")
        assert done.returncode == 0, done.stderr
    assert sorted(files(tmp_path)) == ["m.bin", "m.xml"]
    model = MODELS / "powers.onnxtxt"
    assert run(THERE, model, "-o", tmp_path / "m.xml").returncode == 0
    (tmp_path / "here").mkdir()
    assert run(HERE, model, "-o", tmp_path / "here/m.xml").returncode == 0
    assert {name: (tmp_path / name).read_bytes() for name in ("m.xml", "m.bin")} == files(tmp_path / "here")


def test_writers_at_the_same_time_leave_the_pair_of_one_model(tmp_path):
    models = [MODEL, MODELS / "powers.onnxtxt"]
    pairs = []
    for i, model in enumerate(models):
        (tmp_path / str(i)).mkdir()
        assert run(HERE, model, "-o", tmp_path / str(i) / "m.xml").returncode == 0
        pairs.append(files(tmp_path / str(i)))
    out = tmp_path / "out"
    out.mkdir()
    for _ in range(5):
        writers = [subprocess.Popen([THERE, model, "-o", out / "m.xml"], stderr=subprocess.PIPE) for model in models * 2]
        for writer in writers:
            message = writer.communicate(timeout=600)[1]
            assert writer.returncode == 0, message
        assert files(out) in pairs


def test_a_model_is_not_overwritten(tmp_path):
    model = tmp_path / "m.xml"
    shutil.copy(MODEL, model)
    done = run(THERE, model, "-o", tmp_path / "m.xml")
    assert done.returncode != 0
    assert files(tmp_path) == {"m.xml": MODEL.read_bytes()}


def test_a_mismatched_pair_is_rejected(tmp_path):
    xml = tmp_path / "m.xml"
    assert run(THERE, MODEL, "-o", xml).returncode == 0
    xml.with_suffix(".bin").write_bytes(b"\1" + xml.with_suffix(".bin").read_bytes()[1:])
    done = run(THERE, "--check-files", xml)
    assert done.returncode == 1 and b"do not belong together" in done.stderr


def test_a_model_on_standard_input(tmp_path):
    with MODEL.open("rb") as stream:
        done = run(THERE, "-", "-o", tmp_path / "m.xml", stdin=stream)
    assert done.returncode == 0, done.stderr
    assert run(HERE, MODEL, "-o", tmp_path / "n.xml").returncode == 0
    assert (tmp_path / "m.bin").read_bytes() == (tmp_path / "n.bin").read_bytes()


EXTERNAL = """<ir_version: 8, opset_import: ["" : 16]> m (float[1024] x) => (float[1024] y)
<float[1024] w = ["location": "%s"]> { y = Add (x, w) }"""


def test_external_data(tmp_path):
    (tmp_path / "w.data").write_bytes(bytes(range(256)) * 16)
    (tmp_path / "m.onnxtxt").write_text(EXTERNAL % "w.data")
    done = run(THERE, tmp_path / "m.onnxtxt", "-o", tmp_path / "m.xml")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "m.bin").read_bytes() == (tmp_path / "w.data").read_bytes()


@pytest.mark.parametrize(("location", "reason"), [("link.data", "outside the model's folder"), ("../secret", "contains '..'")])
def test_external_data_outside_is_rejected(location, reason, tmp_path):
    inside = tmp_path / "inside"
    inside.mkdir()
    (tmp_path / "secret").write_bytes(bytes(4096))
    (inside / "link.data").symlink_to(tmp_path / "secret")
    (inside / "m.onnxtxt").write_text(EXTERNAL % location)
    done = run(THERE, inside / "m.onnxtxt", "-o", tmp_path / "bad.xml")
    assert done.returncode == 1 and reason in done.stderr.decode()
    assert not (tmp_path / "bad.xml").exists()
