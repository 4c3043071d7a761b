"""One Go package's files to its facts about log levels.

Owns the order of the work: declarations, package variables, then each function body that mentions anything of
interest. Bytes in, ``PackageFacts`` out; worker processes call just this.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from schedtui.core.go_source.closures import bind_parameters
from schedtui.core.go_source.declarations import CONTEXT, REQUEST, declare
from schedtui.core.go_source.expressions import LEVEL_TAKER, evaluate, field_key
from schedtui.core.go_source.facts import Function, NumberFlow, PackageFacts, Term
from schedtui.core.go_source.flow import read_body
from schedtui.core.go_source.scope import ENVIRONMENT, Collector, Scope, Value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

    from schedtui.core.go_source.declarations import DeclaredFunction, PackageDeclarations, SourceFile

_RELEVANT_WORDS = (b"klog", b"ogger", b"logr", b"context.Context", b"http.Request", b"HandleError")
"""A file without any of these neither logs nor hands on what logs."""

_RELEVANT_BODY = re.compile(rb"klog|ogger|[cC]tx|[cC]ontext|logr?\b|\.V\(|[rR]eq|HandleError")
"""A function without any of these is not read."""


_NO_FLOW = ("k8s.io/klog", "github.com/go-logr/", "go.opentelemetry.io/", "k8s.io/component-base/logs")
"""Packages that hold loggers for everybody: what they are handed does not come back by their own doing."""


def is_relevant(text: bytes) -> bool:
    """Whether a file can log, or hand on what logs; cheap, so that most files are never parsed."""
    return any(word in text for word in _RELEVANT_WORDS)


def extract_package(import_path: str, files: list[tuple[str, bytes]]) -> PackageFacts:
    """Read one package.

    Args:
        import_path: Its import path.
        files: (name, text) of the files in the build; those that are not ``is_relevant`` may be left out.
    """
    package = declare(import_path, files)
    collector = Collector()
    for name, kind in package.fields.items():
        if kind in (CONTEXT, REQUEST):
            scope = Scope(package, package.files[0], collector, "", "", 0)
            collector.flow(field_key(name, scope), Value(frozenset({Term(ENVIRONMENT)}), kind))
    _read_package_variables(package, collector)
    for function in package.functions:
        text = function.node.text or b""
        if _RELEVANT_BODY.search(text):
            _read_function(package, function, collector)
    sites = tuple(collector.sites[key] for key in sorted(collector.sites))
    if import_path.startswith(_NO_FLOW):
        return PackageFacts(import_path, sites)
    return PackageFacts(
        import_path=import_path,
        sites=sites,
        carriers=tuple(sorted(_exported_carriers(package))),
        functions=(
            *(_describe(function) for function in package.functions if _carries(function)),
            *(literal for literal in collector.literals.values() if any(literal.parameters)),
        ),
        values=tuple(sorted(collector.values)),
        flows=tuple(sorted(collector.flows, key=lambda flow: flow.target)),
        numbers=tuple(sorted(
            {*collector.numbers, *(NumberFlow(f"K:{import_path}.{name}", number)
                                   for name, number in package.numbers.items() if name[:1].isupper())},
            key=lambda flow: flow.target,
        )),
        messages=tuple(sorted(collector.messages, key=lambda flow: flow.target)),
        choices=tuple(collector.choices.values()),
        results=tuple(collector.results.values()),
    )  # fmt: skip


def _exported_carriers(package: PackageDeclarations) -> Iterator[str]:
    for name, kind in package.fields.items():
        if kind and name[:1].isupper():
            yield f"F:*:{name}"
    for name, (kind, initial, file) in package.variables.items():
        if name[:1].isupper() and (kind or _is_carrier(package, file, initial)):
            yield f"G:{package.import_path}.{name}"


def _is_carrier(package: PackageDeclarations, file: SourceFile, initial: Node | None) -> bool:
    return evaluate(initial, Scope(package, file, Collector(), "", "", 0)) is not None


def _read_package_variables(package: PackageDeclarations, collector: Collector) -> None:
    for name, (_, initial, file) in package.variables.items():
        if initial is None:
            continue
        scope = Scope(package, file, collector, "", name, 0)
        collector.flow(f"G:{package.import_path}.{name}", evaluate(initial, scope))
        if initial.type == "func_literal":
            read_body(initial, scope)


def _read_function(package: PackageDeclarations, function: DeclaredFunction, collector: Collector) -> None:
    scope = Scope(
        package=package,
        file=function.file,
        collector=collector,
        function=function.key,
        spelling=function.description.spelling,
        end_line=function.description.end_line,
        results=function.results,
    )
    bind_parameters(function, scope)
    read_body(function.node.child_by_field_name("body"), scope)


def _carries(function: DeclaredFunction) -> bool:
    """Whether callers may hand it a logger, a context or a request, or get one back, or choose a level."""
    if any(kind for _, kind, _ in function.parameters) or any(kind for _, kind in function.results):
        return True
    return bool(function.parameters) and LEVEL_TAKER.search(function.description.name) is not None


def _describe(function: DeclaredFunction) -> Function:
    return Function(
        key=function.key,
        name=function.description.name,
        is_method=bool(function.description.receiver),
        parameters=tuple(kind for _, kind, _ in function.parameters),
        variadic=function.variadic,
    )
