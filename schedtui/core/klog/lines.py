"""What a physical line is, seen alone: the start of a record, or something that may belong to the one above.

Owns the classes of lines and the tables of what collectors, dlv and klog's own files print in between. The rule
for runs of lines (which plain line belongs to which record) is ``assembly``'s.
"""

from __future__ import annotations

import re
from enum import IntEnum
from typing import TYPE_CHECKING

from schedtui.core.klog.header import FULL_HEADER, HEADER_LETTERS, SHORT_HEADER
from schedtui.core.klog.wrappers import is_debugger_time, peel

if TYPE_CHECKING:
    from schedtui.core.record import FieldValue


class LineClass(IntEnum):
    """What a line is, its wrapper peeled."""

    PLAIN = 0
    """Nothing known: its own record, or part of the klog record above."""
    INDENTED = 1
    """Begins with a blank or tab, or is empty: part of the record above."""
    TRACE = 2
    """Begins a Go panic or stack: part of a klog record above, else the start of a record that keeps growing."""
    KLOG = 3
    """A klog or glog header."""
    SHORT = 4
    """The header of klog's ktesting logger."""
    JSON = 5
    """A line that begins as a JSON object does (cut ones included)."""
    DEBUGGER = 6
    """dlv's own output."""
    NOTICE = 7
    """Said by a collector: lines were lost, the machine booted, a file begins."""
    FILE_HEADER = 8
    """``Log file created at: …``, the first of four lines on top of each of klog's files."""


FIRST_STARTING_CLASS = LineClass.KLOG
"""This class and all above always start a record."""

_ISO_START = re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d) ")
_TRACE_START = re.compile(
    rb"goroutine \d+ \[|panic: |fatal error: |runtime: |unexpected fault address|SIG[A-Z]+: |\[signal SIG"
    rb"|\[originating from goroutine|created by |\S+\.(?:go|s):\d+(?:\s|$)"
)
_JSON_ENTRY = re.compile(
    rb'\{"(?:ts|level|severity|time|msg|message|caller|logger|v)":|\{(?=.{0,300}"(?:ts|msg)":)'
)
_DEBUGGER = re.compile(
    rb"(?:API|DAP) server listening at: |Process \d+ has exited with status -?\d"
    rb"|Type 'help' for list of commands\.|\(dlv\)|> \[[^\]]+\] |Process restarted with PID \d"
    rb"|(?:DEBU|INFO|WARN|ERRO|FATA)\[\S+\] .*layer="
    rb"|Stop reason: |Detaching from process |Would you like to kill the process"
)
_NOTICES: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = tuple(
    (re.compile(pattern), names)
    for pattern, names in (
        # systemd-journald, rate limit of a service.
        (r"Suppressed (\d{1,18}) messages from (\S+)", ("lost", "unit")),
        (r"Missed (\d{1,18}) kernel messages", ("lost",)),
        # rsyslog, on the way from the journal or the socket.
        (r"imuxsock (?:lost|\S+:) (\d{1,18}) messages from pid (\d{1,18})", ("lost", "pid")),
        (r"imjournal: (\d{1,18}) messages lost due to rate-limiting", ("lost",)),
        # journalctl's own lines.
        (r"-- (?:Reboot|Boot \w+|Logs begin at .*|Journal begins at .*|No entries) ?(?:--)?", ()),
        # tail -f FILE FILE
        (r"==> (\S.*) <==$", ("file",)),
    )
)
"""Pattern and the fields that its groups are."""
_COUNTED = ("lost", "pid")
"""The fields of a notice that are numbers."""
_NOTICE_START = re.compile(rb"Suppressed \d|Missed \d+ kernel|im(?:uxsock|journal)\b|-- |==> ")
_FILE_HEADER_START = b"Log file created at: "
FILE_HEADER_REST = (b"Running on machine: ", b"Binary: Built with ", b"Log line format: ")
"""The other lines of a file header."""


def classify(body: bytes) -> LineClass:
    """The class of a line whose wrapper is peeled."""
    if not body:
        return LineClass.INDENTED
    first = body[0]
    if first in HEADER_LETTERS:
        if FULL_HEADER.match(body):
            return LineClass.KLOG
        if SHORT_HEADER.match(body):
            return LineClass.SHORT
    elif first == 0x7B:
        return LineClass.JSON if _JSON_ENTRY.match(body) else LineClass.PLAIN
    elif first in b" \t":
        return LineClass.INDENTED
    elif 0x30 <= first <= 0x39:
        found = _ISO_START.match(body)
        debugger = found is not None and is_debugger_time(body, found.end())
        return LineClass.DEBUGGER if debugger else LineClass.PLAIN
    return _classify_words(body)


def _classify_words(body: bytes) -> LineClass:
    if _TRACE_START.match(body):
        return LineClass.TRACE
    if _DEBUGGER.match(body):
        return LineClass.DEBUGGER
    if _NOTICE_START.match(body) and notice_fields(body.decode("utf-8", "replace")) is not None:
        return LineClass.NOTICE
    if body.startswith(_FILE_HEADER_START):
        return LineClass.FILE_HEADER
    return LineClass.PLAIN


def notice_fields(text: str) -> dict[str, FieldValue] | None:
    """What a collector's line says; None when it is not one."""
    for pattern, names in _NOTICES:
        found = pattern.match(text)
        if found is not None:
            return {
                name: int(value) if name in _COUNTED else value.rpartition("/")[2] if name == "unit" else value
                for name, value in zip(names, found.groups(), strict=True)
            }
    return None


def lost_lines(line: bytes) -> int | None:
    """How many lines a collector says it dropped, in a line with its wrapper; None when it says no such thing."""
    body = peel(line).body
    if not _NOTICE_START.match(body):
        return None
    fields = notice_fields(body.decode("utf-8", "replace"))
    lost = fields.get("lost") if fields is not None else None
    return lost if isinstance(lost, int) else None


def starts_record(line: bytes) -> bool:
    """True when this physical line starts a record whatever stands above it.

    Lines that begin with a tab never do, so a fake header inside a ``key=<`` block is none. Plain lines depend on
    what is above them (``split_records`` knows).
    """
    return classify(peel(line.rstrip(b"\n")).body) >= FIRST_STARTING_CLASS
