"""Looking for answers or sleeping until they come: the quicker way is found, and found again."""

from __future__ import annotations

import pytest

from toolscript.sandbox.patience import SELDOM, WINS, Patience


def shares(patience: Patience, looked_s: float, slept_s: float, times: int) -> float:
    """How often it looks, of so many answers that take so long."""
    looks = 0
    for _ in range(times):
        looked = patience.looks()
        patience.took(looked_s if looked else slept_s, looked=looked)
        looks += looked
    return looks / times


@pytest.mark.parametrize(
    ("looked_s", "slept_s", "share"),
    [(30e-6, 90e-6, 1), (300e-6, 90e-6, 0), (85e-6, 90e-6, 0), (1.0, 1.0, 0)],
)
def test_the_quicker_way_is_taken(looked_s: float, slept_s: float, share: float) -> None:
    patience = Patience()
    shares(patience, looked_s, slept_s, 100)
    assert shares(patience, looked_s, slept_s, 10 * SELDOM) == pytest.approx(share, abs=0.02)


def test_it_notices_that_the_machine_has_changed() -> None:
    patience = Patience()
    for _ in range(3):
        shares(patience, 30e-6, 90e-6, (WINS + 2) * SELDOM)
        assert shares(patience, 30e-6, 90e-6, SELDOM) > 0.9
        shares(patience, 300e-6, 90e-6, (WINS + 2) * SELDOM)
        assert shares(patience, 300e-6, 90e-6, SELDOM) < 0.1


def test_single_answers_that_take_long_change_nothing() -> None:
    patience = Patience()
    shares(patience, 30e-6, 90e-6, 100)
    for _ in range(20):
        looked = patience.looks()
        patience.took(1.0, looked=looked)
        assert shares(patience, 30e-6, 90e-6, 40) > 0.9
