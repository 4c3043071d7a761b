"""V levels of the scheduler's well-known messages, for text logs without a source tree.

Owns reading the built-in table: the release comes from the log itself. A release family whose source was read gets
that release's level. For another one, or when the log does not tell, a level is given only where all the releases
read agree; and only for the queue's, the cycle's and the best-known plugins' own messages. A source tree
(``level_reading``) knows all of them.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from schedtui.core.builtin_level_table import LEVELS, RELEASES
from schedtui.core.events import read_event
from schedtui.core.release import ReleaseFinder

if TYPE_CHECKING:
    from schedtui.core.record import Record

_MOVED = "Pod moved to an internal scheduling queue"

_LATEST_UNKNOWN = 38
"""From this minor release on, one that was not read gets no level: what agreed up to 1.37 may have changed."""

_EARLIEST_UNKNOWN = 29
"""Before this minor release too."""


def builtin_level(record: Record, release: str | None) -> int | None:
    """The level of a record by file and message.

    Args:
        record: The record.
        release: The release family of its log (``1.36``); None when not known.
    """
    if record.severity != "I" or record.file is None or not record.structured:
        return None
    if release in RELEASES and record.message == _MOVED and record.file == "scheduling_queue.go":
        return _moved_level(record, release)
    return builtin_lookup(record.file, record.src_line or 0, record.message, release)


def builtin_lookup(file: str, src_line: int, message: str, release: str | None = None) -> int | None:
    """The level of a call site by file and message, for readers that keep sites, not records.

    Args:
        file: Base name of the Go file.
        src_line: The line there; not looked at, lines differ between patch releases.
        message: The message.
        release: The release family of its log; None when not known.
    """
    del src_line
    code = LEVELS.get(file, {}).get(message)
    if code is None:
        return None
    if release in RELEASES:
        return _level(code[RELEASES.index(release)])
    if release is not None and not _EARLIEST_UNKNOWN <= int(release.partition(".")[2]) < _LATEST_UNKNOWN:
        return None
    return _level(code[0]) if len(set(code)) == 1 else None


def _level(sign: str) -> int | None:
    return 10 if sign == "A" else int(sign) if sign.isdigit() else None


def _moved_level(record: Record, release: str) -> int | None:
    """The move line has one wording and several levels: its fields tell which call wrote it."""
    if release == "1.37":
        return 3
    if "schedulingCycle" in record.fields:
        return 3
    return 4 if release == "1.29" and "hint" in record.fields else 5


class BuiltinLevels:
    """Levels of the records of one log, in order; learns the release as it goes (``record.LevelLookup``)."""

    def __init__(self, release: str | None = None) -> None:
        """Start a log.

        Args:
            release: Its release where the caller knows it (``1.36`` or ``v1.36.3``).
        """
        self._finder = ReleaseFinder(release)

    def observe(self, record: Record) -> None:
        """Learn from a record which release wrote the log."""
        if self._finder.settled:
            return
        if "@v0." in record.raw:
            self._finder.see_text(record.raw.encode("utf-8", "replace"))
        event = read_event(record)
        if event is not None:
            self._finder.see(event)

    def level_of(self, record: Record) -> Record:
        """The record with its level; the same one when it has one already or none is known."""
        self.observe(record)
        if record.v is not None:
            return record
        level = builtin_level(record, self._finder.release)
        return record if level is None else dataclasses.replace(record, v=level, v_from="message")
