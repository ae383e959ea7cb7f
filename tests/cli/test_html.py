"""--html: the data and the markup of the page. tests/browser opens pages in a browser."""

import base64
import hashlib
import json
import re
from pathlib import Path

import numpy as np
import onnx
import onnx.numpy_helper
import openvino
import pytest

from .command import converted, onnx_file, run
from .test_show_and_diff import NESTED, with_weights

MODELS = Path(__file__).parent.parent / "models"
HOSTILE = ["</script><script>alert(1)</script>", "<!--<script>", "\"';\\", "&lt;b&gt;", "a\u2028b", "${alert(1)}", "<img src=x onerror=alert(1)>", "@SCRIPT@"]


def hostile_model(path):
    """A chain of nodes whose names are markup. The last one is in a branch of an If."""
    text = '<ir_version: 10, opset_import: ["" : 17]> m (float[2] x, bool c) => (float[2] y) { b = Relu (x) y = If (c) < then_branch = yes () => (float[2] t) { t = Neg (b) }, else_branch = no () => (float[2] e) { e = Abs (b) } > }'
    model = onnx.parser.parse_model(text)
    model.graph.name = HOSTILE[0]
    previous = "x"
    for number, name in enumerate(HOSTILE):
        model.graph.node.insert(number, onnx.helper.make_node("Elu", [previous], [f"{name} out"], name=name))
        previous = f"{name} out"
    model.graph.node[len(HOSTILE)].input[0] = previous
    model.graph.node[len(HOSTILE) + 1].attribute[0].g.node[0].name = HOSTILE[0]
    onnx.save(model, path)


def page_of(*arguments, folder):
    """The text of the page that `onnx2ir show` writes."""
    converted("show", *arguments, "--html", "page.html", folder=folder)
    return (folder / "page.html").read_text()


def data_of(page):
    [data] = re.findall(r'<script type="application/json" id="model">(.*?)</script>', page, re.DOTALL)
    return json.loads(data)


def without_origins(page):
    """The graphs without what is known of a conversion only: the origins of layers and the names of sizes."""
    graphs = data_of(page)["graphs"]
    for row in (row for rows in graphs for row in rows if len(row) > 4):
        row[4].pop("emitter", None)
        row[4].pop("onnx", None)
    return [[row[:4] + [part for part in row[4:] if part] for row in rows] for rows in graphs]


def constants_of(page):
    """The values of the constants of the main graph."""
    return [row[4]["value"] for row in data_of(page)["graphs"][0] if len(row) > 4 and "value" in row[4]]


class Graph:
    """A graph of the page, with nodes by name."""

    def __init__(self, data, index):
        self.rows = data["graphs"][index]
        self.nodes = {row[1]: number for number, row in enumerate(self.rows)}
        self.data = data

    def operation(self, name):
        return self.data["operations"][self.rows[self.nodes[name]][0]]

    def inputs(self, name):
        flat = self.rows[self.nodes[name]][2]
        return [(self.rows[node][1], output) for node, output in zip(flat[::2], flat[1::2], strict=True)]

    def types(self, name):
        return [self.data["types"][index] for index in self.rows[self.nodes[name]][3]]

    def properties(self, name):
        return self.rows[self.nodes[name]][4]

    def body(self, name, index=0):
        body = self.properties(name)["bodies"][index]
        return body, Graph(self.data, body["graph"])


@pytest.fixture
def folder(tmp_path):
    onnx_file(tmp_path / "m.onnx", NESTED)
    return tmp_path


def test_data_of_nested_bodies(folder):
    main = Graph(data_of(page_of("m.onnx", folder=folder)), 0)
    assert main.operation("loop") == "Loop" and main.types("loop") == ["f32[4,8]", "f32[?,4,8]"]
    assert main.inputs("loop")[1:] == [("go", 0), ("x", 0), ("y", 0), ("flag", 0), ("leaky", 0)]
    assert main.properties("go")["value"] == "true" and main.properties("leaky")["tensors"] == [[0, "bent"]]
    body, inner = main.body("loop")
    at = inner.nodes
    assert body["inputs"] == [[2, at["u"], "state"], [3, at["v"], "state"], [4, at["flag"], "captured"], [5, at["leaky"], "captured"]]
    assert body["outputs"] == [[at["Result_2"], 0, "state"], [at["Result_4"], 1, "scan", 0, 0, -1, 1, 1]]
    assert body["back_edges"] == [[at["Result_2"], at["u"]], [at["Result_3"], at["v"]]]
    assert (body["iteration"], body["condition"]) == (-1, at["Result_1"])
    (then_body, then_graph), (else_body, else_graph) = (inner.body("choose", index) for index in range(2))
    assert (then_body["name"], else_body["name"]) == ("then", "else")
    assert then_graph.properties("up")["attributes"] == [["alpha", "0.5"]] and else_graph.inputs("down") == [("v", 0), ("leaky", 0)]
    assert else_body["inputs"] == [[2, else_graph.nodes["v"], "captured"], [3, else_graph.nodes["leaky"], "captured"]]
    assert else_body["outputs"] == [[else_graph.nodes["Result_1"], 0, "output"]]


