"""The build rejects includes of a folder that a layer may not use (docs/architecture.md): each pair is compiled with the
include roots of a source of the layer."""

import json
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from .conformance.tool import tool_path

HEADERS = {
    "platform": "platform/handle.hpp",
    "json": "json/json.hpp",
    "base": "base/name_table.hpp",
    "ir": "ir/graph.hpp",
    "target": "target/target.hpp",
    "frontend/reader": "frontend/reader/place.hpp",
    "frontend/strings": "frontend/strings/utf8.hpp",
    "frontend/mapping": "frontend/mapping/operator_map.hpp",
    "frontend/graph": "frontend/graph/operand.hpp",
    "frontend/translators": "frontend/translators/domains.hpp",
    "frontend": "frontend/frontend.hpp",
    "passes": "passes/pipeline.hpp",
    "backend_xml": "backend_xml/write_model.hpp",
    "backend_html": "backend_html/page.hpp",
    "api": "api/stages.hpp",
    "cli": "cli/messages.hpp",
    "public API": "onnx2ir/onnx2ir.hpp",
}
VISIBLE = {
    "platform/read_file.cpp": {"platform"},
    "base/hashes.cpp": {"base", "platform"},
    "ir/graph.cpp": {"ir", "base", "platform"},
    "target/target.cpp": {"target", "base", "platform"},
    "json/json.cpp": {"json"},
    "frontend/reader/place.cpp": {"frontend/reader", "ir", "base", "platform"},
    "frontend/strings/utf8.cpp": {"frontend/strings", "base", "platform"},
    "frontend/mapping/operator_map.cpp": {"frontend/mapping", "frontend/reader", "ir", "base", "platform"},
    "frontend/graph/operand.cpp": {"frontend/graph", "frontend/mapping", "frontend/reader", "ir", "base", "platform", "target"},
    "frontend/translators/onnx/scan.cpp": {
        "frontend/translators", "frontend/graph", "frontend/mapping", "frontend/reader", "frontend/strings", "ir", "base", "platform", "target",
    },
    "frontend/frontend.cpp": {
        "frontend", "frontend/translators", "frontend/graph", "frontend/mapping", "frontend/reader", "frontend/strings", "ir", "base", "platform", "target",
    },
    "passes/pipeline.cpp": {"passes", "ir", "base", "platform", "target"},
    "backend_xml/write_model.cpp": {"backend_xml", "ir", "base", "platform"},
    "backend_html/page.cpp": {"backend_html", "ir", "base", "json", "platform"},
    "cli/messages.cpp": {"cli", "json", "platform", "public API"},
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
