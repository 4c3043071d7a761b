"""Which Kubernetes release wrote a log, found from the log itself.

Owns the evidence (the version line, module paths, call sites with their message, names of events and messages) and
what follows from a release for the queues. Never looks at a file's name. A plain ``go build`` of a checkout prints
``v0.0.0-master+$Format:%H$`` as its version: the other evidence decides then.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from schedtui.core.events import QueueEvent

RELEASE_NAME = r"v1\.\d+\.\d+(?:-(?:alpha|beta|rc)\.\d+)?"
"""A release as its git tag spells it, candidates included; a pattern to build others of."""

_VERSION = re.compile(r"v1\.(\d{1,3})\.\d+")
"""A Kubernetes version as ``version=`` prints it; ``v0.0.0-master`` does not match."""

MODULE_PATH = re.compile(rb"k8s\.io/(?:client-go|apiserver|apimachinery|component-base)@v0\.(\d{1,3})\.\d+")
"""A staging module in a path that the log prints (reflectors do): v0.X belongs to v1.X."""

CALL_SITES: dict[tuple[str, str], str] = {
    ("schedule_one.go:302", "bound"): "1.29",
    ("schedule_one.go:337", "bound"): "1.35",
    ("schedule_one.go:99", "attempt"): "1.35",
    ("schedule_one.go:1066", "no_fit"): "1.35",
    ("eventhandlers.go:233", "add"): "1.35",
    ("server.go:175", "start"): "1.35",
    ("active_queue.go:110", "moved"): "1.35",
    ("scheduling_queue.go:915", "moved"): "1.35",
    ("schedule_one.go:481", "bound"): "1.36",
    ("schedule_one.go:483", "bound"): "1.37",
    ("schedule_one.go:98", "attempt"): "1.29",
    ("schedule_one.go:123", "attempt"): "1.36",
    ("schedule_one.go:117", "attempt"): "1.37",
    ("schedule_one.go:987", "no_fit"): "1.29",
    ("schedule_one.go:1239", "no_fit"): "1.36",
    ("schedule_one.go:1194", "no_fit"): "1.37",
    ("eventhandlers.go:126", "add"): "1.29",
    ("eventhandlers.go:214", "add"): "1.36",
    ("eventhandlers.go:242", "add"): "1.37",
    ("server.go:154", "start"): "1.29",
    ("server.go:178", "start"): "1.36",
    ("server.go:187", "start"): "1.37",
    ("scheduling_queue.go:575", "moved"): "1.29",
    ("scheduling_queue.go:746", "moved"): "1.29",
    ("active_queue.go:111", "moved"): "1.36",
    ("scheduling_queue.go:958", "moved"): "1.36",
    ("active_queue.go:414", "moved"): "1.37",
    ("scheduling_queue.go:1137", "moved"): "1.37",
}
"""(``file.go:line``, effect) → release family, read in the sources of 1.29.0, 1.35.4, 1.36.3 and 1.37.2."""

_SITES_NEEDED = 3
"""Lines that must agree before a release's traits are relied on: a lone match can be another's accident."""

_SITES_ENOUGH = 200
"""After this many lines that agree no further one is looked at."""

_PROOF_ORDER = ("version", "module", "sites", "wording")
"""Kinds of evidence, the strongest first."""


@dataclass(frozen=True, slots=True)
class ReleaseTraits:
    """What a release family does that its log does not show."""

    source_read: bool
    """Whether the release's own source was read, so that an absent line means something."""
    pops_from_backoff: bool
    """An idle scheduling loop takes rejected pods straight from backoffQ (gate SchedulerPopFromBackoffQ)."""
    logs_unscheduled_updates: bool
    """Updates of unscheduled pods and of nodes are logged (V4)."""
    logs_requeue_at_3: bool
    """The queue that a failed pod goes to is logged at V3 (queueing hints on)."""
    gates_logged_always: bool
    """A PreEnqueue refusal is logged at every verbosity."""
    whole_second_backoff: bool
    """Backoff ends are aligned down to whole seconds."""
    group_entities: bool
    """A pod group is queued as one entity; else its members are, and are pulled out together, mostly silently."""


CAUTIOUS_TRAITS = ReleaseTraits(
    source_read=False,
    pops_from_backoff=False,
    logs_unscheduled_updates=False,
    logs_requeue_at_3=False,
    gates_logged_always=False,
    whole_second_backoff=False,
    group_entities=False,
)
"""Traits of a release whose source was not read: nothing is taken on trust from a neighbour."""

