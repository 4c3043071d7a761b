"""Bytes to records: which physical lines belong together, whatever the chunks they came in.

Owns the rule for runs of lines. A header, a JSON object, dlv's and a collector's lines start a record. A plain
line belongs to the klog record above it (panics, raw line breaks, struct dumps); below anything else it stands
alone, unless it is indented or a Go stack. A line of another journal unit or container never belongs to the one
above.
Refuses to read files and to wait: whoever tails asks for ``pending`` when nothing came for a while.
"""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Generic, TypeVar

from schedtui.core.klog.building import OpenRecord, build_record, build_single
from schedtui.core.klog.clock import Clock
from schedtui.core.klog.fragments import Fragments, Line
from schedtui.core.klog.header import FULL_HEADER
from schedtui.core.klog.lines import FILE_HEADER_REST, FIRST_STARTING_CLASS, LineClass, classify
from schedtui.core.klog.stamping import header_time, stamp_record
from schedtui.core.klog.wrappers import Peeled, peel

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable, Iterator

    from schedtui.core.record import Record

LONGEST_LINE = 16 * 1024 * 1024
"""Bytes after which a line without an end is cut, so that a binary file cannot fill the memory."""

LONGEST_RECORD = 32 * 1024 * 1024
"""Bytes after which a record takes no further lines."""

LINE_COST = 64
"""Bytes that count for each line of a record besides its own: a record of very short lines costs memory too."""

MOST_OPEN_RECORDS = 64
"""Records of other units that may begin inside a block or stack before it counts as ended."""

MOST_PREFIXES = 16
"""Different prefixes without a rule (``name  | ``) that are recognised in one log."""

_OPENS_BLOCK = b"=<"
_PLAIN_JSON = b'{"ts":'
_Item = TypeVar("_Item")


