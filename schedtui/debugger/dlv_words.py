"""Dlv's commands with a line of help each, and what stands behind them: for completion and the help beside typing.

Owns the words (dlv 1.21 to 1.27). What a typed line does is ``console``'s.
"""

from __future__ import annotations

from typing import Literal

Argument = Literal["place", "value", "command", ""]
"""What a command wants behind it: a location, an expression, another command, or nothing that can be completed."""

DLV_HELP: dict[str, tuple[Argument, str]] = {
    "args": ("", "the arguments of the selected frame; a regular expression narrows them"),
    "break": ("place", "[NAME] PLACE [if CONDITION]: stop there; a station's name or a tutorial's spelling works"),
    "breakpoints": ("", "all breakpoints, with hits and conditions"),
    "call": ("value", "run a function in the target; it may change things"),
    "checkpoints": ("", "checkpoints of a recorded run (rr only)"),
    "clear": ("", "NUMBER|NAME: remove a breakpoint"),
    "clearall": ("", "remove all breakpoints, or those at a place"),
    "condition": ("", "NUMBER EXPRESSION: stop only if it is true; -hitcount NUMBER > 3; -clear NUMBER"),
    "config": ("", "show or change dlv's settings; 'config -list' shows them"),
    "continue": ("place", "let the target run, to a place when one is named"),
    "deferred": ("", "NUMBER COMMAND: in the context of a deferred call"),
    "disassemble": ("", "[-l PLACE] the machine code around here"),
    "display": ("value", "-a EXPRESSION: print it at every stop; w in the pane does the same better"),
    "down": ("", "select the called frame"),
    "dump": ("", "FILE: write a core of the target"),
    "edit": ("place", "open an editor there; E in the source does"),
    "examinemem": ("", "-count N -size N ADDRESS: raw memory"),
    "exit": ("", "leave; asks first what is to become of the target"),
    "frame": ("", "NUMBER [COMMAND]: select a frame, or do something in it"),
    "funcs": ("", "REGEXP: functions of the target that match"),
    "goroutine": ("", "NUMBER [COMMAND]: select a goroutine, or do something in it"),
    "goroutines": ("", "all goroutines; '-group running', '-with user REGEXP'; t g shows them by role"),
    "help": ("command", "[COMMAND]: dlv's own words"),
    "libraries": ("", "loaded dynamic libraries"),
    "list": ("place", "[PLACE]: source there"),
    "locals": ("", "locals of the selected frame; -v with values in full"),
    "next": ("", "[COUNT]: step over"),
    "next-instruction": ("", "step over one instruction"),
    "on": ("", "NUMBER COMMAND: do it at each hit (print, stack, goroutine)"),
    "packages": ("", "REGEXP: packages of the target"),
    "print": ("value", "[%FORMAT] EXPRESSION: its value; Kubernetes types get a readable view"),
    "rebuild": ("", "build anew and start (dlv debug and test only)"),
    "regs": ("", "the processor's registers"),
    "restart": ("", "start the target anew; r does it with a log of its own"),
    "set": ("value", "VARIABLE = VALUE: change it in the target"),
    "source": ("", "FILE: run dlv commands or Starlark from a file"),
    "sources": ("", "REGEXP: source files of the target"),
    "stack": ("", "[DEPTH] [-full]: the stack"),
    "step": ("", "step into"),
    "step-instruction": ("", "one instruction"),
    "stepout": ("", "run until this function returns"),
    "target": ("", "list and switch between processes"),
    "thread": ("", "NUMBER: select a thread"),
    "threads": ("", "all threads"),
    "toggle": ("", "NUMBER: switch a breakpoint on or off"),
    "trace": ("place", "PLACE: print a line whenever it is passed, without stopping; the lines join the log"),
    "transcript": ("", "FILE: dlv writes what it prints there too"),
    "types": ("", "REGEXP: types of the target"),
    "up": ("", "select the caller's frame"),
    "vars": ("", "REGEXP: package variables"),
    "watch": ("value", "[-r|-w|-rw] EXPRESSION: stop when that memory is touched"),
    "whatis": ("value", "EXPRESSION: its type"),
}  # fmt: skip
"""Command → (what it wants, help)."""

DLV_ALIASES = {
    "b": "break", "bp": "breakpoints", "c": "continue", "cond": "condition", "disass": "disassemble",
    "gr": "goroutine", "grs": "goroutines", "h": "help", "l": "list", "ls": "list", "ll": "list", "n": "next",
    "ni": "next-instruction", "p": "print", "q": "exit", "r": "restart", "s": "step", "si": "step-instruction",
    "so": "stepout", "bt": "stack", "t": "trace", "tr": "thread", "x": "examinemem",
}  # fmt: skip
"""Dlv's own short forms."""


def meaning(word: str) -> tuple[str, Argument, str] | None:
    """The command that a first word is, what it wants, and its help; None for an unknown word."""
    name = DLV_ALIASES.get(word, word)
    found = DLV_HELP.get(name)
    return (name, *found) if found is not None else None
