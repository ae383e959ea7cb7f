"""Pages of --html in Chromium."""

import json
import re
from pathlib import Path

import onnx
import pytest
from onnx import TensorProto, helper

from ..cli.command import converted, onnx_file
from ..cli.test_html import HOSTILE, hostile_model
from ..cli.test_show_and_diff import NESTED

MODELS = Path(__file__).parent.parent / "models"
NODE = "#graph [data-node]"
pytestmark = pytest.mark.usefixtures("screenshot")


def opened(browser, folder, model):
    converted("show", model, "--html", folder / "page.html", folder=folder)
    browser.open(folder / "page.html")
    assert browser.messages == [f"request: {(folder / 'page.html').as_uri()}"]
    return browser


def boxes(browser):
    """The texts of the visible boxes, by name; open Loops and Ifs by their title."""
    lines = browser.evaluate(f"[...document.querySelectorAll({json.dumps(NODE)})].map((node) => [...node.querySelectorAll(':scope > text:not(.toggle)')].map((text) => text.textContent))")
    return {texts[1] if len(texts) > 1 and not texts[0].startswith(("Loop ", "If ")) else texts[0]: texts for texts in lines}


def frames(browser, *names):
    """The rectangles of open Loops and Ifs: (left, top, right, bottom)."""
    code = """(() => Object.fromEntries([...document.querySelectorAll('.node.open')].map((node) => {
      const box = node.querySelector('rect').getBoundingClientRect();
      return [node.querySelector('.title').textContent, [box.left, box.top, box.right, box.bottom]];
    })))()"""
    found = browser.evaluate(code)
    return [found[name] for name in names]


def node_place(browser, name):
    """The index of the box with this name among all boxes."""
    return browser.evaluate(f"[...document.querySelectorAll({json.dumps(NODE)})].findIndex((node) => [...node.querySelectorAll(':scope > text')].some((text) => text.textContent === {json.dumps(name)}))")


def details(browser):
    """The tables of the side panel by heading, each a list of rows."""
    code = """Object.fromEntries([...document.querySelectorAll('#details table')].map((table) =>
      [table.previousElementSibling.textContent, [...table.rows].map((row) => [...row.cells].map((cell) => [...cell.children].map((part) => part.textContent).join(' ')))]))"""
    return browser.evaluate(code)


@pytest.fixture
def nested(browser, tmp_path):
    onnx_file(tmp_path / "nested.onnx", NESTED)
    return opened(browser, tmp_path, "nested.onnx")


def test_loop_with_a_nested_if_shows_both_bodies(nested):
    nested.click("#fit")
    shown = boxes(nested)
    assert shown["up"] == ["Elu", "up", "f32[4,8]"] and shown["down"] == ["Subtract", "down", "f32[4,8]"]
    assert {"u", "next_u", "row_of", "Loop loop", "If choose", "difference"} <= shown.keys()
    assert {"body: 15 layers", "then: 3 layers", "else: 4 layers"} <= set(nested.texts("#graph .title"))
    loop, choose = frames(nested, "Loop loop", "If choose")
    window = nested.evaluate("(() => { const box = document.getElementById('graph').getBoundingClientRect(); return [box.left, box.top, box.right, box.bottom]; })()")
    for outer, inner in ((window, loop), (loop, choose)):
        assert outer[0] < inner[0] < inner[2] < outer[2] and outer[1] < inner[1] < inner[3] < outer[3]


