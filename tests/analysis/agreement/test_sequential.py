"""The wealth, its confidence sequence, and what simulated studies say of both."""

import itertools
import math
from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

from relevance.analysis.agreement.counts import count_agreement
from relevance.analysis.agreement.sequential import (
    BETS,
    analyze_sequentially,
    decide_to_stop,
    log_wealth,
    sequential_test,
    sum_documents,
)
from relevance.data.stopping_state import CompleteDocuments

Floats = NDArray[np.float64]


# --- differences of documents -----------------------------------------------------------------------------


def judged(
    document: list[int],
    choices: list[int],
    first: list[float],
    second: list[float] | None,
    *,
    documents: int,
    weights: list[float] | None = None,
) -> CompleteDocuments:
    """Pairs of one judgment each."""
    return CompleteDocuments(
        first="a",
        second=None if second is None else "b",
        alpha=0.05,
        drawn=documents,
        documents=documents,
        wanted=1,
        pair=np.arange(len(document)),
        choices=np.array(choices, dtype=float),
        document=np.array(document),
        first_differences=np.array(first),
        second_differences=None if second is None else np.array(second),
        weights=None if weights is None else np.array(weights),
    )


def test_a_document_is_the_mean_over_its_judgments_that_count() -> None:
    # document 0: the first metric right and the second wrong (1 - 0), the first tied and the second right (.5 - 1),
    # and people undecided -> (1 - .5) / 2; document 1: the second has no score -> nothing; document 2: both right -> 0
    choices = [1, 1, 0, 1, -1]
    first = [0.3, 0.0, 0.2, 0.1, -0.2]
    second = [-0.3, 0.5, 0.2, math.nan, -0.4]
    result = sum_documents(judged([0, 0, 0, 1, 2], choices, first, second, documents=4))
    assert (result.places.tolist(), result.differences.tolist()) == ([1, 3], [0.25, 0.0])


def test_against_one_half_a_document_is_twice_what_the_metric_is_better_than_a_coin() -> None:
    # right, tied, wrong, right: (1 + 0 - 1 + 1) / 4
    result = sum_documents(judged([0, 0, 0, 0], [1, 1, 1, -1], [1.0, 0.0, -1.0, -1.0], None, documents=1))
    assert result.differences == [0.25]


def test_pairs_that_were_drawn_more_likely_count_less() -> None:
    # the same five pairs as above; the one that nobody prefers and the one without a score count nothing
    choices = [1, 1, 0, 1, -1]
    first = [0.3, 0.0, 0.2, 0.1, -0.2]
    second = [-0.3, 0.5, 0.2, math.nan, -0.4]
    pairs = judged([0, 0, 0, 1, 2], choices, first, second, documents=4, weights=[2.0, 8.0, 4.0, 4.0, 16.0])
    result = sum_documents(pairs)
    assert (result.places.tolist(), result.differences.tolist()) == ([1, 3], [2 * 1 - 8 * 0.5, 0.0])
    assert result.weights.tolist() == [10.0, 16.0]
    # before they are judged: one can make 2, one 4, two 0 as both metrics say the same, and one counts never
    assert [float(end) for end in result.bounds.largest(0.0)] == [6.0, 6.0]
    # .25 more or less than the mean: 2 * 1.25 + 8 * .75 + 4 * .25 or, beyond it, 2 * .75 + 8 * .25
    assert [float(end) for end in result.bounds.largest(0.25)] == [9.5, 3.5]
    test = sequential_test(result.differences, weights=result.weights, bounds=result.bounds)
    assert test.mean.tolist() == pytest.approx([-0.2, -2 / 26])


def test_the_mean_is_the_difference_of_the_weighted_agreements() -> None:
    generator = np.random.default_rng(4)
    n, documents = 300, 60
    document, choices = np.sort(generator.integers(documents, size=n)), generator.choice([-1.0, 0, 1], size=n)
    first, second = (generator.choice([-1.0, 0, 1, math.nan], p=[0.4, 0.1, 0.4, 0.1], size=n) for _ in range(2))
    weights = generator.uniform(1, 20, size=n)
    result = analyze_sequentially(
        judged(list(document), list(choices), list(first), list(second), documents=documents, weights=list(weights))
    )
    both = ~np.isnan(first) & ~np.isnan(second)
    left, right = (count_agreement(choices[both], of[both], weights[both]).half for of in (first, second))
    assert left is not None
    assert right is not None
    assert result.test.mean[-1] == pytest.approx(left - right)
    assert result.weighed


def test_metrics_that_never_differ_leave_the_wealth_as_it_was() -> None:
    pairs = judged([0, 1], [1, -1], [1.0, 1.0], [0.5, 0.5], documents=2, weights=[3.0, 5.0])
    assert analyze_sequentially(pairs).test.wealth.tolist() == [1.0, 1.0]


# --- wealth -----------------------------------------------------------------------------------------------


