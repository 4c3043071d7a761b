"""``schedtui lab``: a private control plane with a debuggable scheduler.

Owns the words of the lab's commands and how their results are printed. What they do is ``lab``'s.
"""

from __future__ import annotations

import dataclasses
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from schedtui.cli.output import json_option, print_json, print_table, printable
from schedtui.cli.progress import ProgressPrinter
from schedtui.cli.signals import cancelled_by_signals
from schedtui.config.settings import DEFAULT_RELEASE, DEFAULT_VERBOSITY
from schedtui.core.errors import LabFailed, WrongUse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schedtui.lab.player import PlayerReport
    from schedtui.lab.report import LabReport
    from schedtui.lab.running import RunningLab

LAST_LINE_WIDTH = 240
"""Characters of a dead part's line that are shown; the log has the rest."""

release_option = click.option(
    "--release",
    default=None,
    help=f"The scheduler's release, or 'newest'; the configuration's, else {DEFAULT_RELEASE}.",
)
name_option = click.option("--name", default=None, help="The lab's name; without one: its release.")
verbosity_option = click.option(
    "-v", "verbosity", type=click.IntRange(0, 10), default=None, help="The scheduler's -v."
)
config_option = click.option(
    "--config",
    "scheduler_config",
    type=click.Path(path_type=Path, dir_okay=False),
    default=None,
    help="A KubeSchedulerConfiguration; the lab puts its own kubeconfig into a copy.",
)


@click.group(invoke_without_command=True)
@release_option
@name_option
@verbosity_option
@config_option
@click.option("--run", "continue_at_once", is_flag=True, help="Continue at once instead of stopping at the entry.")
@click.option("--no-debugger", is_flag=True, help="Run the scheduler free, without dlv.")
@click.option("--persistent", is_flag=True, help="dlv survives a dropped line.")
@click.option("--dlv", default="", metavar="PATH", help="A dlv of your own.")
@click.option("--tour", is_flag=True, help="A guided tour on the lab.")
@click.option("--low-bandwidth", is_flag=True, help="Fewer frames and no sparklines, for slow lines.")
@click.option("--theme", default="", help="Colour theme.")
@click.option("--keys", default="", help="Key preset or file.")
@click.pass_context
def lab(
    context: click.Context,
    /,
    release: str | None,
    name: str | None,
    verbosity: int | None,
    scheduler_config: Path | None,
    tour: bool,
    **options: Any,  # noqa: ANN401 - handed on to the TUI's options as they are
) -> int | None:
    """A private control plane (etcd, API server, nodes, pods) with a debuggable kube-scheduler.

    Without a sub-command: the lab comes up, and the TUI opens on it with the scheduler under dlv. The first run
    builds everything from Go modules, about ten minutes on two cores; later ones start in seconds.
    """
    if context.invoked_subcommand is not None:
        return None
    from schedtui.ui.launch import Options, run_lab

    config = str(scheduler_config) if scheduler_config else ""
    wanted = Options(verbosity=verbosity, scheduler_config=config, lab_name=name or "", **options)
    return run_lab(wanted, release=_release(release), tour=tour)


@lab.command()
@release_option
@name_option
@click.option("--scheduler", "run_scheduler", is_flag=True, help="Run the scheduler too, without a debugger.")
@config_option
@click.option(
    "--src",
    type=click.Path(path_type=Path, file_okay=False),
    default=None,
    help="Build the scheduler from this tree: a checkout, or a module of your own with plugins.",
)
@verbosity_option
@click.option("--package", default="", help="With --src: the main package of a module that has several.")
@click.option(
    "--scenario", default=None, help="The first workload; '' for none. The configuration's, else first-steps."
)
@click.option("--seed", type=int, default=0, help="For the workload's chances.")
@json_option
def up(
    release: str | None,
    name: str | None,
    run_scheduler: bool,
    scheduler_config: Path | None,
    src: Path | None,
    verbosity: int | None,
    package: str,
    scenario: str | None,
    seed: int,
    as_json: bool,
) -> int:
    """Start a lab that stays up until 'schedtui lab down'."""
    from schedtui.lab.own_scheduler import build_own_scheduler
    from schedtui.lab.running import ensure_lab

    if package and src is None:
        raise WrongUse("--package says which program of a source tree is built", hint="Name the tree with --src.")
    with ProgressPrinter() as printer, cancelled_by_signals() as cancel:
        own = build_own_scheduler(src, printer, cancel, package=package) if src else None
        running = ensure_lab(
            own.release if own else _release(release),
            printer,
            cancel=cancel,
            name=name,
            stays_up=True,
            run_scheduler=run_scheduler,
            scheduler_config=scheduler_config,
            scheduler_binary=own.binary if own else None,
            source_directory=own.source if own else None,
            verbosity=DEFAULT_VERBOSITY if verbosity is None else verbosity,
            scenario=_first_workload() if scenario is None else scenario,
            seed=seed,
        )
    report = _report(running)
    if as_json:
        print_json(dataclasses.asdict(report))
    else:
        _print_report(report)
        _print_advice(running)
    return 0 if _is_well(report) else 1


