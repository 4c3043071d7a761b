"""What the reader of a function body knows while it reads: variables, and where facts are collected.

Owns the bindings of names and their joining where branches meet. How expressions and statements change them is
``expressions``' and ``flow``'s work.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from schedtui.core.go_source.facts import (
    BASE,
    CallResult,
    Choice,
    Flow,
    Function,
    MessageFlow,
    NumberFlow,
    Site,
    Term,
)
from schedtui.core.go_source.messages import ANYTHING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tree_sitter import Node

    from schedtui.core.go_source.declarations import DeclaredFunction, PackageDeclarations, SourceFile
    from schedtui.core.go_source.messages import MessagePattern

    Reader = Callable[[Node, "Scope"], None]
    """Reads one kind of statement."""

MAX_TERMS = 12
"""More ways than this to come by one logger are not kept apart: the value is unknown then."""


class Value(NamedTuple):
    """A logger, context or request: the ways its level can have come about."""

    terms: frozenset[Term]
    kind: str
    """``logger``, ``verbose``, ``context``, ``request``; empty when the type is not known."""
    elsewhere: bool = False
    """True when it carries a call depth: what it logs has the line of a caller."""
    rungs: int = 0
    """How many ``if l := x.V(n); l.Enabled()`` in a row chose it; 0 for any other value."""
    bottom: frozenset[Term] = frozenset()
    """What it is when none of those was enabled."""


class Guard(NamedTuple):
    """The answer of a logger's ``Enabled()``, kept in a variable."""

    terms: frozenset[Term]


class Texts(NamedTuple):
    """A string whose possible values are known."""

    patterns: frozenset[MessagePattern]
    keys: frozenset[str]


class Numbers(NamedTuple):
    """A whole number whose possible values are known; None among them stands for any."""

    values: frozenset[int | str | None]


class LiteralFunction(NamedTuple):
    """A function literal kept in a variable."""

    key: str
    kinds: tuple[str, ...]


Binding = Value | Guard | Texts | Numbers | LiteralFunction | None
"""What a name stands for; None for anything else."""

Bindings = dict[str, "Binding"]
"""The variables in sight."""

LADDER_RUNGS = 2
"""From so many ``else if`` steps on, a logger counts as chosen by the verbosity alone."""

ENVIRONMENT = "E"
"""The origin of a context that comes from code which is not indexed."""

BASE_TERMS = frozenset({Term(BASE)})
"""The terms of a logger that nothing has raised."""


@dataclass(slots=True)
class Collector:
    """The facts of one package while it is read."""

    sites: dict[tuple[str, int], Site] = field(default_factory=dict)
    """(file, byte offset of the call) → site; a body that is read twice joins its findings here."""
    flows: set[Flow] = field(default_factory=set)
    numbers: set[NumberFlow] = field(default_factory=set)
    messages: set[MessageFlow] = field(default_factory=set)
    choices: dict[str, Choice] = field(default_factory=dict)
    results: dict[str, CallResult] = field(default_factory=dict)
    values: set[str] = field(default_factory=set)
    literals: dict[str, Function] = field(default_factory=dict)

    def flow(self, target: str, value: Value | None) -> None:
        """Note that ``value`` reaches ``target``."""
        if value is not None and value.terms:
            self.flows.add(Flow(target, ordered(value.terms)))

    def site(self, position: tuple[str, int], site: Site) -> None:
        """Note a log call, joined with what an earlier reading of the same call found."""
        known = self.sites.get(position)
        if known is not None:
            site = Site(
                site.file, site.line, site.call_line, site.function, site.severity,
                ordered({*known.terms, *site.terms}),
                tuple(sorted({*known.patterns, *site.patterns})),
                tuple(sorted({*known.message_keys, *site.message_keys})),
                site.guard, known.elsewhere or site.elsewhere,
            )  # fmt: skip
        self.sites[position] = site


@dataclass(slots=True)
class Scope:
    """One function body being read."""

    package: PackageDeclarations
    file: SourceFile
    collector: Collector
    function: str
    """Key of the function (or literal) for its parameters and results."""
    spelling: str
    """The declared function's name for sites."""
    end_line: int
    """1-based closing line of the innermost function or literal: what a deferred log call reports."""
    results: list[tuple[str, str]] = field(default_factory=list)
    """(name, kind) of its results."""
    bindings: Bindings = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)
    """Parameter or receiver → bare type name, where the type is declared in this package."""
    guards: list[frozenset[Term]] = field(default_factory=list)
    """The loggers known to be enabled here."""
    loop_exits: list[list[Bindings]] = field(default_factory=list)
    """For each loop or switch around: the bindings at its ``break`` and ``continue``."""
    deferred: bool = False
    """Inside the call of a ``defer`` statement."""
    started: bool = False
    """Inside the call of a ``go`` statement."""
    readers: Mapping[str, Reader] = field(default_factory=dict)
    """Node type → what reads it; any other node is read by its parts."""

    def key_at(self, line: int, column: int) -> str:
        """A key for something at a place of this file."""
        return f"{self.package.import_path}/{self.file.name}:{line}:{column}"


def ordered(terms: set[Term] | frozenset[Term]) -> tuple[Term, ...]:
    """Terms in a fixed order, so that equal values are equal facts."""
    return tuple(sorted(terms, key=lambda term: (term.origin, term.offset, term.numbers)))


def limited(terms: frozenset[Term]) -> frozenset[Term]:
    """The terms, or the unknown one when there are too many."""
    return terms if len(terms) <= MAX_TERMS else frozenset({Term("?too many ways")})


def join_bindings(first: Bindings, second: Bindings) -> Bindings:
    """What is known where two paths meet: what both say, or either."""
    if first is second:
        return first
    joined: Bindings = {**first, **second}
    for name in first.keys() & second.keys():
        joined[name] = join(first[name], second[name])
    return joined


def join(first: Binding, second: Binding) -> Binding:
    """One binding for either of two."""
    if first == second:
        return first
    first, second = _with_unknown(first, second), _with_unknown(second, first)
    if isinstance(first, Value) and isinstance(second, Value):
        for ladder, other in ((first, second), (second, first)):
            if ladder.rungs >= LADDER_RUNGS and other.terms == ladder.bottom:
                # The path around the whole ladder leaves the logger at its foot: no further way of its own.
                return ladder
        terms = limited(first.terms | second.terms)
        return Value(terms, first.kind or second.kind, first.elsewhere or second.elsewhere)
    if isinstance(first, Texts) and isinstance(second, Texts):
        return Texts(first.patterns | second.patterns, first.keys | second.keys)
    if isinstance(first, Numbers) and isinstance(second, Numbers):
        return Numbers(first.values | second.values)
    return None


def _with_unknown(binding: Binding, other: Binding) -> Binding:
    """For a path on which a name holds what cannot be told: the unknown value of the other path's kind."""
    if binding is not None:
        return binding
    if isinstance(other, Value):
        # Of a value whose type was not seen, the other path shows that it is none: nothing is lost there.
        known_type = other.kind in ("logger", "verbose", "context")
        return Value(frozenset({Term("?not known on one path")}), other.kind) if known_type else other
    if isinstance(other, Texts):
        return Texts(frozenset({ANYTHING}), frozenset())
    return Numbers(frozenset({None})) if isinstance(other, Numbers) else None


def find_function(scope: Scope, key: str) -> DeclaredFunction | None:
    """A function of the package by its key."""
    return scope.package.function_keys.get(key)
