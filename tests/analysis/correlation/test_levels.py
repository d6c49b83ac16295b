import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nlpstats.correlations import correlate as nlpstats_correlate
from scipy import stats

from relevance.analysis.correlation import coefficients as module
from relevance.analysis.correlation.coefficients import METHODS, Method
from relevance.analysis.correlation.levels import Correlation, Levels, correlate, correlate_pairs

NAN = math.nan
LEFT_OUT = "in every document either side is constant or has fewer than 2 cells"

# rows are systems, columns are documents
X = [[1, 9, 2], [4, 5, 2], [6, 7, 1]]
Y = [[11, 12, 13], [14, 15, 16], [17, 18, 19]]
DOCUMENTS = ["d1", "d2", "d3"] * 3
SYSTEMS = np.repeat(["s1", "s2", "s3"], 3)


@pytest.mark.parametrize(
    ("method", "expected"),
    [("pearson", (0, -0.12421, 0.65465)), ("kendall", (0.11433, -0.04994, 0.33333))],
)
def test_golden_values(method: Method, expected: tuple[float, ...]) -> None:
    result = correlate(np.ravel(X), np.ravel(Y), DOCUMENTS, SYSTEMS, method=method)
    assert [level.r for level in result] == pytest.approx(expected, abs=1e-5)
    assert [level.n for level in result] == [9, 3, 3]
    assert [level[2:] for level in result] == [(0, None)] * 3


def test_kendall_by_hand() -> None:
    # one document, 6 pairs of cells: x parts all but (2, 2), y all but (5, 5)
    # concordant: 1-2 and 1-2' and 1-3 and 2-3 = 4, discordant 0; tau-b = 4 / sqrt(5 * 5)
    result = correlate([1, 2, 2, 3], [4, 5, 5, 6], "aaaa", "stuv", method="kendall")
    assert result.global_.r == pytest.approx(1)
    # x tied in (2, 2), y in (4, 4): pairs 1-2: y tied; 1-2': C; 1-3: C; 2-2': x tied; 2-3: C; 2'-3: C
    result = correlate([1, 2, 2, 3], [4, 4, 5, 6], "aaaa", "stuv", method="kendall")
    assert result.global_.r == pytest.approx(4 / 5)


def test_spearman_by_hand() -> None:
    # ranks of x: 1, 2.5, 2.5, 4, less their mean -1.5, 0, 0, 1.5; of y: 1.5, 1.5, 3, 4, so -1, -1, .5, 1.5
    # products 1.5 + 2.25 = 3.75, squares 4.5 and 4.5
    result = correlate([1, 2, 2, 3], [4, 4, 5, 6], "aaaa", "stuv", method="spearman")
    assert result.global_.r == pytest.approx(3.75 / 4.5)
    assert result.input.r == result.system.r == result.global_.r


def random_matrices(seed: int, systems: int, documents: int) -> list[np.ndarray[tuple[int, int], np.dtype[np.float64]]]:
    """One side with ties, one without, both of one pattern of missing cells; shape (systems, documents)."""
    random = np.random.default_rng(seed)
    latent = random.normal(size=(systems, documents))
    x, y = np.round(latent + random.normal(size=latent.shape)), latent
    x[:, 0], y[:, 0] = 1, 2  # a constant document
    missing = random.random(latent.shape) < 0.2
    missing[0] = missing[:, 1] = False
    return [np.where(missing, np.nan, side) for side in (x, y)]


@pytest.mark.filterwarnings("ignore:An input array is constant")
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("systems", "documents"), [(3, 12), (9, 5), (205, 3)])
def test_equals_nlpstats(systems: int, documents: int, method: Method) -> None:
    x, y = random_matrices(systems, systems, documents)
    places = [f"d{number}" for number in range(documents)] * systems, np.repeat(np.arange(systems), documents)
    result = correlate(x.ravel(), y.ravel(), *places, method=method)
    for level, correlation in zip(("global", "input", "system"), result, strict=True):
        assert correlation.r == pytest.approx(nlpstats_correlate(x, y, level, method), abs=1e-12), level


