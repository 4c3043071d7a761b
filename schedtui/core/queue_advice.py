"""Which verbosity would make the rebuilt queues exact, in one line.

Owns the words of that advice, and of what else must be said of the queues as a whole. Levels and file names are
those of the release's own source; what this log shows is taken from the process's ``Sight``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedtui.core.queue_inference import never_tried, why_never

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


def beginning_notices(process: SchedulerProcess) -> tuple[str, ...]:
    """What a log that begins late cannot name."""
    if process.facts.started or not process.line or not process.entries:
        return ()
    return ("the log begins while the scheduler runs: pods that waited then and are not named since are missing",)


def stall_notices(process: SchedulerProcess) -> tuple[str, ...]:
    """Pods that nobody tries, while nothing else is tried either."""
    waiting = never_tried(process)
    why = why_never(process) if waiting and not process.loop.pops else ""
    if not why:
        return ()
    pods = "1 pod has" if waiting == 1 else f"{waiting} pods have"
    return (f"{pods} entered activeQ, and none was ever tried: {why}",)


def end_notices(process: SchedulerProcess) -> tuple[str, ...]:
    """That the process has ended: its rows will not change any more."""
    facts = process.facts
    if not facts.stopped:
        return ()
    return (
        f"line {abs(facts.stopped_line)}: the scheduler ended ({facts.stopped}); this is how it left its queues",
    )


def verbosity_advice(process: SchedulerProcess) -> str:
    """``exact``, or what is hidden and the cheapest flag that would show it."""
    since = process.sight.since_us
    if "moves" in since and "informer" in since:
        return EXACT
    if process.sight.changed:
        return "the verbosity was just changed, and no line shows yet what it is now; exact from --v=5 on"
    seen = f" (lines up to V{process.sight.highest} seen)" if process.sight.highest else ""
    hidden = "queue moves" if "informer" in since else "adds, deletes and queue moves"
    if process.is_json:
        return f"--v=5 (V in the TUI) would show what is not in this log{seen}: {hidden}"
    cheapest = vmodule_for(process.release)
    return f"--v=5 (V in the TUI) or {cheapest} would show what is not in this log{seen}: {hidden}"
