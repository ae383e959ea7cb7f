"""Limits of OpenVINO's runtime, each shown by an experiment with the runtime alone.

Every reason in known_failures.txt is the name of an experiment here or of a fault. An experiment runs on the releases for which the
list gives it as a reason. It fails if a new runtime removes the limit: then the cases that refer to it can be converted.
"""

import importlib
import inspect
import subprocess
import sys

import numpy as np
import openvino as ov
import pytest

from ..faults import occurrences
from . import known_failures
from .runtime import CONFIG
from .runtime_ops import ops as opset16

EXPERIMENTS = {}


def experiment(function):
    EXPERIMENTS[function.__name__] = function
    return function


def run(inputs, *outputs, **values):
    """The first output for the values of the Parameters."""
    compiled = ov.Core().compile_model(ov.Model(list(outputs), list(inputs)), "CPU", CONFIG)
    return compiled(list(values.values()))[0]


def parameter(shape, element_type):
    return opset16.parameter(shape, getattr(ov.Type, element_type))


def operations():
    """The names of all operations of all opsets."""
    package, newest = opset16.__name__.rsplit(".opset", 1)
    modules = [importlib.import_module(f"{package}.opset{version}") for version in range(1, int(newest) + 1)]
    return {name for module in modules for name in dir(module) if not name.startswith("_")}


def can_read_type(name):
    """Whether an IR may hold values of an element type."""
    port = '<port id="0" precision="FP32"><dim>2</dim></port>'
    xml = f"""<net name="m" version="11"><layers>
        <layer id="0" name="x" type="Parameter" version="opset1"><data shape="2" element_type="{name}"/><output>{port}</output></layer>
        <layer id="1" name="y" type="Result" version="opset1"><input>{port}</input></layer></layers>
        <edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/></edges></net>"""
    try:
        ov.Core().read_model(xml.encode(), ov.Tensor(np.zeros(1, np.uint8)))
    except RuntimeError:
        return False
    return True


@experiment
def no_float8_fnuz():
    """The runtime has no element type float8e4m3fnuz or float8e5m2fnuz."""
    assert can_read_type("f8e4m3") and can_read_type("f8e5m2")
    for name in ("f8e4m3fnuz", "f8e5m2fnuz", "float8e4m3fnuz", "float8e5m2fnuz"):
        assert not can_read_type(name)
    assert not [name for name in dir(ov.Type) if "fnuz" in name]


@experiment
def no_int2():
    """The runtime has no element type int2: its 2-bit integers have no sign."""
    assert can_read_type("u2") and can_read_type("i4")
    assert not can_read_type("i2") and not can_read_type("int2")
    assert not hasattr(ov.Type, "i2")


@experiment
def f64_is_f32():
    """The CPU runtime computes f64 as f32: conversions from and to f64 turn infinities into the largest f32."""
    values = np.array([np.inf, -np.inf, 1.0])
    x = parameter([3], "f64")
    y = run([x], opset16.convert(x, "f32"), x=values)
    assert y.tolist() == [*np.array([3.4028235e38, -3.4028235e38], np.float32), 1]
    x = parameter([3], "f32")
    y = run([x], opset16.convert(x, "f64"), x=values.astype(np.float32))
    assert np.isfinite(y).all()


@experiment
def random_numbers():
    """The runtime's random numbers for a seed are not numpy's, which the suite's expected values were drawn with."""
    shape, low, high = opset16.constant([4]), opset16.constant(np.float32(0)), opset16.constant(np.float32(1))
    for seed in (0, 1, 5):
        drawn = run([], opset16.random_uniform(shape, low, high, "f32", seed, seed))
        assert not np.allclose(drawn, np.random.RandomState(seed).uniform(0, 1, 4))


@experiment
def f32_transforms():
    """The runtime computes Fourier transforms in f32: 6e-5 instead of 0 next to a value of 500, where the suite allows 1e-7."""
    x = parameter([1, 10, 2], "f32")
    signal = np.zeros((1, 10, 2), np.float32)
    signal[0, :, 0] = np.arange(10) * 100
    exact = np.fft.fft(signal[0, :, 0])
    y = run([x], opset16.dft(x, opset16.constant([1])), x=signal)[0, :, 1]
    assert 1e-5 < np.abs(y - exact.imag).max() < 1e-2


