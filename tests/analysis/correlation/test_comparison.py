import json
import math
import warnings
from collections.abc import Callable, Iterable, Sequence
from itertools import product
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nlpstats.correlations import permutation_test, williams_test
from nlpstats.correlations.resampling import permute as nlpstats_permute
from numpy.typing import ArrayLike, NDArray

from relevance.analysis.correlation import coefficients as coefficients_module
from relevance.analysis.correlation.coefficients import METHODS, Method
from relevance.analysis.correlation.comparison import CorrelationTest, LevelTests, permutation_tests
from relevance.analysis.correlation.levels import correlate
from relevance.analysis.correlation.permuted import Permutations, Permute
from relevance.analysis.correlation.williams import WilliamsTest, williams

NAN = math.nan
WAYS: tuple[Permute, ...] = get_args(Permute)
Matrix = NDArray[np.float64]


def three_matrices(seed: int, systems: int, documents: int, missing: float = 0.2) -> list[Matrix]:
    """Two metrics on other scales, the first with ties, and ratings from 1 to 4; shape (systems, documents)."""
    random = np.random.default_rng(seed)
    latent = random.normal(size=(systems, documents))
    x = 50 + 10 * np.round(latent + random.normal(size=latent.shape), 1)
    y = (latent + 2 * random.normal(size=latent.shape)) / 100
    ratings = np.clip(np.round(latent + 2.5), 1, 4)
    gone = random.random(latent.shape) < missing
    gone[0] = gone[:, 0] = False
    return [np.where(gone, np.nan, matrix) for matrix in (x, y, ratings)]


def places(systems: int, documents: int) -> tuple[list[str], list[str]]:
    """Named so that they sort as they are numbered."""
    return [f"d{d:02}" for _ in range(systems) for d in range(documents)], [
        f"s{s:02}" for s in range(systems) for _ in range(documents)
    ]


def swap_test(
    x: ArrayLike,
    y: ArrayLike,
    human: ArrayLike,
    documents: Iterable[object],
    systems: Iterable[object],
    permute: Permute | None = None,
    permutations: int | None = None,
    seed: int = 0,
    **options: object,
) -> LevelTests:
    """One pair of metrics."""
    columns, drawn = {"x": x, "y": y}, Permutations(permute, permutations, seed)
    result = permutation_tests(columns, [("x", "y")], human, documents, systems, permutations=drawn, **options)  # type: ignore[arg-type]
    return result["x", "y"]


def masks_of(way: Permute, there: NDArray[np.bool_], permutations: int, seed: int) -> list[NDArray[np.bool_]]:
    """Which cells swap, shape (systems, documents): all ways where at most 16 things swap, else those that are drawn.

    Of all ways the first thing stays: the others are the same ways turned round.
    """
    systems, documents = there.shape
    units = {"systems": systems, "documents": documents, "cells": int(there.sum())}[way]
    if units <= 16:
        throws = [np.array([False, *throw]) for throw in product([False, True], repeat=units - 1)]
    else:
        random = np.random.default_rng([seed, *{"systems": [1], "documents": [2], "cells": []}[way]])
        throws = list(random.random((permutations, units)) < 0.5)
    masks = []
    for throw in throws:
        mask = np.zeros(there.shape, dtype=bool)
        if way == "cells":
            mask.T[there.T] = throw  # document by document
        else:
            mask[:] = throw[:, None] if way == "systems" else throw
        masks.append(mask)
    return masks


