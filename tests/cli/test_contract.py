"""The JSON shapes that scripts depend on, key by key, on every real log."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from schedtui.cli import run

if TYPE_CHECKING:
    from typing import Any

DATA = Path(__file__).parents[1] / "data"
LOGS = sorted(
    path for path in DATA.iterdir() if path.name.endswith((".log", ".log.gz")) and path.stat().st_size < 2e5
)
STATES = [
    "active",
    "backoff",
    "unschedulable",
    "gated",
    "in_flight",
    "waiting",
    "binding",
    "bound",
    "gone",
    "unknown",
]
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\Z")
TEXT, NUMBER, NONE = str, int, type(None)

Shape = dict[str, tuple[type, ...]]

RECORD: Shape = {
    "line": (NUMBER,), "time": (TEXT, NONE), "time_guessed": (list,), "severity": (TEXT, NONE),
    "v": (NUMBER, NONE), "v_from": (TEXT, NONE), "pid": (NUMBER, NONE),
    "file": (TEXT, NONE), "src_line": (NUMBER, NONE),
    "message": (TEXT,), "fields": (dict,), "raw": (TEXT,), "wrapper_time": (TEXT, NONE),
}  # fmt: skip
QUEUE: Shape = {
    "release": (TEXT, NONE), "line": (NUMBER,), "time": (TEXT, NONE), "counts": (dict,), "pods": (list,),
    "needs": (TEXT,),
}  # fmt: skip
POD: Shape = {
    "pod": (TEXT,), "state": (TEXT,), "since": (TEXT, NONE), "attempts": (NUMBER,), "certain": (bool,),
    "reason": (TEXT, NONE), "plugins": (list,),
}  # fmt: skip
CHECK: Shape = {"dumps": (list,), "equal": (NUMBER,), "total": (NUMBER,), "rows": (NUMBER,), "certain": (NUMBER,)}
DUMP: Shape = {
    "line": (NUMBER,), "dump": (dict,), "model": (dict,), "rows": (NUMBER,), "certain": (NUMBER,),
    "missing": (list,), "extra": (list,), "misplaced": (list,), "race": (list,), "uncertain": (list,),
}  # fmt: skip
REPORT: Shape = {
    "nodes": (dict,), "bound": (NUMBER,), "failures": (dict,), "reasons": (dict,), "attempts": (NUMBER,),
    "wait_seconds": (dict,),
}  # fmt: skip


def fits(document: dict[str, Any], shape: Shape) -> None:
    for key, kinds in shape.items():
        assert key in document, key
        # A truth value is no number, though Python takes it for one.
        assert type(document[key]) in kinds, (key, document[key])
    for key in ("time", "since"):
        if key in shape and document[key] is not None:
            assert TIME.match(document[key])


def output(capfd: pytest.CaptureFixture[str], *arguments: str) -> str:
    code = run([*arguments, "--json"])
    sys.stdout.flush()
    captured = capfd.readouterr()
    assert (code, captured.err) == (0, "")
    return captured.out


@pytest.mark.parametrize("log", LOGS, ids=lambda path: path.name)
def test_records(log: Path, capfd: pytest.CaptureFixture[str]) -> None:
    line = 0
    for text in output(capfd, "logs", str(log)).split("\n")[:-1]:
        record = json.loads(text)
        fits(record, RECORD)
        assert record["line"] > line
        line = record["line"]
        assert record["severity"] in (None, "I", "W", "E", "F")
        assert record["v_from"] in (None, "json", "source", "message")
        assert set(record["time_guessed"]) <= {"year"}
        if ".json." in log.name and record["severity"] == "I":
            assert record["v_from"] == "json"
            assert record["v"] is not None
        if isinstance(record["fields"].get("pod"), str) and record["fields"]["pod"]:
            assert "/" in record["fields"]["pod"] or record["message"].startswith("HTTP")


@pytest.mark.parametrize("log", LOGS, ids=lambda path: path.name)
def test_queues(log: Path, capfd: pytest.CaptureFixture[str]) -> None:
    document = json.loads(output(capfd, "queue", str(log)))
    fits(document, QUEUE)
    assert list(document["counts"]) == STATES
    assert document["release"] == ".".join(log.name[1:].split(".")[:2]) or "v0-" in log.name or "v2-" in log.name
    for pod in document["pods"]:
        fits(pod, POD)
        assert pod["state"] in STATES
        assert pod["state"] not in ("bound", "gone")
    shown = dict.fromkeys(STATES, 0) | {
        "bound": document["counts"]["bound"],
        "gone": document["counts"]["gone"],
    }
    for pod in document["pods"]:
        # A pod group is a row and no pod.
        shown[pod["state"]] += pod["kind"] == "pod"
    assert shown == document["counts"]


@pytest.mark.parametrize("log", LOGS, ids=lambda path: path.name)
def test_checks(log: Path, capfd: pytest.CaptureFixture[str]) -> None:
    document = json.loads(output(capfd, "check", str(log)))
    fits(document, CHECK)
    for dump in document["dumps"]:
        fits(dump, DUMP)
        for counts in (dump["dump"], dump["model"]):
            assert list(counts)[:3] == ["active", "backoff", "unschedulable"]
            assert set(list(counts)[3:]) <= {"pending", "incomplete"}
        for kind in ("missing", "extra", "misplaced", "race", "uncertain"):
            assert all({"pod", "dump", "model"} <= set(each) for each in dump[kind])
    assert document["total"] == document["equal"] == len(document["dumps"])
    assert document["rows"] == sum(dump["rows"] for dump in document["dumps"])


@pytest.mark.parametrize("log", LOGS, ids=lambda path: path.name)
def test_reports(log: Path, capfd: pytest.CaptureFixture[str]) -> None:
    document = json.loads(output(capfd, "report", str(log)))
    fits(document, REPORT)
    assert {"p50", "p90", "p99", "max"} <= set(document["wait_seconds"])
    assert document["bound"] == sum(node["bound"] for node in document["nodes"].values())
    quick = json.loads(output(capfd, "report", "--nodes", str(log)))
    assert quick["bound"] == document["bound"]
    assert {name: node["bound"] for name, node in quick["nodes"].items()} == {
        name: node["bound"] for name, node in document["nodes"].items() if node["bound"]
    }
