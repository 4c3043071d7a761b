"""Values as klog prints them, turned into typed ones.

Owns Go's quoting, JSON values, Go's ``map[A:{} B:{}]``, bare words, and Kubernetes object references (``{"name":…,
"namespace":…}`` becomes ``ns/name``). Refuses to guess: what is none of these stays the text that it is, pointer
dumps included.
"""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, NoReturn, cast

import msgspec

if TYPE_CHECKING:
    from schedtui.core.record import FieldValue

_ESCAPE = re.compile(r"\\(?:([abfnrtv\\'\"])|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3}))")
_SIMPLE_ESCAPES = {
    "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v",
    "\\": "\\", "'": "'", '"': '"',
}  # fmt: skip
_INTEGER = re.compile(r"-?(?:0|[1-9]\d{0,17})\Z")
_FLOAT = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?\Z")
_WORDS: dict[str, FieldValue] = {"true": True, "false": False, "null": None, "<nil>": None}
_REFERENCE_KEYS = ({"name"}, {"name", "namespace"})
_MAP_KEY = re.compile(r"([^\s:\[\]{}]+):")
_MAP_WORD = re.compile(r"[^\s\[\]{}]*")

DEEPEST = 64
"""Brackets nested deeper than this stay text."""


def unquote(text: str) -> str:
    """The content of a Go string literal (``text`` is what stands between its quotes)."""
    if "\\" not in text:
        return text
    return _ESCAPE.sub(_unescape, text)


def _unescape(found: re.Match[str]) -> str:
    simple, two, four, eight, octal = found.groups()
    if simple:
        return _SIMPLE_ESCAPES[simple]
    if two or octal:
        # A raw byte of no valid UTF-8: shown as everywhere else that bytes do not decode.
        code = int(two, 16) if two else int(octal, 8)
        return chr(code) if code < 0x80 else "\ufffd"
    code = int(four or eight, 16)
    return chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"


def bare_value(text: str) -> FieldValue:
    """An unquoted value: a number, a truth value, ``null``, or the word that it is."""
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.match(text):
        return int(text)
    if _FLOAT.match(text):
        number = float(text)
        return number if math.isfinite(number) else text
    return text


def with_references(value: object, depth: int = 0) -> FieldValue:
    """A decoded JSON value with every Kubernetes object reference in it as ``ns/name``."""
    if isinstance(value, dict):
        reference = _reference(value)
        if reference is not None:
            return reference
        if depth > DEEPEST:
            return str(value)
        return {str(key): with_references(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return str(value) if depth > DEEPEST else [with_references(item, depth + 1) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return cast("FieldValue", value)


def _reference(value: dict[object, object]) -> str | None:
    if value.keys() not in _REFERENCE_KEYS:
        return None
    name, namespace = value["name"], value.get("namespace", "")
    if not isinstance(name, str) or not isinstance(namespace, str) or not name:
        return None
    return f"{namespace}/{name}" if namespace else name


def _refuse(word: str) -> NoReturn:
    raise ValueError(word)


def _finite(text: str) -> float | str:
    number = float(text)
    return number if math.isfinite(number) else text


_decoder = json.JSONDecoder(parse_constant=_refuse, parse_float=_finite)


def leading_json(text: str, at: int) -> tuple[int, FieldValue]:
    """The JSON value that begins at ``at`` and the offset behind it; -1 when there is none."""
    try:
        value, end = _decoder.raw_decode(text, at)
    except (ValueError, RecursionError):
        return -1, None
    if text.find("\\u", at, end) >= 0 and not _is_text(value):
        return -1, None
    # Only an object with a name can be a reference: most values need no second look.
    return end, with_references(value) if text.find('"name"', at, end) >= 0 else value


def _is_text(value: object) -> bool:
    """False for a value with half a surrogate pair in it, which no output can write."""
    try:
        msgspec.json.encode(value)
    except (UnicodeEncodeError, msgspec.MsgspecError, OverflowError, RecursionError):
        return False
    return True


def bracketed_value(text: str) -> FieldValue:
    """The value of a text that stands in brackets: JSON, a Go map, or the text itself."""
    if text.startswith("map["):
        parsed = _go_map(text, 0, 0)
        return parsed[0] if parsed is not None and parsed[1] == len(text) else text
    end, value = leading_json(text, 0)
    return value if end == len(text) else text


def _go_map(text: str, at: int, depth: int) -> tuple[dict[str, FieldValue], int] | None:
    """A ``map[…]`` at ``at`` and the offset behind it; None when its words do not tell where values end."""
    at += 4
    result: dict[str, FieldValue] = {}
    while depth <= DEEPEST:
        if text[at : at + 1] == "]":
            return result, at + 1
        key = _MAP_KEY.match(text, at)
        if key is None:
            return None
        value = _go_map_value(text, key.end(), depth)
        if value is None:
            return None
        result[key[1]], at = value
        if text[at : at + 1] == " ":
            at += 1
        elif text[at : at + 1] != "]":
            return None
    return None


def _go_map_value(text: str, at: int, depth: int) -> tuple[FieldValue, int] | None:
    if text.startswith("map[", at):
        return _go_map(text, at, depth + 1)
    if text.startswith("{}", at):
        return {}, at + 2
    word = _MAP_WORD.match(text, at)
    return (bare_value(word[0]), word.end()) if word is not None else None


def closing_bracket(text: str, at: int) -> int:
    """The offset behind the bracket that closes the one at ``at``, strings skipped; -1 when none does."""
    depth = 0
    i = at
    for found in _BRACKET_OR_QUOTE.finditer(text, at):
        sign = found[0]
        if found.start() < i:
            continue
        if sign == '"':
            string = _QUOTED.match(text, found.start())
            if string is not None:
                i = string.end()
        elif sign in "{[(":
            depth += 1
        else:
            depth -= 1
            if depth == 0:
                return found.end()
    return -1


_BRACKET_OR_QUOTE = re.compile(r'[{}\[\]()"]')
_QUOTED = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
