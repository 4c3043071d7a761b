"""The well-known breakpoints as data: read from TOML, the user's own added."""

from __future__ import annotations


class Catalogue:
    """Placeholder for the data."""
