"""One question at a time with dlv: send a line, answer what it asks, wait for the reply, keep to a time limit.

Owns the policy of waiting: what interrupts a wait, how long is too long, who answers a question. It does not know
what the commands mean and posts nothing.
"""

from __future__ import annotations

import logging
import math
import time
from typing import TYPE_CHECKING

from schedtui.core.errors import DebuggerFailed
from schedtui.debugger.replies import Reply, is_cancelled, is_disconnected, read_reply
from schedtui.debugger.session import Asked, Ended, Prompted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from schedtui.debugger.questions import Question
    from schedtui.debugger.session import DlvSession, Piece

LOG = logging.getLogger(__name__)
"""For answers that do not parse; they are shown raw as well."""

USUAL_SECONDS = 30.0
"""How long a command that does not resume the target may take."""

DEAF_SECONDS = 0.5
"""For how long a question of our own cannot be broken off."""

TELL_SECONDS = 0.5
"""How often it is told what has come so far of a reply that takes long."""

AGAIN_SECONDS = 1.0
"""An interrupt that had no effect for so long is repeated: dlv forgets one that comes before it has begun."""

LATE_INTERRUPTS = 3
"""How often a question of our own is put at most, when it is hit by interrupts that were for the target."""

INTERRUPTED_SECONDS = 10.0
"""How long dlv may take to come back after it was interrupted."""


class SessionLost(Exception):
    """dlv is gone, or does not answer any more; the driver shows what is left."""

    def __init__(self, reason: str, text: str) -> None:
        """Keep why, and the last output."""
        super().__init__(reason)
        self.reason = reason
        self.text = text


class Conversation:
    """Commands and replies over one session.

    Args:
        session: The terminal.
        mark: What each line of a JSON answer starts with.
        wake: Descriptor that becomes readable when somebody wants something meanwhile.
        interrupted: Called after a wake-up; True when the wait is to be broken off.
        decide: Called for a question that a person decides; returns the answer, or None when nobody is there.
    """

    def __init__(
        self,
        session: DlvSession,
        mark: str,
        wake: int,
        interrupted: Callable[[], bool],
        decide: Callable[[Question, str], str | None],
    ) -> None:
        self.session = session
        self._mark = mark
        self._wake = wake
        self._interrupted = interrupted
        self._decide = decide
        self._broken_off = False
        """Whether the last question was interrupted by ourselves."""

    def ask(
        self, line: str, *, limit: float | None = USUAL_SECONDS, answers: Mapping[str, str] | None = None
    ) -> Reply:
        """Send a line that does not resume the target and wait for its reply.

        Args:
            line: One command.
            limit: Seconds; None waits until it is interrupted.
            answers: Answers to questions by their id; what is missing is decided by policy.

        Raises:
            SessionLost: dlv ended or does not come back.
            DebuggerFailed: The line cannot be sent.
        """
        for _ in range(LATE_INTERRUPTS):
            self.session.send(line)
            reply = self.collect(limit=limit, answers=answers)
            # Nobody broke off what we asked: an interrupt for the target came late, because dlv was slow.
            if limit is None or self._broken_off or not is_cancelled(reply.failure):
                break
        return reply

    def collect(
        self, *, limit: float | None = USUAL_SECONDS, answers: Mapping[str, str] | None = None, text: str = "",
        meanwhile: Callable[[str], None] | None = None,
    ) -> Reply:  # fmt: skip
        """Wait for the reply to what was sent.

        Args:
            limit: As for ``ask``.
            answers: As for ``ask``.
            text: What came before.
            meanwhile: Gets what has come so far, every now and then.

        Raises:
            SessionLost: dlv ended or does not come back.
        """
        deadline = None if limit is None else time.monotonic() + limit
        # A question of our own is answered in a millisecond: it must not use up an interrupt for the target.
        deaf_until = time.monotonic() + (0.0 if limit is None else DEAF_SECONDS)
        self._broken_off = False
        again_at = math.inf
        while True:
            now = time.monotonic()
            patience = TELL_SECONDS if meanwhile is not None else 3600.0
            left = max(0.0, min(now + patience if deadline is None else deadline, again_at) - now)
            deaf = now < deaf_until
            piece = self.session.poll(
                min(left, deaf_until - now) if deaf else left, wake=-1 if deaf else self._wake
            )
            if piece is None and meanwhile is not None:
                meanwhile(self.session.pending)
            if isinstance(piece, Prompted):
                reply = read_reply(text + piece.text, self._mark)
                for line in reply.unreadable:
                    LOG.warning("an answer of dlv's does not parse: %r", line)
                if self.session.is_client and is_disconnected(reply.failure):
                    raise SessionLost("the debugger's server is gone", reply.failure)
                return reply
            if isinstance(piece, Asked):
                text += piece.text + piece.line + "\n"
                self.session.answer(self.answer_to(piece, answers or {}))
            elif isinstance(piece, Ended):
                raise SessionLost(f"dlv {piece.status}", text + piece.text)
            elif deaf:
                continue
            elif not self._broken_off and (self._interrupted() or _over(deadline)):
                self._broken_off = True
                deadline, again_at = time.monotonic() + INTERRUPTED_SECONDS, time.monotonic() + AGAIN_SECONDS
                self.session.interrupt()
            elif self._broken_off and _over(deadline):
                raise SessionLost("dlv does not answer any more", text + self.session.pending)
            elif self._broken_off and _over(again_at):
                again_at = time.monotonic() + AGAIN_SECONDS
                self.session.interrupt()

    def answer_to(self, asked: Asked, answers: Mapping[str, str]) -> str:
        """The answer to a question: what the command wants, else what a person says, else the safe one."""
        question = asked.question
        if question.id in answers:
            return answers[question.id]
        decided = self._decide(question, asked.line) if question.ask_user else None
        # Even the unknown question gets no empty line: dlv would take its default, which may be to kill.
        return decided or question.safe or "n"

    def documents(self, line: str, *, limit: float | None = USUAL_SECONDS) -> Reply:
        """Ask one of our own commands.

        Raises:
            SessionLost: dlv ended or does not come back.
            DebuggerFailed: dlv refused; the title is its reason.
        """
        reply = self.ask(line, limit=limit)
        if reply.failure and not reply.documents:
            raise DebuggerFailed(reply.failure)
        return reply

    def drain(self, piece: Piece | None) -> str:
        """The text of an unasked piece."""
        return "" if piece is None else piece.text


def _over(deadline: float | None) -> bool:
    return deadline is not None and time.monotonic() >= deadline


def starlark_text(text: str) -> str:
    """``text`` as a literal of Starlark, which dlv evaluates in our commands' arguments."""
    parts = []
    for character in text:
        code = ord(character)
        if character in '"\\':
            parts.append("\\" + character)
        elif character.isprintable() and code < 0x80:
            parts.append(character)
        elif code < 0x80:
            parts.append(f"\\x{code:02x}")
        else:
            parts.append(f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}")
    return '"' + "".join(parts) + '"'
