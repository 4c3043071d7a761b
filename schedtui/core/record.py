"""One log record as a value: what every reader of a scheduler log hands on.

Owns the shape of a record and nothing else: no parsing (``core.klog``), no storage (``core.log_index``),
no meaning (``core.events``).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

FieldValue = None | bool | int | float | str | list["FieldValue"] | dict[str, "FieldValue"]
"""A typed value of a key: numbers as numbers, objects of Kubernetes as ``ns/name``, JSON as it is."""

RecordKind = Literal["klog", "json", "plain", "debugger", "notice"]
"""How a record was read.

``klog``: a text line with klog's header. ``json``: a line of ``--logging-format=json``. ``plain``: no header at
all (kept as searchable text). ``debugger``: a line of dlv's own log. ``notice``: said by schedtui or by a
collector in between (rotation, lost lines), not by the scheduler.
"""

LevelSource = Literal["json", "source", "message"]
"""Where a V level comes from: the log's own JSON, the source tree, or the built-in table of messages."""

NO_FIELDS: Mapping[str, FieldValue] = MappingProxyType({})
"""The fields of a record that has none."""

EPOCH = datetime(1970, 1, 1, tzinfo=UTC).replace(tzinfo=None)
"""Zero of ``Record.time_us``: the klog header's own clock taken as if it were UTC."""


@dataclass(frozen=True, slots=True)
class Record:
    """A header line with all that belongs to it: continuation lines, panics, ``key=<`` blocks."""

    line: int
    """First physical line in its source, 1-based."""
    raw: str
    """The record's text: wrappers peeled, physical lines joined by a line feed, bad bytes replaced."""
    kind: RecordKind = "plain"
    """How it was read."""
    severity: str | None = None
    """``I``, ``W``, ``E`` or ``F``; None when no header tells it."""
    time_us: int | None = None
    """Microseconds since 1970 on the klog header's own clock (JSON: UTC); None when no header tells it."""
    time_guessed: tuple[str, ...] = ()
    """The parts of the time that the header does not hold and nothing proved: ``("year",)`` or empty."""
    wrapper_time: str | None = None
    """The time that a wrapper (CRI, docker, journald) put in front, as it stands there."""
    v: int | None = None
    """The verbosity level that the call records; None when unknown. Error lines have none."""
    v_range: tuple[int, int] | None = None
    """Lowest and highest level when the source leaves more than one; None otherwise."""
    v_from: LevelSource | None = None
    """Where ``v`` (or ``v_range``) comes from."""
    pid: int | None = None
    """The process (klog prints it where glog had the thread)."""
    file: str | None = None
    """Base name of the Go file that logged it; JSON logs keep ``dir/file.go`` in ``caller``."""
    caller: str | None = None
    """``dir/file.go:line`` of a JSON record as it stands; None in text logs."""
    src_line: int | None = None
    """1-based line in ``file``."""
    message: str = ""
    """The message without quotes, pairs and header; for printf-style lines the whole text."""
    fields: Mapping[str, FieldValue] = field(default_factory=lambda: NO_FIELDS)
    """The key/value pairs in the order of the line."""
    structured: bool = False
    """True when the message stood in quotes (or in JSON's ``msg``) and pairs may follow."""
    line_count: int = 1
    """Physical lines it spans, the first included."""
    offset: int = 0
    """Byte offset of its first line in its source."""
    length: int = 0
    """Bytes from ``offset`` to the end of its last line, line feed included."""
    source: int = 0
    """Which of the inputs it came from, counted from 0."""
    incomplete: bool = False
    """True for a last record whose end has not been written yet (an open ``key=<`` block, a cut JSON object)."""
    unit: str | None = None
    """Who a wrapper says wrote it: a stream, a journal unit, ``pod/name/container``; None without one."""

    @property
    def time(self) -> datetime | None:
        """``time_us`` as a naive datetime."""
        return None if self.time_us is None else EPOCH + timedelta(microseconds=self.time_us)

    def text(self, key: str) -> str | None:
        """The value of ``key`` if it is a string, else None."""
        value = self.fields.get(key)
        return value if isinstance(value, str) else None

    @property
    def pod(self) -> str | None:
        """The pod the record is about, ``ns/name``: the ``pod`` field, or an ``entity`` of type pod."""
        pod = self.text("pod")
        if pod is None and self.fields.get("type") == "pod":
            return self.text("entity")
        return pod


def time_text(time_us: int | None) -> str | None:
    """A moment of the log's clock in ISO 8601 without a zone; None when unknown."""
    if time_us is None:
        return None
    return (EPOCH + timedelta(microseconds=time_us)).isoformat(timespec="microseconds")