def test_slices_have_axis_start_end_stride_and_size():
    page = converted("show", MODELS / "sliced_inputs.xml", "--html", "-").stdout
    loops = [row[4]["bodies"][0] for rows in data_of(page)["graphs"] for row in rows if len(row) > 4 and "bodies" in row[4]]
    slices = [port[2:] for body in loops for port in body["inputs"] if port[2] == "slice"]
    expected = re.findall(r'<input [^>]*axis="(-?\d+)" start="(-?\d+)" end="(-?\d+)" stride="(-?\d+)" part_size="(-?\d+)"', (MODELS / "sliced_inputs.xml").read_text())
    assert expected and [port[1:] for port in slices] == [[int(value) for value in fields] for fields in expected]


def test_the_same_bytes_for_a_model_and_its_ir(folder):
    page = page_of("m.onnx", folder=folder)
    converted("m.onnx", "--html", "with_ir.html", folder=folder)
    assert (folder / "m.xml").exists() and (folder / "with_ir.html").read_text() == page
    assert run("show", "m.onnx", "--html", "-", folder=folder).stdout == page
    assert without_origins(page_of("m.xml", folder=folder)) == without_origins(page)
    converted("m.onnx", "--check", "--html", "checked.html", "-o", "other.xml", folder=folder)
    assert (folder / "checked.html").read_text() == page and not (folder / "other.xml").exists()


def test_page_of_text_ir(folder):
    text = converted("show", "m.onnx", folder=folder).stdout
    (folder / "text.ir").write_text(text)
    assert without_origins(page_of("text.ir", folder=folder)) == without_origins(page_of("m.onnx", folder=folder))


