"""What a session does with its lab: hears of its parts, plays scenarios in it, shows its parts' logs.

Owns the watch on the lab, the scenario player and the choice of part logs beside the scheduler's. The lab itself,
and what a scenario means, are ``lab``'s.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedtui.core.errors import LabFailed, WrongUse
from schedtui.lab.player_thread import PlayerThread
from schedtui.ui import messages

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.message import Message

    from schedtui.lab.player import PlayerReport
    from schedtui.lab.running import RunningLab
    from schedtui.lab.scenario import Scenario
    from schedtui.lab.watching import LabEvent

TOLD_LINES = 8
"""How many of a dead part's last lines are shown: the advice under them must fit on a small screen."""

VITAL_PARTS = ("etcd", "kube-apiserver")
"""Without one of these the lab ends."""


class LabLink:
    """A session's hold on its lab."""

    def __init__(self, lab: RunningLab, post: Callable[[Message], object]) -> None:
        """Take hold; nothing is watched before ``start``.

        Args:
            lab: The lab; it is ended when this process owns it.
            post: Takes messages for the screen, from any thread.
        """
        self.lab = lab
        self._post = post
        self._player: PlayerThread | None = None
        self._merged: tuple[str, ...] = ()
        self._failed = False
        self.ended = False
        """True once the lab is gone."""

    def start(self) -> None:
        """Hear of parts that die, and of other schedulers, from now on."""
        self.lab.watch(self._event, self._others)

    def end(self) -> None:
        """End the player, then a lab that is ours."""
        self.stop_scenario()
        self.lab.close()

    # --- parts that die

    def _event(self, event: LabEvent) -> None:
        if event.part:
            self._part_died(event)
            return
        self.ended = True
        self._post(messages.LabTold("the lab is gone" if self._failed else event.text))
        if not self._failed:
            self._post(messages.NoticePosted(f"{event.text}; 'schedtui lab' starts another.", "error"))

    def _part_died(self, event: LabEvent) -> None:
        vital = event.part in VITAL_PARTS
        self._failed = self._failed or vital
        self._post(messages.LabTold(event.text))
        consequence = "The lab ends with it: no pod is bound any more." if vital else "The lab goes on."
        error = LabFailed(
            event.text,
            where=f"lab {self.lab.name}",
            details=event.last_lines[-TOLD_LINES:] or ("Its log holds nothing.",),
            hint=" ".join(filter(None, (event.advice, consequence, "After q, 'schedtui lab' starts another."))),
        )
        self._post(messages.WorkFailed("lab", error))

    # --- other schedulers

    def _others(self, others: tuple[str, ...]) -> None:
        if self._failed or self.ended:
            return
        if not others:
            self._post(messages.LabTold(""))
            self._post(messages.NoticePosted(f"This scheduler has the lab {self.lab.name} to itself again."))
            return
        count = len(others) + 1
        self._post(messages.LabTold(f"{count} schedulers here"))
        text = f"{count} schedulers take pods from this lab; ':lab' says whose, and what that means."
        self._post(messages.NoticePosted(text, "warning"))

    # --- scenarios

    def play(
        self, name: str, scenario: Scenario, *, seed: int = 0, rate: float | None = None,
        duration: float | None = None,
    ) -> None:  # fmt: skip
        """Play a scenario; one that plays already ends first."""
        if self.ended:
            raise LabFailed("the lab is gone", where=self.lab.name, hint="After q, 'schedtui lab' starts another.")
        self.stop_scenario()
        self._player = PlayerThread(
            self.lab.endpoint, name, scenario, on_report=self._report, seed=seed, rate=rate, duration=duration
        )
        self._player.start()

    def stop_scenario(self) -> bool:
        """End the scenario that plays; False when none does."""
        player, self._player = self._player, None
        if player is None or not player.is_alive():
            return False
        player.stop()
        return True

    def _report(self, report: PlayerReport) -> None:
        if report.error is not None:
            self._post(messages.WorkFailed("scenario", report.error))
        elif report.finished:
            self._post(messages.WorkFinished("scenario"))
            self._post(
                messages.NoticePosted(
                    f"{report.scenario}: {report.text}; {report.pods_made} pods and {report.nodes_made} nodes"
                    f" made, {report.pods_deleted} pods deleted."
                )
            )
        else:
            self._post(messages.WorkProgressed(f"{report.scenario}: {report.text}"))

    # --- logs

    @property
    def part_logs(self) -> dict[str, str]:
        """Part → its log, without the scheduler's: that one is the session's own."""
        return {name: str(path) for name, path in self.lab.logs.items() if name != "kube-scheduler"}

    @property
    def merged(self) -> tuple[str, ...]:
        """The parts whose logs are shown among the scheduler's records."""
        return self._merged

    def merge(self, names: Sequence[str]) -> tuple[str, ...]:
        """Choose which parts' logs are shown; returns their files.

        Raises:
            WrongUse: There is no such part.
        """
        known = self.part_logs
        unknown = [name for name in names if name not in known]
        if unknown:
            raise WrongUse(
                "the lab has no such part", where=", ".join(unknown), hint=f"There are: {', '.join(known)}."
            )
        self._merged = tuple(name for name in known if name in names)
        return self.merged_paths

    @property
    def merged_paths(self) -> tuple[str, ...]:
        """The files of ``merged``."""
        known = self.part_logs
        return tuple(known[name] for name in self._merged if name in known)
