"""What proves, in the bytes of a klog line, that a record names a pod, node or plugin, or has a field's value.

Owns the shapes in which klog prints a pair: ``key="value"``, a list, a set. A proof is never wrong for a record of
one line whose message stands in quotes; where there is none, the record has to be parsed. Which records are looked
at is ``core.log_evaluation``'s, which keys name what ``core.record_facets``'.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from schedtui.core.filter_text import safe_pieces
from schedtui.core.record_facets import NODE_KEYS, PLUGIN_KEYS, POD_KEYS

if TYPE_CHECKING:
    from collections.abc import Sequence

LOOKED_AT_BYTES = 300
"""How far in front of a name its key is looked for; a longer list is left to the parser."""

_KEYS: dict[str, Sequence[str]] = {
    "pod": (*POD_KEYS, 'type="pod" entity'),
    "node": NODE_KEYS,
    "plugin": PLUGIN_KEYS,
}
_END_OF_ANOTHER = rb'(?:["}\]]|=[^\s"=]*) '
"""What stands in front of a key: the message's or another value's end. Any other word would belong to the key."""

_PLAIN_NAME = re.compile(r"[A-Za-z0-9_./-]+")
_LIST = rb'(?P<list>\[(?:"[^"\\]*",)*")'
_SET = rb'(?P<set>\{(?:"[^"\\]*":\{\},)*")'
_BEHIND = {
    "text": re.compile(rb'"'),
    "list": re.compile(rb'"(?:,"[^"\\]*")*\](?=[ \n]|\Z)'),
    "set": re.compile(rb'":\{\}(?:,"[^"\\]*":\{\})*\}(?=[ \n]|\Z)'),
}
"""What must follow the name in each shape, so that the value is what it seems to be."""


@dataclass(frozen=True, slots=True)
class Proof:
    """How a pair is recognised around a part of its value."""

    lead: bytes
    """The part of the value that is looked for."""
    before: re.Pattern[bytes]
    """What must end where the part begins; the group that matched is the shape."""
    rest: bytes
    """What of the value follows the part."""

    def holds(self, block: bytes, first: int, place: int) -> bool:
        """Whether the part at ``place`` belongs to the pair.

        Args:
            block: Some bytes.
            first: Where the record begins.
            place: Where the part stands.
        """
        found = self.before.search(block, max(first, place - LOOKED_AT_BYTES), place)
        if found is None:
            return False
        end = place + len(self.lead)
        behind = _BEHIND[found.lastgroup or "text"]
        if not block.startswith(self.rest, end) or behind.match(block, end + len(self.rest)) is None:
            return False
        # Of a key that comes twice, the last value counts.
        line_end = block.find(b"\n", end)
        return block.find(b" " + found["key"] + b"=", end, line_end if line_end >= 0 else len(block)) < 0


def name_proof(facet: str, name: str) -> Proof | None:
    """What proves that a record names a pod, node or plugin; None for names with anything but plain letters.

    Args:
        facet: ``pod``, ``node`` or ``plugin``.
        name: The name; a pod's may lack its namespace.
    """
    if _PLAIN_NAME.fullmatch(name) is None or not (pieces := safe_pieces(name)):
        return None
    lead = max(pieces, key=len)
    before, _, rest = name.encode().partition(lead)
    keys = "|".join(map(re.escape, _KEYS[facet])).encode()
    shapes = rb'(?P<text>")|' + _LIST + (rb"|" + _SET if facet == "plugin" else b"")
    namespace = rb'(?:[^"\\\n]*/)?' if facet == "pod" and "/" not in name else b""
    pattern = (
        _END_OF_ANOTHER + rb"(?P<key>" + keys + rb")=(?:" + shapes + rb")" + namespace + re.escape(before) + rb"\Z"
    )
    return Proof(lead, re.compile(pattern), rest)


def value_proof(key: str, value: str) -> Proof | None:
    """What proves that a record's field is exactly a value; None where only the parser can tell."""
    sound = value and value.isascii() and value.isprintable() and not set(value) & set('"\\<>&')
    if not sound or not (pieces := safe_pieces(value)):
        return None
    lead = max(pieces, key=len)
    before, _, rest = value.encode().partition(lead)
    pattern = (
        _END_OF_ANOTHER + rb"(?P<key>" + re.escape(key.encode()) + rb')=(?P<text>")' + re.escape(before) + rb"\Z"
    )
    return Proof(lead, re.compile(pattern), rest)
