"""What a log shows and what it hides: visibility of line classes, and the scheduling loop's idle moments.

Owns two kinds of evidence that let an absent line prove something. ``Sight`` knows since when each class of lines
is being printed (text logs do not name their verbosity, and it can change while the scheduler runs).
``LoopClock`` knows when the scheduling loop was last seen with nothing to do. Neither looks at pods' states.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

SIGHT_LEVELS: dict[str, int] = {
    "informer": 3,
    "attempts": 3,
    "requeues": 3,
    "event_moves": 4,
    "updates": 4,
    "gates": 4,
    "moves": 5,
}
"""Class of lines → the verbosity at which releases with queueing hints (1.32 on) print it."""

QUIET_US = 100_000
"""After a silence this long nothing is under way any more, unless a debugger stopped the process."""

STOP_US = 1_000_000
"""A silence longer than this may be a stop in a debugger, where one is attached: it proves nothing then."""

GAP_CREDIT_US = 10_000
"""At most this much of the time between two lines counts as time in which the loop could have run."""

REACTION_US = 15_000
"""An idle loop pops a pod that enters activeQ well within this time (measured: 5 ms on a busy machine)."""

PATCH_US = 2_000_000
"""A failed cycle ends when its status patch has returned, and no line tells when (measured: up to 0.4 s)."""

ECHO_US = 100_000
"""A status patch takes no longer than this (measured: up to 61 ms with requests held back), if an update event of
its pod has come meanwhile. That event alone is no proof: it may be a user's update or the begin of a deletion."""


@dataclass(slots=True)
class Sight:
    """Since when each class of lines is visible; a class that is missing here is not."""

    since_us: dict[str, int] = field(default_factory=dict)
    """Class → time of the first line of it in an unbroken stretch."""
    levels_hold: bool = True
    """Whether one line of a level proves that all lines of that level are printed; not so with ``--vmodule``."""
    highest: int = 0
    """Highest level at which a line was seen in this stretch; advice about verbosity starts from it."""
    changed: bool = False
    """Whether the verbosity was changed and no line has shown since what it is now."""

    def copy(self) -> Sight:
        """An independent copy."""
        return Sight(dict(self.since_us), self.levels_hold, self.highest, self.changed)

    def seen(self, name: str, now_us: int) -> None:
        """A line of a class was printed."""
        self.since_us.setdefault(name, now_us)
        self.seen_level(SIGHT_LEVELS[name], now_us)

    def seen_level(self, level: int, now_us: int) -> None:
        """A line of a verbosity level was printed: without ``--vmodule`` all lines up to it are."""
        self.changed = False
        if level > self.highest:
            self.highest = level
        elif len(self.since_us) == len(SIGHT_LEVELS):
            return
        if self.levels_hold:
            for other, other_level in SIGHT_LEVELS.items():
                if other_level <= level:
                    self.since_us.setdefault(other, now_us)

    def missed(self, name: str, shown: int) -> None:
        """A line of a class should have been printed and was not.

        Args:
            name: The class.
            shown: The level that is printed for certain; all above it count as hidden until they are seen again.
        """
        self.changed = False
        if name not in self.since_us:
            return
        for other, other_level in SIGHT_LEVELS.items():
            if other_level > shown:
                self.since_us.pop(other, None)
        self.highest = shown

    def lost(self, *, changed: bool = False) -> None:
        """Lines were lost, or the verbosity was changed: nothing that came before is unbroken."""
        self.since_us.clear()
        self.highest = 0
        self.changed = changed

    def covers(self, name: str, moment_us: int) -> bool:
        """Whether every line of a class since ``moment_us`` is in the log."""
        since = self.since_us.get(name)
        return since is not None and since <= moment_us


