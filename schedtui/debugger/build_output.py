"""What ``go build -v`` says while dlv builds what it is to debug.

Owns telling the names of packages, one a line as each is compiled, from what a person must read. Pure.
"""

from __future__ import annotations

import re

_PACKAGE = re.compile(r"^[A-Za-z0-9_][\w.~-]*(?:/[\w.~-]+)*(?: \[\S+\])?$")
"""An import path alone on its line; behind one of a test's build stands which test it is for."""


def packages_built(text: str) -> int:
    """How many packages were compiled so far; what Go's cache has is not named."""
    return sum(1 for line in text.splitlines() if _PACKAGE.match(line))


def without_packages(text: str) -> str:
    """The rest: errors and warnings."""
    return "\n".join(line for line in text.splitlines() if not _PACKAGE.match(line))
