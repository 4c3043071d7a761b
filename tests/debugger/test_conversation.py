"""Waiting for replies, with a session that says what it is told to."""

from __future__ import annotations

from typing import Any

import pytest

from schedtui.debugger.conversation import LATE_INTERRUPTS, Conversation
from schedtui.debugger.session import Prompted

MARK = "#mark "
CANCELLED = "Command failed: Starlark computation cancelled: user interrupt\n"
ANSWER = f'{MARK}state {{"running": false}}\n'


class Told:
    """Replies one behind the other."""

    is_client = False
    pending = ""

    def __init__(self, *replies: str) -> None:
        self.replies = list(replies)
        self.sent: list[str] = []

    def send(self, line: str) -> None:
        self.sent.append(line)

    def poll(self, _seconds: float, wake: int = -1) -> Prompted:
        return Prompted(self.replies.pop(0))


def conversation(session: Any) -> Conversation:  # noqa: ANN401  # a stand-in
    return Conversation(session, MARK, -1, lambda: False, lambda *_: None)


@pytest.mark.parametrize("late", [0, 1, LATE_INTERRUPTS - 1])
def test_a_question_that_a_late_interrupt_hits_is_put_again(late: int) -> None:
    session = Told(*[CANCELLED] * late, ANSWER)
    reply = conversation(session).documents("schedtui_state")
    assert reply.documents["state"] == {"running": False}
    assert session.sent == ["schedtui_state"] * (late + 1)


def test_it_is_not_put_for_ever() -> None:
    session = Told(*[CANCELLED] * (LATE_INTERRUPTS + 1))
    assert "cancelled" in conversation(session).ask("schedtui_state").failure
    assert len(session.sent) == LATE_INTERRUPTS


def test_what_a_person_typed_is_not_repeated() -> None:
    session = Told(CANCELLED)
    assert "cancelled" in conversation(session).ask("source mine.star", limit=None).failure
    assert session.sent == ["source mine.star"]
