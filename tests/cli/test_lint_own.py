"""onnx2ir lint lists no layer of an IR that onnx2ir has written for the same releases, and onnx2ir legalize changes nothing in it."""

import json
import re

import openvino as ov
import pytest

from ..conformance.environment import NEWEST, OLDEST, RELEASES
from ..conformance.traps import FOLDER
from .command import converted, onnx_file, run

BRANCHES = FOLDER.parent / "found/initial_size_outside_branches.onnxtxt"  # the If of a body whose output goes through an Unsqueeze
MODELS = sorted(path for path in (*FOLDER.parent.glob("*.onnx*"), *FOLDER.iterdir(), BRANCHES) if path.is_file())
# Its constant does not fit into 32 bits: the conversion warns about it, and so does lint.
WARNED = "constant_beyond_int32"
# Models whose workarounds need notes that the XML does not have, or are recognised by the operations around a node.
NOTED = {
    "boxes": """
<ir_version: 8, opset_import: ["" : 16]>
main (float[1,n,4] boxes, float[1,c,n] scores, float overlap, float[1,3,h,w] x, int64[n] batches) => (int64[k,3] kept, float[r,3,2,2] means)
{
    most = Constant <value_int = 3> ()
    kept = NonMaxSuppression (boxes, scores, most, overlap)
    zero = Constant <value_ints = [0]> ()
    regions = Squeeze (boxes, zero)
    means = RoiAlign <output_height = 2, output_width = 2> (x, regions, batches)
}
""",
    "constant_loop": """
<ir_version: 8, opset_import: ["" : 16]>
main (float[2] x) => (float[2] y, float[n, 2] rows, int64 t)
{
    m = Constant <value = int64 {5}> ()
    s = Constant <value = float[2] {1, 2}> ()
    c = Constant <value = bool {1}> ()
    t0 = Constant <value = int64 {0}> ()
    f, rows, t = Loop (m, c, s, t0) <body = step (int64 i, bool go_on, float[2] state, int64 k) => (bool go_on_out, float[2] next, int64 kn, float[2] row) {
        two = Constant <value = float[2] {2, 3}> ()
        lim = Constant <value = float {40}> ()
        next = Mul(state, two)
        kn = Add(k, i)
        mx = ReduceMax <keepdims = 0> (next)
        go_on_out = Less(mx, lim)
        row = Neg(next)
    }>
    y = Add (x, f)
}
""",
    "constant_loop_no_input": """
<ir_version: 8, opset_import: ["" : 16]>
main () => (float[2] y, float[n, 2] rows)
{
    m = Constant <value = int64 {5}> ()
    s = Constant <value = float[2] {1, 2}> ()
    c = Constant <value = bool {1}> ()
    y, rows = Loop (m, c, s) <body = step (int64 i, bool go_on, float[2] state) => (bool go_on_out, float[2] next, float[2] row) {
        r = RandomUniform <shape = [2]> ()
        lim = Constant <value = float {40}> ()
        next = Add(state, r)
        mx = ReduceMax <keepdims = 0> (next)
        go_on_out = Less(mx, lim)
        row = Neg(next)
    }>
}
""",
    "float8": """
<ir_version: 10, opset_import: ["" : 20]>
main (float[n] x) => (float8e4m3fn[n] y, float[n] z)
{
    y = Cast <to = 17> (x)
    q = Cast <to = 19> (x)
    z = Cast <to = 1> (q)
}
""",
    "extrema": """
<ir_version: 8, opset_import: ["" : 16]>
main (float[n,m,3] x, float16[n,m] h, float[m,3] d) => (float[n,3] a, float16[n,1] b, float[n,m,1] c, float[n,m,3] e, uint8[n,m,3] q, float s, uint8 z)
{
    a = ReduceMax <axes = [1], keepdims = 0> (x)
    b = ReduceMin <axes = [1]> (h)
    c = ReduceLogSumExp <axes = [2]> (x)
    e = Mod <fmod = 1> (x, d)
    q, s, z = DynamicQuantizeLinear (x)
}
""",
    "ifs": """
<ir_version: 8, opset_import: ["" : 16]>
main (bool c, bool d, float[n] x, int64 M) => (float[m] y, float[k] z, float[l] w)
{
    a = If (c) <then_branch = t () => (float[p] o) { o = Concat <axis = 0> (x, x) }, else_branch = e () => (float[q] o2) { o2 = If (d) <then_branch = t2 () => (float[p] o3) { o3 = Neg (x) }, else_branch = e2 () => (float[p] o4) {o4 = Concat <axis = 0> (x, x, x)}>  }>
    axis = Constant <value = int64 {0}> ()
    y = CumSum (a, axis)
    z = Concat <axis = 0> (a, x)
    w = Loop (M, , a) <body = step (int64 i, bool go_on, float[k] state) => (bool go_on_out, float[l] next) {
        go_on_out = Identity(go_on)
        next = If (c) <then_branch = t5 () => (float[p] u) { u = Concat <axis = 0> (state, x) }, else_branch = e5 () => (float[q] v) { v = Tanh (state) }>
    }>
}
""",
    "random": """
<ir_version: 8, opset_import: ["" : 16]>
main (float[2] x) => (float[2] y, float[3] z, float[2] w)
{
    a = RandomUniform <shape = [2]> ()
    z = RandomUniform <shape = [3]> ()
    b = RandomNormalLike (x)
    y = Add (x, a)
    w = Sub (b, x)
}
""",
    "ranges": """
<ir_version: 8, opset_import: ["" : 16]>
main (float[n,m] x, int64 first, int64 last, int64 step, float[2] p) => (int64[a] y, int64[b] z, int64[c] w, float[d] u, int32[2,e] r)
{
    y = Range (first, last, step)
    one = Constant <value_int = 1> ()
    back = Constant <value_int = -1> ()
    zero = Constant <value_int = 0> ()
    z = Range (first, last, one)
    w = Range (last, zero, back)
    sizes = Shape (x)
    size = Gather (sizes, one)
    below = Range (zero, size, step)
    u = Cast <to = 1> (below)
    r = Multinomial <sample_size = 5> (x)
}
""",
    "sequences": """
<ir_version: 8, opset_import: ["" : 16]>
main (float[s,b,2] x, float[1,12,2] w, float[1,12,3] r, int32[b] l, float[1,b,3] h, float[1,b,3] c, float[2,3,i,j] f, float[b,6,p,q] g) => (float[s,1,b,3] y, float[1,b,3] yh, float[1,b,3] zh, float[1,b,3] zc, float[o,t,p2,q2] v)
{
    y, yh = LSTM <hidden_size = 3> (x, w, r)
    z, zh, zc = LSTM <hidden_size = 3> (x, w, r, , l, h, c)
    v = Conv <group = 2, auto_pad = "SAME_UPPER"> (g, f)
}
""",
    "strings": """
<ir_version: 10, opset_import: ["" : 20]>
main (string[n] x, string[n] s) => (string[n] y, int64[n,1] l)
{
    y = StringConcat (x, s)
    axes = Constant <value_ints = [1]> ()
    e = Equal (x, s)
    c = Cast <to = 7> (e)
    l = Unsqueeze (c, axes)
}
""",
    "unique": """
<ir_version: 8, opset_import: ["" : 16]>
main (float[n] x, float[n,2] m) => (float[k] y, float[j,2] u)
{
    y = Unique (x)
    u = Unique <axis = 0> (m)
}
""",
}
# Models that OpenVINO's front end does not convert, by a part of its message.
REJECTED = {
    "No conversion rule found for operations": ["loop_13", "loop_16"],
    "Accessing out-of-range dimension": ["appended_rows", "empty_vector", "growing_state_unused"],
    "is_rank_compatible_any_of(loop_condition_rank, {0, 1})": ["condition_matrix"],
    "canonical_inputs.size() >= control_inputs_count": [
        "body_input_default",
        "body_input_shadows",
        "condition_returned",
        "iteration_returned",
        "outputs_without_node",
        "rotated_states",
        "shifted_states",
        "swapped_states",
    ],
}
REASONS = {name: reason for reason, names in REJECTED.items() for name in names}
TARGETS = (f"{OLDEST}..{NEWEST}", *RELEASES)


