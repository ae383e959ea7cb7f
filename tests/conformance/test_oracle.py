"""A fault of onnxruntime that makes its results unusable, and how the oracle avoids it."""

import numpy as np
import onnx.parser
import pytest
from onnx.reference import ReferenceEvaluator

from .oracle import Oracle, session

ONE_VALUE_TWICE = """<ir_version: 8, opset_import: ["" : 17]>
main (bool take, float[1000] x) => (float[1000] first, float[1000] second)
{
    first, second = If (take) <
        then_branch = same () => (float[1000] twice, float[1000] twice) { twice = Neg(x) },
        else_branch = other () => (float[1000] one, float[1000] two) { one = Abs(x) two = Neg(x) }
    >
}"""


@pytest.fixture
def asked():
    """A model whose branch gives one value as two outputs, inputs that take the branch, and the right result."""
    model = onnx.parser.parse_model(ONE_VALUE_TWICE)
    inputs = {"take": np.array(True), "x": np.arange(1, 1001, dtype=np.float32)}
    return model, inputs, [-inputs["x"], -inputs["x"]]


def test_onnxruntime_leaves_the_first_of_two_equal_outputs_uninitialised(asked):
    model, inputs, right = asked
    first, second = session(model).run(None, inputs)
    assert not np.array_equal(first, right[0]), "mended: give_each_output_a_value_of_its_own can go"
    assert np.array_equal(second, right[1])


def test_reference_evaluator_sets_both_equal_outputs(asked):
    model, inputs, right = asked
    assert np.array_equal(ReferenceEvaluator(model).run(None, inputs), right)


def test_oracle_sets_both_equal_outputs(asked):
    model, inputs, right = asked
    assert np.array_equal(list(Oracle(model).run(inputs).values()), right)
