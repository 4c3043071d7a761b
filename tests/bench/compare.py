"""Compares the log side with its peers, each pair in one run, and prints ratios as a Markdown table.

Run: ``python -m tests.bench.compare [--megabytes 1024] [--toolong PATH] [--readme README.md] [LOG]``. lnav,
ripgrep and toolong are looked for on PATH; what is missing is left out. ``--readme`` puts the table between the
markers of the README's performance section. Nothing here is a test: machines differ, ratios less so.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import pyte

from tests.bench.make_log import template, write_log
from tests.bench.queue_time import pane_figures
from tests.bench.terminal import Terminal

BEGIN = "<!-- performance: printed by tests/bench -->"
END = "<!-- end of performance -->"


class Row(NamedTuple):
    work: str
    mine: str
    peer: str
    ratio: float | None
    """Mine to the peer's, or to the limit when there is no peer."""
    reach: str
    """What is to be reached, in words."""
    most: float
    """The ratio up to which it is reached; infinite when nothing is asked."""

    @property
    def missed(self) -> bool:
        return self.ratio is not None and self.ratio > self.most

    def cells(self) -> tuple[str, ...]:
        shown = "-" if self.ratio is None else f"{self.ratio:.2f}"
        return self.work, self.mine, self.peer, shown, f"{self.reach}{': missed' if self.missed else ''}"


NOTHING_ASKED = float("inf")


def schedtui(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "schedtui", *arguments]


def marker_of(path: Path) -> bytes:
    """Text that stands in the last line and within the first 80 columns only there: its time."""
    with path.open("rb") as file:
        file.seek(-4096, os.SEEK_END)
        return file.read().splitlines()[-1][6:21]


def ratio(mine: float | None, other: float | None) -> float | None:
    return mine / other if mine is not None and other else None


def within(work: str, mine: float | None, limit: float, unit: str) -> Row:
    """A row that is measured against a limit rather than a peer."""
    shown = "-" if mine is None else f"{mine:.2f} {unit}" if unit == "s" else f"{mine:.0f} {unit}"
    return Row(work, shown, "-", ratio(mine, limit), f"{limit:g} {unit}", 1.0)


def seconds(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f} s"


def to_screen(path: Path, toolong: str | None) -> list[Row]:
    """From the shell prompt to the last line on the screen."""
    marker = marker_of(path)
    rows: list[Row] = []
    mine = _to_screen(schedtui("--log", str(path)), marker)
    for name, command, most in (("toolong", [toolong] if toolong else None, 0.25), ("lnav", ["lnav"], None)):
        if command is None or shutil.which(command[0]) is None:
            continue
        other = _to_screen([*command, str(path)], marker)
        reach = "-" if most is None else f"{most} of toolong"
        rows.append(
            Row(f"last line on screen, {name}", seconds(mine), seconds(other), ratio(mine, other), reach,
                NOTHING_ASKED if most is None else most)
        )  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        small = Path(folder) / "small.log"
        write_log(small, 16)
        other = _to_screen(schedtui("--log", str(small)), marker_of(small))
    rows.append(
        Row("the same, against a log of 16 MiB", seconds(mine), seconds(other), ratio(mine, other),
            "not growing with size", 1.25)
    )  # fmt: skip
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
    rows.append(
        Row("whole index, lnav", seconds(indexed), seconds(other), ratio(indexed, other), "half of lnav", 0.5)
    )
    rows.append(within("resident after index and filters", memory, 200, "MiB"))
    names = ("V≤2", "severity>=W", "node:node-2", "gated-17 (word)", "/bind.*node-[12]/")
    for name, line in zip(names, lines[1:6], strict=True):
        first, whole = (float(part) for part in line.split())
        rows.append(within(f"filter {name}: first rows", first, 0.1, "s"))
        other = _ripgrep(path, name)
        if name.startswith("/"):
            rows.append(Row(f"filter {name}: all of it, ripgrep", seconds(whole), seconds(other),
                            ratio(whole, other), "-", NOTHING_ASKED))  # fmt: skip
        else:
            rows.append(within(f"filter {name}: all of it", whole, 1.0, "s"))
            if other is not None:
                rows.append(Row("the same, ripgrep", seconds(whole), seconds(other), ratio(whole, other), "-",
                                NOTHING_ASKED))  # fmt: skip
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
    mine, other = _best_in_turn(schedtui("report", "--nodes", str(path)), ["sh", "-c", _pipeline(path)])
    used = _processor_seconds(schedtui("report", "--nodes", str(path)))
    theirs = _processor_seconds(["sh", "-c", _pipeline(path)])
    return [
        Row("report --nodes, grep \\| grep -o \\| sort \\| uniq -c", seconds(mine), seconds(other),
            ratio(mine, other), "no slower", 1.0),
        Row("the same, processor time of all cores", seconds(used), seconds(theirs), ratio(used, theirs), "-",
            NOTHING_ASKED),
    ]  # fmt: skip


