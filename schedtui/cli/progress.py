"""How builds and starts are told on a terminal or in a log.

Owns one line that is written over on a terminal, and one line now and then elsewhere. It goes to standard error:
standard output is for results.
"""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import TracebackType

    from schedtui.toolchain.go_build import BuildProgress

QUIET_SECONDS = 15.0
"""Without a terminal: how long a phase may last before another line is written."""


class ProgressPrinter:
    """A progress callback that prints; used as a context manager, so that its line ends well."""

    def __init__(self) -> None:
        """Look where the words go."""
        self._terminal = sys.stderr.isatty()
        self._width = shutil.get_terminal_size().columns - 1
        self._shown = False
        self._last: tuple[str, str] = ("", "")
        self._last_elapsed = 0.0

    def __enter__(self) -> ProgressPrinter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end_line()

    def __call__(self, progress: BuildProgress) -> None:
        """Tell how far it is."""
        if self._terminal:
            self._write_over(progress)
        else:
            self._write_now_and_then(progress)

    def _write_over(self, progress: BuildProgress) -> None:
        text = f"{progress.as_text()} (Ctrl-C stops)" if progress.phase != "done" else progress.as_text()
        sys.stderr.write("\r" + text[: self._width].ljust(self._width))
        self._shown = True
        if progress.phase == "done":
            self._end_line()
        sys.stderr.flush()

    def _write_now_and_then(self, progress: BuildProgress) -> None:
        now: tuple[str, str] = (progress.target, progress.phase if progress.phase != "link" else "compile")
        if progress.phase == "start":
            now = (progress.target, progress.current)
        since = progress.elapsed - self._last_elapsed
        if now != self._last or since >= QUIET_SECONDS or since < 0:
            self._last, self._last_elapsed = now, progress.elapsed
            sys.stderr.write(progress.as_text() + "\n")
            sys.stderr.flush()

    def _end_line(self) -> None:
        if self._shown:
            sys.stderr.write("\n")
            sys.stderr.flush()
            self._shown = False
