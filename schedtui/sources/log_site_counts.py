"""How often each call site logged, from the index's columns: no line is read for it.

Owns one sum over the columns of a file generation. What a site's level is, is ``core``'s and the source's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from schedtui.core.log_chunk import Chunk
    from schedtui.core.log_sites import Site
    from schedtui.sources.log_pieces import Piece


@dataclass(frozen=True, slots=True)
class SiteCount:
    """How often one call site logged."""

    file: str
    """Base name of the Go file."""
    src_line: int
    """1-based line in it."""
    message: str
    """The message of its first record."""
    logged_level: int | None
    """The level that the log's own JSON carries."""
    records: int
    """Records of all severities."""
    information: int
    """Information records."""
    information_bytes: int
    """Their bytes."""


def count_sites(
    pieces: Iterable[Piece], sites: Sequence[Site], generation: tuple[int, int], upto: int
) -> tuple[SiteCount, ...]:
    """The sites' records in front of a byte of one file generation.

    Args:
        pieces: What is indexed.
        sites: The sites by number.
        generation: Its input and its number.
        upto: Byte offset of a record's start.
    """
    counts = np.zeros((3, len(sites)), np.int64)
    for piece in pieces:
        for part in piece.parts:
            if (part.source, part.number) == generation and part.chunk.base < upto:
                counts += _count(part.chunk, upto, len(sites))
    return tuple(
        SiteCount(site.file, site.src_line, site.message, site.logged_level, *(int(one) for one in column))
        for site, column in zip(sites, counts.T, strict=True)
        if site.file and column[0]
    )


def _count(chunk: Chunk, upto: int, sites: int) -> NDArray[np.int64]:
    """Records, information records and their bytes, each by site."""
    before = int(np.searchsorted(chunk.starts, upto - chunk.base))
    site, starts = chunk.site[:before], chunk.starts[:before].astype(np.int64)
    sizes = np.diff(starts, append=chunk.stop(before - 1) - chunk.base)
    information = chunk.severity[:before] == ord("I")
    kept = site < sites
    return np.stack([
        np.bincount(site[kept], minlength=sites),
        np.bincount(site[kept & information], minlength=sites),
        np.bincount(site[kept & information], sizes[kept & information], sites).astype(np.int64),
    ])  # fmt: skip
