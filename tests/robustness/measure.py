"""The counts and figures of disturbed conversions:

    python -m tests.robustness.measure [--kills 500] [--races 200] [--cuts 200] [--megabytes 64]

Needs root for full disks (a tmpfs is mounted); without root, a limit of the size of files is used instead. Exit code 1 if there was
a forbidden outcome.
"""

import argparse
import signal
import sys
import tempfile
from pathlib import Path

from . import disturbances
from .pairs import make_versions

STEP = 64 << 10


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=500)
    parser.add_argument("--races", type=int, default=200)
    parser.add_argument("--cuts", type=int, default=200)
    parser.add_argument("--megabytes", type=int, default=64, help="size of the weights that are killed, raced and cut")
    parser.add_argument("--folder", help="where the temporary folder is made: the file system that is measured")
    arguments = parser.parse_args()
    failed = False

    def report(name, outcomes):
        nonlocal failed
        failed = failed or bool(disturbances.bad(outcomes))
        counts = ", ".join(f"{outcome}: {count}" for outcome, count in sorted(outcomes.items()) if count)
        print(f"{name:32} {counts}{'  WRONG' if disturbances.bad(outcomes) else ''}", flush=True)

    with tempfile.TemporaryDirectory(dir=arguments.folder) as temporary:
        root = Path(temporary)
        folder = root / "out"
        folder.mkdir()
        large = make_versions(root / "large", arguments.megabytes)
        small = make_versions(root / "small", 4)
        report("SIGKILL", disturbances.killed(large, folder, arguments.kills))
        signals = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE)
        report("SIGINT, SIGTERM, SIGHUP, SIGPIPE", disturbances.killed(large, folder, arguments.kills, signals, seed=1))
        report("SIGKILL, without sync", disturbances.killed(small, folder, arguments.kills, options=("--sync", "never"), seed=2))
        report("two writers, 4 MiB", disturbances.raced(small, folder, arguments.races))
        report(f"two writers, {arguments.megabytes} MiB", disturbances.raced(large, folder, max(1, arguments.races // 4), seed=1))
        report("the model is cut", disturbances.cut_while_read(large, folder, arguments.cuts))
        sizes = range(0, (4 << 20) + 2 * STEP, STEP)
        report("files are limited, every 64 KiB", disturbances.limited(small, folder, sizes))
        for path in folder.iterdir():
            path.unlink()
        outcomes = disturbances.on_full_disks(small, folder, STEP)
        if outcomes is None:
            print("full disks are not measured: a tmpfs cannot be mounted")
        else:
            report("disk is full, every 64 KiB", outcomes)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
