"""On how many pairs two metrics part."""

import numpy as np
import pytest

from relevance.analysis.agreement.discrepancy import discrepancies

NAN = float("nan")


def test_pairs_on_which_two_metrics_part() -> None:
    documents = ["d1"] * 3 + ["d2"] * 3 + ["d3"]
    first = [1.0, 2.0, 3.0, 1.0, 1.0, 2.0, 5.0]
    other = [3.0, 2.0, 2.5, 1.0, 2.0, NAN, 1.0]
    # d1: 12 parts, 13 parts, 23 agrees; d2: 12 is a tie of the first, the others have no value; d3 has no pair
    (result,) = discrepancies({"one": first, "other": other}, [("one", "other")], documents)
    assert (result.pairs, result.documents, result.parted, result.tied) == (4, 2, 2, 1)
    assert (result.share, result.decided) == (2 / 4, 2 / 3)
    low, high = result.share_interval[:2]
    assert low is not None and high is not None  # noqa: PT018
    assert 0 <= low < 2 / 4 < high <= 1
    assert result.decided_interval.reason == "fewer than 2 documents have pairs to count"


def test_noise_of_floats_is_a_tie() -> None:
    noisy = {"one": [0.3, 0.1 + 0.2, 0.5], "other": [2.0, 1.0, 0.0]}
    (result,) = discrepancies(noisy, [("one", "other")], "ddd")
    assert (result.parted, result.tied) == (2, 1)


def test_nothing_to_compare() -> None:
    (result,) = discrepancies({"one": [1.0], "other": [2.0]}, [("one", "other")], ["d"])
    assert (result.pairs, result.share, result.decided) == (0, None, None)
    assert result.share_interval.low is None
    assert discrepancies({}, [], []) == []
    with pytest.raises(ValueError, match="differ in length"):
        discrepancies({"one": [1.0], "other": [2.0, 3.0]}, [("one", "other")], ["d"])


def test_the_order_of_rows_moves_nothing() -> None:
    random = np.random.default_rng(3)
    documents = np.repeat(np.arange(12), 5)
    scores = {name: random.integers(4, size=60).astype(float) for name in ("one", "other")}
    order = random.permutation(60)
    shuffled = {name: values[order] for name, values in scores.items()}
    arguments = [("one", "other")]
    assert discrepancies(scores, arguments, documents) == discrepancies(shuffled, arguments, documents[order])


@pytest.mark.simulation
def test_intervals_cover_the_truth() -> None:
    """50 documents of 4 summaries, each with a chance of its own that one metric is the other's reverse."""
    random, truth, covered, trials = np.random.default_rng(11), 0.3, 0, 150
    for _ in range(trials):
        reverse = random.random(50) < random.beta(3, 7, size=50)  # of mean 3 / (3 + 7)
        drawn = random.normal(size=(50, 4))
        other = np.where(reverse[:, None], -drawn, drawn)
        scores = {"one": drawn.ravel(), "other": other.ravel()}
        (result,) = discrepancies(scores, [("one", "other")], np.repeat(np.arange(50), 4))
        low, high = result.share_interval[:2]
        assert low is not None and high is not None  # noqa: PT018
        covered += low <= truth <= high
    assert covered / trials >= 0.9
