"""What the word under the console's cursor may become.

Owns the rules; it is pure. The words come from the pane: stations, functions that dlv found, values of the frame.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from schedtui.debugger.dlv_words import DLV_HELP, meaning

if TYPE_CHECKING:
    from collections.abc import Sequence

    from schedtui.debugger.model import Variable

LEAST_FUNCTION_WORD = 3
"""Letters below which dlv is not asked for functions: a scheduler has 150 000 of them."""


@dataclass(frozen=True, slots=True)
class Words:
    """What is known to complete with."""

    stations: tuple[str, ...] = ()
    """Names of the catalogue."""
    functions: tuple[str, ...] = ()
    """Functions that dlv found for the word so far."""
    variables: tuple[Variable, ...] = ()
    """Arguments, locals and watches of the selected frame."""
    commands: tuple[str, ...] = ()
    """Typed commands of the palette: behind a colon."""


@dataclass(frozen=True, slots=True)
class Completion:
    """What there is for a line."""

    start: int = 0
    """Where the word begins that is completed."""
    candidates: tuple[str, ...] = ()
    """Those that begin with the word come first."""
    beginning: int = 0
    """How many begin with it; the others hold it further on."""
    wants_functions: str = ""
    """The word that dlv should be asked about; empty when it need not be."""
    help: str = ""
    """What the command of the line does."""

    @property
    def common(self) -> str:
        """What all candidates that begin with the word go on with."""
        candidates = self.candidates[: self.beginning]
        first, last = min(candidates, default=""), max(candidates, default="")
        same = 0
        while same < min(len(first), len(last)) and first[same] == last[same]:
            same += 1
        return first[:same]


def complete(line: str, words: Words) -> Completion:
    """Complete the end of a line."""
    if line.startswith(":"):
        return _from(1, line[1:], (*words.commands, *words.stations))
    head, _, last = line.rpartition(" ")
    if not head.strip():
        word = line.strip()
        known = meaning(word)
        return _from(len(line) - len(word), word, tuple(DLV_HELP), help_=_help(known))
    known = meaning(head.split()[0])
    if known is None:
        return Completion()
    _, wants, _ = known
    start = len(head) + 1
    if wants == "command":
        return _from(start, last, tuple(DLV_HELP), help_=_help(known))
    if wants == "place":
        found = _from(
            start, last, (*words.stations, *words.functions), anywhere=words.functions, help_=_help(known)
        )
        ask = last if len(last) >= LEAST_FUNCTION_WORD else ""
        return replace(found, wants_functions=ask)
    if wants == "value":
        return _values(start, last, words.variables, _help(known))
    return Completion(help=_help(known))


def _help(known: tuple[str, str, str] | None) -> str:
    return f"{known[0]} {known[2]}" if known is not None else ""


def _from(
    start: int, word: str, names: Sequence[str], *, anywhere: Sequence[str] = (), help_: str = ""
) -> Completion:
    """Names that begin with the word, whatever its case; those of ``anywhere`` may hold it in the middle."""
    low = word.lower()
    begin = [name for name in names if name.lower().startswith(low)]
    within = [name for name in anywhere if low in name.lower() and name not in begin]
    beginning = tuple(dict.fromkeys(begin))
    return Completion(start, (*beginning, *dict.fromkeys(within)), len(beginning), help=help_)


def _values(start: int, word: str, variables: Sequence[Variable], help_: str) -> Completion:
    """A variable, or a field of one whose fields are loaded."""
    cut = max((word.rfind(sign) for sign in "(*&![ "), default=-1) + 1
    bare = word[cut:]
    path, _, last = bare.rpartition(".")
    level: Sequence[Variable] = variables
    for name in path.split(".") if path else ():
        found = next((one for one in level if one.name == name), None)
        if found is None:
            return Completion(help=help_)
        level = _fields(found)
    prefix = f"{path}." if path else ""
    names = [prefix + one.name for one in level if one.name and one.name.lower().startswith(last.lower())]
    fitting = tuple(dict.fromkeys(names))
    return Completion(start + cut, fitting, len(fitting), help=help_)


def _fields(variable: Variable) -> Sequence[Variable]:
    """What stands behind a dot: through pointers, as Go does it."""
    while variable.kind in ("ptr", "interface") and variable.children:
        variable = variable.children[0]
    return variable.children
