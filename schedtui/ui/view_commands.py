"""Commands that concern the screen alone: themes, pictures, the clipboard, the editor.

Owns what they do to the application. Everything about logs, queues and the debugger is elsewhere.
"""

from __future__ import annotations

import base64
import contextlib
import os
import shlex
import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from schedtui.ui import messages
from schedtui.ui.screens.lists import theme_rows
from schedtui.ui.screens.overlays import ListScreen
from schedtui.ui.terminal import terminal_lent

if TYPE_CHECKING:
    from collections.abc import Callable

    from schedtui.ui.stage import Stage

CLIPBOARD_LIMIT = 74_000
"""Characters of base64 that terminals take in one OSC 52 sequence (xterm's limit is the lowest)."""


class ViewCommands:
    """What can be done to the picture."""

    def __init__(self, app: Stage, clipboard: str = "auto") -> None:
        """Create it.

        Args:
            app: The application.
            clipboard: ``auto``, ``osc52``, ``tmux`` or ``off``.
        """
        self._app = app
        self._clipboard = clipboard
        self._commands: dict[str, Callable[[str], None]] = {"theme": self._theme, "screenshot": self._screenshot}

    def run(self, name: str, words: str) -> bool:
        """Carry out a command; False when it is none of these."""
        command = self._commands.get(name)
        if command is None:
            return False
        command(words)
        return True

    def tell(self, text: str, severity: str = "information") -> None:
        """Say something on the screen that is there."""
        self._app.screen.post_message(messages.NoticePosted(text, severity))  # type: ignore[arg-type]  # one of three

    def _theme(self, words: str) -> None:
        names = list(self._app.themes.palettes)
        current = self._app.palette.name
        if words == "next":
            self._use_theme(names[(names.index(current) + 1) % len(names)])
        elif words in names:
            self._use_theme(words)
        elif words:
            self.tell(f"No such theme: {words}. There are {', '.join(names)}.", "warning")
        else:
            rows = theme_rows(self._app.themes.palettes.values(), current)
            self._app.push_screen(ListScreen("Themes", rows, choose=True), self._use_theme)

    def _use_theme(self, name: str | None) -> None:
        if name is not None:
            self._app.use_theme(name)
            self.tell(f"Theme {name}: {self._app.palette.description}")

    def _screenshot(self, _words: str) -> None:
        base = f"schedtui-{datetime.now(UTC):%Y%m%dT%H%M%SZ}"
        pictures = {Path(base + ".svg"): self._app.export_screenshot(), Path(base + ".txt"): self.screen_text()}
        try:
            for file, picture in pictures.items():
                file.write_text(picture, encoding="utf-8", errors="replace")
        except OSError as error:
            for file in pictures:
                with contextlib.suppress(OSError):
                    file.unlink()
            self.tell(f"The screen cannot be saved here ({error.strerror}).", "error")
        else:
            self.tell(f"Saved {base}.svg and {base}.txt")

    def screen_text(self) -> str:
        """The screen as plain text, one line a row."""
        strips = self._app.screen._compositor.render_strips()
        return "\n".join(strip.text.rstrip() for strip in strips) + "\n"

    def redraw(self) -> None:
        """Forget what the terminal is thought to show."""
        self._app.redraw()

    def copy(self, text: str, what: str) -> None:
        """Put text on the user's clipboard: through tmux when inside it, else by OSC 52; say how it went."""
        if self._clipboard == "off":
            self.tell("Copying is switched off (clipboard = off).", "warning")
            return
        data = text.encode(errors="replace")
        tmux = shutil.which("tmux") if os.environ.get("TMUX") and self._clipboard in ("auto", "tmux") else None
        if tmux is not None:
            # A server that does not answer is as good as none.
            with contextlib.suppress(OSError, subprocess.TimeoutExpired):
                load = [tmux, "load-buffer", "-w", "-"]
                done = subprocess.run(load, input=data, stderr=subprocess.DEVNULL, check=False, timeout=5)
                if done.returncode == 0:
                    self.tell(f"Copied the {what} ({len(text)} characters) to tmux's buffer and its clipboard.")
                    return
        encoded = base64.b64encode(data).decode()
        if len(encoded) > CLIPBOARD_LIMIT:
            self.tell(f"The {what} is too long for the clipboard; s saves it to a file.", "warning")
            return
        self._app.copy_to_clipboard(data.decode())
        self.tell(f"Sent the {what} ({len(text)} characters) to the terminal's clipboard (OSC 52).")

    def edit(self, path: str, line: int) -> None:
        """Open the user's editor at a line; the screen comes back when it ends."""
        named = os.environ.get("VISUAL", "").strip() or os.environ.get("EDITOR", "").strip() or "vi"
        try:
            editor = shlex.split(named)
        except ValueError as error:
            self.tell(f"The editor {named} cannot be read as a command ({error}); set $EDITOR.", "warning")
            return
        if not editor or shutil.which(editor[0]) is None:
            self.tell(f"The editor {named} is not there; set $EDITOR.", "warning")
            return
        refused = ""
        with self._app.suspend(), terminal_lent():
            try:
                subprocess.run([*editor, f"+{line}", path], check=False)
            except OSError as error:
                refused = error.strerror or str(error)
        self.redraw()
        if refused:
            self.tell(f"The editor {named} cannot be run ({refused}); set $EDITOR.", "warning")

    def run_on_terminal(self, argv: tuple[str, ...]) -> None:
        """Run a command on the terminal in place of the screen; the screen comes back at Enter."""
        with self._app.suspend(), terminal_lent():
            print("$", shlex.join(argv), flush=True)
            try:
                status = subprocess.run(argv, check=False).returncode
                ending = "done" if status == 0 else f"it ended with status {status}"
            except OSError as error:
                ending = f"cannot run {argv[0]}: {error.strerror}"
            with contextlib.suppress(EOFError):
                input(f"\n{ending}; Enter goes back ")
        self.redraw()
