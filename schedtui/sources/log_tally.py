"""How many records of each kind a log has: by severity, by call site, and so by V level.

Owns the running counts over all pieces; a piece that is replaced is taken off again. Levels are the site table's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from schedtui.core.log_chunk import PLAIN
from schedtui.core.log_rows import LevelCounts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from schedtui.core.log_sites import SiteTable
    from schedtui.sources.log_pieces import Piece


class Tally:
    """The counts."""

    def __init__(self, sites: SiteTable) -> None:
        """Count nothing yet.

        Args:
            sites: The log's call sites and their levels.
        """
        self.records = 0
        """Records of all pieces."""
        self.lines = 0
        """Their physical lines."""
        self._sites = sites
        self._by_site: NDArray[np.int64] = np.zeros(1, np.int64)
        self._by_severity: NDArray[np.int64] = np.zeros(256, np.int64)

    def add(self, piece: Piece, sign: int = 1) -> None:
        """Count a piece's records; with a ``sign`` of -1 take them off."""
        if not piece.parts:
            return
        severity = piece.severity
        self._by_severity += sign * np.bincount(severity, minlength=256)
        plain_or_info = (severity == ord("I")) | (severity == PLAIN)
        counts = sign * np.bincount(piece.site[plain_or_info], minlength=len(self._sites.sites))
        if len(counts) > len(self._by_site):
            self._by_site = np.concatenate((self._by_site, np.zeros(len(counts) - len(self._by_site), np.int64)))
        self._by_site[: len(counts)] += counts
        self.records += sign * len(piece)
        self.lines += sign * int(piece.line_counts.sum())

    def level_counts(self) -> LevelCounts:
        """Records by level."""
        levels = self._sites.levels()[: len(self._by_site)]
        counts = self._by_site[: len(levels)]
        exact = {int(v): int(counts[levels == v].sum()) for v in np.unique(levels[counts > 0]) if v >= 0}
        severity = self._by_severity
        return LevelCounts(
            exact, int(counts[levels < 0].sum()), int(severity[ord("W")]),
            int(severity[ord("E")] + severity[ord("F")]),
        )  # fmt: skip
