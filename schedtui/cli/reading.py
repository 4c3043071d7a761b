"""How the analysis commands read logs: named inputs as one run of records, up to a line or a moment.

Owns the meaning of ``--at`` and the place of the last record. Opening, unpacking and merging are
``sources.inputs``'; what a record means is ``core``'s.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeVar

import click

from schedtui.cli.output import printable
from schedtui.core.errors import UnreadableInput, WrongUse
from schedtui.core.event_reader import fact_of
from schedtui.core.event_scan import teller_filter
from schedtui.core.events import QueueEvent, read_event
from schedtui.core.filter_nodes import DAY_US, TimeIs
from schedtui.core.klog import split_records
from schedtui.core.log_filter import LogSpan, parse_filter
from schedtui.sources.inputs import (
    Spooled,
    merge_by_time,
    read_chunks,
    read_input,
    resolve_inputs,
    span_of,
    span_of_all,
)
from schedtui.sources.parallel import is_worth_it, read_facts, read_large

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from schedtui.core.queue_dump import QueueDump
    from schedtui.core.record import Record
    from schedtui.core.report import ReportFold
    from schedtui.sources.inputs import LogInput

_TAIL_BYTES = 256 * 1024
"""How much of the end is kept to find the last record's line."""

_LINE = re.compile(r"[0-9]{1,18}\Z")

_Piece = TypeVar("_Piece")


class _Tap:
    """Counts the lines that pass and keeps the end."""

    def __init__(self) -> None:
        self.line_breaks = 0
        self.tail = b""

    def through(self, chunks: Iterator[bytes]) -> Iterator[bytes]:
        """The same chunks."""
        for chunk in chunks:
            self.line_breaks += chunk.count(b"\n")
            self.tail = chunk[-_TAIL_BYTES:] if len(chunk) >= _TAIL_BYTES else (self.tail + chunk)[-_TAIL_BYTES:]
            yield chunk

    def last_record_line(self) -> int:
        """1-based line of the last record that passed; 0 when nothing did."""
        if not self.tail:
            return 0
        start = self.tail.find(b"\n") + 1 if len(self.tail) == _TAIL_BYTES else 0
        records = split_records(self.tail[start:])
        if not records:
            return self.line_breaks
        behind = self.tail[start + records[-1][0] :]
        return self.line_breaks - behind.count(b"\n") + 1


