"""Finds processes by a path in their command lines, to prove that none is left."""

from __future__ import annotations

import os
import time
from pathlib import Path

LEFT_SECONDS = 40.0
"""How long the system may take to take away processes that have ended."""


def processes_below(path: Path, program: str = "") -> list[str]:
    """Command lines that name a path, or one below it: etcd, API server, scheduler, dlv, supervisor.

    Args:
        path: The path.
        program: A word that the command line must hold as well.
    """
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            line = b" ".join(words).decode(errors="replace")
            if program in line and any(str(path).encode() in word for word in words):
                found.append(f"{entry.name}: {line}")
    return found


def none_left(path: Path, program: str = "") -> None:
    """Wait until no process names the path, nor the program."""
    deadline = time.monotonic() + LEFT_SECONDS
    while left := processes_below(path, program):
        assert time.monotonic() < deadline, "\n".join(left)
        time.sleep(0.1)
