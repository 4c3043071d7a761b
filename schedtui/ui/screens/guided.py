"""The main screen with a guide: the tour's hints above the status line.

Owns what of the screen's life the tour hears of, and when its strip comes and goes. What the tour says is in
``ui.tour``; everything else is the main screen's.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from textual import on

from schedtui.debugger import model
from schedtui.ui import messages
from schedtui.ui.screens.main import MainScreen
from schedtui.ui.tour import Tour, TourFacts
from schedtui.ui.widgets.tour_strip import TourStrip

if TYPE_CHECKING:
    from schedtui.ui.keys import Action

NEXT_WORDS = ("next", "skip")
"""``:tour next``: on to the next step, done or not."""

END_WORDS = ("end", "off", "stop")
"""``:tour end``: no more hints."""


class GuidedScreen(MainScreen):
    """The panes at work, and beside them somebody who shows the way."""

    tour: Tour | None = None
    """None while nobody is guided."""

    seen: TourFacts = TourFacts()
    """What the tour would have to know if it began now."""

    def on_mount(self) -> None:
        """Show the first hint, when the tour began before the screen came up."""
        self._show_tour()

    def begin_tour(self) -> None:
        """Show the way from here on."""
        self.tour = Tour()
        self._note()

    def end_tour(self, farewell: str = "") -> None:
        """Take the hints away."""
        self.tour = None
        for strip in self.query(TourStrip):
            strip.remove()
        if farewell:
            self.notify_row(farewell)

    def command_tour(self, words: str) -> None:
        """Begin the tour, go on in it, or end it."""
        word = words.strip()
        if word in END_WORDS:
            self.end_tour("The tour is over; :tour begins it anew.")
        elif self.tour is not None and (word in NEXT_WORDS or not word):
            self.tour.skip()
            self._show_tour()
        elif "debugger" not in self.available:
            self.notify_row("The tour needs a scheduler under dlv: schedtui lab --tour.", "warning")
        elif not word:
            self.begin_tour()
        else:
            self.notify_row(f"tour {word}: 'next' goes on, 'end' ends it.", "warning")

    def _note(self, **changes: Any) -> None:  # noqa: ANN401  # the fields of TourFacts
        self.seen = replace(self.seen, pane=self.active_pane, **changes)
        if self.tour is not None:
            self.tour.know(self.seen)
            self._show_tour()

    def _happened(self, what: str) -> None:
        if self.tour is not None:
            self.tour.happen(what)
            self._show_tour()

    def _show_tour(self) -> None:
        if self.tour is None or not self.is_mounted:
            return
        hint = self.tour.hint()
        if hint is None:
            self.end_tour("That was the tour; ? lists the keys of a pane, : finds everything by name.")
            return
        found = self.query(TourStrip)
        strip = found.first() if found else TourStrip(self.key_table)
        if not found:
            self.mount(strip, before=self.status)
        strip.show(hint)

    def action_app_tour(self) -> None:
        """Begin the tour, or go on in it."""
        self.command_tour("")

    # --- what it hears of

    @on(messages.DebuggerReported)
    def _tour_hears_dlv(self, message: messages.DebuggerReported) -> None:
        event = message.event
        if isinstance(event, model.Stopped):
            stop = event.stop
            function = stop.frames[stop.selected_frame].function if stop.selected_frame < len(stop.frames) else ""
            self._note(state="stopped", function=function, pod=stop.pod)
        elif isinstance(event, model.BreakpointsChanged):
            stopping = [
                item for item in event.breakpoints if item.enabled and not (item.condition or item.tracepoint)
            ]
            texts = [text for item in stopping for text in (item.location, item.function, item.asked)]
            self._note(breakpoints=tuple(text for text in texts if text))
        elif isinstance(event, model.StateChanged):
            self._note(state=event.state)

    @on(messages.PodStoryTold)
    def _tour_hears_story(self) -> None:
        self._happened("story")

    @on(messages.SourceOpened)
    def _tour_hears_source(self) -> None:
        self._happened("source")

    def wish(self, message: messages.Wish) -> None:
        """Send a wish on its way; what is printed matters to the tour."""
        super().wish(message)
        if isinstance(message, messages.DebuggerCommandRequested) and isinstance(message.command, model.Console):
            self._happened(message.command.text)

    async def run(self, action: Action) -> None:
        """Carry out an action; the tour hears of it."""
        await super().run(action)
        self._happened(action.id)

    def go_to(self, name: str) -> None:
        """Let a pane have the keys."""
        super().go_to(name)
        self._note()
