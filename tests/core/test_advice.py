from __future__ import annotations

import pytest

from schedtui.core.advice import ADVICE, Situation, advice_for


@pytest.mark.parametrize(
    ("run", "told"),
    [
        (Situation("measure", 4, optimised=True), []),
        (Situation("measure", 4), ["measure-optimised"]),
        (Situation("measure", 8, optimised=True), ["measure-verbosity"]),
        (Situation("measure", 2, optimised=True), ["measure-too-quiet"]),
        (Situation("debug", 5), []),
        (Situation("debug", 5, optimised=True), ["debug-optimised"]),
        (Situation("debug", 2), ["debug-verbosity"]),
        (Situation("debug", 10), ["debug-verbosity-high"]),
        (Situation("debug", 5, leader_elect=True), ["debug-lease"]),
        (Situation("debug", 5, dlv_debug=True), ["debug-either"]),
        (Situation("measure", 4, optimised=True, private_cluster=False), ["production-verbosity"]),
    ],
)
def test_what_is_told_of_a_run(run: Situation, told: list[str]) -> None:
    assert [advice.id for advice in advice_for(run)] == told


def test_the_tutorials_three_levels_are_named() -> None:
    texts = " ".join(advice.text for advice in ADVICE)
    assert "-v 5" in texts and "-v 4" in texts and "-v 2" in texts
