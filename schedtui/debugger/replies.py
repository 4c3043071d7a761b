"""dlv's words turned into values.

Owns the wordings (dlv 1.6 to 1.27) and the decoding of our own JSON answers. Pure: text in, values out; what does
not parse is handed back as it came, never raised.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import msgspec

Document = Any
"""A decoded JSON answer of one of our Starlark commands."""


@dataclass(frozen=True, slots=True)
class Reply:
    """One reply: our own documents apart from what is for people to read."""

    text: str
    documents: dict[str, Document] = field(default_factory=dict)
    """By kind: ``state``, ``stack``, ``value`` …"""
    failure: str = ""
    """dlv's reason when it refused; empty when it did not."""
    unreadable: tuple[str, ...] = ()
    """Lines that carry our mark and are no JSON; to be logged."""


FAILED = "Command failed: "
"""What dlv puts before a refusal."""

_PLACE = re.compile(r"^\S*schedtui\.star:\d+(?::\d+)?: (?:in \S+: )?")
"""dlv's note of where in our Starlark file a call failed."""


def read_reply(text: str, mark: str) -> Reply:
    """Split a reply into documents, human text and the reason of a failure."""
    documents: dict[str, Document] = {}
    lines: list[str] = []
    unreadable: list[str] = []
    failure = ""
    for line in text.split("\n"):
        if line.startswith(mark):
            kind, _, body = line[len(mark) :].partition(" ")
            try:
                documents[kind] = msgspec.json.decode(body)
            except (msgspec.DecodeError, UnicodeError):
                unreadable.append(line)
                lines.append(line[len(mark) :])
            continue
        if line.startswith(FAILED) and not failure:
            failure = _PLACE.sub("", line[len(FAILED) :])
        lines.append(line)
    human = "\n".join(lines).rstrip("\n")
    if not failure and (ended := read_exit(human)) is not None and not documents:
        failure = ended.line
    return Reply(human, documents, failure, tuple(unreadable))


# --- how a target stops and ends -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Banner:
    """The line that dlv prints when the target stops."""

    breakpoint: str
    """The number or the name in brackets; empty for a step, or where an old dlv prints none."""
    function: str
    file: str
    line: int
    goroutine: int | None = None
    """None when the binary has no debug information, or dlv tells no hits."""
    hits: int | None = None
    watched: str = ""
    """The expression of the watchpoint that was hit."""


_BANNER = re.compile(
    r"^> (?:(?:goroutine\(\d+\): )?)"
    r"(?:\[(?P<name>[^\]]*)\] |watchpoint on \[(?P<watch>[^\]]*)\] )?"
    r"(?P<function>[^\s(]+(?:\(\*?[^\s()]+\)[^\s(]*)*)\((?P<arguments>.*)\) (?P<file>\S.*?):(?P<line>\d+)"
    r"(?: \(hits (?:goroutine\((?P<goroutine>\d+)\):\d+ )?total:(?P<hits>\d+)\))?"
    r"(?: \(PC: (?P<pc>[^)]*)\))?\s*$"
)
"""``> [Breakpoint 1] main.f(…) ./main.go:5 (hits goroutine(1):1 total:1) (PC: 0x49e140)`` and its older forms."""

_TRACE = re.compile(r"^> (?:\[[^\]]*\] )?goroutine\((?P<goroutine>\d+)\): (?P<rest>.*)$")
_OLD_TRACE = re.compile(r"^(?:\S+ )?> ?>? ?goroutine\((?P<goroutine>\d+)\)(?::frame\(\d+\))?:? (?P<rest>.*)$")


def read_banner(text: str) -> Banner | None:
    """The last stop banner in ``text``; None when there is none."""
    for line in reversed(text.split("\n")):
        if line.startswith("> ") and (match := _BANNER.match(line)):
            name = match["name"] or ""
            return Banner(
                breakpoint=name.removeprefix("Breakpoint "),
                function=match["function"],
                file=match["file"],
                line=int(match["line"]),
                goroutine=int(match["goroutine"]) if match["goroutine"] else None,
                hits=int(match["hits"]) if match["hits"] else None,
                watched=match["watch"] or "",
            )
    return None


def is_trace_line(line: str) -> bool:
    """True for the first line that a tracepoint prints."""
    return bool(_TRACE.match(line) or _OLD_TRACE.match(line))


@dataclass(frozen=True, slots=True)
class Exit:
    """The target ended."""

    pid: int
    status: int
    """Exit status; minus the signal's number when a signal ended it."""
    line: str


_EXIT = re.compile(
    r"^(?:Command failed: )?(?P<line>Process (?P<pid>\d+) has exited with status (?P<status>-?\d+))", re.M
)


