from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedtui.core.klog import parse_record
from schedtui.core.log_evaluation import Evaluation
from schedtui.core.log_filter import parse_filter
from schedtui.core.log_index import ChunkBuilder, YearHint, padded
from schedtui.core.log_sites import SiteTable
from tests.sources.real_logs import real_log

if TYPE_CHECKING:
    from schedtui.core.log_evaluation import Verdict

FILTERS = (
    "node:node-2", "node=node-2", "pod:gated-17", "pod:default/gated-17", "pod:gated-17*",
    "plugin:NodeResourcesFit", "queue=Backoff", "queue:back", "attempts=3", "attempts>2", "node-2", "NodeAdd",
    '"node-2"', "/node-2\\b/", "event=NodeAdd", "file:comparer.go", "!node:node-2", "type=pod",
    "pod:gated-17 | node:node-2", "plugin:DefaultPreemption", "plugin:TaintToleration", "plugin:DynamicResources",
    '"unschedulable plugins"="{\\"NodeResourcesFit\\": {}}"', 'names="[\\"a b\\", \\"c=d\\"]"', "v:? severity:I",
)  # fmt: skip

HEADER = b"I1130 08:15:24.000001   12567 x.go:214] "

LINES = (
    HEADER + b'"Pod moved" pod="default/gated-17" event="NodeAdd" queue="Backoff" attempts=3',
    HEADER + b'"Pod moved" pod="default/gated-170" node="node-21" attempts="3"',
    HEADER + b'"Pod moved" type="pod" entity="default/gated-17" queue="Backoff"',
    HEADER + b'"Pod moved" entity="default/gated-17" type="podgroup"',
    HEADER + b'"Cache mismatch" missedNodes=["node-1","node-2"] redundantNodes=[]',
    HEADER + b'"Cache mismatch" missedNodes=["node-1","node-2" redundantNodes=["node-2"',
    HEADER + b'"moved" unschedulable plugins={"NodeAffinity":{},"NodeResourcesFit":{}} node="a" node="node-2"',
    HEADER + b'"moved" unschedulable plugins={"NodeResourcesFit":{"x":1}} pod="gated-17"',
    HEADER + b'"moved" err="node=\\"node-2\\" plugin \\"NodeResourcesFit\\" pod=default/gated-17"',
    HEADER + b'"moved" err="no node=" node="node-2" text=" node="',
    HEADER + b'"twice" node="node-2" node="node-3" pod="default/gated-17" pod="x/y"',
    HEADER + b'"a key of two words" some node="node-2" other queue="Backoff" my pod="default/gated-17"',
    HEADER + b'"bare" x=1 node="node-2" y=a b pod="default/gated-17" queue="Backoff"',
    HEADER + b'no quotes node="node-2" pod="default/gated-17"',
    HEADER + b'"block" dump=<',
    b'\tnode="node-2" pod="default/gated-17"',
    b' > node="node-3"',
    b' > node="node-2" queue="Backoff"',
    b'plain node="node-2"',
    b'{"ts":1796025520847.0527,"caller":"x.go:64","msg":"m","v":1,"node":"node-2",'
    b'"pod":{"name":"gated-17","namespace":"default"}}',
    b'{"log":"I1130 08:15:24.000001 1 x.go:2] \\"m\\" node=\\"node-2\\"\\n","stream":"stderr"}',
    b'2026-11-30T08:15:24Z stderr F ' + HEADER + b'"m" node="node-2" queue="Backoff"',
    HEADER + b'"m" logger="PostFilter.DefaultPreemption" pod="default/gated-17"',
    HEADER + b'"m" logger="Filter.TaintToleration" err="running \\"x\\" filter plugin \\"DynamicResources\\""',
    HEADER + b'"moved" unschedulable plugins={"NodeResourcesFit":{}} names=["a b","c=d"]',
    HEADER + b'"moved" names=["c=d"] unschedulable plugins=map[NodeResourcesFit:{}]',
    HEADER + b"Setting nominated node name for default/gated-17 to node-2.",
    HEADER + b'pod default/gated-17 is bound successfully on node "node-2", 4 nodes evaluated,'
    b" 2 nodes were found feasible.",
    b'{"_BOOT_ID":"x","MESSAGE":"I1130 08:15:24.000001 1 x.go:2] \\"m\\" node=\\"node-2\\""}',
    b"E",
)  # fmt: skip


def verdict_of(text: str, data: bytes) -> tuple[Verdict, list[bool]]:
    sites = SiteTable()
    chunk = ChunkBuilder(sites).build(padded(data), len(data), 0, YearHint(2026), whole=True)
    assert chunk is not None
    node = parse_filter(text).node
    starts = chunk.starts.astype(np.int64)
    records = [parse_record(data[chunk.start(i) : chunk.stop(i)]) for i in range(len(chunk))]
    return Evaluation(chunk, sites, 0, len(chunk), data, starts).verdict(node), list(map(node.matches, records))


def assert_right(text: str, data: bytes) -> Verdict:
    verdict, expected = verdict_of(text, data)
    for sure, undecided, right in zip(verdict.sure.tolist(), verdict.open.tolist(), expected, strict=True):
        assert not (sure and undecided)
        assert undecided or sure == right
    return verdict


@given(st.lists(st.sampled_from(LINES), min_size=1, max_size=25), st.sampled_from(FILTERS))
def test_what_is_said_without_parsing_is_right(lines: list[bytes], text: str) -> None:
    assert_right(text, b"\n".join(lines) + b"\n")


@pytest.mark.parametrize("text", FILTERS)
@pytest.mark.parametrize("name", ["v1.36.3-v5-churn7.log", "v1.36.3-v5-mixed.json.log", "v1.37.2-v5-stalled.log"])
def test_real_logs_are_judged_as_their_records(name: str, text: str) -> None:
    assert_right(text, real_log(name)[:600_000].rpartition(b"\n")[0] + b"\n")


def test_usual_pairs_need_no_parsing() -> None:
    data = b"\n".join(LINES[:14]) + b"\n"
    for text, sure in (("node:node-2", [4, 6]), ("pod:gated-17", [0, 2]), ("queue=Backoff", [0, 2])):
        found = np.flatnonzero(assert_right(text, data).sure).tolist()
        assert set(found) >= set(sure), text
