"""A worker process: receives cases over a connection, answers each with a Result.

It reports the beginning of each stage, so that the pool knows where a process crashed or hangs.
"""

import io
import os
import resource
import sys
import time
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np
import openvino as ov

from . import runtime
from .case import CONVERT_ERROR, PASS, PORT_MISMATCH, Failure, Result
from .compare import compare
from .environment import NEWEST, release
from .oracle import expected_values, parse_model
from .port_check import name_mismatches, port_mismatches
from .tool import LIBRARY, PEER, convert, convert_in_process

MEMORY_LIMIT = 10 << 30  # of address space: a runaway allocation fails here instead of exhausting the machine


class Worker:
    def __init__(self, connection, tool, folder):
        self._connection = connection
        self._tool = tool
        self._folder = Path(folder)
        self._core = ov.Core()
        self._count = 0

    def serve(self):
        while True:
            try:
                case = self._connection.recv()
            except EOFError:
                return
            self._connection.send(self._run(case))

    def _run(self, case):
        started = time.perf_counter()
        result = Result(case.name, PASS)
        try:
            self._check(case, result)
        except Failure as failure:
            result.outcome, result.message = failure.outcome, failure.message
            result.is_refused = self._is_refused_for_this_release(case)
        if result.outcome == PASS and result.port_mismatches:
            result.outcome = PORT_MISMATCH
            result.message = "\n".join(result.port_mismatches)
        result.seconds = time.perf_counter() - started
        return result

    def _is_refused_for_this_release(self, case):
        """Whether the converter says that the model needs a newer release than this one."""
        if release() == NEWEST or self._tool == PEER:
            return False
        self._stage("convert for this release")
        try:
            convert_in_process(case.model, [*case.options, "--target-runtime", release()])
        except Failure as failure:
            return "[needs-newer-runtime]" in failure.message
        return False

    def _check(self, case, result):
        proto = parse_model(case.model)
        inputs = {value.name: value.type for value in proto.graph.input}
        outputs = {value.name: value.type for value in proto.graph.output}
        self._stage("onnxruntime")
        expected = expected_values(case)
        model = self._convert(case, proto, result)
        result.operations = len(model.get_ops())
        compiled = None
        for index, run in enumerate(case.runs):
            if expected[index] is None:
                continue
            if compiled is None or not case.one_compiled:
                self._stage(f"compile for run {index}")
                made = runtime.compile(self._core, runtime.reshaped(model, run.inputs) if case.is_reshaped else model)
                if self._tool != PEER and case.compares_compiled_names:
                    result.port_mismatches += name_mismatches(made, proto)
                compiled = runtime.CompiledModel(made, inputs, outputs)
            self._stage(f"run {index}")
            try:
                actual = compiled.run(run.inputs)
                for name in outputs:
                    if name in expected[index]:
                        compare(name, actual[name], expected[index][name], *tolerances(case, run, name, expected[index][name]))
            except Failure as failure:
                where = f"run {index}: " if len(case.runs) > 1 else ""
                raise Failure(failure.outcome, where + failure.message) from failure

    def _convert(self, case, proto, result):
        if self._tool == PEER:
            return self._convert_with_peer(proto)
        if self._tool == LIBRARY:
            return self._convert_in_process(case, proto, result)
        self._count += 1
        model_path = self._folder / f"model_{self._count}.onnx"
        xml_path = model_path.with_suffix(".xml")
        model_path.write_bytes(case.model)
        try:
            self._stage("convert")
            result.convert_seconds = convert(self._tool, model_path, xml_path, case.options)
            self._stage("read")
            model = runtime.read(self._core, xml_path)
            self._stage("port check")
            result.port_mismatches = port_mismatches(xml_path, model)
            if not case.options:  # they may choose other inputs and outputs
                result.port_mismatches += name_mismatches(model, proto)
            return model
        finally:
            for path in self._folder.glob(f"model_{self._count}.*"):
                path.unlink()

    def _convert_in_process(self, case, proto, result):
        self._stage("convert")
        started = time.perf_counter()
        xml, weights = convert_in_process(case.model, case.options)
        result.convert_seconds = time.perf_counter() - started
        self._stage("read")
        model = runtime.read_bytes(self._core, xml, weights)
        self._stage("port check")
        result.port_mismatches = port_mismatches(io.BytesIO(xml), model) + name_mismatches(model, proto)
        return model

    def _convert_with_peer(self, proto):
        self._stage("convert")
        try:
            return self._core.read_model(proto.SerializeToString(), b"")
        except Exception as error:
            raise Failure(CONVERT_ERROR, runtime.tidy(str(error))) from error

    def _stage(self, name):
        self._connection.send(name)


def tolerances(case, run, name, expected):
    """rtol, atol and steps of integers for an output."""
    atol = case.atol
    if case.share_of_largest and getattr(expected, "dtype", None) is not None and expected.dtype.kind == "f":
        finite = np.abs(expected[np.isfinite(expected)].astype(np.float64))
        atol += case.share_of_largest * (finite.max() if finite.size else 0)
    if run.spread is not None:
        atol = np.atleast_1d(atol + run.spread[name])  # a number would be the tolerance of floats only
    return case.rtol, atol, case.integer_steps


def main():
    descriptor, tool, folder = int(sys.argv[1]), *sys.argv[2:]
    if "ONNX2IR_SANITIZED" not in os.environ:  # AddressSanitizer maps terabytes
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    Worker(Connection(descriptor), tool, folder).serve()
    os._exit(0)  # skips destruction because the process ends


if __name__ == "__main__":
    main()
