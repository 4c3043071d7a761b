"""Numbers and texts that an expression can be.

Owns what is known of them from the text and from names bound to such values; loggers are
``core.go_source.expressions``'.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedtui.core.go_source.callees import arguments_of, callee_node, imported
from schedtui.core.go_source.declarations import constant_number, unquote
from schedtui.core.go_source.messages import ANYTHING, from_format, joined, literal
from schedtui.core.go_source.scope import Numbers, Texts
from schedtui.core.go_source.syntax import node_text

if TYPE_CHECKING:
    from tree_sitter import Node

    from schedtui.core.go_source.messages import MessagePattern
    from schedtui.core.go_source.scope import Scope

CONVERSIONS = frozenset({"int", "int8", "int16", "int32", "int64", "uint", "Level", "klog.Level", "string"})
"""Conversions that leave a number or text what it is."""


def evaluate_numbers(node: Node | None, scope: Scope) -> frozenset[int | str | None]:
    """The whole numbers an expression can be: numbers, keys that stand for one, None for any."""
    if node is None:
        return frozenset({None})
    if node.type == "identifier":
        binding = scope.bindings.get(node_text(node), scope)
        if isinstance(binding, Numbers):
            return binding.values
        if binding is not scope:
            return frozenset({None})
    number = constant_number(node, scope.package.numbers)
    if number is not None:
        return frozenset({number})
    if node.type == "selector_expression":
        package = imported(node.child_by_field_name("operand"), scope)
        if package is not None:
            return frozenset({f"K:{package}.{node_text(node.child_by_field_name('field'))}"})
    if node.type in ("call_expression", "type_conversion_expression", "parenthesized_expression"):
        inner = arguments_of(node) if node.type == "call_expression" else node.named_children[-1:]
        function = node_text(node.child_by_field_name("function"))
        if len(inner) == 1 and (node.type != "call_expression" or function in CONVERSIONS):
            return evaluate_numbers(inner[0], scope)
    return frozenset({None})


def evaluate_texts(node: Node | None, scope: Scope, *, as_format: bool = False) -> Texts:
    """The texts an expression can be; ``as_format`` reads literals as fmt formats."""
    unknown = Texts(frozenset({ANYTHING}), frozenset())
    if node is None:
        return unknown
    if node.type in ("interpreted_string_literal", "raw_string_literal"):
        text = unquote(node)
        return Texts(frozenset({from_format(text) if as_format else literal(text)}), frozenset())
    if node.type == "parenthesized_expression" and node.named_children:
        return evaluate_texts(node.named_children[0], scope, as_format=as_format)
    if node.type == "identifier":
        binding = scope.bindings.get(node_text(node))
        if isinstance(binding, Texts):
            return binding
        text_constant = scope.package.texts.get(node_text(node))
        if text_constant is not None and binding is None:
            return Texts(
                frozenset({from_format(text_constant) if as_format else literal(text_constant)}), frozenset()
            )
        return unknown
    if node.type == "binary_expression" and node_text(node.child_by_field_name("operator")) == "+":
        left = evaluate_texts(node.child_by_field_name("left"), scope, as_format=as_format)
        right = evaluate_texts(node.child_by_field_name("right"), scope, as_format=as_format)
        return Texts(_products(left.patterns, right.patterns), frozenset())
    if node.type == "call_expression":
        return _call_texts(node, scope)
    return unknown


def _products(left: frozenset[MessagePattern], right: frozenset[MessagePattern]) -> frozenset[MessagePattern]:
    return frozenset(joined([first, second]) for first in left for second in right)


def _call_texts(node: Node, scope: Scope) -> Texts:
    arguments = arguments_of(node)
    function = callee_node(node)
    name = node_text(function.child_by_field_name("field")) if function is not None else ""
    package = imported(function.child_by_field_name("operand"), scope) if function is not None else None
    if package == "fmt" and name == "Sprintf" and arguments:
        return evaluate_texts(arguments[0], scope, as_format=True)
    if node_text(function) == "string" and len(arguments) == 1:
        return evaluate_texts(arguments[0], scope)
    return Texts(frozenset({ANYTHING}), frozenset())
