"""The forms in which a decoder can keep its state, with --stateful: several steps equal onnxruntime with the caches fed back by hand, or the
conversion is an error that names the cache. The first caches are those of the caller in onnxruntime: empty, or zeros of a fixed size."""

import subprocess
from dataclasses import dataclass, field

import numpy as np
import onnx
import onnxruntime
import openvino
import pytest
from onnx import TensorProto, helper

from .one_node import numbers
from .runtime import CONFIG
from .test_cache_steps import CASES as STEPS
from .tool import tool_path

STAYS = "cache-is-input"  # the warning about an input that may be a cache and stays an input

pytestmark = pytest.mark.matrix

LENGTH = 16  # of caches of fixed length
CONSTANTS = {
    "table": numbers("table", 32, 8), "splits": np.array([0, 0, 2, 4]), "first": np.array([0]), "axis_1": np.array([1]), "axis_2": np.array([2]), 
    "last": np.array([2**62]), "zero": np.array(0), "one": np.array(1), "two": np.array(2), "minus_2": np.array([-2]), "minus_3": np.array([-3]),
    "decay": np.float32(0.5), "numbers": np.arange(LENGTH), "rows": np.array([1, 1, -1, 1]), "rows_of_count": np.array([-1, 1, 1, 1]), "kernel": numbers("kernel", 8, 1, 3),
    "heads": np.array(2), "minus_1": np.array([-1]), "size_4": np.array([4]), "positions": numbers("positions", 32, 8),
    "count": np.array([1], np.int64),
}
ROWS = "x = Gather(table, input_ids) r = Reshape(x, splits) k = Transpose<perm = [0, 2, 1, 3]>(r) "
ATTENTION = " t = Transpose<perm = [0, 1, 3, 2]>(keys) s = MatMul(k, t) w = Softmax<axis = -1>(s) logits = MatMul(w, values)"
APPENDED = ROWS + "keys = Concat<axis = 2>(PAST, k) values = Identity(keys)" + ATTENTION + " PRESENT = Identity(keys)"
IDS = "int64[B, S] input_ids"


@dataclass
class Form:
    body: str
    caches: list  # of (past, present, declared shape of past)
    first: dict = field(default_factory=dict)  # sizes of dynamic axes that are not 0 at first
    batch_axis: int = 0
    inputs: str = IDS
    counts: tuple = (3, 1, 2)
    batch: int = 2
    type: str = "float"
    error: str = ""  # a part of the message
    stays: tuple = ()  # pasts that stay inputs
    rows: int = 1  # of a cache for each row of the batch


def one(past="past_key_values.0.key", present="present.0.key", shape="B, 2, P, 4", body=APPENDED, **options):
    return Form(body.replace("PAST", past).replace("PRESENT", present), [(past, present, shape)], **options)


PAIR = ROWS + "keys = Concat<axis = 2>(past.0.key, k) n = Neg(k) values = Concat<axis = 2>(past.0.value, n)" + ATTENTION
PAIR += " present.0.key = Identity(keys) present.0.value = Identity(values)"
BOTH = [(f"past.0.{part}", f"present.0.{part}", "B, 2, P, 4") for part in ("key", "value")]
GPT2 = (ROWS + "u = Unsqueeze(k, first) n = Neg(u) both = Concat<axis = 0>(u, n) present_0 = Concat<axis = 3>(past_0, both) "
        "keys = Gather<axis = 0>(present_0, zero) values = Gather<axis = 0>(present_0, one)" + ATTENTION)
SEQUENCE_FIRST = (ROWS + "q = Transpose<perm = [2, 0, 1, 3]>(k) n = Neg(q) present_0 = Concat<axis = 0>(past_0, q) present_1 = Concat<axis = 0>(past_1, n) "
                  "keys = Transpose<perm = [1, 2, 0, 3]>(present_0) values = Transpose<perm = [1, 2, 0, 3]>(present_1)" + ATTENTION)
ONE_SEQUENCE_FIRST = SEQUENCE_FIRST.replace("past_1, n", "n").replace("present_1 =", "other =").replace("(present_1)", "(present_0)")
LAYERS = (ROWS + "u = Unsqueeze(k, first) n = Neg(u) m = Mul(u, decay) all = Concat<axis = 0>(u, n, m) present_0 = Concat<axis = 3>(past_0, all) "
          "keys = Gather<axis = 0>(present_0, one) values = Gather<axis = 0>(present_0, two)" + ATTENTION)
