"""Attention whose heads share keys and values (32 heads, 8 of keys): processor time of our IR beside OpenVINO's own reading of the same
ONNX model, in random turns; as com.microsoft.GroupQueryAttention, and decomposed as PyTorch exports it.

    ./dev bench --attention
"""

import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import onnx.parser
import openvino as ov

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.measurement import undisturbed  # noqa: E402

HEADS, GROUPS, SIZE = 32, 8, 64
ROUNDS = 40
PAST_AND_TOKENS = ((512, 1), (2048, 1), (0, 64))
SETTINGS = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1}

FUSED = f"""<ir_version: 9, opset_import: ["" : 17, "com.microsoft" : 1]>
fused (float[B,L,{HEADS * SIZE}] q, float[B,L,{GROUPS * SIZE}] k, float[B,L,{GROUPS * SIZE}] v, float[B,{GROUPS},P,{SIZE}] key,
    float[B,{GROUPS},P,{SIZE}] value, int32[B] last, int32 total)
=> (float[B,L,{HEADS * SIZE}] y, float[B,{GROUPS},T,{SIZE}] keys, float[B,{GROUPS},T,{SIZE}] values) {{
    y, keys, values = com.microsoft.GroupQueryAttention <num_heads = {HEADS}, kv_num_heads = {GROUPS}> (q, k, v, key, value, last, total)
}}"""


def repeated(name):
    return f"""
    {name}_shape = Shape ({name}s) {name}_batch = Slice ({name}_shape, zero, one) {name}_rows = Slice ({name}_shape, two, three)
    {name}_new = Unsqueeze ({name}s, two) {name}_repeats = Concat <axis = 0> ({name}_batch, groups, shared, {name}_rows, size)
    {name}_repeated = Expand ({name}_new, {name}_repeats) {name}_sizes = Concat <axis = 0> ({name}_batch, heads, {name}_rows, size)
    all_{name}s = Reshape ({name}_repeated, {name}_sizes)"""


DECOMPOSED = f"""<ir_version: 9, opset_import: ["" : 17]>
decomposed (float[B,{HEADS},L,{SIZE}] q, float[B,{GROUPS},L,{SIZE}] k, float[B,{GROUPS},L,{SIZE}] v, float[B,{GROUPS},P,{SIZE}] key,
    float[B,{GROUPS},P,{SIZE}] value)
=> (float[B,{HEADS},L,{SIZE}] y, float[B,{GROUPS},T,{SIZE}] keys, float[B,{GROUPS},T,{SIZE}] values)
<int64[1] zero = {{0}}, int64[1] one = {{1}}, int64[1] two = {{2}}, int64[1] three = {{3}}, int64[1] heads = {{{HEADS}}},
    int64[1] groups = {{{GROUPS}}}, int64[1] shared = {{{HEADS // GROUPS}}}, int64[1] size = {{{SIZE}}}, float root = {{0.35355338}}> {{
    keys = Concat <axis = 2> (key, k) values = Concat <axis = 2> (value, v) {repeated("key")} {repeated("value")}
    columns = Transpose <perm = [0, 1, 3, 2]> (all_keys) scaled_query = Mul (q, root) scaled_keys = Mul (columns, root)
    scores = MatMul (scaled_query, scaled_keys) weights = Softmax <axis = -1> (scores) y = MatMul (weights, all_values)
}}"""


def inputs_of(compiled, past, tokens):
    """Random inputs for `past` keys and `tokens` new ones."""
    sizes = np.random.default_rng(past)
    result = {}
    for port in compiled.inputs:
        name, known = port.get_any_name(), port.get_partial_shape()
        if name == "last":
            result[name] = np.int32([past + tokens - 1])
        elif name == "total":
            result[name] = np.array(past + tokens, np.int32)
        else:
            rows = past if name in ("key", "value") else tokens
            shape = [size.get_length() if size.is_static else (1 if axis == 0 else rows) for axis, size in enumerate(known)]
            result[name] = sizes.standard_normal(shape, dtype=np.float32)
    return result


def main(tool):
    core = ov.Core()
    print(f"OpenVINO {ov.get_version()}, {HEADS} heads, {GROUPS} of keys, size {SIZE}; milliseconds: ours / OpenVINO's")
    for text in (FUSED, DECOMPOSED):
        model = onnx.parser.parse_model(text)
        with tempfile.TemporaryDirectory() as folder:
            source, xml = Path(folder, "model.onnx"), Path(folder, "model.xml")
            onnx.save(model, source)
            subprocess.run([tool, str(source), "-o", str(xml), "--quiet"], check=True)
            compiled = [core.compile_model(core.read_model(file), "CPU", SETTINGS) for file in (xml, source)]
        for past, tokens in PAST_AND_TOKENS:
            inputs = inputs_of(compiled[0], past, tokens)
            requests = [one.create_infer_request() for one in compiled]
            times = [[] for _ in requests]
            for _ in range(ROUNDS):
                for request, taken in random.sample(list(zip(requests, times)), len(requests)):
                    begun = time.process_time()
                    request.infer(inputs, share_inputs=True, share_outputs=True)
                    taken.append(time.process_time() - begun)
            ours, theirs = (undisturbed(taken) * 1e3 for taken in times)
            print(f"{model.graph.name}, {past} keys, {tokens} tokens: {ours:.2f} / {theirs:.2f} ({ours / theirs:.2f})", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
