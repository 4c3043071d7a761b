"""The life of one debuggee: start, run, stop, restart, end; and which command may be carried out when.

Owns the target's state and the session's processes and files. It runs in the owner thread (``driver``); what a
stopped target looks like is read by ``inspector``, breakpoints are kept by ``keeper``.
"""

from __future__ import annotations

import select
import signal
import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from schedtui.core.errors import DebuggerFailed, SchedtuiError
from schedtui.debugger import exits, refusals
from schedtui.debugger.commands import COMMANDS, Needs
from schedtui.debugger.conversation import Conversation, SessionLost
from schedtui.debugger.inspector import Inspector, Reason
from schedtui.debugger.launching import (
    OWN_TARGET_MODES,
    Call,
    RunFiles,
    next_run_files,
    prepare,
    restart_line,
)
from schedtui.debugger.model import (
    ConsoleOutput,
    CountPasses,
    Evaluate,
    Failed,
    QuestionAsked,
    Restart,
    StateChanged,
    Stopped,
)
from schedtui.debugger.ownership import Ownership
from schedtui.debugger.paths import PathMap
from schedtui.debugger.replies import is_disconnected, is_late_interrupt, read_exit, read_restart, without_listing
from schedtui.debugger.running import WAIT_SECONDS, PauseClock, Run
from schedtui.debugger.session import Asked, DlvSession, Ended
from schedtui.debugger.sessions import remove

if TYPE_CHECKING:
    from collections.abc import Callable

    from schedtui.debugger.breakpoints import SourceTree
    from schedtui.debugger.inbox import Inbox
    from schedtui.debugger.keeper import BreakpointKeeper
    from schedtui.debugger.model import Command, Event, Launch, Stop, TargetState
    from schedtui.debugger.questions import Question
    from schedtui.debugger.session import Piece
    from schedtui.debugger.sessions import SessionRecord

START_SECONDS = 120.0
"""How long dlv may take to its first prompt on a built binary (2.7 s for a scheduler of 112 MB)."""

LOOK_SECONDS = 0.5
"""How often it is looked whether a target that stands still is still there."""

ANSWER_SECONDS = 600.0
"""How long a dialog may stand before the safe answer is given."""