def folds(path: Path, megabytes: int) -> list[Row]:
    """The whole report and the queues, over the file or over its beginning."""
    rows: list[Row] = []
    whole = path.stat().st_size
    size = min(whole, megabytes << 20)
    with tempfile.TemporaryDirectory() as folder:
        beginning = path
        if size < whole:
            beginning = Path(folder) / "beginning.log"
            subprocess.run(["sh", "-c", f"head -c {size} '{path}' > '{beginning}'"], check=True)
        of = f", {size >> 20} MiB"
        mine = _best(schedtui("report", str(beginning)), 1)
        other = _best(["sh", "-c", _pipeline(beginning)])
        rows.append(
            Row(f"report (all of it){of}, the same pipeline", seconds(mine), seconds(other), ratio(mine, other),
                "ten times that", 10.0)
        )  # fmt: skip
        rows.append(within(f"queue{of}", _best(schedtui("queue", str(beginning)), 1), 30 * size / (1 << 30), "s"))
        for what, taken, limit in pane_figures(beginning)[0]:
            rows.append(within(f"{what}{of}", taken, limit, "s"))
    return rows


def _pipeline(path: Path) -> str:
    return f"grep 'Successfully bound' '{path}' | grep -o 'node=\"[^\"]*\"' | sort | uniq -c"


def start_up() -> list[Row]:
    """Commands that do nothing."""
    return [
        within("--version", _best(schedtui("--version"), 5), 0.15, "s"),
        within("logs --help", _best(schedtui("logs", "--help"), 5), 0.15, "s"),
    ]


def _processor_seconds(command: list[str]) -> float:
    """What a command and its children use: it hardly depends on what else the machine does."""
    before = os.times()
    subprocess.run(command, capture_output=True, check=True)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def _best_in_turn(one: list[str], two: list[str], rounds: int = 4) -> tuple[float, float]:
    """The best of some rounds of two commands, run in turn so that both meet the same neighbours."""
    found = [(_best(one, 1), _best(two, 1)) for _ in range(rounds)]
    return min(mine for mine, _ in found), min(other for _, other in found)


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
            _wait_for_silence(terminal)
            line, pages = terminal.bytes_for(up, 30, 0.1), terminal.bytes_for(page, 10)
            _wait_for_silence(terminal)
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
    limits = (("line up", 500, "B"), ("page up", 3_000, "B"), ("nothing changes", 0, "B/s"),
              ("2 000 lines/s", 10_000, "B/s"), ("2 000 lines/s", 15, "% of a core"))  # fmt: skip
    for place, (word, limit, unit) in enumerate(limits):
        for name, other in measured.items():
            if name != "schedtui":
                rows.append(
                    Row(f"{word}, {name}", f"{mine[place]:.0f} {unit}", f"{other[place]:.0f} {unit}",
                        ratio(mine[place], other[place]), f"{limit} {unit}", NOTHING_ASKED)
                )  # fmt: skip
        if (limit and mine[place] > limit) or (not limit and mine[place]):
            rows[-1] = rows[-1]._replace(most=0.0)
    return rows


def _wait_for_silence(terminal: Terminal) -> None:
    """Until nothing has been written for two seconds: work in the background shows its progress."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        before = len(terminal.output)
        terminal.read(2.0)
        if len(terminal.output) == before:
            return


class Screen:
    """What a terminal shows: only changed cells are written, so that a text need not come in one piece."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal
        self._screen = pyte.Screen(80, 24)
        self._stream = pyte.ByteStream(self._screen)
        self._taken = 0

    def text(self) -> str:
        self._stream.feed(bytes(self._terminal.output[self._taken :]))
        self._taken = len(self._terminal.output)
        return "\n".join(self._screen.display)


