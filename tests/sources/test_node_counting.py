from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from schedtui.core.node_counts import count_nodes
from schedtui.sources import node_counting
from schedtui.sources.inputs import resolve_inputs
from schedtui.sources.node_counting import count_bindings, count_range
from tests.core.test_node_counts import PARTS, TRAP
from tests.sources.real_logs import real_log

if TYPE_CHECKING:
    from pathlib import Path


def test_ranges_count_what_the_whole_counts(tmp_path: Path) -> None:
    path = tmp_path / "several.log"
    path.write_bytes(real_log("v1.36.3-v5-churn7.log") + "".join(PARTS).encode() * 50)
    data = path.read_bytes()
    whole = count_nodes([[data]])
    for parts in (2, 3, 7):
        assert node_counting._count_ranges(str(path), node_counting._ranges(str(path), len(data), parts)) == whole


@pytest.mark.parametrize("cut", range(1, 6))
def test_a_cut_within_a_block_of_lines_counts_no_line_of_it(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "trap.log"
    path.write_text(TRAP)
    lines = TRAP.splitlines(keepends=True)
    place = len("".join(lines[:cut]).encode())
    assert count_range(str(path), 0, place) == count_range(str(path), place, None) == {}


def test_large_files_are_counted_by_several_processes_that_are_gone_afterwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(node_counting, "WORTH_IT_BYTES", 10_000)
    monkeypatch.setattr("os.sched_getaffinity", lambda _: range(4))
    path = tmp_path / "large.log"
    path.write_bytes(real_log("v1.36.3-v5-churn7.log"))
    # A process with threads does not fork: the counting runs alone, as on the command line.
    script = (
        "import os, sys; from schedtui.sources import node_counting; from schedtui.sources.inputs import *\n"
        "node_counting.WORTH_IT_BYTES = 10_000; os.sched_getaffinity = lambda _: range(4)\n"
        "forked = []; fork = os.fork\n"
        "def counted():\n    pid = fork(); forked.append(pid); return pid\n"
        "os.fork = counted\n"
        "print(sum(node_counting.count_bindings(resolve_inputs(sys.argv[1:]), []).values()), len(forked))\n"
        "try:\n    os.waitpid(-1, 0)\nexcept ChildProcessError:\n    print('none left')\n"
    )
    done = subprocess.run([sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:2] == ["126 3", "none left"]


def test_a_process_that_dies_is_counted_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "some.log"
    data = "".join(PARTS).encode() * 20
    path.write_bytes(data)
    mine = os.getpid()
    count = node_counting.count_range

    def dying(name: str, start: int, end: int | None) -> dict[str, int]:
        if os.getpid() != mine:
            os._exit(3)
        return count(name, start, end)

    monkeypatch.setattr(node_counting, "count_range", dying)
    ranges = node_counting._ranges(str(path), len(data), 3)
    assert node_counting._count_ranges(str(path), ranges) == count_nodes([[data]])


def test_small_files_and_archives_are_counted_here(tmp_path: Path) -> None:
    path = tmp_path / "small.log"
    path.write_text("".join(PARTS))
    assert count_bindings(resolve_inputs([str(path)]), []) == {"node-a": 2, "node-b": 1}
