from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedtui.core.exit_cause import (
    ExitFacts,
    explain_disk,
    explain_exit,
    explain_stall,
    newer_minor,
    unsynced_kinds,
    with_own_checks,
)
from schedtui.core.exit_rules import DISK_RULES, EXIT_RULES, STALL_RULES

DATA = Path(__file__).parent.parent / "data"

HEADER = "E1130 10:17:50.881113    4882 run.go:72] "


def failed(reason: str) -> str:
    return f'{HEADER}"command failed" err="{reason}"'


def watch(reason: str) -> str:
    return (
        'E1130 10:06:43.267893   24917 reflector.go:227] "Failed to watch" err="failed to list *v1.Node: '
        f'{reason}" logger="UnhandledError" type="*v1.Node"'
    )


# What kube-schedulers of 1.29.0 and 1.36.3 print when started so; paths and names are invented.
SYMPTOMS = [
    ("unknown-flag", "Error: unknown flag: --nope", "--nope"),
    ("unknown-flag", "Error: unknown shorthand flag: 'x' in -x", "'x' in -x"),
    ("bad-flag", 'Error: invalid argument "x" for "-v, --v" flag: strconv.ParseUint: parsing "x"', '"-v, --v"'),
    ("feature-gate", failed("unrecognized feature gate: Nope"), "Nope"),
    (
        "port-in-use",
        failed(
            "failed to create listener: failed to listen on 0.0.0.0:10259: listen tcp 0.0.0.0:10259:"
            " bind: address already in use"
        ),
        "0.0.0.0:10259",
    ),
    ("kubeconfig-missing", failed("stat /home/dev/kubeconfig: no such file or directory"), "/home/dev/kubeconfig"),
    (
        "kubeconfig-broken",
        failed(r"error loading config file \"k.yaml\": yaml: line 1: did not find expected ',' or ']'"),
        "line 1",
    ),
    (
        "kubeconfig-kind",
        failed(r"error loading config file \"k.yaml\": no kind \"Pod\" is registered for version"),
        "k.yaml is given as kubeconfig but is a Pod",
    ),
    (
        "kubeconfig-permission",
        failed(r"error loading config file \"/k.yaml\": open /k.yaml: permission denied"),
        "/k.yaml",
    ),
    (
        "context-missing",
        failed("invalid configuration: [context was not found for specified context: other, cluster has no]"),
        "context other,",
    ),
    (
        "credential-file-missing",
        failed(
            "invalid configuration: [unable to read client-cert /no/x.crt for dev due to open /no/x.crt: no such"
            " file or directory, unable to read certificate-authority /no/ca.crt for c due to open /no/ca.crt: no"
            " such file or directory]"
        ),
        "/no/x.crt (client-cert of dev)",
    ),
    (
        "no-kubeconfig",
        failed("invalid configuration: no configuration has been provided, try setting KUBERNETES_MASTER"),
        "no kubeconfig",
    ),
    ("config-missing", failed("open nothere.yaml: no such file or directory"), "nothere.yaml"),
    ("config-directory", failed("read /etc/kube: is a directory"), "/etc/kube"),
    ("config-broken", failed("yaml: line 1: did not find expected ',' or ']'"), "line 1"),
    (
        "config-kind",
        failed(r"no kind \"Pod\" is registered for version \"v1\" in scheme \"pkg/runtime/scheme.go:111\""),
        "A Pod of v1",
    ),
    (
        "config-kind-unknown",
        failed(
            r'no kind \"KubeSchedulerConfig\" is registered for version \"kubescheduler.config.k8s.io/v1\"'
            r' in scheme \"pkg/scheduler/apis/config/scheme/scheme.go:29\"'
        ),
        "KubeSchedulerConfig:",
    ),
    (
        "config-version",
        failed(
            r"no kind \"KubeSchedulerConfiguration\" is registered for version"
            r" \"kubescheduler.config.k8s.io/v1beta2\" in scheme \"pkg/runtime/scheme.go:111\""
        ),
        "v1beta2",
    ),
    ("config-unknown-field", failed(r"strict decoding error: unknown field \"foo\""), "field foo,"),
    (
        "config-value",
        failed(
            "json: cannot unmarshal string into Go struct field KubeSchedulerConfiguration.parallelism"
            " of type int32"
        ),
        "parallelism must be int32, but is a string",
    ),
    (
        "config-plugin",
        failed(r"initializing profiles: creating profile for x: FilterPlugin \"Nope\" does not exist"),
        'FilterPlugin "Nope" does not exist',
    ),
    (
        "config-invalid-value",
        failed("parallelism: Invalid value: -1: should be an integer value greater than zero"),
        "-1: should be",
    ),
    ("disk-full", failed("write /run/s/apiserver.crt: no space left on device"), "/run/s/apiserver.crt"),
    ("disk-full-somewhere", "log: exiting because of error: no space left on device", "The disk is full"),
    ("disk-quota", failed("write /run/s/apiserver.crt: disk quota exceeded"), "quota"),
    ("panic", "panic: runtime error: index out of range [0] with length 0", "index out of range"),
    ("certificate-expired", watch("x509: certificate has expired or is not yet valid: today is after"), "after"),
    ("certificate-unknown-authority", watch("x509: certificate signed by unknown authority"), "authority"),
    ("certificate-name", watch("x509: certificate is valid for kubernetes, not localhost"), "not localhost"),
    ("unauthorized", watch("Unauthorized"), "does not accept the credentials"),
    ("credential-plugin", watch("getting credentials: exec: executable x not found"), "executable x not found"),
    (
        "forbidden",
        watch(r"nodes is forbidden: User \"bob\" cannot list resource \"nodes\" in API group \"\" at"),
        "bob cannot list nodes",
    ),
    ("server-name-unknown", watch("dial tcp: lookup api.example on 10.0.0.2:53: no such host"), "api.example"),
    ("server-unreachable", watch("dial tcp 127.0.0.1:6443: connect: connection refused"), "127.0.0.1:6443"),
    ("server-speaks-https", watch("the server rejected our request for an unknown reason (get nodes)"), "HTTPS"),
]  # fmt: skip


