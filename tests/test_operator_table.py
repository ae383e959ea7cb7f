"""docs/operators.md is generated from the tool's own table; --update rewrites it."""

import subprocess
from pathlib import Path

import onnx.defs

from .conformance import suite_results
from .conformance.tool import tool_path
from .expectations import check_text

DOCUMENT = Path(__file__).parent.parent / "docs" / "operators.md"
TEXT = """# Operators

Generated from `onnx2ir --list-ops` and the results of the ONNX backend suite by `tests/test_operator_table.py --update`; do not edit. "Function body" means that the operator
is expanded to the function body that ONNX defines for it.

The columns on the right are the number of cases with the operator in the ONNX backend suite, and how many of them pass:
unchanged, with dynamic dimensions of the model's inputs and outputs, and with all inputs but the first as constants. Of all
{cases} cases {passed[0]}, {passed[1]} and {passed[2]} pass; the rest are in `tests/conformance/known_failures.txt`, each with
its reason.

| operator | versions | how | not converted | cases | default | dynamic | constants |
|---|---|---|---|---|---|---|---|
{rows}
Operators that ONNX {version} defines and that are not converted: {unconverted}. Other domains than ONNX's own and `com.microsoft` are not
converted either. [extensions.md](extensions.md) shows how to convert such an operator.

Other operators of the suite, which are not converted:

| operator | cases |
|---|---|
{absent}"""


def listing():
    """(operator, versions, how, limits) of each line of --list-ops."""
    done = subprocess.run([tool_path(), "--list-ops"], capture_output=True, text=True, timeout=60, check=True)
    for line in done.stdout.splitlines():
        facts, _, limits = line.partition("  not: ")
        name, versions, how = facts.split("  ", 2)
        yield name, versions, how, limits


def table():
    rows, absent = "", dict(suite_results.load())
    total = [0, 0, 0, 0]
    for cases, passed in absent.values():
        total = [sum(pair) for pair in zip(total, (cases, *passed))]
    for name, versions, how, limits in listing():
        cases, passed = absent.pop(name, ("", ("", "", "")))
        rows += f"| {name} | {versions.replace(',', ', ')} | {how} | {limits} | {cases} | {' | '.join(map(str, passed))} |\n"
    others = "".join(f"| {name} | {cases} |\n" for name, (cases, _) in sorted(absent.items()))
    known = {name for name, *_ in listing()}
    unconverted = sorted({".".join(filter(None, (schema.domain, schema.name))) for schema in onnx.defs.get_all_schemas()} - known)
    facts = {"version": ".".join(onnx.__version__.split(".")[:2]), "unconverted": ", ".join(unconverted)}
    return TEXT.format(**facts, cases=total[0], passed=total[1:], rows=rows, absent=others)


def test_operator_table(request):
    check_text(DOCUMENT, table(), request.config.getoption("--update"))
