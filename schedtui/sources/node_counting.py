"""Bindings per node over whole inputs, large files by all cores at once.

Owns the cutting of a plain file into ranges at line starts and the processes that count them (forked, so that none
of them starts an interpreter). What counts as a binding is ``core.node_counts``'; archives, pipes and several
inputs are counted here, one after the other.
"""

from __future__ import annotations

import json
import os
import signal
import threading
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from schedtui.core.errors import UnreadableInput
from schedtui.core.node_counts import SURROUNDINGS, NodeCounter, count_nodes
from schedtui.sources.inputs import read_chunks, until_fault

if TYPE_CHECKING:
    from collections.abc import Sequence

    from schedtui.sources.inputs import LogInput

WORTH_IT_BYTES = 32 << 20
"""Each process gets at least so much: less is counted faster than it is handed over."""

BLOCK_BYTES = 256 << 10
"""How much is read at a time: a block stays in the processor's cache while it is searched."""


def count_bindings(inputs: Sequence[LogInput], faults: list[UnreadableInput]) -> dict[str, int]:
    """Bindings by node over all inputs, the most first; what two of them share counts once.

    Args:
        inputs: The logs.
        faults: Takes the errors of inputs that can be read up to some place only.

    Raises:
        UnreadableInput: An input cannot be read.
    """
    if len(inputs) == 1 and inputs[0].size is not None and threading.active_count() == 1:
        processes = min(len(os.sched_getaffinity(0)), inputs[0].size // WORTH_IT_BYTES)
        if processes > 1:
            name = inputs[0].name
            try:
                return _count_ranges(name, _ranges(name, inputs[0].size, processes))
            except OSError as error:
                raise UnreadableInput(error.strerror or "cannot be read", where=name) from error
    return count_nodes((until_fault(read_chunks(log), faults) for log in inputs), several=len(inputs) > 1)


def count_range(path: str, start: int, end: int | None) -> dict[str, int]:
    """Bindings by node in a range of a file.

    Args:
        path: The file.
        start: Byte offset of the range's first line.
        end: Byte offset behind its last line; None for all there is.
    """
    counter = NodeCounter()
    with Path(path).open("rb", buffering=0) as file:
        if start:
            low = max(0, start - SURROUNDINGS)
            counter.begin_behind(os.pread(file.fileno(), start - low, low))
        file.seek(start)
        left = (os.fstat(file.fileno()).st_size if end is None else end) - start
        while left > 0 and (block := file.read(min(BLOCK_BYTES, left))):
            counter.feed(block)
            left -= len(block)
    counter.end_file()
    return counter.counts()


def _ranges(path: str, size: int, parts: int) -> list[tuple[int, int | None]]:
    """About equal ranges that begin at line starts; the last one reaches to the file's end, wherever that is."""
    starts = [0]
    with Path(path).open("rb") as file:
        for part in range(1, parts):
            file.seek(max(starts[-1], size * part // parts))
            file.readline()
            starts.append(file.tell())
    return list(zip(starts, [*starts[1:], None], strict=True))


def _count_ranges(path: str, ranges: Sequence[tuple[int, int | None]]) -> dict[str, int]:
    children = [_Child(path, *each) for each in ranges[1:]]
    try:
        total = Counter(count_range(path, *ranges[0]))
        for child in children:
            total.update(child.counts())
    finally:
        for child in children:
            child.end()
    return dict(sorted(total.items(), key=lambda each: (-each[1], each[0])))


class _Child:
    """A process that counts one range and says what it found."""

    def __init__(self, path: str, start: int, end: int | None) -> None:
        self._range = path, start, end
        self._reading, writing = os.pipe()
        self._pid: int | None = os.fork()
        if not self._pid:
            self._work(writing)
        os.close(writing)

    def _work(self, writing: int) -> None:
        """Count and leave, whatever happens, without what the parent would do at its end."""
        status = 1
        try:
            with os.fdopen(writing, "wb") as pipe:
                pipe.write(json.dumps(count_range(*self._range)).encode())
            status = 0
        finally:
            os._exit(status)

    def counts(self) -> dict[str, int]:
        """What it found; counted here when it did not get to the end."""
        with os.fdopen(self._reading, "rb") as pipe:
            found = pipe.read()
        status = self._wait()
        if status == 0:
            counts: dict[str, int] = json.loads(found)
            return counts
        return count_range(*self._range)

    def _wait(self) -> int:
        pid, self._pid = self._pid, None
        return os.waitpid(pid, 0)[1] if pid else 0

    def end(self) -> None:
        """End it if it still counts."""
        if self._pid:
            os.kill(self._pid, signal.SIGKILL)
            self._wait()
            os.close(self._reading)
