"""A process known by pid and start time.

Owns the answer to "is that still the process that we started?" and the ending of it: ask, wait, then force. It
refuses names, patterns and pids without a start time. Only the standard library is imported, because the guard
runs this module in a bare interpreter.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

POLL_SECONDS = 0.02
"""How often a process that is not our child is looked at while we wait for its end."""

BOOT_MARK = "@"
"""Stands between the tick and the boot in a start time."""

FORCED_END_SECONDS = 5.0
"""How long the kernel gets to take a process away after SIGKILL."""


@dataclass(frozen=True, slots=True)
class ProcessIdentity:
    """One process, and no other that later gets the same pid."""

    pid: int
    started: str
    """When it started: clock ticks since boot and the boot's own id on Linux, ``ps``'s text elsewhere.

    With the boot, because records outlive it: after a restart of the machine the same pid at the same tick is
    somebody else.
    """


def identify(pid: int) -> ProcessIdentity | None:
    """The identity of the process that has ``pid`` now; ``None`` when there is none or it is a zombie."""
    started = _start_time(pid)
    return ProcessIdentity(pid, started) if started else None


def is_alive(identity: ProcessIdentity) -> bool:
    """Whether that very process still runs; a zombie does not."""
    return _start_time(identity.pid) == identity.started


def status_fields(pid: int | str, proc: Path = Path("/proc")) -> dict[str, str]:
    """What the kernel's /proc/PID/status says (Linux, proc(5)): name → value; empty when there is no such process.

    Args:
        pid: The process; ``self`` for this one.
        proc: Where the kernel's files are.
    """
    try:
        text = (proc / str(pid) / "status").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return {}
    return {name: value.strip() for name, _, value in (line.partition(":") for line in text.splitlines())}


def resident_bytes(identity: ProcessIdentity) -> int:
    """Memory that the process holds now, in bytes; 0 when it is gone or the system does not tell."""
    try:
        text = Path(f"/proc/{identity.pid}/statm").read_text()
    except OSError:
        return 0
    return int(text.split()[1]) * os.sysconf("SC_PAGE_SIZE") if is_alive(identity) else 0


def end_processes(
    identities: Iterable[ProcessIdentity],
    *,
    grace_seconds: float = 5.0,
    group: bool = False,
    session: bool = False,
    first_signal: int = signal.SIGTERM,
) -> tuple[ProcessIdentity, ...]:
    """End processes: ask with ``first_signal``, wait, then SIGKILL those that stayed; stopped ones are let go on.

    Args:
        identities: What to end; those already gone are passed over (what is left of their group is not).
        grace_seconds: How long they get between the two signals, together.
        group: Signal each one's whole process group (only for leaders of their own group).
        session: End all processes of each one's session as well, those in groups of their own included (only for
            leaders of their own session; where there is no /proc it ends no more than the group).
        first_signal: How to ask. SIGINT for ``go``, which removes its work directory only then.

    Returns:
        Those that had to be killed.
    """
    leaders = tuple(identities)
    everyone = (*leaders, *(member for leader in leaders for member in session_members(leader) if session))
    wanted = [identity for identity in everyone if is_alive(identity)]
    for identity in wanted:
        _send(identity, first_signal, group)
        # One that was stopped (SIGSTOP, Ctrl-Z) hears nothing before it goes on.
        _send(identity, signal.SIGCONT, group)
    left = _wait_until_gone(wanted, grace_seconds)
    for identity in left:
        _send(identity, signal.SIGKILL, group)
    _wait_until_gone(left, FORCED_END_SECONDS)
    if session:
        # What a member started between the look and its end.
        for member in (member for leader in leaders for member in session_members(leader)):
            _send(member, signal.SIGKILL, group=False)
    if group or session:
        # Also for leaders that ended by themselves: a program whose output nobody reads any more often does.
        for identity in leaders:
            _kill_rest_of_group(identity)
    return tuple(left)


def session_members(leader: ProcessIdentity) -> tuple[ProcessIdentity, ...]:
    """The processes of the session that ``leader`` began, itself left out; it may be gone already.

    The system hands out no pid that is still a session's number, so members that are there while nobody else has
    the leader's pid are the old leader's, unless a session of that number came and lost its leader since: hence
    ``_left_by``. The session and the ancestors of the caller are never among them.
    """
    if _start_time(leader.pid) not in ("", leader.started):
        return ()
    numbers = [pid for pid in _pids() if pid != leader.pid and _group_and_session(pid)[1] == leader.pid]
    return _left_by(leader, numbers)


def _wait_until_gone(identities: list[ProcessIdentity], seconds: float) -> list[ProcessIdentity]:
    deadline = time.monotonic() + seconds
    left = [identity for identity in identities if is_alive(identity)]
    while left and time.monotonic() < deadline:
        time.sleep(POLL_SECONDS)
        left = [identity for identity in left if is_alive(identity)]
    return left


def _send(identity: ProcessIdentity, number: int, group: bool) -> None:
    # Looked at once more right before: the time between look and signal is the only gap that is left.
    if not is_alive(identity):
        return
    try:
        if group and os.getpgid(identity.pid) == identity.pid:
            os.killpg(identity.pid, number)
        else:
            os.kill(identity.pid, number)
    except ProcessLookupError:
        return


def _kill_rest_of_group(leader: ProcessIdentity) -> None:
    """Kill what a gone leader left in its group.

    The system hands out no pid that is still a group's number, so members that have another pid, while nobody
    has the leader's, are the old leader's (``_left_by`` looks at the rest).
    """
    if not _start_time(leader.pid):
        for member in _left_by(leader, _group_members(leader.pid)):
            _send(member, signal.SIGKILL, group=False)


def _left_by(leader: ProcessIdentity, pids: list[int]) -> tuple[ProcessIdentity, ...]:
    """Those of the processes that ``leader``, which may be gone, can have started.

    A leader's number is no proof when it is a kernel's (0, the session that a container's processes show whose
    leader stands outside), when it is the caller's own session's, or when the member is older than the leader or
    of another boot.
    """
    if leader.pid <= 1 or leader.pid == os.getsid(0):
        return ()
    own = _ancestors()
    members = [identify(pid) for pid in pids if pid not in own]
    return tuple(member for member in members if member is not None and _not_older(member, leader))


def _not_older(member: ProcessIdentity, leader: ProcessIdentity) -> bool:
    tick, _, boot = member.started.partition(BOOT_MARK)
    first, _, first_boot = leader.started.partition(BOOT_MARK)
    if not (tick.isdigit() and first.isdigit()):
        # No /proc: ps tells times of day, and its lists hold no sessions.
        return True
    return boot == first_boot and int(tick) >= int(first)


def _ancestors() -> set[int]:
    """The caller's own pid and those above it."""
    found: set[int] = set()
    pid = os.getpid()
    while pid > 0 and pid not in found:
        found.add(pid)
        fields = _stat_fields(pid)
        pid = int(fields[1]) if fields else 0
    return found


