"""onnx2ir show and onnx2ir diff: text with hashes, and the differences between two models."""

import hashlib
import json
import os
import random
import re
import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import onnx
import onnx.numpy_helper
import openvino
import pytest

from ..conformance.tool import tool_path
from .command import converted, onnx_file, run

ROOT = Path(__file__).parent.parent.parent
NESTED = """
<ir_version: 10, opset_import: ["" : 20]>
nested (float[4, 8] x, float[4, 8] y, int64 count, bool flag) => (float[4, 8] sum, float[4, 8] last, float[n, 4, 8] all) {
  weight = Constant <value = float[8] {1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0}> ()
  [scale] scaled = Mul (x, weight)
  [leaky] bent = LeakyRelu <alpha = 0.1> (scaled)
  [difference] sum = Sub (bent, y)
  go = Constant <value = bool {1}> ()
  [loop] last, other, all = Loop (count, go, x, y) <body = step (int64 i, bool go_in, float[4, 8] u, float[4, 8] v) => (bool go_out, float[4, 8] p, float[4, 8] q, float[4, 8] row) {
    go_out = Identity (go_in)
    [choose] chosen = If (flag) <
      then_branch = yes () => (float[4, 8] a) { [up] a = Elu <alpha = 0.5> (u) },
      else_branch = no () => (float[4, 8] b) { [down] b = Sub (v, bent) }
    >
    [next_u] p = Add (u, chosen)
    [next_v] q = Tanh (v)
    [row_of] row = Mul (p, q)
  }>
}
"""


@pytest.fixture
def folder(tmp_path):
    onnx_file(tmp_path / "old.onnx", NESTED)
    converted("old.onnx", folder=tmp_path)
    return tmp_path


def diff(folder, old, new):
    """The lines of the report, which must fit the exit code."""
    done = run("diff", old, new, folder=folder)
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    assert done.returncode == (1 if lines else 0)
    return lines


def changed_model(folder, before, after):
    assert NESTED.count(before) == 1
    return onnx_file(folder / "new.onnx", NESTED.replace(before, after)).name


def with_weights(path, change=0.0, shape=(64, 64)):
    """A product with `shape` weights, one of which is changed."""
    values = np.random.default_rng(1).standard_normal(shape).astype(np.float32)
    values[-1, -1] += change
    model = onnx.parser.parse_model('<ir_version: 10, opset_import: ["" : 17]> m (float[2, 64] x) => (float[2, 64] y) { [product] y = MatMul (x, w) }')
    model.graph.initializer.append(onnx.numpy_helper.from_array(values, "w"))
    onnx.save(model, path)
    return values


def shuffled(xml, path):
    """The IR with its layers, edges and ids in another order, except that of Parameters and Results in the main graph."""
    rng = random.Random(5)
    tree = ElementTree.parse(xml)

    def shuffle(graph, is_main):
        layers, edges = graph.find("layers"), graph.find("edges")
        order = list(layers)
        rng.shuffle(order)
        if is_main:
            for kind in ("Parameter", "Result"):
                places = [i for i, layer in enumerate(order) if layer.get("type") == kind]
                for place, layer in zip(places, [layer for layer in layers if layer.get("type") == kind], strict=True):
                    order[place] = layer
        ids = {layer.get("id"): str(number) for layer, number in zip(order, rng.sample(range(1000), len(order)), strict=True)}
        for layer in order:
            layer.set("id", ids[layer.get("id")])
            for name in ("body", "then_body", "else_body"):
                if layer.find(name) is None:
                    continue
                inner = shuffle(layer.find(name), False)
                for mapped in layer.findall(name.replace("body", "port_map") + "/*"):
                    mapped.set("internal_layer_id", inner[mapped.get("internal_layer_id")])
                for edge in layer.findall("back_edges/edge") if name == "body" else []:
                    edge.set("from-layer", inner[edge.get("from-layer")])
                    edge.set("to-layer", inner[edge.get("to-layer")])
        layers[:] = order
        edges[:] = rng.sample(list(edges), len(edges))
        for edge in edges:
            edge.set("from-layer", ids[edge.get("from-layer")])
            edge.set("to-layer", ids[edge.get("to-layer")])
        return ids

    shuffle(tree.getroot(), True)
    tree.write(path)
    path.with_suffix(".bin").write_bytes(xml.with_suffix(".bin").read_bytes())


