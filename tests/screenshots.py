"""Makes the pictures of the README from a real lab: ``python -m tests.screenshots [DIRECTORY]``.

Everything in them comes from a real etcd, kube-apiserver and kube-scheduler under a real dlv; the keys pressed are
those of the end-to-end test. PNG files are written too when cairosvg is there.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from schedtui.config.settings import Settings
from schedtui.lab.running import DEFAULT_RELEASE
from schedtui.ui.app import SchedtuiApp
from schedtui.ui.director import Director
from schedtui.ui.key_table import KeyTable
from schedtui.ui.options import Options
from schedtui.ui.services.prepare import Request
from schedtui.ui.themes import load_themes

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.pilot import Pilot

WIDE = (160, 50)
NARROW = (80, 24)
WAIT_SECONDS = 900.0
"""Builds from nothing included."""


def without_home(svg: str) -> str:
    """The picture without the path of the home it was taken in; of the same length, so that no column moves."""
    home = str(Path.home())
    return svg.replace(home, "/home/dev"[: len(home)].ljust(len(home), "-"))


def own_fonts(svg: str) -> str:
    """The picture with fonts that are on every machine instead of one from the network."""
    without = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)
    return without.replace("Fira Code", "DejaVu Sans Mono")


class Camera:
    """One run of the application on the lab, and the pictures of it."""

    def __init__(self, app: SchedtuiApp, pilot: Pilot[int], directory: Path) -> None:
        self.app = app
        self.pilot = pilot
        self.directory = directory

    def lines(self) -> list[str]:
        """What is on the screen."""
        return [strip.text.rstrip() for strip in self.app.screen._compositor.render_strips()]

    async def until(self, true: Callable[[list[str]], bool]) -> None:
        """Wait until something is true of the screen."""
        deadline = time.monotonic() + WAIT_SECONDS
        while not true(self.lines()):
            if time.monotonic() > deadline:
                raise TimeoutError("\n".join(self.lines()))
            await self.pilot.pause(0.1)

    async def sees(self, text: str) -> None:
        """Wait for a text."""
        await self.until(lambda lines: any(text in line for line in lines))

    async def stands_in(self, function: str) -> None:
        """Wait until the scheduler stands in a function, its notices gone."""
        await self.until(
            lambda lines: any("■ stopped" in line for line in lines) and f"{function} " in lines[0] + " "
        )
        await self.pilot.pause(1.0)

    async def press(self, *keys: str) -> None:
        """Press keys."""
        await self.pilot.press(*keys)
        await self.pilot.pause(0.3)

    async def take(self, name: str) -> None:
        """Save the screen."""
        await self.pilot.pause(0.5)
        svg = own_fonts(without_home(self.app.export_screenshot(title=f"schedtui: {name}")))
        target = self.directory / f"{name}.svg"
        target.write_text(svg, encoding="utf-8")
        try:
            import cairosvg
        except ImportError:
            return
        cairosvg.svg2png(bytestring=svg.encode(), write_to=str(target.with_suffix(".png")), output_width=1600)


async def debug_story(camera: Camera) -> None:
    """From the entry to a pod's name, wide."""
    await camera.sees("at its entry")
    await camera.press("b", "s", "c")
    await camera.stands_in("ScheduleOne")
    await camera.take("stopped-in-schedule-one")
    for _ in range(3):
        before = camera.lines()[0]
        await camera.press("n")
        await camera.until(lambda lines, before=before: lines[0] != before and "stopped" in lines[0])  # type: ignore[misc]
    await camera.press("t", "l", "p", *"podInfo.Pod.Name", "enter")
    await camera.pilot.pause(1.5)
    await camera.take("locals-and-pod-name")
    await camera.press("t", "b", "g", "x", "c")
    await camera.sees("▶ running")
    await camera.until(lambda lines: any("bound 1" in line or "bound 2" in line for line in lines))
    await camera.pilot.pause(10.0)
    await camera.take("running")
    await camera.press("comma", "q", "t", "d")
    await camera.take("bindings-per-node")
    await camera.press("t", "q", "a", "enter")
    await camera.sees("[pod story default/")
    await camera.take("pod-story")


async def narrow_story(camera: Camera) -> None:
    """The same lab at 80x24."""
    await camera.pilot.resize_terminal(*NARROW)
    await camera.press("comma", "d", "b", "s")
    await camera.stands_in("ScheduleOne")
    await camera.take("80x24-debugger")
    await camera.press("comma", "l")
    await camera.take("80x24-log")
    await camera.press("comma", "q")
    await camera.take("80x24-queue")
    await camera.press("?")
    await camera.take("80x24-help")
    await camera.press("escape")


async def run(directory: Path) -> None:
    """Make all pictures."""
    directory.mkdir(parents=True, exist_ok=True)
    request = Request("lab", Options(), Settings(), DEFAULT_RELEASE)
    director = Director(request, KeyTable())
    app = SchedtuiApp(director, load_themes(), "dark")
    try:
        async with app.run_test(size=WIDE) as pilot:
            camera = Camera(app, pilot, directory)
            await debug_story(camera)
            await narrow_story(camera)
    finally:
        # Not by keys: a pilot that waits while its application ends may wait for ever.
        director.clean_up()


def main() -> None:
    """The script."""
    directory = Path(sys.argv[1] if len(sys.argv) > 1 else "screenshots")
    with tempfile.TemporaryDirectory(prefix="schedtui-pictures-") as state:
        os.environ["SCHEDTUI_STATE"] = state
        asyncio.run(run(directory))


if __name__ == "__main__":
    main()
