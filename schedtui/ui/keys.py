"""The one table of actions: what can be done, with which keys, in which pane.

Owns the data that bindings, the footer, the ``?`` help, the palette and the README's key table are made from. It
refuses to do anything: ``key_table`` resolves keys, and an action is carried out by the method ``action_NAME`` of
the pane it belongs to (of the main screen for pane ``everywhere``), NAME being its id after the dot.

A key is written as the character it types (``G``, ``?``), or by name (``space``, ``enter``, ``tab``, ``escape``,
``up``, ``pagedown``, ``f5``, ``ctrl+d``). A sequence is keys with one blank between them: ``b s``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Pane = Literal["everywhere", "debugger", "log", "queue"]
"""Where an action's keys work. ``everywhere``: in every pane, except in text inputs."""

Need = Literal["", "debugger", "log"]
"""What must be there for an action to make sense; without it the footer and the palette leave it out."""


@dataclass(frozen=True, slots=True)
class Action:
    """One thing the user can do."""

    id: str
    """``pane.name``; users remap keys by it."""
    keys: tuple[str, ...]
    """Key sequences; the first is the one that is shown, at least one is free of F-keys."""
    pane: Pane
    """Where the keys work."""
    label: str
    """One or two words for the footer and the palette."""
    help: str
    """What it does, one sentence without a full stop."""
    footer: int = 0
    """Priority in the footer: 0 not shown, the higher the later it is dropped on narrow screens."""
    need: Need = ""
    """What must be there."""

    @property
    def name(self) -> str:
        """The part of the id after the dot."""
        return self.id.split(".", 1)[1]


LEADERS: dict[str, str] = {
    "b": "breakpoint",
    ",": "go to",
    "t": "tab",
}
"""First keys of two-key sequences, and the word that a pending sequence is shown with."""

