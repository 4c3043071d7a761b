"""What ends our processes when schedtui itself is killed.

One small process per schedtui, started with the first child. It holds the reading end of a pipe and a list of
identities; when the pipe closes, because schedtui ended in whatever way (kill -9 included), it ends each process
still on the list. Linux's parent-death signal would not do: it fires when the *thread* that started the child
ends, and never reaches grandchildren. The guard refuses orders to end anything while schedtui lives: that is
``child``'s and ``identity``'s work.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if __name__ == "__main__":
    # Run as a plain script in an isolated interpreter, so that it starts quickly and needs no environment.
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from schedtui.processes.identity import ProcessIdentity, end_processes

if TYPE_CHECKING:
    from collections.abc import Iterator

GRACE_SECONDS = 3.0
"""How long processes get after the guard's SIGTERM before its SIGKILL."""

LET_GO_SECONDS = 15.0
"""How long a dlv server may take to let go of the process that it is attached to."""

Reach = Literal["one", "group", "session", "interrupt"]
"""What is ended with a process: itself alone, its process group, or all that began in its session. ``interrupt``:
itself alone, by SIGINT, at which a dlv server lets go of the process that it is attached to."""

_lock = threading.Lock()
_guard: subprocess.Popen[bytes] | None = None
_owner_pid = 0
_watched: dict[ProcessIdentity, Reach] = {}
_files: dict[str, None] = {}
_directories: dict[str, None] = {}


def watch_over(
    identity: ProcessIdentity, *, group: bool = False, session: bool = False, interrupt: bool = False
) -> None:
    """Have ``identity`` ended should schedtui die without doing it.

    Args:
        identity: The process; one that schedtui did not start itself (dlv's target) will do as well.
        group: End its whole process group.
        session: End its whole session: what it starts is covered from the moment it is there, even in a group of
            its own (as dlv's target is), and even when ``identity`` ends before schedtui does.
        interrupt: Ask by SIGINT; end nothing else.
    """
    reach: Reach = "interrupt" if interrupt else "session" if session else "group" if group else "one"
    with _lock:
        _watched[identity] = reach
        _tell(_order(identity))


def _order(identity: ProcessIdentity) -> str:
    return f"+ {identity.pid} {_watched[identity]} {identity.started}\n"


def release(identity: ProcessIdentity) -> None:
    """Take ``identity`` off the list: it ended, or it is to outlive schedtui."""
    with _lock:
        if _watched.pop(identity, None) is not None:
            _tell(f"- {identity.pid} 0 {identity.started}\n")


def remove_with_us(path: str) -> None:
    """Have a file or directory of ours removed should schedtui die without doing it.

    A path with a line break is left out: the guard is told one a line.
    """
    if "\n" in path:
        return
    with _lock:
        _files[path] = None
        _tell(f"f 0 0 {path}\n")


def remove_empty_with_us(directory: str) -> None:
    """Have a directory of ours removed should schedtui die without doing it, unless something is in it then.

    Directories inside it are named after it. A path with a line break is left out, as above.
    """
    if "\n" in directory:
        return
    with _lock:
        _directories[directory] = None
        _tell(f"d 0 0 {directory}\n")


def keep_file(path: str) -> None:
    """Take ``path`` off the lists: it is gone, or it is to outlive schedtui."""
    with _lock:
        if path in _files or path in _directories:
            _files.pop(path, None)
            _directories.pop(path, None)
            _tell(f"k 0 0 {path}\n")


@contextlib.contextmanager
def guarded(identity: ProcessIdentity, *, group: bool = False) -> Iterator[None]:
    """Watch over ``identity`` for the length of a block."""
    watch_over(identity, group=group)
    try:
        yield
    finally:
        release(identity)


def _tell(line: str) -> None:
    """Send one line to the guard, starting it when there is none (or only a forked parent's)."""
    global _guard, _owner_pid
    if _guard is None or _owner_pid != os.getpid() or _guard.poll() is not None:
        _guard = _start_guard()
        _owner_pid = os.getpid()
        # A guard that was lost must be told all again.
        line = "".join(_order(known) for known in _watched)
        line += "".join(f"f 0 0 {path}\n" for path in _files)
        line += "".join(f"d 0 0 {path}\n" for path in _directories)
    pipe = _guard.stdin
    assert pipe is not None
    try:
        pipe.write(line.encode("utf-8", "surrogateescape"))
        pipe.flush()
    except BrokenPipeError:
        _guard = None
        if line.startswith(("+", "f", "d")):
            _tell(line)


def _start_guard() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-I", "-S", str(Path(__file__).resolve())],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",
        # A session of its own: neither Ctrl-C nor the terminal's going away reaches it.
        start_new_session=True,
    )


def _keep_guard() -> None:
    """The guard's life: read the list until the pipe closes, then end what is on it."""
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    watched: dict[ProcessIdentity, str] = {}
    files: dict[str, None] = {}
    directories: dict[str, None] = {}
    for raw in sys.stdin.buffer:
        order, pid, reach, started = raw.decode("utf-8", "surrogateescape").rstrip("\n").split(" ", 3)
        identity = ProcessIdentity(int(pid), started)
        if order == "+":
            watched[identity] = reach
        elif order == "f":
            files[started] = None
        elif order == "d":
            directories[started] = None
        elif order == "k":
            files.pop(started, None)
            directories.pop(started, None)
        else:
            watched.pop(identity, None)
    threads = [threading.Thread(target=_end, args=(identity, reach)) for identity, reach in watched.items()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for path in files:
        _remove(Path(path))
    for path in reversed(directories):
        with contextlib.suppress(OSError):
            Path(path).rmdir()


def _end(identity: ProcessIdentity, reach: str) -> None:
    end_processes(
        [identity],
        grace_seconds=LET_GO_SECONDS if reach == "interrupt" else GRACE_SECONDS,
        group=reach == "group",
        session=reach == "session",
        first_signal=signal.SIGINT if reach == "interrupt" else signal.SIGTERM,
    )


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            path.unlink()


if __name__ == "__main__":
    _keep_guard()
