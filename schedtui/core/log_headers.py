"""klog headers, recognised for thousands of lines at once.

Owns the arithmetic on header bytes: does a header start here, what time does it tell, from which call site does
it come. It looks at bytes only, in bulk, and gives up on anything unusual, which ``core.log_index`` then reads
line by line. Messages and pairs belong to ``core.klog``.

The header is ``Lmmdd hh:mm:ss.uuuuuu ppppppp file.go:line] ``: the pid is padded to seven columns, so the file
starts in column 30 (klog 2.140, ``severity``/``buffer`` packages).
"""

from __future__ import annotations

import datetime
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Buffer  # type: ignore[attr-defined]

    from numpy.typing import NDArray

PADDING = 96
"""Zero bytes that must follow the text, so that a look at the last header does not run past the end."""

FILE_COLUMN = 30
"""Where the file's name starts in a klog header."""

MICROSECONDS_A_DAY = 86_400_000_000
"""Microseconds in a day."""

UNKNOWN_TIME = np.iinfo(np.int64).min
"""The time of a record whose header tells none."""

_HEAD = np.dtype("V24")
_SITE = np.dtype("V32")
_LITTLE = np.dtype("<u8")


def _word(*values: int) -> np.uint64:
    return np.uint64(int.from_bytes(bytes(values), "little"))


_MASK_0 = _word(0, 0xF0, 0xF0, 0xF0, 0xF0, 0xFF, 0xF0, 0xF0)
_WANT_0 = _word(0, 0x30, 0x30, 0x30, 0x30, 0x20, 0x30, 0x30)
_MASK_1 = _word(0xFF, 0xF0, 0xF0, 0xFF, 0xF0, 0xF0, 0xFF, 0xF0)
_WANT_1 = _word(0x3A, 0x30, 0x30, 0x3A, 0x30, 0x30, 0x2E, 0x30)
_MASK_2 = _word(0xF0, 0xF0, 0xF0, 0xF0, 0xF0, 0, 0, 0)
_WANT_2 = _word(0x30, 0x30, 0x30, 0x30, 0x30, 0, 0, 0)
_LOW = _word(*[0x01] * 8)
_HIGH = _word(*[0x80] * 8)
_BRACKETS = _word(*[0x5D] * 8)
_PRIMES = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x27D4EB2F165667C5)

_IS_SEVERITY = np.zeros(256, np.bool_)
_IS_SEVERITY[list(b"IWEF")] = True


