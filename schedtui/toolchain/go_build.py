"""One run of ``go build`` or ``go install``: watched, counted, cancelled, its errors told.

Owns the running and the counting (which packages are stale, which are compiled by now) and the reading of the
compiler's lines. It refuses to know what is built and why: ``build``, ``dlv`` and the lab's ``module`` bring the
arguments and the environment.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from schedtui.core.build_problem import build_problem
from schedtui.core.errors import BuildFailed, Cancelled
from schedtui.processes import Child, run_to_end

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from schedtui.core.symptom import Problem

BuildPhase = Literal["wait", "download", "count", "compile", "link", "done", "start"]
"""``wait``: another schedtui builds the same. ``count``: go is asked what is stale. ``link``: all compiled.
``start``: what was built is being started; ``current`` names the part."""

TICK_SECONDS = 0.5
"""How often progress is told while nothing happens, so that a clock on the screen goes on."""

KEPT_LINES = 400
"""The last lines of output that are kept for an error."""

COUNT_SECONDS = 600.0
"""The time that ``go list`` gets; on a fresh machine it downloads modules first."""

_COMPILER_LINE = re.compile(r"^(?P<file>[^\s:][^:]*\.go):(?P<line>\d+)(?::(?P<column>\d+))?: (?P<message>.*)$")
_PACKAGE = re.compile(r"^[A-Za-z0-9_.~-]+(?:/[A-Za-z0-9_.~+-]+)*$")


@dataclass(frozen=True, slots=True)
class BuildProgress:
    """How far a build is."""

    target: str
    """What is built: ``kube-scheduler``, ``kube-apiserver``, ``etcd``, ``dlv``."""
    phase: BuildPhase
    done: int = 0
    """Packages compiled (modules downloaded in the phase ``download``)."""
    total: int = 0
    """Packages to compile; 0 while unknown."""
    elapsed: float = 0.0
    """Seconds since the start."""
    left: float | None = None
    """Seconds that are likely left; ``None`` when nothing tells."""
    current: str = ""
    """The package or module at hand."""

    def as_text(self) -> str:
        """One line for a terminal or a log."""
        how_far = f"{self.done}/{self.total}" if self.total else str(self.done or "")
        if self.phase == "start":
            return f"{self.target}: starting {self.current}"
        words = [f"{self.target}: {PHASE_WORDS[self.phase]}", how_far, f"{format_seconds(self.elapsed)} so far"]
        if self.left is not None and self.phase not in ("done", "wait"):
            words.append(f"about {format_seconds(self.left)} left")
        return ", ".join(word for word in words if word)


PHASE_WORDS: dict[BuildPhase, str] = {
    "wait": "waiting for another schedtui that builds it",
    "download": "downloading modules",
    "count": "looking what is to be built",
    "compile": "compiling packages",
    "link": "linking",
    "done": "built",
    "start": "starting",
}
"""How each phase is told."""


@dataclass(frozen=True, slots=True)
class CompilerError:
    """One line of the compiler that names a place."""

    file: str
    """As printed: relative to the build's directory."""
    line: int
    """1-based."""
    column: int
    """1-based; 0 when not told."""
    message: str


def compiler_errors(lines: Sequence[str]) -> tuple[CompilerError, ...]:
    """The lines of ``lines`` that name a file and a line."""
    matches = (_COMPILER_LINE.match(line) for line in lines)
    return tuple(
        CompilerError(match["file"], int(match["line"]), int(match["column"] or 0), match["message"])
        for match in matches
        if match
    )


def format_seconds(seconds: float) -> str:
    """``75`` → ``1 min 15 s``."""
    whole = round(seconds)
    return f"{whole // 60} min {whole % 60:02d} s" if whole >= 60 else f"{whole} s"


