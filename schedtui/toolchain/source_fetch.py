"""Getting Kubernetes source by git: clone one release, switch a tree to another.

Owns the transfers, their progress, and what a broken line leaves behind (nothing). It changes only trees that
the user named, refuses dirty ones, and never passes text through a shell. What a tree is, is ``checkout``'s.
"""

from __future__ import annotations

import re
import shutil
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from schedtui.config.directories import typed_path
from schedtui.core.errors import Cancelled, UnreadableInput, WrongUse
from schedtui.processes import Child, run_to_end
from schedtui.processes.scratch import drop_empty, make_directories, scratch_directory
from schedtui.toolchain.git import TRIES, git_environment, git_program, line_broke, refusal
from schedtui.toolchain.source_releases import resolve_version

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_PROGRESS = re.compile(r"^(?:remote: )?(?P<phase>[A-Z][a-z]+ [a-z]+):\s+(?P<percent>\d+)% \(\d+/\d+\)")
_UNFINISHED = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply", "BISECT_LOG")
"""Files in .git that tell of an operation in its middle."""


@dataclass(frozen=True, slots=True)
class FetchProgress:
    """How far git is, in its own words."""

    phase: str
    """``Receiving objects``, ``Updating files`` …"""
    percent: int
    detail: str
    """Git's own line."""
    attempt: int = 1
    """Over 1 after a broken line."""


def get_source(
    version: str,
    directory: Path,
    repository: str,
    progress: Callable[[FetchProgress], None],
    cancel: threading.Event | None = None,
) -> str:
    """Clone one release, without history, into ``directory``; the tag that ``version`` meant is returned.

    The directory appears when the tree is complete, and not at all otherwise.

    Raises:
        WrongUse: No such release, or the directory is taken.
        UnreadableInput: The repository cannot be read, or the transfer broke each time.
        ToolMissing: There is no git.
        Cancelled: ``cancel`` was set; nothing is left behind.
    """
    stop = cancel or threading.Event()
    target = typed_path(directory).absolute()
    _check_free(target)
    tag = resolve_version(version, repository)
    made = _make_parents(target)
    try:
        with scratch_directory(target.parent, f".{target.name}.unfinished-") as scratch:
            clone = scratch / "tree"
            words = ["clone", "--progress", "--depth=1", "--single-branch", f"--branch={tag}"]
            _transfer([*words, "--", repository, str(clone)], repository, progress, stop, clean=clone)
            if target.exists():
                # Empty, as checked above; a rename onto it needs it gone.
                target.rmdir()
            clone.rename(target)
    finally:
        drop_empty(made)
    return tag


def switch_source(
    version: str,
    root: Path,
    progress: Callable[[FetchProgress], None],
    cancel: threading.Event | None = None,
    repository: str = "",
) -> str:
    """Check another release out in an existing tree; the tag is returned.

    Args:
        version: ``v1.36.3``, ``1.36`` (its newest patch), ``latest``.
        root: The tree.
        progress: Told how far git is.
        cancel: Stops a transfer; the tree stays as it was.
        repository: Where a tag that is not there yet comes from; empty: the tree's own ``origin``.

    Raises:
        WrongUse: The tree has changes or an unfinished operation, is no git tree, or there is no such release.
        UnreadableInput: The tag cannot be fetched or checked out.
        ToolMissing: There is no git.
        Cancelled: ``cancel`` was set.
    """
    stop = cancel or threading.Event()
    root = typed_path(root).absolute()
    refuse_dirty(root)
    source = repository or _git_line(root, "remote", "get-url", "origin") or ""
    tag = version if _has_tag(root, version) else ""
    if not tag:
        if not source:
            raise WrongUse(
                "This tree does not know where it came from",
                where=f"{root} has no remote 'origin'",
                hint="Name the repository with --repo.",
            )
        tag = resolve_version(version, source)
    if not _has_tag(root, tag):
        reference = f"+refs/tags/{tag}:refs/tags/{tag}"
        words = ["-C", str(root), "fetch", "--progress", "--depth=1", "--no-tags", "--", source, reference]
        _transfer(words, source, progress, stop)
    words = [
        "-C",
        str(root),
        "-c",
        "advice.detachedHead=false",
        "checkout",
        "--progress",
        "--detach",
        f"refs/tags/{tag}",
    ]
    _transfer(words, str(root), progress, stop, tries=1)
    return tag