@experiment
def dynamic_transforms():
    """Releases before 2025.4 do not compile a Fourier transform with dynamic shapes."""
    x = parameter([1, -1, 2], "f32")
    with pytest.raises(RuntimeError):
        ov.Core().compile_model(ov.Model([opset16.dft(x, opset16.constant([1]))], [x]), "CPU", CONFIG)


@experiment
def saturated_u32():
    """Releases before 2025.4 saturate u32 numbers from 2^31 on when they become i32."""
    x = parameter([1], "u32")
    assert run([x], opset16.convert(x, "i32"), x=np.array([0xFFFFFFFF], np.uint32)).tolist() == [0x7FFFFFFF]


@experiment
def f32_absolutes():
    """Releases before 2025.4 compute absolute values of integers in f32, which loses digits above 2^24."""
    x = parameter([2], "i32")
    assert run([x], opset16.abs(x), x=np.array([-(1 << 24) - 1, -5], np.int32)).tolist() == [1 << 24, 5]


@experiment
def trimmed_names():
    """Releases before 2025.4 remove white space around the names of tensors in XML, and a line break becomes two characters."""
    for name, read in ((" a ", "a"), ("a&#10;b", "a\nb")):
        port = f'<port id="0" precision="FP32" names="{name}"><dim>2</dim></port>'
        xml = f"""<net name="m" version="11"><layers>
            <layer id="0" name="x" type="Parameter" version="opset1"><data shape="2" element_type="f32"/><output>{port}</output></layer>
            <layer id="1" name="y" type="Result" version="opset1"><input><port id="0"><dim>2</dim></port></input></layer></layers>
            <edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/></edges></net>"""
        assert ov.Core().read_model(xml.encode()).input(0).get_names() == {read}


@experiment
def shared_bound():
    """Releases before 2025.4 do not compile a FakeQuantize of 5 levels whose lower bounds are one constant of shape [1, 1, 1, 1]."""
    x = parameter([2, 3, 4, 5], "f32")
    low, high, out_high = (opset16.constant(np.full((1, 1, 1, 1), value, np.float32)) for value in (0.0, 2.55, 255.0))
    with pytest.raises(RuntimeError, match="single consumer"):
        run([x], opset16.fake_quantize(x, low, high, low, out_high, 5), x=np.zeros((2, 3, 4, 5), np.float32))


@experiment
def copied_zero():
    """Releases before 2025.4 end a Reshape of no elements whose computed pattern asks with a zero for a size that is 0."""
    x, sizes = parameter([-1, 8], "f32"), parameter([3], "i64")
    with pytest.raises(RuntimeError, match="conflicts with the reshape pattern"):
        run([x, sizes], opset16.abs(opset16.reshape(x, sizes, True)), x=np.zeros((0, 8), np.float32), sizes=np.array([0, 0, 8]))


@experiment
def product_slope():
    """Releases before 2025.4 do not compile a product of dynamic width with a PRelu behind it."""
    a, b = parameter([-1, -1], "f32"), parameter([-1, -1], "f32")
    product = opset16.matmul(a, b, False, False)
    with pytest.raises(RuntimeError, match="data.size"):
        run([a, b], opset16.prelu(product, opset16.constant(np.ones(3, np.float32))), a=np.ones((2, 1), np.float32), b=np.ones((1, 3), np.float32))


@experiment
def no_64_bits():
    """The CPU runtime keeps 32 bits of 64: it rounds f64 to f32 and truncates i64 to i32, and has no operation on their bits."""
    assert not [name for name in operations() if any(part in name.lower() for part in ("bitcast", "bit_cast", "reinterpret", "view"))]
    x = parameter([1], "f64")
    assert run([x], opset16.add(x, opset16.constant(np.array([0.0]))), x=np.array([1 + 2.0**-30])).tolist() == [1]
    x = parameter([1], "i64")
    assert run([x], opset16.add(x, opset16.constant([1])), x=np.array([1 << 40])).tolist() != [(1 << 40) + 1]


@experiment
def no_image_decoder():
    """The runtime has no operation that decodes images."""
    assert not [name for name in operations() if any(part in name.lower() for part in ("image_de", "jpeg", "png", "decode_"))]
    assert "ctc_greedy_decoder" in operations()  # the names are complete


def branches_of_shapes(first, second):
    """The inputs and the output of an If whose branches give tensors of two shapes."""
    condition = parameter([], "boolean")
    node = opset16.if_op(condition)
    node.set_then_body(ov.Model([opset16.constant(np.ones(first, np.float32))], []))
    node.set_else_body(ov.Model([opset16.constant(np.ones(second, np.float32))], []))
    results = [node.get_function(body).get_results()[0] for body in (0, 1)]
    return [condition], opset16.abs(node.set_output(*results))


