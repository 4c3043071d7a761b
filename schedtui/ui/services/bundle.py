"""A bundle: all that a bug report needs of a session, in one directory, secrets masked.

Owns the files and their names. What the screen shows (transcript, queue, breakpoints) is handed in; the log is
read here, a slice of it when it is long. Nothing outside the directory is written.
"""

from __future__ import annotations

import platform
import subprocess
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from schedtui.config.directories import typed_path
from schedtui.config.files import private_directory, write_private
from schedtui.core.errors import UnreadableInput, WrongUse
from schedtui.core.masking import mask
from schedtui.core.run_facts import RunFacts
from schedtui.core.story_teller import StoryTeller
from schedtui.core.story_text import story_lines
from schedtui.sources.inputs import read_inputs
from schedtui.toolchain.binary import read_binary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from schedtui.ui.messages import BundleRequested
    from schedtui.ui.services.plan import Plan

SLICE_BYTES = 8 << 20
"""The end of each log that is taken: more is no help to a reader, and too much for a mail."""

DLV_SECONDS = 10.0
"""How long dlv may take to say its version."""


def write_bundle(
    wish: BundleRequested, plan: Plan, logs: Sequence[str], facts: dict[str, object]
) -> tuple[str, ...]:
    """Write a bundle; returns the names of its files.

    Args:
        wish: Where, and what the screen shows.
        plan: What runs.
        logs: The logs that are shown.
        facts: State, process, runs of the session.

    Raises:
        WrongUse: The directory holds something already.
        UnreadableInput: It cannot be written, or a log cannot be read.
    """
    directory = typed_path(wish.path)
    if directory.exists() and (not directory.is_dir() or any(directory.iterdir())):
        raise WrongUse("it holds something already", where=str(directory), hint="Name a new directory.")
    files = {f"log-{number}.log" if number else "log.log": _slice(path) for number, path in enumerate(logs)}
    run, story = _read(logs, wish.pod)
    files |= {
        "queue.txt": wish.queue,
        "breakpoints.json": msgspec.json.format(msgspec.json.encode(wish.breakpoints)).decode() + "\n",
        "transcript.txt": wish.transcript,
        "component-config.yaml": run.component_config or _configuration(plan),
        "flags.txt": "".join(f"{name}={value}\n" for name, value in sorted(run.flags.items())),
        "versions.txt": "\n".join((*_versions(plan), *run.versions)) + "\n",
        "session.json": msgspec.json.format(msgspec.json.encode(facts)).decode() + "\n",
        f"story-{wish.pod.replace('/', '_')}.txt": story,
    }
    kept = {name: text for name, text in files.items() if text.strip()}
    kept["README.md"] = _readme(kept, wish)
    try:
        private_directory(directory)
        for name, text in kept.items():
            write_private(directory / name, mask(text).encode("utf-8", "replace"))
    except OSError as error:
        raise UnreadableInput(f"cannot be written ({error.strerror})", where=str(directory)) from error
    return tuple(sorted(kept))


def _slice(path: str) -> str:
    """The log's end, from the beginning of a line on; empty for what cannot be read again."""
    file = Path(path)
    if not file.is_file() or file.suffix == ".gz":
        return ""
    with file.open("rb") as stream:
        size = stream.seek(0, 2)
        stream.seek(max(0, size - SLICE_BYTES))
        data = stream.read()
    if size > SLICE_BYTES:
        data = data.partition(b"\n")[2]
    return data.decode("utf-8", "replace")


def _read(logs: Sequence[str], pod: str) -> tuple[RunFacts, str]:
    """The facts of the run, and the pod's story when one is selected."""
    run, teller = RunFacts(), StoryTeller([pod] if pod else [])
    readable = [path for path in logs if Path(path).is_file()]
    for record in read_inputs(readable) if readable else ():
        run.apply(record)
        if pod:
            teller.apply(record)
    return run, "\n".join(line.text for line in story_lines(teller.story(pod))) + "\n" if pod else ""


def _configuration(plan: Plan) -> str:
    """The configuration file that the scheduler was started with."""
    start = plan.start
    named = [word.partition("=")[2] for word in start.arguments if word.startswith("--config=")] if start else []
    try:
        return Path(named[-1]).read_text(encoding="utf-8", errors="replace") if named else ""
    except OSError as error:
        return f"# {named[-1]} cannot be read ({error.strerror})\n"


def _versions(plan: Plan) -> list[str]:
    start = plan.start
    lines = [
        f"schedtui {metadata.version('schedtui')}",
        f"Python {platform.python_version()} on {platform.system()} {platform.release()} {platform.machine()}",
        f"release {plan.release or 'unknown'}",
        f"source {plan.checkout.root if plan.checkout is not None else 'none'}",
    ]
    if start is None:
        return lines
    lines.append(f"arguments {' '.join(start.arguments)}")
    if start.mode == "exec":
        facts = read_binary(Path(start.target))
        settings = " ".join(f"{key}={value}" for key, value in facts.settings.items())
        lines.append(f"binary {facts.path} {facts.size} bytes, {facts.go}, {settings}")
    if start.dlv:
        said = subprocess.run(
            [start.dlv, "version"], capture_output=True, text=True, check=False, timeout=DLV_SECONDS
        ).stdout
        lines.append(" ".join(said.split()))
    return lines


ABOUT = {
    "log": "the scheduler's log, its end when it is long",
    "queue": "the queues as the screen showed them",
    "breakpoints": "the breakpoints, as dlv has them",
    "transcript": "what was typed to dlv and what it said",
    "component-config": "the scheduler's configuration",
    "flags": "the scheduler's flags, as it printed them",
    "versions": "versions of all that took part",
    "session": "processes, runs and state",
    "story": "the selected pod's story",
}
"""Beginning of a file's name → what it holds."""


def _readme(files: dict[str, str], wish: BundleRequested) -> str:
    lines = [
        "# schedtui bundle",
        "",
        "Passwords, tokens and keys are masked; look through it before you send it.",
        "",
    ]
    for name in sorted(files):
        about = next((text for begin, text in ABOUT.items() if name.startswith(begin)), "")
        lines.append(f"- `{name}`: {about}")
    lines += ["", f"Made {wish.moment}." if wish.moment else ""]
    return "\n".join(lines).rstrip() + "\n"
