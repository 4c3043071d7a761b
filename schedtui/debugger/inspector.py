"""Looks at the stopped target: where it is, its stack, values, watches and goroutines.

Owns what is remembered between two stops (earlier values, watched expressions, the selected frame). It moves
nothing: the target stays where it is.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from schedtui.core.errors import DebuggerFailed
from schedtui.debugger import documents, roles, values, views
from schedtui.debugger.conversation import starlark_text
from schedtui.debugger.model import Frame, Goroutine, Stop, Variable
from schedtui.debugger.replies import Document, read_banner

if TYPE_CHECKING:
    from schedtui.debugger.conversation import Conversation
    from schedtui.debugger.paths import PathMap
    from schedtui.debugger.replies import Reply

STACK_DEPTH = 50
"""Frames that are loaded at a stop."""

DEEPEST_STACK = 500
"""Frames that are loaded when a goroutine was interrupted deep in libraries (an encoder that calls itself for each
level of an object), so that none of its own code is among the usual ones."""

USUAL_LOAD = "1, 128, 16"
"""Levels, bytes of a string, elements of a slice or map that are loaded at a stop."""

MORE_LOAD = "1, 4096, 64"
"""The same when a person opens a value."""

FULL_LOAD = "3, 1048576, 1024"
"""The same when a person asks for all of it."""

GOROUTINE_LIMIT = 20_000
"""Goroutines that are looked through for the scheduling loop or a pod."""

CALLER_FRAMES = 12
"""How far up the stack a name is looked for that the selected frame does not know."""

POD_FRAMES = 8
"""Frames of the scheduler's own code that are looked through for a pod, innermost first."""

PANIC_BREAKPOINTS = {-1: "panic", -2: "fatal error"}
"""Numbers of dlv's own breakpoints."""

Reason = Literal["entry", "breakpoint", "step", "interrupt", "watch", "panic", "unknown"]


