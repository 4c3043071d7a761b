from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedtui.core import node_counts
from schedtui.core.events import read_event
from schedtui.core.klog import read_records
from schedtui.core.node_counts import count_nodes
from tests.sources.real_logs import real_log

HEADER = "I0301 10:00:00.000001       1 schedule_one.go:302] "
TRAP = (
    'E0301 10:00:00.000001       1 schedule_one.go:1060] "Error scheduling pod; retrying" err=<\n'
    "\tplugin returned:\n"
    '\tI0102 15:04:05.678901   12345 schedule_one.go:302] "Successfully bound pod to node" pod="f/p" node="fake"\n'
    "\t >\n"
    ' > pod="shop/cart-0" attempts=3\n'
)
CRI = "2023-03-07T07:30:52.193301924Z stderr "
JSON = (
    '{"ts":1678174252193.1,"caller":"scheduler/schedule_one.go:252","msg":"Successfully bound pod to node","v":2,'
    '"pod":{"name":"cart-0","namespace":"shop"},"node":"node-a","evaluatedNodes":3,"feasibleNodes":2}'
)


@pytest.fixture(params=["small", "large"], autouse=True)
def size_of_log(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Small logs are searched in another way than large ones."""
    if request.param == "large":
        monkeypatch.setattr(node_counts, "ENGINE_FROM_BYTES", 0)


def count(*texts: str | bytes) -> dict[str, int]:
    data = [text.encode() if isinstance(text, str) else text for text in texts]
    return count_nodes(([one] for one in data), several=len(data) > 1)


def expected(data: bytes) -> dict[str, int]:
    counts: dict[str, int] = {}
    for record in read_records(data):
        event = read_event(record)
        if event is not None and event.effect == "bound" and event.node:
            counts[event.node] = counts.get(event.node, 0) + 1
    return counts


@pytest.mark.parametrize("name", ["v1.36.3-v5-churn7.log", "v1.36.3-v5-mixed.json.log", "v1.36.3-v10-mixed.log"])
def test_real_logs_count_as_the_parser_counts(name: str) -> None:
    data = real_log(name)
    assert count(data) == expected(data)
    assert sum(count(data).values()) > 10


@pytest.mark.parametrize(("text", "node"), [
    (HEADER + '"Successfully bound pod to node" pod="shop/a" node="node-a" evaluatedNodes=1\n', "node-a"),
    (HEADER + '"Successfully bound pod to node" pod="shop/a" node="node-a"', "node-a"),
    (HEADER + '"Successfully bound pod to node" logger="x y" pod="a=b" node="n.example"\n', "n.example"),
    ("I0121 09:09:06.484882       1 scheduler.go:569] pod shop/cart-0 is bound successfully on node node-a, 500"
     " nodes evaluated, 500 nodes were found feasible\n", "node-a"),
    ('I0624 06:58:27.951646       1 scheduler.go:731] pod shop/cart-1 is bound successfully on node "node-a", 4'
     " nodes evaluated, 2 nodes were found feasible.\n", "node-a"),
    (JSON + "\n", "node-a"),
    (CRI + "F " + JSON + "\n", "node-a"),
    (CRI + "F " + HEADER + '"Successfully bound pod to node" pod="shop/a" node="node-a"\n', "node-a"),
    (CRI + "P " + HEADER + '"Successfully bound pod to\n' + CRI + 'F  node" pod="s/a" node="node-a"\n', "node-a"),
    ('{"log":"' + HEADER.strip() + ' \\"Successfully bound pod to node\\" pod=\\"s/a\\" node=\\"node-a\\"\\n",'
     '"stream":"stderr","time":"2020-03-10T09:00:00.000123456Z"}\n', "node-a"),
])  # fmt: skip
def test_every_wording_and_wrapper(text: str, node: str) -> None:
    assert count(text) == {node: 1}


@pytest.mark.parametrize("text", [
    TRAP,
    "\n".join("Feb 14 19:59:55 box kube-scheduler[7]: " + line.strip() for line in TRAP.splitlines()) + "\n",
    'pod to node" pod="shop/cart-1" node="node-b" evaluatedNodes=12 feasibleNodes=1\n',
    HEADER + 'FLAG: --x="is bound successfully on node"\n',
    HEADER + '"m" err="pod a/b is bound successfully on node c"\n',
    "no record at all, Successfully bound pod to node\n",
])  # fmt: skip
def test_what_is_no_binding(text: str) -> None:
    assert count(text) == expected(text.encode()) == {}


def test_two_files_that_share_lines() -> None:
    one = HEADER + '"Successfully bound pod to node" pod="shop/a" node="node-a"\n'
    two = one.replace("000001", "000002")
    assert count(one + two, one) == {"node-a": 2}
    assert count(one + one) == {"node-a": 2}


PARTS = (
    HEADER + '"Successfully bound pod to node" pod="shop/a" node="node-a" evaluatedNodes=1\n', TRAP, JSON + "\n",
    CRI + "F " + HEADER + '"Successfully bound pod to node" pod="shop/a" node="node-b"\n', "\n", "x\n",
)  # fmt: skip


@given(st.lists(st.sampled_from(PARTS), max_size=12), st.integers(1, 400))
def test_any_chunking_counts_the_same(parts: list[str], size: int) -> None:
    data = "".join(parts).encode()
    blocks = [data[place : place + size] for place in range(0, len(data), size)]
    assert count_nodes([blocks]) == count_nodes([[data]])


def test_numpy_is_not_needed() -> None:
    script = "import sys, schedtui.core.node_counts; print('numpy' in sys.modules, 're2' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout.split() == ["False", "False"]


WRAPPERS = {
    "cri": b"2026-11-30T07:50:25.408448123+00:00 stderr F %s",
    "journal": b"Nov 30 07:50:25 box kube-scheduler[7]: %s",
    "timestamps": b"2026-11-30T07:50:25.408448123Z %s",
    "compose": b"scheduler-1  | %s",
}


@pytest.mark.parametrize("wrapper", WRAPPERS)
@pytest.mark.parametrize("name", ["v1.36.3-v5-churn7.log", "v1.36.3-v5-mixed.json.log"])
def test_wrapped_logs_count_as_the_parser_counts(wrapper: str, name: str) -> None:
    data = b"".join(WRAPPERS[wrapper] % line + b"\n" for line in real_log(name).splitlines()[:4000])
    assert count(data) == expected(data)
    assert count(data)


def test_wrapped_lines_that_go_on_with_others_are_no_bindings() -> None:
    line = HEADER + '"Successfully bound pod to node" pod="shop/a" node="node-a"\n'
    journal = "Nov 30 07:50:25 box kube-scheduler[7]: "
    block = "".join(journal + each.lstrip("\t") for each in TRAP.splitlines(keepends=True))
    assert count(block) == expected(block.encode())
    cut = CRI + "P " + "I0301 10:00:00.000001       1 x.go:1] words\n" + CRI + "F " + line
    assert count(cut) == expected(cut.encode()) == {}
    assert count(CRI + "F " + line) == {"node-a": 1}


def test_a_file_without_line_breaks_is_cut_and_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("schedtui.core.node_counts.LONGEST_LINE", 1000)
    line = (HEADER + '"Successfully bound pod to node" pod="shop/a" node="node-a"\n').encode()
    assert count_nodes([[b"\0" * 300] * 40 + [b"\n", line[:50], line[50:]]]) == {"node-a": 1}
