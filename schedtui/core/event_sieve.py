"""Finds the lines of a plain klog block that can matter to the queues, and takes the usual ones apart in passing.

Owns the patterns that one pass over a block needs: a line of the message table with the pairs that nearly all
such lines hold, a printf-style line, a line that is no header of the day, and where the next record begins. They
are made from ``core.event_table`` and the header of ``core.klog``. What a line means, and everything about lines
that belong together, is the reader's.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

from schedtui.core.event_scan import STORY_EFFECTS
from schedtui.core.event_table import MESSAGES, MOVE_PREFIXES, OLD_BEGINNINGS
from schedtui.core.klog.header import CLOCK_PATTERN, FULL_HEADER

if TYPE_CHECKING:
    from collections.abc import Iterable

OLD_KEYED = "msg"
"""Quoted where others quote the message, by the old klogr: ``"msg"="text" "key"=value``."""

MESSAGE = 4
"""Group of a day's pattern that holds the message."""

_END = ""
"""In a tree: a word ends here."""

_Tree: TypeAlias = "dict[str, _Tree]"
"""Words by their next character."""

NEXT_RECORD = re.compile(rb"\n" + FULL_HEADER.pattern)
"""The line break in front of a header, of any day."""

_NAME = r'[^"\\\n\x80-\xff{][^"\\\n\x80-\xff]*+'
_SUBJECT = rf'(?: logger="[^"\\\n]*+")?(?: (?:type="pod" entity|pod)="({_NAME})")?(?: node="({_NAME})")?'
"""The pairs with which nearly all lines of the table begin, each of its own. Groups: pod, node."""

_NUMBERED = (
    r'(?:( event="[^"\\\n]*+" queue="[^"\\\n]*+") schedulingCycle=\d{1,18}(?= hint=| unschedulable plugins=|\n))?'
)
"""Pairs that a number of the line's own parts from the following ones. Group: the pairs."""

_PAIRS = rf"{_SUBJECT}{_NUMBERED}((?: [^\n]{{0,1000}}+)?)(?=\n[IWEF])"
"""All pairs of a line below which another one seems to begin. Last group: what the others leave."""


def _one_of(words: Iterable[str]) -> str:
    """A pattern for one of many words that looks at each character of a text once."""
    tree: _Tree = {}
    for word in words:
        branch = tree
        for character in word:
            branch = branch.setdefault(character, {})
        branch[_END] = {}
    return _pattern_of(tree)


def _pattern_of(branch: _Tree) -> str:
    ways = [re.escape(character) + _pattern_of(rest) for character, rest in branch.items() if character]
    if not ways:
        return ""
    if _END in branch:
        return "(?:" + "|".join(ways) + ")?"
    return ways[0] if len(ways) == 1 else "(?:" + "|".join(ways) + ")"


_MESSAGE = (
    "("
    + _one_of([OLD_KEYED, *(message for message, effect in MESSAGES.items() if effect not in STORY_EFFECTS)])
    + "|(?:" + "|".join(re.escape(start) for start, _ in MOVE_PREFIXES) + r')[^"\n]*)'
)  # fmt: skip

_PRINTF = rf'(?=(?i:{OLD_BEGINNINGS.pattern.decode().removeprefix("(?i)")}))([^"\n][^\n]*)'

_SAID = rf' ?+(?:"{_MESSAGE}"(?:{_PAIRS}|[^\n]*)|{_PRINTF})(?=\n)'

SAID = re.compile(_SAID, re.ASCII)
"""What stands behind a header, when it may matter, in text of one character a byte.

Groups: of a line of the table the message, and when the line below seems to begin a record, pod, node, pairs in
front of a number that is left out, and all other pairs. Of a printf-style line that may be of the table all of it.
"""


@lru_cache(maxsize=8)
def sieve_of(month_day: int) -> re.Pattern[str]:
    """The pattern for a day (month times 100 plus day), for text of one character a byte.

    It matches, from a line break on, what may matter behind a header of the day, or (all groups None) a line that
    is no such header and not indented. Groups: time of day to the second, microseconds, process and ``file:line``;
    then those of ``SAID``.
    """
    second, _, micro = CLOCK_PATTERN.decode().rpartition(r"\.")
    site = r"[^ \t\n\r\f\v:\]\"]{1,128}:\d{1,7}"
    header = rf"[IWEF]{month_day:04d} ({second})\.({micro}) +(\d{{1,10}} {site})\]"
    # What was found to be a header is not given up again: each line is looked at once.
    return re.compile(rf"\n(?:{header})?+(?(1){_SAID}|(?!\t| >))", re.ASCII)
