"""Conditions on ``Enabled()``: under which logger's level a branch runs.

Owns the reading of conditions; what a branch makes of it is ``core.go_source.branches``'.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedtui.core.go_source.callees import arguments_of, callee_node
from schedtui.core.go_source.expressions import evaluate
from schedtui.core.go_source.scope import Guard
from schedtui.core.go_source.syntax import node_text

if TYPE_CHECKING:
    from tree_sitter import Node

    from schedtui.core.go_source.facts import Term
    from schedtui.core.go_source.scope import Scope


def evaluate_guard(node: Node | None, scope: Scope) -> tuple[frozenset[Term], bool, bool] | None:
    """A condition's ``Enabled()``: (logger, negated, nothing else in the condition); None without one."""
    if node is None:
        return None
    if node.type == "parenthesized_expression" and node.named_children:
        return evaluate_guard(node.named_children[0], scope)
    if node.type == "unary_expression" and node_text(node).startswith("!"):
        found = evaluate_guard(node.child_by_field_name("operand"), scope)
        return (found[0], not found[1], found[2]) if found is not None else None
    if node.type == "identifier":
        binding = scope.bindings.get(node_text(node))
        return (binding.terms, False, True) if isinstance(binding, Guard) else None
    if node.type == "binary_expression" and node_text(node.child_by_field_name("operator")) == "&&":
        for side in ("left", "right"):
            found = evaluate_guard(node.child_by_field_name(side), scope)
            if found is not None and not found[1]:
                return (found[0], False, False)
        return None
    terms = enabled_terms(node, scope)
    return (terms, False, True) if terms is not None else None


def enabled_terms(node: Node, scope: Scope) -> frozenset[Term] | None:
    """The logger of ``x.Enabled()`` (or of klog's ``bool(klog.V(n))``); None for any other expression."""
    if node.type not in ("call_expression", "type_conversion_expression"):
        return None
    function = callee_node(node)
    if function is not None and function.type == "selector_expression":
        if node_text(function.child_by_field_name("field")) != "Enabled":
            return None
        value = evaluate(function.child_by_field_name("operand"), scope)
        return value.terms if value is not None else None
    inner = arguments_of(node)
    if node_text(function) == "bool" and len(inner) == 1:
        value = evaluate(inner[0], scope)
        return value.terms if value is not None else enabled_terms(inner[0], scope)
    return None
