"""The models and texts of the tests as seeds for a fuzz target, or for mutated models.

    python -m tests.fuzz.seeds TARGET FOLDER
"""

import hashlib
import importlib
import pickle
import re
import sys
from pathlib import Path

import onnx
import onnx.parser

from ..conformance.suite import case_names, suite_case

TESTS = Path(__file__).resolve().parents[1]
CORPUS = Path(__file__).parent / "corpus"
# Larger seeds make each run of a fuzzer slow, and larger models each mutation.
LARGEST_SEED = 8 << 10
LARGEST_MODEL = 1 << 20


def texts_of_models():
    return [path.read_bytes() for path in sorted(TESTS.rglob("*.onnxtxt"))]


# The conformance cases of operators that ONNX's backend suite does not have.
OTHER_OPERATORS = ("generation", "machine_learning", "onnxruntime_attention", "onnxruntime_operators", "onnxruntime_tensors", "onnxruntime_weights")


def models_of_other_operators():
    for name in OTHER_OPERATORS:
        for make in importlib.import_module(f"tests.conformance.test_{name}").CASES.values():
            yield make().model


def models():
    """Serialized: those of the tests, and those of ONNX's backend suite."""
    for text in texts_of_models():
        try:
            yield onnx.parser.parse_model(text.decode()).SerializeToString()
        except (onnx.parser.ParseError, UnicodeDecodeError):
            continue
    yield from (path.read_bytes() for path in sorted(TESTS.rglob("*.onnx")))
    yield from (suite_case(name).model for name in case_names())
    yield from models_of_other_operators()


def exported_models(cache):
    """The models exported by PyTorch and other programs that `./dev test --models` has kept."""
    for path in sorted((Path(cache) / "zoo-exports").glob("*.pickle")):
        yield pickle.loads(path.read_bytes()).model


def texts_of_graphs():
    for path in sorted(TESTS.rglob("*.ir")):
        for case in path.read_text().split("\n// -----\n"):
            yield case.partition("\n// ==>")[0].encode()


def without_digest(xml):
    """The digest belongs to other weights."""
    return re.sub(rb"\s*<weights_digest[^>]*>", b"", xml)


def graphs_as_xml():
    for path in sorted(TESTS.rglob("*.xml")):
        yield without_digest(path.read_bytes())


def pairs():
    """XML or text IR, a zero byte, and the weights. If a test has no weights for its XML, zeros."""
    for path in sorted(TESTS.rglob("*.xml")):
        weights = path.with_suffix(".bin")
        yield without_digest(path.read_bytes()) + b"\0" + (weights.read_bytes() if weights.exists() else bytes(1024))
    for graph in texts_of_graphs():
        yield graph + b"\0" + bytes(256)


SEEDS = {
    "convert_bytes": models,
    "convert_model": models,
    "convert_text": texts_of_models,
    "parse_text_ir": texts_of_graphs,
    "read_xml": graphs_as_xml,
    "read_pair": pairs,
    "html_page": pairs,
    "statistics": pairs,
    "legalize_ir": pairs,
    "regular_expression": lambda: (),
    "parse_inputs": lambda: (),
    "operator_map": lambda: (),
}


def kept(target):
    return [path.read_bytes() for path in sorted((CORPUS / target).glob("*"))]


def write(contents, folder, largest):
    """Writes each file under the hash of its content."""
    folder.mkdir(parents=True, exist_ok=True)
    for content in contents:
        if 0 < len(content) <= largest:
            (folder / hashlib.sha1(content).hexdigest()).write_bytes(content)


def main(target, folder, cache=None):
    if target == "mutated":
        write([*models(), *(exported_models(cache) if cache else ())], Path(folder), LARGEST_MODEL)
    elif target in SEEDS:
        write([*SEEDS[target](), *kept(target)], Path(folder), LARGEST_SEED)
    else:
        sys.exit(f"the targets are {', '.join(SEEDS)}")


if __name__ == "__main__":
    main(*sys.argv[1:])
