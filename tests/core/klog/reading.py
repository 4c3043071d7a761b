"""Short ways to read texts in these tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedtui.core.klog import Clock, read_records

if TYPE_CHECKING:
    from schedtui.core.record import Record

HEADER = "I0301 10:00:00.000001       1 x.go:1] "
"""A header for lines whose header does not matter."""


def read(text: str | bytes, year: int = 2026) -> list[Record]:
    """All records of a text, the year of its first header given."""
    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")
    return list(read_records(data, clock=Clock(year)))


def read_one(text: str | bytes, year: int = 2026) -> Record:
    """The one record that a text is."""
    (record,) = read(text, year)
    return record