@dataclass(frozen=True, slots=True)
class GoRun:
    """What ``run_go_build`` runs."""

    target: str
    arguments: tuple[str, ...]
    """The whole command, ``-v`` included (the counting needs it)."""
    directory: Path
    environment: Mapping[str, str]
    count_arguments: tuple[str, ...] = ()
    """The same build asked as ``go list -deps -f '{{.Stale}} {{.ImportPath}}'``; empty: no total is known."""
    expected_seconds: float | None = None
    """What the last build of this took; ``None`` when it was never built here."""


def run_go_build(run: GoRun, progress: Callable[[BuildProgress], None], cancel: threading.Event) -> float:
    """Run it to the end.

    Returns:
        The seconds that it took.

    Raises:
        Cancelled: ``cancel`` was set; work directories in a GOTMPDIR of our own are removed.
        BuildFailed: It ended with an error; the details hold the compiler's lines.
    """
    counter = _Counter(run, progress)
    counter.tell("count" if run.count_arguments else "compile")
    if run.count_arguments:
        total = _run_child(run, run.count_arguments, counter.count_line, counter, cancel)
        if total.exit_code != 0:
            raise _failed(run, counter.kept)
        counter.start_compiling()
    finished = _run_child(run, run.arguments, counter.build_line, counter, cancel)
    if finished.exit_code != 0:
        raise _failed(run, counter.kept)
    counter.tell("done")
    return counter.elapsed()


@dataclass(frozen=True, slots=True)
class _Finished:
    exit_code: int


def _run_child(
    run: GoRun,
    arguments: tuple[str, ...],
    on_line: Callable[[str], None],
    counter: _Counter,
    cancel: threading.Event,
) -> _Finished:
    lines = LineSplitter(on_line)
    child = Child(arguments, directory=run.directory, environment=run.environment, on_output=lines.feed)
    try:
        while child.wait(TICK_SECONDS) is None:
            if cancel.is_set():
                raise Cancelled(f"the build of {run.target} was cancelled")
            counter.tell()
    finally:
        # SIGINT, because it is the one signal at which go itself tidies up.
        exit_code = child.end(first_signal=signal.SIGINT)
        if cancel.is_set():
            _remove_work_directories(run)
    lines.flush()
    return _Finished(exit_code)


def _remove_work_directories(run: GoRun) -> None:
    """Remove what go left in a temporary directory of our own: its compilers may write on while it tidies up."""
    scratch = run.environment.get("GOTMPDIR", "")
    if scratch and scratch != os.environ.get("GOTMPDIR"):
        for left in Path(scratch).glob("go-build*"):
            shutil.rmtree(left, ignore_errors=True)


def _failed(run: GoRun, kept: list[str]) -> BuildFailed:
    places = [line for line in kept if _COMPILER_LINE.match(line)]
    problem = build_problem(kept)
    told = [line for line in kept if not _PACKAGE.match(line) and not line.startswith("go: downloading ")]
    return BuildFailed(
        f"the build of {run.target} failed",
        where=str(run.directory),
        details=tuple(told[-40:] or kept[-5:]),
        hint="" if places and problem is None else _advice(problem),
    )


def _advice(problem: Problem | None) -> str:
    """The set-up's fault in words, when it is one that is known."""
    if problem is None:
        return "The lines above are go's own. 'schedtui doctor' checks Go, its proxy and the source tree."
    return f"{problem.title}. {problem.advice}"


class LineSplitter:
    """Chunks in, whole lines out."""

    def __init__(self, on_line: Callable[[str], None]) -> None:
        """Tell lines to ``on_line``, decoded with replacement, without their ends."""
        self._on_line = on_line
        self._rest = b""

    def feed(self, chunk: bytes) -> None:
        """Take a chunk; tells each line that is whole now."""
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        for line in lines:
            self._on_line(line.decode("utf-8", "replace").rstrip("\r"))

    def flush(self) -> None:
        """The end: tells what has no line break."""
        if self._rest:
            self._on_line(self._rest.decode("utf-8", "replace"))
            self._rest = b""


