"""Netron opens the main graph of our IR."""

import pytest

from ..cli.command import converted, onnx_file
from ..cli.test_show_and_diff import NESTED

netron = pytest.importorskip("netron", reason="Netron is not installed; ./dev test --browser installs it")


@pytest.fixture
def address(tmp_path):
    """The address of Netron's server for an IR with a Loop."""
    onnx_file(tmp_path / "nested.onnx", NESTED)
    converted("nested.onnx", folder=tmp_path)
    host, port = netron.start(str(tmp_path / "nested.xml"), address=("127.0.0.1", 0), browse=False)
    yield f"http://{host}:{port}/"
    netron.stop((host, port))


@pytest.mark.usefixtures("screenshot")
def test_netron_shows_the_main_graph(browser, address):
    browser.call("Network.setCookie", name="consent", value="1", url=address)  # otherwise Netron asks before it opens the model
    browser.open(address)
    browser.wait_for("document.body.className === 'default'")  # the welcome screen is gone
    browser.settle()
    shown = browser.texts("#target .node, #canvas .node")
    for text in ("Loop", "Multiply", "PReLU", "Subtract", "Select", "VariadicSplit", "sum", "last", "all"):
        assert any(text in node for node in shown), (text, shown)
    assert not any("Elu" in node.replace("PReLU", "") for node in shown), "Netron shows bodies now: docs/html.md says that it does not"
