"""Escape and the key behind it, when a slow line brings both at once; text pasted without brackets.

Owns the reading of an escape byte that begins no sequence: Textual takes it for Alt and drops it before signs, so
that ``Esc ?`` in one packet becomes another key. No key of ours needs Alt, so it is always the Escape key. Text
that comes faster than anyone types was pasted by a terminal that does not say so: it goes in as one piece, for an
input line that takes it key by key is busy for minutes. It reads nothing from the terminal itself: that is
for Textual's driver.
"""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

from textual import events
from textual._parser import Read1
from textual._xterm_parser import XTermParser
from textual.drivers import linux_driver

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.message import Message

_PASTED = re.compile(r"([^\x00-\x1f\x7f-\x9f]{64,})")
"""Characters of such a packet without a key between them."""

FLOOD_CHARACTERS = 1000
"""A packet from this length on was not typed: a long command with its path, sent at once, is far shorter."""

FLOOD_SECONDS = 0.2
"""How soon the next packet of the same paste comes."""

_REPEATED_KEYS = 8
"""So many different characters, or fewer, are keys that were held down while the line stood still."""

_BEGIN_A_SEQUENCE = "[O\x1b\x7f"
"""What behind an escape byte may be more than a key: what terminals send for cursor and function keys (VT100, CSI
and SS3), a second escape byte before those, and Alt with Backspace, which deletes a word on an input line."""

_PASTE_BEGINS, _PASTE_ENDS = "\x1b[200~", "\x1b[201~"
"""Brackets around a paste, from terminals that have them (xterm, Bracketed Paste Mode)."""


class EscapeKeepingParser(XTermParser):
    """Textual's parser without Alt, and with pastes that have no brackets."""

    def __init__(self, debug: bool = False) -> None:
        """Start outside of any sequence; ``debug`` is Textual's own."""
        super().__init__(debug)
        self._bracketed = False
        self._tail = ""
        self._flooded_at = -FLOOD_SECONDS

    def feed(self, data: str) -> Iterable[Message]:
        """Read what the terminal sent; nothing at its end."""
        waiting = self._awaiting
        between = isinstance(waiting, Read1) and waiting.timeout is None and not self._bracketed
        self._follow_brackets(data)
        if not between or "\x1b" in data or not self._is_flood(data):
            yield from super().feed(data)
            return
        for piece in filter(None, _PASTED.split(data)) if data else ("",):
            if _PASTED.fullmatch(piece) and len(set(piece)) > _REPEATED_KEYS:
                yield events.Paste(piece)
            else:
                yield from super().feed(piece)

    def _is_flood(self, data: str) -> bool:
        """More than anyone types, or a script sends as keys, or the rest of such a packet."""
        now = time.monotonic()
        if len(data) >= FLOOD_CHARACTERS:
            self._flooded_at = now
        return now - self._flooded_at < FLOOD_SECONDS

    def _follow_brackets(self, data: str) -> None:
        seen = self._tail + data
        begins, ends = seen.rfind(_PASTE_BEGINS), seen.rfind(_PASTE_ENDS)
        if begins != ends:
            self._bracketed = begins > ends
        # A bracket may be cut in two by the end of a packet.
        self._tail = seen[1 - len(_PASTE_BEGINS) :]

    def _sequence_to_key_events(self, sequence: str, alt: bool = False) -> Iterable[events.Key]:
        if len(sequence) == 2 and sequence[0] == "\x1b" and sequence[1] not in _BEGIN_A_SEQUENCE:
            # Here, not when no more comes: behind it there may be words, or the next escape byte.
            alt, sequence = True, sequence[1]
        if alt:
            yield events.Key("escape", "\x1b")
        yield from super()._sequence_to_key_events(sequence)


def keep_escapes() -> None:
    """Let Textual's driver read keys this way, from the next application on."""
    # There is no door for a parser of one's own: the driver's name for it is changed.
    linux_driver.XTermParser = EscapeKeepingParser  # type: ignore[attr-defined]