def test_the_wealth_is_what_each_part_of_it_wins() -> None:
    x, mean = [0.5, -1.0, 0.25], 0.2
    parts = [math.prod(1 + share * (item - mean) / (1 + mean) for item in x) for share in BETS]
    parts += [math.prod(1 - share * (item - mean) / (1 - mean) for item in x) for share in BETS]
    assert math.exp(log_wealth(np.array(x), mean)[-1]) == pytest.approx(sum(parts) / len(parts))


@pytest.mark.parametrize("p", [(0.5, 0.0, 0.5), (0.1, 0.8, 0.1), (0.2, 0.3, 0.5), (0.9, 0.1, 0.0)])
def test_nobody_wins_on_average_against_the_true_mean(p: tuple[float, float, float]) -> None:
    mean = p[2] - p[0]
    average = sum(
        math.prod(p[item + 1] for item in x) * math.exp(log_wealth(np.array(x, dtype=float), mean)[-1])
        for x in itertools.product((-1, 0, 1), repeat=4)
    )
    assert average == pytest.approx(1)


def test_a_bet_knows_nothing_of_its_document() -> None:
    x = np.random.default_rng(0).uniform(-1, 1, 50)
    changed = np.append(x[:-1], -x[-1])
    assert (log_wealth(x)[:-1] == log_wealth(changed)[:-1]).all()


def test_the_ends_are_the_means_against_which_the_wealth_is_just_enough() -> None:
    x = np.random.default_rng(3).choice([-1.0, 0, 0.5, 1], size=200)
    result = sequential_test(x, alpha=0.1)
    moved = np.flatnonzero(np.diff(result.low) > 0) + 1
    for number in moved[::20]:
        assert log_wealth(x[: number + 1], result.low[number])[-1] == pytest.approx(math.log(10), abs=1e-6)
    assert (np.diff(result.low) >= 0).all()
    assert (np.diff(result.high) <= 0).all()
    grid = np.linspace(-0.99, 0.99, 199)
    kept = [mean for mean in grid if (log_wealth(x, mean) < math.log(10)).all()]
    assert kept == [mean for mean in grid if result.low[-1] < mean < result.high[-1]]


def test_zero_is_outside_of_the_interval_from_the_document_at_which_the_wealth_is_enough() -> None:
    x = np.random.default_rng(1).choice([-1.0, 0, 1], p=[0.1, 0.4, 0.5], size=120)
    result = sequential_test(x)
    assert result.decided is not None
    outside = (result.low > 0) | (result.high < 0)
    assert outside.tolist() == [number >= result.decided - 1 for number in range(120)]


@pytest.mark.parametrize("weighed", [False, True])
def test_documents_without_a_judgment_that_counts_are_left_out(weighed: bool) -> None:
    weights = [3.0] * 4 if weighed else None
    result = analyze_sequentially(judged([0, 1, 2, 3], [1, 0, -1, 1], [1.0] * 4, None, documents=4, weights=weights))
    assert result.places.tolist() == [1, 3, 4]
    assert result.test.mean.tolist() == pytest.approx([1, 0, 1 / 3])


def test_a_wealth_beyond_all_numbers_is_the_largest() -> None:
    assert np.isfinite(sequential_test(np.ones(1500)).wealth).all()


@pytest.mark.parametrize("x", [[1.5], [-1.01], [0.5, math.nan]])
def test_differences_beyond_one_are_refused(x: list[float]) -> None:
    with pytest.raises(ValueError, match="between -1 and 1"):
        sequential_test(x)


# --- the decision -----------------------------------------------------------------------------------------


def complete(differences: list[int], *, drawn: int) -> CompleteDocuments:
    """Documents of one pair, on which the first metric is right (1), wrong (-1), or people are undecided (0)."""
    return CompleteDocuments(
        first="a",
        second=None,
        alpha=0.05,
        drawn=drawn,
        documents=len(differences),
        wanted=1,
        pair=np.arange(len(differences)),
        document=np.arange(len(differences)),
        choices=np.array([abs(difference) for difference in differences], dtype=float),
        first_differences=np.array(differences, dtype=float),
        second_differences=None,
    )


def test_a_study_goes_on_until_the_wealth_is_enough() -> None:
    assert decide_to_stop(complete([1] * 7, drawn=100)) is None
    decided = decide_to_stop(complete([1, 0, 1, 1, 1, 1, 1, 1, 1], drawn=100))
    # eight right of eight: a part each of 1.8^8, 1.4^8, 1.2^8, 1.1^8 and the small rests: 17.3 of 20; at nine 28
    assert decided is None
    decided = decide_to_stop(complete([1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1], drawn=100))
    assert decided is not None
    assert (decided.documents, decided.counted, decided.rejected) == (10, 9, True)
    assert decided.wealth == pytest.approx(28.4, abs=0.1)
    assert decided.low > 0


