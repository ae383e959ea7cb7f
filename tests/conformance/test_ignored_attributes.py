"""Attributes of onnxruntime's operators that no translator reads cause a warning; those that onnxruntime's schemas declare, with their
default values, do not."""

import json
import subprocess

import onnx
import pytest
from onnxruntime.capi import onnxruntime_pybind11_state as onnxruntime_state

from . import test_generation, test_onnxruntime_attention, test_onnxruntime_operators, test_onnxruntime_tensors, test_onnxruntime_weights
from .tool import tool_path

DOMAIN = "com.microsoft"
MODULES = (test_generation, test_onnxruntime_attention, test_onnxruntime_operators, test_onnxruntime_tensors, test_onnxruntime_weights)


def defaults():
    """The attributes with default values, as onnx.AttributeProto, of each operator's newest version."""
    schemas = {}
    for schema in onnxruntime_state.get_all_operator_schema():
        known = schemas.get(schema.name)
        if schema.domain == DOMAIN and (known is None or known.since_version < schema.since_version):
            schemas[schema.name] = schema
    found = {}
    for name, schema in schemas.items():
        found[name] = []
        for attribute_name, declared in schema.attributes.items():
            attribute = onnx.AttributeProto.FromString(declared._default_value)
            if attribute.type != onnx.AttributeProto.UNDEFINED:
                attribute.name = attribute_name
                found[name].append(attribute)
    return found


def models():
    """A model for each operator and each set of its attributes, with all other attributes at their default values; by operator."""
    added, chosen = defaults(), {}
    for module in MODULES:
        for make in module.CASES.values():
            model = onnx.load_from_string(make().model)
            for node in model.graph.node:
                if node.domain != DOMAIN or node.op_type not in added:
                    continue  # onnxruntime has SimplifiedLayerNormalization in ONNX's own domain only
                given = {attribute.name for attribute in node.attribute}
                if (node.op_type, *sorted(given)) in chosen:
                    continue
                node.attribute.extend(attribute for attribute in added[node.op_type] if attribute.name not in given)
                chosen[node.op_type, *sorted(given)] = model.SerializeToString()
    by_operator = {}
    for (operator, *_), model in chosen.items():
        by_operator.setdefault(operator, []).append(model)
    return by_operator


def findings(model, folder):
    """The messages about ignored attributes."""
    (folder / "m.onnx").write_bytes(model)
    command = [tool_path(), str(folder / "m.onnx"), "-o", str(folder / "m.xml"), "--diagnostics-format", "json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return [finding["message"] for finding in json.loads(done.stderr or "[]") if finding["code"] == "ignored-attribute"]


MODELS = models()


def test_most_operators_are_tested():
    assert len(MODELS) > 75


@pytest.mark.parametrize("operator", MODELS)
def test_default_values_cause_no_warning(operator, tmp_path):
    for model in MODELS[operator]:
        assert findings(model, tmp_path) == []


# LinearAttention is expanded into its function body, which gets all attributes.
@pytest.mark.parametrize("operator", [operator for operator in MODELS if operator != "LinearAttention"])
def test_an_unknown_attribute_causes_a_warning(operator, tmp_path):
    model = onnx.load_from_string(MODELS[operator][0])
    node = next(node for node in model.graph.node if node.op_type == operator)
    node.attribute.append(onnx.helper.make_attribute("misspelt", 1))
    assert findings(model.SerializeToString(), tmp_path) == ["attribute 'misspelt' has no effect on the converted model"]
