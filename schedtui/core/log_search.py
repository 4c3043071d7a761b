"""What is searched for in a log: a pattern over bytes that never takes more than linear time.

Owns smart case, the choice between a plain search and a regular expression (google-re2), and finding the records
of a block that match. The filter language is ``core.log_filter``'s; painting matches is the widget's.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, cast

import numpy as np
import re2

if TYPE_CHECKING:
    from typing import Protocol

    from numpy.typing import NDArray

    class _Match(Protocol):
        def start(self) -> int: ...
        def end(self) -> int: ...

    class _Pattern(Protocol):
        def search(self, text: bytes, pos: int = 0, endpos: int = -1) -> _Match | None: ...


SPARSE_BYTES = 3_000
"""With a match in fewer bytes than this, on average, all are looked for at once."""

SAMPLE = 64
"""Matches after which that is judged (anew)."""

_SMALL = np.uint8(0x20)
_SPECIAL = frozenset("\\^$.|?*+()[]{}")
_OPTIONS = re2.Options()
_OPTIONS.log_errors = False
_BYTES = re2.Options()
_BYTES.encoding = re2.Options.Encoding.LATIN1


def is_insensitive(text: str) -> bool:
    """Smart case: a pattern without capitals matches either case."""
    return text == text.lower()


@dataclass(frozen=True, slots=True)
class SearchPattern:
    """A compiled pattern. ``compile_pattern`` makes it."""

    text: str
    """As it was typed."""
    needle: bytes | None
    """For plain text: what is looked for (lower case when ``insensitive``); None for expressions."""
    insensitive: bool
    """Matches either case."""
    expression: _Pattern | None
    """The compiled expression; None for plain text."""
    problem: str | None = None
    """Why the text is taken literally although it looks like an expression."""

    def spans(self, text: str, most: int = 200) -> list[tuple[int, int]]:
        """Where a text matches: (start, end) in characters, for highlighting."""
        data = text.encode("utf-8", "replace")
        found: list[tuple[int, int]] = []
        position = 0
        while len(found) < most and position <= len(data):
            span = self._next(data, position)
            if span is None:
                break
            start, end = span
            position = max(end, start + 1)
            if end > start:
                found.append((start, end))
        if data.isascii():
            return found
        return [(len(data[:start].decode("utf-8", "ignore")), len(data[:end].decode("utf-8", "ignore")))
                for start, end in found]  # fmt: skip

    def _next(self, data: bytes, position: int) -> tuple[int, int] | None:
        if self.expression is not None:
            match = self.expression.search(data, position)
            return (match.start(), match.end()) if match else None
        assert self.needle is not None
        start = (data.lower() if self.insensitive else data).find(self.needle, position)
        return (start, start + len(self.needle)) if start >= 0 else None

    def flags(self, block: bytes, starts: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which records of a block match.

        Args:
            block: The bytes of consecutive records.
            starts: Where each record starts, ascending; the last one reaches to the block's end.
        """
        found = np.zeros(len(starts), np.bool_)
        if not len(starts):
            return found
        if self.needle is not None:
            places = positions(block, self.needle, insensitive=self.insensitive)
            records = np.searchsorted(starts, places, side="right") - 1
            # A line feed in the needle could reach into the next record.
            ends = np.append(starts[1:], len(block))
            found[records[places + len(self.needle) <= ends[records]]] = True
        else:
            self._flag_expression(block, starts.tolist(), found)
        return found

    def _flag_expression(self, block: bytes, starts: list[int], found: NDArray[np.bool_]) -> None:
        position, count = starts[0], len(starts)
        while True:
            span = self._next(block, position)
            if span is None:
                return
            record = bisect_right(starts, span[0]) - 1
            following = starts[record + 1] if record + 1 < count else len(block)
            if span[1] <= following or self._next(block[starts[record] : following], 0) is not None:
                found[record] = True
            if record + 1 >= count:
                return
            position = following

    def matches(self, data: bytes) -> bool:
        """Whether a record matches."""
        return self._next(data, 0) is not None


def positions(block: bytes, needle: bytes, *, insensitive: bool) -> NDArray[np.int64]:
    """Where a needle stands in a block; a lower-case one may match capitals too."""
    if not needle:
        return np.zeros(0, np.int64)
    search = _literal(needle, insensitive).search
    found: list[int] = []
    place = 0
    while (match := search(block, place)) is not None:
        found.append(match.start())
        place = match.end()
        if not len(found) % SAMPLE and place < len(found) * SPARSE_BYTES:
            return _dense_positions(block, needle, insensitive=insensitive)
    return np.array(found, np.int64)


@lru_cache(maxsize=64)
def _literal(needle: bytes, insensitive: bool) -> _Pattern:
    """Plain text as an expression: the quickest search there is, and the interpreter is free meanwhile."""
    return cast(
        "_Pattern",
        re2.compile((b"(?i)" if insensitive else b"") + re2.escape(needle), options=_BYTES),
    )


def _dense_positions(block: bytes, needle: bytes, *, insensitive: bool) -> NDArray[np.int64]:
    """The same for a needle that stands everywhere: one by one it would cost more than all at once."""
    text = np.frombuffer(block, np.uint8)
    small = text | _SMALL if insensitive else text
    last = len(needle) - 1

    def fits(offset: int, where: NDArray[np.uint8]) -> NDArray[np.bool_]:
        return np.asarray(where == needle[offset])

    def column(offset: int) -> NDArray[np.uint8]:
        # The bit that makes letters small changes other signs too: those are compared as they stand.
        return small if 0x61 <= needle[offset] <= 0x7A else text

    count = len(text) - last
    hits = fits(0, column(0)[:count])
    hits &= fits(last, column(last)[last:])
    places = np.flatnonzero(hits)
    for offset in range(1, last):
        places = places[fits(offset, column(offset)[places + offset])]
    return places


def compile_pattern(text: str) -> SearchPattern:
    """A pattern from what was typed: an expression, or plain text when it is none or not a sound one."""
    insensitive = is_insensitive(text)
    plain = not any(character in _SPECIAL for character in text)
    problem = None
    if not plain:
        try:
            expression = re2.compile((("(?i)" if insensitive else "") + text).encode(), options=_OPTIONS)
        except re2.error as error:
            problem = _words_of(error)
        else:
            return SearchPattern(text, None, insensitive, expression)
    if insensitive and not text.isascii():
        return SearchPattern(
            text, None, True, re2.compile(("(?i)" + re2.escape(text)).encode(), options=_OPTIONS), problem
        )
    needle = (text.lower() if insensitive else text).encode("utf-8", "replace")
    return SearchPattern(text, needle, insensitive, None, problem)


def _words_of(error: Exception) -> str:
    reason = error.args[0] if error.args else ""
    return reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
