"""What others want of the owner thread: commands in order, interrupts ahead of them, and the wish to close.

Owns the only objects that more than one thread touches. It neither reads nor carries out a command.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections import deque
from typing import TYPE_CHECKING

from schedtui.debugger.model import Answer, Interrupt

if TYPE_CHECKING:
    from schedtui.debugger.model import Command


class Inbox:
    """A queue with a descriptor to wait on together with dlv's terminal."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._commands: deque[Command] = deque()
        self._answers: deque[str] = deque()
        self._interrupt = False
        self._closing = False
        self._detach = False
        self.wake, self._write = os.pipe()
        os.set_blocking(self.wake, False)
        os.set_blocking(self._write, False)

    def put(self, command: Command) -> None:
        """Queue a command; any thread may call."""
        with self._lock:
            if isinstance(command, Interrupt):
                self._interrupt = True
            elif isinstance(command, Answer):
                self._answers.append(command.text)
            else:
                self._commands.append(command)
        self._ring()

    def close(self, detach: bool) -> None:
        """Ask the owner to come to an end; any thread may call."""
        with self._lock:
            self._closing = True
            self._detach = detach
        self._ring()

    def _ring(self) -> None:
        # A full pipe already wakes the owner; a closed one has no owner any more.
        with contextlib.suppress(BlockingIOError, OSError):
            os.write(self._write, b"!")

    def quiet(self) -> None:
        """Forget the wake-ups so far; the owner calls it before it looks at what there is."""
        with contextlib.suppress(BlockingIOError):
            while os.read(self.wake, 4096):
                pass

    def take(self) -> Command | None:
        """The next command, or None."""
        with self._lock:
            return self._commands.popleft() if self._commands else None

    def take_interrupt(self) -> bool:
        """True once for any number of interrupts."""
        with self._lock:
            wanted, self._interrupt = self._interrupt, False
            return wanted

    def take_answer(self) -> str | None:
        """The next answer to an open question, or None."""
        with self._lock:
            return self._answers.popleft() if self._answers else None

    def forget_answers(self) -> None:
        """Drop answers that came when no question was open."""
        with self._lock:
            self._answers.clear()

    @property
    def waiting(self) -> bool:
        """True when there is something to take, whose wake-up a wait inside a command may have used up."""
        with self._lock:
            return bool(self._commands) or self._interrupt

    @property
    def has_commands(self) -> bool:
        """True when a command waits."""
        with self._lock:
            return bool(self._commands)

    @property
    def closing(self) -> bool:
        """True once somebody asked to close."""
        with self._lock:
            return self._closing

    @property
    def detach(self) -> bool:
        """True when the target is to be left running."""
        with self._lock:
            return self._detach

    def release(self) -> None:
        """Close the descriptors; the owner's last act."""
        for descriptor in (self.wake, self._write):
            with contextlib.suppress(OSError):
                os.close(descriptor)
