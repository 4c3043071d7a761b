"""A user's scheduler configuration, made to fit the lab.

Owns the copy with the two things that a lab must set itself: which kubeconfig is used (the flag is ignored beside
``--config``) and no leader election. Profiles, plugins, extenders and the client's limits stay as they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import yaml

from schedtui.config.files import write_private
from schedtui.config.yaml_files import yaml_document
from schedtui.core.errors import UnreadableInput, WrongUse

if TYPE_CHECKING:
    from pathlib import Path

KIND = "KubeSchedulerConfiguration"


def write_lab_config(config: Path, kubeconfig: Path, target: Path) -> Path:
    """Write ``target``: ``config`` with the lab's ``kubeconfig`` and without leader election.

    Raises:
        UnreadableInput: The file cannot be read.
        WrongUse: It is no YAML, or another kind of document.
    """
    document = read_config(config)
    connection = document.get("clientConnection") or {}
    election = document.get("leaderElection") or {}
    document["clientConnection"] = {**connection, "kubeconfig": str(kubeconfig)}
    document["leaderElection"] = {**election, "leaderElect": False}
    write_private(target, yaml.safe_dump(document, sort_keys=False).encode("utf-8"))
    return target


def read_config(config: Path) -> dict[str, Any]:
    """A KubeSchedulerConfiguration as a document.

    Raises:
        UnreadableInput: The file cannot be read.
        WrongUse: It is no YAML, or another kind of document.
    """
    try:
        document = yaml_document(config.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise UnreadableInput(f"cannot read the scheduler's configuration ({error})", where=str(config)) from error
    except yaml.YAMLError as error:
        raise WrongUse(
            "the scheduler's configuration is no YAML", where=str(config), details=tuple(str(error).splitlines())
        ) from error
    if not isinstance(document, dict) or document.get("kind") != KIND:
        found = document.get("kind", "no kind") if isinstance(document, dict) else "no mapping"
        raise WrongUse(
            f"this is no {KIND} (it says: {found})",
            where=str(config),
            hint=f"It begins with 'apiVersion: kubescheduler.config.k8s.io/v1' and 'kind: {KIND}'.",
        )
    return document
