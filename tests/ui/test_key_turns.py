"""A key that opens something, and the words for it, however the line delivers them."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from textual import events

from schedtui.debugger import model
from schedtui.ui.key_parser import EscapeKeepingParser
from schedtui.ui.screens.overlays import ListScreen
from schedtui.ui.screens.typed_ahead import KeptKeys
from schedtui.ui.widgets.log_input import LogInput
from tests.ui.stage import WishingApp, stopped

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.pilot import Pilot

PATIENCE_SECONDS = 30.0
"""For a busy machine."""

PASSES = 40
"""Turns of the loop between two packets, at most: more than any key needs."""


@dataclass(frozen=True)
class Opener:
    """What a key opens, and how it is seen that the words came there and nowhere else."""

    pane: str
    keys: str
    words: str
    came: Callable[[WishingApp], bool]
    left: str = "\r"
    """How it is left before it is opened anew, besides Escape."""


def asked(command: model.Command) -> Callable[[WishingApp], bool]:
    """Exactly this was asked of the debugger."""
    return lambda app: app.commands() == [command]


def filtered(app: WishingApp) -> bool:
    return app.commands() == [] and tuple(app.main.pane("log").filter_parts)[-1:] == ("nnc",)


def searched(app: WishingApp) -> bool:
    return app.commands() == [] and app.main.query_one(LogInput)._histories.get("search") == ["nnc"]


# The words are keys of the panes: continue, next, step, restart, quit.
OPENERS = {
    "console": Opener("d", "`", "goroutine 1 cnsrq", asked(model.Console("goroutine 1 cnsrq")), "\r\x1b"),
    "console from the log": Opener("l", "`", "nnc", asked(model.Console("nnc")), "\r\x1b"),
    "palette": Opener("d", ":", "break nnc.go:7", asked(model.SetBreakpoint("nnc.go:7")), "zz\r"),
    "palette from the queue": Opener("q", ":", "break nnc.go:7", asked(model.SetBreakpoint("nnc.go:7")), "zz\r"),
    "print": Opener("d", "p", "nnc", asked(model.Console("print nnc"))),
    "a trace": Opener("q", "bt", "nnc", asked(model.SetBreakpoint("nnc", tracepoint=True))),
    "search": Opener("l", "/", "nnc", searched),
    "filter": Opener("l", "f", "nnc", filtered),
}
CLOSINGS = ("", "left", "\x1b")


class Line:
    """A terminal's line: packets, with so many turns of the loop between them."""

    def __init__(self, pilot: Pilot[int]) -> None:
        self._app = pilot.app
        self._pilot = pilot
        self._parser = EscapeKeepingParser()

    async def bring(self, *packets: str, passes: int = 0) -> None:
        for packet in filter(None, packets):
            for event in self._parser.feed(packet):
                event.set_sender(self._app)
                self._app.post_message(event)
            for _ in range(passes):
                await asyncio.sleep(0)

    async def settle(self) -> None:
        """Until every key has had its turn."""
        # An escape byte at the end of a packet is a key after a while only.
        await asyncio.sleep(0.15)
        for event in self._parser.tick():
            event.set_sender(self._app)
            self._app.post_message(event)
        await self._pilot.pause()
        app, deadline = self._app, time.monotonic() + PATIENCE_SECONDS
        assert isinstance(app, WishingApp)
        while app.turns.busy or app.turns.waiting:
            assert time.monotonic() < deadline
            await self._pilot.pause()
        await self._pilot.pause()


async def type_in_packets(opener: Opener, closing: str, cut: float, passes: int, *, joined: bool) -> None:
    app = WishingApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await stopped(pilot)
        line = Line(pilot)
        await line.bring(f",{opener.pane}")
        await line.settle()
        close = opener.left if closing == "left" else closing
        if closing:
            await line.bring(opener.keys)
            await line.settle()
        if closing and not joined:
            await line.bring(close)
            await line.settle()
            close = ""
        app.wishes.clear()
        typed = f"{close}{opener.keys}{opener.words}\r"
        place = round(cut * len(typed))
        await line.bring(typed[:place], typed[place:], passes=passes)
        await line.settle()
        assert opener.came(app), (app.commands(), app.screen.focused)


# A whole screen each: that much time is not to be spent on making a failing example small.
@settings(max_examples=30, deadline=None, phases=(Phase.explicit, Phase.generate))
@given(
    opener=st.sampled_from(sorted(OPENERS)), closing=st.sampled_from(CLOSINGS), cut=st.floats(0, 1),
    passes=st.integers(0, PASSES), joined=st.booleans(),
)  # fmt: skip
def test_words_behind_an_opener_reach_what_it_opens(
    opener: str, closing: str, cut: float, passes: int, joined: bool
) -> None:
    asyncio.run(type_in_packets(OPENERS[opener], closing, cut, passes, joined=joined))


@pytest.mark.parametrize("opener", sorted(OPENERS))
@pytest.mark.parametrize("closing", CLOSINGS)
async def test_one_packet_opens_and_fills_what_it_opens(opener: str, closing: str) -> None:
    await type_in_packets(OPENERS[opener], closing, 0.0, 0, joined=True)


async def test_what_is_typed_behind_an_answer_comes_after_it() -> None:
    app = WishingApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await stopped(pilot)
        line = Line(pilot)
        await line.bring("pnnc\rn`args\r\x1bs:next\rq")
        await line.settle()
        assert app.commands() == [
            model.Console("print nnc"), model.Step("next"), model.Console("args"), model.Step("step"),
            model.Step("next"),
        ]  # fmt: skip


async def test_a_list_takes_the_keys_behind_its_opener_and_gives_back_those_behind_its_end() -> None:
    app = WishingApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await stopped(pilot)
        line = Line(pilot)
        await line.bring("?nnGq")
        await line.settle()
        assert (app.commands(), app.screen) == ([], app.main)
        await line.bring("?nnG\x1bn?")
        await line.settle()
        assert app.commands() == [model.Step("next")]
        assert isinstance(app.screen, ListScreen)


async def test_a_paste_waits_for_the_keys_before_it() -> None:
    app = WishingApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await stopped(pilot)
        line = Line(pilot)
        await line.bring("p\x1b[200~sched.nnc\x1b[201~.q\r")
        await line.settle()
        assert app.commands() == [model.Console("print sched.nnc.q")]


async def test_a_key_whose_receiver_is_gone_keeps_no_other_waiting() -> None:
    app = WishingApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await stopped(pilot)
        screen = ListScreen("Soon gone", [])
        await app.push_screen(screen)
        line = Line(pilot)
        # The list goes with the first key, and the second has been read by then.
        await line.bring("qn")
        app.screen.post_message(events.Key("q", "q"))
        await line.settle()
        assert app.commands() == [model.Step("next")]


async def test_keys_kept_for_a_screen_come_in_their_order() -> None:
    app = WishingApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await stopped(pilot)
        kept = KeptKeys()
        for character in ("`", *"args", "\r", "\x1b", "n"):
            names = {"`": "grave_accent", "\r": "enter", "\x1b": "escape"}
            kept.keep(events.Key(names.get(character, character), character))
        await app.turns.take_again(kept.take())
        await Line(pilot).settle()
        assert app.commands() == [model.Console("args"), model.Step("next")]
