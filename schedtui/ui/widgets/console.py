"""The dlv console: a transcript and a line to type on.

Owns what was said and the history of what was typed. It sends nothing: a submitted line becomes a
``ConsoleLineTyped`` message.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message

from schedtui.ui.widgets.completion import Completion, Words, complete
from schedtui.ui.widgets.edit_line import EditLine
from schedtui.ui.widgets.literal import literal
from schedtui.ui.widgets.rows import Row, RowsView, row

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from textual.app import ComposeResult
    from textual.events import Key
    from textual.widgets import Input

TRANSCRIPT_LIMIT = 5000
"""Lines kept on screen."""

HINT_ROWS = 5
"""Candidates that are shown at once."""

KIND_ROLES = {"echo": "key", "output": "", "note": "note", "error": "bad", "trace": "log-call"}
"""Kind of console output → role; ``echo`` also starts with a prompt, ``note`` with a sign."""

KIND_SIGNS = {"echo": "(dlv) ", "note": "· ", "error": "! ", "trace": "> "}
"""What tells the kinds apart without colour."""


WRAPPED_KINDS = ("note", "error")
"""What is said to the user is wrapped always; dlv's own lines only while somebody types and reads there."""

COUNTED_KINDS = ("error",)
"""What is said once, with a number, when it is said several times in a row."""

CONSOLE_KEYS = (
    ("Enter", "send"), ("Esc", "back to the pane"), ("Tab", "complete"), ("↑↓", "history"),
    ("PgUp PgDn", "look back"),
)  # fmt: skip
"""What the bottom row says while the console has the keys."""

LEAST_WRAPPED = 20
"""Narrower than this nothing is wrapped, columns."""


class ConsoleInput(EditLine):
    """One line with a history that the arrow keys walk through."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "history(-1)", show=False),
        Binding("down", "history(1)", show=False),
        Binding("escape", "leave", show=False),
        Binding("tab", "complete", show=False),
        Binding("pageup", "look_back(-1)", show=False),
        Binding("pagedown", "look_back(1)", show=False),
    ]

    @dataclass
    class Left(Message):
        """Escape was pressed."""

    @dataclass
    class CompletionWanted(Message):
        """Tab was pressed."""

    @dataclass
    class LookedBack(Message):
        """The transcript is to be moved by so many pages."""

        pages: int

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002  # Textual's name
        super().__init__(id=id, compact=True, select_on_focus=False, placeholder="` types to dlv; Esc leaves")
        self.history: list[str] = []
        self.answered = False
        """True from Escape on: the keys behind it, in one burst, are the pane's."""
        self._at = 0

    def on_focus(self) -> None:
        """Somebody types here."""
        self.answered = False

    async def _on_key(self, event: Key) -> None:
        if self.answered:
            event.prevent_default()
            return
        await super()._on_key(event)

    def remember(self, line: str) -> None:
        """Add a line, unless it repeats the last one."""
        if line and (not self.history or self.history[-1] != line):
            self.history.append(line)
        self._at = len(self.history)

    def action_complete(self) -> None:
        """Complete the word in front of the cursor."""
        self.post_message(self.CompletionWanted())

    async def action_submit(self) -> None:
        """Enter the line; what is typed behind it, in one burst, begins the next one."""
        line, self.value = self.value, ""
        self.post_message(self.Submitted(self, line))

    def action_leave(self) -> None:
        """Give the keys back to the pane; what was typed so far stays."""
        self.answered = True
        if self.parent is not None:
            # To the parent, where the keys that come behind go too: it must be there before them.
            self.parent.post_message(self.Left())

    def action_look_back(self, pages: int) -> None:
        """Move the transcript; what is typed stays."""
        self.post_message(self.LookedBack(pages))

    def action_history(self, by: int) -> None:
        """Show an older or newer line."""
        self._at = max(0, min(len(self.history), self._at + by))
        self.value = self.history[self._at] if self._at < len(self.history) else ""
        self.cursor_position = len(self.value)