def test_a_document_of_many_systems_is_sorted_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    x, y = random_matrices(1, 30, 4)
    places = ["a", "b", "c", "d"] * 30, np.repeat(np.arange(30), 4)
    compared = correlate(x.ravel(), y.ravel(), *places, method="kendall")
    monkeypatch.setattr(module, "WIDE", 5)
    result = correlate(x.ravel(), y.ravel(), *places, method="kendall")
    assert [level.r for level in result] == [pytest.approx(level.r, abs=1e-12) for level in compared]
    assert [level.n for level in result] == [level.n for level in compared]


def test_the_memory_in_use_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    x, y = random_matrices(2, 6, 9)
    places = list("abcdefghi") * 6, np.repeat(np.arange(6), 9)
    expected = correlate(x.ravel(), y.ravel(), *places, method="kendall")
    monkeypatch.setattr(module, "BATCH", 20)
    assert correlate(x.ravel(), y.ravel(), *places, method="kendall") == expected


@pytest.mark.parametrize("method", METHODS)
def test_equals_scipy_over_all_cells(method: Method) -> None:
    x, y = np.random.default_rng(5).integers(0, 6, size=(2, 40)).astype(float)
    of_method = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}[method]
    result = correlate(x, y, np.repeat(np.arange(8), 5), np.tile(np.arange(5), 8), method=method)
    assert result.global_.r == pytest.approx(of_method(x, y).statistic, abs=1e-12)


def test_pairs_of_columns_are_correlated_as_each_by_itself() -> None:
    random = np.random.default_rng(6)
    columns = {name: random.normal(size=24) for name in "xyz"}
    columns["y"][3] = columns["z"][[4, 5]] = NAN  # each pair has other cells
    places = np.tile(np.arange(6), 4), np.repeat(np.arange(4), 6)
    pairs = [("x", "y"), ("z", "y"), ("x", "z")]
    levels = correlate_pairs(columns, pairs, *places, methods=METHODS).levels
    assert list(levels) == pairs
    for (first, second), by_method in levels.items():
        for method in METHODS:
            assert by_method[method] == correlate(columns[first], columns[second], *places, method=method)


@pytest.mark.parametrize("method", METHODS)
def test_a_missing_score_leaves_its_cell_out_of_everything(method: Method) -> None:
    x, y = np.array(X, dtype=float), np.array(Y, dtype=float)
    kept = np.ones((3, 3), dtype=bool)
    kept[0, 1] = kept[2, 2] = False
    documents, systems = np.array(DOCUMENTS).reshape(3, 3), SYSTEMS.reshape(3, 3)
    expected = correlate(x[kept], y[kept], documents[kept], systems[kept], method=method)
    x[0, 1] = y[2, 2] = NAN
    assert correlate(x.ravel(), y.ravel(), DOCUMENTS, SYSTEMS, method=method) == expected
    assert [level.n for level in expected] == [7, 2, 3]  # in d3, x is constant now: 2, 2


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("x", "y", "documents", "systems", "expected"),
    [
        (
            [], [], "", "",
            Levels(
                Correlation(None, 0, 0, "fewer than 2 cells have both scores"),
                Correlation(None, 0, 0, LEFT_OUT),
                Correlation(None, 0, 0, "fewer than 2 systems have both scores"),
            ),
        ),
        (  # no cell has both
            [NAN, 1, NAN], [1, NAN, NAN], "aab", "sts",
            Levels(
                Correlation(None, 0, 0, "fewer than 2 cells have both scores"),
                Correlation(None, 0, 2, LEFT_OUT),
                Correlation(None, 0, 0, "fewer than 2 systems have both scores"),
            ),
        ),
        (  # one side constant but for noise
            [0.3, 0.1 + 0.2, 0.3, 0.3], [1, 2, 3, 4], "aabb", "stst",
            Levels(
                Correlation(None, 4, 0, "either side is constant"),
                Correlation(None, 0, 2, LEFT_OUT),
                Correlation(None, 2, 0, "either side is constant"),
            ),
        ),
        (  # one system: a cell a document
            [1, 2], [3, 4], "ab", "ss",
            Levels(
                Correlation(1, 2),
                Correlation(None, 0, 2, LEFT_OUT),
                Correlation(None, 1, 0, "fewer than 2 systems have both scores"),
            ),
        ),
        (  # b has one cell with both, c is constant
            [1, 2, 1, NAN, 2, 2], [1, 2, 1, 1, 1, 2], "aabbcc", "ststst",
            Levels(Correlation(None, 0), Correlation(1, 1, 2), Correlation(None, 0)),
        ),
    ],
)  # fmt: skip
def test_degenerate_inputs(
    x: list[float], y: list[float], documents: str, systems: str, expected: Levels, method: Method
) -> None:
    result = correlate(x, y, documents, systems, method=method)
    if documents == "aabbcc":  # this case is about the input level
        result, expected = Levels(*[result.input] * 3), Levels(*[expected.input] * 3)
    assert [level._replace(r=None) for level in result] == [level._replace(r=None) for level in expected]
    assert [level.r for level in result] == [pytest.approx(level.r) if level.r else None for level in expected]


