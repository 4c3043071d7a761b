"""What Go says while dlv builds."""

from __future__ import annotations

from schedtui.debugger.build_output import packages_built, without_packages

OUTPUT = """internal/abi
runtime
k8s.io/api/core/v1
example.org/small [example.org/small.test]
go: downloading k8s.io/api v0.36.3
# example.org/small
./main.go:7:2: undefined: nope
Type 'help' for list of commands.
"""


def test_packages_are_counted_and_the_rest_is_kept() -> None:
    assert packages_built(OUTPUT) == 4
    assert without_packages(OUTPUT).split("\n") == [
        "go: downloading k8s.io/api v0.36.3",
        "# example.org/small",
        "./main.go:7:2: undefined: nope",
        "Type 'help' for list of commands.",
    ]