def test_the_page_refers_to_nothing(folder):
    """The security policy allows the script and the style of the page, and no request."""
    page = page_of("m.onnx", folder=folder)
    assert re.findall(r"https?://[^\s\"']*", page) == ["http://www.w3.org/2000/svg"]
    assert not re.findall(r"""\b(?:src|href)\s*=|@import|\bfetch\(|XMLHttpRequest|innerHTML|\beval\(|url\((?!#arrow\))""", page)
    [policy] = re.findall(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', page)
    sources = []
    for element in ("script", "style"):
        [text] = re.findall(rf"<{element}>(.*?)</{element}>", page, re.DOTALL)
        sources.append("'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'")
    assert policy == f"default-src 'none'; script-src {sources[0]}; style-src {sources[1]}"


def test_names_do_not_become_markup(tmp_path):
    hostile_model(tmp_path / "m.onnx")
    page = page_of("m.onnx", folder=tmp_path)
    assert page.count("</script>") == 2 and page.count("<script") == 2 and "<img" not in page and "<!--" not in page
    data = data_of(page)
    assert data["name"] == HOSTILE[0]
    assert [row[1] for row in data["graphs"][0] if data["operations"][row[0]] == "Elu"] == HOSTILE
    assert HOSTILE[0] in [row[1] for row in data["graphs"][1]]


def test_long_texts_are_cut(tmp_path):
    model = onnx.parser.parse_model('<ir_version: 10, opset_import: ["" : 17]> m (float[2] x) => (float[2] y) { y = Relu (x) }')
    model.graph.node[0].name = "n" * 100_000
    onnx.save(model, tmp_path / "m.onnx")
    data = data_of(page_of("m.onnx", folder=tmp_path))
    [name] = [row[1] for row in data["graphs"][0] if data["operations"][row[0]] == "ReLU"]
    assert name == "n" * 2000 + "... (100000 bytes)"


@pytest.mark.parametrize("options", [[], ["--compress_to_fp16"]])
def test_large_constants_are_a_hash_and_the_first_elements(tmp_path, options):
    values = with_weights(tmp_path / "m.onnx", shape=(64, 1000))
    if options:
        values = values.astype(np.float16)
    page = page_of("m.onnx", *options, folder=tmp_path)
    [value] = constants_of(page)
    digits, elements = re.fullmatch(r"sha256:([0-9a-f]{16}) \[(.*), \.\.\.\]", value).groups()
    assert digits == hashlib.sha256(values.tobytes()).hexdigest()[:16]
    np.testing.assert_array_equal(np.array(elements.split(", "), values.dtype), values.reshape(-1)[:8])
    assert len(page) < 100_000


def test_elements_of_types_with_less_than_a_byte(tmp_path):
    model = onnx.parser.parse_model('<ir_version: 10, opset_import: ["" : 21]> m (float[3] x) => (float[100] y) { s = Constant <value = float {1.0}> () w = DequantizeLinear (q, s) z = ReduceSum <keepdims = 0> (x) y = Add (w, z) }')
    model.graph.initializer.append(onnx.helper.make_tensor("q", onnx.TensorProto.INT4, [100], [number % 16 - 8 for number in range(100)]))
    onnx.save(model, tmp_path / "m.onnx")
    values = constants_of(page_of("m.onnx", folder=tmp_path))
    assert [value[24:] for value in values if value.startswith("sha256:")] == ["[-8, -7, -6, -5, -4, -3, -2, -1, ...]"]


def test_page_of_an_ir_of_openvino(folder):
    openvino.save_model(openvino.convert_model(folder / "m.onnx"), folder / "peer.xml", compress_to_fp16=False)
    data = data_of(page_of("peer.xml", folder=folder))
    assert {"Loop", "If", "Elu"} <= set(data["operations"]) and len(data["graphs"]) == 4


def test_kept_operators_have_their_names_and_attributes(tmp_path):
    onnx_file(tmp_path / "m.onnx", '<ir_version: 10, opset_import: ["" : 17, "my" : 1]> m (float[2] x) => (float[2] y) { [kept] y = my.Twist <turns = 3> (x) }')
    main = Graph(data_of(page_of("m.onnx", "--keep-unknown", folder=tmp_path)), 0)
    assert main.operation("kept") == "Twist" and ["turns", "3"] in main.properties("kept")["attributes"]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["m.onnx", "m.onnx", "--html", "p.html", "-o", "ir/"], 2, "--html takes one model"),
        (["lint", "m.xml", "--html", "p.html"], 2, "--html is an option of conversions, show, diff and stats, not of lint"),
        (["show", "m.onnx", "--html", "no/such/folder/p.html"], 1, "error: the HTML page 'no/such/folder/p.html' cannot be written: No such file or directory [cannot-write]"),
        (["m.onnx", "--html", "no/such/folder/p.html"], 1, "error: the HTML page 'no/such/folder/p.html' cannot be written: No such file or directory [cannot-write]"),
        (["show", "m.onnx", "--html", "./m.onnx"], 1, "error: './m.onnx' would be written over 'm.onnx', which the model is read from [cannot-write]"),
        (["show", "missing.onnx", "--html", "p.html"], 1, "[unreadable-model]"),
    ],
)
def test_errors(folder, arguments, code, message):
    before = (folder / "m.onnx").read_bytes()
    done = run(*arguments, folder=folder)
    assert (done.returncode, done.stdout) == (code, "") and message in done.stderr
    assert not (folder / "p.html").exists() and not (folder / "m.xml").exists() and (folder / "m.onnx").read_bytes() == before


def test_origins_of_layers(folder):
    """Each layer has the ONNX node, and the pass with its faults, that it comes from. An IR has none."""
    data = data_of(page_of("m.onnx", folder=folder))
    main = Graph(data, 0)
    emitter = {name: data["emitters"][main.properties(name)["emitter"]] for name in ("scale", "loop_3")}
    assert main.properties("scale")["onnx"] == ["Mul"] and emitter["scale"] == {"name": "conversion of the ONNX node", "summary": "", "faults": []}
    assert main.properties("loop_3")["onnx"] == ["Loop", "loop"] and emitter["loop_3"]["name"] == "pass guard_zero_iterations"
    assert "zero_trip_final_values" in [name for name, _ in emitter["loop_3"]["faults"]] and all(len(summary) > 20 for _, summary in emitter["loop_3"]["faults"])
    _, inner = main.body("loop")
    assert inner.properties("row_of")["onnx"] == ["Mul"]
    converted("m.onnx", folder=folder)
    assert "emitter" not in json.dumps(data_of(page_of("m.xml", folder=folder))["graphs"])


