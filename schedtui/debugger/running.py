"""One stretch in which the target runs: from the command that lets it go to the prompt that is back.

Owns what is collected meanwhile (dlv's text, tracepoints, an interrupted step) and how long the target has been
held still before. It decides nothing: the engine does, once the prompt is there.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from schedtui.debugger.conversation import AGAIN_SECONDS, SessionLost
from schedtui.debugger.model import ConsoleOutput, Traced
from schedtui.debugger.replies import trace_goroutine
from schedtui.debugger.session import Asked, Ended, Lines, Prompted

if TYPE_CHECKING:
    from collections.abc import Callable

    from schedtui.debugger.conversation import Conversation
    from schedtui.debugger.inspector import Reason
    from schedtui.debugger.model import Event
    from schedtui.debugger.session import Piece

QUIET_STEP_SECONDS = 0.15
"""A step that takes longer is shown as running."""

TRACE_SECONDS = 0.1
"""How long a tracepoint's line waits for the values under it."""

INTERRUPTED_SECONDS = 15.0
"""dlv is given up when it does not answer to interrupts for so long."""

WAIT_SECONDS = 3600.0
"""How long a wait for dlv or a wish lasts when nothing else is due."""


@dataclass
class Run:
    """One stretch."""

    talk: Conversation
    post: Callable[[Event], None]
    reason: Reason
    """What to call the stop when dlv tells nothing better."""
    typed: bool = False
    """True when a person typed the command: all that dlv prints is shown."""
    step_from: int = 0
    """The goroutine that a step began in; 0 for no step."""
    shown: bool = True
    """False while a quick step has not been shown as running."""
    text: str = ""
    note: str = ""
    _trace: list[str] = field(default_factory=list)
    _interrupted: float = 0.0
    """When it was first interrupted; 0 when it was not."""
    _due: float = 0.0
    """When the interrupt is repeated."""

    @property
    def patience(self) -> float:
        """Seconds until something is due although nothing came."""
        if self._trace:
            return TRACE_SECONDS
        if self._interrupted:
            return max(0.0, self._due - time.monotonic())
        return WAIT_SECONDS if self.shown else QUIET_STEP_SECONDS

    def interrupt(self, *, again: bool = False) -> None:
        """Ask dlv to stop the target."""
        self.talk.session.interrupt(again=again)
        now = time.monotonic()
        self._due = now + AGAIN_SECONDS
        if not self._interrupted:
            self._interrupted = now

    def interrupt_again(self) -> None:
        """Repeat an interrupt that dlv has not answered: it forgets one that comes while the target is let go.

        Raises:
            SessionLost: It does not answer at all.
        """
        if not self._interrupted or time.monotonic() < self._due:
            return
        if time.monotonic() - self._interrupted > INTERRUPTED_SECONDS:
            raise SessionLost("dlv does not answer to an interrupt", self.text + self.talk.session.pending)
        self.interrupt(again=True)

    def take(self, piece: Piece) -> bool:
        """Take in what came; True when the prompt is back.

        Raises:
            SessionLost: dlv is gone.
        """
        if isinstance(piece, Ended):
            raise SessionLost(f"dlv {piece.status}", self.text + piece.text)
        self.text += piece.text
        if isinstance(piece, Lines):
            self._follow(piece.text.rstrip("\n"))
        elif isinstance(piece, Asked):
            if piece.question.id == "interrupted-step":
                self.note = "a breakpoint was hit during the step: the step ends here"
            self.talk.session.answer(self.talk.answer_to(piece, {}))
        elif isinstance(piece, Prompted):
            self.flush_trace()
            return True
        return False

    def _follow(self, line: str) -> None:
        """Gather a tracepoint's line, the blank line after it and the values that are indented under it."""
        if self._trace and (line.startswith("\t") or not line):
            if line:
                self._trace.append(line)
            return
        if self._trace == [line] and line.startswith(">>"):
            # dlv tells of a return once for each of its breakpoints there; without a call between it is one.
            return
        self.flush_trace()
        if trace_goroutine(line) is not None:
            self._trace = [line]

    def flush_trace(self) -> None:
        """Hand on a tracepoint that waits for more."""
        if self._trace:
            whole, self._trace = "\n".join(self._trace), []
            self.post(ConsoleOutput(whole, "trace"))
            self.post(Traced(time.time(), trace_goroutine(whole.split("\n")[0]) or 0, whole))


class PauseClock:
    """How long the target stands still and has stood still: what costs a leader its lease."""

    def __init__(self) -> None:
        self._began = self._stopped = time.monotonic()
        self.longest = 0.0
        """The longest stand-still of this target, seconds."""

    def new_target(self) -> None:
        """Another target begins, stopped."""
        self._began = self._stopped = time.monotonic()
        self.longest = 0.0

    def stopped(self) -> None:
        """The target stands still from now on."""
        self._stopped = time.monotonic()

    def resumed(self) -> None:
        """It goes on."""
        self.longest = max(self.longest, time.monotonic() - self._stopped)

    @property
    def lived(self) -> float:
        """Seconds since the target began."""
        return time.monotonic() - self._began
