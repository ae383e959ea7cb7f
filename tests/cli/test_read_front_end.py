"""The IR that OpenVINO's front end writes for the node cases of the ONNX backend suite: it is read, and it equals itself."""

import openvino as ov

from ..conformance.suite import case_names, suite_case

from .command import run


def test_ir_of_the_front_end_is_read(tmp_path):
    converted, refused = 0, {}
    for name in case_names():
        try:
            model = ov.Core().read_model(suite_case(name).model)
        except RuntimeError:
            continue  # the front end cannot convert it
        converted += 1
        ov.save_model(model, tmp_path / "m.xml", compress_to_fp16=False)
        same = run("diff", "m.xml", "m.xml", folder=tmp_path)
        if (same.returncode, same.stdout) != (0, ""):
            refused[name] = same.stderr or same.stdout
    assert refused == {}
    assert converted > 1200
