"""V levels without a source tree: what three releases' own messages say.

Owns the look-up in the built-in table. An exact call site (file, line and message) of a known release gives that
release's level. A known message elsewhere gives a level only when all releases that have it agree, a range when
they do not. A level is never guessed from words. With a source tree, ``level_reading`` knows more.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from schedtui.core.message_level_table import MESSAGE_LEVELS

if TYPE_CHECKING:
    from schedtui.core.record import Record

RELEASES_FOR_ANOTHER_LINE = 2
"""Releases that must agree on a message before its level is believed at a line that none of them has."""

RELEASES_FOR_ANOTHER_FILE = 3
"""The same for a file that none of them has it in."""

FLAG_PREFIX = "FLAG: --"
"""The lines with which a component prints its flags; V1 in every release (component-base, flag/flags.go)."""

_FLAG_FILE = "flags.go"
_FLAG_LEVEL = 1


@dataclass(frozen=True, slots=True)
class _Message:
    """What the releases say of one message."""

    sites: dict[tuple[str, int], frozenset[int]]
    """(file, line) → levels there."""
    files: frozenset[str]
    """Files that have it in some release."""
    levels: frozenset[int]
    """All its levels."""
    releases: int
    """How many releases have it."""


@cache
def _messages() -> dict[str, _Message]:
    table: dict[str, _Message] = {}
    for message, *cells in MESSAGE_LEVELS:
        sites: dict[tuple[str, int], set[int]] = {}
        for cell in filter(None, cells):
            for part in cell.split("; "):
                level, _, place = part.partition(" ")
                file, _, lines = place.partition(":")
                for line in lines.split(","):
                    sites.setdefault((file, int(line)), set()).add(int(level))
        levels = frozenset(level for found in sites.values() for level in found)
        table[message] = _Message(
            {site: frozenset(found) for site, found in sites.items()},
            frozenset(file for file, _ in sites),
            levels,
            sum(map(bool, cells)),
        )
    return table


def levels_of_message(file: str, src_line: int, message: str) -> frozenset[int]:
    """All levels that a record from this call site can have; empty when nothing is known."""
    if file == _FLAG_FILE and message.startswith(FLAG_PREFIX):
        return frozenset((_FLAG_LEVEL,))
    known = _messages().get(message)
    if known is None:
        return frozenset()
    exact = known.sites.get((file, src_line))
    if exact is not None:
        return exact
    needed = RELEASES_FOR_ANOTHER_LINE if file in known.files else RELEASES_FOR_ANOTHER_FILE
    return known.levels if known.releases >= needed else frozenset()


def lookup(file: str, src_line: int, message: str) -> int | None:
    """The level by call site, for indexes that keep one level a site; None for a range or none."""
    levels = levels_of_message(file, src_line, message)
    return next(iter(levels)) if len(levels) == 1 else None


def enrich(record: Record) -> Record:
    """The record with what the table knows; as it is when it has a level, is no information, or is not known."""
    if record.severity != "I" or record.v is not None or record.v_range is not None or record.file is None:
        return record
    levels = levels_of_message(record.file, record.src_line or 0, record.message)
    if not levels:
        return record
    if len(levels) == 1:
        return replace(record, v=next(iter(levels)), v_from="message")
    return replace(record, v_range=(min(levels), max(levels)), v_from="message")
