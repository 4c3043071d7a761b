"""The scheduler's workflow, station by station: how many pods passed, how many failed there, how fast.

Owns the eight stations from the informer to the binding and what counts as passing each of them. It is fed events
(``core.events``) and gives a frozen picture that a panel or a report shows; it knows no pod by name except those
between two stations.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from schedtui.core.pod_knowledge import continued

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from schedtui.core.events import QueueEvent

StationName = Literal["informer", "queue", "pop", "filter", "score", "reserve", "permit", "bind"]
"""The stations in order."""

STATIONS: tuple[tuple[StationName, str], ...] = (
    ("informer", "pods that appeared or changed"),
    ("queue", "entries into activeQ"),
    ("pop", "attempts begun"),
    ("filter", "attempts that some node fits"),
    ("score", "attempts with a node chosen"),
    ("reserve", "attempts that reserved a node"),
    ("permit", "attempts that were permitted"),
    ("bind", "pods bound"),
)
"""Station → what passing it means, in 29 columns: with the numbers in front that makes 80."""

RATE_SECONDS = 10
"""Rates are taken over this many seconds of the log's clock."""

_SECOND_US = 1_000_000

_FAILURES = frozenset({"no_fit", "group_no_fit", "no_nodes", "cycle_error"})
"""Effects that end a cycle without a binding."""

SETTLING = _FAILURES | {"bound", "skip", "vanished"}
"""Effects behind which a pod is between no two stations."""

CONCERNED = SETTLING | {"about", "attempt", "score", "final_score", "permit", "binding", "prebind"}
"""Effects that depend on the station a pod has reached."""

APPLIED = CONCERNED | {"start", "add", "update", "moved"}
"""All effects that make a difference to this fold."""


@dataclass(frozen=True, slots=True)
class Station:
    """One station's numbers."""

    name: StationName
    """Which."""
    meaning: str
    """What passing it means, in words."""
    passed: int
    """How many passed."""
    failed: int
    """How many were turned away there."""
    inside: int
    """How many are there now."""
    rate: float
    """Passed per second over the last ``RATE_SECONDS`` of log time."""
    inferred: bool
    """Whether lines of a later station, not its own, told of the passing."""


@dataclass(frozen=True, slots=True)
class WorkflowSnapshot:
    """All stations at one moment."""

    time_us: int | None
    """The log's clock; None before the first event with a time."""
    stations: tuple[Station, ...]
    """In the order of the workflow."""


_ORDER = tuple(name for name, _ in STATIONS)
_INFORMER, _QUEUE, _POP, _FILTER, _SCORE, _RESERVE, _PERMIT, _BIND = range(len(_ORDER))
"""Places of the stations in their order."""

_REACHED: Mapping[str, int] = MappingProxyType(
    {
        "score": _SCORE,
        "final_score": _SCORE,
        "permit": _RESERVE,
        "binding": _PERMIT,
        "prebind": _PERMIT,
        "bound": _BIND,
    }
)
"""Effect → the station that its pod has passed."""


class _Counter:
    """Counts, and remembers the last seconds for a rate."""

    __slots__ = ("failed", "passed", "seconds")

    def __init__(self) -> None:
        self.passed = 0
        self.failed = 0
        self.seconds: dict[int, int] = {}

    def take(self, second: int, number: int) -> None:
        self.passed += number
        self.seconds[second] = self.seconds.get(second, 0) + number
        self._forget(second)

    def join(self, later: _Counter) -> None:
        """Add what was counted behind."""
        self.passed += later.passed
        self.failed += later.failed
        for second, number in later.seconds.items():
            self.seconds[second] = self.seconds.get(second, 0) + number
        self._forget(max(self.seconds, default=0))

    def _forget(self, second: int) -> None:
        if len(self.seconds) > 2 * RATE_SECONDS:
            for old in [each for each in self.seconds if each <= second - RATE_SECONDS]:
                del self.seconds[old]

    def rate(self, second: int) -> float:
        recent = sum(number for each, number in self.seconds.items() if second - RATE_SECONDS < each <= second)
        return recent / RATE_SECONDS