MULTI_QUERY = (ROWS + "present_0 = Concat<axis = 1>(past_0, x) p = Reshape(present_0, splits) keys = Transpose<perm = [0, 2, 1, 3]>(p) values = Identity(keys)" + ATTENTION)
TRANSPOSED = (ROWS + "kt = Transpose<perm = [0, 1, 3, 2]>(k) present_0 = Concat<axis = 3>(past_0, kt) keys = Transpose<perm = [0, 1, 3, 2]>(present_0) values = Identity(keys)" + ATTENTION)
IN_PLACE = (ROWS + "at = Equal(numbers, cache_position) rows_at = Reshape(at, rows) keys = Where(rows_at, k, past_0) values = Identity(keys)" + ATTENTION +
            " present_0 = Identity(keys)")
SCATTERED = (ROWS + "c = Shape(past_0) z = ConstantOfShape(c) zl = Cast<to = 7>(z) b4 = Reshape(cache_position, rows) all_k = Shape(k) wide = Expand(b4, all_k) "
             "keys = ScatterElements<axis = 2>(past_0, wide, k) values = Identity(keys)" + ATTENTION + " present_0 = Identity(keys)")
RECURRENT = ROWS + "m = ReduceMean<axes = [2], keepdims = 0>(k) o = Mul(past_0, decay) present_0 = Add(o, m) p = Unsqueeze(present_0, axis_2) logits = Mul(k, p)"
CONVOLUTION = (ROWS + "xt = Transpose<perm = [0, 2, 1]>(x) all = Concat<axis = 2>(past_conv_0, xt) logits = Conv<group = 8>(all, kernel) "
               "present_conv_0 = Slice(all, minus_2, last, axis_2)")
WINDOW = (ROWS + "keys = Concat<axis = 2>(past_0, k) values = Identity(keys)" + ATTENTION + " present_0 = Slice(keys, minus_3, last, axis_2)")
ROLLING = (ROWS + "keys = Concat<axis = 2>(past_0, k) values = Identity(keys)" + ATTENTION + " d = Shape<start = 2, end = 3>(k) present_0 = Slice(keys, d, last, axis_2)")
NEW_ONLY = ROWS + "keys = Concat<axis = 2>(past_0, k) values = Identity(keys)" + ATTENTION + " present_0 = Identity(k)"
POSITIONS = ("y = Gather(table, input_ids) d = Shape(past_0) e = Gather(d, two) c = Shape(input_ids) n = Gather(c, one) f = Add(e, n) g = Range(e, f, one) "
             "h = Gather(positions, g) x = Add(y, h) r = Reshape(x, splits) k = Transpose<perm = [0, 2, 1, 3]>(r) "
             "keys = Concat<axis = 2>(past_0, k) values = Identity(keys)" + ATTENTION + " present_0 = Identity(keys)")
MASK = (ROWS + "keys = Concat<axis = 2>(past_0, k) values = Identity(keys) t = Transpose<perm = [0, 1, 3, 2]>(keys) p = MatMul(k, t) s = Add(p, attention_mask) "
        "w = Softmax<axis = -1>(s) logits = MatMul(w, values) present_0 = Identity(keys)")
ENCODER = (ROWS + "keys = Concat<axis = 2>(past_0, k) values = Identity(keys) t = Transpose<perm = [0, 1, 3, 2]>(keys) s = MatMul(k, t) w = Softmax<axis = -1>(s) "
           "v = MatMul(w, values) et = Transpose<perm = [0, 1, 3, 2]>(past_encoder) es = MatMul(v, et) ew = Softmax<axis = -1>(es) logits = MatMul(ew, past_encoder) "
           "present_0 = Identity(keys)")
BATCH_AND_HEADS = (ROWS + "ks = Shape(k) b = Gather(ks, zero) bh = Mul(b, heads) bu = Unsqueeze(bh, first) ts = Concat<axis = 0>(bu, minus_1, size_4) kk = Reshape(k, ts) "
                   "all = Concat<axis = 1>(past_0, kk) at = Transpose<perm = [0, 2, 1]>(all) s = MatMul(kk, at) w = Softmax<axis = -1>(s) logits = MatMul(w, all) "
                   "present_0 = Identity(all) nk = Neg(kk) present_1 = Concat<axis = 1>(past_1, nk)")
