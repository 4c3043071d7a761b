"""From what was asked for to a ``Plan``: source, kubeconfig, build, dlv, lab; told step by step.

Owns the order of the steps and which defaults are taken. The steps themselves belong to ``toolchain`` and ``lab``.
It runs on one worker thread and can be cancelled.
"""

from __future__ import annotations

import os
import shutil
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from schedtui.config.directories import directories, typed_path
from schedtui.config.files import private_directory
from schedtui.core.advice import Advice, Situation, advice_for
from schedtui.core.errors import WrongUse
from schedtui.debugger.model import Launch
from schedtui.debugger.sessions import read_record
from schedtui.lab.running import FIRST_WORKLOAD, RunningLab, ensure_lab, find_running_lab
from schedtui.toolchain.binary import SCHEDULER_PACKAGES, read_binary
from schedtui.toolchain.checkout import open_checkout
from schedtui.toolchain.dlv import ensure_dlv
from schedtui.toolchain.kubeconfig import read_kubeconfig
from schedtui.toolchain.scheduler_endpoint import (
    EndpointCredentials,
    SchedulerEndpoint,
    credentials_of,
)
from schedtui.ui.messages import NoticePosted, WorkProgressed
from schedtui.ui.services.plan import Plan
from schedtui.ui.services.running_target import read_target
from schedtui.ui.services.scheduler_flags import is_private, path_of, port_of, scheduler_flags, verbosity_of

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterable

    from textual.message import Message

    from schedtui.config.settings import Settings
    from schedtui.toolchain.build_plan import Flavour
    from schedtui.toolchain.checkout import Checkout
    from schedtui.toolchain.go_build import BuildProgress
    from schedtui.ui.options import Options

Kind = Literal["source", "lab", "logs", "start"]
"""What a session is about."""

FIRST_BUILD_NOTE = "The first build of a release takes about ten minutes on two cores; after that it is cached."
"""Said on the progress screen of the lab."""


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked for on the command line or the start screen."""

    kind: Kind
    options: Options
    settings: Settings
    release: str = ""
    """The lab's release."""
    tour: bool = False
    scenario: str = ""
    """What is played in the lab once its panes are there; empty: nothing but the lab's own workload."""
    inputs: tuple[str, ...] = field(default_factory=tuple)
    """Logs, standard input already replaced by a path that can be read."""
    come_back: str = ""
    """Directory of a session of earlier that is to be joined again; empty for a new one."""

    @property
    def low_bandwidth(self) -> bool:
        """Fewer frames, no sparklines."""
        return self.options.low_bandwidth or self.settings.low_bandwidth

    @property
    def dlv(self) -> Path | None:
        """The dlv that was named; None: one that fits is looked for."""
        return path_of(self.options.dlv or self.settings.debugger.dlv)

    @property
    def dlv_debug(self) -> bool:
        """Whether dlv is to build."""
        return self.options.dlv_debug or (self.settings.debugger.dlv_debug and not self.options.binary)

    @property
    def verbosity(self) -> int:
        """The ``-v`` that schedulers are started with."""
        return self.settings.verbosity if self.options.verbosity is None else self.options.verbosity

    def with_choice(self, name: str, words: str) -> Request:
        """The request that a choice of the start screen makes of this one."""
        if name == "source":
            return replace(self, kind="source", options=replace(self.options, source=str(typed_path(words))))
        if name == "logs":
            path = str(typed_path(words))
            return replace(self, kind="logs", options=replace(self.options, logs=(path,)), inputs=(path,))
        return replace(
            self, kind="lab", release=self.release or self.settings.lab.release,
            tour=name == "tour", scenario=words if name == "scenario" else "",
        )  # fmt: skip


def describe(request: Request) -> tuple[str, str]:
    """Title and note of the progress screen."""
    if request.kind == "lab":
        return f"lab {request.release}", FIRST_BUILD_NOTE
    what = request.options.source or request.options.binary or request.options.connect or "scheduler"
    return f"preparing {what}", ""


def start_notes(request: Request) -> tuple[str, ...]:
    """What the start screen says about labs that run."""
    lab = find_running_lab()
    return (f"The lab {lab.name} is up: l debugs a scheduler in it.",) if lab is not None else ()


def prepare(request: Request, post: Callable[[Message], object], cancel: threading.Event) -> Plan:
    """Do all that must be done before the panes come up.

    Raises:
        SchedtuiError: Something is missing or does not fit; ``Cancelled`` when ``cancel`` was set.
    """
    progress = _Progress(post)
    if request.come_back:
        return _come_back(request, progress, cancel)
    if request.kind == "lab":
        return _prepare_lab(request, progress, cancel)
    return _prepare_target(request, progress, cancel)


