from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nlpstats.correlations import permutation_test, williams_test
from numpy.typing import NDArray

from metrics.meta_evaluation import correlate
from metrics.meta_evaluation import correlation as correlation_module
from metrics.meta_evaluation.correlation import METHODS, Method
from metrics.meta_evaluation.correlation_tests import (
    CorrelationTest,
    WilliamsTest,
    perm_both,
    perm_both_pairs,
    williams,
)

NAN = math.nan
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


def places(systems: int, documents: int) -> tuple[list[int], list[int]]:
    return list(range(documents)) * systems, np.repeat(np.arange(systems), documents).tolist()


@pytest.mark.filterwarnings("ignore:An input array is constant")
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("systems", "documents"), [(4, 7), (7, 3)])
def test_equals_nlpstats_with_a_coin_for_each_cell(systems: int, documents: int, method: Method) -> None:
    x, y, ratings = three_matrices(systems, systems, documents)
    found = perm_both(
        *(matrix.ravel() for matrix in (x, y, ratings)),
        *places(systems, documents),
        method=method,
        permutations=60,
        seed=5,
    )
    there = ~np.isnan(x)
    for level, test in zip(("global", "input", "system"), found, strict=True):
        random = np.random.default_rng(5)

        def swap(one: Matrix, other: Matrix, random: np.random.Generator = random) -> tuple[Matrix, Matrix]:
            swapped = np.zeros(there.shape, dtype=bool)
            swapped[there] = random.random(there.sum()) < 0.5
            return np.where(swapped, other, one), np.where(swapped, one, other)

        expected = permutation_test(x, y, ratings, level, method, swap, n_resamples=60)
        samples = [sample for sample in expected.samples if not np.isnan(sample)]
        beyond = np.count_nonzero(np.abs(samples) >= abs(test.difference or 0) - 1e-9)
        assert test.p == (beyond + 1) / (len(samples) + 1), level
        assert test.permutations == len(samples)
        assert (test.seed, test.reason) == (5, None)


@pytest.mark.parametrize("method", METHODS)
def test_the_difference_is_that_of_the_coefficients(method: Method) -> None:
    x, y, ratings = (matrix.ravel() for matrix in three_matrices(0, 5, 8))
    x[3] = y[7] = ratings[11] = NAN
    every = ~np.isnan(x + y + ratings)
    documents, systems = places(5, 8)
    found = perm_both(x, y, ratings, documents, systems, method=method, permutations=20)
    kept = [np.array(labels)[every] for labels in (documents, systems)]
    of_x, of_y = (correlate(metric[every], ratings[every], *kept, method=method) for metric in (x, y))
    for test, one, other in zip(found, of_x, of_y, strict=True):
        assert one.r is not None
        assert other.r is not None
        assert test.difference == pytest.approx(one.r - other.r)
    assert [found.global_.n, found.system.n] == [every.sum(), 5]
    assert found.input.n <= min(of_x.input.n, of_y.input.n)


@pytest.mark.parametrize("method", METHODS)
def test_scales_and_sides_do_not_matter(method: Method) -> None:
    x, y, ratings = (matrix.ravel() for matrix in three_matrices(1, 5, 6))
    of_cells = places(5, 6)
    found = perm_both(x, y, ratings, *of_cells, method=method, permutations=99)
    # powers of two, so that nothing is rounded otherwise
    scaled = perm_both(x * 64, y / 32, ratings * 2, *of_cells, method=method, permutations=99)
    turned = perm_both(y, x, ratings, *of_cells, method=method, permutations=99)
    for test, same, opposite in zip(found, scaled, turned, strict=True):
        assert test.difference is not None
        assert same == test._replace(difference=pytest.approx(test.difference))
        assert opposite == test._replace(difference=pytest.approx(-test.difference))


@pytest.mark.parametrize("method", METHODS)
def test_the_memory_in_use_does_not_matter(method: Method, monkeypatch: pytest.MonkeyPatch) -> None:
    cells = [*(matrix.ravel() for matrix in three_matrices(2, 4, 6)), *places(4, 6)]
    expected = perm_both(*cells, method=method, permutations=30)  # type: ignore[arg-type]
    monkeypatch.setattr(correlation_module, "_BATCH", 70)
    assert perm_both(*cells, method=method, permutations=30) == expected  # type: ignore[arg-type]


def test_a_metric_against_itself_and_against_noise() -> None:
    random = np.random.default_rng(0)
    ratings = random.normal(size=200)
    good, noise = ratings + random.normal(size=200) / 2, random.normal(size=200)
    of_cells = places(10, 20)
    same = perm_both(good, good, ratings, *of_cells, permutations=50)
    assert [(test.difference, test.p) for test in same] == [(0, 1)] * 3
    assert [test.p for test in perm_both(good, noise, ratings, *of_cells, permutations=50)][:2] == [1 / 51] * 2


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
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = perm_both(x, y, human, documents, systems, method=method, permutations=20, seed=2)
    for test, reason in zip(found, reasons, strict=True):
        if reason is None:
            # swapping one of both cells makes both sides constant
            assert test.difference == pytest.approx(2)
            assert test.p == 1
            assert 0 < test.permutations < 20
        else:
            assert test.reason is not None
            assert test.reason.startswith(reason)
            assert test == CorrelationTest(None, None, test.n, 0, 2, test.reason)


