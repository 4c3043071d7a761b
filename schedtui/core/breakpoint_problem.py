"""Why a breakpoint cannot be set or debugging cannot start: dlv's words, explained (the FAQ's second problem).

Owns the table and the advice. It neither talks to dlv nor reads the binary; what is known of the binary comes in
as one clause. Resolving a name to a location that dlv accepts is ``debugger.breakpoints``'.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedtui.core.symptom import Problem, find_problem, symptom

if TYPE_CHECKING:
    from collections.abc import Sequence

_REBUILD = (
    "Build it with 'schedtui build --src DIR', which keeps debug information and optimises nothing of Kubernetes."
)

BREAKPOINT_PROBLEMS = (
    symptom(
        "stripped",
        r"could not open debug info|no debug info found|debuggee must not be built with -ldflags=.-s",
        "The program was built without debug information (-ldflags '-s -w', or make without DBG=1)",
        _REBUILD + " By hand: make WHAT=cmd/kube-scheduler DBG=1",
    ),
    symptom(
        "go-too-old-for-dlv",
        r"(?:Go version (?P<go>\S+)|Version of Go) is too old for this version of Delve \(minimum"
        r" supported version"
        r" (?P<minimum>[\d.]+)",
        "The program was built by a Go {go} that is too old for this dlv (it wants {minimum} or later)",
        "It is about the Go that built the program, not the one in PATH. Rebuild with a newer Go, install a dlv of"
        " that time (--dlv PATH), or let dlv try: --check-go-version=false (with the equals sign).",
    ),
    symptom(
        "dlv-too-old-for-go",
        r"Version of Delve is too old for (?:this version of Go|Go version (?P<go>\S+)) \(maximum"
        r" supported version"
        r" (?P<maximum>[\d.]+)",
        "dlv is older than the Go {go} that built the program (it knows up to {maximum})",
        "go install github.com/go-delve/delve/cmd/dlv@latest; or leave --dlv out, schedtui installs a"
        " fitting one.",
    ),
    symptom(
        "dwarf-5",
        r"To debug executables using DWARFv5 or later Delve must be built with Go version (?P<minimum>[\d.]+)",
        "dlv itself was built by too old a Go to read this program (it takes Go {minimum})",
        "Install dlv again with the present Go: go install github.com/go-delve/delve/cmd/dlv@latest",
    ),
    symptom(
        "ptrace-yama",
        r"kernel security setting|ptrace_scope",
        "The kernel forbids attaching to a process that is not a child (Yama)",
        "Start the scheduler under dlv instead of attaching: that works with ptrace_scope 1. 'schedtui doctor"
        " --attach PID' says how it stands.",
    ),
    symptom(
        "ptrace-owner",
        r"current user does not own the process",
        "The process belongs to another user",
        "Attach as that user, or start your own scheduler under dlv.",
    ),
    symptom(
        "ptrace-denied",
        r"(?:could not attach|could not launch|fork/exec).*(?:operation not permitted|permission denied)",
        "Tracing is refused, as in a container without it",
        "Start the container with --cap-add=SYS_PTRACE --security-opt seccomp=unconfined; 'schedtui doctor' tries"
        " it.",
    ),
    symptom(
        "not-a-program",
        r"not an executable file|could not launch process: .*exec format error|bad magic number",
        "This is no program for this machine",
        "Check the path and GOOS/GOARCH of the build.",
    ),
    symptom(
        "file-and-function",
        r"Malformed breakpoint location \"?(?P<location>[^\"]+?\.go:[A-Za-z_]\w*)\"?",
        "dlv knows no location of the form file:function ({location})",
        "Documents write it so; schedtui resolves it when typed here. dlv's own form is package.(*Type).Function.",
    ),
    symptom(
        "ambiguous",
        r"Location \"(?P<location>[^\"]+)\" ambiguous: (?P<choices>.+)",
        "Several functions are called {location}",
        "Name more of it, as queue.(*PriorityQueue).Pop. Among them: {choices}",
    ),
    symptom(
        "no-statement",
        r"could not find statement at (?P<place>[^,]+)",
        "There is no code at {place}: a comment, an empty line, or code that was inlined or left out",
        "Choose the next line with a statement, or the function. If the file is a newer one than the program:"
        " rebuild.",
    ),
    symptom(
        "file-not-found",
        r"could not find file (?P<file>\S+)",
        "The program holds no file {file}",
        "Its paths may differ from yours (container, -trimpath, a moved tree): 'sources NAME' lists them, 'config"
        " substitute-path FROM TO' maps them. Or the package is not part of the program.",
    ),
    symptom(
        "location-not-found",
        r"location \"(?P<location>[^\"]+)\" not found",
        "The program holds no {location}",
        "It was renamed or moved in this release (scheduleOne became ScheduleOne), inlined away, or is not part of"
        " the program: 'funcs NAME' lists what there is; 'schedtui breakpoints --src DIR' the documented ones.",
    ),
    symptom(
        "not-in-program",
        r"(?P<name>\S+) is in the source and not in the binary"
        r"|This program has no (?P<program>kube-scheduler) in it",
        "The program shows dlv no {name}{program}",
        _REBUILD,
    ),
    symptom(
        "exited",
        r"Process (?P<pid>\d+) has exited with status (?P<status>-?\d+)",
        "The scheduler has ended (status {status}), so nothing can be set",
        "Restart it ('r'); breakpoints are kept and set again.",
    ),
    symptom(
        "hardware",
        r"hardware breakpoints? (?:exhausted|not supported)|no more hardware|too many watchpoints",
        "No more watchpoints: the processor has four at most",
        "Clear one first.",
    ),
    symptom(
        "optimised",
        r"debugging optimized function",
        "This function is optimised: lines jump and variables vanish",
        _REBUILD,
    ),
)
"""Symptoms, most special first."""

ALREADY_SET = "Breakpoint exists at"
"""dlv's refusal that is none: what was wanted is there."""


def breakpoint_problem(reply: Sequence[str], binary_obstacle: str = "") -> Problem | None:
    """What dlv's reply means; None when it is no known refusal.

    Args:
        reply: dlv's lines as they came.
        binary_obstacle: What reading the binary found (``toolchain.binary.breakpoint_obstacle``); it explains
            replies that only say that something is not there.
    """
    if any(ALREADY_SET in line for line in reply):
        return None
    problem = find_problem(BREAKPOINT_PROBLEMS, reply)
    vague = ("no-statement", "location-not-found", "file-not-found", "not-in-program")
    if problem is not None and problem.id in vague and binary_obstacle:
        return Problem(
            "binary",
            f"{problem.title}; the reason is likely the program: {binary_obstacle}",
            _REBUILD,
            problem.evidence,
        )
    return problem
