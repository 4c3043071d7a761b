"""What a user gets: the wheel holds its data, installs, and runs; so does an editable install."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import schedtui
from schedtui.lab.scenario import parse_scenario

REPOSITORY = Path(schedtui.__file__).parents[1]

DATA_PATTERNS = (
    ("schedtui/themes/", ".toml"),
    ("schedtui/lab/scenarios/", ".yaml"),
    ("schedtui/debugger/", ".star"),
    ("schedtui/debugger/", "catalogue.toml"),
)
"""Folder in the wheel, ending of the data files that must be in it."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built as pip builds it."""
    if not (REPOSITORY / "pyproject.toml").exists():
        pytest.skip("schedtui is not run from its source tree")
    target = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(target), str(REPOSITORY)]
    subprocess.run(command, check=True, capture_output=True, text=True)
    return next(target.glob("schedtui-*.whl"))


@pytest.fixture(scope="module")
def unpacked(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel's content: what an installation puts beside the dependencies."""
    target = tmp_path_factory.mktemp("installed")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(target)
    return target


def run_installed(unpacked: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the installed package, not the one in the source tree."""
    code = (
        f"import sys; sys.path.insert(0, {str(unpacked)!r}); from schedtui.__main__ import main; sys.exit(main())"
    )
    return subprocess.run(
        [sys.executable, "-P", "-c", code, *arguments], capture_output=True, text=True, check=False, cwd=unpacked
    )


@pytest.mark.parametrize(("folder", "ending"), DATA_PATTERNS)
def test_data_files_are_in_the_wheel(wheel: Path, folder: str, ending: str) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert [name for name in names if name.startswith(folder) and name.endswith(ending)]


def test_every_data_file_of_the_package_is_in_the_wheel(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    package = REPOSITORY / "schedtui"
    wanted = {
        path.relative_to(REPOSITORY).as_posix()
        for path in package.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert wanted <= names
    themes = {f"schedtui/themes/{path.name}" for path in (REPOSITORY / "themes").iterdir() if path.is_file()}
    assert themes <= names


def test_wheel_holds_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/", 1)[0] for name in names} == {"schedtui", f"schedtui-{schedtui.__version__}.dist-info"}


def test_installed_package_runs(unpacked: Path) -> None:
    done = run_installed(unpacked, "--version")
    assert done.stdout == f"schedtui {schedtui.__version__}\n"
    listed = run_installed(unpacked, "lab", "load", "--list")
    assert listed.returncode == 0
    assert "first-steps" in listed.stdout


def test_installed_themes_are_found(unpacked: Path) -> None:
    code = (
        f"import sys; sys.path.insert(0, {str(unpacked)!r})\n"
        "import schedtui, pathlib\n"
        "folder = pathlib.Path(schedtui.__file__).parent / 'themes'\n"
        "print(schedtui.__file__, len(list(folder.glob('*.toml'))))\n"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True, cwd=unpacked
    )
    path, count = done.stdout.split()
    assert path.startswith(str(unpacked))
    assert int(count) > 1


def test_metadata(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    folder = f"schedtui-{schedtui.__version__}.dist-info"
    metadata = archive.read(f"{folder}/METADATA").decode()
    assert "Requires-Python: >=3.11" in metadata
    assert "Provides-Extra: go" in metadata
    assert "schedtui = schedtui.__main__:main" in archive.read(f"{folder}/entry_points.txt").decode()


def test_every_scenario_in_the_wheel_is_readable(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    for name in archive.namelist():
        if name.startswith("schedtui/lab/scenarios/") and name.endswith(".yaml"):
            assert parse_scenario(archive.read(name).decode(), name).steps


def test_themes_are_found_from_the_source_tree() -> None:
    from schedtui.ui.themes import load_themes

    assert load_themes()
