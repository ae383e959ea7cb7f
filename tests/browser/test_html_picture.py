"""What people see on a page of --html: sizes of texts, straight lines, folded blocks, colours, small windows."""

import json

import pytest

from ..cli.command import converted, onnx_file, run
from ..cli.test_show_and_diff import NESTED
from . import exports, models
from .conftest import SCREENSHOTS
from .test_html_page import NODE, boxes, details, frames, node_place, opened

pytestmark = pytest.mark.usefixtures("screenshot")
TEXT_HEIGHTS = "[...document.querySelectorAll('#graph .operation')].map((text) => text.getBoundingClientRect().height)"
CANVAS = "(() => { const box = document.getElementById('graph').getBoundingClientRect(); return [box.left, box.top, box.right, box.bottom]; })()"


def centers(browser):
    """The horizontal centers of the visible boxes, by the second line of their text."""
    return browser.evaluate("Object.fromEntries([...document.querySelectorAll('#graph [data-node]')].map((node) => { const box = node.querySelector('rect').getBoundingClientRect(); return [[...node.querySelectorAll(':scope > text:not(.toggle)')][1]?.textContent, box.left + box.width / 2]; }))")


def place(browser, text):
    """The rectangle of the box with this line of text."""
    return browser.evaluate(f"(() => {{ const box = document.querySelectorAll('#graph [data-node]')[{node_place(browser, text)}].querySelector('rect').getBoundingClientRect(); return [box.left, box.top, box.right, box.bottom]; }})()")


def is_inside(box, window):
    return window[0] <= box[0] and window[1] <= box[1] and box[2] <= window[2] and box[3] <= window[3]


def fitted(browser):
    """The rectangle around all that is drawn, after "fit"."""
    browser.click("#fit")
    return browser.evaluate("(() => { const box = document.getElementById('content').getBoundingClientRect(); return [box.left, box.top, box.right, box.bottom]; })()")


def test_classifier_opens_on_its_input_with_readable_text(browser, tmp_path):
    models.classifier(tmp_path / "m.onnx")
    opened(browser, tmp_path, "m.onnx")
    assert browser.evaluate("view.scale") == 1 and min(browser.evaluate(TEXT_HEIGHTS)) >= 11
    assert is_inside(place(browser, "image"), browser.evaluate(CANVAS))
    assert boxes(browser)["image"] == ["Parameter", "image", "f32[batch,3,32,32]"]


def test_residual_blocks_have_a_straight_spine(browser, tmp_path):
    models.classifier(tmp_path / "m.onnx", blocks=4)
    opened(browser, tmp_path, "m.onnx")
    browser.click("#fit")
    browser.evaluate("setColumns(mainLayout(), 1), view.scale = 0.3, view.x = -500, view.y = -10, redraw()")
    browser.settle()
    spine = {name: x for name, x in centers(browser).items() if name and name not in ("image", "scores")}
    assert {"Conv0s0", "Add0s3", "Conv3s2", "Relu3s4", "pool", "fc"} <= spine.keys()
    assert max(spine.values()) - min(spine.values()) < 1, spine


def test_a_chain_of_5000_fits_and_can_be_searched(browser, tmp_path):
    models.chain(tmp_path / "m.onnx", 5000)
    opened(browser, tmp_path, "m.onnx")
    window = browser.evaluate(CANVAS)
    drawn = fitted(browser)
    assert is_inside(drawn, window)
    assert (drawn[2] - drawn[0]) * (drawn[3] - drawn[1]) > 0.5 * (window[2] - window[0]) * (window[3] - window[1])
    assert browser.evaluate("document.querySelectorAll('*').length") < 3000
    browser.type("#search", "n4321")
    browser.press("Enter")
    assert min(browser.evaluate(TEXT_HEIGHTS)) >= 11 and is_inside(place(browser, "n4321"), window)
    browser.click("#home")
    assert browser.evaluate("view.scale") == 1 and is_inside(place(browser, "x"), window)


def found(browser, text):
    """Searches for a layer; it is then readable, in the middle of the window."""
    browser.evaluate("document.getElementById('search').value = ''")
    browser.type("#search", text)
    browser.press("Enter")
    assert min(browser.evaluate(TEXT_HEIGHTS)) >= 11
    name = browser.texts("#details .name")[0]
    left, top, right, bottom = browser.evaluate("(() => { const box = document.querySelector('.node.chosen rect').getBoundingClientRect(); return [box.left, box.top, box.right, box.bottom]; })()")
    window = browser.evaluate(CANVAS)
    assert is_inside((left, top, right, bottom), window)
    assert abs((left + right) / 2 - (window[0] + window[2]) / 2) < 5 and abs((top + bottom) / 2 - (window[1] + window[3]) / 2) < 50
    return name


