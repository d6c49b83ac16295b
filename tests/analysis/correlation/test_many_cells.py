"""Correlations of very many cells: the ways that are taken for them, held against the usual ones at a middle size."""

from typing import get_args

import numpy as np
import pytest
from scipy import stats

import relevance.analysis.correlation.comparison
import relevance.analysis.correlation.intervals
from relevance.analysis.arrays import Draws
from relevance.analysis.correlation.coefficients import METHODS, Method, coefficients
from relevance.analysis.correlation.comparison import permutation_tests
from relevance.analysis.correlation.intervals import correlation_intervals, is_linearized
from relevance.analysis.correlation.levels import correlate, correlate_pairs
from relevance.analysis.correlation.linearized import prepare_ranks
from relevance.analysis.correlation.many_swaps import (
    Metrics,
    count_swapping,
    flip_documents,
    swap_pooled,
    throw_coins,
)
from relevance.analysis.correlation.permuted import Permutations, Permute, RatedCells, global_swaps, input_swaps
from relevance.analysis.correlation.resampled import Group, Weights, prepare_sample
from relevance.analysis.correlation.rows import correlate_rows

PAIRS = [(0, 1), (0, 2), (1, 2), (3, 0)]


def make_columns(seed: int, documents: int = 300, systems: int = 6, missing: float = 0.1) -> np.ndarray:
    """Columns that correlate more and less, one of them nearly a copy and one of few values; some cells are missing."""
    random = np.random.default_rng(seed)
    quality = random.normal(size=(documents, systems)) + random.normal(size=(documents, 1))
    columns = np.stack(
        [
            quality,
            quality + 0.2 * random.normal(size=quality.shape),
            np.round(quality + random.normal(size=quality.shape)),
            quality + 3 * random.normal(size=quality.shape),
        ]
    )
    return np.where(random.random(quality.shape) < missing, np.nan, columns)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("wide", [False, True])
def test_columns_that_are_ranked_once_correlate_as_two_by_two(method: Method, wide: bool) -> None:
    columns = make_columns(0, *((3, 90) if wide else (90, 3)), missing=0.3)
    columns[0, 1] = 0.5
    weights = (~np.isnan(columns[0])).astype(np.float64)
    result = correlate_rows(columns, weights, PAIRS, method)
    for (x, y), r in zip(PAIRS, result, strict=True):
        np.testing.assert_array_equal(r, coefficients(columns[x], columns[y], weights, method))


@pytest.mark.parametrize("method", ["spearman", "kendall"])
def test_resamples_to_first_order_are_near_those_that_rank_anew(method: Method) -> None:
    columns = make_columns(1)
    group = Group(columns, ~np.isnan(columns[0]), PAIRS, [(str(x), str(y)) for x, y in PAIRS])
    random = np.random.default_rng(0)
    weights = random.multinomial(300, np.full(300, 1 / 300), size=400).astype(np.float64)
    anew = prepare_sample(group, method, "global", "documents")(Weights(weights, None))
    cells = columns[:, ~np.isnan(columns[0])]
    exact = [float(coefficients(cells[x][None], cells[y][None], np.ones((1, cells.shape[1])), method)[0])
             for x, y in PAIRS]  # fmt: skip
    resample = prepare_ranks(columns, PAIRS, {method: exact})
    near = resample(weights)
    np.testing.assert_allclose(resample(np.ones((1, 300)))[0], exact, atol=1e-12)
    both = prepare_ranks(columns, PAIRS, dict.fromkeys(("spearman", "kendall"), exact))(weights)
    np.testing.assert_allclose(np.split(both, 2, axis=1)[method == "kendall"], near, rtol=1e-12)
    for of_anew, of_near in zip(anew.T, near.T, strict=True):
        assert np.std(of_near - of_anew) < 0.25 * np.std(of_anew)  # what is left is of the second order
        assert np.std(of_near) == pytest.approx(np.std(of_anew), rel=0.1)
        assert np.quantile(of_near, [0.05, 0.95]) == pytest.approx(
            np.quantile(of_anew, [0.05, 0.95]), abs=0.5 * np.std(of_anew)
        )


@pytest.mark.parametrize("method", ["spearman", "kendall"])
def test_intervals_beyond_the_limit_are_to_first_order(method: Method, monkeypatch: pytest.MonkeyPatch) -> None:
    columns = make_columns(2, missing=0)
    documents, systems = np.repeat(np.arange(300), 6), np.tile(np.arange(6), 300)
    named = {"x": columns[0].ravel(), "y": columns[3].ravel()}

    def interval():
        result = correlation_intervals(named, [("x", "y")], documents, systems, methods=[method], draws=Draws(seed=3))
        return result["x", "y"][method].global_

    anew = interval()
    monkeypatch.setattr(relevance.analysis.correlation.intervals, "RANKED_CELLS", 1_000)
    assert is_linearized(method, 1_800, None)
    assert not is_linearized(method, 1_800, "both")
    near = interval()
    assert near != anew
    r = correlate(*named.values(), documents, systems, method=method).global_.r
    assert near.low is not None
    assert anew.low is not None
    assert near.low < r < near.high
    width = anew.high - anew.low
    assert [near.low, near.high] == pytest.approx([anew.low, anew.high], abs=0.05 * width)


