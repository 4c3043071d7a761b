from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from schedtui.ui.widgets.go_highlight import GoHighlighter

SOURCE = """package scheduler

// ScheduleOne does one cycle.
func (sched *Scheduler) ScheduleOne(ctx context.Context) {
\tpodInfo, err := sched.NextPod(logger)
\tif err != nil || podInfo == nil { return }
\tlogger.V(3).Info("Attempting to schedule pod", "pod", klog.KObj(pod))
\tx := `raw
text` + "y"
}
"""


def roles(line: int) -> dict[str, str]:
    return {text: role for text, role in GoHighlighter(SOURCE).spans(line) if role}


def test_each_kind_of_word_has_its_role() -> None:
    assert roles(0)["package"] == "go-keyword"
    assert roles(2)["// ScheduleOne does one cycle."] == "go-comment"
    declaration = roles(3)
    assert declaration["func"] == "go-keyword"
    assert declaration["Scheduler"] == "go-type"
    assert declaration["ScheduleOne"] == "go-function"
    assert roles(4)["NextPod"] == "go-function"
    assert roles(5)["nil"] == "go-number"
    call = roles(6)
    assert call["3"] == "go-number"
    assert call['"Attempting to schedule pod"'] == "go-string"


def test_a_string_over_several_lines_is_one_on_each() -> None:
    assert roles(7)["`raw"] == "go-string"
    assert roles(8)["text`"] == "go-string"


def test_lines_that_are_not_there_are_empty() -> None:
    assert GoHighlighter(SOURCE).spans(999) == ()


@given(st.text(alphabet=st.characters(codec="utf-8")))
def test_any_text_is_kept_as_it_is(text: str) -> None:
    highlighter = GoHighlighter(text)
    for number, line in enumerate(text.split("\n")):
        assert "".join(piece for piece, _ in highlighter.spans(number)) == line
