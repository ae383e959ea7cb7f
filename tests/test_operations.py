"""Operations of the IR are identities: an unknown name does not compile, and each operation is defined only by its row in
ir/ops."""

import re
import subprocess
from pathlib import Path

import pytest
from onnx.backend.test.case.node import collect_testcases

from .conformance.case import Failure
from .conformance.tool import convert_in_process
from .test_layers import compile_command

ROOT = Path(__file__).parent.parent
SNIPPET = """
#include "ir/builder.hpp"
namespace onnx2ir::passes {
bool is_wanted(const ir::Node& node) { return node.is(%s); }
}
"""


@pytest.mark.parametrize(("operation", "compiles"), [("ops::ReLU", True), ("ops::Relu", False), ('"ReLU"', False)])
def test_a_misspelt_operation_does_not_compile(operation, compiles, tmp_path):
    source = tmp_path / "snippet.cpp"
    source.write_text(SNIPPET % operation)
    command = [*compile_command("passes/pipeline.cpp"), "-fsyntax-only", str(source)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert (done.returncode == 0) == compiles, done.stderr


def test_each_row_has_an_identity():
    rows = {name for path in (ROOT / "ir/ops").glob("*.cpp") for name in re.findall(r'\{\s*"(\w+)",\s*"opset\d+"', path.read_text())}
    source = (ROOT / "cmake/generate_operations.cmake").read_text()
    assert len(rows) > 100 and not any(re.search(rf"\b{name}\b", source) for name in rows - {"ReLU"})


def test_an_edit_of_a_row_keeps_the_header(tmp_path):
    """The header of the identities keeps its time unless a name has changed: an edit of a row compiles one source."""
    table, header = tmp_path / "ops/table.cpp", tmp_path / "operations.hpp"
    table.parent.mkdir()

    def generated(row):
        table.write_text(row)
        subprocess.run(["cmake", f"-DOPS={table.parent}", f"-DOUTPUT={header}", "-P", str(ROOT / "cmake/generate_operations.cmake")], check=True)
        return header.stat().st_mtime_ns

    first = generated('{"Abs", "opset1", 1, 1, 1, {}, infer_same},')
    assert generated('{"Abs", "opset1", 1, 2, 1, {}, infer_other},') == first and "  Abs,\n" in header.read_text()
    assert generated('{"Abs", "opset1", 1, 1, 1}, {"Exp", "opset1", 1},') != first


# Operations that neither a model of ONNX's suite nor a test of a pass has: the file with their test, and the text in it that leads to them.
ELSEWHERE = {
    "AdaptiveAvgPool": ("conformance/test_exporter_domains.py", "adaptive_avg_pool2d"),
    "Col2Im": ("conformance/test_convolutions.py", "Col2Im"),
    "ConvertLike": ("cli/test_read_ir.py", "convert_like"),
    "DFT": ("conformance/test_signal.py", '"DFT"'),
    "DetectionOutput": ("conformance/test_openvino_operators.py", "DetectionOutput"),
    "EmbeddingBagOffsetsSum": ("conformance/test_exporter_domains.py", "embedding_bag"),
    "ExperimentalDetectronDetectionOutput": ("conformance/test_openvino_operators.py", "ExperimentalDetectronDetectionOutput"),
    "ExperimentalDetectronGenerateProposalsSingleImage": ("conformance/test_openvino_operators.py", "ExperimentalDetectronGenerateProposalsSingleImage"),
    "ExperimentalDetectronPriorGridGenerator": ("conformance/test_openvino_operators.py", "ExperimentalDetectronPriorGridGenerator"),
    "ExperimentalDetectronROIFeatureExtractor": ("conformance/test_openvino_operators.py", "ExperimentalDetectronROIFeatureExtractor"),
    "ExperimentalDetectronTopKROIs": ("conformance/test_openvino_operators.py", "ExperimentalDetectronTopKROIs"),
    "ExtensionOperation": ("cli/test_keep_unknown.py", "--keep-unknown"),
    "GenerateProposals": ("conformance/test_openvino_operators.py", "GenerateProposals"),
    "GroupConvolutionBackpropData": ("conformance/test_convolutions.py", '"ConvTranspose", 11, image, filters, numbers("bias", 6), group=groups'),
    "HSigmoid": ("cli/test_read_ir.py", "hsigmoid"),
    "Identity": ("cli/test_read_ir.py", "identity"),
    "Inverse": ("conformance/test_onnxruntime_tensors.py", "Inverse"),
    "Multinomial": ("conformance/test_random_numbers.py", "Multinomial"),
    "NMSRotated": ("conformance/test_exporter_domains.py", "NMSRotated"),
    "NormalizeL2": ("conformance/test_openvino_operators.py", "Normalize"),
    "PriorBox": ("conformance/test_openvino_operators.py", "PriorBox"),
    "PriorBoxClustered": ("conformance/test_openvino_operators.py", "PriorBoxClustered"),
    "ROIAlignRotated": ("conformance/test_exporter_domains.py", "roi_align_rotated"),
    "ROIPooling": ("conformance/test_vision.py", "MaxRoiPool"),
    "SquaredDifference": ("cli/test_read_ir.py", "squared_difference"),
}


def layers_of_models():
    """The types of the layers of some models for each operator of ONNX's backend suite, which tests/conformance compares with onnxruntime, and of
    the models of the repository."""
    collected = {}
    for case in collect_testcases(None):
        if case.model is not None and case.model.graph.node:
            collected.setdefault(case.model.graph.node[0].op_type, []).append(case.model)
    models = [model.SerializeToString() for same in collected.values() for model in same[:5]]
    models += [path for path in (ROOT / "tests/models").rglob("*.onnx*") if path.suffix in (".onnx", ".onnxtxt")]
    found = set()
    for model in models:
        try:
            xml, _ = convert_in_process(model)
        except Failure:
            continue
        found.update(re.findall(rb' type="(\w+)" version="', xml))
    return {name.decode() for name in found}


def test_each_operation_has_a_test():
    rows = set(re.findall(r"^  (\w+),$", (ROOT / "build/release/generated/operations/ir/operations.hpp").read_text(), re.M))
    texts = [path.read_text() for folder in ("passes", "golden") for path in (ROOT / "tests" / folder).rglob("*.ir")]
    tested = layers_of_models() | {name for text in texts for name in re.findall(r"= (\w+)\b", text)}
    assert len(rows) > 150
    assert sorted(rows - tested - ELSEWHERE.keys()) == [], "add a model with the operation to tests/conformance (CONTRIBUTING.md)"
    assert sorted(ELSEWHERE.keys() - rows) == []
    for name, (file, word) in ELSEWHERE.items():
        assert word in (ROOT / "tests" / file).read_text(), name
