"""Files that are not ONNX models: the first line of the error names the format, the hint the remedy."""

import gzip
import io
import json
import pickle
import struct
import subprocess
import zipfile

import onnx
import onnx.parser
import pytest

from ..conformance.tool import tool_path

MODEL = """
<ir_version: 10, opset_import: ["" : 17]>
m (float[2] x) => (float[2] y) { y = Relu (x) }
"""


def model_bytes():
    return onnx.parser.parse_model(MODEL).SerializeToString()


def zip_bytes(*names):
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        for name in names:
            file.writestr(name, b"...")
    return archive.getvalue()


def safetensors_bytes():
    header = json.dumps({"w": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}).encode()
    return struct.pack("<Q", len(header)) + header + bytes(8)


def message_bytes(field, content):
    """A length-delimited field of a protobuf message."""
    assert len(content) < 128
    return bytes([field << 3 | 2, len(content)]) + content


# tensorflow.SavedModel: its version, and a MetaGraphDef that begins with a MetaInfoDef. tensorflow.GraphDef: NodeDefs.
SAVED_MODEL = b"\x08\x01" + message_bytes(2, message_bytes(1, message_bytes(4, b"serve")))
GRAPH_DEF = message_bytes(1, message_bytes(1, b"x") + message_bytes(2, b"Placeholder"))
LFS_POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n"
# The same model with its graph at the end.
OPSET_FIRST = onnx.ModelProto(ir_version=10, opset_import=[onnx.helper.make_opsetid("", 17)]).SerializeToString() + onnx.ModelProto(graph=onnx.parser.parse_model(MODEL).graph).SerializeToString()
IR = b'<?xml version="1.0"?>\n<net name="m" version="11"><layers/></net>\n'
TORCH = "export the model from PyTorch: torch.onnx.export"

MISTAKES = [
    ("m.onnx", LFS_POINTER, "it is a git-LFS pointer, not the model itself, which has 12345 bytes", "fetch the model: git lfs pull"),
    ("m.onnx", b"\n<!DOCTYPE html>\n<html><body>Log in</body></html>", "it is an HTML page, not a model", "open the page: the download may need a login or another address"),
    ("m.onnx", b"<HTML>404</HTML>", "it is an HTML page, not a model", "open the page: the download may need a login or another address"),
    ("m.xml", IR, "it is an OpenVINO IR already", "use it with OpenVINO's read_model"),
    ("m.xml", b"\xef\xbb\xbf" + IR, "it is an OpenVINO IR already", "use it with OpenVINO's read_model"),
    ("m.xml", b'<?xml version="1.0"?><svg/>', "it is an XML file", None),
    ("saved_model.pb", SAVED_MODEL, "it is a TensorFlow SavedModel", "convert it to ONNX with tf2onnx: --saved-model FOLDER --output model.onnx"),
    ("other.pb", SAVED_MODEL, "it is a TensorFlow SavedModel", "convert it to ONNX with tf2onnx: --saved-model FOLDER --output model.onnx"),
    ("frozen.pb", GRAPH_DEF, "it is a TensorFlow graph", "convert it to ONNX with tf2onnx: --graphdef FILE --output model.onnx"),
    ("m.tflite", b"\x1c\0\0\0TFL3" + bytes(40), "it is a TensorFlow Lite model", "convert it to ONNX with tf2onnx: --tflite FILE --output model.onnx"),
    ("m.onnx", b"\x20\0\0\0TFL3" + bytes(40), "it is a TensorFlow Lite model", "convert it to ONNX with tf2onnx: --tflite FILE --output model.onnx"),
    ("m.pt", zip_bytes("archive/data.pkl", "archive/version"), "it is a PyTorch file (ZIP)", TORCH),
    ("m.pt", zip_bytes("m/code/__torch__.py", "m/constants.pkl"), "it is a PyTorch file (ZIP)", TORCH),
    ("m.zip", zip_bytes("m.onnx"), "it is a ZIP archive", "unpack it: unzip"),
    ("m.keras", zip_bytes("metadata.json", "config.json"), "it is a Keras model (ZIP)", "export the model with tf2onnx"),
    ("m.pth", pickle.dumps({"w": [1.0]}, protocol=2), "it is a Python pickle, probably a PyTorch file", TORCH),
    ("m.pth", pickle.dumps({"w": [1.0]}, protocol=5), "it is a Python pickle, probably a PyTorch file", TORCH),
    ("m.safetensors", safetensors_bytes(), "it is a safetensors file, which has weights but no graph", "export the model to ONNX: torch.onnx.export, or optimum-cli export onnx"),
    ("m.onnx.gz", gzip.compress(model_bytes()), "it is compressed with gzip", "decompress it: gunzip"),
    ("m.gguf", b"GGUF\3\0\0\0" + bytes(40), "it is a GGUF file of weights", "export the original model to ONNX"),
    ("m.h5", b"\x89HDF\r\n\x1a\n" + bytes(40), "it is an HDF5 file, probably a Keras model", "export the model with tf2onnx"),
    ("m.ort", b"\x20\0\0\0ORTM" + bytes(40), "it is a model in onnxruntime's own format", "convert the ONNX model that it was created from"),
    ("m.onnx", b"", "the file is empty", None),
    ("m.onnx", OPSET_FIRST[:-7], "the file ends at least 7 bytes early", "copy or download the model again"),
    ("m.onnx", OPSET_FIRST[:-1], "the file ends at least 1 byte early", "copy or download the model again"),
]


