"""What collectors and viewers put in front of a log line, taken off again.

Owns the shapes: CRI (``TIME STREAM TAG ``), docker's json-file, journald's short and JSON formats, ``kubectl logs
--timestamps`` and ``--prefix``, ``go test``'s call sites, and any other prefix glued to a klog header or a JSON
object. Refuses to join partial lines and to know records (``assembly``). An unknown shape comes back untouched.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import msgspec

from schedtui.core.klog.header import FULL_HEADER, HEADER_LETTERS, LONGEST_PREFIX, SHORT_HEADER, find_header
from schedtui.core.klog.journal_json import looks_like_journal_json, read_journal_json

_ISO = rb"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?"
_CRI = re.compile(rb"(" + _ISO + rb") (stdout|stderr) ([FP])(?::[^ ]*)?(?: |$)")
_JOURNAL = re.compile(
    rb"([A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?:\.\d{1,6})?"
    rb"|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)"
    rb"|[A-Z][a-z]{2} \d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})? [A-Z]{2,5})"
    rb" ([^ \[\]\":]{1,64}) ([^ \[\]\":]{1,64})(?:\[(\d{1,10})\])?: ?"
)
_TIMESTAMP = re.compile(rb"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d))(?: |$)")
_KUBECTL_PREFIX = re.compile(rb"\[(pod/[^\[\] ]{1,190})\] ?")
_GO_TEST = re.compile(rb" +([\w.-]{1,80}\.go):(\d{1,7}): (?=[IWEF]\d{4} )")
_ANY_TIME = re.compile(_ISO)
_COLOUR = re.compile(rb"\x1b\[[0-9;]*m")
_LAST_COLOUR = re.compile(rb"(?:\x1b\[[0-9;]*m)+$")
_JSON_START = re.compile(rb'\{"(?:ts|level|caller|msg|time)":')
_DOCKER_START = re.compile(rb'\{"log": ?"')
_DEBUGGER_WORDS = (b"debug", b"info", b"warn", b"error", b"fatal", b"panic", b"trace")


class Peeled(NamedTuple):
    """One physical line without its wrapper."""

    body: bytes
    """What the scheduler (or whoever) wrote, without the line feed."""
    time: str | None = None
    """The wrapper's time as it stands; None without one."""
    unit: str | None = None
    """Who the wrapper says wrote it: a stream, a journal unit, ``pod/name/container``; None when unsaid."""
    partial: bool = False
    """True when the next line of the same unit goes on with this one."""
    trimmed: bool = False
    """True when the wrapper takes leading blanks and tabs away (journald)."""
    host: str | None = None
    """The journal's host name."""
    prefix: bytes | None = None
    """An unknown prefix without a time, as it stands: lines that go on with this one may have the same."""
    call_site: tuple[str, int] | None = None
    """File and 1-based line that ``go test`` put in front."""


class _DockerLine(msgspec.Struct):
    log: str
    stream: str | None = None
    time: str | None = None


_docker = msgspec.json.Decoder(_DockerLine)


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def _peel_cri(found: re.Match[bytes], line: bytes) -> Peeled:
    time, stream, tag = found.groups()
    return Peeled(line[found.end() :], _text(time), _text(stream), tag == b"P")


def _peel_docker(line: bytes) -> Peeled | None:
    """A line of docker's json-file; None when it is cut or no JSON after all."""
    try:
        entry = _docker.decode(line)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return _peel_broken_docker(line)
    body = entry.log.encode("utf-8", "replace")
    partial = not body.endswith(b"\n")
    return Peeled(body if partial else body[:-1], entry.time, entry.stream, partial)


def _peel_broken_docker(line: bytes) -> Peeled | None:
    """The text of a cut json-file line that starts a klog line; anything else stays as it stands."""
    found = _DOCKER_START.match(line)
    start = found.end() if found is not None else 0
    if FULL_HEADER.match(line, start) is None:
        return None
    text = _text(line[start:])
    for cut in range(min(7, len(text))):
        try:
            decoded: str = msgspec.json.decode(f'"{text[: len(text) - cut]}"', type=str)
        except (msgspec.MsgspecError, UnicodeEncodeError):
            continue
        return Peeled(decoded.encode("utf-8", "replace").rstrip(b"\n"))
    end = re.search(r'(?<!\\)(?:\\\\)*"', text)
    try:
        decoded = msgspec.json.decode(f'"{text[: end.end() - 1] if end else text}"', type=str)
    except (msgspec.MsgspecError, UnicodeEncodeError):
        return None
    return Peeled(decoded.encode("utf-8", "replace").rstrip(b"\n"))


