"""``schedtui export``: records, queue events and pod stories for other tools, secrets masked.

Owns the command line. Nothing heavy is imported for ``--help``: the work is ``cli.exporting``'s.
"""

from __future__ import annotations

import click


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--to", "target", required=True, metavar="DIR|F.jsonl|F.md|F.parquet", help="Where to write.")
@click.option("--src", "source", metavar="DIR", help="The tree whose remembered breakpoints go along.")
@click.option("--unmask", is_flag=True, help="Leave passwords, tokens and authorization headers readable.")
def export(files: tuple[str, ...], target: str, source: str | None, unmask: bool) -> int:
    """Write a log's records, queue events and pod stories for other tools.

    A directory gets records.jsonl, events.jsonl, pods.jsonl and report.md, and for a bug report the queue at the
    end, the scheduler's configuration, flags and versions; a .jsonl or .parquet file all three kinds in one table,
    told apart by 'row'; a .md file the report and the stories. Secrets are masked. The target
    appears only when it is whole.
    """
    from schedtui.cli.exporting import export_logs

    written = export_logs(files, target, source, masked=not unmask)
    click.echo(f"{written} rows written to {target}", err=True)
    return 0