_EVERYWHERE: tuple[Action, ...] = (
    Action("app.help", ("?", "f1"), "everywhere", "help", "List the keys of the focused pane", 95),
    Action("app.quit", ("q",), "everywhere", "quit", "Quit; asks first when something of ours is alive", 94),
    Action(
        "app.palette", (":", "ctrl+p"), "everywhere", "palette",
        "Open the palette: every action and command by name", 60,
    ),
    Action("app.next_pane", ("tab",), "everywhere", "next pane", "Move on to the next pane", 70),
    Action(
        "app.previous_pane", ("shift+tab", ", p"), "everywhere", "previous pane",
        "Move back to the previous pane",
    ),
    Action(
        "app.zoom", ("z",), "everywhere", "zoom",
        "Give the focused pane the whole screen, or take it back", 50,
    ),
    Action(
        "app.interrupt", ("ctrl+c",), "everywhere", "interrupt",
        "Interrupt the running scheduler; never quits", 0, "debugger",
    ),
    Action("app.redraw", ("ctrl+l",), "everywhere", "redraw", "Paint the whole screen anew"),
    Action("app.go_debugger", (", d",), "everywhere", "debugger", "Go to the debugger pane", 0, "debugger"),
    Action("app.go_log", (", l",), "everywhere", "log", "Go to the log pane"),
    Action("app.go_queue", (", q",), "everywhere", "queue", "Go to the queue pane"),
    Action("app.workflow", (", w",), "everywhere", "workflow", "Show the way from Go set-up to log analysis"),
    Action(
        "app.tour", (", g",), "everywhere", "guided tour",
        "Begin the guided tour, or go on to its next step", 0, "debugger",
    ),
    Action("app.doctor", (", o",), "everywhere", "doctor", "Run every check of the set-up, each with its fix"),
    Action(
        "app.build", (", b",), "everywhere", "build",
        "Show the build: how far it is, its errors, the program's age",
    ),
    Action(
        "app.rebuild", (", r",), "everywhere", "rebuild",
        "Build anew beside the session, then start the scheduler anew; breakpoints are kept",
    ),
    Action("app.legend", (", v",), "everywhere", "levels", "Show what each V level means in this log"),
    Action("app.theme", (", t",), "everywhere", "theme", "Switch to the next theme"),
    Action("app.screenshot", (", s",), "everywhere", "screenshot", "Save the screen as SVG and as text"),
    Action("app.verbosity", ("V",), "everywhere", "verbosity", "Change the running scheduler's verbosity", 40),
    Action(
        "app.dump", ("D",), "everywhere", "dump",
        "Ask the scheduler for its queues (SIGUSR2) and compare them with the model", 0, "debugger",
    ),
    Action("app.level_up", ("]",), "everywhere", "level +1", "Show one V level more; past 9 everything"),
    Action("app.level_down", ("[",), "everywhere", "level -1", "Show one V level less"),
    *(
        Action(f"app.level_{digit}", (str(digit),), "everywhere", f"V≤{digit}", f"Show records up to V{digit}")
        for digit in range(10)
    ),
    Action("debug.continue", ("c", "f5"), "everywhere", "continue", "Let the scheduler run", 90, "debugger"),
    Action(
        "debug.break_schedule_one", ("b s",), "everywhere", "ScheduleOne",
        "Stop at ScheduleOne, the start of each scheduling cycle", 88, "debugger",
    ),
    Action(
        "debug.break_pop", ("b p",), "everywhere", "queue Pop",
        "Stop where the queue hands out its next pod", 86, "debugger",
    ),
    Action(
        "debug.break_catalogue", ("b b",), "everywhere", "breakpoints",
        "Choose from the catalogue of documented breakpoints", 0, "debugger",
    ),
    Action(
        "debug.break_line", ("b l", "f9"), "everywhere", "break here",
        "Stop at the source line under the cursor, or at the line that logged the selected record", 0, "debugger",
    ),
    Action(
        "debug.break_pod", ("b P",), "everywhere", "break on pod",
        "Stop in the scheduling cycle of the selected pod only", 0, "debugger",
    ),
    Action(
        "debug.break_station", ("b S",), "everywhere", "pod at station",
        "Choose a station, and stop there for the selected pod only", 0, "debugger",
    ),
    Action(
        "debug.break_pattern", ("b e",), "everywhere", "break on log",
        "Stop when a log line matches a pattern", 0, "debugger",
    ),
    Action(
        "debug.trace", ("b t",), "everywhere", "trace at …",
        "Write a line into the log whenever a place is passed, without stopping there", 0, "debugger",
    ),
    Action(
        "debug.break_location", ("b :",), "everywhere", "break at …",
        "Type where to stop: a name, file:line, or any dlv location", 0, "debugger",
    ),
    Action("debug.next", ("f10", ", n"), "everywhere", "next", "Step over, from any pane", 0, "debugger"),
    Action("debug.step", ("f11", ", i"), "everywhere", "step", "Step into, from any pane", 0, "debugger"),
    Action(
        "debug.console", ("`",), "everywhere", "console",
        "Type to dlv; Escape leaves the console", 45, "debugger",
    ),
)  # fmt: skip

