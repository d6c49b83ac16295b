import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from relevance.analysis.agreement.counts import Agreement, count_agreement, credit_pairs, within_document_pairs
from relevance.data.ties import TIE

NAN = math.nan
PREFERENCES = st.sampled_from([-1.0, 1.0, 0.0, TIE / 2, NAN]) | st.floats(-5, 5)
PAIRS = st.lists(st.tuples(PREFERENCES, PREFERENCES), max_size=30)


def test_counts_and_ratios() -> None:
    human = [1, 1, 1, -1, -1, 0, 0, 1]
    metric = [0.2, 0.1, -0.3, -0.1, 1e-16, 0.5, NAN, NAN]
    # pairs 1, 2, 4 agree; 3 disagrees; 5 is noise, so a metric tie; 6 and 7 are human ties, 7 although its
    # metric is missing; 8 is missing -> n = 3 + 1 + 1
    agreement = count_agreement(human, metric)
    assert agreement == Agreement(pairs=5, human_ties=2, concordant=3, discordant=1, tied=1, missing=1)
    assert agreement.strict == 3 / 5
    assert agreement.half == 3.5 / 5
    assert agreement.decided == 3 / 4
    assert agreement.coverage == 4 / 5


@pytest.mark.parametrize(
    ("human", "metric", "expected"),
    [
        ([], [], Agreement(0, 0, 0, 0, 0, 0)),
        ([0, TIE], [1, 1], Agreement(0, 2, 0, 0, 0, 0)),  # only human ties
        ([1, -1], [NAN, NAN], Agreement(0, 0, 0, 0, 0, 2)),  # only missing values
        ([NAN, NAN], [1, NAN], Agreement(0, 0, 0, 0, 0, 0)),  # nobody judged
    ],
)
def test_ratios_of_nothing_are_undefined(human: list[float], metric: list[float], expected: Agreement) -> None:
    agreement = count_agreement(human, metric)
    assert agreement == expected
    assert (agreement.strict, agreement.half, agreement.decided, agreement.coverage) == (None, None, None, None)


def test_a_metric_that_only_ties_decides_nothing() -> None:
    agreement = count_agreement([1, -1], [0, -TIE])
    assert (agreement.strict, agreement.half, agreement.decided, agreement.coverage) == (0, 0.5, None, 0)


def test_a_difference_beyond_the_tie_is_a_preference() -> None:
    assert count_agreement([2 * TIE, 1], [1, -2 * TIE]) == Agreement(2, 0, 1, 1, 0, 0)


def test_none_is_missing() -> None:
    assert count_agreement([1], [None]).missing == 1


@pytest.mark.parametrize(
    ("human", "metric", "message"),
    [
        ([1, 1], [1], "human 2, difference 1"),
        ([[1]], [1], "human must have one dimension, not 2"),
        ([1], [math.inf], "difference holds a number that is infinite"),
    ],
)
def test_unusable_columns_are_refused(human: list[float], metric: list[float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        count_agreement(human, metric)


@given(PAIRS)
def test_counts_add_up_and_swaps_do_what_they_mean(pairs: list[tuple[float, float]]) -> None:
    human, metric = np.array(pairs, dtype=float).reshape(-1, 2).T
    agreement = count_agreement(human, metric)
    assert agreement.pairs == agreement.concordant + agreement.discordant + agreement.tied
    assert agreement.pairs + agreement.human_ties + agreement.missing == np.count_nonzero(~np.isnan(human))
    # the sides of a pair are arbitrary; a metric turned round swaps concordant and discordant
    assert count_agreement(-human, -metric) == agreement
    turned = count_agreement(human, -metric)
    assert turned == agreement._replace(concordant=agreement.discordant, discordant=agreement.concordant)
    if agreement.half is not None and turned.half is not None:
        assert agreement.half + turned.half == pytest.approx(1)


def test_pairs_of_cells_within_documents() -> None:
    # a has the cells 0, 2, 4; b 1 and 5; c only 3, so no pair
    first, second = within_document_pairs(["a", "b", "a", "c", "a", "b"])
    assert list(zip(first, second, strict=True)) == [(0, 2), (0, 4), (1, 5), (2, 4)]


@pytest.mark.parametrize("documents", [[], ["a"], ["a", ("b", 1), 2]])
def test_no_two_cells_of_a_document_no_pairs(documents: list[object]) -> None:
    first, second = within_document_pairs(documents)  # type: ignore[arg-type]
    assert first.shape == second.shape == (0,)
    assert first.dtype == np.intp


def test_what_a_metric_earns() -> None:
    human = [1, 1, -1, 0, 1, NAN]
    metric = [0.3, -0.3, 1e-16, 1, NAN, 1]
    assert np.array_equal(credit_pairs(human, metric), [1, 0, 0.5, NAN, NAN, NAN], equal_nan=True)
    assert np.array_equal(credit_pairs(human, metric, "strict"), [1, 0, 0, NAN, NAN, NAN], equal_nan=True)
    assert np.array_equal(credit_pairs(human, metric, "decided"), [1, 0, NAN, NAN, NAN, NAN], equal_nan=True)
    with pytest.raises(ValueError, match="rule must be one of half, strict, decided, not lenient"):
        credit_pairs(human, metric, "lenient")  # type: ignore[arg-type]


def test_weights_make_the_ratios_and_not_the_counts() -> None:
    # agree, disagree, tie that stand for 10, 4 and 2 pairs: 10/16, (10 + 1)/16, 10/14, 14/16
    agreement = count_agreement([1, 1, 1], [1, -1, 0], [10, 4, 2])
    assert agreement[:6] == (3, 0, 1, 1, 1, 0)
    assert (agreement.strict, agreement.half, agreement.decided, agreement.coverage) == (
        10 / 16,
        11 / 16,
        10 / 14,
        14 / 16,
    )


@pytest.mark.parametrize(
    ("weights", "message"),
    [([1], "pairs 2, weights 1"), ([1, 0], "must be positive"), ([1, NAN], "must be positive")],
)
def test_unusable_weights_are_refused(weights: list[float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        count_agreement([1, 1], [1, 1], weights)
