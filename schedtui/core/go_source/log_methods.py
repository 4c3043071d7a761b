"""The functions and methods that write a log line: severity, which argument is the message, whose line it has.

A table from klog v2 (klog.go, contextual.go), go-logr and apimachinery's util/runtime; nothing is computed here.
"""

from __future__ import annotations

from typing import NamedTuple


class LogMethod(NamedTuple):
    """How one function logs."""

    severity: str
    """``I``, ``W``, ``E`` or ``F``."""
    message: int
    """Index of the message argument."""
    style: str
    """``text``: that argument is the message. ``format``: it is a fmt format. ``print``: all from there."""
    elsewhere: bool = False
    """Whether the line of a caller is printed."""


def _klog_table() -> dict[str, LogMethod]:
    table: dict[str, LogMethod] = {}
    for word, severity in (("Info", "I"), ("Warning", "W"), ("Error", "E"), ("Fatal", "F"), ("Exit", "F")):
        table[word] = table[f"{word}ln"] = LogMethod(severity, 0, "print")
        table[f"{word}f"] = LogMethod(severity, 0, "format")
        table[f"{word}Depth"] = table[f"{word}lnDepth"] = LogMethod(severity, 1, "print", elsewhere=True)
        table[f"{word}fDepth"] = LogMethod(severity, 1, "format", elsewhere=True)
    table["InfoS"] = LogMethod("I", 0, "text")
    table["InfoSDepth"] = LogMethod("I", 1, "text", elsewhere=True)
    table["ErrorS"] = LogMethod("E", 1, "text")
    table["ErrorSDepth"] = LogMethod("E", 2, "text", elsewhere=True)
    return table


KLOG_FUNCTIONS = _klog_table()
"""Functions of package klog."""

VERBOSE_METHODS = {
    **{name: method for name, method in KLOG_FUNCTIONS.items() if method.severity == "I"},
    "Error": LogMethod("E", 1, "text"),
    "ErrorS": LogMethod("E", 1, "text"),
}
"""Methods of ``klog.V(n)``."""

LOGGER_METHODS = {"Info": LogMethod("I", 0, "text"), "Error": LogMethod("E", 1, "text")}
"""Methods of a logger."""

RUNTIME_PACKAGE = "k8s.io/apimachinery/pkg/util/runtime"
"""Its functions log errors under their caller's line."""

RUNTIME_FUNCTIONS = {
    "HandleError": LogMethod("E", 0, "print"),
    "HandleErrorWithContext": LogMethod("E", 2, "text"),
    "HandleErrorWithLogger": LogMethod("E", 2, "text"),
}
"""Functions of that package."""