def _group_members(group: int) -> list[int]:
    if not Path("/proc/self/stat").exists():
        lines = subprocess.run(["ps", "-axo", "pid=,pgid="], capture_output=True, text=True, check=False).stdout
        pairs = [(int(pid), int(pgid)) for pid, pgid in (line.split() for line in lines.splitlines())]
        return [pid for pid, pgid in pairs if pgid == group]
    # Our groups are sessions as well: both numbers are the leader's.
    return [pid for pid in _pids() if _group_and_session(pid) == (group, group)]


def _pids() -> list[int]:
    """The numbers of all processes; none where there is no /proc."""
    places = Path("/proc").iterdir() if Path("/proc/self/stat").exists() else ()
    return [int(place.name) for place in places if place.name.isdigit()]


def _group_and_session(pid: int) -> tuple[int, int]:
    """The numbers of the group and the session that a process is in; zeros when it is gone."""
    fields = _stat_fields(pid)
    return (int(fields[2]), int(fields[3])) if fields else (0, 0)


def _stat_fields(pid: int) -> list[bytes]:
    """The fields of /proc/PID/stat from the state on; empty when there is no such process."""
    try:
        # The command name stands in parentheses and may hold blanks and parentheses itself.
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return []


def _start_time(pid: int) -> str:
    """The start time of the living process with ``pid``; empty when there is none."""
    fields = _stat_fields(pid)
    if not fields and not Path("/proc/self/stat").exists():
        return _start_time_from_ps(pid)
    if not fields or fields[0] in (b"Z", b"X", b"x"):
        return ""
    return f"{fields[19].decode('ascii')}{BOOT_MARK}{_boot()}"


@cache
def _boot() -> str:
    """What tells this boot of the machine from others; empty when the system does not say."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()[:8]
    except OSError:
        return ""


def _start_time_from_ps(pid: int) -> str:
    """For systems without /proc (macOS)."""
    answer = subprocess.run(
        ["ps", "-o", "stat=,lstart=", "-p", str(pid)], capture_output=True, text=True, check=False
    ).stdout.strip()
    state, _, started = answer.partition(" ")
    return "" if state.startswith("Z") else started.strip()
