"""The main screen's frame: three panes, which of them has the keys, folding and zoom, key sequences.

Owns layout and key dispatch. What an action does is written in ``main`` or in the pane; what a pane shows is the
pane's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual._callback import invoke
from textual.containers import Container, Vertical
from textual.screen import Screen
from textual.widgets import Input, Static

from schedtui.ui.key_table import LEADERS, Pending, key_of_event, shown
from schedtui.ui.screens.typed_ahead import KeptKeys, hand_on
from schedtui.ui.stage import Stage
from schedtui.ui.widgets.bars import CommandRow, PaneTitle, StatusLine
from schedtui.ui.widgets.console import CONSOLE_KEYS, ConsoleInput

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from textual import events
    from textual.app import ComposeResult
    from textual.widget import Widget

    from schedtui.ui.key_table import KeyTable
    from schedtui.ui.keys import Action, Need
    from schedtui.ui.widgets.answer_line import AnswerLine

WIDE_COLUMNS, WIDE_ROWS = 120, 30
"""From here on all panes are open at once."""

LEAST_COLUMNS, LEAST_ROWS = 40, 10
"""Below this nothing sensible can be shown."""

NOTICE_SECONDS = 8.0
"""How long a notice stays when no key is pressed."""


class PaneFrame(Vertical):
    """A pane with its title row."""

    DEFAULT_CSS = """
    PaneFrame { height: 1fr; }
    PaneFrame.-folded { height: 1; }
    PaneFrame.-hidden { display: none; }
    """

    def __init__(self, name: str, body: Widget) -> None:
        super().__init__(id=f"frame-{name}")
        self.pane_name = name
        self.body = body

    def compose(self) -> ComposeResult:
        """Title and pane."""
        yield PaneTitle(self.pane_name)
        yield self.body

    @property
    def title_row(self) -> PaneTitle:
        """The title row."""
        return self.query_one(PaneTitle)


class PanesScreen(Screen[None]):
    """Panes and keys."""

    AUTO_FOCUS = ""

    DEFAULT_CSS = """
    PanesScreen #panes { height: 1fr; }
    PanesScreen #upper { height: auto; layout: vertical; }
    PanesScreen #upper.-open { height: 1fr; }
    PanesScreen.-wide #upper { layout: horizontal; height: 58%; }
    PanesScreen.-wide.-two #upper { height: 40%; }
    PanesScreen.-wide #frame-queue { width: 2fr; border-left: solid $panel; }
    PanesScreen.-wide.-two #frame-queue { border-left: none; }
    PanesScreen.-wide #frame-debugger { width: 3fr; }
    PanesScreen.-wide.-zoomed #upper { height: auto; }
    PanesScreen.-wide.-zoomed #upper.-open { height: 1fr; }
    PanesScreen #too-small { display: none; height: 1fr; content-align: center middle; }
    PanesScreen.-too-small #too-small { display: block; }
    PanesScreen.-too-small #panes, PanesScreen.-too-small StatusLine, PanesScreen.-too-small CommandRow {
        display: none; }
    """

    def __init__(
        self, keys: KeyTable, panes: Mapping[str, Widget], first: str, available: frozenset[Need]
    ) -> None:
        """Create the frame.

        Args:
            keys: The key table.
            panes: Pane name → widget, in the order in which Tab walks.
            first: The pane that has the keys at the start.
            available: What there is (a debugger, a log): actions that need something else are not offered.
        """
        super().__init__()
        self.key_table = keys
        self.available = available
        self.active_pane = first
        self.zoomed = False
        self._frames = {name: PaneFrame(name, body) for name, body in panes.items()}
        self._pending: tuple[str, ...] = ()
        self._answer: Callable[[str], Any] | None = None
        self._edit: Callable[[str], Any] | None = None
        self._histories: dict[str, list[str]] = {}
        self._notice_serial = 0
        self._begin: Callable[[], Any] | None = None
        self._kept = KeptKeys()

    def begin_with(self, begin: Callable[[], Any], kept: KeptKeys | None = None) -> None:
        """Call this once everything is on the screen, then take the keys that were typed before it was."""
        self._begin, self._kept = begin, kept or KeptKeys()

    async def _begin_now(self) -> None:
        begin, self._begin = self._begin, None
        if begin is not None:
            await invoke(begin)
        stage = self.app
        assert isinstance(stage, Stage)
        await stage.turns.take_again(self._kept.take())

    def compose(self) -> ComposeResult:
        """Debugger and queue above, log below, two rows at the bottom."""
        with Container(id="panes"):
            with Container(id="upper"):
                for name in ("debugger", "queue"):
                    if name in self._frames:
                        yield self._frames[name]
            if "log" in self._frames:
                yield self._frames["log"]
        yield Static("", id="too-small", markup=False)
        yield StatusLine()
        yield CommandRow()

    def on_mount(self) -> None:
        """Lay out, and show the keys."""
        self.set_class(len(self._frames) == 2, "-two")
        self.lay_out()
        if self._begin is not None:
            self.call_after_refresh(self._begin_now)

    def on_resize(self) -> None:
        """Lay out anew."""
        self.lay_out()

    # --- panes ------------------------------------------------------------------------------------------------

    @property
    def status(self) -> StatusLine:
        """The status line."""
        return self.query_one(StatusLine)

    @property
    def command_row(self) -> CommandRow:
        """The bottom row."""
        return self.query_one(CommandRow)

    def pane(self, name: str) -> Any:  # noqa: ANN401  # panes share no base class beside Widget
        """The pane of that name; KeyError when this screen has none."""
        return self._frames[name].body

    def has_pane(self, name: str) -> bool:
        """True when there is such a pane."""
        return name in self._frames

    @property
    def is_wide(self) -> bool:
        """True when all panes are open at once."""
        return self.size.width >= WIDE_COLUMNS and self.size.height >= WIDE_ROWS

    def lay_out(self) -> None:
        """Fold, open and hide panes as size, focus and zoom want it."""
        if not self.is_mounted:
            return
        width, height = self.size
        small = bool(width and height) and (width < LEAST_COLUMNS or height < LEAST_ROWS)
        self.set_class(small, "-too-small")
        if small:
            need = f"{LEAST_COLUMNS}x{LEAST_ROWS}"
            self.query_one("#too-small", Static).update(f"{width}x{height} is too small;\n{need} is the least.")
        wide = self.is_wide
        self.set_class(wide, "-wide")
        self.set_class(self.zoomed, "-zoomed")
        for name, frame in self._frames.items():
            active = name == self.active_pane
            frame.set_class(self.zoomed and not active, "-hidden")
            folded = not active and not wide
            frame.set_class(folded, "-folded")
            frame.body.display = not folded
            frame.title_row.show(focused=active, folded=folded)
        self.query_one("#upper").set_class(self.active_pane != "log", "-open")
        self.show_keys()

    def go_to(self, name: str) -> None:
        """Let a pane have the keys."""
        if name not in self._frames:
            self.notify_row(f"There is no {name} pane here.", "warning")
            return
        self.active_pane = name
        self.lay_out()
        body = self._frames[name].body
        self.set_focus(body if body.can_focus else None, scroll_visible=False)

    def step_pane(self, by: int) -> None:
        """Let the next or previous pane have the keys."""
        names = list(self._frames)
        self.go_to(names[(names.index(self.active_pane) + by) % len(names)])

    def show_summaries(self, summaries: Mapping[str, str]) -> None:
        """Fill the title rows."""
        for name, text in summaries.items():
            if name in self._frames and self._frames[name].is_mounted:
                self._frames[name].title_row.show(summary=text)

    # --- the bottom row -----------------------------------------------------------------------------------------

    def show_keys(self) -> None:
        """Show the footer of the active pane."""
        if self.is_mounted and not self._pending:
            groups = self.key_table.footer(self.active_pane, self.size.width or 80, self.available)
            if isinstance(self.focused, ConsoleInput):
                groups = CONSOLE_KEYS
            self.command_row.keys.show_keys(groups)

    def notify_row(self, text: str, role: str = "note") -> None:
        """Show a notice in the bottom row until a key is pressed or some seconds have gone by."""
        if not self.is_mounted:
            return
        self.command_row.keys.show_notice(text, role)
        self._notice_serial += 1
        serial = self._notice_serial
        self.set_timer(NOTICE_SECONDS, lambda: self.show_keys() if serial == self._notice_serial else None)

    def ask(
        self, question: str, answer: Callable[[str], Any], *, initial: str = "", history: str = "",
        edit: Callable[[str], Any] | None = None,
    ) -> None:  # fmt: skip
        """Ask for a line in the bottom row.

        Args:
            question: What stands before the input.
            answer: Called with the text; not called when the question is given up.
            initial: What the input holds at first.
            history: Name of the list of earlier answers; empty for the question itself.
            edit: Called with the text so far at every change.
        """
        self._answer, self._edit = answer, edit
        self.command_row.ask(question, initial, self._histories.setdefault(history or question, []))

    async def on_answer_line_answered(self, event: AnswerLine.Answered) -> None:
        """Carry out what the question was for."""
        event.stop()
        answer, self._answer, self._edit = self._answer, None, None
        self.command_row.close()
        self.go_to(self.active_pane)
        if event.text is not None and answer is not None:
            history = self.command_row.query_one("PromptInput").history  # type: ignore[attr-defined]
            if event.text and event.text not in history[-1:]:
                history.append(event.text)
            await invoke(answer, event.text)
        self.line_left()

    def line_left(self) -> None:
        """A question was answered or given up."""

    async def on_command_row_edited(self, event: CommandRow.Edited) -> None:
        """Let a search go along with the typing."""
        event.stop()
        if self._edit is not None:
            await invoke(self._edit, event.text)

    # --- keys -------------------------------------------------------------------------------------------------

    async def on_key(self, event: events.Key) -> None:
        """Resolve a key; text inputs keep their letters."""
        if self._begin is not None:
            self._kept.keep(event)
            event.stop()
            event.prevent_default()
            return
        key = key_of_event(event.key, event.character)
        if self.is_current and self._in_input:
            if len(key) > 1 and await self._key_in_input(key):
                event.stop()
                event.prevent_default()
                return
            hand_on(self, event)
            return
        if hand_on(self, event):
            return
        event.stop()
        event.prevent_default()
        await self._press(key)

    @property
    def _in_input(self) -> bool:
        """True while a line is typed on (one that is answered is only about to go)."""
        return isinstance(self.focused, Input) and not getattr(self.focused, "answered", False)

    async def _key_in_input(self, key: str) -> bool:
        """F-keys, the interrupt and repainting work in text inputs too; True when the key was used."""
        action = self.key_table.resolve(self.active_pane, (key,))
        if action is None or isinstance(action, Pending):
            return False
        if key.startswith("f") or key == "ctrl+c" or action.id == "app.redraw":
            await self.run(action)
            return True
        return False

    async def _press(self, key: str) -> None:
        if self._pending and key == "escape":
            self._pending = ()
            self.show_keys()
            return
        sequence = (*self._pending, key)
        found = self.key_table.resolve(self.active_pane, sequence)
        self._pending = ()
        self._notice_serial += 1
        if isinstance(found, Pending):
            self._pending = sequence
            self._show_pending(found)
            return
        self.show_keys()
        if found is not None:
            await self.run(found)
        elif key != "escape":
            self.notify_row(self._no_key(sequence), "warning")

    def _no_key(self, sequence: tuple[str, ...]) -> str:
        """What to say of keys that mean nothing in the active pane: where they mean something."""
        meant = []
        for name in self._frames:
            found = self.key_table.resolve(name, sequence) if name != self.active_pane else None
            if found is None or isinstance(found, Pending) or (found.need and found.need not in self.available):
                continue
            meant.append(f"{found.label} in the {name} pane (, {name[0]})")
        keys = shown(" ".join(sequence))
        if meant:
            return f"{keys} is no key of the {self.active_pane} pane; it is {', '.join(meant)}."
        return f"{keys} is no key here; ? lists them."

    def _show_pending(self, pending: Pending) -> None:
        offered = [
            (key, action.label)
            for key, action in pending.choices
            if not action.need or action.need in self.available
        ]
        lead = " ".join(pending.sequence)
        word = LEADERS.get(lead, "")
        self.command_row.keys.show_keys(offered, f"{lead} {word}… ")

    async def run(self, action: Action) -> None:
        """Carry out an action: by this screen's method for it, else by the pane's."""
        if action.need and action.need not in self.available:
            self.notify_row(f"{action.label}: there is no {action.need} here.", "warning")
            return
        if action.pane == "debugger" and not self.has_pane("debugger"):
            # The palette offers every action by its name, those of panes that are not there too.
            self.notify_row(f"{action.label}: there is no debugger here.", "warning")
            return
        method = getattr(self, f"action_{action.id.replace('.', '_')}", None)
        if method is None and action.pane in self._frames:
            method = getattr(self._frames[action.pane].body, f"action_{action.name}", None)
        if method is None:
            self.notify_row(f"{action.label} is not possible here.", "warning")
            return
        await invoke(method)
