"""The real program in a real pseudo terminal: signals, a vanished terminal, keys beside a pipe."""

from __future__ import annotations

import gzip
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.terminal import Terminal

if TYPE_CHECKING:
    from pathlib import Path

SCHEDTUI = [sys.executable, "-m", "schedtui"]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A real log."""
    path = tmp_path / "scheduler.log"
    with gzip.open("tests/data/v1.36.3-v5-churn7.log.gz", "rb") as packed:
        path.write_bytes(packed.read())
    return path


def test_a_log_is_read_and_q_gives_the_terminal_back(log: Path) -> None:
    with Terminal([*SCHEDTUI, str(log)]) as terminal:
        terminal.wait_for("bound 80")
        terminal.send("q")
        assert terminal.wait_for_end() == 0
        assert b"\x1b[?1049l" in terminal.raw
        assert b"\x1b[?25h" in terminal.raw


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_c45_signals_end_it_and_restore_the_terminal(log: Path, number: signal.Signals) -> None:
    with Terminal([*SCHEDTUI, str(log)]) as terminal:
        terminal.wait_for("bound 80")
        terminal.process.send_signal(number)
        assert terminal.wait_for_end() == 128 + number
        assert b"\x1b[?1049l" in terminal.raw


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_while_the_screen_is_switched_on_restores_the_terminal(log: Path, number: signal.Signals) -> None:
    with Terminal([*SCHEDTUI, str(log)]) as terminal:
        # The very first that is written: nothing is painted yet, no loop waits for keys.
        terminal.wait_for(lambda _lines: b"\x1b[?1049h" in terminal.raw)
        terminal.process.send_signal(number)
        assert terminal.wait_for_end() == 128 + number
        assert b"\x1b[?1049l" in terminal.raw
        assert b"\x1b[?25h" in terminal.raw


def test_signals_that_are_not_meant_to_end_it_do_not(log: Path) -> None:
    with Terminal([*SCHEDTUI, str(log)]) as terminal:
        terminal.wait_for("bound 80")
        for number in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGINT):
            terminal.process.send_signal(number)
        terminal.wait_for("Nothing to interrupt")
        terminal.send("q")
        assert terminal.wait_for_end() == 0


def test_a_stop_without_warning_leaves_one_reader_of_keys_and_the_right_modes(log: Path) -> None:
    with Terminal([*SCHEDTUI, str(log)]) as terminal:
        terminal.wait_for("bound 80")
        raw = terminal.modes
        terminal.process.send_signal(signal.SIGSTOP)
        os.waitpid(terminal.process.pid, os.WUNTRACED)
        # A shell puts its own modes in force when a job stops.
        terminal.modes = terminal.first_modes
        terminal.process.send_signal(signal.SIGCONT)
        terminal.wait_for(lambda _lines: terminal.modes == raw)
        terminal.send("q")
        assert terminal.wait_for_end() == 0
        assert terminal.modes == terminal.first_modes
        assert terminal.raw.count(b"\x1b[?1049h") == 1


def test_a_vanished_terminal_ends_the_process(log: Path) -> None:
    with Terminal([*SCHEDTUI, str(log)]) as terminal:
        terminal.wait_for("bound 80")
        terminal.hang_up()
        assert terminal.wait_for_end() != 0


def test_keys_come_from_the_terminal_when_the_log_comes_through_a_pipe(log: Path) -> None:
    reader, writer = os.pipe()
    with Terminal([*SCHEDTUI, "--log", "-"], standard_input=reader) as terminal:
        os.close(reader)
        os.write(writer, log.read_bytes()[:40_000])
        terminal.wait_for("records")
        terminal.send("?")
        terminal.wait_for("Keys: log")
        terminal.send("qq")
        assert terminal.wait_for_end() == 0
        os.close(writer)


def test_c46_resizing_from_80x24_to_60x15_and_200x50(log: Path) -> None:
    with Terminal([*SCHEDTUI, str(log)]) as terminal:
        terminal.wait_for("bound 80")
        terminal.resize(60, 15)
        terminal.wait_for(lambda lines: len(lines) == 15 and lines[-1].startswith("? help  q quit"))
        terminal.resize(20, 5)
        terminal.wait_for("too small")
        terminal.resize(200, 50)
        terminal.wait_for(lambda lines: len(lines) == 50 and lines[-1].startswith("? help  q quit"))
        terminal.send("q")
        assert terminal.wait_for_end() == 0


def test_c46_a_size_that_changes_there_and_back_loses_no_text(log: Path) -> None:
    """A zoomed pane that is taken back at once: the terminal has cut the text, and the size is what it was."""
    with Terminal([*SCHEDTUI, str(log)]) as terminal:
        terminal.wait_for("bound 80")
        before = terminal.wait_for(lambda lines: lines[-1].startswith("? help  q quit") and "line" in lines[-3])
        for small in ((60, 15), (10, 2)):
            terminal.resize(*small)
            terminal.resize(80, 24)
            terminal.wait_for(lambda lines: lines[2:-3] == before[2:-3] and lines[-1] == before[-1])
        terminal.send("q")
        assert terminal.wait_for_end() == 0


@pytest.mark.parametrize(
    ("environment", "theme"), [({"TERM": "linux"}, "16"), ({"NO_COLOR": "1"}, "mono"), ({"TERM": "screen"}, "16")]
)
def test_c43_few_colours(log: Path, environment: dict[str, str], theme: str) -> None:
    with Terminal([*SCHEDTUI, str(log)], environment=environment) as terminal:
        terminal.wait_for("bound 80")
        assert b"[38;2;" not in terminal.raw
        if theme == "mono":
            assert b"\x1b[31m" not in terminal.raw and b"38;5;" not in terminal.raw
        terminal.send("q")
        assert terminal.wait_for_end() == 0


def test_a_screen_is_refused_without_a_terminal(log: Path) -> None:
    command = [*SCHEDTUI, str(log)]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "needs a terminal" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_dumb_terminal_is_refused_with_advice(log: Path) -> None:
    with Terminal([*SCHEDTUI, str(log)], environment={"TERM": "dumb"}) as terminal:
        assert terminal.wait_for_end() == 2
        terminal.wait_for("TERM=dumb")
