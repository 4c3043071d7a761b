"""Values, views and roles from documents as dlv gives them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from schedtui.debugger import documents, roles, values, views
from schedtui.debugger.conversation import starlark_text


def string(text: str, **more: object) -> dict[str, object]:
    return {"kind": "string", "type": "string", "value": text, "len": len(text.encode()), "addr": 1, **more}


def number(value: int, name: str = "") -> dict[str, object]:
    return {"kind": "int64", "type": "int64", "value": str(value), "name": name, "addr": 1}


def struct(type_: str, *fields: dict[str, object], **more: object) -> dict[str, object]:
    return {"kind": "struct", "type": type_, "len": len(fields), "children": list(fields), "addr": 1, **more}


def named(name: str, document: dict[str, object]) -> dict[str, object]:
    return {**document, "name": name}


def pointer(document: dict[str, object]) -> dict[str, object]:
    return {"kind": "ptr", "type": f"*{document['type']}", "children": [document], "addr": 2}


def mapping(*pairs: tuple[dict[str, object], dict[str, object]]) -> dict[str, object]:
    flat = [one for pair in pairs for one in pair]
    return {"kind": "map", "type": "map", "len": len(pairs), "base": 1, "children": flat, "addr": 1}


def quantity(value: int, scale: int = 0, form: str = "DecimalSI", written: str = "") -> dict[str, object]:
    inner = struct("int64Amount", number(value, "value"), number(scale, "scale"))
    return struct("Quantity", named("i", inner), named("s", string(written)), named("Format", string(form)))


@given(st.text(max_size=500))
def test_nothing_in_a_string_reaches_the_terminal(text: str) -> None:
    shown = values.one_line(string(text))
    assert shown.isprintable()


@given(st.text(max_size=100))
def test_starlark_literals_hold_any_text(text: str) -> None:
    literal = starlark_text(text.encode("utf-8", "replace").decode())
    assert literal.isascii()
    assert literal.isprintable()


def test_a_struct_is_shown_on_one_line_and_opens_by_path() -> None:
    pod = struct("main.Pod", named("Name", string("web-0")), named("Node", {"kind": "ptr", "type": "*main.Node"}))
    variable = values.variable_from(named("pod", pointer(pod)))
    assert variable.value == '&main.Pod{Name: "web-0", Node: nil}'
    assert [(child.name, child.expression) for child in variable.children] == [
        ("Name", "pod.Name"),
        ("Node", "pod.Node"),
    ]
    assert variable.children[0].text == "web-0"


def test_map_entries_open_by_key_and_shadowed_names_by_address() -> None:
    entry = (string("a b"), number(3))
    variable = values.variable_from(named("m", mapping(entry)))
    assert variable.children[0].expression == 'm["a b"]'
    shadowed = values.variable_from({**number(1, "n"), "addr": 4096, "flags": values.SHADOWED})
    assert (shadowed.name, shadowed.expression) == ("(n)", '*(*"int64")(0x1000)')


def test_a_cut_string_says_how_much_is_missing() -> None:
    variable = values.variable_from({**string("abc"), "name": "s", "len": 1000})
    assert variable.value == '"abc"… +997 bytes'
    assert variable.has_more


def test_what_changed_is_marked_deep_inside() -> None:
    before = values.texts((values.variable_from(named("p", struct("T", number(1, "a"), number(2, "b")))),))
    now = values.variable_from(named("p", struct("T", number(1, "a"), number(3, "b"))))
    (marked,) = values.marked((now,), before)
    assert marked.changed
    assert [child.changed for child in marked.children] == [False, True]


def test_quantities_are_written_as_people_do() -> None:
    assert documents.quantity(quantity(1500, -3)) == "1500m"
    assert documents.quantity(quantity(2 * 2**30, form="BinarySI")) == "2Gi"
    assert documents.quantity(quantity(4)) == "4"
    assert documents.quantity(quantity(0, written="250Mi")) == "250Mi"
    assert documents.size(1536 * 2**20) == "1.5Gi"


def test_a_named_constant_is_a_number_too() -> None:
    assert documents.whole({"kind": "int", "type": "Code", "value": "Unschedulable (2)"}) == 2
    assert documents.whole(number(-3)) == -3
    assert documents.whole(None) == 0


def test_bars_never_overflow() -> None:
    assert views.bar(0, 0) == f"[{'-' * 20}]   0 %"
    assert views.bar(1, 2) == f"[{'#' * 10}{'-' * 10}]  50 %"
    assert views.bar(5, 2).startswith(f"[{'#' * 20}]")


def test_a_status_with_a_fit_error_lists_each_nodes_reason() -> None:
    refused = struct(
        "k8s.io/kube-scheduler/framework.Status",
        named("code", number(2)),
        named("plugin", string("NodeResourcesFit")),
        named(
            "reasons", {"kind": "slice", "type": "[]string", "len": 1, "children": [string("Insufficient cpu")]}
        ),
    )
    parts = {
        "s.code": number(2),
        "s.err.(data).Diagnosis.NodeToStatus.nodeToStatus": mapping((string("node-a"), pointer(refused))),
    }
    status = pointer(struct("k8s.io/kube-scheduler/framework.Status", named("code", number(2))))
    lines = views.render(status, "s", lambda expression, _load: parts.get(expression))
    assert lines == (
        "code            Unschedulable",
        "node-a          Unschedulable NodeResourcesFit: Insufficient cpu",
    )


def test_a_type_without_a_view_has_none() -> None:
    assert views.render(struct("main.Pod"), "p", lambda *_: None) == ()
    assert views.render({"kind": "ptr", "type": "*k8s.io/api/core/v1.Pod"}, "p", lambda *_: None) == ()


def test_the_queue_in_memory_is_read_in_old_and_new_releases() -> None:
    keys = {"kind": "slice", "type": "[]string", "len": 2, "children": [string("default/a"), string("b_shop")]}
    old = {"q.activeQ.data.queue": keys, "q.unschedulablePods.podInfoMap": mapping((string("c_shop"), number(1)))}
    new = {
        "q.(data).activeQ.(data).queue.data.queue": keys,
        "q.(data).activeQ.(data).inFlightPods": mapping((string("uid-1"), number(1))),
    }
    queue = struct("k8s.io/kubernetes/pkg/scheduler/internal/queue.PriorityQueue")
    lines = views.render(pointer(queue), "q", lambda expression, _load: old.get(expression))
    assert [line.split() for line in lines] == [
        ["activeQ", "2", "default/a,", "shop/b"],
        ["unschedulable", "1", "shop/c"],
    ]
    fresh = struct("k8s.io/kubernetes/pkg/scheduler/backend/queue.PriorityQueue")
    interface = {"kind": "interface", "type": "queue.SchedulingQueue", "children": [pointer(fresh)], "addr": 1}
    lines = views.render(interface, "q", lambda expression, _load: new.get(expression))
    assert [line.split() for line in lines] == [
        ["activeQ", "2", "default/a,", "shop/b"],
        ["in", "flight", "1", "uid-1"],
    ]


def test_roles_of_old_and_new_releases() -> None:
    base = "k8s.io/kubernetes/pkg/scheduler"
    assert roles.role_of(f"{base}.(*Scheduler).Run", "k8s.io/apimachinery/pkg/util/wait.UntilWithContext", "") == (
        "scheduling loop"
    )
    assert (
        roles.role_of(f"{base}.(*Scheduler).scheduleOne", f"{base}.(*Scheduler).scheduleOne.func1", "")
        == "binding"
    )
    assert roles.role_of(f"{base}.(*Scheduler).scheduleOnePod", "x", "") == "binding"
    assert roles.role_of(f"{base}/internal/queue.(*PriorityQueue).Run", "x", "") == "queue flush"
    assert roles.role_of("net/http.(*Server).Serve", "x", "") == "HTTP"
    assert roles.role_of("", "", "") == ""
    assert roles.role_of("a", "b", "c", goroutine=1) == "main"
