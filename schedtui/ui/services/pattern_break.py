"""Stopping the scheduler when it logs something: exactly where one call in the source writes it, else softly.

Owns the armed pattern and which way it goes. A soft stop comes after the line was read from the log: the scheduler
has gone on for some milliseconds by then, and that is said.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from schedtui.debugger import model
from schedtui.ui import messages

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.message import Message

    from schedtui.core.call_sites import CallSite, CallSites
    from schedtui.core.record import Record

_POD = re.compile(r"\s*\bpod:(?P<pod>[a-z0-9.-]+/[a-z0-9.-]+)\s*$")

LEAST_LETTERS = 4
"""Shorter patterns are never taken for a log call's message."""


def exact_site(sites: CallSites | None, text: str) -> CallSite | None:
    """The one log call of the scheduler's own packages whose message holds a text; None when it is not one."""
    if sites is None or len(text) < LEAST_LETTERS:
        return None
    found = [
        site
        for site in sites.sites
        if "/pkg/scheduler/" in site.path and any(text in part for parts in site.patterns for part in parts)
    ]
    whole = [site for site in found if site.matches(text)]
    chosen = whole or found
    return chosen[0] if len(chosen) == 1 else None


class PatternBreak:
    """The pattern of one session."""

    def __init__(self, submit: Callable[[model.Command], None], post: Callable[[Message], object]) -> None:
        """Create it.

        Args:
            submit: Takes commands for dlv, from any thread.
            post: Takes messages for the screen, from any thread.
        """
        self._submit = submit
        self._post = post
        self._armed: re.Pattern[str] | None = None

    def arm(self, text: str, sites: CallSites | None) -> None:
        """Stop at what is logged; an empty text ends a soft stop."""
        pattern = text.strip()
        if not pattern:
            self._armed = None
            self._tell("No log line stops the scheduler any more.")
            return
        pod = _POD.search(pattern)
        bare = _POD.sub("", pattern).strip().strip('"')
        site = exact_site(sites, bare)
        if site is not None:
            self._submit(
                model.SetBreakpoint(
                    f"{site.file}:{site.call_line}", pod=pod["pod"] if pod is not None else "", message=bare
                )
            )
            self._tell(f"Exact: {site.file}:{site.call_line} alone logs this; it stops there, before the line.")
            return
        try:
            self._armed = re.compile(pattern)
        except re.error:
            self._armed = re.compile(re.escape(pattern))
        self._tell("Soft: it is stopped once such a line has come, some ms late; an empty b e ends that.")

    def observe(self, records: Sequence[Record]) -> None:
        """Look at what was logged; on the log store's thread."""
        armed = self._armed
        if armed is None:
            return
        for record in records:
            if armed.search(record.raw):
                self._submit(model.Interrupt())
                self._tell(f"Stopped softly: line {record.line} matches {armed.pattern}.")
                return

    def _tell(self, text: str) -> None:
        self._post(messages.NoticePosted(text))
        self._post(messages.DebuggerReported(model.ConsoleOutput(text, "note")))
