"""Which frame of a stack is shown first."""

from __future__ import annotations

from schedtui.debugger.model import Frame
from schedtui.debugger.roles import panic_origin

FILTER = "k8s.io/kubernetes/pkg/scheduler/framework/plugins/noderesources.(*Fit).Filter"
CRASH = "k8s.io/apimachinery/pkg/util/runtime.handleCrash"


def stack(*functions: str) -> tuple[Frame, ...]:
    return tuple(Frame(index, function, "", 0) for index, function in enumerate(functions))


def test_a_panic_began_where_the_code_panicked_not_in_the_handler_that_panicked_again() -> None:
    again = stack(
        "runtime.fatalpanic",
        "runtime.gopanic",
        CRASH,
        "runtime.gopanic",
        "runtime.panicmem",
        "runtime.sigpanic",
        FILTER,
    )
    assert panic_origin(again) == 6
    assert panic_origin(stack("runtime.fatalpanic", "runtime.gopanic", "main.main")) == 2
    assert panic_origin(stack("runtime.fatalthrow", "runtime.throw", "main.lock")) == 2


def test_a_stack_that_ends_in_the_machinery_falls_back() -> None:
    assert panic_origin(stack("runtime.gopanic", CRASH, "runtime.gopanic")) == 1
    assert panic_origin(()) == 0
