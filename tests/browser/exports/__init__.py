"""Exported models without weights: reading and writing them."""

import gzip
from pathlib import Path

import numpy as np
import onnx

FOLDER = Path(__file__).parent
SMALL = 16  # constants with more elements are weights


def weights_of(graph):
    """The weights of a graph and of the graphs in it."""
    yield from (tensor for tensor in graph.initializer if tensor.data_type == onnx.TensorProto.FLOAT and np.prod(tensor.dims) > SMALL)
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from weights_of(attribute.g)


def without_weights(model):
    for tensor in weights_of(model.graph):
        for field in ("raw_data", "float_data"):
            tensor.ClearField(field)
    return model


def kept(name):
    """The model as it is kept, without weights."""
    return onnx.load_from_string(gzip.decompress((FOLDER / f"{name}.onnx.gz").read_bytes()))


def keep(name, model):
    (FOLDER / f"{name}.onnx.gz").write_bytes(gzip.compress(model.SerializeToString(deterministic=True), mtime=0))


def save(name, path):
    """Writes the model with random weights."""
    model = kept(name)
    generator = np.random.default_rng(0)
    for tensor in weights_of(model.graph):
        tensor.raw_data = generator.standard_normal(tuple(tensor.dims)).astype(np.float32).tobytes()
    onnx.save(model, path)
