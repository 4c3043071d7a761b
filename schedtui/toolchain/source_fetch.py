"""Getting Kubernetes source by git: list releases, clone one of them, switch a tree to another.

Owns the git commands, their progress, and what a broken line leaves behind (nothing). It changes only trees that
the user named, refuses dirty ones, and never passes text through a shell. What a tree is, is ``checkout``'s.
"""

from __future__ import annotations

import difflib
import os
import re
import shutil
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from schedtui.config.directories import typed_path
from schedtui.core.errors import Cancelled, SchedtuiError, ToolMissing, UnreadableInput, WrongUse
from schedtui.processes import Child, run_to_end

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

TRIES = 3
"""How often a broken transfer is begun anew: git keeps nothing of an unfinished one, so each is a whole one."""

LIST_SECONDS = 120.0
"""How long a server may take to list its tags (Kubernetes has over a thousand)."""

_VERSION = re.compile(
    r"v?(?P<major>\d+)\.(?P<minor>\d+)(?:\.(?P<patch>\d+))?(?:-(?P<kind>alpha|beta|rc)\.(?P<number>\d+))?"
)
_PROGRESS = re.compile(r"^(?:remote: )?(?P<phase>[A-Z][a-z]+ [a-z]+):\s+(?P<percent>\d+)% \(\d+/\d+\)")
_UNFINISHED = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply", "BISECT_LOG")
"""Files in .git that tell of an operation in its middle."""

_NETWORK_WORDS = (
    "early EOF", "unexpected disconnect", "hung up unexpectedly", "RPC failed", "Connection reset", "timed out",
    "Operation too slow", "curl 56", "curl 18", "curl 92", "GnuTLS recv error", "expected flush after",
    "Empty reply from server", "transfer closed with", "expected 'packfile'",
)  # fmt: skip
"""What git says when the line broke, rather than when something is wrong."""

_NOTHING_CAME = "fatal: Could not read from remote repository."
"""A line that broke before the first word; behind another line it is that one's consequence."""


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


@dataclass(frozen=True, slots=True)
class SourceTag:
    """A release as the repository tags it."""

    name: str
    """``v1.36.3``."""

    @property
    def key(self) -> tuple[int, int, int, int, int]:
        """Sorts by age; a release comes after its candidates."""
        found = _VERSION.fullmatch(self.name)
        if found is None:
            return (0, 0, 0, 0, 0)
        rank = {"alpha": 0, "beta": 1, "rc": 2, None: 3}[found["kind"]]
        return (
            int(found["major"]),
            int(found["minor"]),
            int(found["patch"] or 0),
            rank,
            int(found["number"] or 0),
        )

    @property
    def is_release(self) -> bool:
        """False for alphas, betas and candidates."""
        return "-" not in self.name


def list_tags(repository: str) -> tuple[SourceTag, ...]:
    """The releases of a repository, newest first.

    Raises:
        ToolMissing: There is no git.
        UnreadableInput: The repository does not answer or is none.
    """
    return tuple(sorted((SourceTag(name) for name in _references(repository) if _VERSION.fullmatch(name)),
                        key=lambda tag: tag.key, reverse=True))  # fmt: skip


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
    _make_parent(target)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}.unfinished-") as scratch:
        clone = Path(scratch) / "tree"
        words = ["clone", "--progress", "--depth=1", "--single-branch", f"--branch={tag}"]
        _transfer([*words, "--", repository, str(clone)], repository, progress, stop, clean=clone)
        if target.exists():
            # Empty, as checked above; a rename onto it needs it gone.
            target.rmdir()
        clone.rename(target)
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
    _git_program()
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


def resolve_version(version: str, repository: str) -> str:
    """The tag or branch that ``version`` means in ``repository``.

    Accepts ``v1.36.3``, ``1.36.3``, ``v1.36`` and ``1.36`` (the newest patch), ``latest``, and branch names.

    Raises:
        WrongUse: There is none; the nearest are named.
        UnreadableInput: The repository cannot be read.
        ToolMissing: There is no git.
    """
    if not version or version.startswith("-"):
        raise WrongUse("This is no version", where=version, hint="Versions look like v1.36.3.")
    references = _references(repository)
    tags = sorted((SourceTag(name) for name in references if _VERSION.fullmatch(name)), key=lambda tag: tag.key)
    if version == "latest":
        releases = [tag.name for tag in tags if tag.is_release]
        if releases:
            return releases[-1]
    for name in (version, f"v{version}"):
        if name in references:
            return name
    asked = _VERSION.fullmatch(version)
    if asked is not None and asked["patch"] is None:
        minor = (int(asked["major"]), int(asked["minor"]))
        patches = [tag.name for tag in tags if tag.key[:2] == minor and tag.is_release]
        if patches:
            return patches[-1]
    raise _unknown_version(version, repository, [tag.name for tag in tags], references)