@pytest.mark.simulation
@pytest.mark.filterwarnings("ignore:An input array is constant")
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("way", ["systems", "documents", "cells"])
@pytest.mark.parametrize(("systems", "documents"), [(5, 7), (17, 6), (6, 17)])
def test_equals_nlpstats_swap_by_swap(systems: int, documents: int, way: Permute, method: Method) -> None:
    x, y, ratings = three_matrices(systems, systems, documents)
    if systems > 10:  # no means that are tied but for noise, which nlpstats parts
        x, ratings = (matrix + np.random.default_rng(0).normal(size=x.shape) / 100 for matrix in (x, ratings))
    result = swap_test(
        *(matrix.ravel() for matrix in (x, y, ratings)),
        *places(systems, documents),
        method=method,
        permute=way,
        permutations=60,
        seed=5,
    )
    masks = masks_of(way, ~np.isnan(x), 60, 5)
    exact = {"systems": systems, "documents": documents, "cells": 100}[way] <= 16
    for level, test in zip(("global", "input", "system"), result, strict=True):
        coming = iter(masks)

        def swap(matrix: Matrix, other: Matrix, coming: Iterable[NDArray[np.bool_]] = coming) -> tuple[Matrix, Matrix]:
            mask = next(iter(coming))
            return np.where(mask, other, matrix), np.where(mask, matrix, other)

        expected = permutation_test(x, y, ratings, level, method, swap, n_resamples=len(masks))
        samples = [sample for sample in expected.samples if not np.isnan(sample)]
        beyond = np.count_nonzero(np.abs(samples) >= abs(test.difference or 0) - 1e-9)
        assert (test.seed, test.reason, test.permuted, test.exact) == (5, None, way, exact)
        if exact:
            assert test.p == pytest.approx(beyond / len(samples)), level
            assert (
                test.permutations >= 2 * len(samples) or level == "input"
            )  # a document without coefficient never swaps
            assert test.least == 2 / test.permutations
        else:
            assert test.p == (beyond + 1) / (len(samples) + 1), level
            assert (test.permutations, test.least) == (len(samples), 1 / (len(samples) + 1))


@pytest.mark.simulation
@pytest.mark.parametrize("way", ["systems", "documents"])
def test_p_is_that_of_nlpstats_own_draws(way: Permute) -> None:
    x, y, ratings = three_matrices(9, 9, 10, missing=0)
    result = swap_test(*(matrix.ravel() for matrix in (x, y, ratings)), *places(9, 10), permute=way)
    assert all(test.exact for test in result)
    np.random.seed(0)  # nlpstats draws from it
    name = {"systems": "systems", "documents": "inputs"}[way]
    for level, test in zip(("global", "input", "system"), result, strict=True):
        expected = permutation_test(x, y, ratings, level, "pearson", name, n_resamples=300)
        assert test.p == pytest.approx(expected.pvalue, abs=4 * math.sqrt(0.25 / 300)), level
    assert nlpstats_permute(x, y, name)[0].shape == x.shape


@pytest.mark.simulation
def test_both_adds_what_either_does_and_scales_it() -> None:
    x, y, ratings = three_matrices(1, 18, 19, missing=0)
    columns = [matrix.ravel() for matrix in (x, y, ratings)]
    of_cells = places(18, 19)
    standard = [(column - column.mean()) / column.std() for column in columns[:2]]

    def differences(way: Permute, permutations: int) -> Matrix:
        made = []
        for mask in masks_of(way, ~np.isnan(x), permutations, 5):
            swapped = np.where(mask.ravel(), standard[1], standard[0]), np.where(mask.ravel(), standard[0], standard[1])
            r = [correlate(metric, columns[2], *of_cells).global_.r or NAN for metric in swapped]
            made.append(r[0] - r[1])
        return np.array(made)

    by_systems, by_documents, by_cells = (differences(way, 200) for way in ("systems", "documents", "cells"))
    v_systems, v_documents, v_cells = (np.mean(made**2) for made in (by_systems, by_documents, by_cells))
    variance = max(v_systems, v_documents, v_systems + v_documents - v_cells)
    scaled = (by_systems + by_documents) * math.sqrt(variance / (v_systems + v_documents))
    coefficient = swap_test(*columns, *of_cells, permute="both", permutations=200, seed=5).global_
    assert coefficient.p == (np.count_nonzero(np.abs(scaled) >= abs(coefficient.difference or 0)) + 1) / 201
    assert (coefficient.permuted, coefficient.permutations, coefficient.exact) == ("both", 200, False)


def test_each_level_has_what_holds_there() -> None:
    x, y, ratings = (matrix.ravel() for matrix in three_matrices(1, 6, 20))
    result = swap_test(x, y, ratings, *places(6, 20))
    assert [test.permuted for test in result] == ["both", "documents", "systems"]
    assert [test.permutations for test in result] == [10_000, 10_000, 2**6]
    assert [test.exact for test in result] == [False, False, True]
    # six systems swap in 2^6 ways, of which one leaves the difference as it is and one turns it round
    assert result.system.least == 2 / 2**6
    # and so the test of both is never surer than that
    assert result.global_.least == 2 / 2**6
    alone = {way: swap_test(x, y, ratings, *places(6, 20), permute=way) for way in WAYS}
    assert result == LevelTests(alone["both"].global_, alone["documents"].input, alone["systems"].system)