_SINCE_1_35 = ReleaseTraits(
    source_read=True,
    pops_from_backoff=True,
    logs_unscheduled_updates=True,
    logs_requeue_at_3=True,
    gates_logged_always=False,
    whole_second_backoff=True,
    group_entities=False,
)
"""What the sources of 1.35, 1.36 and 1.37 have in common, each of them read."""

_TRAITS: dict[str, ReleaseTraits] = {
    "1.29": ReleaseTraits(
        source_read=True,
        pops_from_backoff=False,
        logs_unscheduled_updates=False,
        logs_requeue_at_3=False,
        gates_logged_always=True,
        whole_second_backoff=False,
        group_entities=False,
    ),
    "1.35": _SINCE_1_35,
    "1.36": _SINCE_1_35,
    "1.37": replace(_SINCE_1_35, group_entities=True),
}


def traits_of(release: str | None) -> ReleaseTraits:
    """The traits of a release family such as ``1.36``; cautious ones when its source was not read."""
    return _TRAITS.get(release or "", CAUTIOUS_TRAITS)


class ReleaseFinder:
    """Collects evidence and names the family that the strongest kind of it proves."""

    def __init__(self, given: str | None = None) -> None:
        """Start without evidence.

        Args:
            given: A release that the caller knows for certain (``1.36`` or ``v1.36.3``); it overrules the log.
        """
        self._given = family_of(given) if given else None
        self._found: dict[str, str] = {}
        self._sites: dict[str, int] = {}
        self._sure = False

    def copy(self) -> ReleaseFinder:
        """An independent copy."""
        twin = ReleaseFinder()
        twin._given = self._given
        twin._found = dict(self._found)
        twin._sites = dict(self._sites)
        twin._sure = self._sure
        return twin

    @property
    def release(self) -> str | None:
        """The family, ``1.X``, or None while nothing points to one."""
        if self._given:
            return self._given
        return next((self._found[kind] for kind in _PROOF_ORDER if kind in self._found), None)

    @property
    def traits(self) -> ReleaseTraits:
        """The traits of the family, cautious ones while too little points to it."""
        lone = self.evidence == "sites" and self._sites[self._found["sites"]] < _SITES_NEEDED
        return CAUTIOUS_TRAITS if lone else traits_of(self.release)

    @property
    def evidence(self) -> str | None:
        """What proves the family: ``given``, ``version``, ``module``, ``sites`` or ``wording``; None without."""
        if self._given:
            return "given"
        return next((kind for kind in _PROOF_ORDER if kind in self._found), None)

    @property
    def settled(self) -> bool:
        """Whether no later line can change the answer."""
        return self._given is not None or "version" in self._found or self._sure

    def see_text(self, raw: bytes) -> None:
        """Look for module paths in raw log text."""
        found = MODULE_PATH.search(raw)
        if found is not None:
            self._found["module"] = f"1.{int(found[1])}"

    def see(self, event: QueueEvent) -> None:
        """Take one event as evidence."""
        if event.effect == "start":
            version = _VERSION.search(event.text)
            if version is not None:
                self._found["version"] = f"1.{int(version[1])}"
        site = CALL_SITES.get((event.source, event.effect))
        if site is not None:
            self._count_site(site)
        elif "sites" not in self._found:
            wording = _wording_family(event)
            if wording is not None:
                self._found.setdefault("wording", wording)

    def _count_site(self, family: str) -> None:
        self._sites[family] = self._sites.get(family, 0) + 1
        if len(self._sites) == 1:
            self._found["sites"] = family
            self._sure = self._sites[family] >= _SITES_ENOUGH
        else:
            self._found.pop("sites", None)


def family_of(version: str) -> str | None:
    """``v1.36.3``, ``1.36.3`` or ``1.36`` as ``1.36``; None for anything else."""
    found = re.fullmatch(r"v?1\.(\d{1,3})(?:\.\d+.*)?", version.strip())
    return f"1.{int(found[1])}" if found else None


def _wording_family(event: QueueEvent) -> str | None:
    """The family that a line's wording alone allows, as a range or one release."""
    if event.effect == "moved" and event.message.startswith("Entity"):
        return "≥1.37"
    if event.effect == "moved" and event.event == "PodAdd":
        return "≤1.31"
    if event.effect == "bound" and event.message.startswith("pod "):
        return "≤1.18"
    return None
