"""Doctor: every check of a set-up, each with what was found and what mends it.

Owns the table of checks (``table``), its interpreter (``run``), and the checks themselves by subject. Nothing is
ever mended here: a fix is a text, and, where one command does it, an argument list that ``cli`` may run after
asking.
"""

from __future__ import annotations

from schedtui.toolchain.doctor.model import Finding, Fix, Status, Subject
from schedtui.toolchain.doctor.run import CHECK_IDS, EXIT_CHECKS, failures, run_checks

__all__ = ["CHECK_IDS", "EXIT_CHECKS", "Finding", "Fix", "Status", "Subject", "failures", "run_checks"]