def test_show_prints_the_same_for_a_model_and_its_ir(folder):
    text = converted("show", "old.onnx", folder=folder).stdout
    assert text == converted("show", "old.xml", folder=folder).stdout
    assert text == run("show", "-", folder=folder, stdin=(folder / "old.onnx").open()).stdout
    assert text.startswith('model "nested"\n') and "%up = Elu(%u) {alpha=0.5} : f32[4,8]" in text
    assert re.search(r"^    then \{$", text, re.MULTILINE)


def test_text_ir(folder):
    text = converted("show", "old.onnx", folder=folder).stdout
    (folder / "text.ir").write_text(text)
    assert converted("show", "text.ir", folder=folder).stdout == text
    assert diff(folder, "text.ir", "old.onnx") == []
    (folder / "wrong.ir").write_text(text.replace("%up = Elu(%u)", "%up = Elu(%w)"))
    line = text[: text.index("%up = ")].count("\n") + 1
    done = run("show", "wrong.ir", folder=folder)
    assert done.returncode == 1 and f"'wrong.ir', line {line}, column " in done.stderr and "[unreadable-ir]" in done.stderr


def test_text_ir_with_weights(tmp_path):
    with_weights(tmp_path / "m.onnx")
    converted("m.onnx", folder=tmp_path)
    offset = re.search(r'offset="(\d+)" size="16384"', (tmp_path / "m.xml").read_text())[1]
    text = converted("show", "m.onnx", folder=tmp_path).stdout
    (tmp_path / "m.ir").write_text(re.sub("sha256:[0-9a-f]{16}", f"weights({offset}, 16384)", text))
    assert converted("show", "m.ir", folder=tmp_path).stdout == text
    (tmp_path / "hash.ir").write_text(text)
    done = run("show", "hash.ir", folder=tmp_path)
    assert done.returncode == 1 and "[unreadable-ir]" in done.stderr


@pytest.mark.parametrize("options", [[], ["--compress_to_fp16"]])
def test_hashes_are_sha256_of_the_weights(tmp_path, options):
    values = with_weights(tmp_path / "m.onnx")
    if options:
        values = values.astype(np.float16)
    text = converted("show", "m.onnx", *options, folder=tmp_path).stdout
    assert f"= sha256:{hashlib.sha256(values.tobytes()).hexdigest()[:16]}\n" in text
    converted("m.onnx", *options, folder=tmp_path)
    assert text == converted("show", "m.xml", folder=tmp_path).stdout
    assert run("diff", "m.onnx", "m.xml", *options, folder=tmp_path).returncode == 0


def test_equal_models_have_no_differences(folder):
    assert diff(folder, "old.onnx", "old.onnx") == []
    assert diff(folder, "old.onnx", "old.xml") == []


def test_order_and_ids_of_layers_do_not_matter(folder):
    shuffled(folder / "old.xml", folder / "new.xml")
    assert len(openvino.Core().read_model(folder / "new.xml").inputs) == 4
    assert converted("show", "old.xml", folder=folder).stdout != converted("show", "new.xml", folder=folder).stdout
    assert diff(folder, "old.xml", "new.xml") == []


@pytest.mark.parametrize(
    ("before", "after", "line"),
    [
        ("alpha = 0.1", "alpha = 0.2", "main/Const_1 (Const, input 1 of 'leaky'): value [0.1] -> [0.2]"),
        ("alpha = 0.5", "alpha = 0.6", "main/loop.body/choose.then_branch/up (Elu): attribute alpha 0.5 -> 0.6"),
        ("8.0}", "9.0}", "main/weight (Const, input 1 of 'scale'): value [1, 2, 3, 4, 5, 6, 7, 8] -> [1, 2, 3, 4, 5, 6, 7, 9]"),
        ("Tanh (v)", "Sigmoid (v)", "main/loop.body/next_v (Tanh): operation Tanh -> Sigmoid"),
        ("Tanh (v)", "Tanh (u)", "main/loop.body/next_v (Tanh): input 0 'v' -> 'u'"),
        ("[next_v]", "[next]", "main/loop.body/next_v (Tanh): name 'next_v' -> 'next'"),
        ("nested (", "other (", "model: name 'nested' -> 'other'"),
    ],
)
def test_one_change_is_one_line(folder, before, after, line):
    assert before in NESTED
    new = changed_model(folder, before, after)
    [found] = diff(folder, "old.onnx", new)
    assert line in found


