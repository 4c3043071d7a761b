"""Secrets in log text, made unreadable before it leaves the screen (exports, copies to files).

Owns the patterns: bearer and basic headers, values of keys that are called passwords, tokens or keys in any of the
notations that logs hold (``key=value``, JSON, YAML, flags, Go structs), user names with passwords in URLs, JSON
web tokens and private keys. Refuses to guess that a word is a secret because it looks random.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from schedtui.core.record import FieldValue

MASK = "***"
"""What stands in a secret's place."""

_NAMES = (
    r"(?:[\w.]*?[-_.])??(?:[a-z]*?)(?:passw(?:or)?d|passphrase|secret|token|api[-_]?key|access[-_]?key|"
    r"private[-_]?key|client[-_]?key(?:[-_]data)?|credentials?|session[-_]?id|bearer)(?:[-_]?(?:data|value|string))?"
)
_QUICK = re.compile(
    r"passw|passphrase|secret|token|key|credential|session|bearer|basic |authorization|://|eyJ|PRIVATE KEY|cookie",
    re.IGNORECASE,
)
_ESCAPED_QUOTE = r"\\*[\"']"
_RULES: tuple[tuple[re.Pattern[str], str], ...] = (
    (
        re.compile(r"(-----BEGIN [A-Z ]*PRIVATE KEY-----).*?(-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL),
        rf"\1{MASK}\2",
    ),
    # A header whatever its scheme; klog's own curl lines hold it inside quotes.
    (
        re.compile(
            r"\b((?:proxy-)?authorization[\"'\\]*\s*[:=]\s*\[?[\"'\\]*(?:(?:bearer|basic|negotiate|digest)\s+)?)"
            r"(?!(?:(?:bearer|basic|negotiate|digest)\s+)?(?:<masked>|\*\*\*))[^\s\"'\\\],]+",
            re.IGNORECASE,
        ),
        rf"\1{MASK}",
    ),
    (
        re.compile(r"\b((?:set-)?cookie[\"'\\]*\s*:\s*\[?[\"'\\]*)(?!\*\*\*)[^\"'\\\]\n]+", re.IGNORECASE),
        rf"\1{MASK}",
    ),
    (
        re.compile(r"\b(bearer|basic)(\s+)(?!<masked>|\*\*\*)([A-Za-z0-9+/=._~-]{8,})", re.IGNORECASE),
        rf"\1\2{MASK}",
    ),
    (re.compile(r"\beyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{5,}(?:\.[A-Za-z0-9_-]*)?"), MASK),
    (re.compile(r"(\b[a-z][a-z0-9+.-]*://[^\s/:@\"'\\]*:)[^\s/@\"'\\]+(@)", re.IGNORECASE), rf"\1{MASK}\2"),
    # "key": "value" in JSON, plain or inside a quoted string; key="value" of klog; FLAG: --key="value".
    (
        re.compile(
            rf"((?<![A-Za-z0-9])(?:--)?{_NAMES}(?:{_ESCAPED_QUOTE})?\s*[:=]\s*)({_ESCAPED_QUOTE})(?!\*\*\*)"
            r"((?:(?!\2).)+)(\2)",
            re.IGNORECASE,
        ),
        rf"\1\2{MASK}\4",
    ),
    # key=value and key: value without quotes.
    (
        re.compile(
            rf"((?<![A-Za-z0-9])(?:--)?{_NAMES}\s*(?:=|:\s))(?!\s|[\"'\\<{{\[]|\*\*\*|null\b|nil\b|true\b|false\b)"
            r"([^\s\"'\\,;)\]}]+)",
            re.IGNORECASE,
        ),
        rf"\1{MASK}",
    ),
    # {DB_PASSWORD hunter2} of a Go struct dump, {"name":"DB_PASSWORD","value":"hunter2"} of a pod in JSON.
    (
        re.compile(
            r"((?<![A-Za-z0-9])[A-Z0-9_]*(?:PASSWORD|PASSWD|PASSPHRASE|SECRET|TOKEN|API_?KEY|ACCESS_?KEY|CREDENTIALS?)"
            r"(?:_[A-Z0-9]+)*\s+)(?!\*\*\*)([^\s{}\[\]\"'\\<,:=]+)"
        ),
        rf"\1{MASK}",
    ),
    (
        re.compile(
            r"(\\*[\"']?name\\*[\"']?\s*:\s*\\*[\"']?[\w.-]*(?:PASSWORD|PASSWD|PASSPHRASE|SECRET|TOKEN|API_?KEY|"
            rf"ACCESS_?KEY|CREDENTIAL)[\w.-]*\\*[\"']?,\s*\\*[\"']?value\\*[\"']?\s*:\s*)({_ESCAPED_QUOTE})"
            r"(?!\*\*\*)((?:(?!\2).)+)(\2)",
            re.IGNORECASE,
        ),
        rf"\1\2{MASK}\4",
    ),
)
_KEY_NAME = re.compile(rf"{_NAMES}\Z", re.IGNORECASE)


def mask(text: str) -> str:
    """``text`` with every secret in it replaced; the same text when it holds none."""
    if _QUICK.search(text) is None:
        return text
    for pattern, replacement in _RULES:
        text = pattern.sub(replacement, text)
    return text


def mask_value(key: str, value: FieldValue, mask_text: Callable[[str], str] = mask) -> FieldValue:
    """A field's value with its secrets replaced; the whole of it when the key says that it is one."""
    if isinstance(value, str):
        return MASK if value and _KEY_NAME.match(key) else mask_text(value)
    if isinstance(value, list):
        return [mask_value(key, item, mask_text) for item in value]
    if isinstance(value, dict):
        return _mask_members(value, mask_text)
    return value


def _mask_members(value: dict[str, FieldValue], mask_text: Callable[[str], str]) -> dict[str, FieldValue]:
    name = value.get("name")
    hidden = isinstance(name, str) and "value" in value and _KEY_NAME.match(name) is not None
    return {
        key: MASK if hidden and key == "value" and isinstance(item, str) else mask_value(key, item, mask_text)
        for key, item in value.items()
    }
