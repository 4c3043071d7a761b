"""klog's line header: severity, date, time, process, file and line.

Owns the three shapes in which it is printed: klog's own (``I1130 07:50:25.408448   20334 x.go:214] ``), glog's
with the year in front (``I20250102 …``), and the short one of klog's ``ktesting`` logger (``E0831
20:03:47.184243] ``), which knows neither process nor file. Refuses to know years (``clock``) and what stands
in front (``wrappers``).
"""

from __future__ import annotations

import re
from typing import NamedTuple

_DATE = rb"((?:\d{4})?(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01]))"
CLOCK_PATTERN = rb"(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{6}"
"""A header's time of day."""

_CLOCK = rb"(" + CLOCK_PATTERN + rb")"
_FULL = rb"([IWEF])" + _DATE + rb" " + _CLOCK + rb" +(\d{1,10}) ([^\s:\]\"]{1,128}):(\d{1,7})\]"
_SHORT = rb"([IWEF])" + _DATE + rb" " + _CLOCK + rb"\]"

FULL_HEADER = re.compile(_FULL)
"""klog's and glog's header; groups: severity, date, time of day, process, file, line."""

SHORT_HEADER = re.compile(_SHORT + rb"(?= |$)")
"""The header of klog's ktesting logger; groups: severity, date, time of day."""

HEADER_LETTERS = frozenset(b"IWEF")
"""The bytes with which a header can begin."""

LONGEST_PREFIX = 200
"""Bytes that may stand in front of a header or a JSON object (a user interface's or collector's prefix)."""

_ANYWHERE = re.compile(_FULL + rb"(?= |$)")


class Header(NamedTuple):
    """What a header says, as it stands."""

    severity: str
    """``I``, ``W``, ``E`` or ``F``."""
    year: int | None
    """The year of glog's long form; None in klog's."""
    month_day: int
    """Month times 100 plus day."""
    day_us: int
    """Microseconds since midnight."""
    pid: int | None
    """The process; None in the short form."""
    file: str | None
    """Base name of the Go file; None in the short form."""
    src_line: int | None
    """1-based line in ``file``; None in the short form."""
    end: int
    """Offset of the first byte after the header and its blank."""


_seconds: dict[bytes, int] = {}


def day_microseconds(text: bytes) -> int:
    """Microseconds since midnight of ``hh:mm:ss.uuuuuu``."""
    clock = text[:8]
    second = _seconds.get(clock)
    if second is None:
        # A day has few seconds and a log many lines in each.
        second = _seconds[clock] = (int(text[0:2]) * 3600 + int(text[3:5]) * 60 + int(text[6:8])) * 1_000_000
    return second + int(text[9:15])


def read_header(found: re.Match[bytes]) -> Header:
    """The header that one of this module's patterns matched."""
    groups = found.groups()
    date = groups[1]
    end = found.end()
    if found.string[end : end + 1] == b" ":
        end += 1
    year, month_day = (int(date[:4]), int(date[4:])) if len(date) == 8 else (None, int(date))
    if len(groups) == 3:
        return Header(groups[0].decode(), year, month_day, day_microseconds(groups[2]), None, None, None, end)
    return Header(
        groups[0].decode(), year, month_day, day_microseconds(groups[2]),
        int(groups[3]), groups[4].decode("utf-8", "replace"), int(groups[5]), end,
    )  # fmt: skip


def parse_header(line: bytes) -> Header | None:
    """The header at the very start of a line without wrapper; None when there is none."""
    found = FULL_HEADER.match(line) or SHORT_HEADER.match(line)
    return read_header(found) if found else None


def find_header(line: bytes) -> re.Match[bytes] | None:
    """A full header behind a prefix of at most ``LONGEST_PREFIX`` bytes; None when there is none."""
    return _ANYWHERE.search(line, 0, LONGEST_PREFIX + 64)
