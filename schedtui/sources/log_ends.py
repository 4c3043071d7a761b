"""What the bytes at a log's end tell: the date of its newest header, and whether the last record is whole.

Owns reading ends of blocks. It reads no file and keeps nothing.
"""

from __future__ import annotations

import re

from schedtui.core.log_index import YearHint


def hint_after(block: bytearray, count: int, last_seen: tuple[int, int], year: int) -> YearHint:
    """The year of the newest header in a block that follows what is indexed."""
    month_day, _ = last_day(block, count)
    if not last_seen[0] or not month_day:
        return YearHint(last_seen[1] or year)
    step = month_day - last_seen[0]
    return YearHint(last_seen[1] + (1 if step < -600 else 0) - (1 if step > 600 else 0))


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
