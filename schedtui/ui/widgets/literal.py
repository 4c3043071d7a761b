"""Makes untrusted text safe for a terminal: tabs spread, control characters shown as signs.

Owns nothing else; colours and layout are the caller's. Log lines, dlv's output and names out of a cluster all
pass through here before they become segments.
"""

from __future__ import annotations

import re

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
"""What must not reach a terminal: C0, C1, direction marks, line separators, lone surrogates."""


def literal(text: str, tab_size: int = 4) -> str:
    """``text`` as one printable line: tabs as blanks, line feeds and other controls as visible signs."""
    if "\t" in text:
        text = text.expandtabs(tab_size)
    return _CONTROL.sub(_visible, text)


def _visible(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else "\ufffd"
