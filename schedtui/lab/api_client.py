"""A small client of the lab's own API server.

Owns one HTTPS connection with a bearer token: JSON requests, patches, and the watch stream. Each thread makes
its own client. It refuses kubeconfigs of real clusters: it speaks to the server and with the token that the lab
made.
"""

from __future__ import annotations

import http.client
import json
import ssl
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from schedtui.core.errors import ClusterUnreachable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

REQUEST_SECONDS = 20.0
"""How long one answer may take on a machine that builds at the same time."""

MERGE_PATCH = "application/merge-patch+json"
STRATEGIC_PATCH = "application/strategic-merge-patch+json"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where the lab's API server is and how to speak to it."""

    port: int
    """On 127.0.0.1."""
    token: str
    """The bearer token; never shown."""
    authority: str
    """The lab's certificate authority, PEM."""

    @property
    def url(self) -> str:
        """``https://127.0.0.1:PORT``."""
        return f"https://127.0.0.1:{self.port}"


class ApiRefused(ClusterUnreachable):
    """The API server answered with an error."""

    def __init__(self, status: int, reason: str, message: str, where: str) -> None:
        """Keep the answer.

        Args:
            status: The HTTP status code.
            reason: Kubernetes's own word for it (``NotFound``, ``AlreadyExists``).
            message: The server's sentence.
            where: Method and path of the request.
        """
        super().__init__(f"the API server refused ({status} {reason})", where=where, details=(message,))
        self.status = status
        self.reason = reason


class ApiClient:
    """One connection to the API server; reopened when the server has closed it."""

    def __init__(self, endpoint: Endpoint, *, seconds: float = REQUEST_SECONDS) -> None:
        """Prepare a client; nothing is sent yet.

        Args:
            endpoint: Where and with what token.
            seconds: How long one answer may take.
        """
        self.endpoint = endpoint
        self._seconds = seconds
        self._context = ssl.create_default_context(cadata=endpoint.authority)
        self._connection: http.client.HTTPSConnection | None = None

    def close(self) -> None:
        """Close the connection; the next request opens another."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def get(self, path: str, **query: str) -> dict[str, Any]:
        """GET one JSON document."""
        return self._json("GET", f"{path}?{urlencode(query)}" if query else path)

    def text(self, path: str) -> str:
        """GET plain text (``/readyz``, ``/metrics``)."""
        return self._request("GET", path, None, "application/json").decode("utf-8", "replace")

    def post(self, path: str, document: Mapping[str, Any]) -> dict[str, Any]:
        """Create an object."""
        return self._json("POST", path, document)

    def patch(self, path: str, document: Mapping[str, Any], kind: str = STRATEGIC_PATCH) -> dict[str, Any]:
        """Patch an object."""
        return self._json("PATCH", path, document, kind)

    def delete(self, path: str, *, grace_seconds: int = 0) -> dict[str, Any]:
        """Delete an object; nothing in the lab would end a pod that is given grace."""
        return self._json("DELETE", path, {"gracePeriodSeconds": grace_seconds})

    def exists(self, path: str) -> bool:
        """Whether there is such an object."""
        try:
            self.get(path)
        except ApiRefused as error:
            if error.status == http.client.NOT_FOUND:
                return False
            raise
        return True

    def watch(self, path: str, *, resource_version: str, seconds: int, **query: str) -> Iterator[dict[str, Any]]:
        """The changes of a collection from ``resource_version`` on, until the server ends the stream.

        Uses a connection of its own.

        Raises:
            ApiRefused: The server refuses, or says that the version is too old (410).
            ClusterUnreachable: The stream broke.
        """
        words = {"watch": "1", "resourceVersion": resource_version, "timeoutSeconds": str(seconds), **query}
        connection = self._open(seconds + 10.0)
        try:
            connection.request("GET", f"{path}?{urlencode(words)}", headers=self._headers("application/json"))
            response = connection.getresponse()
            if response.status >= http.client.BAD_REQUEST:
                raise _refusal(response.status, response.read(), f"WATCH {path}")
            while line := response.readline():
                event = json.loads(line)
                if event.get("type") == "ERROR":
                    status = event.get("object", {})
                    raise ApiRefused(
                        int(status.get("code", 500)),
                        str(status.get("reason", "")),
                        str(status.get("message", "")),
                        f"WATCH {path}",
                    )
                yield event
        except (OSError, http.client.HTTPException) as error:
            raise self._unreachable(error) from error
        finally:
            connection.close()

    def _open(self, seconds: float) -> http.client.HTTPSConnection:
        return http.client.HTTPSConnection("127.0.0.1", self.endpoint.port, context=self._context, timeout=seconds)

    def _headers(self, content_type: str) -> dict[str, str]:
        return {
            "Authorization": f"Bearer {self.endpoint.token}",
            "Content-Type": content_type,
            "Accept": "application/json",
            "User-Agent": "schedtui-lab",
        }

    def _json(
        self, method: str, path: str, document: Mapping[str, Any] | None = None, kind: str = "application/json"
    ) -> dict[str, Any]:
        answer = json.loads(self._request(method, path, document, kind))
        return answer if isinstance(answer, dict) else {"items": answer}

    def _request(self, method: str, path: str, document: Mapping[str, Any] | None, kind: str) -> bytes:
        body = None if document is None else json.dumps(document).encode("utf-8")
        # A kept connection may have been closed by the server meanwhile: then once more on a fresh one.
        fresh = self._connection is None
        while True:
            connection = self._connection or self._open(self._seconds)
            self._connection = connection
            try:
                connection.request(method, path, body=body, headers=self._headers(kind))
                response = connection.getresponse()
                content = response.read()
                break
            except (OSError, http.client.HTTPException) as error:
                self.close()
                if fresh or isinstance(error, TimeoutError):
                    raise self._unreachable(error) from error
                fresh = True
        if response.status >= http.client.BAD_REQUEST:
            raise _refusal(response.status, content, f"{method} {path}")
        return content

    def _unreachable(self, error: Exception) -> ClusterUnreachable:
        return ClusterUnreachable(
            "the lab's API server does not answer",
            where=self.endpoint.url,
            details=(str(error) or type(error).__name__,),
            hint="'schedtui lab status' says how its parts are.",
        )


def _refusal(status: int, content: bytes, where: str) -> ApiRefused:
    try:
        document = json.loads(content)
    except ValueError:
        document = {"message": content.decode("utf-8", "replace")[:500]}
    if not isinstance(document, dict):
        document = {"message": str(document)}
    return ApiRefused(status, str(document.get("reason", "")), str(document.get("message", "")), where)
