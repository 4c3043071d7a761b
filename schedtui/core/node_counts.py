"""Bindings per node, counted over raw bytes: what ``grep | sort | uniq -c`` is used for, told right.

Owns the quick way: only lines that hold the word are looked at, the usual ones by one expression, all others by
the parser with what stands around them. It counts what ``core.placements`` would count, imports no numpy, reads
nothing itself, and knows nothing but nodes.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

SURROUNDINGS = 64 << 10
"""Bytes on either side of an unusual line that are parsed to find out what it belongs to."""

_WORD = b" bound "
"""Stands in every wording: ``Successfully bound pod to node``, ``is bound successfully on node``."""

_TEXT = re.compile(
    rb"[IWEF]\d{4}(?:\d{4})? \d\d:\d\d:\d\d\.\d{6} +\d+ [^\]\s]+\] "
    rb'(?:"Successfully bound pod to node"(?: [^ =]+=(?:"(?:[^"\\]|\\.)*"|[^ "]+))*? node="?([a-z0-9.-]+)"?(?: |$)'
    rb'|[Pp]od [^ ]+ is bound successfully on node "?([a-z0-9][a-z0-9.-]*?)"?\.?(?:,|$))'
)
_JSON = re.compile(
    rb'\{"ts":[\d.]+,(?:"logger":"[^"\\]*",)?"caller":"[^"\\]*","msg":"Successfully bound pod to node","v":\d+,'
    rb'"pod":\{"name":"[^"\\]*","namespace":"[^"\\]*"\},"node":"([a-z0-9.-]+)"'
)
_HARMLESS = (b"\t", b" ")
"""How lines begin that never start a record: parts of a block, of a stack, of a dump."""


class NodeCounter:
    """Counts over one or several files, block by block."""

    def __init__(self, *, several: bool = False) -> None:
        """Create a counter.

        Args:
            several: More than one file follows: what two of them share is counted once.
        """
        self.counts: Counter[str] = Counter()
        """Bindings by node."""
        self._several = several
        self._earlier: set[bytes] = set()
        self._here: set[bytes] = set()
        self._before = b""
        self._rest = b""

    def feed(self, block: bytes) -> None:
        """Take the next bytes of a file, cut anywhere."""
        data = self._rest + block if self._rest else block
        end = data.rfind(b"\n") + 1
        if not end:
            self._rest = data
            return
        self._rest = data[end:]
        self._count(data, end)

    def end_file(self) -> None:
        """The file has ended; another one may follow."""
        rest, self._rest = self._rest, b""
        if rest:
            self._count(rest, len(rest))
        self._before = b""
        if self._several:
            self._earlier |= self._here
            self._here = set()

    def _count(self, data: bytes, end: int) -> None:
        place = data.find(_WORD, 0, end)
        counted_to = -1
        while place >= 0:
            start = data.rfind(b"\n", 0, place) + 1
            stop = data.find(b"\n", place, end)
            stop = end if stop < 0 else stop
            if start >= counted_to:
                line = data[start:stop]
                found = _TEXT.match(line)
                if found is not None:
                    self._add(found[1] or found[2], line)
                elif not line.startswith(_HARMLESS):
                    counted_to = self._count_unusual(data, end, start, line)
            place = data.find(_WORD, stop, end)
        self._before = data[max(0, end - SURROUNDINGS) : end]

    def _add(self, node: bytes, line: bytes) -> None:
        if self._several:
            if line in self._earlier:
                return
            self._here.add(line)
        self.counts[node.decode("utf-8", "replace")] += 1

    def _count_unusual(self, data: bytes, end: int, start: int, line: bytes) -> int:
        """A line that the quick expression does not know; how far it and its record reach."""
        found = _JSON.match(line)
        if found is not None:
            self._add(found[1], line)
            return -1
        # Only here, and only once per kind of log: most logs never come this way.
        from schedtui.core.events import read_event
        from schedtui.core.klog import read_records

        missing = max(0, SURROUNDINGS - start)
        before = self._before[len(self._before) - missing :] if missing else b""
        first = max(0, start - SURROUNDINGS)
        first = data.rfind(b"\n", 0, first) + 1 if first else 0
        around = before + data[first : min(end, start + len(line) + SURROUNDINGS)]
        cut = around.find(b"\n") + 1 if before and not before.startswith(b"\n") else 0
        here = len(before) - cut + start - first
        for record in read_records(around[cut:]):
            if record.offset <= here < record.offset + record.length:
                event = read_event(record)
                if event is not None and event.effect == "bound" and event.node:
                    self._add(event.node.encode(), line)
                return start + record.offset + record.length - here
        return -1


def count_nodes(files: Iterable[Iterable[bytes]], *, several: bool = False) -> dict[str, int]:
    """Bindings per node over some files' blocks, the most first."""
    counter = NodeCounter(several=several)
    for blocks in files:
        for block in blocks:
            counter.feed(block)
        counter.end_file()
    return dict(sorted(counter.counts.items(), key=lambda each: (-each[1], each[0])))
