"""What a Go package declares, as far as loggers and contexts can live in it.

Fields, variables, constants, and functions with the kinds of their parameters and results. Owns the first pass
over a package; function bodies belong to ``flow``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from schedtui.core.go_source.functions import GoFunction, describe_function, package_name
from schedtui.core.go_source.imports import imports_of
from schedtui.core.go_source.syntax import node_text, parse_go

if TYPE_CHECKING:
    from tree_sitter import Node

LOGGER, VERBOSE, CONTEXT, REQUEST = "logger", "verbose", "context", "request"
"""The kinds of value that carry a level: logr's logger, klog's Verbose, a context, an HTTP request with one."""

KLOG_PACKAGES = frozenset({"k8s.io/klog/v2", "k8s.io/klog"})
"""Import paths of klog."""

LOGR_PACKAGE = "github.com/go-logr/logr"
"""The logger behind klog's; ``klog.Logger`` is its type."""

_KINDS_BY_TYPE = {
    ("k8s.io/klog/v2", "Logger"): LOGGER,
    ("k8s.io/klog", "Logger"): LOGGER,
    (LOGR_PACKAGE, "Logger"): LOGGER,
    ("k8s.io/klog/v2", "Verbose"): VERBOSE,
    ("k8s.io/klog", "Verbose"): VERBOSE,
    ("context", "Context"): CONTEXT,
    ("net/http", "Request"): REQUEST,
}
"""(import path, type name) → kind."""


@dataclass(slots=True)
class SourceFile:
    """One parsed file."""

    name: str
    text: bytes
    root: Node
    imports: dict[str, str]
    """Name in the file → import path."""

    @property
    def has_loggers(self) -> bool:
        """Whether the file can name klog's or logr's types."""
        return LOGR_PACKAGE in self.imports.values() or not KLOG_PACKAGES.isdisjoint(self.imports.values())


@dataclass(slots=True)
class DeclaredFunction:
    """One declaration with what its body's reader needs."""

    node: Node
    file: SourceFile
    description: GoFunction
    key: str
    """``pkg.Func`` or ``pkg.Type.Func``."""
    parameters: list[tuple[str, str, str]]
    """(name, kind or empty, bare type name) of each parameter, one entry a name."""
    variadic: bool
    results: list[tuple[str, str]]
    """(name or empty, kind or empty) of each result."""
    receiver: tuple[str, str]
    """(name, bare type name); two empty strings for a function."""


@dataclass(slots=True)
class PackageDeclarations:
    """Everything declared by one package."""

    import_path: str
    files: list[SourceFile] = field(default_factory=list)
    functions: list[DeclaredFunction] = field(default_factory=list)
    function_keys: dict[str, DeclaredFunction] = field(default_factory=dict)
    methods: dict[str, list[str]] = field(default_factory=dict)
    """Method name → keys of the package's methods of that name."""
    fields: dict[str, str] = field(default_factory=dict)
    """Field name → kind, of any struct of the package."""
    field_order: dict[str, list[str]] = field(default_factory=dict)
    """Struct type → its field names in order, for literals without keys."""
    variables: dict[str, tuple[str, Node | None, SourceFile]] = field(default_factory=dict)
    """Package variable → (kind or empty, initial value, file)."""
    numbers: dict[str, int] = field(default_factory=dict)
    """Constant → whole number."""
    texts: dict[str, str] = field(default_factory=dict)
    """Constant → string."""


def declare(import_path: str, files: list[tuple[str, bytes]]) -> PackageDeclarations:
    """Read the declarations of one package's files."""
    package = PackageDeclarations(import_path)
    for name, text in files:
        package.files.append(SourceFile(name, text, parse_go(text), dict(imports_of(text))))
    for file in package.files:
        for node in file.root.named_children:
            _READERS.get(node.type, _skip)(package, file, node)
    return package


