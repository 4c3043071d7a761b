"""A report over a stretch of a log whose beginning is somewhere else: folded apart, joined in the log's order.

Owns what may be counted at once and what has to wait. A pod's events wait until one comes behind which nothing
counts that was known of the pod before; from there on they are folded here. Joining folds what has waited as ever,
and goes on from there. What is counted is ``core.report_times``', ``core.placements``' and ``core.workflow``'s.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from schedtui.core import placements, report_times, workflow

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from schedtui.core.events import QueueEvent


class PodFold(Protocol):
    """A fold in which pods do not know each other."""

    def apply(self, event: QueueEvent) -> None:
        """Take one event."""

    def pass_by(self, event: QueueEvent, *, settling: bool) -> None:
        """An event waits to be counted; behind a settling one, know of its pod what is known then."""


_Fold = TypeVar("_Fold", bound="_Joinable")


class _Joinable(PodFold, Protocol):
    def join(self: _Fold, later: _Fold, pods: Collection[str] | None) -> None:
        """Add what a fold over the stretch behind this one has counted, and go on from what it knows."""


class Stretch(Generic[_Fold]):
    """One fold over a stretch."""

    def __init__(
        self,
        fold: _Fold,
        concerned: Collection[str],
        settling: Collection[str],
        *,
        starts_anew: bool = False,
        groups_too: bool = True,
    ) -> None:
        """Begin.

        Args:
            fold: A new fold; it counts what need not wait.
            concerned: Effects of which the fold keeps something for each pod.
            settling: Those of them behind which nothing counts that was known of the pod before.
            starts_anew: Whether the fold forgets all pods when a process starts.
            groups_too: Whether it follows pod groups as it follows pods.
        """
        self.fold = fold
        self._concerned = concerned
        self._settling = settling
        self._starts_anew = starts_anew
        self._groups_too = groups_too
        self._waiting: list[QueueEvent] = []
        self._known: set[str] = set()
        self._all_known = False

    def apply(self, event: QueueEvent) -> None:
        """Take one event."""
        effect, pod = event.effect, event.pod
        if (
            self._all_known
            or pod is None
            or pod in self._known
            or effect not in self._concerned
            or not (self._groups_too or event.kind == "pod")
        ):
            self.fold.apply(event)
            if effect == "start" and self._starts_anew and not self._all_known:
                self._waiting.append(event)
                self._all_known = True
            return
        self._waiting.append(event)
        settling = effect in self._settling
        if settling:
            self._known.add(pod)
        self.fold.pass_by(event, settling=settling)

    def join_to(self, earlier: _Fold) -> None:
        """Let the fold over all in front of this stretch go on over it."""
        for event in self._waiting:
            earlier.apply(event)
        earlier.join(self.fold, None if self._all_known else self._known)


class ReportPart:
    """All that a report wants of a stretch."""

    def __init__(self, events: Iterable[QueueEvent]) -> None:
        """Fold a stretch.

        Args:
            events: Its events; their lines are those of the whole log.
        """
        self.times = Stretch(
            report_times.PodTimes(),
            report_times.CONCERNED,
            report_times.SETTLING,
            starts_anew=True,
            groups_too=False,
        )
        self.placements = Stretch(placements.Placements(), placements.CONCERNED, placements.SETTLING)
        self.workflow = Stretch(workflow.Workflow(), workflow.CONCERNED, workflow.SETTLING, starts_anew=True)
        self.preemptions = 0
        """Pods that were preempted."""
        self.first_us: int | None = None
        """Time of the first event that has one."""
        self.last_us: int | None = None
        """Time of the last event that has one."""
        self.model_events: list[QueueEvent] = []
        """The events that make a difference to the queues at the end, and to what is said of processes."""
        takers: dict[str, list[Callable[[QueueEvent], None]]] = {}
        for applied, apply in (
            (placements.APPLIED, self.placements.apply),
            (workflow.APPLIED, self.workflow.apply),
            (report_times.APPLIED, self.times.apply),
        ):
            for effect in applied:
                takers.setdefault(effect, []).append(apply)
        everything = list(events)
        for event in everything:
            for take in takers.get(event.effect, ()):
                take(event)
            if event.effect == "preempted" and event.other is not None:
                self.preemptions += 1
        timed = (event for event in everything if event.time_us is not None)
        last = next((event for event in reversed(everything) if event.time_us is not None), None)
        if last is not None:
            self.first_us, self.last_us = next(timed).time_us, last.time_us
            self.workflow.fold.pass_by(last, settling=False)
        self.model_events = _without_ended(everything)


def _without_ended(events: list[QueueEvent]) -> list[QueueEvent]:
    """Events less those of processes that started and were followed by another start: nothing is left of them."""
    last_start = {event.pid: place for place, event in enumerate(events) if event.effect == "start"}
    begun: set[int | None] = set()
    kept: list[QueueEvent] = []
    for place, event in enumerate(events):
        if event.effect == "start":
            begun.add(event.pid)
        elif event.effect != "lost" and event.pid in begun and place < last_start[event.pid]:
            continue
        kept.append(event)
    return kept