def name_of(path):
    return path.stem


def listed(xml, *options):
    """The affected layers, without warnings about faults that have no workaround."""
    done = run("lint", xml, "--json", *options)
    assert done.returncode in (0, 1), done.stderr
    return [(layer["layer"], layer["fault"]) for layer in json.loads(done.stdout) if not layer["warning"]]


def layers_of(xml):
    """The IR without the lines about the file itself."""
    return [line for line in xml.read_text().splitlines() if not re.match("<(legalized_for|weights_digest) ", line)]


def assert_clean(model, target, tmp_path):
    options = ("--target-runtime", target)
    converted(model, "-o", tmp_path / "m.xml", *options)
    assert listed(tmp_path / "m.xml", *options) == []
    done = run("legalize", tmp_path / "m.xml", "-o", tmp_path / "again.xml", *options)
    assert done.returncode == 0, done.stderr
    assert layers_of(tmp_path / "again.xml") == layers_of(tmp_path / "m.xml")


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("model", MODELS, ids=name_of)
def test_a_conversion_is_clean(model, target, tmp_path):
    assert_clean(model, target, tmp_path)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", NOTED)
def test_notes_are_set_again(name, target, tmp_path):
    assert_clean(onnx_file(tmp_path / "m.onnx", NOTED[name]), target, tmp_path)


