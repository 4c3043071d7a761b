"""Makes untrusted text safe for a terminal: tabs spread, control characters shown as signs.

Owns nothing else; colours and layout are the caller's. Log lines, dlv's output and names out of a cluster all
pass through here before they become segments.
"""

from __future__ import annotations

import re

_CONTROL = re.compile(
    r"[\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    r"\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff\U0001bca0-\U0001bca3"
    r"\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""What must not reach a terminal: C0, C1, direction marks, line separators, lone surrogates, and what is never
seen (Unicode's default ignorables: joiners, variation selectors, tags, fillers): it hides in names, and terminals
differ in the columns it takes."""


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