def read_exit(text: str) -> Exit | None:
    """The target's end, when ``text`` tells of it."""
    match = _EXIT.search(text)
    return Exit(int(match["pid"]), int(match["status"]), match["line"]) if match else None


_RESTARTED = re.compile(r"^Process restarted with PID (\d+)", re.M)
_DISCARDED = re.compile(r"^Discarded (.*)$", re.M)


def read_restart(text: str) -> tuple[int | None, tuple[str, ...]]:
    """The new process id, and the breakpoints that could not be set again, in dlv's words."""
    match = _RESTARTED.search(text)
    return (int(match[1]) if match else None), tuple(_DISCARDED.findall(text))


def is_late_interrupt(text: str) -> bool:
    """True for what dlv says to an interrupt that came when the target already stood still."""
    return text.strip() in ("", "received SIGINT, stopping process (will not forward signal)")


def is_cancelled(failure: str) -> bool:
    """True for what dlv (1.27) says when an interrupt has hit one of our own commands."""
    return "Starlark computation cancelled" in failure


_DISCONNECTED = re.compile(
    r"connection is shut down|connection reset|broken pipe|(?<!')\bEOF\b|use of closed network"
)
"""What Go's RPC client says without a server; dlv's parser finds a quoted ``'EOF'`` behind half an expression."""


def is_disconnected(text: str) -> bool:
    """True when dlv's client has lost its server."""
    return bool(_DISCONNECTED.search(text))


def is_no_debug_info(text: str) -> bool:
    """True when dlv says that the binary carries no debug information."""
    return "no debug info found" in text or "could not open debug info" in text


# --- breakpoints -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SetAt:
    """dlv's confirmation of a breakpoint."""

    id: int
    name: str
    address: str
    """One or more addresses; ``0x0`` when it only waits for a restart."""
    function: str
    file: str
    line: int

    @property
    def suspended(self) -> bool:
        """True when it is not in the target yet."""
        return self.address == "0x0"


_SET = re.compile(
    r"^(?P<what>Breakpoint|Tracepoint|Watchpoint)(?: (?P<id>\d+))?(?: (?P<name>\S+?))?"
    r"(?: \((?:enabled|disabled)\))? set at (?P<address>0x[0-9a-fA-F]+(?:,0x[0-9a-fA-F]+)*)"
    r"(?: for (?P<function>.*?)(?:\(\))?(?: (?P<file>\S.*?))?:(?P<line>\d+))?\s*$",
    re.M,
)


def read_set(text: str) -> tuple[SetAt, ...]:
    """Every breakpoint that dlv says it has set, and nothing that it does not."""
    return tuple(
        SetAt(
            id=int(match["id"] or 0),
            name=match["name"] or "",
            address=match["address"],
            function=(match["function"] or "").strip(),
            file=match["file"] or "",
            line=int(match["line"] or 0),
        )
        for match in _SET.finditer(text)
    )


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a location was refused, as a kind that leads to a next step."""

    kind: str
    """``malformed``, ``no-statement``, ``not-found``, ``exists``, ``ambiguous``, ``exited``, ``condition``,
    ``other``.
    """
    text: str
    """dlv's own words."""
    candidates: tuple[str, ...] = ()
    """For ``ambiguous``: what dlv named (at most five, in no order)."""


_REFUSALS = (
    ("malformed", re.compile(r"Malformed breakpoint location")),
    ("no-statement", re.compile(r"could not find statement at")),
    ("not-found", re.compile(r"location \".*\" not found|could not find function|could not find file")),
    ("exists", re.compile(r"Breakpoint exists at")),
    ("ambiguous", re.compile(r"Location \".*\" ambiguous: ")),
    ("exited", re.compile(r"Process \d+ has exited")),
    ("condition", re.compile(r"error evaluating expression|could not parse expression|syntax error", re.I)),
)


def read_refusal(failure: str) -> Refusal:
    """What kind of refusal ``failure`` is."""
    for kind, pattern in _REFUSALS:
        if pattern.search(failure):
            candidates: tuple[str, ...] = ()
            if kind == "ambiguous":
                named = failure.split(" ambiguous: ", 1)[1].rstrip("…. \n")
                candidates = tuple(part.strip() for part in named.split(",") if part.strip())
            return Refusal(kind, failure, candidates)
    return Refusal("other", failure)


def trace_goroutine(line: str) -> int | None:
    """The goroutine of a tracepoint's line; None when it is none."""
    match = _TRACE.match(line) or _OLD_TRACE.match(line)
    return int(match["goroutine"]) if match else None


_LISTED = re.compile(r"^(?:=>)?\s*\d+:\t")
"""A line of the source listing that dlv prints at a stop."""


def without_listing(text: str) -> str:
    """Dlv's stop text without the source around it, which the source pane shows."""
    return "\n".join(line for line in text.split("\n") if not _LISTED.match(line) and line.strip())
