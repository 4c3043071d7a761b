"""The import lines of a Go file, read without a parser: they decide which files are worth one.

Owns finding import paths in bytes. It resolves no path to a directory.
"""

from __future__ import annotations

import re

_FIRST_DECLARATION = re.compile(rb"^(?:func|type|var|const)\b", re.MULTILINE)
_COMMENT = re.compile(rb"/\*.*?\*/|//[^\n]*", re.DOTALL)
_IMPORT_BLOCK = re.compile(rb"^import\s*(?:\((.*?)\)|([^\n(]+)$)", re.MULTILINE | re.DOTALL)
_SPEC = re.compile(rb'(?:([\w.]+)\s+)?"([^"\n]+)"|(?:([\w.]+)\s+)?`([^`\n]+)`')
_MAJOR_VERSION = re.compile(r"^v\d+$")


def imports_of(text: bytes) -> list[tuple[str, str]]:
    """Each import as (name it is used by, import path); ``_`` and ``.`` stand as they are."""
    match = _FIRST_DECLARATION.search(text)
    head = _COMMENT.sub(b"", text[: match.start()] if match else text)
    found: list[tuple[str, str]] = []
    for block in _IMPORT_BLOCK.finditer(head):
        for spec in _SPEC.finditer(block.group(1) or block.group(2) or b""):
            path = (spec.group(2) or spec.group(4)).decode("utf-8", "replace")
            name = (spec.group(1) or spec.group(3) or b"").decode("utf-8", "replace")
            found.append((name or default_name(path), path))
    return found


def default_name(import_path: str) -> str:
    """The name a package is used by when an import gives none: its last part that is no major version."""
    parts = [part for part in import_path.split("/") if not _MAJOR_VERSION.match(part)]
    last = parts[-1] if parts else import_path
    return re.sub(r"\.v\d+$", "", last)
