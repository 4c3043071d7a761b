"""Scheduler events straight from the bytes of a log, for commands that want nothing else.

Owns the short way from a plain klog line to an event: no record is made of it, and a line whose message is not
in ``core.event_table`` is left behind after one look. Every other shape (JSON, wrapped, several lines)
becomes a record first. What both ways say of a line is the same.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from schedtui.core.event_scan import STORY_EFFECTS, may_move, may_move_printf, may_tell
from schedtui.core.event_sieve import NEXT_RECORD, PRINTF, sieve_of
from schedtui.core.event_table import MESSAGES, MOVE_PREFIXES
from schedtui.core.events import QueueEvent, effect_of, event_of_pairs, plugin_names, queue_state, read_event
from schedtui.core.klog import Clock, parse_pairs, read_records
from schedtui.core.klog.assembly import LONGEST_LINE, _Assembly
from schedtui.core.klog.building import OpenRecord, build_record, build_single
from schedtui.core.klog.header import day_microseconds
from schedtui.core.klog.lines import LineClass
from schedtui.core.klog.stamping import header_time, stamp_record
from schedtui.core.queue_dump import DUMP_MESSAGE, read_dump

if TYPE_CHECKING:
    from collections.abc import Sequence

    from schedtui.core.queue_dump import QueueDump
    from schedtui.core.record import FieldValue, Record

_DUMPED = ("dump", DUMP_MESSAGE)
_MEANINGS: dict[bytes, tuple[str, str]] = {
    message.encode(): _DUMPED if message == DUMP_MESSAGE else (effect, message)
    for message, effect in MESSAGES.items()
    if effect not in STORY_EFFECTS
}
"""Message → effect and message."""

_MOVES = tuple(start.encode() for start, _ in MOVE_PREFIXES)
_MOST_ODD = 64
"""Records of other shapes in one block after which the rest of it is taken line by line."""

_BEHIND_MESSAGE = (b"", b" ")
"""What may stand behind a quoted message."""

_MORE_FOLLOWS = (b"\r", b"<")
"""Last bytes of lines that the usual assembly must look at: an end that is none, a block that opens."""

_DATED_FIELD = b' timestamp="'
_USUAL = re.compile(
    r' (?:pod="([^"\\]+)"(?: node="([^"\\]+)")?|type="pod" entity="([^"\\]+)")'
    r'(?: event="([^"\\]+)" queue="([^"\\]+)"'
    r'(?: schedulingCycle=\d+ hint=(-?\d+) unschedulable plugins=(\{(?:"[^\s\\]*)?\}))?)?'
    r"(?: evaluatedNodes=\d+ feasibleNodes=\d+)?$"
)
"""What stands behind most messages of the table. Groups: pod, node, entity, event, queue, hint, plugins."""

_plugins, _queue = lru_cache(maxsize=256)(plugin_names), lru_cache(maxsize=64)(queue_state)
"""A log has few sets of plugins and few queues, and names them in every other line."""

_OTHER_SUBJECT = frozenset(
    effect for effect in MESSAGES.values() if effect.startswith(("group_", "preempt"))
)  # fmt: skip
"""Effects whose lines may be about somebody else than ``pod=``."""

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
        self._sources: dict[bytes, str] = {}

    def facts(self, data: bytes) -> list[QueueEvent | QueueDump]:
        """Take more bytes; what is complete comes back."""
        return [fact for fact in self.feed(data) if fact is not None]

    def last_facts(self) -> list[QueueEvent | QueueDump]:
        """The log has ended: what was still open comes back."""
        return [fact for fact in self.finish() if fact is not None]

    # --- the quick way: a block of plain klog lines

    def _take_block(self, block: bytes) -> None:
        """Whole lines: those that matter are found by one pattern, the others are passed over unseen.

        Whatever is not one plain line goes through the usual assembly, from its record's header to the next.
        """
        data = b"\n" + block
        last = _last_header(data)
        if last <= 0 or len(block) > LONGEST_LINE or self._fragments or self._trimmed_block():
            super()._take_block(block)
            return
        at = self._take_to_header(data, 0) if NEXT_RECORD.match(data) is None else 0
        odd = 0
        while at < last and odd <= _MOST_ODD and not self._fragments and not self._trimmed_block():
            day = self.clock.month_day
            if day < 0:
                at = self._take_to_header(data, at)
                continue
            at, regular = self._sift(data, at, last, day)
            odd += not regular
        super()._take_block(data[at + 1 :])

    def _sift(self, data: bytes, at: int, last: int, day: int) -> tuple[int, bool]:
        """Take the lines from ``at`` on as far as they are plain, and the first record that is not.

        Args:
            data: Lines, a line break in front of each.
            at: The line break in front of the first line, a header.
            last: The line break in front of the last header; that record may go on behind the block.
            day: The clock's day.

        Returns:
            Where the next header is, and whether what was taken in between belonged to the table.
        """
        sieve = sieve_of(day)
        header, out, sources = sieve.header, self._out, self._sources
        midnight, guessed = self.clock.midnight_us, bool(self.clock.guessed)
        counted = at
        for found in sieve.interesting.finditer(data, at, last + 1):
            start, group = found.start(), found.lastindex
            if start >= last:
                break
            if group is None:
                return self._take_odd(data, at, counted, start), False
            end = found.end()
            if group == PRINTF:
                if not may_move_printf(found[PRINTF]):
                    continue
            else:
                time, pid, site, message, rest, _ = found.groups()
                meaning = _meaning(message)
                if meaning is None:
                    continue
                if (
                    meaning is not _DUMPED
                    and header.match(data, end) is not None
                    and rest[-1:] not in _MORE_FOLLOWS
                    and not (guessed and _DATED_FIELD in rest)
                ):
                    if self._open:
                        self._close_all()
                    self._line += data.count(b"\n", counted, start)
                    self._offset += start - counted
                    counted = start
                    source = sources.get(site)
                    if source is None:
                        source = self._source(site)
                    text = rest.decode("utf-8", "replace")
                    time_us = midnight + day_microseconds(time)
                    out.append(_event(*meaning, text, self._line + 1, time_us, int(pid), source))
                    continue
            self._pass(data, counted, start)
            return self._take_to_header(data, start), True
        self._pass(data, counted, last)
        return last, True

    def _take_odd(self, data: bytes, low: int, counted: int, start: int) -> int:
        """Take the record that a line belongs to, or begins: from the header above it."""
        begin = start
        while begin > low and NEXT_RECORD.match(data, begin) is None:
            begin = data.rfind(b"\n", low, begin)
        self._pass(data, counted, begin)
        return self._take_to_header(data, begin)

    def _pass(self, data: bytes, start: int, end: int) -> None:
        """Leave lines behind, the first of which is a header."""
        if end > start:
            if self._open:
                self._close_all()
            self._line += data.count(b"\n", start, end)
            self._offset += end - start

    def _take_to_header(self, data: bytes, start: int) -> int:
        """Take the line at ``start`` and all up to the next header; where that is."""
        following = NEXT_RECORD.search(data, start + 1)
        end = following.start() if following is not None else len(data) - 1
        super()._take_block(data[start + 1 : end + 1])
        return end

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
        meaning = _meaning(line[start + 1 : end])
        if meaning is None or line[end + 1 : end + 2] not in _BEHIND_MESSAGE:
            self._pass_over(line, header)
            return None
        if meaning is _DUMPED:
            return self._whole(line, header, number, offset)
        time_us, _ = header_time(self.clock, header, line)
        text = line[end + 1 :].decode("utf-8", "replace")
        return _event(
            *meaning, text, number, time_us, int(header[4]),
            self._source(header[5] + b":" + header[6]),
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

    def _source(self, site: bytes) -> str:
        source = self._sources.get(site)
        if source is None:
            if len(self._sources) > 10_000:
                self._sources.clear()
            file, _, line = site.rpartition(b":")
            source = self._sources[site] = f"{file.decode('utf-8', 'replace')}:{int(line)}"
        return source


@lru_cache(maxsize=1024)
def _meaning(message: bytes) -> tuple[str, str] | None:
    """Effect and text of a message; None when it moves nothing. A log has few messages, in a great many lines."""
    known = _MEANINGS.get(message)
    if known is None and message.startswith(_MOVES):
        text = message.decode("utf-8", "replace")
        effect = effect_of(text)
        return None if effect is None else (effect, text)
    return known


def _last_header(data: bytes) -> int:
    """The line break in front of the last header; -1 without one."""
    at = len(data) - 1
    while at > 0:
        at = data.rfind(b"\n", 0, at)
        if NEXT_RECORD.match(data, at) is not None:
            return at
    return -1


def _event(
    effect: str, message: str, text: str, line: int, time_us: int | None, pid: int, source: str
) -> QueueEvent:
    """The event of a line of the table, as ``event_of_pairs`` reads it, by what stands behind the message."""
    usual = _USUAL.match(text)
    if usual is None or effect in _OTHER_SUBJECT or message.startswith("Pod group"):
        return event_of_pairs(effect, message, _pairs(text), line, time_us, pid, source)
    pod, node, entity, event, queue, hint, plugins = usual.groups()
    if effect == "moved" and message.endswith("gated"):
        effect = "gated"
    # As the class itself would make it, without the detour over its names: this is done for every other line.
    return tuple.__new__(QueueEvent, (
        line, time_us, pid, effect, pod or entity, "pod", event,
        _queue(queue) if queue is not None else None,
        int(hint) if hint is not None else None,
        _plugins(plugins) if plugins is not None else (),
        node, "", None, None, source, message,
    ))  # fmt: skip


def _pairs(text: str) -> dict[str, FieldValue]:
    if "\\" in text:
        return parse_pairs(text, 0)
    pairs: dict[str, FieldValue] = {}
    for key, quoted, braces, number in _PAIR.findall(text):
        if key not in pairs:
            pairs[key] = int(number) if number else braces or quoted
    return pairs


def told_events(data: bytes, pods: Sequence[str], line: int, clock: Clock) -> list[QueueEvent]:
    """What lines that move nothing tell of some pods: scores, refusals, events that did not help.

    Args:
        data: Whole lines.
        pods: ``ns/name`` each.
        line: 1-based line of the first one.
        clock: Knows the year of the first one.
    """
    events: dict[int, QueueEvent] = {}
    for name in {pod.rpartition("/")[2].encode() for pod in pods}:
        at, counted, number = data.find(name), 0, line
        own_clock = clock.copy()
        while at >= 0:
            start, end = data.rfind(b"\n", 0, at) + 1, data.find(b"\n", at)
            end = len(data) if end < 0 else end
            number += data.count(b"\n", counted, start)
            counted = start
            raw = data[start:end]
            if number not in events and may_tell(raw):
                for record in read_records(raw + b"\n", clock=own_clock):
                    event = read_event(record)
                    if event is not None and event.effect in STORY_EFFECTS:
                        events[number] = event._replace(line=number)
            at = data.find(name, end)
    return list(events.values())


def fact_of(record: Record) -> QueueEvent | QueueDump | None:
    """What a record says: an event that moves something, a dump, or nothing."""
    if record.message == DUMP_MESSAGE:
        return read_dump(record)
    event = read_event(record)
    return None if event is None or event.effect in STORY_EFFECTS else event
