"""A KubeSchedulerConfiguration file: is it one, of a version that the release knows, with fields that exist.

Owns the checks that need no cluster. Defaults, validation of values and plugins of the user's own are the
scheduler's business: its refusals are explained by ``core.exit_cause``.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import yaml

from schedtui.config.yaml_files import yaml_documents

if TYPE_CHECKING:
    from pathlib import Path

GROUP = "kubescheduler.config.k8s.io"
"""API group of the file."""

KIND = "KubeSchedulerConfiguration"

CURRENT_VERSION = f"{GROUP}/v1"
"""The one version that every release from 1.25 on reads."""

LAST_MINOR: dict[str, int] = {"v1alpha1": 18, "v1alpha2": 20, "v1beta1": 24, "v1beta2": 27, "v1beta3": 28}
"""Old version → the last minor release (1.N) that reads it."""

FIELDS: tuple[str, ...] = (
    "apiVersion", "kind", "parallelism", "leaderElection", "clientConnection", "enableProfiling",
    "enableContentionProfiling", "percentageOfNodesToScore", "podInitialBackoffSeconds", "podMaxBackoffSeconds",
    "profiles", "extenders", "delayCacheUntilActive",
)  # fmt: skip
"""Top-level fields of v1 in 1.29 to 1.37; decoding is strict, so any other ends the scheduler."""


@dataclass(frozen=True, slots=True)
class SchedulerConfig:
    """What the file says, as far as others need it."""

    problem: str = ""
    """Why a scheduler will not take it; empty when it will (as far as can be seen)."""
    advice: str = ""
    leader_elect: bool | None = None
    """``leaderElection.leaderElect``; None when not said (kube-scheduler's default is yes)."""
    lease: tuple[str, str] = ("kube-system", "kube-scheduler")
    """Namespace and name of the lease."""
    kubeconfig: str = ""
    """``clientConnection.kubeconfig``."""
    scheduler_names: tuple[str, ...] = ()
    """The profiles' scheduler names."""


def read_scheduler_config(path: Path, minor: int | None = None) -> SchedulerConfig:
    """Read and check a configuration file; problems are values, nothing is raised.

    Args:
        path: The file.
        minor: Minor release of the scheduler that is to read it (36 for 1.36); None when unknown.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        return SchedulerConfig(f"cannot read {path}: {error.strerror}", f"Check the path: ls -l {path}")
    except UnicodeDecodeError:
        return SchedulerConfig(f"{path} is not UTF-8 text", "Is it the right file?")
    try:
        documents = [document for document in yaml_documents(text) if document is not None]
    except yaml.YAMLError as error:
        return SchedulerConfig(f"{path} is not valid YAML: {yaml_place(error)}", "Correct that line.")
    if len(documents) != 1 or not isinstance(documents[0], dict):
        what = "empty" if not documents else "not one YAML object"
        return SchedulerConfig(f"{path} is {what}", f"It begins with apiVersion: {CURRENT_VERSION}, kind: {KIND}.")
    return _judge(path, documents[0], minor)


def yaml_place(error: Exception) -> str:
    """Where and what, in one line, of a YAML error."""
    mark = getattr(error, "problem_mark", None)
    problem = str(getattr(error, "problem", None) or error).splitlines()[0]
    return f"line {mark.line + 1}: {problem}" if mark is not None else problem


def _judge(path: Path, document: dict[str, Any], minor: int | None) -> SchedulerConfig:
    problem, advice = _wrong_kind(path, document, minor) or _wrong_fields(path, document) or ("", "")
    election = document.get("leaderElection")
    election = election if isinstance(election, dict) else {}
    connection = document.get("clientConnection")
    profiles = document.get("profiles")
    elect = election.get("leaderElect")
    return SchedulerConfig(
        problem=problem,
        advice=advice,
        leader_elect=elect if isinstance(elect, bool) else None,
        lease=(
            str(election.get("resourceNamespace") or "kube-system"),
            str(election.get("resourceName") or "kube-scheduler"),
        ),
        kubeconfig=str(connection.get("kubeconfig") or "") if isinstance(connection, dict) else "",
        scheduler_names=tuple(
            str(profile.get("schedulerName") or "default-scheduler")
            for profile in (profiles if isinstance(profiles, list) else [])
            if isinstance(profile, dict)
        ),
    )


def _wrong_kind(path: Path, document: dict[str, Any], minor: int | None) -> tuple[str, str] | None:
    version, kind = document.get("apiVersion"), document.get("kind")
    right = f"It needs apiVersion: {CURRENT_VERSION} and kind: {KIND}."
    for name, value in (("apiVersion", version), ("kind", kind)):
        if not isinstance(value, str) or not value:
            return f"{path} has no {name}", right
    if kind == "Config" and version == "v1":
        return f"{path} is a kubeconfig, not a scheduler configuration", "Give it with --kubeconfig. " + right
    group, _, short = str(version).rpartition("/")
    if kind != KIND or group != GROUP:
        return f"{path} is a {kind} of {version}, not a scheduler configuration", right
    if short == "v1":
        return None
    last = LAST_MINOR.get(short)
    if last is None:
        return f"{path} has the unknown version {version}", right
    if minor is not None and minor <= last:
        return None
    return (
        f"{path} is of version {short}, which the last to read was 1.{last}",
        f"Convert it to {CURRENT_VERSION}.",
    )


def _wrong_fields(path: Path, document: dict[str, Any]) -> tuple[str, str] | None:
    for field in document:
        if field not in FIELDS:
            close = difflib.get_close_matches(str(field), FIELDS, n=1)
            advice = f"Did you mean {close[0]}?" if close else f"Known: {', '.join(FIELDS[2:])}."
            return f"{path} holds the unknown field {field}", advice
    profiles = document.get("profiles")
    if profiles is not None and not isinstance(profiles, list):
        return f"{path}: profiles is not a list", "Begin each profile with '- schedulerName: NAME'."
    names = [
        profile.get("schedulerName", "default-scheduler")
        for profile in (profiles if isinstance(profiles, list) else [])
        if isinstance(profile, dict)
    ]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        return f"{path} has two profiles named {twice}", "Give each profile a schedulerName of its own."
    return None
