"""Source files for the screen: found, read once, marked with their log calls.

Owns the cache of read files. It resolves names by the checkout (a log names files without their folders) and never
writes. Any thread may ask.
"""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from schedtui.core.source_text import SourceText

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from schedtui.toolchain.checkout import Checkout

KEPT_FILES = 64
"""How many files are kept in memory."""

LARGEST_BYTES = 8 << 20
"""Files above this are not shown; no Go source is that long."""


class SourceShelf:
    """Files by path."""

    def __init__(
        self, checkout: Checkout | None, log_calls: Callable[[Path], Mapping[int, str]] | None = None
    ) -> None:
        """Create it.

        Args:
            checkout: The tree that names are resolved with; None without one.
            log_calls: Marks of a file's log calls by 1-based line.
        """
        self._checkout = checkout
        self._log_calls = log_calls
        self._kept: dict[str, tuple[int, SourceText]] = {}
        self._lock = threading.Lock()

    def resolve(self, name: str) -> Path | None:
        """The file that a name means: a path, one in the tree, or a base name as klog prints it."""
        path = Path(name)
        if path.is_absolute() and path.is_file():
            return path
        return self._checkout.file_path(name) if self._checkout is not None else None

    def text(self, name: str) -> SourceText:
        """The file, or the reason why it cannot be shown."""
        stamp = self._stamp(name)
        with self._lock:
            earlier, kept = self._kept.get(name, (0, None))
        if kept is None or earlier != stamp:
            # Never shown before, or edited since: a rebuild beside the session follows an edit.
            kept = self._read(name)
            with self._lock:
                if len(self._kept) >= KEPT_FILES:
                    self._kept.clear()
                self._kept[name] = (stamp, kept)
        # Marks hold counts that grow: they are looked up at each showing, the lines are not read again.
        if not kept.lines or self._log_calls is None:
            return kept
        return replace(kept, log_calls=self._log_calls(Path(kept.path)))

    def _stamp(self, name: str) -> int:
        """When the file was last written, in nanoseconds; 0 when it cannot be told."""
        path = self.resolve(name) if name else None
        try:
            return path.stat().st_mtime_ns if path is not None else 0
        except OSError:
            return 0

    def _read(self, name: str) -> SourceText:
        if not name:
            return SourceText("", reason="No source is known for this place.")
        path = self.resolve(name)
        if path is None:
            hint = "" if self._checkout is not None else " Start with --src DIR to have the source."
            return SourceText(name, reason=f"{name} is not on this machine.{hint}")
        try:
            if path.stat().st_size > LARGEST_BYTES:
                return SourceText(name, reason=f"{path} is too long to be shown.")
            content = path.read_bytes().decode("utf-8", "replace")
        except OSError as error:
            return SourceText(name, reason=f"{path} cannot be read ({error.strerror}).")
        # The path stays as it was asked for: dlv's breakpoints and frames are compared with it.
        shown = name if Path(name).is_absolute() else str(path)
        return SourceText(shown, tuple(content.replace("\r\n", "\n").split("\n")))
