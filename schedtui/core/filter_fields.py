"""The condition on a field of a record, or on one of the record's own values by the same spelling.

Owns how a typed value is compared with what was typed: text, numbers, yes and no, nothing, lists and objects. All
other conditions are ``filter_nodes``'.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from schedtui.core.filter_proof import value_proof
from schedtui.core.filter_text import (
    compare,
    contains,
    is_wrapped_oddly,
    safe_pieces,
    smart_case,
    whole_match,
    written_key,
    written_value,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from schedtui.core.filter_proof import Proof
    from schedtui.core.record import FieldValue, Record


@dataclass(frozen=True)
class FieldIs:
    """A field's value: ``:`` holds the text, ``=`` is the text, ``>`` and its kin compare numbers."""

    key: str
    """The field, or one of the record's own: ``message``, ``kind``, ``pid``, ``unit``, ``source``, ``line``."""
    operator: str
    """One of ``: = > >= < <=``."""
    value: str
    """What it is compared with; ``*`` alone asks whether the field is there."""
    _number: float | None = field(init=False, repr=False, compare=False, default=None)

    def __post_init__(self) -> None:
        """Read the value as a number once."""
        try:
            object.__setattr__(self, "_number", float(self.value))
        except ValueError:
            object.__setattr__(self, "_number", None)

    @cached_property
    def _search(self) -> Callable[[str], bool]:
        if self.operator == "=":
            return lambda text: text == self.value
        return whole_match(self.value) if "*" in self.value else contains(self.value)

    @cached_property
    def _object(self) -> FieldValue:
        """The value read as a JSON object or list, to be compared as a whole; None when it is none."""
        if self.operator != "=" or not self.value.startswith(("{", "[")):
            return None
        try:
            found: FieldValue = json.loads(self.value)
        except (ValueError, RecursionError):
            return None
        return found

    @cached_property
    def _pieces(self) -> tuple[bytes, ...]:
        if self.key in OWN_KEYS or self._number is not None or self.operator not in ":=":
            return ()
        if self.operator == ":" and smart_case(self.value) and any(map(str.isalpha, self.value)):
            return ()
        if self.value in ("true", "false", "null", "True", "False", "None") or not self.value.isascii():
            return ()
        return safe_pieces(self.value)

    @cached_property
    def proof(self) -> Proof | None:
        """What in the bytes of a plain line proves it; None where only the parsed record tells."""
        if self.operator != "=" or self.key in OWN_KEYS or not self._pieces:
            return None
        return value_proof(self.key, self.value)

    def matches(self, record: Record) -> bool:
        """Whether the field is there and its value fits."""
        own = OWN_KEYS.get(self.key)
        if own is not None and self.key not in record.fields:
            value = own(record)
            return value is not None and (self.value == "*" or self._fits(value))
        if self.key not in record.fields:
            return False
        return self.value == "*" or self._fits(record.fields[self.key])

    def _fits(self, value: FieldValue) -> bool:
        if isinstance(value, bool) or value is None:
            return self.operator in ":=" and self.value.lower() in _SPELLINGS[value]
        if isinstance(value, (int, float)):
            if self._number is None:
                return self.operator in ":=" and "*" in self.value and self._search(str(value))
            return compare(value, self.operator, self._number)
        if self.operator not in ":=":
            return False
        if isinstance(value, str):
            return self._search(value)
        if self._object is not None and self._object == value:
            return True
        return any(self._fits(item) for item in value) or (
            isinstance(value, dict) and any(self._fits(item) for item in value.values())
        )

    def may_match(self, raw: bytes) -> bool:
        """Whether the bytes hold the plain parts of the value."""
        return all(piece in raw for piece in self._pieces) or is_wrapped_oddly(raw)

    def describe(self) -> str:
        """``key:value``."""
        return f"{written_key(self.key)}{self.operator}{written_value(self.value)}"


_SPELLINGS = {True: ("true",), False: ("false",), None: ("null", "none", "<nil>")}
OWN_KEYS: dict[str, Callable[[Record], FieldValue]] = {
    "message": lambda record: record.message,
    "msg": lambda record: record.message,
    "kind": lambda record: record.kind,
    "pid": lambda record: record.pid,
    "unit": lambda record: record.unit,
    "source": lambda record: record.source,
    "line": lambda record: record.line,
    "file": lambda record: record.file,
    "caller": lambda record: record.caller,
    "src_line": lambda record: record.src_line,
    "severity": lambda record: record.severity,
    "v": lambda record: record.v,
}
"""Keys that ask for a record's own values unless it has a field of that name."""
