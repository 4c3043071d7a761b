"""The conditions of the filter language as a tree of values.

Owns what each condition means for a record, the necessary condition on its bytes (never false for a record that
matches), and how it is written; the condition on a field is ``filter_fields``'. Refuses to parse
(``filter_syntax``) and to keep stacks or names (``log_filter``).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from schedtui.core.filter_proof import name_proof
from schedtui.core.filter_text import (
    BARE_WORD,
    bytes_contain,
    compare,
    compile_pattern,
    contains,
    is_wrapped_oddly,
    quoted,
    safe_pieces,
    smart_case,
    whole_match,
    written_value,
)
from schedtui.core.klog.header import FULL_HEADER
from schedtui.core.record_facets import nodes_of, plugins_of, pods_of

if TYPE_CHECKING:
    from collections.abc import Callable

    import re2

    from schedtui.core.filter_proof import Proof
    from schedtui.core.record import Record

SEVERITIES = "IWEF"
"""klog's severities, lowest first."""

DAY_US = 86_400_000_000
"""Microseconds of a day."""


class Node(Protocol):
    """A condition."""

    def matches(self, record: Record) -> bool:
        """Whether the record fulfils it."""

    def may_match(self, raw: bytes) -> bool:
        """False only if no record with these bytes can fulfil it."""

    def describe(self) -> str:
        """The condition in the filter language."""


@dataclass(frozen=True)
class Text:
    """A word or phrase anywhere in the record."""

    text: str
    """What is looked for."""
    phrase: bool = False
    """True when it was written in quotes."""

    @cached_property
    def _search(self) -> Callable[[str], bool]:
        return contains(self.text)

    @cached_property
    def _search_bytes(self) -> Callable[[bytes], bool]:
        return bytes_contain(self.text)

    def matches(self, record: Record) -> bool:
        """Whether the record's text holds it."""
        return self._search(record.raw)

    def may_match(self, raw: bytes) -> bool:
        """Whether the bytes hold it."""
        return self._search_bytes(raw)

    def describe(self) -> str:
        """The word, in quotes where they are needed."""
        return quoted(self.text) if self.phrase or not BARE_WORD.match(self.text) else self.text


@dataclass(frozen=True)
class Pattern:
    """A regular expression anywhere in the record."""

    pattern: str
    """As it was written between the slashes."""
    flags: str = ""
    """``i`` ignores case, ``c`` does not; empty: smart (a pattern without capitals ignores it)."""

    @cached_property
    def compiled(self) -> re2._Regexp[str]:
        """The expression; made by a linear-time engine, so that no pattern hangs."""
        escapes_removed = re.sub(r"\\(?:[pP]\{[^}]*\}|.)", "", self.pattern)
        ignore_case = "i" in self.flags or (not self.flags and smart_case(escapes_removed))
        return compile_pattern(self.pattern, ignore_case)

    def matches(self, record: Record) -> bool:
        """Whether the expression is found in the record's text."""
        return self.compiled.search(record.raw) is not None

    def may_match(self, raw: bytes) -> bool:
        """Exact for a single line that begins with its header, unknown for anything else."""
        line = raw.removesuffix(b"\n")
        if b"\n" in line or line.endswith(b"\r") or FULL_HEADER.match(line) is None:
            return True
        return self.compiled.search(line.decode("utf-8", "replace")) is not None

    def describe(self) -> str:
        """The pattern between slashes."""
        return "/" + re.sub(r"(\\.)|/", lambda found: found[1] or r"\/", self.pattern) + "/" + self.flags


@dataclass(frozen=True)
class SeverityIs:
    """A severity, or a range of them."""

    operator: str
    """One of ``: = > >= < <=``."""
    letter: str
    """``I``, ``W``, ``E`` or ``F``."""

    @cached_property
    def letters(self) -> str:
        """The severities that fulfil it."""
        return "".join(letter for letter in SEVERITIES if compare(
            SEVERITIES.index(letter), self.operator, SEVERITIES.index(self.letter)))  # fmt: skip

    @cached_property
    def _bytes(self) -> tuple[bytes, ...]:
        return tuple(letter.encode() for letter in self.letters)

    def matches(self, record: Record) -> bool:
        """Whether the record's severity is one of them; a record without a severity never is."""
        return record.severity is not None and record.severity in self.letters

    def may_match(self, raw: bytes) -> bool:
        """A text line begins with its severity."""
        return FULL_HEADER.match(raw) is None or raw.startswith(self._bytes)

    def describe(self) -> str:
        """``severity>=W``."""
        return f"severity{self.operator}{self.letter}"


@dataclass(frozen=True)
class LevelIs:
    """A V level; records whose level is not known never fulfil it, ranges only as a whole."""

    operator: str
    """One of ``: = > >= < <=``."""
    level: int
    """The level."""

    def matches(self, record: Record) -> bool:
        """Whether every level that the record can have fulfils it."""
        if record.v is not None:
            return compare(record.v, self.operator, self.level)
        return record.v_range is not None and all(
            compare(level, self.operator, self.level) for level in record.v_range
        )

    def may_match(self, raw: bytes) -> bool:
        """Bytes do not tell the level."""
        return True

    def describe(self) -> str:
        """``v<=4``."""
        return f"v{self.operator}{self.level}"


@dataclass(frozen=True)
class LevelUnknown:
    """No V level: warnings, errors, plain text, and information whose level nothing tells."""

    def matches(self, record: Record) -> bool:
        """Whether the record's level is not known exactly."""
        return record.v is None

    def may_match(self, raw: bytes) -> bool:
        """Bytes do not tell the level."""
        return True

    def describe(self) -> str:
        """``v:?``."""
        return "v:?"


