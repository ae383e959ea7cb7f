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
    "api": "api/unsupported_operators.hpp",
    "cli": "cli/listings.hpp",
    "public API": "onnx2ir/onnx2ir.hpp",
}
PRODUCT = ("api", "backend_html", "backend_xml", "base", "cli", "frontend", "ir", "json", "passes", "platform", "target")
VISIBLE = {
    "platform/read_file.cpp": {"platform"},
    "base/sha256.cpp": {"base", "platform"},
    "ir/graph.cpp": {"ir", "base", "platform"},
    "target/target.cpp": {"target"},
    "json/json.cpp": {"json"},
    "frontend/reader/place.cpp": {"frontend/reader", "ir", "base", "platform"},
    "frontend/strings/utf8.cpp": {"frontend/strings", "base", "platform"},
    "frontend/mapping/operator_map.cpp": {"frontend/mapping", "frontend/reader", "ir", "base", "platform"},
    "frontend/graph/operand.cpp": {"frontend/graph", "frontend/mapping", "frontend/reader", "ir", "base", "platform", "target"},
    "frontend/translators/all_translators.cpp": {
        "frontend/translators", "frontend/graph", "frontend/mapping", "frontend/reader", "frontend/strings", "ir", "base", "platform", "target",
    },
    "frontend/frontend.cpp": {
        "frontend", "frontend/translators", "frontend/graph", "frontend/mapping", "frontend/reader", "frontend/strings", "ir", "base", "platform", "target",
    },
    "passes/pipeline.cpp": {"passes", "ir", "base", "platform", "target"},
    "backend_xml/write_model.cpp": {"backend_xml", "ir", "base", "platform"},
    "backend_html/page.cpp": {"backend_html", "ir", "base", "json", "platform"},
    "cli/listings.cpp": {"cli", "json", "platform", "public API"},
}

# The headers of the standard library of C++ that our sources include. Add one here only if every compiler has it.
STANDARD_HEADERS = set(
    """algorithm array atomic bit bitset cassert cctype cerrno cfloat charconv chrono climits cmath compare complex concepts condition_variable
    csignal cstddef cstdint cstdio cstdlib cstring ctime deque exception filesystem forward_list fstream functional initializer_list
    iomanip ios iosfwd iostream istream iterator limits list locale map memory mutex new numbers numeric optional ostream queue random
    ranges ratio regex set shared_mutex source_location span sstream stack stdexcept stop_token streambuf string string_view
    system_error thread tuple type_traits typeindex typeinfo unordered_map unordered_set utility variant vector version
    stddef.h stdint.h""".split()
)
# Of the compiler, for instructions of one processor.
PROCESSOR_HEADERS = {"cpuid.h", "immintrin.h"}
PACKAGES = re.compile(r"(fmt|google/protobuf|nlohmann|onnx|onnx2ir|CLI|catch2)/|pugixml\.hpp$|[a-z_0-9]+/[a-z_0-9/]+\.hpp$|catch\.hpp$")
INCLUDE = re.compile(r"^\s*#\s*(?:include|include_next|import)\s*<([^>]+)>", re.MULTILINE)
# Folders whose sources are for one operating system.
SYSTEM_FOLDERS = [f"platform/{system}/" for system in ("posix", "linux", "macos", "windows")]


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
    for source in (file for folder in PRODUCT for file in (REPOSITORY / folder).rglob("*.cpp")):
        relative = source.relative_to(REPOSITORY)
        assert any(str(parent) in folders for parent in relative.parents), relative


def system_headers(text):
    return [header for header in INCLUDE.findall(text) if header not in STANDARD_HEADERS | PROCESSOR_HEADERS and not PACKAGES.match(header)]


def test_only_the_platform_layer_includes_headers_of_the_operating_system():
    found = {}
    system_sources = 0
    for folder in (*PRODUCT, "include", "opt", "tests/unit"):
        for source in (*(REPOSITORY / folder).rglob("*.cpp"), *(REPOSITORY / folder).rglob("*.[hc]*")):
            relative = str(source.relative_to(REPOSITORY))
            headers = system_headers(source.read_text()) if source.is_file() else []
            if relative.startswith(tuple(SYSTEM_FOLDERS)) or relative == "tests/unit/posix_test.cpp":
                system_sources += bool(headers)
            elif headers:
                found[relative] = headers
    assert found == {}
    assert system_sources > 10


def test_headers_of_the_operating_system_are_recognised():
    text = "#include <vector>\n#include <fmt/core.h>\n# include <unistd.h>\n#include <sys/stat.h>\n#include <windows.h>\n"
    assert system_headers(text) == ["unistd.h", "sys/stat.h", "windows.h"]


def test_operating_systems_are_distinguished_by_the_build_alone():
    """Sources outside of the folders of one operating system have no conditions on the operating system."""
    condition = re.compile(r"\b(_WIN32|_WIN64|__linux__|__unix__|__APPLE__|__MINGW32__|_POSIX_\w+)\b")
    for folder in PRODUCT:
        for source in (REPOSITORY / folder).rglob("*.[hc]pp"):
            assert not condition.search(source.read_text()), source
