"""One dlv on a pseudo terminal: start it, send a line, read to the next prompt or question, interrupt, end it.

Owns pexpect and the terminal; nothing else touches either. It knows where a reply ends and nothing of what a
reply means (``replies``), which command comes next (``driver``) or how dlv is called (``launching``). All of it
belongs to one thread.
"""

from __future__ import annotations

import errno
import os
import select
import signal
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pexpect

from schedtui.core.errors import DebuggerFailed
from schedtui.debugger.halting import ask_server_to_halt
from schedtui.debugger.questions import ENDINGS, Question, find_question, unknown_question
from schedtui.processes.gate import WAITING_ON_TERMINAL, check_program

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

COLUMNS = 500
"""Width of the terminal: wide enough that dlv never redraws a line, and never told of the real one."""

READ_SIZE = 65536
"""Bytes read at once."""

LINE_LIMIT = 4000
"""Bytes in one line to dlv: the terminal's line discipline drops what is past 4 095."""

END_SECONDS = 3.0
"""How long dlv may take to end after its terminal is closed, before it is killed."""


@dataclass(frozen=True, slots=True)
class Prompted:
    """dlv waits for a command; the text is all that came since the last one."""

    text: str


@dataclass(frozen=True, slots=True)
class Asked:
    """dlv waits for an answer; the text is what came before the question."""

    text: str
    question: Question
    line: str
    """The question as dlv wrote it."""


@dataclass(frozen=True, slots=True)
class Ended:
    """dlv is gone; the text is its last."""

    text: str
    status: str
    """How it ended, in words."""


@dataclass(frozen=True, slots=True)
class Lines:
    """Whole lines that came while the target runs; there is more to come."""

    text: str


Pattern = str | type[pexpect.EOF] | type[pexpect.TIMEOUT]
"""What pexpect is told to look for."""

Piece = Prompted | Asked | Ended | Lines
"""What ``poll`` can find."""


def _keep_files_private() -> None:
    os.umask(0o077)


