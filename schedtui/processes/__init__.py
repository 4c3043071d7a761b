"""Processes that schedtui starts: begun, watched and ended by recorded pid, never by name.

``identity`` knows a process by its pid and its start time, so that a recycled pid is never touched; ``child``
starts one and carries its output; ``guard`` ends what is left when schedtui itself is killed. The package
refuses to know what the processes are: builds, dlv and the lab belong to the layers above.
"""

from __future__ import annotations

from schedtui.processes.child import Child, Completed, run_to_end
from schedtui.processes.guard import guarded, release, watch_over
from schedtui.processes.identity import (
    ProcessIdentity,
    end_processes,
    identify,
    is_alive,
    resident_bytes,
)

__all__ = [
    "Child",
    "Completed",
    "ProcessIdentity",
    "end_processes",
    "guarded",
    "identify",
    "is_alive",
    "release",
    "resident_bytes",
    "run_to_end",
    "watch_over",
]
