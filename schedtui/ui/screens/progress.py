"""What is being prepared: one row per step, with what went wrong when it did.

Owns the display of ``WorkProgressed`` and ``WorkFailed`` and the wish to cancel. The work is ``services``'.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from textual import on
from textual.screen import Screen

from schedtui.ui import messages
from schedtui.ui.key_table import key_of_event, shown
from schedtui.ui.screens.overlays import folded
from schedtui.ui.screens.status import clock
from schedtui.ui.screens.typed_ahead import KeptKeys, hand_on
from schedtui.ui.widgets.bars import KeyRow, PaneTitle
from schedtui.ui.widgets.rows import Row, RowsView, row

if TYPE_CHECKING:
    from textual import events
    from textual.app import ComposeResult

LEAST_WIDTH = 20
"""Columns that words are folded to at least."""

BAR_CELLS = 24
"""Width of a progress bar."""


@dataclass(slots=True)
class _Step:
    name: str
    started: float
    done: int = 0
    total: int = 0
    detail: str = ""
    ended: float | None = None
    seen: list[str] = field(default_factory=list)


class ProgressScreen(Screen[None]):
    """Steps, the newest last; q or Ctrl-C cancels. Other keys are kept for the panes that come."""

    AUTO_FOCUS = ""

    DEFAULT_CSS = """
    ProgressScreen RowsView { height: 1fr; margin: 1 1; }
    """

    def __init__(self, title: str, note: str = "", *, kept: KeptKeys | None = None) -> None:
        """Create it.

        Args:
            title: What is prepared.
            note: What the user should know while waiting.
            kept: Keys that were typed before this screen came.
        """
        super().__init__()
        self.kept = kept or KeptKeys()
        """Keys for the panes that come."""
        self._title = title
        self._note = note
        self._steps: list[_Step] = []
        self._failure: tuple[Row, ...] = ()
        self._cancelling = False

    def compose(self) -> ComposeResult:
        """Title, steps, keys."""
        yield PaneTitle(self._title)
        yield RowsView(cursor=False, empty="Starting …")
        yield KeyRow()

    def on_mount(self) -> None:
        """Start the clock of the running step."""
        self.query_one(PaneTitle).show(focused=True)
        self.query_one(KeyRow).show_keys([("q", "cancel and quit"), ("^C", "the same")])
        self.set_interval(1.0, self.show_steps)

    @on(messages.WorkProgressed)
    def _progressed(self, message: messages.WorkProgressed) -> None:
        now = time.monotonic()
        if not self._steps or self._steps[-1].name != message.step:
            if self._steps and self._steps[-1].ended is None:
                self._steps[-1].ended = now
            self._steps.append(_Step(message.step, now))
        step = self._steps[-1]
        step.done, step.total, step.detail = message.done, message.total, message.detail
        self.show_steps()

    @on(messages.NoticePosted)
    def _noticed(self, message: messages.NoticePosted) -> None:
        if self._steps:
            self._steps[-1].seen.append(message.text)
        self.show_steps()

    @on(messages.WorkFailed)
    def _failed(self, message: messages.WorkFailed) -> None:
        message.stop()
        self.kept.drop()
        lines = message.error.as_text().split("\n")
        hint = message.error.hint.split("\n") if message.error.hint else []
        body = lines[: len(lines) - len(hint)]
        self._failure = (
            row(""), row((body[0], "bad")),
            *(row(line) for line in body[1:]), *(row((line, "note")) for line in hint),
        )  # fmt: skip
        self.query_one(PaneTitle).show(summary="it did not work")
        self.query_one(KeyRow).show_keys([("r", "try again"), ("o", "doctor"), ("q", "quit")])
        self.show_steps()
        self.query_one(RowsView).move_to(-1)

    def show_steps(self) -> None:
        """Repaint the steps."""
        if not self.is_mounted:
            return
        now = time.monotonic()
        rows: list[Row] = [row((self._note, "note")), row("")] if self._note else []
        for step in self._steps:
            rows += _step_rows(step, now, last=step is self._steps[-1], failed=bool(self._failure))
        if self.kept.names and not self._failure:
            keys = " ".join(map(shown, self.kept.names))
            rows.append(row((f"typed ahead, for the panes: {keys}  (Backspace forgets it)", "note")))
        if self._cancelling:
            rows.append(row(("Cancelling; what was started is being ended …", "warning")))
        view = self.query_one(RowsView)
        # What went wrong is told to its last word: paths alone may be wider than the screen.
        view.set_rows(folded([*rows, *self._failure], max(LEAST_WIDTH, view.size.width)))

    def on_resize(self) -> None:
        """Fold the words anew."""
        self.show_steps()

    def on_key(self, event: events.Key) -> None:
        """Cancel, try again, look at the set-up; keep what else is typed."""
        if self.kept.keep_behind(self, event) or hand_on(self, event):
            return
        event.stop()
        key = key_of_event(event.key, event.character)
        if key in ("q", "ctrl+c", "escape"):
            self._cancelling = not self._failure
            self.show_steps()
            self.post_message(messages.QuitRequested("end"))
        elif self._failure:
            self._after_failure(key)
        elif key == "backspace":
            self.kept.drop()
            self.show_steps()
        else:
            self.kept.keep(event)
            self.show_steps()

    def _after_failure(self, key: str) -> None:
        if key in ("j", "down", "k", "up"):
            self.query_one(RowsView).move(1 if key in ("j", "down") else -1)
        elif key == "r":
            self._failure, self._steps = (), []
            self.query_one(PaneTitle).show(summary="")
            self.query_one(KeyRow).show_keys([("q", "cancel and quit"), ("^C", "the same")])
            self.post_message(messages.CommandRequested("retry"))
        elif key == "o":
            self.post_message(messages.CommandRequested("doctor"))


def _step_rows(step: _Step, now: float, *, last: bool, failed: bool) -> list[Row]:
    over = step.ended is not None
    sign, role = ("✓", "good") if over else ("x", "bad") if last and failed else ("…", "key")
    spent = clock((step.ended or now) - step.started)
    spans: list[tuple[str, str]] = [(f"{sign} ", role), (step.name, ""), (f"  {spent}", "dim")]
    if not over and step.total:
        filled = min(BAR_CELLS, step.done * BAR_CELLS // step.total)
        spans += [
            ("  " + "█" * filled, "spark"), ("░" * (BAR_CELLS - filled), "dim"),
            (f" {step.done}/{step.total}", "key"),
        ]  # fmt: skip
    rows = [Row(tuple(spans))]
    rows += [row((f"    {text}", "note")) for text in step.seen[-3:]]
    if not over and step.detail:
        rows.append(row((f"    {step.detail}", "dim")))
    return rows
