"""Scheduler events straight from the bytes of a log, for commands that want nothing else.

Owns the short way from a plain klog line to an event: no record is made of it, and a line whose message is not
in ``core.event_table`` is left behind after one look. Every other shape (JSON, wrapped, several lines)
becomes a record first. What both ways say of a line is the same.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from schedtui.core.event_scan import STORY_EFFECTS, may_move, may_tell
from schedtui.core.event_sieve import MESSAGE, NEXT_RECORD, OLD_KEYED, SAID, sieve_of
from schedtui.core.event_table import MESSAGES
from schedtui.core.events import QueueEvent, Told, effect_of, event_of_pairs, read_event, told_by
from schedtui.core.klog import Clock, parse_pairs, read_records
from schedtui.core.klog.assembly import LONGEST_LINE, _Assembly
from schedtui.core.klog.building import OpenRecord, build_record, build_single
from schedtui.core.klog.header import day_microseconds
from schedtui.core.klog.lines import LineClass
from schedtui.core.klog.stamping import header_time, stamp_record
from schedtui.core.queue_dump import DUMP_MESSAGE, read_dump

if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

    from schedtui.core.queue_dump import QueueDump
    from schedtui.core.record import Record


class _Meaning(NamedTuple):
    """What a message means."""

    message: str
    """The message as logged."""
    effect: str
    """Its effect in the table; empty when only the whole record tells."""
    usual: str
    """The effect of a line with usual pairs; empty when such a line too needs ``event_of_pairs``."""


def _meaning(message: str) -> _Meaning:
    """The meaning of a message that stands in the sieve's pattern."""
    # Escapes are the record's business, and so are other alphabets.
    plain = message not in (DUMP_MESSAGE, OLD_KEYED) and "\\" not in message and message.isascii()
    effect = (effect_of(message) or "") if plain else ""
    if effect.startswith(("group_", "preempt")) or message.startswith("Pod group"):
        # It may be about somebody else than ``pod=``.
        return _Meaning(message, effect, "")
    return _Meaning(message, effect, "gated" if effect == "moved" and message.endswith("gated") else effect)


_MEANINGS = {
    message: _meaning(message) for message in (OLD_KEYED, *MESSAGES) if MESSAGES.get(message) not in STORY_EFFECTS
}
"""Message → meaning; those that are told by their beginning come on top, one by one."""

_DUMP = _MEANINGS[DUMP_MESSAGE]

_other_meaning = lru_cache(maxsize=1024)(_meaning)
"""A log has few messages, in a great many lines."""

_MOST_ODD = 64
"""Records of other shapes in one block after which the rest of it is taken line by line."""

_MORE_FOLLOWS = ("\r", "<")
"""Last characters of lines that the usual assembly must look at: an end that is none, a block that opens."""

_HEADER_STARTS = frozenset("IWEF")

_DATED_FIELD = ' timestamp="'


@lru_cache(maxsize=4096)
def _told(pairs: str) -> Told | None:
    """What usual pairs tell, whatever line they stand in; None when the whole line must be looked at.

    A log says a great deal with few words: most lines differ from others in their time and their pod alone.
    """
    if pairs[-1:] in _MORE_FOLLOWS or _DATED_FIELD in pairs or not pairs.isascii():
        return None
    return told_by(parse_pairs(pairs, 0)) if "=" in pairs or not pairs.strip() else None