class _Assembly(Generic[_Item]):
    """The state between two lines; what is made of a finished record is the subclass's."""

    def __init__(self, line: int = 1, offset: int = 0) -> None:
        self._line = line - 1
        self._offset = offset
        self._rest: list[bytes] = []
        self._rest_size = 0
        self._open: list[OpenRecord] = []
        self._fragments = Fragments(LONGEST_LINE)
        self._prefixes: dict[bytes, str | None] = {}
        self._out: list[_Item] = []

    def _build(self, record: OpenRecord, incomplete: bool) -> _Item:
        raise NotImplementedError

    def _opened(self, record: OpenRecord) -> None:
        """A record was opened; the place to read clocks in the order of the file."""

    def feed(self, data: bytes) -> list[_Item]:
        """Take more bytes; what is complete comes back."""
        first_break = data.find(b"\n")
        if first_break < 0:
            self._keep(data)
        else:
            if self._rest:
                self._rest.append(data)
                data = b"".join(self._rest)
                self._rest = []
            end = data.rfind(b"\n") + 1
            self._rest_size = 0
            self._take_block(data[:end])
            if end < len(data):
                self._keep(data[end:])
        out = self._out
        self._out = []
        return out

    def finish(self) -> list[_Item]:
        """The input has ended: what is still open comes back, marked when its end is missing."""
        rest, self._rest, self._rest_size = b"".join(self._rest), [], 0
        if rest:
            self._take_pieces(rest, 0)
        for joined in self._fragments.flush():
            self._take_whole(joined)
        if rest and self._open and self._open[-1].line_class is LineClass.JSON:
            self._open[-1].in_block = True
        self._close_all()
        out, self._out = self._out, []
        return out

    def _keep(self, data: bytes) -> None:
        self._rest.append(data)
        self._rest_size += len(data)
        while self._rest_size > LONGEST_LINE:
            rest = b"".join(self._rest)
            self._take_line(rest[:LONGEST_LINE], 0)
            self._rest = [rest[LONGEST_LINE:]]
            self._rest_size = len(self._rest[0])

    def _take_block(self, block: bytes) -> None:
        """Bytes that end with a line's end."""
        lines = block.split(b"\n")
        lines.pop()
        self._take_lines(lines)

    def _take_pieces(self, line: bytes, line_break: int) -> None:
        """A line of any length; longer ones than ``LONGEST_LINE`` in pieces, wherever the chunks ended."""
        while len(line) > LONGEST_LINE:
            self._take_line(line[:LONGEST_LINE], 0)
            line = line[LONGEST_LINE:]
        self._take_line(line, line_break)

    def _take_lines(self, lines: list[bytes]) -> None:
        """Whole lines. The loop that everything passes through: bare headers and JSON lines are handled here.

        Such a line is held until the next one is seen: followed by another of them, it is a whole record and
        never becomes an open one.
        """
        match, out, single = FULL_HEADER.match, self._out, self._single
        held: bytes | None = None
        header: re.Match[bytes] | None = None
        for line in lines:
            found = match(line)
            if (
                (found is None and not line.startswith(_PLAIN_JSON))
                or line[-1] == 0x0D
                or len(line) > LONGEST_LINE
                or (held is None and self._trimmed_block())
            ):
                if held is not None:
                    self._open_line(held, header)
                    held = None
                self._take_pieces(line, 1)
                continue
            if held is not None:
                item = single(held, header, self._line, self._offset - len(held) - 1)
                if item is not None:
                    out.append(item)
            elif self._open:
                self._close_all()
            self._line += 1
            self._offset += len(line) + 1
            held, header = line, found
            if found is not None and line.endswith(_OPENS_BLOCK):
                self._open_line(held, header)
                held = None
        if held is not None:
            self._open_line(held, header)

    def _open_line(self, line: bytes, header: re.Match[bytes] | None) -> None:
        """Let the line that was just taken, a header or a JSON object, stay open for what follows it."""
        offset = self._offset - len(line) - 1
        line_class = LineClass.JSON if header is None else LineClass.KLOG
        record = OpenRecord(line, line_class, self._line, offset, self._offset, header)
        record.in_block = header is not None and line.endswith(_OPENS_BLOCK)
        self._open.append(record)
        self._opened(record)

    def _single(self, line: bytes, header: re.Match[bytes] | None, number: int, offset: int) -> _Item | None:
        """A record of one line: a header at column 0, or (without one) a JSON object; None when not wanted."""
        raise NotImplementedError

    def _trimmed_block(self) -> bool:
        return any(record.in_block and record.trimmed for record in self._open)

    def _take_line(self, line: bytes, line_break: int) -> None:
        self._line += 1
        offset = self._offset
        self._offset = end = offset + len(line) + line_break
        whole = Line(self._peel(line), self._line, offset, end)
        if whole.peeled.partial or self._fragments:
            for joined in self._fragments.take(whole):
                self._take_whole(joined)
        else:
            self._take_whole(whole)

    def _peel(self, line: bytes) -> Peeled:
        """A line without its wrapper; a prefix that no rule knows is recognised once a header stood behind it."""
        peeled = peel(line)
        if peeled.prefix is not None:
            # One that ends in a letter may be the beginning of a word elsewhere.
            if len(self._prefixes) < MOST_PREFIXES and not peeled.prefix[-1:].isalnum():
                self._prefixes[peeled.prefix] = peeled.unit
        elif self._prefixes and peeled.time is None and peeled.unit is None:
            for prefix, unit in self._prefixes.items():
                if line.startswith(prefix):
                    return peeled._replace(body=peeled.body[len(prefix) :], unit=unit)
        return peeled

    def _take_whole(self, line: Line) -> None:
        """A line, joined from its fragments if it had any: part of an open record or the start of one."""
        body, unit = line.peeled.body, line.peeled.unit
        header = FULL_HEADER.match(body)
        line_class = classify(body) if header is None else LineClass.KLOG
        current = self._open_record_of(unit)
        if current is not None and self._belongs(current, body, line_class):
            _attach(current, line, line_class)
            return
        record = OpenRecord(body, line_class, line.number, line.offset, line.end, header)
        record.line_count = line.line_count
        record.wrapper_time, record.unit, record.call_site = line.peeled.time, unit, line.peeled.call_site
        record.trimmed = line.peeled.trimmed
        record.in_block = line_class is LineClass.KLOG and body.endswith(_OPENS_BLOCK)
        record.in_trace = line_class is LineClass.TRACE
        self._close_before(record)
        self._open.append(record)
        self._opened(record)

    def _open_record_of(self, unit: str | None) -> OpenRecord | None:
        """The open record that a line of this unit may go on with: never one of another unit."""
        for record in reversed(self._open):
            if not record.closed and (unit is None or record.unit is None or record.unit == unit):
                return record
        return None

    def _close_before(self, following: OpenRecord) -> None:
        """A record begins: those of its own unit end, and those of others that expect nothing more."""
        for record in self._open:
            own = following.unit is None or record.unit is None or record.unit == following.unit
            if own or not (record.in_block or record.in_trace):
                record.closed = True
        if len(self._open) > MOST_OPEN_RECORDS:
            self._open[0].closed = True
        done = 0
        while done < len(self._open) and self._open[done].closed:
            done += 1
        self._hand_out(done)

    def _close_all(self) -> None:
        self._hand_out(len(self._open))

    def _hand_out(self, count: int) -> None:
        """Build the first records, in the order in which they began."""
        for record in self._open[:count]:
            self._out.append(self._build(record, record.in_block))
        del self._open[:count]

    def _belongs(self, current: OpenRecord, body: bytes, line_class: LineClass) -> bool:
        if current.end - current.offset + current.line_count * LINE_COST > LONGEST_RECORD:
            return False
        if current.in_block and current.trimmed and not current.bodies[-1].startswith(b"\t"):
            return not (line_class is LineClass.KLOG and _same_process(current.bodies[0], body))
        if line_class >= FIRST_STARTING_CLASS:
            return False
        if current.line_class in (LineClass.KLOG, LineClass.SHORT):
            return True
        if line_class is LineClass.INDENTED:
            return True
        if current.line_class is LineClass.FILE_HEADER:
            return body.startswith(FILE_HEADER_REST)
        return current.in_trace


