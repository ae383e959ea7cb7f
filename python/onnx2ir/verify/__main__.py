"""The command line: onnx2ir verify MODEL.onnx [IR.xml] [options]."""

import argparse
import json
import sys
from typing import Any, Dict, List, Sequence, Tuple

import numpy

from .. import ConversionError
from . import Failure, heat_map, locate, verify


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="onnx2ir verify",
        description="Runs a model in onnxruntime and its IR in OpenVINO, on the same inputs, and compares all outputs.",
        epilog="Exit code: 0 if all outputs are equal, 1 if one differs, 2 if a model cannot be run, 3 for a fault of onnx2ir.",
    )
    parser.add_argument("model", metavar="MODEL.onnx")
    parser.add_argument("ir", metavar="IR.xml", nargs="?", help="the IR; by default the model is converted now, in memory")
    parser.add_argument("--input", action="append", default=[], metavar="NAME=VALUE", help="a JSON list or number, or FILE.npy; other inputs are random")
    parser.add_argument("--dim", action="append", default=[], metavar="NAME=SIZE", help="the size of a dynamic dimension; dimensions without a name are called INPUT[AXIS]")
    parser.add_argument("--sizes", default="2,3", help="sizes of the other dynamic dimensions, a run for each (%(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of the random inputs")
    parser.add_argument("--rtol", type=float, default=1e-3, help="relative tolerance of floating-point elements (%(default)s)")
    parser.add_argument("--atol", type=float, default=1e-5, help="absolute tolerance of floating-point elements (%(default)s)")
    parser.add_argument("--locate", action="store_true", help="find the first node that differs, also inside of bodies")
    parser.add_argument("--html", metavar="FILE.html", help="write a page of the IR with the error of each layer, for the run that differs or the first one")
    return parser


def _pairs(parser: argparse.ArgumentParser, option: str, texts: Sequence[str]) -> List[Tuple[str, str]]:
    pairs = [text.partition("=") for text in texts]
    for name, equals, _ in pairs:
        if not name or not equals:
            parser.error(f"{option}: NAME=VALUE expected")
    return [(name, value) for name, _, value in pairs]


def _given_value(parser: argparse.ArgumentParser, text: str) -> Any:
    try:
        return numpy.load(text) if text.endswith(".npy") else json.loads(text)
    except (OSError, ValueError) as error:
        parser.error(f"--input: {text}: {error}")


def _table(rows: Sequence[Any]) -> str:
    lines = [("run", "output", "type", "shape", "largest difference", "relative", "result")]
    for row in rows:
        found = row.comparison
        numbers = ["" if value is None else f"{value:.2g}" for value in (found.largest, found.relative)]
        result = found.problem or (f"equal, but {found.note}" if found.note else "equal")
        lines.append((str(row.run), row.output, found.type, found.shape, *numbers, result))
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines)


def main(words: Sequence[str]) -> int:
    parser = _parser()
    arguments = parser.parse_args(words)
    try:
        sizes = [int(size) for size in arguments.sizes.split(",")]
        dimensions = {name: int(size) for name, size in _pairs(parser, "--dim", arguments.dim)}
    except ValueError as error:
        parser.error(str(error))
    if not sizes or min(sizes) < 0:
        parser.error("--sizes: sizes of 0 or more expected, separated by commas")
    given = {name: _given_value(parser, text) for name, text in _pairs(parser, "--input", arguments.input)}
    if arguments.html and arguments.ir:
        parser.error("--html shows the IR that is converted now: it cannot be given with IR.xml")
    common: Dict[str, Any] = {"inputs": given, "dimensions": dimensions, "rtol": arguments.rtol, "atol": arguments.atol}
    try:
        rows = verify(arguments.model, arguments.ir, sizes=sizes, seed=arguments.seed, **common)
        for run, chosen in {row.run: row.sizes for row in rows}.items():
            if chosen:
                print(f"run {run}: {chosen}")
        print(_table(rows))
        for name in dict.fromkeys(row.output for row in rows if row.is_equal and "all elements are NaN" in row.comparison.note):
            print(f"onnx2ir: warning: all elements of '{name}' are NaN, so that the comparison shows nothing: give other inputs (--input NAME=VALUE)", file=sys.stderr)
        wrong = next((row for row in rows if not row.is_equal), None)
        number = wrong.run - 1 if wrong else 0
        if arguments.html:
            heat_map(arguments.model, arguments.html, size=sizes[number], seed=arguments.seed + number, **common)
        if wrong is None:
            return 0
        if arguments.locate:
            found = locate(arguments.model, size=sizes[number], seed=arguments.seed + number, **common)
            print(f"first difference: {found or 'the conversion that is made now has none; the IR was made differently'}")
        return 1
    except (Failure, ConversionError, OSError) as error:
        print(f"onnx2ir: {error}", file=sys.stderr)
        return 3 if any(found.code == "internal-error" for found in getattr(error, "diagnostics", ())) else 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
