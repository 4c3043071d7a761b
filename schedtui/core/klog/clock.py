"""Years for headers that print none.

Owns the rule that turns ``MMDD`` and a time of day into a moment: a year that something proves (a wrapper's time
stamp, ``Log file created at: YYYY/…``, a dated trace, glog's long date) holds from there on; without proof the
year is counted from a hint and marked as guessed. A large backward jump is the next year, a small one is a race
of threads. Refuses to read files: whoever opens one hands the hints in.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from schedtui.core.klog.header import Header, parse_header
from schedtui.core.record import EPOCH

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

DAY_US = 86_400_000_000
"""Microseconds of a day."""

NEW_YEAR_JUMP_US = 60 * DAY_US
"""A jump backward by more than this is a new year; anything less is clocks, threads or files out of order."""

RACE_US = DAY_US
"""How far a line just before New Year may follow one just after it."""

PROOF_DISTANCE_US = 2 * DAY_US
"""How far a dated text and the header of its own line may lie apart (time zones, long traces)."""

UNKNOWN_YEAR = 2000
"""Stands in when nothing hints at a year: a leap year, so that 29 February has a place."""

GUESSED_YEAR = ("year",)
"""``Record.time_guessed`` of a header whose year nothing proves."""

PROVEN_REACH_US = 183 * DAY_US
"""How far before a line that prints its year the file may begin for that year to prove those of its first lines.

Farther back, the years between are counted from jumps of the dates, and silence of more than a year leaves none.
"""

_ISO_TIME = re.compile(r"(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(?:[.,](\d+))?")
_FILE_HEADER = re.compile(rb"Log file created at: (\d{4})/(\d\d)/(\d\d) (\d\d):(\d\d):(\d\d)")
_MONTHS = {name: number for number, name in enumerate(
    (b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec"), start=1
)}  # fmt: skip
_TRACE_DATE = re.compile(rb"\((\d\d)-([A-Z][a-z]{2})-(\d{4}) (\d\d):(\d\d):(\d\d)[.\d]*\)")
_HTTP_DATE = re.compile(rb"\bDate: [A-Z][a-z]{2}, (\d\d) ([A-Z][a-z]{2}) (\d{4}) (\d\d):(\d\d):(\d\d) GMT")
_STAMP_FIELD = re.compile(rb'\btimestamp="?(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)')


def microseconds(moment: datetime) -> int:
    """Microseconds since 1970 of a naive datetime."""
    return (moment - EPOCH) // timedelta(microseconds=1)


def parse_iso_time(text: str) -> int | None:
    """Microseconds since 1970 of the first ISO date and time in ``text``, its zone ignored; None without one."""
    found = _ISO_TIME.search(text)
    if found is None:
        return None
    fraction = ((found[7] or "") + "000000")[:6]
    return _moment(*(int(found[i]) for i in range(1, 7)), microsecond=int(fraction))


def dated_text(raw: bytes) -> int | None:
    """The moment that a line's own text gives (trace start, HTTP date, ``timestamp=``); None without."""
    found = _TRACE_DATE.search(raw) or _HTTP_DATE.search(raw)
    if found is not None:
        month = _MONTHS.get(found[2])
        if month is None:
            return None
        return _moment(int(found[3]), month, int(found[1]), int(found[4]), int(found[5]), int(found[6]))
    found = _STAMP_FIELD.search(raw)
    return _moment(*(int(found[i]) for i in range(1, 7))) if found else None


def file_header_time(raw: bytes) -> int | None:
    """The moment of klog's ``Log file created at:`` line; None when ``raw`` is not one."""
    found = _FILE_HEADER.match(raw)
    return _moment(*(int(found[i]) for i in range(1, 7))) if found else None


def _moment(
    year: int, month: int, day: int, hour: int = 0, minute: int = 0, second: int = 0, *, microsecond: int = 0
) -> int | None:
    try:
        return microseconds(datetime(year, month, day, hour, minute, second, microsecond))
    except ValueError:
        return None