def test_port_maps_and_back_edges_are_lines(nested):
    nested.click("#fit")
    assert nested.texts("#graph .port-map title") == [
        "input 1 → u, captured",
        "Result_1 → output 0, output",
        "input 2 → v, captured",
        "input 3 → leaky, captured",
        "Result_1 → output 0, output",
        "input 2 → u, state",
        "input 3 → v, state",
        "input 4 → flag, captured",
        "input 5 → leaky, captured",
        "Result_2 → output 0, state",
        "Result_4 → output 1, scan: axis 0, start 0, end -1, stride 1, part_size 1",
    ]
    assert nested.texts("#graph .back-edge title") == ["back edge Result_2 → u", "back edge Result_3 → v"]
    styles = nested.evaluate("['.port-map', '.back-edge', '.edge'].map((kind) => { const style = getComputedStyle(document.querySelector('#graph ' + kind)); return style.stroke + style.strokeDasharray; })")
    assert len(set(styles)) == 3
    assert {"0 trip count", "1 initial condition = true", "0 condition"} <= set(nested.texts("#graph .port text"))
    shown = nested.texts("#graph .node text")
    assert {"body condition", "input 2, state", "output 1, scan", "axis 0, start 0, end -1, stride 1, part_size 1", "back edge to v"} <= set(shown)


def test_lines_of_the_port_map_end_at_the_parameters(nested):
    nested.click("#fit")
    code = """(() => {
      const path = [...document.querySelectorAll('#graph .port-map')].find((line) => line.textContent.startsWith('input 2 → u, state'));
      const end = path.getPointAtLength(path.getTotalLength()).matrixTransform(path.getScreenCTM());
      const box = [...document.querySelectorAll('#graph [data-node]')].find((node) => node.textContent.includes('input 2, state')).getBoundingClientRect();
      return [end.x - box.x - box.width / 2, end.y - box.y];
    })()"""
    assert all(abs(distance) < 2 for distance in nested.evaluate(code))


def test_a_click_shows_types_attributes_and_names(nested):
    nested.click("#fit")
    nested.click(NODE, node_place(nested, "up"))
    tables = details(nested)
    assert nested.texts("#details h2, #details .name, #details .path") == ["Elu", "up", "in loop / choose / then"]
    assert tables["Attributes"] == [["alpha", "0.5"]]
    assert tables["Inputs"] == [["0", "", "u", "f32[4,8]", "", ""]] and tables["Outputs"] == [["0", "", "f32[4,8]", "a", "Result_1"]]
    assert len(nested.texts("#graph .edge.lit")) == 2
    nested.click("#details .path .link")  # the Loop
    tables = details(nested)
    assert tables["Inputs"][:3] == [["0", "trip count", "Maximum_1", "i64[]", "", ""], ["1", "initial condition", "go", "boolean[]", "go", "true"], ["2", "state", "x", "f32[4,8]", "x", ""]]
    assert tables["body: back edges"] == [["Result_2", "→", "u"], ["Result_3", "→", "v"]]
    assert ["", "←", "Result_1", "body condition"] in tables["body: port map"]


def test_constants_are_shown_on_demand(nested):
    assert "weight" not in boxes(nested)
    nested.click("#constants")
    assert boxes(nested)["weight"] == ["Const", "weight", "[1, 2, 3, 4, 5, 6, 7, 8]", "f32[8]"]
    nested.click("#constants")
    assert "weight" not in boxes(nested)


def test_bodies_are_closed_and_opened(nested):
    nested.click("#collapse")
    assert boxes(nested)["loop"] == ["Loop", "loop", "f32[4,8] and 1 more", "22 layers inside"] and "up" not in boxes(nested)
    nested.click("[data-toggle]")
    nested.click("#fit")
    assert {"Loop loop", "choose", "next_u"} <= boxes(nested).keys() and "up" not in boxes(nested)
    nested.click("#expand")
    assert {"up", "down"} <= boxes(nested).keys()


def test_search_opens_bodies(nested):
    nested.click("#collapse")
    nested.type("#search", "chosen")  # the name of a tensor in the body of the Loop
    assert nested.texts("#found p") == ["choose If, loop / body"]
    nested.press("Enter")
    assert nested.texts("#details .name") == ["choose"] and "choose" in boxes(nested)
    assert len(nested.evaluate("[...document.querySelectorAll('.node.chosen')].map((node) => node.dataset.node)")) == 1


