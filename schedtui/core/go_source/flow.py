"""Statements: how variables come by their values along the paths of a function body.

Owns branches, loops, closures and assignments. Branches start from the state before the ``if`` and join after
it; a branch on ``Enabled()`` becomes a choice that depends on the verbosity; loops are read until nothing changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedtui.core.go_source.calls import (
    callee_key,
    enclosing_context,
    guard_terms,
    hand_over,
    note_composite,
    note_function_value,
    read_log_call,
)
from schedtui.core.go_source.declarations import CONTEXT, REQUEST, kind_of_type, parameter_entries, result_entries
from schedtui.core.go_source.expressions import (
    LEVEL_TAKER,
    arguments_of,
    callee_node,
    evaluate,
    evaluate_guard,
    evaluate_numbers,
    evaluate_results,
    evaluate_texts,
    field_key,
    imported,
)
from schedtui.core.go_source.facts import Choice, Function, Term
from schedtui.core.go_source.messages import ANYTHING
from schedtui.core.go_source.scope import (
    ENVIRONMENT,
    Binding,
    Bindings,
    Guard,
    LiteralFunction,
    Numbers,
    Scope,
    Texts,
    Value,
    join,
    join_bindings,
    ordered,
)
from schedtui.core.go_source.syntax import end_line_of, line_of, node_text

if TYPE_CHECKING:
    from tree_sitter import Node

    from schedtui.core.go_source.declarations import DeclaredFunction

_LOOP_READINGS = 4
"""A loop that still changes a logger after this many readings makes it unknown."""


_NUMBER_SOURCES = (
    "int_literal", "identifier", "selector_expression", "binary_expression", "call_expression",
    "type_conversion_expression",
)  # fmt: skip
"""Expressions that can be a whole number known from the text."""


def bind_parameters(function: DeclaredFunction, scope: Scope) -> None:
    """Bind a declared function's receiver, parameters and named results at the start of its body."""
    name, type_name = function.receiver
    if name:
        scope.bindings[name] = None
        scope.types[name] = type_name
    for index, (parameter, kind, bare) in enumerate(function.parameters):
        scope.bindings[parameter] = _parameter(function.key, index, kind, bare)
        if bare and "." not in bare:
            scope.types[parameter] = bare
    for result, kind in function.results:
        if result:
            scope.bindings[result] = Value(frozenset(), kind) if kind else None


def _parameter(key: str, index: int, kind: str, bare: str) -> Binding:
    origin = f"P:{key}#{index}"
    if kind:
        return Value(frozenset({Term(origin)}), kind)
    if not LEVEL_TAKER.search(key.rpartition(".")[2]):
        return None
    if bare == "string":
        return Texts(frozenset({ANYTHING}), frozenset({origin}))
    return Numbers(frozenset({origin})) if bare in ("int", "int32", "Level", "klog.Level", "uint") else None


def read_block(node: Node | None, scope: Scope) -> bool:
    """Read statements in order.

    Returns:
        Whether the block always leaves (returns, panics, breaks, continues).
    """
    if node is None:
        return False
    pushed = 0
    left = False
    for statement in _statements(node):
        read_statement(statement, scope)
        if _leaves(statement):
            left = True
        guard = _guard_after(statement, scope)
        if guard is not None:
            scope.guards.append(guard)
            pushed += 1
    del scope.guards[len(scope.guards) - pushed :]
    return left


def _statements(node: Node) -> list[Node]:
    out: list[Node] = []
    for child in node.named_children:
        if child.type == "statement_list":
            out.extend(child.named_children)
        elif child.type != "comment":
            out.append(child)
    return out


def _leaves(statement: Node) -> bool:
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
    inside = _statements(body) if body is not None else []
    return guard[0] if inside and _leaves(inside[-1]) else None


def read_statement(node: Node, scope: Scope) -> None:
    """Read one statement, or any other node by its parts."""
    reader = _READERS.get(node.type)
    if reader is not None:
        reader(node, scope)
        return
    for child in node.named_children:
        read_statement(child, scope)


def _read_block_statement(node: Node, scope: Scope) -> None:
    read_block(node, scope)


def _read_if(node: Node, scope: Scope) -> None:
    initializer = node.child_by_field_name("initializer")
    hidden = _declared_names(initializer)
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


def _declared_names(node: Node | None) -> list[str]:
    left = node.child_by_field_name("left") if node is not None and node.type == "short_var_declaration" else None
    return [node_text(name) for name in left.named_children] if left is not None else []


def _read_branch(
    node: Node | None, before: Bindings, guard: tuple[frozenset[Term], bool, bool] | None, scope: Scope
) -> tuple[Bindings, bool]:
    scope.bindings = dict(before)
    if node is None:
        return scope.bindings, False
    if guard is not None:
        scope.guards.append(guard[0])
    if node.type == "if_statement":
        _read_if(node, scope)
        left = False
    else:
        left = _read_scoped(node, before, scope)
    if guard is not None:
        scope.guards.pop()
    return scope.bindings, left