_DEBUGGER: tuple[Action, ...] = (
    Action("debugger.next", ("n",), "debugger", "next", "Step over", 84, "debugger"),
    Action("debugger.step", ("s",), "debugger", "step", "Step into", 82, "debugger"),
    Action("debugger.step_out", ("o",), "debugger", "step out", "Run until this function returns", 80, "debugger"),
    Action("debugger.interrupt", ("i",), "debugger", "interrupt", "Stop the running scheduler", 78, "debugger"),
    Action(
        "debugger.restart", ("r",), "debugger", "restart",
        "Start the scheduler anew, with a log file of its own; breakpoints are kept", 44, "debugger",
    ),
    Action("debugger.frame_up", ("u",), "debugger", "frame up", "Select the caller's frame", 42, "debugger"),
    Action("debugger.frame_down", ("d",), "debugger", "frame down", "Select the called frame", 41, "debugger"),
    Action(
        "debugger.part_next", ("right", "t n"), "debugger", "next tab",
        "Move on: source, stack, locals, …", 43,
    ),
    Action(
        "debugger.part_previous", ("left", "t p"), "debugger", "previous tab",
        "Move back among source and tabs",
    ),
    Action("debugger.tab_code", ("t c",), "debugger", "source", "Move the cursor into the source"),
    Action("debugger.tab_look", ("t h",), "debugger", "look here", "Show what to look at where it stands"),
    Action("debugger.tab_stack", ("t s",), "debugger", "stack", "Show the stack"),
    Action("debugger.tab_locals", ("t l",), "debugger", "locals", "Show arguments and local variables"),
    Action("debugger.tab_watches", ("t w",), "debugger", "watches", "Show the watched expressions"),
    Action("debugger.tab_breakpoints", ("t b",), "debugger", "breakpoints", "Show the breakpoints"),
    Action("debugger.tab_goroutines", ("t g",), "debugger", "goroutines", "Show the goroutines, by role"),
    Action("debugger.cursor_down", ("j", "down"), "debugger", "down", "Move the cursor down"),
    Action("debugger.cursor_up", ("k", "up"), "debugger", "up", "Move the cursor up"),
    Action("debugger.page_down", ("space", "pagedown"), "debugger", "page down", "Move a page down"),
    Action("debugger.page_up", ("B", "pageup"), "debugger", "page up", "Move a page up"),
    Action("debugger.top", ("g", "home"), "debugger", "top", "Go to the first line"),
    Action("debugger.bottom", ("G", "end"), "debugger", "bottom", "Go to the last line"),
    Action(
        "debugger.activate", ("enter",), "debugger", "open",
        "Select the frame, open the value, go to the line", 30,
    ),
    Action(
        "debugger.execution_point", (";",), "debugger", "where it stands",
        "Go back to where the target stands",
    ),
    Action("debugger.scroll_left", ("(",), "debugger", "source left", "Scroll the source to the left"),
    Action("debugger.scroll_right", (")",), "debugger", "source right", "Scroll the source to the right"),
    Action("debugger.search", ("/",), "debugger", "search", "Search in the source"),
    Action("debugger.search_next", (">",), "debugger", "next match", "Go to the next match in the source"),
    Action("debugger.search_previous", ("<",), "debugger", "previous match", "Go to the previous match"),
    Action("debugger.jump_back", ("ctrl+o",), "debugger", "jump back", "Go back in the list of source jumps"),
    Action(
        "debugger.open_source", ("O",), "debugger", "open source",
        "Open a function or file:line in the source",
    ),
    Action("debugger.edit", ("E",), "debugger", "editor", "Open $EDITOR at this line"),
    Action("debugger.evaluate", ("p",), "debugger", "print", "Evaluate an expression", 38, "debugger"),
    Action("debugger.watch_add", ("w",), "debugger", "watch", "Add a watched expression", 0, "debugger"),
    Action(
        "debugger.full_value", ("v",), "debugger", "full value",
        "Show the selected value in full", 0, "debugger",
    ),
    Action(
        "debugger.remove", ("x",), "debugger", "remove", "Remove the selected watch or breakpoint", 0, "debugger",
    ),
    Action(
        "debugger.on_off", ("!",), "debugger", "on/off", "Switch the selected breakpoint on or off", 0, "debugger",
    ),
    Action(
        "debugger.condition", ("C",), "debugger", "condition",
        "Give the breakpoint a condition", 0, "debugger",
    ),
    Action(
        "debugger.hit_count", ("H",), "debugger", "hit count",
        "Give the breakpoint a hit count", 0, "debugger",
    ),
    Action(
        "debugger.source_lines", ("l",), "debugger", "its log lines",
        "Filter the log to this log call's lines",
    ),
    Action(
        "debugger.filter", ("f",), "debugger", "filter",
        "Show only rows of the tab that hold a word: a role, a function, a variable",
    ),
    Action(
        "debugger.pod_goroutine", ("P",), "debugger", "pod's goroutine",
        "Select the goroutine that binds a pod, or has it in hand", 0, "debugger",
    ),
    Action(
        "debugger.pod_lines", ("L",), "debugger", "pod's log lines",
        "Filter the log to the pod that this goroutine has in hand",
    ),
    Action("debugger.set_value", ("=",), "debugger", "set", "Change the selected value", 0, "debugger"),
    Action(
        "debugger.watchpoint", ("W",), "debugger", "watchpoint",
        "Stop when the selected value is written", 0, "debugger",
    ),
    Action(
        "debugger.queue_in_memory", ("M",), "debugger", "queue in memory",
        "Read the scheduling queue from memory, beside the rebuilt one", 0, "debugger",
    ),
    Action("debugger.copy", ("y",), "debugger", "copy", "Copy the selected line or value"),
)  # fmt: skip

