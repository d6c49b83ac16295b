"""All pairs of rated summaries, counted by document: the figures are those of columns of all pairs."""

import numpy as np
import pytest

import relevance.analysis.agreement.pairs
import relevance.analysis.agreement.tie_accuracy
import relevance.analysis.metrics_and_people
import relevance.data.preferences
from relevance.analysis.agreement.counts import Rule, within_document_pairs
from relevance.analysis.agreement.pairs import group_by_document, pairs_by_document, pairs_of
from relevance.analysis.agreement.tie_accuracy import SortedPairs, tie_counts, tie_outcomes
from relevance.analysis.metrics_and_people import analyze_agreement, analyze_rated_pairs
from relevance.analysis.study import Settings, analyze_ratings
from relevance.data.cells import Cells
from relevance.data.preferences import rated_pairs
from relevance.pages.components.shared.sources import count_preferences


def make_cells(seed: int, documents: int = 7, systems: int = 9, digits: int = 2, missing: float = 0.1) -> Cells:
    """Random ratings with many ties, and scores of three metrics, one of them without any value."""
    random = np.random.default_rng(seed)
    size = documents * systems
    quality = random.normal(size=size)

    def column(noise: float, digits: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        values = np.round(quality + noise * random.normal(size=size), digits) + 1e-16 * random.normal(size=size)
        return np.where(random.random(size) < missing, np.nan, values)

    return Cells(
        documents=tuple(f"d{cell // systems}" for cell in range(size)),
        systems=tuple(f"s{cell % systems}" for cell in range(size)),
        ratings={"relevance": column(0.5, 0)},
        scores={
            "one|version:0": column(1, digits),
            "other|version:0": column(2, digits),
            "none|version:0": np.full(size, np.nan),
        },
    )


@pytest.mark.parametrize("rule", ["half", "strict", "decided"])
@pytest.mark.parametrize(
    ("documents", "systems", "digits"), [(7, 9, 2), (12, 5, 0), (1, 9, 2), (2, 2, 1), (30, 2, 0), (4, 30, 6)]
)
def test_figures_are_those_of_columns(
    documents: int, systems: int, digits: int, rule: Rule, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(relevance.analysis.agreement.pairs, "AT_ONCE", 7)
    monkeypatch.setattr(relevance.analysis.agreement.tie_accuracy, "RANGES", 5)
    for seed in range(3):
        cells = make_cells(seed, documents, systems, digits)
        listed = analyze_agreement(rated_pairs(cells, "relevance"), rule=rule, seed=seed)
        for most in (0, 1_000):  # document by document, and in columns of all pairs
            monkeypatch.setattr(relevance.analysis.metrics_and_people, "MANY_OF_DOCUMENT", most)
            assert analyze_rated_pairs(cells, "relevance", rule=rule, seed=seed) == listed


def test_without_ratings_there_are_no_pairs() -> None:
    cells = make_cells(0)
    assert analyze_rated_pairs(cells, "fluency") == analyze_agreement(rated_pairs(cells, "fluency"))
    assert analyze_rated_pairs(cells, None).n == 0


@pytest.mark.parametrize("tied", [0.02, 0.5, 0.9])
@pytest.mark.parametrize("ranges", [2, 7, 256])
def test_thresholds_are_those_of_columns(ranges: int, tied: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relevance.analysis.agreement.tie_accuracy, "RANGES", ranges)
    for seed in range(20):
        random = np.random.default_rng(seed)
        documents = np.sort(random.integers(12, size=300))
        difference = np.round(random.normal(size=300), int(random.integers(1, 4))) + 4e-10 * random.normal(size=300)
        # people see a tie where the metric is close
        human = np.where(np.abs(difference) < random.exponential(tied, size=300), 0, np.sign(random.normal(size=300)))
        expected, text = tie_outcomes(human, difference, documents, seed=seed)
        by_document = []
        for document in sorted(set(documents.tolist()), key=str):
            mine = documents == document
            order = np.argsort(np.abs(difference[mine]))
            people, metric = human[mine][order], difference[mine][order]
            right = (np.abs(metric) > 1e-9) & (np.sign(metric) == people)
            by_document.append(SortedPairs(np.abs(metric), (people == 0).astype(np.int8) - right.astype(np.int8)))
        result, right_of = tie_counts(by_document, seed)
        assert result == expected
        assert right_of.sum() == text.sum()


def test_pairs_come_in_order_whatever_is_looked_at_together(monkeypatch: pytest.MonkeyPatch) -> None:
    documents = ["a", "b", "a", "c", "a", "b", "a"]
    groups = group_by_document(documents, np.ones(7, dtype=np.bool_))
    expected = sorted(zip(*map(np.ndarray.tolist, within_document_pairs(documents)), strict=True))
    for at_once in (1, 3, 100):
        monkeypatch.setattr(relevance.analysis.agreement.pairs, "AT_ONCE", at_once)
        parts = list(pairs_by_document(groups))
        pairs = [pair for first, second, _ in parts for pair in zip(first.tolist(), second.tolist(), strict=True)]
        assert sorted(pairs) == expected
        assert [int(number) for _, _, numbers in parts for number in numbers] == [0] * 6 + [1]
        assert sum(len(first) for first, _ in pairs_of(np.arange(50))) == 50 * 49 // 2


def test_many_pairs_are_not_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    cells = make_cells(0, missing=0)
    listed = analyze_ratings(cells, Settings(human="relevance"))
    assert len(listed.inputs.preferences) == 7 * 36
    monkeypatch.setattr(relevance.data.preferences, "MANY", 7 * 36 - 1)
    counted = analyze_ratings(cells, Settings(human="relevance"))
    assert len(counted.inputs.preferences) == 0
    assert counted.agreement == listed.agreement
    some = counted.inputs.preferences.of_systems({"s0", "s1", "s2"})  # so few pairs that they are listed
    assert (len(some), some.unlisted) == (7 * 3, None)
    assert count_preferences(counted.inputs.preferences) == count_preferences(listed.inputs.preferences)._replace(
        listed=False
    )
