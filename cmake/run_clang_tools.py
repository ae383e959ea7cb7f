"""Runs clang-tidy, and clang-query with evaluation_order.query, on all our sources except the tests, several at a time.
Clean files are not checked again.

    python run_clang_tools.py BUILD_FOLDER CACHE_FOLDER [PART_OF_A_NAME ...]

A result is valid for the same tool, rules, command line, source, and included headers of ours. Clones share the results.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

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


class Tool(NamedTuple):
    name: str
    command: tuple
    rules: tuple  # files that the result depends on
    complains: Callable  # whether a finished process has found something


TOOLS = (
    Tool(
        "clang-tidy",
        ("clang-tidy", "--quiet", "--extra-arg=-Wno-unknown-warning-option"),
        (ROOT / ".clang-tidy", ROOT / "platform" / ".clang-tidy"),
        lambda done: done.returncode != 0,
    ),
    Tool(
        "clang-query",  # it succeeds also if it finds something
        ("clang-query", "--extra-arg=-w", "-f", str(ROOT / "cmake" / "evaluation_order.query")),
        (ROOT / "cmake" / "evaluation_order.query",),
        lambda done: done.returncode != 0 or "Match #" in done.stdout,
    ),
)


def check(tool, commands, source, mark):
    done = subprocess.run([*tool.command, "-p", str(commands), source], capture_output=True, text=True, check=False)
    if tool.complains(done):
        print(done.stdout or done.stderr, flush=True)
        return False
    mark.touch()
    return True


def main(build, cache, *parts):
    build, cache = Path(build).resolve(), Path(cache)
    cache.mkdir(parents=True, exist_ok=True)
    made_from = dependencies(build)
    entries = json.loads((build / "compile_commands.json").read_text())
    without = [entry | {"command": without_precompiled_headers(entry["command"])} for entry in entries]
    commands = build / "clang-tools"  # not in the cache, where another clone would replace it
    commands.mkdir(exist_ok=True)
    (commands / "compile_commands.json").write_text(json.dumps(without))
    others = (build, ROOT / "tests")
    sources = {}
    for entry in entries:
        source = Path(entry["file"])
        ours = source.is_relative_to(ROOT) and not any(source.is_relative_to(folder) for folder in others)
        if ours and (not parts or any(part in str(source.relative_to(ROOT)) for part in parts)):
            # Without the headers, a result would stay valid after a change of one.
            sources[entry["file"]] = (entry, inputs_of(entry, build, made_from))
    failed = False
    for tool in TOOLS:
        common = output_of(tool.name, "--version").encode() + b"".join(file.read_bytes() for file in tool.rules)
        marks = {source: cache / key_of(*made, common) for source, made in sources.items()}
        todo = [source for source, mark in marks.items() if not mark.exists()]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            clean = list(pool.map(lambda source: check(tool, commands, source, marks[source]), todo))
        print(f"{tool.name}: {len(todo)} files checked, {clean.count(False)} with warnings")
        failed |= False in clean
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