_LOG: tuple[Action, ...] = (
    Action("log.cursor_down", ("j", "down"), "log", "down", "Move the cursor one record down"),
    Action("log.cursor_up", ("k", "up"), "log", "up", "Move the cursor one record up; pauses following"),
    Action("log.page_down", ("space", "pagedown", "ctrl+f"), "log", "page down", "Move a page down"),
    Action("log.page_up", ("B", "pageup"), "log", "page up", "Move a page up; pauses following"),
    Action("log.half_down", ("ctrl+d", "d"), "log", "half page down", "Move half a page down"),
    Action("log.half_up", ("ctrl+u", "u"), "log", "half page up", "Move half a page up"),
    Action("log.top", ("g", "home"), "log", "top", "Go to the first record"),
    Action("log.bottom", ("G", "end"), "log", "follow", "Go to the last record and follow what is written", 76),
    Action("log.scroll_left", ("h", "left"), "log", "left", "Scroll to the left"),
    Action("log.scroll_right", ("l", "right"), "log", "right", "Scroll to the right"),
    Action("log.search", ("/",), "log", "search", "Search; n and N go to the next and previous match", 82),
    Action("log.search_next", ("n",), "log", "next match", "Go to the next match"),
    Action("log.search_previous", ("N",), "log", "previous match", "Go to the previous match"),
    Action("log.filter", ("f",), "log", "filter", "Filter the records: words, key:value, v<=4, /regex/", 80),
    Action(
        "log.filters",
        ("F",),
        "log",
        "filters",
        "Choose a filter by name: those for scheduler work, and your own (:save-filter NAME)",
    ),
    Action("log.filter_clear", ("escape",), "log", "clear", "Clear search, then filter"),
    Action("log.next_error", ("e",), "log", "next error", "Go to the next error"),
    Action("log.previous_error", ("E",), "log", "previous error", "Go to the previous error"),
    Action("log.next_warning", ("w",), "log", "next warning", "Go to the next warning or error"),
    Action("log.previous_warning", ("W",), "log", "previous warning", "Go to the previous warning or error"),
    Action("log.pod_next", ("p",), "log", "pod's next", "Go to the next record of the same pod"),
    Action("log.pod_previous", ("P",), "log", "pod's previous", "Go to the previous record of the same pod"),
    Action("log.mark", ("m",), "log", "mark", "Mark the record, or take the mark off"),
    Action("log.next_mark", ("'",), "log", "next mark", "Go to the next marked record"),
    Action("log.wrap", ("L",), "log", "wrap", "Wrap long lines, or cut them again"),
    Action(
        "log.time", ("T",), "log", "time column", "Show the time since the start, since the last line, or none"
    ),
    Action("log.histogram", ("H",), "log", "histogram", "Show or hide the histogram by severity"),
    Action("log.detail", ("enter",), "log", "detail", "Show every field of the record", 74),
    Action("log.source", (".",), "log", "source", "Go to the source line that logged the record", 72),
    Action("log.include", ("=",), "log", "only this", "Show only records with this field's value"),
    Action("log.exclude", ("!",), "log", "not this", "Hide records with this field's value"),
    Action("log.context_more", ("+",), "log", "more context", "Show more lines around each match"),
    Action("log.context_less", ("-",), "log", "less context", "Show fewer lines around each match"),
    Action("log.chips", ("x",), "log", "filter parts", "Switch single parts of the filter on and off"),
    Action("log.save", ("s",), "log", "save", "Save the shown records to a file"),
    Action("log.copy", ("y",), "log", "copy", "Copy the record"),
)

