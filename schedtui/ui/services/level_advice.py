"""Which ``--v`` and ``--vmodule`` show the wanted kinds of message at the least volume, in words.

Owns the way from a filter to call sites, and the wording. The choice is ``core.verbosity_advice``'s.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedtui.core.log_filter import parse_filter
from schedtui.core.verbosity_advice import advise
from schedtui.sources.reread import reread
from schedtui.ui import messages

if TYPE_CHECKING:
    from schedtui.core.level_legend import SiteCount
    from schedtui.core.verbosity_advice import VerbosityAdvice
    from schedtui.ui.services.command_context import Context

NAMED_MESSAGES = 6
"""Wanted messages that are spelled out."""


def advise_command(context: Context) -> None:
    """Advise on the messages that the words, a filter, select."""
    session = context.session
    if session is None:
        return
    found = parse_filter(context.words)

    def progress(done: int, total: int) -> None:
        context.post(messages.WorkProgressed("looking for the messages", done, total))

    wanted: set[tuple[str, int]] = set()
    for record in reread(session.desk.readable(), found.prefilter, progress):
        place = (record.file or "", record.src_line or 0)
        if place not in wanted and record.severity == "I" and found.matches(session.levels.enrich(record)):
            wanted.add(place)
    context.post(messages.WorkFinished("looking for the messages"))
    sites = session.levels.count_levels().sites()
    advice = advise(sites, lambda site: (site.file, site.line) in wanted)
    if advice is None:
        context.tell("No record with a known level is like that; levels need --src of the log's release.")
        return
    everything = sum(site.bytes for level in sites.values() for site in level)
    named = [site for level in sites.values() for site in level if (site.file, site.line) in wanted]
    context.offer(f"To see {context.words}", advice_lines(advice, named, everything))


def advice_lines(
    advice: VerbosityAdvice, wanted: list[SiteCount], everything: int
) -> tuple[tuple[str, str, messages.Wish | None], ...]:
    """The advice, line by line."""
    share = f"{advice.bytes / everything:.0%}" if everything else "0 %"
    lines: list[tuple[str, str, messages.Wish | None]] = [
        (advice.flags, "key", None),
        (f"  {advice.lines} lines, {_size(advice.bytes)} ({share} of this log)", "", None),
    ]
    if advice.modules:
        plain = f"--v={advice.plain_verbosity} alone: {advice.plain_lines} lines, {_size(advice.plain_bytes)}"
        lines += [(plain, "dim", None), ("  --vmodule works for text logs only.", "note", None)]
    lines += [("", "", None), ("shows", "tab", None)]
    busiest = sorted(wanted, key=lambda site: -site.lines)
    lines += [
        (f"{site.lines:>8}  {site.file}:{site.line} {site.message}", "", None) for site in busiest[:NAMED_MESSAGES]
    ]
    if len(busiest) > NAMED_MESSAGES:
        lines.append((f"          and {len(busiest) - NAMED_MESSAGES} more", "dim", None))
    lines += [(f"of unknown level: {message}", "warning", None) for message in advice.missing[:NAMED_MESSAGES]]
    lines += [("", "", None), ("Estimated from this log: what it does not hold cannot be counted.", "note", None)]
    return tuple(lines)


def _size(count: int) -> str:
    return f"{count / 1e6:.1f} MB" if count >= 1_000_000 else f"{count / 1000:.1f} kB"
