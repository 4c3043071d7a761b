"""Sums over a directory that a running lab changes at the same moment."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schedtui.lab.report import _size

if TYPE_CHECKING:
    import pytest


def test_a_directory_that_goes_while_it_is_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "stays").write_bytes(b"x" * 5000)
    (tmp_path / "goes").mkdir()
    listed = os.scandir

    def gone(place: Any) -> Any:  # noqa: ANN401  # as the system's own
        if Path(place).name == "goes":
            raise FileNotFoundError(place)
        return listed(place)

    monkeypatch.setattr(os, "scandir", gone)
    assert _size(tmp_path) >= 5000
    assert _size(tmp_path / "stays") >= 5000
