"""``schedtui build``: a debuggable kube-scheduler from a source tree.

Owns the words of the command and the telling of the result. How it is built is the tool chain's.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from schedtui.cli.output import json_option, print_json
from schedtui.cli.progress import ProgressPrinter
from schedtui.cli.signals import cancelled_by_signals
from schedtui.core.errors import WrongUse

if TYPE_CHECKING:
    from schedtui.toolchain.build import BuildResult
    from schedtui.toolchain.build_plan import Flavour


@click.command()
@click.option("--src", type=click.Path(path_type=Path), default=Path(), show_default=True, help="The source tree.")
@click.option(
    "--output", type=click.Path(path_type=Path, dir_okay=False), default=None, help="Where the binary goes."
)
@click.option("--all", "everything", is_flag=True, help="Optimise nothing at all, as 'dlv debug' does: minutes.")
@click.option("--no-debugger", "optimised", is_flag=True, help="Optimise everything: to run, not to step through.")
@click.option("--make", "use_make", is_flag=True, help="By 'make WHAT=cmd/kube-scheduler DBG=1' instead.")
@click.option("--package", default="", help="The main package of an out-of-tree module that has several.")
@json_option
def build(
    src: Path,
    output: Path | None,
    everything: bool,
    optimised: bool,
    use_make: bool,
    package: str,
    as_json: bool,
) -> int:
    """Build a debuggable kube-scheduler; says what is optimised in it and what not.

    Without --output the binary goes into schedtui's cache, where 'schedtui --src' looks for it.
    """
    from schedtui.toolchain.build import ensure_scheduler
    from schedtui.toolchain.build_plan import BuildRequest
    from schedtui.toolchain.checkout import open_checkout
    from schedtui.toolchain.source_root import find_root

    if everything and optimised:
        raise WrongUse("--all and --no-debugger exclude each other")
    flavour: Flavour = "all" if everything else "optimised" if optimised else "debug"
    # Inside a tree (the tutorial stands in cmd/kube-scheduler) its root is meant.
    root = find_root(src) or src
    request = BuildRequest(
        open_checkout(root),
        flavour,
        use_make=use_make,
        output=output.absolute() if output else None,
        package=package,
    )
    with ProgressPrinter() as printer, cancelled_by_signals() as cancel:
        result = ensure_scheduler(request, printer, cancel)
    if as_json:
        print_json(
            {
                "binary": str(result.binary),
                "built_now": result.built_now,
                "seconds": round(result.seconds, 1),
                "flavour": result.flavour,
                "version": result.version,
                "go": result.go,
                "arguments": result.arguments,
                "optimised": result.optimised,
                "settings": dict(result.settings),
                "notes": result.notes,
            }
        )
    else:
        _print_result(result)
    return 0


def _print_result(result: BuildResult) -> None:
    from schedtui.toolchain.go_build import format_seconds

    how = f"built in {format_seconds(result.seconds)}" if result.built_now else "up to date"
    click.echo(f"{result.binary}: {how}")
    click.echo(f"  version      {result.version or 'not stamped'}, {result.go}")
    click.echo(f"  optimised    {result.optimised}")
    revision = result.settings.get("vcs.revision", "")
    if revision:
        changed = ", with changes" if result.settings.get("vcs.modified") == "true" else ""
        click.echo(f"  source       commit {revision[:12]}{changed}")
    click.echo(f"  command      {' '.join(_quoted(word) for word in result.arguments)}")
    for note in result.notes:
        click.echo(f"  ! {note}")


def _quoted(word: str) -> str:
    import shlex

    return shlex.quote(word)
