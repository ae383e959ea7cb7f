"""The table of models: its rows, and the decorator that adds one."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

TORCHSCRIPT = "torchscript"  # torch.onnx.export(dynamo=False)
DYNAMO = "dynamo"  # torch.onnx.export(dynamo=True)
OF_PYTORCH = (TORCHSCRIPT, DYNAMO)
TF2ONNX = "tf2onnx"  # a tf.function
EXPORTERS = (*OF_PYTORCH, TF2ONNX)


@dataclass
class Built:
    """A model ready for export."""

    module: Any  # a torch.nn.Module in evaluation mode, or a scripted one, of tensors in and tensors out
    inputs: Callable[..., dict[str, Any]] | None  # tensors by the name of forward's parameter, for sizes
    sizes: list[dict[str, int]]  # arguments of `inputs`: the example for the export, then further runs
    dynamic: dict[str, dict[int, str]] = field(default_factory=dict)  # axes, named like the arguments of `inputs`
    outputs: list[str] | None = field(default_factory=lambda: ["output"])  # None: the exporter names them
    dynamo_static: set[str] = field(default_factory=set)  # names in `dynamic` that torch.export makes constants
    opset: int | None = None  # None: the exporter's default
    transform: Callable[..., None] | None = None  # of the exported file: its path, and the inputs of the runs as arrays
    compare_with_export: bool = False  # expected values are those of the file before `transform`, which onnxruntime cannot run
    fixed_inputs: list[dict[str, Any]] = field(default_factory=list)  # further runs, whose values matter


@dataclass(frozen=True)
class Model:
    name: str
    build: Callable[[], Built]
    exporters: tuple[str, ...]
    export_fails: dict[str, str]  # by exporter: a pattern that the message of the failing export has
    rtol: float
    atol: float


MODELS: dict[str, Model] = {}


def model(name, exporters=OF_PYTORCH, export_fails=None, rtol=1e-3, atol=1e-5):
    """Adds a row with the decorated build function, which runs in a separate process, after torch.manual_seed.

    The model is exported again if the file of the build function changes, or that of a function it wraps (functools.wraps).
    """

    def add(build):
        assert name not in MODELS, name
        MODELS[name] = Model(name, build, tuple(exporters), export_fails or {}, rtol, atol)
        return build

    return add