HISTORY = "present_tokens = Concat<axis = 1>(past_tokens, input_ids) y = Gather(table, present_tokens) logits = ReduceSum<keepdims = 0>(y, axis_1)"
COUNTS = ROWS + "present_count = Add(past_count, count) f = Cast<to = 1>(present_count) g = Reshape(f, rows_of_count) logits = Mul(k, g)"


def typed(name, code):
    body = (ROWS + f"a = Abs(k) n = Cast<to = {code}>(a) PRESENT = Concat<axis = 2>(PAST, n) keys = Cast<to = 1>(PRESENT) values = Identity(keys)" + ATTENTION)
    return one("past_0", "present_0", body=body, type=name)


FORMS = {
    "two_caches": Form(PAIR, BOTH),
    "one_cache": one(),
    "names_of_onnxruntime": one("past_key_self_0", "present_key_self_0"),
    "names_of_keys_and_values": one("past_key_values_0", "present_key_values_0"),
    "names_of_transformers": one("input.cache.layers.0.keys", "output.cache.layers.0.keys"),
    "static_batch": one(shape="1, 2, P, 4", inputs="int64[1, S] input_ids", batch=1),
    "static_batch_of_2": one(shape="2, 2, P, 4", inputs="int64[2, S] input_ids"),
    "static_batch_of_the_cache": one(shape="1, 2, P, 4", batch=1),
    # Bloom: each head of each row of the batch is a row of the cache.
    "batch_and_heads": Form(BATCH_AND_HEADS, [("past_0", "present_0", "G, P, 4"), ("past_1", "present_1", "G, P, 4")], first={"G": 4}, rows=2),
    "gpt2": Form(GPT2, [("past_0", "present_0", "2, B, 2, P, 4")], batch_axis=1),
    "sequence_first": Form(SEQUENCE_FIRST, [("past_0", "present_0", "P, B, 2, 4"), ("past_1", "present_1", "P, B, 2, 4")], batch_axis=1),
    "sequence_first_one_row": Form(SEQUENCE_FIRST, [("past_0", "present_0", "P, 1, 2, 4"), ("past_1", "present_1", "P, 1, 2, 4")], batch_axis=1, batch=1),
    "layers": Form(LAYERS, [("past_0", "present_0", "3, B, 2, P, 4")], batch_axis=1),
    "layers_one_row": Form(LAYERS, [("past_0", "present_0", "3, 1, 2, P, 4")], batch_axis=1, batch=1),
    "multi_query": Form(MULTI_QUERY, [("past_0", "present_0", "B, P, 8")]),
    "transposed_keys": Form(TRANSPOSED, [("past_0", "present_0", "B, 2, 4, P")]),
    "fixed_length": Form(IN_PLACE, [("past_0", "present_0", f"B, 2, {LENGTH}, 4")], inputs=IDS + ", int64[1] cache_position", counts=(1, 1, 1)),
    "fixed_length_scattered": Form(SCATTERED, [("past_0", "present_0", f"B, 2, {LENGTH}, 4")], inputs=IDS + ", int64[S] cache_position"),
    "recurrent": Form(RECURRENT, [("past_0", "present_0", "B, 2, 4")]),
    "convolution": Form(CONVOLUTION, [("past_conv_0", "present_conv_0", "B, 8, 2")]),
    "growing_window": Form(WINDOW, [("past_0", "present_0", "B, 2, P, 4")]),
    "rolling_window_of_fixed_length": Form(ROLLING, [("past_0", "present_0", "B, 2, 3, 4")]),
    "positions_from_the_cache": Form(POSITIONS, [("past_0", "present_0", "B, 2, P, 4")]),
    "mask_of_rank_4": Form(MASK, [("past_0", "present_0", "B, 2, P, 4")], inputs=IDS + ", float[B, 1, S, T] attention_mask"),
    "encoder_cache_as_input": Form(ENCODER, [("past_0", "present_0", "B, 2, P, 4"), ("past_encoder", None, "B, 2, E, 4")], first={"E": 5}, stays=("past_encoder",)),
    "encoder_cache_unchanged": Form(ENCODER + " present_encoder = Identity(past_encoder)", [("past_0", "present_0", "B, 2, P, 4"), ("past_encoder", "present_encoder", "B, 2, E, 4")],
                                    first={"E": 5}, stays=("past_encoder",)),
    "tokens": Form(HISTORY, [("past_tokens", "present_tokens", "B, P")], type="int64"),
    "counts": Form(COUNTS, [("past_count", "present_count", "B")], type="int64"),
    **{name: typed(name, code) for name, code in (("float16", 10), ("double", 11), ("int64", 7), ("int32", 6), ("int8", 3), ("uint8", 2))},
    # What is not known is an error.
    "new_elements_only": Form(NEW_ONLY, [("past_0", "present_0", "B, 2, P, 4")], error="new elements only"),
    "length_that_does_not_grow": Form(SCATTERED, [("past_0", "present_0", "B, 2, L, 4")], inputs=IDS + ", int64[S] cache_position", error="does not grow"),
    "rolling_window": Form(ROLLING, [("past_0", "present_0", "B, 2, L, 4")], error="past_0"),
    "convolution_of_unknown_length": Form(CONVOLUTION, [("past_conv_0", "present_conv_0", "B, 8, K")], error="past_conv_0"),
    "fixed_length_that_grows": one(shape="B, 2, 3, 4", error="fixed length 3"),
    "different_sizes": one(shape="1, 2, 3, 4", inputs="int64[1, 1] input_ids", error="past_key_values.0.key"),
    "all_sizes_dynamic": one(shape="B, H, P, D", body=ROWS + "keys = Concat<axis = 2>(PAST, PAST) values = Identity(keys)" + ATTENTION + " PRESENT = Identity(keys)", error="which size is its length"),
    "another_type": one(body=APPENDED.replace("PRESENT = Identity", "PRESENT = Cast<to = 10>"), error="no input 'past*'"),
    "one_cache_sequence_first": Form(ONE_SEQUENCE_FIRST, [("past_0", "present_0", "P, B, 2, 4")], error="first axis is its length"),
    "no_past": one(past="cache", error="no input 'past*'"),
}


