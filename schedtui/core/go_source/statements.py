"""Blocks and statements in order: the walk that every reader of a statement comes back to.

Owns the order and what follows an early way out. Which node is read how is a table that the scope carries
(``core.go_source.flow``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedtui.core.go_source.callees import callee_node
from schedtui.core.go_source.guards import evaluate_guard
from schedtui.core.go_source.syntax import node_text

if TYPE_CHECKING:
    from tree_sitter import Node

    from schedtui.core.go_source.facts import Term
    from schedtui.core.go_source.scope import Scope


def read_block(node: Node | None, scope: Scope) -> bool:
    """Read statements in order.

    Returns:
        Whether the block always leaves (returns, panics, breaks, continues).
    """
    if node is None:
        return False
    pushed = 0
    left = False
    for statement in statements_of(node):
        read_statement(statement, scope)
        if leaves(statement):
            left = True
        guard = _guard_after(statement, scope)
        if guard is not None:
            scope.guards.append(guard)
            pushed += 1
    del scope.guards[len(scope.guards) - pushed :]
    return left


def statements_of(node: Node) -> list[Node]:
    """The statements of a block or a case, comments left out."""
    out: list[Node] = []
    for child in node.named_children:
        if child.type == "statement_list":
            out.extend(child.named_children)
        elif child.type != "comment":
            out.append(child)
    return out


def leaves(statement: Node) -> bool:
    """Whether a statement surely leaves the block."""
    if statement.type in ("return_statement", "break_statement", "continue_statement", "goto_statement"):
        return True
    if statement.type == "expression_statement" and statement.named_children:
        return node_text(callee_node(statement.named_children[0])) in ("panic", "os.Exit", "klog.Fatal")
    return False


def _guard_after(statement: Node, scope: Scope) -> frozenset[Term] | None:
    """``if !logger.V(5).Enabled() { return }`` guards what follows it."""
    if statement.type != "if_statement" or statement.child_by_field_name("alternative") is not None:
        return None
    guard = evaluate_guard(statement.child_by_field_name("condition"), scope)
    if guard is None or not guard[1] or not guard[2]:
        return None
    body = statement.child_by_field_name("consequence")
    inside = statements_of(body) if body is not None else []
    return guard[0] if inside and leaves(inside[-1]) else None


def read_statement(node: Node, scope: Scope) -> None:
    """Read one statement, or any other node by its parts."""
    reader = scope.readers.get(node.type)
    if reader is not None:
        reader(node, scope)
        return
    for child in node.named_children:
        read_statement(child, scope)


def declared_names(node: Node | None) -> list[str]:
    """The names that a ``:=`` declares; none for any other node."""
    left = node.child_by_field_name("left") if node is not None and node.type == "short_var_declaration" else None
    return [node_text(name) for name in left.named_children] if left is not None else []
