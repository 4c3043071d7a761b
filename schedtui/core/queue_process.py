"""One scheduler process as the log shows it: its pods, its scheduling loop, what it has said about itself.

Owns the mutable state that the effects change (``core.queue_effects``) and that the inference reads
(``core.queue_inference``). A restart is a new process with nothing carried over: the scheduler itself starts so.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING

from schedtui.core.queue_evidence import LoopClock, PopOrder, Sight
from schedtui.core.queue_pod import BackoffRule, PodEntry
from schedtui.core.release import ReleaseFinder

if TYPE_CHECKING:
    from schedtui.core.event_table import EntityKind
    from schedtui.core.events import QueueEvent
    from schedtui.core.queue_state import PodState
    from schedtui.core.release import ReleaseTraits

KEPT_GONE = 2000
"""Pods that are gone and still shown; older ones are only counted, so that memory does not grow with the log."""

_EPOCHS = count(1)
"""Names models apart: an entry may be changed only by the model whose epoch it carries."""

ADD_ECHO_US = 1_000_000
"""Where moves are logged, an add event is followed by one within this time, or by a gate line (8 ms when busy)."""

GROUP_KEY = "podgroup "
"""Put in front of a group's name: a pod and a group may have the same one."""


@dataclass(slots=True)
class ProcessFacts:
    """What the process said about itself."""

    started: bool = False
    """Whether its start is in the log, so that every pod must have been named."""
    handlers_synced: bool = False
    """Whether the informers' first lists are in."""
    handlers_failed: bool = False
    """Whether it gave up waiting for them."""
    watch_failure: str = ""
    """The last complaint of an informer that could not list or watch."""
    lease_wanted: bool = False
    """Whether it waits to become leader."""
    stopped: str = ""
    """Why it ended, in the log's words; empty while it runs."""
    stopped_line: int = 0
    """1-based line that says so; negative where the line says nothing of the cause."""


