"""The order in which the records of all inputs are shown.

Owns the numbered pieces of a log. One input keeps its own order, whatever its clocks say. Several inputs are
merged by time, from the end backward, each keeping its own order; records that two of them share (klog writes an
error into its INFO, WARNING and ERROR file alike) are taken once. It reads bytes only to compare such twins.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

from schedtui.core.log_chunk import joined, sliced
from schedtui.core.log_headers import UNKNOWN_TIME
from schedtui.sources.log_input import CHUNK_RECORDS, Added
from schedtui.sources.log_pieces import Part, Piece, Pieces
from schedtui.sources.twins import Twins

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

_FAR_FUTURE = np.iinfo(np.int64).max
_Made = list[tuple[Part, "NDArray[np.int64]"]]
"""Parts with the times by which they are merged: never decreasing within one input."""

HOLD_SECONDS = 0.08
"""How long a new record of one input waits for those that the others write at the same moment: klog flushes its
ERROR file before its INFO file."""

TWINS_REMEMBERED = 20_000
"""New records that are remembered to notice another input's twin."""

MOST_PARTS = 200
"""Parts of one piece at most."""


class LogOrder:
    """Numbers pieces; piece 0 is the first one that was there."""

    def __init__(self, inputs: int) -> None:
        self._low = 0
        self._pieces: list[Piece] = []
        self._merger = Merger(inputs) if inputs > 1 else None

    def take(
        self, finds: Sequence[tuple[int, Sequence[Added]]], complete: Sequence[bool]
    ) -> list[tuple[int, Added]]:
        """Put what the inputs found in its place.

        Args:
            finds: What each input that was looked at found: (its number, pieces).
            complete: For each input whether nothing older will come from it.

        Returns:
            (number of the piece, change) in the order in which they were made.
        """
        if self._merger is None:
            return [self._place(change) for _, added in finds for change in added]
        return [self._place(self._with_last(change)) for change in self._merger.take(finds, complete)]

    def _place(self, change: Added) -> tuple[int, Added]:
        if change.place == "front":
            self._pieces.insert(0, change.piece)
            self._low -= 1
            return self._low, change
        if change.place == "back":
            self._pieces.append(change.piece)
        else:
            self._pieces[-1] = change.piece
        return self._low + len(self._pieces) - 1, change

    def _with_last(self, change: Added) -> Added:
        """A small piece is joined to the last one."""
        last = self._pieces[-1] if self._pieces else None
        if change.place != "back" or last is None or not (last.parts and change.piece.parts):
            return change
        if len(last) + len(change.piece) > CHUNK_RECORDS or len(last.parts) >= MOST_PARTS:
            return change
        return Added(_joined_pieces(last, change.piece), "last")

    @property
    def is_holding(self) -> bool:
        """Records are there that wait for others of the same moment."""
        return self._merger is not None and self._merger.is_holding

    def waits_for(self) -> int | None:
        """The input whose older records the merge needs next; None when it needs none."""
        return None if self._merger is None else self._merger.waits_for()

    def pieces(self) -> Pieces:
        """All pieces so far, frozen."""
        return Pieces(self._low, tuple(self._pieces))


class _Waiting:
    """Older parts of one input that are not merged yet, the newest last."""

    def __init__(self) -> None:
        self.parts: list[tuple[Part, NDArray[np.int64]]] = []
        self.upper = _FAR_FUTURE
        self.complete = False
        self.begun = False

    def add(self, part: Part) -> None:
        times = part.chunk.times()
        times[times == UNKNOWN_TIME] = _FAR_FUTURE
        ordered = np.minimum.accumulate(np.append(times, self.upper)[::-1])[::-1][:-1]
        self.upper = int(ordered[0])
        self.parts.insert(0, (part, ordered))

    def take_from(self, moment: int) -> list[tuple[Part, NDArray[np.int64]]]:
        """Remove and return everything at or after a moment."""
        taken: list[tuple[Part, NDArray[np.int64]]] = []
        while self.parts:
            part, times = self.parts[-1]
            first = int(np.searchsorted(times, moment))
            if first == len(times):
                break
            self.parts.pop()
            stop = len(times)
            kept = Part(part.source, part.number, part.file, sliced(part.chunk, first, stop))
            taken.insert(0, (kept, times[first:]))
            if first:
                rest = Part(part.source, part.number, part.file, sliced(part.chunk, 0, first))
                self.parts.append((rest, times[:first]))
                break
        return taken


