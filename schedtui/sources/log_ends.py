"""What the bytes at a log's end tell: date and year of its newest header, and whether the last record is whole.

Owns reading ends of blocks. It reads no file and keeps nothing.
"""

from __future__ import annotations

import re
from datetime import timedelta

from schedtui.core.klog import Clock, parse_header, parse_iso_time, peel
from schedtui.core.klog.clock import PROOF_DISTANCE_US, dated_text
from schedtui.core.log_index import YearHint
from schedtui.core.record import EPOCH


def hint_after(block: bytearray, count: int, last_seen: tuple[int, int], year: int) -> YearHint:
    """The year of the newest header in a block that follows what is indexed."""
    month_day, _ = last_day(block, count)
    if not last_seen[0] or not month_day:
        return YearHint(last_seen[1] or year)
    step = month_day - last_seen[0]
    return YearHint(last_seen[1] + (1 if step < -600 else 0) - (1 if step > 600 else 0))


PROOF_LINES = 300
"""Lines at the end in which something that proves the year is looked for."""

LONGEST_PROOF = 4_096
"""Bytes of such a line that are looked at."""


def proven_year(block: bytearray, count: int) -> int | None:
    """The year of a block's newest header, proven by a wrapper, a dated text or a long date near the end."""
    later, new_years = 0, 0
    end = count
    for _ in range(PROOF_LINES):
        start = block.rfind(b"\n", 0, max(0, end - 1)) + 1
        peeled = peel(bytes(block[start : min(end, start + LONGEST_PROOF)]).rstrip(b"\n"))
        header = parse_header(peeled.body)
        if header is not None:
            # Going back: a much later date stands before a New Year, a date of its other side raced with it.
            step = header.month_day - later if later else 0
            new_years += (1 if step > 200 else 0) - (1 if step < -1000 else 0)
            later = header.month_day
            year = header.year or _year_beside(header.month_day, header.day_us, peeled.time, peeled.body)
            if year is not None:
                return year + new_years
        if start == 0:
            break
        end = start
    return None


def _year_beside(month_day: int, day_us: int, wrapper_time: str | None, text: bytes) -> int | None:
    """The year of a header in whose line another date stands."""
    wrapped = parse_iso_time(wrapper_time) if wrapper_time else None
    proof = wrapped if wrapped is not None else dated_text(text)
    moment = Clock().near(proof, month_day, day_us) if proof is not None else None
    if moment is None or proof is None or (wrapped is None and abs(moment - proof) > PROOF_DISTANCE_US):
        return None
    return (EPOCH + timedelta(microseconds=moment)).year


_LEAP_DAY = re.compile(rb"[IWEF]0229 \d\d:\d\d:\d\d\.\d{6}")


def year_with_leap_day(block: bytearray, count: int, year: int) -> int:
    """A guessed year of the newest header; the last one that has a 29 February, where one stands in the block."""
    found = _LEAP_DAY.search(block, 0, count)
    month_day, _ = last_day(block, count)
    if found is None or month_day < 229:
        return year
    while year > 4 and (year % 4 or (year % 100 == 0 and year % 400)):
        year -= 1
    return year


_LAST_HEADER = re.compile(rb"^.{0,200}?[IWEF](\d{4}) \d\d:\d\d:\d\d\.\d{6}", re.MULTILINE)


def last_day(block: bytearray, count: int) -> tuple[int, int]:
    """(100 · month + day, position) of the last header in a block; (0, -1) without one."""
    reach = 4_096
    while True:
        start = max(0, count - reach)
        found = list(_LAST_HEADER.finditer(block, start, count))
        if found:
            return int(found[-1][1]), found[-1].start()
        if start == 0:
            return 0, -1
        reach *= 8


def open_record(block: bytearray, end: int) -> int:
    """Where the last record starts when its end is surely missing; else -1."""
    unfinished = _unfinished_line(block, end)
    if unfinished >= 0:
        return unfinished
    opening = block.rfind(b"=<\n", 0, end)
    if opening < 0:
        return -1
    rest = bytes(block[opening + 2 : end])
    for line in rest[1:].split(b"\n"):
        if line and not line.startswith((b"\t", b" ")):
            return -1
        if line.startswith(b" >"):
            return -1
    return block.rfind(b"\n", 0, opening) + 1


_PARTIAL = re.compile(rb"^\S+ (stdout|stderr) ([FP])(?=[ :\n])", re.MULTILINE)
_PARTIAL_SEARCH = 64 << 10
"""How far back from the end the first piece of a cut line is looked for."""


def _unfinished_line(block: bytearray, end: int) -> int:
    """Where a line starts that a container runtime has cut and whose last piece has not come; else -1."""
    last = block.rfind(b"\n", 0, max(0, end - 1)) + 1
    if _PARTIAL.match(block, last, end) is None:
        return -1
    start = block.find(b"\n", max(0, end - _PARTIAL_SEARCH), end) + 1 if end > _PARTIAL_SEARCH else 0
    cut: dict[bytes, int] = {}
    for found in _PARTIAL.finditer(block, start, end):
        if found[2] == b"P":
            cut.setdefault(found[1], found.start())
        else:
            cut.pop(found[1], None)
    return min(cut.values(), default=-1)
