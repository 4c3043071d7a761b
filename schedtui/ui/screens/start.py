"""The start screen: what can be done, one key each.

Owns the choices as data. Whoever opened it starts what was chosen.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.screen import Screen

from schedtui.ui import messages
from schedtui.ui.key_table import key_of_event
from schedtui.ui.screens.typed_ahead import KeptKeys, hand_on
from schedtui.ui.widgets.bars import CommandRow, PaneTitle
from schedtui.ui.widgets.rows import RowsView, row

if TYPE_CHECKING:
    from textual import events
    from textual.app import ComposeResult

    from schedtui.ui.widgets.answer_line import AnswerLine


@dataclass(frozen=True, slots=True)
class Choice:
    """One way to begin."""

    key: str
    name: str
    """What is asked for: the command's name."""
    label: str
    help: str
    question: str = ""
    """What is asked first; empty for nothing."""


CHOICES: tuple[Choice, ...] = (
    Choice("l", "lab", "lab", "a private cluster, its scheduler under dlv"),
    Choice("t", "tour", "guided tour", "the same, led step by step"),
    Choice("p", "scenario", "scenario", "the same, with one of the scenarios played in it"),
    Choice("s", "source", "source tree", "build and debug a Kubernetes tree", "Directory:"),
    Choice("f", "logs", "log file", "read a log, rebuild its queues", "File:"),
    Choice("r", "runs", "earlier runs", "the kept logs of earlier runs"),
    Choice("o", "doctor", "doctor", "check the set-up; a fix for each finding"),
    Choice("w", "workflow", "workflow", "from Go set-up to log analysis"),
    Choice("q", "quit", "quit", "leave"),
)
"""The choices, in their order."""

ANOTHER_SCREEN = frozenset({"lab", "tour", "source", "logs"})
"""Choices that another screen comes for at once: what is typed behind them is for it."""

SCREEN_SECONDS = 1.0
"""How long it may take to come; then the keys are this screen's again."""


class StartScreen(Screen[None]):
    """Shown when nothing was named on the command line."""

    AUTO_FOCUS = ""

    DEFAULT_CSS = """
    StartScreen RowsView { height: 1fr; margin: 1 2; }
    """

    def __init__(self, notes: tuple[str, ...] = ()) -> None:
        """Create it.

        Args:
            notes: What was found (a lab that runs, a detached session), one line each.
        """
        super().__init__()
        self._notes = notes
        self._asked: Choice | None = None
        self.kept = KeptKeys()
        """Keys typed behind a choice, for the screen that comes."""
        self._leaving = False

    def compose(self) -> ComposeResult:
        """Title, choices, keys."""
        yield PaneTitle("schedtui")
        yield RowsView(id="choices")
        yield CommandRow()

    def on_mount(self) -> None:
        """Fill it."""
        self.query_one(PaneTitle).show(summary="build, run and debug kube-scheduler from source", focused=True)
        view = self.query_one(RowsView)
        view.set_active(True)
        rows = [
            row((f" {choice.key} ", "key"), (f" {choice.label:<14}", "tab-active"), (f" {choice.help}", ""),
                key=choice.name, payload=choice)
            for choice in CHOICES
        ]  # fmt: skip
        notes = (*self._notes, "The commands without a screen: schedtui --help")
        view.set_rows([*rows, row(""), *(row((note, "note")) for note in notes)])
        self._show_keys()

    def _show_keys(self) -> None:
        self.query_one(CommandRow).keys.show_keys([("letter", "choose"), ("j/k", "move"), ("Enter", "choose")])

    def on_key(self, event: events.Key) -> None:
        """Choose."""
        if self.kept.keep_behind(self, event) or hand_on(self, event):
            return
        command_row = self.query_one(CommandRow)
        if command_row.asking and not command_row.answered:
            return
        event.stop()
        if self._leaving:
            self.kept.keep(event)
            return
        key = key_of_event(event.key, event.character)
        view = self.query_one(RowsView)
        if key in ("j", "down"):
            view.move(1)
        elif key in ("k", "up"):
            view.move(-1)
        elif key == "enter" and view.selected is not None and isinstance(view.selected.payload, Choice):
            self._choose(view.selected.payload)
        else:
            for choice in CHOICES:
                if key == choice.key:
                    self._choose(choice)

    def _choose(self, choice: Choice) -> None:
        if choice.question:
            self._asked = choice
            self.query_one(CommandRow).ask(choice.question, "", [])
        elif choice.name == "quit":
            self.post_message(messages.QuitRequested("end"))
        else:
            self._start(choice.name, "")

    def _start(self, name: str, words: str) -> None:
        if name in ANOTHER_SCREEN:
            self._leaving = True
            self.set_timer(SCREEN_SECONDS, self._stay)
        self.post_message(messages.CommandRequested(f"start-{name}", words))

    def _stay(self) -> None:
        """Take the keys again."""
        self._leaving = False
        if self.is_current:
            for event in self.kept.take():
                self.on_key(event)

    def on_command_row_edited(self, event: CommandRow.Edited) -> None:
        """Nothing goes along with the typing."""
        event.stop()

    def on_answer_line_answered(self, event: AnswerLine.Answered) -> None:
        """Start what was asked for."""
        event.stop()
        asked, self._asked = self._asked, None
        self.query_one(CommandRow).close()
        self.set_focus(None)
        self._show_keys()
        if asked is not None and event.text:
            self._start(asked.name, event.text.strip())