class Engine:
    """One debuggee.

    Args:
        launch: How to get it.
        post: Takes events.
        inbox: Where wishes come from.
        source: The source tree, to resolve documented locations; None without one.
        kept: Breakpoints to set again.
        watches: Expressions to show at each stop.
    """

    def __init__(
        self,
        launch: Launch,
        post: Callable[[Event], None],
        inbox: Inbox,
        source: SourceTree | None,
        kept: BreakpointKeeper,
        watches: tuple[str, ...],
    ) -> None:
        self.launch = launch
        self._post = post
        self.inbox = inbox
        self.source = source
        self.breakpoints = kept
        self.state: TargetState = "none"
        self._began = datetime.now(UTC)
        self._call: Call | None = None
        self._run = 0
        self._owned = Ownership(launch)
        self._watches = watches
        self._talk: Conversation | None = None
        self._inspector: Inspector | None = None
        self._binary_time = 0.0
        self._running: Run | None = None
        self._spent = False
        """True when this dlv is of no more use: a restart needs another one."""
        self._pauses = PauseClock()
        self.paths = PathMap(launch.substitute_paths, source)
        self.function_lists: dict[str, tuple[str, ...]] = {}

    # --- what handlers use ------------------------------------------------------------------------------------

    @property
    def talk(self) -> Conversation:
        """The conversation with a living dlv."""
        if self._talk is None:
            raise DebuggerFailed("There is no debugger", hint="r starts it.")
        return self._talk

    @property
    def inspector(self) -> Inspector:
        """The reader of the stopped target."""
        if self._inspector is None:
            raise DebuggerFailed("There is no debugger", hint="r starts it.")
        return self._inspector

    def post(self, event: Event) -> None:
        """Tell something."""
        self._post(event)

    def say(self, text: str, kind: str = "note") -> None:
        """Put a line into the console."""
        if text.strip():
            self.post(ConsoleOutput(text.rstrip("\n"), kind))  # type: ignore[arg-type]

    def show(self, stop: Stop | None) -> None:
        """Post what is to be shown of the stopped target."""
        if stop is not None:
            self.post(Stopped(stop))

    def debugger_seconds(self) -> float | None:
        """Processor time of the dlv that holds the target; None where it is not on this machine."""
        return self._owned.debugger_seconds()

    def keep_watches(self, watches: tuple[str, ...]) -> None:
        """Remember the watched expressions for the next dlv."""
        self._watches = watches

    def after_typing(self, *, changes_values: bool) -> None:
        """Something was typed: show what it may have changed."""
        if self.state == "stopped" and (changes_values or self.inspector.elsewhere()):
            self.show(self.inspector.look_again())
        self.breakpoints.publish(self, only_changes=True)

    # --- start ------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Start dlv and bring it to its first prompt; failures are posted."""
        building = self.launch.mode in ("debug", "test")
        self._become("building" if building else "starting", f"dlv {self.launch.mode}")
        try:
            self._start()
        except SessionLost as lost:
            self._explain_start(lost)
        except SchedtuiError as error:
            self._end_processes()
            self.post(Failed(error.title, error.hint, (*((error.where,) if error.where else ()), *error.details)))
            self._become("lost", error.title)

    def _start(self) -> None:
        self._run += 1
        self._spent = False
        call = self._call = prepare(self.launch, self._run, self._began)
        earlier = self._owned.begin(call, lambda: self.inbox.closing)
        if earlier is not None:
            call = self._come_back(call, earlier)
        self._binary_time = _changed(self.launch.target)
        session = DlvSession(call.argv, call.environment, call.directory, call.prompt)
        self._owned.dlv(session.pid)
        self._talk = Conversation(session, call.mark, self.inbox.wake, self._interrupted, self._decide)
        limit = None if self.launch.mode in ("debug", "test") else START_SECONDS
        reply = self._talk.collect(limit=limit)
        for warning in refusals.start_warnings(reply.text):
            self.say(warning)
        sourced = self._talk.ask(f"source {call.script}")
        if sourced.failure:
            raise DebuggerFailed("dlv cannot load schedtui's commands", details=(sourced.failure,))
        ready = self._talk.documents("schedtui_ready").documents["ready"]
        self._owned.target(int(ready["pid"]))
        self._inspector = Inspector(self._talk, self.paths, self._watches)
        self.breakpoints.new_session()
        self.function_lists.clear()
        if earlier is None:
            self._new_target("entry" if self.launch.mode in OWN_TARGET_MODES else "interrupt")
        else:
            self._new_target("interrupt", go_on=earlier.running)

    def _come_back(self, call: Call, earlier: SessionRecord) -> Call:
        """The persistent server is there and its target has a log already: the new one is not needed."""
        assert call.files is not None
        remove(Path(call.files.stderr))
        self._run = earlier.run
        self._call = replace(call, files=RunFiles(earlier.run, earlier.log, earlier.stdout))
        self.say(f"back in the session of {datetime.fromtimestamp(earlier.began, UTC):%Y-%m-%d %H:%M} UTC")
        return self._call

    def _explain_start(self, lost: SessionLost) -> None:
        refusal = refusals.explain_start(lost.text, lost.reason, connecting=self.launch.mode == "connect")
        self._end_processes()
        self.post(Failed(refusal.title, refusal.hint, refusal.details))
        self.state = "lost"
        self.post(StateChanged("lost", refusal.title, last_output=refusal.details))

    def _new_target(self, reason: Reason, *, go_on: bool | None = None) -> None:
        """A target that is new to us, standing still: set breakpoints, show it, go on if asked to.

        Args:
            reason: Why it stands still.
            go_on: Whether to let it run; None as the launch says.
        """
        self.inspector.forget()
        self._binary_time = _changed(self.launch.target)
        for line in self.breakpoints.restore(self):
            self.say(line)
        self.state = "stopped"
        self._pauses.new_target()
        stop = self._look(reason)
        self._become("stopped", stop.title if stop else "")
        self.show(stop)
        self.breakpoints.publish(self)
        if stop is not None and (self.launch.continue_at_once if go_on is None else go_on):
            self.resume("continue", "unknown")

    # --- states -----------------------------------------------------------------------------------------------

    def _become(self, state: TargetState, detail: str = "", **more: object) -> None:
        self.state = state
        files = self._call.files if self._call else None
        self._owned.note(running=state == "running", files=files)
        self.post(
            StateChanged(
                state,
                detail,
                target_pid=self._owned.target_pid,
                dlv_pid=self._owned.dlv_pid,
                log_path=files.stderr if files else None,
                stdout_path=files.stdout if files else None,
                run=self._run,
                **more,  # type: ignore[arg-type]
            )
        )

    def _look(self, reason: Reason, text: str = "", note: str = "") -> Stop | None:
        try:
            return self.inspector.look(reason, text, note=note)
        except DebuggerFailed as error:
            gone = read_exit(error.title)
            if gone is None and is_disconnected(error.title):
                raise SessionLost("the debugger's server is gone", error.title) from error
            if gone is None:
                self.say(error.as_text(), "error")
                return None
            self._exited(gone.status)
            return None

    # --- running ----------------------------------------------------------------------------------------------

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

    def _notice_end(self) -> None:
        """A target that is killed while it stands still: dlv learns of it only when it looks, and says nonsense.

        Looked at, because a traced process whose threads nobody has waited for wakes no pidfd.
        """
        if self.state == "stopped" and self._owned.target_is_gone:
            # Only SIGKILL ends a process that a tracer holds; this dlv cannot start another one.
            self._spent = True
            self._exited(-signal.SIGKILL, "while it stood still")

    def _unasked(self, piece: Piece) -> None:
        if isinstance(piece, Ended):
            raise SessionLost(f"dlv {piece.status}", piece.text)
        if isinstance(piece, Asked):
            self.talk.session.answer(self.talk.answer_to(piece, {}))
        if not is_late_interrupt(piece.text):
            self.say(piece.text, "output")

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
                run.interrupt_again()
            elif run.take(piece):
                return exits.is_plain_interrupt(run.text)

    def _exited(self, status: int, when: str = "") -> None:
        files = self._call.files if self._call else None
        lines = exits.tail_lines(files.stderr, files.stdout) if files else ()
        cause = exits.cause_of(
            self.launch,
            status,
            lines,
            paused_seconds=self._pauses.longest,
            ran_seconds=self._pauses.lived,
        )
        self._owned.target(None)
        self.inspector.forget()
        detail = f"the target ended with status {status}"
        if status < 0:
            detail = f"the target was ended by {_signal(status)} {when}".rstrip()
        known = cause.id != "unknown"
        self._become(
            "exited",
            detail,
            exit_status=status,
            cause=cause.title if known else "",
            cause_id=cause.id,
            advice=cause.advice,
            evidence=cause.evidence if known else (),
            last_output=lines[-exits.LAST_LINES :],
        )
        if known:
            self.say(cause.as_text())
        self.breakpoints.publish(self)

    def _lost(self, lost: SessionLost) -> None:
        lines = tuple(line for line in lost.text.split("\n") if line.strip())[-20:]
        self._end_processes()
        self._become("lost", lost.reason, last_output=lines)
        self.say("\n".join((*lines, f"{lost.reason}: r starts again")), "error")

    # --- wishes -----------------------------------------------------------------------------------------------

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

    def restart(self, command: Restart) -> None:
        """Start the target anew.

        Raises:
            SessionLost: dlv went away meanwhile.
            DebuggerFailed: It cannot be started.
        """
        if self._running is not None:
            self.pause(self._running)
            self._running = None
            self.state = "stopped"
        rebuilt = self._binary_time != _changed(self.launch.target)
        fresh = command.fresh or rebuilt or self._spent or self.launch.mode not in OWN_TARGET_MODES
        if self.launch.mode not in OWN_TARGET_MODES:
            self.say("what runs was not started here and runs on: dlv begins anew")
        if fresh or self._talk is None or self.launch.persistent:
            self._leave()
            self.start()
            return
        files = next_run_files(self.launch, self._run + 1, self._began)
        self._become("starting", "restart")
        reply = self.talk.ask(restart_line(self.launch, files), limit=START_SECONDS)
        pid, discarded = read_restart(reply.text)
        if pid is None:
            self._become("exited", "the target could not be started again")
            raise DebuggerFailed("The target could not be started again", details=(reply.failure or reply.text,))
        self._run += 1
        assert self._call is not None
        self._call = self._owned.next_run(self._call, files)
        self._owned.target(pid)
        for line in discarded:
            self.say(f"not set again: {line}")
        self._new_target("entry")

    # --- questions --------------------------------------------------------------------------------------------

    def _interrupted(self) -> bool:
        self.inbox.quiet()
        return self.inbox.take_interrupt() or self.inbox.closing

    def _decide(self, question: Question, line: str) -> str | None:
        """Ask the user; None when nobody answers in time."""
        self.inbox.forget_answers()
        self.post(QuestionAsked(question.text or line, question.choices, question.safe))
        deadline = time.monotonic() + ANSWER_SECONDS
        while not self.inbox.closing and (left := deadline - time.monotonic()) > 0:
            answer = self.inbox.take_answer()
            if answer is not None:
                return answer if answer in question.choices or not question.choices else question.safe
            if self.inbox.take_interrupt():
                return None
            select.select([self.inbox.wake], [], [], left)
            self.inbox.quiet()
        return None

    # --- end --------------------------------------------------------------------------------------------------

    def shut_down(self, detach: bool) -> None:
        """End dlv and, unless it is to be left running, the target; remove our files."""
        if self._talk is not None:
            if self.launch.mode == "connect":
                detach = self._let_go()
            self._leave(detach=detach)
        self._owned.finish(keep=detach and self.launch.persistent)
        self._become("none")

    def _let_go(self) -> bool:
        """Take our breakpoints out of a server elsewhere: nobody will be there when one is hit.

        Returns:
            True when the target is to run on: always, but where it stands at its entry as we found it.
        """
        try:
            if self._running is not None:
                self.pause(self._running)
                self._running = None
                self.state = "stopped"
            stop = self.inspector.stop
            if self.state != "stopped":
                return False
            self.breakpoints.withdraw(self)
        except (SessionLost, SchedtuiError) as error:
            self.say(f"the breakpoints could not be taken out: {error}")
            return False
        return stop is None or stop.reason != "entry"

    def _leave(self, *, detach: bool = False) -> None:
        """Say good-bye to dlv; whatever happens, nothing of ours is left behind."""
        try:
            if self._talk is not None:
                self._owned.say_goodbye(self._talk, running=self.state == "running", detach=detach)
        except (SessionLost, SchedtuiError) as error:
            self.say(f"dlv did not end by itself: {error}", "note")
        self._end_processes(keep=detach and self.launch.persistent)

    def _end_processes(self, *, keep: bool = False) -> None:
        if self._talk is not None:
            self._talk.session.close()
        self._talk = None
        self._inspector = None
        self._running = None
        if not keep:
            self._owned.end_target()


def _changed(path: str) -> float:
    try:
        return Path(path).stat().st_mtime if path and Path(path).is_file() else 0.0
    except OSError:
        return 0.0


def _signal(status: int) -> str:
    try:
        return signal.Signals(-status).name
    except ValueError:
        return f"signal {-status}"
