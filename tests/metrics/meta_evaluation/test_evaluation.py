from __future__ import annotations

import math

import pytest

from metrics.meta_evaluation import Agreement, agreement_intervals, correlate, evaluate

HUMAN = [3, 2, 1, 5, 5, 4]
VALUES = [0.5, 0.6, 0.1, 0.9, 0.2, math.nan]
DOCUMENTS = ["a", "a", "a", "b", "b", "b"]
SYSTEMS = ["s", "t", "u"] * 2


def test_one_metric_over_all_pairs_of_each_document() -> None:
    found = evaluate(HUMAN, VALUES, DOCUMENTS, SYSTEMS, resamples=100, seed=4)
    # a: (3, 2) against (.5, .6) disagrees, (3, 1) and (2, 1) agree
    # b: (5, 5) is a human tie, the two pairs with the missing value are decided by people
    assert found.agreement == Agreement(3, 1, concordant=2, discordant=1, tied=0, missing=2)
    pairs = [1, 2, 1, 0, 1, 1], [-0.1, 0.4, 0.5, 0.7, math.nan, math.nan], ["a", "a", "a", "b", "b", "b"]
    assert found.intervals == agreement_intervals(*pairs, resamples=100, seed=4)
    assert found.pearson == correlate(HUMAN, VALUES, DOCUMENTS, SYSTEMS)
    assert found.kendall == correlate(HUMAN, VALUES, DOCUMENTS, SYSTEMS, method="kendall")


def test_the_order_of_cells_does_not_matter() -> None:
    cells = HUMAN, VALUES, DOCUMENTS, SYSTEMS
    found, turned = evaluate(*cells), evaluate(*(column[::-1] for column in cells))  # type: ignore[arg-type]
    assert turned.agreement == found.agreement
    assert turned.intervals == found.intervals
    for before, after in zip(found.pearson + found.kendall, turned.pearson + turned.kendall, strict=True):
        assert after._replace(r=None) == before._replace(r=None)
        assert after.r == pytest.approx(before.r)


def test_nothing_to_evaluate() -> None:
    found = evaluate([], [], [], [])
    assert found.agreement.strict is None
    assert found.intervals.strict.low is None
    assert found.pearson.global_.r is found.kendall.system.r is None


def test_columns_of_different_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="human 2, values 1, documents 2, systems 2"):
        evaluate([1, 2], [1], ["a", "a"], ["s", "t"])
