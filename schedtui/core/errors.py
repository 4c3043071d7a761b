"""The one family of errors that a user can cause.

Owns the base class that says what went wrong, where, and what to do about it. Anything raised outside this
family is a bug in schedtui and is shown as one. Printing and exit codes belong to ``cli`` and ``ui``.
"""

from __future__ import annotations


class SchedtuiError(Exception):
    """An expected failure: something about the user's set-up or input, told in their words."""

    def __init__(self, title: str, *, where: str = "", hint: str = "", details: tuple[str, ...] = ()) -> None:
        """Create the error.

        Args:
            title: What went wrong, one line, without a final full stop.
            where: The file, address, flag or command concerned; empty when the title says it.
            hint: What to do about it, one or more sentences or a command; empty when nothing can be advised.
            details: Lines of evidence as they came (a compiler's errors, a log's last lines); shown literally.
        """
        super().__init__(title)
        self.title = title
        self.where = where
        self.hint = hint
        self.details = details

    def as_text(self) -> str:
        """The whole error as plain text lines: title and place, evidence, advice."""
        first = f"{self.title}: {self.where}" if self.where else self.title
        lines = [first, *(f"  {line}" for line in self.details)]
        if self.hint:
            lines.append(self.hint)
        return "\n".join(lines)


class UnreadableInput(SchedtuiError):
    """A file, stream or address that was named cannot be read."""


class WrongUse(SchedtuiError):
    """The words of a command, filter, key table or configuration file do not fit."""


class NotASourceTree(SchedtuiError):
    """The directory given as ``--src`` is no Kubernetes or scheduler source tree."""


class BuildFailed(SchedtuiError):
    """``go build`` (or ``make``) ended with an error; ``details`` holds the compiler's lines."""


class ToolMissing(SchedtuiError):
    """A program that is needed (go, git, dlv) is not there or does not fit."""


class DebuggerFailed(SchedtuiError):
    """dlv could not be started, was lost, or refused; ``details`` holds its own words."""


class ClusterUnreachable(SchedtuiError):
    """The API server or the scheduler's own port does not answer as needed."""


class LabFailed(SchedtuiError):
    """A part of the lab did not build, start or stay up."""


class Cancelled(SchedtuiError):
    """Work that the user stopped on purpose; what it had begun is cleaned up."""
