"""Escape and the key behind it, when a slow line brings both at once.

Owns the reading of an escape byte that begins no sequence: Textual takes it for Alt and drops it before signs, so
that ``Esc ?`` in one packet becomes another key. No key of ours needs Alt, so it is always the Escape key. It
reads nothing from the terminal itself; Textual's driver does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import events
from textual._xterm_parser import XTermParser
from textual.drivers import linux_driver

if TYPE_CHECKING:
    from collections.abc import Iterable


class EscapeKeepingParser(XTermParser):
    """Textual's parser without Alt."""

    def _sequence_to_key_events(self, sequence: str, alt: bool = False) -> Iterable[events.Key]:
        if alt:
            yield events.Key("escape", "\x1b")
        yield from super()._sequence_to_key_events(sequence)


def keep_escapes() -> None:
    """Let Textual's driver read keys this way, from the next application on."""
    # There is no door for a parser of one's own: the driver's name for it is changed.
    linux_driver.XTermParser = EscapeKeepingParser  # type: ignore[attr-defined]
