"""What a log pane may ask of a log: rows, counts, jumps; and the values it gets back.

Owns the protocol between a log's owner (``sources.log_store``) and whoever shows it, and the frozen values that
cross it. It knows neither files nor widgets.

A row is one record of the current selection (filter, level, search apart), shown by its first physical line. Row
numbers are whole numbers that stay what they are while the log grows at its end and while its beginning is still
being indexed: row 0 is where the selection was begun, earlier rows are negative. A new selection has a new
``generation`` and new row numbers; a record's ``address`` leads from one to the other.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from schedtui.core.record import Record

ALL_LEVELS = 10
"""As a level limit: every record, those of V10 and above included."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row as it is to be painted."""

    number: int
    """Its number in the selection."""
    address: int
    """Names the record for ever, whatever is selected."""
    text: str
    """The record's first physical line from its first byte, cut behind the columns asked for."""
    severity: str | None = None
    """``I``, ``W``, ``E``, ``F``; None when no header tells it."""
    v: int | None = None
    """Its V level; None when unknown, and for errors."""
    time_us: int | None = None
    """Microseconds since 1970 on the header's own clock."""
    line: int | None = None
    """1-based physical line in its file; None while the lines in front are not counted yet."""
    line_count: int = 1
    """Physical lines of the record."""
    source: int = 0
    """Which of the log's inputs, counted from 0."""
    matches: bool = False
    """The search matches it."""
    context: bool = False
    """It is here as the neighbour of a record that passes the filter."""
    notice: bool = False
    """Said by schedtui (rotation, lost text), not by the scheduler."""
    lost: int | None = None
    """How many of the scheduler's lines a log collector says here that it dropped."""
    incomplete: bool = False
    """Its end has not been written yet."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Which records are rows."""

    level: int = ALL_LEVELS
    """Highest V level shown; errors, warnings and records of unknown level stay."""
    parts: tuple[str, ...] = ()
    """Filter expressions that all must hold, one a chip."""
    disabled: frozenset[int] = frozenset()
    """Positions in ``parts`` that are switched off."""
    context: int = 0
    """Records around each match that are shown too."""
    sources: frozenset[int] | None = None
    """Only these inputs; None for all."""

    @property
    def expressions(self) -> tuple[str, ...]:
        """The parts that are switched on."""
        return tuple(part for position, part in enumerate(self.parts) if position not in self.disabled)


@dataclass(frozen=True, slots=True)
class LevelCounts:
    """How many records each step of the level filter holds."""

    exact: Mapping[int, int] = field(default_factory=dict)
    """Info records of each known V level."""
    unknown: int = 0
    """Info records and lines without header whose level is not known ("V?")."""
    warnings: int = 0
    """``W`` records."""
    errors: int = 0
    """``E`` and ``F`` records."""

    def up_to(self, level: int) -> int:
        """Info records with a known level of at most ``level`` (all known ones from ``ALL_LEVELS`` on)."""
        return sum(count for v, count in self.exact.items() if level >= ALL_LEVELS or v <= level)


@dataclass(frozen=True, slots=True)
class LogState:
    """The log at one moment, as far as it is indexed and selected."""

    generation: int
    """Counts selections; rows of different generations have nothing to do with each other."""
    selection: Selection
    """What is selected."""
    first: int
    """The first row that is known."""
    last: int
    """One past the last row that is known; ``first`` when there is none."""
    at_end: bool
    """The selection has reached the log's last record: new rows will come behind ``last``."""
    selecting: float | None
    """How much of the selection is done, 0 to 1; None when all of it is."""
    indexing: float | None
    """How much of the log is indexed, 0 to 1; None when all of it is."""
    records: int
    """Records indexed so far."""
    lines: int
    """Physical lines indexed so far."""
    size: int
    """Bytes of all inputs."""
    counts: LevelCounts = LevelCounts()
    """Records by level."""
    end_address: int | None = None
    """The log's last record, be it a row or not; None before the first one."""
    first_us: int | None = None
    """The first known record's time."""
    last_us: int | None = None
    """The last record's time."""
    search: str | None = None
    """The pattern that is searched for; None without a search."""
    search_error: str | None = None
    """Why the pattern is taken literally or cannot be used; None when it is sound."""
    search_matches: int = 0
    """Records that match, as far as searched."""
    searching: float | None = None
    """How much of the search is done; None when all of it is."""
    moments: Mapping[str, int] = field(default_factory=dict)
    """Part of the filter → what its ``-5m`` became when it was applied, in microseconds since 1970."""
    filter_error: str | None = None
    """Why the filter cannot be used; the selection is the one before it then."""
    lag_seconds: float = 0.0
    """How far reading is behind the file's end."""
    notes: tuple[str, ...] = ()
    """What the reader must know about the inputs (no file events, waiting for a file), one line each."""
    ended: bool = False
    """No input will grow any more (standard input closed, an archive)."""


@dataclass(frozen=True, slots=True)
class CountRow:
    """One line of a count-by table."""

    value: str
    """The field's value as the filter language spells it."""
    count: int
    """Records that have it."""
    last_us: int | None = None
    """When it was last seen."""


@dataclass(frozen=True, slots=True)
class CountTable:
    """A count-by table, complete or still growing."""

    field: str
    """What is counted."""
    rows: tuple[CountRow, ...]
    """Values, the most frequent first."""
    done: float | None
    """How much of the selection is counted, 0 to 1; None when all of it is."""


Severity = Literal["E", "W"]
"""A jump to errors (``E``: E and F) or to warnings and errors (``W``)."""


class RowSource(Protocol):
    """A log that can be shown. All methods may be called from the UI's thread and return at once."""

    def state(self) -> LogState:
        """The newest state; the same object until something changes."""

    def rows(self, first: int, count: int, columns: int) -> Sequence[Row]:
        """Rows from number ``first`` on, as many as there are; texts are cut behind ``columns`` characters."""

    def record(self, number: int) -> Record | None:
        """The whole record of a row, parsed."""

    def record_at(self, address: int) -> Record | None:
        """The whole record of an address, parsed."""

    def select(self, selection: Selection, near: int | None = None) -> None:
        """Select anew, beginning at the record with address ``near`` (the last one when None)."""

    def search(self, pattern: str | None, near: int | None = None) -> None:
        """Search for a pattern, or for nothing."""

    def next_match(self, number: int, step: int) -> int | None:
        """The nearest row after (``step`` 1) or before (-1) a row that the search matches, as far as searched."""

    def next_severity(self, number: int, step: int, severity: Severity) -> int | None:
        """The nearest row after or before a row with an error (or warning)."""

    def next_with_text(self, number: int, step: int, text: str) -> int | None:
        """The nearest row whose record holds ``text`` literally, within a bounded stretch of the log."""

    def row_of(self, address: int) -> int | None:
        """The row of a record, or the nearest row before it; None without rows."""

    def address_of_line(self, line: int, source: int = 0) -> int | None:
        """The record that holds a 1-based physical line; None while lines are not counted so far."""

    def row_at_time(self, time_us: int) -> int | None:
        """The first row at or after a time; None without timed rows."""

    def severities(self, first: int, last: int, buckets: int) -> Sequence[Mapping[str, int]]:
        """Records by severity (``""`` for none) in rows ``first`` to ``last``, in equal parts of their time."""

    def count_by(self, field_name: str) -> None:
        """Count a field's values over the selection and what comes, for ``count_table``; ``""`` ends it."""

    def count_table(self) -> CountTable | None:
        """The count-by table asked for last; None when none was."""

    def save(self, path: str, *, mask: bool = True) -> int:
        """Write all selected records to a new file (0600), secrets masked; the number of records written."""