def _attach(current: OpenRecord, line: Line, line_class: LineClass) -> None:
    body = line.peeled.body
    current.bodies.append(body)
    # The beginning of a line whose end never came may be told last.
    current.end = max(current.end, line.end)
    current.line_count += line.line_count
    if current.in_block:
        closes = body.startswith(b" >") or (current.trimmed and body.startswith(b">"))
        if closes:
            current.in_block = body.endswith(_OPENS_BLOCK)
    elif line_class is LineClass.TRACE:
        current.in_trace = True


def _same_process(first: bytes, second: bytes) -> bool:
    one, two = FULL_HEADER.match(first), FULL_HEADER.match(second)
    return one is not None and two is not None and one[4] == two[4]


class RecordReader(_Assembly["Record"]):
    """Turns the bytes of one source into records; any chunking of the same bytes gives the same ones."""

    def __init__(
        self,
        source: int = 0,
        clock: Clock | None = None,
        *,
        line: int = 1,
        offset: int = 0,
        wanted: Callable[[bytes], bool] | None = None,
    ) -> None:
        """Start reading.

        Args:
            source: Which of the inputs this is, counted from 0; stands in every record.
            clock: Knows or guesses years; a clock without any hint when None.
            line: 1-based line at which reading starts.
            offset: Byte offset at which reading starts.
            wanted: A necessary condition on a record's bytes; plain klog lines that fail it are not even parsed
                and left out. Records of other shapes come all the same: the caller still has to filter.
        """
        super().__init__(line, offset)
        self._wanted = wanted
        self.source = source
        self.clock = clock or Clock()

    def _build(self, record: OpenRecord, incomplete: bool) -> Record:
        return build_record(record, self.source, incomplete)

    def _opened(self, record: OpenRecord) -> None:
        stamp_record(record, self.clock)

    def _single(self, line: bytes, header: re.Match[bytes] | None, number: int, offset: int) -> Record | None:
        if self._wanted is not None and not self._wanted(line):
            if header is not None and int(header.group(2)) != self.clock.month_day:
                header_time(self.clock, header, line)
            return None
        if header is None:
            record = OpenRecord(line, LineClass.JSON, number, offset, offset + len(line) + 1)
            return build_record(record, self.source, False)
        time_us, guessed = header_time(self.clock, header, line)
        return build_single(line, header, number, offset, self.source, time_us, guessed)

    def settle(self) -> list[Record]:
        """Nothing came for a while: the last record comes back if it is whole; nothing if it is not.

        What comes later is never joined to it.
        """
        if self._rest or self._fragments or any(record.in_block for record in self._open):
            return []
        return self.finish()

    def pending(self) -> Record | None:
        """The last record as far as it is there, for a tail on which nothing came for a second; None if none.

        It comes again, whole, from a later ``feed`` or ``finish``. ``incomplete`` when its end is surely missing.
        """
        twin = copy.deepcopy(self)
        records = twin.finish()
        if not records:
            return None
        last = records[-1]
        return replace(last, incomplete=True) if self._rest and not last.incomplete else last


