"""Runs cases in a worker process that is replaced if it crashes or hangs."""

from multiprocessing.connection import wait

from ..conformance.pool import WorkerProcess

TIME_LIMIT = 60.0  # seconds: the machine may be busy


class Checker:
    def __init__(self, tool):
        self._tool = tool
        self._worker = None

    def result_of(self, case):
        case.time_limit = TIME_LIMIT
        if self._worker is None or not self._worker.alive:
            self._worker = WorkerProcess(self._tool)
        self._worker.start(case)
        while True:
            wait([self._worker.connection], self._worker.seconds_left)
            if result := self._worker.poll():
                return result

    def close(self):
        if self._worker and self._worker.alive:
            self._worker.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
