"""The owner thread of dlv: commands go in from anywhere, events come out on this thread.

Owns the thread. What happens in it is the ``engine``'s; nothing in here is reachable from a widget but ``submit``.
"""

from __future__ import annotations

import threading
import traceback
from typing import TYPE_CHECKING

from schedtui.debugger.engine import Engine
from schedtui.debugger.inbox import Inbox
from schedtui.debugger.keeper import BreakpointKeeper
from schedtui.debugger.model import Failed, StateChanged

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from schedtui.config.state import KeptBreakpoint
    from schedtui.debugger.breakpoints import SourceTree
    from schedtui.debugger.catalogue import Catalogue
    from schedtui.debugger.model import Command, Event, Launch


class DebuggerDriver:
    """Drives one debuggee.

    Args:
        launch: How to get it.
        post: Called with each event on the owner thread; must not block.
        source: The source tree, to resolve documented locations; None without one.
        kept: Breakpoints of an earlier session, to set again.
        watches: Watched expressions of an earlier session.
        catalogue: The documented breakpoints; the package's own when left out.
    """

    def __init__(
        self,
        launch: Launch,
        post: Callable[[Event], None],
        *,
        source: SourceTree | None = None,
        kept: Sequence[KeptBreakpoint] = (),
        watches: Sequence[str] = (),
        catalogue: Catalogue | None = None,
    ) -> None:
        self._post = post
        self._inbox = Inbox()
        keeper = BreakpointKeeper(kept, catalogue)
        self._engine = Engine(launch, post, self._inbox, source, keeper, tuple(watches))
        self._thread = threading.Thread(target=self._run, name="dlv", daemon=True)

    def start(self) -> None:
        """Start the thread, and dlv in it."""
        self._thread.start()

    def submit(self, command: Command) -> None:
        """Ask for something; any thread may call, and it returns at once."""
        self._inbox.put(command)

    def close(self, detach: bool = False, timeout: float = 15.0) -> bool:
        """End dlv and the target and wait for the thread.

        Args:
            detach: Leave the target running where that can be (persistent, attach, connect).
            timeout: Seconds to wait.

        Returns:
            True when all is ended within the time.
        """
        self._inbox.close(detach)
        if self._thread.ident is None:
            return True
        self._thread.join(timeout)
        return not self._thread.is_alive()

    @property
    def alive(self) -> bool:
        """True while the thread runs."""
        return self._thread.is_alive()

    def _run(self) -> None:
        try:
            self._engine.start()
            while not self._inbox.closing:
                self._engine.tick()
        except Exception:  # noqa: BLE001 - a bug: shown as one, never a thread that dies silently
            lines = tuple(traceback.format_exc().splitlines()[-12:])
            self._post(Failed("A fault in schedtui's debugger thread", "Please report it.", lines))
            self._post(StateChanged("lost", "a fault in schedtui", last_output=lines))
        finally:
            try:
                self._engine.shut_down(self._inbox.detach)
            finally:
                self._inbox.release()
