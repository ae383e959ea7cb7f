"""Operations of the IR are identities: an unknown name does not compile, and each operation is defined only by its row in
ir/ops."""

import re
import subprocess
from pathlib import Path

import pytest

from .test_layers import compile_command

ROOT = Path(__file__).parent.parent
SNIPPET = """
#include "ir/builder.hpp"
namespace onnx2ir::passes {
bool is_wanted(const ir::Node& node) { return node.is(%s); }
}
"""


@pytest.mark.parametrize(("operation", "compiles"), [("ops::ReLU", True), ("ops::Relu", False), ('"ReLU"', False)])
def test_a_misspelt_operation_does_not_compile(operation, compiles, tmp_path):
    source = tmp_path / "snippet.cpp"
    source.write_text(SNIPPET % operation)
    command = [*compile_command("passes/pipeline.cpp"), "-fsyntax-only", str(source)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert (done.returncode == 0) == compiles, done.stderr


def test_each_row_has_an_identity():
    rows = {name for path in (ROOT / "ir/ops").glob("*.cpp") for name in re.findall(r'\{\s*"(\w+)",\s*"opset\d+"', path.read_text())}
    source = (ROOT / "cmake/generate_operations.cmake").read_text()
    assert len(rows) > 100 and not any(re.search(rf"\b{name}\b", source) for name in rows - {"ReLU"})
