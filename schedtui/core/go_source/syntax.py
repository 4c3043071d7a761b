"""Go text to a syntax tree, and the small questions every reader of that tree asks.

Owns the one place where tree-sitter is set up. It knows nothing of logging.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import tree_sitter
import tree_sitter_go

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node


@functools.lru_cache(maxsize=1)
def _parser() -> tree_sitter.Parser:
    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_go.language()))


def parse_go(text: bytes) -> Node:
    """The root node of one file; broken Go gives a tree with error nodes, never an exception."""
    return _parser().parse(text).root_node


def node_text(node: Node | None) -> str:
    """The text of a node, bad bytes replaced; empty for None."""
    return node.text.decode("utf-8", "replace") if node is not None and node.text is not None else ""


def line_of(node: Node) -> int:
    """The 1-based line a node starts on."""
    return node.start_point[0] + 1


def end_line_of(node: Node) -> int:
    """The 1-based line a node ends on."""
    return node.end_point[0] + 1


def walk(node: Node) -> Iterator[Node]:
    """Every named node below ``node``, itself included, in the order of the text."""
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        stack.extend(reversed(current.named_children))
