"""Makes a scheduler log of any size out of a real one: times go on, namespaces change, nothing repeats.

Run: ``python -m tests.bench.make_log OUT [MEGABYTES]``.
"""

from __future__ import annotations

import gzip
import re
import sys
from datetime import datetime, timedelta
from pathlib import Path

SOURCE = Path(__file__).parent.parent / "data" / "v1.36.3-v5-churn7.log.gz"
HEADER = re.compile(rb"([IWEF])(\d\d)(\d\d) (\d\d):(\d\d):(\d\d)\.(\d{6})")
START = datetime(2026, 1, 2, 3, 4, 5)


def template() -> tuple[list[tuple[bytes, int, bytes]], int]:
    """(severity, microseconds since the first line, rest) of each line, and how long the log lasts."""
    lines: list[tuple[bytes, int, bytes]] = []
    first: datetime | None = None
    last = 0
    for line in gzip.decompress(SOURCE.read_bytes()).splitlines(keepends=True):
        found = HEADER.match(line)
        if found is None:
            lines.append((b"", 0, line))
            continue
        month, day, hour, minute, second, micro = (int(found[group]) for group in range(2, 8))
        moment = datetime(2026, month, day, hour, minute, second, micro)
        first = first or moment
        last = (moment - first) // timedelta(microseconds=1)
        lines.append((found[1], last, line[found.end() :]))
    return lines, last


def write_log(path: Path, megabytes: int) -> int:
    """Write the log; its number of lines."""
    lines, duration = template()
    written = count = round_number = 0
    with path.open("wb") as out:
        while written < megabytes << 20:
            parts: list[bytes] = []
            start = START + timedelta(microseconds=round_number * (duration + 1_000_000))
            second_text, second_of = b"", -1
            for severity, offset, rest in lines:
                if not severity:
                    parts.append(rest)
                    continue
                whole, micro = divmod(start.microsecond + offset, 1_000_000)
                if whole != second_of:
                    second_of = whole
                    second_text = (start + timedelta(seconds=whole)).strftime("%m%d %H:%M:%S").encode()
                parts.append(b"%s%s.%06d%s" % (severity, second_text, micro, rest))
            block = b"".join(parts).replace(b"default/", b"d%d/" % round_number)
            block = block.replace(b"kube-system/", b"s%d/" % round_number)
            block = block.replace(b"namespace: default,", b"namespace: d%d," % round_number)
            block = block.replace(b"namespace: kube-system,", b"namespace: s%d," % round_number)
            out.write(block)
            written += len(block)
            count += len(lines)
            round_number += 1
    return count


if __name__ == "__main__":
    print(write_log(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1024), "lines")