class Merger:
    """Merges inputs by time: backward from the end as older records come in, and onward as new ones do."""

    def __init__(self, inputs: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._waiting = [_Waiting() for _ in range(inputs)]
        self._began_backward = False
        self._clock = clock
        self._held: list[Piece] = []
        self._held_since = 0.0
        self._reached = [-_FAR_FUTURE] * inputs
        self._twins = Twins(TWINS_REMEMBERED)

    @property
    def is_holding(self) -> bool:
        """New records wait for others of the same moment."""
        return bool(self._held)

    def waits_for(self) -> int | None:
        """The input whose older records are needed to go on merging."""
        open_ones = [(number, one) for number, one in enumerate(self._waiting) if one.begun and not one.complete]
        empty = [number for number, waiting in open_ones if not waiting.parts]
        if empty:
            return empty[0]
        return max(open_ones, key=lambda one: one[1].upper)[0] if open_ones else None

    def take(self, finds: Sequence[tuple[int, Sequence[Added]]], complete: Sequence[bool]) -> list[Added]:
        """Take what inputs found; what has become certain comes back."""
        for source, added in finds:
            waiting = self._waiting[source]
            for change in added:
                if change.place == "front" or not (waiting.begun or waiting.complete):
                    waiting.add(change.piece.parts[0])
                else:
                    self._hold(change.piece)
                waiting.begun = True
        for waiting, whole in zip(self._waiting, complete, strict=True):
            waiting.complete = whole
        return [*self._backward(), *self._onward()]

    def _hold(self, piece: Piece) -> None:
        if not self._held:
            self._held_since = self._clock()
        self._held.append(piece)

    def _onward(self) -> list[Added]:
        """What is new, merged as far as it has come within a moment; dividers part what stands around them."""
        if not self._held or not self._is_due():
            return []
        held, self._held = self._held, []
        found: list[Piece] = []
        made: _Made = []
        for piece in held:
            if piece.parts:
                part = piece.parts[0]
                made.append((part, self._moments(part)))
                continue
            found += self._new_ones(made)
            found.append(piece)
            made = []
        found += self._new_ones(made)
        return [Added(piece, "back") for piece in found]

    def _is_due(self) -> bool:
        if not self._began_backward and any(waiting.parts for waiting in self._waiting):
            # What was there first comes first.
            return False
        return len(self._held) >= MOST_PARTS or self._clock() - self._held_since >= HOLD_SECONDS

    def _moments(self, part: Part) -> NDArray[np.int64]:
        """A new part's times; a record without one stays behind the one above it."""
        times = part.chunk.times()
        times[times == UNKNOWN_TIME] = -_FAR_FUTURE
        ordered = np.maximum.accumulate(np.append(self._reached[part.source], times))[1:]
        self._reached[part.source] = int(ordered[-1])
        return ordered

    def _new_ones(self, made: _Made) -> list[Piece]:
        """New parts as one piece, without what another input has brought already."""
        if not made:
            return []
        parts, part_of, index_in, times = _in_order(made)
        keep = self._count_twins(parts, part_of, index_in, _own_times(parts, part_of, index_in, times))
        return [Piece(parts, part_of[keep], index_in[keep])] if keep.any() else []

    def _count_twins(
        self, parts: tuple[Part, ...], part_of: NDArray[np.uint8], index_in: NDArray[np.uint32],
        times: NDArray[np.int64],
    ) -> NDArray[np.bool_]:  # fmt: skip
        """Remember records; which of them no other input had first."""
        texts = [part.file.read(part.chunk.base, part.chunk.end - part.chunk.base) for part in parts]
        keep = np.ones(len(part_of), np.bool_)
        rows = zip(part_of.tolist(), index_in.tolist(), times.tolist(), strict=True)
        for place, (number, index, moment) in enumerate(rows):
            chunk, text = parts[number].chunk, texts[number]
            raw = text[chunk.start(index) - chunk.base : chunk.stop(index) - chunk.base]
            keep[place] = self._twins.is_new(parts[number].source, (moment, hash(raw)))
        return keep

    def _backward(self) -> list[Added]:
        missing = [one for one in self._waiting if not one.complete]
        if any(not one.parts for one in missing):
            return []
        moment = max((one.upper for one in missing), default=-_FAR_FUTURE)
        taken = [part for waiting in self._waiting for part in waiting.take_from(moment)]
        if not taken:
            return []
        place = "front" if self._began_backward else "back"
        if not self._began_backward:
            self._remember_ends(taken)
        self._began_backward = True
        return [Added(_merged(taken), place)]

    def _remember_ends(self, taken: _Made) -> None:
        """The newest records may have twins that are not flushed yet."""
        parts, part_of, index_in, times = _in_order(taken)
        newest = slice(-TWINS_REMEMBERED, None)
        own = _own_times(parts, part_of, index_in, times)
        self._count_twins(parts, part_of[newest], index_in[newest], own[newest])


def _in_order(
    taken: _Made,
) -> tuple[tuple[Part, ...], NDArray[np.uint8], NDArray[np.uint32], NDArray[np.int64]]:
    """Parts merged by time: (parts, part of each record, its index there, its time)."""
    times = np.concatenate([part_times for _, part_times in taken])
    part_of = np.repeat(np.arange(len(taken), dtype=np.uint8), [len(part_times) for _, part_times in taken])
    index_in = np.concatenate([np.arange(len(part_times), dtype=np.uint32) for _, part_times in taken])
    order = np.argsort(times, kind="stable")
    return tuple(part for part, _ in taken), part_of[order], index_in[order], times[order]


def _merged(taken: _Made) -> Piece:
    if len(taken) == 1:
        return Piece((taken[0][0],))
    parts, part_of, index_in, times = _in_order(taken)
    keep = _without_twins(parts, part_of, index_in, _own_times(parts, part_of, index_in, times))
    return Piece(parts, part_of[keep], index_in[keep])


def _own_times(
    parts: tuple[Part, ...], part_of: NDArray[np.uint8], index_in: NDArray[np.uint32], times: NDArray[np.int64]
) -> NDArray[np.int64]:
    """What records say of their time, which threads may write out of order; else the time they are merged by."""
    own = times.copy()
    for number, part in enumerate(parts):
        mine = part_of == number
        own[mine] = part.chunk.times()[index_in[mine]]
    return np.where(own == UNKNOWN_TIME, times, own)


def _joined_pieces(one: Piece, two: Piece) -> Piece:
    """Two pieces as one; parts that go on where another one ends become longer."""
    parts = list(one.parts)
    places: list[tuple[int, int]] = []
    for part in two.parts:
        ends = (place for place, other in enumerate(parts) if _goes_on(other, part))
        place = next(ends, None)
        if place is None:
            places.append((len(parts), 0))
            parts.append(part)
            continue
        before = parts[place]
        places.append((place, len(before.chunk)))
        chunk = joined((before.chunk, part.chunk))
        parts[place] = Part(part.source, part.number, part.file, chunk)
    if len(parts) == 1 and one.part_of is None and two.part_of is None:
        return Piece(tuple(parts))
    first_of, first_in = _columns(one)
    second_of, second_in = _columns(two)
    place_of = np.array([place for place, _ in places], np.uint8)
    shift_of = np.array([shift for _, shift in places], np.uint32)
    return Piece(
        tuple(parts), np.concatenate((first_of, place_of[second_of])),
        np.concatenate((first_in, second_in + shift_of[second_of])),
    )  # fmt: skip


def _goes_on(one: Part, two: Part) -> bool:
    return one.number == two.number and one.chunk.end == two.chunk.base


def _columns(piece: Piece) -> tuple[NDArray[np.uint8], NDArray[np.uint32]]:
    if piece.part_of is not None and piece.index_in is not None:
        return piece.part_of, piece.index_in
    return np.zeros(len(piece), np.uint8), np.arange(len(piece), dtype=np.uint32)


def _without_twins(
    parts: tuple[Part, ...], part_of: NDArray[np.uint8], index_in: NDArray[np.uint32], times: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Positions to keep: of records at one moment with equal bytes from different inputs, the first."""
    keep = np.ones(len(times), np.bool_)
    sources = np.array([part.source for part in parts])[part_of]
    order = np.argsort(times, kind="stable")
    same = np.flatnonzero(times[order[1:]] == times[order[:-1]]) + 1
    groups = np.split(same, np.flatnonzero(np.diff(same) > 1) + 1) if len(same) else []
    for group in groups:
        members = order[int(group[0]) - 1 : int(group[-1]) + 1].tolist()
        if len({int(sources[member]) for member in members}) == 1:
            continue
        twins = Twins(len(members))
        for member in members:
            part, index = parts[int(part_of[member])], int(index_in[member])
            start = part.chunk.start(index)
            text = part.file.read(start, part.chunk.stop(index) - start)
            keep[member] = twins.is_new(int(sources[member]), text)
    return np.flatnonzero(keep)
