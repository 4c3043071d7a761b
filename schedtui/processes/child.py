"""One child process: started in a group of its own, its output in chunks, ended by identity.

Owns the pipe, the reading thread and the exit code. It refuses shells (an argument list only), and refuses to
decode or split what the child writes: callers get bytes as they come.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

from schedtui.core.errors import ToolMissing
from schedtui.processes.gate import INHERITED_UMASK, PRIVATE_UMASK, start_behind_gate
from schedtui.processes.guard import release, watch_over
from schedtui.processes.identity import ProcessIdentity, end_processes, identify

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

CHUNK_BYTES = 65536
"""The most that one call of ``on_output`` gets."""


class Child:
    """A running child. Its callbacks are called on the child's own threads."""

    def __init__(
        self,
        arguments: Sequence[str | Path],
        *,
        directory: Path | None = None,
        environment: Mapping[str, str] | None = None,
        on_output: Callable[[bytes], None] | None = None,
        output_file: Path | None = None,
        on_exit: Callable[[int], None] | None = None,
        outlive: bool = False,
        private: bool = False,
    ) -> None:
        """Start the child.

        Args:
            arguments: The program and its arguments; nothing passes through a shell.
            directory: Where it runs.
            environment: The whole environment; ``None`` hands on ours.
            on_output: Gets standard output and error together, in chunks, as they come.
            output_file: Where both go instead; appended to, created for the user alone.
            on_exit: Gets the exit code (minus the signal's number when a signal ended it), after all output.
            outlive: The child is to live on when schedtui ends.
            private: What it writes for itself (certificates, data) is the user's alone. Without it the user's own
                umask holds, as what compilers and git make is to be used like anything that the user makes.

        Raises:
            ToolMissing: When the program cannot be started.
        """
        self.arguments = tuple(str(argument) for argument in arguments)
        self._on_output = on_output
        self._on_exit = on_exit
        self._finished = threading.Event()
        self._exit_code = 0
        sink: int | IO[bytes] = subprocess.PIPE if on_output else subprocess.DEVNULL
        if output_file is not None:
            descriptor = os.open(output_file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            sink = os.fdopen(descriptor, "wb", buffering=0)
        self.identity: ProcessIdentity | None = None
        """Who it is; ``None`` when it was over before it could be looked at."""
        self._guarded = not outlive
        try:
            self._process = start_behind_gate(
                self.arguments,
                self._watch,
                environment=environment,
                directory=directory or "",
                output=sink,
                umask=PRIVATE_UMASK if private else INHERITED_UMASK,
            )
        finally:
            if not isinstance(sink, int):
                sink.close()
        self._thread = threading.Thread(target=self._attend, name=f"child-{self._process.pid}", daemon=True)
        self._thread.start()

    def _watch(self, identity: ProcessIdentity) -> None:
        """It waits to begin: from now on somebody ends it, whatever becomes of us."""
        self.identity = identity
        if self._guarded:
            watch_over(identity, group=True)

    @property
    def pid(self) -> int:
        """The child's pid, recorded at its start."""
        return self._process.pid

    @property
    def exit_code(self) -> int | None:
        """Its exit code; ``None`` while it runs. A signal counts negative."""
        return self._exit_code if self._finished.is_set() else None

    def wait(self, seconds: float | None = None) -> int | None:
        """Wait for its end; ``None`` when it still runs after ``seconds``."""
        self._finished.wait(seconds)
        return self.exit_code

    def end(self, *, grace_seconds: float = 5.0, first_signal: int = signal.SIGTERM) -> int:
        """End it and all of its group, wait for its threads, and return the exit code."""
        if self.identity is not None:
            end_processes([self.identity], grace_seconds=grace_seconds, group=True, first_signal=first_signal)
        self._finished.wait()
        if self._thread is not threading.current_thread():
            self._thread.join()
        return self._exit_code

    def _attend(self) -> None:
        """Carry the output, then tell the end."""
        pipe = self._process.stdout
        try:
            if pipe is not None and self._on_output is not None:
                # Should the callback fail, the closed pipe ends the child's writing rather than blocking it.
                with pipe:
                    while chunk := os.read(pipe.fileno(), CHUNK_BYTES):
                        self._on_output(chunk)
        finally:
            self._exit_code = self._process.wait()
            if self.identity is not None and self._guarded:
                release(self.identity)
            self._finished.set()
        if self._on_exit is not None:
            self._on_exit(self._exit_code)


@dataclass(frozen=True, slots=True)
class Completed:
    """A command that ran to its end."""

    exit_code: int
    output: str
    """Standard output, decoded with replacement."""
    errors: str
    """Standard error, decoded with replacement."""


def run_to_end(
    arguments: Sequence[str | Path],
    *,
    directory: Path | None = None,
    environment: Mapping[str, str] | None = None,
    seconds: float = 60.0,
) -> Completed:
    """Run a short command and return what it printed.

    Raises:
        ToolMissing: When it cannot be started, or does not end within ``seconds`` (it is ended then).
    """
    words = [str(argument) for argument in arguments]
    try:
        process = subprocess.Popen(
            words,
            cwd=directory,
            env=None if environment is None else dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        raise ToolMissing(f"cannot start {words[0]}", where=str(error.strerror or error)) from error
    identity = identify(process.pid)
    try:
        output, errors = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired as error:
        raise ToolMissing(f"{' '.join(words[:3])} did not answer within {seconds:g} s") from error
    finally:
        if process.poll() is None:
            if identity is not None:
                end_processes([identity], grace_seconds=1.0, group=True)
            process.communicate()
    return Completed(process.returncode, output.decode("utf-8", "replace"), errors.decode("utf-8", "replace"))
