"""Which plugin speaks when a node is refused: the words of FitErrors, mapped to the plugins that say them.

Owns that one table, for logs whose lines do not name the rejecting plugins (1.29 by default, low verbosities).
A reason that no in-tree plugin is known for maps to none: nothing is guessed.
"""

from __future__ import annotations

import re
from functools import lru_cache

from schedtui.core.fit_error import parse_fit_error

REASON_PLUGINS: tuple[tuple[str, str], ...] = (
    (r"Insufficient ", "NodeResourcesFit"),
    (r"Too many pods", "NodeResourcesFit"),
    (r"node\(s\) didn't match Pod's node affinity", "NodeAffinity"),
    (r"node\(s\) didn't match node selector", "NodeAffinity"),
    (r"node\(s\) didn't match scheduler-enforced node affinity", "NodeAffinity"),
    (r"node\(s\) had (?:untolerated |)taint", "TaintToleration"),
    (r"node\(s\) had taints? .*that the pod didn't tolerate", "TaintToleration"),
    (r"node\(s\) were unschedulable", "NodeUnschedulable"),
    (r"node\(s\) didn't match the requested node name", "NodeName"),
    (r"node\(s\) didn't have free ports", "NodePorts"),
    (r"node\(s\) didn't match pod (?:anti-)?affinity", "InterPodAffinity"),
    (r"node\(s\) didn't satisfy existing pods anti-affinity", "InterPodAffinity"),
    (r"node\(s\) didn't match pod topology spread constraints", "PodTopologySpread"),
    (r"node\(s\) had no available volume zone|node\(s\) had volume zone conflict", "VolumeZone"),
    (r"node\(s\) exceed max volume count", "NodeVolumeLimits"),
    (
        r"node\(s\) had (?:no available disk|.*disk conflict)|node\(s\) had no available volume",
        "VolumeRestrictions",
    ),
    (r"node\(s\) (?:had volume node affinity conflict|didn't find available persistent volumes)", "VolumeBinding"),
    (
        r"node\(s\) did not have enough free storage|pod has unbound immediate PersistentVolumeClaims",
        "VolumeBinding",
    ),
    # Both plugins look the claim up before any node is looked at, VolumeRestrictions first (since 1.27).
    (r"persistentvolumeclaim \"[^\"]*\" not found", "VolumeRestrictions"),
    (r"persistentvolumeclaim \"[^\"]*\" is being deleted", "VolumeBinding"),
    (r"cannot allocate all claims|resourceclaim ", "DynamicResources"),
)
"""Beginning of a reason (regular expression) → plugin, from the in-tree plugins of 1.19 to 1.37."""

_PATTERNS = tuple((re.compile(pattern), plugin) for pattern, plugin in REASON_PLUGINS)


@lru_cache(maxsize=1024)
def plugins_of_failure(text: str) -> tuple[str, ...]:
    """The in-tree plugins that the words of a failed attempt point to, in alphabetical order."""
    fit = parse_fit_error(text)
    plugins = {plugin_of_reason(reason) for _, reason in fit.reasons} if fit is not None else set()
    return tuple(sorted(plugin for plugin in plugins if plugin is not None))


@lru_cache(maxsize=1024)
def plugin_of_reason(reason: str) -> str | None:
    """The in-tree plugin that gives this reason; None when none is known to."""
    return next((plugin for pattern, plugin in _PATTERNS if pattern.match(reason)), None)
