"""Keys that a slow line brings together, keys that mean nothing here, and questions that Ctrl-C gives up."""

from __future__ import annotations

import time
from types import SimpleNamespace

import pytest
from textual import events

from schedtui.debugger import model
from schedtui.ui.app import SchedtuiApp
from schedtui.ui.key_parser import EscapeKeepingParser
from schedtui.ui.key_table import key_of_event
from schedtui.ui.screens.overlays import ChooserScreen, ListScreen
from tests.ui.stage import WishingApp, report, screen_text, stopped

ESCAPE_SECONDS = 0.15
"""Longer than Textual waits behind an escape byte."""

RUNNING = model.Failed("The target is running", "Ctrl-C stops it first.")


def keys_of(packet: str) -> list[str]:
    parser = EscapeKeepingParser()
    found = list(parser.feed(packet))
    time.sleep(ESCAPE_SECONDS)
    found += parser.tick()
    return [key_of_event(event.key, event.character) for event in found if isinstance(event, events.Key)]


@pytest.mark.parametrize(
    ("packet", "keys"),
    [
        ("\x1b?", ["escape", "?"]),
        ("\x1b:q", ["escape", ":", "q"]),
        ("\x1bq", ["escape", "q"]),
        ("\x1bG", ["escape", "G"]),
        ("\x1b\r", ["escape", "enter"]),
        ("\x1b\x1b", ["escape", "escape"]),
        ("\x1b", ["escape"]),
        ("\x1b[A?", ["up", "?"]),
        ("\x1bOP", ["f1"]),
        ("\x1bbs", ["escape", "b", "s"]),
        ("\x1bfpod", ["escape", "f", "p", "o", "d"]),
        ("\x1b7", ["escape", "7"]),
        ("\x1b\t", ["escape", "tab"]),
        ("\x1b`args\x1bn", ["escape", "`", "a", "r", "g", "s", "escape", "n"]),
        ("\x1bnc\x1b[Aq", ["escape", "n", "c", "up", "q"]),
        ("\x1bp" + "a" * 40, ["escape", "p", *"a" * 40]),
    ],
)
def test_escape_and_the_key_behind_it_in_one_packet_are_two(packet: str, keys: list[str]) -> None:
    assert keys_of(packet) == keys


TEXT = "pod:shop/web-1 severity>=W /no fit/ " * 30
LAST = "pod:shop/web-2 severity>=E /no fit/ " * 2
COMMAND = ":bundle /home/somebody/with/a/long/name/and/many/directories/below/it/until/the/line/is/full\r"
COMMAND_KEYS = [{" ": "space", "\r": "enter"}.get(sign, sign) for sign in COMMAND]
"""A script that drives a terminal sends a whole command at once: these are keys."""


def read_whole(*packets: str) -> list[str]:
    """What comes out, pastes in their own marks."""
    parser = EscapeKeepingParser()
    found = [event for packet in packets for event in parser.feed(packet)]
    time.sleep(ESCAPE_SECONDS)
    found += parser.tick()
    return [
        f"<{event.text}>" if isinstance(event, events.Paste) else key_of_event(event.key, event.character)
        for event in found
        if isinstance(event, events.Paste | events.Key)
    ]