def flood() -> list[Row]:
    """20 000 lines a second: how far the screen is behind, how soon a key is answered, what it costs."""
    duration = 20.0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "flood.log"
        write_log(path, 8)
        terminal = Terminal(schedtui("--log", str(path)))
        terminal.seconds_until(marker_of(path), 60)
        _wait_for_silence(terminal)
        used = terminal.processor_seconds()
        writer = write_lines(path, 20_000, duration)
        terminal.read(duration / 2)
        answers = []
        for key, word in ((b"k", b"PAUSED"), (b"G", b"FOLLOW")) * 3:
            before, begun = len(terminal.output), time.perf_counter()
            terminal.send(key)
            shown = terminal.read(5.0, lambda word=word, before=before: word in terminal.output[before:])  # type: ignore[misc]
            answers.append(time.perf_counter() - begun if shown else 5.0)
            terminal.read(0.5)
        terminal.read(60.0, lambda: not writer.is_alive())
        begun = time.perf_counter()
        marker = marker_of(path)
        screen = Screen(terminal)
        came = terminal.read(60.0, lambda: marker.decode() in screen.text())
        lag = time.perf_counter() - begun
        share = (terminal.processor_seconds() - used) / (duration + lag) * 100
        terminal.end()
    return [
        within("20 000 lines/s: the screen behind the writer", lag if came else None, 1.0, "s"),
        within("20 000 lines/s: a key answered (the worst of 6)", max(answers), 0.2, "s"),
        within("20 000 lines/s: processor", share, 100, "% of a core"),
    ]


def write_lines(path: Path, rate: int, duration: float, enough: threading.Event | None = None) -> threading.Thread:
    """Append different lines at a rate, on a thread, for some seconds or until it is enough."""
    over = enough or threading.Event()
    rests = [rest for severity, _, rest in template()[0] if severity]

    def write() -> None:
        begun = time.monotonic()
        written = 0
        with path.open("ab", buffering=0) as file:
            while (passed := time.monotonic() - begun) < duration and not over.is_set():
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


def machine() -> str:
    """What it was measured on."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 30
    versions = [
        f"lnav {_first_number(['lnav', '-V'])}" if shutil.which("lnav") else "",
        f"ripgrep {_first_number(['rg', '--version'])}" if shutil.which("rg") else "",
    ]
    peers = ", ".join(version for version in versions if version)
    return (
        f"{len(os.sched_getaffinity(0))} cores, {memory} GiB, Linux, Python {platform.python_version()};"
        f" {peers}, toolong 1.5.0"
    )


def _first_number(command: list[str]) -> str:
    output = subprocess.run(command, capture_output=True, text=True, check=False)
    found = re.search(r"\d+(?:\.\d+)+", output.stdout + output.stderr)
    return found[0] if found else "?"


def section(rows: list[Row], size: int, load: tuple[float, float]) -> str:
    """The README's section in Markdown."""
    missed = [row.work.replace("\\|", "|") for row in rows if row.missed]
    lines = [
        f"Made by `python -m tests.bench.compare` on {datetime.now(UTC):%Y-%m-%d}: {machine()}; a log of"
        f" {size >> 20} MiB made from a real one. Both programs of a row ran in one run, one after the other; the"
        f" load average was {load[0]:.1f} when it began and {load[1]:.1f} at its end (from the number of cores on,"
        " the machine was busy with other things, and seconds say little; ratios say more).",
        "",
        "| work | schedtui | peer | ratio | reach |",
        "|---|---|---|---|---|",
        *("| " + " | ".join(row.cells()) + " |" for row in rows),
        "",
        f"Missed in this run: {'; '.join(missed)}." if missed else "Nothing was missed in this run.",
    ]
    return "\n".join(lines)


def write_section(readme: Path, text: str) -> None:
    """Put the section between the README's markers."""
    before, _, rest = readme.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    readme.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}")


PARTS = ("screen", "index", "nodes", "folds", "traffic", "flood", "start")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("log", nargs="?", type=Path)
    parser.add_argument("--megabytes", type=int, default=1024)
    parser.add_argument("--toolong", default=shutil.which("tl"))
    parser.add_argument("--only", choices=PARTS, nargs="*")
    parser.add_argument("--readme", type=Path)
    parser.add_argument("--fold-megabytes", type=int, default=1024, help="how much report and queue read")
    arguments = parser.parse_args()
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        path = arguments.log
        if path is None:
            path = Path(folder) / "bench.log"
            write_log(path, arguments.megabytes)
        work = {
            "screen": lambda: to_screen(path, arguments.toolong), "index": lambda: index_and_filter(path),
            "nodes": lambda: nodes(path), "folds": lambda: folds(path, arguments.fold_megabytes),
            "traffic": lambda: traffic(arguments.toolong), "flood": flood, "start": start_up,
        }  # fmt: skip
        rows: list[Row] = []
        for part in arguments.only or PARTS:
            found = work[part]()
            rows += found
            print(*(" | ".join(row.cells()) for row in found), sep="\n", file=sys.stderr, flush=True)
        text = section(rows, path.stat().st_size, (load, os.getloadavg()[0]))
    print(text)
    if arguments.readme is not None:
        write_section(arguments.readme, text)


if __name__ == "__main__":
    main()
