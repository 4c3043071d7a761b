"""Reading the text of records: blocks for scans, single records, and first lines for the screen.

Owns which bytes belong to which record of a piece and the scan over all of them. It decodes and parses nothing
beyond what a first line needs; patterns and filters say what matches.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import numpy as np

from schedtui.core.klog import Clock, RecordReader, parse_record
from schedtui.core.record import EPOCH

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from schedtui.core.record import Record
    from schedtui.sources.log_pieces import Part, Piece

SCAN_BYTES = 1 << 20
"""How much text is read at a time by a scan: what the processor's cache holds; four times as much is slower."""

HEAD_BYTES = 400
"""Of a line without a header so much is looked at for what a log collector says."""

ROW_BLOCK_BYTES = 256 << 10
"""Neighbouring rows are read in one go up to this size."""


_NO_LEVELS = np.full(1 << 16, -1, np.int16)


def scan_blocks(part: Part, first: int = 0) -> Iterator[tuple[int, bytes, NDArray[np.int64]]]:
    """The text of a part's records from ``first`` on.

    Yields:
        (index of the first record in the block, the block, where each of its records starts in it).
    """
    chunk = part.chunk
    count = len(chunk)
    while first < count:
        start = chunk.start(first)
        stop = int(np.searchsorted(chunk.starts, start - chunk.base + SCAN_BYTES))
        stop = min(max(stop, first + 1), count)
        block = part.file.read(start, chunk.stop(stop - 1) - start)
        starts = (chunk.starts[first:stop] - chunk.starts[first]).astype(np.int64)
        # A file that was cut short meanwhile gives fewer bytes: records behind its end are left out.
        yield first, block, starts if not len(starts) or starts[-1] < len(block) else starts[starts < len(block)]
        first = stop


def record_bytes(part: Part, index: int) -> bytes:
    """All bytes of one record."""
    start = part.chunk.start(index)
    return part.file.read(start, part.chunk.stop(index) - start)


def own_text(part: Part, index: int) -> bytes:
    """The text of a record within which lines of others stand, without them."""
    return read_record(part, index, record_bytes(part, index), _NO_LEVELS).raw.encode("utf-8", "replace")


def read_record(part: Part, index: int, raw: bytes, levels: NDArray[np.int16], line: int = 0) -> Record:
    """A record from its bytes, with the time and the level that the index has found for it."""
    chunk = part.chunk
    moment = chunk.time(index)
    year = EPOCH.year if moment is None else (EPOCH + timedelta(microseconds=moment)).year
    clock = Clock.for_year(year, guessed=not part.file.year_proven)
    record = None
    if chunk.ends is not None:
        # Lines of other units stand between its own.
        reader = RecordReader(part.source, clock, line=line, offset=chunk.start(index))
        records = reader.feed(raw) + reader.finish()
        record = next((one for one in records if one.offset == chunk.start(index)), None)
    if record is None:
        record = parse_record(raw, line=line, offset=chunk.start(index), source=part.source, clock=clock)
    if record.v is not None or record.severity != "I":
        return record
    level = int(levels[chunk.site[index]])
    return replace(record, v=level, v_from="source") if level >= 0 else record


def flags_over_parts(piece: Piece, first: int, part_flags: list[NDArray[np.bool_]]) -> NDArray[np.bool_]:
    """Flags for a piece's records from ``first`` on, from flags for each part's records (all of them)."""
    return piece.gathered(part_flags)[first:]


class FirstLines:
    """First lines of neighbouring records, read in one go where they are close together."""

    def __init__(self, columns: int) -> None:
        self._columns = columns
        self._file: object = None
        self._start = 0
        self._block = b""

    def first_line(self, part: Part, index: int) -> tuple[str, bool]:
        """A record's first line without its line feed, and whether the record ends with one."""
        start, stop = part.chunk.start(index), part.chunk.stop(index)
        most = self._columns * 4 + 4
        if stop - start > ROW_BLOCK_BYTES:
            data = part.file.read(start, min(most, stop - start))
            ends = part.file.read(stop - 1, 1) == b"\n"
        else:
            data = self._bytes(part, index, start, stop)
            ends = data.endswith(b"\n")
        line = data.split(b"\n", 1)[0][:most]
        return line.removesuffix(b"\r").decode("utf-8", "replace")[: self._columns], ends

    def head(self, part: Part, index: int) -> bytes:
        """The beginning of a record's first line."""
        start, stop = part.chunk.start(index), part.chunk.stop(index)
        if stop - start > ROW_BLOCK_BYTES:
            return b""
        return self._bytes(part, index, start, stop)[:HEAD_BYTES].split(b"\n", 1)[0]

    def _bytes(self, part: Part, index: int, start: int, stop: int) -> bytes:
        inside = self._file is part.file and self._start <= start and stop <= self._start + len(self._block)
        if not inside:
            self._file, self._start = part.file, start
            size = stop - start
            ahead = index
            while ahead + 1 < len(part.chunk) and ahead < index + 100:
                ahead += 1
                if part.chunk.stop(ahead) - start > ROW_BLOCK_BYTES // 4:
                    break
                size = max(size, part.chunk.stop(ahead) - start)
            self._block = part.file.read(start, size)
        return self._block[start - self._start : stop - self._start]