class EventReader(_Assembly["QueueEvent | QueueDump | None"]):
    """Turns the bytes of one log into events and dumps."""

    def __init__(self, clock: Clock | None = None, line: int = 1, *, dumps: bool = True) -> None:
        """Start reading.

        Args:
            clock: Knows or guesses years, as for ``RecordReader``.
            line: 1-based line at which reading starts.
            dumps: Whether dumps are wanted; without them some may come all the same.
        """
        super().__init__(line)
        self._dumps = dumps
        self.clock = clock or Clock()
        self._origins: dict[str, tuple[int, str]] = {}
        self._moments: dict[str, int] = {}

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
        # One character a byte: places in the text are those in the data.
        text = data.decode("latin-1")
        odd = 0
        while at < last and odd <= _MOST_ODD and not self._fragments and not self._trimmed_block():
            if self.clock.month_day < 0:
                at = self._take_to_header(data, at)
                continue
            at, regular = self._sift(data, text, at, last)
            odd += not regular
        super()._take_block(data[at + 1 :])

    def _sift(self, data: bytes, text: str, at: int, last: int) -> tuple[int, bool]:
        """Take the lines from ``at`` on as far as they are plain, and the first record that is not.

        Args:
            data: Lines, a line break in front of each.
            text: The same, one character a byte.
            at: The line break in front of the first line, a header.
            last: The line break in front of the last header; that record may go on behind the block.

        Returns:
            Where the next header is, and whether what was taken in between belonged to the table.
        """
        if self._open:
            self._close_all()
        out, origins, moments = self._out, self._origins, self._moments_of_day()
        line, counted, taken = self._line + 1, at, -1
        stop, regular = last, True
        for found in sieve_of(self.clock.month_day).finditer(text, at, last + 2):
            start = found.start()
            if start >= last:
                break
            second, micro, origin, message, pod, node, numbered, pairs, _ = found.groups()
            if second is None:
                stop, regular = _record_above(data, at, start), False
                if stop == taken:
                    # What seemed to be a plain line goes on below.
                    out.pop()
                break
            if message is None:
                stop = start
                break
            meaning = _MEANINGS.get(message) or _other_meaning(message)
            if meaning is _DUMP and not self._dumps:
                continue
            told = None if pairs is None else _told(pairs if numbered is None else numbered + pairs)
            if told is None or not meaning.usual:
                said = text[found.end(MESSAGE) + 1 : found.end()]
                if pairs is None or not meaning.effect or not self._is_plain(said):
                    stop = start
                    break
            line += text.count("\n", counted, start)
            counted = taken = start
            time_us = (moments.get(second) or self._moment(second)) + int(micro)
            pid, source = origins.get(origin) or self._origin(origin)
            if told is None or not meaning.usual:
                own = parse_pairs(said, 0)
                out.append(event_of_pairs(meaning.effect, meaning.message, own, line, time_us, pid, source))
                continue
            event, queue, hint, plugins, other_node, explained = told
            # As the class itself would make it, without the detour over its names: nearly all events are such.
            out.append(tuple.__new__(QueueEvent, (
                line, time_us, pid, meaning.usual, pod, "pod", event, queue, hint, plugins, node or other_node,
                explained, None, None, source, meaning.message,
            )))  # fmt: skip
        self._line, self._offset = line - 1, self._offset + counted - at
        self._pass(data, counted, stop)
        return (last if stop == last else self._take_to_header(data, stop)), regular

    def _is_plain(self, said: str) -> bool:
        """Whether what stands behind a line's message is pairs, and all of them."""
        if said[-1:] in _MORE_FOLLOWS or not said.isascii() or (self.clock.guessed and _DATED_FIELD in said):
            return False
        return (said[:1] == " " and "=" in said) or not said.strip()

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
        if SAID.match(line.decode("latin-1") + "\n", header.end()) is None:
            self._pass_over(line, header)
            return None
        time_us, guessed = header_time(self.clock, header, line)
        return fact_of(build_single(line, header, number, offset, 0, time_us, guessed))

    def _pass_over(self, line: bytes, header: re.Match[bytes]) -> None:
        """Leave a line behind; only a new day in it is noted."""
        if int(header[2]) != self.clock.month_day:
            header_time(self.clock, header, line)

    def _origin(self, text: str) -> tuple[int, str]:
        """Process and call site, as a line prints them (one character a byte), as records have them."""
        if len(self._origins) > 10_000:
            self._origins.clear()
        pid, _, site = text.partition(" ")
        file, _, line = site.rpartition(":")
        origin = int(pid), f"{file.encode('latin-1').decode('utf-8', 'replace')}:{int(line)}"
        self._origins[text] = origin
        return origin

    def _moments_of_day(self) -> dict[str, int]:
        """The clock's moments of seconds (``hh:mm:ss``) of its day, as far as they have been asked for."""
        if self._moments.get("") != self.clock.midnight_us:
            self._moments = {"": self.clock.midnight_us}
        return self._moments

    def _moment(self, second: str) -> int:
        moment = self.clock.midnight_us + day_microseconds(second.encode() + b".000000")
        self._moments[second] = moment
        return moment


def _record_above(data: bytes, low: int, start: int) -> int:
    """The line break in front of the header at or above a line; ``low`` at the least."""
    while start > low and NEXT_RECORD.match(data, start) is None:
        start = data.rfind(b"\n", low, start)
    return start


def _last_header(data: bytes) -> int:
    """The line break in front of the last header; -1 without one."""
    at = len(data) - 1
    while at > 0:
        at = data.rfind(b"\n", 0, at)
        if NEXT_RECORD.match(data, at) is not None:
            return at
    return -1


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
