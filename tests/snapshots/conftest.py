"""Every pilot here waits for what a key brought about, not for a quiet machine."""

from __future__ import annotations

import pytest

from tests.ui.quiet import be_patient


@pytest.fixture(autouse=True)
def patient_pilots(monkeypatch: pytest.MonkeyPatch) -> None:
    """See ``tests.ui.quiet``."""
    be_patient(monkeypatch)
