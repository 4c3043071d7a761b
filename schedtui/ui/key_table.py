"""Keys to actions: resolves sequences, applies remaps, refuses conflicts, and tells what to show.

Owns the look-up and the texts made from ``keys.ACTIONS`` (footer entries, help, README table). It knows no
widget and carries out nothing.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from schedtui.core.errors import WrongUse
from schedtui.ui.keys import ACTIONS, LEADERS, PRESETS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from schedtui.ui.keys import Action, Need

NAMED_KEYS = frozenset({
    "space", "enter", "tab", "escape", "backspace", "delete", "insert", "up", "down", "left", "right", "home",
    "end", "pageup", "pagedown", "shift+tab", *(f"f{number}" for number in range(1, 13)),
    *(f"ctrl+{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"),
})  # fmt: skip
"""Key names beside single characters."""

FORBIDDEN_KEYS = frozenset({"ctrl+s", "ctrl+q", "ctrl+z", "ctrl+a", "ctrl+b", "ctrl+i", "ctrl+m", "ctrl+j"})
"""Keys that flow control, job control, tmux or screen keep, or that are another key on a terminal."""

SHOWN_AS = {
    "enter": "Enter", "escape": "Esc", "tab": "Tab", "shift+tab": "Shift-Tab", "space": "Space",
    "up": "↑", "down": "↓", "left": "←", "right": "→", "pageup": "PgUp", "pagedown": "PgDn", "home": "Home",
    "end": "End",
}  # fmt: skip
"""How named keys are written for people."""


@dataclass(frozen=True, slots=True)
class Pending:
    """The start of one or more longer sequences."""

    sequence: tuple[str, ...]
    choices: tuple[tuple[str, Action], ...]
    """(next key as it is shown, action) of each way on."""


def shown(sequence: str) -> str:
    """A key sequence as people write it: ``ctrl+p`` is ``^P``, ``enter`` is ``Enter``."""
    return " ".join(_shown_key(key) for key in sequence.split(" "))


def _shown_key(key: str) -> str:
    if key in SHOWN_AS:
        return SHOWN_AS[key]
    if key.startswith("ctrl+"):
        return "^" + key[5:].upper()
    return key.upper() if len(key) > 1 else key


def key_of_event(key: str, character: str | None) -> str:
    """The name of a pressed key in the table's spelling, from Textual's key name and character."""
    if character and character.isprintable() and character != " ":
        return character
    return key


class KeyTable:
    """All actions with their effective keys."""

    def __init__(
        self, actions: Iterable[Action] = ACTIONS, remap: Mapping[str, Sequence[str]] | None = None
    ) -> None:
        """Build the table.

        Args:
            actions: The actions with their default keys.
            remap: Action id → key sequences that replace the defaults.

        Raises:
            WrongUse: An unknown id or key name, or two actions on one key in the same pane.
        """
        self.actions = _remapped(tuple(actions), remap or {})
        self._by_id = {action.id: action for action in self.actions}
        conflicts = _conflicts(self.actions)
        if conflicts:
            raise WrongUse(
                "keys are taken twice", where="key table", details=tuple(conflicts),
                hint="Give one of each pair another key.",
            )  # fmt: skip
        self._sequences: dict[str, dict[tuple[str, ...], Action]] = {}
        for action in self.actions:
            table = self._sequences.setdefault(action.pane, {})
            for keys in action.keys:
                table[tuple(keys.split(" "))] = action

    def action(self, action_id: str) -> Action:
        """The action of that id."""
        return self._by_id[action_id]

    def resolve(self, pane: str, sequence: tuple[str, ...]) -> Action | Pending | None:
        """What a key sequence means in a pane: an action, the start of one, or nothing."""
        choices: list[tuple[str, Action]] = []
        for table in (self._sequences.get(pane, {}), self._sequences.get("everywhere", {})):
            action = table.get(sequence)
            if action is not None:
                return action
            for keys, candidate in table.items():
                if len(keys) > len(sequence) and keys[: len(sequence)] == sequence:
                    choices.append((shown(keys[len(sequence)]), candidate))
        return Pending(sequence, tuple(choices)) if choices else None

    def shown_key(self, action_id: str) -> str:
        """The first key of an action as people write it; empty when it has none."""
        action = self._by_id[action_id]
        return shown(action.keys[0]) if action.keys else ""

    def in_pane(self, pane: str, available: frozenset[Need] | None = None) -> tuple[Action, ...]:
        """The actions whose keys work in a pane, its own first, without those whose need is not there."""
        own = [action for action in self.actions if action.pane == pane]
        rest = [action for action in self.actions if action.pane == "everywhere"] if pane != "everywhere" else []
        return tuple(
            action for action in (*own, *rest) if available is None or not action.need or action.need in available
        )

    def footer(self, pane: str, width: int, available: frozenset[Need]) -> tuple[tuple[str, str], ...]:
        """(key, label) groups that fit into ``width`` columns, the most important ones kept.

        A group is never cut in the middle: it is shown whole or not at all.
        """
        wanted = sorted(
            (action for action in self.in_pane(pane, available) if action.footer and action.keys),
            key=lambda action: -action.footer,
        )
        kept: list[tuple[str, str]] = []
        used = 0
        for action in wanted:
            key = shown(action.keys[0])
            size = len(key) + 1 + len(action.label) + (2 if kept else 0)
            if used + size > width:
                break
            kept.append((key, action.label))
            used += size
        return tuple(kept)


def table_for(keys: str | Mapping[str, Sequence[str]] | None) -> KeyTable:
    """A key table from the name of a preset, a remap, or nothing.

    Raises:
        WrongUse: No preset has that name, or the remap does not fit.
    """
    if isinstance(keys, str):
        if keys not in PRESETS:
            near = difflib.get_close_matches(keys, PRESETS, 1)
            hint = f"Did you mean {near[0]}?" if near else f"Presets: {', '.join(sorted(PRESETS))}."
            raise WrongUse("no such key preset", where=keys, hint=hint)
        return KeyTable(remap=PRESETS[keys])
    return KeyTable(remap=keys)


def markdown_table(table: KeyTable, panes: Sequence[str] = ("everywhere", "debugger", "log", "queue")) -> str:
    """The README's key table: one Markdown table per pane."""
    parts: list[str] = []
    for pane in panes:
        parts += [f"**{pane}**", "", "| keys | does |", "|---|---|"]
        parts += [
            f"| {' or '.join(_markdown_key(keys) for keys in action.keys)} | {action.help} |"
            for action in table.actions
            if action.pane == pane and action.keys
        ]
        parts.append("")
    return "\n".join(parts)


