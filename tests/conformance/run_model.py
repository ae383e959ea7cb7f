"""Runs models against onnxruntime: python -m tests.conformance.run_model MODEL [MODEL...] --help

Inputs without --input get random values; unknown dimensions get --dim.
"""

import argparse
import sys
from pathlib import Path

import numpy as np

from .case import PASS, Case, Run
from .interface import TENSOR, element_dtype, kind_of
from .pool import run_cases
from .tool import tool_path
from .oracle import parse_model


def parse_arguments():
    parser = argparse.ArgumentParser(description="Converts and runs models, compares with onnxruntime.")
    parser.add_argument("models", nargs="+", type=Path)
    parser.add_argument("--input", action="append", default=[], metavar="NAME=VALUE", help="a Python list, or FILE.npy")
    parser.add_argument("--dim", type=int, default=3, help="size of unknown dimensions")
    parser.add_argument("--seeds", type=int, default=2, help="runs with different random inputs")
    parser.add_argument("--one-compiled", action="store_true", help="all runs on one compiled model")
    parser.add_argument("--rtol", type=float, default=1e-3)
    parser.add_argument("--atol", type=float, default=1e-5)
    parser.add_argument("--tool")
    return parser.parse_args()


def given_value(text, dtype):
    if text.endswith(".npy"):
        return np.load(text)
    return np.array(eval(text, {"nan": np.nan, "inf": np.inf}), dtype)  # a developer's own command line


def random_value(generator, type_proto, dim):
    dtype = element_dtype(type_proto)
    shape = [d.dim_value if d.HasField("dim_value") else dim for d in type_proto.tensor_type.shape.dim]
    if dtype.kind == "b":
        return generator.integers(0, 2, shape).astype(dtype)
    if dtype.kind in "iu":
        return generator.integers(0, 5, shape).astype(dtype)
    if dtype.kind == "O":
        return generator.choice(["a", "bc", ""], shape).astype(object)
    return generator.standard_normal(shape).astype(dtype)


def make_case(path, arguments):
    data = path.read_bytes()
    graph = parse_model(data).graph
    given = dict(item.split("=", 1) for item in arguments.input)
    defaults = {tensor.name for tensor in graph.initializer}
    runs = []
    for seed in range(arguments.seeds):
        generator = np.random.default_rng(seed)
        values = {}
        for value in graph.input:
            if value.name in given:
                values[value.name] = given_value(given[value.name], element_dtype(value.type))
            elif value.name not in defaults:
                if kind_of(value.type) != TENSOR:
                    sys.exit(f"{path}: {value.name} is no tensor: give it with --input")
                values[value.name] = random_value(generator, value.type, arguments.dim)
        runs.append(Run(values))
    return Case(str(path), data, runs, one_compiled=arguments.one_compiled, rtol=arguments.rtol, atol=arguments.atol)


def main():
    arguments = parse_arguments()
    cases = [make_case(path, arguments) for path in arguments.models]
    results = run_cases(cases, tool_path(arguments.tool))
    for result in results:
        print(f"{result.name}: {result.outcome} ({result.convert_seconds * 1e3:.1f} ms to convert) {result.message}")
    sys.exit(0 if all(result.outcome == PASS for result in results) else 1)


if __name__ == "__main__":
    main()
