"""``queue``, ``check``, ``report``, ``pod`` and ``export`` as a user types them."""

from __future__ import annotations

import gzip
import io
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet
import pytest

from schedtui.cli import run
from schedtui.core.queue_state import POD_STATES
from tests.listing import below

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

DATA = Path(__file__).parents[1] / "data"
CHURN = str(DATA / "v1.36.3-v5-churn7.log.gz")
MIXED = str(DATA / "v1.36.3-v4-mixed.log")
QUEUE_KEYS = {"release", "line", "time", "counts", "pods", "needs"}
POD_KEYS = {"pod", "state", "since", "attempts", "certain", "reason", "plugins"}
DUMP_KEYS = {"line", "dump", "model", "rows", "certain", "missing", "extra", "misplaced", "race", "uncertain"}


def json_of(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> dict[str, Any]:
    assert run([*arguments, "--json"]) == code
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return document


def test_queue_has_the_shape_of_the_contract(capsys: pytest.CaptureFixture[str]) -> None:
    document = json_of(capsys, "queue", CHURN)
    assert set(document) >= QUEUE_KEYS
    assert tuple(document["counts"]) == POD_STATES
    assert document["release"] == "1.36"
    assert document["needs"] == "exact"
    assert document["line"] == 11997
    assert all(set(pod) >= POD_KEYS for pod in document["pods"])
    assert {pod["state"] for pod in document["pods"]}.isdisjoint({"bound", "gone"})
    everything = json_of(capsys, "queue", CHURN, "--all")
    assert len(everything["pods"]) == sum(everything["counts"].values())


def test_queue_at_a_line_and_at_a_time(capsys: pytest.CaptureFixture[str]) -> None:
    at_line = json_of(capsys, "queue", CHURN, "--at", "5000")
    assert at_line["line"] == 5000
    assert at_line["counts"]["unschedulable"] == 12
    at_time = json_of(capsys, "queue", CHURN, "--at", "08:15:45")
    assert at_time["time"] <= "2026-11-30T08:15:45" or at_time["time"][5:] <= "11-30T08:15:45"
    assert at_time["counts"] == json_of(capsys, "queue", CHURN, "--at", str(at_time["line"]))["counts"]
    assert json_of(capsys, "queue", CHURN, "--at", "999999")["line"] == 11997


@pytest.mark.parametrize("at", ["0", "yesterday", ""])
def test_queue_at_nonsense(at: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["queue", CHURN, "--at", at]) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_queue_reads_standard_input(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(Path(CHURN).read_bytes())))
    assert json_of(capsys, "queue", "-")["counts"] == json_of(capsys, "queue", CHURN)["counts"]


def test_a_file_cut_in_two_is_one_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = gzip.decompress(Path(CHURN).read_bytes())
    cut = data.index(b"\nI1130", len(data) // 2) + 1
    (tmp_path / "a.log").write_bytes(data[:cut])
    (tmp_path / "b.log").write_bytes(data[cut:])
    document = json_of(capsys, "queue", str(tmp_path / "a.log"), str(tmp_path / "b.log"))
    assert document["counts"] == json_of(capsys, "queue", CHURN)["counts"]
    assert run(["queue", str(tmp_path / "a.log"), str(tmp_path / "b.log"), "--at", "5"]) == 2


def test_queue_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["queue", MIXED]) == 0
    text = capsys.readouterr().out
    assert "default/vip-0" in text
    assert "--vmodule=" in text


def test_check_has_the_shape_of_the_contract(capsys: pytest.CaptureFixture[str]) -> None:
    document = json_of(capsys, "check", CHURN)
    assert set(document) >= {"dumps", "equal", "total", "rows", "certain"}
    assert document["equal"] == document["total"] == 23
    assert document["rows"] == document["certain"] == 303
    assert all(set(dump) >= DUMP_KEYS for dump in document["dumps"])


