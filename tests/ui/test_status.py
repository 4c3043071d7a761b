from __future__ import annotations

from dataclasses import replace

from schedtui.ui.screens.main import short_names
from schedtui.ui.screens.status import STATE_SIGNS, StatusFacts, clock, status_parts


def text(facts: StatusFacts, now: float = 112.0) -> str:
    return " | ".join(part.text.strip() for part in status_parts(facts, now, has_debugger=True))


def test_go_names_are_short_in_the_status_line() -> None:
    title = "breakpoint 1 in scheduler.(*Scheduler).ScheduleOne line 67, hit 1"
    assert short_names(title) == "breakpoint 1 in ScheduleOne line 67, hit 1"
    assert short_names("in k8s.io/kubernetes/pkg/x.(*A).B.func1 line 3") == "in B.func1 line 3"
    assert short_names("v1.36.3 at schedule_one.go:67") == "v1.36.3 at schedule_one.go:67"


def test_filter_and_running_verbosity_are_told_apart() -> None:
    shown = text(StatusFacts("running", level=4, level_lines=120, hidden_lines=30, verbosity=5))
    assert "show V≤4: 120 (30 hidden)" in shown
    assert "runs at -v 5" in shown


def test_an_unknown_verbosity_is_not_guessed() -> None:
    assert "runs at -v ?" in text(StatusFacts("running", verbosity=None))


def test_a_stop_says_how_long_and_where() -> None:
    shown = text(StatusFacts("stopped", detail="breakpoint 1", stopped_at=100.0))
    assert "■ stopped 0:12" in shown
    assert "breakpoint 1" in shown


def test_c32_the_lease_is_counted_down_and_its_loss_is_named() -> None:
    facts = StatusFacts("stopped", stopped_at=100.0, leader_election=True)
    assert "lease lost in 7s" in text(facts, 103.0)
    assert "lease lost: it will exit on continue" in text(facts, 131.0)
    assert "lease" not in text(StatusFacts("stopped", stopped_at=100.0), 131.0)
    # Nothing has run yet: it has no lease to lose.
    assert "lease" not in text(replace(facts, at_entry=True), 131.0)


def test_lines_of_unknown_level_are_counted_apart() -> None:
    assert "V? 7" in text(StatusFacts("running", level=2, level_lines=9, unknown_levels=7))


def test_every_state_has_a_sign() -> None:
    assert all(STATE_SIGNS.values())


def test_clocks() -> None:
    assert [clock(seconds) for seconds in (7, 750, 3900, -1)] == ["0:07", "12:30", "1:05:00", "0:00"]
