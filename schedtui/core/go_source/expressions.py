"""Go expressions to what they stand for: a logger's, context's or request's value, a number, a text.

Owns the tables of functions that make, pass on or raise such values. It follows no statement and notes no log
call; the only facts it notes are results of calls.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from schedtui.core.go_source.callees import arguments_of, callee_node, imported
from schedtui.core.go_source.constants import CONVERSIONS, evaluate_numbers
from schedtui.core.go_source.declarations import (
    CONTEXT,
    KLOG_PACKAGES,
    LOGGER,
    LOGR_PACKAGE,
    REQUEST,
    VERBOSE,
    kind_of_type,
)
from schedtui.core.go_source.facts import BASE, CallResult, Term
from schedtui.core.go_source.scope import (
    BASE_TERMS,
    ENVIRONMENT,
    LiteralFunction,
    Scope,
    Value,
    find_function,
    limited,
    ordered,
)
from schedtui.core.go_source.syntax import node_text

if TYPE_CHECKING:
    from tree_sitter import Node

    from schedtui.core.go_source.declarations import SourceFile

_ARGUMENT, _NEW = "argument", "new"

_PACKAGE_FUNCTIONS: dict[tuple[str, str], tuple[str, int, str]] = {
    ("klog", "FromContext"): (_ARGUMENT, 0, LOGGER),
    ("klog", "Background"): (_NEW, 0, LOGGER),
    ("klog", "TODO"): (_NEW, 0, LOGGER),
    ("klog", "NewKlogr"): (_NEW, 0, LOGGER),
    ("klog", "NewContext"): (_ARGUMENT, 1, CONTEXT),
    ("klog", "LoggerWithValues"): (_ARGUMENT, 0, LOGGER),
    ("klog", "LoggerWithName"): (_ARGUMENT, 0, LOGGER),
    (LOGR_PACKAGE, "FromContext"): (_ARGUMENT, 0, LOGGER),
    (LOGR_PACKAGE, "FromContextOrDiscard"): (_ARGUMENT, 0, LOGGER),
    (LOGR_PACKAGE, "NewContext"): (_ARGUMENT, 1, CONTEXT),
    ("context", "Background"): (_NEW, 0, CONTEXT),
    ("context", "TODO"): (_NEW, 0, CONTEXT),
    ("context", "WithCancel"): (_ARGUMENT, 0, CONTEXT),
    ("context", "WithCancelCause"): (_ARGUMENT, 0, CONTEXT),
    ("context", "WithDeadline"): (_ARGUMENT, 0, CONTEXT),
    ("context", "WithDeadlineCause"): (_ARGUMENT, 0, CONTEXT),
    ("context", "WithTimeout"): (_ARGUMENT, 0, CONTEXT),
    ("context", "WithTimeoutCause"): (_ARGUMENT, 0, CONTEXT),
    ("context", "WithValue"): (_ARGUMENT, 0, CONTEXT),
    ("context", "WithoutCancel"): (_ARGUMENT, 0, CONTEXT),
    ("net/http", "NewRequestWithContext"): (_ARGUMENT, 0, REQUEST),
    ("net/http", "NewRequest"): (_NEW, 0, REQUEST),
}
"""(package, function) → whether its result is one of its arguments or new, which argument, and the kind."""

_SAME_LOGGER_METHODS = frozenset({"WithName", "WithValues", "WithSink", "WithLazyValues"})
"""Methods of a logger that leave its level alone."""

_REQUEST_METHODS = {"Context": CONTEXT, "Clone": REQUEST}
"""Methods of a request that hand its context on."""

_KIND_NAMES = (
    (re.compile(r"(?:^c|C)(?:tx|ontext)$"), CONTEXT),
    (re.compile(r"(?:^r|R)eq(?:uest)?$"), REQUEST),
    (re.compile(r"(?:^l|L)og(?:ger)?(?:V\w*)?$"), LOGGER),
)
"""Ends of names that a context, request or logger usually has; consulted only where no type can be seen."""

LEVEL_TAKER = re.compile(r"log|trace|verb|level|debug|print|report", re.IGNORECASE)
"""Names of functions whose numbers are noted, so that a V given by a parameter can be told."""


def guessed_kind(name: str, file: SourceFile) -> str:
    """The kind that a name promises; empty when it promises none.

    In a file that imports neither klog nor logr a ``logger`` is somebody else's.
    """
    kind = next((kind for pattern, kind in _KIND_NAMES if pattern.search(name)), "")
    return kind if kind != LOGGER or file.has_loggers else ""


def evaluate(node: Node | None, scope: Scope) -> Value | None:
    """The value of an expression; None when it carries no level."""
    if node is None:
        return None
    reader = _READERS.get(node.type)
    return reader(node, scope) if reader is not None else None


def _inner(node: Node, scope: Scope) -> Value | None:
    return evaluate(node.named_children[-1] if node.named_children else None, scope)


def _operand(node: Node, scope: Scope) -> Value | None:
    return evaluate(node.child_by_field_name("operand"), scope)


def _identifier(node: Node, scope: Scope) -> Value | None:
    name = node_text(node)
    if name in scope.bindings:
        binding = scope.bindings[name]
        return binding if isinstance(binding, Value) else None
    variable = scope.package.variables.get(name)
    if variable is None:
        return None
    kind, initial, file = variable
    if not kind and initial is not None:
        outside = Scope(scope.package, file, scope.collector, "", "", 0)
        found = evaluate(initial, outside) if initial.type == "call_expression" else None
        kind = found.kind if found is not None else ""
    return Value(frozenset({Term(f"G:{scope.package.import_path}.{name}")}), kind) if kind else None


def _selector(node: Node, scope: Scope) -> Value | None:
    operand = node.child_by_field_name("operand")
    name = node_text(node.child_by_field_name("field"))
    package = imported(operand, scope)
    if package is not None:
        if guessed_kind(name, scope.file):
            return Value(frozenset({Term(f"G:{package}.{name}")}), "")
        return None
    kind = scope.package.fields.get(name, "")
    if kind or (name[:1].isupper() and guessed_kind(name, scope.file)):
        return Value(frozenset({Term(field_key(name, scope))}), kind)
    return None


def field_key(name: str, scope: Scope) -> str:
    """The key of a field: by package when only the package can reach it, else by name alone."""
    return f"F:*:{name}" if name[:1].isupper() else f"F:{scope.package.import_path}:{name}"


def table_package(path: str) -> str:
    """The two import paths of klog under one name, any other path as it is."""
    return "klog" if path in KLOG_PACKAGES else path


def _call(node: Node, scope: Scope) -> Value | None:
    return evaluate_results(node, 1, scope)[0]


def evaluate_results(node: Node, count: int, scope: Scope, wanted: tuple[str, ...] = ()) -> list[Value | None]:
    """The value of each result of a call.

    Args:
        node: The call.
        count: How many results are taken.
        scope: Where it stands.
        wanted: The names that take the results; a name such as ``ctx`` makes an unknown call worth noting.
    """
    nothing: list[Value | None] = [None] * count
    function = callee_node(node)
    arguments = arguments_of(node)
    if function is None:
        return nothing
    if function.type == "selector_expression":
        operand = function.child_by_field_name("operand")
        name = node_text(function.child_by_field_name("field"))
        package = imported(operand, scope)
        if package is not None:
            known = _package_call(table_package(package), name, arguments, scope)
            if known is not None:
                return [known, *nothing[1:]]
            return _unknown_results(node, f"{package}.{name}", name, count, wanted, scope)
        value = evaluate(operand, scope)
        if value is not None and (result := _method_of_value(value, name, arguments, count, scope)) is not None:
            return result
        if name == "Context" and not arguments:
            return [Value(frozenset({Term(ENVIRONMENT)}), CONTEXT), *nothing[1:]]
        return _unknown_results(node, method_key(operand, name, len(arguments), scope), name, count, wanted, scope)
    if function.type == "identifier":
        name = node_text(function)
        bound = literal_of(function, scope)
        if bound is not None or name in scope.bindings:
            return _unknown_results(node, bound.key if bound else f"?{name}", name, count, wanted, scope)
        if name in CONVERSIONS:
            return nothing
        return _unknown_results(node, f"{scope.package.import_path}.{name}", name, count, wanted, scope)
    return nothing


def _package_call(package: str, name: str, arguments: list[Node], scope: Scope) -> Value | None:
    if package == "klog" and name in ("V", "VDepth"):
        levels = arguments[-1] if arguments else None
        return raised(Value(BASE_TERMS, VERBOSE, name == "VDepth"), levels, scope)
    if package == LOGR_PACKAGE and name == "Discard":
        return Value(frozenset(), LOGGER)
    rule = _PACKAGE_FUNCTIONS.get((package, name))
    if rule is None:
        return None
    how, index, kind = rule
    if how == _NEW:
        return Value(BASE_TERMS, kind)
    value = evaluate(arguments[index], scope) if index < len(arguments) else None
    if value is None:
        origin = ENVIRONMENT if kind != LOGGER or name == "FromContext" else "?unknown argument"
        return Value(frozenset({Term(origin)}), kind)
    return Value(value.terms, kind, value.elsewhere)


def _method_of_value(
    value: Value, name: str, arguments: list[Node], count: int, scope: Scope
) -> list[Value | None] | None:
    """The results of a method of a logger, context or request; None when it hands no level on."""
    rest: list[Value | None] = [None] * (count - 1)
    if name == "V" and len(arguments) == 1:
        return [raised(value, arguments[0], scope), *rest]
    if name in _SAME_LOGGER_METHODS:
        return [value, *rest]
    if name == "WithCallDepth":
        return [Value(value.terms, value.kind, elsewhere=True), *rest]
    if name == "WithCallStackHelper":
        return [None, value, *rest[1:]]
    if value.kind in (REQUEST, "") and name in _REQUEST_METHODS:
        changed = evaluate(arguments[0], scope) if name == "Clone" and arguments else value
        return [Value((changed or value).terms, _REQUEST_METHODS[name]), *rest]
    if value.kind in (REQUEST, "") and name == "WithContext" and arguments:
        context = evaluate(arguments[0], scope)
        return [Value(context.terms if context else frozenset({Term(ENVIRONMENT)}), REQUEST), *rest]
    return None


def method_key(operand: Node | None, name: str, arguments: int, scope: Scope) -> str:
    """The key of a method: exact where the receiver's type is seen and declares it, else by name and arguments."""
    if operand is not None and operand.type == "identifier":
        type_name = scope.types.get(node_text(operand), "")
        key = f"{scope.package.import_path}.{type_name}.{name}"
        if type_name and find_function(scope, key) is not None:
            return key
    return f".{name}/{arguments}"


