"""Each rule and trap of levels from source, on small Go packages whose comments say what is right.

``// want V3``: that level. ``V2-4``: a range. ``V? words``: unknown, and why. ``; V9 at 10``:
what it is when the scheduler runs at that verbosity. ``needs 5``: the guard shown beside it. ``"text"``: the start
of its message. ``elsewhere``: klog prints another line. ``line 13``: the line that it prints.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from schedtui.core.call_sites import CallSite, call_site
from schedtui.core.go_source.extract import extract_package
from schedtui.core.go_source.solve import solve

SAMPLES = Path(__file__).parents[2] / "data" / "go_levels"
WANT = re.compile(r"// want (.+)$")


def solved_sites(case: str) -> list[CallSite]:
    """The log calls of one sample, all its packages taken as the whole program."""
    packages = []
    for directory in sorted({path.parent for path in (SAMPLES / case).rglob("*.go")}):
        files = [(path.name, path.read_bytes()) for path in sorted(directory.glob("*.go"))]
        packages.append(extract_package(f"example.org/{directory.relative_to(SAMPLES).as_posix()}", files))
    return [call_site(solved) for solved in solve(packages)]


def wanted(case: str) -> dict[tuple[str, int], str]:
    """(file, line of the call) → what its comment wants."""
    found = {}
    for path in (SAMPLES / case).rglob("*.go"):
        for number, line in enumerate(path.read_text().splitlines(), start=1):
            if match := WANT.search(line):
                found[path.name, number] = match.group(1).strip()
    return found


@pytest.mark.parametrize("case", sorted(path.name for path in SAMPLES.iterdir()))
def test_each_log_call_is_found_with_the_level_its_comment_wants(case: str) -> None:
    expected = wanted(case)
    sites = {(site.file, site.call_line): site for site in solved_sites(case)}
    assert sites.keys() == expected.keys()
    for place, text in expected.items():
        problem = _difference(sites[place], text)
        assert not problem, f"{case} {place}: {problem}"


def _difference(site: CallSite, text: str) -> str:
    if match := re.search(r'"(.*)"', text):
        start = match.group(1)
        if not site.message.replace("…", "").startswith(start.replace("…", "")) and start not in site.message:
            return f"message {site.message!r}"
        text = text.replace(match.group(), "")
    if match := re.search(r"needs (\d+)", text):
        if site.needs != int(match.group(1)):
            return f"needs {site.needs}"
        text = text.replace(match.group(), "")
    if match := re.search(r"line (\d+)", text):
        if site.line != int(match.group(1)):
            return f"line {site.line}"
        text = text.replace(match.group(), "")
    if ("elsewhere" in text) != site.elsewhere:
        return f"elsewhere {site.elsewhere}"
    first, *rest = [part.strip() for part in text.replace("elsewhere", "").split(";")]
    level, _, reason = first.partition(" ")
    if site.describe_level() != level or reason.strip() not in site.why:
        return f"{site.describe_level()} {site.why}"
    for part in rest:
        running_level, running = part.split(" at ")
        levels = site.levels(int(running))
        shown = f"V{min(levels)}" if len(levels) == 1 else "V?"
        if shown != running_level:
            return f"{sorted(levels)} at {running}"
    return ""
