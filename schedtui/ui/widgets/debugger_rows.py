"""What the debugger says, as rows: stack, variables, breakpoints, goroutines.

Owns the wording and the columns. It is pure: values of ``debugger.model`` in, ``Row`` values out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedtui.ui.widgets.rows import Row, row
from schedtui.ui.widgets.source_view import GutterMark

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from schedtui.debugger.model import Breakpoint, Goroutine, Stop, Variable
    from schedtui.ui.messages import Sight

_EXPANDABLE = frozenset({"struct", "ptr", "map", "slice", "array", "interface", "chan"})
"""Kinds that may have something inside."""


def short_function(name: str) -> str:
    """A Go function without its package's path: ``scheduler.(*Scheduler).ScheduleOne``."""
    return name.rsplit("/", 1)[-1]


def short_path(path: str) -> str:
    """The last two parts of a path, enough to tell files apart."""
    return "/".join(path.split("/")[-2:])


def stack_rows(stop: Stop | None) -> list[Row]:
    """One row per frame; ``▶`` marks the selected one, its arguments stand below it."""
    rows: list[Row] = []
    for frame in stop.frames if stop is not None else ():
        selected = stop is not None and frame.index == stop.selected_frame
        rows.append(
            row(
                ("▶", "line-current") if selected else (" ", ""),
                (f"{frame.index:>3} ", "line-number"),
                (short_function(frame.function) or "?", "go-function"),
                (f"  {short_path(frame.file)}:{frame.line}" if frame.file and frame.line > 0 else "", "dim"),
                key=f"frame {frame.index}", payload=frame,
            )
        )  # fmt: skip
        if selected and stop is not None:
            rows += [_argument_row(variable) for variable in stop.arguments]
    return rows


def _argument_row(variable: Variable) -> Row:
    """One argument of the selected frame; the tab of locals opens it."""
    value = f"unreadable: {variable.unreadable}" if variable.unreadable else variable.value
    return row(
        ("       ", ""), (variable.name, "key"), (f" {_short_type(variable.type)}", "go-type"),
        (f" = {value}" if value else "", "bad" if variable.unreadable else ""),
        key=f"argument {variable.name}", payload=variable,
    )  # fmt: skip


def variable_rows(
    variables: Iterable[Variable], expanded: frozenset[str], loaded: Mapping[str, Variable], *, heading: str = ""
) -> list[Row]:
    """A tree of variables; ``expanded`` holds paths, ``loaded`` what was fetched for an expression since."""
    rows = [row((heading, "tab"), key=f"heading {heading}")] if heading else []
    for variable in variables:
        _add_variable(rows, variable, heading + "/" + variable.name, 0, expanded, loaded)
    return rows


def _add_variable(
    rows: list[Row], variable: Variable, path: str, depth: int, expanded: frozenset[str],
    loaded: Mapping[str, Variable],
) -> None:  # fmt: skip
    shown = loaded.get(variable.expression, variable) if variable.expression else variable
    children = shown.children
    can_open = bool(children) or (shown.has_more and shown.kind in _EXPANDABLE)
    is_open = path in expanded and bool(children or shown.view)
    sign = "▾" if is_open else "▸" if can_open else " "
    value = f"unreadable: {shown.unreadable}" if shown.unreadable else shown.value
    rows.append(
        row(
            ("  " * depth + sign + " ", "dim"),
            ("*" if variable.changed else "", "changed"),
            (variable.name, "changed" if variable.changed else "key"),
            (f" {_short_type(shown.type)}", "go-type"),
            (f" = {value}" if value else "", "bad" if shown.unreadable else ""),
            (" …" if shown.has_more and not can_open else "", "dim"),
            key=path, payload=variable,
        )
    )  # fmt: skip
    if is_open:
        rows += _view_rows(shown, path, depth + 1)
        for index, child in enumerate(children):
            _add_variable(rows, child, f"{path}/{child.name or index}", depth + 1, expanded, loaded)
        if shown.has_more:
            left = f" of {shown.length}" if shown.length else ""
            rows.append(
                row(
                    ("  " * (depth + 1) + f"  … {len(children)}{left} shown; v loads more", "dim"), key=path + "/…"
                )
            )


def _view_rows(variable: Variable, path: str, depth: int) -> list[Row]:
    """A Kubernetes type as people read it."""
    return [
        row(("  " * depth + "│ ", "dim"), (line, "note"), key=f"{path}/view {index}", payload=variable)
        for index, line in enumerate(variable.view)
    ]


