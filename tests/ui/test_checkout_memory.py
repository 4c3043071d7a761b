"""What is kept of a tree's session, and what of it counts for another one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedtui.config.directories import directories
from schedtui.config.settings import Settings
from schedtui.debugger.model import Launch
from schedtui.toolchain.checkout import open_checkout
from schedtui.ui.services.checkout_memory import CheckoutMemory
from schedtui.ui.services.plan import Plan
from tests.toolchain.go_trees import make_kubernetes

if TYPE_CHECKING:
    from pathlib import Path

SCREEN = {"pane": "log", "zoomed": "yes", "debugger": "watches", "queue": "nodes", "level": "4", "line": "17"}


def memory(root: Path) -> CheckoutMemory:
    return CheckoutMemory(Plan(Settings(), directories(), launch=Launch("dlv"), checkout=open_checkout(root)))


def test_the_layout_is_there_again_for_the_next_session_on_the_tree(fresh_home: Path, tmp_path: Path) -> None:
    make_kubernetes(tmp_path)
    assert memory(tmp_path).screen(come_back=False) == {}
    memory(tmp_path).remember_screen(SCREEN)
    # Another session has another log, and begins in the debugger.
    assert memory(tmp_path).screen(come_back=False) == {"debugger": "watches", "queue": "nodes", "level": "4"}
    memory(tmp_path).remember_screen({**SCREEN, "pane": "debugger"})
    assert memory(tmp_path).screen(come_back=False)["zoomed"] == "yes"


def test_the_same_session_is_come_back_to_as_it_was(fresh_home: Path, tmp_path: Path) -> None:
    make_kubernetes(tmp_path)
    memory(tmp_path).remember_screen(SCREEN)
    assert memory(tmp_path).screen(come_back=True) == SCREEN
