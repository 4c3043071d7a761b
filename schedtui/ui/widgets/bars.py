"""The thin rows: pane titles, the status line, and the command row at the bottom.

Owns what they say and how it is cut to the width. The command row shows one thing at a time: a question with its
input, a pending key sequence, a notice, or the footer's keys.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len, set_cell_size
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, Static

from schedtui.ui.widgets.answer_line import AnswerLine
from schedtui.ui.widgets.literal import literal
from schedtui.ui.widgets.rows import palette_of, strip_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult
    from textual.strip import Strip


LEAST_TITLE = 24
"""Cells that a title may take whatever is said behind it."""

_PLACE_AT_END = re.compile(r"\.go:\d+$")
"""A summary that ends with where the scheduler stands."""

_COUNT = re.compile(r"(?:[a-z' ]+: )?[a-z][a-z. ]* \d+(?: · | |$)")
"""A word and its number, with what separates it from the next, and with what is said of all in front."""

LEAST_CUT = 12
"""Cells below which a cut part says nothing any more."""

TITLE_FRAME = 4
"""Cells of sign and blanks around a title."""


def _middle_left_out(text: str, cells: int) -> str:
    """``preparing /home/…/nowhere``: what begins and ends a path says most."""
    head = cells // 3
    tail = cells - head - 1
    while cell_len(text[:head]) > cells // 3:
        head -= 1
    while cell_len(text[-tail:]) > cells - cells // 3 - 1:
        tail -= 1
    return f"{text[:head]}…{text[-tail:]}"


def _whole_counts(counts: Sequence[str], cells: int) -> str:
    """``active 3 backoff 2 …``: a word without its number says nothing."""
    text = ""
    for count in counts:
        if cell_len(text) + cell_len(count.rstrip(" ·")) + 2 > cells:
            break
        text += count
    return f"{text.rstrip(' ·')} …"


class PaneTitle(Widget):
    """One row over a pane; all that is seen of a pane that is folded."""

    DEFAULT_CSS = """
    PaneTitle { height: 1; }
    """

    def __init__(self, word: str, *, id: str | None = None) -> None:  # noqa: A002  # Textual's name
        super().__init__(id=id)
        self.word = word
        self.summary = ""
        self.focused_pane = False
        self.folded = False

    def show(self, *, summary: str | None = None, focused: bool | None = None, folded: bool | None = None) -> None:
        """Change what is given; repaint only when it differs."""
        fresh = (
            self.summary if summary is None else summary,
            self.focused_pane if focused is None else focused,
            self.folded if folded is None else folded,
        )
        if fresh != (self.summary, self.focused_pane, self.folded):
            self.summary, self.focused_pane, self.folded = fresh
            self.refresh()

    def render_line(self, y: int) -> Strip:
        """Paint the row."""
        palette = palette_of(self)
        role = "title-focused" if self.focused_pane else "title"
        sign = "▸" if self.folded else "▾"
        room = self.size.width - cell_len(self.summary) - TITLE_FRAME
        room = max(room, LEAST_TITLE)
        word = self.word if cell_len(self.word) <= room else _middle_left_out(self.word, room)
        summary = self._summary_in(self.size.width - cell_len(word) - TITLE_FRAME)
        spans = [(f"{sign} {word} ", role), (f" {summary}", "" if self.folded else role)]
        return strip_of(
            spans, palette, self.size.width, self.rich_style if self.folded else self.rich_style + palette[role]
        )

    def _summary_in(self, cells: int) -> str:
        """The summary; what does not fit is left out visibly, and never the line at the end of a place."""
        text = literal(self.summary)
        if cell_len(text) <= cells or cells < LEAST_CUT:
            return text
        if _PLACE_AT_END.search(text):
            return _middle_left_out(text, cells)
        counts = _COUNT.findall(text)
        if "".join(counts) == text:
            return _whole_counts(counts, cells)
        return f"{set_cell_size(text, cells - 1)}…"


@dataclass(frozen=True, slots=True)
class StatusPart:
    """One group of the status line."""

    text: str
    role: str = ""
    priority: int = 0
    """The lowest are left out first when the width is short."""
    flexible: bool = False
    """True when it may be cut instead of left out."""


def _cells(parts: Sequence[StatusPart]) -> int:
    return sum(cell_len(literal(part.text)) for part in parts) + 3 * (len(parts) - 1)


class StatusLine(Widget):
    """State of the target, both verbosities, progress."""

    DEFAULT_CSS = """
    StatusLine { height: 1; background: $surface; }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002  # Textual's name
        super().__init__(id=id)
        self.parts: tuple[StatusPart, ...] = ()

    def show(self, parts: Sequence[StatusPart]) -> None:
        """Show other parts; repaint only when they differ."""
        fresh = tuple(part for part in parts if part.text)
        if fresh != self.parts:
            self.parts = fresh
            self.refresh()

    def fitting(self, width: int) -> tuple[StatusPart, ...]:
        """The parts that fit: the least important left out first, one that may be cut cut to what is left."""
        kept = list(self.parts)
        while len(kept) > 1 and (over := _cells(kept) - width) > 0:
            weakest = min(kept, key=lambda part: part.priority)
            left = cell_len(literal(weakest.text)) - over
            if weakest.flexible and left >= LEAST_CUT:
                cut = replace(weakest, text=set_cell_size(literal(weakest.text), left - 1) + "…")
                kept[kept.index(weakest)] = cut
                break
            kept.remove(weakest)
        return tuple(kept)

    def render_line(self, y: int) -> Strip:
        """Paint the row."""
        spans: list[tuple[str, str]] = []
        for part in self.fitting(self.size.width):
            if spans:
                spans.append((" │ ", "dim"))
            spans.append((part.text, part.role))
        return strip_of(spans, palette_of(self), self.size.width, self.rich_style)


