"""The columns of consecutive records of one file, and what can be asked of them without reading.

Owns the value, how narrow its columns are, and cutting and joining chunks. ``core.log_index`` makes them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from schedtui.core.log_headers import UNKNOWN_TIME

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

PLAIN = 0
"""In severity columns: no header tells it."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """The columns of consecutive records in one file."""

    base: int
    """Byte offset of the first record in its file."""
    end: int
    """Byte offset behind the last record's line feed."""
    starts: NDArray[np.uint32]
    """Start of each record, counted from ``base``."""
    severity: NDArray[np.uint8]
    """``I``, ``W``, ``E``, ``F`` as byte values, or ``PLAIN``."""
    site: NDArray[np.uint16]
    """Number of the call site in the log's ``SiteTable``."""
    ticks: NDArray[np.int32] | NDArray[np.int64]
    """Microseconds since ``time_base``; negative when unknown. Wide when the chunk spans over 35 minutes."""
    time_base: int
    """Microseconds since 1970 on the header's own clock."""
    line_counts: NDArray[np.uint8] | NDArray[np.uint32]
    """Physical lines of each record."""
    line_total: int
    """Physical lines in the whole chunk."""
    first_month_day: int
    """100 · month + day of the first header; 0 when there is none."""
    first_year: int
    """The year taken for it."""
    last_month_day: int
    """100 · month + day of the last header; 0 when there is none."""
    last_year: int
    """The year taken for it."""
    ends: NDArray[np.uint32] | None = None
    """Where records end, counted from ``base``; None (nearly always) when each ends where the next one starts.
    Otherwise lines of other units stand within records."""
    wrapped: bool = False
    """Later lines may go on with records before the last one: wrapped lines of several units."""

    def __len__(self) -> int:
        return len(self.starts)

    def start(self, index: int) -> int:
        """Byte offset of a record."""
        return self.base + int(self.starts[index])

    def stop(self, index: int) -> int:
        """Byte offset behind a record."""
        if self.ends is not None:
            return self.base + int(self.ends[index])
        return self.end if index + 1 == len(self.starts) else self.base + int(self.starts[index + 1])

    def times(self) -> NDArray[np.int64]:
        """Microseconds since 1970 of all records; ``UNKNOWN_TIME`` where no header tells it."""
        times = self.time_base + self.ticks.astype(np.int64)
        times[self.ticks < 0] = UNKNOWN_TIME
        return times

    def time(self, index: int) -> int | None:
        """Microseconds since 1970 of one record."""
        ticks = int(self.ticks[index])
        return None if ticks < 0 else self.time_base + ticks

    def index_at(self, offset: int) -> int:
        """The record that holds the byte at ``offset`` (the first or last one when it lies outside)."""
        found = int(np.searchsorted(self.starts, max(0, offset - self.base), side="right")) - 1
        return min(max(found, 0), len(self.starts) - 1)


def packed_times(times: NDArray[np.int64]) -> tuple[NDArray[np.int32] | NDArray[np.int64], int]:
    """Times as microseconds since a base, and the base; narrow where the times are close together."""
    known = times != UNKNOWN_TIME
    if not known.any():
        return np.full(len(times), -1, np.int32), 0
    base = int(times[known].min())
    ticks = np.where(known, times - base, -1)
    return (ticks.astype(np.int32) if int(ticks.max()) < 2**31 else ticks), base


def packed_counts(counts: NDArray[np.int64]) -> NDArray[np.uint8] | NDArray[np.uint32]:
    """Numbers of lines, narrow where no record is long."""
    return counts.astype(np.uint8) if counts.max() < 256 else counts.astype(np.uint32)


def sliced(chunk: Chunk, first: int, stop: int) -> Chunk:
    """The records ``first`` to ``stop`` of a chunk (at least one)."""
    if first == 0 and stop == len(chunk):
        return chunk
    shift = chunk.starts[first]
    counts = chunk.line_counts[first:stop]
    return replace(
        chunk,
        base=chunk.start(first), end=chunk.end if stop >= len(chunk) else chunk.start(stop),
        ends=None if chunk.ends is None else chunk.ends[first:stop] - shift,
        starts=chunk.starts[first:stop] - shift,
        severity=chunk.severity[first:stop], site=chunk.site[first:stop], ticks=chunk.ticks[first:stop],
        line_counts=counts, line_total=int(counts.sum()),
    )  # fmt: skip


def joined(chunks: Sequence[Chunk]) -> Chunk:
    """One chunk from neighbours in the same file."""
    first, last = chunks[0], chunks[-1]
    counts = np.concatenate([chunk.line_counts for chunk in chunks])
    dated = [chunk for chunk in chunks if chunk.first_month_day]
    head, tail = (dated[0], dated[-1]) if dated else (first, last)
    return Chunk(
        first.base, last.end,
        np.concatenate([chunk.starts + np.uint32(chunk.base - first.base) for chunk in chunks]),
        np.concatenate([chunk.severity for chunk in chunks]),
        np.concatenate([chunk.site for chunk in chunks]),
        *packed_times(np.concatenate([chunk.times() for chunk in chunks])),
        counts, sum(chunk.line_total for chunk in chunks),
        head.first_month_day, head.first_year, tail.last_month_day, tail.last_year,
        _joined_ends(chunks), chunks[-1].wrapped,
    )  # fmt: skip


def _joined_ends(chunks: Sequence[Chunk]) -> NDArray[np.uint32] | None:
    if all(chunk.ends is None for chunk in chunks):
        return None
    base = chunks[0].base
    return np.array([chunk.stop(index) - base for chunk in chunks for index in range(len(chunk))], np.uint32)