def test_draws_are_enough_for_holm() -> None:
    random = np.random.default_rng(0)
    columns = {f"m{number}": random.normal(size=340) for number in range(11)}
    names = list(columns)
    pairs = [(first, second) for place, first in enumerate(names) for second in names[place + 1 :]]
    result = permutation_tests(columns, pairs, random.normal(size=340), *places(17, 20))
    for test in result[pairs[0]]:
        assert test.permutations == 22_000  # 20 / (.05 / 55)
    assert 55 * result[pairs[0]].input.least < 0.05 / 10


@pytest.mark.simulation
def test_summeval_rouge_1_against_length(shared_data: Path) -> None:
    """ROUGE-1 of the first reference by `rouge-score`, against the words between white space."""
    scorer = pytest.importorskip("rouge_score.rouge_scorer").RougeScorer(["rouge1"], use_stemmer=True)
    cells = [
        (
            scorer.score(record["references"][0], summary["text"])["rouge1"].fmeasure,
            len(summary["text"].split()),
            summary["human"]["relevance"],
            record["id"],
            summary["system"],
        )
        for record in map(json.loads, (shared_data / "summeval.jsonl").read_text().splitlines())
        for summary in record["summaries"]
    ]
    rouge, length, relevance, documents, systems = zip(*cells, strict=True)
    result = swap_test(rouge, length, relevance, documents, systems).system
    # all 2^15 ways to swap whole systems, one by one
    metrics = []
    for column in (np.array(rouge), np.array(length, dtype=float)):
        standard = (column - column.mean()) / column.std()
        metrics.append(np.array([standard[np.array(systems) == system].mean() for system in sorted(set(systems))]))
    people = [np.array(relevance)[np.array(systems) == system].mean() for system in sorted(set(systems))]
    ways = (np.arange(2**15)[:, None] >> np.arange(16)) & 1
    first, second = np.where(ways, *metrics), np.where(ways, *metrics[::-1])

    def r(rows: Matrix) -> Matrix:
        rows = rows - rows.mean(axis=1, keepdims=True)
        human = np.array(people) - np.mean(people)
        return rows @ human / np.sqrt((rows**2).sum(axis=1) * (human**2).sum())

    made = np.abs(r(first) - r(second))
    assert result.p == np.mean(made >= made[0] - 1e-12)
    assert result.p == pytest.approx(0.30, abs=0.01)
    assert (result.exact, result.permutations) == (True, 2**16)
    assert swap_test(rouge, length, relevance, documents, systems, permute="cells", permutations=1000).system.p < 0.005  # type: ignore[operator]


def rejected(make: Callable[[np.random.Generator], Sequence[Matrix]], way: Permute | None, studies: int) -> list[float]:
    """How often true nulls are rejected at .05, by level."""
    random = np.random.default_rng(1)
    small = np.zeros(3)
    for seed in range(studies):
        matrices = make(random)
        result = swap_test(
            *(matrix.ravel() for matrix in matrices),
            *places(*matrices[0].shape),
            permute=way,
            permutations=199,
            seed=seed,
        )
        small += [test.p is not None and test.p <= 0.05 for test in result]
    return list(small / studies)


def with_effects(of_systems: float, of_documents: float, systems: int = 10, documents: int = 20) -> Callable:  # type: ignore[type-arg]
    """Two metrics that know as much of the ratings: of their effects of systems and documents, and of the rest."""

    def make(random: np.random.Generator) -> list[Matrix]:
        parts = [(of_systems, (systems, 1)), (of_documents, (1, documents)), (1.0, (systems, documents))]
        human = [size * random.normal(size=shape) for size, shape in parts]
        metrics = [
            sum(
                0.6 * part + 0.8 * size * random.normal(size=shape)
                for part, (size, shape) in zip(human, parts, strict=True)
            )
            for _ in range(2)
        ]
        return [*metrics, sum(human)]

    return make


def knows_some_documents_better(random: np.random.Generator) -> list[Matrix]:
    """Two metrics, each of which correlates well within some documents and badly within others."""
    human = random.normal(size=(10, 20))
    metrics = [human * (0.6 + 0.6 * random.normal(size=(1, 20))) + random.normal(size=human.shape) for _ in range(2)]
    return [*metrics, human]


