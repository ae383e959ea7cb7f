"""The same bytes whatever the path, the working folder, the locale, the umask, the environment and the number of threads."""

import os

import pytest

from .pairs import convert, save_model

VARIANTS = {
    "locale": {"env": {"LC_ALL": "de_DE.UTF-8", "LANG": "tr_TR.UTF-8"}},
    "umask": {"preexec_fn": lambda: os.umask(0o077)},
    "environment": {"env": {"MALLOC_PERTURB_": "165", "HOME": "/nonexistent", "TZ": "Asia/Tokyo"}},
    "no environment": {"env": {}},
    "large environment": {"env": {"PADDING": "x" * 100_000}},
}


@pytest.fixture(scope="module")
def converted(tmp_path_factory):
    folder = tmp_path_factory.mktemp("determinism")
    save_model(folder / "model.onnx", 3, 1)
    return folder


def outputs(folder, *options, model="model.onnx", xml="o.xml", **keywords):
    done = convert(model, xml, *options, cwd=folder, **keywords)
    assert done.returncode == 0, done.stderr
    path = folder / xml
    return path.read_bytes(), path.with_suffix(".bin").read_bytes()


@pytest.mark.parametrize("compress", [(), ("--compress_to_fp16",)], ids=["f32", "fp16"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_process(variant, compress, converted):
    folder = converted
    assert outputs(folder, *compress, **VARIANTS[variant]) == outputs(folder, *compress)


@pytest.mark.parametrize("threads", ["1", "2", "7"])
def test_threads(threads, converted):
    folder = converted
    assert outputs(folder, "--compress_to_fp16", "--threads", threads) == outputs(folder, "--compress_to_fp16")


def test_path(converted):
    folder = converted
    expected = outputs(folder)
    other = folder / "another folder, with ümläuts"
    other.mkdir()
    (other / "renamed.onnx").write_bytes((folder / "model.onnx").read_bytes())
    assert outputs(other, model="renamed.onnx", xml="p.xml") == expected
    assert outputs(folder, model=str(other / "renamed.onnx"), xml=str(other / "q.xml")) == expected


def test_inline_and_external_weights(converted):
    """Where the weights of a model are is no part of it."""
    folder = converted
    external = folder / "external"
    external.mkdir()
    save_model(external / "model.onnx", 3, 1, external=True)
    assert outputs(external) == outputs(folder)