def _markdown_key(keys: str) -> str:
    text = shown(keys).replace("|", "\\|")
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def _remapped(actions: tuple[Action, ...], remap: Mapping[str, Sequence[str]]) -> tuple[Action, ...]:
    known = {action.id for action in actions}
    for action_id, sequences in remap.items():
        if action_id not in known:
            near = difflib.get_close_matches(action_id, known, 1)
            raise WrongUse(
                "no such action", where=action_id, hint=f"Did you mean {near[0]}?" if near else "'?' lists them."
            )
        for sequence in sequences:
            _check_sequence(action_id, sequence)
    return tuple(
        replace(action, keys=tuple(remap[action.id])) if action.id in remap else action for action in actions
    )


def _check_sequence(action_id: str, sequence: str) -> None:
    for key in sequence.split(" "):
        if key in FORBIDDEN_KEYS:
            raise WrongUse(
                "this key does not reach a program on every terminal", where=f"{action_id} = {key}",
                hint="Flow control, job control, tmux or screen keep it; choose a letter or a two-key form.",
            )  # fmt: skip
        if key not in NAMED_KEYS and not (len(key) == 1 and key.isprintable()):
            near = difflib.get_close_matches(key, NAMED_KEYS, 1)
            raise WrongUse(
                "no such key", where=f"{action_id} = {key!r}", hint=f"Did you mean {near[0]}?" if near else ""
            )


def _conflicts(actions: tuple[Action, ...]) -> list[str]:
    """Pairs of actions where one's keys hide the other's: the same keys, or the start of them."""
    found: list[str] = []
    entries = [(tuple(keys.split(" ")), action) for action in actions for keys in action.keys]
    for index, (keys, action) in enumerate(entries):
        for other_keys, other in entries[index + 1 :]:
            if action is other or not _same_place(action, other):
                continue
            shorter = min(len(keys), len(other_keys))
            if keys[:shorter] == other_keys[:shorter]:
                found.append(f"{' '.join(keys)}: {action.id} and {' '.join(other_keys)}: {other.id}")
    return found


def _same_place(one: Action, other: Action) -> bool:
    return one.pane == other.pane or "everywhere" in (one.pane, other.pane)


__all__ = ["LEADERS", "KeyTable", "Pending", "key_of_event", "markdown_table", "shown", "table_for"]
