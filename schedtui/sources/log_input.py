"""One input of a log: a followed file, an archive or standard input, indexed from its end backward and onward.

Owns how far each generation of the input is indexed, and hands out chunks: earlier ones, later ones, and dividers
where one generation ends. It runs on its owner's thread, shares nothing, and knows neither rows nor filters.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from schedtui.core.log_chunk import Chunk, joined, sliced
from schedtui.core.log_headers import PADDING
from schedtui.core.log_index import ChunkBuilder, YearHint
from schedtui.sources.log_ends import hint_after, last_day, open_record, proven_year, year_with_leap_day
from schedtui.sources.log_pieces import Part, Piece
from schedtui.sources.log_spool import Spool, is_spooled
from schedtui.sources.tail import Began, FileFollower, Vanished

if TYPE_CHECKING:
    from collections.abc import Callable

    from schedtui.sources.log_file import LogFile
    from schedtui.sources.tail import TailEvent

BLOCK_BYTES = 4 << 20
"""How much is read and indexed at a time."""

TAIL_BYTES = 256 << 10
"""How much of the end is indexed first: many screens, and a few milliseconds."""

LONGEST_SEARCH_FOR_HEADER = 64 << 20
"""How far back a record's start is looked for before lines count as records of their own."""

READ_AGAIN = 16
"""Records at the end of wrapped text that are read again with what follows: it may go on with one of them."""

CHUNK_RECORDS = 32_768
"""Live chunks are joined up to this many records."""

OPEN_SECONDS = 1.0
"""How long the end of a record is waited for before it is shown as incomplete."""

MERGED_OPEN_SECONDS = 10.0
"""The same for what one of several growing inputs writes: there it is shown for good, and its rest apart. klog
hands over a full buffer in the middle of a line, and the rest within five seconds."""

_CREATED = re.compile(rb"Log file created at: (\d{4})/(\d\d)/(\d\d) ")


@dataclass(slots=True)
class Added:
    """What indexing found: a chunk in front, chunks behind, or a divider."""

    piece: Piece
    place: str
    """``front``, ``back``, or ``last`` when it replaces the last piece, which has grown."""
    again: int = 1
    """With ``last``: how many of the last piece's records have been read again."""


class Generation:
    """One file generation and the stretch of it that is indexed."""

    def __init__(self, file: LogFile, number: int, source: int, notice: str = "") -> None:
        self.file = file
        self.notice = notice
        """What the divider in front of it says; empty for a first one."""
        self.number = number
        self.source = source
        self.low = 0
        """Start of the first indexed record."""
        self.high = 0
        """End of the last indexed record."""
        self.first_seen: tuple[int, int] = (0, 0)
        """(100 · month + day, year) of the first indexed header."""
        self.last_seen: tuple[int, int] = (0, 0)
        """(100 · month + day, year) of the last indexed header."""
        self.last: Chunk | None = None
        """The last chunk, which grows."""
        self.is_followed = False
        """Records of another generation have been put behind its last chunk: that one grows no more."""

    def part(self, chunk: Chunk) -> Part:
        """A chunk with where it comes from."""
        return Part(self.source, self.number, self.file, chunk)