def check_start(browser, first):
    """The page opens on the leftmost input with readable text."""
    assert browser.evaluate("view.scale") == 1 and min(browser.evaluate(TEXT_HEIGHTS)) >= 11
    assert is_inside(place(browser, first), browser.evaluate(CANVAS))


def test_llama_of_optimum(browser, tmp_path):
    """Two layers with caches, a mask and position ids."""
    exports.save("llama", tmp_path / "m.onnx")
    opened(browser, tmp_path, "m.onnx")
    check_start(browser, "attention_mask")
    assert ["attention_mask", "i64[batch_size,past_sequence_length + sequence_length]"] in details(browser)["Inputs"]
    assert is_inside(fitted(browser), browser.evaluate(CANVAS))
    names = [f"/model/layers.{layer}/{part}" for layer in range(2) for part in ("self_attn/o_proj/MatMul", "Add", "Add_1")]
    browser.evaluate("setColumns(mainLayout(), 1)")
    spine = browser.evaluate(f"{json.dumps(names)}.map((name) => {{ const place = positionOf(model.graphs[0].nodes.find((node) => node.name === name), shownOptions()); return place.x + place.width / 2; }})")
    assert max(spine) - min(spine) < 1, dict(zip(names, spine))
    assert found(browser, "/model/layers.1/self_attn/Softmax") == "/model/layers.1/self_attn/Softmax"
    assert details(browser)["Why is this here?"][0] == ["ONNX node", "Softmax /model/layers.1/self_attn/Softmax"]
    browser.screenshot(SCREENSHOTS / "llama-search.png")
    browser.click("#home")


def test_merged_decoder_of_optimum(browser, tmp_path):
    """An If whose branches are the whole decoder, with and without caches."""
    exports.save("bart_merged", tmp_path / "m.onnx")
    opened(browser, tmp_path, "m.onnx")
    check_start(browser, "use_cache_branch")
    assert is_inside(fitted(browser), browser.evaluate(CANVAS))
    assert found(browser, "/model/decoder/layers.1/encoder_attn/Softmax") == "/model/decoder/layers.1/encoder_attn/Softmax"
    assert [text for text in browser.texts("#details .path")][0].endswith(" / then")
    assert any(text.startswith("then: ") for text in browser.texts("#graph .title")) or browser.evaluate("model.graphs[0].nodes.some((node) => node.isOpen)")
    browser.screenshot(SCREENSHOTS / "merged-decoder-search.png")
    assert is_inside(fitted(browser), browser.evaluate(CANVAS))


LOOPS = """<ir_version: 10, opset_import: ["" : 17]>
loops (float[2] x, int64 rows, int64 columns) => (float[2] y) {
    [outer] y = Loop (rows, , x) <
        body = row (int64 i, bool c, float[2] s) => (bool d, float[2] t) {
            d = Identity (c)
            [middle] u = Loop (columns, , s) <
                body = column (int64 j, bool e, float[2] v) => (bool f, float[2] w) {
                    f = Identity (e)
                    [inner] z = Loop (columns, , v) <
                        body = cell (int64 k, bool g, float[2] a) => (bool h, float[2] b) {
                            h = Identity (g)
                            [innermost] b = Sin (a)
                        }
                    >
                    w = Add (z, v)
                }
            >
            t = Mul (u, s)
        }
    >
}
"""


def test_nested_loops(browser, tmp_path):
    onnx_file(tmp_path / "loops.onnx", LOOPS)
    opened(browser, tmp_path, "loops.onnx")
    assert min(browser.evaluate(TEXT_HEIGHTS)) >= 11
    drawn = fitted(browser)
    assert is_inside(drawn, browser.evaluate(CANVAS))
    outer, middle, inner = frames(browser, "Loop outer", "Loop middle", "Loop inner")
    for around, within in ((drawn, outer), (outer, middle), (middle, inner)):
        assert around[0] <= within[0] < within[2] <= around[2] and around[1] <= within[1] < within[3] <= around[3]
    assert len(browser.texts("#graph .back-edge title")) == 3 and is_inside(place(browser, "innermost"), inner)
    assert found(browser, "innermost") == "innermost"
    browser.click("#fit")


