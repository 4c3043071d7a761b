"""What a whole log amounts to: bindings per node, attempts, waits, reasons, slowest and stuck pods.

Owns the fold over all events of a log, whatever processes wrote them, and the frozen report. Words and JSON are
``cli.report``'s, one pod's story ``core.pod_story``'s.
"""

from __future__ import annotations

import heapq
from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING

from schedtui.core.fit_error import parse_fit_error
from schedtui.core.fit_reasons import plugin_of_reason
from schedtui.core.placements import Placements
from schedtui.core.queue_model import QueueModel
from schedtui.core.workflow import Workflow

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from schedtui.core.events import QueueEvent
    from schedtui.core.placements import NodePlacement
    from schedtui.core.queue_state import PodRow
    from schedtui.core.workflow import WorkflowSnapshot

SLOWEST_KEPT = 20
"""How many of the slowest pods are kept."""

STUCK_KEPT = 50
"""How many pods that look stuck are listed."""

_MOST_UNDER_WAY = 200_000
"""Pods followed at a time; a log that hides deletions cannot make this grow without end."""


@dataclass(frozen=True, slots=True)
class Percentiles:
    """How a number of durations spreads, in seconds; None without any."""

    count: int
    """How many durations."""
    p50: float | None
    """Half of them were no longer than this."""
    p90: float | None
    """Nine tenths."""
    p99: float | None
    """All but one in a hundred."""
    max: float | None
    """The longest."""


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


@dataclass(frozen=True, slots=True)
class Report:
    """The whole report."""

    release: str | None
    """Release family of the last process."""
    first_us: int | None
    """Time of the first event."""
    last_us: int | None
    """Time of the last event."""
    bound: int
    """Bindings that happened."""
    attempts: int
    """Scheduling attempts."""
    failed_attempts: int
    """Attempts that ended without a node."""
    preemptions: int
    """Pods that were preempted."""
    nodes: tuple[NodePlacement, ...]
    """Per node, most bindings first."""
    failures: Mapping[str, int]
    """Plugin → attempts that it rejected."""
    failures_inferred: bool
    """Whether some plugins were told from the reasons' words, not by the log."""
    reasons: Mapping[str, int]
    """Reason → nodes refused for it, summed over all attempts."""
    wait: Percentiles
    """From a pod's appearance to its binding."""
    scheduling: Percentiles
    """From an attempt's begin to its binding's begin."""
    binding: Percentiles
    """From a binding's begin to its end."""
    slowest: tuple[SlowPod, ...]
    """Bound pods that waited longest."""
    stuck: tuple[PodRow, ...]
    """Pods of the last process that look stuck."""
    pending: tuple[PodRow, ...]
    """Pods of the last process that are in a queue, those with most attempts first."""
    workflow: WorkflowSnapshot
    """Station by station."""
    needs: str
    """``exact``, or which verbosity would make the queues exact."""
    notices: tuple[str, ...]
    """Restarts, lost lines."""


class _Times:
    """The moments of one pod's way."""

    __slots__ = ("added_us", "attempts", "binding_us", "popped_us", "rejected")

    def __init__(self) -> None:
        self.added_us: int | None = None
        self.popped_us: int | None = None
        self.binding_us: int | None = None
        self.attempts = 0
        self.rejected: Sequence[str] | None = None


