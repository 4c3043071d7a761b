"""What the process says about itself: flags, configuration, informers, lease, its end.

Owns the transitions that change no pod.
"""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from schedtui.core.events import QueueEvent
    from schedtui.core.queue_process import SchedulerProcess

    Transition = Callable[[SchedulerProcess, QueueEvent], None]

_BACKOFF_SECONDS = re.compile(r"pod(Initial|Max)BackoffSeconds:\s*(\d+)")
"""Backoff times in the configuration that the scheduler prints at V2."""


_GROUP_GATES = ("GenericWorkload=true", "AllAlpha=true", "AllBeta=true")
"""Feature gates that let 1.37 keep members of pod groups outside the queues."""


def _flag(process: SchedulerProcess, event: QueueEvent) -> None:
    name, _, value = event.text.partition("=")
    value = value.strip().strip('"')
    if name == "--vmodule":
        process.sight.levels_hold = not value
    elif name == "--feature-gates":
        process.pop_from_backoff_off = "SchedulerPopFromBackoffQ=false" in value
        process.groups_off = not any(gate in value for gate in _GROUP_GATES)


def _config(process: SchedulerProcess, event: QueueEvent) -> None:
    seconds = {name: int(value) for name, value in _BACKOFF_SECONDS.findall(event.text)}
    if seconds:
        process.configure_backoff(seconds.get("Initial"), seconds.get("Max"))


def _http(process: SchedulerProcess, event: QueueEvent) -> None:
    if "/debug/flags/v" in event.text:
        process.sight.lost(changed=True)


def _fact(process: SchedulerProcess, event: QueueEvent) -> None:
    facts = process.facts
    if event.effect == "synced":
        facts.handlers_synced = True
        process.sight.seen_level(3, process.now_us)
    elif event.effect == "not_synced":
        facts.handlers_failed = True
    elif event.effect == "watch_failed":
        facts.watch_failure = event.text
    elif event.effect in ("lease_wanted", "lease_held"):
        facts.lease_wanted = event.effect == "lease_wanted"
    elif not facts.stopped or facts.stopped_line < 0:
        # That its queue is closed comes with every end; what says more counts, the first of that being the cause.
        facts.stopped = event.text or event.message
        facts.stopped_line = -event.line if event.effect == "closed" else event.line


PROCESS_EFFECTS: Mapping[str, Transition] = MappingProxyType({
    "flag": _flag,
    "config": _config,
    "http": _http,
    "synced": _fact,
    "not_synced": _fact,
    "watch_failed": _fact,
    "lease_wanted": _fact,
    "lease_held": _fact,
    "stopped": _fact,
    "closed": _fact,
})  # fmt: skip
"""Effect → transition."""
