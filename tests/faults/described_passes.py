"""The passes and the workarounds for single nodes, as docs/passes.md describes them; test_passes.py checks that the document is true."""

import re
from dataclasses import dataclass
from pathlib import Path

DOCUMENT = Path(__file__).resolve().parents[2] / "docs/passes.md"
_NAME = r"`(\w+)`"


@dataclass(frozen=True)
class DescribedPass:
    name: str
    source: str
    faults: frozenset[str]  # it runs if the target has one of these
    consulted: frozenset[str]  # these change what it does
    mends_ir: bool  # part of `onnx2ir legalize`


def described_passes():
    rows = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in DOCUMENT.read_text().splitlines() if line.startswith("| [")]
    return [described_pass(*row[0:2], row[-1]) for row in rows]


def described_pass(link, kind_or_pass, faults):
    name, source = re.fullmatch(r"\[(\w+)\]\(\.\./(.+)\)", link).groups()
    required, _, consulted = faults.partition(" (")
    mends_ir = kind_or_pass == "legalize" or source.startswith("passes/workarounds/")
    return DescribedPass(name, source, frozenset(re.findall(_NAME, required)), frozenset(re.findall(_NAME, consulted)), mends_ir)
