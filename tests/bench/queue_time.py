"""Times the rebuilt queues and the level index: seconds beside their limits, as rows of ``tests.bench.compare``.

Run: ``python -m tests.bench.queue_time [--megabytes 1024] [--source DIR] [LOG]``. Nothing here is a test.
"""

from __future__ import annotations

import argparse
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from schedtui.core.queue_dump import QueueDump
from schedtui.core.queue_history import QueueHistory
from schedtui.core.queue_model import QueueModel
from schedtui.sources.inputs import resolve_inputs
from schedtui.sources.parallel import read_facts
from tests.bench.make_log import write_log

Row = tuple[str, str, str, str]
"""What, ours, the limit, their ratio."""

LIMIT_SECONDS = 30.0
"""What ``queue`` and ``check`` of 1 GiB at V5 may take; smaller logs in proportion."""

JUMP_SECONDS = 0.3
"""What a jump to any place of a log may take once it is folded."""

INDEX_SECONDS = 5.0
"""What building the level index may take on two cores."""

JUMPS = 50


def queue_rows(path: Path) -> list[Row]:
    """``queue``, ``check``, jumps in time, and what they keep in memory."""
    limit = LIMIT_SECONDS * path.stat().st_size / (1 << 30)
    rows: list[Row] = []
    for command in ("queue", "check"):
        taken, _ = _timed([sys.executable, "-m", "schedtui", command, "--json", str(path)])
        rows.append(_row(f"{command}, whole log at V5", taken, limit))
    return rows + _jumps(path)


def _jumps(path: Path) -> list[Row]:
    model, history = QueueModel(), QueueHistory(QueueModel())
    last = 0
    for fact in read_facts(resolve_inputs([str(path)])[0]):
        if not isinstance(fact, QueueDump):
            model.apply_event(fact)
            history.add(fact, model)
            last = fact.line
    chosen = random.Random(1)
    times: list[float] = []
    for _ in range(JUMPS):
        line = chosen.randrange(1, last)
        start = time.perf_counter()
        history.before_line(line).to_line(line).snapshot()
        times.append(time.perf_counter() - start)
    times.sort()
    resident = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    return [
        _row("the queues at any place, median", times[JUMPS // 2], JUMP_SECONDS),
        _row("the queues at any place, worst of 50", times[-1], JUMP_SECONDS),
        ("resident with the whole history", f"{resident} MiB", "-", "-"),
    ]


def level_rows(source: Path) -> list[Row]:
    """The level index of a source tree, built and found again."""
    with tempfile.TemporaryDirectory() as home:
        command = [
            "env",
            f"XDG_CACHE_HOME={home}",
            sys.executable,
            "-m",
            "schedtui",
            "levels",
            "--src",
            str(source),
        ]
        built, _ = _timed(command)
        again, _ = _timed(command)
    return [
        _row("level index, built", built, INDEX_SECONDS),
        _row("level index, second start", again, INDEX_SECONDS),
    ]


def _timed(command: list[str]) -> tuple[float, int]:
    start = time.perf_counter()
    status = subprocess.run(command, capture_output=True, check=False).returncode
    return time.perf_counter() - start, status


def _row(what: str, taken: float, limit: float) -> Row:
    return what, f"{taken:.2f} s", f"{limit:.2f} s", f"{taken / limit:.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("log", nargs="?", type=Path)
    parser.add_argument("--megabytes", type=int, default=1024)
    parser.add_argument("--source", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = arguments.log
        if path is None:
            path = Path(folder) / "bench.log"
            write_log(path, arguments.megabytes)
        rows = queue_rows(path)
        if arguments.source is not None:
            rows += level_rows(arguments.source)
        print(f"| {path.stat().st_size >> 20} MiB log | schedtui | limit | ratio |\n|---|---|---|---|")
        for row in rows:
            print("| " + " | ".join(row) + " |")


if __name__ == "__main__":
    main()
