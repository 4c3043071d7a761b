"""Why dlv did not come up, in words, with what to do.

Owns the table of dlv's refusals at start (1.12 to 1.27): Go versions that do not fit, ptrace, stripped binaries,
builds that fail. Pure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StartRefusal:
    """One explained failure."""

    kind: str
    """``go-too-old``, ``go-too-new``, ``dwarf``, ``traced``, ``ptrace``, ``no-debug-info``, ``not-executable``,
    ``build``, ``gone``, ``connection``, ``no-terminal``, ``format`` or ``other``."""
    title: str
    hint: str
    details: tuple[str, ...]
    """dlv's own lines."""


_TABLE: tuple[tuple[str, re.Pattern[str], str, str], ...] = (
    (
        "go-too-old",
        re.compile(r"(?:Version of Go|Go version \S+) is too old for this version of Delve"),
        "dlv is too new for the Go that built this binary",
        "Install the dlv of that time (schedtui doctor names the version), or start with"
        " --check-go-version=false and bear odd values. The Go in PATH does not matter, the one that built does.",
    ),
    (
        "go-too-new",
        re.compile(r"Version of Delve is too old for (?:this version of Go|Go version)"),
        "dlv is too old for the Go that built this binary",
        "Install a newer dlv: go install github.com/go-delve/delve/cmd/dlv@latest",
    ),
    (
        "dwarf",
        re.compile(r"To debug executables using DWARFv5 or later Delve must be built with Go version"),
        "dlv was built with a Go that is too old to read this binary's debug information",
        "Build dlv with the Go that builds the scheduler: go install github.com/go-delve/delve/cmd/dlv@latest",
    ),
    (
        "traced",
        re.compile(r"already being debugged by pid"),
        "Another debugger holds this process",
        "A process has one debugger at a time: end the one that is named below first.",
    ),
    (
        "ptrace",
        re.compile(
            r"ptrace_scope|operation not permitted|does not own the process|permission denied.*attach", re.I
        ),
        "The system does not allow dlv to trace the process",
        "Start the scheduler under dlv instead of attaching to it (--src or --exec): that needs no special right"
        " with Yama's ptrace_scope 1. In a container the capability SYS_PTRACE and a seccomp profile that allows"
        " ptrace are needed.",
    ),
    (
        "no-debug-info",
        re.compile(r"could not open debug info|no debug info found"),
        "The binary carries no debug information",
        "Build it without -s -w: schedtui build --src DIR, or make WHAT=cmd/kube-scheduler DBG=1",
    ),
    (
        "build",
        re.compile(r"^# \S|\.go:\d+:\d+: |exit status 1|go: ", re.M),
        "The build failed",
        "Mend the lines above; schedtui build --src DIR shows the same.",
    ),
    (
        "gone",
        re.compile(r"no such process|could not find executable|no such file or directory", re.I),
        "There is no such process or file",
        "Check the process id or the path.",
    ),
    (
        "format",
        re.compile(
            r"not an executable file|exec format error|unrecognized executable|bad magic|not a directory", re.I
        ),
        "This is not a program that dlv can start on this machine",
        "Name a binary built for this system; for a package use --dlv-debug.",
    ),
    (
        "connection",
        re.compile(r"could not connect|connection refused|dial (?:tcp|unix)", re.I),
        "No debugger answers at this address",
        "Start one: dlv exec BIN --headless --accept-multiclient --listen 127.0.0.1:PORT",
    ),
    (
        "no-terminal",
        re.compile(r"Stdin is not a terminal"),
        "dlv has no terminal",
        "This is a fault of schedtui's session; please report it with the lines above.",
    ),
)

DETAIL_LINES = 30
"""How many of dlv's lines are shown."""


def explain_start(text: str, status: str, *, connecting: bool = False) -> StartRefusal:
    """What the output of a dlv that ended before its first prompt means.

    Args:
        text: Its output.
        status: How it ended, in words.
        connecting: True for a client: when nobody answers, dlv 1.27 ends without a word.
    """
    lines = tuple(line.rstrip() for line in text.split("\n") if line.strip())[-DETAIL_LINES:]
    for kind, pattern, title, hint in _TABLE:
        if pattern.search(text) or (connecting and not lines and kind == "connection"):
            return StartRefusal(kind, title, hint, lines)
    return StartRefusal(
        "other", f"dlv ended before it was ready ({status})", "schedtui doctor checks the set-up.", lines
    )


_WARNING = re.compile(r"^(?:WARNING|Warning): (.*)$", re.M)


def start_warnings(text: str) -> tuple[str, ...]:
    """The warnings that dlv prints before its first prompt."""
    return tuple(_WARNING.findall(text))
