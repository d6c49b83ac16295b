"""The share of choices of the left side, by annotator."""

import math

import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from relevance.analysis.people.position import SideShare, position_check

NAN = math.nan


def test_shares_of_left_choices() -> None:
    # ann 61 of 100, ben 0 of 6, cy decides nothing
    left = [1.0] * 61 + [0.0] * 39 + [NAN] + [0.0] * 6 + [NAN, NAN]
    who = ["ann"] * 101 + ["ben"] * 6 + ["cy", "cy"]
    everybody, ann, ben, cy = position_check(left[::-1], who[::-1])
    assert everybody[:3] == (None, 61, 106)
    assert everybody.p == pytest.approx(stats.binomtest(61, 106).pvalue)
    assert everybody.p_holm is None
    assert ann[:4] == ("ann", 61, 100, 0.61)
    assert (ann.low, ann.high) == pytest.approx((0.5120, 0.6998), abs=5e-5)
    assert (ann.low, ann.high) == pytest.approx(proportion_confint(61, 100, method="wilson"))
    assert ann.p == pytest.approx(stats.binomtest(61, 100).pvalue)
    assert (ben.share, ben.low) == (0, 0)
    assert ben.p == pytest.approx(2 / 64)
    # of two annotators, not three: ben's 2 * 2/64, and ann's .0352 lifted to it
    assert (ann.p_holm, ben.p_holm) == pytest.approx((4 / 64, 4 / 64))
    assert cy == SideShare("cy", 0, 0, None, None, None, None, None, "no choice is decided")


def test_nobody_chose() -> None:
    assert position_check([], []) == [SideShare(None, 0, 0, None, None, None, None, None, "no choice is decided")]


@pytest.mark.parametrize(
    ("left", "annotators", "message"),
    [
        ([1, 0.5], "ab", "left must be 1, 0 or NaN"),
        ([1], "ab", "left 1, annotators 2"),
        ([1, 0], ["a", None], "an annotator must not be None"),
    ],
)
def test_unusable_choices_are_refused(left: list[float], annotators: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        position_check(left, annotators)
