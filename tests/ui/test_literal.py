from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from schedtui.ui.widgets.literal import literal


def test_c40_colour_codes_markup_and_control_bytes_are_shown() -> None:
    text = '] "index [/idx] and [bold]" \x1b[31mred \x1b]0;title\x07 done\rOVERWRITE'
    shown = literal(text)
    assert "[/idx] and [bold]" in shown
    assert "\x1b" not in shown and "\x07" not in shown and "\r" not in shown
    assert "␛[31mred" in shown
    assert "␍OVERWRITE" in shown


def test_tabs_are_spread() -> None:
    assert literal("a\tb") == "a   b"


@given(st.text())
def test_nothing_that_moves_a_cursor_comes_through(text: str) -> None:
    for character in literal(text):
        assert unicodedata.category(character) not in ("Cc", "Cs")


BIDI_CONTROLS = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI", "BN"}


@given(st.text(st.characters(categories=["Cf", "Cc", "Cs", "Mn", "Zl", "Zp", "Lo", "Cn"])))
def test_nothing_that_turns_or_hides_text_comes_through(text: str) -> None:
    shown = literal(text)
    assert not {unicodedata.bidirectional(character) for character in shown} & BIDI_CONTROLS
    assert not set(shown) & set("\xad\u034f\u061c\u115f\u3164\ufe0f\uffa0\U000e0041")


def test_a_name_that_only_looks_like_another_is_told_from_it() -> None:
    assert literal("shop/ca\u00adrt\U000e0041\ufe0f") != literal("shop/cart") == "shop/cart"
