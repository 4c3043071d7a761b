"""Finds the lines of a plain klog block that can matter to the queues, without looking at the others one by one.

Owns the patterns that one pass over a block needs: a line of the message table, a printf-style line, a line that
is no header of the day, and where the next record begins. They are made from ``core.event_table`` and the
header of ``core.klog``. What a line means, and everything about lines that belong together, is the reader's.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from schedtui.core.event_scan import STORY_EFFECTS
from schedtui.core.event_table import MESSAGES, MOVE_PREFIXES
from schedtui.core.klog.header import CLOCK_PATTERN, FULL_HEADER

if TYPE_CHECKING:
    from collections.abc import Iterable

PRINTF = 6
"""Group of ``Sieve.interesting``: what a line without a quoted message says. The five groups before it are those
of a line of the table: time of day, process, ``file:line``, message, and what stands behind it."""

_SITE = rb"([^\s:\]\"]{1,128}:\d{1,7})"
_END = b""
"""In a tree: a word ends here."""

_Tree: TypeAlias = "dict[bytes, _Tree]"
"""Words by their next byte."""

NEXT_RECORD = re.compile(rb"\n" + FULL_HEADER.pattern)
"""The line break in front of a header, of any day."""


class Sieve(NamedTuple):
    """The patterns of one day."""

    interesting: re.Pattern[bytes]
    """From a line break: a line of the table, a printf-style line, or (no group) a line that is no header of the
    day and no indented one."""
    header: re.Pattern[bytes]
    """From a line break: a header of the day."""


@lru_cache(maxsize=8)
def sieve_of(month_day: int) -> Sieve:
    """The patterns for a day, month times 100 plus day."""
    header = rb"[IWEF]%04d " % month_day + CLOCK_PATTERN + rb" +(?:\d{1,10}) [^\s:\]\"]{1,128}:\d{1,7}\]"
    line = rb"[IWEF]%04d (" % month_day + CLOCK_PATTERN + rb") +(\d{1,10}) " + _SITE + rb"\]"
    moves = b"|".join(re.escape(start.encode()) for start, _ in MOVE_PREFIXES)
    table = _one_of(
        message.encode() for message, effect in MESSAGES.items() if effect not in STORY_EFFECTS
    )  # fmt: skip
    message = rb"(" + table + rb"|(?:" + moves + rb")[^\"\n]*)"
    interesting = (
        rb"\n(?:"
        + line
        + rb" (?:\""
        + message
        + rb"\"((?: [^\n]*)?)(?=\n)|([^\"\n][^\n]*))|(?!"
        + header
        + rb"|\t| >))"
    )
    return Sieve(re.compile(interesting), re.compile(rb"\n" + header))


def _one_of(words: Iterable[bytes]) -> bytes:
    """A pattern for one of many words that looks at each byte of a text once."""
    tree: _Tree = {}
    for word in words:
        branch = tree
        for place in range(len(word)):
            branch = branch.setdefault(word[place : place + 1], {})
        branch[_END] = {}
    return _pattern_of(tree)


def _pattern_of(branch: _Tree) -> bytes:
    ways = [re.escape(byte) + _pattern_of(rest) for byte, rest in branch.items() if byte]
    if not ways:
        return b""
    if _END in branch:
        return b"(?:" + b"|".join(ways) + b")?"
    return ways[0] if len(ways) == 1 else b"(?:" + b"|".join(ways) + b")"
