"""A target that is let go and comes to a stop again: by itself, for a command, or because it was killed.

Owns what must happen at each of these moments, in which order. How one stretch is collected is ``running``'s, what
the stopped target looks like ``inspector``'s.
"""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

from schedtui.debugger import exits
from schedtui.debugger.bench import Bench
from schedtui.debugger.conversation import SessionLost
from schedtui.debugger.replies import is_late_interrupt, read_exit, without_listing
from schedtui.debugger.running import Run
from schedtui.debugger.session import Asked, Ended

if TYPE_CHECKING:
    from schedtui.debugger.inspector import Reason
    from schedtui.debugger.session import Piece


class Runner(Bench):
    """A debuggee that can run."""

    def resume(self, line: str, reason: Reason, *, typed: bool = False) -> None:
        """Send a command that lets the target run; the prompt will tell that it stopped.

        Args:
            line: ``continue``, ``next`` …
            reason: What to call the stop when dlv tells nothing better.
            typed: True shows all that dlv prints.
        """
        stop = self.inspector.stop
        began = stop.goroutine if stop and reason == "step" else 0
        self._running = Run(self.talk, self.post, reason, typed=typed, step_from=began, shown=reason != "step")
        self._pauses.resumed()
        self.breakpoints.toll.resumed(self)
        self.talk.session.send(line)
        self.state = "running"
        if self._running.shown:
            self._become("running")

    def pause(self, run: Run) -> bool:
        """Stop a running target for a command; True when it may be let go again.

        False when it stopped for a reason of its own meanwhile: that stop is shown and stays.

        Raises:
            SessionLost: dlv does not come back.
        """
        run.interrupt()
        while True:
            piece = self.talk.session.poll(run.patience, stream=True)
            if piece is None:
                self._wake_dlv_to_leave()
                run.interrupt_again()
            elif run.take(piece):
                return exits.is_plain_interrupt(run.text)

    def stopped(self) -> None:
        """The prompt is back after the target ran: find out why."""
        run, self._running = self._running, None
        assert run is not None
        self._pauses.stopped()
        gone = read_exit(run.text)
        self.say(run.text if run.typed else without_listing(run.text), "output")
        if gone is not None:
            self._exited(gone.status)
            return
        self.state = "stopped"
        self.breakpoints.toll.halted(self)
        stop = self._look(run.reason, run.text, run.note)
        if stop is None:
            return
        if run.step_from and stop.goroutine != run.step_from and not stop.note:
            stop = self.inspector.annotate(
                f"the step began in goroutine {run.step_from} and ended in goroutine {stop.goroutine}"
            )
        self._become("stopped", stop.title)
        self.show(stop)
        self.breakpoints.publish(self, only_changes=True)

    def _unasked(self, piece: Piece) -> None:
        if isinstance(piece, Ended):
            raise SessionLost(f"dlv {piece.status}", piece.text)
        if isinstance(piece, Asked):
            self.talk.session.answer(self.talk.answer_to(piece, {}))
        if not is_late_interrupt(piece.text):
            self.say(piece.text, "output")

    def _notice_end(self) -> None:
        """A target or a server that is killed while nothing runs: dlv learns of it only when it looks.

        Looked at, because a traced process whose threads nobody has waited for wakes no pidfd.

        Raises:
            SessionLost: The server is gone.
        """
        if self._talk is not None and self._owned.server_is_gone:
            raise SessionLost("the debugger's server was killed", "")
        if self.state == "stopped" and self._owned.target_is_gone:
            # Only SIGKILL ends a process that a tracer holds; this dlv cannot start another one.
            self._spent = True
            self._exited(-signal.SIGKILL, "while it stood still")
