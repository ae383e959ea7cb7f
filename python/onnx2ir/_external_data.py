"""External data of a model that the program supplies instead of files."""

import ctypes
from typing import Any, Callable, Dict, Optional

from ._library import ExternalRead, ExternalSize, library

# Returns the data at a location: bytes or another buffer, or an open binary file that can seek; None: it is a file in the folder.
ExternalData = Callable[[str], Any]


def first_of(first: ExternalData, second: ExternalData) -> ExternalData:
    """Supplies what the first function knows, and the rest from the second one."""

    def supply(location: str) -> Any:
        data = first(location)
        return second(location) if data is None else data

    return supply


class ExternalSource:
    """Lends data to the library, which reads it once during the conversion."""

    def __init__(self, supply: ExternalData) -> None:
        self.error: Optional[BaseException] = None  # the first exception of the program
        self.supply = supply
        self._data: Dict[bytes, Any] = {}
        self._size = ExternalSize(self._size_of)
        self._read = ExternalRead(self._copy)

    def set_up(self, options: Any) -> None:
        library.onnx2ir_options_set_external_data(options, self._size, self._read, None)

    def _size_of(self, location: bytes, _: Any) -> int:
        try:
            data = self.supply(location.decode(errors="surrogateescape"))
            if data is None:
                return -1
            if hasattr(data, "read"):
                self._data[location] = data
                size: int = data.seek(0, 2)
                return size
            self._data[location] = memoryview(data).cast("B")
            return len(self._data[location])
        except BaseException as error:  # raised again by the caller of the library
            self.error = self.error or error
            return 0

    def _copy(self, location: bytes, offset: int, target: int, size: int, _: Any) -> int:
        try:
            data = self._data[location]
            if isinstance(data, memoryview):
                part = bytes(data[offset : offset + size])
            else:
                data.seek(offset)
                part = data.read(size)
            if len(part) != size:
                return 0
            ctypes.memmove(target, part, size)
            if isinstance(data, memoryview) and offset + size == len(data):
                del self._data[location]  # the library has read all of it
            return 1
        except BaseException as error:
            self.error = self.error or error
            return 0
