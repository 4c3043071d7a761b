"""Which records of which chunks are rows, and which row is which record.

Owns the arithmetic of selections: masks a chunk at a time, neighbours shown as context, and row numbers that never
change while chunks are added at either end. It knows nothing of files, filters or threads.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class SelectedRows:
    """A selection as far as it has got; frozen, so that a thread may read while another goes on selecting."""

    low: int
    """Number of the first chunk that is part of it."""
    first: int
    """The first row's number."""
    last: int
    """One past the last row's number."""
    first_rows: tuple[int, ...]
    """The first row of each chunk from ``low`` on."""
    shown: tuple[NDArray[np.bool_], ...]
    """Which records of each chunk are rows."""
    matched: tuple[NDArray[np.bool_], ...]
    """Which of them match; the others are context."""

    def locate(self, number: int) -> tuple[int, int] | None:
        """(chunk, index in it) of a row; None when there is no such row."""
        if not self.first <= number < self.last:
            return None
        place = bisect_right(self.first_rows, number) - 1
        index = int(np.flatnonzero(self.shown[place])[number - self.first_rows[place]])
        return self.low + place, index

    def locate_many(self, first: int, count: int) -> list[tuple[int, int, bool]]:
        """(chunk, index, is context) of the rows from ``first`` on, as many as there are."""
        found: list[tuple[int, int, bool]] = []
        number = max(first, self.first)
        stop = min(first + count, self.last)
        place = bisect_right(self.first_rows, number) - 1
        while number < stop and place < len(self.shown):
            indexes = np.flatnonzero(self.shown[place])
            start = number - self.first_rows[place]
            part = indexes[start : start + stop - number]
            matched = self.matched[place]
            found += [(self.low + place, index, not matched[index]) for index in part.tolist()]
            number += len(part)
            place += 1
        return found

    def row_of(self, chunk: int, index: int) -> int | None:
        """The row of a record, or the nearest row before it (the first row when none is before it)."""
        if self.first == self.last:
            return None
        place = chunk - self.low
        if place < 0:
            return self.first
        if place >= len(self.shown):
            return self.last - 1
        before = int(np.count_nonzero(self.shown[place][: index + 1]))
        return max(self.first, self.first_rows[place] + before - 1)

    def next_of(self, flags: Callable[[int], NDArray[np.bool_] | None], number: int, step: int) -> int | None:
        """The nearest row after (``step`` 1) or before (-1) ``number`` whose record is flagged.

        Args:
            flags: The flagged records of a chunk; None when it has none.
            number: The row to start from; it need not exist.
            step: 1 or -1.
        """
        count = len(self.shown)
        place = bisect_right(self.first_rows, number) - 1
        place = min(max(place, 0), count - 1)
        while 0 <= place < count:
            flagged = flags(self.low + place)
            if flagged is not None:
                shown = self.shown[place]
                rows = np.flatnonzero(flagged[: len(shown)][shown[: len(flagged)]]) + self.first_rows[place]
                fitting = rows[rows > number] if step > 0 else rows[rows < number]
                if len(fitting):
                    return int(fitting[0 if step > 0 else -1])
            place += step
        return None


NO_ROWS = SelectedRows(0, 0, 0, (), (), ())
"""A selection that has not begun."""


def widened(matched: NDArray[np.bool_], context: int) -> NDArray[np.bool_]:
    """``matched`` with ``context`` neighbours on either side."""
    if not context or not matched.any():
        return matched
    edges = np.zeros(len(matched) + 2 * context + 1, np.int32)
    places = np.flatnonzero(matched)
    np.add.at(edges, places, 1)
    np.add.at(edges, places + 2 * context + 1, -1)
    return np.asarray(np.cumsum(edges)[context : context + len(matched)] > 0)


class SelectionBuilder:
    """Adds chunks to a selection at either end; chunk numbers have no gaps."""

    def __init__(self, origin: int, context: int = 0) -> None:
        """Begin a selection.

        Args:
            origin: Number of the chunk that is added first; its first row is row 0.
            context: Neighbours of a match that are rows too.
        """
        self.low = origin
        self.high = origin
        """One past the last chunk that was added."""
        self._context = context
        self._matched: list[NDArray[np.bool_]] = []
        self._shown: list[NDArray[np.bool_]] = []
        self._first = 0
        self._last = 0

    def __contains__(self, chunk: int) -> bool:
        return self.low <= chunk < self.high

    @property
    def first(self) -> int:
        """The first row's number so far."""
        return self._first

    @property
    def last(self) -> int:
        """One past the last row's number so far."""
        return self._last

    def length(self, chunk: int) -> int:
        """How many records of a chunk have been looked at."""
        return len(self._matched[chunk - self.low])

    def append(self, matched: NDArray[np.bool_]) -> None:
        """Add the chunk after the last one."""
        self._matched.append(matched)
        self._shown.append(np.zeros(len(matched), np.bool_))
        self.high += 1
        self._last += self._spread(len(self._matched) - 1)

    def prepend(self, matched: NDArray[np.bool_]) -> None:
        """Add the chunk before the first one."""
        self._matched.insert(0, matched)
        self._shown.insert(0, np.zeros(len(matched), np.bool_))
        self.low -= 1
        self._first -= self._spread(0)

    def shrink_last(self, keep: int) -> None:
        """The last chunk's records from ``keep`` on are read again."""
        self._last -= int(np.count_nonzero(self._shown[-1][keep:]))
        self._matched[-1] = self._matched[-1][:keep]
        self._shown[-1] = self._shown[-1][:keep]

    def extend_last(self, more: NDArray[np.bool_]) -> None:
        """The last chunk has grown by these records."""
        self._matched[-1] = np.concatenate((self._matched[-1], more))
        self._shown[-1] = np.concatenate((self._shown[-1], np.zeros(len(more), np.bool_)))
        self._last += self._spread(len(self._matched) - 1)

    def _spread(self, place: int) -> int:
        """Show a new chunk's matches with their neighbours; the number of rows gained."""
        if not self._context:
            gained = int(np.count_nonzero(self._matched[place])) - int(np.count_nonzero(self._shown[place]))
            self._shown[place] = self._matched[place]
            return gained
        places = self._with_neighbours(place)
        before = sum(int(np.count_nonzero(self._shown[neighbour])) for neighbour in places)
        whole = widened(np.concatenate([self._matched[neighbour] for neighbour in places]), self._context)
        position = 0
        for neighbour in places:
            size = len(self._matched[neighbour])
            # At the outer edges the neighbours' own neighbours are missing: keep what they had shown.
            self._shown[neighbour] = self._shown[neighbour] | whole[position : position + size]
            position += size
        return sum(int(np.count_nonzero(self._shown[neighbour])) for neighbour in places) - before

    def _with_neighbours(self, place: int) -> range:
        """Places of the chunks that a chunk's matches reach into, and that reach into it."""
        low = high = place
        reach = self._context
        while low > 0 and reach > 0:
            low -= 1
            reach -= len(self._matched[low])
        reach = self._context
        while high + 1 < len(self._matched) and reach > 0:
            high += 1
            reach -= len(self._matched[high])
        return range(low, high + 1)

    def rows(self) -> SelectedRows:
        """The selection so far, frozen."""
        first_rows: list[int] = []
        number = self._first
        for shown in self._shown:
            first_rows.append(number)
            number += int(np.count_nonzero(shown))
        return SelectedRows(
            self.low, self._first, self._last, tuple(first_rows), tuple(self._shown), tuple(self._matched)
        )
