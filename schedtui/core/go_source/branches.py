"""Branches, loops and switches: what is known where paths part and meet.

Branches start from the state before the ``if`` and join after it; a branch on ``Enabled()`` becomes a choice that
depends on the verbosity; loops are read until nothing changes. Reads no assignment and no call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedtui.core.go_source.calls import guard_terms
from schedtui.core.go_source.facts import Choice, Term
from schedtui.core.go_source.guards import evaluate_guard
from schedtui.core.go_source.scope import Value, join_bindings, ordered
from schedtui.core.go_source.statements import declared_names, read_block, read_statement, statements_of
from schedtui.core.go_source.syntax import node_text

if TYPE_CHECKING:
    from tree_sitter import Node

    from schedtui.core.go_source.scope import Bindings, Scope

_LOOP_READINGS = 4
"""A loop that still changes a logger after this many readings makes it unknown."""


def read_block_statement(node: Node, scope: Scope) -> None:
    """A block that stands alone."""
    read_block(node, scope)


def read_if(node: Node, scope: Scope) -> None:
    """``if`` with both its branches, one of which may be missing."""
    initializer = node.child_by_field_name("initializer")
    hidden = declared_names(initializer)
    outer = {name: scope.bindings.get(name, scope) for name in hidden}
    if initializer is not None:
        read_statement(initializer, scope)
    condition = node.child_by_field_name("condition")
    if condition is not None:
        read_statement(condition, scope)
    guard = evaluate_guard(condition, scope)
    before = scope.bindings
    positive = guard is not None and not guard[1]
    negative = guard is not None and guard[1]
    chosen, chosen_left = _read_branch(
        node.child_by_field_name("consequence"), before, guard if positive else None, scope
    )
    otherwise, other_left = _read_branch(
        node.child_by_field_name("alternative"), before, guard if negative else None, scope
    )
    if chosen_left and not other_left:
        scope.bindings = otherwise
    elif other_left and not chosen_left:
        scope.bindings = chosen
    elif guard is not None and guard[2]:
        enabled, disabled = (otherwise, chosen) if guard[1] else (chosen, otherwise)
        scope.bindings = _choose(node, guard[0], enabled, disabled, scope)
    else:
        scope.bindings = join_bindings(chosen, otherwise)
    for name, binding in outer.items():
        if binding is scope:
            scope.bindings.pop(name, None)
        else:
            scope.bindings[name] = binding  # type: ignore[assignment]


def _read_branch(
    node: Node | None, before: Bindings, guard: tuple[frozenset[Term], bool, bool] | None, scope: Scope
) -> tuple[Bindings, bool]:
    scope.bindings = dict(before)
    if node is None:
        return scope.bindings, False
    if guard is not None:
        scope.guards.append(guard[0])
    if node.type == "if_statement":
        read_if(node, scope)
        left = False
    else:
        left = _read_scoped(node, before, scope)
    if guard is not None:
        scope.guards.pop()
    return scope.bindings, left


def _read_scoped(node: Node, before: Bindings, scope: Scope) -> bool:
    """Read a block whose own variables end with it: names it declares get back what they stood for."""
    left = read_block(node, scope)
    for statement in statements_of(node):
        for name in declared_names(statement):
            if name in before:
                scope.bindings[name] = before[name]
            else:
                scope.bindings.pop(name, None)
    return left


def _choose(
    node: Node, condition: frozenset[Term], enabled: Bindings, disabled: Bindings, scope: Scope
) -> Bindings:
    """Join two branches of an ``Enabled()``: a logger that differs becomes a choice by verbosity."""
    joined = join_bindings(enabled, disabled)
    for name, binding in joined.items():
        first, second = enabled.get(name), disabled.get(name)
        if (
            isinstance(first, Value)
            and isinstance(second, Value)
            and isinstance(binding, Value)
            and first != second
        ):
            row, column = node.start_point
            key = f"X:{scope.key_at(row + 1, column)}:{name}"
            scope.collector.choices[key] = Choice(
                key, ordered(condition), ordered(first.terms), ordered(second.terms)
            )
            joined[name] = Value(
                frozenset({Term(key)}),
                binding.kind,
                binding.elsewhere,
                rungs=second.rungs + 1,
                bottom=second.bottom or second.terms,
            )
    return joined


def read_loop(node: Node, scope: Scope) -> None:
    """``for`` in all its forms, until nothing changes."""
    body = node.child_by_field_name("body")
    before = dict(scope.bindings)
    for child in node.named_children:
        if body is None or child.id != body.id:
            read_statement(child, scope)
    for reading in range(_LOOP_READINGS):
        start = dict(scope.bindings)
        scope.loop_exits.append([])
        if body is not None:
            _read_scoped(body, start, scope)
        after = scope.bindings
        for exit_bindings in scope.loop_exits.pop():
            after = join_bindings(after, exit_bindings)
        scope.bindings = join_bindings(start, after)
        if scope.bindings == start:
            break
        if reading == _LOOP_READINGS - 2:
            _give_up_changing(start, scope)
    for name in list(scope.bindings):
        if name not in before:
            del scope.bindings[name]


def _give_up_changing(start: Bindings, scope: Scope) -> None:
    """Loggers that a loop raises again and again have any level."""
    for name, binding in scope.bindings.items():
        if isinstance(binding, Value) and binding != start.get(name):
            scope.bindings[name] = Value(frozenset({Term("?raised in a loop")}), binding.kind)


def read_range(node: Node, scope: Scope) -> None:
    """``range``: its names hold anything."""
    right = node.child_by_field_name("right")
    if right is not None:
        read_statement(right, scope)
    left = node.child_by_field_name("left")
    for name in left.named_children if left is not None else ():
        if name.type == "identifier":
            scope.bindings[node_text(name)] = None


def read_switch(node: Node, scope: Scope) -> None:
    """``switch`` and ``select``: one of the cases, or none."""
    cases = [child for child in node.named_children if child.type.endswith("_case")]
    for child in node.named_children:
        if child not in cases:
            read_statement(child, scope)
    before = scope.bindings
    result: Bindings | None = None
    has_default = False
    scope.loop_exits.append([])
    for case in cases:
        has_default = has_default or case.type == "default_case"
        scope.bindings = dict(before)
        for child in case.named_children:
            if child.type != "statement_list":
                read_statement(child, scope)
        guard = _case_guard(case, node, scope)
        if guard is not None:
            scope.guards.append(guard)
        left = _read_scoped(case, before, scope)
        if guard is not None:
            scope.guards.pop()
        if not left:
            result = scope.bindings if result is None else join_bindings(result, scope.bindings)
    for exit_bindings in scope.loop_exits.pop():
        result = exit_bindings if result is None else join_bindings(result, exit_bindings)
    if not has_default or result is None:
        result = before if result is None else join_bindings(result, before)
    scope.bindings = {name: binding for name, binding in result.items() if name in before}


def _case_guard(case: Node, switch: Node, scope: Scope) -> frozenset[Term] | None:
    """``switch { case logger.V(5).Enabled(): … }`` guards that case."""
    if case.type != "expression_case" or switch.child_by_field_name("value") is not None:
        return None
    value = case.child_by_field_name("value")
    if value is None or len(value.named_children) != 1:
        return None
    return guard_terms(value.named_children[0], scope)


def read_jump(node: Node, scope: Scope) -> None:
    """``break`` and ``continue``: what holds here holds behind the loop as well."""
    del node
    if scope.loop_exits:
        scope.loop_exits[-1].append(dict(scope.bindings))