STUDIES = 300  # at .05, .015 to .088 of them are rejected in 997 of 1,000 runs


@pytest.mark.simulation
@pytest.mark.parametrize(
    ("make", "level"),
    [
        (with_effects(1, 0), 2),
        (with_effects(1, 1), 2),
        (with_effects(0, 0), 2),
        (knows_some_documents_better, 1),
        (with_effects(0, 1), 1),
        (with_effects(1, 0), 0),
        (with_effects(0, 1), 0),
        (with_effects(1, 1), 0),
        (with_effects(0, 0), 0),
    ],
)
def test_true_nulls_are_rejected_as_often_as_the_level_says(make: Callable, level: int) -> None:  # type: ignore[type-arg]
    share = rejected(make, None, STUDIES)[level]
    assert share < 0.09
    assert share > (0.015 if level else 0)  # that of both is careful where there is little to be careful of


def test_perm_both_takes_systems_and_documents_as_fixed() -> None:
    assert rejected(with_effects(1, 0), "cells", 100)[2] > 0.3
    assert rejected(knows_some_documents_better, "cells", 100)[1] > 0.1


def test_a_true_difference_is_found() -> None:
    def make(random: np.random.Generator) -> list[Matrix]:
        human = random.normal(size=(12, 30)) + random.normal(size=(12, 1))
        return [
            human + size * (random.normal(size=human.shape) + random.normal(size=(12, 1))) for size in (0.3, 1.5)
        ] + [human]

    assert min(rejected(make, None, 60)) > 0.6


@pytest.mark.simulation
@pytest.mark.parametrize("way", [None, *WAYS])
@pytest.mark.parametrize("method", METHODS)
def test_the_order_of_rows_does_not_matter(method: Method, way: Permute | None) -> None:
    x, y, ratings = (matrix.ravel() for matrix in three_matrices(3, 18, 17))
    columns = [*(x, y, ratings), *map(np.array, places(18, 17))]
    order = np.random.default_rng(0).permutation(len(x))
    shuffled = [column[order] for column in columns]
    assert swap_test(*columns, method=method, permute=way, permutations=100) == swap_test(
        *shuffled, method=method, permute=way, permutations=100
    )


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("method", METHODS)
def test_the_difference_is_that_of_the_coefficients(method: Method, way: Permute) -> None:
    x, y, ratings = (matrix.ravel() for matrix in three_matrices(0, 5, 8))
    x[3] = y[7] = ratings[11] = NAN
    every = ~np.isnan(x + y + ratings)
    documents, systems = places(5, 8)
    result = swap_test(x, y, ratings, documents, systems, method=method, permute=way, permutations=20)
    kept = [np.array(labels)[every] for labels in (documents, systems)]
    of_x, of_y = (correlate(metric[every], ratings[every], *kept, method=method) for metric in (x, y))
    for test, first, second in zip(result, of_x, of_y, strict=True):
        assert first.r is not None
        assert second.r is not None
        assert test.difference == pytest.approx(first.r - second.r)
    assert [result.global_.n, result.system.n] == [every.sum(), 5]
    assert result.input.n <= min(of_x.input.n, of_y.input.n)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("method", METHODS)
def test_scales_and_sides_do_not_matter(method: Method, way: Permute) -> None:
    x, y, ratings = (matrix.ravel() for matrix in three_matrices(1, 5, 6))
    options = {"method": method, "permute": way, "permutations": 99}
    result = swap_test(x, y, ratings, *places(5, 6), **options)
    # powers of two, so that nothing is rounded otherwise
    scaled = swap_test(x * 64, y / 32, ratings * 2, *places(5, 6), **options)
    turned = swap_test(y, x, ratings, *places(5, 6), **options)
    for test, same, opposite in zip(result, scaled, turned, strict=True):
        assert test.difference is not None
        assert same == test._replace(difference=pytest.approx(test.difference))
        t = None if test.williams.t is None else pytest.approx(-test.williams.t)
        other_way = test.williams._replace(t=t)
        assert opposite == test._replace(difference=pytest.approx(-test.difference), williams=other_way)


