"""A scheduler that runs without a debugger (``--no-debugger``): started, watched, started again, ended.

Owns the child and its log of this run; it speaks the debugger driver's language (commands in, events out), so that
a session needs no second kind of target. It stops nothing and sets nothing: there is no dlv.
"""

from __future__ import annotations

import queue
import signal
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from schedtui.config.run_logs import new_run_log
from schedtui.core.errors import SchedtuiError
from schedtui.debugger import exits
from schedtui.debugger.model import Failed, Restart, StateChanged
from schedtui.debugger.owner import OwnerThread
from schedtui.processes import Child

if TYPE_CHECKING:
    from collections.abc import Callable

    from schedtui.debugger.model import Command, Event, Launch

GRACE_SECONDS = 5.0
"""How long the scheduler may take to end by itself."""


class FreeScheduler(OwnerThread):
    """One scheduler, and its thread."""

    def __init__(self, launch: Launch, post: Callable[[Event], None]) -> None:
        """Create it; ``start`` starts it.

        Args:
            launch: Program, arguments and where its logs go; what concerns dlv is not looked at.
            post: Called with each event on the owner thread.
        """
        super().__init__("scheduler", post, "exited")
        self._launch = launch
        self._wishes: queue.SimpleQueue[Command | int | None] = queue.SimpleQueue()
        """Commands, the serial number of a run that ended, or None for the end."""
        self._child: Child | None = None
        self._log = Path()
        self._run = 0
        self._began = datetime.now(UTC)
        self._started = 0.0

    def submit(self, command: Command) -> None:
        """Ask for something; any thread may call, and it returns at once."""
        self._wishes.put(command)

    def _ask_to_end(self, detach: bool) -> None:
        # There is nothing that could be detached from.
        self._wishes.put(None)

    def _own(self) -> None:
        self._begin()
        while (wish := self._wishes.get()) is not None:
            if isinstance(wish, int):
                if wish == self._run and self._child is not None:
                    self._ended(self._child)
            elif isinstance(wish, Restart):
                self._finish()
                self._begin()
            else:
                self._post(
                    Failed(
                        "There is no debugger: the scheduler runs free",
                        "Start it without --no-debugger to stop and step; ', r' builds and starts it anew.",
                    )
                )

    def _begin(self) -> None:
        self._run += 1
        run = self._run
        self._post(StateChanged("starting", run=run))
        try:
            self._log = new_run_log(
                Path(self._launch.log_directory), self._launch.log_label, run=run, now=self._began
            )
            self._started = time.monotonic()
            self._child = Child(
                [self._launch.target, *self._launch.arguments],
                directory=Path(self._launch.working_directory) if self._launch.working_directory else None,
                output_file=self._log,
                on_exit=lambda _: self._wishes.put(run),
                private=True,
            )
        except SchedtuiError as error:
            self._post(Failed(error.title, error.hint, (error.where,) if error.where else ()))
            cause = f"{error.title}: {error.where}" if error.where else error.title
            self._post(StateChanged("exited", "it did not start", run=run, cause=cause, cause_id="not-started"))
            return
        self._post(StateChanged("running", target_pid=self._child.pid, log_path=str(self._log), run=run))

    def _ended(self, child: Child) -> None:
        """It ended by itself: say why."""
        status = child.exit_code if child.exit_code is not None else 0
        self._child = None
        lines = exits.tail_lines(str(self._log))
        cause = exits.cause_of(
            self._launch, status, lines, paused_seconds=0.0, ran_seconds=time.monotonic() - self._started
        )
        ended_by = f"was ended by signal {-status}" if status < 0 else f"ended with status {status}"
        self._post(
            StateChanged(
                "exited",
                f"the scheduler {ended_by}",
                log_path=str(self._log),
                exit_status=status,
                run=self._run,
                cause=cause.title if cause.id != "unknown" else "",
                cause_id=cause.id,
                advice=cause.advice,
                evidence=cause.evidence if cause.id != "unknown" else (),
                last_output=lines[-exits.LAST_LINES :],
            )
        )

    def _finish(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.end(grace_seconds=GRACE_SECONDS, first_signal=signal.SIGTERM)
