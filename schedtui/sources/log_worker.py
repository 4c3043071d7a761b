"""The thread that owns a log's files, its index and every job over it.

Owns the loop: look for what is new, index what is older, select, search and count a slice at a time, publish what
has changed. It shares frozen snapshots and takes requests; it touches no widget, and nobody touches its state.
"""

from __future__ import annotations

import queue
import threading
import time
from typing import TYPE_CHECKING

from schedtui.core.errors import SchedtuiError
from schedtui.core.log_filter import LogSpan
from schedtui.core.log_headers import UNKNOWN_TIME
from schedtui.core.log_index import ChunkBuilder
from schedtui.core.log_rows import LogState, Selection
from schedtui.core.log_selection import NO_ROWS, SelectionBuilder
from schedtui.core.log_sites import SiteTable
from schedtui.sources.inputs import STANDARD_INPUT
from schedtui.sources.log_counting import CountJob
from schedtui.sources.log_exchange import (
    CountRequest,
    Published,
    Request,
    SearchRequest,
    SelectRequest,
)
from schedtui.sources.log_input import LogInput
from schedtui.sources.log_matching import Matcher
from schedtui.sources.log_order import LogOrder
from schedtui.sources.log_searching import SearchJob
from schedtui.sources.log_tally import Tally
from schedtui.sources.record_feed import Readable
from schedtui.sources.tail import POLL_SECONDS, EventWatch

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from schedtui.sources.log_input import Added
    from schedtui.sources.log_pieces import Piece, Pieces

PUBLISH_SECONDS = 0.08
"""Snapshots are published at most this often while work goes on."""

SLICE_SECONDS = 0.03
"""How long one job runs before the others get their turn."""

SCREENFUL = 300
"""Rows on either side of a new selection's beginning that come before everything else."""

HELD_POLL_SECONDS = 0.1
"""How often a record is looked at whose end is being waited for."""

BUSY_POLL_SECONDS = 0.02
"""How often the inputs are looked at while other work is done."""

GROWING_POLL_SECONDS = 0.08
"""How often inputs that grow all the time are looked at, whatever the file events say: a look costs the same for
one line as for a thousand, and no snapshot is published in between."""


