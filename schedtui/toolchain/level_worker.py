"""A worker process of the level index: package file names in, their facts out.

Owns one pass over its standard input: a msgpack list of (import path, directory, file names), answered on standard
output by a msgpack list of ``PackageFacts``. Started by ``toolchain.level_index`` as ``python -m``; a process of
its own because parsing Go keeps a core busy for seconds, and because no thread of the caller is copied into it.
"""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec

from schedtui.core.go_source.extract import extract_package
from schedtui.core.go_source.facts import PackageFacts

Job = tuple[str, str, list[str]]
"""(import path, directory, names of the files to read)."""


def read_jobs(jobs: list[Job]) -> list[PackageFacts]:
    """Extract the facts of packages; a file that has gone meanwhile is left out."""
    facts = []
    for import_path, directory, names in jobs:
        files = []
        for name in names:
            try:
                files.append((name, Path(directory, name).read_bytes()))
            except OSError:
                # The next look at the tree notices that it has gone.
                continue
        facts.append(extract_package(import_path, files) if files else PackageFacts(import_path))
    return facts


def main() -> None:
    """Answer the jobs on standard input."""
    jobs = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=list[Job])
    sys.stdout.buffer.write(msgspec.msgpack.encode(read_jobs(jobs)))


if __name__ == "__main__":
    main()