class LogReading:
    """The logs that a command was given."""

    def __init__(self, files: Sequence[str]) -> None:
        """Check the inputs.

        Args:
            files: Paths, or ``-`` for standard input.

        Raises:
            UnreadableInput: One of them cannot be read.
        """
        self.inputs = resolve_inputs(files)
        self._spooled: dict[LogInput, Spooled] = {}
        self._tap = _Tap()
        self._faults: list[UnreadableInput] = []

    def tell_doubts(self) -> None:
        """To be called when nothing of a scheduler was found: say on standard error what a file looks like."""
        from schedtui.sources.log_kind import doubts_about

        for doubt in doubts_about(self.names):
            click.echo(printable(f"schedtui: {doubt}"), err=True)

    def raise_fault(self, hint: str | None = None) -> None:
        """To be called when the answer has been given: an input could be read up to some place only.

        Args:
            hint: What to say of it instead of the fault's own words.

        Raises:
            UnreadableInput: The first of those inputs' faults.
        """
        for fault in self._faults:
            raise UnreadableInput(
                fault.title, where=fault.where, details=fault.details, hint=fault.hint if hint is None else hint
            )

    def _to_its_fault(self, pieces: Iterator[_Piece]) -> Iterator[_Piece]:
        """What an input holds, a damaged one up to its damage; one that cannot be read at all is refused."""
        begun = False
        try:
            for piece in pieces:
                begun = True
                yield piece
        except UnreadableInput as fault:
            if not begun and not self._tap.tail:
                raise
            self._faults.append(fault)

    @property
    def names(self) -> list[str]:
        """The inputs as the user named them."""
        return [log.name for log in self.inputs]

    def span(self) -> LogSpan:
        """First and last time of the inputs; standard input is kept in a temporary file for it."""
        return span_of_all([self._span_of(log) for log in self.inputs])

    def _span_of(self, log: LogInput) -> LogSpan:
        if not log.once:
            return span_of(log)
        if log not in self._spooled:
            self._spooled[log] = Spooled(log)
        return span_of(log, self._spooled[log].chunks)

    def _chunks(self, log: LogInput) -> Iterator[bytes]:
        spooled = self._spooled.get(log)
        return spooled.chunks() if spooled is not None else read_chunks(log)

    def records(self, wanted: Callable[[bytes], bool] | None = None) -> Iterator[Record]:
        """All records; several inputs merged by time.

        Args:
            wanted: A necessary condition on a record's bytes; used where no neighbour matters.
        """
        if len(self.inputs) > 1:
            runs = [self._to_its_fault(self._read_several(log, number)) for number, log in enumerate(self.inputs)]
            return merge_by_time(runs)
        log = self.inputs[0]
        return self._to_its_fault(
            read_input(log, wanted=wanted, chunks=lambda: self._tap.through(self._chunks(log)))
        )

    def _read_several(self, log: LogInput, number: int) -> Iterator[Record]:
        return read_input(log, number, chunks=lambda: self._chunks(log))

    def facts(self) -> Iterator[QueueEvent | QueueDump]:
        """All events that move something, and all dumps; several inputs merged by time."""
        if len(self.inputs) > 1:
            for record in self.records():
                fact = fact_of(record)
                if fact is not None:
                    yield fact
            return
        log = self.inputs[0]
        yield from self._to_its_fault(read_facts(log, lambda: self._tap.through(self._chunks(log))))

    def told(self, pods: Sequence[str]) -> Iterator[QueueEvent]:
        """All events that move something, and all that is said of some pods; several inputs merged by time."""
        if len(self.inputs) == 1 and is_worth_it(self.inputs[0]):
            for fact in self._to_its_fault(read_large(self.inputs[0], pods)):
                if isinstance(fact, QueueEvent):
                    yield fact
            return
        for record in self.records(teller_filter(pods)):
            event = read_event(record)
            if event is not None:
                yield event

    def report_into(self, fold: ReportFold) -> None:
        """Let a report take all events: a large log by several processes at once."""
        from schedtui.core.queue_dump import QueueDump

        if len(self.inputs) == 1 and is_worth_it(self.inputs[0]):
            from schedtui.sources.report_reading import report_parts

            for part in self._to_its_fault(report_parts(self.inputs[0])):
                fold.take(part)
            return
        for fact in self.facts():
            if not isinstance(fact, QueueDump):
                fold.apply_event(fact)

    def last_line(self) -> int:
        """1-based line of the last record of a single input, once it has been read to its end; 0 for several."""
        if len(self.inputs) > 1:
            return 0
        if not self._tap.tail and self.inputs[0].size:
            for _ in self._tap.through(read_chunks(self.inputs[0])):
                pass
        return self._tap.last_record_line()


class Moment:
    """A place in a log: after a line, or at a time."""

    def __init__(self, text: str | None, reading: LogReading) -> None:
        """Understand ``--at``.

        Args:
            text: A line number, or a time as the filter language writes it; None for the log's end.
            reading: The log, asked for its time span when the time needs it.

        Raises:
            WrongUse: It is neither.
        """
        self.line: int | None = None
        self._before: TimeIs | None = None
        if text is None:
            return
        if _LINE.match(text):
            self.line = int(text)
            if self.line < 1:
                raise WrongUse("lines are counted from 1", where=f"--at {text}")
            if len(reading.inputs) > 1:
                hint = "Name one file, or give a time."
                raise WrongUse("a line means one file", where=f"--at {text}", hint=hint)
            return
        written = text.replace("\\", "\\\\").replace('"', '\\"')
        try:
            # Words that do not fit are told before anything is read.
            parse_filter(f'before:"{written}"', LogSpan(0, 0))
            node = parse_filter(f'before:"{written}"', reading.span()).node
            self._before = node if isinstance(node, TimeIs) else None
        except WrongUse:
            raise WrongUse(
                f"{text!r} is neither a line nor a time",
                where="--at",
                hint="For example: --at 1200, --at 10:32:05.5, --at 2026-11-30T10:32:05",
            ) from None

    def is_past(self, fact: QueueEvent | QueueDump) -> bool:
        """Whether something lies behind the moment."""
        if self.line is not None:
            return fact.line > self.line
        if self._before is None or fact.time_us is None:
            return False
        time_us = fact.time_us % DAY_US if self._before.time_of_day else fact.time_us
        return time_us > self._before.at_us
