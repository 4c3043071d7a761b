"""Which bytes of a log can matter to the queues: a look before anything is parsed.

Owns one necessary condition on a record's bytes, taken from the ``core.event_table``. It may say
yes to a record that means nothing, never no to one that means something. Parsing is ``core.klog``'s business.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from schedtui.core.event_table import MESSAGES, MOVE_PREFIXES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

STORY_EFFECTS = frozenset(
    {"score", "final_score", "kept", "checking", "prefilter", "postfilter", "preemption_note"}
)
"""Effects that tell a pod's story and move nothing: the queue alone does without them."""

_MOVE_STARTS = tuple(start.encode() for start, _ in MOVE_PREFIXES)
_WORDS = frozenset(message.encode() for message in MESSAGES)
_QUEUE_WORDS = frozenset(message.encode() for message, effect in MESSAGES.items() if effect not in STORY_EFFECTS)
_PRINTF = re.compile(rb"(?i)pod|schedul|FLAG: --|lease|lost master|leader ?election")
_JSON_PRINTF = re.compile(rb"(?i)FLAG: --(?:v|vmodule|feature-gates)=|lease|lost master|leader ?election")
_ANYWHERE = re.compile(rb"(?i)" + b"|".join(sorted({re.escape(word[:24]) for word in _WORDS | {*_MOVE_STARTS}})))


def may_move(raw: bytes) -> bool:
    """Whether a record's bytes can say something that moves a pod."""
    return _may_be(raw, _QUEUE_WORDS)


def may_tell(raw: bytes) -> bool:
    """Whether a record's bytes can say anything about a pod's way through the scheduler, scores included."""
    return _may_be(raw, _WORDS)


def teller_filter(pods: Sequence[str]) -> Callable[[bytes], bool]:
    """The condition for telling the stories of some pods: all moves, and everything that names one of them.

    Args:
        pods: ``ns/name`` each.
    """
    names = tuple(pod.rpartition("/")[2].encode() for pod in pods)

    def wanted(raw: bytes) -> bool:
        return may_move(raw) or (any(name in raw for name in names) and may_tell(raw))

    return wanted


def _may_be(raw: bytes, words: frozenset[bytes]) -> bool:
    if raw.startswith(b'{"ts":'):
        start = raw.find(b'"msg":"')
        message = raw[start + 7 : raw.find(b'"', start + 7)]
        return message in words or message.startswith(_MOVE_STARTS) or _JSON_PRINTF.search(message) is not None
    if raw[:1] not in (b"I", b"E", b"W", b"F"):
        return _ANYWHERE.search(raw) is not None or _PRINTF.search(raw) is not None
    start = raw.find(b"] ")
    if start < 0:
        return True
    if raw[start + 2 : start + 3] != b'"':
        return _PRINTF.search(raw, start, start + 400) is not None
    end = raw.find(b'"', start + 3)
    message = raw[start + 3 : end]
    return message in words or message.startswith(_MOVE_STARTS)
