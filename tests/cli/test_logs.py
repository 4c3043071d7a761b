from __future__ import annotations

import gzip
import io
import json
import os
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest

from schedtui.cli import run

DATA = Path(__file__).parents[1] / "data"
TEXT_LOG = str(DATA / "v1.36.3-v4-mixed.log")
JSON_LOG = str(DATA / "v1.36.3-v10-mixed.json.log.gz")

CONTRACT = ("line", "time", "time_guessed", "severity", "v", "v_from", "pid", "file", "src_line", "message",
            "fields", "raw")  # fmt: skip
"""Keys that scripts depend on, in this order."""

LOG = """\
I0301 10:00:01.000000       1 eventhandlers.go:126] "Add event for unscheduled pod" pod="default/web-1"
I0301 10:00:02.000000       1 schedule_one.go:83] "Attempting to schedule pod" pod="default/web-1"
E0301 10:00:03.000000       1 schedule_one.go:1060] "Error scheduling pod; retrying" err=<
\tboom
 > pod="default/web-1"
I0301 10:00:04.000000       1 schedule_one.go:302] "Successfully bound pod to node" pod="default/web-2" node="n1"
I0301 10:00:05.000000       1 x.go:1] "login" password="hunter2" header="Authorization: Bearer abcdef012345"
"""


@pytest.fixture
def log(tmp_path: Path) -> str:
    path = tmp_path / "s.log"
    path.write_text(LOG)
    stamp = (datetime(2026, 3, 2) - datetime(1970, 1, 1)).total_seconds()
    os.utime(path, (stamp, stamp))
    return str(path)


def text_of(capfd: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    assert run(["logs", *arguments]) == code
    sys.stdout.flush()
    return capfd.readouterr().out


def objects_of(capfd: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text_of(capfd, *arguments, "--json").splitlines()]


def lines_of(capfd: pytest.CaptureFixture[str], *arguments: str) -> list[object]:
    return [each["line"] for each in objects_of(capfd, *arguments)]


def test_json_has_the_shape_of_the_contract(capfd: pytest.CaptureFixture[str], log: str) -> None:
    objects = objects_of(capfd, log)
    assert all(tuple(each)[: len(CONTRACT)] == CONTRACT for each in objects)
    assert {key: objects[0][key] for key in CONTRACT} == {
        "line": 1,
        "time": "2026-03-01T10:00:01.000000",
        "time_guessed": ["year"],
        "severity": "I",
        "v": 3,
        "v_from": "message",
        "pid": 1,
        "file": "eventhandlers.go",
        "src_line": 126,
        "message": "Add event for unscheduled pod",
        "fields": {"pod": "default/web-1"},
        "raw": LOG.split("\n")[0],
    }
    assert objects[2]["raw"] == "\n".join(LOG.split("\n")[2:5])
    assert objects[2]["fields"] == {"err": "boom", "pod": "default/web-1"}


def test_text_is_the_log_as_it_stands(capfd: pytest.CaptureFixture[str], log: str) -> None:
    assert text_of(capfd, log) == LOG
    assert text_of(capfd, TEXT_LOG) == Path(TEXT_LOG).read_text()


@pytest.mark.parametrize(
    ("options", "lines"),
    [
        ([], [1, 2, 3, 6, 7]),
        (["--severity", "E"], [3]),
        (["--severity", "warning"], [3]),
        (["--pod", "default/web-1"], [1, 2, 3]),
        (["--pod", "default/web-1", "--pod", "web-2"], [1, 2, 3, 6]),
        (["--node", "n1"], [6]),
        (["--field", "node=n1"], [6]),
        (["--field", "err=boom"], [3]),
        (["--grep", "bound|Attempt"], [2, 6]),
        (["--grep", "BOUND"], []),
        (["--grep", "web", "--grep", "Error"], [3]),
        (["--since", "10:00:03"], [3, 6, 7]),
        (["--until", "10:00:02"], [1, 2]),
        (["--since", "2s"], [3, 6, 7]),
        (["--since", "-2s", "--until", "2026-03-01T10:00:04"], [3, 6]),
        (["--since", "2026-03-01"], [1, 2, 3, 6, 7]),
        (["--filter", "pod:web-1 !severity>=W"], [1, 2]),
        (["--filter", "web-1", "--filter", "-3s"], [2, 3]),
        (["--level", "2"], [3, 6, 7]),
        (["--level", "3"], [1, 2, 3, 6, 7]),
        (["--filter", "v<=2"], [6]),
    ],
)
def test_options_select(capfd: pytest.CaptureFixture[str], log: str, options: list[str], lines: list[int]) -> None:
    assert lines_of(capfd, log, *options) == lines


def test_levels_of_json_logs_are_exact(capfd: pytest.CaptureFixture[str]) -> None:
    objects = objects_of(capfd, JSON_LOG, "--level", "2")
    entries = [json.loads(line) for line in gzip.decompress(Path(JSON_LOG).read_bytes()).splitlines()]
    expected = [number for number, entry in enumerate(entries, start=1) if entry.get("v", 0) <= 2]
    assert [each["line"] for each in objects] == expected
    assert {each["v_from"] for each in objects if each["v"] is not None} == {"json"}
    assert all(each["v"] is not None or each["severity"] == "E" for each in objects)


def test_context_lines_stand_around_matches(capfd: pytest.CaptureFixture[str], log: str) -> None:
    objects = objects_of(capfd, log, "--pod", "web-2", "--context", "1")
    assert [(each["line"], each["match"]) for each in objects] == [(3, False), (6, True), (7, False)]
    shown = text_of(capfd, log, "--grep", "Add event|login", "--context", "1")
    assert shown.split("\n")[2] == "--"
    assert "--" not in text_of(capfd, log, "--grep", "Add event|bound", "--context", "1").split("\n")


def test_secrets_are_masked_when_asked(capfd: pytest.CaptureFixture[str], log: str) -> None:
    (masked,) = objects_of(capfd, log, "--grep", "login", "--mask")
    assert masked["fields"] == {"password": "***", "header": "Authorization: Bearer ***"}
    assert "hunter2" not in json.dumps(masked)
    assert "hunter2" not in text_of(capfd, log, "--mask")
    (plain,) = objects_of(capfd, log, "--grep", "login")
    assert plain["fields"] == {"password": "hunter2", "header": "Authorization: Bearer abcdef012345"}


def test_several_files_are_merged_and_named(capfd: pytest.CaptureFixture[str], log: str, tmp_path: Path) -> None:
    other = tmp_path / "other.log"
    other.write_text("2026-03-01T10:00:02.5Z stderr F " + LOG.split("\n")[1].replace(":02.0", ":02.5") + "\n")
    objects = objects_of(capfd, log, str(other))
    assert [(each["input"], each["line"]) for each in objects[:4]] == [
        (log, 1), (log, 2), (str(other), 1), (log, 3),
    ]  # fmt: skip


def test_standard_input(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    class Stream:
        buffer = io.BufferedReader(io.BytesIO(LOG.encode()))

    monkeypatch.setattr(sys, "stdin", Stream())
    assert lines_of(capfd, "-", "--since", "1s") == [6, 7]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "FILE"),
        (["missing.log"], "no such file: missing.log"),
        (["."], "directory"),
        (["LOG", "--filter", "a |"], "character 3"),
        (["LOG", "--grep", "("], "--grep ("),
        (["LOG", "--severity", "Q"], "--severity"),
        (["LOG", "--field", "novalue"], "KEY=VALUE"),
        (["LOG", "--since", "soon"], "no time"),
        (["LOG", "--level", "x"], "--level"),
        (["LOG", "--nonsense"], "--nonsense"),
        (["-", "-"], "only once"),
    ],
)
def test_wrong_use_is_told_and_ends_with_2(
    capfd: pytest.CaptureFixture[str], log: str, arguments: list[str], words: str
) -> None:
    assert run(["logs", *(log if argument == "LOG" else argument for argument in arguments)]) == 2
    captured = capfd.readouterr()
    assert captured.out == ""
    assert words in captured.err
    assert "Traceback" not in captured.err