def _words(text: NDArray[np.uint8], starts: NDArray[np.int64], kind: np.dtype[np.void]) -> NDArray[np.uint64]:
    """``kind.itemsize`` bytes from each start, as rows of little-endian 64-bit words."""
    windows: NDArray[np.void] = np.ndarray((len(text) - kind.itemsize + 1,), kind, text, 0, (1,))
    return windows[starts].view(_LITTLE).reshape(len(starts), kind.itemsize // 8)


def find_headers(text: NDArray[np.uint8], starts: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which of the line starts hold a klog header.

    Args:
        text: Bytes with ``PADDING`` zero bytes behind them.
        starts: Positions in ``text``.
    """
    found = _IS_SEVERITY[text[starts]]
    candidates = np.flatnonzero(found)
    words = _words(text, starts[candidates], _HEAD)
    sound = (
        ((words[:, 0] & _MASK_0) == _WANT_0)
        & ((words[:, 1] & _MASK_1) == _WANT_1)
        & ((words[:, 2] & _MASK_2) == _WANT_2)
    )
    found[candidates[~sound]] = False
    return found


def begins_like_header(text: NDArray[np.uint8], starts: NDArray[np.int64]) -> NDArray[np.bool_]:
    """A severity letter and a digit stand there: so begin headers of any shape, and no other starts of records."""
    second = text[starts + 1]
    return _IS_SEVERITY[text[starts]] & (second >= 0x30) & (second <= 0x39)


def _digit(words: NDArray[np.uint64], position: int) -> NDArray[np.int64]:
    shifted = (words >> np.uint64(8 * position)) & np.uint64(0x0F)
    return shifted.astype(np.int64)


def month_days_and_times(
    text: NDArray[np.uint8], starts: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(100 · month + day, microseconds since midnight) of headers that ``find_headers`` recognised."""
    words = _words(text, starts, _HEAD)
    first, second, third = words[:, 0], words[:, 1], words[:, 2]
    month_day = _digit(first, 1) * 1000 + _digit(first, 2) * 100 + _digit(first, 3) * 10 + _digit(first, 4)
    seconds = (
        (_digit(first, 6) * 10 + _digit(first, 7)) * 3600
        + (_digit(second, 1) * 10 + _digit(second, 2)) * 60
        + _digit(second, 4) * 10
        + _digit(second, 5)
    )
    micros = _digit(second, 7) * 100_000
    for position, weight in enumerate((10_000, 1_000, 100, 10, 1)):
        micros += _digit(third, position) * weight
    return month_day, seconds * 1_000_000 + micros


@lru_cache(maxsize=16)
def _midnights(year: int) -> NDArray[np.int64]:
    """Microseconds since 1970 of each day's start, by 100 · month + day; days that a year lacks fall beside it."""
    table = np.zeros(1400, np.int64)
    epoch = datetime.date(1970, 1, 1)
    for month in range(1, 13):
        first = (datetime.date(year, month, 1) - epoch).days
        table[100 * month : 100 * month + 100] = (first - 1 + np.arange(100)) * MICROSECONDS_A_DAY
    return table


def years_backward(month_days: NDArray[np.int64], last_year: int) -> NDArray[np.int64]:
    """The year of each record, in file order, when the last one belongs to ``last_year``.

    A step from December to January is a New Year, one from January to December is threads racing over it.
    """
    steps = np.diff(month_days)
    turns = np.zeros(len(month_days), np.int64)
    turns[1:] = (steps < -600).astype(np.int64) - (steps > 600).astype(np.int64)
    years = np.cumsum(turns)
    return last_year + years - (years[-1] if len(years) else 0)


def times_of(
    month_days: NDArray[np.int64], micros: NDArray[np.int64], years: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Microseconds since 1970 on the header's own clock."""
    times = np.empty(len(micros), np.int64)
    clipped = np.minimum(month_days, 1399)
    for year in np.unique(years):
        chosen = years == year
        times[chosen] = _midnights(int(year))[clipped[chosen]] + micros[chosen]
    return times


def site_hashes(
    text: NDArray[np.uint8], starts: NDArray[np.int64]
) -> tuple[NDArray[np.uint64], NDArray[np.bool_]]:
    """A hash of ``file.go:line]`` for each header, and which headers were regular enough for it.

    Irregular: the file does not start in column 30, or its name and line take more than 31 bytes.
    """
    regular = (text[starts + FILE_COLUMN - 1] == 0x20) & (text[starts + FILE_COLUMN] != 0x20)
    words = _words(text, starts + FILE_COLUMN, _SITE)
    hashes = np.zeros(len(starts), np.uint64)
    open_still = np.ones(len(starts), np.bool_)
    with np.errstate(over="ignore"):
        for position, prime in enumerate(_PRIMES):
            word = words[:, position]
            different = word ^ _BRACKETS
            hits = (different - _LOW) & ~different & _HIGH
            lowest = hits & (~hits + np.uint64(1))
            # All bits up to the first bracket's own; all bits when there is none in this word.
            kept = np.where(hits == 0, ~np.uint64(0), (lowest << np.uint64(1)) - np.uint64(1))
            part = np.where(open_still, word & kept, np.uint64(0))
            hashes = (hashes ^ part) * np.uint64(prime)
            hashes ^= hashes >> np.uint64(29)
            open_still &= hits == 0
    return hashes, regular & ~open_still


def as_text_array(data: Buffer) -> NDArray[np.uint8]:
    """``data`` as an array of bytes, not copied."""
    return np.frombuffer(data, np.uint8)
