"""Which command may be carried out when, and what is waited for meanwhile: the owner thread's one loop.

Owns the waiting and the order of wishes. It runs in the owner thread (``driver``); starting and ending are
``lifecycle``'s, the target's running is ``runner``'s, the commands themselves are in ``commands``.
"""

from __future__ import annotations

import select
from typing import TYPE_CHECKING

from schedtui.core.errors import DebuggerFailed, SchedtuiError
from schedtui.debugger import bereaved
from schedtui.debugger.commands import COMMANDS, Needs
from schedtui.debugger.conversation import SessionLost
from schedtui.debugger.lifecycle import Lifecycle
from schedtui.debugger.model import CountPasses, Evaluate, Failed, Restart
from schedtui.debugger.replies import read_exit
from schedtui.debugger.running import WAIT_SECONDS

if TYPE_CHECKING:
    from schedtui.debugger.conversation import Conversation
    from schedtui.debugger.model import Command

LOOK_SECONDS = 0.5
"""How often it is looked whether a target that stands still is still there."""


class Engine(Lifecycle):
    """One debuggee that does what it is told."""

    def tick(self) -> None:
        """Wait for dlv or for a wish, and deal with one of them."""
        try:
            if self.inbox.waiting:
                self._take_wishes()
            elif self._talk is None:
                select.select([self.inbox.wake], [], [], WAIT_SECONDS)
                self._take_wishes()
            else:
                self._wait(self._talk)
        except SessionLost as lost:
            self._lost(lost)

    def _wait(self, talk: Conversation) -> None:
        run = self._running
        patience = run.patience if run else LOOK_SECONDS if self.state == "stopped" else WAIT_SECONDS
        due = self.breakpoints.toll.patience
        patience = patience if due is None else min(patience, due)
        piece = talk.session.poll(patience, wake=self.inbox.wake, stream=True)
        if piece is None:
            self._notice_end()
            if run is not None:
                run.flush_trace()
                run.interrupt_again()
                if not run.shown:
                    run.shown = True
                    self._become("running")
                if due is not None and self.breakpoints.toll.patience == 0.0:
                    self._carry_out(CountPasses())
            self._take_wishes()
        elif run is None:
            self._unasked(piece)
        elif run.take(piece):
            self.stopped()

    def _lost(self, lost: SessionLost) -> None:
        lines = tuple(line for line in lost.text.split("\n") if line.strip())[-20:]
        left = self._owned.bereaved()
        self._end_processes()
        self._become("lost", lost.reason, last_output=lines)
        self.say("\n".join((*lines, f"{lost.reason}: r starts again")), "error")
        if left is not None:
            self.say(bereaved.look_after(left, self.breakpoints.planted), "error")

    def _take_wishes(self) -> None:
        self.inbox.quiet()
        if self._running is None and not self.inbox.has_commands:
            # There is nothing to stop, and nothing on its way that would let the target go.
            self.inbox.take_interrupt()
        self._pass_interrupt()
        while not self.inbox.closing and (command := self.inbox.take()) is not None:
            self._carry_out(command)
            self._pass_interrupt()

    def _pass_interrupt(self) -> None:
        if self._running is not None and self.inbox.take_interrupt():
            self._running.reason = "interrupt"
            self._running.shown = True
            self._running.interrupt()

    def _carry_out(self, command: Command) -> None:
        rule = COMMANDS[type(command)]
        try:
            self._notice_end()
            if isinstance(command, Restart):
                self.restart(command)
            elif self._talk is None:
                raise DebuggerFailed("There is no debugger", hint="r starts it.")
            elif self.state == "running":
                self._while_it_runs(command, rule.needs)
            elif self.state == "exited" and rule.needs is Needs.STOPPED:
                raise DebuggerFailed("The target has ended", hint="r starts it again.")
            else:
                rule.handle(self, command)
        except SchedtuiError as error:
            details = (*((error.where,) if error.where else ()), *error.details)
            self.post(Failed(error.title, error.hint, details))

    def _while_it_runs(self, command: Command, needs: Needs) -> None:
        rule = COMMANDS[type(command)]
        if needs is Needs.STOPPED or (needs is Needs.EITHER and not rule.pauses(command)):
            if rule.free(command):
                rule.handle(self, command)
                return
            if isinstance(command, Evaluate) and command.quiet:
                # It was asked for at a stop that is over.
                return
            raise DebuggerFailed("The target is running", hint="Ctrl-C stops it first.")
        if needs is Needs.NOTHING:
            rule.handle(self, command)
            return
        run = self._running
        assert run is not None
        go_on = self.pause(run)
        gone = read_exit(run.text)
        if gone is not None:
            self._running = None
            self._exited(gone.status)
        else:
            self.state = "stopped"
            self.breakpoints.toll.halted(self)
        try:
            rule.handle(self, command)
        finally:
            if gone is None and go_on:
                self.resume("continue", run.reason)
            elif gone is None:
                self.stopped()
