"""Where a Go package's source lies: go.mod, go.work, vendor, staging and the module cache as one map.

Owns reading go.mod text, the places of Go's caches, and the map from import path to directory. It starts no
process but ``go env`` and ``go list -m``, each only when files cannot tell, and downloads nothing: what is not
on disk is reported as missing.
"""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from schedtui.config.directories import home

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

KUBERNETES_MODULE = "k8s.io/kubernetes"
"""The module that holds the scheduler."""

GO_COMMAND_SECONDS = 20.0
"""How long one ``go env`` or ``go list -m`` may take before its answer is done without."""

_REPLACE_PARTS = re.compile(r"^(\S+)(?:\s+(v\S+))?\s*=>\s*(\S+)(?:\s+(v\S+))?$")
_LOCAL_PREFIXES = ("./", "../", "/")


@dataclass(frozen=True, slots=True)
class Replacement:
    """The right side of a ``replace`` line."""

    target: str
    """A module path, or a directory when it starts with ``./``, ``../`` or ``/``."""
    version: str | None
    """The version of the module; None for a directory."""

    @property
    def is_directory(self) -> bool:
        """Whether the target is a directory of this machine."""
        return self.target.startswith(_LOCAL_PREFIXES)


@dataclass(frozen=True, slots=True)
class GoMod:
    """What a go.mod file says, as far as finding source needs it."""

    module: str | None
    """Its module path; None when the line is missing."""
    go: str | None = None
    """The Go version of its ``go`` line (``1.26.0``)."""
    toolchain: str | None = None
    """Its ``toolchain`` line (``go1.26.1``)."""
    requires: Mapping[str, str] = field(default_factory=dict)
    """Module path → version, indirect ones included."""
    replaces: Mapping[str, Replacement] = field(default_factory=dict)
    """Module path → its replacement (one for a single version wins over none)."""


def parse_go_mod(text: str) -> GoMod:
    """Read the text of a go.mod or go.work file; unknown lines are passed over."""
    module = go = toolchain = None
    requires: dict[str, str] = {}
    replaces: dict[str, Replacement] = {}
    for directive, rest in _directives(text):
        if directive == "module":
            module = rest.strip('"')
        elif directive == "go":
            go = rest
        elif directive == "toolchain":
            toolchain = rest
        elif directive == "require":
            path, _, version = rest.partition(" ")
            requires[path.strip('"')] = version.strip()
        elif directive == "replace" and (match := _REPLACE_PARTS.match(rest)):
            path, _, target, version = match.groups()
            replaces[path] = Replacement(target, version)
    return GoMod(module, go, toolchain, requires, replaces)


def work_directories(text: str) -> list[str]:
    """The directories of the ``use`` lines of a go.work file, as they stand there."""
    return [rest.strip('"') for directive, rest in _directives(text) if directive == "use"]


def _directives(text: str) -> Iterable[tuple[str, str]]:
    """Each line as (directive, rest), blocks in parentheses unfolded, comments dropped."""
    block = ""
    for raw in text.splitlines():
        line = raw.split("//", 1)[0].strip()
        if not line:
            continue
        if block:
            if line == ")":
                block = ""
            else:
                yield block, line
            continue
        directive, _, rest = line.partition(" ")
        if rest.strip() == "(" or directive.endswith("("):
            block = directive.rstrip("(")
        else:
            yield directive, rest.strip()


def escape_module(path: str) -> str:
    """A module path or version as the module cache spells it: a capital becomes ``!`` and its small letter."""
    return re.sub(r"[A-Z]", lambda match: "!" + match.group().lower(), path)


def unescape_module(path: str) -> str:
    """The reverse of ``escape_module``."""
    return re.sub(r"!([a-z])", lambda match: match.group(1).upper(), path)


def go_setting(name: str) -> str | None:
    """A setting of Go: the environment, then the file of ``go env -w``, then ``go env`` itself."""
    value = os.environ.get(name) or _written_settings().get(name)
    return value or _asked_settings().get(name) or None


