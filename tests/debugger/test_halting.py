"""The second way to stop a target: a request to dlv's server."""

from __future__ import annotations

import json
import socket
from typing import TYPE_CHECKING

import pytest

from schedtui.debugger.halting import ask_server_to_halt

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("kind", ["unix", "tcp"])
def test_the_server_is_asked_to_halt(short_directory: Path, kind: str) -> None:
    family = socket.AF_UNIX if kind == "unix" else socket.AF_INET
    with socket.socket(family) as server:
        server.settimeout(20)
        server.bind(str(short_directory / "s") if kind == "unix" else ("127.0.0.1", 0))
        server.listen()
        place = server.getsockname()
        ask_server_to_halt(f"unix:{place}" if kind == "unix" else f"{place[0]}:{place[1]}")
        with server.accept()[0] as link:
            request = json.loads(link.makefile().readline())
    assert request["method"] == "RPCServer.Command"
    assert request["params"] == [{"name": "halt"}]


@pytest.mark.parametrize("address", ["unix:/nowhere/s", "127.0.0.1:1", "nonsense", ""])
def test_a_server_that_is_not_there_is_no_fault(address: str) -> None:
    ask_server_to_halt(address)
