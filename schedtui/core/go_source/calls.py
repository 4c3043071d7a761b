"""Calls: which of them log, and what every other one is handed.

Owns turning one call expression into a ``Site`` or into flows to the callee's parameters, and the place of
function literals among a call's arguments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedtui.core.go_source.callees import arguments_of, callee_node, imported
from schedtui.core.go_source.constants import evaluate_numbers, evaluate_texts
from schedtui.core.go_source.declarations import CONTEXT, LOGGER, REQUEST, VERBOSE
from schedtui.core.go_source.expressions import (
    LEVEL_TAKER,
    evaluate,
    field_key,
    guessed_kind,
    literal_of,
    method_key,
    table_package,
)
from schedtui.core.go_source.facts import MessageFlow, NumberFlow, Site, Term
from schedtui.core.go_source.guards import enabled_terms
from schedtui.core.go_source.log_methods import (
    KLOG_FUNCTIONS,
    LOGGER_METHODS,
    RUNTIME_FUNCTIONS,
    RUNTIME_PACKAGE,
    VERBOSE_METHODS,
)
from schedtui.core.go_source.messages import joined
from schedtui.core.go_source.scope import BASE_TERMS, Scope, Texts, Value, find_function, ordered
from schedtui.core.go_source.syntax import line_of, node_text

if TYPE_CHECKING:
    from tree_sitter import Node

    from schedtui.core.go_source.log_methods import LogMethod

KIND_LETTERS = {LOGGER: "l", VERBOSE: "l", CONTEXT: "c", REQUEST: "r", "": "?"}
"""How a flow's target tells the kind of what it is handed."""


def read_log_call(node: Node, scope: Scope) -> bool:
    """Note the call if it logs.

    Returns:
        Whether it does.
    """
    function = callee_node(node)
    if function is None or function.type != "selector_expression":
        return False
    name = node_text(function.child_by_field_name("field"))
    if name not in VERBOSE_METHODS and name not in KLOG_FUNCTIONS and name not in RUNTIME_FUNCTIONS:
        return False
    operand = function.child_by_field_name("operand")
    package = imported(operand, scope)
    if package is not None:
        if table_package(package) == "klog" and name in KLOG_FUNCTIONS:
            return _note_site(node, KLOG_FUNCTIONS[name], Value(BASE_TERMS, VERBOSE), scope)
        if package == RUNTIME_PACKAGE and name in RUNTIME_FUNCTIONS:
            return _note_site(node, RUNTIME_FUNCTIONS[name], Value(BASE_TERMS, LOGGER), scope)
        return False
    value = evaluate(operand, scope)
    if value is None or value.kind in (CONTEXT, REQUEST):
        return False
    methods = LOGGER_METHODS if value.kind == LOGGER else VERBOSE_METHODS
    method = methods.get(name) or (VERBOSE_METHODS.get(name) if value.kind == "" else None)
    if method is None or len(arguments_of(node)) <= method.message:
        return False
    if value.kind == "" and not _looks_like_a_message(arguments_of(node)[method.message]):
        return False
    return _note_site(node, method, value, scope)


def _looks_like_a_message(node: Node) -> bool:
    """Of a logger whose type is not seen, only calls with a text as their message are taken for log calls."""
    return node.type in ("interpreted_string_literal", "raw_string_literal")


def _note_site(node: Node, method: LogMethod, value: Value, scope: Scope) -> bool:
    function = callee_node(node)
    field = function.child_by_field_name("field") if function is not None else None
    call_line = line_of(field) if field is not None else line_of(node)
    texts = _message(arguments_of(node), method, scope)
    site = Site(
        file=scope.file.name,
        line=scope.end_line if scope.deferred else call_line,
        call_line=call_line,
        function=scope.spelling,
        severity=method.severity,
        terms=ordered(value.terms) if method.severity in "IW" else (),
        patterns=tuple(sorted(pattern.parts for pattern in texts.patterns)),
        message_keys=tuple(sorted(texts.keys)),
        guard=tuple(ordered(terms) for terms in scope.guards),
        elsewhere=method.elsewhere or value.elsewhere or scope.deferred or scope.started,
    )
    scope.collector.site((scope.file.name, node.start_byte), site)
    return True


def _message(arguments: list[Node], method: LogMethod, scope: Scope) -> Texts:
    if method.message >= len(arguments):
        return evaluate_texts(None, scope)
    first = evaluate_texts(arguments[method.message], scope, as_format=method.style == "format")
    if method.style == "print" and len(arguments) > method.message + 1:
        anything = evaluate_texts(None, scope)
        return Texts(
            frozenset(joined([one, other]) for one in first.patterns for other in anything.patterns), frozenset()
        )
    return first


