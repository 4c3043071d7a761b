"""Lines that a container runtime cut into pieces, put together again.

Owns the joining of CRI's ``P`` lines and docker's entries without a line break, per stream and on bytes: a cut may
go through a character. Refuses to know what a line is (``lines``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schedtui.core.klog.wrappers import Peeled


@dataclass(slots=True)
class Line:
    """A line and where it stands; joined, where its first fragment does."""

    peeled: Peeled
    """The text without its wrapper."""
    number: int
    """1-based physical line."""
    offset: int
    """Byte offset of the first byte."""
    end: int
    """Byte offset behind the last byte, line feed included."""
    line_count: int = 1
    """Physical lines."""


class _Partial:
    def __init__(self, first: Line) -> None:
        self.first = first
        self.parts = [first.peeled.body]
        self.size = len(first.peeled.body)
        self.end = first.end
        self.line_count = 1

    def add(self, line: Line) -> None:
        self.parts.append(line.peeled.body)
        self.size += len(line.peeled.body)
        self.end = line.end
        self.line_count += 1

    def joined(self) -> Line:
        peeled = self.first.peeled._replace(body=b"".join(self.parts), partial=False)
        return Line(peeled, self.first.number, self.first.offset, self.end, self.line_count)


class Fragments:
    """The lines of which only the beginning has come, one for each stream."""

    def __init__(self, longest: int) -> None:
        """Create the store; lines longer than ``longest`` bytes are given out in pieces."""
        self._longest = longest
        self._partials: dict[str | None, _Partial] = {}

    def __bool__(self) -> bool:
        """True while the end of a line is awaited."""
        return bool(self._partials)

    def take(self, line: Line) -> Iterator[Line]:
        """A line or fragment; whole lines come back."""
        unit = line.peeled.unit
        partial = self._partials.get(unit)
        if line.peeled.partial:
            if partial is None:
                self._partials[unit] = _Partial(line)
                return
            partial.add(line)
            if partial.size > self._longest:
                yield self._partials.pop(unit).joined()
        elif partial is None or line.peeled.time is None:
            yield line
        else:
            partial.add(line)
            del self._partials[unit]
            yield partial.joined()

    def flush(self) -> Iterator[Line]:
        """The beginnings whose ends never came, at the end of the input."""
        partials, self._partials = list(self._partials.values()), {}
        for partial in partials:
            yield partial.joined()