def model_of(form):
    code = getattr(TensorProto, form.type.upper())
    text = f'<ir_version: 9, opset_import: ["" : 17]> g ({form.inputs}) => (float[] logits) {{ {form.body} }}'
    # ONNX text has no dots in names.
    dotted = {past.replace(".", "__"): past for past, _, _ in form.caches} | {present.replace(".", "__"): present for _, present, _ in form.caches if present}
    for plain, name in dotted.items():
        text = text.replace(name, plain)
    model = onnx.parser.parse_model(text)
    for node in model.graph.node:
        node.input[:] = [dotted.get(name, name) for name in node.input]
        node.output[:] = [dotted.get(name, name) for name in node.output]
    used = {name for node in model.graph.node for name in node.input}
    model.graph.initializer.extend(onnx.numpy_helper.from_array(np.asarray(value), name) for name, value in CONSTANTS.items() if name in used)
    del model.graph.output[:]
    model.graph.output.append(onnx.ValueInfoProto(name="logits"))
    for past, present, shape in form.caches:
        sizes = [int(size) if size.isdigit() else size for size in shape.split(", ")]
        model.graph.input.append(helper.make_tensor_value_info(past, code, sizes))
        if present:
            model.graph.output.append(onnx.ValueInfoProto(name=present))
    return onnx.shape_inference.infer_shapes(model)


def steps_of(form):
    """The row of the previous inference that each row continues, and the inputs."""
    generator = np.random.default_rng(1)
    total = 0
    for number, count in enumerate(form.counts):
        rows = np.arange(form.batch) if number == 0 else np.arange(form.batch)[::-1]
        position = np.arange(total, total + count)
        total += count
        mask = np.where(np.arange(total) <= position[:, None], 0, -1e4).astype(np.float32)
        yield rows, {"input_ids": generator.integers(0, 32, (form.batch, count)), "cache_position": position,
                     "attention_mask": np.broadcast_to(mask, (form.batch, 1, count, total)).copy()}


def first_caches(form):
    dtype = helper.tensor_dtype_to_np_dtype(getattr(TensorProto, form.type.upper()))
    sizes = {"B": form.batch, **form.first}
    for past, _, shape in form.caches:
        yield past, np.zeros([int(size) if size.isdigit() else sizes.get(size, 0) for size in shape.split(", ")], dtype)


def fed_by(inputs, values):
    return {name: value for name, value in values.items() if name in inputs}


