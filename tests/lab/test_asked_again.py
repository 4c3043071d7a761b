"""A lab that is asked for while it is up."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from schedtui.core.errors import LabFailed
from schedtui.lab.running import ensure_lab


def test_a_lab_that_is_up_without_a_scheduler_is_not_taken_for_one_with_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    there: Any = SimpleNamespace(name="v1.36.3", runs_scheduler=False)
    monkeypatch.setattr("schedtui.lab.running.find_running_lab", lambda **_: there)
    assert ensure_lab() is there
    with pytest.raises(LabFailed, match="without a scheduler"):
        ensure_lab(run_scheduler=True)
