"""A git repository on loopback, by git:// and http://, whose line can be made to break."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

DEADLINE_SECONDS = 30.0


class Line:
    """A relay in front of a server: what it hands back is cut off after so many bytes, so many times."""

    def __init__(self, port: int) -> None:
        self._server_port = port
        self._lock = threading.Lock()
        self._breaks = 0
        self._after = 0
        self.broken = 0
        """How often it broke."""
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def break_after(self, count: int, times: int) -> None:
        """Cut the next ``times`` connections that carry more than ``count`` bytes back."""
        with self._lock:
            self._after, self._breaks = count, times

    def close(self) -> None:
        """Take no more connections."""
        self._listener.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.create_connection(("127.0.0.1", self._server_port), DEADLINE_SECONDS)
                threading.Thread(target=self._carry, args=(client, server), daemon=True).start()
                threading.Thread(target=self._carry_back, args=(server, client), daemon=True).start()

    def _carry(self, source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)

    def _carry_back(self, source: socket.socket, target: socket.socket) -> None:
        carried = 0
        with contextlib.suppress(OSError), source, target:
            while data := source.recv(4096):
                carried += len(data)
                if self._is_to_break(carried):
                    # Closed with data unread: the other side is told of a reset, as by a router that restarts.
                    target.shutdown(socket.SHUT_RDWR)
                    return
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)

    def _is_to_break(self, carried: int) -> bool:
        with self._lock:
            if self._breaks and carried > self._after:
                self._breaks -= 1
                self.broken += 1
                return True
            return False


@contextlib.contextmanager
def served_by_daemon(repository: Path) -> Iterator[tuple[str, Line]]:
    """``git daemon`` behind a line; yields the address and the line."""
    git = shutil.which("git")
    if git is None or not (Path(_exec_path(git)) / "git-daemon").exists():
        pytest.skip("this git has no daemon")
    with socket.create_server(("127.0.0.1", 0)) as chosen:
        port = chosen.getsockname()[1]
    words = [
        git, "daemon", "--listen=127.0.0.1", f"--port={port}", "--export-all", "--reuseaddr",
        f"--base-path={repository.parent}", str(repository),
    ]  # fmt: skip
    daemon = subprocess.Popen(words, stderr=subprocess.DEVNULL)
    try:
        _wait_until_it_listens(port)
        line = Line(port)
        yield f"git://127.0.0.1:{line.port}/{repository.name}", line
        line.close()
    finally:
        daemon.terminate()
        daemon.wait()


@contextlib.contextmanager
def served_by_http(repository: Path) -> Iterator[tuple[str, Line]]:
    """git's own http backend behind a line; yields the address and the line."""
    git = shutil.which("git")
    backend = Path(_exec_path(git)) / "git-http-backend" if git else Path("none")
    if not backend.exists():
        pytest.skip("this git has no http backend")

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._run(b"")

        def do_POST(self) -> None:
            self._run(self._body())

        def _body(self) -> bytes:
            if self.headers.get("Transfer-Encoding", "") != "chunked":
                return self.rfile.read(int(self.headers.get("Content-Length", 0)))
            body = b""
            while size := int(self.rfile.readline(), 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            return body

        def _run(self, body: bytes) -> None:
            place, _, query = self.path.partition("?")
            environment = {
                **os.environ, "GIT_PROJECT_ROOT": str(repository.parent), "GIT_HTTP_EXPORT_ALL": "1",
                "PATH_INFO": place, "QUERY_STRING": query, "REQUEST_METHOD": self.command,
                "CONTENT_TYPE": self.headers.get("Content-Type", ""), "CONTENT_LENGTH": str(len(body)),
                "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
                "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            }  # fmt: skip
            answer = subprocess.run(
                [backend], input=body, env=environment, capture_output=True, check=False
            ).stdout
            head, _, content = answer.partition(b"\r\n\r\n")
            self.send_response(200)
            for header in head.decode().split("\r\n"):
                name, _, value = header.partition(": ")
                if name != "Status":
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            with contextlib.suppress(OSError):
                self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        line = Line(server.server_address[1])
        yield f"http://127.0.0.1:{line.port}/{repository.name}", line
        line.close()
    finally:
        server.shutdown()
        server.server_close()


def _exec_path(git: str) -> str:
    return subprocess.run([git, "--exec-path"], capture_output=True, text=True, check=True).stdout.strip()


def _wait_until_it_listens(port: int) -> None:
    deadline = time.monotonic() + DEADLINE_SECONDS
    while True:
        with contextlib.suppress(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", port), DEADLINE_SECONDS).close()
            return
        assert time.monotonic() < deadline, "the daemon does not listen"
        time.sleep(0.02)