class DlvSession:
    """A dlv process and its terminal.

    Args:
        argv: The command line.
        environment: The whole environment of the child.
        directory: Where it is started.
        prompt: The prompt that its configuration sets; nobody else prints it.
        server: Address of the server that it is a client of; empty for none.
        watch: Gets its pid; dlv begins when this returns, and never does when schedtui is killed before.

    Raises:
        DebuggerFailed: It cannot be started.
    """

    def __init__(
        self, argv: Sequence[str], environment: Mapping[str, str], directory: str, prompt: str, server: str = "",
        watch: Callable[[int], None] = lambda _: None,
    ) -> None:  # fmt: skip
        self._prompt = prompt
        self._server = server
        self._patterns: list[Pattern] = [prompt, *ENDINGS, pexpect.EOF, pexpect.TIMEOUT]
        self._streaming: list[Pattern] = [*self._patterns, "\n"]
        self._text = ""
        self._answered = True
        self._ended: Ended | None = None
        waiting, *words = (*WAITING_ON_TERMINAL, *argv)
        try:
            # Behind the gate it is too late to say so.
            check_program(argv[0], environment, directory)
            self._child = pexpect.spawn(
                waiting,
                words,
                env=dict(environment),
                cwd=directory or None,
                timeout=None,
                maxread=READ_SIZE,
                encoding="utf-8",
                codec_errors="replace",
                dimensions=(50, COLUMNS),
                echo=False,
                # What dlv and the target write for themselves (output, certificates) is nobody else's either.
                preexec_fn=_keep_files_private,
            )
        except (pexpect.ExceptionPexpect, OSError) as error:
            raise DebuggerFailed(
                "dlv could not be started",
                where=argv[0],
                hint="schedtui doctor shows what is missing.",
                details=(str(error),),
            ) from error
        assert self._child.pid is not None
        self._pid: int = self._child.pid
        self._child.delaybeforesend = None
        self._child.delayafterread = None
        try:
            watch(self._pid)
        except BaseException:
            self._child.close(force=True)
            raise
        self._write("go")

    @property
    def pid(self) -> int:
        """The process id of dlv."""
        return self._pid

    @property
    def is_client(self) -> bool:
        """True when the target is held by a server."""
        return bool(self._server)

    @property
    def descriptor(self) -> int:
        """The terminal's descriptor, to wait on; -1 when dlv is gone."""
        return -1 if self._child.closed else int(self._child.child_fd)

    @property
    def pending(self) -> str:
        """What came since the last prompt and has not been handed out."""
        before = self._child.before
        return _plain(self._text + (before if isinstance(before, str) else ""))

    def send(self, line: str) -> None:
        """Send one command line.

        Raises:
            DebuggerFailed: The line is empty (dlv would repeat the last command), holds a line break, or is
                too long.
        """
        if not line.strip() or "\n" in line or "\r" in line or "\x03" in line or "\x04" in line:
            raise DebuggerFailed("This line cannot be sent to dlv", where=repr(line))
        if len(line.encode("utf-8", "surrogatepass")) > LINE_LIMIT:
            raise DebuggerFailed(
                "The line is too long for dlv's terminal",
                where=f"{len(line)} characters",
                hint=f"At most {LINE_LIMIT} bytes fit; put longer scripts into a file and use 'source FILE'.",
            )
        self._text = ""
        self._answered = False
        self._write(line)

    def answer(self, text: str) -> None:
        """Answer the open question."""
        self._answered = True
        self._write(text)

    def _write(self, line: str) -> None:
        try:
            self._child.sendline(line)
        except OSError as error:
            # The terminal went away under us: the next poll reports the end.
            if error.errno not in (errno.EIO, errno.EBADF):
                raise

    def poll(self, timeout: float, *, wake: int = -1, stream: bool = False) -> Piece | None:
        """Wait for the next piece.

        Args:
            timeout: Seconds; 0 looks only at what is there.
            wake: A descriptor that ends the wait when it becomes readable.
            stream: Hand out whole lines as they come instead of holding them for the prompt.

        Returns:
            None when nothing was complete within the time, or the wait was woken.
        """
        if self._ended is not None:
            return self._ended
        deadline = time.monotonic() + timeout
        piece = self._read(stream)
        while piece is None:
            waiting = [self._child.child_fd] if wake < 0 else [self._child.child_fd, wake]
            ready, _, _ = select.select(waiting, [], [], max(0.0, deadline - time.monotonic()))
            if self._child.child_fd in ready:
                piece = self._read(stream)
            elif ready or time.monotonic() >= deadline:
                return None
            if piece is None and wake in ready:
                return None
        return piece

    def _read(self, stream: bool) -> Piece | None:
        patterns = self._streaming if stream else self._patterns
        while True:
            found = patterns[self._child.expect_exact(patterns, timeout=0)]
            if found is pexpect.TIMEOUT:
                return None
            before = self._child.before if isinstance(self._child.before, str) else ""
            if found is pexpect.EOF:
                return self._end(self._text + before)
            assert isinstance(found, str)
            piece = self._piece(self._text + before, found)
            if piece is not None:
                return piece

    def _piece(self, text: str, found: str) -> Piece | None:
        if found == self._prompt:
            # Only at a line's start: a listing of dlv's configuration shows the prompt too. After an answer the
            # terminal stands behind the question, since nothing is echoed.
            if self._answered or not text or text.endswith("\n"):
                self._text = ""
                return Prompted(_plain(text))
        elif found == "\n":
            self._text = ""
            return Lines(_plain(text + found))
        else:
            head, line_break, last = (text + found).rpartition("\n")
            question = find_question(last)
            if question is None and not self._child.buffer and last.strip().endswith(("?", "]")):
                question = unknown_question(last)
            if question is not None:
                self._text = ""
                return Asked(_plain(head + line_break), question, last.strip())
        self._text = text + found
        return None

    def _end(self, text: str) -> Ended:
        self._child.close(force=False)
        if self._child.isalive():
            self._child.wait()
        if self._child.signalstatus is not None:
            status = f"killed by {signal.Signals(self._child.signalstatus).name}"
        else:
            status = f"ended with status {self._child.exitstatus}"
        self._ended = Ended(_plain(text), status)
        return self._ended

    def interrupt(self, *, again: bool = False) -> None:
        """Ask dlv to stop the target (SIGINT to dlv alone).

        Args:
            again: It had no effect before: a server is asked beside its client, which may wait for ever.
        """
        if self._ended is None and again and self._server:
            ask_server_to_halt(self._server)
        elif self._ended is None:
            os.kill(self._pid, signal.SIGINT)

    def let_go_on(self) -> None:
        """A dlv that somebody stopped (SIGSTOP) neither answers nor ends: let it go on."""
        if self._ended is None:
            os.kill(self._pid, signal.SIGCONT)

    def close(self) -> None:
        """Close the terminal and make sure that dlv is gone."""
        if self._ended is not None:
            return
        os.kill(self._pid, signal.SIGTERM)
        self.let_go_on()
        deadline = time.monotonic() + END_SECONDS
        while (left := deadline - time.monotonic()) > 0:
            # Reading on: a child that cannot write would not end.
            if isinstance(self.poll(min(left, 0.1), stream=True), Ended):
                return
        self._child.close(force=True)
        self._ended = Ended(self.pending, "killed")


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n")
