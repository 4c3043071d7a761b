"""The columns of a log: where each record starts, and its severity, call site, time and number of lines.

Owns turning blocks of bytes into columns (``core.log_chunk``). No text is kept, nothing is read from anywhere, no
record is parsed in full (``core.klog`` does that with the bytes that the owner of the file hands over). One chunk
holds the records of one stretch of one file; about twelve bytes a record.

A record is a header line with all lines up to the next header. Lines before the first header, and all lines of a
text that has no header anywhere, are records of their own unless they are indented.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from schedtui.core import log_headers
from schedtui.core.klog.assembly import parse_record, split_records
from schedtui.core.klog.journal_json import message_column
from schedtui.core.klog.json_lines import parse_json_line
from schedtui.core.klog.lines import FIRST_STARTING_CLASS, LineClass, classify
from schedtui.core.klog.wrappers import peel
from schedtui.core.log_chunk import Chunk, packed_counts, packed_times
from schedtui.core.log_headers import PADDING, UNKNOWN_TIME
from schedtui.core.log_sites import NO_SITE, SiteTable

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_WIDTHS = 16
"""Different widths of a wrapper in front of the header that are tried in bulk; more are found line by line."""

_NEW_LINE = 0x0A
_SAMPLE = 600
"""Bytes of a record's start that are enough for its file, line and message."""

_HEADER = re.compile(
    rb"([IWEF])(\d{4})?(\d\d)(\d\d) (\d\d):(\d\d):(\d\d)\.(\d{6})(?: +\d+ ([^\s:\]]+):(\d{1,9}))?\] ?(.*)"
)
_JSON = re.compile(
    rb'\{"ts":(\d+(?:\.\d+)?(?:[eE][+-]?\d+)?),(?:"logger":"[^"]*",)?(?:"caller":"([^"]*?)(?::(\d{1,9}))?",)?'
    rb'"msg":"((?:[^"\\]|\\.)*)"'
)
_PID = re.compile(rb"[IWEF]\d{4}(?:\d{4})? \d\d:\d\d:\d\d\.\d{6} +(\d+) ")
_JUDGED_STARTS = 64
"""Headers at a block's beginning of which the usual process is found."""
_OPENS = re.compile(rb"=<\r?\n| (?:stderr|stdout) P[ :]")
"""What begins in wrapped lines and goes on in the next ones: a block of lines, a line that was cut."""
_FARTHEST_US = 253_402_300_800_000_000
"""Microseconds from 1970 to the end of the year 9999: no calendar has what lies beyond."""

_UNLIKE_WRITTEN = b"{\x1b"
"""First bytes of lines whose text does not stand there as it was written."""

_DOCKER_TEXT = re.compile(rb'"log": ?"')
_JSON_LEVEL = re.compile(rb',"v":(\d{1,3})[,}]')
_MILLISECONDS_FROM = 1e11
"""JSON ``ts`` above this is in milliseconds (1973), below it in seconds (year 5138)."""


@dataclass(slots=True)
class YearHint:
    """What is known about the year next to a block."""

    last_year: int
    """The year of the newest header in the block, if ``month_day_after`` does not say otherwise."""
    month_day_after: int = 0
    """100 · month + day of the first header behind the block, which belongs to ``last_year``; 0 when none does."""

    def year_of_last(self, month_day: int) -> int:
        """The year of the block's last header."""
        if not self.month_day_after:
            return self.last_year
        step = self.month_day_after - month_day
        return self.last_year - (1 if step < -600 else 0) + (1 if step > 600 else 0)


