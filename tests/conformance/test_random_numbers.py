"""Operators that draw random numbers: their distribution, and that they draw anew in each inference and in each iteration of a loop."""

import re

import numpy as np
import onnx.parser
import openvino
import pytest

from .generation_models import VOCABULARY, gpt2_decoder, sampling_model
from .runtime import CONFIG
from .tool import convert, tool_path

pytestmark = pytest.mark.matrix

PROBABILITIES = np.array([[0.1, 0.2, 0.3, 0.4], [0.7, 0, 0.3, 0]])
MANY = 20000  # samples: the standard deviation of a frequency is at most 0.0036


def compiled(tmp_path, model):
    """The function of a model: arrays of its outputs for arrays of its inputs. `model`: ONNX text of a graph, or a serialized model."""
    source, xml = tmp_path / "m.onnx", tmp_path / "m.xml"
    if isinstance(model, str):
        text = f'<ir_version: 10, opset_import: ["" : 22, "com.microsoft" : 1]> main {model}'
        model = onnx.parser.parse_model(text).SerializeToString()
    source.write_bytes(model)
    convert(tool_path(), source, xml)
    request = openvino.Core().compile_model(str(xml), "CPU", CONFIG).create_infer_request()
    return lambda *inputs: [np.array(value) for value in request.infer(list(inputs)).values()]


def logarithms(probabilities, dtype="float32"):
    with np.errstate(divide="ignore"):
        return np.log(np.asarray(probabilities)).astype(dtype)


def multinomial(tmp_path, samples, attributes="", element="float", sizes="N, K", dtype=6):
    attributes = f"{attributes}sample_size = {samples}, dtype = {dtype}"
    output = {6: "int32", 7: "int64"}[dtype]
    return compiled(tmp_path, f"({element}[{sizes}] x) => ({output}[A, B] y) {{ y = Multinomial <{attributes}> (x) }}")


@pytest.mark.parametrize("sizes", ["N, K", "2, 4"])
@pytest.mark.parametrize(("element", "dtype", "index"), [("float", 6, "int32"), ("float", 7, "int64"), ("double", 6, "int32"), ("float16", 7, "int64")])
def test_multinomial_has_the_right_frequencies(tmp_path, element, dtype, index, sizes):
    draw = multinomial(tmp_path, MANY, element=element, sizes=sizes, dtype=dtype)
    # The probabilities need not sum up to 1.
    given = logarithms(PROBABILITIES * [[5], [0.1]], {"float": "float32", "double": "float64"}.get(element, element))
    (first,), (second,) = draw(given), draw(given)
    for drawn in (first, second):
        assert drawn.shape == (2, MANY) and drawn.dtype == index
        frequencies = np.stack([np.bincount(row, minlength=4) for row in drawn]) / MANY
        assert np.abs(frequencies - PROBABILITIES).max() < 0.02
        assert (frequencies[PROBABILITIES == 0] == 0).all()
    # Numbers of two inferences are independent.
    both = np.bincount(4 * first[0] + second[0], minlength=16).reshape(4, 4) / MANY
    assert np.abs(both - np.outer(PROBABILITIES[0], PROBABILITIES[0])).max() < 0.02


def test_multinomial_gives_valid_classes_for_each_shape(tmp_path):
    draw = multinomial(tmp_path, MANY)
    for rows, classes in ((1, 3), (3, 1000), (2, 1), (1, 50000), (2, 128), (2, 129), (4, 7)):
        (drawn,) = draw(np.zeros((rows, classes), np.float32))
        assert drawn.shape == (rows, MANY) and drawn.min() >= 0 and drawn.max() < classes
    few = np.zeros((2, 5000))
    few[0, 10:20], few[1, 4000] = 1 / 3, 1
    (drawn,) = draw(logarithms(few))
    assert set(drawn[0]) == set(range(10, 20)) and set(drawn[1]) == {4000}
    (drawn,) = draw(np.array([[0, np.nan, 1], [-np.inf, -np.inf, -np.inf]], np.float32))
    assert drawn.min() >= 0 and drawn.max() < 3


def test_multinomial_with_a_seed_is_reproducible(tmp_path):
    draw = multinomial(tmp_path, 50, "seed = 3.0, ")
    given = logarithms(PROBABILITIES)
    assert np.array_equal(draw(given)[0], draw(given)[0])


def test_multinomial_in_a_loop_draws_in_each_iteration(tmp_path):
    body = "body (int64 i, bool c) => (bool d, int32[1, 50] drawn) { d = Identity (c) drawn = Multinomial <sample_size = 50> (x) }"
    text = f"(int64 n, float[1, K] x) => (int32[N, 1, 50] y) {{ c = Constant <value_int = 1> () t = Cast <to = 9> (c) y = Loop (n, t) <body = {body}> }}"
    draw = compiled(tmp_path, text)
    rows = np.concatenate([draw(np.array(4), np.zeros((1, 9), np.float32))[0] for _ in range(2)])
    assert len(np.unique(rows, axis=0)) == 8