def give_up(plan: Plan) -> None:
    """End what was prepared for a plan that nobody wants any more."""
    if plan.lab is not None:
        plan.lab.close()
    start = plan.start
    if start is not None and not start.persistent:
        # A persistent one may be a session of earlier that lives.
        shutil.rmtree(start.run_directory, ignore_errors=True)


def plan_logs(request: Request) -> Plan:
    """Logs alone; nothing has to be prepared."""
    checkout = open_checkout(request.options.source) if request.options.source else None
    release = checkout.release.version or "" if checkout is not None else ""
    return Plan(request.settings, directories(), logs=request.inputs, checkout=checkout, release=release)


class _Progress:
    """Turns steps of all kinds into messages."""

    def __init__(self, post: Callable[[Message], object]) -> None:
        self._post = post

    def step(self, name: str, detail: str = "") -> None:
        """A step that has no parts."""
        self._post(WorkProgressed(name, detail=detail))

    def build(self, progress: BuildProgress) -> None:
        """How far a build is."""
        from schedtui.toolchain.go_build import PHASE_WORDS, format_seconds

        if progress.phase == "start":
            self._post(WorkProgressed(progress.target, detail=f"starting {progress.current}"))
            return
        left = f", about {format_seconds(progress.left)} left" if progress.left is not None else ""
        detail = f"{PHASE_WORDS[progress.phase]}{left}  {progress.current}".rstrip()
        self._post(WorkProgressed(progress.target, progress.done, progress.total, detail))

    def tell(self, text: str) -> None:
        """A line of explanation."""
        self._post(NoticePosted(text))


def _come_back(request: Request, progress: _Progress, cancel: threading.Event) -> Plan:
    """A session that was left running: nothing is built or started, dlv's server is joined again."""
    directory = Path(request.come_back)
    record = read_record(directory)
    if record is None:
        raise WrongUse("the session is gone", where=str(directory))
    progress.step("dlv")
    dlv = ensure_dlv(progress.build, dlv=request.dlv, cancel=cancel)
    progress.step("source")
    tree = Path(record.checkout)
    checkout = open_checkout(tree) if tree.is_dir() else None
    arguments = list(record.arguments)
    lab = find_running_lab()
    if lab is not None and not any(str(lab.kubeconfig) in word for word in arguments):
        lab = None
    if lab is not None:
        lab.take_over(port_of(arguments))
    credentials = EndpointCredentials(token=lab.endpoint.token) if lab is not None else None
    if credentials is None and (path := path_of(_flag(arguments, "authentication-kubeconfig"))) is not None:
        private = directories().state / "sessions" / f"{os.getpid()}-credentials"
        credentials = credentials_of(read_kubeconfig(path), private)
    launch = replace(
        _launch(request, str(dlv), checkout, directory), mode="exec", target=record.binary,
        arguments=record.arguments, release=record.release or None, persistent=True, continue_at_once=False,
        log_label=_label_of(record.log),
    )  # fmt: skip
    return Plan(
        request.settings, directories(), launch, checkout=checkout, lab=lab, release=record.release,
        endpoint=SchedulerEndpoint(port_of(arguments), credentials) if credentials is not None else None,
        verbosity=verbosity_of(arguments, request.verbosity), came_back=True,
        leader_election="--leader-elect=false" not in arguments,
        notes=("Back in the session that was left running; its breakpoints and watches are as they were.",),
    )  # fmt: skip


def _label_of(log: str) -> str:
    """The label in a run log's name: ``20261130T101500Z_LABEL_123-1.log``."""
    parts = Path(log).name.split("_")
    return parts[1] if len(parts) == 3 else "scheduler"


def _flag(arguments: list[str], name: str) -> str:
    return next((word.partition("=")[2] for word in arguments if word.startswith(f"--{name}=")), "")


def _prepare_lab(request: Request, progress: _Progress, cancel: threading.Event) -> Plan:
    dlv = ""
    if not request.options.no_debugger:
        progress.step("dlv")
        dlv = str(ensure_dlv(progress.build, dlv=request.dlv, cancel=cancel))
    progress.step(f"lab {request.release}")
    config = path_of(request.options.scheduler_config)
    # Where the scheduler is to survive a dropped line, so must its cluster.
    persistent = request.options.persistent or request.settings.debugger.persistent
    stays_up = persistent and not request.options.no_debugger
    name = request.options.lab_name or request.release
    was_there = find_running_lab(name=name) is not None
    lab = ensure_lab(
        request.release, progress.build, cancel=cancel, name=name, scheduler_config=config, stays_up=stays_up,
        scenario=request.settings.lab.scenario or FIRST_WORKLOAD,
    )  # fmt: skip
    # It was not started by "lab up": quitting ends it all the same, but for a detached or dropped session.
    lab.owned = lab.owned or (stays_up and not was_there)
    try:
        progress.step("source")
        checkout = open_checkout(lab.source_directory)
        return _plan_in_lab(request, lab, checkout, lab.scheduler_binary, dlv)
    except BaseException:
        lab.close()
        raise


