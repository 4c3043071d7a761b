"""The scheduling queues, folded from a log: records in, snapshots out.

Owns the fold over processes (a restart or a new pid begins a new one; two schedulers in one file are kept apart)
and the snapshot. The transitions are in ``core.queue_effects``, the judgement of what is certain in
``core.queue_inference``. Reads no files, and is never fed the scheduler's own dumps: those check it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedtui.core.events import read_event
from schedtui.core.fit_reasons import plugins_of_failure
from schedtui.core.queue_advice import beginning_notices, end_notices, stall_notices, verbosity_advice
from schedtui.core.queue_effects import apply_effect
from schedtui.core.queue_inference import judge, stuck_mark
from schedtui.core.queue_process import KEPT_GONE, SchedulerProcess
from schedtui.core.queue_state import POD_STATES, PodRow, QueueSnapshot

if TYPE_CHECKING:
    from schedtui.core.events import QueueEvent
    from schedtui.core.queue_pod import PodEntry
    from schedtui.core.queue_state import PodState
    from schedtui.core.record import Record

_KEPT_NOTICES = 50
"""Notices kept; a log with more restarts and gaps than this says so in the last one."""


class QueueModel:
    """Folds records into the state of the scheduler's queues."""

    def __init__(
        self, release: str | None = None, *, keep_gone: int | None = KEPT_GONE, debugged: bool = False
    ) -> None:
        """Start with an empty log.

        Args:
            release: A release that is known for certain, such as ``1.36``; None to find it in the log.
            keep_gone: How many pods that are gone to keep as rows; None keeps all of them.
            debugged: Whether the scheduler runs under a debugger: a silence may be a stop then.
        """
        self._given_release = release
        self._keep_gone = keep_gone
        self._debugged = debugged
        self._processes: dict[int | None, SchedulerProcess] = {}
        self._current: SchedulerProcess | None = None
        self._begun = 0
        self._notices: list[str] = []
        self._module_release: bytes | None = None
        self._lines_lost = False
        self._line = 0
        self._time_us: int | None = None

    def copy(self) -> QueueModel:
        """A copy that goes on by itself; rows are shared until one of the two changes them."""
        twin = QueueModel.__new__(QueueModel)
        twin.__dict__.update(self.__dict__)
        twin._processes = {pid: process.copy() for pid, process in self._processes.items()}
        twin._current = None
        for pid, process in self._processes.items():
            if process is self._current:
                twin._current = twin._processes[pid]
        twin._notices = list(self._notices)
        return twin

    @property
    def line(self) -> int:
        """1-based line of the last record folded in; 0 before the first."""
        return self._line

    @property
    def time_us(self) -> int | None:
        """Time of the last record that had one."""
        return self._time_us

    @property
    def release(self) -> str | None:
        """Release family of the last process."""
        return self._current.release if self._current is not None else None

    @property
    def process(self) -> SchedulerProcess | None:
        """The process that answers: the one that started last; None before the first record of any."""
        return self._current

    def process_of(self, pid: int | None) -> SchedulerProcess | None:
        """The process with a pid that began last; None when the log has shown none."""
        return self._processes.get(pid)

    def apply(self, record: Record) -> QueueEvent | None:
        """Fold one record in.

        Returns:
            What the record says about the queues; None when it says nothing.
        """
        self._line = record.line
        if record.time_us is not None:
            self._time_us = record.time_us
        event = read_event(record)
        if event is not None:
            self.apply_event(event)
        return event

    def apply_event(self, event: QueueEvent) -> None:
        """Fold in what has been read from a record already."""
        self._line = event.line
        if event.time_us is not None:
            self._time_us = event.time_us
        if event.effect == "lost":
            self._lose_lines(event)
            return
        process = self._process_of(event)
        if event.pid is None and not process.is_json:
            process.is_json = True
        process.advance(event.time_us)
        process.line = event.line
        process.see_release(event)
        apply_effect(process, event)

    def reach(self, line: int, time_us: int | None = None) -> None:
        """Note that the log was read up to a line that said nothing about the queues."""
        self._line = max(self._line, line)
        if time_us is not None:
            self._time_us = time_us

    def see_module_paths(self, raw: bytes) -> None:
        """Let raw log text tell the release by the module paths in it."""
        process = self._current
        if process is not None and process.finder.evidence not in ("given", "version", "module"):
            process.finder.see_text(raw)
            process.adopt_release()

    def _process_of(self, event: QueueEvent) -> SchedulerProcess:
        process = self._processes.get(event.pid)
        if process is None:
            process = self._begin(event, "another process" if self._processes else "")
        elif event.effect == "start" and (process.facts.started or process.entries):
            process = self._begin(event, "a restart")
        if event.effect == "start":
            process.facts.started = True
        return process

    def _begin(self, event: QueueEvent, why: str) -> SchedulerProcess:
        if why:
            pid = f" (pid {event.pid})" if event.pid is not None else ""
            self._note(f"line {event.line}: {why}{pid} begins; the queues are empty again")
        process = SchedulerProcess(event.pid, self._given_release, self._keep_gone, debugged=self._debugged)
        self._begun += 1
        process.number = self._begun
        self._processes[event.pid] = process
        self._current = process
        return process

    def _lose_lines(self, event: QueueEvent) -> None:
        self._note(f"line {event.line}: {event.text} lines lost; rows last heard of before it are not certain")
        self._lines_lost = True
        for process in self._processes.values():
            process.lose_lines()

    def _note(self, text: str) -> None:
        if len(self._notices) < _KEPT_NOTICES:
            self._notices.append(text)
        elif len(self._notices) == _KEPT_NOTICES:
            self._notices.append("more restarts and gaps follow")

    @property
    def counts(self) -> dict[PodState, int]:
        """Pods per state, every state a key; a pod group is a row but no pod."""
        counts: dict[PodState, int] = dict.fromkeys(POD_STATES, 0)
        process = self._current
        if process is not None:
            for entry in process.entries.values():
                if entry.kind == "pod":
                    counts[judge(process, entry)[0]] += 1
            counts["gone"] += process.gone_dropped
        return counts

    def row(self, pod: str, process: SchedulerProcess | None = None) -> PodRow | None:
        """The row of one pod in a process, the one that began last when None; None when it has not named it."""
        process = process or self._current
        entry = process.find(pod) if process is not None else None
        return _row(process, entry) if process is not None and entry is not None else None

    def snapshot(self) -> QueueSnapshot:
        """All queues after the last record, as a value."""
        process = self._current
        if process is None:
            return QueueSnapshot(
                release=self._given_release,
                line=self._line,
                time_us=self._time_us,
                counts=dict.fromkeys(POD_STATES, 0),
                pods=(),
                needs="no scheduler line yet",
                notices=tuple(self._notices),
            )
        rows = tuple(_row(process, entry) for entry in process.entries.values())
        counts: dict[PodState, int] = dict.fromkeys(POD_STATES, 0)
        for row in rows:
            if row.kind == "pod":
                counts[row.state] += 1
        counts["gone"] += process.gone_dropped
        ended = end_notices(process)
        return QueueSnapshot(
            release=process.release,
            line=self._line,
            time_us=self._time_us,
            counts=counts,
            pods=rows,
            needs=verbosity_advice(process),
            bound_per_node=dict(process.bound_per_node),
            notices=(*beginning_notices(process), *self._notices, *stall_notices(process), *ended),
            ended="".join(ended),
            lines_lost=self._lines_lost,
        )


def _row(process: SchedulerProcess, entry: PodEntry) -> PodRow:
    state, certain = judge(process, entry)
    inferred = plugins_of_failure(entry.error_text) if entry.error_text and not entry.plugins else ()
    return PodRow(
        pod=entry.pod,
        state=state,
        since_us=entry.since_us,
        attempts=entry.attempts,
        certain=certain,
        reason=entry.reason,
        hint=entry.hint,
        plugins=entry.plugins or inferred,
        plugins_inferred=bool(inferred),
        node=entry.node,
        nominated_node=entry.nominated_node,
        kind=entry.kind,
        incarnation=entry.incarnation,
        backoff_until_us=process.backoff.ends_us(entry) if state == "backoff" else None,
        added_us=entry.added_us,
        last_line=entry.last_line,
        mark=stuck_mark(process, entry, state),
        place=entry.place,
    )
