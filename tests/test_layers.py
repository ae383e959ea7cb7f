"""The build rejects includes of a folder that a layer may not use (docs/architecture.md): each pair is compiled with the
include roots of a source of the layer."""

import json
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from .conformance.tool import tool_path

REPOSITORY = Path(__file__).parent.parent
HEADERS = {
    "ir": "ir/graph.hpp",
    "target": "target/target.hpp",
    "frontend/reader": "frontend/reader/place.hpp",
    "frontend/strings": "frontend/strings/utf8.hpp",
    "frontend/mapping": "frontend/mapping/operator_map.hpp",
    "frontend/graph": "frontend/graph/operand.hpp",
    "frontend/translators": "frontend/translators/families.hpp",
    "frontend": "frontend/frontend.hpp",
    "passes": "passes/pipeline.hpp",
    "backend_xml": "backend_xml/write_model.hpp",
    "backend_html": "backend_html/page.hpp",
    "api": "api/unsupported_operators.hpp",
    "cli": "cli/listings.hpp",
    "public API": "onnx2ir/onnx2ir.hpp",
}
VISIBLE = {
    "ir/graph.cpp": {"ir"},
    "target/target.cpp": {"target"},
    "frontend/reader/place.cpp": {"frontend/reader", "ir"},
    "frontend/strings/utf8.cpp": {"frontend/strings"},
    "frontend/mapping/operator_map.cpp": {"frontend/mapping", "frontend/reader", "ir"},
    "frontend/graph/operand.cpp": {"frontend/graph", "frontend/mapping", "frontend/reader", "ir", "target"},
    "frontend/translators/families.cpp": {
        "frontend/translators", "frontend/graph", "frontend/mapping", "frontend/reader", "frontend/strings", "ir", "target",
    },
    "frontend/frontend.cpp": {
        "frontend", "frontend/translators", "frontend/graph", "frontend/mapping", "frontend/reader", "frontend/strings", "ir", "target",
    },
    "passes/pipeline.cpp": {"passes", "ir", "target"},
    "backend_xml/write_model.cpp": {"backend_xml", "ir"},
    "backend_html/page.cpp": {"backend_html", "ir"},
    "cli/listings.cpp": {"cli", "public API"},
}


def compile_command(source):
    """The compiler of a source and its include roots, without precompiled headers."""
    entries = json.loads((Path(tool_path()).parent / "compile_commands.json").read_text())
    entry = next(entry for entry in entries if entry["file"].endswith(f"/{source}"))
    words = shlex.split(entry["command"])
    compiler = next(word for word in words if re.search(r"(\+\+|clang|gcc|cc)[-0-9.]*$", word) and "ccache" not in word)
    return [compiler, *(word for word in words if word.startswith(("-I", "-std")))]


@pytest.mark.parametrize("source", VISIBLE)
def test_a_layer_can_include_only_its_dependencies(source, tmp_path):
    command = compile_command(source)
    seen = set()
    for layer, header in HEADERS.items():
        probe = tmp_path / "probe.cpp"
        probe.write_text(f'#if !__has_include("{header}")\n#error not visible\n#endif\n')
        done = subprocess.run([*command, "-fsyntax-only", str(probe)], capture_output=True, text=True, timeout=60)
        assert done.returncode == 0 or "not visible" in done.stderr
        if done.returncode == 0:
            seen.add(layer)
    assert seen == VISIBLE[source]


def test_every_folder_with_sources_is_tested():
    folders = {str(Path(source).parent) for source in VISIBLE} | {"api"}
    product = ("api", "backend_html", "backend_xml", "cli", "frontend", "ir", "passes", "target")
    for source in (file for folder in product for file in (REPOSITORY / folder).rglob("*.cpp")):
        relative = source.relative_to(REPOSITORY)
        assert any(str(parent) in folders for parent in relative.parents), relative
