"""Every message that crosses panes: facts in the past tense, wishes that end in ``Requested``.

Owns the classes and nothing else. Payloads are frozen values of lower layers; no message carries a widget, a
driver or a store. A widget posts, the main screen routes, the services act and answer with facts.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from textual.message import Message

if TYPE_CHECKING:
    from schedtui.core.errors import SchedtuiError
    from schedtui.core.queue_state import QueueSnapshot
    from schedtui.core.record import Record
    from schedtui.debugger import model

# --- facts ----------------------------------------------------------------------------------------------------


@dataclass
class DebuggerReported(Message):
    """The owner thread of dlv told something."""

    event: model.Event


@dataclass
class LogGrew(Message):
    """The log store has more rows, or other facts to show (level counts, a notice)."""

    def can_replace(self, message: Message) -> bool:
        """One of them waiting is enough: each reads the store as it is."""
        return isinstance(message, LogGrew)


@dataclass
class QueueFolded(Message):
    """The queue model took in more of the log."""

    snapshot: QueueSnapshot
    live: bool = True
    """False when it stands at the log's cursor rather than at its end."""

    def can_replace(self, message: Message) -> bool:
        """Only the newest snapshot is worth showing."""
        return isinstance(message, QueueFolded) and message.live == self.live


@dataclass
class LogCursorMoved(Message):
    """Another record is selected in the log; ``following`` tells that it is the newest."""

    record: Record | None
    following: bool


@dataclass
class WorkProgressed(Message):
    """A build, the lab or a fetch got on."""

    step: str
    """What is being done."""
    done: int = 0
    total: int = 0
    """0 when unknown."""
    detail: str = ""
    """The package or file at hand; shown literally."""

    def can_replace(self, message: Message) -> bool:
        """Of one step only the newest state is worth showing."""
        return isinstance(message, WorkProgressed) and message.step == self.step


@dataclass
class WorkFinished(Message):
    """A piece of background work is done."""

    name: str
    """Which: ``prepare``, ``lab``, ``build``, ``doctor``, ``source``."""
    result: object = None


@dataclass
class WorkFailed(Message):
    """A piece of background work failed for a reason that the user can mend."""

    name: str
    error: SchedtuiError


@dataclass
class VerbosityChanged(Message):
    """The running scheduler's verbosity is known, or known to be unknown."""

    v: int | None
    detail: str = ""


@dataclass
class QueueChecked(Message):
    """A dump of the scheduler's queues was compared with the model."""

    equal: bool
    summary: str
    """One line: ``model = scheduler (12 pods)`` or what differs."""
    lines: tuple[str, ...] = ()
    """The differences, one a line."""


@dataclass
class NoticePosted(Message):
    """Something to tell in the status line."""

    text: str
    """Shown literally."""
    severity: Literal["information", "warning", "error"] = "information"


# --- wishes ---------------------------------------------------------------------------------------------------


class Wish(Message):
    """Something a pane wants done; it bubbles up to whoever can do it."""


@dataclass
class DebuggerCommandRequested(Wish):
    """Submit a command to dlv."""

    command: model.Command


@dataclass
class BreakAtRecordRequested(Wish):
    """Break where this record was logged."""

    record: Record


@dataclass
class BreakOnPodRequested(Wish):
    """Break in the scheduling cycle of one pod."""

    pod: str
    """``ns/name``."""


@dataclass
class SourceJumpRequested(Wish):
    """Show this source line."""

    file: str
    """Path, or a base name as klog prints it."""
    line: int
    """1-based."""
    message: str = ""
    """The record's message: tells files of one name apart."""


@dataclass
class LogFilterRequested(Wish):
    """Filter the log pane with an expression of the filter language, and go there."""

    expression: str


@dataclass
class PodStoryRequested(Wish):
    """Tell one pod's story in the queue pane."""

    pod: str
    """``ns/name``."""


@dataclass
class VerbosityRequested(Wish):
    """Set the running scheduler's verbosity."""

    v: int


@dataclass
class QueueDumpRequested(Wish):
    """Ask the running scheduler for its queues and compare."""


@dataclass
class CopyRequested(Wish):
    """Put text on the user's clipboard."""

    text: str
    what: str = "text"
    """What it is, for the notice: ``record``, ``pod name``."""


@dataclass
class CommandTyped(Wish):
    """A command of the palette with its arguments, ``goto 10:32:05``."""

    name: str
    arguments: str = ""


@dataclass
class QuitRequested(Wish):
    """Leave; what is alive is told so that the right question is asked."""

    how: Literal["ask", "end", "detach"] = "ask"


@dataclass
class ShownChanged(Message):
    """A pane's one-line summary changed (it is painted by whoever shows the pane collapsed)."""

    pane: str
    summary: str
    badges: tuple[str, ...] = field(default_factory=tuple)
