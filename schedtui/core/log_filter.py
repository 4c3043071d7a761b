"""Filters over log records, as the TUI and ``schedtui logs`` use them.

Owns a compiled filter (predicate, necessary condition on bytes, and its text), the stack of filters that can be
switched off singly, including and excluding a selected value, and the ready set for scheduler work. The grammar
is ``filter_syntax``'s, the meaning of conditions ``filter_nodes``'. Refuses to store anything: saved filters are
values that ``config`` keeps.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from schedtui.core.filter_fields import FieldIs
from schedtui.core.filter_help import FILTER_HELP
from schedtui.core.filter_nodes import All, Any, FileIs, LevelIs, NameIs, Not, SeverityIs, TimeIs
from schedtui.core.filter_syntax import NO_SPAN, FilterError, LogSpan, parse, read_time

if TYPE_CHECKING:
    from schedtui.core.filter_nodes import Node
    from schedtui.core.record import Record

__all__ = [
    "EVERYTHING",
    "FILTER_HELP",
    "READY_FILTERS",
    "Chip",
    "FilterError",
    "FilterStack",
    "LogFilter",
    "LogSpan",
    "NamedFilter",
    "all_of",
    "exclude_value",
    "include_value",
    "parse_filter",
    "read_time",
]


@dataclass(frozen=True)
class LogFilter:
    """A compiled filter; call it with a record."""

    node: Node
    """What must hold."""

    def __call__(self, record: Record) -> bool:
        """Whether the record matches."""
        return self.node.matches(record)

    def matches(self, record: Record) -> bool:
        """Whether the record matches."""
        return self.node.matches(record)

    def prefilter(self, raw: bytes) -> bool:
        """False only if no record with these bytes (as they stand in the file) can match."""
        return self.node.may_match(raw)

    @property
    def is_everything(self) -> bool:
        """True for the empty filter."""
        return isinstance(self.node, All) and not self.node.parts

    @property
    def moment_us(self) -> int | None:
        """What the first time in it that was given as a span back from the log's end (``-5m``) has become."""
        return _moment_us(self.node)

    def describe(self) -> str:
        """The filter as text; parsing it gives the same filter."""
        return self.node.describe()


def _moment_us(node: Node) -> int | None:
    if isinstance(node, TimeIs):
        return node.at_us if node.written.startswith("-") else None
    inner = (node.inner,) if isinstance(node, Not) else node.parts if isinstance(node, All | Any) else ()
    return next((found for one in inner if (found := _moment_us(one)) is not None), None)


EVERYTHING = LogFilter(All(()))
"""The filter that lets all pass."""


def parse_filter(text: str, span: LogSpan = NO_SPAN) -> LogFilter:
    """Compile a filter.

    Args:
        text: The filter as typed; empty lets everything pass.
        span: The log's first and last time, for ``-5m`` and times of day.

    Raises:
        FilterError: It is none; the error names the character.
    """
    return LogFilter(parse(text, span))


def all_of(*filters: LogFilter) -> LogFilter:
    """One filter that holds when all of them do."""
    parts: list[Node] = []
    for each in filters:
        parts.extend(each.node.parts if isinstance(each.node, All) else (each.node,))
    return LogFilter(parts[0] if len(parts) == 1 else All(tuple(parts)))


@dataclass(frozen=True, slots=True)
class Chip:
    """One filter of the stack."""

    text: str
    """The filter as typed."""
    on: bool = True
    """False while it is switched off."""
    name: str = ""
    """The saved name that it came from; empty without one."""


@dataclass(frozen=True, slots=True)
class FilterStack:
    """Filters that hold together, each of which can be switched off."""

    chips: tuple[Chip, ...] = ()
    """In the order in which they were added."""

    def add(self, text: str, name: str = "") -> FilterStack:
        """The stack with one more filter, switched on; one that is there already is only switched on.

        Raises:
            FilterError: The text is no filter.
        """
        text = text.strip()
        # Relative times need a log to be read against; whether the text is a filter does not depend on it.
        parse(text, LogSpan(0, 0))
        for i, chip in enumerate(self.chips):
            if chip.text == text:
                return FilterStack((*self.chips[:i], Chip(text, True, name or chip.name), *self.chips[i + 1 :]))
        return FilterStack((*self.chips, Chip(text, True, name))) if text else self

    def toggle(self, index: int) -> FilterStack:
        """The stack with one filter switched over."""
        chip = self.chips[index]
        return FilterStack((*self.chips[:index], replace(chip, on=not chip.on), *self.chips[index + 1 :]))

    def switch_all(self, on: bool) -> FilterStack:
        """The stack with every filter on or off."""
        return FilterStack(tuple(replace(chip, on=on) for chip in self.chips))

    def remove(self, index: int) -> FilterStack:
        """The stack without one of its filters."""
        return FilterStack((*self.chips[:index], *self.chips[index + 1 :]))

    def compiled(self, span: LogSpan = NO_SPAN) -> LogFilter:
        """The filter that the switched-on ones are together."""
        return all_of(*(parse_filter(chip.text, span) for chip in self.chips if chip.on))


