"""The key/value pairs of a text line.

Owns the grammar of klog's structured lines: a quoted message, then ``key=value`` pairs whose keys may hold blanks,
whose values may be quoted, bracketed, bare, or blocks of lines (``key=<`` … `` >``), with blanks around the equals
sign and the sloppy quoting of older releases. Pairs are parsed when they are first asked for. Refuses to know what
a key means. Text that is no pair is left to the record's ``raw``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, ItemsView, Iterator, KeysView, Mapping

from schedtui.core.klog.values import bare_value, bracketed_value, closing_bracket, leading_json, unquote
from schedtui.core.record import FieldValue

_QUOTED = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_SIMPLE_PAIRS = re.compile(r'(?: [A-Za-z_][\w./-]*=(?:"[^"\\\n]*"|0|[1-9]\d{0,17})(?= |\Z))*\Z')
_SIMPLE_PAIR = re.compile(r' ([A-Za-z_][\w./-]*)=(?:"([^"\\\n]*)"|(\d+))')
_KEY = re.compile(r"[A-Za-z_<][^\s=\"]*(?: [A-Za-z_][^\s=\"]*){0,3}\Z")
_LOOSE_KEY = re.compile(r"[^\s=\"]+(?: [^\s=\"]+){0,3}\Z")
_NEXT_PAIR = re.compile(r'(?:\A|\s)"?[A-Za-z_][\w./-]*(?: [A-Za-z_][\w./-]*){0,2}"? ?=')
_FIRST_PAIR = re.compile(r'(?:\A|\s)([A-Za-z_][\w./-]*)=(?=["{\[\w<&(-]|\Z|\s)')
_AFTER_VALUE = re.compile(r"\Z|\s|[,.;](?:\s|\Z)")
_WORD_END = re.compile(r"[ \t\n]")
_BLOCK_END = re.compile(r"\n >(?=[ \n]|\Z)")
_TRIMMED_BLOCK_END = re.compile(r"\n>(?=[ \n]|\Z)")

LONGEST_PAIRLESS = 1_000_000
"""Characters of a line in which pairs are looked for; no real line comes near."""


class LineFields(Mapping[str, FieldValue]):
    """The pairs of one line, parsed when first asked for."""

    __slots__ = ("_parse", "_start", "_text", "_values")

    def __init__(self, text: str, start: int, parse: Callable[[str, int], dict[str, FieldValue]]) -> None:
        """Remember what to parse.

        Args:
            text: The whole record.
            start: Where the pairs (or the message that holds them) begin.
            parse: What turns both into values.
        """
        self._text = text
        self._start = start
        self._parse = parse
        self._values: dict[str, FieldValue] | None = None

    def _all(self) -> dict[str, FieldValue]:
        values = self._values
        if values is None:
            values = self._values = self._parse(self._text, self._start)
        return values

    def __getitem__(self, key: str) -> FieldValue:
        return self._all()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def __contains__(self, key: object) -> bool:
        return key in self._all()

    def keys(self) -> KeysView[str]:
        """The keys, without the detour of the abstract class: every record's fields are walked through."""
        return self._all().keys()

    def items(self) -> ItemsView[str, FieldValue]:
        """The pairs, likewise."""
        return self._all().items()

    def __eq__(self, other: object) -> bool:
        if isinstance(other, LineFields):
            return self._all() == other._all()
        return self._all() == other if isinstance(other, Mapping) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(self._all())


def message_end(text: str, start: int) -> int:
    """The offset behind the closing quote of a message that begins at ``start`` with a quote; -1 without one."""
    end = text.find('"', start + 1)
    if end < 0:
        return -1
    if text.find("\\", start + 1, end) < 0:
        return end + 1
    found = _QUOTED.match(text, start)
    return found.end() if found is not None else -1


def parse_pairs(text: str, start: int) -> dict[str, FieldValue]:
    """The pairs that begin at ``start`` (behind the message)."""
    if _SIMPLE_PAIRS.match(text, start):
        return {key: int(number) if number else value for key, value, number in _SIMPLE_PAIR.findall(text, start)}
    return _parse_any(text, start)


def first_pair(text: str, start: int) -> int:
    """Where the first ``key=`` of a line with an unquoted message begins; the end of the text without one."""
    found = _FIRST_PAIR.search(text, start)
    return found.start() if found is not None else len(text)


