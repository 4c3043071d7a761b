"""A symptom: words that a tool prints, what they mean, and what to do.

Owns the shape of such a row and how it is looked for in lines. The tables are elsewhere, one for each trouble:
``exit_rules`` (the scheduler ends or stalls), ``build_problem`` (go refuses to build), ``breakpoint_problem``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


@dataclass(frozen=True, slots=True)
class Symptom:
    """One row. Braces in title and advice are the pattern's named groups and the words that a caller adds."""

    id: str
    """Stable name."""
    pattern: re.Pattern[str]
    """Searched in each line; the last line that matches is the evidence."""
    title: str
    advice: str
    certain: bool = True
    """False when other causes fit the same words."""
    unless: tuple[re.Pattern[str], ...] = ()
    """Lines that overrule it, wherever they stand."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A symptom that was found, in words for this case."""

    id: str
    title: str
    """One line: what is wrong."""
    advice: str
    """What to do."""
    evidence: str
    """The line that shows it, literal."""
    certain: bool = True


def symptom(
    name: str, pattern: str, title: str, advice: str, *, certain: bool = True, unless: tuple[str, ...] = ()
) -> Symptom:
    """Make a row from regular expressions written as text."""
    return Symptom(name, re.compile(pattern), title, advice, certain, tuple(re.compile(other) for other in unless))


def find_problem(
    table: Iterable[Symptom], lines: Sequence[str], words: Mapping[str, str] | None = None
) -> Problem | None:
    """The first row of ``table`` that fits ``lines``; None when none does."""
    for row in table:
        found = [match for line in lines if (match := row.pattern.search(line))]
        if not found or any(later.search(line) for later in row.unless for line in lines):
            continue
        last = found[-1]
        # What stood inside a quoted value is shown without that value's escapes.
        named = {name: (value or "").replace('\\"', '"').strip() for name, value in last.groupdict().items()}
        filled = {**named, **(words or {})}
        return Problem(
            row.id, row.title.format_map(filled), row.advice.format_map(filled), last.string, row.certain
        )
    return None