def look_rows(sight: Sight, loaded: Mapping[str, Variable], expanded: frozenset[str]) -> list[Row]:
    """What is worth looking at where the target stands, each with its view; Enter opens the fields too."""
    if not sight.stations:
        return []
    rows = [row((sight.stations, "tab"), (f"  {sight.title}", "note"), key="sight")]
    for expression in sight.look:
        variable = loaded.get(expression)
        path = f"look/{expression}"
        if variable is None:
            rows.append(row((f"  {expression} …", "dim"), key=path))
            continue
        if variable.unreadable:
            # Not in scope yet at this line of the function.
            continue
        if path not in expanded and variable.view:
            rows.append(row(("▸ ", "dim"), (expression, "key"), (f" {_short_type(variable.type)}", "go-type"),
                            key=path, payload=variable))  # fmt: skip
            rows += _view_rows(variable, path, 1)
        else:
            _add_variable(rows, variable, path, 0, expanded, loaded)
    return rows


def _short_type(name: str) -> str:
    """A type without package paths: ``*k8s.io/api/core/v1.Pod`` is ``*v1.Pod``."""
    head = name.rsplit("/", 1)
    if len(head) == 1:
        return name
    stars = name[: len(name) - len(name.lstrip("*[]"))]
    return stars + head[1]


def without_empty_groups(rows: Iterable[Row]) -> list[Row]:
    """Rows without headings that stand over nothing."""
    kept: list[Row] = []
    for item in rows:
        if (
            item.payload is None
            and kept
            and kept[-1].payload is None
            and item.key.startswith(("role ", "heading "))
        ):
            kept.pop()
        kept.append(item)
    if kept and kept[-1].payload is None and kept[-1].key.startswith(("role ", "heading ")):
        kept.pop()
    return kept


def breakpoint_mark(breakpoint_: Breakpoint) -> GutterMark:
    """The sign of a breakpoint: readable without colour."""
    if breakpoint_.suspended:
        return GutterMark("?", "breakpoint-off")
    if not breakpoint_.enabled:
        return GutterMark("○", "breakpoint-off")
    if breakpoint_.tracepoint:
        return GutterMark("◇", "breakpoint")
    return GutterMark("◆" if breakpoint_.condition else "●", "breakpoint")


def breakpoint_rows(breakpoints: Iterable[Breakpoint]) -> list[Row]:
    """One row per breakpoint of the user (dlv's own, with an id below 1, are left out)."""
    rows: list[Row] = []
    for item in breakpoints:
        if item.id < 1:
            continue
        mark = breakpoint_mark(item)
        state = "pending" if item.suspended else "" if item.enabled else "off"
        rows.append(
            row(
                (f"{mark.sign} ", mark.role), (f"{item.id:>2} ", "line-number"),
                (item.name or short_function(item.function) or item.location, "go-function"),
                (f"  {short_path(item.file)}:{item.line}" if item.file else "", "dim"),
                (f"  {item.hit_count} hit{'s' * (item.hit_count > 1)}" if item.hit_count else "", ""),
                (f"  {state}" if state else "", "warning"),
                (f"  if {item.condition}" if item.condition else "", "note"),
                key=f"breakpoint {item.id}", payload=item,
            )
        )  # fmt: skip
    return rows


FIRST_ROLES = ("scheduling loop", "binding", "queue flush")
"""Beginnings of the roles that people look for; all others follow by name."""


def _goroutine_order(item: Goroutine) -> tuple[int, bool, str, str, int]:
    place = next((n for n, begin in enumerate(FIRST_ROLES) if item.role.startswith(begin)), len(FIRST_ROLES))
    return (place, not item.role, item.role, item.function, item.id)


def goroutine_rows(goroutines: Iterable[Goroutine], total: int) -> list[Row]:
    """Goroutines grouped by role; those whose role is unknown come last, by function."""
    ordered = sorted(goroutines, key=_goroutine_order)
    rows: list[Row] = []
    group = None
    for item in ordered:
        title = item.role or "other"
        if title != group:
            group = title
            members = sum(1 for other in ordered if (other.role or "other") == title)
            rows.append(row((f"{title} ({members})", "tab"), key=f"role {title}"))
        rows.append(
            row(
                ("▶", "line-current") if item.selected else (" ", ""), (f"{item.id:>6} ", "line-number"),
                (short_function(item.function), "go-function"),
                (f"  {short_path(item.file)}:{item.line}" if item.file else "", "dim"),
                (f"  {item.status}" if item.status else "", "dim"),
                key=f"goroutine {item.id}", payload=item,
            )
        )  # fmt: skip
    if total > len(ordered):
        rows.append(row((f"… {total - len(ordered)} more", "dim"), key="more"))
    return rows
