"""Scheduler events straight from the bytes of a log, for commands that want nothing else.

Owns the short way from a plain klog line to an event: no record is made of it, and a line whose message is not
in the table of ``core.events`` is left behind after one look. Every other shape (JSON, wrapped, several lines)
becomes a record first. What both ways say of a line is the same.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from schedtui.core.event_scan import STORY_EFFECTS, may_move
from schedtui.core.events import MESSAGES, MOVE_PREFIXES, effect_of, event_of_pairs, read_event
from schedtui.core.klog import Clock, parse_pairs
from schedtui.core.klog.assembly import _Assembly
from schedtui.core.klog.building import OpenRecord, build_record, build_single
from schedtui.core.klog.lines import LineClass
from schedtui.core.klog.stamping import header_time, stamp_record
from schedtui.core.queue_dump import DUMP_MESSAGE, read_dump

if TYPE_CHECKING:
    from schedtui.core.events import QueueEvent
    from schedtui.core.queue_dump import QueueDump
    from schedtui.core.record import FieldValue, Record

_EFFECTS: dict[bytes, str] = {
    message.encode(): effect
    for message, effect in MESSAGES.items()
    if effect not in STORY_EFFECTS and message != DUMP_MESSAGE
}
_MOVES = tuple(start.encode() for start, _ in MOVE_PREFIXES)
_DUMP = DUMP_MESSAGE.encode()
_PAIR = re.compile(r' ([A-Za-z][A-Za-z ]*)=(?:"([^"]*)"|(\{"\S*\})|(-?\d+)(?= |$))')
"""A pair as nearly all lines of the table print it; a line with a backslash is taken apart by the usual parser."""


class EventReader(_Assembly["QueueEvent | QueueDump | None"]):
    """Turns the bytes of one log into events and dumps."""

    def __init__(self, clock: Clock | None = None, line: int = 1) -> None:
        """Start reading.

        Args:
            clock: Knows or guesses years, as for ``RecordReader``.
            line: 1-based line at which reading starts.
        """
        super().__init__(line)
        self.clock = clock or Clock()
        self._sources: dict[tuple[bytes, bytes], str] = {}

    def facts(self, data: bytes) -> list[QueueEvent | QueueDump]:
        """Take more bytes; what is complete comes back."""
        return [fact for fact in self.feed(data) if fact is not None]

    def last_facts(self) -> list[QueueEvent | QueueDump]:
        """The log has ended: what was still open comes back."""
        return [fact for fact in self.finish() if fact is not None]

    def _build(self, record: OpenRecord, incomplete: bool) -> QueueEvent | QueueDump | None:
        return fact_of(build_record(record, 0, incomplete))

    def _opened(self, record: OpenRecord) -> None:
        stamp_record(record, self.clock)

    def _single(
        self, line: bytes, header: re.Match[bytes] | None, number: int, offset: int
    ) -> QueueEvent | QueueDump | None:
        if header is None:
            if not may_move(line):
                return None
            return self._build(OpenRecord(line, LineClass.JSON, number, offset, offset + len(line) + 1), False)
        start = header.end() + 1
        if line[start : start + 1] != b'"':
            if may_move(line):
                return self._whole(line, header, number, offset)
            self._pass_over(line, header)
            return None
        end = line.find(b'"', start + 1)
        message = line[start + 1 : end]
        effect = _EFFECTS.get(message)
        if effect is None:
            if message == _DUMP:
                return self._whole(line, header, number, offset)
            effect = effect_of(message.decode("utf-8", "replace")) if message.startswith(_MOVES) else None
            if effect is None:
                self._pass_over(line, header)
                return None
        time_us, _ = header_time(self.clock, header, line)
        text = line[end + 1 :].decode("utf-8", "replace")
        return event_of_pairs(
            effect, message.decode(), _pairs(text), number, time_us, int(header[4]), self._source(header)
        )  # fmt: skip

    def _whole(
        self, line: bytes, header: re.Match[bytes], number: int, offset: int
    ) -> QueueEvent | QueueDump | None:
        """A line that needs the usual parser."""
        time_us, guessed = header_time(self.clock, header, line)
        return fact_of(build_single(line, header, number, offset, 0, time_us, guessed))

    def _pass_over(self, line: bytes, header: re.Match[bytes]) -> None:
        """Leave a line behind; only a new day in it is noted."""
        if int(header[2]) != self.clock.month_day:
            header_time(self.clock, header, line)

    def _source(self, header: re.Match[bytes]) -> str:
        key = (header[5], header[6])
        source = self._sources.get(key)
        if source is None:
            if len(self._sources) > 10_000:
                self._sources.clear()
            source = f"{key[0].decode('utf-8', 'replace')}:{int(key[1])}"
            self._sources[key] = source
        return source


def _pairs(text: str) -> dict[str, FieldValue]:
    if "\\" in text:
        return parse_pairs(text, 0)
    pairs: dict[str, FieldValue] = {}
    for key, quoted, braces, number in _PAIR.findall(text):
        if key not in pairs:
            pairs[key] = int(number) if number else braces or quoted
    return pairs


def fact_of(record: Record) -> QueueEvent | QueueDump | None:
    """What a record says: an event that moves something, a dump, or nothing."""
    if record.message == DUMP_MESSAGE:
        return read_dump(record)
    event = read_event(record)
    return None if event is None or event.effect in STORY_EFFECTS else event