class LogWorker:
    """Runs the loop on a thread of its own."""

    def __init__(
        self,
        paths: Sequence[str],
        publish: Callable[[Published], None],
        failed: Callable[[BaseException], None],
        level_lookup: Callable[[str, int, str], int | None] | None,
        poll_seconds: float = POLL_SECONDS,
    ) -> None:
        self._poll_seconds = poll_seconds
        self.sites = SiteTable(level_lookup)
        self.paths = list(paths)
        self._publish = publish
        self._failed = failed
        self._requests: queue.SimpleQueue[Request] = queue.SimpleQueue()
        self._wake = threading.Event()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="log-index", daemon=True)
        self._watch: EventWatch | None = None
        self._inputs: list[LogInput] = []
        self._order = LogOrder(len(paths))
        self._numbers = 0
        self._generation = 0
        self._selection = Selection()
        self._filter_error: str | None = None
        self._matcher = Matcher(self._selection, self.sites)
        self._builder: SelectionBuilder | None = None
        self._near: int | None = None
        self._search: SearchJob | None = None
        self._count: CountJob | None = None
        self._tally = Tally(self.sites)
        self._changed = True
        self._urgent = False
        self._published_at = 0.0
        self._polled_at = 0.0
        self._next_poll = 0.0
        self._told_notes: tuple[str, ...] = ()
        self._readable: tuple[Readable, ...] = ()

    # --- from other threads

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def request(self, request: Request) -> None:
        """Ask for something; the newest request of a kind wins."""
        self._requests.put(request)
        self._wake.set()

    def readable(self) -> tuple[Readable, ...]:
        """How far each file generation can be read by others; frozen."""
        return self._readable

    def wake(self) -> None:
        """There may be something new in an input; one that grows all the time is looked at when it is due."""
        if time.monotonic() >= self._next_poll:
            self._wake.set()

    def stop(self) -> None:
        """End the thread, wait for it, close all files."""
        self._stop.set()
        self._wake.set()
        if self._thread.ident is not None:
            self._thread.join(timeout=10)

    # --- the loop

    def _run(self) -> None:
        try:
            self._open()
            while not self._stop.is_set():
                self._turn()
        except Exception as error:  # noqa: BLE001 - handed to the owner, who tells the user
            self._failed(error)
        finally:
            if self._watch is not None:
                self._watch.stop()
            for one in self._inputs:
                one.close()

    def _open(self) -> None:
        builder = ChunkBuilder(self.sites)
        merged = len(self.paths) > 1
        self._inputs = [
            LogInput(path, number, builder, self._next_number, self.wake, merged=merged)
            for number, path in enumerate(self.paths)
        ]

    def _next_number(self) -> int:
        self._numbers += 1
        return self._numbers

    def _turn(self) -> None:
        self._wake.clear()
        self._take_requests()
        busy = self._poll()
        self._note()
        self._publish_when_due()
        for job in (self._select, self._index_back, self._search_on, self._count_on):
            busy = job() or busy
            self._publish_when_due()
        if busy:
            return
        if self._watch is None:
            # Only now: the first screen does not wait for it.
            self._watch = EventWatch([path for path in self.paths if path != STANDARD_INPUT], self.wake)
            self._watch.start()
        held = self._order.is_holding or any(one.holding for one in self._inputs)
        wait = HELD_POLL_SECONDS if held else self._poll_seconds
        now = time.monotonic()
        if self._next_poll > now:
            wait = min(wait, self._next_poll - now)
        if self._changed:
            wait = min(wait, max(0.001, self._published_at + PUBLISH_SECONDS - now))
        self._wake.wait(wait)

    def _take_requests(self) -> None:
        newest: dict[type, Request] = {}
        while True:
            try:
                request = self._requests.get_nowait()
            except queue.Empty:
                break
            newest[type(request)] = request
        for request in newest.values():
            self._answer(request)

    def _answer(self, request: Request) -> None:
        self._changed = True
        if isinstance(request, SelectRequest):
            self._begin_selection(request.selection, request.near)
        elif isinstance(request, SearchRequest):
            self._begin_search(request)
        elif isinstance(request, CountRequest):
            self._count = CountJob(request.field_name, self.sites) if request.field_name else None
        else:
            self.sites.set_level_lookup(request.lookup)
            if self._selection.level < 10 or self._matcher.needs_levels:
                self._begin_selection(self._selection, self._middle())

    def _middle(self) -> int | None:
        pieces = self._order.pieces()
        if self._builder is None or not pieces.pieces:
            return None
        located = self._builder.rows().locate(0)
        return None if located is None else pieces[located[0]].address(located[1])

    # --- what is new, what is older

    def _poll(self) -> bool:
        now = time.monotonic()
        if self._tally.records and now - self._polled_at < BUSY_POLL_SECONDS:
            return False
        self._polled_at = now
        ended = [one.ended for one in self._inputs]
        self._take([(number, one.poll()) for number, one in enumerate(self._inputs)])
        # An end may come long after the last record.
        self._changed = self._changed or ended != [one.ended for one in self._inputs]
        return any(one.wanted for one in self._inputs)

    def _note(self) -> None:
        notes = self._notes()
        self._changed = self._changed or notes != self._told_notes
        self._told_notes = notes

    def _index_back(self) -> bool:
        wanted = self._order.waits_for()
        incomplete = [number for number, one in enumerate(self._inputs) if not one.is_complete]
        number = wanted if wanted in incomplete else next(iter(incomplete), None)
        if number is None:
            return False
        deadline = time.monotonic() + SLICE_SECONDS
        one = self._inputs[number]
        while not one.is_complete and time.monotonic() < deadline:
            added = one.index_back()
            self._take([(number, added)])
            if not added:
                break
        return any(not one.is_complete and one.generations for one in self._inputs)

    def _take(self, finds: list[tuple[int, list[Added]]]) -> None:
        before = self._order.pieces()
        last = before.pieces[-1] if before.pieces else None
        for number, change in self._order.take(finds, [one.is_complete for one in self._inputs]):
            self._changed = True
            if change.place == "last" and last is not None:
                self._tally.add(last, -1)
            self._tally.add(change.piece, 1)
            self._tell_jobs(number, change, last)
            if change.place != "front" or last is None:
                last = change.piece

    def _tell_jobs(self, number: int, change: Added, last: Piece | None) -> None:
        if change.place == "last" and last is not None:
            keep = max(0, min(len(last) - change.again, len(change.piece)))
            if self._builder is not None and number in self._builder:
                self._builder.shrink_last(keep)
                self._builder.extend_last(self._matcher.flags(change.piece, keep))
            if self._search is not None:
                self._search.read_again(number, change.piece, keep)
        if self._builder is None:
            self._builder = SelectionBuilder(number, self._selection.context)
            self._urgent = True

    # --- selecting

    def _begin_selection(self, selection: Selection, near: int | None) -> None:
        try:
            matcher = Matcher(selection, self.sites, self._span())
        except SchedtuiError as error:
            self._filter_error = error.as_text()
            return
        self._filter_error = None
        self._matcher = matcher
        self._selection = selection
        self._generation += 1
        if self._count is not None:
            self._count = CountJob(self._count.field_name, self.sites)
        pieces = self._order.pieces()
        self._builder = None
        if pieces.pieces:
            found = pieces.find(near) if near is not None else None
            origin = found[0] if found is not None else pieces.high - 1
            self._builder = SelectionBuilder(origin, selection.context)
        self._urgent = True

    def _span(self) -> LogSpan:
        """The first and last time that are known, against which ``-5m`` is read."""
        pieces = self._order.pieces().pieces
        ends = [piece for piece in pieces if piece.parts]
        if not ends:
            return LogSpan()
        first, last = ends[0].times(), ends[-1].times()
        known = [times[times != UNKNOWN_TIME] for times in (first, last)]
        return LogSpan(
            *(int(times[place]) if len(times) else None for times, place in zip(known, (0, -1), strict=True))
        )

    def _select(self) -> bool:
        builder = self._builder
        if builder is None:
            return False
        pieces = self._order.pieces()
        deadline = time.monotonic() + SLICE_SECONDS
        while builder.low > pieces.low or builder.high < pieces.high:
            if self._forward_next(builder, pieces):
                builder.append(self._matcher.flags(pieces[builder.high]))
            else:
                builder.prepend(self._matcher.flags(pieces[builder.low - 1]))
            self._changed = True
            if time.monotonic() > deadline:
                return True
        return False

    @staticmethod
    def _forward_next(builder: SelectionBuilder, pieces: Pieces) -> bool:
        if builder.high >= pieces.high:
            return False
        if builder.low <= pieces.low or builder.high == builder.low:
            return True
        return builder.last < SCREENFUL or builder.first <= -SCREENFUL

    # --- searching and counting

    def _begin_search(self, request: SearchRequest) -> None:
        self._search = SearchJob(request.pattern, self._order.pieces(), request.near) if request.pattern else None
        self._urgent = True

    def _search_on(self) -> bool:
        if self._search is None:
            return False
        found, more = self._search.go_on(self._order.pieces(), time.monotonic() + SLICE_SECONDS)
        self._changed = self._changed or found
        return more

    def _count_on(self) -> bool:
        if self._count is None or self._builder is None:
            return False
        more = self._count.go_on(self._order.pieces(), self._builder.rows(), time.monotonic() + SLICE_SECONDS)
        self._changed = self._changed or more
        return more

    # --- publishing

    def _publish_when_due(self) -> None:
        now = time.monotonic()
        has_rows = self._builder is not None and self._builder.high > self._builder.low
        if not self._changed or (now - self._published_at < PUBLISH_SECONDS and not (self._urgent and has_rows)):
            return
        self._urgent = self._urgent and not has_rows
        self._changed = False
        self._published_at = now
        self._publish(self._snapshot())

    def _snapshot(self) -> Published:
        pieces, search = self._order.pieces(), self._search
        builder = self._builder
        rows = builder.rows() if builder is not None else NO_ROWS
        at_end = builder is not None and builder.high == pieces.high
        selecting = None
        if builder is not None and (builder.low > pieces.low or not at_end):
            selecting = (builder.high - builder.low) / max(1, len(pieces.pieces))
        sizes = {generation.number: generation.high for one in self._inputs for generation in one.generations}
        span = self._span()
        state = LogState(
            generation=self._generation, selection=self._selection, first=rows.first, last=rows.last,
            at_end=at_end, selecting=selecting, indexing=self._indexing(), records=self._tally.records,
            lines=self._tally.lines, size=sum(one.size() for one in self._inputs),
            counts=self._tally.level_counts(),
            end_address=pieces.pieces[-1].address(len(pieces.pieces[-1]) - 1) if pieces.pieces else None,
            first_us=span.first_us, last_us=span.last_us, moments=self._matcher.moments,
            filter_error=self._filter_error, lag_seconds=self._lag(), notes=self._notes(),
            ended=bool(self._inputs) and all(one.ended for one in self._inputs),
        )  # fmt: skip
        self._readable = tuple(
            Readable(
                generation.source, generation.number, generation.file, generation.high,
                generation is not one.generations[-1] or one.ended, generation.notice,
            )
            for one in self._inputs for generation in one.generations
        )  # fmt: skip
        return Published(
            state if search is None else search.told(state, pieces, rows), pieces, rows, self.sites.levels(),
            {} if search is None else dict(search.found),
            self._count.table() if self._count is not None else None, sizes,
        )  # fmt: skip

    def _indexing(self) -> float | None:
        if all(one.is_complete for one in self._inputs):
            return None
        size = sum(one.size() for one in self._inputs)
        return min(1.0, sum(one.indexed() for one in self._inputs) / max(1, size))

    def _lag(self) -> float:
        since = [one.behind_since for one in self._inputs if one.behind_since is not None]
        return time.monotonic() - min(since) if since else 0.0

    def _notes(self) -> tuple[str, ...]:
        notes = [note for one in self._inputs if (note := one.note()) is not None]
        if self._watch is not None and self._watch.failure is not None:
            notes.append(self._watch.failure)
        return tuple(notes)
