"""The questions that dlv asks, each with its safe answer.

Owns the table (texts of dlv 1.6 to 1.27) and the look-up by what stands on the terminal's last line. Who is asked
in the end, the policy or the user, is for the driver to carry out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

ENDINGS = ("[Y/n]?", "[Y/n] ", "[y/N] ", "[p/q]? ", "skipping all breakpoints? ", "skipping all breakponts? ")
"""How a question ends on the terminal; there is no line break after it."""


@dataclass(frozen=True, slots=True)
class Question:
    """One kind of question."""

    id: str
    pattern: re.Pattern[str]
    """Matches the whole last line."""
    choices: tuple[str, ...]
    """What dlv accepts."""
    safe: str
    """The answer that ends nothing, kills nothing and skips nothing."""
    ask_user: bool = False
    """True when a person decides, unless a command of ours caused it and says what it wants."""
    text: str = ""
    """What is decided, in words for a dialog."""


YES_NO = ("y", "n")
"""Answers of a plain question."""

QUESTIONS: tuple[Question, ...] = (
    Question(
        id="suspend-breakpoint",
        pattern=re.compile(r"Set a suspended breakpoint \(.*\) ?\[Y/n\]\? ?"),
        choices=YES_NO,
        safe="n",
        ask_user=True,
        text="The breakpoint cannot be set now. Set it when the target is started again?",
    ),
    Question(
        id="kill-process",
        pattern=re.compile(r"Would you like to kill the process\? \[Y/n\] ?"),
        choices=YES_NO,
        safe="n",
        ask_user=True,
        text="dlv was attached to a process that it did not start. Kill that process?",
    ),
    Question(
        id="kill-headless",
        pattern=re.compile(r"Would you like to kill the headless instance\? \[Y/n\] ?"),
        choices=YES_NO,
        safe="n",
        ask_user=True,
        text="End the debugger's server, and the target with it?",
    ),
    Question(
        id="kill-headless-exited",
        pattern=re.compile(
            r"Remote process has exited\. Would you like to kill the headless instance\? \[Y/n\] ?"
        ),
        choices=YES_NO,
        safe="n",
        ask_user=True,
        text="The target has ended. End the debugger's server too?",
    ),
    Question(
        id="quit-with-breakpoints",
        pattern=re.compile(
            r"There are breakpoints set, do you wish to quit and continue without clearing breakpoints\? \[Y/n\] ?"
        ),
        choices=YES_NO,
        safe="n",
        ask_user=True,
        text="Breakpoints are set: the target will stop at them with nobody there. Leave all the same?",
    ),
    Question(
        # Old releases wrote "breakponts"; releases before 1.8 had other orders of the same three letters.
        id="interrupted-step",
        pattern=re.compile(r"\[c\] continue.*\[s\] stop here.*\[f\] finish .* skipping all breakpoi?n?ts\? ?"),
        choices=("c", "s", "f"),
        safe="s",
        text="A breakpoint was hit during the step.",
    ),
    Question(
        id="pause-or-quit",
        pattern=re.compile(r"Would you like to \[p\]ause the target .* or \[q\]uit this client .*\[p/q\]\? ?"),
        choices=("p", "q"),
        safe="p",
        text="Pause the target, or leave it running and quit?",
    ),
)
"""All of them; the first that matches counts."""


def find_question(last_line: str) -> Question | None:
    """The question that ``last_line`` is, or None when it is none that is known."""
    line = last_line.strip("\r\n")
    return next((question for question in QUESTIONS if question.pattern.fullmatch(line)), None)


def unknown_question(last_line: str) -> Question:
    """A stand-in for a question that is not in the table: the user must decide."""
    yes_no = "[y/n]" in last_line.lower()
    return Question(
        id="unknown",
        pattern=re.compile(re.escape(last_line)),
        choices=YES_NO if yes_no else (),
        safe="n" if yes_no else "",
        ask_user=True,
        text=last_line.strip(),
    )