@lab.command()
@name_option
@click.option("--all", "everything", is_flag=True, help="Every lab.")
def down(name: str | None, everything: bool) -> int:
    """End a lab: processes, ports and files go."""
    from schedtui.lab.instance import all_instances
    from schedtui.lab.running import stop_instance

    places = [place for place in all_instances() if name is None or place.name == name]
    if not places:
        click.echo("no lab is up" if name is None else f"no lab {name} is up")
        return 0 if name is None else 1
    if len(places) > 1 and not everything:
        names = ", ".join(place.name for place in places)
        raise LabFailed("several labs are up", where=names, hint="Say which with --name, or --all.")
    for place in places:
        stop_instance(place)
        click.echo(f"lab {place.name} is down")
    return 0


@lab.command(short_help="Show endpoints, pids, sizes and health.")
@name_option
@json_option
def status(name: str | None, as_json: bool) -> int:
    """Endpoints, pids, sizes and health of the labs; exit code 1 when none is up or a part has ended."""
    from schedtui.lab.instance import all_instances
    from schedtui.lab.report import report_on

    reports = [report_on(place) for place in all_instances() if name is None or place.name == name]
    if as_json:
        print_json([dataclasses.asdict(report) for report in reports])
    elif not reports:
        click.echo("no lab is up; 'schedtui lab up' starts one")
    else:
        for report in reports:
            _print_report(report)
    return 0 if reports and all(_is_well(report) for report in reports) else 1


@lab.command(short_help="Play a scenario on a lab that is up.")
@click.argument("scenario", required=False)
@click.option("--list", "list_them", is_flag=True, help="The scenarios there are.")
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed makes the same choices.")
@click.option("--rate", type=click.FloatRange(min=0), default=None, help="Changes a second; 0: no limit.")
@click.option(
    "--duration", type=click.FloatRange(min=0), default=None, help="Seconds; 0: until its steps are done."
)
@name_option
def load(
    scenario: str | None,
    list_them: bool,
    seed: int,
    rate: float | None,
    duration: float | None,
    name: str | None,
) -> int:
    """Play a scenario on a lab that is up: one of those that come with schedtui, or a YAML FILE."""
    from schedtui.lab.api_client import ApiClient
    from schedtui.lab.player import Player
    from schedtui.lab.running import find_running_lab
    from schedtui.lab.scenario import load_scenario

    if list_them or scenario is None:
        return _list_scenarios()
    label, wanted = load_scenario(scenario)
    running = find_running_lab(name=name)
    if running is None:
        raise LabFailed("no lab is up", where=name or "", hint="schedtui lab up")
    click.echo(f"{label}: {wanted.title}")
    if wanted.about:
        click.echo(" ".join(wanted.about.split()))
    if not running.other_schedulers():
        click.echo("No scheduler serves this lab, so no pod gets a node: 'schedtui lab' starts one under dlv.")
    with cancelled_by_signals() as cancel:
        player = Player(
            ApiClient(running.endpoint),
            label,
            wanted,
            seed=seed,
            rate=rate,
            duration=duration,
            cancel=cancel,
            on_report=_print_player_report,
        )
        report = player.play()
    click.echo(
        f"{report.text}: {report.nodes_made} nodes and {report.pods_made} pods made,"
        f" {report.pods_deleted} pods deleted in {report.elapsed:.1f} s"
    )
    return 130 if cancel.is_set() else 0


@lab.group(invoke_without_command=True)
@click.pass_context
def cache(context: click.Context) -> int | None:
    """What the lab has built, and how much room it takes."""
    return _list_cache(as_json=False) if context.invoked_subcommand is None else None


@cache.command("list")
@json_option
def list_cache(as_json: bool) -> int:
    """List the builds."""
    return _list_cache(as_json=as_json)


def _list_cache(*, as_json: bool) -> int:
    from schedtui.lab.module import cache_directory, cached_builds
    from schedtui.lab.module_cache import go_build_cache
    from schedtui.lab.report import format_bytes

    builds, go_cache = cached_builds(), go_build_cache()
    if as_json:
        document = {
            "directory": str(cache_directory()),
            "builds": [dataclasses.asdict(build) | {"directory": str(build.directory)} for build in builds],
            "go_build_cache": {"directory": str(go_cache.directory), "bytes": go_cache.bytes},
        }
        print_json(document)
        return 0
    click.echo(f"Lab builds in {cache_directory()}:")
    rows = [(build.release, format_bytes(build.bytes), build.go, ", ".join(build.binaries)) for build in builds]
    print_table(("RELEASE", "SIZE", "GO", "PROGRAMS"), rows)
    click.echo(f"\nGo's own build cache, {go_cache.directory}: {format_bytes(go_cache.bytes)}")
    click.echo(
        "'schedtui lab cache prune RELEASE' removes a release; 'go clean -cache' empties Go's (all projects)."
    )
    return 0


