import math

import numpy as np
import pytest

from relevance.analysis.agreement.counts import count_agreement, credit_pairs
from relevance.analysis.agreement.evaluation import by_difference, evaluate_metrics
from relevance.analysis.agreement.tie_accuracy import tie_outcomes
from relevance.analysis.ratio_intervals import agreement_ratios, ratio_intervals

NAN = math.nan


def study(seed: int, judgments: int = 300) -> tuple[np.ndarray, dict[str, np.ndarray], np.ndarray, np.ndarray]:
    """Judgments by 4 annotators of 20 documents, and two metrics with ties and gaps."""
    random = np.random.default_rng(seed)
    human = random.choice([-1.0, 0.0, 1.0], judgments, p=[0.45, 0.1, 0.45])
    metrics = {
        "good": np.round(human + random.normal(size=judgments), 1),
        "gappy": np.where(random.random(judgments) < 0.1, NAN, random.normal(size=judgments)),
    }
    documents = np.array([f"d{number}" for number in random.integers(20, size=judgments)])
    annotators = np.array([f"a{number}" for number in random.integers(4, size=judgments)])
    return human, metrics, documents, annotators


@pytest.mark.parametrize("with_annotators", [False, True])
@pytest.mark.parametrize("weighed", [False, True])
def test_all_metrics_at_once_are_as_each_by_itself(with_annotators: bool, weighed: bool) -> None:
    human, metrics, documents, annotators = study(1)
    people = annotators if with_annotators else None
    weights = np.random.default_rng(2).uniform(1, 5, len(human)) if weighed else None
    result = evaluate_metrics(human, metrics, documents, annotators=people, weights=weights, seed=3)
    assert list(result) == ["good", "gappy"]
    for name, difference in metrics.items():
        alone = result[name]
        assert alone.agreement == count_agreement(human, difference, weights)
        expected = ratio_intervals(agreement_ratios(human, difference, weights), documents, people)
        for first, second in zip(alone.intervals, expected, strict=True):
            assert (first.low, first.high) == (pytest.approx(second.low), pytest.approx(second.high))
        assert alone.ties == tie_outcomes(human, difference, documents, weights=weights, seed=3)[0]
        assert alone.ties_interval.low < alone.ties.accuracy < alone.ties_interval.high  # type: ignore[operator]
        assert alone.over == ("documents and annotators" if with_annotators else "documents")


def test_parts_by_difference_hold_every_decided_pair_once() -> None:
    human, metrics, documents, _ = study(4)
    for name, evaluation in evaluate_metrics(human, metrics, documents).items():
        places = by_difference(human, metrics[name])
        decided = np.isin(credit_pairs(human, metrics[name]), [0, 1])
        assert (places >= 0).tolist() == decided.tolist()
        assert sum(part.n for part in evaluation.bins) == decided.sum()
        assert [part.high <= later.low for part, later in zip(evaluation.bins, evaluation.bins[1:], strict=False)]
        for place, part in enumerate(evaluation.bins):
            among = places == place
            assert part.decided == count_agreement(human[among], metrics[name][among]).decided
            assert np.abs(metrics[name][among]).min() == part.low


def test_equal_differences_stay_in_one_part() -> None:
    # 6 pairs half a point apart, 4 one point: not cut in the middle of either
    metric = np.array([0.5] * 6 + [1.0] * 4)
    evaluation = evaluate_metrics(np.ones(10), {"m": metric}, range(10))["m"]
    assert [(part.low, part.high, part.n) for part in evaluation.bins] == [(0.5, 0.5, 6), (1.0, 1.0, 4)]


def test_nothing_to_evaluate() -> None:
    evaluation = evaluate_metrics([], {"m": []}, [])["m"]
    assert evaluation.agreement.pairs == 0
    assert evaluation.bins == ()
    assert evaluation.ties.accuracy is None
    assert {interval.reason for interval in evaluation.intervals} == {"fewer than 2 documents have pairs to count"}
    assert evaluate_metrics([1, -1], {}, ["a", "b"]) == {}


def test_unusable_input_is_refused() -> None:
    with pytest.raises(ValueError, match="differ in length"):
        evaluate_metrics([1, 2], {"m": [1]}, ["a", "b"])
    with pytest.raises(ValueError, match="differ in length"):
        evaluate_metrics([1, 2], {"m": [1, 2]}, ["a"])
    with pytest.raises(ValueError, match="weights must be positive"):
        evaluate_metrics([1, 2], {"m": [1, 2]}, ["a", "b"], weights=[1, -1])
