"""``schedtui config``: is the configuration file right, what does it say, where is it.

Owns the printing. Reading belongs to ``config.settings``; nothing here writes.
"""

from __future__ import annotations

from pathlib import Path

import click

from schedtui.cli.output import json_option, print_json, print_table
from schedtui.config.directories import CONFIG_VARIABLE, directories
from schedtui.config.settings import Settings, describe_settings, load_settings


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
    load_settings(path, required=file is not None)
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


def _toml(value: object) -> str:
    if value is None:
        return "(unset)"
    if isinstance(value, bool):
        return "true" if value else "false"
    return f'"{value}"' if isinstance(value, str) else str(value)
