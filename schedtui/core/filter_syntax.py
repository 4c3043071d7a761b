"""The filter language: text to conditions.

Owns the grammar. Words, ``"phrases"``, ``/regular expressions/`` and ``key:value`` stand side by side and must all
hold; ``|`` is or, ``!`` is not, parentheses group. An error names the character. Refuses to match
(``filter_nodes``).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import re2

from schedtui.core.errors import WrongUse
from schedtui.core.filter_fields import FieldIs
from schedtui.core.filter_nodes import (
    DAY_US,
    SEVERITIES,
    All,
    Any,
    FileIs,
    LevelIs,
    LevelUnknown,
    NameIs,
    Not,
    Pattern,
    SeverityIs,
    Text,
    TimeIs,
)
from schedtui.core.record import EPOCH

if TYPE_CHECKING:
    from schedtui.core.filter_nodes import Node

DEEPEST = 50
"""Parentheses and negations nested deeper than this are refused."""

_BLANKS = re.compile(r"\s+")
_KEY = re.compile(r"([A-Za-z_][\w.-]*)(>=|<=|:|=|>|<)(?!//)")
_OPERATOR = re.compile(r">=|<=|:|=|>|<")
_BARE = re.compile(r"[^\s|()]+")
_LAST = re.compile(r"-((?:\d+(?:\.\d+)?[dhms])+)(?=[\s|()]|\Z)")
_DURATION = re.compile(r"(\d+(?:\.\d+)?)([dhms])")
_UNITS_US = {"d": DAY_US, "h": 3_600_000_000, "m": 60_000_000, "s": 1_000_000}
_CLOCK = re.compile(r"(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,](\d{1,6})\d*)?)?\Z")
_DATE = re.compile(r"(?:(\d{4})-)?(\d{1,2})-(\d{1,2})(?:[T ](\d.*?)Z?)?\Z|(\d\d)(\d\d)[T ](\d.*)\Z")
_SITE = re.compile(r"(.+\.go):(\d+)\Z")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_SEVERITY_NAMES = {
    "i": "I", "info": "I", "w": "W", "warn": "W", "warning": "W", "e": "E", "error": "E", "f": "F", "fatal": "F",
}  # fmt: skip
_SEVERITY_KEYS = ("severity", "sev", "level")
_LEVEL_KEYS = ("v", "level")
_NAME_KEYS = ("pod", "node", "plugin")
_TIME_KEYS = {"after": "after", "since": "after", "before": "before", "until": "before"}


@dataclass(frozen=True, slots=True)
class LogSpan:
    """What part of time a log covers: ``-5m`` and times of day are read against it."""

    first_us: int | None = None
    """The first record's time; None when unknown."""
    last_us: int | None = None
    """The last record's time; None when unknown."""


SEVERITY_HINT = "Severities are I, W, E and F."
"""What to say when a severity is not known."""

NO_LAST_TIME = "the log's last time is not known"
"""The problem of a ``-5m`` without a log to read it against."""

NO_SPAN = LogSpan()
"""Nothing is known about the log's time."""


_SHOWN_BESIDE = 28
"""Characters of a filter shown on either side of its fault, so that the caret stays below it at 60 columns."""


class FilterError(WrongUse):
    """A filter that does not fit; ``position`` is the 0-based character."""

    def __init__(self, problem: str, text: str, position: int, hint: str = "") -> None:
        """Create the error.

        Args:
            problem: What is wrong, in a few words.
            text: The whole filter.
            position: 0-based character at which it goes wrong.
            hint: What would fit.
        """
        self.position = position
        start = max(0, position - _SHOWN_BESIDE)
        line = text[start : position + _SHOWN_BESIDE].replace("\n", " ").replace("\t", " ")
        super().__init__(
            f"filter: {problem}", where=f"character {position + 1}", hint=hint,
            details=(line, " " * (position - start) + "^"),
        )  # fmt: skip


def parse(text: str, span: LogSpan = NO_SPAN) -> Node:
    """The condition that a filter is; an empty one is always true.

    Raises:
        FilterError: The text is no filter.
    """
    parser = _Parser(text, span)
    node = parser.alternatives(0)
    if parser.at < len(text):
        raise FilterError("')' without '('", text, parser.at)
    return node


