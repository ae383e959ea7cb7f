"""The names of operands in frontend/translators/operands.txt are those of the operators' schemas, at the same places."""

import importlib.util
import re
import sys
from pathlib import Path

import onnx.defs
import pytest
from onnxruntime.capi import onnxruntime_pybind11_state as onnxruntime_state

ROOT = Path(__file__).parent.parent
TRANSLATORS = ROOT / "frontend/translators"
DOMAINS = {"onnx": "", "onnx_training": "ai.onnx.preview.training", "com_microsoft": "com.microsoft"}  # by folder
# Versions of a schema have different names for the same operand; the row has the newest one.
RENAMED = {("BatchNormalization", "mean"): "input_mean", ("BatchNormalization", "var"): "input_var"}

_SPEC = importlib.util.spec_from_file_location("generate_operands", ROOT / "cmake/generate_operands.py")
generate_operands = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(generate_operands)


def declared():
    """By (side, domain, operator): the names of its operands, and whether they are those of the first operator in its row."""
    return {
        (side, DOMAINS[folder], operator): (operands, operator != operators[0])
        for folder, _, operators, sides in generate_operands.rows_of((TRANSLATORS / "operands.txt").read_text())
        for side, operands in sides.items()
        for operator in operators
    }


def schemas():
    """By (domain, operator): the schemas of all versions."""
    own = [schema for schema in onnxruntime_state.get_all_operator_schema() if schema.domain == "com.microsoft"]
    found = {}
    for schema in [*onnx.defs.get_all_schemas_with_history(), *own]:
        found.setdefault((schema.domain, schema.name), []).append(schema)
    return found


SCHEMAS, DECLARED = schemas(), declared()


def versions(domain, name):
    """The schemas of a row: a number after the operator is the first version that it is for."""
    if (domain, name) in SCHEMAS:
        return SCHEMAS[domain, name]
    operator, first = re.fullmatch(r"(\w+?)(\d+)", name).groups()
    later = (re.fullmatch(rf"{operator}(\d+)", other) for _, _, other in DECLARED)
    end = min((int(each[1]) for each in later if each and int(each[1]) > int(first)), default=sys.maxsize)
    return [schema for schema in SCHEMAS[domain, operator] if int(first) <= schema.since_version < end]


@pytest.mark.parametrize(("side", "domain", "name"), DECLARED)
def test_names_are_those_of_the_schema(side, domain, name):
    names, is_alias = DECLARED[side, domain, name]
    matching = versions(domain, name)
    assert matching
    for schema in matching:
        expected = [RENAMED.get((schema.name, each.name), each.name) for each in getattr(schema, side)]
        used = names[: len(expected)]
        if is_alias:  # operators that share a row may write the same name in other letters
            expected, used = [each.lower() for each in expected], [each.lower() for each in used]
        assert used == expected, f"version {schema.since_version}"
    longest = max(len(getattr(schema, side)) for schema in matching)
    assert is_alias or len(names) == longest


def test_translators_name_operands():
    """Operands after the first two have names in all translators, because a number does not say which operand it is."""
    number = re.compile(r"\b(?:input|operand|has_input|optional_input)\([2-9]|\bhas_output\([1-9]")
    for path in sorted(TRANSLATORS.rglob("*.cpp")):
        assert not number.findall(path.read_text()), path
