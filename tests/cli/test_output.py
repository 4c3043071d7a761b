"""Tables and sentences on terminals of any width."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedtui.cli import output

HEADINGS = ("PENDING POD", "STATE", "ATTEMPTS", "PLUGINS", "STUCK")
ROWS = [
    ("default/huge-53", "unschedulable", 29, "NodeResourcesFit,PodTopologySpread", "no news for 5 min"),
    ("kube-system/x", "backoff", 3, "", ""),
]


def printed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, columns: int, *, terminal: bool = True
) -> list[str]:
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal)
    output.print_table(HEADINGS, ROWS)
    return capsys.readouterr().out.splitlines()


@pytest.mark.parametrize("columns", [60, 80])
def test_a_table_is_folded_to_a_narrow_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    lines = printed(capsys, monkeypatch, columns)
    assert max(map(len, lines)) <= columns
    text = "".join("".join(line.split()) for line in lines)
    assert sorted(text) == sorted("".join("".join(map(str, row)).replace(" ", "") for row in (HEADINGS, *ROWS)))


@pytest.mark.parametrize(("columns", "terminal"), [(60, False), (200, True)])
def test_a_pipe_and_a_wide_terminal_get_one_line_a_row(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, columns: int, terminal: bool
) -> None:
    lines = printed(capsys, monkeypatch, columns, terminal=terminal)
    assert len(lines) == 1 + len(ROWS)
    assert (
        lines[1]
        == "default/huge-53  unschedulable  29        NodeResourcesFit,PodTopologySpread  no news for 5 min"
    )


def test_a_sentence_is_folded_between_words(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    output.print_text("126 bindings on 18 nodes, --v=5 would be exact")
    assert capsys.readouterr().out == "126 bindings on 18\nnodes, --v=5 would\nbe exact\n"


@given(st.lists(st.integers(0, 300), min_size=1, max_size=8), st.integers(1, 300))
def test_columns_fit_or_are_as_narrow_as_they_may_be(widths: list[int], columns: int) -> None:
    fitting = output.fitting_widths(widths, columns)
    assert all(narrow <= wide for narrow, wide in zip(fitting, widths, strict=True))
    room = columns - len(output.GAP) * (len(widths) - 1)
    assert sum(fitting) <= room or max(fitting) <= output.LEAST_WIDTH
    assert all(
        narrow == wide or narrow >= output.LEAST_WIDTH for narrow, wide in zip(fitting, widths, strict=True)
    )
