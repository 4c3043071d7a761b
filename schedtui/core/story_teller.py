"""Tells pods' stories: folds a log's events into where each pod was and what its attempts found.

Owns the fold over the events that concern a pod. States come from ``core.queue_model``, reasons from
``core.fit_error``; the values are ``core.pod_story``'s.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from schedtui.core.events import read_event
from schedtui.core.fit_error import parse_fit_error
from schedtui.core.pod_story import Attempt, Life, NodeScore, PodStory, StateSpan, Wake
from schedtui.core.queue_model import QueueModel
from schedtui.core.queue_process import SchedulerProcess

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from schedtui.core.events import QueueEvent
    from schedtui.core.pod_story import AttemptResult
    from schedtui.core.queue_state import PodRow, PodState
    from schedtui.core.record import Record

_QUEUED: frozenset[PodState] = frozenset({"active", "backoff", "unschedulable", "gated"})
"""States whose reason is the event of the move that led there."""

_KEPT_SPANS = 2000
"""Spans of states kept of one pod; a pod that flaps for days keeps its last ones."""


@dataclass(slots=True)
class _LifeDraft:
    """A life while it is being told."""

    incarnation: int
    added_us: int | None
    spans: list[StateSpan] = field(default_factory=list)
    attempts: list[Attempt] = field(default_factory=list)
    wakes: list[Wake] = field(default_factory=list)
    kept: dict[str, int] = field(default_factory=dict)
    scores: dict[str, dict[str, float]] = field(default_factory=dict)
    totals: dict[str, float] = field(default_factory=dict)


@dataclass(slots=True)
class _Draft:
    """One pod's lives in one process while they are being told."""

    process: SchedulerProcess
    over: bool = False
    """Whether the process has been followed by another with its pid."""
    row: PodRow | None = None
    """Where the pod was when the process was over."""
    lives: list[_LifeDraft] = field(default_factory=list)
    state: tuple[PodState, int] | None = None
    last_us: int | None = None

    @property
    def is_over(self) -> bool:
        """Whether nothing more is to be expected of it."""
        return self.over or self.state is None or self.state[0] == "gone"

    def confirm(self, row: PodRow) -> None:
        """A later line proved where the pod has been, or named the event."""
        spans = self.lives[-1].spans
        if (
            spans
            and row.certain
            and (not spans[-1].certain or (spans[-1].reason is None and row.state in _QUEUED))
        ):
            spans[-1] = replace(spans[-1], certain=True, reason=row.reason if row.state in _QUEUED else None)

    def end_span(self, time_us: int | None) -> None:
        """The pod left the state that it was in."""
        spans = self.lives[-1].spans if self.lives else []
        if spans and spans[-1].until_us is None:
            spans[-1] = replace(spans[-1], until_us=time_us)