@dataclass(frozen=True, slots=True)
class NamedFilter:
    """A filter kept under a name."""

    name: str
    """Unique among the saved ones."""
    text: str
    """The filter."""
    label: str = ""
    """What it shows, in a few words."""


def include_value(record: Record, key: str) -> str:
    """The filter that keeps only records with this record's value of ``key``."""
    return _value_node(record, key).describe()


def exclude_value(record: Record, key: str) -> str:
    """The filter that drops records with this record's value of ``key``."""
    return Not(_value_node(record, key)).describe()


def _value_node(record: Record, key: str) -> Node:
    if key not in record.fields:
        own = _OWN_VALUES.get(key)
        if own is not None:
            node = own(record)
            if node is not None:
                return node
        return FieldIs(key, ":", "*")
    value = record.fields[key]
    if key in ("pod", "node", "plugin") and isinstance(value, str) and value and "*" not in value:
        return NameIs(key, value)
    if isinstance(value, str) and value:
        return FieldIs(key, "=", value)
    if isinstance(value, (bool, int, float)) or value is None:
        return FieldIs(key, "=", {True: "true", False: "false", None: "null"}.get(value, str(value))
                       if isinstance(value, bool) or value is None else str(value))  # fmt: skip
    if isinstance(value, (dict, list)) and value:
        parts = tuple(FieldIs(key, "=", item) for item in value if isinstance(item, str) and item)
        if parts:
            return parts[0] if len(parts) == 1 else All(parts)
    return FieldIs(key, ":", "*")


def _severity(record: Record) -> Node | None:
    return SeverityIs(":", record.severity) if record.severity else None


def _level(record: Record) -> Node | None:
    return LevelIs(":", record.v) if record.v is not None else None


def _file(record: Record) -> Node | None:
    return FileIs(record.file) if record.file else None


def _site(record: Record) -> Node | None:
    return FileIs(record.file, record.src_line) if record.file else None


def _message(record: Record) -> Node | None:
    return FieldIs("message", "=", record.message) if record.message else None


_OWN_VALUES = {
    "severity": _severity, "v": _level, "file": _file, "src_line": _site, "message": _message,
}  # fmt: skip
"""The record's own values that can be included and excluded like fields."""


READY_FILTERS: tuple[NamedFilter, ...] = (
    NamedFilter("errors", "severity>=E", "errors and worse"),
    NamedFilter("warnings", "severity>=W", "warnings and worse"),
    NamedFilter("bound", '"Successfully bound pod to node" | "is bound successfully on node"', "pods bound"),
    NamedFilter("attempts", '"Attempting to schedule pod" | "About to try and schedule pod"', "attempts begin"),
    NamedFilter("no-fit", '"Unable to schedule" | "Error scheduling"', "attempts that failed"),
    NamedFilter(
        "queue-moves", '"moved to an internal scheduling queue" | "added to scheduling queue" | '
        '"popped from queue" | "requeue decision"', "pods between queues",
    ),
    NamedFilter("gated", '"because the pod is gated" | "because it is gated" | "running PreEnqueue"',
                "gated pods"),
    NamedFilter("informer-events", '/(Add|Update|Delete) event for (un)?scheduled pod/i', "pods come and go"),
    NamedFilter("node-events", '/(Add|Update|Delete) event for node/i', "nodes come and go"),
    NamedFilter("preemption", "/preempt/i !FLAG", "preemption and its victims"),
    NamedFilter("scores", '"scored node for pod" | "final score"', "what plugins gave each node (V10)"),
    NamedFilter("filters", "/logger=\"?Filter|\"logger\":\"Filter|filter plugin/", "why a node was refused"),
    NamedFilter("binding", "/[Bb]ind(ing)?\\b|PreBind|WaitOnPermit/ !FLAG", "the binding cycle"),
    NamedFilter("pod-groups", "/[Pp]od ?[Gg]roup/ !FLAG", "gangs and pod groups"),
    NamedFilter("dumps", '"Dump of" | "Cache mismatch" | "Cache comparer"', "what SIGUSR2 printed"),
    NamedFilter("lease", '/leader|lease/i !FLAG', "leader election"),
    NamedFilter("slow", '/Trace\\[/ | "throttl"', "traces and client throttling"),
    NamedFilter("api-calls", "file:round_trippers.go | file:httplog.go", "requests to the API server (V6)"),
    NamedFilter("panics", '/panic|fatal error|goroutine \\d+ \\[/', "panics and stacks"),
    NamedFilter("lost-lines", "kind:notice", "holes in the log"),
    NamedFilter("without-noise", "!file:reflector.go !file:httplog.go !file:round_trippers.go !FLAG "
                "!file:feature_gate.go", "no informers, HTTP and flags"),
)  # fmt: skip
"""Filters for scheduler work that are there from the start."""
