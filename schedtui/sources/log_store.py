"""A log as the panes see it: what the worker has published, read on demand.

Owns the answers to ``core.log_rows.RowSource`` and the life of the worker. Text is read here, by the thread that
asks, from descriptors that never move a file position; everything else is in frozen snapshots. It paints nothing.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from schedtui.config.directories import typed_path
from schedtui.core.errors import UnreadableInput
from schedtui.core.klog import lost_lines
from schedtui.core.log_headers import UNKNOWN_TIME
from schedtui.core.log_rows import Row, Selection
from schedtui.core.masking import mask as mask_secrets
from schedtui.sources.inputs import STANDARD_INPUT
from schedtui.sources.log_exchange import (
    EMPTY,
    CountRequest,
    LookupRequest,
    Published,
    SearchRequest,
    SelectRequest,
)
from schedtui.sources.log_site_counts import count_sites
from schedtui.sources.log_text import FirstLines, read_record, record_bytes
from schedtui.sources.log_worker import LogWorker
from schedtui.sources.record_feed import RecordFeed
from schedtui.sources.tail import POLL_SECONDS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import BinaryIO

    from schedtui.core.log_rows import CountTable, LogState, Severity
    from schedtui.core.record import Record
    from schedtui.sources.feed_history import HistoryTaker
    from schedtui.sources.log_pieces import Part
    from schedtui.sources.log_site_counts import SiteCount
    from schedtui.sources.record_feed import Readable

TEXT_SEARCH_RECORDS = 200_000
"""How far ``next_with_text`` looks: about 25 MB, a few hundredths of a second."""

WRITE_HINTS: dict[int | None, str] = {
    errno.EEXIST: "Name a file that does not exist yet.",
    errno.ENOENT: "There is no such directory; make it first, or name another one.",
    errno.ENOSPC: "The disk is full; what fitted is in the file.",
}
"""What to do when a file cannot be written."""


class LogStore:
    """One log, of one or several inputs.

    Wiring: create it, ``subscribe_records`` if the queue model wants the records, ``start`` it; ``post`` is called
    from other threads with the newest ``LogState`` (let it post ``ui.messages.LogGrew``, which collapses). Hand
    the store to ``LogPane`` as its ``RowSource``. ``close`` ends and joins all threads.
    """

    def __init__(
        self,
        inputs: Sequence[str],
        post: Callable[[LogState], None],
        level_lookup: Callable[[str, int, str], int | None] | None = None,
        failed: Callable[[BaseException], None] | None = None,
        poll_seconds: float = POLL_SECONDS,
    ) -> None:
        """Create a store; nothing is opened yet.

        Args:
            inputs: File names, archives (``.gz``), or ``-``; the same file named twice counts once.
            post: Called with each new state, from the worker's thread.
            level_lookup: (file, source line, message) → V level; ``set_level_lookup`` gives another one later.
            failed: Called when a worker ends by an error that nobody expected; raises in the thread when None.
            poll_seconds: How often files are looked at when no event comes.
        """
        self.inputs = _without_repeats(inputs)
        self._post = post
        self._failed = failed
        self._published = EMPTY
        self._line_cache: tuple[object, dict[int, int | None]] = (None, {})
        self._feeds: list[RecordFeed] = []
        self._worker = LogWorker(self.inputs, self._take, self._report, level_lookup, poll_seconds)

    # --- life

    def start(self) -> None:
        """Begin to read."""
        self._worker.start()
        for feed in self._feeds:
            feed.start()

    def close(self) -> None:
        """End all threads and close all files."""
        for feed in self._feeds:
            feed.stop()
        self._worker.stop()

    def subscribe_records(
        self,
        callback: Callable[[Sequence[Record]], None],
        caught_up: Callable[[], None] | None = None,
        history: HistoryTaker | None = None,
    ) -> None:
        """Have all records handed over in file order, in batches, on a thread of their own; before ``start``.

        Args:
            callback: Takes a batch; several inputs come merged by time as far as they have been read.
            caught_up: Called each time everything that was there has been handed over.
            history: Takes what a large single log holds when it is opened, as events and much faster.
        """
        self._feeds.append(
            RecordFeed(
                len(self.inputs),
                self._worker.readable,
                callback,
                self._report,
                caught_up,
                self._is_indexed,
                history,
            )
        )

    def site_counts(self, source: int, number: int, upto: int) -> tuple[SiteCount, ...]:
        """How often each call site logged in front of byte ``upto`` of a file generation that is indexed."""
        return count_sites(self._published.pieces.pieces, tuple(self._worker.sites.sites), (source, number), upto)

    def readable(self) -> tuple[Readable, ...]:
        """How far each file generation can be read now, for who reads the log once more (``sources.reread``)."""
        return self._worker.readable()

    def _is_indexed(self) -> bool:
        return self._published.state.indexing is None

    def set_level_lookup(self, lookup: Callable[[str, int, str], int | None] | None) -> None:
        """Take another source of V levels, such as the source index once it is ready."""
        self._worker.request(LookupRequest(lookup))

    def _take(self, published: Published) -> None:
        self._published = published
        for feed in self._feeds:
            feed.wake()
        self._post(published.state)

    def _report(self, error: BaseException) -> None:
        if self._failed is None:
            raise error
        self._failed(error)

    # --- RowSource: state and jobs

    def state(self) -> LogState:
        """The newest state."""
        return self._published.state

    def select(self, selection: Selection, near: int | None = None) -> None:
        """Select anew, beginning at the record with address ``near``."""
        self._worker.request(SelectRequest(selection, near))

    def search(self, pattern: str | None, near: int | None = None) -> None:
        """Search for a pattern, or for nothing."""
        self._worker.request(SearchRequest(pattern, near))

    def count_by(self, field_name: str) -> None:
        """Start counting a field's values over the selection."""
        self._worker.request(CountRequest(field_name))

    def count_table(self) -> CountTable | None:
        """The count-by table asked for last."""
        return self._published.table

    # --- RowSource: rows

    def rows(self, first: int, count: int, columns: int) -> Sequence[Row]:
        """Rows from number ``first`` on; texts are cut behind ``columns`` characters."""
        published = self._published
        located = published.rows.locate_many(first, count)
        number = max(first, published.rows.first)
        texts = FirstLines(columns)
        return [
            self._row(published, number + position, piece, index, context, texts)
            for position, (piece, index, context) in enumerate(located)
        ]

    def _row(
        self, published: Published, number: int, place: int, index: int, context: bool, texts: FirstLines
    ) -> Row:
        piece = published.pieces[place]
        if not piece.parts:
            return Row(number, piece.address(0), piece.notice, time_us=piece.notice_us or None, notice=True,
                       source=piece.source)  # fmt: skip
        part, inner = piece.locate(index)
        severity = int(part.chunk.severity[inner])
        site = int(part.chunk.site[inner])
        level = int(published.levels[site]) if severity in (0, 73) and site < len(published.levels) else -1
        found = published.found.get(place)
        text, whole = texts.first_line(part, inner)
        is_last = part.chunk.stop(inner) == published.generation_sizes.get(part.number)
        return Row(
            number, part.address(inner), text, chr(severity) if severity else None, level if level >= 0 else None,
            part.chunk.time(inner), self._line_of(published, place, index), int(part.chunk.line_counts[inner]),
            part.source, bool(found is not None and index < len(found) and found[index]), context,
            incomplete=is_last and (not whole or _is_open(part, inner)),
            lost=lost_lines(texts.head(part, inner)) if not severity else None,
        )  # fmt: skip

    def _line_of(self, published: Published, place: int, index: int) -> int | None:
        """1-based physical line in its file, once everything in front of it is indexed."""
        if self._line_cache[0] is not published.pieces:
            self._line_cache = (published.pieces, {})
        piece = published.pieces[place]
        part, inner = piece.locate(index)
        known = self._line_cache[1]
        key = place << 8 | (0 if piece.part_of is None else int(piece.part_of[index]))
        if key not in known:
            known[key] = _lines_before(published, place, part)
        before = known[key]
        if before is None:
            return None
        return before + int(part.chunk.line_counts[:inner].sum()) + 1

    def record(self, number: int) -> Record | None:
        """The whole record of a row, parsed."""
        published = self._published
        located = published.rows.locate(number)
        return None if located is None else self._record(published, *located)

    def record_at(self, address: int) -> Record | None:
        """The whole record of an address, parsed."""
        published = self._published
        located = published.pieces.find(address)
        return None if located is None else self._record(published, *located)

    def _record(self, published: Published, place: int, index: int) -> Record | None:
        piece = published.pieces[place]
        if not piece.parts:
            return None
        part, inner = piece.locate(index)
        line = self._line_of(published, place, index) or 0
        return read_record(part, inner, record_bytes(part, inner), published.levels, line)

    # --- RowSource: jumps

    def row_of(self, address: int) -> int | None:
        """The row of a record, or the nearest row before it."""
        published = self._published
        located = published.pieces.find(address)
        return None if located is None else published.rows.row_of(*located)

    def address_of_line(self, line: int, source: int = 0) -> int | None:
        """The record that holds a 1-based physical line."""
        published = self._published
        for place, piece in enumerate(published.pieces.pieces):
            for part in piece.parts:
                if part.source != source:
                    continue
                before = _lines_before(published, published.pieces.low + place, part)
                if before is not None and before < line <= before + part.chunk.line_total:
                    ends = np.cumsum(part.chunk.line_counts)
                    return part.address(int(np.searchsorted(ends, line - before)))
        return None

    def row_at_time(self, time_us: int) -> int | None:
        """The first row at or after a time."""
        published = self._published
        for place, piece in enumerate(published.pieces.pieces):
            times = piece.times()
            later = np.flatnonzero((times >= time_us) & (times != UNKNOWN_TIME))
            for index in later[:1].tolist():
                number = published.pieces.low + place
                row = published.rows.row_of(number, index)
                if row is not None and published.rows.locate(row) != (number, index):
                    return min(row + 1, published.rows.last - 1)
                return row
        return published.rows.last - 1 if published.rows.last > published.rows.first else None

    def next_match(self, number: int, step: int) -> int | None:
        """The nearest row after or before a row that the search matches."""
        published = self._published
        return published.rows.next_of(published.found.get, number, step)

    def next_severity(self, number: int, step: int, severity: Severity) -> int | None:
        """The nearest row after or before a row with an error (or warning)."""
        published = self._published
        wanted = [ord("E"), ord("F")] if severity == "E" else [ord("E"), ord("F"), ord("W")]
        return published.rows.next_of(
            lambda place: np.isin(published.pieces[place].severity, wanted), number, step
        )

    def next_with_text(self, number: int, step: int, text: str) -> int | None:
        """The nearest row whose record holds ``text`` literally, within a bounded stretch of the log."""
        published = self._published
        needle = text.encode("utf-8", "replace")
        current = number + step
        left = TEXT_SEARCH_RECORDS
        while left > 0 and published.rows.first <= current < published.rows.last:
            batch = 512
            first = current if step > 0 else max(published.rows.first, current - batch + 1)
            located = published.rows.locate_many(first, batch if step > 0 else current - first + 1)
            numbered = list(enumerate(located, first))
            for row, (place, index, _) in numbered if step > 0 else reversed(numbered):
                piece = published.pieces[place]
                if piece.parts and needle in record_bytes(*piece.locate(index)):
                    return row
            current += step * len(located)
            left -= len(located)
        return None

    def severities(self, first: int, last: int, buckets: int) -> Sequence[Mapping[str, int]]:
        """Records by severity in rows ``first`` to ``last``, in equal parts of their time."""
        published = self._published
        result: list[dict[str, int]] = [{} for _ in range(buckets)]
        located = published.rows.locate_many(first, last - first)
        pairs: list[tuple[int, str]] = []
        for place, index, _ in located:
            piece = published.pieces[place]
            if piece.parts:
                part, inner = piece.locate(index)
                moment = part.chunk.time(inner)
                if moment is not None:
                    severity = int(part.chunk.severity[inner])
                    pairs.append((moment, chr(severity) if severity else ""))
        if pairs:
            low = min(moment for moment, _ in pairs)
            width = max(1, max(moment for moment, _ in pairs) - low + 1)
            for moment, letter in pairs:
                bucket = result[(moment - low) * buckets // width]
                bucket[letter] = bucket.get(letter, 0) + 1
        return result

    def save(self, path: str, *, mask: bool = True) -> int:
        """Write all selected records to a new file (0600), secrets masked; the number of records written."""
        published = self._published
        try:
            target = typed_path(path)
            descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            try:
                with os.fdopen(descriptor, "wb") as out:
                    return _write_rows(published, out, mask=mask)
            except BaseException:
                # Half of the records would be taken for all, and take room where there is none.
                Path(target).unlink()
                raise
        except (OSError, ValueError, RuntimeError) as error:
            code = error.errno if isinstance(error, OSError) else None
            words = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            hint = WRITE_HINTS.get(code, "Name another file, in a directory that you may write to.")
            raise UnreadableInput(f"cannot be written ({words})", where=path, hint=hint) from error


def _is_open(part: Part, index: int) -> bool:
    """The record ends within a ``key=<`` block."""
    data = record_bytes(part, index)
    first, _, rest = data.partition(b"\n")
    return first.endswith(b"=<") and not any(line.startswith(b" >") for line in rest.split(b"\n"))


def _lines_before(published: Published, place: int, part: Part) -> int | None:
    """Physical lines of its file in front of a part; None while they are not all indexed."""
    mine = [
        other.chunk
        for piece in published.pieces.pieces[: place - published.pieces.low + 1]
        for other in piece.parts
        if other.number == part.number and other.chunk.base < part.chunk.base
    ]
    first = min((chunk.base for chunk in mine), default=part.chunk.base)
    if first > 0:
        return None
    return sum(chunk.line_total for chunk in mine)


def _write_rows(published: Published, out: BinaryIO, *, mask: bool) -> int:
    count = 0
    for place, shown in enumerate(published.rows.shown):
        piece = published.pieces[published.rows.low + place]
        if not piece.parts:
            continue
        for index in np.flatnonzero(shown).tolist():
            text = record_bytes(*piece.locate(index))
            out.write(mask_secrets(text.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
                      if mask else text)  # fmt: skip
            count += 1
    return count


def _without_repeats(inputs: Sequence[str]) -> list[str]:
    """The inputs less those that are another one's file by another name."""
    seen: set[tuple[int, int] | str] = set()
    kept: list[str] = []
    for path in inputs:
        try:
            status = Path(path).stat() if path != STANDARD_INPUT else None
        except OSError:
            status = None
        key: tuple[int, int] | str = path if status is None else (status.st_dev, status.st_ino)
        if key not in seen:
            seen.add(key)
            kept.append(path)
    return kept
