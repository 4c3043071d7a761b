"""A report over a stretch of a log whose beginning is somewhere else: folded apart, joined in the log's order.

Owns what may be counted at once and what has to wait. A pod's events wait until one comes behind which nothing
counts that was known of the pod before; from there on they are folded here. Joining folds what has waited as ever,
and goes on from there. What is counted is ``core.report_times``', ``core.placements``' and ``core.workflow``'s.
"""

from __future__ import annotations

import marshal
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from schedtui.core import placements, report_times, workflow
from schedtui.core.events import QueueEvent

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable


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
        stands_alone: Callable[[QueueEvent], bool] | None = None,
    ) -> None:
        """Begin.

        Args:
            fold: A new fold; it counts what need not wait.
            concerned: Effects of which the fold keeps something for each pod.
            settling: Those of them behind which nothing counts that was known of the pod before.
            starts_anew: Whether the fold forgets all pods when a process starts.
            groups_too: Whether it follows pod groups as it follows pods.
            stands_alone: Whether what was known of its pod before matters neither to an event that concerns the
                fold nor after it; None when it always may.
        """
        self.fold = fold
        self._concerned = concerned
        self._settling = settling
        self._starts_anew = starts_anew
        self._groups_too = groups_too
        self._stands_alone = stands_alone
        self._waiting: list[QueueEvent] = []
        self._known: set[str] = set()
        self.all_known = False
        """Whether nothing counts any more that was known in front of the stretch: the fold may take all itself."""

    def apply(self, event: QueueEvent) -> None:
        """Take one event."""
        effect, pod = event.effect, event.pod
        if (
            self.all_known
            or pod is None
            or pod in self._known
            or effect not in self._concerned
            or not (self._groups_too or event.kind == "pod")
        ):
            self.fold.apply(event)
            if effect == "start" and self._starts_anew and not self.all_known:
                self._waiting.append(event)
                self.all_known = True
            return
        if self._stands_alone is not None and self._stands_alone(event):
            self._known.add(pod)
            self.fold.apply(event)
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
        earlier.join(self.fold, None if self.all_known else self._known)


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
        self.placements = Stretch(
            placements.Placements(),
            placements.CONCERNED,
            placements.SETTLING,
            stands_alone=placements.stands_alone,
        )
        self.workflow = Stretch(workflow.Workflow(), workflow.CONCERNED, workflow.SETTLING, starts_anew=True)
        self.preemptions = 0
        """Pods that were preempted."""
        self.first_us: int | None = None
        """Time of the first event that has one."""
        self.last_us: int | None = None
        """Time of the last event that has one."""
        self.model_events: list[QueueEvent] = []
        """The events that make a difference to the queues at the end, and to what is said of processes."""
        stretches: dict[str, list[Stretch[Any]]] = {}
        for applied, stretch in (
            (placements.APPLIED, self.placements),
            (workflow.APPLIED, self.workflow),
            (report_times.APPLIED, self.times),
        ):
            for effect in applied:
                stretches.setdefault(effect, []).append(stretch)
        kept = ModelEvents()
        last: QueueEvent | None = None
        for event in events:
            effect = event.effect
            for stretch in stretches.get(effect, ()):
                (stretch.fold if stretch.all_known else stretch).apply(event)
            if effect == "start":
                kept.restart(event.pid)
            elif effect == "preempted" and event.other is not None:
                self.preemptions += 1
            kept.events.append(event)
            if event.time_us is not None:
                if last is None:
                    self.first_us = event.time_us
                last = event
        if last is not None:
            self.last_us = last.time_us
            self.workflow.fold.pass_by(last, settling=False)
        self.model_events = kept.events

    def __getstate__(self) -> dict[str, object]:
        """To be handed to another process: bare tuples, for these events are many."""
        return {**self.__dict__, "model_events": marshal.dumps([tuple(event) for event in self.model_events])}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """What another process handed over."""
        self.__dict__.update(state)
        self.model_events = [QueueEvent._make(event) for event in marshal.loads(state["model_events"])]


class ModelEvents:
    """Events less those of processes that started and were followed by another start: nothing is left of them."""

    def __init__(self) -> None:
        self.events: list[QueueEvent] = []
        """What is left, in the order of the log."""
        self._started: dict[int | None, int] = {}

    def restart(self, pid: int | None) -> None:
        """Forget what a process did that had started; its next start comes now."""
        started = self._started.get(pid)
        since: list[QueueEvent] = []
        if started is not None:
            since = self.events[started:]
            del self.events[started:]
        for event in since:
            if event.effect == "start":
                self._started[event.pid] = len(self.events)
            elif event.pid == pid and event.effect != "lost":
                continue
            self.events.append(event)
        self._started[pid] = len(self.events)
