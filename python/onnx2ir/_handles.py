"""Objects of the library: options and conversions, which are freed together with the Python objects that own them."""

import contextlib
import json
import os
import signal
import threading
from typing import Any, Dict, Iterator, NoReturn, Optional

from ._external_data import ExternalData, ExternalSource, first_of
from ._library import OK, Progress, library
from ._progress import ProgressFunction


class _Owner:
    """Owns memory of the library. A copy would free it a second time."""

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise TypeError(f"{type(self).__name__} cannot be copied or pickled")


class _Options(_Owner):
    """Options of the library, freed together with this object."""

    def __init__(self, **values: Any) -> None:
        self.handle = _checked(library.onnx2ir_options_new())
        self._progress: Any = None
        self.error: Optional[BaseException] = None  # an exception that ended the work
        self.external_source: Optional[ExternalSource] = None
        for name, value in values.items():
            if value is not None:
                self._set(name, value)

    def __del__(self) -> None:
        library.onnx2ir_options_delete(getattr(self, "handle", None))

    def _set(self, name: str, value: Any) -> None:
        text = os.fspath(value) if isinstance(value, os.PathLike) else str(value)
        if library.onnx2ir_options_set(self.handle, name.encode(), _encoded(text)) != OK:
            raise ValueError(f"{name}: {library.onnx2ir_options_problem(self.handle).decode()}")

    def set_progress(self, report: Optional[ProgressFunction]) -> None:
        def call(stage: Optional[bytes], fraction: float, _: Any) -> int:
            try:
                if stage is not None and report is not None:
                    report(stage.decode(), fraction)
            except BaseException as error:  # raised again by running()
                self.error = error
            return int(self.error is not None)

        self._progress = Progress(call)
        library.onnx2ir_options_set_progress(self.handle, self._progress, None)

    def set_external_data(self, supply: ExternalData) -> None:
        """`supply` comes before functions that were set earlier."""
        if self.external_source is not None:
            supply = first_of(supply, self.external_source.supply)
        self.external_source = ExternalSource(supply)
        self.external_source.set_up(self.handle)

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """Around a call of the library, which ends early at Ctrl-C. Raises the exception that ended it.

        Python handles signals at the start of the progress function, where ctypes would lose an exception of the handler.
        """
        handler = signal.getsignal(signal.SIGINT) if threading.current_thread() is threading.main_thread() else None

        def handle(number: int, frame: Any) -> None:
            try:
                handler(number, frame)  # type: ignore[operator, misc]
            except BaseException as error:
                self.error = error

        if callable(handler):
            signal.signal(signal.SIGINT, handle)
        try:
            yield
        finally:
            if callable(handler):
                signal.signal(signal.SIGINT, handler)
        source = self.external_source
        if self.error is None and source is not None:
            self.error = source.error
        if self.error is not None:
            raise self.error


class _Handle(_Owner):
    """A conversion of the library."""

    def __init__(self, pointer: Any) -> None:
        self.pointer = _checked(pointer)

    def __del__(self) -> None:
        library.onnx2ir_conversion_delete(getattr(self, "pointer", None))

    def description(self) -> Dict[str, Any]:
        text: bytes = library.onnx2ir_conversion_json(self.pointer)
        description: Dict[str, Any] = json.loads(text.decode(errors="surrogateescape"))
        return description


def _checked(pointer: Any) -> Any:
    if not pointer:
        raise MemoryError("onnx2ir has no memory")
    return pointer


def _encoded(text: str) -> bytes:
    encoded = os.fsencode(text)
    if b"\0" in encoded:
        raise ValueError("embedded null character")
    return encoded
