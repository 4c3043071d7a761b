"""Which records of a piece pass a selection, or match a search.

Owns the order of cheap to dear: columns first (severity, level, call site), then bytes (what must stand in a
record for it to pass at all), and the parsed record only for what is left. What an expression means is
``core.log_filter``'s.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from schedtui.core.filter_text import is_wrapped_oddly
from schedtui.core.log_chunk import PLAIN
from schedtui.core.log_evaluation import Evaluation
from schedtui.core.log_filter import LogSpan, all_of, parse_filter
from schedtui.core.log_rows import ALL_LEVELS, Selection
from schedtui.core.log_search import compile_pattern
from schedtui.core.log_sites import UNKNOWN_LEVEL, SiteTable
from schedtui.sources.log_text import flags_over_parts, own_text, read_record, record_bytes, scan_blocks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from schedtui.core.log_filter import LogFilter
    from schedtui.core.record import Record
    from schedtui.sources.log_pieces import Part, Piece


class TextScan:
    """A search over records' bytes."""

    def __init__(self, text: str) -> None:
        self.pattern = compile_pattern(text)

    def flags(self, piece: Piece, first: int = 0) -> NDArray[np.bool_]:
        """Which of a piece's records from ``first`` on match."""
        if not piece.parts:
            return np.array([self.pattern.matches(piece.notice.encode())], np.bool_)[first:]
        found = []
        for part in piece.parts:
            flags = np.zeros(len(part.chunk), np.bool_)
            from_record = first if piece.part_of is None else 0
            if part.chunk.ends is not None:
                for index in range(from_record, len(part.chunk)):
                    flags[index] = self._may_match(record_bytes(part, index)) and self.pattern.matches(
                        own_text(part, index)
                    )
                found.append(flags)
                continue
            for start, block, starts in scan_blocks(part, from_record):
                flags[start : start + len(starts)] = self.pattern.flags(block, starts)
            found.append(flags)
        return flags_over_parts(piece, first, found)

    def _may_match(self, raw: bytes) -> bool:
        """False only if a record cannot match within whose bytes lines of others stand."""
        return self.pattern.needle is None or self.pattern.matches(raw) or is_wrapped_oddly(raw)


class Matcher:
    """Decides for a selection."""

    def __init__(self, selection: Selection, sites: SiteTable, span: LogSpan | None = None) -> None:
        """Compile a selection.

        Args:
            selection: What is wanted.
            sites: The log's call sites.
            span: The log's first and last time, for times that are relative to them.

        Raises:
            FilterError: A filter expression does not fit the language.
        """
        self.selection = selection
        self._sites = sites
        filters = {expression: parse_filter(expression, span or LogSpan()) for expression in selection.expressions}
        self.moments = {text: one.moment_us for text, one in filters.items() if one.moment_us is not None}
        """Expression → what its ``-5m`` means from now on."""
        self._filter = None if not filters else all_of(*filters.values())
        if self._filter is not None and self._filter.is_everything:
            self._filter = None

    @property
    def needs_levels(self) -> bool:
        """The outcome may depend on V levels."""
        return self.selection.level < ALL_LEVELS or self._filter is not None

    def flags(self, piece: Piece, first: int = 0) -> NDArray[np.bool_]:
        """Which of a piece's records from ``first`` on pass; dividers always do."""
        if not piece.parts:
            return np.ones(1, np.bool_)[first:]
        flags = self._column_flags(piece, first)
        if self._filter is None or not flags.any():
            return flags
        found = [
            self._part_flags(part, first if piece.part_of is None else 0, self._filter) for part in piece.parts
        ]
        return flags & flags_over_parts(piece, first, found)

    def _part_flags(self, part: Part, first: int, wanted: LogFilter) -> NDArray[np.bool_]:
        flags = np.zeros(len(part.chunk), np.bool_)
        columns = Evaluation(part.chunk, self._sites, first, len(part.chunk)).verdict(wanted.node)
        if not columns.open.any():
            flags[first:] = columns.sure
            return flags
        if part.chunk.ends is not None:
            for index in (np.flatnonzero(columns.sure | columns.open) + first).tolist():
                raw = record_bytes(part, index)
                flags[index] = wanted.prefilter(raw) and wanted(self._record(part, index, raw))
            return flags
        for start, block, starts in scan_blocks(part, first):
            stop = start + len(starts)
            evaluation = Evaluation(part.chunk, self._sites, start, stop, block, starts)
            verdict = evaluation.verdict(wanted.node)
            flags[start:stop] = verdict.sure
            for position in np.flatnonzero(verdict.open).tolist():
                end = int(starts[position + 1]) if position + 1 < len(starts) else len(block)
                record = self._record(part, start + position, block[int(starts[position]) : end])
                flags[start + position] = wanted(record)
        return flags

    def _record(self, part: Part, index: int, raw: bytes) -> Record:
        return read_record(part, index, raw, self._sites.levels())

    def _column_flags(self, piece: Piece, first: int) -> NDArray[np.bool_]:
        flags = np.ones(len(piece) - first, np.bool_)
        if self.selection.level < ALL_LEVELS:
            levels = self._sites.levels()
            shown = (levels == UNKNOWN_LEVEL) | (levels <= self.selection.level)
            severity = piece.severity[first:]
            flags = shown[piece.site[first:]] | ((severity != ord("I")) & (severity != PLAIN))
        if self.selection.sources is not None:
            wanted = np.array([part.source in self.selection.sources for part in piece.parts])
            part_of = np.zeros(len(piece), np.uint8) if piece.part_of is None else piece.part_of
            flags &= wanted[part_of[first:]]
        return flags
