"""What is said when dlv does not set a value."""

from __future__ import annotations

import pytest

from schedtui.debugger.setting import explain_set

NEW_STRING = "literal string can not be allocated because function calls are not allowed without using 'call'"


@pytest.mark.parametrize(
    ("refusal", "value", "title", "hint"),
    [
        (NEW_STRING, '"abc"', "cannot make a new string", 'call t.Name = "abc"'),
        ("could not find symbol value for nope", "nope", "There is no variable nope", "Text stands in quotes"),
        ("can not convert 7 constant to bool", "7", "7 is no value for a bool", "of its type"),
        (
            "mismatched types nil and struct main.T",
            "nil",
            "nil does not fit a struct main.T",
            "field by field",
        ),
        ("can not set variables of type struct (not implemented)", "{}", "no values of this kind", "one by one"),
        ("something {new} of 1.28", "1", "something {new} of 1.28", ""),
    ],
)
def test_a_refusal_is_said_in_words_with_what_works(refusal: str, value: str, title: str, hint: str) -> None:
    failure = explain_set(refusal, "t.Name", value)
    assert title in failure.title
    assert hint in failure.hint
    assert failure.where == "t.Name"
    assert refusal in (failure.title, *failure.details)


def test_braces_in_what_was_typed_are_no_places_to_fill() -> None:
    assert 'call a["{x}"] = "{y}"' in explain_set(NEW_STRING, 'a["{x}"]', '"{y}"').hint
