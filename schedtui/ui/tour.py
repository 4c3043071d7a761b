"""The guided tour: from the scheduler's entry to a pod's story, one hint at a time.

Owns the steps as data (what is said, which key, when it is done) and the fold that says which step it is. Pure: it
is told what happened and asked what to show; it sees no widget, and no key is pressed by it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from schedtui.debugger.model import TargetState

SCHEDULE_ONE = "ScheduleOne"
"""The function that the tour stops in: ``scheduleOne`` up to 1.29."""


@dataclass(frozen=True, slots=True)
class TourFacts:
    """What the tour knows at one moment."""

    state: TargetState = "none"
    function: str = ""
    """The function that the stopped target stands in, full name."""
    pod: str = ""
    """``ns/name`` of the pod that it is at work on there; empty when none is known yet."""
    breakpoints: tuple[str, ...] = ()
    """Names and functions of the breakpoints that stop the scheduler for any pod."""
    pane: str = ""
    """The pane that has the keys."""
    happened: frozenset[str] = field(default_factory=frozenset)
    """Since this step began: ids of actions, ``print EXPRESSION``, ``story``, ``source``, ``stop``."""

    def stands_in(self, name: str) -> bool:
        """Whether the target is stopped in a function of that name, however it is capitalised."""
        return self.state == "stopped" and self.function.rpartition(".")[2].lower() == name.lower()


@dataclass(frozen=True, slots=True)
class TourStep:
    """One thing to do."""

    action: str
    """Id of the action whose key is shown in front."""
    text: str
    """What its key does."""
    why: str
    """What is seen then; ``{id}`` stands for the key of that action."""
    done: Callable[[TourFacts], bool]


def _breaks_there(facts: TourFacts) -> bool:
    names = (text.replace(":", ".").rpartition(".")[2].lower() for text in facts.breakpoints)
    return SCHEDULE_ONE.lower() in names


def _printed_pod(facts: TourFacts) -> bool:
    return any(what.startswith("print podInfo") for what in facts.happened)


def _level_was_chosen(facts: TourFacts) -> bool:
    return any(what.startswith("app.level_") for what in facts.happened)


STEPS: tuple[TourStep, ...] = (
    TourStep(
        "debug.break_schedule_one", "breaks on ScheduleOne, the loop that places pod after pod",
        "the scheduler stands at its entry under dlv: nothing has run yet",
        _breaks_there,
    ),
    TourStep(
        "debug.continue", "lets it run: it fills its caches and stops in that loop",
        "the status line says starting, running, stopped, and for how long",
        lambda facts: facts.stands_in(SCHEDULE_ONE),
    ),
    TourStep(
        "debugger.next", "steps over a line: on, until NextPod has returned",
        "no pod is known before; NextPod waits for one from activeQ",
        lambda facts: facts.state == "stopped" and bool(facts.pod),
    ),
    TourStep(
        "debugger.evaluate", "prints a value; type podInfo.Pod.Name",
        "locals, stack and watches are tabs of this pane: {debugger.part_next}",
        _printed_pod,
    ),
    TourStep(
        "app.go_queue", "goes to the queues, rebuilt from the scheduler's log",
        "A active, B backoff, U unschedulable, F in flight: as its log tells",
        lambda facts: facts.pane == "queue",
    ),
    TourStep(
        "queue.story", "tells the story of the pod under the cursor, line by line",
        "{queue.cursor_down} and {queue.cursor_up} move the cursor, {queue.back} leads back to the queues",
        lambda facts: "story" in facts.happened,
    ),
    TourStep(
        "app.go_log", "goes to the log as the scheduler writes it",
        "moving up pauses following, {log.bottom} follows again",
        lambda facts: facts.pane == "log",
    ),
    TourStep(
        "app.level_2", "shows V levels up to 2, decisions only; so does any digit",
        "only the view changes; {app.verbosity} changes what the scheduler writes",
        _level_was_chosen,
    ),
    TourStep(
        "log.source", "goes to the source line that logged the selected record",
        "log line, source line, queue row, breakpoint: views of one thing",
        lambda facts: "source" in facts.happened,
    ),
    TourStep(
        "debug.continue", "lets it go on: the pod is bound, the loop stops for the next",
        "{debug.break_pod} in the queue stops for one pod only, {app.help} lists all keys",
        lambda facts: "debug.continue" in facts.happened,
    ),
    TourStep(
        "app.quit", "ends the tour, the scheduler and its lab; it asks first",
        "or stay: {app.palette} load preemption plays a scenario, {app.workflow} shows the way",
        lambda facts: "app.quit" in facts.happened,
    ),
)  # fmt: skip
"""The way of a newcomer; two rows of 80 cells each."""

ENDED_TEXT = "starts the scheduler anew: it has ended; then the tour goes on"
"""Said instead of a step while the target is gone."""


@dataclass(frozen=True, slots=True)
class TourHint:
    """What the strip shows."""

    count: str
    """``3/11``."""
    action: str
    text: str
    why: str


class Tour:
    """Which step it is."""

    def __init__(self, steps: tuple[TourStep, ...] = STEPS) -> None:
        """Begin at the first step."""
        self._steps = steps
        self._at = 0
        self._facts = TourFacts()

    @property
    def over(self) -> bool:
        """Whether the last step is done."""
        return self._at >= len(self._steps)

    def hint(self) -> TourHint | None:
        """What to show now; None when it is over."""
        if self.over:
            return None
        step = self._steps[self._at]
        count = f"{self._at + 1}/{len(self._steps)}"
        if self._facts.state in ("exited", "lost") and step.action != "app.quit":
            return TourHint(count, "debugger.restart", ENDED_TEXT, "")
        return TourHint(count, step.action, step.text, step.why)

    def know(self, facts: TourFacts) -> None:
        """Take in how things stand; what happened is kept."""
        self._facts = replace(facts, happened=self._facts.happened)
        self._advance()

    def happen(self, what: str) -> None:
        """Take in something that was done."""
        self._facts = replace(self._facts, happened=self._facts.happened | {what})
        self._advance()

    def skip(self) -> None:
        """On to the next step, done or not."""
        self._at += 1
        self._facts = replace(self._facts, happened=frozenset())
        self._advance()

    def _advance(self) -> None:
        while not self.over and self._steps[self._at].done(self._facts):
            self._at += 1
            # What was done for one step does not count for the next.
            self._facts = replace(self._facts, happened=frozenset())
