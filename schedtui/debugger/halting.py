"""A second way to stop a target: asked of dlv's server directly, beside the client on our terminal.

Owns one request and its bytes. dlv's client asks its server once and then waits, even where the server has
forgotten the wish: one that comes while a condition is being checked is lost (1.27). Asked again, it stops.
"""

from __future__ import annotations

import contextlib
import socket

HALT = b'{"method":"RPCServer.Command","params":[{"name":"halt"}],"id":1}\n'
"""dlv's JSON-RPC, API version 2."""

CONNECT_SECONDS = 1.0
"""How long the server may take to accept: it is on this machine, or as near as the client's."""


def ask_server_to_halt(address: str) -> None:
    """Ask; whether it stopped is told on our terminal. A server that cannot be reached is no news there either.

    Args:
        address: As dlv writes it: ``unix:PATH`` or ``HOST:PORT``.
    """
    with contextlib.suppress(OSError, ValueError):
        if address.startswith("unix:"):
            with socket.socket(socket.AF_UNIX) as link:
                link.settimeout(CONNECT_SECONDS)
                link.connect(address.removeprefix("unix:"))
                link.sendall(HALT)
            return
        host, _, port = address.rpartition(":")
        with socket.create_connection((host.strip("[]") or "localhost", int(port)), CONNECT_SECONDS) as link:
            link.sendall(HALT)