def test_check_finds_a_difference(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = gzip.decompress(Path(CHURN).read_bytes())
    whole = b"backoffQ:0; unschedulablePods:13"
    wrong = data.replace(whole, b"backoffQ:1; unschedulablePods:12", 1)
    assert wrong != data
    (tmp_path / "wrong.log").write_bytes(wrong)
    document = json_of(capsys, "check", str(tmp_path / "wrong.log"), code=1)
    (difference,) = [each for dump in document["dumps"] for each in dump["misplaced"]]
    assert (difference["dump"], difference["model"]) == ("backoff", "unschedulable")
    assert run(["check", str(tmp_path / "wrong.log")]) == 1
    assert "misplaced" in capsys.readouterr().out


def test_check_without_a_dump(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.log").write_text("nothing of the kind\n")
    assert json_of(capsys, "check", str(tmp_path / "a.log"))["total"] == 0
    assert run(["check", str(tmp_path / "missing.log")]) == 2
    assert "missing.log" in capsys.readouterr().err


def test_report(capsys: pytest.CaptureFixture[str]) -> None:
    document = json_of(capsys, "report", CHURN)
    assert document["bound"] == sum(node["bound"] for node in document["nodes"].values()) == 126
    assert document["attempts"] == 364
    assert document["failures"]["NodeResourcesFit"] == 149
    assert set(document["wait_seconds"]) >= {"p50", "p90", "p99", "max"}
    nodes = json_of(capsys, "report", CHURN, "--nodes")
    assert nodes["bound"] == 126
    assert {name: node["bound"] for name, node in nodes["nodes"].items()} == {
        name: node["bound"] for name, node in document["nodes"].items()
    }
    assert run(["report", CHURN]) == 0
    shown = capsys.readouterr().out
    assert "SLOWEST POD" in shown
    assert "DURATION" in shown and "SECONDS" not in shown
    assert run(["report", CHURN, "--nodes"]) == 0
    assert "feasibleNodes" in capsys.readouterr().out


def test_report_after_a_gap_says_at_least(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "journal.log"
    bound = (
        "Feb 14 19:59:5{0} box kube-scheduler[9]: I0214 19:59:5{0}.000001       9 schedule_one.go:302]"
        ' "Successfully bound pod to node" pod="a/p{0}" node="n1" evaluatedNodes=1 feasibleNodes=1\n'
    )
    gap = "Feb 14 19:59:55 box systemd-journald[275]: Suppressed 170 messages from kube-scheduler.service\n"
    log.write_text(bound.format(1) + gap + bound.format(6))
    assert run(["report", str(log)]) == 0
    text = capsys.readouterr().out
    assert "at least 2 bindings, at least 2 attempts" in text
    assert "BOUND AT LEAST" in text
    assert json_of(capsys, "report", str(log))["lines_lost"] is True


def test_a_stalled_scheduler_is_told_once(capsys: pytest.CaptureFixture[str]) -> None:
    log = str(DATA / "v1.37.2-v5-stalled.log.gz")
    assert run(["queue", log]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "58 pods have entered activeQ, and none was ever tried: an informer keeps failing" in lines[2]
    assert sum("an informer keeps failing" in line for line in lines) == 2
    assert max(len(line) for line in lines if line.startswith(("default/", "kube-system/"))) < 140


def test_members_outside_the_queues_say_where_they_wait(capsys: pytest.CaptureFixture[str]) -> None:
    log = str(DATA / "v1.37.2-v5-gang5.log.gz")
    dumps = json_of(capsys, "check", log)["dumps"]
    line = next(dump["line"] for dump in dumps if dump["dump"].get("incomplete"))
    assert run(["queue", log, "--at", str(line)]) == 0
    assert "gated (incomplete group)" in capsys.readouterr().out


def test_report_nodes_loads_no_numpy() -> None:
    code = (
        "import sys; from schedtui.cli import run; run(['report', '--nodes', sys.argv[1]]);"
        " sys.exit('numpy' in sys.modules or 'textual' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code, MIXED], capture_output=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr.decode()


def test_pod(capsys: pytest.CaptureFixture[str]) -> None:
    document = json_of(capsys, "pod", "fat-11", MIXED)
    assert document["pod"] == "default/fat-11"
    assert document["state"] == "unschedulable"
    attempts = document["lives"][0]["attempts"]
    assert attempts[-1]["reasons"]["Insufficient cpu"] == 5
    assert document["why"]
    assert run(["pod", "default/fat-11", MIXED, "--against", "default/web-1"]) == 0
    assert "Insufficient cpu" in capsys.readouterr().out
    assert run(["pod", "default/nobody", MIXED]) == 1
    assert run(["pod", "/", MIXED]) == 2


def test_export_to_each_kind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = tmp_path / "all.jsonl"
    assert run(["export", MIXED, "--to", str(lines)]) == 0
    kinds = [json.loads(line)["row"] for line in lines.read_text().splitlines()]
    assert set(kinds) == {"record", "event", "pod"}
    table = tmp_path / "all.parquet"
    assert run(["export", MIXED, "--to", str(table)]) == 0
    assert sorted(pyarrow.parquet.read_table(table)["row"].to_pylist()) == sorted(kinds)
    folder = tmp_path / "folder"
    assert run(["export", MIXED, "--to", str(folder)]) == 0
    assert folder.stat().st_mode & 0o777 == 0o700
    assert sorted(path.name for path in folder.iterdir()) == [
        "component-config.yaml",
        "events.jsonl",
        "flags.txt",
        "pods.jsonl",
        "queue.json",
        "records.jsonl",
        "report.md",
        "versions.txt",
    ]
    assert json.loads((folder / "queue.json").read_text())["counts"]["unschedulable"] >= 0
    assert "kind: KubeSchedulerConfiguration" in (folder / "component-config.yaml").read_text()
    assert len((folder / "records.jsonl").read_text().splitlines()) == kinds.count("record")
    words = tmp_path / "log.md"
    assert run(["export", MIXED, "--to", str(words)]) == 0
    assert "### default/fat-11" in words.read_text()
    # Each figure has its own unit.
    assert "| duration | p50 | p90 | p99 | max |" in words.read_text()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["all.jsonl", "all.parquet", "folder", "log.md"]
    capsys.readouterr()


def test_export_masks_and_leaves_nothing_half(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "a.log"
    log.write_text(
        'I0301 10:00:00.000001       1 x.go:1] "Request" headers="Authorization: Bearer abcdefghijklmnop"\n'
        'E0301 10:00:00.000002       1 schedule_one.go:1] "Error scheduling pod; retrying" pod="a/b"'
        ' err="DB_PASSWORD=hunter2-example"\n'
    )
    assert run(["export", str(log), "--to", str(tmp_path / "out.jsonl")]) == 0
    text = (tmp_path / "out.jsonl").read_text()
    assert "abcdefghijklmnop" not in text
    assert "hunter2-example" not in text
    assert run(["export", str(log), "--to", str(tmp_path / "out.txt")]) == 2
    assert run(["export", str(log), "--to", str(log)]) == 2
    broken = tmp_path / "broken.log.gz"
    broken.write_bytes(gzip.compress(log.read_bytes() * 500)[:-200])
    for target in ("x.jsonl", "x.md", "x.parquet", "x"):
        assert run(["export", str(broken), "--to", str(tmp_path / target)]) == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.log", "broken.log.gz", "out.jsonl"]
    capsys.readouterr()


def test_a_large_file_is_read_by_several_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from schedtui.sources import inputs, parallel

    log = tmp_path / "churn.log"
    log.write_bytes(gzip.decompress(Path(CHURN).read_bytes()))
    (named,) = inputs.resolve_inputs([str(log)])
    whole = list(parallel.read_facts(named))
    monkeypatch.setattr(parallel, "WORTH_IT_BYTES", 1)
    monkeypatch.setattr(parallel, "RANGE_BYTES", 100_000)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    assert list(parallel.read_facts(named)) == whole


@pytest.mark.parametrize("target", ["out", "out.jsonl", "out.md", "new/and/deep", "new/and/deep.md"])
def test_a_killed_export_leaves_nothing(target: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "schedtui", "export", "-", "--to", str(tmp_path / target)]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as export:
        try:
            until(lambda: any(path.name.startswith(".") for path in below(tmp_path)))
        finally:
            export.kill()
    until(lambda: not any(tmp_path.iterdir()))


def test_a_killed_export_spares_what_others_put_into_its_directory(tmp_path: Path) -> None:
    target = tmp_path / "new" / "out"
    command = [sys.executable, "-m", "schedtui", "export", "-", "--to", str(target)]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as export:
        try:
            until(lambda: any(path.name.startswith(".report.md") for path in below(tmp_path)))
            (target / "mine.txt").write_text("kept")
        finally:
            export.kill()
    until(lambda: [path.name for path in target.iterdir()] == ["mine.txt"])


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.parametrize("command", ["queue", "report", "check"])
def test_a_file_that_was_named_by_mistake_is_doubted(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([command, sys.executable]) == 0
    assert f"{Path(sys.executable).name} is hardly a scheduler's log: it is a program." in capsys.readouterr().err
    assert run([command, MIXED]) == 0
    assert capsys.readouterr().err == ""
