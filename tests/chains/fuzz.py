"""The command: python -m tests.chains.fuzz --graphs 3000

Failing graphs are shrunk and written to build/chains: the model, its inputs as in tests/models/found, the message.
"""

import argparse
import random
import sys
import time
from collections import Counter

from ..conformance.environment import instruction_set, release
from ..conformance.found import runs_to_json
from ..conformance.tool import LIBRARY, REPOSITORY
from .generator import NAMES
from .search import search
from .template import TEMPLATES

FOLDER = REPOSITORY / "build/chains"


def save(found, seed):
    """Writes a failing model, its inputs and the error."""
    folder = FOLDER / f"{release()}-{instruction_set()}"
    folder.mkdir(parents=True, exist_ok=True)
    stem = folder / f"seed_{seed}_{found.index}"
    stem.with_suffix(".onnx").write_bytes(found.case.model)
    stem.with_suffix(".onnxtxt").write_text(found.text)
    stem.with_suffix(".json").write_text(runs_to_json(found.case.runs))
    aims = ", ".join(TEMPLATES[found.template].aims)
    stem.with_suffix(".txt").write_text(f"{found.result.outcome}: {found.result.message}\ntemplate {found.template}, which aims at {aims}\n")
    return stem


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graphs", type=int, default=3000)
    parser.add_argument("--seed", type=int, help="of the run; chosen and printed when it is not given")
    parser.add_argument("--first", type=int, default=0, help="the index of the first graph")
    parser.add_argument("--template", choices=NAMES, action="append", help="only graphs of this template")
    parser.add_argument("--tool", default=LIBRARY, help="the converter; by default the library inside of the process")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--no-shrink", dest="shrink", action="store_false", help="faster, but larger failing graphs")
    parser.add_argument("--list", action="store_true", help="print the templates and their aims")
    arguments = parser.parse_args()
    if arguments.list:
        for entry in TEMPLATES.values():
            print(f"{entry.name}: {', '.join(entry.aims)}")
        return
    seed = arguments.seed if arguments.seed is not None else random.randrange(10**6)
    print(f"seed {seed}", flush=True)
    indices = range(arguments.first, arguments.first + arguments.graphs)
    if arguments.template:
        indices = [index for index in indices if NAMES[index % len(NAMES)] in arguments.template]

    def report(found):
        stem = save(found, seed)
        print(f"{stem.name}: {found.template}: {found.result.outcome}: {found.result.first_line[:200]} [{found.operators}]", flush=True)

    started = time.monotonic()
    findings = search(seed, indices, arguments.tool, arguments.workers, arguments.shrink, report)
    seconds = time.monotonic() - started
    counts = ", ".join(f"{number} {name}" for name, number in findings.counts.most_common())
    for name, graphs in findings.limits.items():
        print(f"{name}: graphs {' '.join(map(str, graphs[:30]))}")
    kinds = Counter(f"{found.template}: {found.result.outcome}" for found in findings.found)
    for kind, number in kinds.most_common():
        print(f"{number} {kind}")
    total = len(list(indices))
    print(f"seed {seed}: {total} graphs, {len(findings.found)} fail; {counts}; {seconds:.0f} s, {total / seconds:.1f} graphs/s")
    sys.exit(1 if findings.found else 0)


if __name__ == "__main__":
    main()
