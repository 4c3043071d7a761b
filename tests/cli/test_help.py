"""What ``--help`` of the groups says of their commands."""

from __future__ import annotations

import pytest

from schedtui.cli import run


@pytest.mark.parametrize("group", ["", "lab", "lab cache", "source", "config"])
def test_no_summary_is_cut(
    group: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert run([*group.split(), "--help"]) == 0
    text = capsys.readouterr().out.split("Commands:", 1)[1]
    assert not [line for line in text.splitlines() if line.endswith("...")]