class _Parser:
    def __init__(self, text: str, span: LogSpan) -> None:
        self.text = text
        self.span = span
        self.at = 0

    def _skip_blanks(self) -> str:
        found = _BLANKS.match(self.text, self.at)
        if found is not None:
            self.at = found.end()
        return self.text[self.at : self.at + 1]

    def alternatives(self, depth: int) -> Node:
        """``a b | c``."""
        parts = [self._conjunction(depth)]
        while self._skip_blanks() == "|":
            bar = self.at
            self.at += 1
            parts.append(self._conjunction(depth))
            empty = [part for part in parts[-2:] if isinstance(part, All) and not part.parts]
            if empty:
                raise FilterError("'|' needs a condition on both sides", self.text, bar)
        return parts[0] if len(parts) == 1 else Any(tuple(parts))

    def _conjunction(self, depth: int) -> Node:
        parts: list[Node] = []
        while (sign := self._skip_blanks()) and sign not in "|)":
            if sign == "&":
                self.at += 1
                continue
            parts.append(self._condition(depth))
        return parts[0] if len(parts) == 1 else All(tuple(parts))

    def _condition(self, depth: int) -> Node:
        if depth > DEEPEST:
            raise FilterError("nested too deeply", self.text, self.at)
        sign = self.text[self.at]
        start = self.at
        if sign == "!":
            self.at += 1
            if (following := self._skip_blanks()) == "" or following in "|)":
                raise FilterError("'!' needs something to negate", self.text, start)
            return Not(self._condition(depth + 1))
        if sign == "(":
            return self._group(depth)
        if sign == "/":
            return self._pattern()
        if sign == '"':
            phrase = self._phrase()
            if _OPERATOR.match(self.text, self.at):
                return self._keyed(phrase, start)
            return Text(phrase, phrase=True)
        return self._word()

    def _group(self, depth: int) -> Node:
        start = self.at
        self.at += 1
        node = self.alternatives(depth + 1)
        if self._skip_blanks() != ")":
            raise FilterError("'(' without ')'", self.text, start)
        if isinstance(node, All) and not node.parts:
            raise FilterError("nothing between '(' and ')'", self.text, start)
        self.at += 1
        return node

    def _pattern(self) -> Pattern:
        start = self.at
        end = start + 1
        while end < len(self.text) and self.text[end] != "/":
            end += 2 if self.text[end] == "\\" else 1
        if end >= len(self.text):
            raise FilterError("'/' without the '/' that ends the expression", self.text, start)
        source = self.text[start + 1 : end].replace("\\/", "/")
        self.at = end + 1
        flags = re.compile(r"[ic]?").match(self.text, self.at)
        assert flags is not None
        self.at = flags.end()
        pattern = Pattern(source, flags[0])
        if not source:
            raise FilterError("an empty expression", self.text, start)
        try:
            _ = pattern.compiled
        except re2.error as error:
            reason = error.args[0] if error.args else "does not fit"
            words = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
            hint = "Expressions are RE2's: no look-around and no back references."
            raise FilterError(f"regular expression: {words}", self.text, start, hint) from None
        return pattern

    def _phrase(self) -> str:
        start = self.at
        end = start + 1
        while end < len(self.text) and self.text[end] != '"':
            end += 2 if self.text[end] == "\\" else 1
        if end >= len(self.text):
            raise FilterError("'\"' without the '\"' that ends the phrase", self.text, start)
        self.at = end + 1
        return _ESCAPE.sub(_unescape, self.text[start + 1 : end])

    def _word(self) -> Node:
        start = self.at
        last = _LAST.match(self.text, start)
        if last is not None:
            self.at = last.end()
            return self._last(last[1], last[0], start)
        key = _KEY.match(self.text, start)
        if key is not None and not key[1].endswith(".go"):
            self.at = key.end(1)
            return self._keyed(key[1], start)
        found = _BARE.match(self.text, start)
        if found is None:
            raise FilterError(f"unexpected {self.text[start]!r}", self.text, start)
        self.at = found.end()
        site = _SITE.match(found[0])
        return FileIs(site[1], int(site[2])) if site else Text(found[0])

    def _keyed(self, key: str, start: int) -> Node:
        found = _OPERATOR.match(self.text, self.at)
        assert found is not None
        operator = found[0]
        self.at = found.end()
        value_at = self.at
        value = self._value(key, operator)
        return self._key_condition(key, operator, value, start, value_at)

    def _value(self, key: str, operator: str) -> str:
        if self.text[self.at : self.at + 1] == '"':
            return self._phrase()
        found = _BARE.match(self.text, self.at)
        if found is None:
            raise FilterError(f"'{key}{operator}' needs a value", self.text, self.at)
        self.at = found.end()
        return found[0]

    def _key_condition(self, key: str, operator: str, value: str, start: int, value_at: int) -> Node:
        lowered = key.lower()
        if lowered in _LEVEL_KEYS and value == "?" and operator in ":=":
            return LevelUnknown()
        if lowered in _SEVERITY_KEYS and not value.isdigit():
            letter = read_severity(value)
            if letter is None:
                raise FilterError(f"no severity {value!r}", self.text, value_at, SEVERITY_HINT)
            return SeverityIs(operator, letter)
        if lowered in _LEVEL_KEYS:
            if not value.isdigit() or len(value) > 4:
                raise FilterError(f"no level {value!r}", self.text, value_at, "Levels are whole numbers, 0 to 10.")
            return LevelIs(operator, int(value))
        if lowered in _TIME_KEYS:
            if operator not in ":=":
                raise FilterError(f"'{key}' takes ':'", self.text, start)
            return self._time(_TIME_KEYS[lowered], value, value_at)
        if operator in ":=" and lowered in _NAME_KEYS:
            if not value.strip():
                raise FilterError(f"an empty {lowered}", self.text, value_at, f"{lowered}:* is any {lowered}.")
            return NameIs(lowered, value, operator)
        if operator in ":=" and lowered == "file":
            site = _SITE.match(value)
            return FileIs(site[1], int(site[2])) if site else FileIs(value)
        if operator not in ":=" and not _is_number(value):
            raise FilterError(f"'{key}{operator}' needs a number", self.text, value_at)
        return FieldIs(key, operator, value)

    def _last(self, duration: str, written: str, start: int) -> TimeIs:
        if self.span.last_us is None:
            raise FilterError(NO_LAST_TIME, self.text, start)
        return TimeIs("last", written, self.span.last_us - _duration_us(duration))

    def _time(self, word: str, value: str, at: int) -> TimeIs:
        last = _LAST.match(value)
        if last is not None:
            if self.span.last_us is None:
                raise FilterError(NO_LAST_TIME, self.text, at)
            return TimeIs(word, value, self.span.last_us - _duration_us(last[1]))
        try:
            moment, time_of_day = read_time(value, self.span)
        except ValueError:
            hint = "Write 10:32:05, 2026-11-30T10:32:05, 11-30T10:32, or -5m (before the log's end)."
            raise FilterError(f"no time {value!r}", self.text, at, hint) from None
        return TimeIs(word, value, moment, time_of_day)


