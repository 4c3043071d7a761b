"""One pod's whole story: where it was and for how long, what each attempt found, what woke it and what kept it.

Owns the frozen values. They are told by ``core.story_teller``; words for people are ``core.story_text``'s.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from schedtui.core.fit_error import FitError
    from schedtui.core.queue_state import PodRow, PodState

AttemptResult = Literal["running", "unschedulable", "error", "binding", "bound", "dropped"]
"""How an attempt ended, or ``running``."""


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
    process: int = 1
    """The process that saw it: 1 for the log's first."""
    pid: int | None = None
    """That process's id; None in JSON logs."""


@dataclass(frozen=True, slots=True)
class PodStory:
    """Everything that the log says about one pod."""

    pod: str
    """``ns/name``."""
    lives: tuple[Life, ...]
    """Its incarnations, in order; the last one is the present."""
    row: PodRow | None
    """Where it is at the story's end; None when the log does not name it."""
    time_us: int | None
    """The log's clock at the story's end."""
    release: str | None
    """The release family of the process that tells the end."""
    pid: int | None = None
    """The id of that process; None in JSON logs."""
    present: bool = True
    """Whether it is the process that began last. Where not, the story ends with that process's last line."""