def test_repeated_layers_are_folded(browser, tmp_path):
    models.transformer(tmp_path / "m.onnx", layers=24)
    opened(browser, tmp_path, "m.onnx")
    assert is_inside(place(browser, "embeddings"), browser.evaluate(CANVAS))
    browser.click("#fit")
    fold = "/model/layers.1 … 23"
    browser.evaluate("setColumns(mainLayout(), 1), view.scale = 0.3, view.x = -800, view.y = -10, redraw()")
    browser.settle()
    assert boxes(browser)[fold] == ["layer × 23", fold, "like /model/layers.0"]
    assert not any("layers.2/" in text for text in browser.texts("#graph text"))
    browser.click(NODE, node_place(browser, fold))
    assert browser.texts("#details h2") == ["layer × 23"]
    browser.click("#details button")
    assert any("/layers.1/" in text for text in browser.texts("#graph title"))
    browser.click("#collapse")
    browser.type("#search", "/model/layers.17/self_attn/Softmax")
    browser.press("Enter")
    assert browser.texts("#details .name") == ["/model/layers.17/self_attn/Softmax"]
    assert len(browser.evaluate("[...document.querySelectorAll('.node.chosen')].map((node) => node.dataset.node)")) == 1


def test_folds_that_a_path_leaves_and_enters_again_stay_open(browser, tmp_path):
    """The blocks of a U-Net are no single box: a value goes from a block through another layer to a later block."""
    from onnx import helper

    nodes = []
    value = "x"
    for block in range(60):
        nodes.append(helper.make_node("Sigmoid", [value], [f"a{block}"], name=f"/net/blocks.{block}/Sigmoid"))
        nodes.append(helper.make_node("Tanh", [f"a{block}"], [f"b{block}"], name=f"between{block}"))
        value = f"b{block}"
    models.saved(tmp_path / "m.onnx", "m", nodes, [("x", [4])], [(value, [4])])
    opened(browser, tmp_path, "m.onnx")
    assert not browser.evaluate("mainLayout().rows.some((row) => row.items.some((item) => item.node?.isFold))")
    assert {"/net/blocks.1/Sigmoid", "between1"} <= boxes(browser).keys()


def test_families_of_operations_have_colours(browser, tmp_path):
    models.classifier(tmp_path / "m.onnx", blocks=1)
    opened(browser, tmp_path, "m.onnx")
    colours = browser.evaluate("Object.fromEntries(['end', 'product', 'activation', 'element'].map((family) => [family, getComputedStyle(document.querySelector(`#graph .node.${family} rect`)).fill]))")
    assert len(set(colours.values())) == 4
    assert {"products and convolutions", "activations", "elementwise and others", "inputs and outputs"} <= {text.strip() for text in browser.texts("#details p span")}


def test_dark_colours(browser, tmp_path):
    models.classifier(tmp_path / "m.onnx", blocks=1)
    brightness = "(() => { const [r, g, b] = getComputedStyle(document.getElementById('graph')).backgroundColor.match(/\\d+/g).map(Number); return (r + g + b) / 3; })()"
    text = brightness.replace("document.getElementById('graph')", "document.querySelector('#graph text')").replace("backgroundColor", "fill")
    browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    try:
        opened(browser, tmp_path, "m.onnx")
        assert browser.evaluate(brightness) < 50 and browser.evaluate(text) > 200
        browser.click("#theme")
        assert browser.evaluate(brightness) > 200 and browser.evaluate(text) < 50
        browser.click("#theme")
        assert browser.evaluate(brightness) < 50
    finally:
        browser.call("Emulation.setEmulatedMedia", features=[])


def test_the_minimap_moves_the_view(browser, tmp_path):
    models.chain(tmp_path / "m.onnx", 300)
    opened(browser, tmp_path, "m.onnx")
    left, top, right, bottom = browser.evaluate("(() => { const box = document.getElementById('minimap').getBoundingClientRect(); return [box.left, box.top, box.right, box.bottom]; })()")
    for kind in ("mousePressed", "mouseReleased"):
        browser.call("Input.dispatchMouseEvent", type=kind, x=(left + right) / 2, y=(top + bottom) / 2, button="left", buttons=1, clickCount=1)
    browser.settle()
    assert "n150" in boxes(browser) and "n0" not in boxes(browser)
    fitted(browser)
    assert browser.evaluate("document.getElementById('minimap').hidden")


