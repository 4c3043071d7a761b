"""Kubernetes objects that scenarios make, as documents, and the paths they live under.

Pure: from a template and a name to a document. Sending it is the ``player``'s work.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from schedtui.core.errors import WrongUse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from schedtui.lab.scenario import NodeTemplate, PodTemplate

SCENARIO_LABEL = "schedtui/scenario"
"""Label on everything that a scenario makes; its value is the scenario's name."""

NOT_READY_TAINT = "node.kubernetes.io/not-ready"

COLLECTIONS: dict[str, tuple[str, bool]] = {
    "ConfigMap": ("configmaps", True),
    "CSIDriver": ("csidrivers", False),
    "CSINode": ("csinodes", False),
    "CSIStorageCapacity": ("csistoragecapacities", True),
    "DeviceClass": ("deviceclasses", False),
    "Namespace": ("namespaces", False),
    "Node": ("nodes", False),
    "PersistentVolume": ("persistentvolumes", False),
    "PersistentVolumeClaim": ("persistentvolumeclaims", True),
    "Pod": ("pods", True),
    "PodDisruptionBudget": ("poddisruptionbudgets", True),
    "PriorityClass": ("priorityclasses", False),
    "ReplicaSet": ("replicasets", True),
    "ResourceClaim": ("resourceclaims", True),
    "ResourceClaimTemplate": ("resourceclaimtemplates", True),
    "ResourceSlice": ("resourceslices", False),
    "Service": ("services", True),
    "StatefulSet": ("statefulsets", True),
    "StorageClass": ("storageclasses", False),
}
"""Kind → (its plural in paths, whether it lives in a namespace): those that the scheduler looks at."""


def collection_path(document: Mapping[str, Any]) -> str:
    """The path to POST a document to.

    Raises:
        WrongUse: Its kind is none of ``COLLECTIONS``, or it has no apiVersion.
    """
    kind, version = str(document.get("kind", "")), str(document.get("apiVersion", ""))
    if kind not in COLLECTIONS or not version:
        raise WrongUse(
            "a scenario's object needs apiVersion and a known kind",
            where=f"{version or '(no apiVersion)'} {kind or '(no kind)'}",
            hint=f"Known kinds: {', '.join(COLLECTIONS)}.",
        )
    plural, namespaced = COLLECTIONS[kind]
    root = f"/apis/{version}" if "/" in version else f"/api/{version}"
    if not namespaced:
        return f"{root}/{plural}"
    namespace = document.get("metadata", {}).get("namespace", "default")
    return f"{root}/namespaces/{namespace}/{plural}"


def node_document(template: NodeTemplate, name: str, scenario: str) -> dict[str, Any]:
    """A node as a kubelet would register it: capacity, addresses, ready."""
    capacity = {
        "cpu": str(template.cpu),
        "memory": template.memory,
        "pods": str(template.pods),
        "ephemeral-storage": "100Gi",
        **{key: str(value) for key, value in template.resources.items()},
    }
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "labels": {
                "kubernetes.io/hostname": name,
                "kubernetes.io/os": "linux",
                "kubernetes.io/arch": "amd64",
                SCENARIO_LABEL: scenario,
                **template.labels,
            },
        },
        "spec": {"taints": template.taints} if template.taints else {},
        "status": {
            "capacity": capacity,
            "allocatable": capacity,
            "conditions": [node_condition(ready=True)],
            "addresses": [{"type": "Hostname", "address": name}],
        },
    }


def node_condition(*, ready: bool) -> dict[str, str]:
    """The Ready condition of a node."""
    return {
        "type": "Ready",
        "status": "True" if ready else "False",
        "reason": "LabNodeReady" if ready else "LabNodeNotReady",
        "message": "a lab node: there is no kubelet",
    }


def pod_document(template: PodTemplate, name: str, scenario: str) -> dict[str, Any]:
    """A pod of one container that would do nothing, were there a kubelet."""
    requests = {
        key: str(value) for key, value in (("cpu", template.cpu), ("memory", template.memory)) if value != ""
    }
    container: dict[str, Any] = {"name": "main", "image": "pause"}
    if requests:
        container["resources"] = {"requests": requests}
    spec: dict[str, Any] = {"containers": [container], "terminationGracePeriodSeconds": 0}
    if template.volume_claim:
        container["volumeMounts"] = [{"name": "data", "mountPath": "/data"}]
        spec["volumes"] = [{"name": "data", "persistentVolumeClaim": {"claimName": template.volume_claim}}]
    optional = {
        "priorityClassName": template.priority_class,
        "schedulingGates": [{"name": gate} for gate in template.gates],
        "nodeSelector": template.node_selector,
        "tolerations": template.tolerations,
        "schedulerName": template.scheduler,
    }
    spec |= {key: value for key, value in optional.items() if value}
    spec |= template.spec
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": template.namespace,
            "labels": {SCENARIO_LABEL: scenario, **template.labels},
        },
        "spec": spec,
    }


def running_status(now: str) -> dict[str, Any]:
    """The status that a kubelet would write for a pod that runs.

    Args:
        now: RFC 3339, UTC.
    """
    return {
        "status": {
            "phase": "Running",
            "startTime": now,
            "conditions": [
                {"type": kind, "status": "True", "lastTransitionTime": now}
                for kind in ("Initialized", "ContainersReady", "Ready")
            ],
        }
    }
