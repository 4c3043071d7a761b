"""A state directory for labs of one test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from schedtui.lab.instance import all_instances
from schedtui.lab.running import stop_instance

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A state directory of its own; whatever a failed test left running is ended."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    yield tmp_path / "state"
    for place in all_instances():
        stop_instance(place)