@pytest.mark.parametrize(
    ("packets", "read"),
    [
        ((TEXT,), [f"<{TEXT}>"]),
        (("f", TEXT, "\x1b", "q"), ["f", f"<{TEXT}>", "escape", "q"]),
        ((f"f\r{TEXT}\rq",), ["f", "enter", f"<{TEXT}>", "enter", "q"]),
        (("j" * 2000,), ["j"] * 2000),
        ((COMMAND,), COMMAND_KEYS),
        ((TEXT, LAST), [f"<{TEXT}>", f"<{LAST}>"]),
        ((f"\x1b[200~{TEXT}\x1b[201~q",), [f"<{TEXT}>", "q"]),
        (("\x1b[20", "0~", TEXT, TEXT, "\x1b[201~", "q"), [f"<{TEXT}{TEXT}>", "q"]),
        (("\x1b[200~", TEXT, "\x1b[2", "01~", TEXT), [f"<{TEXT}>", f"<{TEXT}>"]),
    ],
)
def test_text_that_comes_at_once_is_a_paste_with_brackets_or_without(
    packets: tuple[str, ...], read: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # All at once, whatever else the machine does between two packets.
    monkeypatch.setattr("schedtui.ui.key_parser.time", SimpleNamespace(monotonic=lambda: 1000.0))
    assert read_whole(*packets) == read


async def test_a_refusal_that_comes_again_is_one_line_counted() -> None:
    app = WishingApp()
    async with app.run_test(size=(120, 40)) as pilot:
        await stopped(pilot)
        await report(pilot, model.StateChanged("running"), RUNNING, RUNNING, RUNNING)
        text = app.main.pane("debugger").console.transcript
        assert text.count("The target is running") == 1
        assert "The target is running  (3 times)" in text
        assert sum("The target is running" in line for line in screen_text(pilot)[:-1]) == 1
        await report(pilot, model.ConsoleOutput("something else"), RUNNING)
        assert app.main.pane("debugger").console.transcript.count("The target is running") == 2


async def test_a_key_that_means_nothing_here_says_where_it_does() -> None:
    app = WishingApp()
    async with app.run_test(size=(120, 40)) as pilot:
        await stopped(pilot)
        await pilot.press("comma", "q", "n")
        assert app.commands() == []
        bottom = screen_text(pilot)[-1]
        assert "n is no key of the queue pane" in bottom
        assert "next in the debugger pane (, d)" in bottom
        await pilot.press("comma", "d", "Z")
        assert "Z is no key here; ? lists them." in screen_text(pilot)[-1]


@pytest.mark.parametrize("typed", [("n",), tuple("next")])
async def test_a_key_or_a_name_typed_into_the_palette_is_that_action(typed: tuple[str, ...]) -> None:
    app = WishingApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await stopped(pilot)
        await pilot.press("comma", "q", "colon", *typed, "enter")
        await pilot.pause()
        assert app.commands() == [model.Step("next")]


async def test_keys_behind_the_escape_that_leaves_the_console_are_the_panes() -> None:
    app = WishingApp()
    async with app.run_test(size=(120, 40)) as pilot:
        await stopped(pilot)
        await pilot.press("grave_accent", "x")
        await pilot.pause()
        line = app.main.pane("debugger").console.input
        for key, character in (("escape", "\x1b"), ("question_mark", "?")):
            line.post_message(events.Key(key, character))
        await pilot.pause()
        await pilot.pause()
        assert line.value == "x"
        assert type(app.screen_stack[-1]) is ListScreen
        await pilot.press("escape", "grave_accent", "y")
        assert line.value == "xy"


class AskingApp(WishingApp):
    """With the interrupt key of the real application."""

    BINDINGS = SchedtuiApp.BINDINGS
    action_nothing = SchedtuiApp.action_nothing

    def __init__(self) -> None:
        super().__init__()
        self.interrupts = 0
        self.director = self

    def interrupt(self) -> None:
        """What the director is asked for."""
        self.interrupts += 1

    def action_interrupt(self) -> None:
        SchedtuiApp.action_interrupt(self)  # type: ignore[arg-type]


async def test_ctrl_c_gives_up_a_question_and_interrupts_only_without_one() -> None:
    app = AskingApp()
    async with app.run_test(size=(120, 40)) as pilot:
        await stopped(pilot)
        await pilot.press("p", "x", "ctrl+c")
        await pilot.pause()
        assert app.interrupts == 0
        assert "print" not in screen_text(pilot)[-1]
        await pilot.press("colon")
        await pilot.pause()
        assert [type(screen) for screen in app.screen_stack[-1:]] == [ChooserScreen]
        await pilot.press("ctrl+c")
        await pilot.pause()
        assert app.screen_stack[-1:] == [app.main]
        assert app.interrupts == 0
        await pilot.press("ctrl+c")
        assert app.interrupts == 1
        assert app.commands() == []