@dataclass(slots=True)
class LoopClock:
    """Follows the scheduling loop: which pod it works on, and since when it has provably had nothing to pop."""

    pod: str | None = None
    """The pod whose scheduling cycle runs; None between cycles."""
    patching: bool = False
    """Whether the cycle failed and only the status patch keeps it."""
    cycles: int = 0
    """Cycles that ended in this process."""
    pops: int = 0
    """Pods popped in this process."""
    alive_us: int = 0
    """Time since the last cycle's end (or patch's begin) in which the process was provably running."""
    by_echo: bool = False
    """Whether only an update event, which may be somebody else's, told that the last cycle ended."""
    echo_pod: str = ""
    """The pod of that update event."""
    patched_us: int = -1
    """When the last status patch began."""
    debugged: bool = False
    """Whether a debugger may stop the process at any time."""
    idle_base_us: int = -1
    """Pods that entered activeQ before this moment were popped before now; -1 when that was never so."""

    def copy(self) -> LoopClock:
        """An independent copy."""
        return replace(self)

    @property
    def is_free(self) -> bool:
        """Whether no cycle runs now, for all that is known."""
        return self.pod is None and not self.by_echo

    def popped(self, pod: str) -> None:
        """The loop took a pod: any cycle before it has ended."""
        if self.pod == pod and not self.patching:
            return
        if self.pod is not None:
            self.cycles += 1
        self.pod = pod
        self.patching = False
        self.alive_us = 0
        self.pops += 1

    def ended(self, pod: str | None = None) -> None:
        """The cycle of ``pod`` (any, when None) has ended."""
        if self.pod is None or (pod is not None and pod != self.pod):
            return
        self.pod = None
        self.patching = False
        self.by_echo = False
        self.cycles += 1
        self.alive_us = 0

    def patch(self, pod: str | None, now_us: int) -> None:
        """The cycle of ``pod`` failed; its status patch is on the way."""
        if pod is not None and pod == self.pod:
            self.patching = True
            self.patched_us = now_us
            self.alive_us = 0

    def echoed(self, pod: str | None) -> None:
        """An update event of the pod came while its status patch was on the way: most likely its echo."""
        if self.patching and pod == self.pod:
            self.ended()
            self.by_echo, self.echo_pod = True, pod or ""
        else:
            self.not_echoed(pod)

    def not_echoed(self, pod: str | None) -> None:
        """Another event of that pod came: the update was not the echo, the patch is still on the way."""
        if self.by_echo and self.pod is None and pod == self.echo_pod:
            self.pod, self.patching, self.by_echo = pod, True, False
            self.cycles -= 1
            self.alive_us = 0

    def tick(self, before_us: int, now_us: int) -> None:
        """Time went by between two lines of the process."""
        if self.cycles == 0 or (self.pod is not None and not self.patching):
            return
        gap = now_us - before_us
        if self.debugged and gap > STOP_US:
            self.alive_us = 0
            return
        self.alive_us += gap if gap >= QUIET_US and not self.debugged else min(gap, GAP_CREDIT_US)
        if self.patching:
            if now_us - self.patched_us < PATCH_US:
                return
            self.ended()
        if self.by_echo and now_us - self.patched_us < ECHO_US:
            return
        if self.alive_us >= REACTION_US:
            self.by_echo = False
            self.idle_base_us = now_us - REACTION_US


@dataclass(slots=True)
class PopOrder:
    """Pods that the loop took straight from backoffQ, each of which proves something about those that it left.

    The loop looks into backoffQ only when activeQ is empty, and takes the pod whose backoff ends first. A pod with
    an earlier end that was not taken was in neither queue.
    """

    pops: tuple[tuple[int, int], ...] = ()
    """(when, earliest possible end of the taken pod's backoff), later ones with earlier ends."""

    def took(self, now_us: int, ends_us: int) -> None:
        """The loop took a pod whose backoff would have ended no earlier than ``ends_us``."""
        self.pops = (*(pop for pop in self.pops if pop[1] > ends_us), (now_us, ends_us))

    def passed_over(self, ends_us: int) -> int:
        """The last moment at which a pod was taken whose backoff ended later than ``ends_us``; -1 when never."""
        return max((moment for moment, end in self.pops if end > ends_us), default=-1)
