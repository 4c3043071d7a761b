"""Loaded values as dlv's API gives them, read by field, entry and element, and as numbers and quantities.

Owns the ways through a document (pointers and interfaces followed) and Kubernetes's notation of quantities. Pure.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from schedtui.debugger.values import one_line

if TYPE_CHECKING:
    from schedtui.debugger.replies import Document


def inner(document: Document) -> Document:
    """What a pointer or an interface leads to in the end."""
    while document.get("kind") in ("ptr", "interface") and document.get("children"):
        document = document["children"][0]
    return document


def member(document: Document, *path: str) -> Document | None:
    """A field of a field; None when it is not there or not loaded."""
    for name in path:
        document = inner(document)
        found = next((child for child in document.get("children", ()) if child.get("name") == name), None)
        if found is None:
            return None
        document = found
    return document


def entries(document: Document | None) -> list[tuple[Document, Document]]:
    """The pairs of a map."""
    found = inner(document) if document else {}
    children = found.get("children", ()) if found.get("kind") == "map" else ()
    return [(children[i], children[i + 1]) for i in range(0, len(children) - 1, 2)]


def elements(document: Document | None) -> list[Document]:
    """The elements of a slice."""
    return list(inner(document).get("children", ())) if document else []


def plain(document: Document | None) -> str:
    """A value without quotes; empty for nil and for what is not there."""
    if document is None:
        return ""
    found = inner(document)
    if found.get("kind") == "string":
        return str(found.get("value", ""))
    if found.get("kind") in ("ptr", "interface", "invalid"):
        return ""
    return one_line(found)


def whole(document: Document | None) -> int:
    """A value as a number; 0 when it is none."""
    # dlv puts a constant's name in front: "Unschedulable (2)".
    match = re.search(r"^(-?\d+)|\((-?\d+)\)$", plain(document))
    return int(match[1] or match[2]) if match else 0


def quantity(document: Document) -> str:
    """``resource.Quantity`` as it is written: ``1500m``, ``2Gi``."""
    written = plain(member(document, "s"))
    if written:
        return written
    value, scale = whole(member(document, "i", "value")), whole(member(document, "i", "scale"))
    if plain(member(document, "Format")) == "BinarySI" and scale == 0:
        return size(value)
    if scale == -3:
        return f"{value}m"
    return str(value * 10**scale) if scale >= 0 else f"{value}e{scale}"


def size(number: int) -> str:
    """Bytes with a binary unit when it comes out even or nearly so."""
    for unit, factor in (("Ti", 2**40), ("Gi", 2**30), ("Mi", 2**20), ("Ki", 2**10)):
        if number >= factor:
            return f"{number / factor:.1f}".removesuffix(".0") + unit
    return str(number)
