"""What a built scheduler says of itself: debug information, compiler flags, versions.

Owns reading Go's build information and the section tables of a binary. It runs neither the binary nor ``go``, and
it judges nothing: ``breakpoint_obstacle`` gives the one reason why stepping would fail, doctor and the build
screen say what to do about it.

The layout of the build information (since Go 1.18) is that of Go's ``debug/buildinfo``; older binaries hold only
pointers there and are told by their lack of settings.
"""

from __future__ import annotations

import mmap
import shlex
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile

from schedtui.core.errors import UnreadableInput
from schedtui.toolchain.go import GoVersion
from schedtui.toolchain.go_modules import KUBERNETES_MODULE

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

SCHEDULER_PACKAGES = (f"{KUBERNETES_MODULE}/pkg/scheduler", f"{KUBERNETES_MODULE}/pkg/scheduler/framework/runtime")
"""The packages that people step through, as a sample for the compiler's flags."""

_MAGIC = b"\xff Go buildinf:"
_ALIGNMENT = 16
"""Build information starts at a multiple of this."""
_INLINE_STRINGS = 0x2
"""Flag of the layout that Go writes since 1.18."""
_HEADER_BYTES = 32
_MACHO_MAGICS = (b"\xcf\xfa\xed\xfe", b"\xce\xfa\xed\xfe")
_MACHO_HEADER_BYTES = 64 * 1024
"""Where a Mach-O file's load commands (section names) stand."""


@dataclass(frozen=True, slots=True)
class BinaryFacts:
    """What was found in one file."""

    path: Path
    size: int
    """Bytes."""
    changed: float
    """Time of the last write, seconds since the epoch."""
    go: str
    """The Go that built it as it stands there (``go1.26.8``); empty when it is no Go program."""
    main_package: str = ""
    """Import path of its main."""
    modules: Mapping[str, str] = field(default_factory=dict)
    """Module path → version, the main module included (``(devel)``); replaced ones with the version used."""
    settings: Mapping[str, str] = field(default_factory=dict)
    """Build settings: ``-gcflags``, ``-ldflags``, ``-trimpath``, ``vcs.revision`` …"""
    has_dwarf: bool = False
    """Variables and lines can be read."""
    has_symbols: bool = False
    """A symbol table is there: functions can be found by name even without debug information."""

    @property
    def go_version(self) -> GoVersion | None:
        """``go`` as a comparable version; None for ``devel`` and for other programs."""
        return GoVersion.parse(self.go) if self.go else None

    @property
    def is_scheduler(self) -> bool:
        """Whether Kubernetes itself is part of it."""
        return KUBERNETES_MODULE in self.modules

    @property
    def version_stamp(self) -> str:
        """What ``--version`` prints, when the linker was told (``-X …version.gitVersion=``); else empty."""
        return _stamp(self.settings.get("-ldflags", ""))

    @property
    def release(self) -> str:
        """The Kubernetes release: the stamp, or the module's version; empty when neither tells."""
        if self.version_stamp:
            return self.version_stamp
        version = self.modules.get(KUBERNETES_MODULE, "")
        return version if version.startswith("v1.") else ""

    @property
    def trimmed(self) -> bool:
        """Built with ``-trimpath``: file names in it begin with the module, not with a directory."""
        return self.settings.get("-trimpath") == "true"

    @property
    def revision(self) -> str:
        """The commit it was built from; empty when not stamped."""
        return self.settings.get("vcs.revision", "")

    @property
    def modified(self) -> bool:
        """Whether the tree differed from that commit."""
        return self.settings.get("vcs.modified") == "true"

    def optimised(self, package: str) -> bool | None:
        """Whether the compiler optimised or inlined in ``package``; None when the binary does not say."""
        if not self.settings:
            return None
        flags = _flags_for(package, self.settings.get("-gcflags", ""), self.main_package)
        return not {"-N", "-l"} <= set(flags)


def read_binary(path: Path) -> BinaryFacts:
    """Read a program file.

    Raises:
        UnreadableInput: It is not there, cannot be read, or is no program file.
    """
    try:
        status = path.stat()
        if path.is_dir():
            raise UnreadableInput(
                "This is a directory, not a program", where=str(path), hint="Name the file inside it."
            )
        with path.open("rb") as stream:
            start = stream.read(4)
            if start != b"\x7fELF" and start not in _MACHO_MAGICS:
                raise UnreadableInput(
                    "This is no program file", where=str(path), hint="Build one: schedtui build --src DIR"
                )
            with mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as content:
                go, module_info = _build_information(content)
                names = _section_names(path) if start == b"\x7fELF" else _macho_names(content)
    except OSError as error:
        raise UnreadableInput(
            f"Cannot read the program ({error.strerror})",
            where=str(path),
            hint="Check the path; 'schedtui build --src DIR' makes a program.",
        ) from error
    main_package, modules, settings = parse_module_info(module_info)
    return BinaryFacts(
        path=path, size=status.st_size, changed=status.st_mtime, go=go, main_package=main_package,
        modules=modules, settings=settings, has_dwarf=bool(names & {"debug_info", "zdebug_info"}),
        has_symbols=bool(names & {"symtab", "gopclntab"}),
    )  # fmt: skip


