"""Operations of the IR, their operands and their attributes are names of ir/ops/operations.txt: an unknown name does not compile."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from onnx.backend.test.case.node import collect_testcases

from .conformance.case import Failure
from .conformance.tool import convert_in_process
from .test_layers import compile_command

ROOT = Path(__file__).parent.parent
TABLE = ROOT / "ir/ops/operations.txt"
GENERATOR = ROOT / "cmake/generate_operations.py"
SNIPPET = """
#include "ir/builder.hpp"
#include "ir/views/selection.hpp"
namespace onnx2ir::passes {
auto snippet(ir::Builder& builder, const ir::Node& node, ir::Value x) { return %s; }
}
"""


@pytest.mark.parametrize(
    ("expression", "compiles"),
    [
        ("node.is(ops::ReLU), builder.integers({1}), x", True),
        ("node.is(ops::Relu), x", False),
        ('node.is("ReLU"), x', False),
        ("ir::SliceView(node).axes()", True),
        ("ir::SliceView(node).axis()", False),
        ("ir::GatherView(node).batch_dims()", True),
        ("node.set_input(ir::SliceView::Input::steps, x)", False),
        ('builder.op(ops::SoftMax, {x}, {{"axis", 1}})', True),
        ('builder.op(ops::SoftMax, {x}, {{"axes", 1}})', False),
        ('node.integer("axis")', True),
        ('node.integer("axes")', False),
    ],
)
def test_a_misspelt_name_does_not_compile(expression, compiles, tmp_path):
    source = tmp_path / "snippet.cpp"
    source.write_text(SNIPPET % expression)
    command = [*compile_command("passes/pipeline.cpp"), "-fsyntax-only", "-Wno-unused", str(source)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert (done.returncode == 0) == compiles, done.stderr


def generate(table, folder):
    return subprocess.run([sys.executable, str(GENERATOR), str(table), str(folder)], capture_output=True, text=True)


@pytest.mark.parametrize(
    ("before", "after", "changed"),
    [
        ("Slice-8 ", "Slice-9 ", {"ir/ops/descriptors.cpp"}),
        ("Tile-1 (data, repeats: size 1d)", "Tile-1 (data, repeats)", {"ir/ops/descriptors.cpp"}),
        ("ReverseSequence-1 (data, lengths: 1d)", "ReverseSequence-1 (data, ends: 1d)", {"ir/views/selection.hpp"}),
        ("Gather-8 (data, indices: index, axis) {batch_dims: integer}", "Gather-8 (data, indices: index, axis) {axis: integer}", None),
        ("  older 8 unless rounding_type=ceil_torch\n", "", {"ir/ops/descriptors.cpp"}),
        ("Tile-1 (data, repeats: size 1d)", "Tile-1 (data, repeats: size 1d) {fill_mode: text optional}", {"ir/ops/descriptors.cpp", "ir/views/joining.hpp"}),
        ("Inverse-14 (data) {adjoint: boolean}", "Inverse-14 (data?) {adjoint: boolean}", {"ir/ops/descriptors.cpp", "ir/views/linear_algebra.hpp"}),
        ("Inverse-14 (data) {adjoint: boolean}", "Inverse-14 (data)", {"ir/ops/descriptors.cpp", "ir/views/linear_algebra.hpp", "ir/attribute_names.hpp"}),
    ],
)
def test_an_edit_of_a_row_writes_what_depends_on_it(before, after, changed, tmp_path):
    """Files that would not change keep their time, so that an edit of a row compiles few sources. None: an invalid row."""
    table, folder = tmp_path / "operations.txt", tmp_path / "generated"
    text = TABLE.read_text()
    assert before in text
    table.write_text(text)
    assert generate(table, folder).returncode == 0
    times = {path: path.stat().st_mtime_ns for path in folder.rglob("*.?pp")}
    table.write_text(text.replace(before, after))
    done = generate(table, folder)
    found = {str(path.relative_to(folder)) for path, time in times.items() if path.stat().st_mtime_ns != time}
    assert (done.returncode != 0) == (changed is None), done.stderr
    assert found == (changed or set())


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("Tile-1 data, repeats", "line 3: no row"),
        ("Tile-1 (data, 2)", "line 3: no operand: 2"),
        ("Tile-1 (data?, repeats)", "line 3: an operand that can be absent is before one that cannot"),
        ("Tile-1 (data*, repeats*)", "line 3: only the last operand can be several"),
        ("Tile-1 (data) {mode: string}", "line 3: no attribute: mode: string"),
        ("Tile-1 (data) {data: text}", "line 3: two operands or attributes have one name"),
        ("Tile-1 (data) tiles", "line 3: no trait: tiles"),
        ("Tile-1 (data)\nTile-6 (data)", "two rows of one operation"),
        ("Tile-1 (data: size, axis, repeats: size)", "Tile: operands of role size must be neighbours"),
        ("Tile-1 (data)\nGroup = Tile Till", "Group: no operation Till"),
        ("Tile-1 (data)\nPad-1 (pads)\nGroup = Tile Pad", "Group: the operations have nothing in common"),
    ],
)
def test_the_generator_rejects(row, message, tmp_path):
    table = tmp_path / "operations.txt"
    table.write_text(f"# A table\n[joining] Concat and others\n{row}\n")
    done = generate(table, tmp_path)
    assert done.returncode == 1 and message in done.stderr


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
    rows = {name for row in re.findall(r"^\w+-\d+ [^(]*\(", TABLE.read_text(), re.M) for name in re.findall(r"(\w+)-\d+", row)}
    texts = [path.read_text() for folder in ("passes", "golden") for path in (ROOT / "tests" / folder).rglob("*.ir")]
    tested = layers_of_models() | {name for text in texts for name in re.findall(r"= (\w+)\b", text)}
    assert len(rows) > 150
    assert sorted(rows - tested - ELSEWHERE.keys()) == [], "add a model with the operation to tests/conformance, and its test to ELSEWHERE (CONTRIBUTING.md)"
    assert sorted(ELSEWHERE.keys() - rows) == []
    for name, (file, word) in ELSEWHERE.items():
        assert word in (ROOT / "tests" / file).read_text(), name