class _Counter:
    """Counts packages from go's own lines and tells how far it is."""

    def __init__(self, run: GoRun, progress: Callable[[BuildProgress], None]) -> None:
        self._run = run
        self._progress = progress
        self._started = time.monotonic()
        self._compile_started = self._started
        self._lock = threading.Lock()
        self._phase: BuildPhase = "count"
        self._done = 0
        self._total = 0
        self._downloaded = 0
        self._current = ""
        self.kept: list[str] = []

    def elapsed(self) -> float:
        return time.monotonic() - self._started

    def start_compiling(self) -> None:
        with self._lock:
            self._compile_started = time.monotonic()
            self.kept.clear()
        self.tell("compile")

    def count_line(self, line: str) -> None:
        """A line of the counting ``go list``: ``true REASON|import/path`` for each stale package."""
        if line.startswith("true "):
            with self._lock:
                self._total += 1
        elif not line.startswith("false "):
            self._other_line(line)

    def build_line(self, line: str) -> None:
        """A line of ``go build -v``: an import path as its compilation starts, or words of go or the compiler."""
        if _PACKAGE.match(line):
            with self._lock:
                self._done += 1
                self._current = line
                last = self._total and self._done >= self._total
            self.tell("link" if last else "compile")
        else:
            self._other_line(line)

    def _other_line(self, line: str) -> None:
        with self._lock:
            self.kept.append(line)
            del self.kept[:-KEPT_LINES]
            if not line.startswith("go: downloading "):
                return
            self._downloaded += 1
            self._current = line.removeprefix("go: downloading ")
        self.tell("download")

    def tell(self, phase: BuildPhase | None = None) -> None:
        with self._lock:
            self._phase = phase or self._phase
            downloading = self._phase == "download"
            value = BuildProgress(
                target=self._run.target,
                phase=self._phase,
                done=self._downloaded if downloading else self._done,
                total=0 if downloading else self._total,
                elapsed=self.elapsed(),
                left=self._seconds_left(),
                current=self._current,
            )
        self._progress(value)

    def _seconds_left(self) -> float | None:
        """From the last build's time, else from the pace of this one; the pace needs some packages first."""
        compiling = time.monotonic() - self._compile_started
        nothing_to_compile = bool(self._run.count_arguments) and not self._total
        if self._phase == "done" or (self._phase in ("compile", "link") and nothing_to_compile):
            # The last build's time says nothing of one for which all packages are there.
            return None
        if self._phase == "link" and self._run.expected_seconds is None:
            return None
        if self._phase in ("compile", "link") and self._total and self._done >= max(20, self._total // 20):
            by_pace = compiling / self._done * max(0, self._total - self._done)
            if self._run.expected_seconds is None:
                return by_pace
            by_memory = max(0.0, self._run.expected_seconds - self.elapsed())
            share = self._done / self._total
            return by_memory * (1 - share) + by_pace * share
        if self._run.expected_seconds is None:
            return None
        return max(0.0, self._run.expected_seconds - self.elapsed())


def count_command(go: Path, build_flags: Sequence[str], package: str) -> tuple[str, ...]:
    """The ``go list`` that tells what a build would have to compile.

    A package that only has no installed archive but lies in the build cache is stale to ``go list`` as well; its
    reason tells the two apart.
    """
    form = (
        '{{if eq .StaleReason "not installed but available in build cache"}}false'
        "{{else}}{{.Stale}}{{end}} {{.ImportPath}}"
    )
    return (str(go), "list", "-deps", *build_flags, "-f", form, package)


def ask_go(go: Path, words: Sequence[str], directory: Path, environment: Mapping[str, str]) -> str:
    """Standard output of a short go command.

    Raises:
        BuildFailed: It ended with an error; its words are the details.
    """
    answer = run_to_end([go, *words], directory=directory, environment=environment, seconds=COUNT_SECONDS)
    if answer.exit_code != 0:
        raise BuildFailed(
            f"go {words[0]} failed", where=str(directory), details=tuple(answer.errors.splitlines()[-20:])
        )
    return answer.output
