"""Searching a log's records, a slice at a time: onward from where the reader is, then what is above.

Owns one search and what it has found. What matches is ``log_matching``'s to say.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from schedtui.sources.log_matching import TextScan

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from schedtui.core.log_rows import LogState
    from schedtui.core.log_selection import SelectedRows
    from schedtui.sources.log_pieces import Piece, Pieces


class SearchJob:
    """One search."""

    def __init__(self, pattern: str, pieces: Pieces, near: int | None) -> None:
        """Begin.

        Args:
            pattern: What is searched for.
            pieces: The log as far as it is known.
            near: Address of the record at which the search begins; None for the end.
        """
        self._scan = TextScan(pattern)
        self.found: dict[int, NDArray[np.bool_]] = {}
        """Records that match, by piece."""
        start = pieces.find(near) if near is not None and pieces.pieces else None
        self._low = self._high = start[0] if start is not None else max(pieces.low, pieces.high - 1)

    def go_on(self, pieces: Pieces, deadline: float) -> tuple[bool, bool]:
        """Search until the deadline: (something was searched, there is more)."""
        searched = False
        while self._low > pieces.low or self._high < pieces.high:
            if self._high < pieces.high:
                number = self._high
                self._high += 1
            else:
                self._low -= 1
                number = self._low
            self.found[number] = self._scan.flags(pieces[number])
            searched = True
            if time.monotonic() > deadline:
                return True, True
        return searched, False

    def read_again(self, number: int, piece: Piece, keep: int) -> None:
        """A piece has grown: its records from ``keep`` on are new."""
        if number in self.found:
            more = self._scan.flags(piece, keep)
            self.found[number] = np.concatenate((self.found[number][:keep], more))

    def told(self, state: LogState, pieces: Pieces, rows: SelectedRows) -> LogState:
        """The state with what the search has found among the rows."""
        matches = 0
        for place, shown in enumerate(rows.shown):
            flags = self.found.get(rows.low + place)
            if flags is not None:
                both = min(len(flags), len(shown))
                matches += int(np.count_nonzero(flags[:both] & shown[:both]))
        done = self._high - self._low
        return replace(
            state, search=self._scan.pattern.text, search_error=self._scan.pattern.problem,
            search_matches=matches,
            searching=None if done >= len(pieces.pieces) else done / max(1, len(pieces.pieces)),
        )  # fmt: skip
