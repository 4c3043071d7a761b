"""Why dlv does not set a value, in words, with what works instead.

Owns the table of dlv's refusals of ``set`` (1.21 to 1.27). Pure; it sends nothing.
"""

from __future__ import annotations

import re

from schedtui.core.errors import DebuggerFailed

_TABLE: tuple[tuple[re.Pattern[str], str, str], ...] = (
    (
        re.compile(r"literal string can not be allocated|function calls are not allowed without using 'call'"),
        "dlv's 'set' cannot make a new string in the scheduler's memory",
        "For a string the console can, while the scheduler runs for a moment:  call {expression} = {value}",
    ),
    (
        re.compile(r"could not find symbol value for (?P<name>\S+)"),
        "There is no variable {name} in this frame",
        "Text stands in quotes; numbers, true, false, nil and the names of variables as they are.",
    ),
    (
        re.compile(r"can not convert (?P<constant>.+) constant to (?P<type>.+)"),
        "{constant} is no value for a {type}",
        "Type a value of its type. Into an interface dlv sets nothing but nil.",
    ),
    (
        re.compile(r"mismatched types (?P<given>.+?) and (?P<type>.+)"),
        "A value of type {given} does not fit a {type}",
        "nil is for pointers, interfaces, maps, slices, channels and functions; of a struct, set field by field.",
    ),
    (
        re.compile(r"can not set variables of type (?P<type>\S+)|not implemented for (?P<other>\S+)"),
        "dlv sets no values of this kind",
        "Numbers, booleans and pointers can be set; of a struct, its fields one by one.",
    ),
    (
        re.compile(r"can(?:not| not) assign to|not addressable|has no address"),
        "This is no place in memory that a value can be written to",
        "Select a variable or a field of one, not what a call or a calculation gives.",
    ),
)
"""What dlv says, the same in words, what works; names of groups may stand in both."""


def explain_set(refusal: str, expression: str, value: str) -> DebuggerFailed:
    """The failure to tell.

    Args:
        refusal: What dlv said.
        expression: What was to be set.
        value: To what.
    """
    for pattern, title, hint in _TABLE:
        found = pattern.search(refusal)
        if found is not None:
            words = {**found.groupdict(), "expression": expression, "value": value}
            return DebuggerFailed(
                title.format_map(words), where=expression, hint=hint.format_map(words), details=(refusal,)
            )
    return DebuggerFailed(refusal, where=expression)