def test_changed_edges(folder):
    assert diff(folder, "old.onnx", changed_model(folder, "Sub (bent, y)", "Sub (y, bent)")) == [
        "main/difference (Subtract): input 0 'leaky' -> 'y'",
        "main/difference (Subtract): input 1 'y' -> 'leaky'",
    ]
    lines = diff(folder, "old.onnx", changed_model(folder, "Sub (v, bent)", "Sub (v, scaled)"))
    assert any("outer value 'leaky' -> 'scale'" in line for line in lines), lines


def test_an_added_node_does_not_hide_behind_numbers(folder):
    """The numbers in the names of unnamed layers change; that is not a difference."""
    new = changed_model(folder, "[leaky] bent = LeakyRelu <alpha = 0.1> (scaled)", "[extra] shifted = LeakyRelu <alpha = 0.3> (scaled) [leaky] bent = LeakyRelu <alpha = 0.1> (shifted)")
    lines = diff(folder, "old.onnx", new)
    assert lines == [
        "main/leaky (PReLU): input 0 'scale' -> 'extra'",
        "main/Const_1 (Const, input 1 of 'extra'): added",
        "main/extra (PReLU): added",
    ]


def test_back_edges_and_port_maps(folder):
    xml = (folder / "old.xml").read_text()
    edges = re.findall(r'<edge from-layer="\d+" to-layer="\d+"/>', xml)
    assert len(edges) == 2
    sources = [re.search(r'from-layer="\d+"', edge)[0] for edge in edges]
    first, second = edges[0].replace(*sources), edges[1].replace(*sources[::-1])
    (folder / "new.xml").write_text(xml.replace(edges[0], "FIRST").replace(edges[1], second).replace("FIRST", first))
    (folder / "new.bin").write_bytes((folder / "old.bin").read_bytes())
    lines = diff(folder, "old.xml", "new.xml")
    assert sum("back edge from" in line for line in lines) == 2 and len(lines) <= 4, lines


def test_shapes_that_follow_from_a_change_are_one_line(tmp_path):
    text = """
    <ir_version: 10, opset_import: ["" : 17]>
    m (float[1, 1, 8, 8] x) => (float[1, 1, h, w] y) {
      [pool] p = MaxPool <kernel_shape = [2, 2], strides = [1, 1]> (x)
      [act] a = Relu (p)
      y = Neg (a)
    }
    """
    onnx_file(tmp_path / "old.onnx", text)
    onnx_file(tmp_path / "new.onnx", text.replace("strides = [1, 1]", "strides = [2, 2]"))
    lines = diff(tmp_path, "old.onnx", "new.onnx")
    assert lines[0] == "main/pool (MaxPool): attribute strides [1, 1] -> [2, 2]"
    assert lines[1].startswith("as a result, the types or shapes of 4 other values differ") and len(lines) == 2


def test_interface(tmp_path):
    text = '<ir_version: 10, opset_import: ["" : 17]> m (float[n, 2] a, float[n, 2] b) => (float[n, 2] y, float[n, 2] z) { y = Sub (a, b) z = Relu (a) }'
    onnx_file(tmp_path / "old.onnx", text)
    onnx_file(tmp_path / "order.onnx", text.replace("float[n, 2] a, float[n, 2] b", "float[n, 2] b, float[n, 2] a"))
    assert diff(tmp_path, "old.onnx", "order.onnx") == ["model: order of inputs: 'a' 'b' -> 'b' 'a'"]
    onnx_file(tmp_path / "outputs.onnx", text.replace("float[n, 2] y, float[n, 2] z", "float[n, 2] z, float[n, 2] y"))
    assert diff(tmp_path, "old.onnx", "outputs.onnx") == ["model: order of outputs: 'y' 'z' -> 'z' 'y'"]
    onnx_file(tmp_path / "shape.onnx", text.replace("float[n, 2]", "float[3, 2]"))
    lines = diff(tmp_path, "old.onnx", "shape.onnx")
    assert "main/a (Parameter): type of output 0 f32[?,2] -> f32[3,2]" in lines and len(lines) == 3