@experiment
def no_dynamic_rank():
    """The CPU runtime does not support values of dynamic rank: inputs, results of a list of
    dynamic length, and results of two branches."""
    x, axes = parameter([-1, -1, -1], "f32"), parameter([-1], "i64")
    makers = [
        ([x, axes], opset16.reshape(x, axes, False)),
        ([x, axes], opset16.reduce_sum(x, axes, False)),
        ([x, axes], opset16.squeeze(x, axes)),
    ]
    unknown = opset16.parameter(ov.PartialShape.dynamic(), np.float32)
    makers.append(([unknown], opset16.abs(unknown)))
    makers.append(branches_of_shapes([1], [1, 1]))
    for inputs, output in makers:
        with pytest.raises(RuntimeError, match="dynamic rank"):
            ov.Core().compile_model(ov.Model([output], inputs), "CPU", CONFIG)
    # A scalar becomes a vector if the other branch returns a vector.
    inputs, output = branches_of_shapes([], [1])
    assert run(inputs, output, condition=np.array(True)).shape == (1,)


def reasons_here():
    """The experiments that are reasons on this release and instruction set."""
    here = known_failures.in_environment(known_failures.load(), known_failures.current())
    return sorted({entry.reason for entry in here.values()} & set(EXPERIMENTS))


@pytest.mark.matrix
@pytest.mark.parametrize("name", reasons_here())
def test_limit(name):
    assert inspect.getdoc(EXPERIMENTS[name])
    EXPERIMENTS[name]()


def test_reasons_and_experiments_match():
    """Or a fault, which has its experiment in tests/faults."""
    reasons = {entry.reason for entry in known_failures.load().values()}
    assert reasons - set(occurrences.load()) == set(EXPERIMENTS)


def test_attention_without_keys():
    """ScaledDotProductAttention without keys keeps the output of the previous run: see docs/limits.md."""
    query, keys, values = (opset16.parameter([1, 1, -1, 4], np.float32) for _ in range(3))
    attention = opset16.scaled_dot_product_attention(query, keys, values)
    compiled = ov.Core().compile_model(ov.Model([attention], [query, keys, values], "main"), "CPU", CONFIG)
    before, after = (np.array(compiled([np.ones((1, 1, size, 4), np.float32) for size in (2, keys, keys)])[0]) for keys in (3, 0))
    assert before.all() and np.array_equal(before, after)


def test_reshape_of_no_elements():
    """OpenVINO computes the only size of a Reshape that is not one of its input as the number of elements divided by the other sizes."""
    data, other = opset16.parameter([-1, -1], np.float32), opset16.parameter([-1], np.float32)
    columns = opset16.gather(opset16.shape_of(data), np.array([1]), np.int64(0))
    reshaped = opset16.reshape(data, opset16.concat([opset16.shape_of(other), columns], 0), False)
    compiled = ov.Core().compile_model(ov.Model([opset16.abs(reshaped)], [data, other]), "CPU", CONFIG)
    specified = (5, 0)
    assert compiled([np.ones((2, 0), np.float32), np.ones(5, np.float32)])[0].shape != specified


ON_ONE_THREAD = """
import numpy as np, openvino as ov
from tests.conformance.runtime_ops import ops
x, y = ops.parameter([-1], np.float32), ops.parameter([-1], np.float32)
compiled = ov.Core().compile_model(ov.Model([ops.add(x, y)], [x, y]), "CPU", {"INFERENCE_NUM_THREADS": 1, **%s})
request = compiled.create_infer_request()
for sizes in ((3, 3), (2, 5)):
    request.infer([np.ones(size, np.float32) for size in sizes])
print(request.get_output_tensor(0).get_shape())
"""


def test_errors_on_one_thread():
    """With one stream of one thread, infer() does not report errors and keeps the outputs of the previous run; CONFIG asks for
    no stream for this reason.

    The error stays in a queue and may end a later run, so each case has a separate process."""
    silent, loud = (
        subprocess.run([sys.executable, "-c", ON_ONE_THREAD % options], capture_output=True, text=True) for options in ({}, {"NUM_STREAMS": "0"})
    )
    assert silent.stdout.strip() == "[3]"
    assert loud.stdout == "" and "RuntimeError" in loud.stderr