class SchedulerProcess:
    """Everything known about one process; a plain holder with copy-on-write rows."""

    def __init__(
        self, pid: int | None, release: str | None, keep_gone: int | None, *, debugged: bool = False
    ) -> None:
        """Create the state of a process that has said nothing yet.

        Args:
            pid: Its process id, None in JSON logs.
            release: A release that the caller knows for certain.
            keep_gone: How many pods that are gone to keep as rows; None keeps all.
            debugged: Whether a debugger may stop the process, so that silence proves nothing.
        """
        self.pid = pid
        self.number = 0
        """1 for the first process of the log."""
        self.epoch = next(_EPOCHS)
        self.entries: dict[str, PodEntry] = {}
        self.keep_gone = keep_gone
        self.gone_order: deque[str] = deque()
        self.gone_dropped = 0
        self.finder = ReleaseFinder(release)
        self.traits: ReleaseTraits = self.finder.traits
        self.backoff = BackoffRule(whole_seconds=self.traits.whole_second_backoff)
        self.config_backoff: tuple[int | None, int | None] = (None, None)
        self.pop_from_backoff_off = False
        self.groups_off = False
        self.is_json = False
        self.requeue_line_seen = False
        self.adds_unbroken = True
        self.added = ""
        self.added_at_us = -1
        self.sight = Sight()
        self.loop = LoopClock(debugged=debugged)
        self.pop_order = PopOrder()
        self.facts = ProcessFacts()
        self.movers: dict[str, int] = {}
        self.bound_per_node: dict[str, int] = {}
        self.entities_seen = False
        self.group_cycle: str | None = None
        self.now_us = -1
        self.line = 0
        self.gap_us = -1

    def copy(self) -> SchedulerProcess:
        """A copy that shares rows until one of the two changes them."""
        twin = SchedulerProcess.__new__(SchedulerProcess)
        twin.__dict__.update(self.__dict__)
        twin.epoch = next(_EPOCHS)
        self.epoch = next(_EPOCHS)
        twin.entries = dict(self.entries)
        twin.gone_order = deque(self.gone_order)
        twin.finder = self.finder.copy()
        twin.sight = self.sight.copy()
        twin.loop = self.loop.copy()
        twin.pop_order = PopOrder(self.pop_order.pops)
        twin.facts = ProcessFacts(**{name: getattr(self.facts, name) for name in ProcessFacts.__slots__})
        twin.movers = dict(self.movers)
        twin.bound_per_node = dict(self.bound_per_node)
        return twin

    @property
    def release(self) -> str | None:
        """The release family that the process's lines prove."""
        return self.finder.release

    @property
    def pops_from_backoff(self) -> bool:
        """Whether an idle loop takes pods straight from backoffQ."""
        return self.traits.pops_from_backoff and not self.pop_from_backoff_off

    @property
    def may_hold_members(self) -> bool:
        """Whether pods may wait outside the queues for their pod group (1.37, and whatever was not read)."""
        return not self.groups_off and (self.group_entities or not self.traits.source_read)

    @property
    def group_entities(self) -> bool:
        """Whether pod groups are queued as entities, not their members one by one."""
        return self.traits.group_entities or self.entities_seen

    @property
    def requeues_visible(self) -> bool:
        """Whether the queue that a failed pod goes to is being logged."""
        if self.traits.logs_requeue_at_3:
            return "requeues" in self.sight.since_us
        if self.traits.source_read:
            return "moves" in self.sight.since_us
        return self.requeue_line_seen and "requeues" in self.sight.since_us

    @property
    def names_every_pod(self) -> bool:
        """Whether every pod in the queues must have been named: the start is in the log, no add can be missing."""
        return self.facts.started and self.adds_unbroken and "informer" in self.sight.since_us

    def miss_add(self) -> None:
        """A pod came up that was never added: adds are hidden, or were lost."""
        self.adds_unbroken = False
        self.sight.missed("informer", 2)

    def lose_lines(self) -> None:
        """Lines of this process are missing in the log from here on back."""
        self.gap_us = max(self.now_us, 0) + 1
        self.adds_unbroken = False
        self.sight.lost()

    def see_release(self, event: QueueEvent) -> None:
        """Let the event tell the release, and take its traits over when that is news."""
        if not self.finder.settled:
            self.finder.see(event)
            self.adopt_release()

    def adopt_release(self) -> None:
        """Take over the traits of the release found."""
        traits = self.finder.traits
        if traits is not self.traits:
            self.traits = traits
            self._set_backoff()

    def configure_backoff(self, initial_seconds: int | None, max_seconds: int | None) -> None:
        """Take the backoff times that the process printed with its configuration."""
        self.config_backoff = (initial_seconds, max_seconds)
        self._set_backoff()

    def _set_backoff(self) -> None:
        default = BackoffRule()
        initial, longest = self.config_backoff
        self.backoff = BackoffRule(
            default.initial_seconds if initial is None else initial,
            default.max_seconds if longest is None else longest,
            self.traits.whole_second_backoff,
        )

    def advance(self, time_us: int | None) -> None:
        """Go on to the time of the next line; small steps back (threads race) count as no time."""
        if time_us is None or time_us <= self.now_us:
            return
        if self.added and time_us - self.added_at_us > ADD_ECHO_US:
            self.judge_add()
        if self.now_us >= 0:
            self.loop.tick(self.now_us, time_us)
        self.now_us = time_us

    def judge_add(self) -> None:
        """The last add event's own move or gate line must have come by now."""
        entry = self.entries.get(self.added)
        if entry is not None and entry.gate_open and entry.state == "active":
            self.sight.missed("moves", 3)
        self.added = ""

    def find(self, pod: str | None, kind: EntityKind = "pod") -> PodEntry | None:
        """The row of a pod or group, to be read only."""
        return None if pod is None else self.entries.get(GROUP_KEY + pod if kind == "podgroup" else pod)

    def own(self, pod: str, kind: EntityKind = "pod") -> PodEntry:
        """The row of a pod or group, made when there is none, ready to be changed."""
        key = GROUP_KEY + pod if kind == "podgroup" else pod
        entry = self.entries.get(key)
        if entry is None:
            entry = self.entries[key] = PodEntry(pod, kind, self.epoch)
        elif entry.epoch != self.epoch:
            entry = self.entries[key] = entry.twin(self.epoch)
        return entry

    def put(self, entry: PodEntry, state: PodState, *, proven: bool) -> None:
        """Set where a row is, and note since when.

        Args:
            entry: A row got from ``own``.
            state: Where it is now.
            proven: Whether the line at hand proves that; an inferred state keeps the time of the last proof.
        """
        before = entry.state
        if before != state:
            entry.since_us = self.now_us if self.now_us >= 0 else None
            entry.state = state
            if state == "gone":
                self._forget_old_gone(entry)
        entry.proven = proven
        if proven:
            entry.proof_us = self.now_us
            entry.updated = False
        if state != "in_flight":
            entry.failed = False
        entry.gate_open = False

    def restart_entry(self, entry: PodEntry) -> PodEntry:
        """A fresh row for the next pod of the same name."""
        key = GROUP_KEY + entry.pod if entry.kind == "podgroup" else entry.pod
        fresh = PodEntry(entry.pod, entry.kind, self.epoch, incarnation=entry.incarnation + 1)
        self.entries.pop(key, None)
        self.entries[key] = fresh
        return fresh

    def _forget_old_gone(self, entry: PodEntry) -> None:
        if self.keep_gone is None:
            return
        self.gone_order.append(GROUP_KEY + entry.pod if entry.kind == "podgroup" else entry.pod)
        while len(self.gone_order) > self.keep_gone:
            key = self.gone_order.popleft()
            old = self.entries.get(key)
            if old is not None and old.state == "gone" and old is not entry:
                del self.entries[key]
                self.gone_dropped += 1
