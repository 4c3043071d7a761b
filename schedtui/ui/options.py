"""The TUI's command line as one frozen value. It parses nothing (``cli``) and acts on nothing (``services``)."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Options:
    """The options of design section 2, as they were given."""

    source: str = ""
    """``--src``: root of a source tree; empty without one."""
    logs: tuple[str, ...] = ()
    """``--log`` and positional files; ``-`` is standard input."""
    kubeconfig: str = ""
    scheduler_config: str = ""
    """``--config``: a KubeSchedulerConfiguration."""
    verbosity: int | None = None
    """``-v N``; None: the settings' value."""
    continue_at_once: bool = False
    """``--run``."""
    binary: str = ""
    """``--exec BIN``."""
    attach_pid: int | None = None
    """``--attach PID``."""
    connect: str = ""
    """``--connect ADDR``."""
    dlv_debug: bool = False
    test_package: str = ""
    """``--test PACKAGE``."""
    lab_name: str = ""
    """``lab --name``: the lab's name; empty: its release."""
    persistent: bool = False
    no_debugger: bool = False
    dlv: str = ""
    """``--dlv PATH``."""
    theme: str = ""
    keys: str = ""
    """``--keys``: the name of a preset, or a TOML file with a table ``keys``."""
    low_bandwidth: bool = False
    scheduler_flags: tuple[str, ...] = field(default_factory=tuple)
    """What stood after ``--``."""
