"""The time of a record, from its first line, in the order of its file.

Owns which lines carry a time and which prove a year: headers, klog's file headers, dlv's lines, dated texts. The
arithmetic of years is ``clock``'s.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedtui.core.klog.clock import Clock, file_header_time, parse_iso_time
from schedtui.core.klog.header import FULL_HEADER, SHORT_HEADER, day_microseconds
from schedtui.core.klog.lines import LineClass

if TYPE_CHECKING:
    import re

    from schedtui.core.klog.building import OpenRecord

_DATED_TEXTS = (b"Trace[", b"    Date: ")
_DATED_FIELD = b' timestamp="'
"""What tells a line that may date itself: a trace, an HTTP header that the client prints at V8, the tutorial's."""


def stamp_record(record: OpenRecord, clock: Clock) -> None:
    """Find the time of a record that was just opened, in the order of its file."""
    body = record.bodies[0]
    if record.line_class in (LineClass.KLOG, LineClass.SHORT):
        found = record.header or FULL_HEADER.match(body) or SHORT_HEADER.match(body)
        assert found is not None
        record.time_us, record.time_guessed = header_time(clock, found, body, record.wrapper_time)
    elif record.line_class is LineClass.FILE_HEADER:
        created = file_header_time(body)
        if created is not None:
            clock.prove(created)
            record.time_us = created
    elif record.line_class is LineClass.DEBUGGER:
        moment = parse_iso_time(body[:40].decode("ascii", "replace"))
        if moment is not None:
            clock.prove(moment)
            record.time_us = moment


def header_time(
    clock: Clock, header: re.Match[bytes], line: bytes, wrapper_time: str | None = None
) -> tuple[int | None, tuple[str, ...]]:
    """The moment of a header line and which of its parts are guessed."""
    date, time = header.group(2, 3)
    day_us = day_microseconds(time)
    if len(date) == 8:
        return clock.dated(int(date[:4]), int(date[4:]), day_us), ()
    if wrapper_time is not None:
        time_us = clock.wrapped(wrapper_time, int(date), day_us)
    else:
        time_us = clock.stamp(int(date), day_us)
    if time_us is None or not clock.guessed:
        return time_us, ()
    if not line.startswith(_DATED_TEXTS, header.end() + 1) and _DATED_FIELD not in line:
        return time_us, clock.guessed
    corrected = clock.prove_by_text(time_us, line)
    return (time_us, clock.guessed) if corrected is None else (corrected, ())
