"""Message patterns of log calls, and whether a logged message can come from one.

Owns the pattern as a value and its matching, linear in the message's length whatever the message holds.
Reading patterns out of Go is ``calls``' work.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_VERB = re.compile(r"%(?:%|[-+# 0]*(?:\[\d+\])?(?:\d+|\*)?(?:\.(?:\d+|\*)?)?(?:\[\d+\])?[a-zA-Z])")
"""One verb of fmt's formats, flags, width and argument index included; ``%%`` is a percent sign."""


class MessagePattern(NamedTuple):
    """Literal parts in order, with anything between two of them."""

    parts: tuple[str, ...]
    """The literal parts. One part = exactly that text; ``("", "")`` = anything."""

    @property
    def is_literal(self) -> bool:
        """Whether it stands for one text only."""
        return len(self.parts) == 1

    @property
    def is_anything(self) -> bool:
        """Whether it says nothing about the text."""
        return not any(part.strip() for part in self.parts)

    def matches(self, message: str) -> bool:
        """Whether ``message`` can have been made by the call; blanks and line ends around it are forgiven."""
        if self.is_literal:
            return message == self.parts[0] or message.strip() == self.parts[0].strip()
        return _fits(self.parts, message) or _fits((*self.parts[:-1], self.parts[-1].rstrip()), message.rstrip())

    def describe(self) -> str:
        """The pattern for a reader, an ellipsis for what may vary."""
        return "…".join(self.parts)


def _fits(parts: tuple[str, ...], message: str) -> bool:
    """Whether the parts stand in the message in order, the first at its start and the last at its end."""
    if not message.startswith(parts[0]) or not message.endswith(parts[-1]):
        return False
    position = len(parts[0])
    for part in parts[1:-1]:
        found = message.find(part, position)
        if found < 0:
            return False
        position = found + len(part)
    return len(message) - position >= len(parts[-1])


ANYTHING = MessagePattern(("", ""))
"""The pattern of a message that the source does not tell."""


def literal(text: str) -> MessagePattern:
    """The pattern of one text."""
    return MessagePattern((text,))


def from_format(text: str) -> MessagePattern:
    """The pattern of a fmt format."""
    parts = [""]
    position = 0
    for match in _VERB.finditer(text):
        parts[-1] += text[position : match.start()]
        if match.group() == "%%":
            parts[-1] += "%"
        else:
            parts.append("")
        position = match.end()
    parts[-1] += text[position:]
    return MessagePattern(tuple(parts))


def joined(patterns: list[MessagePattern]) -> MessagePattern:
    """The pattern of texts written one after the other."""
    parts = [""]
    for pattern in patterns:
        parts[-1] += pattern.parts[0]
        parts.extend(pattern.parts[1:])
    return MessagePattern(tuple(parts))
