"""Which releases a repository has, and which of them a version means.

Owns the listing (by ``git ls-remote``, nothing is fetched), the order of releases, and the words for a version
that is not there.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from schedtui.core.errors import ToolMissing, UnreadableInput, WrongUse
from schedtui.processes import run_to_end
from schedtui.toolchain.git import TRIES, git_environment, git_program, line_broke, refusal

if TYPE_CHECKING:
    from collections.abc import Sequence

LIST_SECONDS = 120.0
"""How long a server may take to list its tags (Kubernetes has over a thousand)."""

_VERSION = re.compile(
    r"v?(?P<major>\d+)\.(?P<minor>\d+)(?:\.(?P<patch>\d+))?(?:-(?P<kind>alpha|beta|rc)\.(?P<number>\d+))?"
)


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
    words = [git_program(), "ls-remote", "--tags", "--heads", "--refs", "--", repository]
    for attempt in range(1, TRIES + 1):
        try:
            answer = run_to_end(words, directory=Path("/"), environment=git_environment(), seconds=LIST_SECONDS)
        except ToolMissing as error:
            hint = "Try again, or a mirror with --repo."
            raise UnreadableInput(error.title, where=repository, hint=hint) from error
        said = answer.errors.splitlines()
        if answer.exit_code == 0:
            break
        if attempt == TRIES or not line_broke(said):
            raise refusal(said, repository)
    names = [line.partition("\t")[2] for line in answer.output.splitlines()]
    tags = [name.removeprefix("refs/tags/") for name in names if name.startswith("refs/tags/")]
    return tags + [name.removeprefix("refs/heads/") for name in names if name.startswith("refs/heads/")]
