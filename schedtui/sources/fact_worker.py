"""A worker process of the record feed: ranges of a log in, their events and dumps out.

Owns one loop over its standard input: pickled (start, end, line, clock, pods), each answered on standard output by
a length and what ``sources.parallel`` packs. Started by ``sources.feed_history`` as ``python -m``, with the log as
an open descriptor: a process of its own, because no thread of the screen's process may be copied into it. It ends
with its input, so with whoever started it.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import sys

from schedtui.sources.parallel import read_open_range

LENGTH_BYTES = 8
"""An answer's length stands in so many bytes in front of it."""

LESS_URGENT = 5
"""Added to the niceness: keys are answered first."""


def main() -> None:
    """Answer until the input ends."""
    os.nice(LESS_URGENT)
    with os.fdopen(int(sys.argv[1]), "rb") as log, contextlib.suppress(EOFError, BrokenPipeError):
        while True:
            packed = read_open_range(log, *pickle.load(sys.stdin.buffer))
            sys.stdout.buffer.write(len(packed).to_bytes(LENGTH_BYTES, "big"))
            sys.stdout.buffer.write(packed)
            sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
