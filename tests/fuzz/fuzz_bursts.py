"""Send bursts of random keys to the real program on a pseudo terminal, for a while; ends with 1 and the burst.

Not part of the test suite: ``python -m tests.fuzz.fuzz_bursts --minutes 10 [--seed N] [--log FILE] [--live]``.
What is held after each burst: the program lives, its screen is not blank, painting it anew shows the same cells
(so the frame writer's picture of the terminal is right), and ``?`` is answered. With ``--live`` the log is written
meanwhile, is rotated and truncated, and the terminal's size changes between bursts; then nothing is ever quiet,
and what is held is that the program lives and answers.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import os
import random
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Self

from schedtui.ui.keys import ACTIONS
from tests.terminal import Terminal

if TYPE_CHECKING:
    from collections.abc import Sequence

LOG = Path(__file__).parents[1] / "data" / "v1.36.3-v5-churn7.log.gz"

SIZES = ((80, 24), (60, 15))
"""Columns and lines."""

LIVE_SIZES = (*SIZES, (160, 50), (200, 60), (40, 8), (20, 5), (9, 3))
"""Columns and lines that a terminal comes to; the last ones are too small for anything, one cell is for pyte."""

QUIET_SECONDS = 1.5
"""Nothing written for so long: the burst is dealt with (a loaded machine needs more: stories come late)."""

PATIENCE_SECONDS = 30.0
"""How long anything may take."""

CODES: dict[str, str] = {
    "enter": "\r", "escape": "\x1b", "tab": "\t", "shift+tab": "\x1b[Z", "space": " ", "backspace": "\x7f",
    "up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D", "home": "\x1b[H", "end": "\x1b[F",
    "pageup": "\x1b[5~", "pagedown": "\x1b[6~", "f1": "\x1bOP", "f5": "\x1b[15~", "f9": "\x1b[20~",
    "f10": "\x1b[21~", "f11": "\x1b[23~",
}  # fmt: skip
"""Named keys as xterm sends them."""

LEAVING = frozenset({"app.quit", "app.doctor"})
"""Actions that are left out: they end the program, or run what is on this machine."""

TEXTS = (
    "gated-17", "pod:default/gated-17", "v<=4", "severity>=W", "/bound/", "漢字", "é", "zzzz", "Attempting",
    "(a |", "11997", "count by plugin", "k=", "f", "m",
)  # fmt: skip
"""What is typed into inputs."""

WORDS: dict[str, tuple[str, ...]] = {
    "goto": ("11997", "1", "-5m", "x"), "count": ("by plugin", "by file", ""), "theme": ("", "mono", "dark"),
    "pod": ("default/gated-17", "none"), "why": ("default/gated-17",), "filter": ("", "x"), "advise": ("",),
    "report": ("",), "notes": ("",), "open": ("ScheduleOne",), "save-filter": ("x",), "runs": ("",),
    "print": ("a",), "break": ("x",), "verbosity": ("4",), "tour": ("",), "transcript": ("t",), "again": ("",),
}  # fmt: skip
"""Typed commands, and words for them."""


def code_of(key: str) -> str:
    """What a terminal sends for a key of the table."""
    if key.startswith("ctrl+"):
        return chr(ord(key[-1]) & 0x1F)
    return CODES.get(key, key)


def sequences() -> list[str]:
    """Every key sequence of the table, as it is sent."""
    return [
        "".join(code_of(key) for key in keys.split(" "))
        for action in ACTIONS
        if action.id not in LEAVING
        for keys in action.keys
        if keys != "ctrl+c"
    ]


def make_burst(chance: random.Random, known: Sequence[str]) -> str:
    """One burst: sequences of the table, questions with their answers, typed commands, Enter and Escape."""
    names = sorted(WORDS)
    parts: list[str] = []
    for _ in range(chance.randrange(1, 25)):
        kind = chance.random()
        end = chance.choice(("\r", "\r", "\r", "\x1b", ""))
        if kind < 0.5:
            parts.append(chance.choice(known))
        elif kind < 0.7:
            parts.append(chance.choice("/fsV") + chance.choice(TEXTS) + end)
        elif kind < 0.85:
            name = chance.choice(names)
            parts.append(f":{name} {chance.choice(WORDS[name])}".rstrip() + end)
        elif kind < 0.95:
            parts.append(chance.choice(("\r", "\x1b", "\x1b\x1b", "\t", "z", "?")))
        else:
            parts.append(chance.choice(TEXTS))
    return "".join(parts)


Look = tuple[str, str, str, bool, bool, bool]
"""A cell: its character (a digit is 0: clocks go on), colours, bold, reverse, underlined."""


def cells(terminal: Terminal) -> list[list[Look]]:
    """The screen with its looks."""
    screen = terminal.screen
    return [
        [
            ("0" if cell.data.isdigit() else cell.data, cell.fg, cell.bg, cell.bold, cell.reverse, cell.underscore)
            if cell.data.strip() or cell.reverse
            else (" ", "", cell.bg, False, False, cell.underscore)
            for cell in (screen.buffer[y][x] for x in range(screen.columns))
        ]
        for y in range(screen.lines)
    ]


def wait_for_quiet(terminal: Terminal, more_than: int = -1) -> None:
    """Wait until more has been written than that, and then nothing for a while.

    Raises:
        AssertionError: It never came.
    """
    deadline = time.monotonic() + PATIENCE_SECONDS
    received, since = terminal.received, time.monotonic()
    while received <= more_than or time.monotonic() - since < QUIET_SECONDS:
        assert time.monotonic() < deadline, "never quiet" if received > more_than else "painted nothing"
        time.sleep(0.05)
        if terminal.received != received:
            received, since = terminal.received, time.monotonic()


def check(terminal: Terminal, burst: str) -> None:
    """Send a burst; then everything that must hold.

    Raises:
        AssertionError: Something does not hold.
    """
    terminal.send(burst)
    time.sleep(0.2)
    wait_for_quiet(terminal)
    if terminal.process.poll() is not None:
        return
    before = cells(terminal)
    assert sum(any(cell[0].strip() for cell in row) for row in before) > 1, "blank"
    written = terminal.received
    terminal.process.send_signal(signal.SIGUSR1)
    wait_for_quiet(terminal, written)
    after = cells(terminal)
    # A notice in the bottom row may have gone meanwhile.
    different = [y for y in range(len(before) - 1) if before[y] != after[y]]
    shown = ["".join(cell[0] for cell in before[y]) + "|\n" + "".join(c[0] for c in after[y]) for y in different]
    assert not different, "painted anew it differs:\n" + "\n".join(shown)
    for _ in range(8):
        terminal.send("\x1b")
        time.sleep(0.15)
    wait_for_quiet(terminal)
    terminal.send("?")
    terminal.wait_for("Keys: ", PATIENCE_SECONDS)
    terminal.send("\x1b")
    terminal.wait_for(lambda lines: not any("Keys: " in line for line in lines), PATIENCE_SECONDS)


def check_live(terminal: Terminal, burst: str, chance: random.Random) -> None:
    """Send a burst in pieces, with changes of size between them; then what must hold of a screen never quiet.

    Raises:
        AssertionError: Something does not hold.
    """
    for start in range(0, len(burst), 40):
        terminal.send(burst[start : start + 40])
        if chance.random() < 0.4:
            for _ in range(chance.randrange(1, 6)):
                terminal.resize(*chance.choice(LIVE_SIZES))
                time.sleep(chance.random() * 0.05)
        time.sleep(chance.random() * 0.3)
    terminal.resize(*chance.choice(SIZES))
    if terminal.process.poll() is not None:
        return
    for _ in range(8):
        terminal.send("\x1b")
        time.sleep(0.15)
    terminal.send("?")
    terminal.wait_for(
        lambda lines: terminal.process.poll() is not None or any("Keys: " in line for line in lines),
        PATIENCE_SECONDS,
    )
    if terminal.process.poll() is not None:
        return
    # A list that was asked for in the burst may have come over the keys meanwhile.
    terminal.send("\x1b\x1b\x1b")
    terminal.wait_for(lambda lines: not any("Keys: " in line for line in lines), PATIENCE_SECONDS)


class LogWriter:
    """Writes a log's lines into a file in bursts; renames it, truncates it or takes it away now and then."""

    def __init__(self, lines: Sequence[bytes], path: Path, chance: random.Random) -> None:
        self.lines = lines
        self.path = path
        self.chance = chance
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._write, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _write(self) -> None:
        at = 0
        while not self._stop.wait(self.chance.random() * 0.3):
            kind = self.chance.random()
            if kind < 0.01:
                self.path.rename(self.path.with_suffix(".1"))
            elif kind < 0.02:
                os.truncate(self.path, 0)
            elif kind < 0.025:
                self.path.unlink()
                self._stop.wait(1.0)
            count = self.chance.choice((1, 3, 20, 400))
            text = b"".join(self.lines[(at + n) % len(self.lines)] for n in range(count))
            at += count
            if self.chance.random() < 0.2:
                # Half a record, whose rest comes with the next ones, or never.
                text = text[:-7]
            with self.path.open("ab") as file:
                file.write(text)


