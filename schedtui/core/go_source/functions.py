"""The functions of one Go file: receiver, name, lines, and the spelling that Delve knows them by.

Owns reading declarations. Function literals belong to the declaration that holds them. It opens no file and
resolves no import.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from schedtui.core.go_source.syntax import end_line_of, line_of, node_text, parse_go, walk

if TYPE_CHECKING:
    from tree_sitter import Node

_DECLARATIONS = ("function_declaration", "method_declaration")


@dataclass(frozen=True, slots=True)
class GoFunction:
    """One declared function or method."""

    name: str
    """``ScheduleOne``."""
    receiver: str
    """``*Scheduler``, ``Scheduler``, or empty for a plain function; type parameters left out."""
    package: str
    """The name in the file's package clause."""
    line: int
    """1-based line of ``func``."""
    end_line: int
    """1-based line of its closing brace."""
    body_line: int
    """1-based line of its opening brace; ``line`` when it has no body."""

    @property
    def spelling(self) -> str:
        """``scheduler.(*Scheduler).ScheduleOne``: what Delve accepts as a location."""
        if self.receiver.startswith("*"):
            return f"{self.package}.({self.receiver}).{self.name}"
        return f"{self.package}.{self.receiver}.{self.name}" if self.receiver else f"{self.package}.{self.name}"


def functions_in(text: bytes) -> list[GoFunction]:
    """Every function and method that a Go file declares, in the order of the file."""
    root = parse_go(text)
    package = package_name(root)
    return [describe_function(node, package) for node in root.named_children if node.type in _DECLARATIONS]


def function_at(functions: list[GoFunction], line: int) -> GoFunction | None:
    """The function whose lines include ``line``; None between functions."""
    return next((function for function in functions if function.line <= line <= function.end_line), None)


def package_name(root: Node) -> str:
    """The name in the package clause; empty when there is none."""
    for child in root.named_children:
        if child.type == "package_clause":
            return node_text(child.named_children[0]) if child.named_children else ""
    return ""


def describe_function(node: Node, package: str) -> GoFunction:
    """The value of one declaration node."""
    body = node.child_by_field_name("body")
    line = line_of(node)
    return GoFunction(
        name=node_text(node.child_by_field_name("name")),
        receiver=receiver_type(node),
        package=package,
        line=line,
        end_line=end_line_of(node),
        body_line=line_of(body) if body is not None else line,
    )


def receiver_type(node: Node) -> str:
    """``*Scheduler`` of a method declaration; empty for a function."""
    receiver = node.child_by_field_name("receiver")
    if receiver is None:
        return ""
    for child in walk(receiver):
        if child.type == "pointer_type":
            return "*" + _base_name(child)
        if child.type in ("type_identifier", "generic_type"):
            return _base_name(child)
    return ""


def _base_name(node: Node) -> str:
    return next((node_text(child) for child in walk(node) if child.type == "type_identifier"), "")
