"""When a session may begin: not after its end, whichever of the two threads comes first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.message import Message

from schedtui.config.directories import directories
from schedtui.config.settings import Settings
from schedtui.debugger import model
from schedtui.ui.services.plan import Plan
from schedtui.ui.services.session import Session

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_a_session_that_was_ended_before_it_began_starts_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCHEDTUI_STATE", str(tmp_path / "state"))
    log = tmp_path / "scheduler.log"
    log.write_text("")
    launch = model.Launch("none", target="none", run_directory=str(tmp_path / "run"))
    told = list[Message]()
    session = Session(Plan(Settings(), directories(), launch=launch, logs=(str(log),)), told.append)
    session.end()
    session.start()
    assert session.driver is not None
    assert not session.driver.alive
    assert session.store is None
    assert not (tmp_path / "run").exists()
    assert told == []
