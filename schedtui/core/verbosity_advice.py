"""Which ``--v`` and ``--vmodule`` show the wanted messages with the least volume, estimated from a log.

Owns the choice and its arithmetic. klog's ``--vmodule`` raises single files (by base name, without ``.go``); it
works for text logs only and never for lines that another file's level decides. What was not logged cannot be
counted: the estimate is for a run like the one in the log.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from schedtui.core.level_legend import SiteCount

SEVERAL_FILES = 4
"""More files than this in ``--vmodule`` are offered only when they save much."""

MUCH = 0.2
"""Share of the volume that a longer ``--vmodule`` must save to be worth typing."""


@dataclass(frozen=True, slots=True)
class VerbosityAdvice:
    """Flags and what they cost."""

    verbosity: int
    """The ``--v`` to use."""
    modules: Mapping[str, int]
    """File without ``.go`` → level, for ``--vmodule``; empty when ``--v`` alone does."""
    lines: int
    """Records of this log that these flags would print."""
    bytes: int
    """Bytes of these records."""
    plain_verbosity: int
    """The ``--v`` that would do alone."""
    plain_lines: int
    """Records that it would print."""
    plain_bytes: int
    """Bytes of these."""
    missing: tuple[str, ...]
    """Wanted messages that the log does not hold, or whose level is not known."""

    @property
    def flags(self) -> str:
        """``--v=2 --vmodule=schedule_one=3``."""
        named = ",".join(f"{name}={level}" for name, level in sorted(self.modules.items()))
        return f"--v={self.verbosity}" + (f" --vmodule={named}" if named else "")


def advise(
    sites: Mapping[int, Sequence[SiteCount]], wanted: Callable[[SiteCount], bool]
) -> VerbosityAdvice | None:
    """The flags with the least volume that still print every wanted message.

    Args:
        sites: Level → call sites of the log with their counts; negative levels are unknown.
        wanted: Which call sites must be printed.

    Returns:
        The advice; None when the log holds nothing that is wanted at a known level.
    """
    known = [(level, site) for level, found in sites.items() if level >= 0 for site in found]
    needed = [(level, site) for level, site in known if wanted(site)]
    if not needed:
        return None
    plain = max(level for level, _ in needed)
    choices = [_choice(known, needed, verbosity) for verbosity in range(plain + 1)]
    best = min(choices, key=lambda choice: (choice[3], len(choice[1])))
    if len(best[1]) > SEVERAL_FILES:
        simple = min((one for one in choices if len(one[1]) <= SEVERAL_FILES), key=lambda choice: choice[3])
        if best[3] > (1 - MUCH) * simple[3]:
            best = simple
    verbosity, modules, lines, size = best
    _, _, plain_lines, plain_bytes = choices[plain]
    missing = tuple(sorted({site.message for level, found in sites.items() if level < 0
                            for site in found if wanted(site)}))  # fmt: skip
    return VerbosityAdvice(verbosity, modules, lines, size, plain, plain_lines, plain_bytes, missing)


def _choice(
    known: Sequence[tuple[int, SiteCount]], needed: Sequence[tuple[int, SiteCount]], verbosity: int
) -> tuple[int, dict[str, int], int, int]:
    """One ``--v`` with the modules that the needed messages above it ask for: its lines and bytes."""
    modules: dict[str, int] = defaultdict(int)
    for level, site in needed:
        if level > verbosity:
            name = site.file.removesuffix(".go")
            modules[name] = max(modules[name], level)
    lines = size = 0
    for level, site in known:
        if level <= max(verbosity, modules.get(site.file.removesuffix(".go"), 0)):
            lines += site.lines
            size += site.bytes
    return verbosity, dict(modules), lines, size
