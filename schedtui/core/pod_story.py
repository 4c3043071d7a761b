"""One pod's whole story: where it was and for how long, what each attempt found, what woke it and what kept it.

Owns the fold over events that concern one pod and the frozen story. States come from ``core.queue_model``, reasons
from ``core.fit_error``; words for people are ``core.story_text``'s.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from schedtui.core.events import read_event
from schedtui.core.fit_error import parse_fit_error
from schedtui.core.queue_model import QueueModel

if TYPE_CHECKING:
    from collections.abc import Mapping

    from schedtui.core.events import QueueEvent
    from schedtui.core.fit_error import FitError
    from schedtui.core.queue_state import PodRow, PodState
    from schedtui.core.record import Record

AttemptResult = Literal["running", "unschedulable", "error", "binding", "bound", "dropped"]
"""How an attempt ended, or ``running``."""

_QUEUED: frozenset[PodState] = frozenset({"active", "backoff", "unschedulable", "gated"})
"""States whose reason is the event of the move that led there."""

_KEPT_SPANS = 2000
"""Spans of states kept of one pod; a pod that flaps for days keeps its last ones."""


@dataclass(frozen=True, slots=True)
class StateSpan:
    """A time in which the pod was in one place."""

    state: PodState
    """Where."""
    since_us: int | None
    """From when."""
    until_us: int | None
    """To when; None while it lasts."""
    reason: str | None
    """The event that brought it there."""
    certain: bool
    """Whether the log proves it."""
    line: int
    """1-based line that told."""

    @property
    def seconds(self) -> float | None:
        """How long it lasted; None when one end is unknown."""
        if self.since_us is None or self.until_us is None:
            return None
        return (self.until_us - self.since_us) / 1_000_000


@dataclass(frozen=True, slots=True)
class NodeScore:
    """What one node got in one attempt (V10)."""

    node: str
    """The node."""
    total: float | None
    """Its final score; None when the log does not hold it."""
    by_plugin: Mapping[str, float]
    """Plugin → its part: normalized score times weight."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One scheduling attempt."""

    number: int
    """1 for the first that the log shows of this incarnation."""
    started_us: int | None
    """When the pod was popped."""
    ended_us: int | None
    """When the attempt failed or the pod was bound; None while it runs."""
    line: int
    """1-based line of its beginning."""
    result: AttemptResult
    """How it ended."""
    text: str = ""
    """The scheduler's own explanation."""
    fit: FitError | None = None
    """The explanation taken apart; None when it is none of nodes that do not fit."""
    plugins: tuple[str, ...] = ()
    """Plugins that rejected it."""
    node: str | None = None
    """The node chosen."""
    nominated_node: str | None = None
    """The node that preemption nominated."""
    scores: tuple[NodeScore, ...] = ()
    """Scores, the best node first; empty without V10."""
    notes: tuple[str, ...] = ()
    """What else was said: preemption, permit, a plugin's refusal."""
    binding_us: int | None = None
    """When binding began."""


@dataclass(frozen=True, slots=True)
class Wake:
    """An event that moved the pod."""

    time_us: int | None
    """When."""
    line: int
    """1-based line."""
    event: str
    """The event as the log words it."""
    before: PodState
    """Where the pod was."""
    after: PodState
    """Where it went."""
    hint: int | str | None
    """The queueing hint, as printed."""


@dataclass(frozen=True, slots=True)
class Life:
    """One incarnation of the pod."""

    incarnation: int
    """1 for the first pod of this name in the log's last process."""
    added_us: int | None
    """When it appeared."""
    spans: tuple[StateSpan, ...]
    """Where it was, in order."""
    attempts: tuple[Attempt, ...]
    """Its attempts, in order."""
    wakes: tuple[Wake, ...]
    """Events that moved it."""
    kept: Mapping[str, int]
    """Event → how often it was looked at and did not help."""


@dataclass(frozen=True, slots=True)
class PodStory:
    """Everything that the log says about one pod."""

    pod: str
    """``ns/name``."""
    lives: tuple[Life, ...]
    """Its incarnations, in order; the last one is the present."""
    row: PodRow | None
    """Where it is at the end of what was read; None when the log does not name it."""
    time_us: int | None
    """The log's clock at the end of what was read."""
    release: str | None
    """The release family of the log."""


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