class StoryTeller:
    """Folds a log into the stories of some pods, or of all."""

    def __init__(self, pods: Iterable[str] | None, release: str | None = None) -> None:
        """Start before the log's first line.

        Args:
            pods: ``ns/name`` of each pod to tell of; None for all that the log names.
            release: A release that is known for certain.
        """
        self._wanted = None if pods is None else frozenset(pods)
        self.model = QueueModel(release, keep_gone=200)
        self._drafts: dict[str, list[_Draft]] = {}

    def apply(self, record: Record) -> None:
        """Take one record."""
        event = read_event(record)
        if event is not None:
            self.apply_event(event)

    def apply_event(self, event: QueueEvent) -> None:
        """Take one event that was read already."""
        old = self.model.process_of(event.pid)
        concerned = self._concerned(event, old)
        before = {pod: self.model.row(pod, old) for pod in concerned if old is not None}
        self.model.apply_event(event)
        process = self.model.process_of(event.pid)
        if old is not None and process is not old:
            self._end(old)
            before = {}
        if process is None:
            return
        for pod in concerned:
            after = self.model.row(pod, process)
            if after is None:
                continue
            draft = self._draft_of(pod, process)
            self._follow(draft, event, before.get(pod), after)
            if pod in (event.pod, event.other):
                self._tell(draft.lives[-1], event, pod)

    def _draft_of(self, pod: str, process: SchedulerProcess) -> _Draft:
        drafts = self._drafts.setdefault(pod, [])
        for draft in reversed(drafts):
            if draft.process is process:
                return draft
        drafts.append(_Draft(process))
        return drafts[-1]

    def _end(self, process: SchedulerProcess) -> None:
        """A process is over: what it knew of the pods is kept, it itself is not."""
        last = SchedulerProcess(process.pid, process.release, 0)
        last.number, last.now_us = process.number, process.now_us
        for pod, drafts in self._drafts.items():
            for draft in drafts:
                if draft.process is process:
                    draft.row, draft.over = self.model.row(pod, process), True
                    draft.process = last

    def _concerned(self, event: QueueEvent, process: SchedulerProcess | None) -> list[str]:
        """Pods of the story whose state the event can change."""
        names = [event.pod] if event.kind == "pod" and event.pod is not None else []
        if event.other is not None and event.other not in names:
            names.append(event.other)
        running = process.loop.pod if process is not None else None
        if running is not None and running not in names and event.effect in ("about", "attempt", "group_attempt"):
            # Whatever cycle ran before has ended.
            names.append(running)
        if process is not None and event.kind == "podgroup":
            names += [entry.pod for entry in process.entries.values() if entry.group == event.pod]
        if self._wanted is None:
            return names
        return [name for name in names if name in self._wanted]

    def story(self, pod: str) -> PodStory:
        """The story of one pod so far."""
        drafts = self._drafts.get(pod, [])
        lives = tuple(life for draft in drafts for life in self._lives(draft))
        present, row = self.model.process, self.model.row(pod)
        if row is not None or not drafts:
            pid = present.pid if present is not None else None
            return PodStory(pod, lives, row, self.model.time_us, self.model.release, pid)
        last = max(drafts, key=lambda draft: draft.process.now_us)
        row = last.row if last.over else self.model.row(pod, last.process)
        heard_us = last.process.now_us if last.process.now_us >= 0 else None
        return PodStory(pod, lives, row, heard_us, last.process.release, last.process.pid, present=False)

    def _lives(self, draft: _Draft) -> list[Life]:
        """The lives of a draft; a process that others have followed tells nothing after its last line."""
        process = draft.process
        lives = [_finished(life, process) for life in draft.lives]
        if lives and process is not self.model.process and process.now_us >= 0:
            *before, last = lives[-1].spans
            if last.until_us is None:
                lives[-1] = replace(lives[-1], spans=(*before, replace(last, until_us=process.now_us)))
        return lives

    def pods(self) -> list[str]:
        """Pods that have a story, in the order of their appearance."""
        return list(self._drafts)

    def take_finished(self, quiet_us: int) -> list[PodStory]:
        """Stories of pods that are gone and were not named for ``quiet_us``; they are forgotten here."""
        now = self.model.time_us or 0
        finished: list[PodStory] = []
        for pod, drafts in list(self._drafts.items()):
            heard_us = [draft.last_us for draft in drafts if draft.last_us is not None]
            if all(draft.is_over for draft in drafts) and heard_us and now - max(heard_us) > quiet_us:
                finished.append(self.story(pod))
                del self._drafts[pod]
        return finished

    def _follow(self, draft: _Draft, event: QueueEvent, before: PodRow | None, after: PodRow) -> None:
        """Note a change of state, or a new life."""
        draft.last_us = event.time_us if event.time_us is not None else draft.last_us
        state = (after.state, after.incarnation)
        if state == draft.state:
            draft.confirm(after)
            return
        draft.end_span(event.time_us)
        # A pod without a row was gone so long that the model has forgotten it, and counts its incarnations anew.
        if draft.state is None or draft.state[1] != after.incarnation or before is None:
            forgotten = draft.lives[-1].incarnation if draft.state is not None and before is None else 0
            draft.lives.append(_LifeDraft(forgotten + after.incarnation, after.added_us))
            before = None
        draft.state = state
        life = draft.lives[-1]
        life.added_us = life.added_us or after.added_us
        reason = after.reason if after.state in _QUEUED else None
        life.spans.append(StateSpan(after.state, event.time_us, None, reason, after.certain, event.line))
        del life.spans[:-_KEPT_SPANS]
        if before is None or event.effect != "moved" or event.pod != after.pod or event.event is None:
            return
        if event.event != "ScheduleAttemptFailure":
            wake = Wake(event.time_us, event.line, event.event, before.state, after.state, event.hint)
            life.wakes.append(wake)

    def _tell(self, life: _LifeDraft, event: QueueEvent, pod: str) -> None:
        """Note what the event says about the pod's attempts."""
        if event.effect in ("about", "attempt"):
            self._begin_attempt(life, event)
        elif event.effect == "kept":
            name = event.event or "event"
            life.kept[name] = life.kept.get(name, 0) + 1
        elif event.effect == "score" and event.node and event.number is not None:
            plugin = event.plugins[0] if event.plugins else "extender"
            life.scores.setdefault(event.node, {})[plugin] = event.number
        elif event.effect == "final_score" and event.node and event.number is not None:
            life.totals[event.node] = event.number
        else:
            self._continue_attempt(life, event, pod)

    def _begin_attempt(self, life: _LifeDraft, event: QueueEvent) -> None:
        last = life.attempts[-1] if life.attempts else None
        if last is not None and last.result == "running" and event.effect == "attempt":
            return
        life.scores, life.totals = {}, {}
        number = last.number + 1 if last is not None else 1
        life.attempts.append(Attempt(number, event.time_us, None, event.line, "running"))

    def _continue_attempt(self, life: _LifeDraft, event: QueueEvent, pod: str) -> None:
        change = _ATTEMPT_CHANGES.get(event.effect)
        if change is None and event.effect not in _NOTED_EFFECTS and not _is_requeue(event):
            return
        if event.effect in ("no_fit", "no_nodes", "cycle_error", "bound", "binding") and (
            not life.attempts or life.attempts[-1].result in ("unschedulable", "error", "bound", "dropped")
        ):
            # The line of its beginning is hidden at this verbosity.
            self._begin_attempt(life, event._replace(effect="about", time_us=None))
        if not life.attempts:
            return
        attempt = life.attempts[-1]
        if _is_requeue(event):
            life.attempts[-1] = replace(attempt, plugins=event.plugins or attempt.plugins)
            return
        if event.effect in _NOTED_EFFECTS:
            if event.effect in ("prefilter", "postfilter") and not event.text:
                return
            life.attempts[-1] = replace(
                attempt,
                notes=(*attempt.notes, _note(event, pod)),
                nominated_node=event.node if event.effect == "nominated" else attempt.nominated_node,
            )
            return
        if change is not None:
            life.attempts[-1] = _changed(attempt, change, event, _scores(life))


