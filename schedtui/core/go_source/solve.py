"""The facts of all packages to the level of every log call: one fixpoint over functions, fields and variables.

A level is kept as a row: what it is when the scheduler runs at ``--v=0``, at ``--v=1``, and so on, because source
may choose a logger by what is enabled. A key's value is a set of such rows; a string in it is the reason why a
level cannot be told. Owns the solving alone; reading Go is ``extract``'s work.
"""

from __future__ import annotations

from collections import defaultdict, deque
from typing import TYPE_CHECKING, NamedTuple

from schedtui.core.go_source.facts import BASE, UNKNOWN, Term
from schedtui.core.go_source.scope import ENVIRONMENT

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from schedtui.core.go_source.facts import CallResult, Choice, Function, PackageFacts, Site

VERBOSITIES = 24
"""Rows hold the level at each running verbosity from 0 to 23; klog's users go no higher."""

NEVER = 99
"""A level above every verbosity: such a call prints nothing."""

MAX_ROWS = 24
"""More ways than this for one key count as unknown."""

Row = tuple[int, ...]
"""The level at each verbosity."""

Rows = frozenset[Row | str]
"""All ways, and reasons for not knowing."""

ZERO: Row = (0,) * VERBOSITIES
"""Level 0 whatever the verbosity."""

_ZERO_ROWS: Rows = frozenset({ZERO})
_NO_ROWS: Rows = frozenset()
_KINDS_BY_LETTER = {
    "l": ("logger", "verbose"), "c": ("context",), "r": ("request",),
    "?": ("logger", "verbose", "context", "request"),
}  # fmt: skip

_LETTERS = {"logger": "l", "verbose": "l", "context": "c", "request": "r"}

_CALLED_FROM_OUTSIDE = frozenset({"RoundTrip", "ServeHTTP"})
"""Methods that net/http calls."""

_HARMLESS = (
    "context.", "fmt.", "errors.", "time.", "reflect.", "runtime", "k8s.io/klog", "github.com/go-logr/",
    "go.opentelemetry.io/", "k8s.io/utils/trace", "k8s.io/component-base/tracing", "log/slog",
    "k8s.io/component-base/logs", "net/http/httptrace.",
)  # fmt: skip
"""Starts of callees that hand no context back to anyone."""


class SolvedSite(NamedTuple):
    """A log call with its levels."""

    import_path: str
    """Its package."""
    site: Site
    """The call."""
    rows: Rows
    """Its levels by verbosity; empty for errors."""
    guard_rows: Rows
    """The level that must be enabled around it; empty without a guard."""
    patterns: tuple[tuple[str, ...], ...]
    """Its messages, parameters replaced by their callers' texts."""


def solve(packages: Sequence[PackageFacts]) -> list[SolvedSite]:
    """Find the levels of every log call of the packages, taken as the whole program."""
    solver = _Solver(packages)
    solver.run()
    return [
        SolvedSite(
            package.import_path,
            site,
            solver.rows_of(site.terms),
            _highest([solver.rows_of(terms) for terms in site.guard]),
            solver.patterns_of(site),
        )
        for package in packages
        for site in package.sites
    ]


def _highest(guards: list[Rows]) -> Rows:
    """Of nested guards the one that needs most, judged without the verbosity; unknown ones say nothing."""
    known = [rows for rows in guards if rows and all(not isinstance(row, str) for row in rows)]
    return max(known, key=lambda rows: min(row[0] for row in rows if not isinstance(row, str)), default=_NO_ROWS)


