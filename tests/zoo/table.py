"""docs/models.md: the results of a run of all models."""

import inspect

from ..conformance.case import PASS
from .registry import EXPORTERS

HEADER = """# Exported models

Made by `./dev test --models --update`; do not edit. PyTorch, torchvision and transformers build each model with random weights
in a small configuration, `torch.onnx.export` writes it, with `dynamo=False` ("torchscript") or `dynamo=True` ("dynamo"), with
dynamic axes where the exporter allows them; tf2onnx writes functions of TensorFlow. A model passes when the IR runs on OpenVINO's
CPU plugin in f32 on each of several input sizes with onnxruntime's results, and when all ports of the IR have the types and
shapes that OpenVINO infers itself. The peer is OpenVINO's own ONNX front end in the same harness, without the last condition; its
results differ between CPUs. Operations are counted in the main graph, without those in bodies, before the CPU plugin optimises. How the models are made:
[tests/zoo](../tests/zoo/README.md).

"""


def document(models, outcomes):
    """The text of the document. `outcomes`: by the names of model and exporter."""
    return HEADER + "".join(f"{line}\n" for line in [*_sums(outcomes), *_groups(models, outcomes)])


def without_counts(text):
    """The lines of a document without the results of the peer, which differ between CPUs, and without the counts, which change when
    lowerings improve."""
    return [line.split(" | ")[:3] for line in text.splitlines()]


def summary(outcomes):
    """One line for each row that did not pass, then the totals."""
    wrong = [
        f"{name}-{exporter}: {outcome.result.outcome}: {outcome.result.first_line[:100]}"
        for (name, exporter), outcome in outcomes.items()
        if outcome.result and outcome.result.outcome != PASS
    ]
    return [*wrong, *_sums(outcomes)]


def _sums(outcomes):
    lines = ["| exporter | exported | onnx2ir | peer |", "|---|---|---|---|"]
    for exporter in EXPORTERS:
        rows = [outcome for (_, which), outcome in outcomes.items() if which == exporter and outcome.result]
        ours = sum(outcome.result.outcome == PASS for outcome in rows)
        theirs = sum(outcome.peer.outcome == PASS for outcome in rows)
        lines.append(f"| {exporter} | {len(rows)} | {ours} | {theirs} |")
    return lines


def _groups(models, outcomes):
    """A table for each file of models."""
    heading = None
    for (name, exporter), outcome in outcomes.items():
        group = _group(models[name])
        if group != heading:
            heading = group
            yield from ["", f"## {heading}", ""]
            yield "| model | exporter | onnx2ir | peer | ONNX nodes | operations | peer's operations |"
            yield "|---|---|---|---|---|---|---|"
        yield f"| {name} | {exporter} | {_cells(models[name], exporter, outcome)} |"


def _group(model):
    module = inspect.unwrap(model.build).__module__.partition(".zoo.")[2]
    return module.replace(".", ": ").replace("_", " ").capitalize()


def _cells(model, exporter, outcome):
    if outcome.export_failure:
        return f"not exported: {model.export_fails.get(exporter, 'unexpected')} | | | |"
    counts = [outcome.nodes, outcome.result.operations, outcome.peer.operations]
    return " | ".join([outcome.result.outcome, outcome.peer.outcome, *(str(count or "") for count in counts)])
