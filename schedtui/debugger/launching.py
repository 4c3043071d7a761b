"""How dlv is called: its command line, its private configuration, its environment and the files of each run.

Owns the shape of a call for each way of getting a debuggee. It starts nothing (``session`` does) and knows no
reply.
"""

from __future__ import annotations

import importlib.resources
import json
import os
import secrets
import shlex
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from schedtui.config.files import private_directory, write_private
from schedtui.config.run_logs import new_run_log
from schedtui.core.errors import DebuggerFailed

if TYPE_CHECKING:
    from schedtui.debugger.model import Launch

SOCKET_LIMIT = 100
"""Bytes in the path of a unix socket that every system takes (Linux 107, macOS 103)."""

OWN_TARGET_MODES = ("exec", "debug", "test")
"""Modes in which dlv starts the target, so that its output can be redirected and it can be restarted."""


@dataclass(frozen=True, slots=True)
class RunFiles:
    """Where the output of one run of the target goes."""

    number: int
    """1-based within the session."""
    stderr: str
    stdout: str


@dataclass(frozen=True, slots=True)
class Call:
    """Everything that a session needs to start."""

    argv: tuple[str, ...]
    environment: dict[str, str]
    directory: str
    prompt: str
    mark: str
    """What each line of a JSON answer starts with."""
    script: str
    """Path of the Starlark commands, the mark filled in."""
    files: RunFiles | None
    """None where the target's output is not ours to redirect."""
    made: tuple[str, ...]
    """Files and directories that this call made or lets dlv make, to be removed at the end."""
    server: tuple[str, ...] = ()
    """The command line of the server that ``argv`` connects to; empty without one."""
    socket: str = ""
    """Persistent mode: path of its socket."""


def prepare(launch: Launch, run: int = 1, began: datetime | None = None) -> Call:
    """Make the session's directory and files, and the call for ``launch``.

    Args:
        launch: How to get the debuggee.
        run: Which run of the target it is in this session, 1-based.
        began: When the session began, UTC.

    Raises:
        DebuggerFailed: The directory or a file cannot be made, or the launch does not fit together.
    """
    directory = Path(launch.run_directory)
    word = "schedtui-" + secrets.token_hex(8)
    configuration = directory / "dlv-config"
    try:
        private_directory(directory)
        private_directory(configuration / "dlv")
        private_directory(configuration / "go" / "telemetry")
        write_private(configuration / "dlv" / "config.yml", _configuration(launch, word + "> ").encode())
        # dlv would start a helper process of its own to count its uses.
        write_private(configuration / "go" / "telemetry" / "mode", b"off\n")
        script = directory / "schedtui.star"
        source = importlib.resources.files("schedtui.debugger").joinpath("schedtui.star").read_text("utf-8")
        write_private(script, source.replace("@MARK@", word + " ").encode())
    except OSError as error:
        raise DebuggerFailed(
            f"The debugger's directory cannot be used ({error.strerror})", where=str(directory)
        ) from error
    files = next_run_files(launch, run, began) if launch.mode in OWN_TARGET_MODES else None
    call = Call(
        argv=(launch.dlv, *_words(launch, files)),
        environment=_environment(launch, configuration),
        directory=launch.working_directory if launch.mode in ("debug", "test") else "",
        prompt=word + "> ",
        mark=word + " ",
        script=str(script),
        files=files,
        made=(str(script), str(configuration), *((built,) if (built := built_by_dlv(launch)) else ())),
    )
    if launch.persistent and files is None:
        raise DebuggerFailed(
            "Only a target that schedtui starts can be kept running",
            where=f"--persistent with {launch.mode}",
            hint="Leave --persistent out, or start the target with --exec or --src.",
        )
    return _behind_server(launch, call) if needs_server(launch) else call


def needs_server(launch: Launch) -> bool:
    """True when dlv is a server and the one on our terminal its client."""
    return launch.persistent or launch.mode == "attach"


def _configuration(launch: Launch, prompt: str) -> str:
    # JSON strings are YAML strings.
    lines = [f"prompt: {json.dumps(prompt)}", "max-string-len: 512", "max-array-values: 64"]
    if launch.substitute_paths:
        lines.append("substitute-path:")
        for origin, here in launch.substitute_paths:
            lines.append(f"  - {{from: {json.dumps(origin)}, to: {json.dumps(here)}}}")
    return "\n".join(lines) + "\n"