@functools.lru_cache(maxsize=1)
def _written_settings() -> dict[str, str]:
    base = os.environ.get("XDG_CONFIG_HOME") or str(home() / ".config")
    path = Path(os.environ.get("GOENV") or Path(base) / "go" / "env")
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return {}
    pairs = (line.split("=", 1) for line in text.splitlines() if "=" in line)
    return {key.strip(): value.strip() for key, value in pairs}


@functools.lru_cache(maxsize=1)
def _asked_settings() -> dict[str, str]:
    names = ("GOMODCACHE", "GOPATH", "GOROOT", "GOOS", "GOARCH")
    answer = _run_go(["env", *names], home())
    return dict(zip(names, answer.splitlines(), strict=False)) if answer else {}


def _run_go(arguments: list[str], directory: Path) -> str | None:
    """Standard output of one go command; None when there is no go, it fails, or it takes too long."""
    go = shutil.which("go")
    if go is None:
        return None
    try:
        done = subprocess.run(
            [go, *arguments],
            cwd=directory,
            capture_output=True,
            text=True,
            timeout=GO_COMMAND_SECONDS,
            check=False,
            env={**os.environ, "GOTOOLCHAIN": "local", "GOPROXY": "off"},
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None


def module_cache_directory() -> Path:
    """Go's module cache: GOMODCACHE, else ``pkg/mod`` under the first GOPATH, else under ``~/go``."""
    named = os.environ.get("GOMODCACHE") or _written_settings().get("GOMODCACHE")
    if named:
        return Path(named)
    gopath = os.environ.get("GOPATH") or _written_settings().get("GOPATH")
    first = gopath.split(os.pathsep)[0] if gopath else ""
    return (Path(first) if first else home() / "go") / "pkg" / "mod"


def goroot_directory() -> Path | None:
    """Where Go's own source lies; None when there is no Go."""
    root = go_setting("GOROOT")
    return Path(root) if root and Path(root, "src").is_dir() else None


def cached_module_directory(module: str, version: str, cache: Path) -> Path:
    """Where the module cache keeps that version (it need not be there)."""
    return cache / f"{escape_module(module)}@{escape_module(version)}"


class ModuleMap:
    """Module path → directory for one source tree; looked up by longest prefix.

    Built once by ``build_module_map`` and then read only, so threads may share it.
    """

    def __init__(self, directories: Mapping[str, Path], missing: Mapping[str, str]) -> None:
        """Keep the two tables.

        Args:
            directories: Module path (or the import path of one vendored package) → directory on disk.
            missing: Module path → why it has no directory.
        """
        self.directories = dict(directories)
        self.missing = dict(missing)

    def module_of(self, import_path: str) -> str | None:
        """The longest known module path that ``import_path`` is, or lies in."""
        path = import_path
        while path:
            if path in self.directories:
                return path
            path = path.rpartition("/")[0]
        return None

    def package_directory(self, import_path: str) -> Path | None:
        """The directory of a package; None when its module is not on disk or has no such directory."""
        module = self.module_of(import_path)
        if module is None:
            return None
        directory = self.directories[module] / import_path[len(module) :].lstrip("/")
        return directory if directory.is_dir() else None

    def import_path_of(self, directory: Path) -> str | None:
        """The import path of a directory that lies in one of the modules."""
        best: tuple[int, str] | None = None
        for module, root in self.directories.items():
            if directory == root or root in directory.parents:
                rest = directory.relative_to(root).as_posix()
                path = module if rest == "." else f"{module}/{rest}"
                if best is None or len(root.parts) > best[0]:
                    best = (len(root.parts), path)
        return best[1] if best else None


def build_module_map(root: Path, go_mod: GoMod) -> ModuleMap:
    """Find every module that the tree at ``root`` is built from.

    Order of trust, as Go's own: the tree itself, go.work's directories, local replacements (staging), vendor,
    the module cache.
    """
    directories: dict[str, Path] = {}
    missing: dict[str, str] = {}
    cache = module_cache_directory()
    if go_mod.module:
        directories[go_mod.module] = root
    for module, directory in _work_modules(root):
        directories.setdefault(module, directory)
    for module, directory in _staging_modules(root):
        directories.setdefault(module, directory)
    for module, directory in _vendored_packages(root):
        directories.setdefault(module, directory)
    for module, version in go_mod.requires.items():
        if module in directories:
            continue
        found = _module_directory(root, module, version, go_mod, cache)
        if _holds_go_files(found):
            directories[module] = found
        else:
            missing[module] = f"not at {found}"
    return ModuleMap(directories, missing)


def _module_directory(root: Path, module: str, version: str, go_mod: GoMod, cache: Path) -> Path:
    replacement = go_mod.replaces.get(module)
    if replacement is None:
        return cached_module_directory(module, version, cache)
    if not replacement.is_directory:
        return cached_module_directory(replacement.target, replacement.version or version, cache)
    local = root / replacement.target
    if _holds_go_files(local):
        return Path(os.path.normpath(local))
    # The module directory k8s.io/kubernetes@v1.X comes without staging: its siblings are v0.X.
    release = cache_version(root.resolve())
    if release:
        return cached_module_directory(module, "v0." + release.partition(".")[2], cache)
    return local


def cache_version(directory: Path) -> str | None:
    """``v1.36.3`` for a directory ``…/k8s.io/kubernetes@v1.36.3``, or one whose ``pkg`` is linked from there."""
    for place in (directory, Path(os.path.realpath(directory / "pkg")).parent):
        name, _, version = place.name.partition("@")
        if name == "kubernetes" and version.startswith("v1."):
            return unescape_module(version)
    return None


def _work_modules(root: Path) -> Iterable[tuple[str, Path]]:
    setting = os.environ.get("GOWORK", "")
    if setting == "off":
        return
    candidates = [Path(setting)] if setting else [place / "go.work" for place in (root, *root.parents)]
    work = next((path for path in candidates if path.is_file()), None)
    if work is None:
        return
    for name in work_directories(work.read_text(encoding="utf-8", errors="replace")):
        directory = Path(os.path.normpath(work.parent / name))
        module = _module_name(directory)
        if module and _holds_go_files(directory):
            yield module, directory


def _staging_modules(root: Path) -> Iterable[tuple[str, Path]]:
    staging = root / "staging" / "src" / "k8s.io"
    if not staging.is_dir():
        return
    for directory in sorted(staging.iterdir()):
        if _holds_go_files(directory):
            yield f"k8s.io/{directory.name}", directory


def _vendored_packages(root: Path) -> Iterable[tuple[str, Path]]:
    """Each vendored package by its own import path: vendor holds packages, not whole modules."""
    vendor = root / "vendor"
    try:
        text = (vendor / "modules.txt").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return
    for line in text.splitlines():
        if line and not line.startswith("#"):
            directory = vendor / line.strip()
            if directory.is_dir() and not directory.is_symlink():
                yield line.strip(), directory


def _module_name(directory: Path) -> str | None:
    try:
        return parse_go_mod((directory / "go.mod").read_text(encoding="utf-8", errors="replace")).module
    except OSError:
        return None


def _holds_go_files(directory: Path) -> bool:
    """Whether the directory is a module's source rather than a bare go.mod (or nothing)."""
    try:
        with os.scandir(directory) as entries:
            return any(entry.name.endswith(".go") or entry.is_dir() for entry in entries)
    except OSError:
        return False


def listed_module_directory(root: Path, module: str) -> Path | None:
    """Ask ``go list -m`` where a module lies; for trees whose go.mod does not list everything."""
    answer = _run_go(["list", "-m", "-f", "{{.Dir}}", module], root)
    directory = Path(answer.strip()) if answer and answer.strip() else None
    return directory if directory and directory.is_dir() else None


def read_go_mod(root: Path) -> GoMod | None:
    """The go.mod of a directory; None when there is none that can be read."""
    try:
        return parse_go_mod((root / "go.mod").read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return None