class Workflow:
    """Folds events into the stations' numbers."""

    def __init__(self) -> None:
        self._counters = [_Counter() for _ in _ORDER]
        self._now = [0] * len(_ORDER)
        """How many passed each station in the second that is not counted yet."""
        self._second_us = 0
        """When that second began."""
        self._cycles: dict[str, int] = {}
        self._scored = False
        self._time_us: int | None = None

    def apply(self, event: QueueEvent) -> None:
        """Take one event."""
        time_us = event.time_us
        if time_us is not None:
            self._time_us = time_us
            if not 0 <= time_us - self._second_us < _SECOND_US:
                self._turn(time_us)
        effect, pod = event.effect, event.pod
        if effect == "start":
            self._cycles.clear()
        if pod is None:
            return
        if effect in _REACHED:
            self._reach(pod, effect)
        elif effect in ("about", "attempt"):
            if pod not in self._cycles:
                self._now[_POP] += 1
                self._cycles[pod] = _POP
        elif effect == "moved":
            if event.queue == "active" and not _is_second_line(event):
                self._now[_QUEUE] += 1
        elif effect in ("add", "update"):
            self._now[_INFORMER] += 1
        elif effect in _FAILURES:
            self._fail(pod)
        elif effect in ("skip", "vanished"):
            self._cycles.pop(pod, None)

    def _turn(self, time_us: int) -> None:
        """Count what passed in the second until now: the log's clock is in another one."""
        for counter, number in zip(self._counters, self._now, strict=True):
            if number:
                counter.take(self._second_us // _SECOND_US, number)
        self._now = [0] * len(_ORDER)
        self._second_us = time_us // _SECOND_US * _SECOND_US

    def _reach(self, pod: str, effect: str) -> None:
        """The pod has passed a station, so all stations of its cycle before it too."""
        reached = _REACHED[effect]
        before = self._cycles.get(pod, _QUEUE)
        for place in range(before + 1, reached + 1):
            self._now[place] += 1
        if reached == _SCORE:
            self._scored = True
        if effect == "bound":
            self._cycles.pop(pod, None)
        elif before < reached:
            self._cycles[pod] = reached

    def _fail(self, pod: str) -> None:
        """The cycle ended without a binding: the station after the last one passed turned the pod away."""
        before = self._cycles.pop(pod, None)
        if before is None:
            self._now[_POP] += 1
            before = _POP
        self._counters[min(before + 1, _BIND)].failed += 1

    def pass_by(self, event: QueueEvent, *, settling: bool) -> None:
        """An event waits to be counted; behind a settling one its pod is between no two stations."""
        if event.time_us is not None:
            self._time_us = event.time_us
            self._turn(event.time_us)

    def join(self, later: Workflow, pods: Collection[str] | None) -> None:
        """Add what a fold over the stretch behind this one has counted, and go on from what it knows.

        Args:
            later: The other fold.
            pods: The pods of which it knows all that counts; None for every pod.
        """
        for fold in (self, later):
            fold._turn(fold._second_us)
        self._cycles = continued(self._cycles, later._cycles, pods)
        for counter, behind in zip(self._counters, later._counters, strict=True):
            counter.join(behind)
        self._scored = self._scored or later._scored
        if later._time_us is not None:
            self._time_us = later._time_us
            self._turn(later._time_us)

    def snapshot(self) -> WorkflowSnapshot:
        """The numbers now."""
        self._turn(self._second_us)
        second = (self._time_us or 0) // _SECOND_US
        inside = Counter(self._cycles.values())
        passed = [counter.passed for counter in self._counters]
        own_lines = {_INFORMER, _QUEUE, _POP, _BIND} | ({_SCORE, _FILTER} if self._scored else set())
        if passed[_POP]:
            # Where not one pod was seen coming, the lines of that level are hidden: adds and attempts are V3.
            own_lines -= {place for place in (_INFORMER, _QUEUE) if not passed[place]}
            own_lines -= set() if _INFORMER in own_lines else {_POP}
        return WorkflowSnapshot(
            self._time_us,
            tuple(
                Station(
                    name, meaning, counter.passed, counter.failed, inside[place], counter.rate(second),
                    place not in own_lines,
                )
                for place, ((name, meaning), counter) in enumerate(zip(STATIONS, self._counters, strict=True))
            ),
        )  # fmt: skip


def _is_second_line(event: QueueEvent) -> bool:
    """Whether a line tells of a move that a line just before it has told already."""
    return "is updated" in event.message or (event.event == "ScheduleAttemptFailure" and event.hint is not None)