def test_a_study_stops_at_its_last_document_whatever_the_wealth() -> None:
    decided = decide_to_stop(complete([1, -1, 0, 1], drawn=4))
    assert decided is not None
    assert (decided.documents, decided.counted, decided.rejected) == (4, 3, False)
    assert decided.low < 0 < decided.high
    nothing = decide_to_stop(complete([0, 0], drawn=2))
    assert nothing is not None
    assert (nothing.documents, nothing.counted, nothing.mean, nothing.wealth) == (2, 0, None, 1.0)


def test_nothing_judged_is_no_evidence() -> None:
    result = analyze_sequentially(complete([], drawn=3))
    assert (result.documents, len(result.places), result.test.decided) == (0, 0, None)


# --- simulated studies ------------------------------------------------------------------------------------

RUNS, DOCUMENTS, PAIRS, AT_ONCE = 4000, 400, 3, 400


def draw_studies(effect: float, correlation: float, ties: float = 0.6) -> Iterator[Floats]:
    """Studies' documents, each the mean of three pairs, some studies at a time.

    On a pair the first metric is right and the second wrong, the other way round, or they are alike (`ties`). With the
    square root of the correlation as its probability, a pair is as its document is.
    """
    generator = np.random.default_rng(17)
    p = np.array([(1 - ties - effect) / 2, ties, (1 - ties + effect) / 2])
    for _ in range(RUNS // AT_ONCE):
        of_document = generator.choice([-1.0, 0, 1], p=p, size=(AT_ONCE, DOCUMENTS, 1))
        of_pair = generator.choice([-1.0, 0, 1], p=p, size=(AT_ONCE, DOCUMENTS, PAIRS))
        alike = generator.random((AT_ONCE, DOCUMENTS, PAIRS)) < math.sqrt(correlation)
        yield np.where(alike, of_document, of_pair).mean(2)


def stops(effect: float, correlation: float, ties: float = 0.6, *, null: float = 0.0) -> NDArray[np.intp]:
    """The document at which each simulated study rejects a mean, shape (studies,); 0 where it never does."""
    results = [log_wealth(x, null) >= math.log(20) for x in draw_studies(effect, correlation, ties)]
    rejected = np.concatenate(results)
    return np.where(rejected.any(1), rejected.argmax(1) + 1, 0)


@pytest.mark.simulation
@pytest.mark.parametrize(("correlation", "ties"), [(0.0, 0.6), (0.3, 0.6), (0.7, 0.3), (0.3, 0.95)])
def test_true_nulls_are_rejected_at_any_time_in_at_most_five_of_a_hundred_studies(
    correlation: float, ties: float
) -> None:
    assert np.mean(stops(0, correlation, ties) > 0) <= 0.05


@pytest.mark.simulation
def test_ordinary_peeking_rejects_true_nulls_in_a_quarter_of_the_studies() -> None:
    looks = np.arange(19, DOCUMENTS, 10)
    rejected = [
        (np.abs(x.cumsum(1)) / np.sqrt((x**2).cumsum(1) + 1e-12))[:, looks].max(1) > 1.96 for x in draw_studies(0, 0)
    ]
    assert 0.24 < np.mean(rejected) < 0.32


@pytest.mark.simulation
@pytest.mark.parametrize(
    ("effect", "correlation", "power", "median"),
    [(0.1, 0.0, 0.98, 130), (0.1, 0.3, 0.9, 200), (0.15, 0.0, 0.99, 70), (0.2, 0.0, 0.99, 50)],
)
def test_differences_are_found(effect: float, correlation: float, power: float, median: float) -> None:
    result = stops(effect, correlation)
    assert np.mean(result > 0) >= power
    assert np.median(np.where(result > 0, result, DOCUMENTS + 1)) < median


@pytest.mark.simulation
@pytest.mark.parametrize(("effect", "correlation", "ties"), [(0.1, 0.3, 0.6), (-0.3, 0.0, 0.6), (0.9, 0.5, 0.05)])
def test_the_true_mean_is_outside_of_the_interval_at_any_time_in_at_most_five_of_a_hundred_studies(
    effect: float, correlation: float, ties: float
) -> None:
    assert np.mean(stops(effect, correlation, ties, null=effect) > 0) <= 0.05


@pytest.mark.simulation
def test_the_mean_at_the_moment_of_stopping_leans_away_from_0_and_the_interval_allows_for_it() -> None:
    means, inside = [], []
    for studies in draw_studies(0.1, 0.3):
        wealth = log_wealth(studies) >= math.log(20)
        for x, stop in zip(studies[wealth.any(1)], wealth[wealth.any(1)].argmax(1), strict=True):
            means.append(x[: stop + 1].mean())
            inside.append(log_wealth(x, 0.1)[stop] < math.log(20))
    assert 0.12 < np.mean(means) < 0.14
    assert np.mean(inside) >= 0.95