def _unknown_results(
    node: Node, callee: str, name: str, count: int, wanted: tuple[str, ...], scope: Scope
) -> list[Value | None]:
    """Results of a function that no table knows: its own results where it is indexed, else what it was given."""
    declared = find_function(scope, callee)
    if declared is not None:
        kinds = [kind for _, kind in declared.results]
    else:
        named = wanted or (name,)
        alone = count == 1 and bool(guessed_kind(name, scope.file))
        kinds = ["" if alone or guessed_kind(word, scope.file) else "-" for word in named]
        if callee.startswith(".") and not any(kind == "" for kind in kinds):
            return [None] * count
    out: list[Value | None] = []
    for index in range(count):
        kind = kinds[index] if index < len(kinds) else "-"
        carries = bool(kind) if declared is not None else kind == ""
        # A context or request that comes from outside has not been raised by us; a logger may have been.
        guess = (
            kind.strip("-")
            or guessed_kind("".join(wanted[index : index + 1]), scope.file)
            or guessed_kind(name, scope.file)
        )
        foreign = ENVIRONMENT if guess in (CONTEXT, REQUEST) else "?result of a call outside the index"
        out.append(_call_result(node, callee, index, kind.strip("-"), foreign, scope) if carries else None)
    return out


def _call_result(node: Node, callee: str, index: int, kind: str, foreign: str, scope: Scope) -> Value:
    """The result of a call; ``foreign`` is its origin when nothing that carries a level was handed in."""
    given: frozenset[Term] = frozenset()
    for argument in arguments_of(node):
        value = evaluate(argument, scope)
        if value is not None:
            given |= value.terms
    if not given:
        given = frozenset({Term(foreign)})
    row, column = node.start_point
    key = f"X:{scope.key_at(row + 1, column)}:{index}"
    scope.collector.results[key] = CallResult(key, callee, index, ordered(limited(given)))
    return Value(frozenset({Term(key)}), kind)


