"""Runs models in OpenVINO's GPU plugin: a path is a line of standard input, "ok" or the error a line of standard output."""

import sys

import numpy as np
import openvino as ov

DYNAMIC = 3  # for sizes that are not static


def tensor_for(port):
    sizes = [size.get_length() if size.is_static else DYNAMIC for size in port.get_partial_shape()]
    if port.get_element_type() == ov.Type.string:
        return ov.Tensor(np.full(sizes, "a"))
    return ov.Tensor(np.ones(sizes).astype(port.get_element_type().to_dtype()))


def run(core, path):
    request = core.compile_model(path, "GPU").create_infer_request()
    for port in request.model_inputs:
        request.set_tensor(port, tensor_for(port))
    request.infer()


def main():
    core = ov.Core()
    for line in sys.stdin:
        try:
            run(core, line.strip())
            answer = "ok"
        except Exception as error:  # noqa: BLE001 (the plugin throws many kinds)
            lines = [text.strip() for text in str(error).splitlines() if text.strip() and not text.startswith("Exception from")]
            answer = " ".join(lines)[:500] or repr(error)
        print(answer, flush=True)


main()
