"""TOML that people wrote, read so that one kind of error comes of whatever it holds.

Owns the limits: of size, so that a device or a log named by mistake is not read whole, and of depth. What the
tables should hold is the caller's.
"""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

MOST_BYTES = 4 * 1024 * 1024
"""The longest file that is taken for one that somebody wrote."""


def read_toml_bytes(path: Path) -> bytes:
    """The bytes of a file, one more than ``MOST_BYTES`` at most.

    Raises:
        OSError: It cannot be read.
    """
    with path.open("rb") as file:
        return file.read(MOST_BYTES + 1)


def toml_document(content: bytes) -> dict[str, Any]:
    """What ``content`` holds.

    Raises:
        UnicodeDecodeError: It is not UTF-8.
        tomllib.TOMLDecodeError: It is no TOML, nested too deep, or too long.
    """
    if len(content) > MOST_BYTES:
        raise tomllib.TOMLDecodeError(f"longer than {MOST_BYTES >> 20} MB")
    text = content.decode("utf-8")
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise tomllib.TOMLDecodeError("the brackets are nested too deep") from error
    except ValueError as error:
        # Numbers of more digits than Python reads, and dates that no calendar has.
        raise tomllib.TOMLDecodeError(str(error)) from error