class ChunkBuilder:
    """Turns blocks of one log into chunks; remembers call sites and wrapper widths from block to block."""

    def __init__(self, sites: SiteTable) -> None:
        """Create the builder.

        Args:
            sites: Numbers of call sites, shared by all files of a log.
        """
        self.sites = sites
        self._widths: list[int] = []
        self._wrapped_text = False

    def build(
        self, block: bytearray, size: int, base: int, year: YearHint, *, whole: bool = False
    ) -> Chunk | None:
        """Index ``block[:size]``.

        Args:
            block: The bytes, with ``PADDING`` zero bytes from ``size`` on.
            size: How many bytes count; they end with a line feed, or where the file ends.
            base: Byte offset of ``block[0]`` in its file.
            year: What is known about the year.
            whole: The block starts at a record's start: lines before the first header are records of their own.
                Otherwise it may start in the middle of a line, and all before the second line's start and before
                the first header belongs to a record in front of the block.

        Returns:
            The columns from the first record's start on; None when no record starts in the block.
        """
        text = log_headers.as_text_array(block)
        feeds = np.flatnonzero(text[:size] == _NEW_LINE)
        lines = np.concatenate((np.zeros(1, np.int64), feeds + 1))
        if lines[-1] >= size:
            lines = lines[:-1]
        if not len(lines):
            return None
        columns = self._columns_of_headers(block, text, lines, size)
        if not whole:
            columns[0] = -1
        own = self._with_lone_lines(block, text, lines, columns, size, whole=whole)
        if not len(own):
            return None
        ends = None
        wrapped = self._wrapped_text or bool((columns > 0).any() and _OPENS.search(block, 0, size))
        if wrapped:
            own, ends = self._as_the_parser_splits(block, lines, columns, own, size, whole=whole)
        counts = np.diff(np.append(own, len(lines)))
        chunk = self._chunk(block, text, lines[own], columns[own], counts, size, base, year)
        if not wrapped:
            return chunk
        shifted = None if ends is None else (ends - lines[own[0]]).astype(np.uint32)
        return replace(chunk, ends=shifted, wrapped=True)

    @staticmethod
    def _as_the_parser_splits(
        block: bytearray,
        lines: NDArray[np.int64],
        columns: NDArray[np.int64],
        own: NDArray[np.int64],
        size: int,
        *,
        whole: bool,
    ) -> tuple[NDArray[np.int64], NDArray[np.int64] | None]:
        """Lines that start records, and where these end when they overlap, found by the parser.

        Whether a wrapped line goes on with the one above it, its unit (a stream, a journal unit) decides.
        """
        if not whole:
            own = own[_first_of_the_usual_process(block, lines, columns, own) :]
        first = int(lines[own[0]])
        found = sorted(split_records(bytes(block[first:size])))
        if whole and found[0][0] > 0:
            # The beginning of a line whose end never came: the parser has put it behind what followed.
            found.insert(0, (0, found[0][0]))
        starts = np.array([start for start, _ in found], np.int64) + first
        ends = starts + np.array([length for _, length in found], np.int64)
        return np.searchsorted(lines, starts), ends if (ends[:-1] > starts[1:]).any() else None

    @staticmethod
    def _with_lone_lines(
        block: bytearray,
        text: NDArray[np.uint8],
        lines: NDArray[np.int64],
        columns: NDArray[np.int64],
        size: int,
        *,
        whole: bool,
    ) -> NDArray[np.int64]:
        """Lines that start records: headers, and plain lines that stand below something other than klog text."""
        own = np.flatnonzero(columns >= 0)
        where = lines[own] + columns[own]
        is_klog = log_headers.begins_like_header(text, where)
        if is_klog.all() and (not whole or (len(own) and own[0] == 0)):
            return own
        first = text[lines]
        others = np.flatnonzero((columns < 0) & (first != 0x09) & (first != 0x20) & (first != _NEW_LINE))
        above = np.searchsorted(own, others) - 1
        alone = np.zeros(len(others), np.bool_)
        alone[above < 0] = whole
        alone[above >= 0] = ~is_klog[above[above >= 0]]
        lone = _without_stacks(block, lines, others[alone], own, size)
        if whole and (not len(lone) or lone[0] > 0) and (not len(own) or own[0] > 0):
            lone = np.concatenate((np.zeros(1, np.int64), lone))
        return np.sort(np.concatenate((own, lone)))

    def _columns_of_headers(
        self, block: bytearray, text: NDArray[np.uint8], lines: NDArray[np.int64], size: int
    ) -> NDArray[np.int64]:
        """For each line the column where its header starts; -1 for lines without one."""
        columns = np.full(len(lines), -1, np.int64)
        columns[log_headers.find_headers(text, lines)] = 0
        self._wrapped_text = False
        first = text[lines]
        rest = np.flatnonzero((columns < 0) & (first != 0x09) & (first != 0x20) & (first != _NEW_LINE))
        ends = np.append(lines[1:], size)
        for width in self._widths:
            if not len(rest):
                return columns
            fitting = rest[lines[rest] + width < ends[rest]]
            found = fitting[log_headers.find_headers(text, lines[fitting] + width)]
            columns[found] = width
            rest = np.setdiff1d(rest, found, assume_unique=True)
        for line in rest.tolist():
            columns[line] = self._column_of(block, int(lines[line]), int(ends[line]))
        return columns

    def _column_of(self, block: bytearray, start: int, end: int) -> int:
        if block.startswith(b'{"ts":', start):
            return 0
        line = bytes(block[start:end]).rstrip(b"\r\n")
        column, wrapped = header_column(line)
        self._wrapped_text = self._wrapped_text or (wrapped and column < 0)
        if column > 0 and column not in self._widths and len(self._widths) < MOST_WIDTHS:
            self._widths.append(column)
        return column

    def _chunk(
        self,
        block: bytearray,
        text: NDArray[np.uint8],
        starts: NDArray[np.int64],
        columns: NDArray[np.int64],
        counts: NDArray[np.int64],
        size: int,
        base: int,
        year: YearHint,
    ) -> Chunk:
        headers = starts + np.maximum(columns, 0)
        severity = np.zeros(len(starts), np.uint8)
        site = np.zeros(len(starts), np.uint16)
        times = np.full(len(starts), UNKNOWN_TIME, np.int64)
        month_days = np.zeros(len(starts), np.int64)
        regular = log_headers.find_headers(text, headers) & (columns >= 0)
        chosen = np.flatnonzero(regular)
        where = headers[chosen]
        severity[chosen] = text[where]
        month_days[chosen], times[chosen] = log_headers.month_days_and_times(text, where)
        hashes, hashed = log_headers.site_hashes(text, where)
        quick = chosen[hashed]

        def site_of(index: int) -> tuple[str, int, str]:
            return self._site_at(block, int(starts[index]), int(headers[index]), size)

        site[quick] = self.sites.numbers_of_hashes(hashes[hashed], lambda position: site_of(int(quick[position])))
        absolute = np.zeros(len(starts), np.bool_)
        for index in chosen[~hashed].tolist():
            site[index] = self.sites.number(*site_of(index))
        for index in np.flatnonzero(~regular & (columns >= 0)).tolist():
            found = self._read_slowly(_text_at(block, int(starts[index]), int(headers[index]), size))
            if found is not None:
                severity[index], site[index], moment, month_days[index] = found
                times[index] = moment if abs(moment) < _FARTHEST_US else UNKNOWN_TIME
                absolute[index] = month_days[index] == 0
        dated = np.flatnonzero(month_days > 0)
        first_year = last_year = year.last_year
        if len(dated):
            last_year = year.year_of_last(int(month_days[dated[-1]]))
            years = log_headers.years_backward(month_days[dated], last_year)
            first_year = int(years[0])
            times[dated] = log_headers.times_of(month_days[dated], times[dated], years)
        ends = (int(month_days[dated[0]]), int(month_days[dated[-1]])) if len(dated) else (0, 0)
        first = int(starts[0])
        return Chunk(
            base + first, base + size, (starts - first).astype(np.uint32), severity, site, *packed_times(times),
            packed_counts(counts), int(counts.sum()),
            ends[0], first_year, ends[1], last_year,
        )  # fmt: skip

    @staticmethod
    def _site_at(block: bytearray, start: int, header: int, size: int) -> tuple[str, int, str]:
        line = _text_at(block, start, header, size, _SAMPLE)
        match = _HEADER.match(line)
        if match is None or match[9] is None:
            return "", 0, ""
        return match[9].decode("utf-8", "replace"), int(match[10]), message_of(match[11])

    def _read_slowly(self, line: bytes) -> tuple[int, int, int, int] | None:
        """(severity, site, time, 100 · month + day or 0 when the time is absolute) of an irregular header."""
        found = _JSON.match(line)
        if found is not None:
            stamp = float(found[1])
            moment = stamp * (1_000 if stamp > _MILLISECONDS_FROM else 1_000_000)
            micros = round(moment) if moment < _FARTHEST_US else _FARTHEST_US
            caller = (found[2] or b"").decode("utf-8", "replace")
            told = _JSON_LEVEL.search(line, found.end())
            level = int(told[1]) if told else None
            message = found[4].decode("utf-8", "replace")
            number = self.sites.number(caller.rpartition("/")[2], int(found[3] or 0), message, level)
            return ord("I") if level is not None else ord("E"), number, micros, 0
        if line.startswith(b"{"):
            return self._read_object(line)
        header = _HEADER.match(line)
        if header is None:
            return self._read_whole(line)
        number = NO_SITE
        if header[9] is not None:
            number = self.sites.number(
                header[9].decode("utf-8", "replace"), int(header[10]), message_of(header[11])
            )
        hours, minutes, seconds, micros = (int(header[group]) for group in (5, 6, 7, 8))
        time = ((hours * 60 + minutes) * 60 + seconds) * 1_000_000 + micros
        month_day = int(header[3]) * 100 + int(header[4])
        if header[2] == b"0000":
            return header[1][0], number, UNKNOWN_TIME, 0
        if header[2]:
            days = np.array([month_day]), np.array([time]), np.array([int(header[2])])
            return header[1][0], number, int(log_headers.times_of(*days)[0]), 0
        return header[1][0], number, time, month_day

    @staticmethod
    def _read_whole(line: bytes) -> tuple[int, int, int, int] | None:
        """The same of what only the parser knows: dlv's own log lines."""
        record = parse_record(line)
        if record.severity is None:
            return None
        return ord(record.severity), NO_SITE, UNKNOWN_TIME if record.time_us is None else record.time_us, 0

    def _read_object(self, line: bytes) -> tuple[int, int, int, int] | None:
        """The same of a JSON object in another shape than the scheduler's (etcd's: level first, ISO time)."""
        entry = parse_json_line(line)
        if entry is None:
            return None
        number = self.sites.number(entry.file or "", entry.src_line or 0, entry.message, entry.v)
        return ord(entry.severity), number, UNKNOWN_TIME if entry.time_us is None else entry.time_us, 0


