"""The message table: which wording of which release means what for the scheduling queue.

Owns every message variant from before structured logging up to 1.37, text and JSON alike, as data. Reading a
record by it is ``core.events``'.

Source of the messages: ``pkg/scheduler`` of v1.29.0, v1.36.3 and v1.37.2, older wordings from public logs of
1.7 to 1.28, and the sample lines of a source-reading tutorial.
"""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

EntityKind = Literal["pod", "podgroup"]
"""What a queue row stands for; 1.37 queues entities, of which pod groups (composite ones too) are one kind."""

MESSAGES: Mapping[str, str] = MappingProxyType({
    # Informer events (eventhandlers.go).
    "Add event for unscheduled pod": "add",
    "Update event for unscheduled pod": "update",
    "Delete event for unscheduled pod": "delete",
    "Add event for scheduled pod": "add_scheduled",
    "Update event for scheduled pod": "update_scheduled",
    "Delete event for scheduled pod": "delete_scheduled",
    "Assumed pod was already forgotten": "alive",
    "Add event for node": "node_add",
    "Update event for node": "node_update",
    "Delete event for node": "node_delete",
    "Add event for pod group": "group_add",
    "Update event for pod group": "group_update",
    "Delete event for pod group": "group_delete",
    "Add event for composite pod group": "group_add",
    "Update event for composite pod group": "group_update",
    "Delete event for composite pod group": "group_delete",
    # Moves between the queues; what follows ``Pod moved`` is matched by prefix, see MOVE_PREFIXES.
    "Status after running PreEnqueue plugin": "gate",
    "Unexpected error running PreEnqueue plugin": "gate",
    "Discarding the popped pod": "discard",
    "Discarding the popped entity": "discard",
    "Discarding the popped pod group member. It's tracked in multiple places in the scheduler": "discard",
    "Unable to pop pod from backoff queue despite backoff completion": "still_backoff",
    "Unable to pop entity from backoff queue despite backoff completion": "still_backoff",
    "Error adding pod to the backoff queue, queue this Pod to unschedulable pod pool": "to_pool",
    "Error adding pod to the active queue, queue this Pod to unschedulable pod pool": "to_pool",
    "Error adding pod to the active queue": "discard",
    "Pod added to scheduling queue": "queued",
    "Pod popped from queue": "about",
    "Pod requeue decision after scheduling attempt": "moved",
    # Why a pod did not move.
    "Event is not making pod schedulable": "kept",
    "Event is not making entity schedulable": "kept",
    "Checking events for in-flight pod": "checking",
    # The scheduling cycle (schedule_one.go).
    "About to try and schedule pod": "about",
    "Attempting to schedule pod": "attempt",
    "Attempting to schedule a pod belonging to a pod group": "attempt",
    "Skip schedule deleting pod": "skip",
    "Status after running PreFilter plugins for pod": "prefilter",
    "Status after running PostFilter plugins for pod": "postfilter",
    "Plugin scored node for pod": "score",
    "Extender scored node for pod": "score",
    "Calculated node's final score for pod": "final_score",
    "Unable to schedule pod; no fit; waiting": "no_fit",
    "Unable to schedule pod; no fit": "no_fit",
    "Unable to schedule pod belonging to a pod group; waiting": "group_no_fit",
    "Unable to schedule pod; no nodes are registered to the cluster; waiting": "no_nodes",
    "Unable to schedule pod; no nodes are registered to the cluster": "no_nodes",
    "Unable to schedule pod, possibly due to node not found; waiting": "cycle_error",
    "Error scheduling pod; retrying": "cycle_error",
    "Pod doesn't exist in informer cache": "vanished",
    "Pod has been assigned to node. Abort adding it back to queue.": "assigned",
    "Pod was recreated while handling scheduling failure. Skip requeueing and status updates.": "recreated",
    "Error occurred": "refused",
    "Error updating pod": "patch_failed",
    "Updating pod condition": "condition",
    "Updating pod condition and nominated node name": "condition",
    # Reserve, permit, binding.
    "Pod rejected by plugin": "plugin_rejected",
    "One or more plugins asked to wait and no plugin rejected pod": "permit",
    "Pod waiting on permit": "permit",
    "Pod rejected while waiting on permit": "permit_rejected",
    "Failed waiting on permit for pod": "permit_rejected",
    "Quorum is not met for a gang. Waiting for another pod to allow": "permit",
    "Quorum is not met for a CPG hierarchy. Waiting for another pod to allow": "permit",
    "Pod rejected by PreBind plugin": "plugin_rejected",
    "Pod rejected by Bind plugin": "plugin_rejected",
    "Attempting to bind pod to node": "binding",
    "Trying to bind volumes for pod": "prebind",
    "Failed to bind pod": "bind_failed",
    "Successfully bound pod to node": "bound",
    "Pod scheduled after flush from unschedulablePods": "flush_saved",
    "Pod scheduled after flush from unschedulableEntities": "flush_saved",
    # Preemption.
    "Pod is not eligible for preemption": "preemption_note",
    "Preemption will not help schedule pod on any node": "preemption_note",
    "No preemption candidate is found; preemption is not helpful for scheduling": "preemption_note",
    "the target node for the preemption is determined": "nominated",
    "Preemptor Pod preempted victim Pod": "preempted",
    "Preemptor pod rejected a waiting pod": "preempted",
    "Preemptor preempted a waiting pod": "preempted",
    "Preemptor rejected a pod in preBind": "preempted",
    "Start the preemption asynchronously": "preemption_started",
    "Async Preemption finished completely": "preemption_done",
    # Pod groups (1.36 with GenericWorkload, 1.37).
    "Attempting to schedule pod group": "group_attempt",
    "Successfully scheduled a pod group": "group_done",
    "Pod group is waiting for preemption": "group_done",
    "Unable to schedule a pod group": "group_done",
    "Error scheduling pod group": "group_done",
    "Pod with pod group added to incompletePodGroupPods, waiting for one or more parent pod group objects to be"
    " observed": "member_incomplete",
    "Pod added to pending pod group pods, waiting for its root group to be requeued": "member_pending",
    "Pod was added to root group as the first member pod": "member_joined",
    "Pod added to existing root group info": "member_joined",
    "Pod deleted from incompletePodGroupPods": "member_left",
    "Pod belonging to a root group got deleted from pending pod group info": "member_left",
    "Pod deleted from existing root group info": "member_left",
    "Pod group deleted, decomposed and enqueued pending pods for the pod group to incompletePodGroupPods":
        "group_decomposed",
    "Pod group deleted from root group, decomposed and enqueued pods to incompletePodGroupPods":
        "group_decomposed",
    "Composite pod group deleted from the root group, enqueued pending pods in the composite pod group subtree to"
    " incompletePodGroupPods": "group_decomposed",
    "Composite pod group deleted from the root group, decomposed and enqueued pods in the composite pod group"
    " subtree to incompletePodGroupPods": "group_decomposed",
    "Root group no longer exists on requeue attempt, decomposed and moved pods to incompletePodGroupPods":
        "group_decomposed",
    # The process.
    "Starting Kubernetes Scheduler": "start",
    "Handlers synced": "synced",
    "handlers are not fully synchronized": "not_synced",
    "Failed to watch": "watch_failed",
    "Attempting to acquire leader lease...": "lease_wanted",
    "attempting to acquire leader lease...": "lease_wanted",
    "Successfully acquired lease": "lease_held",
    "successfully acquired lease": "lease_held",
    "Leaderelection lost": "stopped",
    "Requested to terminate, exiting": "stopped",
    "Scheduling queue is closed": "closed",
    "command failed": "stopped",
    "Using component config": "config",
    "Cache comparer started": "alive",
    "Cache comparer finished": "alive",
    "HTTP": "http",
    "Dump of scheduling queue": "dump",
})  # fmt: skip
"""Message as logged → effect. One entry a wording; the releases that print it are in the specification."""

