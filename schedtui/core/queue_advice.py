"""Which verbosity would make the rebuilt queues exact, in one line.

Owns the words of that advice. Levels and file names are those of the release's own source; what this log shows is
taken from the process's ``Sight``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from schedtui.core.queue_process import SchedulerProcess

EXACT = "exact"
"""The advice when nothing is missing."""

_SPLIT_QUEUE = "scheduling_queue=5,active_queue=5,backoff_queue=5,schedule_one=4,schedule_one_podgroup=4"
_WHOLE_QUEUE = "scheduling_queue=5,schedule_one=4"

VMODULE_BY_RELEASE = {
    "1.29": f"--vmodule={_WHOLE_QUEUE},eventhandlers=4",
    "1.35": f"--vmodule={_SPLIT_QUEUE},eventhandlers=4",
    "1.36": f"--vmodule={_SPLIT_QUEUE},eventhandlers=4",
    "1.37": f"--vmodule={_SPLIT_QUEUE},eventhandlers=4",
}
"""Release family → the flag that shows every queue line without the rest of V5."""


def vmodule_for(release: str | None) -> str:
    """The ``--vmodule`` flag that shows every queue line of a release; the widest known one when it is unknown."""
    return VMODULE_BY_RELEASE.get(release or "", f"--vmodule={_SPLIT_QUEUE},eventhandlers=4")


def verbosity_advice(process: SchedulerProcess) -> str:
    """``exact``, or what is hidden and the cheapest flag that would show it."""
    since = process.sight.since_us
    if "moves" in since and "informer" in since:
        return EXACT
    if process.sight.changed:
        return "the verbosity was just changed, and no line shows yet what it is now; exact from --v=5 on"
    hidden = "queue moves" if "informer" in since else "adds, deletes and queue moves"
    if process.is_json:
        return f"--v=5 (V in the TUI) would show what is not in this log: {hidden}"
    cheapest = vmodule_for(process.release)
    return f"--v=5 (V in the TUI) or {cheapest} would show what is not in this log: {hidden}"
