"""Twenty thousand lines a second into a file that the real program shows on a real pseudo terminal (case C38).

``SCHEDTUI_FLOOD_SECONDS=30`` lets it go on as long as the issue asks for.
"""

from __future__ import annotations

import os
import sys
import threading
from typing import TYPE_CHECKING

import pyte

from tests.bench.compare import write_lines
from tests.bench.terminal import Terminal

if TYPE_CHECKING:
    from pathlib import Path

SECONDS = float(os.environ.get("SCHEDTUI_FLOOD_SECONDS", "3"))
RATE = 20_000
DEADLINE = 40.0


def screen_of(terminal: Terminal) -> list[str]:
    screen = pyte.Screen(80, 24)
    pyte.ByteStream(screen).feed(bytes(terminal.output))
    return [text.rstrip() for text in screen.display]


def log_rows(terminal: Terminal) -> list[str]:
    return [text for text in screen_of(terminal) if text[:5] in ("I1231", "E1231")]


def test_a_flood_is_followed_and_keys_are_answered(tmp_path: Path) -> None:
    path = tmp_path / "k.log"
    path.write_text('I1130 08:15:23.677615   12567 a.go:1] "the first line"\n')
    terminal = Terminal([sys.executable, "-m", "schedtui", "--log", str(path)])
    enough = threading.Event()
    try:
        assert terminal.seconds_until(b"the first line", DEADLINE) is not None
        # It floods until all of this is seen, however long a busy machine takes for it.
        writer = write_lines(path, RATE, SECONDS + 3 * DEADLINE, enough)
        terminal.read(SECONDS / 2)
        terminal.send(b"k")
        # The key is answered, and what is new is counted.
        assert terminal.read(DEADLINE, lambda: any("PAUSED +" in text for text in screen_of(terminal)))
        terminal.read(SECONDS / 2)
        paused = log_rows(terminal)
        terminal.read(0.5)
        assert log_rows(terminal) == paused
        assert paused
        assert writer.is_alive()
        enough.set()
        writer.join()
        last = path.read_bytes().splitlines()[-1][:21].decode()
        terminal.send(b"G")
        assert terminal.read(DEADLINE, lambda: any(text.startswith(last) for text in screen_of(terminal)))
    finally:
        enough.set()
        terminal.end()
