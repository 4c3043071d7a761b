"""Themes as data: reads ``themes/*.toml`` into Textual themes and palettes of roles.

Owns the list of roles (what a colour is for), where theme files are looked for, and the choice by what the
terminal can show. It styles no widget. A file that does not fit is reported and left out; there is always a
theme to fall back to.
"""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.errors import StyleSyntaxError
from rich.style import Style
from textual.color import Color, ColorParseError
from textual.theme import BUILTIN_THEMES, Theme

import schedtui
from schedtui.config.toml_files import read_toml_bytes, toml_document
from schedtui.core.errors import WrongUse

if TYPE_CHECKING:
    from collections.abc import Mapping

ROLES: dict[str, str] = {
    "title": "bold",
    "title-focused": "bold reverse",
    "dim": "dim",
    "key": "bold",
    "cursor": "reverse",
    "cursor-blurred": "underline",
    "tab": "dim",
    "tab-active": "bold underline",
    "match": "reverse bold",
    "severity-fatal": "bold reverse",
    "severity-error": "bold",
    "severity-warning": "bold",
    "severity-info": "",
    "severity-notice": "italic",
    "level-unknown": "dim",
    "state-active": "",
    "state-backoff": "",
    "state-unschedulable": "bold",
    "state-gated": "dim",
    "state-in_flight": "bold",
    "state-waiting": "",
    "state-binding": "",
    "state-bound": "",
    "state-gone": "dim",
    "state-unknown": "dim",
    "target-running": "bold",
    "target-stopped": "bold reverse",
    "target-exited": "bold",
    "line-current": "bold reverse",
    "line-number": "dim",
    "breakpoint": "bold",
    "breakpoint-off": "dim",
    "log-call": "dim",
    "changed": "bold",
    "go-keyword": "bold",
    "go-type": "",
    "go-function": "",
    "go-string": "",
    "go-number": "",
    "go-comment": "dim",
    "note": "italic",
    "good": "",
    "warning": "bold",
    "bad": "bold",
    "spark": "",
}
"""What a style is for → the style without any colour; a theme lays its own over it."""

DEFAULT_THEME = "dark"
"""The theme for terminals with true colour."""

_COLOURS = frozenset({
    "primary", "secondary", "warning", "error", "success", "accent", "foreground", "background", "surface",
    "panel", "boost",
})  # fmt: skip
"""The colours that Textual derives a widget's look from."""


@dataclass(frozen=True, slots=True)
class Palette:
    """One theme: its colours for Textual and a style for each role."""

    name: str
    description: str
    depth: str
    """The least the terminal must show: ``truecolor``, ``256``, ``16`` or ``mono``."""
    theme: Theme
    styles: Mapping[str, Style]

    def __getitem__(self, role: str) -> Style:
        """The style of a role."""
        return self.styles[role]


@dataclass(frozen=True, slots=True)
class ThemeSet:
    """What was found: the palettes by name, and the files that do not fit."""

    palettes: Mapping[str, Palette]
    failures: tuple[str, ...] = field(default_factory=tuple)


def theme_directories(user_directory: Path | None = None) -> tuple[Path, ...]:
    """Where themes are: in the installed package, else beside it (an editable install), then the user's own."""
    package = Path(schedtui.__file__).parent
    places = [place for place in (package / "themes", package.parent / "themes") if place.is_dir()][:1]
    if user_directory is not None and user_directory.is_dir():
        places.append(user_directory)
    return tuple(places)


def load_themes(user_directory: Path | None = None) -> ThemeSet:
    """Read every theme file; a later directory's theme of the same name wins."""
    palettes: dict[str, Palette] = {plain.name: plain for plain in (plain_palette(),)}
    failures: list[str] = []
    for directory in theme_directories(user_directory):
        for file in sorted(directory.glob("*.toml")):
            try:
                palette = parse_theme(read_toml_bytes(file), str(file))
            except WrongUse as error:
                failures.append(error.as_text())
            except OSError as error:
                failures.append(f"{file}: {error.strerror}")
            else:
                palettes[palette.name] = palette
    return ThemeSet(palettes, tuple(failures))


