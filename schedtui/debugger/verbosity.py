"""klog's verbosity in the memory of the stopped target.

Owns the table of paths to it (klog v2 of kube-scheduler 1.29 to 1.37) and reads back what was set. While the
target runs, its own HTTP port is the way; that is not done here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from schedtui.core.errors import DebuggerFailed
from schedtui.debugger.model import VerbositySet

if TYPE_CHECKING:
    from schedtui.debugger.conversation import Conversation
    from schedtui.debugger.inspector import Inspector

KLOG = '"k8s.io/klog/v2".logging'
"""klog's own state as dlv names it."""


@dataclass(frozen=True, slots=True)
class Path:
    """One place that holds a verbosity."""

    expression: str
    sign: int
    """1, or -1 where zap keeps the level negated."""
    who: str
    """Which log calls look there."""
    needed: bool = False
    """True when nothing works without it."""


PATHS = (
    Path(f"{KLOG}.verbosity", 1, "plain klog calls", needed=True),
    Path(f"{KLOG}.logger.Logger.sink.(data).config.vstate.verbosity.l", 1, "contextual text logging"),
    Path(f"{KLOG}.logger.Logger.sink.(data).l.core.(data).LevelEnabler.(data).v", -1, "JSON logging"),
)
"""klog's own is enough on 1.29; with contextual logging (1.36) one of the others is needed too."""


def read_verbosity(inspector: Inspector) -> int | None:
    """The verbosity that the target's contextual loggers use, else klog's own; None when neither can be read."""
    found: int | None = None
    for path in PATHS:
        value = _number(inspector, path)
        if value is not None:
            found = value
    return found


def _number(inspector: Inspector, path: Path) -> int | None:
    variable = inspector.evaluate(path.expression, quiet=True)
    text = variable.children[0].value if variable.children else variable.value
    try:
        return path.sign * int(text.split(" ")[0])
    except ValueError:
        return None


def set_verbosity(inspector: Inspector, talk: Conversation, v: int) -> VerbositySet:
    """Set the verbosity in every place that resolves, and tell what the target holds afterwards.

    Raises:
        DebuggerFailed: The level is no level.
    """
    if not 0 <= v <= 99:
        raise DebuggerFailed("A verbosity is a number from 0 to 99", where=str(v))
    done: list[Path] = []
    missing: list[Path] = []
    for path in PATHS:
        if _number(inspector, path) is None:
            missing.append(path)
            continue
        talk.ask(f"set {path.expression} = {path.sign * v}")
        (done if _number(inspector, path) == v else missing).append(path)
    if any(path.needed for path in missing):
        return VerbositySet(
            None, "klog's verbosity cannot be reached in this binary; it is set over HTTP on continue"
        )
    if len(done) == 1:
        detail = (
            f"set for {done[0].who}; set over HTTP on continue for contextual loggers, if this release has them"
        )
    else:
        detail = "set for " + " and ".join(path.who for path in done)
    return VerbositySet(read_verbosity(inspector), detail)
