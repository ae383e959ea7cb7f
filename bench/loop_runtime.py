"""What loop passes bring at run time: each model converted with and without one pass, and by OpenVINO's own front end, all
run on the CPU runtime in turn.

    python bench/loop_runtime.py TOOL
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import onnx
import openvino as ov

ROUNDS = 15

HEADER = '<ir_version: 10, opset_import: ["" : 21]>\n'

# What turns a pass on and off, where it is not on unless it is skipped.
OPTIONS = {"unroll_short_loops": (["--unroll-loops"], [])}

# pass -> (model, what its inputs are)
SUBJECTS = {
    "move_invariants_out_of_bodies": (
        """g (float[64, 64] a, float[64, 64] b, float[64, 64] x) => (float[64, 64] y) {
             trips = Constant <value: tensor = int64 {200}> ()
             yes = Constant <value: tensor = bool {1}> ()
             y = Loop (trips, yes, x) <body = body (int64 i, bool c, float[64, 64] s) => (bool n, float[64, 64] t) {
               n = Identity (c)
               w = MatMul (a, b)
               v = Tanh (w)
               t = Add (s, v)
             }>
           }""",
        {"a": (64, 64), "b": (64, 64), "x": (64, 64)},
    ),
    "make_unchanged_states_invariant": (
        """g (float[256, 256] w, float[1, 256] x) => (float[1, 256] y) {
             trips = Constant <value: tensor = int64 {200}> ()
             yes = Constant <value: tensor = bool {1}> ()
             z, y = Loop (trips, yes, w, x)
                 <body = body (int64 i, bool c, float[256, 256] p, float[1, 256] s) => (bool n, float[256, 256] q, float[1, 256] t) {
               n = Identity (c)
               q = Identity (p)
               u = MatMul (s, p)
               t = Tanh (u)
             }>
           }""",
        {"w": (256, 256), "x": (1, 256)},
    ),
    "remove_dead_states": (
        """g (float[256, 256] w, float[1, 256] x) => (float[1, 256] y) {
             trips = Constant <value: tensor = int64 {200}> ()
             yes = Constant <value: tensor = bool {1}> ()
             z, y = Loop (trips, yes, w, x)
                 <body = body (int64 i, bool c, float[256, 256] p, float[1, 256] s) => (bool n, float[256, 256] q, float[1, 256] t) {
               n = Identity (c)
               q = Exp (p)
               t = Tanh (s)
             }>
           }""",
        {"w": (256, 256), "x": (1, 256)},
    ),
    "turn_appends_into_scans": (
        """g (float[1, 64] x) => (float[n, 64] y) {
             trips = Constant <value: tensor = int64 {500}> ()
             yes = Constant <value: tensor = bool {1}> ()
             none = Constant <value: tensor = float[0, 64] {}> ()
             z, y = Loop (trips, yes, x, none)
                 <body = body (int64 i, bool c, float[1, 64] s, float[k, 64] p) => (bool n, float[1, 64] t, float[m, 64] q) {
               n = Identity (c)
               t = Tanh (s)
               q = Concat <axis = 0> (p, t)
             }>
           }""",
        {"x": (1, 64)},
    ),
    "unroll_short_loops": (
        """g (float[1, 64] x) => (float[1, 64] y) {
             trips = Constant <value: tensor = int64 {500}> ()
             few = Constant <value: tensor = int64 {4}> ()
             yes = Constant <value: tensor = bool {1}> ()
             y = Loop (trips, yes, x) <body = outer (int64 i, bool c, float[1, 64] s) => (bool n, float[1, 64] t) {
               n = Identity (c)
               t = Loop (few, yes, s) <body = inner (int64 j, bool d, float[1, 64] u) => (bool m, float[1, 64] v) {
                 m = Identity (d)
                 w = Sin (u)
                 v = Add (w, u)
               }>
             }>
           }""",
        {"x": (1, 64)},
    ),
}


def request_of(core, model):
    """Ready to run; None when the runtime does not take the model."""
    options = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1}
    try:
        return core.compile_model(model, "CPU", options).create_infer_request()
    except RuntimeError:
        return None


def milliseconds(request, inputs):
    if request is None:
        return float("nan")
    started = time.perf_counter()
    request.infer(inputs)
    return (time.perf_counter() - started) * 1e3


def main(tool):
    core = ov.Core()
    print(f"{'median of a run in ms':36} {'with':>8} {'without':>8} {'peer':>8}")
    for name, (text, shapes) in SUBJECTS.items():
        random = np.random.default_rng(0)
        inputs = {key: random.normal(0, 0.1, shape).astype(np.float32) for key, shape in shapes.items()}
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder, "model.onnx")
            onnx.save(onnx.parser.parse_model(HEADER + text), source)
            on, off = OPTIONS.get(name, ([], ["--skip-pass", name]))
            subprocess.run([tool, source, "-o", f"{folder}/with.xml", *on], check=True)
            subprocess.run([tool, source, "-o", f"{folder}/without.xml", *off], check=True)
            paths = [f"{folder}/with.xml", f"{folder}/without.xml", str(source)]
            requests = [request_of(core, path) for path in paths]
        times = [[] for _ in requests]
        for _ in range(ROUNDS):
            for request, results in zip(requests, times):
                results.append(milliseconds(request, inputs))
        print(f"{name:36} " + " ".join(f"{np.median(results):8.3f}" for results in times))


if __name__ == "__main__":
    main(sys.argv[1])
