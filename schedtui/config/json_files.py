"""JSON that schedtui keeps in files, read so that one kind of error comes of whatever a foreign hand made of it.

Owns the limit of depth. Which file it is, and what to do without it, is the caller's.
"""

from __future__ import annotations

from typing import TypeVar

import msgspec

Value = TypeVar("Value")
"""What a file should hold."""


def json_value(content: bytes, kind: type[Value]) -> Value:
    """What ``content`` holds.

    Raises:
        msgspec.DecodeError: It is no JSON, does not fit, or is nested too deep.
    """
    try:
        return msgspec.json.decode(content, type=kind)
    except RecursionError as error:
        raise msgspec.DecodeError("it is nested too deep") from error
    except UnicodeDecodeError as error:
        raise msgspec.DecodeError("it is not UTF-8") from error
