"""Limits of memory and of the XML: a clear error that names the option."""

import re
import subprocess
import time
from pathlib import Path

import pytest
from onnx import TensorProto

from ..conformance.tool import tool_path
from .limited import BYTES, IS_SANITIZED, SECONDS, convert_limited
from .test_hostile import doubling_functions, helper, real, save


def functions(tmp_path, levels):
    return save(
        tmp_path,
        [helper.make_node(f"F{levels - 1}", ["x"], ["y"], domain="d")],
        inputs=[real("x")],
        outputs=[real("y")],
        functions=doubling_functions(levels),
        imports=[helper.make_opsetid("d", 1)],
    )


@pytest.mark.skipif(IS_SANITIZED, reason="./dev test: AddressSanitizer maps terabytes")
def test_memory(tmp_path):
    model = functions(tmp_path, 18)
    assert convert_limited(model, tmp_path).exit_code == 0
    run = convert_limited(model, tmp_path, "--max-memory", "32M")
    assert run.exit_code == 1
    assert "needs more memory than is available" in run.errors
    assert "--max-memory" in run.errors


@pytest.mark.parametrize("megabytes", [1, 4, 8, 16, 24, 32, 48])
def test_memory_that_is_nearly_enough(megabytes, tmp_path):
    """Wherever the memory is exhausted, the conversion ends with an error."""
    run = convert_limited(functions(tmp_path, 14), tmp_path, "--max-memory", f"{megabytes}M", "--compress_to_fp16")
    assert run.exit_code in (0, 1), run.errors


def test_xml_size(tmp_path):
    model = functions(tmp_path, 14)
    run = convert_limited(model, tmp_path, "--max-xml-size", "1M")
    assert run.exit_code == 1
    assert "the XML is larger than 1048576 bytes; --max-xml-size" in run.errors
    assert not (tmp_path / "model.xml").exists()
    assert convert_limited(model, tmp_path, "--max-xml-size", "1G").exit_code == 0


def sequence_chain(tmp_path, count, *, position, erases):
    """`count` SequenceInserts in a row; then as many SequenceErases but one."""
    index = [] if position is None else ["p"]
    nodes = [helper.make_node("SequenceEmpty", [], ["s0"])]
    nodes += [helper.make_node("SequenceInsert", [f"s{i}", "x", *index], [f"s{i + 1}"]) for i in range(count)]
    if erases:
        nodes += [helper.make_node("SequenceErase", [f"s{i}", *index], [f"s{i + 1}"]) for i in range(count, 2 * count - 1)]
    nodes.append(helper.make_node("ConcatFromSequence", nodes[-1].output, ["y"], axis=0))
    constants = [] if position is None else [helper.make_tensor("p", TensorProto.INT64, [], [position])]
    return save(tmp_path, nodes, inputs=[real("x")], outputs=[real("y")], initializers=constants)


@pytest.mark.parametrize("erases", [False, True])
@pytest.mark.parametrize("position", [None, 0])
def test_chain_of_sequences(position, erases, tmp_path):
    """Each list shares its elements with the list that it is made from: 20,000 lists took 6 GB."""
    run = convert_limited(sequence_chain(tmp_path, 20000, position=position, erases=erases), tmp_path)
    assert run.exit_code == 0, run.errors
    if not IS_SANITIZED:
        assert run.seconds < SECONDS
        assert run.peak_bytes < BYTES


def limit_of_data(*arguments):
    """The limit of a process that waits for its model; no value if it has none."""
    with subprocess.Popen([tool_path(), *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        # It sleeps as soon as it reads standard input, which is after it has set its limits.
        while Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[0] != "S":
            time.sleep(0.01)
        limits = Path(f"/proc/{process.pid}/limits").read_text()
        process.communicate(b"")
    (soft,) = re.findall(r"Max data size +(\S+)", limits)
    return None if soft == "unlimited" else int(soft)


@pytest.mark.skipif(IS_SANITIZED, reason="AddressSanitizer maps terabytes")
def test_the_command_line_takes_a_share_of_the_available_memory(tmp_path):
    (kilobytes,) = re.findall(r"MemAvailable: +(\d+)", Path("/proc/meminfo").read_text())
    for command in (["-", "-o", str(tmp_path / "m.xml")], ["show", "-"], ["stats", "-"]):
        limit = limit_of_data(*command)
        assert limit is not None and limit <= (int(kilobytes) << 10), command
        assert limit_of_data(*command, "--max-memory", "auto") is not None
        assert limit_of_data(*command, "--max-memory", "3G") == 3 << 30
        assert limit_of_data(*command, "--max-memory", "0") is None


@pytest.mark.skipif(IS_SANITIZED, reason="AddressSanitizer maps terabytes")
@pytest.mark.parametrize("command", [["show"], ["stats"], ["lint"], ["diff", "m.xml"], ["legalize", "-o", "fixed.xml"]], ids=" ".join)
def test_memory_for_an_ir(command, tmp_path):
    assert convert_limited(functions(tmp_path, 14), tmp_path).exit_code == 0
    (tmp_path / "model.xml").rename(tmp_path / "m.xml")
    (tmp_path / "model.bin").rename(tmp_path / "m.bin")
    done = subprocess.run([tool_path(), *command, "m.xml", "--max-memory", "8M"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode in (1, 2), done.stderr[:1000]
    assert "more memory than is available" in done.stderr and "--max-memory" in done.stderr, done.stderr[:1000]