def _unknown_version(version: str, repository: str, tags: Sequence[str], references: Sequence[str]) -> WrongUse:
    close = difflib.get_close_matches(version if version.startswith("v") else f"v{version}", tags, n=3, cutoff=0.7)
    newest = [name for name in reversed(tags) if "-" not in name][:3]
    hint = f"Close to it: {', '.join(close)}. " if close else ""
    hint += f"The newest are {', '.join(newest)}. " if newest else ""
    hint += (
        "'schedtui source tags' lists all."
        if tags
        else f"It has: {', '.join(sorted(references)[:5]) or 'nothing'}."
    )
    return WrongUse(f"There is no release {version}", where=repository, hint=hint)


def _references(repository: str) -> list[str]:
    """Names of the repository's tags and branches, tags first."""
    if not repository or repository.startswith("-"):
        raise WrongUse("This is no repository", where=repository, hint="Give a URL or a directory with --repo.")
    words = [_git_program(), "ls-remote", "--tags", "--heads", "--refs", "--", repository]
    for attempt in range(1, TRIES + 1):
        try:
            answer = run_to_end(words, directory=Path("/"), environment=_environment(), seconds=LIST_SECONDS)
        except ToolMissing as error:
            hint = "Try again, or a mirror with --repo."
            raise UnreadableInput(error.title, where=repository, hint=hint) from error
        said = answer.errors.splitlines()
        if answer.exit_code == 0:
            break
        if attempt == TRIES or not _line_broke(said):
            raise _refused(said, repository)
    names = [line.partition("\t")[2] for line in answer.output.splitlines()]
    tags = [name.removeprefix("refs/tags/") for name in names if name.startswith("refs/tags/")]
    return tags + [name.removeprefix("refs/heads/") for name in names if name.startswith("refs/heads/")]


def _check_free(target: Path) -> None:
    if not target.exists():
        return
    if target.is_dir() and not any(target.iterdir()):
        return
    hint = "Name a directory that does not exist yet."
    if (target / ".git").exists():
        hint = f"To bring it to another release: schedtui source switch VERSION {target}"
    raise WrongUse("This place is taken", where=str(target), hint=hint)


def _make_parent(target: Path) -> None:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
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
        if not _line_broke(said):
            break
    raise _refused(said, place)


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

    child = Child([_git_program(), *words], directory=Path("/"), environment=_environment(), on_output=read)
    try:
        while child.wait(0.1) is None:
            if cancel.is_set():
                break
    finally:
        status = child.end()
    read(b"\n")
    return status


def _line_broke(said: Sequence[str]) -> bool:
    spoken = [line for line in said if line.strip() and not line.startswith("Cloning into")]
    return spoken[:1] == [_NOTHING_CAME] or any(word in line for word in _NETWORK_WORDS for line in spoken)


def _refused(said: Sequence[str], place: str) -> SchedtuiError:
    """Git's own words, with advice for the failures that people meet."""
    text = "\n".join(said)
    details = tuple(line for line in said if not line.startswith(("Cloning into", "remote: Enumerating")))[-6:]
    if _line_broke(said):
        return UnreadableInput(
            "The line to the repository broke; nothing is left behind",
            where=place,
            details=details,
            hint="Run the same command again, or name a nearer mirror with --repo.",
        )
    if any(word in text for word in ("Could not resolve host", "Failed to connect", "Connection refused")):
        return UnreadableInput(
            "The repository cannot be reached",
            where=place,
            details=details,
            hint="Check the network, or name a mirror with --repo (or [source] repository in the configuration).",
        )
    if "not found" in text or "does not appear to be a git repository" in text or "does not exist" in text:
        return UnreadableInput(
            "There is no repository", where=place, details=details, hint="Check the address given with --repo."
        )
    if "could not read Username" in text or "Permission denied" in text or "Authentication failed" in text:
        return UnreadableInput(
            "The repository wants a name and a password, or does not take yours",
            where=place,
            details=details,
            hint="Kubernetes itself needs none: check the address; for a private mirror set up git's credentials.",
        )
    if "No space left" in text:
        return UnreadableInput(
            "There is no room left", where=place, details=details, hint="A release takes 0.5 GB."
        )
    return UnreadableInput("git refused", where=place, details=details, hint="Its own words are above.")


def _environment() -> Mapping[str, str]:
    """Never ask for a password on a terminal that is not ours; English words, since they are read."""
    return {**os.environ, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C", "GIT_ASKPASS": "true"}


def _git_program() -> str:
    git = shutil.which("git")
    if git is None:
        raise ToolMissing(
            "git is not installed",
            where="it gets and switches source",
            hint="Install it: apt, dnf or brew, 'git'.",
        )
    return git


def _git(root: Path, *words: str) -> str | None:
    answer = run_to_end([_git_program(), "-C", root, *words], directory=Path("/"), environment=_environment())
    return answer.output if answer.exit_code == 0 else None


def _git_line(root: Path, *words: str) -> str | None:
    answer = _git(root, *words)
    return answer.strip() if answer is not None else None


def _has_tag(root: Path, tag: str) -> bool:
    return bool(_git_line(root, "rev-parse", "--quiet", "--verify", f"refs/tags/{tag}^{{commit}}"))
