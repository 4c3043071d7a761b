from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from schedtui.core.errors import WrongUse
from schedtui.ui.themes import ROLES, choose_theme, colour_depth, load_themes, parse_theme, theme_directories

if TYPE_CHECKING:
    from pathlib import Path


def test_all_themes_of_the_project_fit() -> None:
    themes = load_themes()
    assert themes.failures == ()
    assert {"dark", "light", "256", "16", "high-contrast", "mono", "plain"} <= set(themes.palettes)
    for palette in themes.palettes.values():
        assert set(palette.styles) == set(ROLES)


def test_themes_are_beside_the_package_or_in_it() -> None:
    assert any((place / "dark.toml").is_file() for place in theme_directories())


@pytest.mark.parametrize(
    ("environment", "name"),
    [
        ({"TERM": "xterm-256color", "COLORTERM": "truecolor"}, "dark"),
        ({"TERM": "xterm-256color"}, "256"),
        ({"TERM": "screen-256color"}, "256"),
        ({"TERM": "linux"}, "16"),
        ({"TERM": "screen"}, "16"),
        ({"TERM": "vt100"}, "mono"),
        ({"TERM": "xterm-256color", "COLORTERM": "truecolor", "NO_COLOR": "1"}, "mono"),
        ({"TERM": "xterm-256color", "NO_COLOR": ""}, "256"),
    ],
)
def test_the_terminal_decides_when_no_theme_is_named(environment: dict[str, str], name: str) -> None:
    assert choose_theme("", load_themes(), environment).name == name


def test_a_named_theme_wins() -> None:
    assert choose_theme("high-contrast", load_themes(), {"TERM": "linux"}).name == "high-contrast"


def test_an_unknown_theme_is_refused() -> None:
    with pytest.raises(WrongUse, match="no such theme"):
        choose_theme("drak", load_themes(), {})


def test_without_colour_no_theme_uses_any() -> None:
    for name in ("mono", "plain"):
        for role, style in load_themes().palettes[name].styles.items():
            assert style.color is None and style.bgcolor is None, role


def test_states_differ_without_colour_by_more_than_colour() -> None:
    palette = load_themes().palettes["mono"]
    assert str(palette["target-stopped"]) != str(palette["target-running"])
    assert str(palette["severity-error"]) != str(palette["severity-info"])


@pytest.mark.parametrize(
    "content",
    [
        b"name = ",
        b"\xff",
        b'colour = "red"',
        b'[colours]\nprimry = "#fff"',
        b'[colours]\nprimary = "#ggg"',
        b'[roles]\nno-such = "bold"',
        b'[roles]\ntitle = "boldest"',
        b'colours = "red"',
    ],
)
def test_a_theme_that_does_not_fit_is_refused_with_its_name(content: bytes) -> None:
    with pytest.raises(WrongUse) as caught:
        parse_theme(content, "mine.toml")
    assert "mine.toml" in caught.value.as_text()


def test_a_users_theme_is_found_and_a_bad_one_is_told(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('name = "mine"\n[colours]\nprimary = "#00ff00"\n')
    (tmp_path / "bad.toml").write_text("name =")
    themes = load_themes(tmp_path)
    assert "mine" in themes.palettes
    assert len(themes.failures) == 1
    assert "bad.toml" in themes.failures[0]


def test_the_colour_depth_of_nothing_is_no_colour() -> None:
    assert colour_depth({}) == "mono"
