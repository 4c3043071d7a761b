"""What is searched for in a log: a pattern over bytes that never takes more than linear time.

Owns smart case, the choice between a plain search and a regular expression (google-re2), and finding the records
of a block that match. The filter language is ``core.log_filter``'s; painting matches is the widget's.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

import re2

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol

    class _Match(Protocol):
        def start(self) -> int: ...
        def end(self) -> int: ...

    class _Pattern(Protocol):
        def search(self, text: bytes, pos: int = 0, endpos: int = -1) -> _Match | None: ...


_SPECIAL = frozenset("\\^$.|?*+()[]{}")
_OPTIONS = re2.Options()
_OPTIONS.log_errors = False


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

    def matching(self, block: bytes, starts: Sequence[int]) -> list[int]:
        """Which records of a block match.

        Args:
            block: The bytes of consecutive records.
            starts: Where each record starts, ascending; the last one reaches to the block's end.
        """
        found: list[int] = []
        if not starts:
            return found
        count = len(starts)
        data = block.lower() if self.expression is None and self.insensitive else block
        position = starts[0]
        while True:
            span = self._next_in(data, position)
            if span is None:
                return found
            record = bisect_right(starts, span[0]) - 1
            following = starts[record + 1] if record + 1 < count else len(block)
            if span[1] <= following or self._next(block[starts[record] : following], 0) is not None:
                found.append(record)
            if record + 1 >= count:
                return found
            position = following

    def _next_in(self, data: bytes, position: int) -> tuple[int, int] | None:
        if self.needle is None:
            return self._next(data, position)
        start = data.find(self.needle, position)
        return (start, start + len(self.needle)) if start >= 0 else None

    def matches(self, data: bytes) -> bool:
        """Whether a record matches."""
        return self._next(data, 0) is not None


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