class _Functions:
    """Who is meant by a callee's key."""

    def __init__(self, packages: Sequence[PackageFacts]) -> None:
        self._by_key: dict[str, Function] = {}
        self._methods: dict[str, list[Function]] = defaultdict(list)
        for package in packages:
            for function in package.functions:
                self._by_key[function.key] = function
                if function.is_method:
                    self._methods[function.name].append(function)

    def candidates(self, callee: str) -> list[Function]:
        """The indexed functions that a callee's key can mean."""
        if not callee.startswith("."):
            known = self._by_key.get(callee)
            return [known] if known is not None else []
        name, _, count = callee[1:].partition("/")
        given = int(count)
        return [function for function in self._methods.get(name, ()) if _takes(function, given)]

    def parameters(self, target: str) -> list[str] | None:
        """The parameter keys behind ``A:callee#index`` and its letter; None when no indexed function takes it."""
        callee, _, place = target[2:].rpartition("#")
        letter = place[-1] if place[-1] in _KINDS_BY_LETTER else ""
        index = int(place.rstrip("lcr?"))
        keys = []
        for function in self.candidates(callee):
            last = len(function.parameters) - 1
            kind = function.parameters[index] if index <= last else ""
            if not letter or kind in _KINDS_BY_LETTER[letter]:
                keys.append(f"P:{function.key}#{min(index, last)}")
        return keys or None


_POOLS = frozenset({".Put/1", ".Store/1"})
"""Methods of pools and atomic values: they keep what they get and call nobody."""


def _takes(function: Function, given: int) -> bool:
    return len(function.parameters) == given or (function.variadic and given >= len(function.parameters) - 1)


