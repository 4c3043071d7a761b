"""The rebuilt queues against the scheduler's own dumps, row by row.

Owns the comparison and its verdicts. Differences of pods in motion at that very moment are races (the scheduler
reads its queues under different locks), differences in rows that the model did not claim for certain are
uncertain; what is left is wrong. A dump is judged a few milliseconds of log after it, when the lines around it
are known.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from schedtui.core.queue_dump import DUMP_MESSAGE, read_dump
from schedtui.core.queue_model import QueueModel

if TYPE_CHECKING:
    from schedtui.core.events import QueueEvent
    from schedtui.core.queue_dump import QueueDump
    from schedtui.core.queue_state import PodRow
    from schedtui.core.record import Record

RACE_US = 5_000
"""A difference is a race when a line of the pod stands within this time of the dump."""

_PLACES = {"active": "active", "backoff": "backoff", "unschedulable": "unschedulable", "gated": "unschedulable"}
"""State of the model → queue of a dump: gated pods sit in the unschedulable pool."""


@dataclass(frozen=True, slots=True)
class Misplaced:
    """A pod that the dump and the model put into different places."""

    pod: str
    """``ns/name``."""
    dump: str | None
    """Where the dump has it; None when it has not."""
    model: str | None
    """Where the model has it; None when it knows no such pod."""


@dataclass(frozen=True, slots=True)
class DumpCheck:
    """One dump compared."""

    line: int
    """1-based line of the dump."""
    time_us: int | None
    """When it was printed."""
    dump: dict[str, int]
    """Pods per queue in the dump."""
    model: dict[str, int]
    """Pods per queue in the model."""
    rows: int
    """Pods in the dump."""
    certain: int
    """Those whose state the model claimed for certain."""
    missing: tuple[Misplaced, ...]
    """In the dump, and the model knows nothing of them or has them outside the queues."""
    extra: tuple[Misplaced, ...]
    """In the model's queues, and not in the dump."""
    misplaced: tuple[Misplaced, ...]
    """In both, in different queues."""
    race: tuple[Misplaced, ...]
    """Differences of pods with a line of their own within ``RACE_US`` of the dump."""
    uncertain: tuple[Misplaced, ...]
    """Differences in rows that the model did not claim for certain, or that the log need not have named."""

    @property
    def equal(self) -> bool:
        """Whether nothing is wrong."""
        return not (self.missing or self.extra or self.misplaced)


@dataclass(slots=True)
class _Pending:
    """A dump that waits for the lines after it."""

    dump: QueueDump
    rows: dict[str, PodRow]
    sees_adds: bool
    last_heard_us: dict[str, int]
    heard_after: set[str] = field(default_factory=set)


class QueueChecker:
    """Folds a log and compares each dump in it with the model's state at that line."""

    def __init__(self, release: str | None = None, *, debugged: bool = False) -> None:
        """Start at the beginning of a log; ``release`` and ``debugged`` as for ``QueueModel``."""
        self.model = QueueModel(release, debugged=debugged)
        self._pending: deque[_Pending] = deque()
        self._done: list[DumpCheck] = []

    def apply(self, record: Record) -> QueueEvent | None:
        """Fold one record in, or compare it when it is a dump.

        Returns:
            What the record says about the queues; None when it says nothing.
        """
        if record.message == DUMP_MESSAGE:
            dump = read_dump(record)
            if dump is not None:
                self.compare(dump)
        event = self.model.apply(record)
        self._hear(record.time_us, event)
        return event

    def apply_event(self, event: QueueEvent) -> None:
        """Fold in what was read from a record already; dumps are handed to ``compare``."""
        self.model.apply_event(event)
        self._hear(event.time_us, event)

    def _hear(self, time_us: int | None, event: QueueEvent | None) -> None:
        if not self._pending or time_us is None:
            return
        for pending in self._pending:
            if event is None or event.pod is None or event.pid != pending.dump.pid:
                continue
            if time_us - (pending.dump.time_us or 0) <= RACE_US:
                pending.heard_after.add(event.pod)
        while self._pending and time_us - (self._pending[0].dump.time_us or 0) > RACE_US:
            self._done.append(_judge(self._pending.popleft()))

    def compare(self, dump: QueueDump) -> None:
        """Take the state now of the process that wrote a dump as the one to be compared with it."""
        process = self.model.process_of(dump.pid)
        if process is not None and dump.time_us is not None:
            process.advance(dump.time_us)
        places = dump.places
        rows: dict[str, PodRow] = {}
        heard: dict[str, int] = {}
        for entry in process.entries.values() if process is not None else ():
            if entry.kind == "pod" and (entry.state not in ("bound", "gone") or entry.pod in places):
                row = self.model.row(entry.pod, process)
                heard[entry.pod] = entry.last_us
                if row is not None:
                    rows[entry.pod] = row
        sees_adds = process is not None and process.names_every_pod
        self._pending.append(_Pending(dump, rows, sees_adds, heard))

    def results(self) -> tuple[DumpCheck, ...]:
        """The comparisons of all dumps so far; call it when the log has ended."""
        while self._pending:
            self._done.append(_judge(self._pending.popleft()))
        return tuple(self._done)


def _judge(pending: _Pending) -> DumpCheck:
    dump, rows = pending.dump, pending.rows
    places = dump.places
    found: dict[str, list[Misplaced]] = {
        "missing": [], "extra": [], "misplaced": [], "race": [], "uncertain": [],
    }  # fmt: skip
    certain = 0
    for pod, place in places.items():
        row = rows.get(pod)
        if row is not None and row.certain and _place_of(row) is not None:
            certain += 1
        if row is None or _place_of(row) != place:
            _file(found, pending, row, pod, place)
    for pod, row in rows.items():
        if _place_of(row) is not None and pod not in places:
            _file(found, pending, row, pod, None)
    model: dict[str, int] = dict.fromkeys(dump.counts, 0)
    for row in rows.values():
        row_place = _place_of(row)
        if row_place is not None:
            model[row_place] = model.get(row_place, 0) + 1
    return DumpCheck(
        line=dump.line,
        time_us=dump.time_us,
        dump={str(name): count for name, count in dump.counts.items()},
        model=model,
        rows=len(dump.pods),
        certain=certain,
        missing=tuple(found["missing"]),
        extra=tuple(found["extra"]),
        misplaced=tuple(found["misplaced"]),
        race=tuple(found["race"]),
        uncertain=tuple(found["uncertain"]),
    )


def _place_of(row: PodRow) -> str | None:
    """The queue of a dump in which the model has the row; None when it has it outside the queues."""
    return row.place or _PLACES.get(row.state)


def _file(
    found: dict[str, list[Misplaced]], pending: _Pending, row: PodRow | None, pod: str, place: str | None
) -> None:
    """Put one difference where it belongs."""
    model = None if row is None else row.state
    difference = Misplaced(pod, place, model)
    if _in_motion(pending, pod):
        kind = "race"
    elif row is None or not row.certain:
        kind = "missing" if row is None and pending.sees_adds else "uncertain"
    elif place is not None and not pending.sees_adds and row.state in ("bound", "gone"):
        # A new pod of an old name need not have been named at this verbosity.
        kind = "uncertain"
    elif place is None:
        kind = "extra"
    else:
        kind = "missing" if _place_of(row) is None else "misplaced"
    found[kind].append(difference)


def _in_motion(pending: _Pending, pod: str) -> bool:
    if pod in pending.heard_after:
        return True
    moment = pending.dump.time_us
    heard = pending.last_heard_us.get(pod)
    return moment is not None and heard is not None and moment - heard <= RACE_US
