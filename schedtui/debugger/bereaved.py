"""A process that was attached to, and whose dlv was killed before it could let it go.

Owns what is told of it, and the one thing that can be done for it: one that stands still is let run on. It writes
nothing into its memory. Breakpoints that are left in its code end it at the first that it reaches, often before
anybody can look; to take them out without dlv would mean to write into somebody's running program.
"""

from __future__ import annotations

import os
import signal
import time
from typing import TYPE_CHECKING

from schedtui.processes.identity import is_alive, status_fields

if TYPE_CHECKING:
    from schedtui.processes.identity import ProcessIdentity

SETTLE_SECONDS = 1.0
"""How soon it shows what becomes of it: the system lets it go, or it comes to a breakpoint."""

LOOK_SECONDS = 0.02
"""Distance of two looks."""

WARNING = (
    "dlv is attached to process {pid}. q and :detach take the breakpoints out and let it run on. Should dlv be"
    " killed by force (kill -9, out of memory) while breakpoints are set, the process ends with it: nobody can"
    " take them out then."
)
"""What is said when a process is attached to."""


def look_after(process: ProcessIdentity, breakpoints: int) -> str:
    """See what became of it, let it run on where that is safe, and say so.

    Args:
        process: The process.
        breakpoints: How many were set in it.
    """
    pid = process.pid
    deadline = time.monotonic() + SETTLE_SECONDS
    while time.monotonic() < deadline and is_alive(process):
        time.sleep(LOOK_SECONDS)
    if not is_alive(process):
        return f"process {pid} ended with it: dlv's breakpoints were still in its code"
    stands = _stands_alone(pid)
    if stands and not breakpoints:
        os.kill(pid, signal.SIGCONT)
        return f"process {pid} was left standing still; it has been let go and runs on"
    if not breakpoints:
        return f"process {pid} runs on"
    how = f"stands still (kill -CONT {pid} lets it run)" if stands else "runs on"
    return (
        f"process {pid} {how}, with {breakpoints} of dlv's breakpoints in its code: it ends at the first that it"
        " reaches. Restart it when you can"
    )


def _stands_alone(pid: int) -> bool:
    """True when it is stopped and nobody traces it (any more)."""
    fields = status_fields(pid)
    return fields.get("State", "")[:1] == "T" and fields.get("TracerPid") == "0"
