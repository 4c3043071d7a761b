"""Compares the log side with its peers, each pair in one run, and prints ratios as a Markdown table.

Run: ``python -m tests.bench.compare [--megabytes 1024] [--toolong PATH] [LOG]``. lnav, ripgrep and toolong are
looked for on PATH; what is missing is left out. Nothing here is a test: machines differ, ratios less so.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from tests.bench.make_log import template, write_log
from tests.bench.terminal import Terminal

Row = tuple[str, str, str, str]


def schedtui(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "schedtui", *arguments]


def marker_of(path: Path) -> bytes:
    """Text that stands in the last line and within the first 80 columns only there: its time."""
    with path.open("rb") as file:
        file.seek(-4096, os.SEEK_END)
        return file.read().splitlines()[-1][6:21]


def ratio(mine: float | None, other: float | None) -> str:
    return f"{mine / other:.2f}" if mine is not None and other else "-"


def seconds(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f} s"


def to_screen(path: Path, toolong: str | None) -> list[Row]:
    """From the shell prompt to the last line on the screen."""
    marker = marker_of(path)
    rows: list[Row] = []
    mine = _to_screen(schedtui("--log", str(path)), marker)
    for name, command in (("toolong", [toolong] if toolong else None), ("lnav", ["lnav"])):
        if command is None or shutil.which(command[0]) is None:
            continue
        other = _to_screen([*command, str(path)], marker)
        rows.append((f"last line on screen, vs {name}", seconds(mine), seconds(other), ratio(mine, other)))
    return rows


def _to_screen(command: list[str], marker: bytes) -> float | None:
    terminal = Terminal(command)
    found = terminal.seconds_until(marker)
    terminal.end()
    return found


INDEX = """
import resource, sys, threading, time
from schedtui.sources.log_store import LogStore
done = threading.Event()
start = time.perf_counter()
store = LogStore([sys.argv[1]], lambda state: done.set() if state.records and state.indexing is None else None)
store.start(); done.wait()
indexed = time.perf_counter() - start
from schedtui.core.log_rows import Selection
def select(*parts, level=10):
    ready = threading.Event(); first = []
    def post(state):
        if state.generation > before and state.last - state.first >= 24 and not first:
            first.append(time.perf_counter() - begun)
        if state.generation > before and state.selecting is None:
            ready.set()
    store._post = post
    before = store.state().generation
    begun = time.perf_counter()
    store.select(Selection(level=level, parts=parts)); ready.wait()
    return (first or [0])[0], time.perf_counter() - begun
print(indexed)
print(*select(level=2)); print(*select("severity>=W")); print(*select("node:node-2"))
print(*select("gated-17")); print(*select("/bind.*node-[12]/"))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
store.close()
"""


def index_and_filter(path: Path) -> list[Row]:
    """The whole index against lnav's, and filters over all of it."""
    result = subprocess.run(
        [sys.executable, "-c", INDEX, str(path)], capture_output=True, text=True, check=True
    )  # fmt: skip
    lines = result.stdout.split("\n")
    indexed, memory = float(lines[0]), float(lines[6])
    rows: list[Row] = []
    other: float | None = None
    if shutil.which("lnav"):
        start = time.perf_counter()
        subprocess.run(
            ["lnav", "-n", "-c", ";SELECT count(*) FROM glog_log", str(path)], capture_output=True, check=False
        )
        other = time.perf_counter() - start
    rows.append(("whole index, vs lnav", seconds(indexed), seconds(other), ratio(indexed, other)))
    rows.append(("resident, whole index and filters", f"{memory:.0f} MiB", "200 MiB", ratio(memory, 200)))
    names = ("V≤2", "severity>=W", "node:node-2", "gated-17 (word)", "/bind.*node-[12]/")
    for name, line in zip(names, lines[1:6], strict=True):
        first, whole = (float(part) for part in line.split())
        other = _ripgrep(path, name)
        rows.append((f"filter {name}: first rows / all", f"{first:.2f} / {whole:.2f} s", seconds(other),
                     ratio(whole, other)))  # fmt: skip
    return rows


def _ripgrep(path: Path, name: str) -> float | None:
    patterns = {"gated-17 (word)": ["-i", "gated-17"], "/bind.*node-[12]/": ["-i", "bind.*node-[12]"]}
    if name not in patterns or not shutil.which("rg"):
        return None
    start = time.perf_counter()
    subprocess.run(["rg", "-c", *patterns[name], str(path)], capture_output=True, check=False)
    return time.perf_counter() - start