class LogInput:
    """Indexes one input; the owner calls ``poll`` for what is new and ``index_back`` for what is older."""

    def __init__(
        self, path: str, source: int, builder: ChunkBuilder, new_number: Callable[[], int],
        wake: Callable[[], None], *, merged: bool = False,
    ) -> None:  # fmt: skip
        """Begin with an input.

        Args:
            path: A file's name, an archive's, a pipe's, or ``-``.
            source: Its number.
            builder: Indexes blocks; shared by all inputs.
            new_number: Numbers generations over all inputs.
            wake: Called from other threads when there may be something new.
            merged: It is one of several: what has been handed out is never replaced, and an archive is
                handed out when it is unpacked.
        """
        self.path = path
        self.source = source
        self._merged = merged
        self.ended = False
        """It will not grow any more."""
        self.wanted = 0
        """Bytes that are there but not indexed at the end."""
        self.behind_since: float | None = None
        """Since when the end has not been reached (monotonic seconds)."""
        self._builder = builder
        self._new_number = new_number
        self._block = bytearray(BLOCK_BYTES + PADDING)
        self._generations: list[Generation] = []
        self._hold: tuple[int, int, float] | None = None
        self._spool: Spool | None = None
        self._follower: FileFollower | None = None
        if is_spooled(path):
            self._spool = Spool(path, wake)
            self._generations.append(Generation(self._spool.file, new_number(), source))
        else:
            self._follower = FileFollower(path)

    # --- what is new

    def poll(self) -> list[Added]:
        """Index what has been written since the last call, a few blocks at most."""
        if self._spool is not None:
            return self._poll_spool(self._spool)
        added: list[Added] = []
        if self._follower is not None:
            for event in self._follower.look():
                added += self._take(event, self._follower)
        return added

    def _poll_spool(self, spool: Spool) -> list[Added]:
        done = spool.finished.is_set()
        if self._merged and not done and not spool.is_live:
            return []
        generation = self._generations[0]
        added = self._grow(generation, spool.file.size(), final=done)
        self.ended = done and generation.high >= spool.file.size()
        return added

    def _take(self, event: TailEvent, follower: FileFollower) -> list[Added]:
        if isinstance(event, Began):
            added: list[Added] = []
            notice = ""
            if self._generations:
                added += self._rest_of(self._generations[-1])
                divider = self._divider(event)
                notice = divider.notice
                added.append(Added(divider, "back"))
            self._generations.append(Generation(event.file, self._new_number(), self.source, notice))
            return added
        if isinstance(event, Vanished):
            return []
        generation = next(one for one in self._generations if one.file is event.file)
        current = generation is self._generations[-1]
        added = []
        while generation.high < event.size:
            before = generation.high
            found = self._grow(generation, event.size, final=not current)
            self._generations[-1].is_followed |= bool(found) and not current
            added += found
            if generation.high == before or current:
                break
        follower.mark_read(event.file, generation.high)
        return added

    def _rest_of(self, generation: Generation) -> list[Added]:
        """Index what is left of a generation that another one follows."""
        added: list[Added] = []
        while True:
            before = generation.high
            added += self._grow(generation, generation.file.size(), final=True)
            if generation.high == before:
                return added

    def _divider(self, event: Began) -> Piece:
        at = datetime.fromtimestamp(event.at).astimezone()
        words = {"rotated": "rotated", "truncated": "truncated", "came back": "file is back", "first": "opened"}
        text = f"── {words[event.reason]} {at:%H:%M:%S} ──"
        last = self._generations[-1]
        if last.file.lost:
            text = f"── {words[event.reason]} {at:%H:%M:%S}, the text above is gone ──"
        moment = last.last.time(len(last.last) - 1) if last.last is not None else None
        return Piece((), notice=text, notice_us=moment or 0, notice_number=self._new_number(), source=self.source)

    def _grow(self, generation: Generation, size: int, *, final: bool) -> list[Added]:
        """Index at the end of a generation, one block at most."""
        if size <= generation.high and not (final and self._hold):
            self._note_behind(0)
            return []
        if generation.last is None:
            return self._first_look(generation, size, final=final)
        last = generation.last
        late = self._merged or generation is not self._generations[-1] or generation.is_followed
        again = min(len(last), READ_AGAIN if last.wrapped else 1)
        # What a late writer adds to an old file stands behind the divider: its last record is not read again.
        start = generation.high if late else last.start(len(last) - again)
        upto = min(size, max(start, generation.high) + BLOCK_BYTES)
        block, count = self._read(generation.file, start, upto - start)
        patience = MERGED_OPEN_SECONDS if late else OPEN_SECONDS
        count = self._complete(block, count, start, size, final=final, patience=patience)
        if start + count <= generation.high:
            self._note_behind(0)
            return []
        chunk = self._build(block, count, start, generation, after=True, whole=True)
        if chunk is None:
            return []
        generation.high = chunk.end
        self._note_behind(size - chunk.end)
        if late:
            if generation.is_followed:
                generation.last, generation.is_followed = chunk, False
            return [Added(Piece((generation.part(chunk),)), "back")]
        grown = self._regrown(generation, last, chunk, len(last) - again)
        return [Added(piece, place, again) for piece, place in grown]

    def _regrown(self, generation: Generation, last: Chunk, chunk: Chunk, kept: int) -> list[tuple[Piece, str]]:
        """Put a chunk that begins with the last chunk's last records again behind the others."""
        if kept == 0:
            generation.last = chunk
            return [(Piece((generation.part(chunk),)), "last")]
        head = sliced(last, 0, kept)
        if kept + len(chunk) <= CHUNK_RECORDS:
            generation.last = joined((head, chunk))
            return [(Piece((generation.part(generation.last),)), "last")]
        generation.last = chunk
        return [(Piece((generation.part(head),)), "last"), (Piece((generation.part(chunk),)), "back")]

    def _first_look(self, generation: Generation, size: int, *, final: bool) -> list[Added]:
        # Its end comes first only where nothing stands in front: older text is put in front of everything.
        is_first = generation is self._generations[0]
        start = max(0, size - TAIL_BYTES) if is_first else 0
        block, count = self._read(generation.file, start, min(size - start, BLOCK_BYTES))
        count = self._complete(block, count, start, size, final=final)
        if not count:
            return []
        self._find_year(generation, block, count)
        chunk = self._build(block, count, start, generation, after=False, whole=start == 0)
        if chunk is None:
            if start == 0:
                return []
            # One record is longer than the first look: everything is found by going back.
            generation.low = generation.high = start + count
            return self.index_back()
        generation.low, generation.high, generation.last = chunk.base, chunk.end, chunk
        generation.first_seen = (chunk.first_month_day, chunk.first_year)
        self._compare_with_header(generation)
        self._note_behind(size - chunk.end)
        return [Added(Piece((generation.part(chunk),)), "back")]

    def _complete(
        self, block: bytearray, count: int, start: int, size: int, *, final: bool, patience: float = OPEN_SECONDS
    ) -> int:
        """How much of a block is to be indexed now: a half line, an open block of lines are waited for."""
        if final or start + count < size:
            end = block.rfind(b"\n", 0, count) + 1
            return end if start + count < size and end else count
        end = block.rfind(b"\n", 0, count) + 1
        opened = open_record(block, end)
        if end == count and opened < 0:
            self._hold = None
            return count
        now = time.monotonic()
        settled = opened if 0 <= opened < end else end
        if self._hold is None or self._hold[:2] != (start + settled, start + count):
            since = now if self._hold is None or self._hold[0] != start + settled else self._hold[2]
            self._hold = (start + settled, start + count, since)
        if now - self._hold[2] >= patience:
            self._hold = None
            return count
        return settled

    @property
    def holding(self) -> bool:
        """The end of a record is being waited for."""
        return self._hold is not None

    # --- what is older

    @property
    def is_complete(self) -> bool:
        """Everything from each generation's beginning on is indexed."""
        spool = self._spool
        if spool is not None and self._merged and not spool.is_live and (
            not spool.finished.is_set() or self._generations[0].high < spool.file.size()
        ):  # fmt: skip
            return False
        return all(generation.low == 0 for generation in self._generations)

    def index_back(self) -> list[Added]:
        """Index one block in front of what is indexed."""
        generation = next((one for one in reversed(self._generations) if one.low > 0), None)
        if generation is None:
            return []
        reach = BLOCK_BYTES
        while True:
            start = max(0, generation.low - reach)
            block, count = self._read(generation.file, start, generation.low - start)
            if not count and generation is self._generations[-1] and not generation.file.still_holds():
                return []
            whole = start == 0 or reach > LONGEST_SEARCH_FOR_HEADER
            chunk = self._build(block, count, start, generation, after=False, whole=whole) if count else None
            if chunk is not None or whole:
                break
            reach *= 4
        if chunk is None:
            generation.low = 0
            return []
        generation.low = chunk.base if start else 0
        generation.first_seen = (chunk.first_month_day or generation.first_seen[0], chunk.first_year)
        self._compare_with_header(generation)
        piece = Piece((generation.part(chunk),))
        if generation.last is None:
            generation.last = chunk
        return [Added(piece, "front")]

    # --- shared

    def _read(self, file: LogFile, start: int, size: int) -> tuple[bytearray, int]:
        block = self._block if size <= BLOCK_BYTES else bytearray(size + PADDING)
        count = file.read_into(block, start, size)
        if not file.still_holds():
            # Truncated and written anew meanwhile: the follower's next look finds out where the text has gone.
            count = 0
        block[count : count + PADDING] = bytes(PADDING)
        return block, count

    def _build(
        self, block: bytearray, count: int, start: int, generation: Generation, *, after: bool, whole: bool
    ) -> Chunk | None:
        month_day, year = generation.first_seen
        hint = hint_after(block, count, generation.last_seen, year) if after else YearHint(year, month_day)
        chunk = self._builder.build(block, count, start, hint, whole=whole)
        if chunk is not None and chunk.last_month_day and (after or not generation.last_seen[0]):
            generation.last_seen = (chunk.last_month_day, chunk.last_year)
        return chunk

    def _find_year(self, generation: Generation, block: bytearray, count: int) -> None:
        """The year of the newest header: from the file's own header, a wrapper, or the time it was written."""
        year = proven_year(block, count) or self._year_of_file(generation.file, block, count)
        generation.first_seen = (0, year_with_leap_day(block, count, year))

    @staticmethod
    def _year_of_file(file: LogFile, block: bytearray, count: int) -> int:
        """The year that klog's file header proves, or one guessed from the time at which the file was written."""
        month_day, _ = last_day(block, count)
        created = _year_from_header(file, month_day)
        if created is not None:
            return created
        newest = datetime.fromtimestamp(file.modified() + 86_400, UTC)
        return newest.year - (1 if month_day > newest.month * 100 + newest.day else 0)

    @staticmethod
    def _compare_with_header(generation: Generation) -> None:
        """Counted back to the beginning, the year is that of klog's file header, or it was a guess."""
        month_day, year = generation.first_seen
        if generation.low == 0 and month_day:
            generation.file.year_proven = year == _year_from_header(generation.file, month_day)

    def _note_behind(self, wanted: int) -> None:
        self.wanted = wanted
        if wanted <= 0:
            self.behind_since = None
        elif self.behind_since is None:
            self.behind_since = time.monotonic()

    def note(self) -> str | None:
        """What the reader must know about this input; None when all is well."""
        if self._spool is not None and self._spool.failure:
            return self._spool.failure
        follower = self._follower
        if follower is None:
            return None
        if follower.problem is not None:
            return f"{self.path}: {follower.problem.title}"
        if not self._generations:
            return f"waiting for {self.path}"
        return f"{self.path} is gone; waiting for it" if follower.missing else None

    def size(self) -> int:
        """Bytes in all generations."""
        return sum(generation.file.size() for generation in self._generations if not generation.file.lost)

    def indexed(self) -> int:
        """Bytes of them that are indexed."""
        return sum(one.high - one.low for one in self._generations if not one.file.lost)

    @property
    def generations(self) -> tuple[Generation, ...]:
        """All generations, the oldest first."""
        return tuple(self._generations)

    def close(self) -> None:
        """Close all files; end the spool's thread."""
        if self._spool is not None:
            self._spool.close()
        for generation in self._generations:
            generation.file.close()


def _year_from_header(file: LogFile, month_day: int) -> int | None:
    """The year of a date within a year after klog's file header; None without that header."""
    created = _CREATED.match(file.read(0, 400))
    if created is None:
        return None
    first = int(created[2]) * 100 + int(created[3])
    return int(created[1]) + (1 if month_day and month_day < first else 0)
