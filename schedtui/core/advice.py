"""The tutorial's best practice, told where it applies: one table from a situation to a sentence.

Owns the words and when each applies. It shows nothing and remembers nothing; whoever starts a scheduler asks it
once and puts the answers on the screen or into a note.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Callable

Purpose = Literal["debug", "measure"]
"""``debug``: under dlv. ``measure``: running free, its log recorded (``--no-debugger``)."""

DEBUG_VERBOSITY = 5
"""The lowest ``-v`` at which every queue move is logged in 1.29 to 1.37."""

MEASURE_VERBOSITY = 4
"""For performance runs: what the queue does is seen, plugin results and scores are not paid for."""

PRODUCTION_VERBOSITY = 2
"""For production: decisions only."""


@dataclass(frozen=True, slots=True)
class Situation:
    """How a scheduler is (about to be) run."""

    purpose: Purpose
    verbosity: int
    optimised: bool = False
    """Whether the program was built with the compiler's optimisations."""
    dlv_debug: bool = False
    """Whether ``dlv debug`` builds it (instead of ``dlv exec`` on a debug build)."""
    leader_elect: bool = False
    private_cluster: bool = True
    """A lab or a cluster of one's own, in contrast to one that others use."""


@dataclass(frozen=True, slots=True)
class Advice:
    """A sentence and when it is told."""

    id: str
    applies: Callable[[Situation], bool]
    text: str
    """One or two sentences, with the flags to type."""


ADVICE: tuple[Advice, ...] = (
    Advice(
        "measure-optimised",
        lambda run: run.purpose == "measure" and not run.optimised,
        "This build is not optimised, so its times are not those of a real scheduler: for performance runs build"
        " with 'schedtui build --no-debugger'.",
    ),
    Advice(
        "measure-verbosity",
        lambda run: run.purpose == "measure" and run.verbosity > MEASURE_VERBOSITY,
        f"For performance runs -v {MEASURE_VERBOSITY} is enough: what the queue does is seen, and each"
        f" attempt is not"
        " slowed by plugin results and scores. In 1.36 and later some queue moves are V5; they are then inferred.",
    ),
    Advice(
        "measure-too-quiet",
        lambda run: run.purpose == "measure" and run.verbosity < 3,
        f"Below -v 3 attempts are not logged, so queues cannot be rebuilt; -v {MEASURE_VERBOSITY} costs"
        f" little more.",
    ),
    Advice(
        "production-verbosity",
        lambda run: not run.private_cluster and run.verbosity > PRODUCTION_VERBOSITY,
        f"On a cluster that others use, run with -v {PRODUCTION_VERBOSITY} and raise it for as long as you look"
        " ('V' changes it while the scheduler runs).",
    ),
    Advice(
        "debug-optimised",
        lambda run: run.purpose == "debug" and run.optimised,
        "An optimised program jumps while stepping and hides variables: for development use the debug build that"
        " 'schedtui build' makes (or dlv debug).",
    ),
    Advice(
        "debug-verbosity",
        lambda run: run.purpose == "debug" and run.verbosity < DEBUG_VERBOSITY,
        f"With -v {DEBUG_VERBOSITY} log and breakpoints tell the same story: every move between queues is logged.",
    ),
    Advice(
        "debug-verbosity-high",
        lambda run: run.purpose == "debug" and run.verbosity > 7,
        "From -v 8 on requests and their bodies fill the log; raise single files instead:"
        " --vmodule=schedule_one=10.",
    ),
    Advice(
        "debug-lease",
        lambda run: run.purpose == "debug" and run.leader_elect,
        "Stopped for more than 10 s a leader loses its lease and ends: --leader-elect=false on a private cluster.",
    ),
    Advice(
        "debug-either",
        lambda run: run.purpose == "debug" and run.dlv_debug,
        "dlv debug builds everything without optimisation, which takes minutes; 'dlv exec' on schedtui's own debug"
        " build shows the same and starts in seconds.",
    ),
)
"""Best practice, what spoils a result first."""


def advice_for(run: Situation) -> tuple[Advice, ...]:
    """What to tell about a run, in the order of weight."""
    return tuple(advice for advice in ADVICE if advice.applies(run))
