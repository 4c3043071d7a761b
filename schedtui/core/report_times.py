"""The moments of each pod's way: attempts, waits, and why attempts failed, folded from events pod by pod.

Owns what the report counts over time. Pods do not know each other here: what a stretch of a log says of a pod can
be folded apart from what stands in front of it (``core.report_parts``). Bindings per node are
``core.placements``', stations ``core.workflow``'s.
"""

from __future__ import annotations

import heapq
from array import array
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from schedtui.core.fit_error import parse_fit_error
from schedtui.core.fit_reasons import plugins_of_failure
from schedtui.core.pod_knowledge import continued

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from schedtui.core.events import QueueEvent

SLOWEST_KEPT = 20
"""How many of the slowest pods are kept."""

_MOST_UNDER_WAY = 200_000
"""Pods followed at a time; a log that hides deletions cannot make this grow without end."""

_FAILED = frozenset({"no_fit", "group_no_fit", "no_nodes", "cycle_error"})
"""Effects that end an attempt without a node."""

SETTLING = frozenset({"add", "queued", "bound", "delete_scheduled", "skip"})
"""Effects behind which nothing counts that was known of the pod before."""


@dataclass(frozen=True, slots=True)
class SlowPod:
    """A pod that took long to be bound."""

    pod: str
    """``ns/name``."""
    wait_seconds: float
    """From its appearance to its binding."""
    attempts: int
    """Attempts that it took."""
    node: str | None
    """Where it went."""
    line: int
    """1-based line of its binding."""


class _Times:
    """The moments of one pod's way."""

    __slots__ = ("added_us", "attempts", "binding_us", "popped_us", "rejected")

    def __init__(self) -> None:
        self.added_us: int | None = None
        self.popped_us: int | None = None
        self.binding_us: int | None = None
        self.attempts = 0
        self.rejected: Sequence[str] | None = None