class Inspector:
    """Reads the stopped target through dlv.

    Args:
        talk: The conversation with dlv.
        paths: Where the binary's files lie here.
        watches: Expressions to show at each stop.
    """

    def __init__(self, talk: Conversation, paths: PathMap, watches: tuple[str, ...] = ()) -> None:
        self._talk = talk
        self._paths = paths
        self.watches = list(watches)
        self._before: dict[str, str] = {}
        self._shown: dict[str, str] = {}
        self._told_optimised = False
        self.stop: Stop | None = None
        self.frame = 0

    def forget(self) -> None:
        """The target is another one: nothing can be compared with it."""
        self._before, self._shown, self.stop, self.frame = {}, {}, None, 0

    # --- a stop -----------------------------------------------------------------------------------------------

    def look(self, reason: Reason, text: str = "", *, note: str = "") -> Stop:
        """Everything to show of the target that just stopped.

        Args:
            reason: What brought it to a stop, when dlv tells nothing better.
            text: What dlv printed.
            note: What the user should know besides.

        Raises:
            SessionLost: dlv is gone.
            DebuggerFailed: The target cannot be looked at (it has exited).
        """
        self._before, self._shown = self._shown, {}
        reply = self._talk.documents(f"schedtui_stop {STACK_DEPTH}")
        state: Document = reply.documents.get("state", {})
        if reason in ("interrupt", "unknown") and not state.get("breakpoint"):
            goroutines = self._goroutine_documents(GOROUTINE_LIMIT)[0]
            if goroutines:
                reply, state = self._to_the_loop(reply, state, goroutines)
            else:
                # It has not begun yet: a server elsewhere whose target was never let go, or a very early stop.
                reason = "entry"
        stop = self._stop_of(state, reply.documents.get("stack", []), reason, text)
        if stop.reason == "interrupt" and self._stands_too_deep(stop):
            reply = self._talk.documents(f"schedtui_stop {DEEPEST_STACK}")
            stop = self._stop_of(state, reply.documents.get("stack", []), reason, text)
        self.frame = self._first_own_frame(stop)
        if self.frame:
            self._talk.ask(f"frame {self.frame}")
        if reason == "interrupt" and stop.reason == "interrupt" and stop.frames:
            stop = replace(stop, title=f"interrupted in {_where(stop.frames[self.frame])}")
        if stop.optimised and not note and not self._told_optimised:
            self._told_optimised = True
            note = "optimised code: lines jump and values are missing; build with -N -l"
        stop = self._with_values(replace(stop, note=note, selected_frame=self.frame))
        self.stop = stop
        return stop

    def elsewhere(self) -> bool:
        """True when dlv's selected goroutine or frame is another than ours: something was typed."""
        if self.stop is None:
            return False
        state = self._talk.ask("schedtui_state").documents.get("state", {})
        goroutine = int(state.get("goroutine", {}).get("id", 0))
        return goroutine != self.stop.goroutine or int(state.get("frame", 0)) != self.frame

    def look_again(self) -> Stop | None:
        """The same stop after something was typed that may have changed goroutine, frame or values."""
        if self.stop is None:
            return None
        reply = self._talk.documents(f"schedtui_stop {STACK_DEPTH}")
        state = reply.documents.get("state", {})
        stop = self._stop_of(state, reply.documents.get("stack", []), self.stop.reason, "")
        self.frame = min(int(state.get("frame", 0)), max(0, len(stop.frames) - 1))
        self.stop = self._with_values(
            replace(stop, selected_frame=self.frame, title=self.stop.title, note=self.stop.note, at=self.stop.at)
        )
        return self.stop

    def annotate(self, note: str) -> Stop:
        """The present stop with a note."""
        assert self.stop is not None
        self.stop = replace(self.stop, note=note)
        return self.stop

    def frame_of_pod(self, pod: str) -> bool:
        """True when a frame of the selected goroutine has ``pod`` in hand; that frame is selected then.

        The loop often waits for workers of its own, frames below the one that knows the pod.
        """
        if self.stop is None:
            return False
        if self.stop.pod == pod:
            return True
        beyond = [frame for frame in self.stop.frames if frame.index > self.frame]
        own = [frame.index for frame in beyond if roles.is_own(frame, self._paths.in_tree)]
        for index in own[:POD_FRAMES]:
            stop = self.select_frame(index)
            if stop is not None and stop.pod == pod:
                return True
        return False

    def select_frame(self, index: int) -> Stop | None:
        """Show another frame.

        Raises:
            DebuggerFailed: There is no such frame.
        """
        if self.stop is None:
            return None
        if not 0 <= index < len(self.stop.frames):
            raise DebuggerFailed("There is no such frame", where=str(index))
        reply = self._talk.ask(f"frame {index}")
        if reply.failure:
            raise DebuggerFailed(reply.failure)
        self.frame = index
        self.stop = self._with_values(replace(self.stop, selected_frame=index))
        return self.stop

    def select_goroutine(self, goroutine: int, note: str = "") -> Stop | None:
        """Make another goroutine the selected one.

        Raises:
            DebuggerFailed: There is no such goroutine.
        """
        reply = self._talk.ask(f"goroutine {goroutine}")
        if reply.failure:
            raise DebuggerFailed(reply.failure, where=f"goroutine {goroutine}")
        earlier = self.stop
        found = self._talk.documents(f"schedtui_stop {STACK_DEPTH}")
        stop = self._stop_of(found.documents.get("state", {}), found.documents.get("stack", []), "unknown", "")
        self.frame = self._first_own_frame(replace(stop, reason="unknown"))
        if earlier is not None:
            stop = replace(stop, reason=earlier.reason, title=earlier.title, at=earlier.at)
        if self.frame:
            self._talk.ask(f"frame {self.frame}")
        self.stop = self._with_values(replace(stop, selected_frame=self.frame, note=note))
        return self.stop

    def _to_the_loop(self, reply: Reply, state: Document, goroutines: list[Document]) -> tuple[Reply, Document]:
        """After an interrupt: the goroutine that the user thinks of, not the thread that happened to stop."""
        earlier = self.stop.goroutine if self.stop else 0
        wanted = roles.find_scheduling_loop(goroutines) or earlier or 1
        if state.get("goroutine", {}).get("id") == wanted:
            return reply, state
        if self._talk.ask(f"goroutine {wanted}").failure and wanted != 1:
            # The goroutine of the last stop has ended since.
            self._talk.ask("goroutine 1")
        reply = self._talk.documents(f"schedtui_stop {STACK_DEPTH}")
        return reply, reply.documents.get("state", {})

    def _stop_of(self, state: Document, stack: Document, reason: Reason, text: str) -> Stop:
        breakpoint_ = state.get("breakpoint") or {}
        number = int(breakpoint_.get("id", 0))
        banner = read_banner(text)
        if number in PANIC_BREAKPOINTS:
            reason = "panic"
        elif breakpoint_.get("watch") or (banner and banner.watched):
            reason = "watch"
        elif number > 0:
            reason = "breakpoint"
        frames = tuple(
            Frame(
                i,
                str(frame.get("function", "")),
                self._paths.here(str(frame.get("file", ""))),
                int(frame.get("line", 0)),
            )
            for i, frame in enumerate(stack)
        )
        optimised = bool(stack and stack[0].get("optimized") and not roles.is_machinery(frames[0].function))
        return Stop(
            reason=reason,
            title=_title(reason, breakpoint_, frames, text),
            goroutine=int(state.get("goroutine", {}).get("id", 0)),
            breakpoint_id=max(0, number),
            frames=frames,
            at=time.time(),
            optimised=optimised,
            returned=values.variables_from(state.get("returned", ())),
        )

    def _first_own_frame(self, stop: Stop) -> int:
        """The frame to show first: the innermost one for a breakpoint or a step, else one that tells something."""
        if stop.reason in ("breakpoint", "step", "entry", "watch"):
            return 0
        if stop.reason == "panic":
            return roles.panic_origin(stop.frames)
        return roles.first_own_frame(stop.frames, self._paths.in_tree)

    def _stands_too_deep(self, stop: Stop) -> bool:
        """The scheduler's own code lies beyond the frames that were loaded."""
        own = any(roles.is_own(frame, self._paths.in_tree) for frame in stop.frames)
        return len(stop.frames) >= STACK_DEPTH and not own

    def _with_values(self, stop: Stop) -> Stop:
        arguments: tuple[Variable, ...] = ()
        found: tuple[Variable, ...] = ()
        if stop.frames:
            reply = self._talk.ask(f"schedtui_variables {stop.selected_frame}, {USUAL_LOAD}")
            arguments = values.variables_from(reply.documents.get("arguments", ()))
            found = values.variables_from(reply.documents.get("locals", ()))
        watches = tuple(self.evaluate(expression, quiet=True) for expression in self.watches)
        self._shown.update(values.texts((*arguments, *found, *watches)))
        arguments, found, watches = (values.marked(group, self._before) for group in (arguments, found, watches))
        pod = self._pod_among((*arguments, *found))
        return replace(stop, arguments=arguments, locals=found, watches=watches, pod=pod)

    def _pod_among(self, variables: tuple[Variable, ...]) -> str:
        """``ns/name`` of the pod that the frame has in hand; empty when there is none."""
        for expression in views.pod_expressions(variables):
            meta = self._document(f"{expression}.ObjectMeta", USUAL_LOAD)
            if meta is None:
                continue
            namespace, name = (documents.plain(documents.member(meta, part)) for part in ("Namespace", "Name"))
            if name:
                return f"{namespace}/{name}" if namespace else name
        return ""

    # --- values -----------------------------------------------------------------------------------------------

    def evaluate(self, expression: str, *, load: str = USUAL_LOAD, quiet: bool = False) -> Variable:
        """The value of an expression in the selected frame.

        Args:
            expression: As dlv reads it.
            load: How much of it.
            quiet: Answer with an unreadable value instead of raising.

        Raises:
            DebuggerFailed: dlv cannot evaluate it.
        """
        reply = self._ask_for(expression, load)
        document = reply.documents.get("value")
        if document is None:
            reason = reply.failure or reply.text or "no answer"
            if not quiet:
                raise DebuggerFailed(reason, where=expression)
            return Variable(expression, "", f"({reason})", expression=expression, unreadable=reason)
        return values.variable_from({**document, "name": expression}, expression)

    def _ask_for(self, expression: str, load: str, frame: int | None = None) -> Reply:
        number = self.frame if frame is None else frame
        return self._talk.ask(f"schedtui_eval {starlark_text(expression)}, {number}, {load}")

    def _document(self, expression: str, load: str, frame: int | None = None) -> Document | None:
        return self._ask_for(expression, load, frame).documents.get("value")

    def view(self, expression: str, frame: int | None = None) -> tuple[str, ...]:
        """The Kubernetes view of an expression's value; empty when its type has none."""
        document = self._document(expression, USUAL_LOAD, frame)
        if document is None:
            return ()
        return views.render(document, expression, lambda part, load: self._document(part, load, frame))

    def frames_that_know(self, expression: str) -> tuple[int, ...]:
        """The frames above the selected one in which an expression can be evaluated."""
        frames = self.stop.frames if self.stop else ()
        numbers = range(self.frame + 1, min(len(frames), self.frame + CALLER_FRAMES))
        return tuple(number for number in numbers if self._document(expression, "0, 16, 1", number) is not None)

    def open(self, expression: str, *, full: bool = False) -> Variable:
        """The value of an expression with more of it loaded, and a Kubernetes view where there is one.

        Raises:
            DebuggerFailed: dlv cannot evaluate it.
        """
        variable = self.evaluate(expression, load=FULL_LOAD if full else MORE_LOAD)
        if (page := values.read_page(expression)) is not None:
            return values.renumbered(variable, *page)
        return replace(variable, view=self.view(expression))

    # --- goroutines -------------------------------------------------------------------------------------------

    def goroutines(self, limit: int) -> tuple[tuple[Goroutine, ...], int]:
        """The target's goroutines with their roles, and how many there are."""
        documents, total = self._goroutine_documents(limit)
        selected = self.stop.goroutine if self.stop else 0
        found = (roles.goroutine_from(document, selected) for document in documents)
        return tuple(replace(one, file=self._paths.here(one.file)) for one in found), total

    def _goroutine_documents(self, limit: int) -> tuple[list[Document], int]:
        found = self._talk.documents(f"schedtui_goroutines {limit}", limit=120.0).documents.get("goroutines", {})
        return found.get("goroutines", []), int(found.get("total", 0))

    def scheduling_loop(self) -> int:
        """The goroutine that takes pods from the queue; 0 when there is none."""
        return roles.find_scheduling_loop(self._goroutine_documents(GOROUTINE_LIMIT)[0]) or 0

    def pod_goroutines(self) -> tuple[int, ...]:
        """Goroutines that may be at work on a pod: the binding ones and the scheduling loop."""
        return roles.find_pod_workers(self._goroutine_documents(GOROUTINE_LIMIT)[0])


def _title(reason: Reason, breakpoint_: Document, frames: tuple[Frame, ...], text: str) -> str:
    where = _where(frames[0]) if frames else "an unknown place"
    number = int(breakpoint_.get("id", 0))
    match reason:
        case "entry":
            return "at the program's entry: c continues"
        case "panic":
            return f"{PANIC_BREAKPOINTS.get(number, 'panic')}: {_panic_text(text)}"
        case "breakpoint":
            name = breakpoint_.get("name") or f"breakpoint {number}"
            return f"{name} in {where}, hit {breakpoint_.get('hits', 0)}"
        case "watch":
            return f"{breakpoint_.get('watch', 'a watched value')} changed, in {where}"
        case "interrupt":
            return f"interrupted in {where}"
        case "step":
            return f"stepped to {where}"
        case _:
            return f"stopped in {where}"


def _where(frame: Frame) -> str:
    return f"{frame.function.rsplit('/', 1)[-1]} line {frame.line}"


def _panic_text(text: str) -> str:
    for line in text.split("\n"):
        name, separator, value = line.strip().partition(": ")
        if separator and name.endswith("_panic.arg"):
            return value
    return "the Go runtime gave up"
