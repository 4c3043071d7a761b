"""How much of a processor a process has used.

Owns the reading of the kernel's own count. It neither samples nor estimates.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from schedtui.processes.identity import is_alive

if TYPE_CHECKING:
    from schedtui.processes.identity import ProcessIdentity

NANOSECONDS = 1e9
"""What ``schedstat`` counts in (Linux: time on a processor, time waiting for one, turns)."""


def processor_seconds(process: ProcessIdentity | None) -> float | None:
    """Seconds that all threads of a process have been on a processor; ``None`` where nobody tells."""
    if process is None or not is_alive(process):
        return None
    try:
        counts = [
            int((thread / "schedstat").read_text().split()[0])
            for thread in Path(f"/proc/{process.pid}/task").iterdir()
        ]
    except (OSError, ValueError, IndexError):
        return None
    return sum(counts) / NANOSECONDS
