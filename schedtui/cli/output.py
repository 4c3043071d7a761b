"""How headless commands print: JSON documents, aligned tables, and the options that they share."""

from __future__ import annotations

import json
import shutil
import sys
import textwrap
from itertools import zip_longest
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Sequence

GAP = "  "
"""What stands between two columns of a table."""

LEAST_WIDTH = 8
"""Columns that a folded column of a table keeps at least."""

json_option = click.option("--json", "as_json", is_flag=True, help="One JSON document instead of text.")
"""``--json``, the same in every analysis command."""


def print_json(document: object) -> None:
    """Print one JSON document, keys in the order given, non-ASCII text as it is."""
    click.echo(json.dumps(document, ensure_ascii=False, indent=2))


def print_table(headings: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print rows under headings, columns aligned to the left and two blanks apart; control characters shown.

    On a terminal that is too narrow the widest columns are folded; whatever reads a pipe gets one line a row.
    """
    cells = [list(headings), *([printable(str(cell)) for cell in row] for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(headings))]
    if sys.stdout.isatty():
        widths = fitting_widths(widths, shutil.get_terminal_size().columns)
    for row in cells:
        folded = [_folded(cell, width) for cell, width in zip(row, widths, strict=True)]
        for parts in zip_longest(*folded, fillvalue=""):
            line = GAP.join(part.ljust(width) for part, width in zip(parts, widths, strict=True))
            click.echo(line.rstrip())


def fitting_widths(widths: Sequence[int], columns: int) -> list[int]:
    """The widths of a table's columns, the widest made narrower until all fit, none below ``LEAST_WIDTH``."""
    fitting = list(widths)
    room = columns - len(GAP) * (len(fitting) - 1)
    while sum(fitting) > room and max(fitting) > LEAST_WIDTH:
        fitting[fitting.index(max(fitting))] -= 1
    return fitting


def _folded(cell: str, width: int) -> list[str]:
    return textwrap.wrap(cell, width, break_on_hyphens=False) if len(cell) > width else [cell]


def print_text(text: str) -> None:
    """Print a sentence, on a terminal folded between words."""
    columns = shutil.get_terminal_size().columns
    fold = sys.stdout.isatty() and len(text) > columns
    click.echo("\n".join(textwrap.wrap(text, columns, break_on_hyphens=False)) if fold else text)


def printable(text: str) -> str:
    """``text`` with every control character replaced by a visible sign, so that a terminal only prints it."""
    return "".join(character if character.isprintable() else _visible(character) for character in text)


def _visible(character: str) -> str:
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else "\ufffd"
