"""How headless commands print: JSON documents, aligned tables, and the options that they share."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Sequence

json_option = click.option("--json", "as_json", is_flag=True, help="One JSON document instead of text.")
"""``--json``, the same in every analysis command."""


def print_json(document: object) -> None:
    """Print one JSON document, keys in the order given, non-ASCII text as it is."""
    click.echo(json.dumps(document, ensure_ascii=False, indent=2))


def print_table(headings: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print rows under headings, columns aligned to the left and two blanks apart; control characters shown."""
    cells = [[printable(str(cell)) for cell in row] for row in rows]
    widths = [max(len(heading), *(len(row[i]) for row in cells)) if cells else len(heading)
              for i, heading in enumerate(headings)]  # fmt: skip
    for row in [list(headings), *cells]:
        click.echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def printable(text: str) -> str:
    """``text`` with every control character replaced by a visible sign, so that a terminal only prints it."""
    return "".join(character if character.isprintable() else _visible(character) for character in text)


def _visible(character: str) -> str:
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else "\ufffd"
