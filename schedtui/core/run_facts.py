"""What a scheduler's log says about the run itself: its configuration, flags and versions, for bug reports.

Owns which messages tell that (kube-scheduler 1.29 to 1.37; most of them come at V1 and above). Texts are handed
out as they stand in the log: whoever writes them down masks them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from schedtui.core.record import Record

CONFIG_MESSAGE = "Using component config"
"""The message that holds the whole KubeSchedulerConfiguration (``configfile.go``)."""

VERSION_MESSAGES = ("Starting Kubernetes Scheduler", "Golang settings")
"""Messages whose fields tell versions and settings (``server.go``)."""

_FLAG = re.compile(r'^FLAG: (--[\w.-]+)="(.*)"$', re.DOTALL)


class RunFacts:
    """The facts of the last run in a log."""

    def __init__(self) -> None:
        self.component_config = ""
        """YAML; empty when the log does not hold it."""
        self.flags: dict[str, str] = {}
        """Flag → value, as the scheduler printed them."""
        self.versions: list[str] = []
        """Lines that tell versions and Go's settings."""

    def apply(self, record: Record) -> None:
        """Take in a record."""
        message = record.message
        if message.startswith("FLAG: "):
            if match := _FLAG.match(message):
                self.flags[match[1]] = match[2]
        elif message == CONFIG_MESSAGE:
            self.component_config = _unindented(str(record.fields.get("config", "")))
        elif message.startswith(VERSION_MESSAGES):
            if message.startswith(VERSION_MESSAGES[0]):
                self.versions = []
            words = " ".join(f"{key}={value}" for key, value in record.fields.items())
            self.versions.append(f"{message} {words}".rstrip())


def _unindented(text: str) -> str:
    """Without the tab that klog puts in front of each line of a long value."""
    lines = [line.removeprefix("\t") for line in text.strip("\n").split("\n")]
    return "\n".join(lines).strip() + "\n" if text.strip() else ""