def read_severity(text: str) -> str | None:
    """The letter of a severity that a user typed (``E``, ``error``); None when it is none."""
    return _SEVERITY_NAMES.get(text.lower())


def _unescape(found: re.Match[str]) -> str:
    return {"n": "\n", "t": "\t", '"': '"', "\\": "\\"}.get(found[1], found[0])


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _duration_us(text: str) -> int:
    return round(sum(float(number) * _UNITS_US[unit] for number, unit in _DURATION.findall(text)))


def _clock_us(text: str) -> int:
    """Microseconds since midnight of ``10:32``, ``10:32:05`` or ``10:32:05.123``.

    Raises:
        ValueError: It is none of these.
    """
    found = _CLOCK.match(text)
    if found is None:
        raise ValueError(text)
    hour, minute, second = int(found[1]), int(found[2]), int(found[3] or 0)
    if hour > 24 or minute > 59 or second > 59:
        raise ValueError(text)
    return (hour * 3600 + minute * 60 + second) * 1_000_000 + int(((found[4] or "") + "000000")[:6])


def read_time(text: str, span: LogSpan = NO_SPAN) -> tuple[int, bool]:
    """A time that a user typed: microseconds since 1970, or since midnight (second value true).

    A clock alone means that time on the last day of the log on which it had come; without a known end it means the
    clock of any day. A date without a year takes the log's.

    Raises:
        ValueError: It is no time.
    """
    if _CLOCK.match(text):
        day_us = _clock_us(text)
        if span.last_us is None:
            return day_us, True
        midnight = span.last_us - span.last_us % DAY_US
        if day_us > span.last_us % DAY_US and span.first_us is not None and span.first_us < midnight:
            midnight -= DAY_US
        return midnight + day_us, False
    found = _DATE.match(text)
    if found is None:
        raise ValueError(text)
    year, month, day, clock = found[1], found[2] or found[5], found[3] or found[6], found[4] or found[7]
    reference = span.last_us if span.last_us is not None else span.first_us
    if year is None and reference is None:
        raise ValueError(text)
    number = int(year) if year else (EPOCH + timedelta(microseconds=reference or 0)).year
    moment = datetime(number, int(month), int(day))
    midnight = (moment - EPOCH) // timedelta(microseconds=1)
    return midnight + (_clock_us(clock) if clock else 0), False


assert set(_SEVERITY_NAMES.values()) == set(SEVERITIES)
