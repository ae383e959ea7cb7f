"""The effect of loop passes at run time: each model converted with and without one pass, and by OpenVINO's own front end, all
run on the CPU runtime in random turns. Processor time is measured, because it depends less on other load.

    python bench/loop_runtime.py TOOL
"""

import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import onnx
import openvino as ov

ROUNDS = 60

HEADER = '<ir_version: 10, opset_import: ["" : 21]>\n'

# The options that enable and disable a pass that is off by default.
OPTIONS = {"unroll_short_loops": (["--unroll-loops"], [])}

# A script that decodes step by step and collects its outputs in a list that is stacked afterwards. The
# names in STACKED differ: the same decoder, its outputs a scan output.
DECODER = """g (float[1, 64] x, int64 n) => (float[1, k, 64] y)
  <float[1, 1024, 64] W, float[1, 1024, 256] R, float[1, 2048] B, float[256, 64] Out, float[64] Bias> {
     yes = Constant <value: tensor = bool {1}> ()
     zero = Constant <value: tensor = int64 {0}> ()
     first = Constant <value: tensor = int64[1] {0}> ()
     start = Constant <value: tensor = float[1, 1, 256] {ZEROS}> ()
     EMPTY
     h, c, z, rows = Loop (n, yes, start, start, x LIST)
         <body = body (int64 i, bool d, float[1, 1, 256] hi, float[1, 1, 256] ci, float[1, 64] xi LIST_IN)
             => (bool e, float[1, 1, 256] ho, float[1, 1, 256] co, float[1, 64] xo, LIST_OUT) {
       e = Identity (d)
       xs = Unsqueeze (xi, first)
       all, ho, co = LSTM <hidden_size = 256> (xs, W, R, B, , hi, ci)
       hs = Squeeze (ho, first)
       product = MatMul (hs, Out)
       xo = Add (product, Bias)
       APPEND
     }>
     y = STACK (rows)
   }"""
ZEROS = ", ".join(["0"] * 256)
LISTED = {
    "EMPTY": "parts = SequenceEmpty ()",
    "LIST_IN": ", seq(float[1, 64]) list",
    "LIST_OUT": "seq(float[1, 64]) longer",
    "LIST": ", parts",
    "APPEND": "longer = SequenceInsert (list, xo)",
    "STACK": "ConcatFromSequence <axis = 1, new_axis = 1>",
}
STACKED = {
    "EMPTY": "",
    "LIST_IN": "",
    "LIST_OUT": "float[1, 64] row",
    "LIST": "",
    "APPEND": "row = Identity (xo)",
    "STACK": "Transpose <perm = [1, 0, 2]>",
}


def decoder(words):
    text = DECODER.replace("ZEROS", ZEROS)
    for name, word in words.items():
        text = text.replace(name, word)
    return text


def beside_matrix(next_matrix, before_tanh):
    """A Loop with two states: a matrix whose final value is unused, and a row."""
    text = f"""g (float[256, 256] w, float[1, 256] x) => (float[1, 256] y) {{
      trips = Constant <value: tensor = int64 {{200}}> ()
      yes = Constant <value: tensor = bool {{1}}> ()
      z, y = Loop (trips, yes, w, x)
          <body = body (int64 i, bool c, float[256, 256] p, float[1, 256] s) => (bool n, float[256, 256] q, float[1, 256] t) {{
        n = Identity (c)
        q = {next_matrix}
        u = {before_tanh}
        t = Tanh (u)
      }}>
    }}"""
    return text, {"w": (256, 256), "x": (1, 256)}


# pass -> (model, its inputs and initializers: a shape or a value)
SUBJECTS = {
    "hoist_loop_invariants": (
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
    "make_unchanged_states_invariant": beside_matrix("Identity (p)", "MatMul (s, p)"),
    "remove_dead_states": beside_matrix("Exp (p)", "Identity (s)"),
    "convert_appends_to_scan_outputs": (
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
    "decompose_single_step_lstms": (
        decoder(LISTED),
        {
            "x": (1, 64),
            "n": np.array(50),
            "W": (1, 1024, 64),
            "R": (1, 1024, 256),
            "B": (1, 2048),
            "Out": (256, 64),
            "Bias": (64,),
        },
    ),
}

# The model for the peer: the same without a list.
FOR_PEER = {"decompose_single_step_lstms": decoder(STACKED)}


def request_of(core, model):
    """An inference request; None if the runtime does not accept the model."""
    options = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1}
    try:
        return core.compile_model(model, "CPU", options).create_infer_request()
    except RuntimeError:
        return None


def milliseconds(request, inputs):
    if request is None:
        return float("nan")
    started = time.process_time()
    request.infer(inputs)
    return (time.process_time() - started) * 1e3


def write_model(text, values, path):
    """Writes the model of ONNX `text`; what it declares without a value becomes an initializer. Returns the inputs."""
    model = onnx.parser.parse_model(HEADER + text)
    names = [value.name for value in model.graph.value_info]
    del model.graph.value_info[:]
    model.graph.initializer.extend(onnx.numpy_helper.from_array(values[name], name) for name in names)
    onnx.save(model, path)
    return {name: value for name, value in values.items() if name not in names}


def values_of(shapes):
    numbers = np.random.default_rng(0)
    return {
        name: shape if isinstance(shape, np.ndarray) else numbers.normal(0, 0.1, shape).astype(np.float32)
        for name, shape in shapes.items()
    }


def main(tool):
    core = ov.Core()
    print(f"{'median of a run in ms':36} {'with':>8} {'without':>8} {'peer':>8}")
    for name, (text, shapes) in SUBJECTS.items():
        values = values_of(shapes)
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder, "model.onnx")
            for_peer = Path(folder, "for_peer.onnx")
            write_model(FOR_PEER.get(name, text), values, for_peer)
            inputs = write_model(text, values, source)
            on, off = OPTIONS.get(name, ([], ["--skip-pass", name]))
            subprocess.run([tool, source, "-o", f"{folder}/with.xml", *on], check=True)
            subprocess.run([tool, source, "-o", f"{folder}/without.xml", *off], check=True)
            paths = [f"{folder}/with.xml", f"{folder}/without.xml", str(for_peer)]
            requests = [request_of(core, path) for path in paths]
        times = [[] for _ in requests]
        for _ in range(ROUNDS):
            for request, results in random.sample(list(zip(requests, times)), len(requests)):
                results.append(milliseconds(request, inputs))
        print(f"{name:36} " + " ".join(f"{np.median(results):8.3f}" for results in times))


if __name__ == "__main__":
    main(sys.argv[1])