def test_search_shows_constants(nested):
    nested.type("#search", "weight")
    nested.press("Enter")
    assert nested.texts("#details .name") == ["weight"] and "weight" in boxes(nested)
    assert details(nested)["Value"] == [["[1, 2, 3, 4, 5, 6, 7, 8]"]]


def test_slices_of_a_loop(browser, tmp_path):
    opened(browser, tmp_path, MODELS / "sliced_inputs.xml")
    assert any("slice: axis " in text and ", stride " in text for text in browser.texts("#graph .port-map title"))
    assert any(text.startswith("axis ") for text in browser.texts("#graph .node.end text"))


def test_names_are_text(browser, tmp_path):
    hostile_model(tmp_path / "m.onnx")
    opened(browser, tmp_path, "m.onnx")
    assert set(HOSTILE) <= boxes(browser).keys()
    for name in HOSTILE:
        browser.evaluate("document.getElementById('search').value = ''")
        browser.type("#search", name)
        browser.press("Enter")
        assert browser.texts("#details .name") == [name]
    assert len(browser.messages) == 1 and browser.texts("h1") == [HOSTILE[0]]
    assert browser.evaluate("document.images.length + document.scripts.length") == 2


def test_the_page_runs_no_other_script(nested):
    nested.evaluate("const added = document.createElement('script'); added.textContent = 'window.isAdded = true'; document.body.append(added)")
    assert nested.evaluate("window.isAdded === undefined")
    assert nested.evaluate("fetch('http://127.0.0.1:9/').then(() => 'sent', () => 'refused')") == "refused"
    assert any("Content Security Policy" in message for message in nested.messages)


def test_a_model_of_100000_layers(browser, tmp_path):
    """A chain in which some layers use the input of the model. Only the visible part becomes elements of the page."""
    nodes = [helper.make_node("Add" if number % 2 else "Sigmoid", [f"t{number - 1}" if number else "x"] + (["x" if number % 5 else f"t{number - 2}"] if number % 2 else []), [f"t{number}"], name=f"n{number}") for number in range(100_000)]
    graph = helper.make_graph(nodes, "large", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [4])], [helper.make_tensor_value_info("t99999", TensorProto.FLOAT, [4])])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), tmp_path / "m.onnx")
    opened(browser, tmp_path, "m.onnx")
    # With the copies that keep long chains of fused operations apart.
    [count] = re.findall(r"large(\d+) layers", browser.evaluate("document.getElementById('details').textContent"))
    assert 100_002 <= int(count) < 110_000
    assert "n0" in boxes(browser) and browser.evaluate("document.querySelectorAll('*').length") < 3000
    browser.click("#fit")
    assert browser.evaluate("document.querySelectorAll('*').length") < 3000
    browser.type("#search", "n99998")
    browser.press("Enter")
    assert browser.texts("#details .name") == ["n99998"] and {"n99997", "n99998", "n99999"} <= boxes(browser).keys()
    assert len(browser.messages) == 1


def test_large_bodies_are_closed_at_first(browser, tmp_path):
    body = "\n".join(f"t{number} = Tanh (t{number - 1})" for number in range(1, 1000))
    text = f'<ir_version: 10, opset_import: ["" : 20]> m (float[2] x, int64 n) => (float[2] y) {{ [loop] y = Loop (n, , x) <body = b (int64 i, bool c, float[2] s) => (bool d, float[2] t999) {{ d = Identity (c) t0 = Sin (s) {body} }}> }}'
    onnx_file(tmp_path / "m.onnx", text)
    opened(browser, tmp_path, "m.onnx")
    assert boxes(browser)["loop"][0] == "Loop" and "layers inside" in boxes(browser)["loop"][-1]
    browser.click("[data-toggle]")
    assert "Loop loop" in boxes(browser) and len(browser.messages) == 1