class ReportFold:
    """Folds events into a report."""

    def __init__(self, release: str | None = None, *, beside: QueueModel | None = None) -> None:
        """Start before the first event.

        Args:
            release: As for ``QueueModel``.
            beside: A model that somebody else feeds with the same events, each before it comes here; else the
                report folds one of its own.
        """
        self.model = beside if beside is not None else QueueModel(release, keep_gone=0)
        self._feeds_model = beside is None
        self.placements = Placements()
        self.workflow = Workflow()
        self._times: dict[str, _Times] = {}
        self._waits = array("d")
        self._scheduling = array("d")
        self._binding = array("d")
        self._attempts = 0
        self._failed = 0
        self._preemptions = 0
        self._failures: dict[str, int] = {}
        self._inferred = False
        self._reasons: dict[str, int] = {}
        self._slowest: list[tuple[float, int, SlowPod]] = []
        self._first_us: int | None = None
        self._last_us: int | None = None

    def apply_event(self, event: QueueEvent) -> None:
        """Take one event."""
        if self._feeds_model:
            self.model.apply_event(event)
        self.placements.apply(event)
        self.workflow.apply(event)
        if event.time_us is not None:
            self._last_us = event.time_us
            if self._first_us is None:
                self._first_us = event.time_us
        if event.effect == "start":
            self._times.clear()
        if event.effect == "preempted" and event.other is not None:
            self._preemptions += 1
        if event.pod is not None and event.kind == "pod":
            self._follow(event, event.pod)

    def _follow(self, event: QueueEvent, pod: str) -> None:
        effect = event.effect
        if effect in ("add", "queued"):
            self._flush(self._times.pop(pod, None))
            self._of(pod).added_us = event.time_us
        elif effect in ("about", "attempt"):
            self._pop(event, self._of(pod))
        elif effect in _FAILED:
            self._fail(event, self._of(pod))
        elif effect == "moved" and event.event == "ScheduleAttemptFailure" and event.plugins:
            times = self._of(pod)
            self._count_plugins(event.plugins)
            times.rejected = None
        elif effect in ("binding", "prebind"):
            times = self._of(pod)
            if times.binding_us is None:
                times.binding_us = event.time_us
                _note(self._scheduling, times.popped_us, event.time_us)
        elif effect == "bound":
            self._bind(event, pod)
        elif effect in ("delete", "delete_scheduled", "skip"):
            # A pod that is skipped was popped, and not tried.
            self._attempts -= effect == "skip" and pod in self._times
            times_now = self._times.get(pod)
            # The delete event of a pod that is being bound may only mean that its node name was set.
            if effect != "delete" or times_now is None or times_now.binding_us is None:
                self._flush(self._times.pop(pod, None))

    def _of(self, pod: str) -> _Times:
        times = self._times.get(pod)
        if times is None:
            if len(self._times) >= _MOST_UNDER_WAY:
                self._flush(self._times.pop(next(iter(self._times))))
            times = self._times[pod] = _Times()
        return times

    def _pop(self, event: QueueEvent, times: _Times) -> None:
        if event.effect == "attempt" and times.popped_us is not None and times.attempts:
            # "About to try" (V4) began this attempt already.
            return
        self._flush(times)
        self._attempts += 1
        times.attempts += 1
        times.popped_us = event.time_us
        times.binding_us = None

    def _fail(self, event: QueueEvent, times: _Times) -> None:
        if times.popped_us is None:
            self._attempts += 1
            times.attempts += 1
        times.popped_us = times.binding_us = None
        self._failed += 1
        self._flush(times)
        fit = parse_fit_error(event.text) if event.text else None
        if fit is None:
            return
        plugins: set[str] = set()
        for count, reason in fit.reasons:
            self._reasons[reason] = self._reasons.get(reason, 0) + (1 if count is None else count)
            plugin = plugin_of_reason(reason)
            if plugin is not None:
                plugins.add(plugin)
        times.rejected = sorted(plugins)

    def _flush(self, times: _Times | None) -> None:
        """Count the plugins that the words of the last failure tell, when no line named them."""
        if times is not None and times.rejected:
            self._inferred = True
            self._count_plugins(times.rejected)
            times.rejected = None

    def _count_plugins(self, plugins: Sequence[str]) -> None:
        for plugin in plugins:
            self._failures[plugin] = self._failures.get(plugin, 0) + 1

    def _bind(self, event: QueueEvent, pod: str) -> None:
        times = self._times.pop(pod, None) or _Times()
        self._flush(times)
        if times.popped_us is None and times.binding_us is None:
            self._attempts += 1
            times.attempts += 1
        _note(self._binding, times.binding_us, event.time_us)
        wait = _note(self._waits, times.added_us, event.time_us)
        if wait is not None:
            slow = SlowPod(pod, wait, times.attempts, event.node, event.line)
            heapq.heappush(self._slowest, (wait, -event.line, slow))
            if len(self._slowest) > SLOWEST_KEPT:
                heapq.heappop(self._slowest)

    def report(self) -> Report:
        """The report so far."""
        for times in self._times.values():
            self._flush(times)
        snapshot = self.model.snapshot()
        pending = [row for row in snapshot.pods if row.state not in ("bound", "gone")]
        pending.sort(key=lambda row: (-row.attempts, row.pod))
        return Report(
            release=snapshot.release,
            first_us=self._first_us,
            last_us=self._last_us,
            bound=self.placements.bound,
            attempts=self._attempts,
            failed_attempts=self._failed,
            preemptions=self._preemptions,
            nodes=self.placements.nodes(),
            failures=_most_first(self._failures),
            failures_inferred=self._inferred,
            reasons=_most_first(self._reasons),
            wait=_percentiles(self._waits),
            scheduling=_percentiles(self._scheduling),
            binding=_percentiles(self._binding),
            slowest=tuple(slow for _, _, slow in sorted(self._slowest, reverse=True)),
            stuck=tuple(row for row in pending if row.mark is not None)[:STUCK_KEPT],
            pending=tuple(pending),
            workflow=self.workflow.snapshot(),
            needs=snapshot.needs,
            notices=snapshot.notices,
        )


_FAILED = frozenset({"no_fit", "group_no_fit", "no_nodes", "cycle_error"})
"""Effects that end an attempt without a node."""


def _note(durations: array[float], since_us: int | None, until_us: int | None) -> float | None:
    """Keep a duration in seconds, when both ends are known; threads race, so none is below zero."""
    if since_us is None or until_us is None:
        return None
    seconds = max(until_us - since_us, 0) / 1_000_000
    durations.append(seconds)
    return seconds


def _percentiles(durations: array[float]) -> Percentiles:
    if not durations:
        return Percentiles(0, None, None, None, None)
    ordered = sorted(durations)
    last = len(ordered) - 1
    p50, p90, p99 = (ordered[min(int(last * share + 0.5), last)] for share in (0.5, 0.9, 0.99))
    return Percentiles(len(ordered), p50, p90, p99, ordered[-1])


def _most_first(counts: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda each: (-each[1], each[0])))
