"""Operations, attributes and element types that older releases do not have.

A release that lacks what the experiment needs counts as faulty."""

import numpy as np
import openvino as ov

from .experiment import Unavailable, compiled, element_type, experiment, fails, numbers, opset, parameter, results

LAYER_PORT = '<port id="{id}" precision="FP32"><dim>1</dim><dim>1</dim><dim>{size}</dim></port>'


def one_layer(kind, version, attributes, size, result_size):
    """The IR of one operation on f32 [1, 1, size]."""
    first, second = LAYER_PORT.format(id=0, size=size), LAYER_PORT.format(id=0, size=result_size)
    output = LAYER_PORT.format(id=1, size=result_size)
    return f"""<net name="m" version="11"><layers>
        <layer id="0" name="x" type="Parameter" version="opset1"><data shape="1,1,{size}" element_type="f32"/><output>{first}</output></layer>
        <layer id="1" name="y" type="{kind}" version="{version}"><data {attributes}/><input>{first}</input><output>{output}</output></layer>
        <layer id="2" name="z" type="Result" version="opset1"><input>{second}</input></layer></layers>
        <edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/><edge from-layer="1" from-port="1" to-layer="2" to-port="0"/></edges>
        </net>"""


@experiment
def no_average_dilations():
    """AvgPool of opset16 supports dilations."""
    attributes = 'kernel="2" strides="1" dilations="2" pads_begin="0" pads_end="0" exclude-pad="true" auto_pad="explicit" rounding_type="floor"'
    xml = one_layer("AvgPool", "opset16", attributes, 4, 2)

    def average():
        model = ov.Core().read_model(xml.encode(), ov.Tensor(np.zeros(1, np.uint8)))
        return ov.Core().compile_model(model, "CPU")([np.array([[[1, 2, 5, 8]]], np.float32)])[0]

    return fails(average) or average().ravel().tolist() != [3, 5]


def cannot_have_inputs(*names):
    """Whether a model cannot have an input of one of the types."""
    for name in names:
        try:
            x = opset.parameter([2], element_type(name))
        except Unavailable:
            return True
        if fails(compiled, [x], opset.convert(x, "f32")):
            return True
    return False


@experiment
def no_float8_inputs():
    """A model can have inputs of types f8e4m3 and f8e5m2."""
    return cannot_have_inputs("f8e4m3", "f8e5m2")


@experiment
def no_scale_inputs():
    """A model can have inputs of type f8e8m0."""
    return cannot_have_inputs("f8e8m0")


@experiment
def no_float4_inputs():
    """A model can have inputs of type f4e2m1."""
    return cannot_have_inputs("f4e2m1")


@experiment
def no_uint2():
    """A model can have inputs and outputs of type u2."""
    if cannot_have_inputs("u2"):
        return True
    x = opset.parameter([4], np.float32)
    return fails(results, [x], opset.convert(x, element_type("u2")), (np.arange(4, dtype=np.float32),))


@experiment
def no_dynamic_transforms():
    """The Fourier transform of a constant row of dynamic length, and back."""
    x, values = parameter([-1, 2]), np.array([[1, 0], [1, 0]], np.float32)
    there_and_back = opset.idft(opset.dft(x, numbers(0)), numbers(0))
    return fails(results, [x], there_and_back, [values]) or not np.allclose(results([x], there_and_back, [values])[0], values)
