"""The dlv server behind a session whose dlv is to live longer than its terminal.

Owns its start, its output and its end. A persistent session has one, so that it outlives schedtui; an attached
one has one because only a server takes its breakpoints out of the process and lets it run on when it is told to
end: a dlv whose terminal goes away leaves them in, and the process dies of the next.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

from schedtui.core.errors import DebuggerFailed
from schedtui.debugger import refusals
from schedtui.debugger.sessions import remove
from schedtui.processes.gate import start_behind_gate

if TYPE_CHECKING:
    from collections.abc import Callable

    from schedtui.debugger.launching import Call
    from schedtui.processes.identity import ProcessIdentity

OUTPUT_NAME = "dlv-server.log"
"""What the server prints, in the session's directory."""

SERVER_SECONDS = 60.0
"""How long a server may take until its socket is there; without a limit where it builds first."""

LOOK_SECONDS = 0.01
"""Distance of two looks for the socket."""

LET_GO_SECONDS = 15.0
"""How long it may take to let an attached process go, breakpoints out: killed meanwhile, it harms the process."""

DYING_SECONDS = 0.5
"""How long after its client's end its own may show: the system closes its socket first."""

END_SECONDS = 3.0
"""How long it may take to end after a harder signal."""


class DlvServer:
    """One server.

    Args:
        directory: The session's.
        attached: True when it debugs a process that it did not start.
    """

    def __init__(self, directory: Path, *, attached: bool) -> None:
        self._patience = LET_GO_SECONDS if attached else END_SECONDS
        self.output = directory / OUTPUT_NAME
        self._process: subprocess.Popen[bytes] | None = None

    def start(
        self, call: Call, watch: Callable[[ProcessIdentity], None], given_up: Callable[[], bool], *, builds: bool
    ) -> None:
        """Start it and wait until a client can come.

        Args:
            call: How dlv is called.
            watch: Gets its identity before it begins.
            given_up: True once the session is to end already.
            builds: True when it builds the target first.

        Raises:
            DebuggerFailed: It does not come up.
        """
        socket = Path(call.socket)
        remove(socket)
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        with os.fdopen(os.open(self.output, flags, 0o600), "wb") as stream:
            self._process = start_behind_gate(
                call.server, watch, environment=call.environment, directory=call.directory, output=stream
            )
        deadline = None if builds else time.monotonic() + SERVER_SECONDS
        while not socket.exists():
            late = deadline is not None and time.monotonic() > deadline
            if self._process.poll() is not None or late or given_up():
                raise self._refused()
            time.sleep(LOOK_SECONDS)

    def last_words(self) -> str:
        """What it printed before it ended; empty while it is there, and where there was none."""
        return self._printed() if self.is_dying() else ""

    def _printed(self) -> str:
        return self.output.read_text("utf-8", "replace")

    def _refused(self) -> DebuggerFailed:
        assert self._process is not None
        text = self._printed()
        status = self._process.poll()
        how = f"ended with status {status}" if status is not None else "did not answer"
        self.end()
        found = refusals.explain_start(text, how)
        title = found.title if found.kind != "other" else "The debugger's server did not start"
        return DebuggerFailed(title, hint=found.hint, details=found.details)

    @property
    def is_gone(self) -> bool:
        """True when it was started and has ended, though nobody told it to."""
        return self._process is not None and self._process.poll() is not None

    def is_dying(self) -> bool:
        """The same for one whose socket was just closed, which the system does first; False when it stays."""
        if self._process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(DYING_SECONDS)
        return self.is_gone

    def let_go_on(self) -> None:
        """One that somebody stopped (SIGSTOP) answers nothing: let it go on."""
        if self._process is not None:
            self._process.send_signal(signal.SIGCONT)

    def end(self) -> None:
        """End it by SIGINT, at which it lets an attached process go; it is our child, so its pid is its own."""
        process, self._process = self._process, None
        if process is None or process.poll() is not None:
            return
        steps = ((signal.SIGINT, self._patience), (signal.SIGTERM, END_SECONDS), (signal.SIGKILL, END_SECONDS))
        for number, seconds in steps:
            process.send_signal(number)
            process.send_signal(signal.SIGCONT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=seconds)
            if process.poll() is not None:
                return