def refuse_dirty(root: Path) -> None:
    """Raise when a tree is not in a state to be switched.

    Raises:
        WrongUse: It has changed files, an unfinished operation, or no git.
    """
    git_program()
    status = _git(root, "status", "--porcelain", "--untracked-files=no")
    if status is None or not (root / ".git").exists():
        raise WrongUse(
            "This tree is not under git, so it cannot be switched",
            where=str(root),
            hint="Get another: schedtui source get VERSION DIR",
        )
    changed = [line[3:] for line in status.splitlines() if line.strip()]
    if changed:
        raise WrongUse(
            f"The tree has {len(changed)} changed file{'s' if len(changed) > 1 else ''}, so it is left alone",
            where=str(root),
            details=tuple(changed[:10]),
            hint="Commit or stash them ('git stash'), then switch again.",
        )
    git_directory = Path(_git_line(root, "rev-parse", "--absolute-git-dir") or root / ".git")
    unfinished = [name for name in _UNFINISHED if (git_directory / name).exists()]
    if unfinished:
        raise WrongUse(
            "An operation of git's is in its middle in this tree",
            where=f"{root} ({', '.join(unfinished)})",
            hint="'git status' says which; finish or abort it first.",
        )


def _check_free(target: Path) -> None:
    if not target.exists():
        return
    if target.is_dir() and not any(target.iterdir()):
        return
    hint = "Name a directory that does not exist yet."
    if (target / ".git").exists():
        hint = f"To bring it to another release: schedtui source switch VERSION {target}"
    raise WrongUse("This place is taken", where=str(target), hint=hint)


def _make_parents(target: Path) -> list[Path]:
    try:
        return make_directories(target.parent)
    except OSError as error:
        raise UnreadableInput(
            f"Cannot make the directory ({error.strerror})", where=str(target.parent), hint="Choose another place."
        ) from error


def _transfer(
    words: Sequence[str],
    place: str,
    progress: Callable[[FetchProgress], None],
    cancel: threading.Event,
    *,
    clean: Path | None = None,
    tries: int = TRIES,
) -> None:
    """Run git with progress; begin anew when the line broke."""
    said: list[str] = []
    for attempt in range(1, tries + 1):
        said = []
        status = _run(words, said, progress, cancel, attempt)
        if cancel.is_set():
            raise Cancelled("git was stopped; nothing is left behind", where=place)
        if status == 0:
            return
        if clean is not None:
            shutil.rmtree(clean, ignore_errors=True)
        if not line_broke(said):
            break
    raise refusal(said, place)


def _run(
    words: Sequence[str],
    said: list[str],
    progress: Callable[[FetchProgress], None],
    cancel: threading.Event,
    attempt: int,
) -> int:
    rest = b""

    def read(chunk: bytes) -> None:
        nonlocal rest
        # git ends the lines of a running count with a carriage return alone.
        *lines, rest = re.split(rb"[\r\n]", rest + chunk)
        for raw in lines:
            line = raw.decode("utf-8", "replace").strip()
            found = _PROGRESS.match(line)
            if found:
                progress(FetchProgress(found["phase"], int(found["percent"]), line, attempt))
            elif line:
                said.append(line)
                del said[:-50]

    child = Child([git_program(), *words], directory=Path("/"), environment=git_environment(), on_output=read)
    try:
        while child.wait(0.1) is None:
            if cancel.is_set():
                break
    finally:
        status = child.end()
    read(b"\n")
    return status


def _git(root: Path, *words: str) -> str | None:
    answer = run_to_end([git_program(), "-C", root, *words], directory=Path("/"), environment=git_environment())
    return answer.output if answer.exit_code == 0 else None


def _git_line(root: Path, *words: str) -> str | None:
    answer = _git(root, *words)
    return answer.strip() if answer is not None else None


def _has_tag(root: Path, tag: str) -> bool:
    return bool(_git_line(root, "rev-parse", "--quiet", "--verify", f"refs/tags/{tag}^{{commit}}"))