def _environment(launch: Launch, configuration: Path) -> dict[str, str]:
    environment = dict(os.environ)
    home = environment.get("XDG_CONFIG_HOME") or str(Path(environment.get("HOME", "/")) / ".config")
    # What the user set with "go env -w" must still count when dlv builds.
    environment.setdefault("GOENV", str(Path(home) / "go" / "env"))
    environment.update({"TERM": "dumb", "NO_COLOR": "1", "XDG_CONFIG_HOME": str(configuration)})
    environment.pop("DELVE_EDITOR", None)
    environment.update(dict(launch.environment))
    return environment


def next_run_files(launch: Launch, number: int, began: datetime | None = None) -> RunFiles:
    """Make the log file of run ``number``; dlv truncates what it is told to write to, so each run has its own.

    Raises:
        UnreadableInput: The file cannot be made.
    """
    if launch.log_directory:
        log = new_run_log(
            Path(launch.log_directory), launch.log_label or "scheduler", run=number, now=began or datetime.now(UTC)
        )
    else:
        log = Path(launch.run_directory) / f"run-{number}.log"
        write_private(log, b"")
    return RunFiles(number, str(log), str(Path(launch.run_directory) / f"run-{number}.stdout"))


def restart_line(launch: Launch, files: RunFiles) -> str:
    """Dlv's restart command with the next run's files.

    The redirection counts as a new argument list, so the target's arguments must be repeated (dlv 1.21 to 1.27).
    """
    words = [*launch.arguments, f">{files.stdout}", f"2>{files.stderr}"]
    return "restart " + " ".join(_quoted(word) for word in words)


def _quoted(word: str) -> str:
    # dlv's splitter knows quotes and backslashes as a shell does; shlex leaves ">" and "2>" to be quoted whole.
    return shlex.quote(word)


def _words(launch: Launch, files: RunFiles | None) -> list[str]:
    common = ["--check-go-version=false"] if launch.ignore_go_version else []
    redirects = ["-r", f"stderr:{files.stderr}", "-r", f"stdout:{files.stdout}"] if files else []
    directory = ["--wd", launch.working_directory] if launch.working_directory else []
    arguments = ["--", *launch.arguments] if launch.arguments else []
    match launch.mode:
        case "exec":
            return ["exec", launch.target, *common, *directory, *redirects, *arguments]
        case "debug" | "test":
            # -v: Go names each package that it compiles, which is all that is seen of a build of minutes.
            flags = " ".join(("-v", *(_build_flag(flag) for flag in launch.build_flags)))
            build = [f"--build-flags={flags}"]
            output = [f"--output={built_by_dlv(launch)}"]
            package = [launch.target] if launch.target else []
            return [launch.mode, *package, *common, *output, *build, *redirects, *arguments]
        case "attach":
            return ["attach", launch.target, *common]
        case "connect":
            return ["connect", launch.target]


def _build_flag(flag: str) -> str:
    """One flag as dlv's splitter reads it: single quotes, and backslashes inside them."""
    return "'" + flag.replace("\\", "\\\\").replace("'", "\\'") + "'"


def built_by_dlv(launch: Launch) -> str:
    """The binary that dlv builds, under a name of our own so that it can be removed; empty when it builds none."""
    return str(Path(launch.run_directory) / f"debug-{launch.mode}.bin") if launch.mode in ("debug", "test") else ""


def _behind_server(launch: Launch, call: Call) -> Call:
    socket = str(Path(launch.run_directory) / "dlv.sock")
    if len(os.fsencode(socket)) > SOCKET_LIMIT:
        raise DebuggerFailed(
            "The path of the debugger's socket is too long for this system",
            where=socket,
            hint="Set SCHEDTUI_STATE to a shorter directory.",
        )
    headless = ("--headless", "--accept-multiclient", "--api-version=2", f"--listen=unix:{socket}")
    split = call.argv.index("--") if "--" in call.argv else len(call.argv)
    server = (*call.argv[:split], *headless, *call.argv[split:])
    return replace(
        call,
        argv=(launch.dlv, "connect", f"unix:{socket}"),
        server=server,
        socket=socket,
        made=(*call.made, socket),
    )
