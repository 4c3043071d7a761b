"""Our end of the watchman's pipe (``guard``): tells it what is ours, and at last that all is done.

Owns the watchman's process. A session goes on without one when it cannot be started.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from schedtui.debugger.sessions import RecordedProcess


class Watchman:
    """The process that outlives us by the seconds it needs to clean up."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        with contextlib.suppress(OSError):
            # A session of its own: the hang-up of our terminal must not end it.
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", str(Path(__file__).with_name("guard.py"))],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                cwd="/",
            )

    @property
    def pid(self) -> int | None:
        """Its process id; None when it could not be started."""
        return self._process.pid if self._process else None

    def process(self, name: str, process: RecordedProcess | None) -> None:
        """Tell which process ``name`` is now; None forgets it."""
        self._tell(f"forget {name}" if process is None else f"process {name} {process.pid} {process.started}")

    def file(self, path: str) -> None:
        """Tell of a file or directory to remove."""
        self._tell(f"file {path}")

    def done(self) -> None:
        """All is cleaned up: let it go home."""
        if self._process is None:
            return
        self._tell("done")
        if self._process.stdin:
            with contextlib.suppress(OSError):
                self._process.stdin.close()
        try:
            self._process.wait(timeout=3)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process = None

    def _tell(self, line: str) -> None:
        if self._process and self._process.stdin:
            # A watchman that is gone cannot be told; the session's record still is there for the next start.
            with contextlib.suppress(OSError):
                self._process.stdin.write(line.encode("utf-8", "surrogateescape") + b"\n")
                self._process.stdin.flush()
