"""What the scheduler's goroutines do, told from where they were started and what they run.

Owns the table of roles (kube-scheduler 1.29 to 1.37 and the libraries in it) and nothing that talks to dlv.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from schedtui.debugger.model import Goroutine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from schedtui.debugger.model import Frame
    from schedtui.debugger.replies import Document

LOOP = "scheduling loop"
"""The role of the one goroutine that takes pods from the queue."""

BINDING = "binding"
"""The role of the goroutines that bind pods."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A goroutine has ``role`` when all that is named here is part of what is known of it."""

    role: str
    go: str = ""
    """Part of the name of the function with the ``go`` statement."""
    start: str = ""
    """Part of the name of the function that it began with."""
    current: str = ""
    """Part of the name of the function that it is in, the runtime left out."""


RULES: tuple[Rule, ...] = (
    Rule(LOOP, go="pkg/scheduler.(*Scheduler).Run", start="UntilWithContext"),
    Rule(LOOP, go="pkg/scheduler.(*Scheduler).Run"),
    Rule(BINDING, go="pkg/scheduler.(*Scheduler).scheduleOne"),
    Rule(BINDING, go="pkg/scheduler.(*Scheduler).ScheduleOne"),
    Rule(BINDING, go="pkg/scheduler.(*Scheduler).runBindingCycle"),
    Rule(BINDING, start="pkg/scheduler.(*Scheduler).bindingCycle"),
    Rule("queue flush", go="queue.(*PriorityQueue).Run"),
    Rule("API calls of the scheduler", go="api_dispatcher."),
    Rule("parallel filter or score", go="parallelize.Parallelizer"),
    Rule("parallel filter or score", go="client-go/util/workqueue.ParallelizeUntil"),
    Rule("preemption", go="framework/preemption."),
    Rule("cache", go="backend/cache."),
    Rule("cache", go="internal/cache."),
    Rule("leader election", go="tools/leaderelection."),
    Rule("informer", go="client-go/tools/cache."),
    Rule("informer", start="client-go/tools/cache."),
    Rule("informer", go="client-go/informers."),
    Rule("informer", go="apimachinery/pkg/watch."),
    Rule("informer", go="apimachinery/pkg/util/wait.(*Group)", current="tools/cache"),
    Rule("events", go="client-go/tools/events."),
    Rule("events", go="client-go/tools/record."),
    Rule("certificates and authentication", go="apiserver/pkg/server/dynamiccertificates"),
    Rule("certificates and authentication", go="apiserver/pkg/authentication"),
    Rule("HTTP", go="net/http."),
    Rule("HTTP", start="net/http."),
    Rule("HTTP", go="golang.org/x/net/http2"),
    Rule("HTTP", go="apiserver/pkg/server."),
    Rule("timers of client-go", go="client-go/util/"),
    Rule("timers of client-go", go="apimachinery/pkg/util/wait."),
    Rule("logging", go="klog"),
    Rule("logging", go="component-base/logs"),
    Rule("signals", start="os/signal."),
    Rule("signals", start="CacheDebugger).ListenForSignal"),
    Rule("signals", start="cmd/kube-scheduler/app.runCommand"),
    Rule("metrics", start="MetricAsyncRecorder"),
    Rule("waiting contexts", start="context.(*cancelCtx)"),
    Rule("informer", start="sync.(*WaitGroup).Go"),
    Rule("runtime", start="runtime."),
    Rule("runtime", go="runtime."),
)
"""The first that fits counts. Package paths of 1.29 and of 1.36 and 1.37 stand side by side."""


def role_of(go: str, start: str, current: str, goroutine: int = 0) -> str:
    """The role of a goroutine; empty when nothing fits."""
    if goroutine == 1:
        return "main"
    return next(
        (rule.role for rule in RULES if rule.go in go and rule.start in start and rule.current in current),
        "",
    )


