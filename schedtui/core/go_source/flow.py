"""Function bodies: which kind of statement is read by whom.

Owns that one table and the reading of a body by it; the readers are in the modules that it is put together from.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from schedtui.core.go_source.assignments import read_assignment, read_return, read_step, read_variables
from schedtui.core.go_source.branches import (
    read_block_statement,
    read_if,
    read_jump,
    read_loop,
    read_range,
    read_switch,
)
from schedtui.core.go_source.closures import read_call, read_composite, read_defer, read_go, read_literal
from schedtui.core.go_source.statements import read_block

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tree_sitter import Node

    from schedtui.core.go_source.scope import Reader, Scope

READERS: Mapping[str, Reader] = MappingProxyType({
    "block": read_block_statement,
    "if_statement": read_if,
    "for_statement": read_loop,
    "range_clause": read_range,
    "expression_switch_statement": read_switch,
    "type_switch_statement": read_switch,
    "select_statement": read_switch,
    "break_statement": read_jump,
    "continue_statement": read_jump,
    "inc_statement": read_step,
    "dec_statement": read_step,
    "short_var_declaration": read_assignment,
    "assignment_statement": read_assignment,
    "var_declaration": read_variables,
    "return_statement": read_return,
    "call_expression": read_call,
    "func_literal": read_literal,
    "defer_statement": read_defer,
    "go_statement": read_go,
    "composite_literal": read_composite,
})  # fmt: skip
"""Node type → its reader; any other node is read by its parts."""


def read_body(node: Node | None, scope: Scope) -> None:
    """Read a function's body, its parameters bound already."""
    scope.readers = READERS
    read_block(node, scope)