MOVE_PREFIXES: tuple[tuple[str, EntityKind], ...] = (
    ("Pod moved to an internal scheduling queue", "pod"),
    ("Entity moved to an internal scheduling queue", "pod"),
    ("Pod group moved to an internal scheduling queue", "podgroup"),
)
"""Beginnings of the move messages; what follows (``, because the pod is gated``) differs between releases."""

_POD = r"(?P<pod>[\w.-]+(?:/[\w.-]+)+)"
"""``ns/name``, or three parts in forks with tenants: kept whole."""

_OLD_POD = r"(?P<pod>[\w.-]+(?:/[\w.-]+)+|[\w.-]+ [\w.-]+)"
"""The same, or ``ns name`` with a blank, as 1.7 wrote it."""

OLD_WORDINGS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE | re.DOTALL), effect)
    for pattern, effect in (
        (rf"pod {_POD} is bound successfully on node \"?(?P<node>[\w.-]+?)\"?(?:,|\.?$)", "bound"),
        (rf"(?P<verb>add|update|delete) event for unscheduled pod:? {_POD}", "informer"),
        (rf"(?P<verb>add|update|delete) event for scheduled pod:? {_POD}", "informer_scheduled"),
        (rf"about to try and schedule pod:? {_POD}", "about"),
        (rf"attempting to schedule pod:? {_POD}", "attempt"),
        (rf"skip schedule deleting pod:? {_POD}", "skip"),
        (rf"unable to schedule {_OLD_POD}: (?P<text>no nodes are registered.*)", "no_nodes"),
        (rf"unable to schedule {_OLD_POD}: (?:no fit: )?(?P<text>.*?)\s*;? waiting", "no_fit"),
        (rf"error scheduling {_OLD_POD}: (?P<text>.*?)(?:; retrying)?$", "cycle_error"),
        (rf"attempting to bind {_POD} to (?P<node>[\w.-]+)", "binding"),
        (rf"failed to bind pod: {_POD}", "bind_failed"),
        (rf"pod {_POD} doesn't exist in informer cache(?P<text>.*)", "vanished"),
        (r"starting kubernetes scheduler version (?P<text>\S+)", "start"),
        (r"attempting to acquire leader lease", "lease_wanted"),
        (r"successfully acquired lease", "lease_held"),
        (r"lost master|leaderelection lost|leader election lost", "stopped"),
        (r"FLAG: (?P<text>--(?:v|vmodule|feature-gates)=.*)", "flag"),
    )
)
"""printf-style wordings (up to 1.18, and lines that stay so), tried in order."""

OLD_BEGINNINGS = re.compile(
    rb"(?i)\s*(?:pod |(?:add|update|delete) event for |about to try|attempting to |skip schedule"
    rb"|unable to schedule|error scheduling|failed to bind|starting kubernetes|successfully acquired|lost master"
    rb"|leader ?election|FLAG: --(?:v|vmodule|feature-gates)=)"
)
"""How a message begins that one of ``OLD_WORDINGS`` matches."""

OLD_WORDING_HINTS = re.compile(
    r"pod|schedul|FLAG: --(?:v|vmodule|feature-gates)=|lease|lost master|leader ?election",
    re.IGNORECASE,
)
"""A quick look before the patterns are tried one by one."""
