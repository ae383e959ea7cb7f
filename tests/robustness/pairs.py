"""Models with weights, their pairs of files, and the state of a folder after a disturbed conversion."""

import resource
import subprocess
from dataclasses import dataclass

import numpy as np
import onnx
from onnx import TensorProto, helper

from ..conformance.tool import tool_path

COLUMNS = 256


def save_model(path, megabytes, seed, *, external=False):
    """Adds matrices of 1 MiB to an input, one after the other. Models with different seeds differ only in their weights."""
    rows = (1 << 20) // 4 // COLUMNS
    random = np.random.default_rng(seed)
    tensors, nodes = [], []
    for i in range(megabytes):
        values = random.standard_normal((rows, COLUMNS), np.float32)
        tensors.append(onnx.numpy_helper.from_array(values, f"w{i}"))
        nodes.append(helper.make_node("Add", [f"v{i}", f"w{i}"], [f"v{i + 1}"]))
    shape = (rows, COLUMNS)
    graph = helper.make_graph(
        nodes,
        "weights",
        [helper.make_tensor_value_info("v0", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info(f"v{megabytes}", TensorProto.FLOAT, shape)],
        initializer=tensors,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    options = {"save_as_external_data": True, "location": path.stem + ".bin", "size_threshold": 0} if external else {}
    onnx.save(model, path, **options)


def command(model, xml, *options):
    return [tool_path(), str(model), "-o", str(xml), *options]


def run(words, **keywords):
    return subprocess.run(
        words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False, **keywords
    )


def convert(model, xml, *options, **keywords):
    return run(command(model, xml, *options), **keywords)


def check(xml):
    """Whether the converter accepts the XML and its .bin as a pair."""
    return subprocess.run([tool_path(), "--check-files", str(xml)], capture_output=True, text=True, timeout=120, check=False)


@dataclass
class Versions:
    """Two models of the same structure, and their pairs of files."""

    models: list
    pairs: list


def make_versions(folder, megabytes):
    models, pairs = [], []
    for seed in (1, 2):
        (folder / str(seed)).mkdir(parents=True)
        model = folder / str(seed) / "model.onnx"
        save_model(model, megabytes, seed)
        done = convert(model, model.with_suffix(".xml"))
        assert done.returncode == 0, done.stderr
        models.append(model)
        pairs.append((model.with_suffix(".xml").read_bytes(), model.with_suffix(".bin").read_bytes()))
    assert pairs[0][1] != pairs[1][1]
    return Versions(models, pairs)


OLD, NEW, TORN, WRONG = "old pair", "new pair", "torn pair, refused", "wrong files"


def state_of(xml, versions):
    """Which version the files are, the first one being the old one. A mismatched pair (TORN) is wrong unless the converter rejects it."""
    bin_ = xml.with_suffix(".bin")
    if not xml.exists() or not bin_.exists():
        return WRONG
    found = (xml.read_bytes(), bin_.read_bytes())
    if found in versions.pairs:
        return [OLD, NEW][versions.pairs.index(found)]
    parts = [found[i] in [pair[i] for pair in versions.pairs] for i in (0, 1)]
    if all(parts) and check(xml).returncode == 1:
        return TORN
    return WRONG


def strays(folder, xml):
    """Files in the folder besides the pair."""
    return sorted(path.name for path in folder.iterdir() if path.stem != xml.stem)


def put_pair(xml, pair):
    for path, content in zip((xml, xml.with_suffix(".bin")), pair):
        path.write_bytes(content)


def file_size_limit(size):
    """For Popen's preexec_fn: writes beyond `size` fail, as on a full disk."""
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return limit
