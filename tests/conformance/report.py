"""Reports of a run: a table by operator, JSON."""

import dataclasses
import json
from collections import Counter

from .case import OUTCOMES, PASS


def summary(results):
    """One line: how many cases, how many of each outcome, ports."""
    counts = Counter(result.outcome for result in results)
    parts = [f"{counts[outcome]} {outcome}" for outcome in OUTCOMES if counts[outcome]]
    with_mismatch = sum(bool(result.port_mismatches) for result in results)
    return f"{len(results)} cases: {', '.join(parts)}; port mismatches in {with_mismatch}"


def markdown(results, operators, title):
    """A table with a row for each operator, then every failure."""
    rows = {}
    for result in results:
        rows.setdefault(operators[result.name], []).append(result)
    lines = [f"# {title}", "", summary(results), "", "| operator | cases | pass | other |", "|---|---|---|---|"]
    for operator in sorted(rows):
        counts = Counter(result.outcome for result in rows[operator])
        other = ", ".join(f"{counts[outcome]} {outcome}" for outcome in OUTCOMES[1:] if counts[outcome])
        lines.append(f"| {operator} | {len(rows[operator])} | {counts[PASS]} | {other} |")
    lines += ["", "## Failures", ""]
    for operator in sorted(rows):
        for result in rows[operator]:
            if result.outcome != PASS:
                lines.append(f"- `{result.name}` {result.outcome}: {result.first_line[:200]}")
    return "\n".join(lines) + "\n"


def as_json(results, operators):
    return json.dumps(
        [{"operator": operators[result.name], **dataclasses.asdict(result)} for result in results], indent=1
    )