def _text_at(block: bytearray, start: int, header: int, size: int, most: int | None = None) -> bytes:
    """A line from its header on; what stands escaped in a collector's JSON, or in a colour, as it was written."""
    end = block.find(b"\n", start, size)
    end = end if end >= 0 else size
    if header > start and block[start] in _UNLIKE_WRITTEN:
        return peel(bytes(block[start:end])).body
    return bytes(block[header : end if most is None else min(end, header + most)]).removesuffix(b"\r")


def header_column(line: bytes) -> tuple[int, bool]:
    """Where a line's header, JSON object or collector's notice starts, and whether a wrapper is around it.

    The column is -1 when the line starts no record.
    """
    own = classify(line) >= FIRST_STARTING_CLASS
    if own and not (line.startswith(b"{") and _DOCKER_TEXT.search(line)):
        return 0, False
    peeled = peel(line)
    body = peeled.body
    if own and body is line:
        # An object with a field that is called as docker's text is.
        return 0, False
    if body is line or classify(body) < FIRST_STARTING_CLASS:
        return -1, peeled.time is not None or peeled.unit is not None
    if line.startswith(b"{"):
        docker = _DOCKER_TEXT.search(line)
        # An entry whose text is written as numbers has its header nowhere to be read in bulk.
        column = docker.end() if docker is not None else max(0, message_column(line))
    else:
        # A colour around the whole line goes at both ends.
        column = max(0, line.find(body))
    # A line that the next one goes on with is no more than the beginning of its text.
    return column, True