def kind_of_type(node: Node | None, file: SourceFile, import_path: str) -> str:
    """The kind that a type node stands for; empty for any other type."""
    while node is not None and node.type in ("pointer_type", "parenthesized_type"):
        node = node.named_children[0] if node.named_children else None
    if node is None:
        return ""
    if node.type == "qualified_type":
        package = file.imports.get(node_text(node.child_by_field_name("package")), "")
        return _KINDS_BY_TYPE.get((package, node_text(node.child_by_field_name("name"))), "")
    if node.type == "type_identifier":
        return _KINDS_BY_TYPE.get((import_path, node_text(node)), "")
    return ""


def bare_type(node: Node | None) -> str:
    """``Scheduler`` for ``*Scheduler`` or ``Scheduler[T]``; ``pkg.Type`` for a type of another package."""
    while node is not None and node.type in ("pointer_type", "parenthesized_type", "generic_type"):
        node = node.named_children[0] if node.named_children else None
    if node is None:
        return ""
    return node_text(node) if node.type in ("type_identifier", "qualified_type") else ""


def parameter_entries(
    node: Node | None, file: SourceFile, import_path: str
) -> tuple[list[tuple[str, str, str]], bool]:
    """(name, kind, bare type) of each parameter of a list, and whether the last one is variadic."""
    entries: list[tuple[str, str, str]] = []
    variadic = False
    for child in node.named_children if node is not None else ():
        if child.type not in ("parameter_declaration", "variadic_parameter_declaration"):
            continue
        variadic = child.type == "variadic_parameter_declaration"
        type_node = child.child_by_field_name("type")
        kind = "" if variadic else kind_of_type(type_node, file, import_path)
        names = [node_text(name) for name in child.children_by_field_name("name")] or [""]
        entries.extend((name, kind, bare_type(type_node)) for name in names)
    return entries, variadic


def result_entries(node: Node | None, file: SourceFile, import_path: str) -> list[tuple[str, str]]:
    """(name, kind) of each result of a function."""
    if node is None:
        return []
    if node.type != "parameter_list":
        return [("", kind_of_type(node, file, import_path))]
    return [(name, kind) for name, kind, _ in parameter_entries(node, file, import_path)[0]]


def _read_function(package: PackageDeclarations, file: SourceFile, node: Node) -> None:
    description = describe_function(node, package_name(file.root))
    bare = description.receiver.lstrip("*")
    key = ".".join(part for part in (package.import_path, bare, description.name) if part)
    parameters, variadic = parameter_entries(node.child_by_field_name("parameters"), file, package.import_path)
    receivers, _ = parameter_entries(node.child_by_field_name("receiver"), file, package.import_path)
    function = DeclaredFunction(
        node=node,
        file=file,
        description=description,
        key=key,
        parameters=parameters,
        variadic=variadic,
        results=result_entries(node.child_by_field_name("result"), file, package.import_path),
        receiver=(receivers[0][0], bare) if receivers else ("", ""),
    )
    package.functions.append(function)
    package.function_keys[key] = function
    if bare:
        package.methods.setdefault(description.name, []).append(key)


def _read_types(package: PackageDeclarations, file: SourceFile, node: Node) -> None:
    for spec in node.named_children:
        type_node = spec.child_by_field_name("type")
        if type_node is None or type_node.type != "struct_type":
            continue
        order = package.field_order.setdefault(node_text(spec.child_by_field_name("name")), [])
        for block in type_node.named_children:
            for declaration in block.named_children:
                _read_field(package, file, declaration, order)


def _read_field(package: PackageDeclarations, file: SourceFile, node: Node, order: list[str]) -> None:
    if node.type != "field_declaration":
        return
    type_node = node.child_by_field_name("type")
    kind = kind_of_type(type_node, file, package.import_path)
    names = [node_text(name) for name in node.children_by_field_name("name")]
    if not names:
        names = [bare_type(type_node).rpartition(".")[2]]
    order.extend(names)
    if kind:
        package.fields.update(dict.fromkeys(names, kind))


