"""The call sites of one log: ``file.go:line`` pairs as small numbers, and the V level of each.

Owns the numbering and the cache of levels. It refuses to know where levels come from: a look-up is handed in, and
is asked once per call site. Which records belong to a site is the index's business (``core.log_index``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

LevelLookup = "Callable[[str, int, str], int | None]"
"""(file, source line, message) → V level, None when unknown."""

NO_SITE = 0
"""The site of records whose header names none."""

MOST_SITES = 65_000
"""Sites are numbered in 16 bits; a log with more (no scheduler has 2 000) files the rest under ``NO_SITE``."""

UNKNOWN_LEVEL = -1
"""In level arrays: the level of this site is not known."""


@dataclass(frozen=True, slots=True)
class Site:
    """One place that logs."""

    file: str
    """Base name of the Go file; empty for ``NO_SITE``."""
    src_line: int
    """1-based line in it."""
    message: str
    """The message of the first record seen from it."""
    logged_level: int | None = None
    """The level that the log's own JSON carries; None in text logs."""


class SiteTable:
    """Numbers call sites in the order in which they are met.

    One thread adds; others may read ``sites`` and ``levels()``, which only ever grow or are replaced whole.
    """

    def __init__(self, level_lookup: Callable[[str, int, str], int | None] | None = None) -> None:
        self.sites: list[Site] = [Site("", 0, "")]
        """All sites; the index is the site's number."""
        self._numbers: dict[tuple[str, int, int | None], int] = {}
        self._hashes: NDArray[np.uint64] = np.zeros(0, np.uint64)
        self._hash_numbers: NDArray[np.uint16] = np.zeros(0, np.uint16)
        self._lookup = level_lookup
        self._levels: NDArray[np.int16] = np.full(1, UNKNOWN_LEVEL, np.int16)

    def number(self, file: str, src_line: int, message: str, logged_level: int | None = None) -> int:
        """The number of a site; a site that is new gets the next one."""
        key = (file, src_line, logged_level)
        number = self._numbers.get(key)
        if number is None:
            if len(self.sites) >= MOST_SITES:
                return NO_SITE
            number = len(self.sites)
            site = Site(file, src_line, message, logged_level)
            self.sites.append(site)
            self._numbers[key] = number
            self._levels = np.append(self._levels, np.int16(self._level_of(site)))
        return number

    def numbers_of_hashes(
        self, hashes: NDArray[np.uint64], site_at: Callable[[int], tuple[str, int, str]]
    ) -> NDArray[np.uint16]:
        """The numbers for hashes of ``file.go:line]``.

        Args:
            hashes: One for each record.
            site_at: Reads file, source line and message of the record at a position of ``hashes``.
        """
        numbers = np.zeros(len(hashes), np.uint16)
        missing = np.ones(len(hashes), np.bool_)
        if len(self._hashes):
            places = np.searchsorted(self._hashes, hashes)
            places[places == len(self._hashes)] = 0
            missing = self._hashes[places] != hashes
            numbers = self._hash_numbers[places]
        if missing.any():
            rest = np.flatnonzero(missing)
            _, first, inverse = np.unique(hashes[rest], return_index=True, return_inverse=True)
            found = np.array([self.number(*site_at(int(rest[position]))) for position in first], np.uint16)
            numbers[rest] = found[inverse]
            self._add_hashes(hashes[rest[first]], found)
        return numbers

    def _add_hashes(self, hashes: NDArray[np.uint64], numbers: NDArray[np.uint16]) -> None:
        all_hashes = np.concatenate((self._hashes, hashes))
        order = np.argsort(all_hashes, kind="stable")
        self._hash_numbers = np.concatenate((self._hash_numbers, numbers))[order]
        self._hashes = all_hashes[order]

    def set_level_lookup(self, lookup: Callable[[str, int, str], int | None] | None) -> None:
        """Take another source of levels; every site is asked anew."""
        self._lookup = lookup
        self._levels = np.array([self._level_of(site) for site in self.sites], np.int16)

    def _level_of(self, site: Site) -> int:
        if site.logged_level is not None:
            return site.logged_level
        if self._lookup is None or not site.file:
            return UNKNOWN_LEVEL
        level = self._lookup(site.file, site.src_line, site.message)
        return UNKNOWN_LEVEL if level is None else level

    def levels(self) -> NDArray[np.int16]:
        """The level of each site by number; ``UNKNOWN_LEVEL`` where it is not known. Not to be written to."""
        return self._levels