@pytest.mark.parametrize("way", [None, *WAYS])
@pytest.mark.parametrize("method", METHODS)
def test_the_memory_in_use_does_not_matter(
    method: Method, way: Permute | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells = [*(matrix.ravel() for matrix in three_matrices(2, 4, 6)), *places(4, 6)]
    expected = swap_test(*cells, method=method, permute=way, permutations=30)  # type: ignore[arg-type]
    monkeypatch.setattr(coefficients_module, "BATCH", 70)
    assert swap_test(*cells, method=method, permute=way, permutations=30) == expected  # type: ignore[arg-type]


def test_a_metric_against_itself_and_against_noise() -> None:
    random = np.random.default_rng(0)
    ratings = random.normal(size=400)
    good, noise = ratings + random.normal(size=400) / 2, random.normal(size=400)
    for way in WAYS:
        same = swap_test(good, good, ratings, *places(20, 20), permute=way, permutations=50)
        assert [(test.difference, test.p) for test in same] == [(0, 1)] * 3
        apart = swap_test(good, noise, ratings, *places(20, 20), permute=way, permutations=50)
        assert [test.p for test in apart][:2] == [1 / 51] * 2


@pytest.mark.parametrize("way", [None, *WAYS])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("x", "y", "human", "documents", "systems", "reasons"),
    [
        ([], [], [], "", "", ["fewer than 2 cells have both scores", "in every document", "fewer than 2 systems"]),
        ([1, NAN], [NAN, 1], [1, 2], "ab", "ss", ["fewer than 2 cells", "in every document", "fewer than 2 systems"]),
        ([1, 2], [2, 2], [1, 2], "aa", "st", ["either side is constant", "in every document", "either side"]),
        ([1, 2], [1, 2], [3, 3 + 1e-12], "aa", "st", ["either side is constant", "in every document", "either side"]),
        ([1, 2], [2, 1], [1, 2], "ab", "ss", [None, "in every document", "fewer than 2 systems"]),
        ([1, 2], [2, 1], [1, 2], "aa", "st", [None, None, None]),
    ],
)
def test_degenerate_input(
    x: list[float],
    y: list[float],
    human: list[float],
    documents: str,
    systems: str,
    reasons: list[str | None],
    method: Method,
    way: Permute | None,
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = swap_test(x, y, human, documents, systems, method=method, permute=way, permutations=20, seed=2)
    for test, reason in zip(result, reasons, strict=True):
        if reason is None:
            # swapping one of both cells makes both sides constant
            assert test.difference == pytest.approx(2)
            assert test.p == 1
        else:
            assert test.reason is not None
            assert test.reason.startswith(reason)
            undefined = CorrelationTest(None, None, test.n, test.permuted, 0, False, 1.0, 2, test.reason, test.williams)
            assert test == undefined
            assert test.williams.p is None
            assert test.williams.reason is not None


def test_permutations_without_coefficients_are_passed_over() -> None:
    # four ways to swap two cells of mirrored scores: two of them leave constants
    result = swap_test([1, 2], [2, 1], [1, 2], "aa", "st", permute="cells")
    no_williams = WilliamsTest(None, None, "there is no such test within documents")
    assert result.input == CorrelationTest(pytest.approx(2), 1, 1, "cells", 2, True, 1, 0, None, no_williams)


SCORES = st.sampled_from([NAN, 0.0, 1.0, 0.1 + 0.2, 0.3]) | st.floats(-1e100, 1e100)
CELLS = st.dictionaries(
    st.tuples(st.sampled_from("abc"), st.sampled_from("stu")), st.tuples(SCORES, SCORES, SCORES), max_size=9
)


@pytest.mark.simulation
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=25)
@given(cells=CELLS)
def test_a_p_value_or_a_reason_and_never_a_warning(
    method: Method, way: Permute, cells: dict[tuple[str, str], tuple[float, float, float]]
) -> None:
    x, y, human = zip(*cells.values(), strict=True) if cells else ((), (), ())
    documents, systems = zip(*cells, strict=True) if cells else ((), ())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = swap_test(x, y, human, documents, systems, method=method, permute=way, permutations=5)
    for test in result:
        assert (test.p is None) == (test.reason is not None)
        assert test.p is None or test.least <= test.p <= 1
        assert test.difference is None or abs(test.difference) <= 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "cosine"}, "method must be one of pearson, spearman, kendall, not cosine"),
        ({"permute": "rows"}, "permute must be one of systems, documents, both, cells, not rows"),
        ({"permutations": 0}, "permutations must be at least 1, not 0"),
        ({"systems": "s"}, "x 2, y 2, human 2, documents 2, systems 1"),
        ({"systems": "ss"}, "document a has more than one cell of system s"),
    ],
)
def test_unusable_input_is_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        swap_test([1, 2], [2, 1], [1, 2], **{"documents": "aa", "systems": "st", **options})  # type: ignore[arg-type]


