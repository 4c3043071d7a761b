"""What tracepoints print, as a log of its own beside the scheduler's.

Owns one file in klog's format (in the session's directory, so that it goes with it). It is written on the
debugger's thread and read by the log store like any other log.
"""

from __future__ import annotations

import os
import re
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from schedtui.config.files import write_private

if TYPE_CHECKING:
    from schedtui.debugger.model import Traced

MESSAGE = "Tracepoint passed"
"""The message of a line for a place that was passed."""

RETURNED = "Traced function returned"
"""The message of a line for a return."""


class TraceLog:
    """The tracepoints of one session."""

    def __init__(self, directory: str) -> None:
        """Create it; the file is made with the first line."""
        self._path = Path(directory) / "tracepoints.log"
        self._made = False

    @property
    def path(self) -> str:
        """The file; empty as long as nothing was traced."""
        return str(self._path) if self._made else ""

    def write(self, traced: Traced) -> bool:
        """Append a line; True for the first one: the log is to be shown from now on."""
        first = not self._made
        if first:
            write_private(self._path, b"")
            self._made = True
        with self._path.open("ab") as stream:
            stream.write(trace_line(traced).encode("utf-8", "replace"))
        return first


_PASSED = re.compile(r"^(?P<sign>>+) (?:\[[^]]*\] )?goroutine\(\d+\): (?P<what>.*)$")


def trace_line(traced: Traced) -> str:
    """One line as klog would write it, at the time when it came."""
    moment = datetime.fromtimestamp(traced.at).astimezone()
    first, *values = (part.strip() for part in traced.text.split("\n") if part.strip())
    found = _PASSED.match(first)
    message = RETURNED if found is not None and found["sign"] == ">>" else MESSAGE
    what = found["what"] if found is not None else first
    head, opened, arguments = what.partition("(" if not what.startswith("(") else " ")
    # Names stand without their package's path: the line is to be read at 80 columns.
    words = [
        f"goroutine={traced.goroutine}",
        f"function={_quoted(head.rsplit('/', 1)[-1] + opened + arguments)}",
    ]
    if values:
        words.append(f"values={_quoted(' '.join(values))}")
    return f'I{moment:%m%d %H:%M:%S.%f} {os.getpid():7d} dlv.go:1] "{message}" {" ".join(words)}\n'


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
