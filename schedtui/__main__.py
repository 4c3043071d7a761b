"""The program's entry: ``python -m schedtui`` and the ``schedtui`` command."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command line and return its exit code (0 fine, 1 a difference or failed check, 2 wrong use)."""
    from schedtui.cli import run

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
