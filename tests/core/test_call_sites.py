"""Which call wrote a record: file, line and message, and nothing on trust."""

from __future__ import annotations

import pytest

from schedtui.core.call_sites import (
    NO_SITE_THERE,
    OTHER_MESSAGE,
    SEVERAL_LEVELS,
    CallSite,
    CallSites,
)

QUEUE = "k8s.io/kubernetes/pkg/scheduler/backend/queue/scheduling_queue.go"
OTHER_QUEUE = "example.org/queue/scheduling_queue.go"
REQUEST = "k8s.io/client-go/rest/request.go"
GRPC_BRIDGE = "k8s.io/apiserver/pkg/storage/etcd3/logger.go"


def site(
    path: str, line: int, *levels: int, message: str = "moved", severity: str = "I", elsewhere: bool = False
) -> CallSite:
    return CallSite(
        path, line, line, "queue.f", severity, tuple((level,) for level in levels),
        patterns=((message,) if message else ("", ""),), elsewhere=elsewhere,
    )  # fmt: skip


def index(*sites: CallSite, files: tuple[str, ...] = (), bridged: dict[str, str] | None = None) -> CallSites:
    return CallSites(sites, {*files, *(one.file for one in sites)}, bridged)


def test_a_record_has_its_calls_level_function_and_path() -> None:
    found = index(site(QUEUE, 10, 5)).look_up("scheduling_queue.go", 10, "moved")
    assert (found.level, found.path, found.function, found.why) == (5, QUEUE, "queue.f", "")


def test_another_message_at_that_line_gives_no_level() -> None:
    found = index(site(QUEUE, 10, 5)).look_up("scheduling_queue.go", 10, "something else")
    assert (found.level, found.why, found.site) == (None, OTHER_MESSAGE, None)


def test_the_same_message_at_another_line_gives_no_level() -> None:
    found = index(site(QUEUE, 10, 5)).look_up("scheduling_queue.go", 11, "moved")
    assert (found.level, found.why) == (None, NO_SITE_THERE)


def test_a_call_whose_message_is_not_a_literal_is_taken_by_its_line() -> None:
    found = index(site(QUEUE, 10, 3, message="")).look_up("scheduling_queue.go", 10, "whatever")
    assert found.level == 3


def test_two_files_of_one_name_agree_or_give_a_range() -> None:
    same = index(site(QUEUE, 10, 3), site(OTHER_QUEUE, 10, 3))
    assert same.look_up("scheduling_queue.go", 10, "moved").level == 3
    differing = index(site(QUEUE, 10, 3), site(OTHER_QUEUE, 10, 5))
    found = differing.look_up("scheduling_queue.go", 10, "moved")
    assert (found.level, found.level_range, found.why) == (None, (3, 5), SEVERAL_LEVELS)


def test_a_json_logs_directory_tells_two_files_of_one_name_apart() -> None:
    both = index(site(QUEUE, 10, 3), site("example.org/other/scheduling_queue.go", 10, 5))
    assert both.look_up("scheduling_queue.go", 10, "moved", directory="queue").level == 3
    assert both.look_up("scheduling_queue.go", 10, "moved", directory="other").level == 5
    assert both.look_up("scheduling_queue.go", 10, "moved", directory="queue@v0.36.3").level == 3


def test_calls_with_a_depth_are_found_by_their_message_under_a_callers_line() -> None:
    calls = index(site(REQUEST, 1298, 8, message="Request Body", elsewhere=True), files=("type.go",))
    assert calls.look_up("type.go", 213, "Request Body").level == 8
    assert calls.look_up("type.go", 213, "Another Body").level is None
    assert calls.look_up("not_in_this_source.go", 213, "Request Body").level is None


def test_a_deferred_call_is_found_only_inside_its_function() -> None:
    deferred = CallSite(QUEUE, 68, 39, "f", "I", ((3,),), patterns=(("finished",),), elsewhere=True)
    calls = index(deferred, files=("type.go",))
    assert calls.look_up("scheduling_queue.go", 67, "finished").level == 3
    assert calls.look_up("scheduling_queue.go", 68, "finished").level == 3


def test_levels_chosen_by_the_verbosity_need_the_verbosity() -> None:
    row = tuple(9 if at >= 9 else 6 if at >= 6 else 0 for at in range(24))
    ladder = CallSite(REQUEST, 527, 527, "f", "I", (row,), patterns=(("Request",),))
    calls = index(ladder)
    assert calls.look_up("request.go", 527, "Request").level_range == (0, 9)
    assert [calls.look_up("request.go", 527, "Request", verbosity=v).level for v in (0, 7, 10, 99)] == [0, 6, 9, 9]
    assert ladder.describe_level() == "V0-9"


def test_errors_and_warnings_have_no_level_but_a_call() -> None:
    calls = index(site(QUEUE, 10, severity="E"), site(QUEUE, 20, 0, severity="W"))
    assert calls.look_up("scheduling_queue.go", 10, "moved", severity="E").site is not None
    assert calls.look_up("scheduling_queue.go", 20, "moved", severity="W").level is None
    assert calls.look_up("scheduling_queue.go", 20, "moved").site is None
    assert calls.look_up("scheduling_queue.go", 20, "moved", directory="queue").level == 0


def test_lines_of_a_bridged_module_get_the_bridges_level() -> None:
    bridge = site(GRPC_BRIDGE, 48, 5, message="", elsewhere=True)
    calls = index(bridge, files=("clientconn.go",), bridged={"clientconn.go": "google.golang.org/grpc"})
    assert calls.look_up("clientconn.go", 1521, "[core] Creating new client transport").level == 5


@pytest.mark.parametrize(("needs", "level", "shown"), [(5, 0, 5), (5, 5, None), (None, 3, None)])
def test_a_guard_is_told_only_when_it_asks_for_more(needs: int | None, level: int, shown: int | None) -> None:
    one = CallSite(QUEUE, 10, 10, "f", "I", ((level,),), needs=needs, patterns=(("moved",),))
    assert index(one).look_up("scheduling_queue.go", 10, "moved").needs == shown


def test_the_calls_of_a_file_come_by_line() -> None:
    calls = index(site(QUEUE, 20, 5), site(QUEUE, 10, 3), site(OTHER_QUEUE, 5, 1))
    assert [one.line for one in calls.calls_in(QUEUE)] == [10, 20]
    assert calls.calls_in("example.org/none.go") == []
