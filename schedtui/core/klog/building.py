"""One record from its lines: header, message and fields of each class of line.

Owns what becomes of a record's text once its lines are known. Refuses to decide which lines those are
(``assembly``) and to read their time (handed in).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, cast

from schedtui.core.klog.fields import LineFields, first_pair, message_end, parse_pairs
from schedtui.core.klog.header import FULL_HEADER, SHORT_HEADER
from schedtui.core.klog.json_lines import JsonLine, parse_json_line
from schedtui.core.klog.lines import LineClass, classify, notice_fields
from schedtui.core.klog.values import unquote
from schedtui.core.klog.wordings import fields_of_wording
from schedtui.core.record import NO_FIELDS, Record

if TYPE_CHECKING:
    from collections.abc import Mapping

    from schedtui.core.record import FieldValue, RecordKind

_DEBUGGER_LINE = re.compile(r"\S+ (debug|info|warn|error|fatal|panic|trace) layer=(\S+) ?(.*)", re.DOTALL)
_DEBUGGER_SEVERITIES = {
    "debug": "I",
    "trace": "I",
    "info": "I",
    "warn": "W",
    "error": "E",
    "fatal": "F",
    "panic": "F",
}


class _Draft:
    """A record while it is being made.

    A frozen dataclass sets each field through ``object.__setattr__``, which costs 2 µs a record, as much as all of
    its parsing. A draft has the same slots, sets them plainly, and becomes a record by changing its class.
    """

    __slots__ = Record.__slots__

    def __init__(
        self, line: int, raw: str, kind: RecordKind, severity: str | None, time_us: int | None,
        time_guessed: tuple[str, ...], wrapper_time: str | None, v: int | None, pid: int | None, file: str | None,
        caller: str | None, src_line: int | None, message: str, fields: Mapping[str, FieldValue],
        structured: bool, line_count: int, offset: int, length: int, source: int, incomplete: bool,
        unit: str | None,
    ) -> None:  # fmt: skip
        self.line = line
        self.raw = raw
        self.kind = kind
        self.severity = severity
        self.time_us = time_us
        self.time_guessed = time_guessed
        self.wrapper_time = wrapper_time
        self.v = v
        self.v_range = None
        self.v_from = None if v is None else "json"
        self.pid = pid
        self.file = file
        self.caller = caller
        self.src_line = src_line
        self.message = message
        self.fields = fields
        self.structured = structured
        self.line_count = line_count
        self.offset = offset
        self.length = length
        self.source = source
        self.incomplete = incomplete
        self.unit = unit

    def record(self) -> Record:
        """This draft as the record that it is from now on."""
        self.__class__ = Record  # type: ignore[assignment]
        return cast("Record", self)


class OpenRecord:
    """The lines of a record that may still grow."""

    __slots__ = (
        "bodies", "call_site", "closed", "end", "header", "in_block", "in_trace", "line",
        "line_class", "line_count", "offset", "time_guessed", "time_us", "trimmed", "unit", "wrapper_time",
    )  # fmt: skip

    def __init__(
        self, body: bytes, line_class: LineClass, line: int, offset: int, end: int,
        header: re.Match[bytes] | None = None,
    ) -> None:  # fmt: skip
        """Open a record with its first line, wrapper peeled; ``header`` when it has been matched already."""
        self.bodies = [body]
        self.header = header
        self.line_class = line_class
        self.line = line
        self.offset = offset
        self.end = end
        self.line_count = 1
        self.time_us: int | None = None
        self.time_guessed: tuple[str, ...] = ()
        self.wrapper_time: str | None = None
        self.unit: str | None = None
        self.call_site: tuple[str, int] | None = None
        self.trimmed = False
        self.in_block = False
        self.in_trace = False
        self.closed = False

    def text(self) -> str:
        """The record's text as ``Record.raw`` holds it."""
        bodies = self.bodies
        raw = bodies[0] if len(bodies) == 1 else b"\n".join(bodies)
        return raw.decode("utf-8", "replace")


def build_record(lines: OpenRecord, source: int, incomplete: bool) -> Record:
    """The record that some lines are."""
    line_class = lines.line_class
    if line_class is LineClass.KLOG:
        return _klog(lines, source, incomplete)
    if line_class is LineClass.JSON:
        entry = parse_json_line(lines.bodies[0])
        if entry is not None:
            return _json(lines, entry, source)
        return _plain(lines, source, incomplete)
    if line_class is LineClass.SHORT:
        return _short(lines, source, incomplete)
    if line_class is LineClass.DEBUGGER:
        return _debugger(lines, source)
    if line_class is LineClass.NOTICE:
        text = lines.text()
        return _other(lines, source, text, "notice", text, notice_fields(text) or NO_FIELDS)
    return _plain(lines, source, incomplete)


def build_single(
    line: bytes, header: re.Match[bytes], number: int, offset: int, source: int,
    time_us: int | None, time_guessed: tuple[str, ...], length: int = 0,
) -> Record:  # fmt: skip
    """The record of one unwrapped line with a full header: the way that nearly all lines of a text log take."""
    severity, _, _, pid, file, src_line = header.groups()
    raw = line.decode("utf-8", "replace")
    message, fields, structured = _message(raw, _message_start(raw, header, file), None)
    return _Draft(
        number, raw, "klog", _SEVERITIES[severity], time_us, time_guessed, None, None,
        int(pid), _file_name(file), None, int(src_line), message, fields, structured,
        1, offset, length or len(line) + 1, source, False, None,
    ).record()  # fmt: skip


