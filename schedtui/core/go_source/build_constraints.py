"""Which Go files belong to a build: file name suffixes and ``//go:build`` lines for one system.

Owns the rules of Go's build constraints as far as choosing source files needs them. Version tags (``go1.21``)
count as met; any other unknown tag counts as not set, as in a plain ``go build``.
"""

from __future__ import annotations

import re

_SYSTEMS = frozenset({
    "aix", "android", "darwin", "dragonfly", "freebsd", "hurd", "illumos", "ios", "js", "linux", "nacl",
    "netbsd", "openbsd", "plan9", "solaris", "wasip1", "windows", "zos",
})  # fmt: skip
"""GOOS values that a file name may end with."""

_MACHINES = frozenset({
    "386", "amd64", "arm", "arm64", "loong64", "mips", "mips64", "mips64le", "mipsle", "ppc64", "ppc64le",
    "riscv64", "s390x", "sparc64", "wasm",
})  # fmt: skip
"""GOARCH values that a file name may end with."""

_UNIX = frozenset({
    "aix", "android", "darwin", "dragonfly", "freebsd", "hurd", "illumos", "ios", "linux", "netbsd", "openbsd",
    "solaris",
})  # fmt: skip
"""Systems on which the tag ``unix`` is set."""

_BUILD_LINE = re.compile(rb"^//go:build\s+(.+)$", re.MULTILINE)
_TOKEN = re.compile(r"\s*(\(|\)|!|&&|\|\||[\w.]+)")
_HEAD_BYTES = 4096
"""A constraint stands before the package clause; comments before it are rarely longer."""


def belongs_to_build(name: str, text: bytes, system: str, machine: str) -> bool:
    """Whether a file is compiled for ``system`` and ``machine``, by its name and its ``//go:build`` line."""
    if name.endswith("_test.go") or name.startswith(("_", ".")):
        return False
    parts = name.removesuffix(".go").split("_")[1:]
    if parts and parts[-1] in _MACHINES:
        if parts[-1] != machine or (len(parts) > 1 and parts[-2] in _SYSTEMS and parts[-2] != system):
            return False
    elif parts and parts[-1] in _SYSTEMS and parts[-1] != system:
        return False
    if b"//go:build" not in text[:_HEAD_BYTES]:
        return True
    match = _BUILD_LINE.search(text[:_HEAD_BYTES])
    return match is None or _holds(match.group(1).decode("utf-8", "replace"), system, machine)


def _holds(expression: str, system: str, machine: str) -> bool:
    """Evaluate a constraint; one that cannot be read counts as met, so that no file is lost."""
    tokens = _TOKEN.findall(expression)
    set_tags = {system, machine, "gc", "cgo"} | ({"unix"} if system in _UNIX else set())
    position = 0

    def alternatives() -> bool:
        nonlocal position
        value = conjunction()
        while position < len(tokens) and tokens[position] == "||":
            position += 1
            value = conjunction() or value
        return value

    def conjunction() -> bool:
        nonlocal position
        value = atom()
        while position < len(tokens) and tokens[position] == "&&":
            position += 1
            value = atom() and value
        return value

    def atom() -> bool:
        nonlocal position
        if position >= len(tokens):
            return True
        token = tokens[position]
        position += 1
        if token == "!":
            return not atom()
        if token == "(":
            value = alternatives()
            position += 1
            return value
        return token in set_tags or bool(re.fullmatch(r"go1(\.\d+)?", token))

    return alternatives()