@cache.command()
@click.argument("releases", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Every release.")
def prune(releases: tuple[str, ...], everything: bool) -> int:
    """Remove builds of RELEASES; a lab that is up keeps running."""
    from schedtui.lab.module import cached_builds
    from schedtui.lab.module import prune as remove
    from schedtui.lab.report import format_bytes

    known = {build.release for build in cached_builds()}
    wanted = known if everything else {text if text.startswith("v") else f"v{text}" for text in releases}
    if not wanted:
        raise LabFailed(
            "which builds?", hint=f"Name releases or --all. There are: {', '.join(sorted(known)) or 'none'}."
        )
    if missing := wanted - known:
        raise LabFailed("no such build", where=", ".join(sorted(missing)), hint="'schedtui lab cache' lists them.")
    click.echo(f"{format_bytes(remove(sorted(wanted)))} freed")
    return 0


def _release(text: str | None) -> str:
    from schedtui.config.directories import directories
    from schedtui.config.settings import load_settings
    from schedtui.lab.module import check_release, newest_release

    if text is None:
        text = load_settings(directories().config_file).lab.release
    return newest_release() if text == "newest" else check_release(text)


def _first_workload() -> str:
    from schedtui.config.directories import directories
    from schedtui.config.settings import load_settings
    from schedtui.lab.running import FIRST_WORKLOAD

    return load_settings(directories().config_file).lab.scenario or FIRST_WORKLOAD


def _report(running: RunningLab) -> LabReport:
    from schedtui.lab.instance import instance
    from schedtui.lab.report import report_on

    return report_on(instance(running.name))


def _is_well(report: LabReport) -> bool:
    return report.phase == "up" and all(part.alive for part in report.parts)


def _print_report(report: LabReport) -> None:
    from schedtui.lab.report import format_bytes

    click.echo(f"lab {report.name}: {report.phase}  {report.server}")
    served = (
        "" if report.release == report.control_plane_release else f", served by {report.control_plane_release}"
    )
    click.echo(f"  scheduler    {report.release}{served}")
    if report.kubeconfig:
        click.echo(f"  kubeconfig   {report.kubeconfig}")
    click.echo(f"  files        {report.directory} ({format_bytes(report.data_bytes)})")
    click.echo(f"  supervisor   {_supervisor_words(report)}")
    for line in _part_lines(report):
        click.echo(f"  {line}")
    if report.pods is not None:
        click.echo(
            f"  objects      {report.nodes} nodes, {report.pods} pods, {report.waiting_pods} without a node"
        )
    if report.workload:
        click.echo(f"  workload     {printable(report.workload)}")
    for text in report.schedulers:
        click.echo(f"  takes pods   {printable(text)}")
    for text in (report.failure, *report.trouble):
        for line in text.splitlines():
            click.echo(f"  ! {printable(line)}")


def _supervisor_words(report: LabReport) -> str:
    if report.phase in ("failed", "lost"):
        how = "has ended and taken all parts along" if report.phase == "failed" else "was killed"
        return f"pid {report.supervisor_pid} {how}; 'schedtui lab up' starts anew, 'lab down' removes the files"
    life = "stays up until 'schedtui lab down'" if report.stays_up else "ends with the schedtui that started it"
    return f"pid {report.supervisor_pid}, {life}"


def _part_lines(report: LabReport) -> Iterator[str]:
    from schedtui.lab.report import format_bytes

    for part in report.parts:
        memory = format_bytes(part.memory_bytes) if part.alive else "-"
        yield (
            f"{part.name:<16} pid {part.pid:<8} port {part.port:<6} {part.health:<10} {memory:>8}"
            f"  log {format_bytes(part.log_bytes)}"
        )
        for line in part.last_lines:
            # etcd's lines end in stack traces of thousands of characters.
            text = printable(line)
            yield f"    {text if len(text) <= LAST_LINE_WIDTH else text[: LAST_LINE_WIDTH - 1] + '…'}"
        if part.cause:
            yield f"    {printable(part.cause)}. {printable(part.advice)}"


def _print_advice(running: RunningLab) -> None:
    click.echo("")
    click.echo(f"  export KUBECONFIG={running.kubeconfig}")
    click.echo("  schedtui lab                   the TUI on it, the scheduler under dlv")
    click.echo("  schedtui lab load preemption   something to watch ('lab load --list')")
    click.echo("  schedtui lab down")


def _list_scenarios() -> int:
    from schedtui.lab.scenario import scenario_titles

    print_table(("SCENARIO", "WHAT IT SHOWS"), list(scenario_titles().items()))
    return 0


def _print_player_report(report: PlayerReport) -> None:
    if not report.finished:
        click.echo(f"{time.strftime('%H:%M:%S')} {printable(report.text)}")