def raised(value: Value, levels: Node | None, scope: Scope) -> Value:
    """``value`` after a further V of the number that ``levels`` stands for."""
    numbers = evaluate_numbers(levels, scope)
    terms: set[Term] = set()
    for term in value.terms:
        for number in numbers:
            if number is None:
                terms.add(Term("?V of a number that cannot be told"))
            elif isinstance(number, int):
                terms.add(Term(term.origin, term.offset + max(number, 0), term.numbers))
            else:
                terms.add(Term(term.origin, term.offset, (*term.numbers, number)))
    kind = value.kind if value.kind in (LOGGER, VERBOSE) else LOGGER
    return Value(limited(frozenset(terms)), kind, value.elsewhere)


def _asserted(node: Node, scope: Scope) -> Value | None:
    value = _operand(node, scope)
    if value is not None:
        return value
    kind = kind_of_type(node.child_by_field_name("type"), scope.file, scope.package.import_path)
    return Value(frozenset({Term("?type assertion")}), kind) if kind else None


_READERS = {
    "identifier": _identifier,
    "parenthesized_expression": _inner,
    "unary_expression": _operand,
    "selector_expression": _selector,
    "call_expression": _call,
    "type_assertion_expression": _asserted,
}
"""Expression node type → its reader."""


def literal_of(node: Node | None, scope: Scope) -> LiteralFunction | None:
    """The function literal that a name is bound to."""
    binding = scope.bindings.get(node_text(node)) if node is not None and node.type == "identifier" else None
    return binding if isinstance(binding, LiteralFunction) else None


def is_base(term: Term) -> bool:
    """Whether a term is a plain logger."""
    return term.origin == BASE and term.offset == 0 and not term.numbers