def test_a_phone(browser, tmp_path):
    models.transformer(tmp_path / "m.onnx", layers=3)
    try:
        browser.call("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=1, mobile=True)
        opened(browser, tmp_path, "m.onnx")
        assert browser.evaluate("document.documentElement.scrollWidth") <= 390
        left, top, right, bottom = browser.evaluate(CANVAS)
        assert right - left > 380 and bottom - top > 380
        assert min(browser.evaluate(TEXT_HEIGHTS)) >= 11 and is_inside(place(browser, "embeddings"), (left, top, right, bottom))
        browser.screenshot(SCREENSHOTS / "phone.png")
    finally:
        browser.call("Emulation.setDeviceMetricsOverride", width=1400, height=900, deviceScaleFactor=1, mobile=False)


def test_names_break_between_words_only(browser, tmp_path):
    models.transformer(tmp_path / "m.onnx", layers=3)
    opened(browser, tmp_path, "m.onnx")
    browser.type("#search", "/model/layers.1/input_layernorm/ReduceMean")
    browser.press("Enter")
    browser.evaluate("document.querySelector('aside').style.width = '180px'")
    browser.settle()
    lines = browser.evaluate("[...document.querySelectorAll('#details .name, #details td')].flatMap((part) => [...part.childNodes].filter((node) => node.nodeType === 3).map((node) => { const range = document.createRange(); range.selectNodeContents(node); return [node.data, range.getClientRects().length]; }))")
    words = [(text, count) for text, count in lines if " " not in text]
    assert len(words) > 5 and all(count <= 1 for _, count in words), words
    assert any(text == "…/input_layernorm/ReduceMean" for text in browser.texts("#graph text"))


def test_layers_say_why_they_are_here(browser, tmp_path):
    onnx_file(tmp_path / "nested.onnx", NESTED)
    opened(browser, tmp_path, "nested.onnx")
    browser.type("#search", "up")
    browser.press("Enter")
    assert details(browser)["Why is this here?"] == [["ONNX node", "Elu up"], ["made by", "conversion of the ONNX node"]]
    browser.evaluate("document.getElementById('search').value = ''")
    browser.type("#search", "loop_3")
    browser.press("Enter")
    why = dict(details(browser)["Why is this here?"][:3])
    assert why["ONNX node"] == "Loop loop" and why["made by"] == "pass guard_zero_iterations" and "zero times" in why["which"]
    assert any(key == "fault" and text.startswith("zero_trip_") for key, text in details(browser)["Why is this here?"])


def test_ports_have_tensor_names_and_sizes(browser, tmp_path):
    onnx_file(tmp_path / "nested.onnx", NESTED.replace("float[4, 8]", "float[rows, 8]"))
    opened(browser, tmp_path, "nested.onnx")
    browser.click("#fit")
    assert {"3 y", "5 bent", "0 trip count"} <= set(browser.texts("#graph .port text"))
    titles = browser.texts("#graph .port title")
    assert any(title == "input 3: state, tensor y, f32[rows,8]" for title in titles), titles
    assert any("tensor y, f32[rows,8]" in title for title in browser.texts("#graph .edge title"))
    browser.evaluate("showNode(model.graphs[0].nodes.find((node) => node.operation === 'Loop'))")
    browser.settle()
    assert ["3", "state", "y", "f32[rows,8]", "y", ""] in details(browser)["Inputs"]


def test_differences_are_side_by_side(browser, tmp_path):
    models.classifier(tmp_path / "old.onnx", blocks=2)
    models.classifier(tmp_path / "new.onnx", blocks=3)
    assert run("diff", "old.onnx", "new.onnx", "--html", "page.html", folder=tmp_path).returncode == 1
    browser.open(tmp_path / "page.html")
    assert len(browser.messages) == 1
    fitted(browser)
    titles = browser.texts("#graph .title")
    assert any(title.startswith("old: ") for title in titles) and any(title.startswith("new: ") for title in titles)
    rows = details(browser)["Differences"]
    added = [row[1] for row in rows if row[0] == "new" and row[2] == "added"]
    assert {"Conv2s0", "Add2s3"} <= set(added)
    browser.evaluate("view.scale = 0.3, view.x = view.y = 0, redraw()")
    browser.settle()
    strokes = browser.evaluate("Object.fromEntries(['added', ''].map((kind) => [kind, getComputedStyle(document.querySelector(kind ? '#graph .node.added rect' : '#graph .node:not(.added):not(.changed):not(.removed) rect')).stroke]))")
    assert len(set(strokes.values())) == 2
    browser.evaluate("[...document.querySelectorAll('#details td .link')].find((link) => link.textContent === 'Add2s3').click()")
    browser.settle()
    assert browser.texts("#details .name") == ["Add2s3"] and "Only the new model has this layer." in browser.texts("#details p")


def test_a_chart_of_the_counts(browser, tmp_path):
    models.transformer(tmp_path / "m.onnx", layers=3)
    converted("stats", "m.onnx", "--dim", "batch=2,length=8", "--html", "page.html", folder=tmp_path)
    browser.open(tmp_path / "page.html")
    assert len(browser.messages) == 1
    tables = details(browser)
    assert tables["Before and after the conversion"][0][1:] == ["ONNX", "IR"]
    assert dict(tables["One inference"])["activations"].startswith("at most ")
    rows = browser.evaluate("""Object.fromEntries([...document.querySelectorAll('#details .bars')].map((table) => [table.previousElementSibling.textContent,
      [...table.rows].map((row) => [row.cells[0].textContent, row.querySelector('rect').getBoundingClientRect().width, row.cells[2].textContent])]))""")
    assert {"FLOPs by type of layer", "Layers by type", "ONNX operators by type", "Weights by type"} == rows.keys()
    flops = rows["FLOPs by type of layer"]
    assert flops[0][0] == "MatMul" and flops[0][2].endswith(" %") and flops[0][1] > 5 * flops[1][1] > 0
    widths = [width for _, width, _ in rows["Layers by type"]]
    assert widths == sorted(widths, reverse=True)
    fills = browser.evaluate("['.bar.product', '.bar.statistics'].map((kind) => getComputedStyle(document.querySelector(`#details ${kind} rect`)).fill)")
    assert len(set(fills)) == 2
    browser.evaluate("document.querySelector('.bars').scrollIntoView()")
    browser.settle()


def test_errors_of_layers_are_a_heat_map(browser, tmp_path):
    """`verify --html` adds errors to the data of a page (tests/package/test_verify.py)."""
    models.classifier(tmp_path / "m.onnx", blocks=8)
    opened(browser, tmp_path, "m.onnx")
    page = (tmp_path / "page.html").read_text()
    begin = page.index('<script type="application/json"')
    start, end = page.index(">", begin) + 1, page.index("</script>", begin)
    data = json.loads(page[start:end])
    at = {row[1]: index for index, row in enumerate(data["graphs"][0])}
    for name, error in (("Relu5s1", ["1e-08", "1e-07", ""]), ("Conv6s0", ["0.5", "0.3", "3 of 8 differ"]), ("fc", ["9", "inf", "1 of 8 differ", ""]), ("pool", ["0", "0", "", "all elements are NaN"])):
        data["graphs"][0][at[name]][4]["error"] = error
    data["first_difference"] = at["Conv6s0"]
    (tmp_path / "page.html").write_text(page[:start] + json.dumps(data) + page[end:])
    browser.open(tmp_path / "page.html")
    assert len(browser.messages) == 1 and browser.texts("#details .name") == ["Conv6s0"]
    assert details(browser)["The first difference from onnxruntime"] == [["largest", "0.5"], ["relative", "0.3"], ["problem", "3 of 8 differ"]]
    assert browser.evaluate("document.querySelector('.node.first').textContent").startswith("ConvolutionConv6s0")
    browser.click("#fit")
    browser.evaluate("setColumns(mainLayout(), 1), view.scale = 0.3, view.x = -800, view.y = 2200, redraw()")
    browser.settle()
    fills = browser.evaluate("['heat1', 'heat6', 'unknown', 'nan'].map((kind) => getComputedStyle(document.querySelector(`#graph .node.${kind} rect`)).fill)")
    assert len(set(fills)) == 4
    assert found(browser, "pool") == "pool" and ["note", "all elements are NaN"] in details(browser)["Difference from onnxruntime"]
    browser.evaluate("choose(null)")
    browser.settle()
    assert any("all elements are NaN: the comparison shows nothing" in text for text in browser.texts("#details p"))