def run(log: Path, until: float, chance: random.Random, *, live: bool = False) -> tuple[int, str]:
    """One program until the time is over or something is wrong: (bursts sent, what is wrong)."""
    columns, lines = chance.choice(SIZES)
    known, count, sent = sequences(), 0, []
    with contextlib.ExitStack() as stack:
        directory = stack.enter_context(tempfile.TemporaryDirectory())
        if live:
            lines_of = log.read_bytes().splitlines(keepends=True)
            log = Path(directory, "live.log")
            log.write_bytes(b"".join(lines_of[: chance.choice((0, 10, 4000))]))
            stack.enter_context(LogWriter(lines_of, log, random.Random(chance.random())))
        environment = {
            "HOME": directory, "SCHEDTUI_STATE": directory, "EDITOR": "true", "PATH": "/usr/bin:/bin",
            "PYTHONPATH": str(Path(__file__).parents[2]),
        }  # fmt: skip
        command = [sys.executable, "-m", "tests.fuzz.fuzz_bursts", "--child", str(log.resolve())]
        with Terminal(
            command, columns=columns, lines=lines, directory=Path(directory), environment=environment
        ) as terminal:
            terminal.wait_for("? help", PATIENCE_SECONDS)
            if not live:
                wait_for_quiet(terminal)
            while time.monotonic() < until and count < 40:
                burst = make_burst(chance, known)
                sent.append(burst)
                count += 1
                wrong = ""
                try:
                    if live:
                        check_live(terminal, burst, chance)
                    else:
                        check(terminal, burst)
                except AssertionError as error:
                    wrong = str(error)
                if b"Traceback (most recent" in terminal.raw:
                    wrong = f"a traceback; {wrong}"
                code = terminal.process.poll()
                if code is not None and (code != 0 or wrong):
                    wrong = f"ended with {code}; {wrong}"
                if wrong:
                    picture = "\n".join(terminal.text)
                    return count, f"{columns}x{lines}: {wrong}\n{picture}\nbursts: {sent[-3:]!r}"
                if code is not None:
                    break
    return count, ""


