"""Times the rebuilt queues and the level index, each with the seconds that it may take.

Run: ``python -m tests.bench.queue_time [--megabytes 1024] [--source DIR] [LOG]``; ``tests.bench.compare`` takes
the queue's figures into its table. Nothing here is a test.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.bench.make_log import write_log

Figure = tuple[str, float, float]
"""What, seconds taken, seconds that it may take."""

LIMIT_SECONDS = 30.0
"""What the queues of 1 GiB at V5 may take, by command or behind the panes; smaller logs in proportion."""

JUMP_SECONDS = 0.3
"""What a jump to any place of a log may take once it is folded."""

INDEX_SECONDS = 5.0
"""What building the level index may take on two cores."""

PANE = """
import json, random, resource, sys, threading, time
from pathlib import Path
from schedtui.sources.log_store import LogStore
from schedtui.ui.services.log_facts import Levels
from schedtui.ui.services.log_history import LogHistory
from schedtui.ui.services.queue_watch import QueueWatch
done = threading.Event()
store = LogStore([sys.argv[1]], lambda _state: None)
watch = QueueWatch(lambda _snapshot: None)
levels = Levels(None, Path(sys.argv[2]), lambda _lookup: None)
def take(records):
    watch.take(records)
    levels.observe(records)
store.subscribe_records(take, done.set, LogHistory(store, watch, levels, lambda _message: None))
start = time.perf_counter()
store.start()
done.wait()
taken = time.perf_counter() - start
state, chosen, jumps = store.state(), random.Random(1), []
for _ in range(50):
    record = store.record(chosen.randrange(state.first, state.last))
    begun = time.perf_counter()
    watch.snapshot_at(record)
    jumps.append(time.perf_counter() - begun)
store.close()
print(json.dumps([taken, sorted(jumps), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10]))
"""
"""Reads a log as the screen does, then jumps about in it."""


def check_figures(path: Path) -> list[Figure]:
    """``check`` over a whole log."""
    limit = LIMIT_SECONDS * path.stat().st_size / (1 << 30)
    return [
        ("check, whole log at V5", _timed([sys.executable, "-m", "schedtui", "check", "--json", str(path)]), limit)
    ]


def pane_figures(path: Path) -> tuple[list[Figure], int]:
    """The queue pane over a whole log, jumps in it, and the resident MiB of both."""
    limit = LIMIT_SECONDS * path.stat().st_size / (1 << 30)
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-c", PANE, str(path), folder]
        answer = subprocess.run(command, capture_output=True, check=True).stdout
    taken, jumps, resident = json.loads(answer)
    figures = [
        ("index, then the queue pane current", taken, limit),
        ("the queues at any place, median", jumps[len(jumps) // 2], JUMP_SECONDS),
        ("the queues at any place, worst of 50", jumps[-1], JUMP_SECONDS),
    ]
    return figures, resident


def level_figures(source: Path) -> list[Figure]:
    """The level index of a source tree, built and found again."""
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "XDG_CACHE_HOME": home}
        command = [sys.executable, "-m", "schedtui", "levels", "--src", str(source)]
        built, again = _timed(command, environment), _timed(command, environment)
    return [("level index, built", built, INDEX_SECONDS), ("level index, second start", again, INDEX_SECONDS)]


def _timed(command: list[str], environment: dict[str, str] | None = None) -> float:
    start = time.perf_counter()
    subprocess.run(command, capture_output=True, check=False, env=environment)
    return time.perf_counter() - start


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
        pane, resident = pane_figures(path)
        figures = check_figures(path) + pane
        if arguments.source is not None:
            figures += level_figures(arguments.source)
        print(f"| {path.stat().st_size >> 20} MiB log | schedtui | limit | ratio |\n|---|---|---|---|")
        for what, taken, limit in figures:
            print(f"| {what} | {taken:.2f} s | {limit:.2f} s | {taken / limit:.2f} |")
        print(f"| resident with index and history | {resident} MiB | - | - |")


if __name__ == "__main__":
    main()