def test_no_permutation_has_both_coefficients() -> None:
    # two cells of mirrored scores: a swap of one of them leaves constants; the first seed that swaps one
    seed = next(seed for seed in range(50) if (np.random.default_rng(seed).random(2) < 0.5).sum() == 1)
    found = perm_both([1, 2], [2, 1], [1, 2], "aa", "st", permutations=1, seed=seed)
    undefined = CorrelationTest(2, None, 2, 0, seed, "no permutation has both coefficients")
    assert found.global_._replace(difference=2) == undefined
    assert found.input._replace(difference=2) == undefined._replace(n=1)


SCORES = st.sampled_from([NAN, 0.0, 1.0, 0.1 + 0.2, 0.3]) | st.floats(-1e100, 1e100)
CELLS = st.dictionaries(
    st.tuples(st.sampled_from("abc"), st.sampled_from("stu")), st.tuples(SCORES, SCORES, SCORES), max_size=9
)


@pytest.mark.parametrize("method", METHODS)
@given(cells=CELLS)
def test_a_p_value_or_a_reason_and_never_a_warning(
    method: Method, cells: dict[tuple[str, str], tuple[float, float, float]]
) -> None:
    x, y, human = zip(*cells.values(), strict=True) if cells else ((), (), ())
    documents, systems = zip(*cells, strict=True) if cells else ((), ())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = perm_both(x, y, human, documents, systems, method=method, permutations=5)
    for test in found:
        assert (test.p is None) == (test.reason is not None)
        assert test.p is None or 1 / 6 <= test.p <= 1
        assert test.difference is None or abs(test.difference) <= 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "cosine"}, "method must be one of pearson, spearman, kendall, not cosine"),
        ({"permutations": 0}, "permutations must be at least 1, not 0"),
        ({"systems": "s"}, "x 2, y 2, human 2, documents 2, systems 1"),
        ({"systems": "ss"}, "document a has more than one cell of system s"),
    ],
)
def test_unusable_input_is_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        perm_both([1, 2], [2, 1], [1, 2], **{"documents": "aa", "systems": "st", **options})  # type: ignore[arg-type]


@pytest.mark.parametrize(("systems", "documents"), [(6, 12), (2, 5), (1, 4), (3, 1)])
@pytest.mark.parametrize("part", [None, 50])
def test_many_pairs_at_once_are_as_each_by_itself(
    systems: int, documents: int, part: int | None, monkeypatch: pytest.MonkeyPatch
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
    settings = dict(zip(("documents", "systems"), places(systems, documents), strict=True))
    if part is not None:  # the numbers of a block of work
        monkeypatch.setattr(correlation_module, "_BATCH", part)
    found = perm_both_pairs(columns, pairs, ratings.ravel(), **settings, permutations=60, seed=2)
    assert list(found) == pairs
    for first, second in pairs:
        alone = perm_both(columns[first], columns[second], ratings.ravel(), **settings, permutations=60, seed=2)
        assert found[first, second] == alone, (first, second)


def test_many_pairs_refuse_what_one_does() -> None:
    with pytest.raises(ValueError, match="permutations must be at least 1"):
        perm_both_pairs({"a": [1], "b": [1]}, [("a", "b")], [1], ["d"], ["s"], permutations=0)
    with pytest.raises(ValueError, match="differ in length"):
        perm_both_pairs({"a": [1], "b": [1, 2]}, [("a", "b")], [1], ["d"], ["s"])
    assert perm_both_pairs({}, [], [1], ["d"], ["s"]) == {}


def test_williams_golden_value() -> None:
    found = williams(0.285829, 0.159509, 0.026556, 45)
    assert found == (pytest.approx(0.61267, abs=5e-6), pytest.approx(0.543396, abs=5e-6), None)
    assert williams(0.159509, 0.285829, 0.026556, 45) == (pytest.approx(-0.61267, abs=5e-6), found.p, None)


@pytest.mark.parametrize("level", ["global", "system"])
def test_williams_equals_nlpstats(level: str) -> None:
    x, y, ratings = three_matrices(3, 8, 6, missing=0)
    of_cells = places(8, 6)
    index = ("global", "input", "system").index(level)
    r12, r13, r23 = (
        correlate(one.ravel(), other.ravel(), *of_cells)[index] for one, other in ((x, ratings), (y, ratings), (x, y))
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
    found = williams(size, -size, 0.5, 10)
    assert found == WilliamsTest(None, None, "the two metrics' coefficients leave nothing to chance")


@pytest.mark.parametrize("r", [(1.5, 0, 0), (0, -1.1, 0), (0, 0, NAN)])
def test_williams_refuses_what_is_no_coefficient(r: tuple[float, float, float]) -> None:
    with pytest.raises(ValueError, match="must lie between -1 and 1"):
        williams(*r, 10)
