"""``schedtui source``: get Kubernetes source, switch it to another release, say what a tree is.

Owns the printing. Transfers are ``toolchain.source_fetch``'s, recognising a tree ``toolchain.checkout``'s, the
words about the parts of the scheduler ``core.scheduler_parts``'s.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from schedtui.cli.output import json_option, print_json, printable
from schedtui.cli.signals import cancelled_by_signals
from schedtui.config.directories import directories
from schedtui.config.settings import load_settings
from schedtui.core.scheduler_parts import ROOT, annotated_tree, moved_places
from schedtui.toolchain.checkout import Checkout, open_checkout
from schedtui.toolchain.source_fetch import FetchProgress, get_source, switch_source
from schedtui.toolchain.source_releases import list_tags
from schedtui.toolchain.source_root import find_root

if TYPE_CHECKING:
    from types import TracebackType

repository_option = click.option("--repo", "repository", default="", help="A mirror: URL or directory.")

MODULES_SHOWN = 12
"""Modules of an out-of-tree scheduler that are listed in text."""


@click.group()
def source() -> None:
    """Get, switch and describe Kubernetes source trees."""


@source.command()
@click.argument("version")
@click.argument("directory", type=click.Path(path_type=Path))
@repository_option
def get(version: str, directory: Path, repository: str) -> None:
    """Clone one release without its history.

    VERSION is v1.36.3, 1.36 (its newest patch), latest, or a branch. DIRECTORY must not exist; it appears when
    the tree is complete. About 0.5 GB.
    """
    with _GitPrinter() as printer, cancelled_by_signals() as cancel:
        tag = get_source(version, directory, _repository(repository), printer, cancel)
    click.echo(f"{directory}: {tag}")
    click.echo(f"Next: schedtui build --src {directory}, or schedtui --src {directory}")


@source.command()
@click.argument("version")
@click.argument("directory", type=click.Path(path_type=Path))
@repository_option
def switch(version: str, directory: Path, repository: str) -> None:
    """Check another release out; refused when the tree has changes.

    A release that is not in the tree yet is fetched from its origin, or from --repo.
    """
    before = open_checkout(directory).release.describe()
    with _GitPrinter() as printer, cancelled_by_signals() as cancel:
        tag = switch_source(version, directory, printer, cancel, _absolute(repository))
    click.echo(f"{directory}: {tag} (was {before})")


@source.command()
@repository_option
@click.option("--all", "everything", is_flag=True, help="Alphas, betas and candidates, too.")
@json_option
def tags(repository: str, everything: bool, as_json: bool) -> None:
    """List the releases that can be had, newest first."""
    names = [tag.name for tag in list_tags(_repository(repository)) if everything or tag.is_release]
    if as_json:
        print_json(names)
        return
    for name in names:
        click.echo(printable(name))


@source.command(short_help="Describe a tree and what is where in it.")
@click.argument("directory", type=click.Path(path_type=Path), default=".")
@json_option
def info(directory: Path, as_json: bool) -> None:
    """Release, layout, modules, changed files, and what each part of the scheduler does.

    Inside a tree its root is meant. A scheduler of your own that requires k8s.io/kubernetes is understood, too.
    """
    checkout = open_checkout(find_root(directory) or directory)
    folders, files = _scheduler_names(checkout)
    document = _as_document(checkout, folders, files)
    if as_json:
        print_json(document)
    else:
        _print_info(checkout, document)


def _repository(named: str) -> str:
    return _absolute(named or load_settings(directories().config_file).source.repository)


def _absolute(repository: str) -> str:
    """A repository that is a directory, wherever git is started; a URL as it is."""
    return str(Path(repository).absolute()) if repository and Path(repository).is_dir() else repository


def _scheduler_names(checkout: Checkout) -> tuple[list[str], list[str]]:
    """Directories below pkg/scheduler and Go files right in it."""
    if checkout.kubernetes_root is None:
        return [], []
    root = checkout.kubernetes_root / ROOT
    folders: list[str] = []
    for place, names, _ in os.walk(root):
        names[:] = sorted(name for name in names if name != "testdata" and name[0] not in "._")
        folders += [os.path.relpath(Path(place) / name, root) for name in names]
    files = [path.name for path in root.glob("*.go") if not path.name.endswith("_test.go")]
    return folders, files


def _as_document(checkout: Checkout, folders: list[str], files: list[str]) -> dict[str, object]:
    release = checkout.release
    own = [
        {"package": package, "directory": str(path)}
        for package, path in checkout.scheduler_package_dirs().items()
        if checkout.layout == "out-of-tree" and (package + "/").startswith(checkout.module + "/")
    ]
    return {
        "path": str(checkout.root),
        "layout": checkout.layout,
        "module": checkout.module,
        "release": release.version,
        "release_from": release.found_by,
        "exact": release.exact,
        "go": checkout.go_version,
        "kubernetes": str(checkout.kubernetes_root) if checkout.kubernetes_root else None,
        "queue_package": checkout.queue_package,
        "dirty": list(checkout.dirty_files),
        "missing": list(checkout.missing),
        "own_packages": own,
        "moved": list(moved_places(folders, files)),
        "tree": [
            {"path": f"{ROOT}/{line.path}", "directory": line.directory, "words": line.words or None}
            for line in annotated_tree(folders, files)
        ],
    }


_LAYOUT_WORDS = {
    "kubernetes": "a Kubernetes checkout",
    "out-of-tree": "a scheduler module of your own",
    "module-cache": "a directory of Go's module cache (to read, not to build)",
}


def _print_info(checkout: Checkout, document: dict[str, object]) -> None:
    rows = [
        ("path", str(checkout.root)),
        ("is", _LAYOUT_WORDS[checkout.layout]),
        ("module", checkout.module),
        ("release", checkout.release.describe()),
        ("Go wanted", checkout.go_version or "not said"),
        ("queue", checkout.queue_package or "not found"),
    ]
    if checkout.layout == "out-of-tree":
        rows.insert(3, ("Kubernetes", str(checkout.kubernetes_root or "not downloaded")))
    dirty = checkout.dirty_files
    if dirty:
        rows.append(("changed", f"{len(dirty)}: {', '.join(dirty[:5])}{' …' if len(dirty) > 5 else ''}"))
    rows += [("missing", part) for part in checkout.missing]
    for name, text in rows:
        click.echo(f"{name:<11} {printable(text)}")
    _print_own(document)
    _print_tree(checkout)


def _print_own(document: dict[str, object]) -> None:
    own = document["own_packages"]
    if isinstance(own, list) and own:
        click.echo("\nYour packages:")
        for row in own[:MODULES_SHOWN]:
            click.echo(f"  {printable(row['package'])}")
        if len(own) > MODULES_SHOWN:
            click.echo(f"  … and {len(own) - MODULES_SHOWN} more")


def _print_tree(checkout: Checkout) -> None:
    folders, files = _scheduler_names(checkout)
    lines = annotated_tree(folders, files)
    if not lines:
        return
    click.echo(f"\n{ROOT}")
    width = max(2 * line.depth + len(Path(line.path).name) for line in lines) + 4
    for line in lines:
        name = "  " * (line.depth + 1) + Path(line.path).name + ("/" if line.directory else "")
        click.echo(f"{printable(name):<{width}} {line.words}".rstrip())
    moved = moved_places(folders, files)
    if moved:
        click.echo("\nOther than in books and tutorials:")
        for text in moved:
            click.echo(f"  {text}")


class _GitPrinter:
    """git's own progress lines: written over on a terminal, one line a phase elsewhere."""

    def __init__(self) -> None:
        self._terminal = sys.stderr.isatty()
        self._width = shutil.get_terminal_size().columns - 1
        self._phase = ("", 0)
        self._open = False

    def __enter__(self) -> _GitPrinter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._open:
            sys.stderr.write("\n")
            sys.stderr.flush()

    def __call__(self, progress: FetchProgress) -> None:
        """Tell how far git is."""
        text = printable(progress.detail)
        if progress.attempt > 1:
            text += f" (the line broke; try {progress.attempt})"
        phase = (progress.phase, progress.attempt)
        if self._terminal:
            start = "\n" if self._open and phase != self._phase else "\r"
            sys.stderr.write(start + text[: self._width].ljust(self._width))
            self._open = True
        elif phase != self._phase:
            sys.stderr.write(f"{progress.phase} …{f' (try {progress.attempt})' if progress.attempt > 1 else ''}\n")
        sys.stderr.flush()
        self._phase = phase
