"""Building the scheduler anew beside a running session, and how old the program is that runs.

Owns the one build of a session, its cancelling, and the reading of a failure into places of the source. How it is
built is ``toolchain.build``'s; the restart is the session's.
"""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from schedtui.core.build_state import BuildError, BuildPhase, BuildState
from schedtui.core.errors import Cancelled, SchedtuiError
from schedtui.toolchain.binary import read_binary
from schedtui.toolchain.build import ensure_scheduler, why_stale
from schedtui.toolchain.build_plan import BuildRequest, check_buildable
from schedtui.toolchain.doctor.source_checks import staleness
from schedtui.toolchain.go_build import PHASE_WORDS, compiler_errors, format_seconds

if TYPE_CHECKING:
    from collections.abc import Callable

    from schedtui.toolchain.go_build import BuildProgress
    from schedtui.ui.services.plan import Plan

PROGRESS_SECONDS = 0.2
"""A build's progress is told at most this often: hundreds of packages a second may come from Go's cache."""


class Rebuild:
    """The builds of one session, one at a time."""

    def __init__(self, plan: Plan, tell: Callable[[BuildState], None]) -> None:
        """Create it.

        Args:
            plan: What runs.
            tell: Called, from any thread, with each new state.
        """
        self._plan = plan
        self._tell = tell
        self._lock = threading.Lock()
        self._cancel = threading.Event()
        self._told_at = 0.0
        start = plan.start
        self.state = BuildState(target="kube-scheduler", binary=start.target if start is not None else "")

    def refusal(self) -> str:
        """Why there is nothing to build here; empty when there is."""
        checkout, start = self._plan.checkout, self._plan.start
        if checkout is None:
            return "There is no source tree to build from: start with --src DIR."
        if checkout.layout == "module-cache":
            return (
                "This scheduler was built from Go's module cache, which never changes; r starts it anew."
                " To change code: schedtui source get VERSION DIR, then schedtui --src DIR."
            )
        if start is None or start.mode != "exec" or self._plan.flavour is None:
            return "This program was not built by schedtui: build it where it was made, then r."
        return ""

    def stale(self) -> str:
        """Why the program is not what the tree would give now, one clause; empty when it is, or nobody can say."""
        checkout, start = self._plan.checkout, self._plan.start
        if checkout is None or start is None or start.mode != "exec":
            return ""
        if self._plan.flavour is not None and not self.refusal():
            return why_stale(BuildRequest(checkout, self._plan.flavour))
        return staleness(read_binary(Path(start.target)), checkout)

    def cancel(self) -> bool:
        """Stop the build; the program that is there stays. False when none goes on."""
        self._cancel.set()
        return not self.state.over

    def build(self) -> bool:
        """Build; returns whether there is a fresh program. It takes its time: for a worker thread.

        Raises:
            SchedtuiError: There is nothing that could be built here.
        """
        if reason := self.refusal():
            raise SchedtuiError(reason)
        if not self._lock.acquire(blocking=False):
            raise SchedtuiError("A build goes on already", hint="', b' shows it, and x stops it there.")
        try:
            self._cancel.clear()
            return self._build()
        finally:
            self._lock.release()

    def _build(self) -> bool:
        checkout, flavour = self._plan.checkout, self._plan.flavour
        assert checkout is not None and flavour is not None
        number = self.state.number + 1
        self._show(BuildState(number, "building", "kube-scheduler", "starting", binary=self.state.binary))
        request = BuildRequest(checkout, flavour)
        try:
            check_buildable(checkout)
            result = ensure_scheduler(request, self._progress, self._cancel)
        except Cancelled:
            self._end("cancelled", "The build was cancelled; the program that was there stays.")
            return False
        except SchedtuiError as error:
            errors = tuple(_error(line, checkout.root) for line in error.details)
            self._end("failed", f"{error.title[0].upper()}{error.title[1:]}", errors=errors, hint=error.hint)
            return False
        if result.built_now:
            title = f"Built in {format_seconds(result.seconds)}: {result.version or 'no release stamped'}"
        else:
            title = "Nothing has changed since the last build"
        self._end("done", title, notes=(result.optimised, *result.notes))
        return result.built_now

    def _progress(self, progress: BuildProgress) -> None:
        now = time.monotonic()
        if now - self._told_at < PROGRESS_SECONDS and progress.phase == "compile":
            return
        self._told_at = now
        self._show(
            replace(
                self.state, target=progress.target, step=PHASE_WORDS[progress.phase], done=progress.done,
                total=progress.total, elapsed=progress.elapsed, left=progress.left, current=progress.current,
            )
        )  # fmt: skip

    def know_age(self, why: str) -> None:
        """Show how old the program is; while a build goes on it does not matter."""
        if self.state.over and why != self.state.why_stale:
            self._show(replace(self.state, why_stale=why))

    def _end(
        self, phase: BuildPhase, title: str, *, errors: tuple[BuildError, ...] = (), hint: str = "",
        notes: tuple[str, ...] = (),
    ) -> None:  # fmt: skip
        self._show(
            replace(
                self.state,
                phase=phase,
                title=title,
                errors=errors,
                hint=hint,
                notes=notes,
                left=None,
                why_stale="",
            )
        )

    def _show(self, state: BuildState) -> None:
        self.state = state
        self._tell(state)


def _error(line: str, root: Path) -> BuildError:
    """A line of the compiler with its place; its file is told relative to the directory that was built in."""
    found = compiler_errors([line])
    if not found:
        return BuildError(line)
    return BuildError(line, str((root / found[0].file).resolve()), found[0].line)
