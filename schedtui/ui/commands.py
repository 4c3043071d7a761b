"""Commands that take words, for the palette: ``goto 10:32:05``, ``count by plugin``.

Owns names, arguments and help as data. Actions without words are in ``keys``; the main screen carries both out.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TypedCommand:
    """One command of the palette."""

    name: str
    arguments: str
    """How its words are called in help; empty when it takes none."""
    help: str
    """What it does, one sentence without a full stop."""


COMMANDS: tuple[TypedCommand, ...] = (
    TypedCommand("goto", "TIME|LINE|-5m", "Go to a time, a line or a span back in the log"),
    TypedCommand("count", "by FIELD", "Count a field's values over the shown records"),
    TypedCommand("filter", "[NAME]", "Apply a saved filter by name, or list them"),
    TypedCommand("save-filter", "NAME", "Save the present filter under a name"),
    TypedCommand("open", "FUNCTION|FILE:LINE", "Show a place of the source"),
    TypedCommand("break", "LOCATION [if CONDITION]", "Set a breakpoint: a name, file:line or any dlv location"),
    TypedCommand("trace", "LOCATION[: EXPRESSION, …]", "Write a line into the log whenever a place is passed"),
    TypedCommand("print", "EXPRESSION", "Evaluate an expression in the stopped scheduler"),
    TypedCommand("watch", "EXPRESSION", "Add a watched expression"),
    TypedCommand("pod", "NS/NAME", "Tell a pod's story"),
    TypedCommand("why", "NS/NAME", "Say why a pod is pending"),
    TypedCommand(
        "advise",
        "[FILTER]",
        "Which --v and --vmodule show these kinds of message at least volume: the filter's, or the selected one",
    ),
    TypedCommand("verbosity", "N", "Change the running scheduler's verbosity"),
    TypedCommand(
        "load", "[SCENARIO …|stop]", "Play a scenario (seed=N, rate=N, duration=N), list them, or end it"
    ),
    TypedCommand("lab", "", "Show the lab's endpoints, parts, sizes and health"),
    TypedCommand("logs", "[PART …|all|none]", "Show logs of the lab's parts among the scheduler's records"),
    TypedCommand("again", "[NS/NAME]", "Make a pod of the lab anew, so that the scheduler tries it at once"),
    TypedCommand("tour", "[next|end]", "Begin the guided tour, go on in it, or end it"),
    TypedCommand("report", "", "Count the log: bindings per node, waits, failure reasons, slowest pods"),
    TypedCommand("notes", "", "Read the notices again"),
    TypedCommand("build", "", "Build the scheduler anew beside the session and start it anew"),
    TypedCommand("restart", "", "Start the scheduler anew, with a log file of its own; breakpoints are kept"),
    TypedCommand("runs", "", "List, open and prune the kept logs of earlier runs"),
    TypedCommand("theme", "[NAME]", "Switch to a theme, or list them"),
    TypedCommand("transcript", "FILE", "Save what was typed to dlv and what it said"),
    TypedCommand(
        "bundle", "DIR", "Save what a bug report needs: log, queue, stories, breakpoints; secrets masked"
    ),
    TypedCommand("detach", "", "Leave the scheduler running and quit"),
)
"""All typed commands."""