def _read_variables(package: PackageDeclarations, file: SourceFile, node: Node) -> None:
    specs = [spec for child in node.named_children
             for spec in (child.named_children if child.type == "var_spec_list" else [child])]  # fmt: skip
    for spec in specs:
        if spec.type != "var_spec":
            continue
        kind = kind_of_type(spec.child_by_field_name("type"), file, package.import_path)
        values = spec.child_by_field_name("value")
        initial = values.named_children if values is not None else []
        for index, name in enumerate(spec.children_by_field_name("name")):
            value = initial[index] if index < len(initial) else None
            package.variables[node_text(name)] = (kind, value, file)


def _read_constants(package: PackageDeclarations, file: SourceFile, node: Node) -> None:
    del file
    iota_step = 0
    repeated: Node | None = None
    for spec in node.named_children:
        if spec.type != "const_spec":
            continue
        values = spec.child_by_field_name("value")
        if values is not None:
            repeated = values
        names = spec.children_by_field_name("name")
        for index, name in enumerate(names):
            if repeated is not None and index < len(repeated.named_children):
                _read_constant(package, node_text(name), repeated.named_children[index], iota_step)
        iota_step += 1


def _read_constant(package: PackageDeclarations, name: str, value: Node, iota_step: int) -> None:
    number = constant_number(value, package.numbers, iota_step)
    if number is not None:
        package.numbers[name] = number
    elif value.type in ("interpreted_string_literal", "raw_string_literal"):
        package.texts[name] = unquote(value)


def constant_number(node: Node, known: dict[str, int], iota_step: int | None = None) -> int | None:
    """The whole number that a constant expression is; None when it is none or not known."""
    if node.type == "int_literal":
        try:
            return int(node_text(node).replace("_", ""), 0)
        except ValueError:
            return None
    if node.type == "iota" or (node.type == "identifier" and node_text(node) == "iota"):
        return iota_step
    if node.type == "identifier":
        return known.get(node_text(node))
    if node.type == "parenthesized_expression" and node.named_children:
        return constant_number(node.named_children[0], known, iota_step)
    if node.type in ("type_conversion_expression", "call_expression"):
        arguments = node.child_by_field_name("arguments")
        inner = arguments.named_children if arguments is not None else node.named_children[-1:]
        return constant_number(inner[0], known, iota_step) if len(inner) == 1 else None
    if node.type == "binary_expression":
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        first = constant_number(left, known, iota_step) if left is not None else None
        second = constant_number(right, known, iota_step) if right is not None else None
        operator = node_text(node.child_by_field_name("operator"))
        if first is not None and second is not None and operator in ("+", "-"):
            return first + second if operator == "+" else first - second
    return None


_SIMPLE_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}


def unquote(node: Node) -> str:
    """The text of a Go string literal."""
    text = node_text(node)
    if node.type == "raw_string_literal" or "\\" not in text:
        return text[1:-1]
    out: list[str] = []
    position, end = 1, len(text) - 1
    while position < end:
        character = text[position]
        if character != "\\":
            out.append(character)
            position += 1
            continue
        escape = text[position + 1]
        width = {"x": 2, "u": 4, "U": 8}.get(escape)
        if width is not None:
            out.append(chr(int(text[position + 2 : position + 2 + width], 16)))
            position += 2 + width
        elif escape in "01234567":
            out.append(chr(int(text[position + 1 : position + 4], 8)))
            position += 4
        else:
            out.append(_SIMPLE_ESCAPES.get(escape, escape))
            position += 2
    return "".join(out)


def _skip(package: PackageDeclarations, file: SourceFile, node: Node) -> None:
    """Other top-level nodes (package clause, imports, comments) declare nothing of interest."""


_READERS = {
    "function_declaration": _read_function,
    "method_declaration": _read_function,
    "type_declaration": _read_types,
    "var_declaration": _read_variables,
    "const_declaration": _read_constants,
}
"""Top-level node type → its reader."""