def _read_scoped(node: Node, before: Bindings, scope: Scope) -> bool:
    """Read a block whose own variables end with it: names it declares get back what they stood for."""
    left = read_block(node, scope)
    for statement in _statements(node):
        for name in _declared_names(statement):
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


def _read_loop(node: Node, scope: Scope) -> None:
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


def _read_range(node: Node, scope: Scope) -> None:
    read_statement_children(node.child_by_field_name("right"), scope)
    left = node.child_by_field_name("left")
    for name in left.named_children if left is not None else ():
        if name.type == "identifier":
            scope.bindings[node_text(name)] = None


def read_statement_children(node: Node | None, scope: Scope) -> None:
    """Read the calls inside an expression."""
    if node is not None:
        read_statement(node, scope)


def _read_switch(node: Node, scope: Scope) -> None:
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


def _read_step(node: Node, scope: Scope) -> None:
    """``i++`` and ``i--``: whatever number it was, it is another one now."""
    for name in node.named_children:
        if name.type == "identifier" and isinstance(scope.bindings.get(node_text(name)), Numbers):
            scope.bindings[node_text(name)] = Numbers(frozenset({None}))


def _read_jump(node: Node, scope: Scope) -> None:
    del node
    if scope.loop_exits:
        scope.loop_exits[-1].append(dict(scope.bindings))


def _read_assignment(node: Node, scope: Scope) -> None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        return
    targets, sources = left.named_children, right.named_children
    if node_text(node.child_by_field_name("operator")) not in ("", "=", ":="):
        read_statement(right, scope)
        _read_step(left, scope)
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
    bindings = [_binding_of(source, name, scope) for source, name in zip(sources, names, strict=False)]
    for target, binding in zip(targets, bindings, strict=False):
        value = binding if isinstance(binding, Value) else None
        if isinstance(binding, LiteralFunction) and target.type != "identifier":
            scope.collector.values.add(binding.key)
        _assign(target, value, binding, scope, declares=node.type == "short_var_declaration")


def _binding_of(source: Node, name: str, scope: Scope) -> Binding:
    """What an expression binds to a name: a value, a guard, a literal, a text or a number."""
    if source.type == "call_expression":
        value = evaluate_results(source, 1, scope, (name,))[0]
        if value is not None:
            return value
        terms = guard_terms(source, scope)
        if terms is not None:
            return Guard(terms)
    elif source.type == "func_literal":
        return _literal(source, scope)
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


def _read_variables(node: Node, scope: Scope) -> None:
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
        scope.bindings[node_text(name)] = _binding_of(source, node_text(name), scope)


def _read_return(node: Node, scope: Scope) -> None:
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


def _read_call(node: Node, scope: Scope) -> None:
    """Read a call: its own effect, then what stands inside it."""
    function = callee_node(node)
    literal_called = function is not None and function.type == "func_literal"
    if not literal_called and not read_log_call(node, scope):
        hand_over(node, scope)
    deferred, started = scope.deferred, scope.started
    scope.deferred = scope.started = False
    if function is not None:
        if literal_called:
            bound = _literal(function, scope)
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
    bound = _literal(argument, scope)
    scope.collector.values.add(bound.key)
    context = enclosing_context(call, scope)
    for index, kind in enumerate(bound.kinds):
        if kind == CONTEXT:
            origin = f"P:{bound.key}#{index}"
            scope.collector.flow(origin, context)


def _read_literal(node: Node, scope: Scope) -> None:
    """A literal that is stored, sent or returned: anyone may call it."""
    scope.collector.values.add(_literal(node, scope).key)


def _literal(node: Node, scope: Scope) -> LiteralFunction:
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
        scope.bindings[name] = _parameter(key, index, kind, bare)
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
        for statement in (_statements(body) if body is not None else ())
        for name in _declared_names(statement)
    }


def _read_defer(node: Node, scope: Scope) -> None:
    scope.deferred = True
    for child in node.named_children:
        read_statement(child, scope)
    scope.deferred = False


def _read_go(node: Node, scope: Scope) -> None:
    scope.started = True
    for child in node.named_children:
        read_statement(child, scope)
    scope.started = False


def _read_composite(node: Node, scope: Scope) -> None:
    note_composite(node, scope)
    for child in node.named_children:
        read_statement(child, scope)


_READERS = {
    "block": _read_block_statement,
    "if_statement": _read_if,
    "for_statement": _read_loop,
    "range_clause": _read_range,
    "expression_switch_statement": _read_switch,
    "type_switch_statement": _read_switch,
    "select_statement": _read_switch,
    "break_statement": _read_jump,
    "continue_statement": _read_jump,
    "inc_statement": _read_step,
    "dec_statement": _read_step,
    "short_var_declaration": _read_assignment,
    "assignment_statement": _read_assignment,
    "var_declaration": _read_variables,
    "return_statement": _read_return,
    "call_expression": _read_call,
    "func_literal": _read_literal,
    "defer_statement": _read_defer,
    "go_statement": _read_go,
    "composite_literal": _read_composite,
}
"""Node type → its reader; any other node is read by its parts."""

__all__ = ["bind_parameters", "callee_key", "line_of", "read_block"]
