from __future__ import annotations

from schedtui.core.scheduler_parts import annotated_tree, moved_places

NEW = [
    "backend", "backend/queue", "backend/cache", "framework", "framework/plugins", "framework/plugins/invented",
    "framework/plugins/invented/testing", "framework/runtime", "profile", "testing", "apis", "apis/config",
]  # fmt: skip
OLD = ["internal", "internal/queue", "internal/cache", "profile"]
FILES = ["scheduler.go", "schedule_one.go"]


def test_the_tree_is_annotated_and_unknown_plugins_are_kept() -> None:
    lines = {line.path: line for line in annotated_tree(NEW, FILES)}
    assert "Pop" in lines["backend/queue"].words and lines["backend/queue"].depth == 1
    assert lines["framework/plugins/invented"].words == ""
    assert "framework/plugins/invented/testing" not in lines
    assert not lines["schedule_one.go"].directory


def test_documented_places_that_moved_are_told() -> None:
    told = moved_places(NEW, FILES)
    assert any(line.startswith("internal/queue: backend/queue here") for line in told)
    assert any(line.startswith("scheduler.go:ScheduleOne: schedule_one.go here") for line in told)
    assert any(line.startswith("profiling: profile here") for line in told)
    assert any(line.startswith("core: schedule_one.go here") for line in told)


def test_what_is_where_documents_say_is_not_told() -> None:
    assert not any(line.startswith("internal/") for line in moved_places(OLD, FILES))


def test_an_empty_tree_tells_nothing() -> None:
    assert annotated_tree([], []) == () and moved_places([], []) == ()