def test_no_match_is_no_error(capfd: pytest.CaptureFixture[str], log: str) -> None:
    assert text_of(capfd, log, "--pod", "none/none") == ""


def test_a_reader_that_goes_away_ends_it_quietly(log: str) -> None:
    command = f"{sys.executable} -m schedtui logs {TEXT_LOG} {JSON_LOG} --json | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert json.loads(done.stdout)["line"] == 1


def test_live_input_is_not_held_back(log: str) -> None:
    """A pipe that stays open: what came is printed while the command waits for more."""
    environment = dict(os.environ, PYTHONUNBUFFERED="")
    with subprocess.Popen(
        [sys.executable, "-m", "schedtui", "logs", "-"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment,
    ) as child:  # fmt: skip
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write(LOG.encode())
        child.stdin.flush()
        assert child.stdout.readline().decode() == LOG.split("\n")[0] + "\n"
        child.stdin.close()
        assert child.stdout.read().decode().startswith(LOG.split("\n")[1])
    assert child.returncode == 0


def test_help_tells_language_and_exit_codes(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["logs", "--help"]) == 0
    shown = capfd.readouterr().out
    for words in ("Exit code", "pod:ns/name", "severity>=W", "-5m", "--mask", "--context"):
        assert words in shown


def test_the_screen_is_not_loaded() -> None:
    program = (
        "import sys; from schedtui.cli import run; run(['logs', sys.argv[1]]); "
        "sys.exit(any(name.split('.')[0] in ('textual', 'rich', 'numpy') for name in sys.modules))"
    )
    assert (
        subprocess.run(
            [sys.executable, "-c", program, TEXT_LOG], stdout=subprocess.DEVNULL, check=False
        ).returncode
        == 0
    )


@pytest.mark.parametrize(
    ("arguments", "where"),
    [
        (["--pod", ""], "--pod"), (["--pod", "default/"], "--pod"), (["--pod", "/web-1"], "--pod"),
        (["--node", " "], "--node"), (["--grep", ""], "--grep"), (["--field", "=x"], "--field"),
    ],
)  # fmt: skip
def test_an_empty_option_is_wrong_use_and_no_empty_answer(
    capfd: pytest.CaptureFixture[str], log: str, arguments: list[str], where: str
) -> None:
    """``--pod "$POD"`` with a variable that is not set."""
    assert run(["logs", *arguments, log]) == 2
    captured = capfd.readouterr()
    assert captured.out == ""
    assert where in captured.err