def _plan_in_lab(request: Request, lab: RunningLab, checkout: Checkout, binary: Path, dlv: str) -> Plan:
    arguments = lab.scheduler_arguments(request.verbosity, config=path_of(request.options.scheduler_config))
    arguments += [*request.settings.scheduler_flags, *request.options.scheduler_flags]
    endpoint = SchedulerEndpoint(port_of(arguments), EndpointCredentials(token=lab.endpoint.token))
    verbosity = verbosity_of(arguments, request.verbosity)
    own: Flavour | None = "debug" if checkout.layout != "module-cache" else None
    if not dlv:
        advice = advice_for(Situation("measure", verbosity))
        free = _free_launch(request, binary, arguments, checkout, lab.release)
        return Plan(
            request.settings, directories(), free=replace(free, log_label=f"lab-{lab.release}-free"),
            checkout=checkout, lab=lab, endpoint=endpoint, verbosity=verbosity, release=lab.release,
            flavour=own, notes=(*_words(advice), FREE_NOTE),
        )  # fmt: skip
    launch = replace(
        _launch(request, dlv, checkout),
        target=str(binary),
        arguments=tuple(arguments),
        log_label=f"lab-{lab.release}",
    )
    advice = advice_for(Situation("debug", verbosity))
    return Plan(
        request.settings, directories(), launch, checkout=checkout, lab=lab, endpoint=endpoint,
        verbosity=verbosity, release=lab.release, flavour=own, tour=request.tour,
        notes=(*_words(advice), *((ENTRY_NOTE,) if not launch.continue_at_once else ())),
    )  # fmt: skip


ENTRY_NOTE = "The scheduler stands at its entry: b s breaks on ScheduleOne, c continues, ? lists the keys."
"""Said when the panes come up."""


def _prepare_target(request: Request, progress: _Progress, cancel: threading.Event) -> Plan:
    options = request.options
    checkout = open_checkout(options.source) if options.source else None
    if options.no_debugger:
        return _prepare_free(request, checkout, progress, cancel)
    progress.step("dlv")
    dlv = ensure_dlv(progress.build, dlv=request.dlv, cancel=cancel)
    launch = _launch(request, str(dlv), checkout)
    release = checkout.release.version or "" if checkout is not None else ""
    if options.attach_pid is not None:
        launch = replace(launch, mode="attach", target=str(options.attach_pid))
        return _plan_running(request, launch, checkout, release)
    if options.connect:
        launch = replace(launch, mode="connect", target=options.connect)
        return _plan_running(request, launch, checkout, release)
    if options.test_package:
        launch = replace(
            launch, mode="test", target=options.test_package, arguments=options.scheduler_flags,
            working_directory=options.source,
        )  # fmt: skip
        if checkout is not None:
            launch = _built_by_dlv(launch, checkout)
        return _plan_other(request, launch, checkout, release)
    progress.step("kubeconfig")
    arguments, lab, endpoint, elects, notes = scheduler_flags(request, checkout)
    if request.dlv_debug and checkout is not None:
        launch = replace(launch, mode="debug", target="", working_directory=str(checkout.root))
        launch = _built_by_dlv(launch, checkout)
    else:
        binary = path_of(options.binary) or _build(checkout, "debug", progress, cancel)
        launch = replace(launch, target=str(binary))
    launch = replace(launch, arguments=tuple(arguments))
    verbosity = verbosity_of(arguments, request.verbosity)
    advice = advice_for(
        Situation(
            "debug",
            verbosity,
            dlv_debug=request.dlv_debug,
            leader_elect=elects,
            private_cluster=is_private(arguments, lab),
        )
    )
    return Plan(
        request.settings, directories(), launch, logs=request.inputs, checkout=checkout, lab=lab,
        endpoint=endpoint, verbosity=verbosity, leader_election=elects, release=release,
        flavour=None if options.binary or request.dlv_debug else "debug",
        notes=(*notes, *_words(advice), *(() if launch.continue_at_once or request.dlv_debug else (ENTRY_NOTE,))),
    )  # fmt: skip


def _built_by_dlv(launch: Launch, checkout: Checkout) -> Launch:
    """The launch with what dlv must be told to build in this tree."""
    from schedtui.toolchain.dlv_build import plan_dlv_build

    build = plan_dlv_build(checkout, Path(launch.run_directory), launch.target)
    return replace(launch, target=build.package, build_flags=build.flags, environment=build.environment)


