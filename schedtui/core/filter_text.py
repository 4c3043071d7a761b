"""Text in filters: how it is searched in records and in bytes, and how it is written in the language.

Owns smart case, whole matches with ``*``, the linear-time expressions, what of a value must stand in a record's
bytes, and quoting. What a condition means is ``filter_nodes``'.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import re2

from schedtui.core.klog.journal_json import MESSAGE_KEY

if TYPE_CHECKING:
    from collections.abc import Callable

BARE_WORD = re.compile(r"[^\s|!()\"/:=<>]+(?:[:/=<>-][^\s|!()\"]*)?\Z")
"""Text that stands as a word without quotes."""

_PARTIAL_LINE = re.compile(rb" std(?:out|err) P")
_SAFE_PIECES = re.compile(r"[A-Za-z0-9_.-]+")
_NAME = re.compile(r"[A-Za-z_][\w.-]*\Z")
_BARE_VALUE = re.compile(r"[^\s|()\"]+\Z")


def quoted(text: str) -> str:
    """``text`` as a phrase of the filter language."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t") + '"'


def written_value(text: str) -> str:
    """A value as it stands behind a key: bare where that is possible."""
    return text if _BARE_VALUE.match(text) and not text.startswith(("!", "=", "/")) else quoted(text)


def written_key(key: str) -> str:
    """A key as it stands in front of a colon."""
    return key if _NAME.match(key) else quoted(key)


def is_wrapped_oddly(raw: bytes) -> bool:
    """True where a record's text need not stand as it is: in docker's and journald's JSON, in CRI's pieces."""
    return b'"log":' in raw or MESSAGE_KEY in raw or _PARTIAL_LINE.search(raw) is not None


def smart_case(text: str) -> bool:
    """True when a text without capitals is to match any case."""
    return text == text.lower()


def contains(text: str) -> Callable[[str], bool]:
    """A search for ``text`` as it stands, smart about case."""
    if not smart_case(text) or not any(character.isalpha() for character in text):
        return lambda haystack: text in haystack
    if text.isascii():
        search = re.compile(re.escape(text), re.IGNORECASE | re.ASCII).search
        return lambda haystack: search(haystack) is not None
    lowered = text.lower()
    return lambda haystack: lowered in haystack.lower()


def bytes_contain(text: str) -> Callable[[bytes], bool]:
    """A necessary condition on bytes for ``text`` in the decoded text."""
    if "\ufffd" in text or "\n" in text or (smart_case(text) and not text.isascii()):
        return lambda raw: True
    needle = text.encode("utf-8", "replace")
    if not smart_case(text):
        return lambda raw: needle in raw or is_wrapped_oddly(raw)
    return lambda raw: needle in raw or needle in raw.lower() or is_wrapped_oddly(raw)


def whole_match(pattern: str) -> Callable[[str], bool]:
    """A whole match of a text with ``*`` for anything."""
    if "*" not in pattern:
        return lambda text: text == pattern
    expression = re.compile(".*".join(re.escape(part) for part in pattern.split("*")), re.DOTALL)
    return lambda text: expression.fullmatch(text) is not None


def safe_pieces(text: str) -> tuple[bytes, ...]:
    """The parts of a value that stand in text and in JSON alike, unescaped."""
    return tuple(piece.encode() for piece in _SAFE_PIECES.findall(text))


def compile_pattern(pattern: str, ignore_case: bool) -> re2._Regexp[str]:
    """A linear-time expression.

    Raises:
        re2.error: The pattern does not fit.
    """
    options = re2.Options()
    options.log_errors = False
    options.case_sensitive = not ignore_case
    options.max_mem = 64 * 1024 * 1024
    return re2.compile(pattern, options=options)


def compare(left: float, operator: str, right: float) -> bool:
    """Whether a comparison of the language holds; ``:`` and ``=`` ask for the same value."""
    if operator in (":", "="):
        return left == right
    if operator == ">":
        return left > right
    if operator == "<":
        return left < right
    return left >= right if operator == ">=" else left <= right
