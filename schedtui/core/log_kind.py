"""Whether the start of a file looks like a scheduler's log, and what it looks like else.

Owns the signs. Any line is shown whatever it is: this only finds the words for a file that was named by mistake.
"""

from __future__ import annotations

from schedtui.core.klog import RecordReader

START_BYTES = 64 * 1024
"""How much of a file's start a caller should hand over."""

ENOUGH_LINES = 20
"""So many lines without a log's header are a sign; a few may stand before the first one."""

SIGNATURES: tuple[tuple[bytes, str], ...] = (
    (b"\x7fELF", "a program"),
    (b"\xcf\xfa\xed\xfe", "a program"),
    (b"\x28\xb5\x2f\xfd", "compressed by zstd: unpack it first"),
    (b"\xfd7zXZ", "compressed by xz: unpack it first"),
    (b"BZh", "compressed by bzip2: unpack it first"),
    (b"PK\x03\x04", "a zip archive: unpack it first"),
    (b"SQLite format 3", "a database"),
)
"""First bytes → what such a file is."""

BINARY_SHARE = 0.1
"""A file with at least this share of bytes that no text holds is binary."""

_TEXT_CONTROLS = frozenset(b"\t\n\r\x1b\x0c\x08")


def doubt_about(start: bytes) -> str:
    """Why the file that begins with ``start`` is hardly a log; empty when it may be one."""
    if not start.strip(b"\x00 \t\r\n"):
        return ""
    for signature, what in SIGNATURES:
        if start.startswith(signature):
            return f"it is {what}"
    strange = sum(byte < 32 and byte not in _TEXT_CONTROLS for byte in start)
    undecodable = start.decode("utf-8", "replace").count("\ufffd")
    if strange + undecodable > BINARY_SHARE * len(start):
        return "it holds binary data, not text"
    reader = RecordReader()
    records = [*reader.feed(start), *reader.finish()]
    lines = sum(record.line_count for record in records)
    if lines >= ENOUGH_LINES and not any(record.severity for record in records):
        return f"none of its first {lines} lines begins like a line of a Kubernetes component"
    return ""