def _words(advice: Iterable[Advice]) -> tuple[str, ...]:
    """Advice as notes; what the plan's own notes say already is left out."""
    return tuple(item.text for item in advice if item.id != "debug-lease")


def _prepare_free(
    request: Request, checkout: Checkout | None, progress: _Progress, cancel: threading.Event
) -> Plan:
    """An optimised scheduler that runs without dlv."""
    progress.step("kubeconfig")
    arguments, lab, endpoint, elects, notes = scheduler_flags(request, checkout)
    given = path_of(request.options.binary)
    binary = given or _build(checkout, "optimised", progress, cancel)
    verbosity = verbosity_of(arguments, request.verbosity)
    facts = read_binary(binary)
    optimised = facts.optimised(SCHEDULER_PACKAGES[0])
    advice = advice_for(
        Situation(
            "measure", verbosity, optimised=optimised is not False, private_cluster=is_private(arguments, lab)
        )
    )
    release = (checkout.release.version if checkout is not None else facts.release) or ""
    return Plan(
        request.settings, directories(), free=_free_launch(request, binary, arguments, checkout, release),
        logs=request.inputs, checkout=checkout, lab=lab, endpoint=endpoint, verbosity=verbosity,
        leader_election=elects, release=release, flavour=None if given else "optimised",
        notes=(*notes, *_words(advice), FREE_NOTE),
    )  # fmt: skip


def _free_launch(
    request: Request, binary: Path, arguments: list[str], checkout: Checkout | None, release: str
) -> Launch:
    """The launch of a scheduler without dlv."""
    label = checkout.root.name if checkout is not None else "scheduler"
    return replace(
        _launch(request, "", checkout), target=str(binary), arguments=tuple(arguments), release=release or None,
        log_label=f"{label}-free", persistent=False,
    )  # fmt: skip


FREE_NOTE = "The scheduler runs free, without dlv; its log is kept (:runs), :report counts it, , r rebuilds."
"""Said when the panes come up without a debugger."""

NO_LOG_NOTE = "No log is shown: nothing tells where it goes; --log FILE shows it beside the debugger."
"""Said of a target that was not started here, whose log is no file that can be found."""


def _plan_running(request: Request, launch: Launch, checkout: Checkout | None, release: str) -> Plan:
    """A scheduler that runs already: its command line tells its port, its verbosity, whether it elects."""
    plan = _plan_other(request, launch, checkout, release)
    target = read_target(launch)
    logs = request.inputs or ((target.log,) if target is not None and target.log else ())
    if not logs:
        plan = replace(plan, notes=(*plan.notes, NO_LOG_NOTE))
    if target is None:
        return replace(plan, ends_with_us=None if launch.mode == "connect" else False)
    return replace(
        plan, logs=logs, endpoint=target.endpoint, verbosity=target.verbosity, leader_election=target.elects,
        notes=(*plan.notes, *target.notes), ends_with_us=target.ends_with_us,
    )  # fmt: skip


def _plan_other(request: Request, launch: Launch, checkout: Checkout | None, release: str) -> Plan:
    return Plan(
        request.settings, directories(), launch, logs=request.inputs, checkout=checkout, release=release,
        endpoint=None,
    )  # fmt: skip


def _build(checkout: Checkout | None, flavour: Flavour, progress: _Progress, cancel: threading.Event) -> Path:
    from schedtui.toolchain.build import ensure_scheduler
    from schedtui.toolchain.build_plan import BuildRequest

    if checkout is None:
        raise WrongUse("nothing to run", hint="Name a source tree with --src, or a binary with --exec.")
    progress.step("kube-scheduler")
    result = ensure_scheduler(BuildRequest(checkout, flavour), progress.build, cancel)
    for note in result.notes:
        progress.tell(note)
    return result.binary


def _launch(request: Request, dlv: str, checkout: Checkout | None, directory: Path | None = None) -> Launch:
    """What all ways of starting have in common."""
    places = directories()
    session = directory or places.state / "sessions" / f"{os.getpid()}-{int(time.time())}"
    private_directory(session)
    pairs = tuple((origin, here) for origin, here in request.settings.debugger.substitute_path)
    return Launch(
        dlv=dlv,
        run_directory=str(session),
        source=str(checkout.root) if checkout is not None else "",
        release=checkout.release.version if checkout is not None else None,
        persistent=request.options.persistent or request.settings.debugger.persistent,
        substitute_paths=pairs,
        continue_at_once=request.options.continue_at_once or request.settings.debugger.run,
        log_directory=str(private_directory(places.run_logs)),
        log_label=checkout.root.name if checkout is not None else "scheduler",
    )