class KeyRow(Widget):
    """The footer's keys, a pending sequence or a notice."""

    DEFAULT_CSS = """
    KeyRow { height: 1; }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002  # Textual's name
        super().__init__(id=id)
        self.groups: tuple[tuple[str, str], ...] = ()
        self.notice: tuple[str, str] | None = None
        """(text, role) shown instead of the keys."""
        self.lead = ""
        """What a pending sequence is introduced with."""

    def show_keys(self, groups: Sequence[tuple[str, str]], lead: str = "") -> None:
        """Show (key, label) groups."""
        fresh = (tuple(groups), lead, None)
        if fresh != (self.groups, self.lead, self.notice):
            self.groups, self.lead, self.notice = fresh
            self.refresh()

    def show_notice(self, text: str, role: str) -> None:
        """Show a notice instead."""
        if self.notice != (text, role):
            self.notice = (text, role)
            self.refresh()

    def render_line(self, y: int) -> Strip:
        """Paint the row; groups that do not fit whole are left out."""
        width = self.size.width
        if self.notice is not None:
            return strip_of((self.notice,), palette_of(self), width, self.rich_style)
        spans: list[tuple[str, str]] = [(self.lead, "note")] if self.lead else []
        used = cell_len(self.lead)
        for number, (key, label) in enumerate(self.groups, 1):
            size = cell_len(key) + cell_len(label) + 3
            # Of keys that may come next none must seem to be the last one: there is room for a sign.
            sign = 2 if self.lead and number < len(self.groups) else 0
            if used + size - 2 + sign > width:
                spans += [("…", "note")] if self.lead else []
                break
            spans += [(key, "key"), (f" {label}  ", "")]
            used += size
        return strip_of(spans, palette_of(self), width, self.rich_style)


class PromptInput(AnswerLine):
    """The input of a question; Escape gives up, the arrows walk through what was answered before."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "history(-1)", show=False),
        Binding("down", "history(1)", show=False),
    ]

    def __init__(self) -> None:
        super().__init__(answered=True)
        self.history: list[str] = []
        self._at = 0

    def use_history(self, lines: list[str]) -> None:
        """Walk through these answers; new ones are appended to the same list."""
        self.history, self._at = lines, len(lines)

    def action_history(self, by: int) -> None:
        """Show an older or newer answer."""
        self._at = max(0, min(len(self.history), self._at + by))
        self.value = self.history[self._at] if self._at < len(self.history) else ""
        self.cursor_position = len(self.value)


class CommandRow(Horizontal):
    """The bottom row."""

    DEFAULT_CSS = """
    CommandRow { height: 1; }
    CommandRow #question { width: auto; }
    CommandRow PromptInput { width: 1fr; height: 1; border: none; padding: 0; background: $background; }
    CommandRow PromptInput:focus { border: none; }
    CommandRow PromptInput, CommandRow #question { display: none; }
    CommandRow.-asking PromptInput, CommandRow.-asking #question { display: block; }
    CommandRow.-asking KeyRow { display: none; }
    """

    @dataclass
    class Edited(Message):
        """The answer so far."""

        text: str

    def compose(self) -> ComposeResult:
        """Keys, question, input."""
        yield KeyRow(id="keys")
        yield Static("", id="question", markup=False)
        yield PromptInput()

    @property
    def keys(self) -> KeyRow:
        """The row of keys and notices."""
        return self.query_one(KeyRow)

    @property
    def asking(self) -> bool:
        """True while a question is open."""
        return self.has_class("-asking")

    @property
    def answered(self) -> bool:
        """True once Enter or Escape was pressed: what is typed behind it is no part of the answer."""
        return self.query_one(PromptInput).answered

    def ask(self, question: str, initial: str, history: list[str]) -> None:
        """Open a question."""
        self.query_one("#question", Static).update(literal(question) + " ")
        field = self.query_one(PromptInput)
        field.use_history(history)
        self.add_class("-asking")
        field.answered = False
        field.value = initial
        field.cursor_position = len(initial)
        # At once: what is typed right behind the key belongs into the input.
        self.screen.set_focus(field, scroll_visible=False)

    def close(self) -> None:
        """Show the keys again."""
        self.remove_class("-asking")

    def on_input_changed(self, event: Input.Changed) -> None:
        """Tell what is typed, for searches that go along."""
        event.stop()
        if self.asking:
            self.post_message(self.Edited(event.value))
