"""A tokenizer and a detokenizer of one text whose tokens are the bytes of UTF-8, as OpenVINO models for GenAI."""

import openvino
from openvino import opset15 as ops


def named(node, name):
    node.output(0).tensor.names = {name}
    return node.output(0)


def tokenizer():
    text = ops.parameter([-1], openvino.Type.string)
    named(text, "string_input")
    _, _, characters = ops.string_tensor_unpack(text).outputs()
    ids = ops.unsqueeze(ops.convert(characters, "i64"), ops.constant([0]))
    mask = ops.broadcast(ops.constant(1), ops.shape_of(ids, "i64"))
    return openvino.Model([named(ids, "input_ids"), named(mask, "attention_mask")], [text], "tokenizer")


def detokenizer():
    ids = ops.parameter([-1, -1], openvino.Type.i64)
    named(ids, "Parameter_1")
    characters = ops.convert(ops.reshape(ids, ops.constant([-1]), False), "u8")
    sizes = ops.shape_of(ids, "i64")
    rows, length = (ops.gather(sizes, ops.constant(axis), ops.constant(0)) for axis in (0, 1))
    numbers = ops.range(ops.constant(0), rows, ops.constant(1), "i64")
    begins = ops.convert(ops.multiply(numbers, length), "i32")
    ends = ops.add(begins, ops.convert(length, "i32"))
    text = ops.string_tensor_pack(begins, ends, characters)
    return openvino.Model([named(text, "string_output")], [ids], "detokenizer")


def save_tokenizers(folder):
    for model in (tokenizer(), detokenizer()):
        openvino.save_model(model, folder / f"openvino_{model.friendly_name}.xml", compress_to_fp16=False)