def test_a_changed_weight(tmp_path):
    with_weights(tmp_path / "old.onnx")
    with_weights(tmp_path / "new.onnx", 1e-3)
    [line] = diff(tmp_path, "old.onnx", "new.onnx")
    assert re.fullmatch(r"main/w \(Const, input 1 of 'product'\): value sha256:[0-9a-f]{16} -> sha256:[0-9a-f]{16}, 1 of 4096 elements by at most 0\.001 \(relative 0\.0002\d+\)", line), line


def test_json(tmp_path):
    """The parts of each line; elements also of constants whose elements are shown."""
    values = with_weights(tmp_path / "old.onnx")
    with_weights(tmp_path / "new.onnx", 0.5)
    done = run("diff", "old.onnx", "new.onnx", "--json", folder=tmp_path)
    [row] = json.loads(done.stdout)
    assert done.returncode == 1 and row["text"] == diff(tmp_path, "old.onnx", "new.onnx")[0]
    assert (row["place"], row["what"]) == ("main/w (Const, input 1 of 'product')", "value")
    assert row["before"].startswith("sha256:") and row["after"].startswith("sha256:") and row["before"] != row["after"]
    assert row["elements"] == {"count": 4096, "changed": 1, "largest": pytest.approx(0.5, rel=1e-5), "relative": pytest.approx(0.5 / abs(values).max(), rel=1e-5)}
    done = run("diff", "old.onnx", "old.onnx", "--json", folder=tmp_path)
    assert done.returncode == 0 and json.loads(done.stdout) == []
    onnx_file(tmp_path / "old.onnx", NESTED)
    rows = json.loads(run("diff", "old.onnx", changed_model(tmp_path, "alpha = 0.1", "alpha = 0.2"), "--json", folder=tmp_path).stdout)
    assert [(row["what"], row["before"], row["after"], row["elements"]["changed"]) for row in rows] == [("value", "[0.1]", "[0.2]", 1)]


def renamed(text, names):
    for name in names:
        text = re.sub(rf"\b{name}\b", f"other_{name}", text)
    return text


def test_ignored_names(folder):
    """Also of inputs and outputs, which are matched by their order, and in bodies; other differences are listed."""
    names = ["x", "y", "sum", "last", "scaled", "bent", "chosen", "p", "q", "row", "scale", "leaky", "loop", "choose", "next_u", "weight", "u", "v"]
    onnx_file(folder / "new.onnx", renamed(NESTED, names))
    assert len(diff(folder, "old.onnx", "new.onnx")) > 10
    done = run("diff", "old.onnx", "new.onnx", "--ignore-names", folder=folder)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    onnx_file(folder / "new.onnx", renamed(NESTED.replace("Tanh (v)", "Sin (v)").replace("8.0}", "9.0}"), names))
    done = run("diff", "old.onnx", "new.onnx", "--ignore-names", folder=folder)
    lines = done.stdout.splitlines()
    assert done.returncode == 1 and len(lines) == 2, done.stdout
    assert "value [1, 2, 3, 4, 5, 6, 7, 8] -> [1, 2, 3, 4, 5, 6, 7, 9]" in lines[0] and lines[1].endswith("operation Tanh -> Sin")


def test_options_of_diff_only(folder):
    for option in ("--json", "--ignore-names"):
        assert option in run("diff", "--help").stdout and option not in run("show", "--help").stdout
        assert run("old.onnx", option, folder=folder).returncode == 2
        assert run("explain", option).returncode == 0


