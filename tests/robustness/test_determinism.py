"""The output does not depend on the path, the working directory, the locale, the umask, the environment, the number of threads, the processor
and the compiler. tests/unit/locale_test.cpp changes the locale of the process that uses the library."""

import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from ..conformance.suite import case_names, suite_case
from ..conformance.tool import REPOSITORY, tool_path
from .pairs import command, convert, run, save_model

VARIANTS = {
    "locale": {"env": {"LC_ALL": "de_DE.UTF-8", "LANG": "tr_TR.UTF-8"}},
    "umask": {"preexec_fn": lambda: os.umask(0o077)},
    "environment": {"env": {"MALLOC_PERTURB_": "165", "HOME": "/nonexistent", "TZ": "Asia/Tokyo"}},
    "no environment": {"env": {}},
    "large environment": {"env": {"PADDING": "x" * 100_000}},
}
# glibc chooses its functions (exp, memcpy) by the processor; these variables select the functions for smaller processors.
PROCESSORS = {
    "AVX2": "-AVX512F,-AVX512VL,-AVX512BW,-AVX512DQ,-AVX512CD,-EVEX",
    "SSE2": "-AVX512F,-AVX512VL,-AVX2,-AVX,-FMA,-FMA4,-SSE4_1,-SSE4_2,-ERMS",
}
MODELS = [
    path
    for folder in ("models/found", "models/traps", "golden")
    for path in sorted((REPOSITORY / "tests" / folder).glob("*.onnxtxt"))
]
MATH = REPOSITORY / "tests/golden/mathematical_constants.onnxtxt"
RELEASE = REPOSITORY / "build/release/onnx2ir"


@pytest.fixture(scope="module")
def converted(tmp_path_factory):
    folder = tmp_path_factory.mktemp("determinism")
    save_model(folder / "model.onnx", 3, 1)
    return folder


def bytes_of(xml):
    return xml.read_bytes(), xml.with_suffix(".bin").read_bytes()


def outputs(folder, *options, model="model.onnx", xml="o.xml", **keywords):
    done = convert(model, xml, *options, cwd=folder, **keywords)
    assert done.returncode == 0, done.stderr
    return bytes_of(folder / xml)


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
    """The location of a model's weights does not affect the output."""
    folder = converted
    external = folder / "external"
    external.mkdir()
    save_model(external / "model.onnx", 3, 1, external=True)
    assert outputs(external) == outputs(folder)


@pytest.mark.parametrize("processor", PROCESSORS)
def test_processor(processor, tmp_path):
    environment = {"GLIBC_TUNABLES": f"glibc.cpu.hwcaps={PROCESSORS[processor]}"}
    compress = "--compress_to_fp16"
    for model in [MATH, *MODELS[::10]]:
        expected = outputs(tmp_path, compress, model=str(model))
        assert outputs(tmp_path, compress, model=str(model), env=environment) == expected, model.stem


@pytest.mark.parametrize("model", MODELS, ids=lambda path: path.stem)
def test_compiler(model, tmp_path):
    """Compares the converter under test with the release build. `./dev test --sanitizers` tests one that Clang has compiled."""
    expected = run([str(RELEASE), *command(model, tmp_path / "release.xml")[1:]])
    found = convert(model, tmp_path / "tested.xml")
    assert (found.returncode, found.stderr) == (expected.returncode, expected.stderr)
    if expected.returncode == 0:
        assert bytes_of(tmp_path / "tested.xml") == bytes_of(tmp_path / "release.xml")


@pytest.mark.skipif("ONNX2IR_SANITIZED" not in os.environ, reason="compares two builds: ./dev test --sanitizers")
def test_compiler_with_all_operators(tmp_path):
    """The same with the cases of the backend suite: what each translator emits has one order."""

    def written(tool, model, xml):
        done = run([tool, *command(model, xml)[1:]])
        return done.returncode, bytes_of(xml) if done.returncode == 0 else done.stderr

    def is_equal(name):
        model = tmp_path / f"{name}.onnx"
        model.write_bytes(suite_case(name).model)
        tested = written(tool_path(), model, tmp_path / f"{name}.tested.xml")
        return tested == written(str(RELEASE), model, tmp_path / f"{name}.release.xml")

    names = case_names()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        different = [name for name, equal in zip(names, pool.map(is_equal, names)) if not equal]
    assert len(names) > 1000 and not different, " ".join(different)
