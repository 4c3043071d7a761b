"""Which cluster ``schedtui doctor`` looks at when none is named."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

from schedtui.cli.doctor import usual_kubeconfig
from schedtui.core.errors import LabFailed

if TYPE_CHECKING:
    import pytest


def test_a_lab_that_is_up_comes_before_the_usual_places(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    usual = tmp_path / "config"
    usual.touch()
    monkeypatch.setenv("KUBECONFIG", str(usual))
    lab = SimpleNamespace(kubeconfig=Path("/lab/kubeconfig"))
    monkeypatch.setattr("schedtui.lab.running.find_running_lab", lambda: lab)
    assert usual_kubeconfig() == lab.kubeconfig
    monkeypatch.setattr("schedtui.lab.running.find_running_lab", lambda: None)
    assert usual_kubeconfig() == usual

    def several() -> None:
        raise LabFailed("several labs are up")

    monkeypatch.setattr("schedtui.lab.running.find_running_lab", several)
    assert usual_kubeconfig() == usual
