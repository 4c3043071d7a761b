"""Why no node fitted: ``0/5 nodes are available: …`` taken apart.

Owns the split into (count, reason) pairs, with the part about preemption kept apart (its counts are of the same
nodes a second time), and the per-node lines of releases up to 1.7. The scheduler prints the filters' reasons, a
full stop, then what each PostFilter plugin said. Refuses to sum anything.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

_HEAD = re.compile(r"(\d{1,18})/(\d{1,18}) nodes are available(?::|\.)?\s*")
_PREEMPTION = re.compile(r"\s*\bpreemption:\s+")
_SENTENCE_END = re.compile(r"\.\s+(?!\d+ )")
_COUNT = re.compile(r"(\d{1,18}) (?=\S)")
_SPLIT = re.compile(r",\s+(?=\d+ )")
_OLD_LINE = re.compile(r"^fit failure on node \(([^)]*)\): (.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class FitError:
    """The reasons of one failed attempt."""

    total: int
    """Nodes that were looked at."""
    reasons: tuple[tuple[int | None, str], ...]
    """How many nodes were refused for what; None where the scheduler gives one reason for all nodes."""
    preemption: FitError | None = None
    """What preemption tried, over the same nodes; None when nothing is said."""
    available: int = 0
    """Nodes that were available (0 in practice)."""
    others: tuple[str, ...] = ()
    """What further PostFilter plugins said (``no new claims to deallocate``)."""


@lru_cache(maxsize=1024)
def parse_fit_error(text: str) -> FitError | None:
    """The reasons in an error's or status's text; None when it holds none.

    Args:
        text: The value of ``err``, or a whole message; words in front are skipped.
    """
    head = _HEAD.search(text)
    if head is None:
        return _old_fit_error(text)
    cut = _outside_braces(_PREEMPTION, text, head.end())
    own = text[head.end() : cut.start() if cut is not None else len(text)]
    preemption = _preemption(text[cut.end() :], int(head[2])) if cut is not None else None
    stop = _outside_braces(_SENTENCE_END, own, 0)
    others: tuple[str, ...] = ()
    if stop is not None:
        others = tuple(part.strip(" ,.") for part in own[stop.end() :].split(", ") if part.strip(" ,."))
        own = own[: stop.start()]
    return FitError(int(head[2]), _reasons(own), preemption, int(head[1]), others)


def _preemption(text: str, total: int) -> FitError:
    """The part behind ``preemption:``; words without counts when preemption itself failed."""
    head = _HEAD.match(text)
    if head is None:
        return FitError(total, _reasons(text))
    return FitError(int(head[2]), _reasons(text[head.end() :]), None, int(head[1]))


def _reasons(text: str) -> tuple[tuple[int | None, str], ...]:
    text = text.strip()
    # The sentence ends with one full stop (two in some releases, where the reason brings its own).
    while text.endswith("."):
        text = text[:-1].rstrip()
    if not text:
        return ()
    reasons: list[tuple[int | None, str]] = []
    at = 0
    while at <= len(text):
        cut = _outside_braces(_SPLIT, text, at)
        part = text[at : cut.start() if cut is not None else len(text)].strip()
        count = _COUNT.match(part)
        reasons.append((int(count[1]), part[count.end() :]) if count else (None, part))
        if cut is None:
            break
        at = cut.end()
    return tuple(reasons)


def _outside_braces(pattern: re.Pattern[str], text: str, at: int) -> re.Match[str] | None:
    """The first match that does not stand inside ``{…}``, as taints do."""
    for found in pattern.finditer(text, at):
        opened = text.count("{", at, found.start()) - text.count("}", at, found.start())
        if opened <= 0:
            return found
    return None


def _old_fit_error(text: str) -> FitError | None:
    """``fit failure on node (node-a): Insufficient cpu`` a line, as releases up to 1.7 wrote it."""
    lines = _OLD_LINE.findall(text)
    if not lines:
        return None
    counts: dict[str, int] = {}
    for _, reasons in lines:
        for reason in dict.fromkeys(part.strip() for part in reasons.split(",") if part.strip()):
            counts[reason] = counts.get(reason, 0) + 1
    nodes = {node for node, _ in lines}
    return FitError(len(nodes), tuple((count, reason) for reason, count in counts.items()))
