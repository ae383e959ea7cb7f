"""4-bit weights, quantised with onnxruntime's own tool."""

import logging

import onnx
from onnxruntime.quantization.matmul_nbits_quantizer import MatMulNBitsQuantizer

# It reports each node.
logging.getLogger("onnxruntime.quantization.matmul_nbits_quantizer").setLevel(logging.WARNING)


def in_4_bits(model):
    quantizer = MatMulNBitsQuantizer(onnx.ModelProto.FromString(model.SerializeToString()), bits=4, block_size=32, is_symmetric=False)
    quantizer.process()
    quantized = quantizer.model.model
    assert any(node.op_type == "MatMulNBits" for node in quantized.graph.node)
    return quantized
