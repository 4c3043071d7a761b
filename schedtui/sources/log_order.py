"""The order in which the records of all inputs are shown.

Owns the numbered pieces of a log. One input keeps its own order, whatever its clocks say. Several inputs are
merged by time, from the end backward, each keeping its own order; records that two of them share (klog writes an
error into its INFO, WARNING and ERROR file alike) are taken once. It reads bytes only to compare such twins.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from schedtui.core.log_headers import UNKNOWN_TIME
from schedtui.core.log_index import joined, sliced
from schedtui.sources.log_input import CHUNK_RECORDS, Added
from schedtui.sources.log_pieces import Part, Piece, Pieces

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_FAR_FUTURE = np.iinfo(np.int64).max


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
        """A small piece that goes on where the last one ends is joined to it."""
        last = self._pieces[-1] if self._pieces else None
        if (
            change.place != "back"
            or last is None
            or last.part_of is not None
            or not (last.parts and change.piece.parts)
        ):
            return change
        one, two = last.parts[0], change.piece.parts[0]
        fits = one.number == two.number and one.chunk.end == two.chunk.base
        if not fits or change.piece.part_of is not None or len(one.chunk) + len(two.chunk) > CHUNK_RECORDS:
            return change
        whole = joined((one.chunk, two.chunk))
        return Added(Piece((Part(one.source, one.number, one.file, whole),)), "last")

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

    def __init__(self, inputs: int) -> None:
        self._waiting = [_Waiting() for _ in range(inputs)]
        self._began_backward = False

    def waits_for(self) -> int | None:
        """The input whose older records are needed to go on merging."""
        open_ones = [(number, one) for number, one in enumerate(self._waiting) if one.begun and not one.complete]
        empty = [number for number, waiting in open_ones if not waiting.parts]
        if empty:
            return empty[0]
        return max(open_ones, key=lambda one: one[1].upper)[0] if open_ones else None

    def take(self, finds: Sequence[tuple[int, Sequence[Added]]], complete: Sequence[bool]) -> list[Added]:
        """Take what inputs found; what has become certain comes back."""
        onward: list[Added] = []
        for source, added in finds:
            waiting = self._waiting[source]
            for change in added:
                if change.place == "front" or not (waiting.begun or waiting.complete):
                    waiting.add(change.piece.parts[0])
                else:
                    onward.append(change)
                waiting.begun = True
        for waiting, whole in zip(self._waiting, complete, strict=True):
            waiting.complete = whole
        return [*self._backward(), *onward]

    def _backward(self) -> list[Added]:
        missing = [one for one in self._waiting if not one.complete]
        if any(not one.parts for one in missing):
            return []
        moment = max((one.upper for one in missing), default=-_FAR_FUTURE)
        taken = [part for waiting in self._waiting for part in waiting.take_from(moment)]
        if not taken:
            return []
        place = "front" if self._began_backward else "back"
        self._began_backward = True
        return [Added(_merged(taken), place)]


def _merged(taken: list[tuple[Part, NDArray[np.int64]]]) -> Piece:
    if len(taken) == 1:
        return Piece((taken[0][0],))
    times = np.concatenate([part_times for _, part_times in taken])
    part_of = np.repeat(np.arange(len(taken), dtype=np.uint8), [len(part_times) for _, part_times in taken])
    index_in = np.concatenate([np.arange(len(part_times), dtype=np.uint32) for _, part_times in taken])
    order = np.argsort(times, kind="stable")
    parts = tuple(part for part, _ in taken)
    keep = _without_twins(parts, part_of[order], index_in[order], times[order])
    return Piece(parts, part_of[order][keep], index_in[order][keep])


def _without_twins(
    parts: tuple[Part, ...], part_of: NDArray[np.uint8], index_in: NDArray[np.uint32], times: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Positions to keep: of records at one moment with equal bytes from different inputs, the first."""
    keep = np.ones(len(times), np.bool_)
    sources = np.array([part.source for part in parts])[part_of]
    same = np.flatnonzero(times[1:] == times[:-1]) + 1
    groups = np.split(same, np.flatnonzero(np.diff(same) > 1) + 1) if len(same) else []
    for group in groups:
        members = [int(group[0]) - 1, *group.tolist()]
        if len({int(sources[member]) for member in members}) == 1:
            continue
        seen: dict[bytes, set[int]] = {}
        for member in members:
            part, index = parts[int(part_of[member])], int(index_in[member])
            start = part.chunk.start(index)
            text = part.file.read(start, part.chunk.stop(index) - start)
            owners = seen.setdefault(text, set())
            if owners and int(sources[member]) not in owners:
                keep[member] = False
            owners.add(int(sources[member]))
    return np.flatnonzero(keep)