@dataclass(frozen=True)
class NameIs:
    """A pod, node or plugin that the record names, under whatever key."""

    facet: str
    """``pod``, ``node`` or ``plugin``."""
    name: str
    """The name; a pod's may lack its namespace; ``*`` stands for anything."""
    operator: str = ":"
    """``:`` or ``=``; both compare the whole name."""

    @cached_property
    def _whole(self) -> Callable[[str], bool]:
        return whole_match(self.name)

    @cached_property
    def _pieces(self) -> tuple[bytes, ...]:
        return safe_pieces(self.name)

    @cached_property
    def proof(self) -> Proof | None:
        """What in the bytes of a plain line proves it; None where only the parsed record tells."""
        return name_proof(self.facet, self.name)

    def matches(self, record: Record) -> bool:
        """Whether one of the record's names is it."""
        names = _FACETS[self.facet](record)
        if any(map(self._whole, names)):
            return True
        if self.facet == "pod" and "/" not in self.name:
            return any(self._whole(name.rpartition("/")[2]) for name in names)
        return False

    def may_match(self, raw: bytes) -> bool:
        """Whether the bytes hold the parts of the name."""
        return all(piece in raw for piece in self._pieces) or is_wrapped_oddly(raw)

    def describe(self) -> str:
        """``pod:ns/name``."""
        return f"{self.facet}{self.operator}{written_value(self.name)}"


_FACETS: dict[str, Callable[[Record], list[str]]] = {"pod": pods_of, "node": nodes_of, "plugin": plugins_of}


@dataclass(frozen=True)
class FileIs:
    """The Go file that logged the record, and perhaps the line."""

    file: str
    """Base name, with or without ``.go``, or ``dir/file.go`` as JSON logs have it; ``*`` for anything."""
    line: int | None = None
    """1-based line; None for any."""

    @cached_property
    def _whole(self) -> Callable[[str], bool]:
        return whole_match(self.file)

    @cached_property
    def _pieces(self) -> tuple[bytes, ...]:
        return safe_pieces(self.file.rpartition("/")[2])

    def matches(self, record: Record) -> bool:
        """Whether the record comes from there."""
        if record.file is None or (self.line is not None and record.src_line != self.line):
            return False
        if "/" in self.file:
            caller = (record.caller or "").rpartition(":")[0]
            return self._whole(caller) or (not caller and whole_match(self.file.rpartition("/")[2])(record.file))
        return self._whole(record.file) or self._whole(record.file.removesuffix(".go"))

    def may_match(self, raw: bytes) -> bool:
        """Whether the bytes hold the parts of the file's name."""
        return all(piece in raw for piece in self._pieces) or is_wrapped_oddly(raw)

    def describe(self) -> str:
        """``file:schedule_one.go:302``."""
        return f"file:{self.file}" + ("" if self.line is None else f":{self.line}")


@dataclass(frozen=True)
class TimeIs:
    """A moment's side: ``after:``, ``before:``, or the last minutes."""

    word: str
    """``after``, ``before``, or ``last``."""
    written: str
    """The time as it was typed."""
    at_us: int
    """The moment, or (``time_of_day``) microseconds since midnight."""
    time_of_day: bool = False
    """True when no date is known: only the clock is compared."""

    def matches(self, record: Record) -> bool:
        """Whether the record was written on that side; a record without a time never was."""
        if record.time_us is None:
            return False
        time_us = record.time_us % DAY_US if self.time_of_day else record.time_us
        return time_us <= self.at_us if self.word == "before" else time_us >= self.at_us

    def may_match(self, raw: bytes) -> bool:
        """Bytes alone do not tell the time (an index does)."""
        return True

    def describe(self) -> str:
        """``after:10:32:05`` or ``-5m``."""
        return self.written if self.word == "last" else f"{self.word}:{written_value(self.written)}"


@dataclass(frozen=True)
class Not:
    """The opposite."""

    inner: Node
    """What must not be."""

    def matches(self, record: Record) -> bool:
        """Whether the inner condition fails."""
        return not self.inner.matches(record)

    def may_match(self, raw: bytes) -> bool:
        """A condition that may fail says nothing about its opposite."""
        return True

    def describe(self) -> str:
        """``!word``, with parentheses where they are needed."""
        inner = self.inner.describe()
        return f"!({inner})" if isinstance(self.inner, (All, Any)) else f"!{inner}"


@dataclass(frozen=True)
class All:
    """Every one of several conditions; none at all is always true."""

    parts: tuple[Node, ...]
    """The conditions."""

    def matches(self, record: Record) -> bool:
        """Whether every part holds."""
        return all(part.matches(record) for part in self.parts)

    def may_match(self, raw: bytes) -> bool:
        """Whether every part may."""
        return all(part.may_match(raw) for part in self.parts)

    def describe(self) -> str:
        """The parts with blanks between."""
        return " ".join(
            f"({part.describe()})" if isinstance(part, Any) else part.describe() for part in self.parts
        )


@dataclass(frozen=True)
class Any:
    """One of several conditions."""

    parts: tuple[Node, ...]
    """The conditions."""

    def matches(self, record: Record) -> bool:
        """Whether a part holds."""
        return any(part.matches(record) for part in self.parts)

    def may_match(self, raw: bytes) -> bool:
        """Whether a part may."""
        return any(part.may_match(raw) for part in self.parts)

    def describe(self) -> str:
        """The parts with ``|`` between."""
        return " | ".join(part.describe() for part in self.parts)