def _day(year: int, month_day: int) -> int | None:
    """Midnight of a date; None when that year has no such day (or no year can)."""
    return _moment(year, month_day // 100, month_day % 100)


def _leap_day(year: int, month_day: int, step: int) -> tuple[int, int] | None:
    """Year and midnight of ``month_day`` in ``year`` or, for 29 February, in the next year that has one."""
    for _ in range(9):
        if not 1 <= year <= 9999:
            return None
        midnight = _day(year, month_day)
        if midnight is not None:
            return year, midnight
        if month_day != 229:
            return None
        year += step
    return None


class Clock:
    """Turns headers into moments, in the order of the file; the year counts up as New Years pass."""

    def __init__(self, year: int | None = None, *, proven: bool = False) -> None:
        """Create a clock.

        Args:
            year: The year of the first header; None when unknown.
            proven: True when that year is known rather than guessed.
        """
        self._year = UNKNOWN_YEAR if year is None else year
        self._month_day = -1
        self._midnight = 0
        self._last: int | None = None
        self.guessed: tuple[str, ...] = () if proven else GUESSED_YEAR
        """What ``time_guessed`` of the next record is."""
        self._wrapped: dict[tuple[str, int], int | None] = {}

    @classmethod
    def for_year(cls, year: int, *, guessed: bool) -> Clock:
        """A clock for one record out of its file's order, whose year the caller has already found."""
        return cls(year, proven=not guessed)

    @property
    def month_day(self) -> int:
        """The date of the last header, month times 100 plus day; -1 before the first."""
        return self._month_day

    @property
    def midnight_us(self) -> int:
        """The beginning of the last header's day."""
        return self._midnight

    def copy(self) -> Clock:
        """A clock in the same state, for reading on from this place a second time."""
        twin = Clock(self._year)
        twin._month_day, twin._midnight = self._month_day, self._midnight
        twin._last, twin.guessed = self._last, self.guessed
        return twin

    def stamp(self, month_day: int, day_us: int) -> int | None:
        """The moment of a header without year; None for a day that no calendar has (0230)."""
        if month_day == self._month_day:
            self._last = self._midnight + day_us
            return self._last
        return self._new_day(month_day, day_us)

    def _new_day(self, month_day: int, day_us: int) -> int | None:
        found = _leap_day(self._year, month_day, -1 if self._last is None else 1)
        if found is None:
            return None
        year, midnight = found
        if self._last is not None:
            if midnight + day_us < self._last - NEW_YEAR_JUMP_US:
                found = _leap_day(year + 1, month_day, 1)
            elif month_day > 1200:
                found = self._year_before(year, month_day, day_us) or found
            if found is None:
                return None
            year, midnight = found
        self._set(year, month_day, midnight)
        self._last = midnight + day_us
        return self._last

    def _year_before(self, year: int, month_day: int, day_us: int) -> tuple[int, int] | None:
        """A line of 31 December that a thread wrote after one of 1 January."""
        midnight = _day(year - 1, month_day)
        if midnight is None or self._last is None or midnight + day_us < self._last - RACE_US:
            return None
        return year - 1, midnight

    def _set(self, year: int, month_day: int, midnight: int) -> None:
        self._year, self._month_day, self._midnight = year, month_day, midnight

    def dated(self, year: int, month_day: int, day_us: int) -> int | None:
        """The moment of a header that prints its year; proves the year from here on."""
        midnight = _day(year, month_day)
        if midnight is None:
            return None
        self._set(year, month_day, midnight)
        self._last = midnight + day_us
        self.guessed = ()
        return self._last

    def near(self, proof_us: int, month_day: int, day_us: int) -> int | None:
        """The moment of a header whose line is dated by something else, with the year that lies nearest to it.

        Proves the year from here on. The two may lie in different time zones: only the year is taken.
        """
        year = (EPOCH + timedelta(microseconds=proof_us)).year
        moments = [
            (abs(midnight + day_us - proof_us), candidate)
            for candidate in (year - 1, year, year + 1)
            if (midnight := _day(candidate, month_day)) is not None
        ]
        return self.dated(min(moments)[1], month_day, day_us) if moments else None

    def wrapped(self, wrapper_time: str, month_day: int, day_us: int) -> int | None:
        """The moment of a header behind a wrapper's time stamp; without a year there, as ``stamp``."""
        key = (wrapper_time[:10], month_day)
        if key not in self._wrapped:
            proof = parse_iso_time(wrapper_time)
            moment = None if proof is None else self.near(proof, month_day, day_us)
            if len(self._wrapped) > 64:
                self._wrapped.clear()
            self._wrapped[key] = None if moment is None else moment - day_us
        midnight = self._wrapped[key]
        if midnight is None:
            return self.stamp(month_day, day_us)
        self._midnight, self._month_day, self._last = midnight, month_day, midnight + day_us
        return self._last

    def prove(self, proof_us: int) -> None:
        """Take the year of a moment that stands just before the next header (klog's file header)."""
        moment = EPOCH + timedelta(microseconds=proof_us)
        month_day = moment.month * 100 + moment.day
        self.dated(moment.year, month_day, proof_us % DAY_US)

    def prove_by_text(self, header_us: int, raw: bytes) -> int | None:
        """Let a guessed year be corrected by a date in the line itself; the new moment, None without proof."""
        proof = dated_text(raw)
        if proof is None:
            return None
        moment = EPOCH + timedelta(microseconds=header_us)
        month_day = moment.month * 100 + moment.day
        before = (self._year, self._month_day, self._midnight, self._last, self.guessed)
        corrected = self.near(proof, month_day, header_us % DAY_US)
        if corrected is None or abs(corrected - proof) > PROOF_DISTANCE_US:
            self._year, self._month_day, self._midnight, self._last, self.guessed = before
            return None
        return corrected


def _stamps(lines: Iterable[bytes]) -> list[tuple[Header, bytes]]:
    return [(header, line) for line in lines if (header := parse_header(line)) is not None]


def first_year(stamps: Sequence[tuple[int, int]], latest: datetime) -> int:
    """The year of the first of some headers, when the last of them was written not later than ``latest``.

    Args:
        stamps: (month_day, day_us) of headers in file order; a sample is enough while it is not a year apart.
        latest: When the file was last written; one day is allowed on top (time zones).

    Returns:
        The year to hand to ``Clock``.
    """
    limit = microseconds(latest) + DAY_US
    if not stamps:
        return latest.year
    month_day, day_us = stamps[-1]
    year = latest.year + 1
    while year > 1:
        found = _leap_day(year, month_day, -1)
        if found is not None and found[1] + day_us <= limit:
            year = found[0]
            break
        year -= 1
    return _walk_back(stamps, year)


def _stamped(year: int, stamp: tuple[int, int]) -> int:
    return (_day(year, stamp[0]) or 0) + stamp[1]


def _walk_back(stamps: Sequence[tuple[int, int]], year: int) -> int:
    """The year of the first stamp when the last one's is ``year``."""
    moment = _stamped(year, stamps[-1])
    for month_day, day_us in reversed(stamps[:-1]):
        for candidate in (year + 1, year, *range(year - 1, year - 9, -1)):
            midnight = _day(candidate, month_day) if 1 <= candidate <= 9999 else None
            if midnight is None:
                continue
            ahead = midnight + day_us - moment
            if ahead <= (RACE_US if candidate > year else NEW_YEAR_JUMP_US):
                year, moment = candidate, midnight + day_us
                break
    return year


def clock_for(lines: Iterable[bytes], latest: datetime | None) -> Clock:
    """A clock for a file, from a sample of its physical lines in file order.

    Args:
        lines: Lines (wrappers peeled) of the file's beginning and of places spread over the rest.
        latest: When the file was last written; None when unknown.
    """
    sample = list(lines)
    stamps: list[tuple[int, int]] = []
    for header, line in _stamps(sample):
        stamps.append((header.month_day, header.day_us))
        proof = dated_text(line)
        year: int | None = header.year
        if year is None and proof is not None:
            probe = Clock()
            moment = probe.near(proof, header.month_day, header.day_us)
            if moment is not None and abs(moment - proof) <= PROOF_DISTANCE_US:
                year = probe._year
        if year is not None:
            first = _walk_back(stamps, year)
            begun, dated = _stamped(first, stamps[0]), _stamped(year, stamps[-1])
            return Clock(first, proven=dated - begun <= PROVEN_REACH_US)
    if latest is None:
        return Clock()
    return Clock(first_year(stamps, latest))
