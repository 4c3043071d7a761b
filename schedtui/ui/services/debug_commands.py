"""Typed commands around debugging: a pod made anew.

Owns the table of their names and what each does, like ``commands``, which asks this table too.
"""

from __future__ import annotations

import http.client
import time
from typing import TYPE_CHECKING, Any

from schedtui.core.errors import WrongUse
from schedtui.lab.api_client import ApiClient, ApiRefused

if TYPE_CHECKING:
    from collections.abc import Callable

    from schedtui.ui.services.command_context import Context

GONE_SECONDS = 10.0
"""How long the API server may take to forget a deleted pod."""

LOOK_SECONDS = 0.1
"""Distance of two looks whether it is gone."""

SERVER_FIELDS = ("uid", "resourceVersion", "creationTimestamp", "generation", "managedFields", "selfLink")
"""What the API server writes into an object's metadata; a new object must not bring it along."""


def _again(context: Context) -> None:
    """Make a pod of the lab anew: a refused pod is tried again at an event only, or after five minutes."""
    session = context.session
    if session is None or session.plan.lab is None:
        context.tell("Only pods of a lab are made anew: 'schedtui lab'.")
        return
    namespace, slash, name = context.words.rpartition("/")
    if not name:
        raise WrongUse("no pod is named", hint="Write namespace/name, or select a pod in the queue pane first.")
    pods = f"/api/v1/namespaces/{namespace if slash else 'default'}/pods"
    client = ApiClient(session.plan.lab.endpoint)
    try:
        pod = _fresh(client.get(f"{pods}/{name}"))
        client.delete(f"{pods}/{name}")
        _make(client, pods, pod)
    except ApiRefused as error:
        if error.status == http.client.NOT_FOUND:
            raise WrongUse("there is no such pod in the lab", where=context.words) from error
        raise
    finally:
        client.close()
    context.tell(f"{context.words} was made anew: the scheduler tries it now.")


def _fresh(pod: dict[str, Any]) -> dict[str, Any]:
    """The pod as it was asked for, without what the server and the scheduler wrote into it."""
    metadata = {key: value for key, value in pod["metadata"].items() if key not in SERVER_FIELDS}
    spec = {key: value for key, value in pod["spec"].items() if key != "nodeName"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def _make(client: ApiClient, pods: str, pod: dict[str, Any]) -> None:
    deadline = time.monotonic() + GONE_SECONDS
    while True:
        try:
            client.post(pods, pod)
        except ApiRefused as error:
            if error.status != http.client.CONFLICT or time.monotonic() > deadline:
                raise
            time.sleep(LOOK_SECONDS)
        else:
            return


COMMANDS: dict[str, Callable[[Context], None]] = {
    "again": _again,
}
"""Name → what it does."""