@pytest.mark.parametrize(
    # s-t tied in x, s-u and t-u concordant: 2 / sqrt(2 * 3); ranks 2.5, 2.5, 1 and 2, 3, 1: 1.5 / sqrt(1.5 * 2)
    ("method", "expected"),
    [("kendall", 2 / math.sqrt(6)), ("spearman", 1.5 / math.sqrt(3))],
)
def test_noise_in_the_means_does_not_part_systems(method: Method, expected: float) -> None:
    # s and t have the same scores in another order: sums .6000000000000001 and .6; u is below
    x = [0.1, 0.2, 0.3, 0.3, 0.2, 0.1, 0.0, 0.0, 0.0]
    y = [1, 1, 1, 2, 2, 2, 0, 0, 0]
    result = correlate(x, y, "abcabcabc", "ssstttuuu", method=method)
    assert result.system.r == pytest.approx(expected)


def test_values_that_differ_by_little_beside_their_mean() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = correlate([1e6, 1e6 + 1e-8, 1e6 + 2e-8], [1, 2, 3], "aaa", "stu")
    assert result.global_.r == pytest.approx(1, abs=0.01)


@pytest.mark.parametrize(
    ("x", "systems", "method", "message"),
    [
        ([1, 2], "st", "cosine", "method must be one of pearson, spearman, kendall, not cosine"),
        ([1, math.inf], "st", "pearson", "x holds a number that is infinite"),
        ([1, 2], "s", "pearson", "x 2, y 2, documents 2, systems 1"),
        ([1, 2], "ss", "pearson", "document a has more than one cell of system s"),
    ],
)
def test_unusable_input_is_refused(x: list[float], systems: str, method: Method, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        correlate(x, [1, 2], "aa", systems, method=method)


SCORES = st.sampled_from([NAN, 0.0, 1.0, 0.1 + 0.2, 0.3]) | st.floats(-1e100, 1e100)
PLACES = st.tuples(st.sampled_from("abc"), st.sampled_from("stuvw"))
CELLS = st.dictionaries(PLACES, st.tuples(SCORES, SCORES), max_size=15)


@pytest.mark.simulation
@pytest.mark.parametrize("method", METHODS)
@given(cells=CELLS)
def test_a_coefficient_or_a_reason_and_never_a_warning(
    method: Method, cells: dict[tuple[str, str], tuple[float, float]]
) -> None:
    x, y = zip(*cells.values(), strict=True) if cells else ((), ())
    documents, systems = zip(*cells, strict=True) if cells else ((), ())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = correlate(x, y, documents, systems, method=method)
    for level in result:
        assert (level.r is None) == (level.reason is not None)
        assert level.r is None or -1 <= level.r <= 1.0000001
    assert result.input.n + result.input.left_out == len(set(documents))
    mirrored = correlate(y, x, documents, systems, method=method)
    assert [level.r for level in mirrored] == [pytest.approx(level.r, abs=1e-6) for level in result]
    order = np.random.default_rng(0).permutation(len(x))
    shuffled = correlate(*([side[cell] for cell in order] for side in (x, y, documents, systems)), method=method)
    assert [level[1:] for level in shuffled] == [level[1:] for level in result]


def test_copies_of_many_cells_tie() -> None:
    random = np.random.default_rng(0)
    x, y = np.round(random.normal(size=(2, 3, 250)), 1)
    times = random.poisson(1, size=x.shape)
    coefficients = module.coefficients(x, y, times.astype(np.float64), "kendall")
    every = [stats.kendalltau(np.repeat(a, n), np.repeat(b, n)).statistic for a, b, n in zip(x, y, times, strict=True)]
    assert coefficients == pytest.approx(every, abs=1e-12)