def nodes(path: Path) -> list[Row]:
    """Bindings per node against the usual pipeline."""
    pipeline = f"grep 'Successfully bound' '{path}' | grep -o 'node=\"[^\"]*\"' | sort | uniq -c"
    mine = _best(schedtui("report", "--nodes", str(path)))
    other = _best(["sh", "-c", pipeline])
    return [
        ("report --nodes, vs grep | grep -o | sort | uniq -c", seconds(mine), seconds(other), ratio(mine, other))
    ]


def _best(command: list[str], rounds: int = 3) -> float:
    best = float("inf")
    for _ in range(rounds):
        start = time.perf_counter()
        subprocess.run(command, capture_output=True, check=True)
        best = min(best, time.perf_counter() - start)
    return best


def traffic(toolong: str | None) -> list[Row]:
    """Bytes on the wire for a line, a page, nothing, and 2 000 lines a second."""
    rows: list[Row] = []
    programs = [("schedtui", schedtui("--log"), b"k", b"B", b"G"), ("lnav", ["lnav"], b"k", b"b", b"G")]
    if toolong:
        programs.append(("toolong", [toolong], b"k", b"\x1b[5~", b"\x1b[F"))
    measured: dict[str, tuple[float, float, float, float, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, command, up, page, end in programs:
            if shutil.which(command[0]) is None:
                continue
            path = Path(folder) / f"{name}.log"
            write_log(path, 8)
            terminal = Terminal([*command, str(path)])
            terminal.seconds_until(marker_of(path), 30)
            terminal.read(3.0)
            line, pages = terminal.bytes_for(up, 30, 0.1), terminal.bytes_for(page, 10)
            terminal.read(1.0)
            before = len(terminal.output)
            terminal.read(3.0)
            idle = (len(terminal.output) - before) / 3
            terminal.send(end)
            terminal.read(1.0)
            before, used = len(terminal.output), terminal.processor_seconds()
            stop = write_lines(path, 2_000, 5.0)
            terminal.read(5.0)
            stop.join()
            tail = (len(terminal.output) - before) / 5
            measured[name] = (line, pages, idle, tail, (terminal.processor_seconds() - used) / 5 * 100)
            terminal.end()
    mine = measured["schedtui"]
    words = ("bytes for a line up", "bytes for a page up", "bytes/s when idle", "bytes/s at 2 000 lines/s",
             "% of a core at 2 000 lines/s")  # fmt: skip
    for name, other in measured.items():
        if name != "schedtui":
            for word, one, two in zip(words, mine, other, strict=True):
                rows.append((f"{word}, vs {name}", f"{one:.0f}", f"{two:.0f}", ratio(one, two)))
    return rows


def write_lines(path: Path, rate: int, duration: float) -> threading.Thread:
    """Append different lines at a rate, on a thread."""
    rests = [rest for severity, _, rest in template()[0] if severity]

    def write() -> None:
        begun = time.monotonic()
        written = 0
        with path.open("ab", buffering=0) as file:
            while (passed := time.monotonic() - begun) < duration:
                due = int(passed * rate)
                if due > written:
                    file.write(b"".join(
                        b"I1231 23:%02d:%02d.%06d%s" % (
                            number // rate // 60, number // rate % 60, number % rate * (1_000_000 // rate),
                            rests[number % len(rests)],
                        )
                        for number in range(written, due)
                    ))  # fmt: skip
                    written = due
                time.sleep(0.01)

    thread = threading.Thread(target=write)
    thread.start()
    return thread


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("log", nargs="?", type=Path)
    parser.add_argument("--megabytes", type=int, default=1024)
    parser.add_argument("--toolong", default=shutil.which("tl"))
    parser.add_argument("--only", choices=["screen", "index", "nodes", "traffic"], nargs="*")
    arguments = parser.parse_args()
    wanted = arguments.only or ["screen", "index", "nodes", "traffic"]
    with tempfile.TemporaryDirectory() as folder:
        path = arguments.log
        if path is None:
            path = Path(folder) / "bench.log"
            write_log(path, arguments.megabytes)
        rows: list[Row] = []
        if "screen" in wanted:
            rows += to_screen(path, arguments.toolong)
        if "index" in wanted:
            rows += index_and_filter(path)
        if "nodes" in wanted:
            rows += nodes(path)
        if "traffic" in wanted:
            rows += traffic(arguments.toolong)
        print(f"| {path.stat().st_size >> 20} MiB log | schedtui | peer or limit | ratio |\n|---|---|---|---|")
        for row in rows:
            print("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |")
        print(f"\npeak of this script: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10} MiB")


if __name__ == "__main__":
    main()
