"""The terminal as a resource that can vanish: signals, a watchdog, keys from the terminal when input is a pipe.

Owns what happens on SIGTERM, SIGHUP and a hung-up terminal: the program leaves the normal way, so that the screen
is restored and children are ended, and by force when that takes too long. Painting is Textual's.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import termios
import threading
from typing import TYPE_CHECKING, Any

from schedtui.core.errors import UnreadableInput

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

GRACE_SECONDS = 20.0
"""How long the normal way out may take after a hang-up or a signal, ending dlv and the lab included."""

CLEAN_UP_SECONDS = 15.0
"""How long the ending of children may take after that; what is left then is the guard process's to end."""

LEAVE_SCREEN = b"\x1b[<u\x1b[?2004l\x1b[?1004l\x1b[?2048l\x1b[?2026l\x1b[0m\x1b[?7h\x1b[?1049l\x1b[?25h"
"""Takes back what Textual's driver asks of a terminal: key protocol, paste, focus and size reports, synchronised
output, colours, lines that do not wrap, the second screen, the hidden cursor."""

ENDING_SIGNALS = (signal.SIGHUP, signal.SIGTERM, signal.SIGQUIT)
"""Signals that mean: leave, tidily."""

SCHEDULER_SIGNALS = (signal.SIGUSR1, signal.SIGUSR2)
"""Signals that are meant for the scheduler (SIGUSR2 asks it for its dump) and reach us when it is sought by name:
our command line names its binary, too."""


def catch_signals(leave: Callable[[int], None], interrupt: Callable[[], None]) -> None:
    """Let ``leave`` be called with the exit code 128 + number when an ending signal comes.

    A SIGHUP that was ignored by whoever started us (nohup) is caught as well: without a terminal there is nothing
    to go on for. The handlers are the interpreter's, not the event loop's: a loop that is stuck calls none.

    Args:
        leave: Called between any two steps of the main thread: it may only hand the code on.
        interrupt: The same for SIGINT, which means what Ctrl-C means and ends nothing.
    """
    for number in ENDING_SIGNALS:
        signal.signal(number, lambda caught, _frame: leave(128 + caught))
    for number in SCHEDULER_SIGNALS:
        signal.signal(number, _nothing)
    signal.signal(signal.SIGINT, lambda _caught, _frame: interrupt())


def _nothing(_number: int, _frame: object) -> None:
    """A handler: what is ignored instead would be ignored by each child, too."""


@contextlib.contextmanager
def terminal_lent() -> Iterator[None]:
    """While another program has the terminal, the keys that send signals are meant for it alone."""
    earlier = {number: signal.signal(number, _nothing) for number in (signal.SIGINT, signal.SIGQUIT)}
    try:
        yield
    finally:
        for number, handler in earlier.items():
            signal.signal(number, handler)


def repaint_when_continued(descriptor: int, repaint: Callable[[], None]) -> None:
    """Take the terminal back after a stop that could not be prepared for (SIGSTOP, a frozen container).

    Textual's own handler would begin anew what was never left: a second reader of keys beside the first, and a
    raw terminal taken for the one to restore. Called once the screen is on.

    Args:
        descriptor: The terminal.
        repaint: Paints everything; called between any two steps of the main thread.
    """
    modes = _modes_of(descriptor)
    stop, go_on = signal.getsignal(signal.SIGTSTP), signal.getsignal(signal.SIGCONT)
    if modes is None or not callable(stop) or not callable(go_on):
        return
    left = False

    def stopping(number: int, frame: Any) -> None:  # noqa: ANN401  # as signal has it
        nonlocal left
        left = True
        stop(number, frame)

    def continued(number: int, frame: Any) -> None:  # noqa: ANN401
        nonlocal left
        if left:
            left = False
            go_on(number, frame)
        elif signal.getsignal(signal.SIGINT) is not _nothing:
            # The shell may have set its own modes meanwhile. In the background this stops us again.
            with contextlib.suppress(termios.error):
                termios.tcsetattr(descriptor, termios.TCSANOW, modes)
            repaint()

    signal.signal(signal.SIGTSTP, stopping)
    signal.signal(signal.SIGCONT, continued)


