"""Damaged, odd and hostile inputs of every analysis command: an answer or a message, never a traceback."""

from __future__ import annotations

import gzip
import json
import os
import random
import resource
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from schedtui.cli import run
from schedtui.core.errors import UnreadableInput
from schedtui.sources.inputs import read_chunks, resolve_inputs

DATA = Path(__file__).parents[1] / "data"
LOG = (DATA / "v1.36.3-v4-mixed.log").read_bytes()
COMMANDS = (
    ("logs",), ("logs", "--json"), ("queue", "--json"), ("queue",), ("queue", "--at", "10:00:00"),
    ("check", "--json"), ("report", "--json"), ("report",), ("report", "--nodes"),
    ("pod", "--json", "default/web-0"), ("pod", "default/web-0"),
)  # fmt: skip


def read(command: tuple[str, ...], path: Path) -> int:
    code = run([*command, str(path)])
    sys.stdout.flush()
    return code


@pytest.mark.parametrize("command", COMMANDS)
def test_a_damaged_archive_answers_with_what_it_holds_and_says_so(
    command: tuple[str, ...], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    packed = gzip.compress(LOG)
    whole = tmp_path / "whole.log"
    whole.write_bytes(LOG)
    assert read(command, whole) in (0, 1)
    expected = capfd.readouterr().out
    for name, data in (("trailing.gz", packed + b"garbage"), ("checksum.gz", packed[:-8] + b"\0" * 8)):
        path = tmp_path / name
        path.write_bytes(data)
        assert read(command, path) == 2
        captured = capfd.readouterr()
        assert captured.out.replace(str(path), str(whole)) == expected
        assert "is no whole gzip archive" in captured.err
        assert "What could be read of it has been used." in captured.err
    cut = tmp_path / "cut.gz"
    cut.write_bytes(packed[: len(packed) // 2])
    assert read(command, cut) == 2
    captured = capfd.readouterr()
    assert captured.out
    assert "the archive is cut short" in captured.err


def test_one_damaged_archive_of_several_hides_nothing_of_the_others(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    cut = tmp_path / "cut.gz"
    cut.write_bytes(gzip.compress(LOG)[:2000])
    other = DATA / "v1.36.3-v2-mixed.log"
    assert run(["report", "--json", str(other)]) == 0
    alone = json.loads(capfd.readouterr().out)["bound"]
    assert run(["report", "--json", str(cut), str(other)]) == 2
    assert json.loads(capfd.readouterr().out)["bound"] >= alone


@pytest.mark.parametrize("command", COMMANDS)
def test_no_archive_at_all_gives_no_answer(
    command: tuple[str, ...], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "noise.gz"
    path.write_bytes(b"\x1f\x8b" + random.Random(3).randbytes(3000))
    assert read(command, path) == 2
    captured = capfd.readouterr()
    assert captured.out == ""
    assert captured.err.splitlines()[-1] == "Fetch or pack it again."


@pytest.mark.parametrize("command", COMMANDS)
def test_what_is_no_file_is_refused_with_advice(
    command: tuple[str, ...], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(tmp_path / "socket"))
    for path in (tmp_path, tmp_path / "socket", tmp_path / "none.log", Path("/proc/self/mem")):
        assert read(command, path) == 2
        captured = capfd.readouterr()
        assert captured.out == ""
        assert str(path) in captured.err
        assert len(captured.err.splitlines()) >= 2, "what to do is missing"
    listening.close()


HOSTILE = {
    "empty": b"",
    "noise": random.Random(1).randbytes(200_000),
    "zeros": b"\0" * 300_000,
    "blank lines": b"\n" * 5000,
    "carriage returns": b'I0301 10:00:00.000003 1 x.go:2] "a" k="b"\rx\r\n\r\r\n',
    "deep text": b'I0301 10:00:00.000003 1 x.go:2] "a" k=' + b"{[" * 20_000 + b"\n",
    "deep JSON": b'{"ts":1,"caller":"a/b.go:1","msg":"x","v":1,"pod":' + b"[" * 50_000 + b"]" * 50_000 + b"}\n",
    "deep map": b'I0301 10:00:00.000003 1 x.go:2] "a" k=' + b"map[a:" * 20_000 + b"1" + b"]" * 20_000 + b"\n",
    "half characters": b'{"ts":1e3,"caller":"a/b.go:1","msg":"A\xff\\ud800","v":3,'
    b'"pod":{"name":"c\xc3","namespace":"x"}}\n',
    "wrong types": b'{"ts":"x","caller":5,"msg":7,"v":"3"}\n{"ts":-1e30,"msg":"m","v":-3}\n'
    b'{"ts":1e999,"msg":"m"}\n',
    "values of other types": b"".join(
        b"I0301 10:00:00.000003 7 x.go:2] " + rest + b"\n"
        for rest in (
            b'"Pod moved to an internal scheduling queue" pod=["a/b"] event=null queue={"x":[1]}',
            b'"Entity moved to an internal scheduling queue" type=5 entity=7 event=null queue=9',
            b'"Successfully bound pod to node" pod={"a":1} node=["x"] evaluatedNodes="x" feasibleNodes=1e308',
            b'"Successfully bound pod to node" pod="" node=""',
            b'"Unable to schedule pod; no fit; waiting" pod=5 err={"a":1}',
            b'"Dump of scheduling queue" summary=5 pods=[1]',
        )
    ),
    "long line": b'I0301 10:00:00.000001 1 s.go:5] "Unable to schedule pod; no fit; waiting" '
    + b'err="0/9 nodes are available: ' + b"1 Insufficient cpu, " * 15_000 + b'x." pod="default/web-0"\n',
}  # fmt: skip

DOUBTED = {"noise": "schedtui: hostile.log is hardly a scheduler's log: it holds binary data, not text.\n"}
"""What is said of a file that holds no text at all."""


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_read(text: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "hostile.log"
    path.write_bytes(HOSTILE[text])
    for command in COMMANDS:
        assert read(command, path) in (0, 1)
        captured = capfd.readouterr()
        assert captured.err in ("", DOUBTED.get(text, ""))
        if "--json" in command:
            for document in filter(None, captured.out.split("\n")) if command[0] == "logs" else [captured.out]:
                json.loads(document)
    assert run(["export", str(path), "--to", str(tmp_path / "out")]) == 0


def started(*arguments: str, **options: object) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-m", "schedtui", *arguments], stderr=subprocess.PIPE, **options)  # type: ignore[call-overload,no-any-return]


@pytest.mark.parametrize("target", ["x.jsonl", "x.md", "x.parquet", "x"])
def test_a_full_disk_leaves_no_half_export(target: str, tmp_path: Path) -> None:
    child = started(
        "export", str(DATA / "v1.36.3-v5-churn7.log.gz"), "--to", str(tmp_path / target),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000)),
    )  # fmt: skip
    _, errors = child.communicate(timeout=120)
    assert child.returncode == 2, errors
    assert b"Traceback" not in errors
    assert target.encode() in errors
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", COMMANDS)
def test_a_full_or_closed_output_is_no_traceback(command: tuple[str, ...], tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(LOG)
    full = os.open("/dev/full", os.O_WRONLY)
    child = started(*command, str(path), stdout=full)
    _, errors = child.communicate(timeout=120)
    os.close(full)
    assert child.returncode == 2, errors
    assert b"Traceback" not in errors and b"No space left" in errors
    reading, writing = os.pipe()
    os.close(reading)
    child = started(*command, str(path), stdout=writing)
    os.close(writing)
    _, errors = child.communicate(timeout=120)
    assert (child.returncode, errors) == (0, b"")


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("closed", [(1,), (2,), (0, 1, 2)], ids=str)
def test_closed_descriptors_are_no_traceback(
    command: tuple[str, ...], closed: tuple[int, ...], tmp_path: Path
) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(LOG)

    def close() -> None:
        for number in closed:
            os.close(number)

    child = started(*command, str(path), preexec_fn=close, stdout=subprocess.DEVNULL)
    _, errors = child.communicate(timeout=120)
    assert (child.returncode, errors) == (0, b"")


def test_closed_standard_input_is_unreadable() -> None:
    child = started("queue", "-", preexec_fn=lambda: os.close(0), stdout=subprocess.DEVNULL)
    _, errors = child.communicate(timeout=120)
    assert child.returncode == 2
    assert b"Traceback" not in errors and b"-" in errors


WRONG_USE = (
    ("logs", "LOG", "--context", "9" * 20), ("logs", "LOG", "--level", "-1"), ("logs", "LOG", "--since", "soon"),
    ("logs", "LOG", "--filter", "(" * 5000), ("logs", "LOG", "--filter", "/[/"), ("logs", "-", "-"), ("logs",),
    ("queue", "LOG", "--at", "9" * 5000), ("queue", "LOG", "--at", "10:00:61"), ("queue", "LOG/x"),
    ("queue", "n" * 5000), ("pod", "", "LOG"), ("export", "LOG", "--to", ""), ("export", "LOG", "--to", "x.txt"),
    ("export", "LOG", "--to", "/proc/x.jsonl"), ("report", "LOG", "--no-such-option"),
)  # fmt: skip


@pytest.mark.parametrize("words", WRONG_USE, ids=" ".join)
def test_wrong_use_says_what_and_where(words: tuple[str, ...], capfd: pytest.CaptureFixture[str]) -> None:
    log = str(DATA / "v1.36.3-v2-mixed.log")
    assert run([word.replace("LOG", log) for word in words]) == 2
    captured = capfd.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(("schedtui: ", "Usage: "))


@pytest.mark.parametrize("arguments", [("queue", "-"), ("logs", "-"), ("report", "--nodes", "-"), ("export", "-")])
def test_an_interrupt_ends_with_its_own_code_and_leaves_nothing(
    arguments: tuple[str, ...], tmp_path: Path
) -> None:
    target = ("--to", str(tmp_path / "x.jsonl")) if arguments[0] == "export" else ()
    held, holding = os.pipe()
    child = started(
        *arguments, *target, stdin=held, stdout=subprocess.DEVNULL,
        # Whoever runs the tests in the background has them ignore interrupts, and so their children.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    os.close(held)
    # More than a pipe holds: once all is written the child has read some, so it is in the middle of its work.
    os.write(holding, LOG * 2)
    child.send_signal(signal.SIGINT)
    _, errors = child.communicate(timeout=60)
    os.close(holding)
    assert child.returncode == 130
    assert errors.strip() == b"schedtui: interrupted"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("words", [("queue", "--json", "--at", "07:57:20"), ("logs", "--since", "-5m")])
def test_a_pipe_by_name_is_read_once(
    words: tuple[str, ...], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run([*words, str(DATA / "v1.36.3-v4-mixed.log")]) == 0
    sys.stdout.flush()
    whole = capfd.readouterr().out
    os.mkfifo(tmp_path / "pipe")
    child = started(*words, str(tmp_path / "pipe"), stdout=subprocess.PIPE)
    (tmp_path / "pipe").write_bytes(LOG)
    found, errors = child.communicate(timeout=60)
    assert (found.decode(), errors) == (whole, b"")


def test_a_file_that_was_emptied_meanwhile_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(LOG * 5)
    pieces = read_chunks(resolve_inputs([str(path)])[0])
    assert next(pieces)
    path.write_bytes(b"")
    with pytest.raises(UnreadableInput, match="became shorter"):
        list(pieces)
