"""Worker processes that run cases one after the other; a crash or hang only affects its own case."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections import deque
from multiprocessing.connection import Connection, wait
from pathlib import Path

from .case import CRASH, HANG, ORACLE_ERROR, Result
from .tool import REPOSITORY

WORKERS = 2
MEMORY_FOLDER = Path("/dev/shm")  # a file system in memory, where the converter's fsync takes no time
MEMORY_SPACE = 1 << 30  # bytes that must be free there: far more than a case writes


def temporary_folder():
    in_memory = os.access(MEMORY_FOLDER, os.W_OK) and shutil.disk_usage(MEMORY_FOLDER).free > MEMORY_SPACE
    return tempfile.TemporaryDirectory(prefix="onnx2ir-conformance-", dir=MEMORY_FOLDER if in_memory else None)


class WorkerProcess:
    def __init__(self, tool, python=sys.executable):
        self._folder = temporary_folder()
        ours, theirs = socket.socketpair()
        environment = dict(os.environ, PYTHONWARNINGS="ignore", OPENVINO_TELEMETRY="0")
        self._process = subprocess.Popen(
            [python, "-m", "tests.conformance.worker", str(theirs.fileno()), tool, self._folder.name],
            pass_fds=[theirs.fileno()],
            cwd=REPOSITORY,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        theirs.close()
        self.connection = Connection(ours.detach())
        self.case = None
        self._stage = ""
        self._deadline = 0.0

    def start(self, case):
        self.case = case
        self._stage = "start"
        self._deadline = time.monotonic() + case.time_limit
        try:
            self.connection.send(case)
        except OSError:
            pass  # it ended between two cases; the next poll reports that

    def poll(self):
        """The result of the finished case, or None. A dead or late worker ends its case: see self.alive."""
        try:
            while self.connection.poll():
                message = self.connection.recv()
                if isinstance(message, Result):
                    return message
                self._stage = message
        except (EOFError, OSError):
            return self._lost(CRASH, f"the process ended with {self._process.wait()}")
        if time.monotonic() > self._deadline:
            return self._lost(HANG, f"no answer within {self.case.time_limit:g} s")
        return None

    def _lost(self, outcome, message):
        if self._stage == "onnxruntime":
            outcome, message = ORACLE_ERROR, f"{outcome}: {message}"
        self.close()
        return Result(self.case.name, outcome, f"{message} (stage: {self._stage})")

    @property
    def alive(self):
        return not self.connection.closed

    def close(self):
        self.connection.close()
        self._process.kill()
        self._process.wait()
        self._folder.cleanup()

    @property
    def seconds_left(self):
        return max(0.0, self._deadline - time.monotonic())


def run_cases(cases, tool, workers=WORKERS, finished=lambda index, result: None):
    """Results of all cases in their order; `finished` is called with each, and the index of its case, as it comes."""
    pending = deque(enumerate(cases))
    results = [None] * len(pending)
    idle = [WorkerProcess(tool) for _ in range(min(workers, len(pending)))]
    busy = {}
    try:
        while pending or busy:
            while pending and idle:
                index, case = pending.popleft()
                worker = idle.pop()
                worker.start(case)
                busy[worker] = index
            wait([worker.connection for worker in busy], min(worker.seconds_left for worker in busy))
            for worker in list(busy):
                result = worker.poll()
                if result is None:
                    continue
                index = busy.pop(worker)
                results[index] = result
                finished(index, result)
                idle.append(worker if worker.alive else WorkerProcess(tool))
    finally:
        for worker in [*busy, *idle]:
            if worker.alive:
                worker.close()
    return results