class TerminalWatchdog:
    """Sees to it that the wish to leave comes true: when the terminal is gone, and when a signal says so.

    Reading from a terminal that was hung up gives an end of file for ever, which keeps a reader busy for ever.
    This thread sleeps in ``poll`` until the descriptor reports a hang-up or ``hurry`` is called, asks for the
    normal way out, and ends the process when that way is not gone to its end in time.
    """

    def __init__(
        self, descriptor: int, leave: Callable[[int], None], clean_up: Callable[[], None]
    ) -> None:  # fmt: skip
        """Create it.

        Args:
            descriptor: The terminal's file descriptor.
            leave: Asks for the normal way out, with an exit code; called on a thread of its own.
            clean_up: Ends what must not outlive us; called on a thread of its own when the normal way takes too
                long.
        """
        self._descriptor = descriptor
        self._leave = leave
        self._clean_up = clean_up
        self._code = 128 + signal.SIGHUP
        self._finished = threading.Event()
        self._wake_read, self._wake_write = os.pipe()
        self._modes = _modes_of(descriptor)
        self._thread = threading.Thread(target=self._watch, name="terminal-watchdog", daemon=True)

    def start(self) -> None:
        """Begin to watch."""
        self._thread.start()

    def hurry(self, code: int) -> None:
        """Leave with this exit code, by force when need be; may be called by a signal's handler."""
        self._code = code
        os.write(self._wake_write, b"x")

    def finish(self) -> None:
        """The normal way was gone to its end; stop watching."""
        self._finished.set()
        os.write(self._wake_write, b"x")
        self._thread.join(2.0)

    def _watch(self) -> None:
        poller = select.poll()
        # No event is asked for: hang-up and errors are told anyway, and keys are left to Textual.
        poller.register(self._descriptor, 0)
        poller.register(self._wake_read, select.POLLIN)
        gone = select.POLLHUP | select.POLLERR | select.POLLNVAL
        while not self._finished.is_set():
            for descriptor, event in poller.poll():
                if self._finished.is_set():
                    # The wake-up was to stop watching: there is nothing to leave any more.
                    return
                if descriptor == self._wake_read or event & gone:
                    self._end()
                    return

    def _end(self) -> None:
        # On a thread of its own: neither a fault there nor a loop that never answers may keep the end away.
        threading.Thread(target=self._leave, args=(self._code,), name="terminal-leave", daemon=True).start()
        if self._finished.wait(GRACE_SECONDS):
            return
        last = threading.Thread(target=self._clean_up, name="terminal-clean-up", daemon=True)
        last.start()
        last.join(CLEAN_UP_SECONDS)
        if not self._finished.is_set():
            self._restore()
            os._exit(self._code)

    def _restore(self) -> None:
        """Give the terminal back as it was found; Textual did not come to it."""
        with contextlib.suppress(OSError, termios.error):
            os.write(self._descriptor, LEAVE_SCREEN)
            if self._modes is not None:
                termios.tcsetattr(self._descriptor, termios.TCSANOW, self._modes)


def _modes_of(descriptor: int) -> list[Any] | None:
    try:
        return termios.tcgetattr(descriptor)
    except termios.error:
        return None


def keys_from_terminal() -> None:
    """Let the keys come from the terminal while standard input is a pipe with a log.

    Textual reads keys from ``sys.__stdin__``; descriptor 0 stays the pipe, which the log store reads.

    Raises:
        UnreadableInput: There is no terminal to read keys from.
    """
    try:
        sys.__stdin__ = open("/dev/tty", encoding="utf-8")  # type: ignore[misc]  # noqa: SIM115, PTH123  # for good
    except OSError as error:
        raise UnreadableInput(
            "no terminal to read keys from", where="/dev/tty",
            hint="The screen needs a terminal; 'schedtui logs -' prints a log from standard input.",
        ) from error  # fmt: skip


def key_descriptor() -> int:
    """The descriptor that keys are read from.

    Raises:
        UnreadableInput: There is none.
    """
    if sys.__stdin__ is None:
        raise UnreadableInput("the screen needs a terminal", where="standard input is closed")
    return sys.__stdin__.fileno()


def check_terminal() -> None:
    """Refuse where no screen can be painted.

    Raises:
        UnreadableInput: Standard input or output is no terminal, or the terminal cannot move its cursor.
    """
    if not os.isatty(key_descriptor()) or not os.isatty(2):
        raise UnreadableInput(
            "the screen needs a terminal", where="standard input and error",
            hint="Analysis without a screen: 'schedtui logs', 'queue', 'report' … --help. Over ssh, use 'ssh -t'.",
        )  # fmt: skip
    if os.environ.get("TERM", "") in ("", "dumb"):
        raise UnreadableInput(
            "this terminal cannot paint a screen", where=f"TERM={os.environ.get('TERM', '')}",
            hint="Set TERM to what your terminal is (xterm-256color), or use the commands without a screen.",
        )  # fmt: skip
