"""``schedtui breakpoints``: the stations of a pod, resolved for a source tree.

Owns the command's words and its two shapes of output. Resolving is done by ``debugger.breakpoints``.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from schedtui.cli.output import json_option, print_json, print_table
from schedtui.config.directories import directories
from schedtui.debugger.breakpoints import condition_text, resolve_in_source
from schedtui.debugger.catalogue import USER_FILE, load_catalogue
from schedtui.toolchain.checkout import open_checkout

if TYPE_CHECKING:
    from schedtui.debugger.breakpoints import Resolution
    from schedtui.debugger.catalogue import Catalogue, Station


@click.command("breakpoints")
@click.option("--src", "source", type=click.Path(path_type=Path), default=Path(), help="The source tree.")
@click.option("--all", "show_all", is_flag=True, help="Every station, not only the documented breakpoints.")
@json_option
def breakpoints(source: Path, show_all: bool, as_json: bool) -> int:
    """The documented breakpoints, resolved for a source tree, each in the spelling that dlv accepts."""
    tree = open_checkout(source)
    catalogue = load_catalogue(directories().config / USER_FILE)
    chosen = [station for station in catalogue.stations if as_json or show_all or station.documented]
    resolved = [(station, resolve_in_source(station, tree)) for station in chosen]
    if as_json:
        print_json([_document(station, resolution, catalogue) for station, resolution in resolved])
    else:
        _print_text(resolved, catalogue, show_all=show_all)
    documented_missing = any(station.documented and found.status == "missing" for station, found in resolved)
    return 1 if documented_missing else 0


def _document(station: Station, resolution: Resolution, catalogue: Catalogue) -> dict[str, object]:
    return {
        "name": station.name,
        "documented": station.documented or None,
        "location": resolution.location or None,
        "file": resolution.file or None,
        "line": resolution.line or None,
        "moved": resolution.moved or None,
        "status": resolution.status,
        "condition": condition_text(station, resolution, catalogue),
        "title": station.title,
        "function": resolution.function or None,
        "sets": list(station.sets),
        "look": list(resolution.place.look) if resolution.place else [],
        "hot": station.hot,
    }


def _print_text(resolved: list[tuple[Station, Resolution]], catalogue: Catalogue, *, show_all: bool) -> None:
    rows = [
        (station.name, found.status, f"break {found.location}" if found.location else "-", _place(found))
        for station, found in resolved
    ]
    print_table(("NAME", "STATUS", "FOR DLV", "WHERE"), rows)
    for station, found in resolved:
        if station.documented or found.moved:
            click.echo(f"\n{station.name}: {station.title}")
            if station.documented:
                click.echo(f"  documented as  {station.documented}")
            if found.moved:
                click.echo(f"  here           {found.moved}")
            click.echo(f"  for one pod    {condition_text(station, found, catalogue)}")
    if not show_all:
        click.echo(f"\n--all lists the {len(catalogue.stations)} stations of a pod, from queue to binding.")


def _place(found: Resolution) -> str:
    return f"{found.file}:{found.line}" if found.file else found.moved
