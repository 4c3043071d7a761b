"""The scheduler's workflow, station by station: how many pods passed, how many failed there, how fast.

Owns the eight stations from the informer to the binding and what counts as passing each of them. It is fed events
(``core.events``) and gives a frozen picture that a panel or a report shows; it knows no pod by name except those
between two stations.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Collection

    from schedtui.core.events import QueueEvent

StationName = Literal["informer", "queue", "pop", "filter", "score", "reserve", "permit", "bind"]
"""The stations in order."""

STATIONS: tuple[tuple[StationName, str], ...] = (
    ("informer", "pods that appeared or changed"),
    ("queue", "entries into activeQ"),
    ("pop", "attempts begun"),
    ("filter", "attempts for which some node fitted"),
    ("score", "attempts for which a node was chosen"),
    ("reserve", "attempts that reserved their node"),
    ("permit", "attempts that were permitted"),
    ("bind", "pods bound"),
)
"""Station → what passing it means."""

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


class _Counter:
    """Counts, and remembers the last seconds for a rate."""

    __slots__ = ("failed", "passed", "seconds")

    def __init__(self) -> None:
        self.passed = 0
        self.failed = 0
        self.seconds: dict[int, int] = {}

    def take(self, second: int) -> None:
        self.passed += 1
        self.seconds[second] = self.seconds.get(second, 0) + 1
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
        self._counters: dict[StationName, _Counter] = {name: _Counter() for name, _ in STATIONS}
        self._cycles: dict[str, StationName] = {}
        self._scored = False
        self._time_us: int | None = None

    def apply(self, event: QueueEvent) -> None:
        """Take one event."""
        if event.time_us is not None:
            self._time_us = event.time_us
        effect, pod = event.effect, event.pod
        if effect == "start":
            self._cycles.clear()
        if pod is None:
            return
        if effect in ("add", "update"):
            self._pass("informer")
        elif effect == "moved" and event.queue == "active" and not _is_second_line(event):
            self._pass("queue")
        elif effect in ("about", "attempt") and pod not in self._cycles:
            self._pass("pop")
            self._cycles[pod] = "pop"
        elif effect in ("score", "final_score"):
            self._scored = True
            self._reach(pod, "score")
        elif effect in _FAILURES:
            self._fail(pod, event)
        elif effect == "permit":
            self._reach(pod, "reserve")
        elif effect in ("binding", "prebind"):
            self._reach(pod, "permit")
        elif effect == "bound":
            self._reach(pod, "bind")
            self._cycles.pop(pod, None)
        elif effect in ("skip", "vanished"):
            self._cycles.pop(pod, None)

    def _pass(self, name: StationName) -> None:
        self._counters[name].take((self._time_us or 0) // _SECOND_US)

    def _reach(self, pod: str, name: StationName) -> None:
        """The pod has passed ``name``, so all stations of its cycle before it too."""
        order = [station for station, _ in STATIONS]
        before = self._cycles.get(pod)
        start = order.index(before) + 1 if before is not None else order.index("pop")
        for station in order[start : order.index(name) + 1]:
            self._pass(station)
        if before is None or order.index(before) < order.index(name):
            self._cycles[pod] = name

    def _fail(self, pod: str, event: QueueEvent) -> None:
        """The cycle ended without a binding: the station after the last one passed turned the pod away."""
        order = [station for station, _ in STATIONS]
        if pod not in self._cycles:
            self._pass("pop")
        before = self._cycles.pop(pod, "pop")
        station = order[min(order.index(before) + 1, len(order) - 1)]
        if event.effect in ("no_fit", "group_no_fit", "no_nodes") and before == "pop":
            station = "filter"
        self._counters[station].failed += 1

    def pass_by(self, event: QueueEvent, *, settling: bool) -> None:
        """An event waits to be counted; behind a settling one its pod is between no two stations."""
        if event.time_us is not None:
            self._time_us = event.time_us

    def join(self, later: Workflow, pods: Collection[str] | None) -> None:
        """Add what a fold over the stretch behind this one has counted, and go on from what it knows.

        Args:
            later: The other fold.
            pods: The pods of which it knows all that counts; None for every pod.
        """
        if pods is None:
            self._cycles = later._cycles
        else:
            for pod in pods:
                self._cycles.pop(pod, None)
            self._cycles.update(later._cycles)
        for name, counter in self._counters.items():
            counter.join(later._counters[name])
        self._scored = self._scored or later._scored
        if later._time_us is not None:
            self._time_us = later._time_us

    def snapshot(self) -> WorkflowSnapshot:
        """The numbers now."""
        second = (self._time_us or 0) // _SECOND_US
        inside: dict[StationName, int] = {}
        for name in self._cycles.values():
            inside[name] = inside.get(name, 0) + 1
        own_lines = {"informer", "queue", "pop", "bind"} | ({"score", "filter"} if self._scored else set())
        if self._counters["pop"].passed:
            # Where not one pod was seen coming, the lines of that level are hidden: adds and attempts are V3.
            own_lines -= {name for name in ("informer", "queue") if not self._counters[name].passed}
            own_lines -= set() if "informer" in own_lines else {"pop"}
        return WorkflowSnapshot(
            self._time_us,
            tuple(
                Station(
                    name,
                    meaning,
                    self._counters[name].passed,
                    self._counters[name].failed,
                    inside.get(name, 0),
                    self._counters[name].rate(second),
                    name not in own_lines,
                )
                for name, meaning in STATIONS
            ),
        )


def _is_second_line(event: QueueEvent) -> bool:
    """Whether a line tells of a move that a line just before it has told already."""
    return "is updated" in event.message or (event.event == "ScheduleAttemptFailure" and event.hint is not None)