_ATTEMPT_CHANGES: Mapping[str, AttemptResult] = {
    "no_fit": "unschedulable",
    "group_no_fit": "unschedulable",
    "no_nodes": "unschedulable",
    "cycle_error": "error",
    "binding": "binding",
    "bound": "bound",
    "skip": "dropped",
    "vanished": "dropped",
}
"""Effect → the result that it gives to the attempt under way."""

_NOTED_EFFECTS = frozenset({
    "prefilter", "postfilter", "preemption_note", "nominated", "plugin_rejected", "permit", "permit_rejected",
    "preempted", "preemption_started", "preemption_done", "bind_failed", "flush_saved",
})  # fmt: skip
"""Effects whose words are kept as notes of the attempt under way."""


def _note(event: QueueEvent, pod: str) -> str:
    """What an event says about an attempt of a pod, in its own words and with whom it names besides."""
    where = f" on {event.node}" if event.node else ""
    if event.effect == "preempted":
        return f"{event.message}: {event.other}{where}" if pod == event.pod else f"preempted by {event.pod}{where}"
    if event.text:
        return f"{event.message}: {event.text}"
    return f"{event.message}: {event.node}" if event.node else event.message


def _is_requeue(event: QueueEvent) -> bool:
    return event.effect == "moved" and event.event == "ScheduleAttemptFailure"


def _changed(attempt: Attempt, result: AttemptResult, event: QueueEvent, scores: tuple[NodeScore, ...]) -> Attempt:
    if result == "binding":
        return replace(
            attempt, result=result, node=event.node, binding_us=event.time_us, scores=scores or attempt.scores
        )  # fmt: skip
    return replace(
        attempt,
        result=result,
        ended_us=event.time_us,
        text=event.text or attempt.text,
        fit=parse_fit_error(event.text) if event.text else attempt.fit,
        node=event.node or attempt.node,
        scores=scores or attempt.scores,
    )


def _scores(life: _LifeDraft) -> tuple[NodeScore, ...]:
    nodes = life.totals.keys() | life.scores.keys()
    found = [NodeScore(node, life.totals.get(node), dict(life.scores.get(node, {}))) for node in nodes]
    return tuple(sorted(found, key=lambda each: (-(each.total or sum(each.by_plugin.values())), each.node)))


def _finished(life: _LifeDraft, process: SchedulerProcess) -> Life:
    return Life(
        life.incarnation,
        life.added_us,
        tuple(life.spans),
        tuple(life.attempts),
        tuple(life.wakes),
        dict(life.kept),
        process.number,
        process.pid,
    )