def _klog(lines: OpenRecord, source: int, incomplete: bool) -> Record:
    header = lines.header or FULL_HEADER.match(lines.bodies[0])
    assert header is not None
    severity, _, _, pid, file, src_line = header.groups()
    raw = lines.text()
    message, fields, structured = _message(raw, _message_start(raw, header, file), lines)
    return _Draft(
        lines.line, raw, "klog", _SEVERITIES[severity], lines.time_us, lines.time_guessed, lines.wrapper_time,
        None, int(pid), _file_name(file), None, int(src_line), message, fields, structured,
        lines.line_count, lines.offset, lines.end - lines.offset, source, incomplete, lines.unit,
    ).record()  # fmt: skip


_SEVERITIES = {b"I": "I", b"W": "W", b"E": "E", b"F": "F"}
_file_names: dict[bytes, str] = {}


def _file_name(raw: bytes) -> str:
    """The same string for the same file: millions of records name a few hundred."""
    name = _file_names.get(raw)
    if name is None:
        if len(_file_names) > 4096:
            _file_names.clear()
        name = _file_names[raw] = raw.decode("utf-8", "replace")
    return name


def _message_start(raw: str, header: re.Match[bytes], file: bytes) -> int:
    """Where the message of a decoded record begins, behind a full header in its bytes."""
    start = header.end() if file.isascii() else len(header[0].decode("utf-8", "replace"))
    return start + 1 if raw[start : start + 1] == " " else start


def _message(raw: str, start: int, lines: OpenRecord | None) -> tuple[str, Mapping[str, FieldValue], bool]:
    """Message, fields and whether it is structured, of the text behind a full header."""
    if raw[start : start + 1] == '"':
        end = message_end(raw, start)
        if end > 0:
            if end == len(raw):
                return unquote(raw[start + 1 : end - 1]), NO_FIELDS, True
            following = raw[end]
            if following == "\n" or (following == " " and raw.find("=", end) >= 0) or not raw[end:].strip():
                fields = LineFields(raw, end, parse_pairs)
                return unquote(raw[start + 1 : end - 1]), fields, True
            if following == "=":
                return _quoted_keys(raw, start)
    return _printf_text(raw, start, lines), LineFields(raw, start, _wording), False


def _printf_text(raw: str, start: int, lines: OpenRecord | None) -> str:
    """The text of a printf-style record, without the stack that hangs on it."""
    if lines is None or not lines.in_trace:
        return raw[start:]
    end = 0
    for body in lines.bodies:
        if end and classify(body) is LineClass.TRACE:
            break
        end += 1
    return "\n".join(raw.split("\n")[:end])[start:]


def _wording(raw: str, start: int) -> dict[str, FieldValue]:
    return fields_of_wording(raw[start:])


def _quoted_keys(raw: str, start: int) -> tuple[str, Mapping[str, FieldValue], bool]:
    """The shape of the old klogr: ``"msg"="text" "key"=value``."""
    fields = parse_pairs(raw, start)
    message = fields.pop("msg", None)
    if not isinstance(message, str):
        return raw[start:], LineFields(raw, start, _wording), False
    return message, fields, True


def _short(lines: OpenRecord, source: int, incomplete: bool) -> Record:
    header = SHORT_HEADER.match(lines.bodies[0])
    assert header is not None
    raw = lines.text()
    start = min(header.end() + 1, len(raw))
    pairs = first_pair(raw, start)
    file, src_line = lines.call_site or (None, None)
    return Record(
        line=lines.line, raw=raw, kind="klog", severity=_SEVERITIES[header[1]], time_us=lines.time_us,
        time_guessed=lines.time_guessed, wrapper_time=lines.wrapper_time, file=file, src_line=src_line,
        message=raw[start:pairs], fields=LineFields(raw, pairs, parse_pairs), line_count=lines.line_count,
        offset=lines.offset, length=lines.end - lines.offset, source=source, incomplete=incomplete,
        unit=lines.unit,
    )  # fmt: skip


def _json(lines: OpenRecord, entry: JsonLine, source: int) -> Record:
    severity, time_us, v, file, caller, src_line, message, fields = entry
    return _Draft(
        lines.line, lines.text(), "json", severity, time_us, (), lines.wrapper_time, v,
        None, file, caller, src_line, message, fields, True,
        lines.line_count, lines.offset, lines.end - lines.offset, source, False, lines.unit,
    ).record()  # fmt: skip


def _debugger(lines: OpenRecord, source: int) -> Record:
    text = lines.text()
    found = _DEBUGGER_LINE.match(text)
    if found is None:
        return _other(lines, source, text, "debugger", text, NO_FIELDS)
    fields: dict[str, FieldValue] = {"layer": found[2]}
    return _other(lines, source, text, "debugger", found[3], fields, _DEBUGGER_SEVERITIES[found[1]])


def _plain(lines: OpenRecord, source: int, incomplete: bool) -> Record:
    text = lines.text()
    message = text.partition("\n")[0] if lines.in_trace else text
    return _other(lines, source, text, "plain", message, NO_FIELDS, None, incomplete)


def _other(
    lines: OpenRecord, source: int, text: str, kind: RecordKind, message: str, fields: Mapping[str, FieldValue],
    severity: str | None = None, incomplete: bool = False,
) -> Record:  # fmt: skip
    return Record(
        line=lines.line, raw=text, kind=kind, severity=severity, time_us=lines.time_us,
        time_guessed=lines.time_guessed, wrapper_time=lines.wrapper_time, message=message, fields=fields,
        line_count=lines.line_count, offset=lines.offset, length=lines.end - lines.offset, source=source,
        incomplete=incomplete, unit=lines.unit,
    )  # fmt: skip
