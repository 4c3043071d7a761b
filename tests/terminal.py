"""A program in a real pseudo terminal, its screen read as a person sees it (pyte)."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import threading
import time
from typing import TYPE_CHECKING, Any, Self

import pyte

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path


FRAME_BEGINS, FRAME_ENDS = b"\x1b[?2026h", b"\x1b[?2026l"
"""Around one frame, for terminals that show it at once (synchronized output)."""

FRAMES_ASKED, FRAMES_KNOWN = b"\x1b[?2026$p", b"\x1b[?2026;2$y"
"""Whether the terminal shows frames at once, and the answer that it does (DECRQM, DECRPM)."""


class Terminal:
    """One program on one screen; a frame is seen whole or not at all."""

    def __init__(
        self, argv: Sequence[str], *, columns: int = 80, lines: int = 24, directory: Path | None = None,
        environment: Mapping[str, str] | None = None, standard_input: int | None = None,
    ) -> None:  # fmt: skip
        self.screen = pyte.Screen(columns, lines)
        self._stream = pyte.ByteStream(self.screen)
        self._lock = threading.Lock()
        self._master, slave = pty.openpty()
        self.received = 0
        """Bytes that the program wrote."""
        self.raw = bytearray()
        """What it wrote."""
        self._unseen = bytearray()
        """What it wrote of a frame that is not whole yet."""
        self._size(columns, lines)
        self.first_modes = self.modes
        """Its modes before the program began."""
        variables = {**os.environ, "TERM": "xterm-256color", **(environment or {})}
        self.process = subprocess.Popen(
            argv, stdin=slave if standard_input is None else standard_input, stdout=slave, stderr=slave,
            env=variables, cwd=directory, start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(1, termios.TIOCSCTTY, 0) and None,
        )  # fmt: skip
        os.close(slave)
        self._open = True
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(30)
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.hang_up()

    def _size(self, columns: int, lines: int) -> None:
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def _read(self) -> None:
        while self._open:
            readable, _, _ = select.select([self._master], [], [], 0.2)
            if not readable:
                continue
            try:
                data = os.read(self._master, 65536)
            except OSError:
                break
            if not data:
                break
            self._take(data)
        with self._lock:
            self._stream.feed(bytes(self._unseen))
            self._unseen.clear()

    def _take(self, data: bytes) -> None:
        """Show the frames that are whole; the reads of a pseudo terminal end anywhere."""
        with self._lock:
            self.received += len(data)
            self.raw += data
            asked = self.raw[-len(data) - len(FRAMES_ASKED) + 1 :].count(FRAMES_ASKED)
            self._unseen += data
            whole = self._whole()
            self._stream.feed(bytes(self._unseen[:whole]))
            del self._unseen[:whole]
        if asked:
            os.write(self._master, FRAMES_KNOWN * asked)

    def _whole(self) -> int:
        """How many of the unseen bytes end outside of a frame."""
        begins = self._unseen.rfind(FRAME_BEGINS)
        if begins > self._unseen.rfind(FRAME_ENDS):
            return begins
        # The next frame's beginning may be cut in two.
        cut = next((n for n in range(len(FRAME_BEGINS) - 1, 0, -1) if self._unseen.endswith(FRAME_BEGINS[:n])), 0)
        return len(self._unseen) - cut

    def hang_up(self) -> None:
        """Close the terminal's other end, as a dropped line does."""
        if self._open:
            self._open = False
            self._reader.join()
            os.close(self._master)

    def resize(self, columns: int, lines: int) -> None:
        """Change the terminal's size; the program is told by the kernel."""
        with self._lock:
            self.screen.resize(lines, columns)
        self._size(columns, lines)

    @property
    def modes(self) -> list[Any]:
        """The terminal's modes, as ``termios`` has them."""
        return termios.tcgetattr(self._master)

    @modes.setter
    def modes(self, modes: list[Any]) -> None:
        termios.tcsetattr(self._master, termios.TCSANOW, modes)

    def send(self, keys: str) -> None:
        """Type."""
        os.write(self._master, keys.encode())

    @property
    def text(self) -> list[str]:
        """The screen, line by line."""
        with self._lock:
            return [line.rstrip() for line in self.screen.display]

    def wait_for(self, what: str | Callable[[list[str]], bool], seconds: float = 60.0) -> list[str]:
        """Wait until a text is on the screen (or something is true of it), and give the screen."""
        deadline = time.monotonic() + seconds
        while True:
            lines = self.text
            if what(lines) if callable(what) else any(what in line for line in lines):
                return lines
            picture = "\n".join(lines)
            assert time.monotonic() < deadline, f"not on the screen: {what}\n{picture}"
            assert self.process.poll() is None or self.received, f"ended with {self.process.returncode}\n{picture}"
            time.sleep(0.05)

    def wait_for_end(self, seconds: float = 60.0) -> int:
        """The exit code, once all is read that it wrote."""
        code = self.process.wait(seconds)
        # The terminal's end comes behind its last byte, unless somebody else has the terminal too.
        self._reader.join(seconds)
        return code
