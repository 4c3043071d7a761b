"""What dlv's refusals mean, put next to its own words.

Owns which of dlv's words are looked at. The table of meanings is ``core.breakpoint_problem``'s, what is wrong with
a program ``toolchain.binary``'s.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from schedtui.core.breakpoint_problem import breakpoint_problem
from schedtui.core.errors import SchedtuiError
from schedtui.debugger import model
from schedtui.toolchain.binary import breakpoint_obstacle, read_binary

if TYPE_CHECKING:
    from collections.abc import Callable

    from schedtui.core.symptom import Problem

TOLD_ELSEWHERE = ("exited", "optimised")
"""Problems that the state of the target, or the stop itself, tells already (the runtime is always optimised)."""

REFUSED = ("Command failed", "Warning:", "WARNING:", "warning:")
"""How dlv's refusals and warnings begin in the console."""


def explained(event: model.ConsoleOutput | model.Failed, obstacle: Callable[[], str]) -> model.Event:
    """The event with what it means behind dlv's own words; unchanged when nothing is known of it.

    Args:
        event: What dlv said.
        obstacle: Tells what is wrong with the program; asked only when dlv's words are vague.
    """
    if isinstance(event, model.ConsoleOutput):
        if event.kind not in ("error", "note", "output") or not any(word in event.text for word in REFUSED):
            return event
        problem = _problem(tuple(event.text.split("\n")), obstacle)
        return (
            event if problem is None else replace(event, text=f"{event.text}\n{problem.title}. {problem.advice}")
        )
    problem = _problem((event.title, *event.details), obstacle)
    if problem is None or (event.hint and problem.id != "binary"):
        # Where the owner of dlv has words of its own they are better: they know what was asked for.
        return event
    # What was found in the program itself takes the place of a guess about it, and stands behind other advice.
    advice = "" if problem.evidence == event.title else event.hint
    return replace(event, hint=f"{advice} {problem.title}. {problem.advice}".strip())


def _problem(lines: tuple[str, ...], obstacle: Callable[[], str]) -> Problem | None:
    problem = breakpoint_problem(lines)
    if problem is None or problem.id in TOLD_ELSEWHERE:
        return None
    return breakpoint_problem(lines, obstacle())


def obstacle_of(program: str) -> str:
    """Why breakpoints, steps or variables will not work in a program; empty when they will or nobody can say."""
    try:
        return breakpoint_obstacle(read_binary(Path(program)))
    except SchedtuiError:
        return ""