def breakpoint_obstacle(facts: BinaryFacts) -> str:
    """Why breakpoints, steps or variables will not work in this program; empty when they will.

    Stripped comes before optimised: without debug information nothing else matters.
    """
    if not facts.go:
        return "it is no Go program (or its build information was removed)"
    if not facts.is_scheduler:
        return f"it is {facts.main_package or 'another program'}, which holds no {KUBERNETES_MODULE}"
    if not facts.has_dwarf:
        return "it is stripped: no debug information, so no lines and no variables"
    if any(facts.optimised(package) for package in SCHEDULER_PACKAGES):
        return "the scheduler's packages are optimised: lines jump, functions are inlined, variables vanish"
    return ""


def parse_module_info(text: str) -> tuple[str, dict[str, str], dict[str, str]]:
    """Main package, modules and settings of Go's tab-separated build information."""
    main_package = ""
    modules: dict[str, str] = {}
    settings: dict[str, str] = {}
    last = ""
    for line in text.splitlines():
        kind, _, rest = line.partition("\t")
        words = rest.split("\t")
        if kind == "path":
            main_package = rest
        elif kind in ("mod", "dep"):
            last = words[0]
            modules[last] = words[1] if len(words) > 1 else ""
        elif kind == "=>" and last and len(words) > 1 and words[1]:
            modules[last] = words[1]
        elif kind == "build":
            # The key is quoted too when it holds a blank or "=", which no key of Go's does.
            key, _, value = rest.partition("=")
            settings[key] = _unquote(value)
    return main_package, modules, settings


def _build_information(content: mmap.mmap) -> tuple[str, str]:
    """Go version and module information; two empty strings when the file holds none."""
    place = content.find(_MAGIC)
    while place >= 0 and place % _ALIGNMENT:
        place = content.find(_MAGIC, place + 1)
    if place < 0 or place + _HEADER_BYTES > len(content):
        return "", ""
    if not content[place + 15] & _INLINE_STRINGS:
        return "go1.17", ""
    version, place = _string(content, place + _HEADER_BYTES)
    information, _ = _string(content, place)
    # 16 bytes of sentinel stand before and after the text.
    return version.decode("utf-8", "replace"), information[16:-16].decode("utf-8", "replace")


def _string(content: mmap.mmap, place: int) -> tuple[bytes, int]:
    """A string with its length in front (unsigned varint), and the place behind it."""
    length = shift = 0
    while place < len(content):
        byte = content[place]
        place += 1
        length |= (byte & 0x7F) << shift
        if byte < 0x80:
            break
        shift += 7
    return content[place : place + length], place + length


def _section_names(path: Path) -> set[str]:
    try:
        with path.open("rb") as stream:
            return {section.name.lstrip(".") for section in ELFFile(stream).iter_sections()}
    except (ELFError, ValueError, UnicodeDecodeError) as error:
        raise UnreadableInput(
            f"The program file is damaged ({error})", where=str(path), hint="Build it again."
        ) from error


def _macho_names(content: mmap.mmap) -> set[str]:
    head = content[:_MACHO_HEADER_BYTES]
    candidates = ("debug_info", "zdebug_info", "symtab", "gopclntab")
    return {name for name in candidates if b"__" + name.encode() in head}


def _unquote(value: str) -> str:
    if len(value) > 1 and value[0] == value[-1] == '"':
        return value[1:-1].replace('\\"', '"').replace("\\\\", "\\")
    if len(value) > 1 and value[0] == value[-1] == "`":
        return value[1:-1]
    return value


def _flags_for(package: str, gcflags: str, main_package: str) -> list[str]:
    """The flags that ``-gcflags=[PATTERN=]FLAGS`` gives to ``package``."""
    pattern, equals, flags = gcflags.partition("=")
    if not equals or pattern.startswith("-"):
        # Without a pattern only the packages named on the command line get them: the main.
        return gcflags.split() if package == main_package else []
    return flags.split() if _matches(pattern, package) else []


def _matches(pattern: str, package: str) -> bool:
    """Go's package patterns: ``all``, exact, and three dots as a wild card (``x/...`` also means ``x``)."""
    if pattern in ("all", "..."):
        return True
    if not pattern.endswith("/..."):
        return pattern == package
    stem = pattern.removesuffix("/...")
    return package == stem or package.startswith(stem + "/")


def _stamp(ldflags: str) -> str:
    try:
        words = shlex.split(ldflags)
    except ValueError:
        words = ldflags.split()
    for word in words:
        name, equals, value = word.removeprefix("-X=").partition("=")
        if equals and name.endswith("component-base/version.gitVersion"):
            return value
    return ""