def child(log: str) -> int:
    """The program itself, painting anew at SIGUSR1, with a cursor that does not blink."""
    import asyncio

    from textual.widgets import Input

    from schedtui.ui import launch
    from schedtui.ui.app import SchedtuiApp

    begin = SchedtuiApp.on_mount

    def on_mount(self: SchedtuiApp) -> None:
        begin(self)
        asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, self.director.views.redraw)

    SchedtuiApp.on_mount = on_mount  # type: ignore[method-assign]
    # A cursor that blinks would never be quiet.
    Input._toggle_cursor = lambda _: None  # type: ignore[method-assign,assignment]
    return launch.run_logs(launch.Options(logs=(log,)))


def main() -> int:
    """Run for the minutes that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--log", type=Path, default=LOG)
    parser.add_argument("--live", action="store_true")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        return child(options.child)
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(1 << 32)
    print(f"seed {seed}", flush=True)
    chance = random.Random(seed)
    until = time.monotonic() + options.minutes * 60
    count = 0
    with tempfile.TemporaryDirectory() as directory:
        log = options.log
        if log.suffix == ".gz":
            log = Path(directory, "scheduler.log")
            log.write_bytes(gzip.decompress(options.log.read_bytes()))
        while time.monotonic() < until:
            sent, wrong = run(log, until, chance, live=options.live)
            count += sent
            if wrong:
                print(f"seed {seed}, burst {count}: {wrong}", file=sys.stderr)
                return 1
    print(f"{count} bursts, seed {seed}: nothing wrong")
    return 0


if __name__ == "__main__":
    sys.exit(main())