def _names(document: Document) -> tuple[str, str, str]:
    return tuple(str(document.get(key, {}).get("function", "")) for key in ("go", "start", "user"))  # type: ignore[return-value]


def goroutine_from(document: Document, selected: int = 0) -> Goroutine:
    """A goroutine with its role."""
    go, start, current = _names(document)
    number = int(document.get("id", 0))
    place = document.get("user", {})
    return Goroutine(
        id=number,
        function=current,
        file=str(place.get("file", "")),
        line=int(place.get("line", 0)),
        role=role_of(go, start, current, number),
        selected=number == selected,
        status=STATUS.get(int(document.get("status", 0)), ""),
        start_function=start,
    )


STATUS = {0: "idle", 1: "runnable", 2: "running", 3: "system call", 4: "waiting", 6: "dead", 9: "preempted"}
"""Go's runtime states (``runtime2.go``: _Gidle …)."""


def find_scheduling_loop(documents: Iterable[Document]) -> int:
    """The scheduling loop's goroutine; 0 when there is none."""
    found = [document for document in documents if role_of(*_names(document)) == LOOP]
    # Run starts other goroutines too (the queue's closing one): the loop is the one that was started by wait.
    for document in found:
        _, start, current = _names(document)
        if "UntilWithContext" in start or "queue" in current or "cheduleOne" in current:
            return int(document["id"])
    return int(found[0]["id"]) if found else 0


SCHEDULER_CODE = ("k8s.io/kubernetes/pkg/scheduler", "k8s.io/kubernetes/cmd/kube-scheduler/", "main.")
"""How functions of the scheduler itself begin: neither Go's library nor client-go nor the API machinery."""


def first_own_frame(frames: Iterable[Frame], in_tree: Callable[[str], bool]) -> int:
    """The innermost frame that a person thinks of as the scheduler's; 0 when there is none.

    A goroutine that waits stands deep in a lock, a channel or a request to the API server. Its own code is that of
    the scheduler's packages or of the user's tree; failing both, what is not the machinery of Go.

    Args:
        frames: The stack, innermost first.
        in_tree: Tells whether a file belongs to the source tree.
    """
    stack = tuple(frames)
    return next((frame.index for frame in stack if is_own(frame, in_tree)), first_plain_frame(stack))


def is_own(frame: Frame, in_tree: Callable[[str], bool]) -> bool:
    """True for code of the scheduler's packages or of the user's tree."""
    return frame.function.startswith(SCHEDULER_CODE) or (
        bool(frame.function) and not frame.function.startswith("k8s.io/") and in_tree(frame.file)
    )


def first_plain_frame(frames: Iterable[Frame]) -> int:
    """The innermost frame outside the machinery of Go; 0 when there is none."""
    return next((frame.index for frame in frames if frame.function and not is_machinery(frame.function)), 0)


def panic_origin(frames: Iterable[Frame]) -> int:
    """The frame whose code panicked; 0 when there is none.

    A handler that panics again (apimachinery's ``HandleCrash`` does, so that the process ends) lies above the code
    that panicked first: the outermost ``runtime.gopanic`` is the one that this code ran into.
    """
    stack = tuple(frames)
    panics = [place for place, frame in enumerate(stack) if frame.function == "runtime.gopanic"]
    return first_plain_frame(stack[panics[-1] :] if panics else stack) or first_plain_frame(stack)


def is_machinery(function: str) -> bool:
    """True for Go's runtime and what blocks in its name."""
    return function.startswith(("runtime.", "runtime/", "sync.", "internal/", "syscall.", "time.Sleep", "_rt0_"))


def find_pod_workers(documents: Iterable[Document]) -> tuple[int, ...]:
    """Goroutines that may be at work on one pod, the binding ones first."""
    found = list(documents)
    binding = [int(d["id"]) for d in found if role_of(*_names(d)) == BINDING]
    loop = [int(d["id"]) for d in found if role_of(*_names(d)) == LOOP]
    return (*binding, *loop)
