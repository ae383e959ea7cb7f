"""The names of operands in operands.hpp are those of the operators' schemas, at the same places."""

import re
import sys
from pathlib import Path

import onnx.defs
import pytest
from onnxruntime.capi import onnxruntime_pybind11_state as onnxruntime_state

TRANSLATORS = Path(__file__).parent.parent / "frontend/translators"
DOMAINS = {"": "", "microsoft": "com.microsoft", "preview_training": "ai.onnx.preview.training"}  # by C++ namespace
# Versions of a schema have different names for the same operand; the struct has the newest one.
RENAMED = {("BatchNormalization", "mean"): "input_mean", ("BatchNormalization", "var"): "input_var"}

DECLARATION = re.compile(
    r"namespace onnx2ir::frontend::(?P<side>inputs|outputs)(?:::(?P<domain>\w+))? \{"
    r"|struct (?P<name>\w+) \{\s*enum : std::size_t \{(?P<operands>[^}]*)\};"
    r"|using (?P<alias>\w+) = (?:inputs::)?(?P<original>\w+);"
)


def declared():
    """By (side, domain, name of the struct): the names of its operands, and whether it is the name of another struct."""
    found = {}
    for folder in ("onnx", "com_microsoft"):  # the second one has aliases of structs of the first
        side = domain = None
        for match in DECLARATION.finditer((TRANSLATORS / folder / "operands.hpp").read_text()):
            if match["side"]:
                side, domain = match["side"], DOMAINS[match["domain"] or ""]
            elif match["name"]:
                found[side, domain, match["name"]] = ([name.strip() for name in match["operands"].split(",")], False)
            else:
                original = found.get((side, domain, match["original"])) or found[side, "", match["original"]]
                found[side, domain, match["alias"]] = (original[0], True)
    return found


def schemas():
    """By (domain, operator): the schemas of all versions."""
    own = [schema for schema in onnxruntime_state.get_all_operator_schema() if schema.domain == "com.microsoft"]
    found = {}
    for schema in [*onnx.defs.get_all_schemas_with_history(), *own]:
        found.setdefault((schema.domain, schema.name), []).append(schema)
    return found


SCHEMAS, DECLARED = schemas(), declared()


def versions(domain, name):
    """The schemas of a struct: a number after the operator is the first version that it is for."""
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
        if is_alias:  # operators that share a struct may write the same name in other letters
            expected, used = [each.lower() for each in expected], [each.lower() for each in used]
        assert used == expected, f"version {schema.since_version}"
    longest = max(len(getattr(schema, side)) for schema in matching)
    assert is_alias or len(names) == longest


def test_translators_name_operands():
    """Operands after the first two have names in all translators, because a number does not say which operand it is."""
    number = re.compile(r"\b(?:input|operand|has_input|optional_input)\([2-9]|\bhas_output\([1-9]")
    for path in sorted(TRANSLATORS.rglob("*.cpp")):
        assert not number.findall(path.read_text()), path
