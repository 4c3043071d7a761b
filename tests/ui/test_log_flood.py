"""Twenty thousand lines a second into a file that the real program shows on a real pseudo terminal (case C38).

``SCHEDTUI_FLOOD_SECONDS=30`` lets it go on as long as the issue asks for.
"""

from __future__ import annotations

import os
import sys
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


def test_a_flood_is_followed_and_keys_are_answered(tmp_path: Path) -> None:
    path = tmp_path / "k.log"
    path.write_text('I1130 08:15:23.677615   12567 a.go:1] "the first line"\n')
    terminal = Terminal([sys.executable, "-m", "schedtui", "--log", str(path)])
    try:
        assert terminal.seconds_until(b"the first line", DEADLINE) is not None
        writer = write_lines(path, RATE, SECONDS)
        terminal.read(SECONDS / 2)
        terminal.send(b"k")
        # While it still floods: the key is answered, and what is new is counted.
        assert terminal.read(DEADLINE, lambda: any("PAUSED +" in text for text in screen_of(terminal)))
        assert writer.is_alive() or SECONDS < 10
        paused = screen_of(terminal)
        terminal.read(0.5)
        log = [text for text in screen_of(terminal) if text[:5] == "I1231" or text[:5] == "E1231"]
        assert log == [text for text in paused if text[:5] == "I1231" or text[:5] == "E1231"]
        writer.join()
        last = path.read_bytes().splitlines()[-1][:21].decode()
        terminal.send(b"G")
        assert terminal.read(DEADLINE, lambda: any(text.startswith(last) for text in screen_of(terminal)))
    finally:
        terminal.end()
