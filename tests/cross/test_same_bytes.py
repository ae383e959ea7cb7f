"""The tool of another system writes the same bytes, and the same messages, as the release build."""

import pytest

from ..conformance.suite import case_names, suite_case
from .tools import HERE, MODEL, MODELS, TESTS, THERE, files, run, text


def is_model(path):
    return path.suffix in (".onnx", ".onnxtxt")


def model_folders():
    return sorted({path.parent for root in (MODELS, TESTS / "golden") for path in root.rglob("*") if is_model(path)})


BATCH = 12


def convert(tool, models, target, *options):
    """Several models in one process: starting an emulator takes longer than a conversion."""
    target.mkdir()
    results = []
    for first in range(0, len(models), BATCH):
        done = run(tool, *models[first : first + BATCH], "-o", f"{target}/", "--jobs", "1", *options)
        results.append((done.returncode, text(done.stderr)))
    return results, files(target)


def compare(models, folder, *options):
    here, there = (convert(tool, models, folder / name, *options) for name, tool in (("here", HERE), ("there", THERE)))
    different = sorted(name for name in here[1].keys() | there[1].keys() if here[1].get(name) != there[1].get(name))
    assert different == []
    assert there[0] == [(code, message.replace("/here/", "/there/")) for code, message in here[0]]
    return len(here[1]) // 2


@pytest.mark.parametrize("folder", model_folders(), ids=lambda folder: str(folder.relative_to(TESTS)))
def test_models(folder, tmp_path):
    compare(sorted(filter(is_model, folder.iterdir())), tmp_path)


def test_models_with_half_precision(tmp_path):
    for i, folder in enumerate(model_folders()):
        (tmp_path / str(i)).mkdir()
        compare(sorted(filter(is_model, folder.iterdir())), tmp_path / str(i), "--compress-to-fp16")


@pytest.mark.parametrize("mode", ["default", "dynamic"])
def test_operators(mode, tmp_path):
    """Cases of ONNX's backend suite."""
    models = []
    for name in case_names()[::3]:
        models.append(tmp_path / f"{name}.onnx")
        models[-1].write_bytes(suite_case(name, mode).model)
    (tmp_path / "out").mkdir()
    assert compare(models, tmp_path / "out") > 250


def test_enough_models_are_compared():
    assert sum(len(list(filter(is_model, folder.iterdir()))) for folder in model_folders()) > 100


@pytest.mark.parametrize("arguments", [["--help"], ["--list-passes"], ["explain", "security"], ["explain", "Loop"], ["show", str(MODEL)]])
def test_text(arguments):
    here, there = run(HERE, *arguments), run(THERE, *arguments)
    assert there.returncode == 0, there.stderr
    assert text(there.stdout) == text(here.stdout)


@pytest.mark.parametrize("commands", [["lint"], ["stats"]])
def test_reports(commands, tmp_path):
    assert run(HERE, MODEL, "-o", tmp_path / "m.xml").returncode == 0
    model = tmp_path / "m.xml" if commands == ["lint"] else MODEL
    here, there = run(HERE, *commands, model), run(THERE, *commands, model)
    assert (there.returncode, text(there.stdout)) == (here.returncode, text(here.stdout))


def test_pages(tmp_path):
    for name, tool in (("here", HERE), ("there", THERE)):
        done = run(tool, "show", MODEL, "--html", tmp_path / name)
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "there").read_bytes() == (tmp_path / "here").read_bytes()
