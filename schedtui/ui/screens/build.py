"""The build beside a running session: how far it is, what went wrong, and the state of the program.

Owns the display of a ``BuildState`` and the keys that start, stop and leave a build. Building is ``services``'.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import Vertical

from schedtui.ui import messages
from schedtui.ui.key_table import key_of_event
from schedtui.ui.screens.overlays import Overlay, SelectedText, folded
from schedtui.ui.screens.status import clock
from schedtui.ui.screens.typed_ahead import hand_on
from schedtui.ui.widgets.bars import KeyRow, PaneTitle
from schedtui.ui.widgets.rows import Row, RowsView, row

if TYPE_CHECKING:
    from textual import events
    from textual.app import ComposeResult

    from schedtui.core.build_state import BuildError, BuildState

BAR_CELLS = 24
"""Width of the progress bar."""

PHASE_ROLES = {"done": "good", "failed": "bad", "cancelled": "warning"}
"""Phase → role of its title."""

RESTART_AFTER = {"b": False, "r": True}
"""Keys that start a build → whether the scheduler is started anew when it is done."""


class BuildScreen(Overlay):
    """A build, live. Enter jumps to the line that a compiler error names; Escape leaves it building."""

    DEFAULT_CSS = """
    BuildScreen { background: $background; }
    BuildScreen Vertical { height: 1fr; background: $background; }
    """

    def __init__(self, state: BuildState) -> None:
        """Create it."""
        super().__init__()
        self._state = state

    def compose(self) -> ComposeResult:
        """Title, rows, keys."""
        with Vertical():
            yield PaneTitle("build")
            yield RowsView(id="list")
            yield SelectedText()
            yield KeyRow()

    def on_mount(self) -> None:
        """Fill it."""
        self.query_one(PaneTitle).show(focused=True)
        self.query_one("#list", RowsView).set_active(True)
        self.show_state(self._state)

    def show_state(self, state: BuildState) -> None:
        """Show another state."""
        self._state = state
        if not self.is_attached:
            return
        view = self.query_one("#list", RowsView)
        view.set_rows(folded(build_rows(state), self.size.width or 80))
        if state.phase == "building":
            keys = [("x", "stop building"), ("Esc", "back; it goes on")]
        else:
            places = (
                [("Enter", "go to the line"), ("E", "editor")] if any(item.file for item in state.errors) else []
            )
            keys = [*places, ("r", "build and restart"), ("b", "build only"), ("Esc", "back")]
        self.query_one(KeyRow).show_keys(keys)
        self.query_one(PaneTitle).show(summary=state.title or state.step or state.why_stale or "up to date")
        # Once it has a size: a view without one would scroll what stands above out of sight.
        self.call_after_refresh(self._to_first_error)

    def _to_first_error(self) -> None:
        view = self.query_one("#list", RowsView)
        if view.selected is None or view.selected.payload is None:
            first = next((index for index, item in enumerate(view.rows) if item.payload is not None), None)
            if first is not None:
                view.move_to(first)

    def on_key(self, event: events.Key) -> None:
        """Start, stop, jump or leave."""
        if hand_on(self, event):
            return
        event.stop()
        key = key_of_event(event.key, event.character)
        view = self.query_one("#list", RowsView)
        place: BuildError | None = view.selected.payload if view.selected is not None else None
        if key in ("escape", "q"):
            self.dismiss(None)
        elif key in ("j", "down", "k", "up"):
            view.move(1 if key in ("j", "down") else -1)
        elif key == "x" and self._state.phase == "building":
            self.app.post_message(messages.RebuildRequested(cancel=True))
        elif key in RESTART_AFTER and self._state.phase != "building":
            self.app.post_message(messages.RebuildRequested(restart=RESTART_AFTER[key]))
        elif key == "enter" and place is not None:
            self.dismiss(messages.SourceJumpRequested(place.file, place.line))
        elif key == "E" and place is not None:
            self.dismiss(messages.EditorRequested(place.file, place.line))
        self.query_one(SelectedText).show(view.selected, self.size.width)


def build_rows(state: BuildState) -> list[Row]:
    """The state as rows; the payload of an error's row is its place."""
    rows = [row(("program  ", "dim"), state.binary or "none yet")]
    if state.why_stale and state.phase == "idle":
        rows.append(row(("         ", "dim"), (f"not what the tree gives now: {state.why_stale}", "warning")))
    rows.append(row(""))
    if state.phase == "building":
        rows += _progress_rows(state)
    elif state.title:
        rows.append(row((state.title, PHASE_ROLES.get(state.phase, ""))))
        rows += [row((note, "note")) for note in state.notes]
        rows += [_error_row(error) for error in state.errors]
        if state.hint:
            rows.append(row((state.hint, "note")))
    else:
        rows.append(row(("r builds and starts the scheduler anew, its breakpoints kept; what runs goes on until"
                         " the build is done.", "note")))  # fmt: skip
    return rows


def _progress_rows(state: BuildState) -> list[Row]:
    spans: list[tuple[str, str]] = [
        ("… ", "key"),
        (f"{state.target}: {state.step}", ""),
        (f"  {clock(state.elapsed)}", "dim"),
    ]
    if state.total:
        filled = min(BAR_CELLS, state.done * BAR_CELLS // state.total)
        spans += [
            ("  " + "█" * filled, "spark"), ("░" * (BAR_CELLS - filled), "dim"),
            (f" {state.done}/{state.total} packages", "key"),
        ]  # fmt: skip
    if state.left is not None:
        spans.append((f", about {clock(state.left)} left", "note"))
    rows = [Row(tuple(spans))]
    if state.current:
        rows.append(row((f"    {state.current}", "dim")))
    return rows


def _error_row(error: BuildError) -> Row:
    if error.file:
        return row(("x ", "bad"), error.text, key=f"{error.file}:{error.line}", payload=error)
    return row((f"  {error.text}", "dim"))
