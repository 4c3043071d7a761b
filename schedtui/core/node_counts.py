"""Bindings per node, counted over raw bytes: what ``grep | sort | uniq -c`` is used for, told right.

Owns the quick way: only lines that hold the word are looked at, the usual ones by one expression, all others by
the parser with what stands around them. It counts what ``core.placements`` would count, imports no numpy, reads
nothing itself, and knows nothing but nodes.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    import re2

SURROUNDINGS = 64 << 10
"""Bytes on either side of an unusual line that are parsed to find out what it belongs to."""

LONGEST_LINE = 16 << 20
"""Bytes after which a line without an end is cut, as the parser cuts it."""

_WORDS = (b"Successfully bound pod", b"bound successful")
"""One of them stands in every wording; long ones, because they are found many times faster than short ones."""

_EITHER_WORD = rb"bound (?:pod|successful)"
"""The same as one expression."""

ENGINE_FROM_BYTES = 32 << 20
"""From here on the linear engine looks for both words at once: it takes half the time, but loading it takes as
long as a search of some 30 MiB."""

_TEXT = re.compile(
    rb"[IWEF]\d{4}(?:\d{4})? \d\d:\d\d:\d\d\.\d{6} +\d+ [^\]\s]+\] "
    rb'(?:"Successfully bound pod to node"(?: [^ =]+=(?:"(?:[^"\\]|\\.)*"|[^ "]+))*? node="?([a-z0-9.-]+)"?(?: |$)'
    rb'|[Pp]od [^ ]+ is bound successfully on node "?([a-z0-9][a-z0-9.-]*?)"?\.?(?:,|$))'
)
_LINE = re.compile(
    rb"[IWEF]\d{4} \d\d:\d\d:\d\d\.\d{6} +\d+ [^\]\s]+\] "
    rb'"Successfully bound pod to node" pod="[^"\\]*" node="([a-z0-9.-]+)"(?= |\n|$)'
)
"""Nearly every binding since structured logging."""

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
        self._counts: Counter[bytes] = Counter()
        self._several = several
        self._earlier: set[bytes] = set()
        self._here: set[bytes] = set()
        self._before = b""
        self._before_end = 0
        self._rest: list[bytes] = []
        self._rest_size = 0
        self._taken = 0

    def begin_behind(self, text: bytes) -> None:
        """What follows stands behind this text, which has been counted elsewhere; it ends with a line feed."""
        self._before = text[-SURROUNDINGS:]
        self._before_end = len(self._before)

    def counts(self) -> dict[str, int]:
        """Bindings by node, the most first."""
        named = {node.decode("utf-8", "replace"): count for node, count in self._counts.items()}
        return dict(sorted(named.items(), key=lambda each: (-each[1], each[0])))

    def feed(self, block: bytes) -> None:
        """Take the next bytes of a file, cut anywhere."""
        end = block.rfind(b"\n") + 1
        if not end:
            self._keep(block)
            return
        first = 0
        if self._rest:
            # Only the line that was cut is put together: the block itself is not copied.
            first = block.find(b"\n") + 1
            self._keep(block[:first])
            self._count_rest()
        self._keep(block[end:])
        self._count(block, first, end)

    def _keep(self, part: bytes) -> None:
        """A part of a line whose end has not been seen."""
        if part:
            self._rest.append(part)
            self._rest_size += len(part)
            if self._rest_size > LONGEST_LINE:
                self._count_rest()

    def _count_rest(self) -> None:
        line = b"".join(self._rest)
        self._rest, self._rest_size = [], 0
        self._count(line, 0, len(line))

    def end_file(self) -> None:
        """The file has ended; another one may follow."""
        self._count_rest()
        self._before, self._before_end = b"", 0
        if self._several:
            self._earlier |= self._here
            self._here = set()

    def _count(self, data: bytes, first: int, end: int) -> None:
        counted_to = -1
        counts = self._counts
        for place in self._places(data, first, end):
            start = max(first, data.rfind(b"\n", first, place) + 1)
            node = None if self._several else _LINE.match(data, start, end)
            if node is not None and start >= counted_to:
                counts[node[1]] += 1
                counted_to = node.end()
                continue
            stop = data.find(b"\n", place, end)
            stop = end if stop < 0 else stop
            if start >= counted_to:
                counted_to = stop
                line = data[start:stop]
                found = _TEXT.match(line)
                if found is not None:
                    self._add(found[1] or found[2], line)
                elif not line.startswith(_HARMLESS):
                    counted_to = max(stop, self._count_unusual(data, first, end, start, line))
        if end - first >= SURROUNDINGS:
            # Not cut out before it is needed: hardly any log has unusual lines.
            self._before, self._before_end = data, end
        else:
            self._before = (self._before_text() + data[first:end])[-SURROUNDINGS:]
            self._before_end = len(self._before)

    def _places(self, data: bytes, first: int, end: int) -> list[int]:
        """Where a wording may stand, in order."""
        self._taken += end - first
        if self._taken > ENGINE_FROM_BYTES:
            return [match.start() for match in _engine().finditer(data, first, end)]
        return sorted(place for word in _WORDS for place in _all_places(data, word, first, end))

    def _before_text(self) -> bytes:
        """The last ``SURROUNDINGS`` bytes in front of what is counted now."""
        return self._before[max(0, self._before_end - SURROUNDINGS) : self._before_end]

    def _add(self, node: bytes, line: bytes) -> None:
        if self._several:
            if line in self._earlier:
                return
            self._here.add(line)
        self._counts[node] += 1

    def _count_unusual(self, data: bytes, low: int, end: int, start: int, line: bytes) -> int:
        """A line that the quick expression does not know; how far it and its record reach."""
        found = _JSON.match(line)
        if found is not None:
            self._add(found[1], line)
            return -1
        node = self._behind_wrapper(data, low, start, line)
        if node is not None:
            self._add(node, line)
            return -1
        # Only here, and only once per kind of log: most logs never come this way.
        from schedtui.core.events import read_event
        from schedtui.core.klog import read_records

        missing = max(0, SURROUNDINGS - (start - low))
        text = self._before_text()
        before = text[max(0, len(text) - missing) :] if missing else b""
        first = low if missing else data.rfind(b"\n", low, start - SURROUNDINGS) + 1
        around = before + data[first : min(end, start + len(line) + SURROUNDINGS)]
        cut = around.find(b"\n") + 1 if len(before) == SURROUNDINGS else 0
        here = len(before) - cut + start - first
        for record in read_records(around[cut:]):
            if record.offset <= here < record.offset + record.length:
                event = read_event(record)
                if event is not None and event.effect == "bound" and event.node:
                    self._add(event.node.encode(), line)
                return start + record.offset + record.length - here
        return -1

    def _behind_wrapper(self, data: bytes, low: int, start: int, line: bytes) -> bytes | None:
        """The node of a binding that a collector's or viewer's prefix stands before; None when it is not sure.

        Such a line begins a record whatever stands above it, but for two cases: the line above goes on with it,
        or it may lie in an open block whose tabs the journal took away.
        """
        from schedtui.core.klog.wrappers import peel

        peeled = peel(line)
        found = _TEXT.match(peeled.body) or _JSON.match(peeled.body)
        if found is None or peeled.partial:
            return None
        above = data[max(low, start - SURROUNDINGS) : start]
        if len(above) < SURROUNDINGS:
            above = self._before_text() + above
        if peel(above[:-1].rpartition(b"\n")[2]).partial or (peeled.trimmed and b"=<\n" in above):
            return None
        return next(node for node in found.groups() if node is not None)


def _all_places(data: bytes, word: bytes, first: int, end: int) -> list[int]:
    places: list[int] = []
    place = data.find(word, first, end)
    while place >= 0:
        places.append(place)
        place = data.find(word, place + len(word), end)
    return places


@cache
def _engine() -> re2._Regexp[bytes]:
    import re2

    return re2.compile(_EITHER_WORD)


def count_nodes(files: Iterable[Iterable[bytes]], *, several: bool = False) -> dict[str, int]:
    """Bindings per node over some files' blocks, the most first."""
    counter = NodeCounter(several=several)
    for blocks in files:
        for block in blocks:
            counter.feed(block)
        counter.end_file()
    return counter.counts()
