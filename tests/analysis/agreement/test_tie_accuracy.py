import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from relevance.analysis.agreement.counts import count_agreement, within_document_pairs
from relevance.analysis.agreement.tie_accuracy import tie_outcomes

NAN = math.nan
VALUES = st.sampled_from([-2.0, -1.0, -0.5, 0.0, 1e-16, 0.5, 1.0, 2.0, NAN])


def differences(values: list[float]) -> np.ndarray:
    first, second = within_document_pairs(["d"] * len(values))
    return np.array(values)[first] - np.array(values)[second]


def fit_threshold(human: np.ndarray, metric: np.ndarray, weights: np.ndarray | None = None) -> float | None:
    """The threshold that is fitted on all pairs."""
    return tie_outcomes(human, metric, range(len(human)), weights=weights)[0].threshold


def accuracy_at(human: np.ndarray, metric: np.ndarray, threshold: float) -> float:
    """The definition, pair by pair."""
    right = [
        (abs(h) <= 1e-9 and abs(m) <= threshold + 1e-9)
        or (abs(h) > 1e-9 and abs(m) > threshold + 1e-9 and (h > 0) == (m > 0))
        for h, m in zip(human, metric, strict=True)
        if not (math.isnan(h) or math.isnan(m))
    ]
    return sum(right) / len(right)


def test_the_golden_value() -> None:
    # differences of the metric: 2, 6, 8, 4, 6, 2; people tie where neither is the last: pairs 1, 2, 4.
    # A threshold of 4 gets the ties 1 and 4 and the preferences 3 and 5 right: 4 of 6; one of 6 gains pair 2, loses 5.
    human, metric = differences([1, 1, 1, 4]), differences([0, 2, 6, 8])
    threshold = fit_threshold(human, metric)
    assert threshold == 4
    assert accuracy_at(human, metric, threshold) == 4 / 6


@given(st.lists(st.tuples(VALUES, VALUES), max_size=25))
def test_no_threshold_is_better_and_no_smaller_one_as_good(pairs: list[tuple[float, float]]) -> None:
    human, metric = np.array(pairs, dtype=float).reshape(-1, 2).T
    result = fit_threshold(human, metric)
    counted = ~(np.isnan(human) | np.isnan(metric))
    if counted.sum() < 2:
        assert result is None
        return
    candidates = [0.0, *sorted(set(np.abs(metric[counted])))]
    accuracies = [accuracy_at(human, metric, threshold) for threshold in candidates]
    assert result is not None
    assert accuracy_at(human, metric, result) == pytest.approx(max(accuracies))
    smallest = candidates[int(np.flatnonzero(np.array(accuracies) >= max(accuracies) - 1e-12)[0])]
    assert result == pytest.approx(smallest, abs=1e-9)


def test_weights_count_as_so_many_pairs() -> None:
    random = np.random.default_rng(3)
    human, metric = random.choice([-1.0, 0.0, 1.0], 40), random.normal(size=40)
    weights = random.integers(1, 4, 40)
    repeated = fit_threshold(np.repeat(human, weights), np.repeat(metric, weights))
    assert fit_threshold(human, metric, weights) == pytest.approx(repeated)


def test_every_document_is_judged_by_the_others() -> None:
    # two documents, so each is judged by the threshold of the other: in a the ties of people are at .1, in b at .9
    human = [0, 1, 0, 1]
    metric = [0.1, 0.5, 0.9, 2]
    result, text = tie_outcomes(human, metric, ["a", "a", "b", "b"])
    # a's best threshold is .1, so b's tie at .9 is missed and its preference found; b's is .9: a's tie is found, and
    # its preference at .5 taken for a tie
    assert text.tolist() == [1, 0, 0, 1]
    assert (result.accuracy, result.n) == (0.5, 4)
    # on all pairs .1 gets three right, and so does .9
    assert result.threshold == 0.1


def test_fitting_on_the_same_pairs_flatters() -> None:
    """Noise that says nothing: the fitted accuracy is above that of held-out documents."""
    random = np.random.default_rng(0)
    human, metric = random.choice([-1.0, 0.0, 1.0], 300), random.normal(size=300)
    documents = np.repeat(np.arange(30), 10)
    held_out, _ = tie_outcomes(human, metric, documents, seed=1)
    assert held_out.accuracy is not None
    assert held_out.threshold is not None
    assert held_out.accuracy < accuracy_at(human, metric, held_out.threshold)


def test_without_ties_it_is_the_rule_strict() -> None:
    random = np.random.default_rng(1)
    metric = random.normal(size=200)
    human = np.sign(metric + random.normal(size=200) * 0.5)
    result, _ = tie_outcomes(human, metric, np.repeat(np.arange(20), 10))
    assert result.threshold == 0
    assert result.accuracy == count_agreement(human, metric).strict


@pytest.mark.parametrize(
    ("human", "metric", "documents"),
    [([], [], []), ([1, 0], [1, 1], ["a", "a"]), ([1, 0], [1, NAN], ["a", "b"]), ([NAN, 1], [1, 1], ["a", "b"])],
)
def test_fewer_than_two_documents_are_undefined(human: list[float], metric: list[float], documents: list[str]) -> None:
    result, _ = tie_outcomes(human, metric, documents)
    assert (result.accuracy, result.threshold) == (None, None)
    assert result.reason == "fewer than 2 documents have pairs to fit a threshold on and to judge"


def test_unusable_input_is_refused() -> None:
    with pytest.raises(ValueError, match="weights must be positive"):
        tie_outcomes([1, 1], [1, 1], ["a", "b"], weights=[1, 0])
    with pytest.raises(ValueError, match="human 2, difference 1"):
        tie_outcomes([1, 1], [1], ["a", "b"])