def test_only_warnings_remain(tmp_path):
    converted(FOLDER / f"{WARNED}.onnxtxt", "-o", tmp_path / "m.xml")
    done = run("lint", "m.xml", folder=tmp_path)
    assert done.returncode == 1 and done.stdout.startswith("the model: wide_integers") and done.stdout.count("\n") == 1


def write_openvino_ir(model, folder):
    """Writes m.xml, the IR of OpenVINO's own front end."""
    path = onnx_file(folder / "m.onnx", model.read_text()) if model.suffix == ".onnxtxt" else model
    ov.save_model(ov.Core().read_model(path), folder / "m.xml", compress_to_fp16=False)


@pytest.mark.parametrize("target", TARGETS[:2])
@pytest.mark.parametrize("model", [model for model in MODELS if name_of(model) not in REASONS], ids=name_of)
def test_a_legalised_ir_of_openvino_is_clean(model, target, tmp_path):
    options = ("--target-runtime", target)
    write_openvino_ir(model, tmp_path)
    done = run("legalize", tmp_path / "m.xml", "-o", tmp_path / "fixed.xml", *options)
    assert done.returncode == 0, done.stderr
    assert listed(tmp_path / "fixed.xml", *options) == []


@pytest.mark.parametrize("model", [model for model in MODELS if name_of(model) in REASONS], ids=name_of)
def test_openvino_rejects_the_other_models(model, tmp_path):
    with pytest.raises(RuntimeError, match=re.escape(REASONS[name_of(model)])):
        write_openvino_ir(model, tmp_path)


def test_an_unused_state_of_unknown_rank_hides_no_fault(tmp_path):
    """OpenVINO's front end makes one of a condition of shape [1]."""
    write_openvino_ir(FOLDER / "condition_and_vector_trip.onnxtxt", tmp_path)
    for release, faults in (("2025.4", {"zero_trip_final_values", "zero_trip_scan_outputs"}), ("2026.4", {"zero_trip_scan_outputs"})):
        assert faults <= {fault for _, fault in listed(tmp_path / "m.xml", "--target-runtime", release)}, release


def test_releases_that_a_conversion_was_not_made_for(tmp_path):
    """Only releases up to 2025.4 have the fault zero_trip_final_values: an IR for 2026.4 has no guards for it."""
    converted(FOLDER / "trip_run_time.onnxtxt", "-o", tmp_path / "m.xml", "--target-runtime", "2026.4")
    assert listed(tmp_path / "m.xml", "--target-runtime", "2026.4") == []
    assert [fault for _, fault in listed(tmp_path / "m.xml", "--target-runtime", "2025.4")] == ["zero_trip_final_values"]
    run("legalize", "m.xml", "-o", "fixed.xml", "--target-runtime", "2025.4", folder=tmp_path)
    assert listed(tmp_path / "fixed.xml", "--target-runtime", "2025.4") == []
