"""Go text → coloured spans, line by line, for the lines that are visible.

Owns the table of syntax nodes and their roles. Parsing is tree-sitter's; a file that does not parse is coloured
as far as it does. It knows no widget.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import tree_sitter_go
from tree_sitter import Language, Parser

if TYPE_CHECKING:
    from tree_sitter import Node

NODE_ROLES: dict[str, str] = {
    "comment": "go-comment",
    "interpreted_string_literal": "go-string",
    "raw_string_literal": "go-string",
    "rune_literal": "go-string",
    "int_literal": "go-number",
    "float_literal": "go-number",
    "imaginary_literal": "go-number",
    "true": "go-number",
    "false": "go-number",
    "nil": "go-number",
    "iota": "go-number",
    "type_identifier": "go-type",
    "package_identifier": "",
}
"""Named nodes that are coloured as a whole."""

_FUNCTION_PARENTS = {
    "function_declaration": "name",
    "method_declaration": "name",
    "call_expression": "function",
    "method_elem": "name",
}
"""Parents whose named field is a function's name."""


class GoHighlighter:
    """Colours of one file."""

    def __init__(self, text: str) -> None:
        """Parse the text once."""
        self._bytes = text.encode("utf-8", "replace")
        self._tree = Parser(Language(tree_sitter_go.language())).parse(self._bytes)
        self._lines = self._bytes.split(b"\n")

    def spans(self, line: int) -> tuple[tuple[str, str], ...]:
        """(text, role) pieces of a line, 0-based, in order and without gaps."""
        if not 0 <= line < len(self._lines):
            return ()
        content = self._lines[line]
        pieces: list[tuple[str, str]] = []
        at = 0
        for start, end, role in self._coloured(line, len(content)):
            if start < at:
                continue
            if start > at:
                pieces.append((content[at:start].decode("utf-8", "replace"), ""))
            pieces.append((content[start:end].decode("utf-8", "replace"), role))
            at = end
        if at < len(content):
            pieces.append((content[at:].decode("utf-8", "replace"), ""))
        return tuple(pieces)

    def _coloured(self, line: int, width: int) -> list[tuple[int, int, str]]:
        found: list[tuple[int, int, str]] = []
        stack: list[Node] = [self._tree.root_node]
        while stack:
            node = stack.pop()
            if node.end_point.row < line or node.start_point.row > line:
                continue
            role = _role(node)
            if role:
                start = node.start_point.column if node.start_point.row == line else 0
                end = node.end_point.column if node.end_point.row == line else width
                if end > start:
                    found.append((start, end, role))
                continue
            stack.extend(reversed(_children_on(node, line)))
        return found


def _children_on(node: Node, line: int) -> list[Node]:
    """The children that touch a line; the list of a file's declarations is long, so it is searched by halves."""
    children = node.children
    low, high = 0, len(children)
    while low < high:
        middle = (low + high) // 2
        if children[middle].end_point.row < line:
            low = middle + 1
        else:
            high = middle
    touching: list[Node] = []
    for child in children[low:]:
        if child.start_point.row > line:
            break
        touching.append(child)
    return touching


def _role(node: Node) -> str:
    if not node.is_named:
        return "go-keyword" if node.type.isalpha() else ""
    role = NODE_ROLES.get(node.type, "")
    if role or node.child_count:
        return role
    parent = node.parent
    if parent is None or node.type not in ("identifier", "field_identifier"):
        return ""
    if parent.type == "selector_expression" and parent.child_by_field_name("field") == node:
        call = parent.parent
        if call is not None and call.type == "call_expression" and call.child_by_field_name("function") == parent:
            return "go-function"
        return ""
    field_name = _FUNCTION_PARENTS.get(parent.type)
    return "go-function" if field_name and parent.child_by_field_name(field_name) == node else ""
