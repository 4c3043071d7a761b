"""A watchman for the case that schedtui is killed: ends the recorded processes and removes the recorded files.

A small program of its own that needs nothing but the standard library. It reads lines from a pipe whose other end
schedtui holds; when the pipe closes without a "done" before, schedtui is dead and what it started is ended. dlv
cannot do that itself: it handles SIGINT only, and a target that runs freely outlives it.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sys
import time


def start_of(pid: int) -> str:
    """The start of a process in clock ticks; empty when it is gone or the system has no /proc."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as stream:  # noqa: PTH123 - quick start
            fields = stream.read().rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if fields[0] in ("Z", "X") else fields[19]


def same(pid: int, started: str) -> bool:
    """True when ``pid`` is still the process that was recorded."""
    if os.path.exists("/proc/self/stat"):  # noqa: PTH110 - quick start
        return start_of(pid) == started != ""
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return True


def end(pid: int, started: str) -> None:
    """End one process: SIGTERM, two seconds, SIGKILL."""
    for number, patience in ((signal.SIGTERM, 2.0), (signal.SIGKILL, 2.0)):
        if not same(pid, started):
            return
        with contextlib.suppress(OSError):
            os.kill(pid, number)
            os.kill(pid, signal.SIGCONT)
        deadline = time.monotonic() + patience
        while same(pid, started) and time.monotonic() < deadline:
            time.sleep(0.02)


def watch(stream: int) -> int:
    """Read what is ours until the pipe closes; then end and remove it, unless told that all is done.

    Lines: ``process NAME PID START`` (a later one of the same name replaces it), ``forget NAME``, ``file PATH``,
    ``done``.
    """
    processes: dict[str, tuple[int, str]] = {}
    files: list[str] = []
    with open(stream, encoding="utf-8", errors="surrogateescape") as lines:
        for line in lines:
            word, _, rest = line.rstrip("\n").partition(" ")
            if word == "done":
                return 0
            if word == "file":
                files.append(rest)
            elif word == "forget":
                processes.pop(rest, None)
            elif word == "process":
                name, pid, started = rest.split(" ", 2)
                processes[name] = (int(pid), started)
    # dlv first: it kills a target that it holds stopped; one that runs freely is left for us.
    for name in sorted(processes, key=lambda known: known != "dlv"):
        end(*processes[name])
    for path in files:
        if os.path.isdir(path) and not os.path.islink(path):  # noqa: PTH112, PTH114 - quick start
            shutil.rmtree(path, ignore_errors=True)
        else:
            with contextlib.suppress(OSError):
                os.unlink(path)  # noqa: PTH108 - quick start
    return 0


if __name__ == "__main__":
    for inherited in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(inherited, signal.SIG_IGN)
    sys.exit(watch(0))
