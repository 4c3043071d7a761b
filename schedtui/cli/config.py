"""``schedtui config``: is the configuration file right, what does it say, where is it.

Owns the printing. Reading belongs to ``config.settings``; nothing here writes.
"""

from __future__ import annotations

from pathlib import Path

import click

from schedtui.cli.output import json_option, print_json, print_table
from schedtui.config.directories import CONFIG_VARIABLE, directories
from schedtui.config.settings import Settings, describe_settings, load_settings
from schedtui.core.errors import WrongUse


@click.group()
def config() -> None:
    """Check, show or find the configuration file."""


file_argument = click.argument("file", required=False, type=click.Path(path_type=Path))


def _file(file: Path | None) -> Path:
    return file or directories().config_file


@config.command(short_help="Read a configuration file strictly.")
@file_argument
@json_option
def check(file: Path | None, as_json: bool) -> None:
    """Read FILE (default: the usual place) strictly; exit code 2 and one message when it is wrong."""
    path = _file(file)
    check_names(load_settings(path, required=file is not None))
    there = path.exists()
    if as_json:
        print_json({"path": str(path), "exists": there, "ok": True})
    else:
        click.echo(f"{path}: {'fine' if there else 'not there; the defaults hold'}")


@config.command(short_help="Show every key with the value that holds.")
@file_argument
@json_option
def show(file: Path | None, as_json: bool) -> None:
    """Every key with the value that holds, and which of them the file sets."""
    path = _file(file)
    defaults = dict(describe_settings(Settings()))
    rows = describe_settings(load_settings(path, required=file is not None))
    if as_json:
        print_json({"path": str(path), "settings": dict(rows)})
        return
    click.echo(f"# {path}{'' if path.exists() else ' (not there: defaults)'}")
    print_table(
        ("key", "value", ""),
        [(key, _toml(value), "" if value == defaults[key] else "set") for key, value in rows],
    )


@config.command(short_help="Show where files, caches and logs lie.")
@json_option
def path(as_json: bool) -> None:
    """Where the configuration, the caches, the state and the kept logs are."""
    places = directories()
    rows = {
        "config": places.config_file, "cache": places.cache, "state": places.state, "runs": places.run_logs,
        "themes": places.themes,
    }  # fmt: skip
    if as_json:
        print_json({name: str(place) for name, place in rows.items()})
        return
    print_table(("what", "where"), list(rows.items()))
    click.echo(f"{CONFIG_VARIABLE}=FILE names another configuration file.")


def check_names(settings: Settings) -> None:
    """What only a part of the program can judge: the theme, the keys, the filters, the lab's release.

    Raises:
        WrongUse: One of them does not fit; the message names it.
    """
    from schedtui.core.log_filter import LogSpan, parse_filter
    from schedtui.lab.module import check_release
    from schedtui.ui.launch import key_table
    from schedtui.ui.themes import choose_theme, load_themes

    choose_theme(settings.theme, load_themes(directories().themes))
    key_table("", settings.keys)
    # Any span will do: a filter may count from the log's end.
    span = LogSpan(0, 1)
    for name, text in settings.filters.items():
        try:
            parse_filter(text, span)
        except WrongUse as error:
            raise WrongUse(error.title, where=f"filters.{name}", details=error.details, hint=error.hint) from error
    if settings.lab.release:
        check_release(settings.lab.release)


def _toml(value: object) -> str:
    if value is None:
        return "(unset)"
    if isinstance(value, bool):
        return "true" if value else "false"
    return f'"{value}"' if isinstance(value, str) else str(value)
