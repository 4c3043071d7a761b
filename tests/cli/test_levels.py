"""``schedtui levels``: the contract's JSON, the text, the exit codes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from schedtui.cli import run
from tests.toolchain.go_trees import make_kubernetes

if TYPE_CHECKING:
    from pathlib import Path

TEXT = """I0301 10:00:00.000001       1 flags.go:65] FLAG: --v="5"
I0301 10:00:01.000001       1 scheduler.go:14] "Attempting to schedule pod" pod="default/web-0"
I0301 10:00:01.000002       1 scheduling_queue.go:6] "Pod popped" pod="default/web-0"
I0301 10:00:01.000003       1 foreign.go:7] "of a file that the source has not"
E0301 10:00:01.000004       1 scheduler.go:14] "an error has no level"
"""


def json_line(caller: str, message: str, v: int) -> str:
    return json.dumps({"ts": 1772359200000.1, "caller": caller, "msg": message, "v": v}) + "\n"


@pytest.fixture
def tree(tmp_path: Path, fresh_home: Path) -> Path:
    assert fresh_home.is_dir()
    return make_kubernetes(tmp_path / "kubernetes")


def levels(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, dict[str, object]]:
    code = run(["levels", "--json", *map(str, arguments)])
    return code, json.loads(capsys.readouterr().out)


def test_without_a_log_the_index_is_described(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, document = levels(capsys, "--src", tree)
    assert (code, document["call_sites"], document["files"], document["log"]) == (0, 2, 3, None)


def test_a_text_log_is_counted(tree: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "a.log"
    log.write_text(TEXT)
    code, document = levels(capsys, "--src", tree, log)
    counted = document["log"]
    assert isinstance(counted, dict)
    assert code == 0
    assert {key: counted[key] for key in ("lines", "inferred", "unknown", "agree", "disagree", "verbosity")} == {
        "lines": 4, "inferred": 2, "unknown": 2, "agree": None, "disagree": None, "verbosity": 5,
    }  # fmt: skip


def test_a_json_log_is_compared_and_a_difference_is_an_exit_code(
    tree: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "a.json.log"
    right = json_line("scheduler/scheduler.go:14", "Attempting to schedule pod", 3)
    log.write_text(right + json_line("queue/scheduling_queue.go:6", "Pod popped", 5))
    code, document = levels(capsys, "--src", tree, log)
    assert (code, document["log"]["agree"], document["log"]["disagree"]) == (0, 2, 0)  # type: ignore[index]
    log.write_text(right + json_line("queue/scheduling_queue.go:6", "Pod popped", 4))
    code, document = levels(capsys, "--src", tree, log)
    assert (code, document["log"]["agree"], document["log"]["disagree"]) == (1, 1, 1)  # type: ignore[index]


def test_an_edited_file_is_named_and_an_exit_code(
    tree: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "a.log"
    log.write_text(TEXT.replace("scheduler.go:14", "scheduler.go:15"))
    assert run(["levels", "--src", str(tree), str(log)]) == 1
    assert "scheduler.go: the source differs" in capsys.readouterr().out


def test_the_text_names_levels_and_advice(tree: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "a.log"
    log.write_text(TEXT)
    assert run(["levels", "--src", str(tree), str(log), "--show", "popped", "--sites"]) == 0
    out = capsys.readouterr().out
    assert "2 log calls in 3 files" in out
    assert "--v=0 --vmodule=scheduling_queue=5" in out
    assert "scheduler.(*Scheduler).ScheduleOne" in out


def test_wrong_use_is_told_without_a_traceback(
    tree: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["levels", "--src", str(tmp_path / "none")]) == 2
    assert "schedtui source get" in capsys.readouterr().err
    assert run(["levels", "--src", str(tree), str(tmp_path / "none.log")]) == 2
    assert run(["levels"]) == 2
