"""``schedtui logs``: records that match, as text or one JSON object a line.

Owns the command line. Nothing heavy is imported for ``--help``: the work is ``cli.log_printing``'s.
"""

from __future__ import annotations

import click

from schedtui.core.filter_help import FILTER_HELP

_EPILOGUE = "\b\nThe filter language of --filter:\n" + "\n".join(
    f"  {form:<23}{meaning}" for form, meaning in FILTER_HELP
)  # fmt: skip


@click.command(epilog=_EPILOGUE)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--level",
    type=click.IntRange(0, 1000),
    metavar="N",
    help="Information up to V level N; warnings, errors and records of unknown level stay.",
)
@click.option("--severity", metavar="S", help="This severity and worse: I, W, E or F.")
@click.option(
    "--pod", multiple=True, metavar="NS/NAME", help="About this pod (repeat: any of them; * is anything)."
)
@click.option("--node", multiple=True, metavar="NAME", help="Naming this node (repeat: any of them).")
@click.option("--field", multiple=True, metavar="K=V", help="With exactly this value of a field (repeat: all).")
@click.option("--grep", multiple=True, metavar="RE", help="Whose text this RE2 expression matches (repeat: all).")
@click.option("--since", metavar="T", help="From 10:32:05, 2026-11-30T10:32:05, or 5m before the log's end.")
@click.option("--until", metavar="T", help="Up to such a time.")
@click.option("--filter", multiple=True, metavar="'LANGUAGE'", help="The one-line language of the TUI; see below.")
@click.option(
    "--src",
    metavar="DIR",
    help="A Kubernetes source tree that tells the V levels of text logs (else a table of known messages does).",
)
@click.option(
    "--context", type=click.IntRange(0, 100_000), default=0, metavar="N", help="N records around each match."
)
@click.option(
    "--mask/--unmask",
    "masked",
    default=False,
    help="Hide passwords, tokens and authorization headers, to pass the output on; exports always do.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def logs(
    files: tuple[str, ...], src: str | None, context: int, masked: bool, as_json: bool, **values: object
) -> int:  # fmt: skip
    """Print the records of scheduler logs that match all options.

    FILE is a log of any shape (klog text or JSON, behind CRI, docker, journald or kubectl prefixes, gzipped or
    not) or '-' for standard input. Several are merged by time; what two of them share comes once. A record is a
    header with all its lines: panics and key=< blocks come whole.

    Exit code: 0 when all was read (no match is no error), 2 for wrong use or unreadable input; 1, which other
    commands use for a difference they found, is never returned here.
    """
    from schedtui.cli.log_printing import print_records

    print_records(files, values, source=src, context=context, masked=masked, as_json=as_json)
    return 0
