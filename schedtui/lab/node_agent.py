"""Stands in for the kubelets of the lab's nodes.

Owns two habits that the scheduler depends on: a bound pod becomes Running, and a pod that is to go (a victim of
preemption) really goes. It refuses everything else that a kubelet does.
"""

from __future__ import annotations

import datetime
import threading
from http.client import CONFLICT, NOT_FOUND
from typing import TYPE_CHECKING, Any

from schedtui.core.errors import ClusterUnreachable
from schedtui.lab.api_client import STRATEGIC_PATCH, ApiClient, ApiRefused, Endpoint
from schedtui.lab.objects import running_status

if TYPE_CHECKING:
    from collections.abc import Callable

WATCH_SECONDS = 60
"""How long one watch lasts; short, so that a stop is noticed soon even when nothing happens."""

AGAIN_SECONDS = 0.5
"""The pause after a watch that broke."""


class NodeAgent(threading.Thread):
    """Watches the pods that have a node and does a kubelet's part."""

    def __init__(self, endpoint: Endpoint, on_trouble: Callable[[str], None]) -> None:
        """Prepare the thread.

        Args:
            endpoint: The lab's API server.
            on_trouble: Told when a watch broke; the agent goes on.
        """
        super().__init__(name="node-agent", daemon=True)
        self._client = ApiClient(endpoint)
        self._on_trouble = on_trouble
        self._stop_asked = threading.Event()

    def stop(self) -> None:
        """Ask it to end; it is not waited for, because its watch may be silent for a while."""
        self._stop_asked.set()

    def run(self) -> None:
        """List, then watch, again and again."""
        while not self._stop_asked.is_set():
            try:
                self._follow()
            except ClusterUnreachable as error:
                if not self._stop_asked.is_set():
                    self._on_trouble(error.as_text())
                self._stop_asked.wait(AGAIN_SECONDS)
        self._client.close()

    def _follow(self) -> None:
        bound = "spec.nodeName!="
        listed = self._client.get("/api/v1/pods", fieldSelector=bound)
        for pod in listed["items"]:
            self._attend(pod)
        version = listed["metadata"]["resourceVersion"]
        for event in self._client.watch(
            "/api/v1/pods", resource_version=version, seconds=WATCH_SECONDS, fieldSelector=bound
        ):
            if self._stop_asked.is_set():
                return
            if event["type"] in ("ADDED", "MODIFIED"):
                self._attend(event["object"])

    def _attend(self, pod: dict[str, Any]) -> None:
        metadata = pod["metadata"]
        path = f"/api/v1/namespaces/{metadata['namespace']}/pods/{metadata['name']}"
        try:
            if metadata.get("deletionTimestamp"):
                self._client.delete(path, grace_seconds=0)
            elif pod.get("status", {}).get("phase") == "Pending":
                now = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
                self._client.patch(f"{path}/status", running_status(now), STRATEGIC_PATCH)
        except ApiRefused as error:
            # Somebody else was quicker.
            if error.status not in (NOT_FOUND, CONFLICT):
                raise
