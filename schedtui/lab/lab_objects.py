"""Objects of a lab, asked for and changed by a scenario.

Owns what each change means at the API server, and that it is passed over when its object has gone meanwhile
(preempted, deleted by hand). Which objects are changed, and when, is ``player``'s.
"""

from __future__ import annotations

from http.client import CONFLICT, NOT_FOUND
from typing import TYPE_CHECKING, Any

from schedtui.lab.api_client import MERGE_PATCH, STRATEGIC_PATCH, ApiRefused
from schedtui.lab.objects import NOT_READY_TAINT, SCENARIO_LABEL, node_condition

if TYPE_CHECKING:
    from schedtui.lab.api_client import ApiClient


class LabObjects:
    """The objects, through one client."""

    def __init__(self, client: ApiClient) -> None:
        """Take the client; it is used on the caller's thread alone."""
        self._client = client

    def listed(self, collection: str) -> list[dict[str, Any]]:
        """What a collection holds now."""
        items: list[dict[str, Any]] = self._client.get(collection)["items"]
        return items

    def unbound_pods(self, scenario: str) -> set[tuple[str, str]]:
        """(namespace, name) of a scenario's pods without a node, as the server has them."""
        items = self._client.get(
            "/api/v1/pods", fieldSelector="spec.nodeName=", labelSelector=f"{SCENARIO_LABEL}={scenario}"
        )["items"]
        return {(item["metadata"]["namespace"], item["metadata"]["name"]) for item in items}

    def create(self, collection: str, document: dict[str, Any]) -> bool:
        """Create an object; ``False`` when there is one of that name."""
        try:
            self._client.post(collection, document)
        except ApiRefused as error:
            if error.status != CONFLICT:
                raise
            return False
        return True

    def patch(self, path: str, document: dict[str, Any], kind: str = MERGE_PATCH) -> None:
        """Change an object that may be there."""
        try:
            self._client.patch(path, document, kind)
        except ApiRefused as error:
            if error.status != NOT_FOUND:
                raise

    def delete(self, path: str) -> None:
        """Delete an object that may be there."""
        try:
            self._client.delete(path)
        except ApiRefused as error:
            if error.status != NOT_FOUND:
                raise

    def set_readiness(self, node: str, *, ready: bool) -> None:
        """Let a node be ready or not: its condition, and the taint that the node controller would set."""
        path = f"/api/v1/nodes/{node}"
        status = {"status": {"conditions": [node_condition(ready=ready)]}}
        self.patch(f"{path}/status", status, STRATEGIC_PATCH)
        self._set_not_ready_taint(path, present=not ready)

    def _set_not_ready_taint(self, path: str, *, present: bool) -> None:
        """Taints are one value to the API server: the others have to be written back with it."""
        if not self._client.exists(path):
            return
        taints = self._client.get(path)["spec"].get("taints", [])
        wanted = [taint for taint in taints if taint["key"] != NOT_READY_TAINT]
        if present:
            wanted.append({"key": NOT_READY_TAINT, "effect": "NoSchedule"})
        self.patch(path, {"spec": {"taints": wanted}})
