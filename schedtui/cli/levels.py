"""``schedtui levels``: the V-level index of a source, and how much of a log it explains.

Owns the command line. Nothing heavy is imported for ``--help``: the work is ``cli.level_explaining``'s.
"""

from __future__ import annotations

import click

from schedtui.cli.output import json_option


@click.command()
@click.argument("files", nargs=-1, metavar="[FILE]...")
@click.option(
    "--src", required=True, metavar="DIR", help="The source tree: a checkout, a module, a module directory."
)
@click.option(
    "--component",
    show_default="kube-scheduler",
    metavar="NAME",
    help="Whose log: the name below cmd.",
)
@click.option(
    "--show", multiple=True, metavar="TEXT", help="Which flags show messages with this text (repeat: all)."
)
@click.option("--sites", is_flag=True, help="List every log call with its level.")
@json_option
def levels(
    files: tuple[str, ...], src: str, component: str | None, show: tuple[str, ...], sites: bool, as_json: bool
) -> int:  # fmt: skip
    """The V level of each log call of a source, and how much of a log they explain.

    Text logs do not print levels: they are told from the source by file, line and message. A JSON log carries
    them; there the source's answer is compared with it. A source of another release gives no levels and is named.

    Exit code: 0 fine, 1 the log contradicts the source or was written by another one, 2 wrong use.
    """
    from schedtui.cli.level_explaining import explain_levels

    return int(explain_levels(files, src, component, show=show, sites=sites, as_json=as_json))
