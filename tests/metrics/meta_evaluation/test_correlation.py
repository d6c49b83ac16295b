from __future__ import annotations

import math
import warnings
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.meta_evaluation import Correlation, Levels, correlate
from metrics.meta_evaluation.correlation import Method

NAN = math.nan
METHODS: tuple[Method, ...] = get_args(Method)
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
    found = correlate(np.ravel(X), np.ravel(Y), DOCUMENTS, SYSTEMS, method=method)
    assert [level.r for level in found] == pytest.approx(expected, abs=1e-5)
    assert [level.n for level in found] == [9, 3, 3]
    assert [level[2:] for level in found] == [(0, None)] * 3


def test_kendall_by_hand() -> None:
    # one document, 6 pairs of cells: x parts all but (2, 2), y all but (5, 5)
    # concordant: 1-2 and 1-2' and 1-3 and 2-3 = 4, discordant 0; tau-b = 4 / sqrt(5 * 5)
    found = correlate([1, 2, 2, 3], [4, 5, 5, 6], "aaaa", "stuv", method="kendall")
    assert found.global_.r == pytest.approx(1)
    # x tied in (2, 2), y in (4, 4): pairs 1-2: y tied; 1-2': C; 1-3: C; 2-2': x tied; 2-3: C; 2'-3: C
    found = correlate([1, 2, 2, 3], [4, 4, 5, 6], "aaaa", "stuv", method="kendall")
    assert found.global_.r == pytest.approx(4 / 5)


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
    found = correlate(x, y, documents, systems, method=method)
    if documents == "aabbcc":  # this case is about the input level
        found, expected = Levels(*[found.input] * 3), Levels(*[expected.input] * 3)
    assert [level._replace(r=None) for level in found] == [level._replace(r=None) for level in expected]
    assert [level.r for level in found] == [pytest.approx(level.r) if level.r else None for level in expected]


def test_noise_in_the_means_does_not_part_systems() -> None:
    # s and t have the same scores in another order: sums .6000000000000001 and .6; u is below
    x = [0.1, 0.2, 0.3, 0.3, 0.2, 0.1, 0.0, 0.0, 0.0]
    y = [1, 1, 1, 2, 2, 2, 0, 0, 0]
    found = correlate(x, y, "abcabcabc", "ssstttuuu", method="kendall")
    # s-t tied in x, s-u and t-u concordant: 2 / sqrt(2 * 3)
    assert found.system.r == pytest.approx(2 / math.sqrt(6))


def test_values_that_differ_by_little_beside_their_mean() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = correlate([1e6, 1e6 + 1e-8, 1e6 + 2e-8], [1, 2, 3], "aaa", "stu")
    assert found.global_.r == pytest.approx(1, abs=0.01)


@pytest.mark.parametrize(
    ("x", "systems", "method", "message"),
    [
        ([1, 2], "st", "cosine", "method must be one of pearson, kendall, not cosine"),
        ([1, math.inf], "st", "pearson", "x holds a number that is infinite"),
        ([1, 2], "s", "pearson", "x 2, y 2, documents 2, systems 1"),
    ],
)
def test_unusable_input_is_refused(x: list[float], systems: str, method: Method, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        correlate(x, [1, 2], "aa", systems, method=method)


SCORES = st.sampled_from([NAN, 0.0, 1.0, 0.1 + 0.2, 0.3]) | st.floats(-1e100, 1e100)
CELLS = st.lists(st.tuples(SCORES, SCORES, st.sampled_from("abc"), st.sampled_from("stu")), max_size=15)


@pytest.mark.parametrize("method", METHODS)
@given(cells=CELLS)
def test_a_coefficient_or_a_reason_and_never_a_warning(
    method: Method, cells: list[tuple[float, float, str, str]]
) -> None:
    x, y, documents, systems = zip(*cells, strict=True) if cells else ((), (), (), ())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = correlate(x, y, documents, systems, method=method)
    for level in found:
        assert (level.r is None) == (level.reason is not None)
        assert level.r is None or -1.000001 <= level.r <= 1.000001
    assert found.input.n + found.input.left_out == len(set(documents))
    mirrored = correlate(y, x, documents, systems, method=method)
    assert [level.r for level in mirrored] == [pytest.approx(level.r, abs=1e-6) for level in found]