def _parse_any(text: str, at: int) -> dict[str, FieldValue]:
    pairs: dict[str, FieldValue] = {}
    end = min(len(text), at + LONGEST_PAIRLESS)
    while at < end:
        equals = text.find("=", at)
        if equals < 0 or text.find("\n", at, equals) >= 0:
            # What follows a line break outside a block is a continuation line: no pairs.
            break
        key = text[at:equals].strip(" \t,;>").strip('"')
        if not key or not _LOOSE_KEY.match(key):
            key = re.split(r'[\s"]', key)[-1]
        at, value = _read_value(text, equals + 1)
        if key:
            pairs[key] = value
    return pairs


def _read_value(text: str, at: int) -> tuple[int, FieldValue]:
    """The value at ``at`` (behind the equals sign) and the offset behind it."""
    start = at
    while text[at : at + 1] == " ":
        at += 1
    sign = text[at : at + 1]
    if at > start and (not sign or sign == "\n" or _next_is_pair(text, start)):
        return at, ""
    if sign == '"':
        return _read_quoted(text, at)
    if sign == "<" and text[at + 1 : at + 2] in ("\n", "\r", ""):
        return _read_block(text, at + 1)
    if sign in ("{", "[") or text.startswith(("map[", "&{", "&["), at):
        return _read_bracketed(text, at)
    return _read_bare(text, at)


def _next_is_pair(text: str, at: int) -> bool:
    found = _NEXT_PAIR.match(text, at)
    return found is not None


def _read_quoted(text: str, at: int) -> tuple[int, FieldValue]:
    found = _QUOTED.match(text, at)
    if found is None:
        return len(text), text[at + 1 :]
    end = found.end()
    if _AFTER_VALUE.match(text, end):
        return end, unquote(text[at + 1 : end - 1])
    # Quotes inside that nobody escaped: the value goes on to the last quote before the next pair.
    following = _NEXT_PAIR.search(text, end)
    last = text.rfind('"', end, following.start() + 1 if following else len(text))
    if last < 0:
        return end, unquote(text[at + 1 : end - 1])
    return last + 1, text[at + 1 : last]


def _read_block(text: str, at: int) -> tuple[int, FieldValue]:
    """``key=<``, lines with a tab in front, and `` >``; a block without its end holds all that is there."""
    first = text.find("\n", at)
    if first < 0:
        return len(text), ""
    found = _block_end(text, first)
    end, after = (found.start(), found.end()) if found is not None else (len(text), len(text))
    lines = [line[1:] if line.startswith("\t") else line for line in text[first + 1 : end].split("\n")]
    return after, "\n".join(lines)


def _block_end(text: str, first: int) -> re.Match[str] | None:
    """The line that closes a block whose first line break is at ``first``.

    Where a collector took the tabs away (journald), the end has lost its blank too and a line of the value may
    look like it: there the last candidate before the next block is the end.
    """
    found = _BLOCK_END.search(text, first)
    if found is None:
        found = _TRIMMED_BLOCK_END.search(text, first)
        following = text.find("=<\n", first)
        while found is not None:
            later = _TRIMMED_BLOCK_END.search(text, found.end(), following if following >= 0 else len(text))
            if later is None:
                break
            found = later
    return found


def _read_bracketed(text: str, at: int) -> tuple[int, FieldValue]:
    if text[at] in "{[":
        end, value = leading_json(text, at)
        if end > 0 and _AFTER_VALUE.match(text, end):
            return end, value
    opening = min(i for sign in "{[" if (i := text.find(sign, at, at + 4)) >= 0)
    end = closing_bracket(text, opening)
    if end < 0 or not _AFTER_VALUE.match(text, end):
        return _read_bare(text, at)
    return end, bracketed_value(text[at:end])


def _read_bare(text: str, at: int) -> tuple[int, FieldValue]:
    """A word; more words when what follows is no key."""
    end = _word_end(text, at)
    equals = text.find("=", end)
    newline = text.find("\n", at)
    stop = newline if newline >= 0 else len(text)
    if equals < 0 or equals > stop:
        return stop, bare_value(text[at:stop].rstrip())
    between = text[end:equals].strip()
    if not _KEY.match(between.strip('"')):
        # Text between this value and the next key: only the last word before the equals sign is the key.
        cut = max(between.rfind(" "), 0)
        end = text.find(between, end) + cut if between else end
    return end, bare_value(text[at:end].rstrip())


def _word_end(text: str, at: int) -> int:
    found = _WORD_END.search(text, at)
    return found.start() if found is not None else len(text)