_QUEUE: tuple[Action, ...] = (
    Action("queue.cursor_down", ("j", "down"), "queue", "down", "Move the cursor down"),
    Action("queue.cursor_up", ("k", "up"), "queue", "up", "Move the cursor up"),
    Action("queue.page_down", ("space", "pagedown"), "queue", "page down", "Move a page down"),
    Action("queue.page_up", ("B", "pageup"), "queue", "page up", "Move a page up"),
    Action("queue.top", ("g", "home"), "queue", "top", "Go to the first row"),
    Action("queue.bottom", ("G", "end"), "queue", "bottom", "Go to the last row"),
    Action(
        "queue.tab_next",
        ("right", "t n"),
        "queue",
        "next tab",
        "Move on: queues, pod story, nodes, stations, times",
        76,
    ),
    Action("queue.tab_previous", ("left", "t p"), "queue", "previous tab", "Move back among the tabs"),
    Action("queue.tab_queues", ("t q",), "queue", "queues", "Show the queues"),
    Action("queue.tab_story", ("t s",), "queue", "pod story", "Show the selected pod's story"),
    Action("queue.tab_nodes", ("t d",), "queue", "nodes", "Show bindings per node"),
    Action("queue.tab_workflow", ("t w",), "queue", "stations", "Show how many pods passed each station"),
    Action(
        "queue.tab_times", ("t m",), "queue", "times", "Show percentiles of waits, slowest and stuck pods, reasons"
    ),
    Action(
        "queue.story", ("enter",), "queue", "story", "Tell the selected pod's story; in it, go to the log line", 82
    ),
    Action("queue.back", ("escape",), "queue", "back", "Go back to the queues"),
    Action("queue.log_lines", ("l",), "queue", "its log lines", "Show the selected pod's records in the log", 80),
    Action("queue.sort", ("o",), "queue", "sort", "Sort by queue, wait, attempts or last event", 72),
    Action("queue.all_pods", ("a",), "queue", "all pods", "Show bound and gone pods too, or hide them"),
    Action("queue.filter", ("/", "f"), "queue", "find", "Show only pods whose name, node or plugin holds a word"),
    Action("queue.compare", ("m",), "queue", "compare", "Mark a pod, or an attempt; on a second one compare"),
    Action("queue.live", ("F",), "queue", "live", "Show the queues as they are now, or at the log's cursor"),
    Action("queue.copy", ("y",), "queue", "copy", "Copy the pod's name"),
    Action("queue.save", ("s",), "queue", "save", "Save what is shown to a file"),
)

ACTIONS: tuple[Action, ...] = _EVERYWHERE + _DEBUGGER + _LOG + _QUEUE
"""Every action, in the order in which help lists them."""

PRESETS: dict[str, dict[str, tuple[str, ...]]] = {
    "vim": {
        "app.next_pane": ("tab", "ctrl+w w", "ctrl+w ctrl+w"),
        "app.previous_pane": ("shift+tab", ", p", "ctrl+w W"),
        "app.zoom": ("z", "ctrl+w o"),
        "app.quit": ("q", "Z Z"),
        "debugger.page_down": ("space", "pagedown", "ctrl+f", "ctrl+d"),
        "debugger.page_up": ("B", "pageup", "ctrl+u"),
        "queue.page_down": ("space", "pagedown", "ctrl+f", "ctrl+d"),
        "queue.page_up": ("B", "pageup", "ctrl+u"),
    },
    "gdb": {
        "debugger.step_out": ("f", "o"),
        "debugger.tab_locals": ("v", "t l"),
        "debugger.tab_stack": ("w", "t s"),
        "debugger.watch_add": ("+",),
        "debugger.full_value": ("F",),
        "debugger.filter": ("e",),
        "debugger.interrupt": ("i", "ctrl+g"),
    },
    "vscode": {
        "debugger.step_out": ("o", "f12"),
        "debugger.interrupt": ("i", "f6"),
        "debugger.restart": ("r", "f4"),
        "app.palette": (":", "ctrl+p", "f1"),
        "app.help": ("?",),
    },
}
"""Names that ``--keys`` knows beside files: id → keys that differ from the table.

``vim`` adds its window and paging keys, ``gdb`` the letters of gdb's own single-key mode (``f`` finish, ``v``
locals, ``w`` where; ``c n s u d r q`` are the same anyway), ``vscode`` its function keys.
"""