def plain_palette() -> Palette:
    """The theme that needs no file: no colour at all, bold, reverse and underline only."""
    return parse_theme(b'name = "plain"\ndescription = "no colour at all"\ndepth = "mono"\n', "plain")


def parse_theme(content: bytes, name: str) -> Palette:
    """Turn a theme file into a palette; ``name`` is how errors call the file.

    Raises:
        WrongUse: Not TOML, an unknown key or role, or a colour that is none.
    """
    try:
        document = toml_document(content)
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise WrongUse("The theme is not valid TOML", where=f"{name}: {error}") from error
    _refuse_unknown(document, {"name", "description", "depth", "dark", "colours", "roles"}, name)
    colours = _table(document, "colours", name)
    roles = _table(document, "roles", name)
    _refuse_unknown(colours, _COLOURS, f"{name}: colours")
    _refuse_unknown(roles, set(ROLES), f"{name}: roles")
    for key, text in colours.items():
        try:
            Color.parse(str(text))
        except ColorParseError as error:
            raise WrongUse("The theme names a colour that is none", where=f"{name}: {key} = {text}") from error
    depth = document.get("depth", "truecolor")
    ansi = depth in ("16", "mono")
    dark = bool(document.get("dark", True))
    filled = dict.fromkeys(_COLOURS, "ansi_default") if ansi else {}
    filled |= {key: str(value) for key, value in colours.items()}
    theme_name = str(document.get("name") or Path(name).stem)
    try:
        styles = {role: Style.parse(str(roles.get(role, plain))) for role, plain in ROLES.items()}
    except StyleSyntaxError as error:
        raise WrongUse("A role of the theme is no style", where=f"{name}: {error}") from error
    theme = Theme(
        name=theme_name, primary=filled.pop("primary", "#5fafff"), dark=dark, ansi=ansi,
        variables=_variables(ansi, dark), **filled,  # type: ignore[arg-type]  # every remaining field is a colour
    )  # fmt: skip
    return Palette(theme_name, str(document.get("description", "")), str(depth), theme, styles)


def choose_theme(wanted: str, themes: ThemeSet, environment: Mapping[str, str] | None = None) -> Palette:
    """The theme to start with: the one asked for, else what suits the terminal.

    Raises:
        WrongUse: There is no theme of the name asked for.
    """
    variables = os.environ if environment is None else environment
    if wanted:
        if wanted not in themes.palettes:
            names = ", ".join(sorted(themes.palettes))
            raise WrongUse("no such theme", where=wanted, hint=f"Themes: {names}.")
        return themes.palettes[wanted]
    depth = colour_depth(variables)
    name = DEFAULT_THEME if depth == "truecolor" else depth
    return themes.palettes.get(name) or themes.palettes["plain"]


def colour_depth(environment: Mapping[str, str]) -> str:
    """What the terminal can show, as its variables tell: ``truecolor``, ``256``, ``16`` or ``mono``.

    ssh hands TERM on but not COLORTERM, so 256 colours are all that can be relied on without it.
    """
    if environment.get("NO_COLOR") or environment.get("TERM", "") in ("dumb", "vt100", "vt102", "vt220", ""):
        return "mono"
    if environment.get("COLORTERM", "").lower() in ("truecolor", "24bit"):
        return "truecolor"
    term = environment.get("TERM", "")
    return "256" if "256color" in term or term in ("xterm-kitty", "alacritty", "xterm-ghostty") else "16"


def _variables(ansi: bool, dark: bool) -> dict[str, str]:
    """What Textual's own styles look for besides the colours."""
    if not ansi:
        return {}
    own = BUILTIN_THEMES["ansi-dark" if dark else "ansi-light"].variables
    return {**own, "input-cursor-text-style": "reverse", "block-cursor-text-style": "reverse"}


def _table(document: dict[str, Any], key: str, name: str) -> dict[str, Any]:
    table = document.get(key, {})
    if not isinstance(table, dict):
        raise WrongUse("The theme's key must be a table", where=f"{name}: {key}")
    return table


def _refuse_unknown(table: Mapping[str, Any], known: set[str] | frozenset[str], name: str) -> None:
    for key in table:
        if key not in known:
            raise WrongUse(
                "Unknown key in the theme", where=f"{name}: {key}", hint=f"Known: {', '.join(sorted(known))}."
            )