class PodTimes:
    """The fold."""

    def __init__(self) -> None:
        self.attempts = 0
        """Scheduling attempts."""
        self.failed = 0
        """Attempts that ended without a node."""
        self.failures: dict[str, int] = {}
        """Plugin → attempts that it rejected."""
        self.inferred = False
        """Whether some plugins were told from the reasons' words."""
        self.reasons: dict[str, int] = {}
        """Reason → nodes refused for it."""
        self.waits = array("d")
        """Seconds from appearance to binding."""
        self.scheduling = array("d")
        """Seconds from an attempt's begin to its binding's begin."""
        self.binding = array("d")
        """Seconds from a binding's begin to its end."""
        self._slowest: list[tuple[float, int, SlowPod]] = []
        self._times: dict[str, _Times] = {}

    def apply(self, event: QueueEvent) -> None:
        """Take one event."""
        step = _STEPS.get(event.effect)
        if step is not None and event.pod is not None and event.kind == "pod":
            step(self, event, event.pod)
        elif event.effect == "start":
            self._times.clear()

    def pass_by(self, event: QueueEvent, *, settling: bool) -> None:
        """An event waits to be counted; behind a settling one, know of its pod what is known then."""
        if settling and event.pod is not None and event.effect in ("add", "queued"):
            self._of(event.pod).added_us = event.time_us

    def join(self, later: PodTimes, pods: Collection[str] | None) -> None:
        """Add what a fold over the stretch behind this one has counted, and go on from what it knows.

        Args:
            later: The other fold.
            pods: The pods of which it knows all that counts; None for every pod.
        """
        self._times = continued(self._times, later._times, pods)
        self.attempts += later.attempts
        self.failed += later.failed
        self.inferred = self.inferred or later.inferred
        for mine, theirs in ((self.failures, later.failures), (self.reasons, later.reasons)):
            for key, count in theirs.items():
                mine[key] = mine.get(key, 0) + count
        self.waits += later.waits
        self.scheduling += later.scheduling
        self.binding += later.binding
        for slow in later._slowest:
            self._keep_slow(slow)

    def flush(self) -> None:
        """Count what the words of last failures tell, of all pods under way."""
        for times in self._times.values():
            self._flush(times)

    def slowest(self) -> tuple[SlowPod, ...]:
        """Bound pods that waited longest, the longest first."""
        return tuple(slow for _, _, slow in sorted(self._slowest, reverse=True))

    # --- steps: what an event of each effect does

    def _appear(self, event: QueueEvent, pod: str) -> None:
        self._flush(self._times.pop(pod, None))
        self._of(pod).added_us = event.time_us

    def _pop(self, event: QueueEvent, pod: str) -> None:
        times = self._times.get(pod) or self._of(pod)
        if times.popped_us is not None and times.attempts and event.effect == "attempt":
            # "About to try" (V4) began this attempt already.
            return
        if times.rejected:
            self._flush(times)
        self.attempts += 1
        times.attempts += 1
        times.popped_us = event.time_us
        times.binding_us = None

    def _move(self, event: QueueEvent, pod: str) -> None:
        if event.plugins and event.event == "ScheduleAttemptFailure":
            times = self._of(pod)
            self._count_plugins(event.plugins)
            times.rejected = None

    def _begin_binding(self, event: QueueEvent, pod: str) -> None:
        times = self._of(pod)
        if times.binding_us is None:
            times.binding_us = event.time_us
            _note(self.scheduling, times.popped_us, event.time_us)

    def _fail(self, event: QueueEvent, pod: str) -> None:
        times = self._of(pod)
        if times.popped_us is None:
            self.attempts += 1
            times.attempts += 1
        times.popped_us = times.binding_us = None
        self.failed += 1
        self._flush(times)
        fit = parse_fit_error(event.text) if event.text else None
        if fit is None:
            return
        for count, reason in fit.reasons:
            self.reasons[reason] = self.reasons.get(reason, 0) + (1 if count is None else count)
        times.rejected = plugins_of_failure(event.text)

    def _bind(self, event: QueueEvent, pod: str) -> None:
        times = self._times.pop(pod, None) or _Times()
        self._flush(times)
        if times.popped_us is None and times.binding_us is None:
            self.attempts += 1
            times.attempts += 1
        _note(self.binding, times.binding_us, event.time_us)
        wait = _note(self.waits, times.added_us, event.time_us)
        if wait is not None:
            slow = SlowPod(pod, wait, times.attempts, event.node, event.line)
            self._keep_slow((wait, -event.line, slow))

    def _skip(self, event: QueueEvent, pod: str) -> None:
        # A pod that is skipped was popped, and not tried.
        self.attempts -= pod in self._times
        self._vanish(event, pod)

    def _delete(self, event: QueueEvent, pod: str) -> None:
        times = self._times.get(pod)
        # The delete event of a pod that is being bound may only mean that its node name was set.
        if times is None or times.binding_us is None:
            self._vanish(event, pod)

    def _vanish(self, event: QueueEvent, pod: str) -> None:
        self._flush(self._times.pop(pod, None))

    # --- what steps are made of

    def _of(self, pod: str) -> _Times:
        times = self._times.get(pod)
        if times is None:
            if len(self._times) >= _MOST_UNDER_WAY:
                self._flush(self._times.pop(next(iter(self._times))))
            times = self._times[pod] = _Times()
        return times

    def _flush(self, times: _Times | None) -> None:
        """Count the plugins that the words of the last failure tell, when no line named them."""
        if times is not None and times.rejected:
            self.inferred = True
            self._count_plugins(times.rejected)
            times.rejected = None

    def _count_plugins(self, plugins: Sequence[str]) -> None:
        for plugin in plugins:
            self.failures[plugin] = self.failures.get(plugin, 0) + 1

    def _keep_slow(self, slow: tuple[float, int, SlowPod]) -> None:
        heapq.heappush(self._slowest, slow)
        if len(self._slowest) > SLOWEST_KEPT:
            heapq.heappop(self._slowest)


_STEPS: Mapping[str, Callable[[PodTimes, QueueEvent, str], None]] = MappingProxyType(
    {
        "add": PodTimes._appear,
        "queued": PodTimes._appear,
        "about": PodTimes._pop,
        "attempt": PodTimes._pop,
        **dict.fromkeys(_FAILED, PodTimes._fail),
        "moved": PodTimes._move,
        "binding": PodTimes._begin_binding,
        "prebind": PodTimes._begin_binding,
        "bound": PodTimes._bind,
        "skip": PodTimes._skip,
        "delete": PodTimes._delete,
        "delete_scheduled": PodTimes._vanish,
    }
)
"""Effect → what an event does to the pod that it names."""

CONCERNED = frozenset(_STEPS)
"""Effects that this fold looks at."""

APPLIED = CONCERNED | {"start"}
"""All effects that make a difference to this fold."""


def _note(durations: array[float], since_us: int | None, until_us: int | None) -> float | None:
    """Keep a duration in seconds, when both ends are known; threads race, so none is below zero."""
    if since_us is None or until_us is None:
        return None
    seconds = max(until_us - since_us, 0) / 1_000_000
    durations.append(seconds)
    return seconds
