"""Who is called with what: the parts of a call expression, and whether a name is an imported package.

Owns what the syntax and the file's imports tell; evaluates nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedtui.core.go_source.syntax import node_text

if TYPE_CHECKING:
    from tree_sitter import Node

    from schedtui.core.go_source.scope import Scope


def arguments_of(node: Node) -> list[Node]:
    """The arguments of a call, comments left out."""
    arguments = node.child_by_field_name("arguments")
    return (
        [child for child in arguments.named_children if child.type != "comment"] if arguments is not None else []
    )


def callee_node(node: Node) -> Node | None:
    """The expression that is called, type arguments and parentheses taken off."""
    function = node.child_by_field_name("function")
    while function is not None and function.type in ("parenthesized_expression", "index_expression"):
        operand = function.child_by_field_name("operand")
        inner = function.named_children
        function = operand if operand is not None else inner[0] if inner else None
    return function


def imported(node: Node | None, scope: Scope) -> str | None:
    """The import path that a name stands for; None when a variable hides it or it is none."""
    if node is None or node.type != "identifier":
        return None
    name = node_text(node)
    return None if name in scope.bindings else scope.file.imports.get(name)