def _first_of_the_usual_process(
    block: bytearray, lines: NDArray[np.int64], columns: NDArray[np.int64], own: NDArray[np.int64]
) -> int:
    """Which of the first starts is one for certain.

    A block may begin within lines whose tabs a journal has taken away: a header in them looks like any other, but
    names another process.
    """
    pids: list[bytes] = []
    for line in own[:_JUDGED_STARTS].tolist():
        header = _PID.match(block, int(lines[line]) + max(0, int(columns[line])))
        pids.append(header[1] if header is not None else b"")
    if not any(pids):
        return 0
    usual = Counter(pid for pid in pids if pid).most_common(1)[0][0]
    return pids.index(usual)


def _without_stacks(
    block: bytearray, lines: NDArray[np.int64], lone: NDArray[np.int64], own: NDArray[np.int64], size: int
) -> NDArray[np.int64]:
    """Plain lines that stand alone, less those that go on with a Go stack above them."""
    kept: list[int] = []
    stack_until = -1
    for line in lone.tolist():
        if line < stack_until:
            continue
        start = int(lines[line])
        end = int(lines[line + 1]) if line + 1 < len(lines) else size
        if classify(bytes(block[start:end]).rstrip(b"\r\n")) is LineClass.TRACE:
            following = int(np.searchsorted(own, line))
            stack_until = int(own[following]) if following < len(own) else len(lines)
        kept.append(line)
    return np.array(kept, np.int64)


def message_of(rest: bytes) -> str:
    """The message at the start of what follows a header: the quoted part, or all of it when it is not quoted."""
    quoted = re.match(rb'"((?:[^"\\]|\\.)*)"', rest)
    return (quoted[1] if quoted else rest).decode("utf-8", "replace")


def padded(data: bytes) -> bytearray:
    """``data`` as a block that ``ChunkBuilder.build`` takes."""
    return bytearray(data) + bytes(PADDING)
