"""Checks the documents against the tool and the source tree."""

import re
import shlex
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

from .conformance.environment import RELEASES
from .conformance.tool import tool_path

ROOT = Path(__file__).parent.parent
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "tests").glob("*/README.md"))]


LOOP = """<ir_version: 10, opset_import: ["" : 19]>
loop (int64 M, bool go, float[2] x) => (float[2] y, float[N, 2] rows) {
  y, rows = Loop (M, go, x) <body = body (int64 i, bool c, float[2] s) => (bool d, float[2] t, float[2] row) {
    d = Constant <value = bool {1}> ()
    t = Add (s, s)
    row = Identity (t)
  }>
}
"""


def rows(path, heading):
    """The names in the first column of the table with this heading."""
    table = path.read_text().split(f"\n| {heading} |", 1)[1].split("\n\n", 1)[0]
    return [name for line in table.splitlines()[2:] for name in line.split("|")[1].replace("`", "").strip().split(", ")]


def test_passes():
    done = subprocess.run([tool_path(), "--list-passes"], capture_output=True, text=True, timeout=60, check=True)
    assert rows(ROOT / "docs/control-flow.md", "pass") == [line.split()[0] for line in done.stdout.splitlines()]


def test_a_dynamic_trip_count_at_the_last_stop(tmp_path):
    """Select(condition, Maximum(M, 0), 0) leads to port 0 of the Loop."""
    (tmp_path / "loop.onnxtxt").write_text(LOOP)
    subprocess.run([tool_path(), "loop.onnxtxt"], cwd=tmp_path, timeout=60, check=True)
    net = ElementTree.parse(tmp_path / "loop.xml").getroot()
    layers = {layer.get("id"): layer for layer in net.find("layers")}
    sources = {(edge.get("to-layer"), edge.get("to-port")): layers[edge.get("from-layer")] for edge in net.find("edges")}

    def inputs(layer):
        return [sources[layer.get("id"), port.get("id")] for port in layer.find("input")]

    (loop,) = (layer for layer in layers.values() if layer.get("type") == "Loop")
    select = inputs(loop)[0]
    assert select.get("type") == "Select"
    condition, count, _ = inputs(select)
    assert condition.get("name") == "go" and count.get("type") == "Maximum"
    assert inputs(count)[0].get("name") == "M"


def test_folders():
    """Each folder of sources has its row, and each row a folder."""
    named = rows(ROOT / "docs/architecture.md", "folder")
    assert all((ROOT / name).is_dir() for name in named), named
    sources = {path.relative_to(ROOT).parts[0] for path in ROOT.glob("[a-z]*/**/*.hpp")} - {"build", "tests", "bench"}
    assert sources == {name.split("/")[0] for name in named} - {"python"}


def test_conformance_files():
    """All files except tests, empty files and pytest's own files."""
    folder = ROOT / "tests/conformance"
    there = {path.name for path in folder.glob("*.py") if not path.name.startswith(("test_", "__", "conftest"))}
    assert there <= set(rows(folder / "README.md", "file")), there - set(rows(folder / "README.md", "file"))


def test_paths():
    """Files and folders in the text of a document exist."""
    missing = []
    for document in DOCUMENTS:
        names = re.findall(r"`([\w.]+/[\w./-]+)`", document.read_text())
        folders = {path.name for path in ROOT.iterdir()} - {"build"}
        missing += [f"{document.relative_to(ROOT)}: {name}" for name in names if name.split("/")[0] in folders and not (ROOT / name).exists()]
    assert not missing, missing


def test_links():
    missing = []
    for document in DOCUMENTS:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", document.read_text()):
            if not (document.parent / target).exists():
                missing.append(f"{document.relative_to(ROOT)}: {target}")
    assert not missing, missing


def test_readme_links_all_documents():
    linked = set(re.findall(r"\]\((docs/[\w-]+\.md)\)", (ROOT / "README.md").read_text()))
    assert linked == {f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")}


def test_releases():
    """The table has the releases of cmake/runtimes.txt, and says in CI of those that .ci/run names, and of the newest. Texts name the oldest and the newest."""
    known = re.findall(r"^openvino==(\d+\.\d+)\.", (ROOT / "cmake/runtimes.txt").read_text(), re.MULTILINE)
    assert rows(ROOT / "docs/releases.md", "release") == known
    in_ci = re.findall(r"^\| (\d+\.\d+) \| .* in CI \|$", (ROOT / "docs/releases.md").read_text(), re.MULTILINE)
    assert set(in_ci) == {*re.findall(r"--runtime (\d+\.\d+)", (ROOT / ".ci/run").read_text()), known[-1]} == set(RELEASES)
    for name in ("README.md", "docs/releases.md"):
        assert f"{known[0]} to {known[-1]}" in (ROOT / name).read_text(), name


def test_readme_result(tmp_path):
    """The commands of the README's example, and what they print."""
    example = (ROOT / "README.md").read_text().split("## A result", 1)[1].split("```")[1]
    (dev, convert, model), python = (shlex.split(line[2:]) for line in example.splitlines() if line.startswith("$ "))
    assert (dev, convert, python[0]) == ("./dev", "convert", "python3")
    subprocess.run([tool_path(), ROOT / model], cwd=tmp_path, timeout=60, check=True)
    done = subprocess.run([sys.executable, *python[1:]], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=True)
    printed = "".join(line for line in example.splitlines() if not line.startswith("$ "))
    assert re.sub(r"\s", "", done.stdout) == re.sub(r"\s", "", printed)