DRAWS = {
    "RandomUniform": "y = RandomUniform <shape = [20]> ()",
    "RandomUniformLike": "y = RandomUniformLike (x)",
    "RandomNormal": "y = RandomNormal <shape = [20]> ()",
    "RandomNormalLike": "y = RandomNormalLike (x)",
    "Bernoulli": "y = Bernoulli (x)",
    "subtracted": "u = RandomUniform <shape = [20]> () y = Sub (x, u)",
    "indices": "u = RandomUniform <shape = [20], high = 19.0> () i = Cast <to = 7> (u) y = Gather (x, i)",
    "Dropout": "t = Constant <value_int = 1> () b = Cast <to = 9> (t) r = Constant <value_float = 0.5> () y = Dropout (x, r, b)",
}


@pytest.mark.parametrize("name", DRAWS)
def test_each_inference_draws_anew(tmp_path, name):
    draw = compiled(tmp_path, f"(float[N] x) => (float[M] z) {{ {DRAWS[name]} z = Add (y, x) }}")
    results = np.stack([draw(np.linspace(0.3, 0.7, 20, dtype=np.float32))[0] for _ in range(5)])
    assert len(np.unique(results, axis=0)) == 5


@pytest.mark.parametrize("name", [*DRAWS, "Multinomial"])
def test_nodes_of_one_kind_draw_different_numbers(tmp_path, name):
    first = DRAWS.get(name, "two = Constant <value_ints = [1, -1]> () w = Reshape (x, two) i = Multinomial <sample_size = 20> (w) y = Cast <to = 1> (i)")
    second = re.sub(r"\b([a-z]\w*) =(?= [A-Z])", r"\1_2 =", first)  # other names of outputs
    second = re.sub(r"\b(t|b|r|u|w|i|two)\b(?=[,)])", r"\1_2", second)
    draw = compiled(tmp_path, f"(float[N] x) => (float[A] y, float[B] y_2) {{ {first} {second} }}")
    results = np.concatenate([draw(np.linspace(0.3, 0.7, 20, dtype=np.float32)) for _ in range(3)])
    assert len(np.unique(results, axis=0)) == 6


def test_numbers_of_two_nodes_are_uniform_and_independent(tmp_path):
    draw = compiled(tmp_path, "(int64[N] n) => (float[A] y, float[B] z) { y = RandomUniform <shape = [20000]> () z = RandomUniform <shape = [20000]> () }")
    runs = [draw(np.array([1])) for _ in range(2)]
    for one, other in (runs[0], runs[1], [run[1] for run in runs]):
        cells, _, _ = np.histogram2d(one, other, 5, [[0, 1], [0, 1]])
        assert cells.sum() == MANY and np.abs(cells / MANY - 1 / 25).max() < 0.01


@pytest.mark.parametrize("seed", ["", ", seed = 3.0"])
def test_normal_numbers_have_the_right_distribution(tmp_path, seed):
    draw = compiled(tmp_path, f"(float[N] x) => (float[A] z) {{ y = RandomNormal <shape = [20000]{seed}> () z = Add (y, x) }}")
    numbers = draw(np.zeros(1, np.float32))[0]
    found, _ = np.histogram(numbers, [-np.inf, -1.5, -0.5, 0.5, 1.5, np.inf])
    assert np.abs(found / MANY - [0.0668, 0.2417, 0.3829, 0.2417, 0.0668]).max() < 0.02
    assert len(np.unique(numbers)) > MANY / 2
    other = draw(np.zeros(1, np.float32))[0]
    assert abs(np.corrcoef(abs(numbers), abs(other))[0, 1]) < 0.05


def test_a_loop_without_inputs_draws_in_each_inference(tmp_path):
    body = "body (int64 i, bool c) => (bool d, float[20] drawn) { d = Identity (c) drawn = RandomUniform <shape = [20]> () }"
    text = f"(float[20] x) => (float[3, 20] y) {{ n = Constant <value_int = 3> () t = Cast <to = 9> (n) z = Loop (n, t) <body = {body}> y = Add (x, z) }}"
    draw = compiled(tmp_path, text)
    rows = np.concatenate([draw(np.zeros(20, np.float32))[0] for _ in range(2)])
    assert len(np.unique(rows, axis=0)) == 6


@pytest.mark.parametrize("seed", [None, 5])
def test_sampling_draws_in_each_step(tmp_path, seed):
    """All tokens are equally probable."""
    given = {"input_ids": np.array([[1, 2]], np.int32), "max_length": np.array([60], np.int32)}
    constants = {} if seed is None else {"seed": np.array([seed], np.int32)}
    model = onnx.load_from_string(
        sampling_model([*given, *constants], decoder=gpt2_decoder(1), eos_token_id=-1, pad_token_id=0, top_p=1.0, temperature=1e30, min_tokens_to_keep=1)
    )
    for name, value in constants.items():
        model.graph.initializer.append(onnx.numpy_helper.from_array(value, name))
    draw = compiled(tmp_path, model.SerializeToString())
    tokens = np.stack([draw(*given.values())[0][0, 2:] for _ in range(20)])
    assert tokens.min() >= 0 and tokens.max() < VOCABULARY
    assert len(np.unique(tokens, axis=0)) == 20
    # Steps are independent: two neighbours are seldom equal.
    assert (tokens[:, 1:] == tokens[:, :-1]).mean() < 3 / VOCABULARY
    frequencies = np.bincount(tokens.ravel(), minlength=VOCABULARY) / tokens.size
    assert np.abs(frequencies - 1 / VOCABULARY).max() < 0.05
