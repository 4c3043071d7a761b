"""Text of logs and names of files in what is written for terminals and for Markdown: shown, never obeyed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from schedtui.cli import run

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

EVIL = (
    'I1130 10:00:00.000001 1 schedule_one.go:302] "Successfully bound pod to node"'
    ' pod="a/<b>x|`c`*_[y](z)\x1b[31m"'
    ' node="<img src=x>\x1b]0;t\x07|n" evaluatedNodes=1 feasibleNodes=1\n'
    'E1130 10:00:00.000002 1 schedule_one.go:1060] "Error scheduling pod; retrying" err=<\n'
    "\t```\n\t<script>alert(1)</script>\n"
    ' > pod="a/fence"\n'
)
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f\x80-\x9f]")


def test_markdown_holds_no_markup_and_no_codes_of_a_log(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_text(EVIL)
    assert run(["export", str(log), "--to", str(tmp_path / "a.md")]) == 0
    text = (tmp_path / "a.md").read_text()
    assert CONTROL.search(text) is None
    fence, outside, inside = "", list[str](), list[str]()
    for line in text.split("\n"):
        if not fence and (opened := re.fullmatch("(`{3,})text", line)):
            fence = opened[1]
        elif line == fence:
            fence = ""
        else:
            (inside if fence else outside).append(line)
    assert fence == ""
    assert not any("<" in line for line in outside)
    assert any("### a/&lt;b>x\\|\\`c\\`\\*\\_\\[y\\](z)\N{SYMBOL FOR ESCAPE}\\[31m" in line for line in outside)
    assert any("<script>" in line for line in inside)
    assert re.search(r"^\| &lt;img src=x>.*\\\|n \| 1 \|", text, re.MULTILINE)


def test_messages_print_a_names_codes_as_signs(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["logs", "no\x1b[31m\x9bfile\n"]) == 2
    error = capfd.readouterr().err
    assert CONTROL.search(error) is None
    assert "no\N{SYMBOL FOR ESCAPE}[31m" in error