@pytest.mark.parametrize(("expected", "line", "said"), SYMPTOMS)
def test_each_symptom_is_named(expected: str, line: str, said: str) -> None:
    noise = ["I1130 10:17:50.881113    4882 serving.go:411] Generated self-signed cert in-memory"]
    cause = explain_exit(ExitFacts(log_tail=[*noise, line], status=1))
    assert cause.id == expected
    assert said in cause.title
    assert cause.advice and line in cause.evidence


@pytest.mark.parametrize(("expected", "line", "said"), [row for row in SYMPTOMS if row[1].startswith(HEADER)])
def test_the_same_in_json_logs(expected: str, line: str, said: str) -> None:
    reason = line.partition('err="')[2][:-1]
    entry = f'{{"ts":1764497870881.1,"caller":"cli/run.go:72","msg":"command failed","err":"{reason}"}}'
    cause = explain_exit(ExitFacts(log_tail=[entry], status=1))
    assert cause.id == expected
    assert said in cause.title


def test_every_rule_can_be_filled_in() -> None:
    rules = (*DISK_RULES, *EXIT_RULES, *STALL_RULES)
    for rule in rules:
        names = set(rule.pattern.groupindex) | {
            "kubeconfig_file", "kubeconfig_option", "config_file", "port_number", "release", "paused",
        }  # fmt: skip
        assert rule.title.format_map(dict.fromkeys(names, "x"))
        assert rule.advice.format_map(dict.fromkeys(names, "x"))
    assert len({rule.id for rule in rules}) == len(rules)


ETCD_ON_A_FULL_DISK = (
    '{"level":"fatal","ts":"2026-11-30T13:17:28.696699Z","caller":"backend/batch_tx.go:282","msg":"failed to'
    ' commit tx","error":"write /lab/etcd/member/snap/db: no space left on device","stacktrace":"go.etcd.io/etcd"}'
)


def test_what_a_part_could_not_write_is_named() -> None:
    cause = explain_disk([ETCD_ON_A_FULL_DISK])
    assert cause is not None
    assert (cause.id, cause.title) == (
        "disk-full", "The disk is full: /lab/etcd/member/snap/db could not be written"
    )  # fmt: skip
    assert "go clean -cache" in cause.advice
    assert explain_disk(["E1130 10:17:50.881113    4882 run.go:72] no space in the queue"]) is None


def test_a_full_disk_goes_before_what_follows_from_it() -> None:
    lines = [ETCD_ON_A_FULL_DISK, "panic: cannot go on", failed("listen tcp :1: bind: address already in use")]
    assert explain_exit(ExitFacts(log_tail=lines, status=1)).id == "disk-full"
    stall = explain_stall(ExitFacts(log_tail=[watch("etcdserver: mvcc: database space exceeded")], status=1))
    assert stall is not None and stall.id == "etcd-full"


LEASE = [
    "E0301 10:00:31.000000   41 leaderelection.go:332] error retrieving resource lock kube-system/kube-scheduler:"
    " context deadline exceeded",
    "I0301 10:00:31.000100   41 leaderelection.go:285] failed to renew lease kube-system/kube-scheduler: timed out"
    " waiting for the condition",
    'E0301 10:00:31.000200   41 server.go:242] "Leaderelection lost"',
    "Process 27568 has exited with status 1",
]


def test_a_lease_lost_while_paused_names_the_pause() -> None:
    cause = explain_exit(ExitFacts(log_tail=LEASE, status=1, paused_seconds=31.2))
    assert cause.id == "lease-lost"
    assert "while paused 31 s" in cause.title
    assert "--leader-elect=false" in cause.advice


def test_a_lease_lost_without_a_pause_blames_no_pause() -> None:
    assert "paused" not in explain_exit(ExitFacts(log_tail=LEASE, status=1, paused_seconds=0.5)).title


