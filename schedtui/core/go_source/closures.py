"""Parameters, calls and function literals: how values come into a body and leave it for another.

Owns what a call hands over beside its own log line, and literals, read where they stand. Which calls log is
``core.go_source.calls``'.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedtui.core.go_source.callees import arguments_of, callee_node
from schedtui.core.go_source.calls import (
    enclosing_context,
    hand_over,
    note_composite,
    note_function_value,
    read_log_call,
)
from schedtui.core.go_source.declarations import CONTEXT, parameter_entries, result_entries
from schedtui.core.go_source.expressions import LEVEL_TAKER, evaluate
from schedtui.core.go_source.facts import Function, Term
from schedtui.core.go_source.messages import ANYTHING
from schedtui.core.go_source.scope import LiteralFunction, Numbers, Texts, Value, join
from schedtui.core.go_source.statements import declared_names, read_block, read_statement, statements_of
from schedtui.core.go_source.syntax import end_line_of

if TYPE_CHECKING:
    from tree_sitter import Node

    from schedtui.core.go_source.declarations import DeclaredFunction
    from schedtui.core.go_source.scope import Binding, Scope


def bind_parameters(function: DeclaredFunction, scope: Scope) -> None:
    """Bind a declared function's receiver, parameters and named results at the start of its body."""
    name, type_name = function.receiver
    if name:
        scope.bindings[name] = None
        scope.types[name] = type_name
    for index, (parameter, kind, bare) in enumerate(function.parameters):
        scope.bindings[parameter] = parameter_binding(function.key, index, kind, bare)
        if bare and "." not in bare:
            scope.types[parameter] = bare
    for result, kind in function.results:
        if result:
            scope.bindings[result] = Value(frozenset(), kind) if kind else None


def parameter_binding(key: str, index: int, kind: str, bare: str) -> Binding:
    """What a parameter is bound to: a value from outside, a text, a number; None when it is of no interest."""
    origin = f"P:{key}#{index}"
    if kind:
        return Value(frozenset({Term(origin)}), kind)
    if not LEVEL_TAKER.search(key.rpartition(".")[2]):
        return None
    if bare == "string":
        return Texts(frozenset({ANYTHING}), frozenset({origin}))
    return Numbers(frozenset({origin})) if bare in ("int", "int32", "Level", "klog.Level", "uint") else None


def read_call(node: Node, scope: Scope) -> None:
    """Read a call: its own effect, then what stands inside it."""
    function = callee_node(node)
    literal_called = function is not None and function.type == "func_literal"
    if not literal_called and not read_log_call(node, scope):
        hand_over(node, scope)
    deferred, started = scope.deferred, scope.started
    scope.deferred = scope.started = False
    if function is not None:
        if literal_called:
            bound = bound_literal(function, scope)
            for index, argument in enumerate(arguments_of(node)):
                scope.collector.flow(f"P:{bound.key}#{index}", evaluate(argument, scope))
        else:
            read_statement(function, scope)
    for argument in arguments_of(node):
        if argument.type == "func_literal":
            _read_argument_literal(argument, node, scope)
            continue
        if argument.type in ("identifier", "selector_expression"):
            note_function_value(argument, node, scope)
        read_statement(argument, scope)
    scope.deferred, scope.started = deferred, started


def _read_argument_literal(argument: Node, call: Node, scope: Scope) -> None:
    bound = bound_literal(argument, scope)
    scope.collector.values.add(bound.key)
    context = enclosing_context(call, scope)
    for index, kind in enumerate(bound.kinds):
        if kind == CONTEXT:
            origin = f"P:{bound.key}#{index}"
            scope.collector.flow(origin, context)


def read_literal(node: Node, scope: Scope) -> None:
    """A literal that is stored, sent or returned: anyone may call it."""
    scope.collector.values.add(bound_literal(node, scope).key)


def bound_literal(node: Node, scope: Scope) -> LiteralFunction:
    """Read a function literal where it stands; what it assigns may hold afterwards."""
    row, column = node.start_point
    key = f"{scope.function or scope.package.import_path}${row + 1}:{column}"
    parameters, variadic = parameter_entries(
        node.child_by_field_name("parameters"), scope.file, scope.package.import_path
    )
    outside = dict(scope.bindings)
    kept = (scope.function, scope.end_line, scope.results, scope.loop_exits, scope.deferred, scope.started)
    scope.function, scope.end_line = key, end_line_of(node)
    scope.results = result_entries(node.child_by_field_name("result"), scope.file, scope.package.import_path)
    scope.loop_exits, scope.deferred, scope.started = [], False, False
    for index, (name, kind, bare) in enumerate(parameters):
        scope.bindings[name] = parameter_binding(key, index, kind, bare)
    for name, kind in scope.results:
        if name:
            scope.bindings[name] = Value(frozenset(), kind) if kind else None
    read_block(node.child_by_field_name("body"), scope)
    inside = scope.bindings
    scope.function, scope.end_line, scope.results, scope.loop_exits, scope.deferred, scope.started = kept
    own = {name for name, _, _ in parameters} | _names_declared_in(node)
    scope.bindings = {
        name: binding if name in own else join(binding, inside.get(name)) for name, binding in outside.items()
    }
    kinds = tuple(kind for _, kind, _ in parameters)
    scope.collector.literals[key] = Function(key, "", is_method=False, parameters=kinds, variadic=variadic)
    return LiteralFunction(key, kinds)


def _names_declared_in(node: Node) -> set[str]:
    body = node.child_by_field_name("body")
    return {
        name
        for statement in (statements_of(body) if body is not None else ())
        for name in declared_names(statement)
    }


def read_defer(node: Node, scope: Scope) -> None:
    """``defer``: what it calls is logged at the closing line."""
    scope.deferred = True
    for child in node.named_children:
        read_statement(child, scope)
    scope.deferred = False


def read_go(node: Node, scope: Scope) -> None:
    """``go``: what it calls runs elsewhere."""
    scope.started = True
    for child in node.named_children:
        read_statement(child, scope)
    scope.started = False


def read_composite(node: Node, scope: Scope) -> None:
    """A composite literal: what is stored in its fields."""
    note_composite(node, scope)
    for child in node.named_children:
        read_statement(child, scope)
