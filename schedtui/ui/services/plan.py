"""What a session is to show and to drive, as one value; made by ``prepare``, carried out by ``session``."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from schedtui.config.directories import Directories
    from schedtui.config.settings import Settings
    from schedtui.debugger.model import Launch
    from schedtui.lab.running import RunningLab
    from schedtui.toolchain.build_plan import Flavour
    from schedtui.toolchain.checkout import Checkout
    from schedtui.toolchain.scheduler_endpoint import SchedulerEndpoint


@dataclass(frozen=True, slots=True)
class Plan:
    """One session."""

    settings: Settings
    places: Directories
    launch: Launch | None = None
    """How the scheduler is started under dlv; None without a debugger."""
    free: Launch | None = None
    """How it is started without one (``--no-debugger``): target, arguments, log; None with dlv or with none."""
    flavour: Flavour | None = None
    """How the program was built from the tree, so that it can be built anew; None when it was not."""
    logs: tuple[str, ...] = ()
    """Log files beside the scheduler's own."""
    checkout: Checkout | None = None
    """The source tree; None without one."""
    lab: RunningLab | None = None
    """The lab that the scheduler runs in; it ends with the session when this call started it."""
    endpoint: SchedulerEndpoint | None = None
    """The running scheduler's own port; None when it is not known."""
    verbosity: int | None = None
    """The ``-v`` it is started with; None when unknown."""
    leader_election: bool = False
    """True when the scheduler elects a leader."""
    ends_with_us: bool | None = False
    """For ``--connect``: whether leaving ends the target, too; None when nothing tells."""
    release: str = ""
    notes: tuple[str, ...] = field(default_factory=tuple)
    """What the user should know from the start, one line each."""
    tour: bool = False
    came_back: bool = False
    """True for a session of earlier that was joined again: the screen is to be as it was."""

    @property
    def start(self) -> Launch | None:
        """How the scheduler is started, under dlv or not."""
        return self.launch or self.free
