"""What crosses between a log's worker and those who show it: published snapshots one way, requests the other.

Owns the frozen values. Nothing here acts.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from schedtui.core.log_rows import LogState, Selection
from schedtui.core.log_selection import NO_ROWS, SelectedRows
from schedtui.sources.log_pieces import Pieces

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from schedtui.core.log_rows import CountTable


@dataclass(frozen=True, slots=True)
class Published:
    """One frozen snapshot of everything that readers need."""

    state: LogState
    pieces: Pieces
    rows: SelectedRows
    levels: NDArray[np.int16]
    found: dict[int, NDArray[np.bool_]] = field(default_factory=dict)
    """Records that the search matches, by piece."""
    table: CountTable | None = None
    generation_sizes: dict[int, int] = field(default_factory=dict)
    """End of what is indexed by file generation: the last record of each may be incomplete."""


EMPTY = Published(
    LogState(
        generation=0, selection=Selection(), first=0, last=0, at_end=False, selecting=0.0, indexing=0.0,
        records=0, lines=0, size=0,
    ),
    Pieces(), NO_ROWS, np.full(1, -1, np.int16),
)  # fmt: skip
"""The snapshot before anything is read."""


@dataclass(frozen=True, slots=True)
class SelectRequest:
    """Select anew."""

    selection: Selection
    near: int | None


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """Search for a pattern, or stop searching."""

    pattern: str | None
    near: int | None


@dataclass(frozen=True, slots=True)
class CountRequest:
    """Count a field's values."""

    field_name: str


@dataclass(frozen=True, slots=True)
class LookupRequest:
    """Take another source of levels."""

    lookup: Callable[[str, int, str], int | None] | None


Request = SelectRequest | SearchRequest | CountRequest | LookupRequest
"""What the worker can be asked."""
