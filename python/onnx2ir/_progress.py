"""Progress of a conversion or of writing: the function of the caller, a bar of tqdm, or a line on a terminal."""

import sys
from typing import Any, Callable, Optional, Union

ProgressFunction = Callable[[str, float], None]


class _Bar:
    """The progress in tqdm if it is installed, otherwise on a line of standard error."""

    def __init__(self, title: str) -> None:
        try:
            from tqdm.auto import tqdm
        except ImportError:
            self._bar: Any = None
        else:
            self._bar = tqdm(total=100, desc=title, bar_format="{desc}: {percentage:3.0f}%|{bar}| {postfix}[{elapsed}]", leave=False)
        self._title = title
        self._shows_line = self._bar is None and sys.stderr.isatty()

    def __call__(self, stage: str, fraction: float) -> None:
        percent = int(100 * fraction)
        if self._bar is not None:
            self._bar.set_postfix_str(stage, refresh=False)
            self._bar.update(max(0, percent - self._bar.n))
        elif self._shows_line:
            print(f"\r{self._title}: {percent:3} % {stage[:40]:40}", end="", file=sys.stderr, flush=True)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
        elif self._shows_line:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


class Reporter:
    """Calls the function of the caller, or shows a bar for True. Close it after the work."""

    def __init__(self, progress: Union[None, bool, ProgressFunction], title: str) -> None:
        if progress is not None and not isinstance(progress, bool) and not callable(progress):
            raise TypeError(f"progress must be True, False or a function, not {progress!r}")
        self._bar = _Bar(title) if progress is True else None
        self.report: Optional[ProgressFunction] = self._bar or (progress if callable(progress) else None)

    def __enter__(self) -> "Reporter":
        return self

    def __exit__(self, *_: Any) -> None:
        if self._bar is not None:
            self._bar.close()
