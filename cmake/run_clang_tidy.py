"""Runs clang-tidy on all our sources except the tests, several at a time. Clean files are not checked again.

    python run_clang_tidy.py BUILD_FOLDER CACHE_FOLDER [PART_OF_A_NAME ...]

A result is valid for the same tool, rules, command line, source, and included headers of ours. Clones share the results.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def dependencies(build):
    """The inputs of each object file according to ninja, by the path of the object."""
    found, files = {}, []
    for line in output_of("ninja", "-C", str(build), "-t", "deps").splitlines():
        if line.startswith("    "):
            files.append(build / line.strip())
        elif ": #deps" in line:
            files = found.setdefault(build / line.split(":")[0], [])
    return found


PRECOMPILED = re.compile(r" -include (\S+/cmake_pch\.hxx)")


def inputs_of(entry, build, made_from):
    """The source and its headers, also those that it gets from a precompiled header."""
    objects = [entry["output"], *(header + ".gch" for header in PRECOMPILED.findall(entry["command"]))]
    return {file.resolve() for name in objects for file in made_from[build / name]}


def key_of(entry, files, common):
    """The same in all clones."""
    digest = hashlib.sha256(common + without_precompiled_headers(entry["command"]).replace(str(ROOT), ".").encode())
    for name, file in sorted((str(file).replace(str(ROOT), "."), file) for file in files):
        digest.update(name.encode())
        if file.is_relative_to(ROOT):
            digest.update(file.read_bytes())
    return digest.hexdigest()


def without_precompiled_headers(command):
    """clang cannot read the precompiled headers of GCC. Without them it also reports missing includes."""
    return re.sub(r" -Winvalid-pch| -fpch-preprocess|" + PRECOMPILED.pattern, "", command)


def check(commands, source, mark):
    command = ["clang-tidy", "--quiet", "-p", str(commands), "--extra-arg=-Wno-unknown-warning-option", source]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        print(done.stdout or done.stderr, flush=True)
    else:
        mark.touch()
    return done.returncode == 0


def main(build, cache, *parts):
    build, cache = Path(build).resolve(), Path(cache)
    cache.mkdir(parents=True, exist_ok=True)
    rules = (ROOT / folder / ".clang-tidy" for folder in (".", "platform"))
    common = output_of("clang-tidy", "--version").encode() + b"".join(file.read_bytes() for file in rules)
    made_from = dependencies(build)
    todo = {}
    entries = json.loads((build / "compile_commands.json").read_text())
    without = [entry | {"command": without_precompiled_headers(entry["command"])} for entry in entries]
    commands = build / "clang-tidy"  # not in the cache, where another clone would replace it
    commands.mkdir(exist_ok=True)
    (commands / "compile_commands.json").write_text(json.dumps(without))
    for entry in entries:
        source = Path(entry["file"])
        others = (build, ROOT / "tests")
        ours = source.is_relative_to(ROOT) and not any(source.is_relative_to(folder) for folder in others)
        if not ours or (parts and not any(part in str(source.relative_to(ROOT)) for part in parts)):
            continue
        # Without the headers, a result would stay valid after a change of one.
        mark = cache / key_of(entry, inputs_of(entry, build, made_from), common)
        if not mark.exists():
            todo[entry["file"]] = mark
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        clean = list(pool.map(lambda item: check(commands, *item), todo.items()))
    print(f"clang-tidy: {len(todo)} files checked, {clean.count(False)} with warnings")
    return 1 if False in clean else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
