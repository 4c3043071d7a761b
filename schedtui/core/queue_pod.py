"""One pod of the queue model: what its own lines proved, and its backoff.

Owns the mutable row behind a ``PodRow`` and the arithmetic of backoff times. What a line does to a row is
``core.queue_process``'s business; what may have happened to it silently is ``core.queue_inference``'s.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from schedtui.core.event_table import EntityKind
    from schedtui.core.queue_state import PodState

SECOND_US = 1_000_000
"""Microseconds in a second: the model's clock counts microseconds."""

INITIAL_BACKOFF_SECONDS = 1
"""Backoff after the first failure, the scheduler's default (``podInitialBackoffSeconds``)."""

MAX_BACKOFF_SECONDS = 10
"""Longest backoff, the scheduler's default (``podMaxBackoffSeconds``)."""

GroupPlace = Literal["incomplete", "pending"]
"""Where 1.37 keeps a member outside the queues: its group's object is not seen yet, or its group is in flight."""


@dataclass(slots=True)
class PodEntry:
    """What is known of one pod or group; ``state`` is the best guess, ``proven`` says whether a line told it."""

    pod: str
    """``ns/name``."""
    kind: EntityKind
    """Pod or pod group."""
    epoch: int
    """The model that may change this entry in place; others copy it first."""
    incarnation: int = 1
    """1 for the first pod of this name, 2 for the next, and so on."""
    state: PodState = "unknown"
    """Best guess after its last own line."""
    proven: bool = False
    """Whether its own lines prove ``state``."""
    since_us: int | None = None
    """When it came into ``state``."""
    proof_us: int = -1
    """When its own lines last proved something; -1 before the first."""
    last_us: int = -1
    """Time of its last own line."""
    last_line: int = 0
    """1-based line of its last own line."""
    added_us: int | None = None
    """When it entered the scheduler's queue first."""
    attempts: int = 0
    """Scheduling attempts seen."""
    attempts_known: bool = False
    """Whether all of its attempts were seen, so that its backoff can be told."""
    rejections: int = 0
    """Attempts that ended with a rejection."""
    errors: int = 0
    """Attempts in a row that ended with an error."""
    counted: bool = False
    """Whether the attempt under way has been counted."""
    failed: bool = False
    """Whether its cycle failed and the line that names the next queue has not come."""
    failed_us: int = -1
    """When its last attempt failed: backoff counts from here; -1 before the first."""
    popped_us: int = -1
    """When its last attempt began."""
    deleted: bool = False
    """Whether a delete event came while it was out of the queues (in flight or binding)."""
    recreated: bool = False
    """Whether an earlier pod of its name is still in flight."""
    updated: bool = False
    """Whether an update that may have moved it came since ``proof_us``."""
    patch_expected: bool = False
    """Whether the next update event is only the echo of the scheduler's own status patch."""
    error_text: str = ""
    """The explanation of its last failure: the status patch is skipped when it has not changed."""
    pending_text: str = ""
    """The explanation that the patch under way carries."""
    patched_text: str | None = None
    """The explanation that its status holds; None when unknown."""
    counted_node: str | None = None
    """The node that its binding was counted for; None while it was not."""
    gate_open: bool = False
    """Whether it was added and neither a gate line nor a move line has come since."""
    reason: str | None = None
    """The event of its last move."""
    hint: int | str | None = None
    """The hint of its last move."""
    plugins: tuple[str, ...] = ()
    """Plugins that rejected it last."""
    node: str | None = None
    """Node it is bound or being bound to."""
    nominated_node: str | None = None
    """Node it was nominated to."""
    group: str | None = None
    """The group whose entity holds it (1.37)."""
    place: GroupPlace | None = None
    """Where it waits outside the queues as a member of a group (1.37)."""

    def twin(self, epoch: int) -> PodEntry:
        """A copy that the model of ``epoch`` may change."""
        other = copy.copy(self)
        other.epoch = epoch
        return other


@dataclass(frozen=True, slots=True)
class BackoffRule:
    """How long a failed pod has to wait."""

    initial_seconds: int = INITIAL_BACKOFF_SECONDS
    """After the first failure."""
    max_seconds: int = MAX_BACKOFF_SECONDS
    """Never longer than this."""
    whole_seconds: bool = False
    """Whether ends are aligned down to whole seconds, and moved out at whole seconds (since 1.33)."""

    def duration_us(self, entry: PodEntry) -> int | None:
        """Backoff of its last failure in microseconds; None when its attempts are not all known."""
        if entry.failed_us < 0 or not entry.attempts_known:
            return None
        count = entry.errors or entry.rejections if self.whole_seconds else entry.attempts
        if count < 1:
            return None
        return min(self.initial_seconds << min(count - 1, 30), self.max_seconds) * SECOND_US

    def ends_us(self, entry: PodEntry, early_us: int = 0) -> int | None:
        """When its backoff ends, had its failure come ``early_us`` before its line; None when unknown."""
        duration = self.duration_us(entry)
        if duration is None:
            return None
        end = entry.failed_us - early_us + duration
        return end // SECOND_US * SECOND_US if self.whole_seconds else end

    def over_us(self, entry: PodEntry) -> int | None:
        """The moment by which it has certainly left backoffQ: backoff over and one flush (every second) later."""
        if entry.failed_us < 0:
            return None
        end = self.ends_us(entry)
        if end is None:
            end = entry.failed_us + self.max_seconds * SECOND_US
        return end + 2 * SECOND_US