def convert(*arguments, folder, **options):
    return subprocess.run([tool_path(), *map(str, arguments)], cwd=folder, capture_output=True, timeout=60, check=False, **options)


def expected_text(name, what, hint):
    hint = f"  hint: {hint}\n" if hint else ""
    return f"error: {name} cannot be read: {what} [unreadable-model]\n{hint}"


@pytest.mark.parametrize(("name", "content", "what", "hint"), MISTAKES, ids=lambda value: value if isinstance(value, str) else "")
def test_file(tmp_path, name, content, what, hint):
    (tmp_path / name).write_bytes(content)
    done = convert(name, folder=tmp_path)
    assert done.returncode == 1
    assert done.stderr.decode() == expected_text(f"'{name}'", what, hint) + f"onnx2ir: '{name}' was not converted: 1 error\n"
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize(("name", "content", "what", "hint"), [row for row in MISTAKES if row[1] and not row[0].endswith(".pb")], ids=lambda value: value if isinstance(value, str) else "")
def test_standard_input(tmp_path, name, content, what, hint):
    done = convert("-", folder=tmp_path, input=content)
    assert done.returncode == 1
    assert done.stderr.decode().startswith(expected_text("the model", what, hint))


def test_saved_model_folder(tmp_path):
    (tmp_path / "net").mkdir()
    (tmp_path / "net/saved_model.pb").write_bytes(SAVED_MODEL)
    done = convert("net", folder=tmp_path)
    assert (done.returncode, done.stderr.decode().splitlines()[:2]) == (
        1,
        [
            "error: 'net' cannot be read: it is the folder of a TensorFlow SavedModel [unreadable-model]",
            "  hint: convert it to ONNX with tf2onnx: --saved-model FOLDER --output model.onnx",
        ],
    )


def test_folder_of_a_model(tmp_path):
    (tmp_path / "net").mkdir()
    (tmp_path / "net/model.onnx").write_bytes(model_bytes())
    done = convert("net", folder=tmp_path)
    assert done.stderr.decode().splitlines()[:2] == [
        "error: 'net' cannot be read: it is a folder, not a file [unreadable-model]",
        "  hint: use the model in it: net/model.onnx",
    ]


def test_misspelt_file(tmp_path):
    (tmp_path / "resnet50.onnx").write_bytes(model_bytes())
    done = convert("resnet5.onnx", folder=tmp_path)
    assert done.stderr.decode().splitlines()[:2] == [
        "error: 'resnet5.onnx' cannot be read: No such file or directory [unreadable-model]",
        "  hint: did you mean 'resnet50.onnx'?",
    ]


def test_models_are_not_reported_as_other_formats(tmp_path):
    """A model may have any name, and text may begin with a comment."""
    for name, content in [("saved_model.pb", model_bytes()), ("m.pt", model_bytes()), ("m.gz", b"# a model\n" + MODEL.encode())]:
        (tmp_path / name).write_bytes(content)
        done = convert(name, "-o", "out/", folder=tmp_path)
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("is_there", [False, True], ids=["missing", "too short"])
def test_external_data_is_one_error(tmp_path, is_there):
    """One error for the file, not one for each of 400 tensors."""
    tensors = [onnx.helper.make_tensor(f"w{i}", onnx.TensorProto.FLOAT, [4], bytes(16), raw=True) for i in range(400)]
    nodes = [onnx.helper.make_node("Add", [f"x{i}", f"w{i}"], [f"x{i + 1}"]) for i in range(400)]
    ports = [[onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [4])] for name in ("x0", "x400")]
    model = onnx.helper.make_model(onnx.helper.make_graph(nodes, "g", *ports, tensors), opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=10)
    onnx.save(model, tmp_path / "m.onnx", save_as_external_data=True, location="weights.bin", size_threshold=0)
    if is_there:
        (tmp_path / "weights.bin").write_bytes(b"")
    else:
        (tmp_path / "weights.bin").unlink()
    lines = convert("m.onnx", folder=tmp_path).stderr.decode().splitlines()
    assert lines[0] == "error: 400 tensors cannot be read from the file 'weights.bin' [bad-external-data]"
    assert "No such file or directory" in lines[2] or "which has only 0" in lines[2]
    assert lines[3].startswith("  note: tensors: w0, w1, ") and lines[3].endswith(", w399")
    assert lines[-1] == "onnx2ir: 'm.onnx' was not converted: 1 error" and len(lines) == 6
