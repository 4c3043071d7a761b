"""Which release a Kubernetes source tree is, and how that is known.

Owns the table of places that tell it, best first: the git tag, the module cache's directory name, linked staging
modules, an exported archive's marks, CHANGELOG, the publishing rules. It reads, and runs ``git describe``; it
never fetches and never trusts the name that a user gave a directory.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

from schedtui.core.release import RELEASE_NAME
from schedtui.toolchain.go_modules import cache_version

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

GIT_SECONDS = 30.0
"""How long one git question may take on a large tree and a slow disk."""

_DESCRIBED = re.compile(rf"({RELEASE_NAME})-(\d+)-g([0-9a-f]+)")
_ARCHIVE_TAG = re.compile(rb"tag: (v1\.\d+\.\d+[^ ,'\"]*)")
_STAGING_VERSION = re.compile(r"@v0\.(\d+\.\d+(?:-(?:alpha|beta|rc)\.\d+)?)$")
_CHANGELOG_NAME = re.compile(r"^CHANGELOG-1\.(\d+)\.md$")
_CHANGELOG_ENTRY = re.compile(r"\[(v1\.\d+\.\d+(?:-[a-z]+\.\d+)?)\]")
_PUBLISHING_BRANCH = re.compile(r"branch: release-1\.(\d+)")


@dataclass(frozen=True, slots=True)
class Release:
    """What is known of a tree's release."""

    version: str | None
    """``v1.36.3``; only ``v1.36`` when the patch cannot be told; None when nothing tells."""
    found_by: str
    """What told it, in words a user can check."""
    exact: bool = False
    """True when the tree is that release and not merely on its branch."""

    @property
    def minor(self) -> str | None:
        """``1.36``, or None."""
        match = re.match(r"v(1\.\d+)", self.version or "")
        return match.group(1) if match else None

    @property
    def minor_number(self) -> int | None:
        """``36``, or None."""
        return int(self.minor.partition(".")[2]) if self.minor else None

    def describe(self) -> str:
        """``v1.36.3 (git tag)``, or that the release is not known."""
        return f"{self.version} ({self.found_by})" if self.version else f"unknown release ({self.found_by})"


def find_release(root: Path) -> Release:
    """The release of the Kubernetes tree at ``root``: the first source that knows wins."""
    for source in _SOURCES:
        release = source(root)
        if release is not None:
            return release
    return Release(None, "no git tag, no module version, no CHANGELOG")


def run_git(root: Path, *arguments: str) -> str | None:
    """Standard output of one git question; None without git, without a repository, or when it fails."""
    git = shutil.which("git")
    if git is None or not (root / ".git").exists():
        return None
    try:
        done = subprocess.run(
            [git, "-C", str(root), *arguments],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=GIT_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None


def _from_git(root: Path) -> Release | None:
    described = (run_git(root, "describe", "--tags", "--match", "v1.*") or "").strip()
    if re.fullmatch(RELEASE_NAME, described):
        return Release(described, "git tag", exact=True)
    if match := _DESCRIBED.fullmatch(described):
        version, ahead, commit = match.groups()
        return Release(version, f"git: {ahead} commits after that tag, at {commit}")
    return None


def _from_module_directory(root: Path) -> Release | None:
    version = cache_version(root.resolve())
    if version is None:
        return None
    linked = "@" not in root.resolve().name
    how = "linked from that version's module directory" if linked else "module directory name"
    return Release(version, how, exact=not linked)


def _from_staging(root: Path) -> Release | None:
    staging = root / "staging" / "src" / "k8s.io"
    for name in ("api", "client-go", "apimachinery", "component-base"):
        match = _STAGING_VERSION.search((staging / name).resolve().name)
        if match:
            return Release(f"v1.{match.group(1)}", f"version of the linked module k8s.io/{name}")
    return None


def _from_archive(root: Path) -> Release | None:
    try:
        head = (root / "hack" / "lib" / "version.sh").read_bytes()
    except OSError:
        return None
    # A comment in that file shows what such a tag looks like, with one of a release long ago.
    lines = (line for line in head.splitlines() if not line.lstrip().startswith(b"#"))
    match = _ARCHIVE_TAG.search(b"\n".join(lines))
    return Release(match.group(1).decode(), "tag written by git archive", exact=True) if match else None


def _from_changelog(root: Path) -> Release | None:
    directory = root / "CHANGELOG"
    if not directory.is_dir():
        return None
    found = [(int(match.group(1)), path) for path in directory.iterdir()
             if (match := _CHANGELOG_NAME.match(path.name))]  # fmt: skip
    if not found:
        return None
    minor, path = max(found)
    entry = _CHANGELOG_ENTRY.search(path.read_text(encoding="utf-8", errors="replace")[:4000])
    detail = f", newest entry {entry.group(1)}; a release's own entry is written after its tag" if entry else ""
    return Release(f"v1.{minor}", f"{path.name}{detail}")


def _from_publishing_rules(root: Path) -> Release | None:
    try:
        text = (root / "staging" / "publishing" / "rules.yaml").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    minors = [int(minor) for minor in _PUBLISHING_BRANCH.findall(text)]
    return Release(f"v1.{max(minors)}", "newest branch in staging/publishing/rules.yaml") if minors else None


_SOURCES: tuple[Callable[[Path], Release | None], ...] = (
    _from_git,
    _from_module_directory,
    _from_staging,
    _from_archive,
    _from_changelog,
    _from_publishing_rules,
)
"""Places that tell a release, most trustworthy first."""
