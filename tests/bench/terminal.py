"""Runs a program on a pseudo terminal and measures it: when a text appears, what it writes, what it costs."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

COLOURS = re.compile(rb"\x1b\[[0-9;]*m")
TICKS = os.sysconf("SC_CLK_TCK")


class Terminal:
    """A program on an 80x24 terminal."""

    def __init__(self, command: Sequence[str], environment: dict[str, str] | None = None) -> None:
        self.output = bytearray()
        self.started = time.perf_counter()
        self.pid, self._descriptor = pty.fork()
        if self.pid == 0:
            os.execvpe(command[0], list(command), {**os.environ, "TERM": "xterm-256color", **(environment or {})})
        fcntl.ioctl(self._descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))

    def read(self, seconds: float, until: Callable[[], bool] = lambda: False) -> bool:
        """Take in output for some seconds, or until a condition holds; whether it came to hold."""
        deadline = time.perf_counter() + seconds
        while not until():
            left = deadline - time.perf_counter()
            if left <= 0:
                return False
            ready, _, _ = select.select([self._descriptor], [], [], min(left, 0.05))
            if ready:
                try:
                    data = os.read(self._descriptor, 1 << 16)
                except OSError:
                    return until()
                self.output += data
                self._answer(data)
        return True

    def _answer(self, data: bytes) -> None:
        """Say what a terminal says when it is asked where its cursor is and what it is."""
        if b"\x1b[6n" in data:
            self.send(b"\x1b[1;1R")
        if b"\x1b[c" in data:
            self.send(b"\x1b[?62;22c")

    def seconds_until(self, text: bytes, most: float = 120.0) -> float | None:
        """Seconds from the start until a text has been written."""
        came = self.read(most, lambda: text in COLOURS.sub(b"", bytes(self.output[-(1 << 16) :])))
        return time.perf_counter() - self.started if came else None

    def send(self, keys: bytes) -> None:
        """Press keys."""
        os.write(self._descriptor, keys)

    def bytes_for(self, keys: bytes, times: int, pause: float = 0.25) -> float:
        """Bytes written for each of some equal key presses."""
        self.read(0.5)
        before = len(self.output)
        for _ in range(times):
            self.send(keys)
            self.read(pause)
        self.read(0.5)
        return (len(self.output) - before) / times

    def processor_seconds(self) -> float:
        """Processor time used so far, its threads included."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def peak_megabytes(self) -> float:
        """The most memory that was resident."""
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
        return 0.0

    def end(self) -> None:
        """End the program, and wait for it."""
        os.kill(self.pid, signal.SIGTERM)
        deadline = time.monotonic() + 5
        while os.waitpid(self.pid, os.WNOHANG) == (0, 0):
            self.read(0.05)
            if time.monotonic() > deadline:
                os.kill(self.pid, signal.SIGKILL)
                deadline += 60
        os.close(self._descriptor)
