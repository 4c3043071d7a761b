"""Lines of ``journalctl -o json``: one object an entry, the text under ``MESSAGE``.

Owns reading such an object (systemd.journal-fields(7): text as a string, or as numbers where it holds bytes that
are no text). Which lines are tried is ``wrappers``'.
"""

from __future__ import annotations

from datetime import timedelta
from typing import NamedTuple

import msgspec

from schedtui.core.record import EPOCH

MESSAGE_KEY = b'"MESSAGE":'
"""Stands in every entry that has a text."""

_SIGNS = (b'"__REALTIME_TIMESTAMP":', b'"__CURSOR":', b'"_BOOT_ID":', b'"_HOSTNAME":')
_LAST_MICROSECOND = 253_402_300_799_999_999
"""The end of the year 9999."""


class JournalEntry(NamedTuple):
    """What is read of an entry."""

    text: bytes
    """As it was written."""
    time: str | None
    """ISO, UTC; None when the entry has none."""
    unit: str | None
    """Program and process, as journalctl's short formats write them: ``kube-scheduler[12]``."""
    host: str | None
    """The machine."""


class _Entry(msgspec.Struct):
    message: str | list[int] = msgspec.field(name="MESSAGE")
    time: str | None = msgspec.field(name="__REALTIME_TIMESTAMP", default=None)
    program: str | None = msgspec.field(name="SYSLOG_IDENTIFIER", default=None)
    command: str | None = msgspec.field(name="_COMM", default=None)
    pid: str | None = msgspec.field(name="_PID", default=None)
    host: str | None = msgspec.field(name="_HOSTNAME", default=None)


_decoder = msgspec.json.Decoder(_Entry)


def looks_like_journal_json(line: bytes) -> bool:
    """Whether it is worth reading a line as a journal's entry."""
    return MESSAGE_KEY in line and any(sign in line for sign in _SIGNS)


def message_column(line: bytes) -> int:
    """Where the text starts in an entry's line; -1 when it is none, or no string."""
    found = line.find(MESSAGE_KEY)
    start = found + len(MESSAGE_KEY)
    while line[start : start + 1] == b" ":
        start += 1
    return start + 1 if found >= 0 and line[start : start + 1] == b'"' else -1


def read_journal_json(line: bytes) -> JournalEntry | None:
    """An entry; None when the line is cut, or none after all."""
    try:
        entry = _decoder.decode(line)
        text = entry.message.encode("utf-8", "replace") if isinstance(entry.message, str) else bytes(entry.message)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError, ValueError):
        return None
    program = entry.program or entry.command
    unit = f"{program}[{entry.pid}]" if program and entry.pid else program
    return JournalEntry(text.removesuffix(b"\n"), _iso(entry.time), unit, entry.host)


def _iso(microseconds: str | None) -> str | None:
    if microseconds is None or not microseconds.isdecimal() or not microseconds.isascii():
        return None
    moment = int(microseconds[:20])
    if moment > _LAST_MICROSECOND:
        return None
    return f"{EPOCH + timedelta(microseconds=moment):%Y-%m-%dT%H:%M:%S.%f}Z"
