"""Language models with their caches in variables: our IR (--stateful) beside OpenVINO's own IR of the same ONNX model, in random turns:
processor time of a prompt of 64 tokens and of each token after it, and peak memory.

    ./dev bench --language-models [PATTERN]

OpenVINO's own IR is what Optimum makes: convert_model, beam_idx, and make_stateful with empty caches.
"""

import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import onnx
import openvino as ov

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.measurement import undisturbed  # noqa: E402
from tests.faults.experiment import opset  # noqa: E402
from tests.genai.decoders import Shape, llama, qwen_3  # noqa: E402
from tests.genai.quantized import in_4_bits  # noqa: E402

SHAPE = Shape(vocabulary=8192, hidden=1024, inner=2816, layers=8, heads=16, cached_heads=8, size=64)
MODELS = {"llama": llama, "qwen_3": qwen_3}
FORMS = {"f32": lambda model: model, "4 bits": in_4_bits}
PROMPT, TOKENS, ROUNDS = 64, 40, 6
SETTINGS = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1}


def empty_like(batch, node):
    """The first value of a cache [batch, heads, 0, size]."""
    _, heads, _, size = node.get_output_partial_shape(0)
    sizes = [batch, *(opset.constant(np.array([n], np.int64)) for n in (heads.get_length(), 0, size.get_length()))]
    return opset.broadcast(opset.constant(np.float32(0)), opset.concat(sizes, 0))


def save_own_ir(source, path):
    """OpenVINO's own IR of an ONNX model, with the caches in variables."""
    from openvino._offline_transformations import apply_make_stateful_transformation

    model = ov.convert_model(source)
    beams = opset.parameter([-1], np.int32)
    beams.output(0).get_tensor().add_names({"beam_idx"})
    model.add_parameters([beams])
    pasts = [given for given in model.inputs if given.get_any_name().startswith("past")]
    for past in pasts:
        readers = past.get_target_inputs()
        row = opset.gather(past.get_node(), beams, opset.constant(0))
        for reader in readers:
            reader.replace_source_output(row.output(0))
    model.validate_nodes_and_infer_types()
    apply_make_stateful_transformation(model, {past.get_any_name(): past.get_any_name().replace("past_key_values", "present") for past in pasts})
    batch = opset.gather(opset.shape_of(model.input("input_ids")), opset.constant([0]), opset.constant(0))
    for node in model.get_ops():
        if node.get_type_name() == "ReadValue":
            node.set_arguments([empty_like(batch, node)])
    model.validate_nodes_and_infer_types()
    ov.save_model(model, path, compress_to_fp16=False)


def request_of(path):
    core = ov.Core()
    return core.compile_model(core.read_model(path), "CPU", SETTINGS).create_infer_request()


def generate(request, tokens=TOKENS):
    """The processor time of the prompt, and of each token after it."""
    request.reset_state()
    ids, length, times = np.arange(1, PROMPT + 1)[None], 0, []
    for _ in range(tokens + 1):
        length += ids.shape[1]
        given = {"input_ids": ids, "position_ids": np.arange(length - ids.shape[1], length)[None]}
        begun = time.process_time()
        request.infer({**given, "attention_mask": np.ones((1, length), np.int64), "beam_idx": np.zeros(1, np.int32)})
        times.append(time.process_time() - begun)
        ids = request.get_tensor("logits").data[:, -1:].argmax(-1)
    return times


def memory(path):
    """The peak memory in MB of a process that compiles and runs one IR."""
    done = subprocess.run([sys.executable, __file__, "--memory", str(path)], check=True, capture_output=True, text=True)
    return int(done.stdout)


def compare(tool, model, folder):
    """For ours and OpenVINO's own: the times of the prompt and of a token in milliseconds, and the memory."""
    source, ours, own = (Path(folder, name) for name in ("model.onnx", "ours.xml", "own.xml"))
    onnx.save_model(model, source)
    subprocess.run([tool, source, "--stateful", "-o", ours], check=True)
    save_own_ir(source, own)
    times = {ours: [], own: []}
    for _ in range(ROUNDS):
        for path in random.sample([ours, own], 2):
            # Compiled anew: of two that stay in memory, the one compiled first is slower by 5 %.
            request = request_of(path)
            generate(request, tokens=1)
            times[path].append(generate(request))
            del request
    for path, taken in times.items():
        yield min(run[0] for run in taken) * 1e3, undisturbed([token for run in taken for token in run[1:]]) * 1e3, memory(path)


def main(tool, pattern="", *_):
    print(f"OpenVINO {ov.get_version()}, {SHAPE}, one thread; ours / OpenVINO's own IR")
    for name, make in MODELS.items():
        for form, change in FORMS.items():
            if not re.search(pattern, f"{name} {form}"):
                continue
            with tempfile.TemporaryDirectory() as folder:
                ours, own = compare(tool, change(make(SHAPE)), folder)
            figures = [f"{a:.1f} / {b:.1f} ({a / b:.2f})" for a, b in zip(ours, own)]
            print(f"{name}, {form}: prompt {figures[0]} ms, token {figures[1]} ms, memory {figures[2]} MB", flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "--memory":
        generate(request_of(sys.argv[2]))
        print(int(re.search(r"VmHWM:\s*(\d+)", Path("/proc/self/status").read_text())[1]) // 1024)
    else:
        main(*sys.argv[1:])
