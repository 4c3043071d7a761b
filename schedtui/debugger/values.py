"""Values of the target: from dlv's documents to something that a person can read.

Owns one-line texts, the expressions that load a value again or further, pages of long slices and maps, and the
comparison between two stops. Kubernetes types have their own views in ``views``.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from schedtui.debugger.model import Variable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from schedtui.debugger.replies import Document

LINE_WIDTH = 160
"""Characters in a one-line value."""

PAGE = 64
"""Elements of a slice or map in one page."""

SHADOWED = 2
"""dlv's flag of a variable that another of the same name hides."""

RETURN_ARGUMENT = 16
"""dlv's flag of a result parameter."""

_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "\\": "\\\\"}
_SIMPLE_KEYS = ("string", "int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64")


def variable_from(document: Document, expression: str = "") -> Variable:
    """A variable with its children.

    Args:
        document: As ``schedtui.star`` prints it.
        expression: What evaluates to it; its name when left out.
    """
    name = document.get("name", "")
    kind = document.get("kind", "")
    flags = int(document.get("flags", 0) or 0)
    own = expression or name
    if flags & SHADOWED:
        own = _by_address(document)
        name = f"({name})"
    children = _children(document, own)
    length = int(document.get("len", 0))
    return Variable(
        name=name,
        type=document.get("type", ""),
        value=one_line(document),
        kind=kind,
        expression=own,
        children=children,
        has_more=_has_more(document),
        length=length,
        unreadable=document.get("unreadable", ""),
        text=str(document.get("value", "")) if kind == "string" else "",
    )


def variables_from(documents: Iterable[Document]) -> tuple[Variable, ...]:
    """Arguments or locals; results that have no name yet are left out."""
    found = []
    for document in documents:
        if document.get("name", "").startswith("~r"):
            continue
        found.append(variable_from(document))
    return tuple(found)


def _has_more(document: Document) -> bool:
    kind = document.get("kind", "")
    length = int(document.get("len", 0))
    loaded = len(document.get("children", ()))
    if kind == "string":
        return len(document.get("value", "").encode("utf-8", "replace")) < length
    if kind in ("slice", "array"):
        return loaded < length
    if kind == "map":
        return loaded // 2 < length
    if kind == "struct":
        return loaded < length
    if kind in ("ptr", "interface"):
        inner = document.get("children", ())
        return bool(inner) and (bool(inner[0].get("only_addr")) or _has_more(inner[0])) and not _is_nil(document)
    return False


def _is_nil(document: Document) -> bool:
    kind = document.get("kind", "")
    children = document.get("children", ())
    if kind == "ptr":
        return not children or children[0].get("addr", 0) == 0
    if kind == "interface":
        return not children or children[0].get("kind") == "invalid"
    if kind in ("map", "slice", "chan", "func"):
        return bool(document.get("base", 0) == 0)
    return False


def _by_address(document: Document) -> str:
    address = int(document.get("addr", 0))
    return f'*(*"{document.get("type", "")}")({address:#x})' if address else ""


def _children(document: Document, own: str) -> tuple[Variable, ...]:
    kind = document.get("kind", "")
    inner = document.get("children", ())
    if kind == "ptr":
        if _is_nil(document):
            return ()
        target = inner[0]
        # dlv follows pointers by itself in x.Field, so that the pointer's children are those of what it points to.
        if target.get("kind") in ("struct",):
            return _children(target, own)
        return (variable_from({**target, "name": "*"}, f"*{own}" if own else _by_address(target)),)
    if kind == "interface":
        if _is_nil(document):
            return ()
        concrete = inner[0]
        return (variable_from({**concrete, "name": "data"}, f"{own}.(data)" if own else _by_address(concrete)),)
    if kind in ("struct", "complex64", "complex128"):
        return tuple(
            variable_from(child, f"{own}.{child.get('name', '')}" if own else _by_address(child))
            for child in inner
        )
    if kind in ("slice", "array"):
        elements = tuple(
            variable_from({**child, "name": f"[{i}]"}, f"{own}[{i}]" if own else _by_address(child))
            for i, child in enumerate(inner)
        )
        return elements + _pages(own, kind, len(elements), int(document.get("len", 0)))
    if kind == "map":
        entries = tuple(_entry(own, inner[i], inner[i + 1]) for i in range(0, len(inner) - 1, 2))
        return entries + _pages(own, kind, len(entries), int(document.get("len", 0)))
    return ()


def _entry(own: str, key: Document, value: Document) -> Variable:
    text = one_line(key, 60)
    simple = key.get("kind") in _SIMPLE_KEYS and not _has_more(key)
    expression = f"{own}[{text}]" if own and simple else _by_address(value)
    return variable_from({**value, "name": f"[{text}]"}, expression)


def _pages(own: str, kind: str, start: int, length: int) -> tuple[Variable, ...]:
    """One stand-in for what follows; evaluating its expression loads the next page."""
    if not own or start >= length or not start:
        return ()
    # dlv takes a slice expression of a map as "skip so many entries".
    expression = f"{own}[{start}:]"
    return (
        Variable(
            name="…",
            type="",
            value=f"{length - start} more",
            kind="page",
            expression=expression,
            has_more=True,
            length=length - start,
        ),
    )


