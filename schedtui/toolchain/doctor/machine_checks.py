"""Checks of the machine: ``ptrace``, ``disk``, ``terminal``."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from schedtui.config.directories import directories
from schedtui.config.files import FULL_BYTES
from schedtui.core.errors import SchedtuiError, ToolMissing
from schedtui.processes import run_to_end
from schedtui.processes.identity import status_fields
from schedtui.toolchain.doctor.model import Finding, Subject, fail, ok, warn

GIGABYTE = 10**9

LITTLE_BYTES = 5 * GIGABYTE
"""What the first build of one release takes in Go's build cache, about."""

NO_ROOM_BYTES = GIGABYTE
"""Below this even a rebuild fails."""

LITTLE_STATE_BYTES = GIGABYTE
"""What logs at -v 5 and a lab's data take in a day's work, about."""

NO_STATE_ROOM_BYTES = GIGABYTE // 5
"""Below this a lab does not come up: etcd alone sets 128 MB aside."""

SMALLEST = (60, 15)
"""Columns and lines below which the TUI only asks for a larger terminal."""

_CAP_SYS_PTRACE = 19
"""Bit in CapEff, from linux/capability.h."""

_TRIAL = (
    "import ctypes,os,sys;c=ctypes.CDLL(None,use_errno=True);"
    "sys.exit(0 if c.ptrace(0,0,None,None)==0 else ctypes.get_errno())"
)
"""A child asks to be traced by us (PTRACE_TRACEME): exactly what a debugger's start needs."""


def check_ptrace(subject: Subject) -> Finding:
    """The kernel lets a debugger do its work."""
    if sys.platform != "linux" and subject.proc == Path("/proc"):
        return ok("not Linux: the system asks by itself")
    scope = _yama_scope(subject.proc)
    capable = _may_trace_all(subject.proc)
    launch_hint = "Nothing to change: start the scheduler under dlv ('schedtui --src DIR') instead of attaching."
    if scope == 3:
        return fail("Yama forbids tracing until the next boot (ptrace_scope 3)", "Boot with ptrace_scope 1 or 0.")
    if scope == 2 and not capable:
        return fail(
            "Yama allows tracing to administrators only (ptrace_scope 2)",
            "sudo sysctl kernel.yama.ptrace_scope=1   # enough to start programs under dlv",
        )
    if subject.attach is not None:
        refused = _attach_obstacle(subject, scope, capable)
        if refused:
            return fail(refused, launch_hint)
    refused = _trial() if subject.proc == Path("/proc") else ""
    if refused:
        return fail(
            f"tracing is refused ({refused}), as in a container without it",
            "Start the container with --cap-add=SYS_PTRACE --security-opt seccomp=unconfined",
        )
    word = {None: "allowed (no Yama)", 0: "allowed", 1: "allowed for programs started under dlv (ptrace_scope 1)"}
    return ok("allowed" if capable else word.get(scope, "allowed"))


