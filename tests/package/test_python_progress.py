"""Progress, interrupts and bars of the Python module."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from .python_models import addition
from .test_package import MODEL


def test_progress(onnx2ir):
    seen = []
    onnx2ir.convert(MODEL, progress=lambda stage, fraction: seen.append((stage, fraction)))
    assert seen[0] == ("reading", 0.0) and all(0 <= fraction <= 1 for _, fraction in seen)

    class Stop(Exception):
        pass

    def stop(stage, fraction):
        raise Stop(stage)

    with pytest.raises(Stop, match="reading"):
        onnx2ir.convert(MODEL, progress=stop)
    with pytest.raises(TypeError, match="progress must be True, False or a function"):
        onnx2ir.convert(MODEL, progress="yes")


def files_of(folder):
    return {path.name: (path.stat().st_mtime_ns, path.read_bytes()) for path in folder.iterdir()}


def test_progress_of_saving(onnx2ir, tmp_path):
    """The previous files stay if it is cancelled, and no other files are left."""
    model = onnx2ir.convert(addition(tmp_path, 20_000_000))
    seen = []
    model.save(tmp_path / "m.xml", progress=lambda stage, fraction: seen.append((stage, fraction)))
    fractions = [fraction for _, fraction in seen]
    assert fractions == sorted(fractions) and fractions[0] == 0 and seen[-1] == ("done", 1)
    stages = list(dict.fromkeys(stage for stage, _ in seen))
    assert stages == ["weights", "xml", "disk", "done"]

    before = files_of(tmp_path)
    for last in stages[:-1]:

        def stop(stage, fraction, last=last):
            if stage == last:
                raise ZeroDivisionError(stage)

        with pytest.raises(ZeroDivisionError, match=last):
            model.save(tmp_path / "m.xml", progress=stop)
        assert files_of(tmp_path) == before
    onnx2ir.check_files(tmp_path / "m.xml")


def test_interrupt(onnx2ir, tmp_path):
    """Ctrl-C ends conversion and writing, and the handler of the program stays. In a process of its own: with the alternate signal stack of
    pytest's faulthandler, the kernel cannot deliver a signal after OpenVINO has enabled AMX, because the stack is too small for its registers."""
    path = addition(tmp_path, 1000)
    program = f"""
import os, signal, sys
sys.path.insert(0, {str(Path(onnx2ir.__file__).parents[1])!r})
import onnx2ir
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell lets its background processes ignore the signal
model = onnx2ir.convert({str(path)!r})
handler = signal.getsignal(signal.SIGINT)
interrupt = lambda *_: os.kill(os.getpid(), signal.SIGINT)
for work in (lambda: onnx2ir.convert({str(path)!r}, progress=interrupt), lambda: model.save({str(tmp_path / "m.xml")!r}, progress=interrupt)):
    try:
        work()
    except KeyboardInterrupt:
        print("interrupted", signal.getsignal(signal.SIGINT) is handler)
"""
    before = files_of(tmp_path)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "interrupted True\n" * 2 and done.stderr == "" and files_of(tmp_path) == before


def test_progress_bar(onnx2ir, tmp_path):
    """Of tqdm if there is one; otherwise nothing is printed unless standard error is a terminal."""
    program = f"""
import sys
sys.path.insert(0, {str(Path(onnx2ir.__file__).parents[1])!r})
import onnx2ir
onnx2ir.convert({str(MODEL)!r}, progress=True).save({str(tmp_path / "m.xml")!r}, progress=True)
"""
    for has_tqdm in (False, True):
        (tmp_path / "tqdm").mkdir(exist_ok=True)
        (tmp_path / "tqdm/__init__.py").write_text("" if has_tqdm else "raise ImportError")
        (tmp_path / "tqdm/auto.py").write_text(
            "class tqdm:\n    n = 0\n    def __init__(self, desc, **_): print(desc)\n    def set_postfix_str(self, *_, **__): pass\n"
            "    def update(self, by): self.n += by\n    def close(self): print(self.n)\n"
        )
        done = subprocess.run([sys.executable, "-c", program], env={**os.environ, "PYTHONPATH": str(tmp_path)}, capture_output=True, text=True, check=True)
        assert done.stderr == "" and done.stdout.split("\n") == (["converting", "100", "saving m.xml", "100", ""] if has_tqdm else [""])
