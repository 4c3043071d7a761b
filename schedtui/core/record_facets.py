"""What a record is about, whatever key or spelling a release used: pods, nodes, plugins.

Owns the tables of keys. Shared by the filter language and by counting. Refuses to interpret messages (``events``).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schedtui.core.record import FieldValue, Record

POD_KEYS = ("pod", "pods", "preemptor", "victim", "victims", "deletedPod", "podKey", "preemptorPod", "victimPod")
"""Keys whose value names pods; ``entity`` too, when ``type`` says that it is one."""

NODE_KEYS = ("node", "nodeName", "chosenNode", "hintedNode", "nominatedNodeName", "nominatedNode", "sample",
             "nodes", "missedNodes", "redundantNodes")  # fmt: skip
"""Keys whose value names nodes."""

PLUGIN_KEYS = ("plugin", "plugins", "unschedulable plugins", "unschedulablePlugins", "pendingPlugins",
               "UnschedulablePlugins", "PendingPlugins")  # fmt: skip
"""Keys whose value names plugins, as text, list or set."""

_QUOTED_PLUGIN = re.compile(r'plugin "([A-Za-z][\w.-]*)"')
_LOGGER_PARTS = re.compile(r"[./]")


def _names(value: FieldValue) -> Iterator[str]:
    """The names in a value: itself, a list's items, a set's keys."""
    if isinstance(value, str):
        if value and "\n" not in value:
            yield value
    elif isinstance(value, list):
        for item in value:
            yield from _names(item)
    elif isinstance(value, dict):
        yield from (key for key in value if key)


def _object_name(value: FieldValue) -> str | None:
    """``ns/name`` of a whole object that was logged as JSON (1.37 logs pods that way)."""
    if not isinstance(value, dict):
        return None
    inner = value.get("Pod", value)
    metadata = inner.get("metadata") if isinstance(inner, dict) else None
    if not isinstance(metadata, dict):
        return None
    name, namespace = metadata.get("name"), metadata.get("namespace")
    if not isinstance(name, str):
        return None
    return f"{namespace}/{name}" if isinstance(namespace, str) else name


def pods_of(record: Record) -> list[str]:
    """The pods a record names, ``ns/name``, the one it is about first."""
    fields = record.fields
    found: dict[str, None] = {}
    for key in POD_KEYS:
        if key in fields:
            value = fields[key]
            found.update(dict.fromkeys([name] if (name := _object_name(value)) else _names(value)))
    if fields.get("type") == "pod" and "entity" in fields:
        value = fields["entity"]
        found.update(dict.fromkeys([name] if (name := _object_name(value)) else _names(value)))
    return list(found)


def nodes_of(record: Record) -> list[str]:
    """The nodes a record names."""
    fields = record.fields
    found: dict[str, None] = {}
    for key in NODE_KEYS:
        if key in fields:
            found.update(dict.fromkeys(_names(fields[key])))
    return list(found)


def plugins_of(record: Record) -> list[str]:
    """The plugins a record names: in its keys, in its logger's name, in an error's words."""
    fields = record.fields
    found: dict[str, None] = {}
    for key in PLUGIN_KEYS:
        if key in fields:
            found.update(dict.fromkeys(_names(fields[key])))
    logger = fields.get("logger")
    if isinstance(logger, str):
        found.update(dict.fromkeys(_LOGGER_PARTS.split(logger)[1:]))
    for key in ("err", "status"):
        text = fields.get(key)
        if isinstance(text, str) and 'plugin "' in text:
            found.update(dict.fromkeys(_QUOTED_PLUGIN.findall(text)))
    return list(found)
