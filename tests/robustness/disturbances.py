"""Conversions that are killed, race, run out of disk, or lose their input. Each function returns the number of each outcome."""

import os
import random
import signal
import subprocess
import time
from collections import Counter

from .pairs import NEW, OLD, TORN, WRONG, command, convert, file_size_limit, put_pair, state_of, strays

QUIET = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}


def usual_seconds(versions, folder):
    """The outcomes of a conversion that replaces a pair."""
    xml = folder / "model.xml"
    seconds = []
    for _ in range(3):
        put_pair(xml, versions.pairs[0])
        started = time.perf_counter()
        assert convert(versions.models[1], xml).returncode == 0
        seconds.append(time.perf_counter() - started)
    return sorted(seconds)[1]


def killed(versions, folder, count, signals=(signal.SIGKILL,), options=(), seed=0):
    """The conversion that replaces an old pair gets a signal at a random moment."""
    rng = random.Random(seed)
    xml = folder / "model.xml"
    longest = 1.2 * usual_seconds(versions, folder)
    outcomes = Counter()
    for i in range(count):
        put_pair(xml, versions.pairs[0])
        process = subprocess.Popen(command(versions.models[1], xml, *options), **QUIET)
        time.sleep(rng.uniform(0, longest))
        process.send_signal(signals[i % len(signals)])
        process.communicate(timeout=60)
        outcomes[state_of(xml, versions)] += 1
        left = strays(folder, xml)
        # A SIGKILL in the microseconds in which the files have these names cannot be handled.
        if left and signals == (signal.SIGKILL,) and set(left) <= {".onnx2ir-weights", ".onnx2ir-model"}:
            outcomes[LEFT] += 1
        else:
            outcomes["temporary files left"] += len(left)
            for name in left:
                (folder / name).unlink()
    assert convert(versions.models[1], xml).returncode == 0
    outcomes["temporary files left"] += len(strays(folder, xml))
    return outcomes


def raced(versions, folder, count, seed=0):
    """Two conversions write the same pair at the same time."""
    rng = random.Random(seed)
    xml = folder / "model.xml"
    outcomes = Counter()
    for _ in range(count):
        processes = []
        for model in rng.sample(versions.models, 2):
            processes.append(subprocess.Popen(command(model, xml), **QUIET))
            time.sleep(rng.uniform(0, 0.002))
        codes = []
        for process in processes:
            process.communicate(timeout=60)
            codes.append(process.returncode)
        state = state_of(xml, versions)
        outcomes["one of the two pairs" if state in (OLD, NEW) and codes == [0, 0] else f"{state}, exit codes {codes}"] += 1
        outcomes["temporary files left"] += len(strays(folder, xml))
    return outcomes


def judge(done, xml, versions, folder):
    """The outcome of a conversion that may fail: the new pair, or an error and the old pair."""
    state = state_of(xml, versions)
    left = strays(folder, xml)
    if left:
        return f"temporary files left: {left}"
    if done.returncode == 0:
        return NEW if state == NEW else f"{WRONG}, exit code 0"
    if done.returncode == 1 and state == OLD and "error: " in done.stderr:
        return "an error and the old pair"
    return f"{state}, exit code {done.returncode}"


def limited(versions, folder, sizes):
    """Limits the size of files to each of `sizes`."""
    xml = folder / "model.xml"
    outcomes = Counter()
    for size in sizes:
        put_pair(xml, versions.pairs[0])
        done = convert(versions.models[1], xml, preexec_fn=file_size_limit(size))
        outcomes[judge(done, xml, versions, folder)] += 1
    return outcomes


def on_full_disks(versions, folder, step):
    """A file system with space for the old pair and a part of the new one, in steps of `step` bytes. Needs root; None without root."""
    disk = folder / "disk"
    disk.mkdir()
    outcomes = Counter()
    old = sum(len(part) for part in versions.pairs[0])
    for free in range(0, old + 4 * step, step):
        size = (old + free + 64 * 1024) // 4096 * 4096
        if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "onnx2ir-test", disk], capture_output=True, check=False).returncode != 0:
            return None
        try:
            xml = disk / "model.xml"
            put_pair(xml, versions.pairs[0])
            outcomes[judge(convert(versions.models[1], xml), xml, versions, disk)] += 1
        finally:
            subprocess.run(["umount", disk], check=True)
    disk.rmdir()
    return outcomes


def cut_while_read(versions, folder, count, seed=0):
    """The model file is truncated at a random moment of the conversion."""
    rng = random.Random(seed)
    xml = folder / "model.xml"
    content = versions.models[1].read_bytes()
    model = folder.parent / "cut.onnx"
    longest = 1.2 * usual_seconds(versions, folder)
    outcomes = Counter()
    for _ in range(count):
        put_pair(xml, versions.pairs[0])
        model.write_bytes(content)
        process = subprocess.Popen(command(model, xml), text=True, **QUIET)
        time.sleep(rng.uniform(0, longest))
        os.truncate(model, rng.choice([0, rng.randrange(len(content)), len(content) - 1]))
        _, process.stderr = process.communicate(timeout=60)
        outcomes[judge(process, xml, versions, folder)] += 1
    model.unlink()
    return outcomes


LEFT = "temporary files left until the next conversion"
GOOD = {LEFT, OLD, NEW, TORN, "one of the two pairs", "an error and the old pair"}


def bad(outcomes):
    """The forbidden outcomes."""
    return {name: count for name, count in outcomes.items() if count and name not in GOOD}
