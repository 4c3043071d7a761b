"""What one Go package tells about log levels, as plain values that can be stored.

Owns the shape of facts: log calls, and the flow of loggers, contexts, numbers and messages between functions,
fields and variables. Keys are strings so that facts of packages meet without the packages knowing each other:

- ``P:pkg.Type.Func#0``: parameter 0 of a function or method (a function literal adds ``$line:column``),
- ``R:pkg.Type.Func#0``: its result 0,
- ``F:pkg:field``: a field of any struct of the package (``F:*:Field`` when exported),
- ``G:pkg.name``: a variable of the package, ``K:pkg.Name`` a constant number,
- ``V:n#0c``: argument 0 of any call of a function value with n arguments (``c`` context, ``l`` logger,
  ``r`` request),
- ``X:…``: one expression's own key, defined in ``choices`` or ``results``,
- ``0``: no V applied, ``E``: handed in by code that is not indexed, ``?reason``: unknown.
"""

from __future__ import annotations

import msgspec

BASE = "0"
"""The origin of a logger or context that nothing has raised."""

UNKNOWN = "?"
"""What starts the origin of a logger that cannot be followed."""


class Term(msgspec.Struct, frozen=True, array_like=True):
    """One way a logger's level comes about: where it started plus the V's since."""

    origin: str
    """Key of where the logger or context came from."""
    offset: int = 0
    """Sum of the literal V's applied since."""
    numbers: tuple[str, ...] = ()
    """Keys of V's that are not literal (a constant of another package, a parameter)."""


class Choice(msgspec.Struct, frozen=True, array_like=True):
    """``if l := x.V(n); l.Enabled() { a } else { b }``: which value it is depends on the running verbosity."""

    key: str
    """The key that this value is known by."""
    condition: tuple[Term, ...]
    """The logger whose ``Enabled`` decides."""
    chosen: tuple[Term, ...]
    """The value when it is enabled."""
    otherwise: tuple[Term, ...]
    """The value when it is not."""


class CallResult(msgspec.Struct, frozen=True, array_like=True):
    """The value that a call returns: the callee's own results where it is indexed, else ``fallback``."""

    key: str
    """The key that this value is known by."""
    callee: str
    """``pkg.Func``, or ``.Method/arguments`` for a method of an unknown type."""
    index: int
    """Which result, counted from 0."""
    fallback: tuple[Term, ...]
    """The value when no such function is indexed: what was handed in, or unknown."""


class Flow(msgspec.Struct, frozen=True, array_like=True):
    """A value that reaches a parameter, result, field or variable."""

    target: str
    """A key; ``A:callee#i`` when the parameter's function has still to be found."""
    terms: tuple[Term, ...]
    """The value."""


class NumberFlow(msgspec.Struct, frozen=True, array_like=True):
    """A number that reaches a parameter by which a function chooses a level."""

    target: str
    """As in ``Flow``."""
    value: int | str | None
    """The number, a key that stands for it, or None when it cannot be told."""


class MessageFlow(msgspec.Struct, frozen=True, array_like=True):
    """A text that reaches a parameter which a function may log."""

    target: str
    """As in ``Flow``."""
    text: str
    """The literal."""


class Function(msgspec.Struct, frozen=True, array_like=True):
    """A function's name and what it takes; enough to find who is called."""

    key: str
    """``pkg.Func`` or ``pkg.Type.Func``."""
    name: str
    """Its bare name."""
    is_method: bool
    """Whether it has a receiver."""
    parameters: tuple[str, ...]
    """The kind of each parameter: ``logger``, ``context``, ``request``, or empty for any other type."""
    variadic: bool
    """Whether the last parameter takes any number of arguments."""


class Site(msgspec.Struct, frozen=True, array_like=True):
    """One log call."""

    file: str
    """The file's name in its package's directory."""
    line: int
    """1-based line that klog prints: the method name's, or the closing line for a deferred call."""
    call_line: int
    """1-based line of the call's own text; differs from ``line`` for a deferred call."""
    function: str
    """The function that holds it, as Delve spells it without the package's path."""
    severity: str
    """``I``, ``W``, ``E`` or ``F``."""
    terms: tuple[Term, ...]
    """Its level; empty for errors, which have none."""
    patterns: tuple[tuple[str, ...], ...]
    """What its message can be: each the parts of a ``MessagePattern``."""
    message_keys: tuple[str, ...] = ()
    """Parameters that its message comes from; their literals join ``patterns``."""
    guard: tuple[tuple[Term, ...], ...] = ()
    """The loggers whose ``Enabled`` must hold for it to run, outermost first."""
    elsewhere: bool = False
    """True when klog prints another line for it: a call depth, ``defer``, ``go``."""


class PackageFacts(msgspec.Struct, frozen=True):
    """All that one package tells."""

    import_path: str
    """Its import path."""
    sites: tuple[Site, ...] = ()
    """Its log calls."""
    functions: tuple[Function, ...] = ()
    """The functions that take a logger, a context or a request."""
    flows: tuple[Flow, ...] = ()
    """Loggers and contexts that go somewhere."""
    numbers: tuple[NumberFlow, ...] = ()
    """Levels that go somewhere."""
    messages: tuple[MessageFlow, ...] = ()
    """Messages that go somewhere."""
    values: tuple[str, ...] = ()
    """Keys of functions that are used as values: whoever holds the value may call them."""
    carriers: tuple[str, ...] = ()
    """Keys of exported fields and variables that hold a logger, a context or a request."""
    choices: tuple[Choice, ...] = ()
    """Values that depend on the verbosity."""
    results: tuple[CallResult, ...] = ()
    """Values that a call returns."""