class StoryTeller:
    """Folds a log into the story of one pod."""

    def __init__(self, pod: str, release: str | None = None) -> None:
        """Start before the log's first line.

        Args:
            pod: ``ns/name``.
            release: A release that is known for certain.
        """
        self.pod = pod
        self.model = QueueModel(release, keep_gone=200)
        self._lives: list[_LifeDraft] = []
        self._state: tuple[PodState, int] | None = None
        self._process: object = None

    def apply(self, record: Record) -> None:
        """Take one record."""
        event = read_event(record)
        if event is not None:
            self.apply_event(event, is_json=record.kind == "json")
        elif record.time_us is not None:
            self.model.reach(record.line)

    def apply_event(self, event: QueueEvent, *, is_json: bool = False) -> None:
        """Take one event that was read already."""
        about_it = event.pod == self.pod or event.other == self.pod
        if not about_it and event.effect not in _MAY_CHANGE_OTHERS:
            self.model.apply_event(event, is_json=is_json)
            return
        before = self.model.row(self.pod)
        self.model.apply_event(event, is_json=is_json)
        if self.model.process is not self._process:
            self._process = self.model.process
            self._state = None
        after = self.model.row(self.pod)
        if after is None:
            return
        self._follow(event, before, after)
        if about_it:
            self._tell(event)

    def story(self) -> PodStory:
        """The story so far."""
        return PodStory(
            self.pod,
            tuple(_finished(life) for life in self._lives),
            self.model.row(self.pod),
            self.model.time_us,
            self.model.release,
        )

    def _follow(self, event: QueueEvent, before: PodRow | None, after: PodRow) -> None:
        """Note a change of state, or a new life."""
        state = (after.state, after.incarnation)
        if state == self._state:
            self._confirm(after)
            return
        if self._state is None or self._state[1] != after.incarnation or not self._lives:
            self._end_span(event.time_us)
            self._lives.append(_LifeDraft(after.incarnation, after.added_us))
            before = None
        else:
            self._end_span(event.time_us)
        self._state = state
        life = self._lives[-1]
        life.added_us = life.added_us or after.added_us
        reason = after.reason if after.state in _QUEUED else None
        life.spans.append(StateSpan(after.state, event.time_us, None, reason, after.certain, event.line))
        del life.spans[:-_KEPT_SPANS]
        moved = event.effect == "moved" and event.pod == self.pod and event.event and before is not None
        if moved and before is not None and event.event is not None and event.event != "ScheduleAttemptFailure":
            life.wakes.append(
                Wake(event.time_us, event.line, event.event, before.state, after.state, event.hint)
            )  # fmt: skip

    def _confirm(self, row: PodRow) -> None:
        """A later line proved where the pod has been, or named the event."""
        spans = self._lives[-1].spans if self._lives else []
        if (
            spans
            and row.certain
            and (not spans[-1].certain or (spans[-1].reason is None and row.state in _QUEUED))
        ):
            spans[-1] = replace(spans[-1], certain=True, reason=row.reason if row.state in _QUEUED else None)

    def _end_span(self, time_us: int | None) -> None:
        spans = self._lives[-1].spans if self._lives else []
        if spans and spans[-1].until_us is None:
            spans[-1] = replace(spans[-1], until_us=time_us)

    def _tell(self, event: QueueEvent) -> None:
        """Note what the event says about the pod's attempts."""
        life = self._lives[-1]
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
            self._continue_attempt(life, event)

    def _begin_attempt(self, life: _LifeDraft, event: QueueEvent) -> None:
        last = life.attempts[-1] if life.attempts else None
        if last is not None and last.result == "running" and event.effect == "attempt":
            return
        life.scores, life.totals = {}, {}
        number = last.number + 1 if last is not None else 1
        life.attempts.append(Attempt(number, event.time_us, None, event.line, "running"))

    def _continue_attempt(self, life: _LifeDraft, event: QueueEvent) -> None:
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
            note = f"{event.message}: {event.text}" if event.text else event.message
            life.attempts[-1] = replace(
                attempt,
                notes=(*attempt.notes, note),
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

_MAY_CHANGE_OTHERS = frozenset({
    "start", "about", "attempt", "moved", "gated", "group_attempt", "group_delete", "group_decomposed", "lost",
})  # fmt: skip
"""Effects that can change the state of a pod that they do not name."""

_NOTED_EFFECTS = frozenset({
    "prefilter", "postfilter", "preemption_note", "nominated", "plugin_rejected", "permit", "permit_rejected",
    "preempted", "preemption_started", "preemption_done", "bind_failed", "flush_saved",
})  # fmt: skip
"""Effects whose words are kept as notes of the attempt under way."""


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


def _finished(life: _LifeDraft) -> Life:
    return Life(
        life.incarnation,
        life.added_us,
        tuple(life.spans),
        tuple(life.attempts),
        tuple(life.wakes),
        dict(life.kept),
    )
