"""Stretches of a log in the order in which they are shown: records of one file, of several merged, or a divider.

Owns the frozen value that the store publishes and what can be asked of it without reading: severities, sites,
times, and where a record's bytes are. Reading belongs to the store, order to ``log_order``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from schedtui.core.log_chunk import PLAIN
from schedtui.core.log_headers import UNKNOWN_TIME

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from schedtui.core.log_chunk import Chunk
    from schedtui.sources.log_file import LogFile

_Kind = TypeVar("_Kind", bound=np.generic)

ADDRESS_BITS = 44
"""Bits of an address that hold the byte offset (16 TiB); those above hold the file generation's number."""


@dataclass(frozen=True, slots=True)
class Part:
    """Consecutive records of one file generation."""

    source: int
    """Which input, counted from 0."""
    number: int
    """Counts file generations over all inputs."""
    file: LogFile
    """Where the bytes are."""
    chunk: Chunk
    """The columns."""

    def address(self, index: int) -> int:
        """Names a record for ever."""
        return self.number << ADDRESS_BITS | self.chunk.start(index)


@dataclass(frozen=True)
class Piece:
    """Consecutive records as they are shown."""

    parts: tuple[Part, ...]
    """One for a plain stretch, several for a merged one, none for a divider."""
    part_of: NDArray[np.uint8] | None = None
    """Merged: the part of each record, as a position in ``parts``; None when there is one part."""
    index_in: NDArray[np.uint32] | None = None
    """Merged: each record's index in its part; None when there is one part."""
    notice: str = ""
    """A divider's text."""
    notice_us: int = 0
    """A divider's time on the log's clock; 0 when unknown."""
    notice_number: int = 0
    """A divider's place among file generations, for its address."""
    source: int = 0
    """A divider's input."""

    def __len__(self) -> int:
        if not self.parts:
            return 1
        return len(self.parts[0].chunk) if self.part_of is None else len(self.part_of)

    def locate(self, index: int) -> tuple[Part, int]:
        """The part of a record and its index there; not for dividers."""
        if self.part_of is None or self.index_in is None:
            return self.parts[0], index
        return self.parts[int(self.part_of[index])], int(self.index_in[index])

    def gathered(self, columns: Sequence[NDArray[_Kind]]) -> NDArray[_Kind]:
        """One column for the piece from one for each part."""
        if self.part_of is None or self.index_in is None:
            return columns[0]
        whole = np.zeros(len(self.part_of), columns[0].dtype)
        for part, column in enumerate(columns):
            chosen = self.part_of == part
            whole[chosen] = column[self.index_in[chosen]]
        return whole

    @cached_property
    def severity(self) -> NDArray[np.uint8]:
        """Severities as byte values."""
        if not self.parts:
            return np.full(1, PLAIN, np.uint8)
        return self.gathered([part.chunk.severity for part in self.parts])

    @cached_property
    def site(self) -> NDArray[np.uint16]:
        """Call sites by number."""
        if not self.parts:
            return np.zeros(1, np.uint16)
        return self.gathered([part.chunk.site for part in self.parts])

    @property
    def line_counts(self) -> NDArray[np.int64]:
        """Physical lines of each record; a divider has none."""
        if not self.parts:
            return np.zeros(1, np.int64)
        return self.gathered([part.chunk.line_counts.astype(np.int64) for part in self.parts])

    def times(self) -> NDArray[np.int64]:
        """Microseconds since 1970; ``UNKNOWN_TIME`` where no header tells it."""
        if not self.parts:
            return np.full(1, self.notice_us or UNKNOWN_TIME, np.int64)
        if self.part_of is None:
            return self.parts[0].chunk.times()
        return self.gathered([part.chunk.times() for part in self.parts])

    def address(self, index: int) -> int:
        """Names a record for ever."""
        if not self.parts:
            return self.notice_number << ADDRESS_BITS
        part, inner = self.locate(index)
        return part.address(inner)

    def find(self, address: int) -> int | None:
        """The index of the record that an address lies in; None when it lies elsewhere."""
        number, offset = address >> ADDRESS_BITS, address & ((1 << ADDRESS_BITS) - 1)
        if not self.parts:
            return 0 if number == self.notice_number else None
        for place, part in enumerate(self.parts):
            if part.number == number and part.chunk.base <= offset < part.chunk.end:
                inner = part.chunk.index_at(offset)
                if self.part_of is None or self.index_in is None:
                    return inner
                found = np.flatnonzero((self.part_of == place) & (self.index_in == inner))
                return int(found[0]) if len(found) else None
        return None


@dataclass(frozen=True, slots=True)
class Pieces:
    """All pieces known so far, numbered without gaps; frozen."""

    low: int = 0
    """The first piece's number."""
    pieces: tuple[Piece, ...] = field(default_factory=tuple)
    """In the order shown."""

    @property
    def high(self) -> int:
        """One past the last piece's number."""
        return self.low + len(self.pieces)

    def __getitem__(self, number: int) -> Piece:
        return self.pieces[number - self.low]

    def find(self, address: int) -> tuple[int, int] | None:
        """(piece, index) of an address; None when it is not known (yet)."""
        for place, piece in enumerate(self.pieces):
            index = piece.find(address)
            if index is not None:
                return self.low + place, index
        return None
