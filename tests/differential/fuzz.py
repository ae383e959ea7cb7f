"""The long run: python -m tests.differential.fuzz --models 2000

Failing models are shrunk and written to build/differential: the model, its inputs as in tests/models/found, the message.
"""

import argparse
import random
import sys
import time
from collections import deque
from concurrent.futures import ProcessPoolExecutor
from itertools import count

from ..conformance.found import runs_to_json
from ..conformance.tool import REPOSITORY, tool_path
from .search import Findings, search

FOLDER = REPOSITORY / "build/differential"
MODELS_OF_A_SEED = 50


def save(found, name):
    """Writes a failing model, its inputs and the error."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    stem = FOLDER / name
    stem.with_suffix(".onnx").write_bytes(found.case.model)
    stem.with_suffix(".onnxtxt").write_text(found.text)
    stem.with_suffix(".json").write_text(runs_to_json(found.case.runs))
    stem.with_suffix(".txt").write_text(f"{found.result.outcome}: {found.result.message}\n")
    return stem


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=int, default=2000, help="to compare, at least")
    parser.add_argument("--seed", type=int, help="of the run; chosen and printed when it is not given")
    parser.add_argument("--tool", help="the converter")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--no-shrink", dest="shrink", action="store_false", help="more failures, sooner, but larger ones")
    arguments = parser.parse_args()
    first = arguments.seed if arguments.seed is not None else random.randrange(10**6) * 1000
    tool = tool_path(arguments.tool)
    started = time.monotonic()
    total = Findings()
    print(f"seed {first}", flush=True)
    with ProcessPoolExecutor(arguments.workers) as pool:
        seeds = count(first)
        pending = deque()
        while total.models < arguments.models:
            while len(pending) < arguments.workers:
                seed = next(seeds)
                pending.append((seed, pool.submit(search, MODELS_OF_A_SEED, seed, tool, arguments.shrink)))
            seed, running = pending.popleft()
            findings = running.result()
            for index, found in enumerate(findings.found):
                stem = save(found, f"seed_{seed}_{index}")
                print(f"{stem.with_suffix('.onnxtxt')}: {found.result.outcome}: {found.result.first_line}", flush=True)
            total.add(findings)
        pool.shutdown(cancel_futures=True)
    seconds = time.monotonic() - started
    counts = ", ".join(f"{number} {name}" for name, number in total.counts.most_common())
    print(f"seed {first}: {total.models} models, {len(total.found)} fail; {counts}; {seconds:.0f} s")
    sys.exit(1 if total.found else 0)


if __name__ == "__main__":
    main()
