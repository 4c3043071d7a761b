"""Every message that crosses panes: facts in the past tense, wishes that end in ``Requested``.

Owns the classes and nothing else. Payloads are frozen values of lower layers; no message carries a widget, a
driver or a store. A widget posts, the main screen routes, the services act and answer with facts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from textual.message import Message

if TYPE_CHECKING:
    from collections.abc import Mapping

    from schedtui.core.build_state import BuildState
    from schedtui.core.errors import SchedtuiError
    from schedtui.core.exit_cause import ExitCause
    from schedtui.core.log_rows import RowSource
    from schedtui.core.placements import NodePlacement
    from schedtui.core.queue_state import PodState, QueueSnapshot
    from schedtui.core.record import Record
    from schedtui.core.source_text import SourceText
    from schedtui.core.story_text import StoryLine
    from schedtui.debugger import model

# --- facts ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Sight:
    """What the catalogue says about the place where the target stands."""

    stations: str = ""
    """The names of the stations there; empty when it is none."""
    title: str = ""
    """What happens there."""
    look: tuple[str, ...] = ()
    """Expressions that are worth looking at there."""


NO_SIGHT = Sight()
"""A place of which the catalogue says nothing."""


@dataclass
class DebuggerReported(Message):
    """The owner thread of dlv told something."""

    event: model.Event
    source: SourceText | None = None
    """With a stop: the file of the selected frame."""
    sight: Sight = NO_SIGHT
    """With a stop: what to look at in the selected frame."""


@dataclass
class ScreenRemembered(Message):
    """How the screen was when the session was left: names of its parts → values as text."""

    values: Mapping[str, str]


@dataclass
class HistoryRemembered(Message):
    """What was typed to dlv in earlier sessions on the same tree, oldest first."""

    lines: tuple[str, ...]
    stations: tuple[str, ...] = ()
    """Names of the catalogue, to complete with."""


@dataclass
class SourceOpened(Message):
    """A source line that was asked for."""

    source: SourceText
    line: int
    """1-based."""


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
    course: tuple[Mapping[PodState, int], ...] = ()
    """The counts over the log's time, oldest first; empty when not live."""
    clock_offset_us: int | None = None
    """What the log's clock is ahead of the machine's while the log is written; None when time stands still."""
    placements: tuple[NodePlacement, ...] = ()
    """What happened on each node, when live."""

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


@dataclass
class PodStoryTold(Message):
    """A pod's story, ready to be read."""

    pod: str
    lines: tuple[StoryLine, ...]
    again: bool = False
    """True when the story that is open was told anew because the pod got on."""


@dataclass
class TimesCounted(Message):
    """Waits, reasons, slowest and stuck pods of the log so far, ready to be read."""

    lines: tuple[StoryLine, ...]

    def can_replace(self, message: Message) -> bool:
        """Only the newest numbers are worth showing."""
        return isinstance(message, TimesCounted)


@dataclass
class StationsCounted(Message):
    """How many pods passed each station of the scheduling workflow, ready to be read."""

    lines: tuple[tuple[str, str], ...]
    """(text, role) of each line."""

    def can_replace(self, message: Message) -> bool:
        """Only the newest counts are worth showing."""
        return isinstance(message, StationsCounted)


@dataclass
class ListOffered(Message):
    """A list to read or to choose from."""

    title: str
    lines: tuple[tuple[str, str, Wish | None], ...]
    """(text, role, what is wished when it is chosen)."""
    choose: bool = False
    search: bool = False
    """True for long lists: a line to type on narrows them."""
    live: Wish | None = None
    """What asks for the list anew while it is looked at: it comes back with the same title."""
    again: bool = False
    """True for a list that was asked for in that way."""


@dataclass
class LogOpened(Message):
    """Another log is to be shown: a new run of the scheduler, or a kept one."""

    source: RowSource


@dataclass
class SavedFilterChosen(Message):
    """A filter was chosen by name."""

    expression: str


@dataclass
class SourceMarked(Message):
    """The log calls of the file that is shown are known now, or were counted anew."""

    source: SourceText


@dataclass
class ExitExplained(Message):
    """Own checks were made after the target ended; what they say decides where its log said nothing."""

    cause: ExitCause
    run: int
    """Which run of the target ended."""


@dataclass
class StallExplained(Message):
    """Why the running scheduler tries no pod, or that it does now."""

    cause: ExitCause | None


@dataclass
class LogCostMeasured(Message):
    """The log of the running scheduler costs it throughput."""

    title: str
    """One line: how much."""
    lines: tuple[str, ...]
    """Which messages, and what to use instead."""


@dataclass
class LabTold(Message):
    """A part of the lab died, or the lab is gone."""

    text: str
    """One line that stays in the status line; empty when all is well."""


@dataclass
class BinaryAged(Message):
    """The program that runs is not what the tree would give now; empty when it is."""

    why: str


@dataclass
class BuildProgressed(Message):
    """The rebuild beside the session got on, ended or failed."""

    state: BuildState

    def can_replace(self, message: Message) -> bool:
        """Only the newest state is worth showing."""
        return isinstance(message, BuildProgressed) and not message.state.over


@dataclass
class LogLinePicked(Message):
    """A line of the log was picked somewhere: the log pane goes there."""

    line: int
    """1-based."""


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
    against: str = ""
    """A second pod to compare it with; empty for none."""


@dataclass
class AttemptsCompareRequested(Wish):
    """Put two attempts of the story that is open side by side."""

    left: str
    """As in ``StoryLine.attempt``."""
    right: str


@dataclass
class QueueAtRequested(Wish):
    """Show the queues as they were at a record; live when ``following``."""

    record: Record | None
    following: bool


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
class CommandRequested(Wish):
    """Carry out a command that needs more than the screen: ``doctor``, ``goto 10:32:05``."""

    name: str
    arguments: str = ""


@dataclass
class BreakOnPatternRequested(Wish):
    """Stop the scheduler when a log line matches."""

    pattern: str


@dataclass
class BundleRequested(Wish):
    """Write what a bug report needs."""

    path: str
    """A directory that does not exist yet."""
    transcript: str
    """What was typed to dlv and what it said."""
    queue: str
    """The queues as they are shown."""
    breakpoints: tuple[model.Breakpoint, ...]
    pod: str
    """The selected pod, whose story goes along; empty for none."""
    moment: str
    """What the log's cursor stands on."""


@dataclass
class EditorRequested(Wish):
    """Open the user's editor at a line."""

    path: str
    line: int


@dataclass
class LogShown(Wish):
    """The log pane paints from this log now; what it painted from before can be closed."""

    source: RowSource


@dataclass
class ScreenChanged(Wish):
    """How the screen is now, to be remembered: names of its parts → values as text."""

    values: Mapping[str, str]


@dataclass
class RedrawRequested(Wish):
    """Forget what is thought to be on the terminal and paint everything."""


@dataclass
class ListRequested(Wish):
    """Show a list that is known already: a finding in full, the lines of a failed build."""

    offer: ListOffered


@dataclass
class FixRequested(Wish):
    """Run the command that mends a finding of the doctor, after asking."""

    check: str
    argv: tuple[str, ...]
    text: str
    """The command as people type it."""


@dataclass
class RebuildRequested(Wish):
    """Build the scheduler anew beside the session, or stop doing so."""

    restart: bool = True
    """Start it anew when the build is done."""
    cancel: bool = False


@dataclass
class QuitRequested(Wish):
    """Leave; what is alive is told so that the right question is asked."""

    how: Literal["ask", "end", "detach"] = "ask"
