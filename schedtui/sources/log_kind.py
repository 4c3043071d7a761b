"""Looks at the start of logs that were named: a program or an archive named by mistake is said to be one.

Owns the reading of the first bytes. What they look like is ``core.log_kind``'s.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from schedtui.core.log_kind import START_BYTES, doubt_about
from schedtui.sources.log_spool import is_spooled

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def doubts_about(paths: Iterable[str]) -> Iterator[str]:
    """One sentence for each file that is hardly a log; what cannot be read again is left out."""
    for name in paths:
        path = Path(name)
        if is_spooled(name) or not path.is_file():
            # A file that is not there yet is waited for; a pipe can be read only once, an archive is unpacked.
            continue
        try:
            with path.open("rb") as stream:
                doubt = doubt_about(stream.read(START_BYTES))
        except OSError:
            # Whoever reads it whole tells why it cannot be read.
            continue
        if doubt:
            yield f"{path.name} is hardly a scheduler's log: {doubt}."
