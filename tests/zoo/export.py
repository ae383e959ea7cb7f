"""Exports a model of the table, in a separate process: python -m tests.zoo.export NAME EXPORTER FILE.

FILE becomes a pickled Exported.
"""

import contextlib
import io
import os
import pickle
import sys
import tempfile
import warnings
from pathlib import Path

from .outcome import Exported
from .registry import DYNAMO, TF2ONNX

SEED = 20


def export(model, exporter):
    import torch

    torch.set_num_threads(1)
    torch.backends.mha.set_fastpath_enabled(False)  # one operator for all of it, which is none of ONNX's
    torch.manual_seed(SEED)
    built = model.build()
    torch.manual_seed(SEED)
    if exporter == DYNAMO:
        _make_static(built)
    runs = [built.inputs(**size) for size in built.sizes] + built.fixed_inputs
    with tempfile.TemporaryDirectory(prefix="onnx2ir-zoo-") as folder, torch.no_grad():
        path = Path(folder) / "model.onnx"
        said = io.StringIO()
        try:
            with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
                if exporter == TF2ONNX:
                    _export_tensorflow(built, runs[0], path)
                else:
                    _export(built, exporter, runs[0], path)
        except Exception as error:
            return Exported(failure=f"{type(error).__name__}: {error}")
        names = _graph_inputs(path)
        arrays = [{name: tensor.numpy() for name, tensor in run.items() if name in names} for run in runs]
        reference = path.read_bytes() if built.compare_with_export else b""
        if built.transform:
            built.transform(path, arrays)
        return Exported(path.read_bytes(), tuple(arrays), reference=reference)


def _make_static(built):
    """Removes axes that torch.export cannot keep dynamic, and the runs that need them."""
    for name in built.dynamo_static:
        built.sizes = [size for size in built.sizes if size[name] == built.sizes[0][name]]
    for axes in built.dynamic.values():
        for axis in [axis for axis, name in axes.items() if name in built.dynamo_static]:
            del axes[axis]


def _export(built, exporter, example, path):
    import torch

    options = {"input_names": list(example), "output_names": built.outputs, "opset_version": built.opset}
    if exporter == DYNAMO:
        if built.dynamic:
            options["dynamic_shapes"] = {name: dict(built.dynamic.get(name, {})) for name in example}
        torch.onnx.export(
            built.module, (), str(path), kwargs=example, dynamo=True, external_data=False, verbose=False, **options
        )
    else:
        torch.onnx.export(
            built.module, tuple(example.values()), str(path), dynamo=False, dynamic_axes=built.dynamic, **options
        )


def _export_tensorflow(built, example, path):
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    import tensorflow
    import tf2onnx

    def traced(*inputs):
        return built.module(tensorflow, *inputs)

    signature = []
    for name, tensor in example.items():
        shape = [None if axis in built.dynamic.get(name, {}) else size for axis, size in enumerate(tensor.shape)]
        signature.append(tensorflow.TensorSpec(shape, tensor.numpy().dtype, name=name))
    function = tensorflow.function(traced, input_signature=signature)
    tf2onnx.convert.from_function(function, input_signature=signature, opset=built.opset, output_path=str(path))


def _graph_inputs(path):
    """The inputs of the exported model. Exporters remove unused ones."""
    import onnx

    return {value.name for value in onnx.load(path).graph.input}


def main():
    from .models import MODELS

    name, exporter, path = sys.argv[1:]
    warnings.simplefilter("ignore")
    exported = export(MODELS[name], exporter)
    part = Path(f"{path}.{os.getpid()}")
    part.write_bytes(pickle.dumps(exported))
    part.rename(path)


if __name__ == "__main__":
    main()
