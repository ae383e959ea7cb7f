"""The command line: onnx2ir verify MODEL.onnx [IR.xml] [options]."""

import argparse
import json
import os
import sys
from typing import Any, Dict, List, NoReturn, Sequence, Tuple

import numpy

from .. import ConversionError
from . import Failure, heat_map, locate, verify
from ._inputs import MAX_SIZE
from ._runs import read_model


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """One line, as the other commands print it."""
        self.exit(2, f"onnx2ir: verify: {message}\n")


def _natural(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of 0 or more")
    return int(text)


def _size(text: str) -> int:
    if not text.strip().isdecimal() or int(text) > MAX_SIZE:
        raise argparse.ArgumentTypeError(f"'{text}' is not a size from 0 to {MAX_SIZE}")
    return int(text)


def _sizes(text: str) -> List[int]:
    return [_size(one) for one in text.split(",")]


def _tolerance(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1
    if not value >= 0:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of 0 or more")
    return value


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="onnx2ir verify",
        description="Runs a model in onnxruntime and its IR in OpenVINO, on the same inputs, and compares all outputs.",
        epilog="Exit code: 0 if all outputs are equal, 1 if one differs, 2 if a model cannot be run, 3 for a fault of onnx2ir.",
    )
    parser.add_argument("model", metavar="MODEL.onnx", help="- is standard input")
    parser.add_argument("ir", metavar="IR.xml", nargs="?", help="the IR; by default the model is converted now, in memory")
    parser.add_argument("--input", action="append", default=[], metavar="NAME=VALUE", help="a JSON list or number, or FILE.npy; other inputs are random")
    parser.add_argument("--dim", action="append", default=[], metavar="NAME=SIZE", help="the size of a dynamic dimension; dimensions without a name are called INPUT[AXIS]")
    parser.add_argument("--sizes", type=_sizes, default="2,3", help="sizes of the other dynamic dimensions, a run for each (%(default)s)")
    parser.add_argument("--seed", type=_natural, default=0, help="of the random inputs")
    parser.add_argument("--rtol", type=_tolerance, default=1e-3, help="relative tolerance of floating-point elements (%(default)s)")
    parser.add_argument("--atol", type=_tolerance, default=1e-5, help="absolute tolerance of floating-point elements (%(default)s)")
    parser.add_argument("--locate", action="store_true", help="find the first node that differs, also inside of bodies")
    parser.add_argument("--html", metavar="FILE.html", help="write a page of the IR with the error of each layer, for the run that differs or the first one; - is standard output, and the table is then written to standard error")
    return parser


def _pairs(parser: argparse.ArgumentParser, option: str, texts: Sequence[str]) -> List[Tuple[str, str]]:
    pairs = [text.partition("=") for text in texts]
    for name, equals, _ in pairs:
        if not name or not equals:
            parser.error(f"argument {option}: '{name}{equals}' is not {'NAME=SIZE' if option == '--dim' else 'NAME=VALUE'}")
    return [(name, value) for name, _, value in pairs]


def _given_value(parser: argparse.ArgumentParser, text: str) -> Any:
    try:
        return numpy.load(text) if text.endswith(".npy") else json.loads(text)
    except (OSError, EOFError, ValueError, RecursionError) as error:
        parser.error(f"argument --input: {text}: {error}")


def _dimensions(parser: argparse.ArgumentParser, texts: Sequence[str]) -> Dict[str, int]:
    try:
        return {name: _size(size) for name, size in _pairs(parser, "--dim", texts)}
    except argparse.ArgumentTypeError as error:
        parser.error(f"argument --dim: {error}")


def _table(rows: Sequence[Any]) -> str:
    lines = [("run", "output", "type", "shape", "largest difference", "relative", "result")]
    for row in rows:
        found = row.comparison
        numbers = ["" if value is None else f"{value:.2g}" for value in (found.largest, found.relative)]
        result = found.problem or (f"equal, but {found.note}" if found.note else "equal")
        lines.append((str(row.run), row.output, found.type, found.shape, *numbers, result))
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines)


def _forget_output() -> None:
    """What standard output did not take would fail again at the end of the process."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def main(words: Sequence[str]) -> int:
    parser = _parser()
    arguments = parser.parse_args(words)
    sizes: List[int] = arguments.sizes
    dimensions = _dimensions(parser, arguments.dim)
    given = {name: _given_value(parser, text) for name, text in _pairs(parser, "--input", arguments.input)}
    if arguments.html and arguments.ir:
        parser.error("--html shows the IR that is converted now: it cannot be given with IR.xml")
    common: Dict[str, Any] = {"inputs": given, "dimensions": dimensions, "rtol": arguments.rtol, "atol": arguments.atol}
    is_page_alone = arguments.html == "-"
    table = sys.stderr if is_page_alone else sys.stdout
    try:
        model = read_model(sys.stdin.buffer)[0] if arguments.model == "-" else arguments.model
        rows = verify(model, arguments.ir, sizes=sizes, seed=arguments.seed, **common)
        for run, chosen in {row.run: row.sizes for row in rows}.items():
            if chosen:
                print(f"run {run}: {chosen}", file=table)
        print(_table(rows), file=table)
        for name in dict.fromkeys(row.output for row in rows if row.is_equal and "all elements are NaN" in row.comparison.note):
            print(f"onnx2ir: warning: all elements of '{name}' are NaN, so that the comparison shows nothing: give other inputs (--input NAME=VALUE)", file=sys.stderr)
        wrong = next((row for row in rows if not row.is_equal), None)
        number = wrong.run - 1 if wrong else 0
        if arguments.html:
            page = sys.stdout if is_page_alone else arguments.html
            heat_map(model, page, size=sizes[number], seed=arguments.seed + number, **common)
        if wrong is not None and arguments.locate:
            found = locate(model, size=sizes[number], seed=arguments.seed + number, **common)
            print(f"first difference: {found or 'the conversion that is made now has none; the IR was made differently'}", file=table)
        sys.stdout.flush()
        return 1 if wrong else 0
    except (Failure, ConversionError, OSError) as error:
        print(f"onnx2ir: {error}", file=sys.stderr)
        _forget_output()
        return 3 if any(found.code == "internal-error" for found in getattr(error, "diagnostics", ())) else 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