def read_page(expression: str) -> tuple[str, int] | None:
    """What a page's expression pages, and where it begins; None when it is no page."""
    match = _PAGE.match(expression)
    return (match["base"], int(match["start"])) if match else None


_PAGE = re.compile(r"^(?P<base>.+)\[(?P<start>\d+):\]$", re.S)


def renumbered(page: Variable, base: str, start: int) -> Variable:
    """A page with its elements under their own indexes, and the next page counted from the start of all."""
    children = []
    following = start + sum(child.kind != "page" for child in page.children)
    # dlv tells the whole map's length for a part of it, and the part's own length for a slice's.
    left = (page.length if page.kind == "map" else start + page.length) - following
    for i, child in enumerate(page.children):
        if child.kind == "page":
            if left > 0:
                expression = f"{base}[{following}:]"
                children.append(replace(child, expression=expression, value=f"{left} more", length=left))
        elif page.kind in ("slice", "array"):
            children.append(replace(child, name=f"[{start + i}]", expression=f"{base}[{start + i}]"))
        else:
            children.append(child)
    return replace(page, children=tuple(children))


def quoted(text: str) -> str:
    """A Go-like string literal in which nothing is left that a terminal would act on."""
    parts = []
    for character in text:
        if character in _ESCAPES:
            parts.append(_ESCAPES[character])
        elif character.isprintable():
            parts.append(character)
        elif ord(character) < 0x80:
            parts.append(f"\\x{ord(character):02x}")
        else:
            parts.append(f"\\u{ord(character):04x}" if ord(character) < 0x10000 else f"\\U{ord(character):08x}")
    return '"' + "".join(parts) + '"'


def one_line(document: Document, width: int = LINE_WIDTH) -> str:
    """The value on one line of at most about ``width`` characters."""
    text = _text(document, width)
    return text if len(text) <= width else text[: width - 1] + "…"


def _text(document: Document, width: int) -> str:
    if reason := document.get("unreadable"):
        return f"(unreadable: {reason})"
    kind = document.get("kind", "")
    match kind:
        case "string":
            return _string_text(document, width)
        case "ptr":
            if _is_nil(document):
                return "nil"
            target = document["children"][0]
            if target.get("only_addr"):
                return f"({document.get('type', '')})({int(target.get('addr', 0)):#x})"
            return "&" + _text(target, width - 1)
        case "interface":
            if _is_nil(document):
                return "nil"
            return _text(document["children"][0], width)
        case "struct":
            return _struct_text(document, width)
        case "slice" | "array":
            if _is_nil(document) and kind == "slice":
                return "nil"
            return f"len {document.get('len', 0)}" + _joined(
                (_text(child, 40) for child in document.get("children", ())), width, "[", "]"
            )
        case "map":
            if _is_nil(document):
                return "nil"
            inner = document.get("children", ())
            pairs = (f"{_text(inner[i], 30)}: {_text(inner[i + 1], 40)}" for i in range(0, len(inner) - 1, 2))
            return f"len {document.get('len', 0)}" + _joined(pairs, width, "{", "}")
        case "invalid":
            return "nil"
        case _:
            return str(document.get("value", ""))


def _string_text(document: Document, width: int) -> str:
    value = str(document.get("value", ""))
    length = int(document.get("len", 0))
    shown = value if len(value) <= width else value[:width]
    missing = length - len(shown.encode("utf-8", "replace"))
    return quoted(shown) + (f"… +{missing} bytes" if missing > 0 and length > len(shown) else "")


def _struct_text(document: Document, width: int) -> str:
    short = str(document.get("type", "")).rsplit("/", 1)[-1]
    inner = document.get("children", ())
    if short == "time.Time" and (time := _TIME.search(str(document.get("value", "")))):
        return time[0]
    if not inner and document.get("len", 0):
        return short + "{…}"
    return short + _joined((f"{child.get('name', '')}: {_text(child, 40)}" for child in inner), width, "{", "}")


def _joined(parts: Iterable[str], width: int, left: str, right: str) -> str:
    taken: list[str] = []
    size = 0
    for part in parts:
        size += len(part) + 2
        if size > width and taken:
            taken.append("…")
            break
        taken.append(part)
    return f" {left}{', '.join(taken)}{right}" if taken and left == "[" else f"{left}{', '.join(taken)}{right}"


def marked(variables: tuple[Variable, ...], before: Mapping[str, str]) -> tuple[Variable, ...]:
    """``variables`` with ``changed`` set where the value differs from the stop before."""
    return tuple(_marked(variable, before) for variable in variables)


def _marked(variable: Variable, before: Mapping[str, str]) -> Variable:
    children = marked(variable.children, before) if variable.children else ()
    earlier = before.get(variable.expression) if variable.expression else None
    changed = earlier is not None and earlier != variable.value
    if not changed and children is variable.children:
        return variable
    return replace(variable, changed=changed, children=children)


def texts(variables: Iterable[Variable]) -> dict[str, str]:
    """Expression → value, children included, for the next comparison."""
    found: dict[str, str] = {}
    waiting = list(variables)
    while waiting:
        variable = waiting.pop()
        if variable.expression and variable.kind != "page" and not variable.unreadable:
            found[variable.expression] = variable.value
        waiting.extend(variable.children)
    return found


_TIME = re.compile(r"\d{4}-\d\d-\d\dT[0-9:.]+(?:Z|[+-]\d\d:\d\d)?")
