"""Rows for the lists that lie over the main screen: help, palette, themes.

Owns their wording. It is pure: key table and command table in, rows out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedtui.core.log_filter import FILTER_HELP, READY_FILTERS
from schedtui.debugger import model
from schedtui.debugger.catalogue import own_catalogue
from schedtui.ui.commands import COMMANDS, TypedCommand
from schedtui.ui.key_table import shown
from schedtui.ui.widgets.rows import Row, row

if TYPE_CHECKING:
    from collections.abc import Iterable

    from schedtui.ui.key_table import KeyTable
    from schedtui.ui.keys import Action, Need
    from schedtui.ui.themes import Palette

PANE_HELP: dict[str, tuple[str, ...]] = {
    "debugger": (
        "The gutter: ● breakpoint, ◆ with a condition, ○ off, ? pending, ▶ stands here.",
        "V3 x214 at the right: a log call, its level and its lines in this log.",
        "Letters step only in this pane; b …, c and q work everywhere.",
    ),
    "log": (
        "Any upward move pauses following; G or End resumes it.",
        "Digits show records up to that V level; errors, warnings and V? always stay.",
        "V changes what the scheduler writes.",
        "At a row's end: +3 three more lines (Enter shows them), ◆ marked, incomplete.",
        "Below: FOLLOW, END or PAUSED +new; ⟨part⟩ of the filter, [part] switched off,",
        "±context; V, line, rows.",
        "In a record (Enter): Enter unfolds a value, y copies it, = and ! filter by it.",
        "s saves what is shown, secrets masked (! before the name: not); y is OSC 52.",
        "Several --log merge by time, klog's INFO/WARNING/ERROR twins once; gzip, UTF-16,",
        "pipes and - are read. Rotation, truncation, a file not there yet: followed, and",
        "── marks the place. klog text and JSON of any release, in any wrapper (CRI,",
        "docker, journald, kubectl, other prefixes); what has no known shape stays text.",
    ),
    "queue": (
        "A activeQ  B backoffQ  U unschedulable  G gated  F in flight  W waiting (permit)",
        "P binding  N bound  x gone  ? unknown; ~ is inferred, not logged.",
        "A line above the pods names the -v that would be exact.",
        "Per node: counted from binding lines; awk '{print $NF}' counts feasibleNodes=….",
    ),
}  # fmt: skip
"""What the signs of a pane mean."""

LOG_COMMANDS = ("goto", "count", "filter", "save-filter", "advise")
"""Typed commands that stand in the log pane's help."""


def help_rows(table: KeyTable, pane: str, available: frozenset[Need]) -> list[Row]:
    """The keys of a pane, its own first, then those that work everywhere."""
    rows = [row((line, "note")) for line in PANE_HELP.get(pane, ())]
    own = [action for action in table.actions if action.pane == pane]
    everywhere = [action for action in table.actions if action.pane == "everywhere"]
    if pane == "log":
        rows += _filter_rows()
    for title, actions in ((f"In the {pane} pane", own), ("In every pane", everywhere)):
        rows += [row(""), row((title, "tab-active"))]
        rows += [
            _action_row(action)
            for action in actions
            if action.keys and (not action.need or action.need in available) and not _is_digit(action)
        ]
        if title.startswith("In every"):
            rows.append(row((f"  {'0 … 9':<16}", "key"), ("Show log records up to that V level", "")))
    return rows


def _filter_rows() -> list[Row]:
    """The filter language, and what the palette does with the log."""
    rows = [row(""), row(("Filters (f), also of schedtui logs", "tab-active"))]
    rows += [row((f"  {form:<24}", "key"), meaning) for form, meaning in FILTER_HELP]
    names = ", ".join(item.name for item in READY_FILTERS)
    rows += [row((f"  {'F  :filter NAME':<24}", "key"), f"by name: {names}")]
    rows += [row(""), row(("Typed behind :", "tab-active"))]
    rows += [
        row((f"  {command.name} {command.arguments}".ljust(26), "key"), command.help)
        for command in COMMANDS
        if command.name in LOG_COMMANDS
    ]
    return rows


def _is_digit(action: Action) -> bool:
    return action.id.startswith("app.level_") and action.name[-1].isdigit()


def _action_row(action: Action) -> Row:
    keys = "  ".join(shown(keys) for keys in action.keys)
    return row((f"  {keys:<16}", "key"), (action.help, ""), key=action.id, payload=action)


def palette_rows(table: KeyTable, available: frozenset[Need]) -> list[Row]:
    """Typed commands, then every action with its key."""
    rows = [
        row(
            (f"{command.name} {command.arguments}".strip().ljust(28), "key"), (f" {command.help}", ""),
            key=command.name, payload=command,
        )
        for command in COMMANDS
    ]  # fmt: skip
    rows += [
        row(
            (f"{action.label}".ljust(20), "key"), (f"{shown(action.keys[0]) if action.keys else '':<8}", "note"),
            (f" {action.help}", ""), key=action.id, payload=action,
        )
        for action in table.actions
        if (not action.need or action.need in available) and not _is_digit(action) and not _is_move(action)
    ]  # fmt: skip
    if "debugger" in available:
        rows += [
            row((f"break at {station.name}".ljust(28), "key"), (f" {station.title}", ""),
                key=f"station {station.name}", payload=model.SetBreakpoint(station.name))
            for station in own_catalogue().stations
        ]  # fmt: skip
    return rows


def _is_move(action: Action) -> bool:
    return action.name.startswith(("cursor_", "page_", "half_", "scroll_")) or action.name in ("top", "palette")


def split_typed(typed: str) -> tuple[str, str]:
    """A typed line as (command's name, its words)."""
    name, _, words = typed.strip().partition(" ")
    return name, words.strip()


def command_named(name: str) -> TypedCommand | None:
    """The typed command of that name."""
    return next((command for command in COMMANDS if command.name == name), None)


def theme_rows(palettes: Iterable[Palette], current: str) -> list[Row]:
    """Themes to choose from."""
    return [
        row(
            ("▶ " if item.name == current else "  ", "key"), (f"{item.name:<16}", "key"), (item.description, ""),
            key=item.name, payload=item.name,
        )
        for item in palettes
    ]  # fmt: skip
