"""Whether a part of the lab answers.

Owns the one question put to each part and the words for what comes back. It keeps nothing and changes nothing.
"""

from __future__ import annotations

import http.client
import ssl
from typing import TYPE_CHECKING

from schedtui.core.errors import SchedtuiError
from schedtui.lab.api_client import ApiClient

if TYPE_CHECKING:
    from collections.abc import Callable

    from schedtui.lab.api_client import Endpoint

HEALTH_SECONDS = 3.0
"""How long a part may take to say that it is well."""

WELL = "ok"
"""What a part that is well is said to be."""


def part_health(name: str, port: int, endpoint: Callable[[], Endpoint]) -> str:
    """``ok``, what the part answered instead, or why it did not answer.

    Args:
        name: ``etcd``, ``kube-apiserver`` or ``kube-scheduler``.
        port: The part's own, on loopback.
        endpoint: How to speak to the API server; asked for that part only.
    """
    try:
        if name == "etcd":
            return _answer(http.client.HTTPConnection("127.0.0.1", port, timeout=HEALTH_SECONDS), "/health")
        if name == "kube-apiserver":
            client = ApiClient(endpoint(), seconds=HEALTH_SECONDS)
            try:
                return client.text("/readyz")
            finally:
                client.close()
        # The scheduler's certificate is its own, made at its start: nobody could vouch for it.
        context = ssl._create_unverified_context()
        secure = http.client.HTTPSConnection("127.0.0.1", port, timeout=HEALTH_SECONDS, context=context)
        return _answer(secure, "/healthz")
    except ConnectionRefusedError:
        return "does not listen"
    except SchedtuiError as error:
        return error.title
    except (OSError, http.client.HTTPException) as error:
        return str(error) or type(error).__name__


def _answer(connection: http.client.HTTPConnection, path: str) -> str:
    try:
        connection.request("GET", path)
        response = connection.getresponse()
        text = response.read(200).decode("utf-8", "replace").strip()
    finally:
        connection.close()
    return WELL if response.status == http.client.OK else f"{response.status} {text}"