class Console(Vertical):
    """Transcript above, input below."""

    DEFAULT_CSS = """
    Console { height: 5; }
    Console ConsoleInput { height: 1; border: none; padding: 0; background: $surface; }
    Console ConsoleInput:focus { border: none; }
    Console #hints { height: auto; max-height: 6; }
    Console #hints.-none { display: none; }
    """

    @dataclass
    class LineTyped(Message):
        """A line was entered."""

        text: str

    @dataclass
    class FunctionsWanted(Message):
        """Dlv should be asked for functions that hold this word."""

        word: str

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002  # Textual's name
        super().__init__(id=id)
        self._rows: list[Row] = []
        self._shown: list[Row] = []
        """The same, wrapped to the width."""
        self.words = Words()
        """What there is to complete with; the pane keeps it up to date."""
        self._cycle: tuple[str, int, tuple[str, ...], int] | None = None
        """While Tab walks through candidates: line, start, candidates, the one that is shown."""
        self._last: tuple[str, str, int] = ("", "", 0)
        """What was added last, its kind, and how often in a row."""
        self._waiting = ""
        """The line for which dlv was asked about functions."""

    def compose(self) -> ComposeResult:
        """The two parts."""
        yield RowsView(id="transcript", cursor=False, empty="` types to dlv; break, print, stack … go there")
        yield RowsView(id="hints", cursor=False)
        yield ConsoleInput(id="console-input")

    def on_mount(self) -> None:
        """No hints before something is typed."""
        self._show_hints(())

    @property
    def input(self) -> ConsoleInput:
        """The line that is typed on."""
        return self.query_one(ConsoleInput)

    @property
    def transcript(self) -> str:
        """All that is kept, as text."""
        return "\n".join(item.text for item in self._rows)

    def remember(self, lines: Iterable[str]) -> None:
        """Fill the history with an earlier session's lines."""
        for line in lines:
            self.input.remember(line)

    def add(self, text: str, kind: str) -> None:
        """Append output; it is shown at once. An error that comes again and again is one, counted."""
        lines = text.rstrip("\n").split("\n")
        count = self._last[2] + 1 if self._last[:2] == (text, kind) and kind in COUNTED_KINDS else 1
        self._last = (text, kind, count)
        if count > 1:
            del self._rows[-len(lines) :]
            self._shown = [line for item in self._rows for line in self._wrapped(item)]
            lines[0] += f"  ({count} times)"
        role, sign = KIND_ROLES.get(kind, ""), KIND_SIGNS.get(kind, "")
        fresh = [row((sign, "dim"), (line, role), payload=kind) for line in lines]
        self._rows += fresh
        del self._rows[:-TRANSCRIPT_LIMIT]
        self._show(fresh)

    def _show(self, fresh: Sequence[Row]) -> None:
        """Show these rows below what is shown, and the end of it all."""
        self._shown += [line for item in fresh for line in self._wrapped(item)]
        del self._shown[:-TRANSCRIPT_LIMIT]
        view = self.query_one("#transcript", RowsView)
        view.set_rows(self._shown)
        view.move_to(-1)

    def _wrapped(self, item: Row) -> list[Row]:
        width = self.size.width
        if width < LEAST_WRAPPED or not (self.input.has_focus or item.payload in WRAPPED_KINDS):
            return [item]
        (sign, dim), (line, role) = item.spans
        indent = "" if sign else "  "
        parts = textwrap.wrap(literal(line), width - len(sign), break_on_hyphens=False, subsequent_indent=indent)
        blank = " " * len(sign)
        return [row((blank if place else sign, dim), (part, role)) for place, part in enumerate(parts or [""])]

    def _show_anew(self) -> None:
        self._shown.clear()
        self._show(self._rows)

    def on_resize(self) -> None:
        """Wrap to the new width."""
        self._show_anew()

    def on_descendant_focus(self) -> None:
        """Somebody reads here: nothing is cut."""
        self._show_anew()

    def on_descendant_blur(self) -> None:
        """Dlv's own lines are one row each again."""
        self._show_anew()

    def on_console_input_looked_back(self, event: ConsoleInput.LookedBack) -> None:
        """Look back in the transcript."""
        event.stop()
        self.query_one("#transcript", RowsView).move_pages(event.pages)

    # --- completion

    def on_console_input_completion_wanted(self, event: ConsoleInput.CompletionWanted) -> None:
        """Complete; pressed again, walk through what is possible."""
        event.stop()
        line = self.input.value
        if self._cycle is not None and line == self._cycle[0]:
            self._walk()
            return
        found = complete(line, self.words)
        if found.wants_functions and self._waiting != line:
            self._waiting = line
            self.post_message(self.FunctionsWanted(found.wants_functions))
            if not found.candidates:
                return
        self._use(line, found)

    def show_functions(self, names: tuple[str, ...]) -> None:
        """Functions that dlv found for the word."""
        self.words = replace(self.words, functions=names)
        if self.input.value == self._waiting:
            self._use(self._waiting, complete(self._waiting, self.words))

    def _use(self, line: str, found: Completion) -> None:
        typed = line[found.start :]
        if not found.candidates:
            self._show_hints((found.help,) if found.help else ("nothing to complete this with",))
            return
        if len(found.candidates) == 1:
            self._put(line[: found.start] + found.candidates[0] + " ")
            self._show_hints(())
            return
        if len(found.common) > len(typed) and found.common.lower().startswith(typed.lower()):
            self._put(line[: found.start] + found.common)
        shown = self.input.value
        self._cycle = (shown, found.start, found.candidates, -1)
        self._show_hints(found.candidates)

    def _walk(self) -> None:
        assert self._cycle is not None
        line, start, candidates, at = self._cycle
        at = (at + 1) % len(candidates)
        line = line[:start] + candidates[at]
        self._put(line)
        self._cycle = (line, start, candidates, at)
        self._show_hints(candidates, at)

    def _put(self, line: str) -> None:
        self.input.value = line
        self.input.cursor_position = len(line)

    def _show_hints(self, lines: Sequence[str], at: int = -1) -> None:
        first = max(0, min(at - HINT_ROWS // 2, len(lines) - HINT_ROWS))
        rows = [
            row((line, "key" if number == at else "note"))
            for number, line in enumerate(lines[first : first + HINT_ROWS], first)
        ]
        left = len(lines) - first - HINT_ROWS
        if left > 0:
            rows.append(row((f"… {left} more", "dim")))
        hints = self.query_one("#hints", RowsView)
        hints.set_rows(rows)
        hints.styles.height = max(1, len(rows))
        hints.set_class(not rows, "-none")

    def on_input_changed(self, event: Input.Changed) -> None:
        """Tell what the command does while it is typed; the walk through candidates ends."""
        event.stop()
        if self._cycle is not None and event.value == self._cycle[0]:
            return
        self._cycle = None
        known = complete(event.value, Words()).help if event.value.strip() else ""
        self._show_hints((known,) if known else ())

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Hand the line on; an empty one does nothing (dlv would repeat its last command)."""
        event.stop()
        text = event.value.strip()
        if not text:
            return
        self.input.remember(text)
        self.post_message(self.LineTyped(text))