def test_ir_of_openvino(tmp_path):
    onnx_file(tmp_path / "m.onnx", NESTED)
    openvino.save_model(openvino.convert_model(tmp_path / "m.onnx"), tmp_path / "peer.xml", compress_to_fp16=False)
    text = converted("show", "peer.xml", folder=tmp_path).stdout
    assert "= Elu(" in text and " = Loop(" in text
    changed = (tmp_path / "peer.xml").read_text().replace('alpha="0.5"', 'alpha="0.25"')
    (tmp_path / "changed.xml").write_text(changed)
    (tmp_path / "changed.bin").write_bytes((tmp_path / "peer.bin").read_bytes())
    [line] = diff(tmp_path, "peer.xml", "changed.xml")
    assert line.endswith("(Elu): attribute alpha 0.5 -> 0.25")


def test_options_without_a_value_differ_from_absent_ones(tmp_path):
    model = 'model "m"{}\n%x = Parameter : f32[2] "x"\n%y = Result(%x)\n'
    (tmp_path / "old.ir").write_text(model.format(""))
    (tmp_path / "new.ir").write_text(model.format(' option "A" = ""'))
    assert diff(tmp_path, "old.ir", "new.ir") == ["model: runtime option A none -> ''"]
    assert diff(tmp_path, "new.ir", "new.ir") == []


def test_session_of_the_document(tmp_path):
    """The commands of docs/golden-files.md print what the document shows."""
    shutil.copytree(ROOT / "tests/models", tmp_path / "tests/models", ignore=lambda folder, names: [name for name in names if name != "powers.onnxtxt"])
    sessions = re.findall(r"^```console\n(.*?)^```$", (ROOT / "docs/golden-files.md").read_text(), re.DOTALL | re.MULTILINE)
    assert len(sessions) == 2
    environment = os.environ | {"PATH": f"{Path(tool_path()).parent}:{os.environ['PATH']}"}
    for step in re.split(r"^\$ ", "".join(sessions), flags=re.MULTILINE)[1:]:
        command, output = step.split("\n", 1)
        done = subprocess.run(["bash", "-c", command], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        assert (done.stdout, done.stderr) == (output, ""), command


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["show"], 2, "no model is given"),
        (["show", "a.onnx", "b.onnx"], 2, "usage: onnx2ir show MODEL"),
        (["diff", "old.onnx"], 2, "usage: onnx2ir diff OLD NEW"),
        (["show", "old.onnx", "-o", "x.xml"], 2, "-o is an option of conversions and legalize, not of show"),
        (["diff", "old.onnx", "old.xml", "--jobs", "2"], 2, "--jobs is an option of conversions, not of diff"),
        (["show", "missing.xml"], 1, "[unreadable-ir]"),
        (["show", "missing.onnx"], 1, "[unreadable-model]"),
        (["diff", "old.onnx", "missing.xml"], 2, "[unreadable-ir]"),
        (["diff", "missing.onnx", "old.xml"], 2, "[unreadable-model]"),
        (["show", "noise.xml"], 1, "[unreadable-ir]"),
    ],
)
def test_exit_codes(folder, arguments, code, message):
    (folder / "noise.xml").write_text("<net")
    done = run(*arguments, folder=folder)
    assert (done.returncode, done.stdout) == (code, "") and message in done.stderr


def test_missing_weights_are_named(folder):
    (folder / "old.bin").unlink()
    done = run("show", "old.xml", folder=folder)
    assert done.returncode == 1 and "hint: there is no 'old.bin': put the weights beside the XML" in done.stderr


def test_files_with_the_names_of_commands(folder):
    (folder / "show").write_bytes((folder / "old.onnx").read_bytes())
    converted("./show", folder=folder)
    assert (folder / "show.xml").exists()
    (folder / "show.xml").unlink()
    converted("--", "show", folder=folder)
    assert (folder / "show.xml").read_bytes() == (folder / "old.xml").read_bytes()


def test_bash_completes_commands():
    script = run("--documentation", "bash").stdout + '\nCOMP_WORDS=(onnx2ir di); COMP_CWORD=1; compopt() { :; }; _onnx2ir; echo "${COMPREPLY[0]}"'
    assert subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True).stdout.strip() == "diff"
