"""What is known of one debuggee, and how it is told: the ground that running, starting and commands stand on.

Owns the target's state, the session's parts (conversation, inspector, processes, breakpoints) and the events about
them, the questions of dlv's among these. It lets nothing run and starts nothing: ``runner`` and ``lifecycle`` do.
"""

from __future__ import annotations

import abc
import select
import signal
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from schedtui.core.errors import DebuggerFailed
from schedtui.debugger import exits
from schedtui.debugger.conversation import SessionLost
from schedtui.debugger.model import ConsoleOutput, QuestionAsked, StateChanged, Stopped
from schedtui.debugger.ownership import Ownership
from schedtui.debugger.paths import PathMap
from schedtui.debugger.replies import is_disconnected, read_exit
from schedtui.debugger.running import PauseClock

if TYPE_CHECKING:
    from collections.abc import Callable

    from schedtui.debugger.breakpoints import SourceTree
    from schedtui.debugger.conversation import Conversation
    from schedtui.debugger.inbox import Inbox
    from schedtui.debugger.inspector import Inspector, Reason
    from schedtui.debugger.keeper import BreakpointKeeper
    from schedtui.debugger.launching import Call
    from schedtui.debugger.model import Event, Launch, Restart, Stop, TargetState
    from schedtui.debugger.questions import Question
    from schedtui.debugger.running import Run

ANSWER_SECONDS = 600.0
"""How long a dialog may stand before the safe answer is given."""


class Bench(abc.ABC):
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

    @abc.abstractmethod
    def resume(self, line: str, reason: Reason, *, typed: bool = False) -> None:
        """Send a command that lets the target run."""

    @abc.abstractmethod
    def restart(self, command: Restart) -> None:
        """Start the target anew."""

    def keep_watches(self, watches: tuple[str, ...]) -> None:
        """Remember the watched expressions for the next dlv."""
        self._watches = watches

    def after_typing(self, *, changes_values: bool) -> None:
        """Something was typed: show what it may have changed."""
        if self.state == "stopped" and (changes_values or self.inspector.elsewhere()):
            self.show(self.inspector.look_again())
        self.breakpoints.publish(self, only_changes=True)

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

    def _interrupted(self) -> bool:
        self.inbox.quiet()
        self._wake_dlv_to_leave()
        return self.inbox.take_interrupt() or self.inbox.closing

    def _wake_dlv_to_leave(self) -> None:
        """At the end a dlv that somebody stopped (SIGSTOP) is let go on: it has to answer."""
        if self.inbox.closing and self._talk is not None:
            self._talk.session.let_go_on()
            self._owned.let_server_go_on()

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


def _signal(status: int) -> str:
    try:
        return signal.Signals(-status).name
    except ValueError:
        return f"signal {-status}"
