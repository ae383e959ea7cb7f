"""The table that a run of the zoo prints."""

from collections import Counter

from ..conformance.case import PASS

_NO_EXPORT = "no export"


def table(outcomes):
    """Markdown lines: a row for each model and exporter, then the sums."""
    lines = ["| model | exporter | onnx2ir | OpenVINO's front end |", "|---|---|---|---|"]
    ours, theirs = Counter(), Counter()
    for (name, exporter), outcome in outcomes.items():
        lines.append(f"| {name} | {exporter} | {_words(outcome.result)} | {_words(outcome.peer)} |")
        if outcome.result:
            ours[exporter, outcome.result.outcome] += 1
            theirs[exporter, outcome.peer.outcome] += 1
    for exporter in dict.fromkeys(exporter for _, exporter in outcomes):
        total = sum(count for (which, _), count in ours.items() if which == exporter)
        sums = f"{ours[exporter, PASS]} of {total} | {theirs[exporter, PASS]} of {total}"
        lines.append(f"| all | {exporter} | {sums} |")
    return lines


def _words(result):
    if result is None:
        return _NO_EXPORT
    if result.outcome == PASS:
        return PASS
    return f"{result.outcome}: {result.first_line[:70]}".replace("|", "\\|")
