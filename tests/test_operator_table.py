"""docs/operators.md is made from the tool's own table; --update rewrites it."""

import subprocess
from pathlib import Path

from .conformance.tool import tool_path
from .expectations import check_text

DOCUMENT = Path(__file__).parent.parent / "docs" / "operators.md"
HEADER = """# Operators

Made from `onnx2ir --list-ops` by `tests/test_operator_table.py --update`; do not edit. "Function body" means that the operator
is expanded into others as ONNX defines it.

| operator | versions | how | not converted |
|---|---|---|---|
"""


def table():
    listing = subprocess.run([tool_path(), "--list-ops"], capture_output=True, text=True, timeout=60, check=True)
    rows = []
    for line in listing.stdout.splitlines():
        facts, _, limits = line.partition("  not: ")
        name, versions, how = facts.split("  ", 2)
        rows.append(f"| {name} | {versions.replace(',', ', ')} | {how} | {limits} |\n")
    return HEADER + "".join(rows)


def test_operator_table(request):
    check_text(DOCUMENT, table(), request.config.getoption("--update"))