class _Solver:
    def __init__(self, packages: Sequence[PackageFacts]) -> None:
        self._functions = _Functions(packages)
        self._sources: dict[str, set[tuple[Term, ...]]] = defaultdict(set)
        self._choices: dict[str, Choice] = {}
        self._results: dict[str, CallResult] = {}
        self._leaks: set[tuple[Term, ...]] = set()
        self._rows: dict[str, Rows] = {}
        self._numbers: dict[str, set[int | str | None]] = defaultdict(set)
        self._texts: dict[str, set[str]] = defaultdict(set)
        self._site_origins = {
            term.origin
            for package in packages
            for site in package.sites
            for terms in (site.terms, *site.guard)
            for term in terms
        }
        self._carriers = {key for package in packages for key in package.carriers}
        self._handed_to_values: list[tuple[str, str]] = []
        for package in packages:
            self._add(package)
        for key, values in self._handed_to_values:
            if key not in self._sources:
                # Nobody known calls it: code outside may, with whatever context it was handed.
                self._sources[key].add((Term(ENVIRONMENT),))
            self._sources[key].add((Term(values),))

    def _add(self, package: PackageFacts) -> None:
        for choice in package.choices:
            self._choices[choice.key] = choice
        for result in package.results:
            self._results[result.key] = result
        for flow in package.flows:
            if not flow.target.startswith("A:"):
                self._sources[flow.target].add(flow.terms)
                continue
            parameters = self._functions.parameters(flow.target)
            if parameters is not None:
                for key in parameters:
                    self._sources[key].add(flow.terms)
            elif not flow.target[2:].startswith(_HARMLESS):
                self._leak(flow.target, flow.terms)
        for number in package.numbers:
            for key in self._plain_targets(number.target):
                self._numbers[key].add(number.value)
        for message in package.messages:
            for key in self._plain_targets(message.target):
                self._texts[key].add(message.text)

        self._functions_as_values(package)

    def _functions_as_values(self, package: PackageFacts) -> None:
        """What is used as a value may be called with whatever any call of a value hands over in that place."""
        used = set(package.values)
        for function in package.functions:
            from_outside = function.is_method and function.name in _CALLED_FROM_OUTSIDE
            for index, kind in enumerate(function.parameters):
                if not kind:
                    continue
                key = f"P:{function.key}#{index}"
                if function.key in used:
                    self._handed_to_values.append((key, f"V:{len(function.parameters)}#{index}{_LETTERS[kind]}"))
                if from_outside:
                    self._sources[key].add((Term(ENVIRONMENT),))

    def _leak(self, target: str, terms: tuple[Term, ...]) -> None:
        """A value that goes where no indexed function was found: to a function value, or outside the index."""
        callee, _, place = target[2:].rpartition("#")
        if callee in _POOLS:
            return
        if callee.startswith("?") and all(_passed_on(term) for term in terms):
            # Called with what the function itself was handed: the value's own call site told that already.
            return
        if callee.startswith(("?", ".")):
            letters = _KINDS_BY_LETTER if place.endswith("?") else (place[-1],)
            for letter in letters:
                self._sources[f"V:{callee.rpartition('/')[2]}#{place.rstrip('lcr?')}{letter}"].add(terms)
        self._leaks.add(terms)

    def _plain_targets(self, target: str) -> list[str]:
        if not target.startswith("A:"):
            return [target]
        return self._functions.parameters(target) or []

    def run(self) -> None:
        """Iterate until no rows grow, let what nobody calls be called from outside, and iterate again."""
        readers = self._readers()
        self._rows[ENVIRONMENT] = _ZERO_ROWS
        self._spread(deque([*self._sources, *self._choices, *self._results]), readers)
        leaving = {term.origin for terms in self._leaks for term in terms}
        parameters = {key for key in (*readers, *self._site_origins, *leaving) if key.startswith("P:")}
        self._call_from_outside([key for key in parameters if key not in self._sources], readers)
        # What is left without rows is called by itself alone, or by nobody that is called.
        self._call_from_outside([key for key in parameters if not self._rows.get(key)], readers)
        leaked: Rows = frozenset().union(*(self.rows_of(terms) for terms in self._leaks))
        # What could not be told stays unknown where it is used; that it went outside taints nobody else.
        self._rows[ENVIRONMENT] = _ZERO_ROWS | {row for row in leaked if not isinstance(row, str)}
        self._spread(deque(readers[ENVIRONMENT]), readers)

    def _call_from_outside(self, keys: list[str], readers: dict[str, set[str]]) -> None:
        """Let parameters without a known caller be handed what nothing has raised."""
        for key in keys:
            self._sources[key].add((Term(BASE),))
        self._spread(deque(keys), readers)

    def _readers(self) -> dict[str, set[str]]:
        """Key → the keys whose rows are made of its."""
        readers: dict[str, set[str]] = defaultdict(set)
        for key, alternatives in self._sources.items():
            for terms in alternatives:
                for term in terms:
                    readers[term.origin].add(key)
        for choice in self._choices.values():
            for term in (*choice.condition, *choice.chosen, *choice.otherwise):
                readers[term.origin].add(choice.key)
        for result in self._results.values():
            for term in result.fallback:
                readers[term.origin].add(result.key)
            for key in self._result_keys(result):
                readers[key].add(result.key)
        return readers

    def _result_keys(self, result: CallResult) -> list[str]:
        keys = [f"R:{function.key}#{result.index}" for function in self._functions.candidates(result.callee)]
        return [key for key in keys if key in self._sources]

    def _spread(self, waiting: deque[str], readers: dict[str, set[str]]) -> None:
        queued = set(waiting)
        while waiting:
            key = waiting.popleft()
            queued.discard(key)
            rows = self._rows.get(key, _NO_ROWS) | self._compute(key)
            if len(rows) > MAX_ROWS:
                rows = frozenset({"?too many ways"})
            if rows != self._rows.get(key, _NO_ROWS):
                self._rows[key] = rows
                for reader in readers.get(key, ()):
                    if reader not in queued:
                        queued.add(reader)
                        waiting.append(reader)

    def _compute(self, key: str) -> Rows:
        if key in self._choices:
            return self._chosen(self._choices[key])
        if key in self._results:
            result = self._results[key]
            keys = self._result_keys(result)
            if keys:
                return frozenset().union(*(self._rows.get(found, _NO_ROWS) for found in keys))
            return self.rows_of(result.fallback)
        return frozenset().union(*(self.rows_of(terms) for terms in self._sources.get(key, ())))

    def _chosen(self, choice: Choice) -> Rows:
        """Row by row: the chosen value where its condition is enabled, the other one where not."""
        origins = {term.origin for term in (*choice.condition, *choice.chosen, *choice.otherwise)}
        if len(origins) == 1 and all(
            len(part) == 1 for part in (choice.condition, choice.chosen, choice.otherwise)
        ):
            # All three come from one logger, so its rows must not be mixed with each other.
            rows: set[Row | str] = set()
            for row in self._origin(next(iter(origins))):
                parts = [self._moved(row, part[0]) for part in (choice.condition, choice.chosen, choice.otherwise)]
                rows.update(_pick(c, a, b) for c in parts[0] for a in parts[1] for b in parts[2])
            return frozenset(rows)
        conditions, chosen = self.rows_of(choice.condition), self.rows_of(choice.chosen)
        otherwise = self.rows_of(choice.otherwise)
        if choice.condition == choice.chosen:
            return frozenset(_pick(row, row, other) for row in chosen for other in otherwise or {NEVER_ROW})
        return frozenset(
            _pick(condition, row, other)
            for condition in conditions
            for row in chosen or {NEVER_ROW}
            for other in otherwise or {NEVER_ROW}
        )

    def rows_of(self, terms: Iterable[Term]) -> Rows:
        """The rows of a value."""
        rows: set[Row | str] = set()
        for term in terms:
            for row in self._origin(term.origin):
                rows |= self._moved(row, term)
        return frozenset(rows)

    def _origin(self, origin: str) -> Rows:
        if origin == BASE:
            return _ZERO_ROWS
        if origin.startswith(UNKNOWN):
            return frozenset({origin})
        if origin[:2] in ("F:", "G:") and origin not in self._sources:
            return frozenset({f"?nothing sets {origin[2:]}"}) if self._may_carry(origin) else _NO_ROWS
        return self._rows.get(origin, _NO_ROWS)

    def _may_carry(self, origin: str) -> bool:
        """Whether a field or variable that was taken for a logger by its name can be one."""
        return origin in self._carriers or not (
            origin.startswith("F:*:") or origin.rpartition(".")[2][:1].isupper()
        )

    def _moved(self, row: Row | str, term: Term) -> set[Row | str]:
        if isinstance(row, str) or (not term.offset and not term.numbers):
            return {row}
        sums: set[int | None] = {term.offset}
        for number in term.numbers:
            choices = self._number(number, frozenset())
            sums = {
                None if first is None or second is None else first + second for first in sums for second in choices
            }
        return {
            "?V of a number that cannot be told"
            if total is None
            else tuple(min(level + total, NEVER) for level in row)
            for total in sums
        }

    def _number(self, key: str, seen: frozenset[str]) -> set[int | None]:
        if key in seen:
            return set()
        found: set[int | None] = set()
        for value in self._numbers.get(key, {None}):
            if isinstance(value, str):
                found |= self._number(value, seen | {key})
            else:
                found.add(value)
        return found

    def patterns_of(self, site: Site) -> tuple[tuple[str, ...], ...]:
        """A site's messages; where they are parameters, the texts that callers hand in."""
        texts = {text for key in site.message_keys for text in self._texts.get(key, ())}
        return tuple(sorted({(text,) for text in texts})) if texts else site.patterns


def _passed_on(term: Term) -> bool:
    """Whether a term is what its own function was handed, or nothing raised."""
    return not term.offset and not term.numbers and (term.origin[:2] == "P:" or term.origin in (BASE, ENVIRONMENT))


NEVER_ROW: Row = (NEVER,) * VERBOSITIES
"""The level of a logger that is not set on that path."""


def _pick(condition: Row | str, chosen: Row | str, otherwise: Row | str) -> Row | str:
    if isinstance(condition, str):
        return condition
    if isinstance(chosen, str):
        return chosen
    if isinstance(otherwise, str):
        return otherwise
    return tuple(
        chosen[verbosity] if condition[verbosity] <= verbosity else otherwise[verbosity]
        for verbosity in range(VERBOSITIES)
    )