def test_a_fatal_exit_that_dumps_all_goroutines() -> None:
    dump = [f"goroutine {number} [select]:" if number % 3 == 0 else "main.x(...)" for number in range(900)]
    tail = ["F0301 10:00:31.000000   41 server.go:205] leaderelection lost", *dump]
    assert explain_exit(ExitFacts(log_tail=tail, status=255)).id == "lease-lost"


def test_a_reason_in_a_block_is_shown_whole() -> None:
    tail = [
        'E1130 10:17:51.672894    4928 run.go:72] "command failed" err=<',
        "\tObject 'apiVersion' is missing in 'kind: KubeSchedulerConfiguration",
        "\t'",
        " >",
    ]
    cause = explain_exit(ExitFacts(log_tail=tail, status=1))
    assert cause.id == "config-no-version"
    assert "lacks apiVersion" in cause.title


def test_what_the_log_does_not_say_comes_from_own_checks() -> None:
    facts = ExitFacts(
        log_tail=['E1 x] "nothing known"'],
        status=1,
        own_checks=(("server", "it refuses connections"),),
    )
    cause = explain_exit(facts)
    assert cause.id == "check-server" and not cause.certain
    assert "refuses connections" in cause.title


def test_own_checks_that_come_later_decide_where_the_log_said_nothing() -> None:
    silent = (
        'E1130 10:06:44.655203 24894 server.go:295] "handlers are not fully synchronized" err="context canceled"'
    )
    named = explain_exit(ExitFacts(log_tail=[silent], status=1))
    assert named.id == "informers-silent" and not named.certain
    later = with_own_checks(named, (("server", "it refuses connections"), ("port", "taken")))
    assert later.id == "check-server" and later.also == ("doctor (port): taken",)
    flag = explain_exit(ExitFacts(log_tail=["Error: unknown flag: --x"]))
    assert with_own_checks(flag, (("server", "no answer"),)).id == "unknown-flag"
    assert with_own_checks(flag, ()) == flag


def test_own_checks_stand_beside_a_cause_from_the_log() -> None:
    facts = ExitFacts(log_tail=["Error: unknown flag: --x"], own_checks=(("server", "no answer"),))
    assert explain_exit(facts).also == ("doctor (server): no answer",)


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        (ExitFacts(status=0), "ended"),
        (ExitFacts(signal=9), "signal"),
        (ExitFacts(status=2), "unknown"),
        (ExitFacts(), "unknown"),
    ],
)
def test_an_exit_without_words(facts: ExitFacts, expected: str) -> None:
    cause = explain_exit(facts)
    assert cause.id == expected and cause.title and cause.advice


def test_the_log_of_a_newer_scheduler_on_an_older_server() -> None:
    with gzip.open(DATA / "v1.37.2-v5-stalled.log.gz", "rt", errors="replace") as stream:
        lines = stream.read().splitlines()
    cause = explain_stall(ExitFacts(log_tail=lines, release="v1.37.2", server_release="v1.36.3"))
    assert cause is not None and cause.id == "informers-unsynced"
    assert "v1.DeviceTaintRule" in cause.title and "server v1.36.3" in cause.title
    assert unsynced_kinds(lines) == ("v1.DeviceTaintRule",)
    ended = explain_exit(ExitFacts(log_tail=lines, status=1))
    assert ended.id == "informers-unsynced"


def test_waiting_for_the_lease_explains_why_nothing_happens() -> None:
    waiting = 'I1130 10:18:32.354813 5501 leaderelection.go:258] "Attempting to acquire leader lease..." lock="x"'
    got = 'I1130 10:18:32.371269 5501 leaderelection.go:272] "Successfully acquired lease" lock="x"'
    cause = explain_stall(ExitFacts(log_tail=[waiting]))
    assert cause is not None and cause.id == "waiting-for-lease"
    assert explain_stall(ExitFacts(log_tail=[waiting, got])) is None


@pytest.mark.parametrize(
    ("scheduler", "server", "newer"),
    [
        ("v1.37.2", "v1.36.3", True),
        ("v1.36.3", "v1.36.9", False),
        ("v1.29.0", "v1.36.3", False),
        ("", "v1.36", False),
    ],
)
def test_which_of_two_releases_is_newer(scheduler: str, server: str, newer: bool) -> None:
    assert newer_minor(scheduler, server) is newer


@given(st.lists(st.text(max_size=300)), st.integers() | st.none())
def test_any_text_gets_an_answer(lines: list[str], status: int | None) -> None:
    cause = explain_exit(ExitFacts(log_tail=lines, status=status))
    assert cause.title and cause.advice


def test_a_line_of_300000_characters_costs_nothing() -> None:
    line = failed("x" * 300_000 + " bind: address already in use")
    assert explain_exit(ExitFacts(log_tail=[line] * 50, status=1)).id == "unknown"
