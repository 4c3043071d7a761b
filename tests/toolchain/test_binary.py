from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from schedtui.core.errors import UnreadableInput
from schedtui.toolchain.binary import BinaryFacts, breakpoint_obstacle, parse_module_info, read_binary
from tests.toolchain.doctor_setup import build_program, kubernetes_tree

SCHEDULER = "k8s.io/kubernetes/pkg/scheduler"
QUEUE = "k8s.io/kubernetes/pkg/scheduler/backend/queue"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("binary")
    stamp = "-X 'k8s.io/component-base/version.gitVersion=v1.36.3' -X a.b=c"
    flags = ("-gcflags=k8s.io/kubernetes/...=-N -l", f"-ldflags={stamp}")
    build_program(kubernetes_tree(place / "kubernetes"), place / "kube-scheduler", *flags)
    return place / "kube-scheduler"


def facts(gcflags: str, main: str = "k8s.io/kubernetes/cmd/kube-scheduler") -> BinaryFacts:
    return BinaryFacts(
        Path("x"), 1, 0.0, "go1.26.8", main_package=main, modules={"k8s.io/kubernetes": "(devel)"},
        settings={"-compiler": "gc", "-gcflags": gcflags}, has_dwarf=True,
    )  # fmt: skip


def test_a_debug_build_is_read(program: Path) -> None:
    found = read_binary(program)
    assert found.go_version is not None and found.go_version >= (1, 24)
    assert found.main_package == "k8s.io/kubernetes/cmd/kube-scheduler"
    assert found.release == found.version_stamp == "v1.36.3"
    assert found.has_dwarf and found.has_symbols and found.is_scheduler and not found.trimmed
    assert breakpoint_obstacle(found) == ""


@pytest.mark.parametrize(
    ("gcflags", "package", "optimised"),
    [
        ("k8s.io/kubernetes/...=-N -l", SCHEDULER, False),
        ("k8s.io/kubernetes/...=-N -l", "k8s.io/client-go/rest", True),
        ("all=-N -l", "k8s.io/client-go/rest", False),
        ("all=-N", SCHEDULER, True),
        ("all=-l -N", QUEUE, False),
        ("-N -l", SCHEDULER, True),
        ("-N -l", "k8s.io/kubernetes/cmd/kube-scheduler", False),
        (f"{SCHEDULER}=-N -l", SCHEDULER, False),
        (f"{SCHEDULER}=-N -l", QUEUE, True),
        # Three ASCII dots are meant; Go ignores a pattern that matches nothing.
        ("k8s.io/kubernetes/…=-N -l", SCHEDULER, True),
        ("", SCHEDULER, True),
    ],
)
def test_which_packages_are_optimised(gcflags: str, package: str, optimised: bool) -> None:
    assert facts(gcflags).optimised(package) is optimised


def test_a_binary_without_settings_says_nothing_of_flags() -> None:
    found = BinaryFacts(Path("x"), 1, 0.0, "go1.17", modules={"k8s.io/kubernetes": "v1.23.0"}, has_dwarf=True)
    assert found.optimised(SCHEDULER) is None and breakpoint_obstacle(found) == "" and found.release == "v1.23.0"


def test_module_information() -> None:
    main, modules, found = parse_module_info(
        "path\texample.org/own\nmod\texample.org/own\t(devel)\t\n"
        "dep\tk8s.io/kubernetes\tv1.36.3\th1:x=\ndep\tk8s.io/api\tv0.0.0\t\n=>\tk8s.io/api\tv0.36.3\th1:y=\n"
        "dep\tk8s.io/local\tv0.0.0\n=>\t./staging/local\t\n"
        'build\t-gcflags="all=-N -l"\nbuild\tvcs.modified=true\nbuild\tCGO_CFLAGS=\n'
    )
    assert main == "example.org/own"
    assert modules == {
        "example.org/own": "(devel)", "k8s.io/kubernetes": "v1.36.3", "k8s.io/api": "v0.36.3",
        "k8s.io/local": "v0.0.0",
    }  # fmt: skip
    assert found == {"-gcflags": "all=-N -l", "vcs.modified": "true", "CGO_CFLAGS": ""}


@pytest.mark.parametrize("content", [b"", b"#!/bin/sh\n", b"\x7fELF", b"\x7fELF" + b"\0" * 60, b"MZ"])
def test_what_is_no_program(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(UnreadableInput):
        read_binary(tmp_path / "x")


def test_a_program_of_another_kind_is_no_go_program(tmp_path: Path) -> None:
    found = read_binary(Path("/bin/sh").resolve())
    assert found.go == "" and "no Go program" in breakpoint_obstacle(found)


@given(st.data())
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_damaged_program_never_breaks_the_reader(program: Path, tmp_path: Path, data: st.DataObject) -> None:
    content = bytearray(program.read_bytes())
    start = content.index(b"\xff Go buildinf:")
    zones = st.one_of(st.integers(4, 63), st.integers(start, start + 600), st.integers(0, len(content) - 1))
    for place, value in data.draw(st.lists(st.tuples(zones, st.integers(0, 255)), max_size=8)):
        content[place] = value
    length = data.draw(st.one_of(st.just(len(content)), st.integers(5, len(content))))
    (tmp_path / "damaged").write_bytes(content[:length])
    try:
        breakpoint_obstacle(read_binary(tmp_path / "damaged"))
    except UnreadableInput as error:
        assert error.title and error.where
