"""What a whole log amounts to: bindings per node, attempts, waits, reasons, slowest and stuck pods.

Owns the fold over all events of a log, whatever processes wrote them, and the frozen report. Words and JSON are
``cli.report``'s, one pod's story ``core.pod_story``'s.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from schedtui.core.placements import Placements
from schedtui.core.queue_model import QueueModel
from schedtui.core.report_parts import ModelEvents
from schedtui.core.report_times import PodTimes, SlowPod
from schedtui.core.workflow import Workflow

if TYPE_CHECKING:
    from array import array
    from collections.abc import Mapping

    from schedtui.core.events import QueueEvent
    from schedtui.core.placements import NodePlacement
    from schedtui.core.queue_state import PodRow
    from schedtui.core.report_parts import ReportPart
    from schedtui.core.workflow import WorkflowSnapshot

MOST_WAITING = 100_000
"""Events of a process that may end yet, before the model takes them: this bounds the memory."""

STUCK_KEPT = 50
"""How many pods that look stuck are listed."""


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
    lines_lost: bool
    """Whether lines are missing in the log: all counts are at least so much."""
    notices: tuple[str, ...]
    """Restarts, lost lines."""


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
        self._waiting = ModelEvents()
        self.placements = Placements()
        self.workflow = Workflow()
        self.times = PodTimes()
        self._preemptions = 0
        self._first_us: int | None = None
        self._last_us: int | None = None

    def apply_event(self, event: QueueEvent) -> None:
        """Take one event."""
        if self._feeds_model:
            if self._waiting.events:
                self._feed_model()
            self.model.apply_event(event)
        self.placements.apply(event)
        self.workflow.apply(event)
        if event.time_us is not None:
            self._last_us = event.time_us
            if self._first_us is None:
                self._first_us = event.time_us
        self.times.apply(event)
        if event.effect == "preempted" and event.other is not None:
            self._preemptions += 1

    def take(self, part: ReportPart) -> None:
        """Take all that a stretch of the log holds, folded elsewhere; stretches come in the log's order."""
        if self._feeds_model:
            for event in part.model_events:
                if event.effect == "start":
                    self._waiting.restart(event.pid)
                self._waiting.events.append(event)
            if len(self._waiting.events) > MOST_WAITING:
                self._feed_model()
        part.times.join_to(self.times)
        part.placements.join_to(self.placements)
        part.workflow.join_to(self.workflow)
        self._preemptions += part.preemptions
        if self._first_us is None:
            self._first_us = part.first_us
        if part.last_us is not None:
            self._last_us = part.last_us

    def _feed_model(self) -> None:
        for event in self._waiting.events:
            self.model.apply_event(event)
        self._waiting = ModelEvents()

    def report(self) -> Report:
        """The report so far."""
        self._feed_model()
        times = self.times
        times.flush()
        snapshot = self.model.snapshot()
        pending = [row for row in snapshot.pods if row.state not in ("bound", "gone")]
        pending.sort(key=lambda row: (-row.attempts, row.pod))
        return Report(
            release=snapshot.release,
            first_us=self._first_us,
            last_us=self._last_us,
            bound=self.placements.bound,
            attempts=times.attempts,
            failed_attempts=times.failed,
            preemptions=self._preemptions,
            nodes=self.placements.nodes(),
            failures=_most_first(times.failures),
            failures_inferred=times.inferred,
            reasons=_most_first(times.reasons),
            wait=_percentiles(times.waits),
            scheduling=_percentiles(times.scheduling),
            binding=_percentiles(times.binding),
            slowest=times.slowest(),
            stuck=tuple(row for row in pending if row.mark is not None)[:STUCK_KEPT],
            pending=tuple(pending),
            workflow=self.workflow.snapshot(),
            needs=snapshot.needs,
            lines_lost=snapshot.lines_lost,
            notices=snapshot.notices,
        )


def _percentiles(durations: array[float]) -> Percentiles:
    if not durations:
        return Percentiles(0, None, None, None, None)
    ordered = sorted(durations)
    last = len(ordered) - 1
    p50, p90, p99 = (ordered[min(int(last * share + 0.5), last)] for share in (0.5, 0.9, 0.99))
    return Percentiles(len(ordered), p50, p90, p99, ordered[-1])


def _most_first(counts: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda each: (-each[1], each[0])))