def _yama_scope(proc: Path) -> int | None:
    try:
        return int((proc / "sys/kernel/yama/ptrace_scope").read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None


def _may_trace_all(proc: Path) -> bool:
    try:
        return bool(int(status_fields("self", proc).get("CapEff", "0"), 16) >> _CAP_SYS_PTRACE & 1)
    except ValueError:
        return False


def _attach_obstacle(subject: Subject, scope: int | None, capable: bool) -> str:
    status = status_fields(str(subject.attach), subject.proc)
    if not status:
        return f"there is no process {subject.attach}"
    tracer = status.get("TracerPid", "0")
    if tracer != "0":
        return f"process {subject.attach} is traced by pid {tracer} already"
    owner = status.get("Uid", "").split()
    if not capable and owner and owner[0] != str(os.geteuid()):
        return f"process {subject.attach} belongs to another user (uid {owner[0]})"
    if scope == 1 and not capable:
        return f"Yama allows tracing of own children only (ptrace_scope 1), not of process {subject.attach}"
    return ""


def _trial() -> str:
    """Why tracing is refused; empty when a trial went well."""
    try:
        done = run_to_end([sys.executable, "-I", "-S", "-c", _TRIAL], directory=Path("/"), seconds=10.0)
    except ToolMissing as error:
        return error.title
    return os.strerror(done.exit_code).lower() if done.exit_code > 0 else ""


@dataclass(frozen=True, slots=True)
class _Room:
    """A place that is written to, and what it needs."""

    place: Path
    little: int
    """Bytes below which it works with a catch."""
    none: int
    """Bytes below which it does not work."""
    taken_by: str
    """What fills it."""
    fix: str


def _rooms(subject: Subject) -> list[_Room]:
    own = directories(subject.environment)
    builds = "schedtui lab cache   # lists and prunes builds; 'go clean -cache' empties Go's own"
    places = [own.cache]
    settings = subject.go_settings
    if not isinstance(settings, SchedtuiError):
        places += [Path(settings[name]) for name in ("GOCACHE", "GOMODCACHE") if settings.get(name)]
    first_build = "the first build of a release takes about 5 GB"
    logs = "the logs of runs and a lab's data are written there"
    prune = f"Free that disk: ':runs' in the TUI prunes the logs of earlier runs ({own.state})"
    return [
        *(_Room(place, LITTLE_BYTES, NO_ROOM_BYTES, first_build, builds) for place in places),
        _Room(own.state, LITTLE_STATE_BYTES, NO_STATE_ROOM_BYTES, logs, prune),
    ]


def check_disk(subject: Subject) -> Finding:
    """There is room for a build, for logs and for a lab's data."""
    rooms = [(subject.free_bytes(room.place), room) for room in _rooms(subject)]
    free, room = min(rooms, key=lambda pair: (pair[0] >= pair[1].none, pair[0] >= pair[1].little, pair[0]))
    found = f"{free / GIGABYTE:.1f} GB free at {room.place}"
    if free < room.none:
        return fail(found, room.fix)
    return warn(f"{found}; {room.taken_by}", room.fix) if free < room.little else ok(found)


def full_disk(subject: Subject) -> str:
    """The place of ours that takes nothing more, in words; empty when each takes some."""
    full = [room.place for room in _rooms(subject) if subject.free_bytes(room.place) < FULL_BYTES]
    return f"the disk is full at {full[0]}" if full else ""


def check_terminal(subject: Subject) -> Finding:
    """The terminal can show the screen: kind, character set, size, colours."""
    variables = subject.environment
    character_set = next((variables[name] for name in ("LC_ALL", "LC_CTYPE", "LANG") if variables.get(name)), "")
    if "utf8" not in character_set.lower().replace("-", ""):
        return fail(
            f"the locale {character_set or '(none)'} is not UTF-8: lines and signs would come out wrong",
            "export LC_ALL=C.UTF-8   # and in your shell's profile",
        )
    terminal = subject.terminal
    if not terminal.attached:
        return ok(f"not at a terminal; locale {character_set}")
    kind = variables.get("TERM", "")
    if kind in ("", "dumb", "unknown"):
        return fail(f"TERM is {kind or 'not set'}: the screen cannot be drawn", "export TERM=xterm-256color")
    size = f"{terminal.columns}x{terminal.lines}"
    known = terminal.columns > 0 and terminal.lines > 0
    if known and (terminal.columns < SMALLEST[0] or terminal.lines < SMALLEST[1]):
        return warn(f"{size} is too small for the panes", f"Make it at least 80x24 (the least is {SMALLEST[0]}x"
                    f"{SMALLEST[1]}).")  # fmt: skip
    colours = _colours(kind, variables.get("COLORTERM", ""))
    return ok(f"{kind}, {colours}, {character_set}, {size if known else 'size unknown'}")


def _colours(kind: str, announced: str) -> str:
    if announced in ("truecolor", "24bit"):
        return "16 million colours"
    if "256" in kind:
        return "256 colours"
    return "no colours" if kind.startswith("vt") else "16 colours"
