"""The owner thread of dlv: commands go in from anywhere, events come out on this thread.

Owns the parts of the debuggee and the way between them and the thread (``owner``). What happens in it is the
``engine``'s; nothing in here is reachable from a widget but ``submit``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedtui.debugger.engine import Engine
from schedtui.debugger.inbox import Inbox
from schedtui.debugger.keeper import BreakpointKeeper
from schedtui.debugger.owner import OwnerThread

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from schedtui.config.state import KeptBreakpoint
    from schedtui.debugger.breakpoints import SourceTree
    from schedtui.debugger.catalogue import Catalogue
    from schedtui.debugger.model import Command, Event, Launch


class DebuggerDriver(OwnerThread):
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
        super().__init__("dlv", post, "lost")
        self._inbox = Inbox()
        keeper = BreakpointKeeper(kept, catalogue)
        self._engine = Engine(launch, post, self._inbox, source, keeper, tuple(watches))

    def submit(self, command: Command) -> None:
        """Ask for something; any thread may call, and it returns at once."""
        self._inbox.put(command)

    def _ask_to_end(self, detach: bool) -> None:
        self._inbox.close(detach)

    def _own(self) -> None:
        self._engine.start()
        while not self._inbox.closing:
            self._engine.tick()

    def _finish(self) -> None:
        try:
            self._engine.shut_down(self._inbox.detach)
        finally:
            self._inbox.release()
