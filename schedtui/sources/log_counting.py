"""Counting a field's values over a selection, a slice at a time.

Owns one count-by job. Fields that the index holds (severity, level, call site) are counted from columns; the
others from parsed records. The table is shown by a widget, which may turn a row into a filter.
"""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from schedtui.core.log_counting import values_of
from schedtui.core.log_rows import CountRow, CountTable
from schedtui.sources.log_text import read_record, record_bytes

if TYPE_CHECKING:
    from schedtui.core.log_selection import SelectedRows
    from schedtui.core.log_sites import SiteTable
    from schedtui.sources.log_pieces import Piece, Pieces

MOST_VALUES = 50_000
"""Different values that are kept; a field with more (a time stamp) is no use to count by."""


class CountJob:
    """Counts one field, from the newest piece to the oldest."""

    def __init__(self, field_name: str, sites: SiteTable) -> None:
        self.field_name = field_name
        self._sites = sites
        self._counts: Counter[str] = Counter()
        self._last: dict[str, int] = {}
        self._place: int | None = None
        self._index = -1
        self._done: float | None = 0.0
        self._next = (0, 0)
        """(piece, index) of the first record that was not there when counting began."""

    def go_on(self, pieces: Pieces, rows: SelectedRows, deadline: float) -> bool:
        """Count until the deadline; True when something was counted."""
        if not rows.shown:
            return False
        if self._done is None:
            return self._count_new(pieces, rows, deadline)
        if self._place is None:
            self._place = rows.low + len(rows.shown) - 1
            self._next = (self._place, min(len(pieces[self._place]), len(rows.shown[-1])))
        while self._place >= rows.low:
            piece = pieces[self._place]
            shown = rows.matched[self._place - rows.low]
            if not self._count_piece(piece, np.flatnonzero(shown[: len(piece)]).tolist(), deadline):
                break
            self._place -= 1
            self._index = -1
        else:
            self._done = None
            return True
        self._done = 1 - (self._place - rows.low + 1) / len(rows.shown)
        return True

    def _count_new(self, pieces: Pieces, rows: SelectedRows, deadline: float) -> bool:
        """Go on with what has been written since; True when something was counted."""
        counted = False
        place, index = self._next
        while place < rows.low + len(rows.shown):
            piece, matched = pieces[place], rows.matched[place - rows.low]
            stop = min(len(piece), len(matched))
            for new in (np.flatnonzero(matched[index:stop]) + index).tolist():
                self._count_record(piece, new)
                counted = True
                if time.monotonic() > deadline:
                    self._next = (place, new + 1)
                    return True
            self._next = (place, max(index, stop))
            place, index = place + 1, 0
        return counted

    def _count_piece(self, piece: Piece, indexes: list[int], deadline: float) -> bool:
        """Count the rest of a piece; False when time ran out in it."""
        if not piece.parts:
            return True
        start = len(indexes) - 1 if self._index < 0 else self._index
        for position in range(start, -1, -1):
            self._count_record(piece, indexes[position])
            if not position % 64 and time.monotonic() > deadline and position:
                self._index = position - 1
                return False
        return True

    def _count_record(self, piece: Piece, index: int) -> None:
        if not piece.parts:
            return
        part, inner = piece.locate(index)
        record = read_record(part, inner, record_bytes(part, inner), self._sites.levels())
        moment = part.chunk.time(inner)
        for value in values_of(record, self.field_name):
            if value in self._counts or len(self._counts) < MOST_VALUES:
                self._counts[value] += 1
                if moment is not None:
                    self._last[value] = max(moment, self._last.get(value, moment))

    def table(self) -> CountTable:
        """What has been counted so far."""
        rows = tuple(
            CountRow(value, count, self._last.get(value)) for value, count in self._counts.most_common(500)
        )
        return CountTable(self.field_name, rows, self._done)