def test_names_of_sizes(tmp_path):
    text = '<ir_version: 10, opset_import: ["" : 17]> m (float[batch, past, 8] a, float[batch, length, 8] b) => (float[batch, total, 8] y, float[batch, n] z) { y = Concat <axis = 1> (a, b) shape = Constant <value = int64[2] {0, -1}> () z = Reshape (y, shape) }'
    onnx_file(tmp_path / "m.onnx", text)
    main = Graph(data_of(page_of("m.onnx", folder=tmp_path)), 0)
    assert main.types("a") == ["f32[batch,past,8]"] and main.types("b") == ["f32[batch,length,8]"]
    concat = next(name for name in main.nodes if main.operation(name) == "Concat")
    reshape = next(name for name in main.nodes if main.operation(name) == "Reshape")
    assert main.types(concat) == ["f32[batch,past + length,8]"]
    assert main.types(reshape) == ["f32[batch,8*past + 8*length]"]
    shown = converted("show", "m.onnx", "--origins", folder=tmp_path).stdout
    assert "// Concat y, conversion of the ONNX node: f32[batch,past + length,8]\n" in shown
    converted("m.onnx", folder=tmp_path)
    model = openvino.Core().read_model(tmp_path / "m.xml")
    assert model.get_rt_info(["onnx2ir", "input_sizes"]).value == "a[batch,past,8];b[batch,length,8]"
    assert model.get_rt_info(["onnx2ir", "output_sizes"]).value == "y[batch,total,8];z[batch,n]"


def test_show_prints_origins(folder):
    """With --origins; the lines without comments are the usual text."""
    text = converted("show", "m.onnx", "--origins", folder=folder).stdout
    lines = text.splitlines()
    comments = {lines[i + 1].strip().split(" ")[0]: line.strip() for i, line in enumerate(lines) if line.strip().startswith("//")}
    assert comments["%up"] == "// Elu up, conversion of the ONNX node"
    assert comments["%loop_3"].startswith("// Loop loop, pass guard_zero_iterations, fault zero_trip_final_values")
    assert "".join(line + "\n" for line in lines if not line.strip().startswith("//")) == converted("show", "m.onnx", folder=folder).stdout
    (folder / "text.ir").write_text(text)
    assert run("diff", "m.onnx", "text.ir", folder=folder).stdout == ""


def test_differences_of_two_models(folder):
    """`diff --html` writes both graphs as the bodies of one node, and what differs at the layers. The exit code is that of diff."""
    onnx_file(folder / "new.onnx", NESTED.replace("alpha = 0.5", "alpha = 0.25").replace("[next_v] q = Tanh (v)", "[next_v] q = Sin (v)"))
    done = run("diff", "m.onnx", "new.onnx", "--html", "page.html", folder=folder)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "")
    data = data_of((folder / "page.html").read_text())
    main = Graph(data, 0)
    assert main.operation("old and new") == "Comparison"
    assert [body["name"] for body in main.properties("old and new")["bodies"]] == ["old", "new"]
    changes = {}
    for name, graph in (("old", 0), ("new", 1)):
        _, inner = main.body("old and new", graph)
        _, loop = inner.body("loop")
        _, branch = loop.body("choose")
        changes[name] = {row[1]: (row[4]["change"], row[4]["differences"]) for one in (inner, loop, branch) for row in one.rows if len(row) > 4 and "change" in row[4]}
    assert changes["old"] == changes["new"] == {"up": ("changed", [["attribute alpha", "0.5", "0.25"]]), "next_v": ("changed", [["operation", "Tanh", "Sin"]])}
    onnx_file(folder / "longer.onnx", NESTED.replace("[difference] sum = Sub (bent, y)", "[difference] late = Sub (bent, y) [extra] sum = Abs (late)"))
    run("diff", "m.onnx", "longer.onnx", "--html", "page.html", folder=folder)
    _, inner = Graph(data_of((folder / "page.html").read_text()), 0).body("old and new", 1)
    assert inner.properties("extra")["change"] == "added"
    done = run("diff", "m.onnx", "m.onnx", "--html", "page.html", folder=folder)
    assert done.returncode == 0 and "\"change\":" not in (folder / "page.html").read_text().split("</script>")[0]
    before = (folder / "m.onnx").read_bytes()
    assert run("diff", "m.onnx", "new.onnx", "--html", "m.onnx", folder=folder).returncode == 2 and (folder / "m.onnx").read_bytes() == before
