from collections import defaultdict

import numpy as np
import pytest

from relevance.analysis.people.false_discovery import FalseDiscovery, false_discovery


def test_wrong_keywords_are_averaged_within_documents() -> None:
    result = false_discovery(["d1", "d1", "d2", "d3"], ["Ann", "Bo", "Ann", "Bo"], [4, 4, 2, 0], [1, 3, 2, 0])
    # d1: (1 + 3) / 2 = 2 of 4, d2: 2 of 2, d3: 0 of 0
    assert result.per_document == pytest.approx((2 + 2 + 0) / 3)
    assert result.rate == pytest.approx((2 + 2) / (4 + 2))
    assert result[:5] == (3, 2, 4, 6, 1 + 3 + 2)
    assert result.reason is None
    assert result.over == "documents"


def test_intervals_hold_the_figures_in_their_own_units() -> None:
    documents, keywords, wrong = ["b", "a", "d", "c", "e"], [5, 3, 8, 6, 4], [1, 0, 4, 0, 3]
    result = false_discovery(documents, ["Ann"] * 5, keywords, wrong)
    assert result.per_document_interval.low < result.per_document < result.per_document_interval.high
    assert result.rate_interval.low < result.rate < result.rate_interval.high
    assert result.per_document_interval.high > 1  # numbers of keywords, not a share
    assert result.rate_interval[2:] == (0.95, None, None, None)


def test_nothing_wrong_is_no_certainty() -> None:
    # 48 keywords, taken to correlate within documents by .3: 48 / (1 + 3 * .3) effective ones; 4 a document
    result = false_discovery(range(12), ["Ann"] * 12, [4] * 12, [0] * 12)
    high = 1 - 0.025 ** (1.9 / 48)
    assert result.rate_interval[:2] == pytest.approx((0, high))
    assert result.per_document_interval[:2] == pytest.approx((0, 4 * high))


def test_an_annotator_more_who_says_the_same_changes_nothing_but_one_who_differs_widens() -> None:
    documents, keywords, wrong = [f"d{n}" for n in range(8)], [4] * 8, [0, 1, 2, 1, 0, 3, 1, 0]
    alone = false_discovery(documents, ["Ann"] * 8, keywords, wrong)

    def with_others(other: list[int]) -> FalseDiscovery:
        people = [name for name in ("Ann", "Bo", "Cem", "Di", "Eve") for _ in documents]
        return false_discovery(documents * 5, people, keywords * 5, wrong * 4 + other)

    same = with_others(wrong)
    assert same.over == "documents and annotators"
    assert (same.rate, same.per_document) == pytest.approx((alone.rate, alone.per_document))
    assert same.rate_interval[:2] == pytest.approx(alone.rate_interval[:2], abs=0.02)
    assert (same.keywords, same.wrong) == (alone.keywords, 5 * alone.wrong)
    other = with_others([4] * 8)
    assert other.rate_interval.high - other.rate_interval.low > 1.5 * (
        alone.rate_interval.high - alone.rate_interval.low
    )


@pytest.mark.parametrize(
    ("columns", "reason", "interval"),
    [
        (([], [], [], []), "nobody has marked keywords yet", "fewer than 2 documents"),
        ((["d", "e"], ["A", "A"], [0, 0], [0, 0]), "the extractor found no keyword", "fewer than 2 documents"),
        ((["d"], ["A"], [4], [1]), None, "fewer than 2 documents"),
    ],
)
def test_what_is_undefined_has_a_reason(columns: tuple, reason: str | None, interval: str) -> None:
    result = false_discovery(*columns)
    assert result.reason == reason
    assert (result.rate is None) == (reason is not None)
    assert (result.per_document is None) == (not columns[0])
    assert result.rate_interval[:2] == (None, None)
    assert interval in result.rate_interval.reason


def test_annotators_who_contradict_each_other_leave_the_figure_unsure() -> None:
    documents = [document for document in range(10) for _ in "ABCDEF"]
    result = false_discovery(documents, list("ABCDEF") * 10, [4] * 60, [4, 0] * 30)
    assert result.rate == pytest.approx(0.5)  # of every document; but A says 1, B says 0, and so on
    assert result.rate_interval.high - result.rate_interval.low > 0.9
    agreed = false_discovery(documents, list("ABCDEF") * 10, [4] * 60, [2] * 60)
    assert agreed.rate_interval.high - agreed.rate_interval.low < 0.3
    two = false_discovery(documents[::3], ["A", "B"] * 10, [4] * 20, [4, 0] * 10)
    assert two.over == "documents"  # of two no interval could speak of others
    assert two.rate_interval.high - two.rate_interval.low < 0.3


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ((["d"], ["A"], [4, 4], [1, 1]), "differ in length"),
        ((["d"], ["A"], [4], [5]), "0 <= wrong <= keywords"),
        ((["d"], ["A"], [4], [-1]), "0 <= wrong <= keywords"),
        ((["d"], ["A"], [4], [0.5]), "whole numbers"),
        ((["d"], ["A"], [4], [None]), "whole numbers"),
        ((["d", "d"], ["A", "A"], [4, 4], [1, 1]), "the same document twice"),
        ((["d", "d"], ["A", "B"], [4, 3], [1, 1]), "different numbers of keywords"),
    ],
)
def test_what_is_refused(columns: tuple, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        false_discovery(*columns)


@pytest.mark.simulation
def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    """Documents differ in how many keywords they have and in how likely each is wrong, as real ones do."""
    random = np.random.default_rng(0)
    truth = {"rate": 0.2, "per_document": 0.2 * 5}  # keywords: 1 + Poisson(4); wrong: Beta(1, 4), mean 1/5
    held: dict[str, int] = defaultdict(int)
    studies = 400
    for _ in range(studies):
        keywords = 1 + random.poisson(4, size=50)
        wrong = random.binomial(keywords, random.beta(1, 4, size=50))
        result = false_discovery(range(50), ["Ann"] * 50, keywords, wrong)
        for name, value in truth.items():
            interval = getattr(result, f"{name}_interval")
            held[name] += interval.low <= value <= interval.high
    # 3 standard errors of 400 studies are .033
    for name in truth:
        assert 0.92 < held[name] / studies < 0.985, (name, held[name] / studies)