def expected_steps(model, form, caches):
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    inputs, outputs = ([node.name for node in nodes] for nodes in (session.get_inputs(), session.get_outputs()))
    for rows, fed in steps_of(form):
        cached = (rows[:, None] * form.rows + np.arange(form.rows)).ravel()
        caches = {name: value if name in form.stays else np.take(value, cached, form.batch_axis) for name, value in caches.items()}
        results = dict(zip(outputs, session.run(outputs, fed_by(inputs, {**fed, **caches}))))
        caches |= {past: results[present] for past, present, _ in form.caches if present}
        yield results["logits"]


def converted(model, folder):
    onnx.save(model, folder / "model.onnx")
    return subprocess.run([tool_path(), folder / "model.onnx", "--stateful", "-o", folder / "model.xml"], capture_output=True, text=True)


def run_steps(folder, steps, given, batch):
    request = openvino.Core().compile_model(folder / "model.xml", "CPU", {**CONFIG, "KV_CACHE_PRECISION": "f32"}).create_infer_request()
    inputs = {name for port in request.model_inputs for name in port.get_names()}
    for _ in range(2):  # the second time after reset_state
        results = []
        for rows, fed in steps:
            request.infer({**fed_by(inputs, {**fed, **given}), "beam_idx": np.asarray(rows, np.int32)})
            results.append(request.get_tensor("logits").data.copy())
        yield inputs, results
        request.reset_state()


@pytest.mark.parametrize("name", [name for name, form in FORMS.items() if not form.error])
def test_form(name, tmp_path):
    form = FORMS[name]
    model = model_of(form)
    done = converted(model, tmp_path)
    assert done.returncode == 0, done.stderr
    assert all(past in done.stderr for past in form.stays) and (f"[{STAYS}]" in done.stderr) == bool(form.stays)
    caches = dict(first_caches(form))
    for past in form.stays:
        caches[past] = numbers(past, *caches[past].shape)
    given = {past: caches[past] for past in form.stays}
    expected = list(expected_steps(model, form, caches))
    for inputs, results in run_steps(tmp_path, list(steps_of(form)), given, form.batch):
        assert {past for past, *_ in form.caches} & inputs == set(form.stays)
        for result, right in zip(results, expected):
            np.testing.assert_allclose(result, right, rtol=1e-3, atol=1e-4 if form.type != "float16" else 0.01)


@pytest.mark.parametrize("name", [name for name, form in FORMS.items() if form.error])
def test_unknown_form(name, tmp_path):
    form = FORMS[name]
    done = converted(model_of(form), tmp_path)
    assert done.returncode == 1 and form.error in done.stderr


def with_caches(model, caches):
    """The model of a case of test_cache_steps.py with names of caches; their length is dynamic."""
    model = onnx.ModelProto.FromString(model)
    names = {}
    for number, (index, value) in enumerate(caches.items()):
        names |= {f"x{index}": f"past_{number}", f"y{number + 1}": f"present_{number}"}
        axis = value.ndim - 2
        for port in model.graph.input:
            if port.name == f"x{index}":
                sizes = [size if i != axis else "P" for i, size in enumerate(value.shape)]
                sizes[1 if value.ndim == 5 else 0] = "B"
                port.CopyFrom(helper.make_tensor_value_info(port.name, port.type.tensor_type.elem_type, sizes))
    names["y0"] = "logits"
    for node in model.graph.node:
        node.input[:] = [names.get(name, name) for name in node.input]
        node.output[:] = [names.get(name, name) for name in node.output]
    for value in (*model.graph.input, *model.graph.output):
        value.name = names.get(value.name, value.name)
    return model


@pytest.mark.parametrize("name", STEPS)
def test_operator(name, tmp_path):
    """Operators with caches: the steps of test_cache_steps.py with caches in variables."""
    case = STEPS[name]()
    proto = onnx.ModelProto.FromString(case.model)
    first = case.runs[0].inputs
    indices = {"MultiHeadAttention": (6, 7), "Attention": (4,), "GroupQueryAttention": (3, 4)}[proto.graph.node[0].op_type]
    caches = {index: first[f"x{index}"] for index in indices}
    done = converted(with_caches(case.model, caches), tmp_path)
    assert done.returncode == 0, done.stderr
    batch = len(first["x0"])
    steps = [(np.arange(batch), run.inputs) for run in case.runs]
    for _, results in run_steps(tmp_path, steps, {}, batch):
        for result, run in zip(results, case.runs):
            np.testing.assert_allclose(result, run.expected["y0"], rtol=1e-3, atol=1e-4)