def _peel_journal(found: re.Match[bytes], line: bytes) -> Peeled:
    time, host, program, pid = found.groups()
    unit = program + (b"[" + pid + b"]" if pid else b"")
    return Peeled(line[found.end() :], _text(time), _text(unit), trimmed=True, host=_text(host))


def _peel_journal_json(line: bytes) -> Peeled | None:
    """An entry of ``journalctl -o json``; None when it is cut or no such entry."""
    entry = read_journal_json(line) if looks_like_journal_json(line) else None
    if entry is None:
        return None
    return Peeled(entry.text, entry.time, entry.unit, trimmed=True, host=entry.host)


def _peel_prefix(line: bytes) -> Peeled | None:
    """A prefix glued to a header or a JSON object: its time and its words are kept, the rest is the line."""
    found = find_header(line)
    start = found.start() if found is not None else -1
    json_start = _JSON_START.search(line, 1, LONGEST_PREFIX)
    whole_object = line.endswith(b"}") or (line.endswith(b"m") and _LAST_COLOUR.sub(b"", line).endswith(b"}"))
    if json_start is not None and whole_object and (start < 0 or json_start.start() < start):
        start = json_start.start()
    if start <= 0:
        return None
    whole = prefix = line[:start]
    if prefix.endswith(b"\t") and not prefix[-2:-1].isalnum():
        # ``name  | `` and a line of a block, not a prefix that ends with a tab.
        return None
    body = line[start:]
    if b"\x1b[" in prefix:
        # A colour around the whole line: its end goes with its beginning.
        prefix, body = _COLOUR.sub(b"", prefix), _LAST_COLOUR.sub(b"", body)
    time = _ANY_TIME.search(prefix)
    words = _text(prefix.replace(time[0], b"") if time else prefix).strip(" \t:|[]-\"'")
    if time is not None:
        return Peeled(body, _text(time[0]), words or None)
    return Peeled(body, None, words or None, prefix=whole)


def is_debugger_time(line: bytes, end: int) -> bool:
    """True when the ISO time that ends at ``end`` belongs to a line of dlv's own log (``TIME debug layer=…``)."""
    word, _, rest = line[end:].partition(b" ")
    return word in _DEBUGGER_WORDS and rest.startswith(b"layer=")


def _peel_dated(line: bytes) -> Peeled | None:
    """Lines that begin with a digit: CRI, journald's ISO formats, ``--timestamps``."""
    found = _CRI.match(line)
    if found is not None:
        return _peel_cri(found, line)
    found = _TIMESTAMP.match(line)
    if found is None:
        return _peel_prefix(line)
    if is_debugger_time(line, found.end()):
        return None
    body = line[found.end() :]
    if body[:1] and body[0] not in HEADER_LETTERS:
        journal = _JOURNAL.match(line)
        if journal is not None and journal[4] is not None:
            return _peel_journal(journal, line)
    inner = _peel_lettered(body)
    if inner is not None:
        return inner._replace(time=inner.time or _text(found[1]))
    return Peeled(body, _text(found[1]))


def _peel_lettered(line: bytes) -> Peeled | None:
    """Any other first byte: ``--prefix``, journald's short format, ``go test``, glued prefixes."""
    first = line[:1]
    if first == b"[":
        found = _KUBECTL_PREFIX.match(line)
        if found is not None:
            rest = line[found.end() :]
            inner = peel(rest)
            return inner._replace(unit=_text(found[1]))
    elif first == b" ":
        found = _GO_TEST.match(line)
        if found is not None:
            return Peeled(line[found.end() :], call_site=(_text(found[1]), int(found[2])))
        return None
    elif first.isalpha():
        found = _JOURNAL.match(line)
        if found is not None:
            return _peel_journal(found, line)
    elif first == b"\t":
        return None
    return _peel_prefix(line)


def peel(line: bytes) -> Peeled:
    """One physical line (without its line feed) without its wrapper; untouched when it has none."""
    if line.endswith(b"\r"):
        line = line[:-1]
    if not line:
        return Peeled(line)
    first = line[0]
    if first in HEADER_LETTERS and (FULL_HEADER.match(line) or SHORT_HEADER.match(line)):
        return Peeled(line)
    if first == 0x09:
        return Peeled(line)
    if first == 0x7B:
        docker = _DOCKER_START.match(line) or (b'"log":' in line and b'"stream":' in line)
        peel_it = _peel_docker if docker else _peel_journal_json
        return peel_it(line) or Peeled(line)
    if first == 0 or first == 0xEF:
        stripped = line.lstrip(b"\0").removeprefix(b"\xef\xbb\xbf")
        return peel(stripped) if stripped != line else Peeled(line)
    found = _peel_dated(line) if 0x30 <= first <= 0x39 else _peel_lettered(line)
    return found or Peeled(line)
