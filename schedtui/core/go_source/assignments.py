"""Assignments, declarations and returns: how names and results come by their values.

Owns what an expression binds to a name. Paths are ``core.go_source.branches``'.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedtui.core.go_source.callees import imported
from schedtui.core.go_source.calls import guard_terms, note_function_value
from schedtui.core.go_source.closures import bound_literal
from schedtui.core.go_source.constants import evaluate_numbers, evaluate_texts
from schedtui.core.go_source.declarations import CONTEXT, REQUEST, kind_of_type
from schedtui.core.go_source.expressions import evaluate, evaluate_results, field_key
from schedtui.core.go_source.facts import Term
from schedtui.core.go_source.scope import ENVIRONMENT, Guard, LiteralFunction, Numbers, Value
from schedtui.core.go_source.statements import read_statement
from schedtui.core.go_source.syntax import node_text

if TYPE_CHECKING:
    from tree_sitter import Node

    from schedtui.core.go_source.scope import Binding, Scope

_NUMBER_SOURCES = (
    "int_literal", "identifier", "selector_expression", "binary_expression", "call_expression",
    "type_conversion_expression",
)  # fmt: skip
"""Expressions that can be a whole number known from the text."""


def read_step(node: Node, scope: Scope) -> None:
    """``i++`` and ``i--``: whatever number it was, it is another one now."""
    for name in node.named_children:
        if name.type == "identifier" and isinstance(scope.bindings.get(node_text(name)), Numbers):
            scope.bindings[node_text(name)] = Numbers(frozenset({None}))


def read_assignment(node: Node, scope: Scope) -> None:
    """``=``, ``:=`` and the like: each name gets what stands across from it."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        return
    targets, sources = left.named_children, right.named_children
    if node_text(node.child_by_field_name("operator")) not in ("", "=", ":="):
        read_statement(right, scope)
        read_step(left, scope)
        return
    for source in sources:
        if source.type != "func_literal":
            read_statement(source, scope)
    names = tuple(node_text(target) for target in targets)
    if len(sources) == 1 and len(targets) > 1:
        values: list[Value | None] = [None] * len(targets)
        if sources[0].type == "call_expression":
            values = evaluate_results(sources[0], len(targets), scope, names)
        else:
            values[0] = evaluate(sources[0], scope)
        for target, value in zip(targets, values, strict=True):
            _assign(target, value, None, scope, declares=node.type == "short_var_declaration")
        return
    for source in sources:
        if source.type in ("identifier", "selector_expression"):
            note_function_value(source, None, scope)
    bindings = [binding_of(source, name, scope) for source, name in zip(sources, names, strict=False)]
    for target, binding in zip(targets, bindings, strict=False):
        value = binding if isinstance(binding, Value) else None
        if isinstance(binding, LiteralFunction) and target.type != "identifier":
            scope.collector.values.add(binding.key)
        _assign(target, value, binding, scope, declares=node.type == "short_var_declaration")


def binding_of(source: Node, name: str, scope: Scope) -> Binding:
    """What an expression binds to a name: a value, a guard, a literal, a text or a number."""
    if source.type == "call_expression":
        value = evaluate_results(source, 1, scope, (name,))[0]
        if value is not None:
            return value
        terms = guard_terms(source, scope)
        if terms is not None:
            return Guard(terms)
    elif source.type == "func_literal":
        return bound_literal(source, scope)
    else:
        found = evaluate(source, scope)
        if found is not None:
            return found
    if source.type in _NUMBER_SOURCES:
        numbers = evaluate_numbers(source, scope)
        if numbers != frozenset({None}):
            return Numbers(numbers)
    texts = evaluate_texts(source, scope)
    return texts if not any(pattern.is_anything for pattern in texts.patterns) or texts.keys else None


def _assign(target: Node, value: Value | None, binding: Binding, scope: Scope, *, declares: bool) -> None:
    if target.type == "identifier":
        name = node_text(target)
        known = scope.bindings.get(name)
        if value is None and isinstance(known, Value) and known.kind and not declares and binding is None:
            # Whatever it is now, it is not what it was: the level is not known.
            value = Value(
                frozenset({Term(f"?assigned at {scope.key_at(target.start_point[0] + 1, 0)}")}), known.kind
            )
        if name in scope.bindings or declares or name not in scope.package.variables:
            scope.bindings[name] = value if value is not None else binding
        elif value is not None:
            scope.collector.flow(f"G:{scope.package.import_path}.{name}", value)
    elif target.type == "selector_expression" and value is not None:
        field = node_text(target.child_by_field_name("field"))
        package = imported(target.child_by_field_name("operand"), scope)
        scope.collector.flow(f"G:{package}.{field}" if package else field_key(field, scope), value)


def read_variables(node: Node, scope: Scope) -> None:
    """``var`` declarations inside a body."""
    for spec in node.named_children:
        specs = spec.named_children if spec.type == "var_spec_list" else [spec]
        for one in specs:
            if one.type == "var_spec":
                _read_variable(one, scope)


def _read_variable(spec: Node, scope: Scope) -> None:
    names = spec.children_by_field_name("name")
    values = spec.child_by_field_name("value")
    kind = kind_of_type(spec.child_by_field_name("type"), scope.file, scope.package.import_path)
    if values is None:
        for name in names:
            scope.bindings[node_text(name)] = Value(frozenset(), kind) if kind else None
        return
    read_statement(values, scope)
    for name, source in zip(names, values.named_children, strict=False):
        scope.bindings[node_text(name)] = binding_of(source, node_text(name), scope)


def read_return(node: Node, scope: Scope) -> None:
    """``return``: results are values that callers see."""
    for child in node.named_children:
        read_statement(child, scope)
    values = node.named_children[0].named_children if node.named_children else []
    for value_node in values:
        note_function_value(value_node, None, scope)
    for index, (name, kind) in enumerate(scope.results):
        value: Binding = None
        if not values:
            value = scope.bindings.get(name)
        elif len(values) == len(scope.results):
            value = evaluate(values[index], scope)
        elif values[0].type == "call_expression":
            value = evaluate_results(values[0], len(scope.results), scope)[index]
        if kind and not isinstance(value, Value):
            value = Value(
                frozenset(
                    {
                        Term(
                            f"?returned at {scope.key_at(node.start_point[0] + 1, 0)}"
                            if kind not in (CONTEXT, REQUEST)
                            else ENVIRONMENT
                        )
                    }
                ),
                kind,
            )
        if isinstance(value, Value):
            scope.collector.flow(f"R:{scope.function}#{index}", value)
