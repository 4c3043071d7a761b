"""The scheduling queue at one moment, as a value.

Owns the words for states and the shape that the queue pane, ``schedtui queue`` and the check share. How a log
leads here is ``core.queue_model``'s business; how it is painted is ``ui``'s.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

PodState = Literal[
    "active",
    "backoff",
    "unschedulable",
    "gated",
    "in_flight",
    "waiting",
    "binding",
    "bound",
    "gone",
    "unknown",
]
"""Where a pod is: a queue, a cycle, or out of both. ``gated`` sits inside the unschedulable pool."""

POD_STATES: tuple[PodState, ...] = (
    "active", "backoff", "unschedulable", "gated", "in_flight", "waiting", "binding", "bound", "gone", "unknown",
)  # fmt: skip
"""All states in the order in which they are shown."""


@dataclass(frozen=True, slots=True)
class PodRow:
    """One pod (or, from 1.37, one entity) and what is known about where it is."""

    pod: str
    """``ns/name``."""
    state: PodState
    since_us: int | None
    """When it came into this state, on the log's clock; None when the log does not tell."""
    attempts: int
    """Scheduling attempts seen so far for this incarnation."""
    certain: bool
    """False when the state is inferred rather than proven by the log."""
    reason: str | None = None
    """The event of the last move as the log words it (``NodeAdd``, ``ScheduleAttemptFailure``)."""
    hint: int | str | None = None
    """The queueing hint of the last move, as printed."""
    plugins: tuple[str, ...] = ()
    """Plugins that rejected it in its last attempt."""
    node: str | None = None
    """The node it is bound (or being bound) to."""
    nominated_node: str | None = None
    """The node that preemption nominated it to."""
    kind: Literal["pod", "podgroup"] = "pod"
    """What the row stands for."""
    incarnation: int = 1
    """1 for the first pod of this name, 2 after it was deleted and created again, and so on."""
    backoff_until_us: int | None = None
    """When its backoff ends, estimated from its attempts; None outside backoff or when unknown."""
    added_us: int | None = None
    """When it first entered the queue."""
    last_line: int = 0
    """1-based line of the last record about it."""
    mark: str | None = None
    """Why it looks stuck, in words (``never tried``, ``no news past the flush period``); None when it does not."""
    plugins_inferred: bool = False
    """Whether ``plugins`` were told from the words of its last failure, not named by the log."""
    place: str | None = None
    """``incomplete`` or ``pending`` for a group's member that 1.37 keeps outside the queues; None otherwise."""

    @property
    def shown_plugins(self) -> tuple[str, ...]:
        """The plugins as they are shown: with a question mark when the log does not name them."""
        return tuple(f"{plugin}?" for plugin in self.plugins) if self.plugins_inferred else self.plugins


@dataclass(frozen=True, slots=True)
class QueueSnapshot:
    """All queues after one log record."""

    release: str | None
    """Release family found in the log, such as ``1.36``; None when unknown."""
    line: int
    """1-based line of the last record folded in; 0 before the first."""
    time_us: int | None
    """That record's time on the log's clock."""
    counts: Mapping[PodState, int]
    """Pods per state; every state of ``POD_STATES`` is a key."""
    pods: tuple[PodRow, ...]
    """The rows, those bound or gone included, in order of first appearance."""
    needs: str
    """``exact``, or the hint which verbosity would make it exact."""
    bound_per_node: Mapping[str, int] = field(default_factory=dict)
    """Bindings that happened, per node (pods deleted since then still count)."""
    notices: tuple[str, ...] = ()
    """What the reader of the log must know: restarts, lost lines, two schedulers in one file."""
    ended: str = ""
    """That the scheduler has ended, and how, in words; empty while it runs. One of ``notices``."""
    lines_lost: bool = False
    """Whether lines are missing in the log: whatever is counted is at least so much."""


EMPTY_QUEUE = QueueSnapshot(
    release=None, line=0, time_us=None, counts=dict.fromkeys(POD_STATES, 0), pods=(), needs="no log yet"
)
"""The queue before any record."""
