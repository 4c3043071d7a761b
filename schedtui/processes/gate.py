"""Starting a program that cannot be there before somebody watches over it.

Owns the moment between a process and its first instruction: it waits at a gate until its identity is known where
it must be, and does not begin at all when schedtui is killed meanwhile. It ends nothing.
"""

from __future__ import annotations

import contextlib
import subprocess
from typing import IO, TYPE_CHECKING

from schedtui.core.errors import ToolMissing
from schedtui.processes.child import PRIVATE_UMASK
from schedtui.processes.identity import ProcessIdentity, identify

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

WAITING = ("/bin/sh", "-c", 'read -r word && exec "$@" </dev/null', "sh")
"""What waits: a fixed line; the program and its arguments come as words and are never parsed. At the end of its
input, which comes when schedtui is gone, it ends. Programs keep pid and start time over ``exec``."""


def start_behind_gate(
    arguments: Sequence[str],
    watch: Callable[[ProcessIdentity], None],
    *,
    environment: Mapping[str, str],
    directory: str = "",
    output: IO[bytes],
) -> subprocess.Popen[bytes]:
    """Start a program in a session of its own.

    Args:
        arguments: The program and its arguments.
        watch: Gets its identity; the program begins when this returns.
        environment: The whole environment.
        directory: Where it runs; empty: where we are.
        output: Where its output goes.

    Raises:
        ToolMissing: It cannot be started.
    """
    try:
        process = subprocess.Popen(
            [*WAITING, *arguments],
            env=dict(environment),
            cwd=directory or None,
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            umask=PRIVATE_UMASK,
        )
    except OSError as error:
        raise ToolMissing(f"cannot start {arguments[0]}", where=str(error.strerror or error)) from error
    gate = process.stdin
    assert gate is not None
    # One that has ended already, or is ended while it waits, needs no watching.
    with contextlib.suppress(BrokenPipeError), gate:
        identity = identify(process.pid)
        if identity is not None:
            watch(identity)
            gate.write(b"go\n")
    return process
