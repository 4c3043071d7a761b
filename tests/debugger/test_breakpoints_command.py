from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from schedtui.cli import run

if TYPE_CHECKING:
    from pathlib import Path

KEYS = {"name", "documented", "location", "file", "line", "moved", "status", "condition"}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    files = {
        "go.mod": "module k8s.io/kubernetes\n\ngo 1.26.0\n",
        "pkg/scheduler/scheduler.go": "package scheduler\n",
        "pkg/scheduler/schedule_one.go": (
            "package scheduler\n\nfunc (sched *Scheduler) ScheduleOne(ctx context.Context) {\n}\n"
        ),
        "pkg/scheduler/backend/queue/scheduling_queue.go": (
            "package queue\n\nfunc (p *PriorityQueue) Pop(logger klog.Logger) error {\n\treturn nil\n}\n"
        ),
        "cmd/kube-scheduler/scheduler.go": "package main\n\nfunc main() {}\n",
    }
    for name, text in files.items():
        path = tmp_path / "kubernetes" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "kubernetes"


def test_json_has_the_contracts_keys(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["breakpoints", "--src", str(tree), "--json"]) == 0
    documents = json.loads(capsys.readouterr().out)
    assert all(set(document) >= KEYS for document in documents)
    by_name = {document["name"]: document for document in documents}
    one = by_name["ScheduleOne"]
    assert one["location"] == "scheduler.(*Scheduler).ScheduleOne"
    assert (one["file"], one["line"], one["status"]) == ("pkg/scheduler/schedule_one.go", 3, "moved")
    assert by_name["Bind"]["status"] == "missing"
    assert by_name["Bind"]["location"] is None


def test_text_names_what_dlv_takes_and_why_it_moved(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["breakpoints", "--src", str(tree)]) == 0
    text = capsys.readouterr().out
    assert "break queue.(*PriorityQueue).Pop" in text
    assert "documented as  pkg/scheduler/internal/queue/scheduling_queue.go:Pop" in text
    assert "it lives in pkg/scheduler/backend/queue, not in pkg/scheduler/internal/queue" in text


def test_no_tree_is_wrong_use(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["breakpoints", "--src", str(tmp_path)]) == 2
    assert "schedtui: " in capsys.readouterr().err


def test_a_documented_breakpoint_that_is_missing_shows_in_the_exit_code(tree: Path) -> None:
    (tree / "pkg/scheduler/backend/queue/scheduling_queue.go").write_text("package queue\n")
    assert run(["breakpoints", "--src", str(tree), "--json"]) == 1
