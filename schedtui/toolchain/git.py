"""How git is asked, and what its failures mean.

Owns the program, the environment that it runs in, and the table of its words. What is asked of it is for
``source_releases`` and ``source_fetch`` to say.
"""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

from schedtui.core.errors import SchedtuiError, ToolMissing, UnreadableInput

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

TRIES = 3
"""How often a broken transfer is begun anew: git keeps nothing of an unfinished one, so each is a whole one."""

_NETWORK_WORDS = (
    "early EOF", "unexpected disconnect", "hung up unexpectedly", "RPC failed", "Connection reset", "timed out",
    "Operation too slow", "curl 56", "curl 18", "curl 92", "GnuTLS recv error", "expected flush after",
    "Empty reply from server", "transfer closed with", "expected 'packfile'",
)  # fmt: skip
"""What git says when the line broke, rather than when something is wrong."""

_NOTHING_CAME = "fatal: Could not read from remote repository."
"""A line that broke before the first word; behind another line it is that one's consequence."""


def git_program() -> str:
    """The path of git.

    Raises:
        ToolMissing: There is none.
    """
    git = shutil.which("git")
    if git is None:
        raise ToolMissing(
            "git is not installed",
            where="it gets and switches source",
            hint="Install it: apt, dnf or brew, 'git'.",
        )
    return git


def git_environment() -> Mapping[str, str]:
    """Never ask for a password on a terminal that is not ours; English words, since they are read."""
    return {**os.environ, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C", "GIT_ASKPASS": "true"}


def line_broke(said: Sequence[str]) -> bool:
    """Whether git ended because the line to the server broke, going by its lines."""
    spoken = [line for line in said if line.strip() and not line.startswith("Cloning into")]
    return spoken[:1] == [_NOTHING_CAME] or any(word in line for word in _NETWORK_WORDS for line in spoken)


def refusal(said: Sequence[str], place: str) -> SchedtuiError:
    """Git's own words, with advice for the failures that people meet."""
    text = "\n".join(said)
    details = tuple(line for line in said if not line.startswith(("Cloning into", "remote: Enumerating")))[-6:]
    if line_broke(said):
        return UnreadableInput(
            "The line to the repository broke; nothing is left behind",
            where=place,
            details=details,
            hint=f"It was tried {TRIES} times, each from the beginning: git keeps nothing of a broken transfer."
            " Run the same command again on a steadier line, or name a nearer mirror with --repo.",
        )
    if any(word in text for word in ("Could not resolve host", "Failed to connect", "Connection refused")):
        return UnreadableInput(
            "The repository cannot be reached",
            where=place,
            details=details,
            hint="Check the network, or name a mirror with --repo (or [source] repository in the configuration)."
            " 'schedtui lab' needs no tree: it builds from Go modules.",
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
