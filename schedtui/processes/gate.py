"""Starting a program that cannot be there before somebody watches over it.

Owns the moment between a process and its first instruction: it waits at a gate until its identity is known where
it must be, and does not begin at all when schedtui is killed meanwhile. It ends nothing.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import subprocess
from pathlib import Path
from typing import IO, TYPE_CHECKING

from schedtui.core.errors import ToolMissing
from schedtui.processes.identity import ProcessIdentity, identify

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

PRIVATE_UMASK = 0o077
"""Files made under it are the user's alone."""

INHERITED_UMASK = -1
"""What ``Popen`` takes for the user's own umask."""

WAITING = ("/bin/sh", "-c", 'read -r word && exec "$@" </dev/null', "sh")
"""What waits: a fixed line; the program and its arguments come as words and are never parsed. At the end of its
input, which comes when schedtui is gone, it ends. Programs keep pid and start time over ``exec``."""

WAITING_ON_TERMINAL = ("/bin/sh", "-c", 'read -r word && exec "$@"', "sh")
"""The same for a program that is given a terminal of its own, and keeps it: the word is a line typed there. When
schedtui is gone, so is that terminal, and what waits with it."""

PROGRAMS_BEGIN = (b"#!", b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe")
"""How programs begin that a system can start: scripts that name their interpreter (the shell would take others for
its own), ELF, Mach-O (64 bits, and of several machines)."""


def start_behind_gate(
    arguments: Sequence[str],
    watch: Callable[[ProcessIdentity], None],
    *,
    environment: Mapping[str, str] | None,
    directory: str | Path = "",
    output: int | IO[bytes],
    umask: int = PRIVATE_UMASK,
) -> subprocess.Popen[bytes]:
    """Start a program in a session of its own.

    Args:
        arguments: The program and its arguments.
        watch: Gets its identity; the program begins when this returns.
        environment: The whole environment; None hands on ours.
        directory: Where it runs; empty: where we are.
        output: Where its output goes.
        umask: For the files that it makes.

    Raises:
        ToolMissing: It cannot be started.
    """
    try:
        # Behind the gate it is too late to say so.
        check_program(arguments[0], environment, directory)
        process = subprocess.Popen(
            [*WAITING, *arguments],
            env=None if environment is None else dict(environment),
            cwd=directory or None,
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            umask=umask,
        )
    except OSError as error:
        raise ToolMissing(f"cannot start {arguments[0]}", where=str(error.strerror or error), hint="") from error
    gate, process.stdin = process.stdin, None
    assert gate is not None
    # One that has ended already, or is ended while it waits, needs no watching.
    with contextlib.suppress(BrokenPipeError), gate:
        identity = identify(process.pid)
        if identity is not None:
            watch(identity)
            gate.write(b"go\n")
    return process


def check_program(name: str, environment: Mapping[str, str] | None, directory: str | Path) -> None:
    """Refuse what the system would refuse to start.

    Raises:
        OSError: It is not there, is no program, or must not be run.
    """
    if directory and not Path(directory).is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(directory))
    if "/" not in name:
        if shutil.which(name, path=(os.environ if environment is None else environment).get("PATH")) is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)
        return
    path = Path(directory) / name
    if not path.is_file():
        number = errno.EACCES if path.exists() else errno.ENOENT
        raise OSError(number, os.strerror(number), name)
    if not os.access(path, os.X_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), name)
    # One that may be run but not read can be a program only.
    if os.access(path, os.R_OK):
        with path.open("rb") as stream:
            if not stream.read(4).startswith(PROGRAMS_BEGIN):
                raise OSError(errno.ENOEXEC, os.strerror(errno.ENOEXEC), name)