@pytest.mark.simulation
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("systems", "documents", "part"), [(6, 12, None), (2, 5, None), (1, 4, None), (3, 1, None), (2, 5, 50)]
)
def test_many_pairs_at_once_are_as_each_by_itself(
    systems: int, documents: int, part: int | None, way: Permute, monkeypatch: pytest.MonkeyPatch
) -> None:
    x, y, ratings = three_matrices(systems, systems, documents)
    columns = {
        "x": x.ravel(),
        "y": y.ravel(),
        "rounded": np.round(y, 2).ravel(),
        "constant": np.ones(x.size),
        "offset": y.ravel() + 1e6,
        "mostly": np.where(np.arange(x.size) % 7, 0.0, 1.0),
        "whole": np.nan_to_num(x).ravel(),  # has more cells than the others
    }
    names = list(columns)
    pairs = [(first, second) for place, first in enumerate(names) for second in names[place + 1 :]]
    of_cells = places(systems, documents)
    if part is not None:  # the numbers of a block of work
        monkeypatch.setattr(coefficients_module, "BATCH", part)
    result = permutation_tests(columns, pairs, ratings.ravel(), *of_cells, permutations=Permutations(way, 60, 2))
    assert list(result) == pairs
    for first, second in pairs:
        columns_of_pair = columns[first], columns[second], ratings.ravel()
        alone = swap_test(*columns_of_pair, *of_cells, permute=way, permutations=60, seed=2)
        assert result[first, second] == alone, (first, second)


def test_no_pairs() -> None:
    assert permutation_tests({}, [], [1], ["d"], ["s"]) == {}


def test_williams_golden_value() -> None:
    result = williams(0.285829, 0.159509, 0.026556, 45)
    assert result == (pytest.approx(0.61267, abs=5e-6), pytest.approx(0.543396, abs=5e-6), None)
    assert williams(0.159509, 0.285829, 0.026556, 45) == (pytest.approx(-0.61267, abs=5e-6), result.p, None)


@pytest.mark.parametrize("level", ["global", "system"])
def test_williams_equals_nlpstats(level: str) -> None:
    x, y, ratings = three_matrices(3, 8, 6, missing=0)
    of_cells = places(8, 6)
    index = ("global", "input", "system").index(level)
    r12, r13, r23 = (
        correlate(first.ravel(), second.ravel(), *of_cells)[index]
        for first, second in ((x, ratings), (y, ratings), (x, y))
    )
    assert r12.r is not None
    assert r13.r is not None
    assert r23.r is not None
    assert min(r12.r, r13.r, r23.r) > 0  # nlpstats takes sizes
    assert williams(r12.r, r13.r, r23.r, r12.n).p == pytest.approx(
        williams_test(x, y, ratings, level, "pearson").pvalue
    )


@pytest.mark.parametrize(
    ("r", "n", "reason"),
    [
        ((0.5, 0.4, 0.3), 3, "fewer than 4 observations"),
        ((0.5, 0.5, 1), 10, "two of the three agree perfectly"),
        ((1, 0.5, 0.5), 10, "two of the three agree perfectly"),
        ((0.9, -0.9, 0.9), 10, "no three columns have these coefficients"),
    ],
)
def test_williams_undefined(r: tuple[float, float, float], n: int, reason: str) -> None:
    assert williams(*r, n) == WilliamsTest(None, None, reason)


def test_williams_without_a_rest() -> None:
    # the human is the difference of two metrics of equal size: r12 = -r13 = sqrt((1 - r23) / 2), nothing is left over
    size = math.sqrt(0.25)
    result = williams(size, -size, 0.5, 10)
    assert result == WilliamsTest(None, None, "the two metrics' coefficients leave nothing to chance")


@pytest.mark.parametrize("r", [(1.5, 0, 0), (0, -1.1, 0), (0, 0, NAN)])
def test_williams_refuses_what_is_no_coefficient(r: tuple[float, float, float]) -> None:
    with pytest.raises(ValueError, match="must lie between -1 and 1"):
        williams(*r, 10)