class _Boundaries(_Assembly[tuple[int, int]]):
    def _build(self, record: OpenRecord, incomplete: bool) -> tuple[int, int]:
        return record.offset, record.end - record.offset

    def _single(self, line: bytes, header: re.Match[bytes] | None, number: int, offset: int) -> tuple[int, int]:
        return offset, len(line) + 1


def split_records(data: bytes) -> list[tuple[int, int]]:
    """Offset and length of each record in some bytes that begin at a line's start; no record is parsed."""
    splitter = _Boundaries()
    return splitter.feed(data) + splitter.finish()


def read_records(data: bytes | Iterable[bytes], source: int = 0, clock: Clock | None = None) -> Iterator[Record]:
    """All records of some bytes or of chunks of bytes, one after the other."""
    reader = RecordReader(source, clock)
    for chunk in (data,) if isinstance(data, bytes) else data:
        yield from reader.feed(chunk)
    yield from reader.finish()


def parse_record(
    raw: bytes, *, line: int = 1, offset: int = 0, source: int = 0, clock: Clock | None = None
) -> Record:
    """The one record that these bytes (as ``split_records`` cut them) are; extra lines all belong to it.

    Args:
        raw: From the record's first byte to its last line feed.
        line: 1-based number of its first line.
        offset: Where it stands in its source.
        source: Which input it came from.
        clock: ``Clock.for_year(…)`` with the year that the caller knows; a year is made up without it.
    """
    if raw.find(b"\n", 0, -1) < 0:
        body = raw[:-1] if raw.endswith(b"\n") else raw
        header = FULL_HEADER.match(body)
        if header is not None and not body.endswith((b"\r", _OPENS_BLOCK)):
            time_us, guessed = header_time(clock or Clock(), header, body)
            return build_single(body, header, line, offset, source, time_us, guessed, len(raw))
    reader = _OneRecord(source, clock, line=line, offset=offset)
    records = reader.feed(raw) + reader.finish()
    return (
        records[0]
        if records
        else build_record(OpenRecord(b"", LineClass.PLAIN, line, offset, offset), source, False)
    )


class _OneRecord(RecordReader):
    """A reader for which only the first line starts a record."""

    def _take_lines(self, lines: list[bytes]) -> None:
        for line in lines:
            self._take_pieces(line, 1)

    def _belongs(self, current: OpenRecord, body: bytes, line_class: LineClass) -> bool:
        return True