def hand_over(node: Node, scope: Scope) -> None:
    """Note what a call that does not log hands to its callee's parameters."""
    key = callee_key(node, scope)
    if key is None:
        return
    takes_levels = bool(LEVEL_TAKER.search(key.rpartition(".")[2]))
    for index, argument in enumerate(arguments_of(node)):
        value = evaluate(argument, scope)
        if value is not None:
            kind = value.kind or guessed_kind(_last_name(argument), scope.file)
            scope.collector.flow(f"A:{key}#{index}{KIND_LETTERS[kind]}", value)
        elif takes_levels:
            _hand_over_plain(f"A:{key}#{index}", argument, scope)


def _last_name(node: Node) -> str:
    """The name an expression ends with: ``x.logger``, ``x.Logger()``."""
    if node.type == "call_expression":
        function = callee_node(node)
        return _last_name(function) if function is not None else ""
    return node_text(node.child_by_field_name("field")) if node.type == "selector_expression" else node_text(node)


def _hand_over_plain(target: str, argument: Node, scope: Scope) -> None:
    texts = evaluate_texts(argument, scope)
    if argument.type in ("interpreted_string_literal", "raw_string_literal", "identifier"):
        for pattern in texts.patterns:
            if pattern.is_literal:
                scope.collector.messages.add(MessageFlow(target, pattern.parts[0]))
    for number in evaluate_numbers(argument, scope):
        if number is not None or not _cannot_be_a_number(argument):
            scope.collector.numbers.add(NumberFlow(target, number))


def _cannot_be_a_number(node: Node) -> bool:
    return node.type in (
        "interpreted_string_literal", "raw_string_literal", "func_literal", "composite_literal",
        "true", "false", "nil",
    )  # fmt: skip


def callee_key(node: Node, scope: Scope) -> str | None:
    """What is called: ``pkg.Func``, ``pkg.Type.Method``, ``.Method/arguments``, ``?name/arguments``, a literal."""
    function = callee_node(node)
    if function is None:
        return None
    if function.type == "identifier":
        bound = literal_of(function, scope)
        if bound is not None:
            return bound.key
        name = node_text(function)
        if name in scope.bindings:
            return f"?{name}/{len(arguments_of(node))}"
        return f"{scope.package.import_path}.{name}"
    if function.type == "selector_expression":
        operand = function.child_by_field_name("operand")
        name = node_text(function.child_by_field_name("field"))
        package = imported(operand, scope)
        if package is not None:
            return f"{package}.{name}"
        return method_key(operand, name, len(arguments_of(node)), scope)
    return None


def enclosing_context(node: Node, scope: Scope) -> Value | None:
    """The context among a call's arguments: a function literal beside it is called with that or one made of it."""
    for argument in arguments_of(node):
        value = evaluate(argument, scope)
        if value is not None and value.kind in (CONTEXT, ""):
            return value
    return None


def note_function_value(node: Node, call: Node | None, scope: Scope) -> None:
    """Note a function used as a value; passed to a call, it is taken to be called with that call's context.

    Args:
        node: The expression.
        call: The call it is an argument of; None when it is stored or returned.
        scope: Where it stands.
    """
    for key in _functions_meant(node, scope):
        scope.collector.values.add(key)
        function = find_function(scope, key)
        context = enclosing_context(call, scope) if call is not None else None
        for index, (_, kind, _) in enumerate(function.parameters if function is not None else ()):
            if kind == CONTEXT:
                scope.collector.flow(f"P:{key}#{index}", context)


def _functions_meant(node: Node, scope: Scope) -> list[str]:
    """Keys of the package's functions that an expression outside a call's function place can mean."""
    if node.type == "identifier":
        name = node_text(node)
        bound = literal_of(node, scope)
        if bound is not None:
            scope.collector.values.add(bound.key)
        key = f"{scope.package.import_path}.{name}"
        return [key] if name not in scope.bindings and find_function(scope, key) is not None else []
    if node.type != "selector_expression" or imported(node.child_by_field_name("operand"), scope) is not None:
        return []
    name = node_text(node.child_by_field_name("field"))
    return scope.package.methods.get(name, [])


def note_composite(node: Node, scope: Scope) -> None:
    """Note loggers and contexts that a struct literal puts into fields."""
    body = node.child_by_field_name("body")
    type_name = node_text(node.child_by_field_name("type")).rpartition(".")[2]
    order = scope.package.field_order.get(type_name, [])
    position = 0
    for element in body.named_children if body is not None else ():
        if element.type == "keyed_element":
            name = node_text(element.child_by_field_name("key"))
            value = element.child_by_field_name("value")
        elif element.type == "literal_element":
            name = order[position] if position < len(order) else ""
            value = element
            position += 1
        else:
            continue
        inner = value.named_children[0] if value is not None and value.named_children else None
        if inner is not None:
            note_function_value(inner, None, scope)
        if name.isidentifier():
            scope.collector.flow(field_key(name, scope), evaluate(inner, scope))


def guard_terms(node: Node, scope: Scope) -> frozenset[Term] | None:
    """The logger when an expression is exactly ``x.Enabled()``."""
    return enabled_terms(node, scope)