@pytest.mark.simulation
def test_intervals_to_first_order_hold_the_truth(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relevance.analysis.correlation.intervals, "RANKED_CELLS", 10)
    documents, systems = np.repeat(np.arange(50), 5), np.tile(np.arange(5), 50)

    def study(random: np.random.Generator, size: int) -> dict[str, np.ndarray]:
        quality = random.normal(size=(size, 5)) + random.normal(size=(size, 1))
        x, y = quality + random.normal(size=quality.shape) / 2, np.round(quality + random.normal(size=quality.shape))
        return {"x": x.ravel(), "y": y.ravel()}

    every = study(np.random.default_rng(99), 20_000)
    truth = {"spearman": stats.spearmanr(*every.values())[0], "kendall": stats.kendalltau(*every.values())[0]}
    held = dict.fromkeys(truth, 0)
    for seed in range(100):
        result = correlation_intervals(
            study(np.random.default_rng(seed), 50), [("x", "y")], documents, systems,
            methods=["spearman", "kendall"], draws=Draws(resamples=400, seed=seed),
        )  # fmt: skip
        for method in held:
            interval = result["x", "y"][method].global_
            held[method] += interval.low <= truth[method] <= interval.high
    assert min(held.values()) >= 89, held  # of .95, 89 of 100 or more in all but one of 200 runs


def make_cells(seed: int, documents: int = 120, systems: int = 6) -> tuple[np.ndarray, RatedCells]:
    columns = make_columns(seed, documents, systems)
    there = ~np.isnan(columns[0])
    document, system = np.nonzero(there)
    scores = columns[[0, 1, 3]][:, there]
    standard = (scores - scores.mean(axis=1)[:, None]) / scores.std(axis=1)[:, None]
    return standard, RatedCells(columns[2][there], document, system)


@pytest.mark.parametrize("permute", ["documents", "systems", "cells"])
def test_swaps_summed_by_metric_are_those_of_pairs(permute: Permute) -> None:
    scores, cells = make_cells(0)
    pairs = [(0, 1), (0, 2), (1, 2)]
    x, y = (scores[[pair[side] for pair in pairs]] for side in (0, 1))
    (coins,) = throw_coins(count_swapping(cells, permute), 50, np.random.default_rng(1))
    usual, units = global_swaps(x, y, cells, permute, "pearson")
    assert units == coins.shape[1]
    np.testing.assert_allclose(swap_pooled(Metrics(scores, pairs), cells, permute)(coins), usual(coins), atol=1e-5)
    if permute == "documents":
        flips, units = input_swaps(x, y, cells, permute, "pearson")
        named = {f"{metric}": values for metric, values in enumerate(scores)} | {"people": cells.human}
        rated = [(f"{metric}", "people") for metric in range(len(scores))]
        documents = [f"{document:03}" for document in cells.document]  # which sort as their numbers
        within = correlate_pairs(named, rated, documents, cells.system).within
        result, coins_of_found = flip_documents(np.stack([within[pair, "pearson"] for pair in rated]), pairs)
        assert coins_of_found == units
        np.testing.assert_allclose(result(coins[:, :units]), flips(coins[:, :units]), atol=1e-5)


@pytest.mark.parametrize("permute", [None, *get_args(Permute)])
def test_tests_of_very_many_cells_are_the_usual_ones(permute: Permute | None, monkeypatch: pytest.MonkeyPatch) -> None:
    columns = make_columns(4, 60, 5, missing=0)
    documents, systems = np.repeat(np.arange(60), 5), np.tile(np.arange(5), 60)
    named = {name: columns[place].ravel() for place, name in enumerate(["a", "b", "people", "c"])}
    named["c"][::9] = np.nan
    people = named.pop("people")
    pairs = [("a", "b"), ("a", "c"), ("b", "c")]

    def test_pairs():
        return permutation_tests(
            named, pairs, people, documents, systems, permutations=Permutations(permute=permute, drawn=4_000)
        )

    usual = test_pairs()
    monkeypatch.setattr(relevance.analysis.correlation.comparison, "MANY_CELLS", 0)
    for pair, levels in test_pairs().items():
        for level, expected in zip(levels, usual[pair], strict=True):
            assert level._replace(p=None) == expected._replace(p=None)
            # twice the standard error of 4,000 permutations, of both ways, and somewhat more
            assert level.p == pytest.approx(expected.p, abs=1e-9 if level.exact else 0.04)
