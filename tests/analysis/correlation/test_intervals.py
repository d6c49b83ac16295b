import math
import os
import subprocess
import sys
import warnings
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import relevance.analysis.correlation.intervals
from relevance.analysis.arrays import Draws
from relevance.analysis.correlation import coefficients as coefficients_module
from relevance.analysis.correlation import draws as draws_module
from relevance.analysis.correlation import resampled
from relevance.analysis.correlation.coefficients import METHODS, Method
from relevance.analysis.correlation.intervals import LevelIntervals, correlation_intervals
from relevance.analysis.correlation.levels import correlate
from relevance.analysis.correlation.resampled import Resample
from relevance.analysis.ratio_intervals import Interval

NAN = math.nan
RESAMPLES: tuple[Resample, ...] = ("documents", "systems", "both")
Columns = dict[str, NDArray[np.float64]]


def random_columns(seed: int, documents: int, systems: int, missing: float) -> tuple[Columns, list[str], list[str]]:
    """Scores on several scales: continuous, rated from 1 to 4, with noise on ties, far from 0, mostly constant."""
    random = np.random.default_rng(seed)
    size = documents * systems
    latent = random.normal(size=size)
    columns = {
        "close": latent + random.normal(size=size),
        "rated": np.clip(np.round(latent + 2), 1, 4),
        "noisy": np.round(latent) / 10 + random.choice([0, 1e-16, 6e-10], size),
        "far": 1e4 + latent,
        "rare": np.where(random.random(size) < 0.85, 0.5, latent),
    }
    for name, values in columns.items():
        if name != "far":
            values[random.random(size) < missing] = NAN
    # written as text, the names sort in another order than they are made
    names = [f"d{number}" for number in range(documents)], [f"s{number}" for number in range(systems)]
    return columns, np.repeat(names[0], systems).tolist(), names[1] * documents


def draws(
    documents: list[str], systems: list[str], resample: Resample, resamples: int, seed: int
) -> list[tuple[list[str], list[str]]]:
    every = sorted(set(documents)), sorted(set(systems))
    randoms = np.random.default_rng(seed), np.random.default_rng([seed, 1])
    drawn = []
    for _ in range(resamples):
        picked = list(every)
        for side, mode in enumerate(("documents", "systems")):
            if resample in (mode, "both"):
                picked[side] = [
                    every[side][at] for at in randoms[side].integers(len(every[side]), size=len(every[side]))
                ]
        drawn.append((picked[0], picked[1]))
    return drawn


def build_and_correlate(
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    documents: list[str],
    systems: list[str],
    drawn: list[tuple[list[str], list[str]]],
    method: Method,
) -> list[list[float]]:
    """Build each resample, copies under names of their own, and give the coefficients of each level."""
    at = {place: cell for cell, place in enumerate(zip(documents, systems, strict=True))}
    result: list[list[float]] = [[], [], []]
    for of_documents, of_systems in drawn:
        copies = [
            (at[document, system], row, column)
            for row, document in enumerate(of_documents)
            for column, system in enumerate(of_systems)
            if (document, system) in at
        ]
        cells, rows, columns = (list(side) for side in zip(*copies, strict=True))
        for level, correlation in zip(result, correlate(x[cells], y[cells], rows, columns, method=method), strict=True):
            if correlation.r is not None:
                level.append(correlation.r)
    return result


@pytest.mark.simulation
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("resample", RESAMPLES)
@pytest.mark.parametrize(("documents", "systems", "missing"), [(9, 4, 0.0), (6, 5, 0.2), (4, 2, 0.1), (3, 12, 0.1)])
def test_equals_building_each_resample(
    documents: int, systems: int, missing: float, resample: Resample, method: Method
) -> None:
    columns, of_documents, of_systems = random_columns(documents, documents, systems, missing)
    pairs = list(combinations(columns, 2))
    drawn = draws(of_documents, of_systems, resample, 40, seed=3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = correlation_intervals(
            columns,
            pairs,
            of_documents,
            of_systems,
            methods=[method],
            resample=resample,
            draws=Draws(level=0.8, resamples=40, seed=3),
        )
    assert list(result) == pairs
    for pair in pairs:
        x, y = (columns[name] for name in pair)
        expected = build_and_correlate(x, y, of_documents, of_systems, drawn, method)
        for interval, r in zip(result[pair][method], expected, strict=True):
            if interval.low is None:
                assert interval.reason is not None
                # what has no interval has next to no coefficient: one document, or none
                assert interval.reason.startswith(("fewer", "no ", "either"))
            else:
                low, high = np.quantile(r, [0.1, 0.9])
                assert (interval.low, interval.high) == (pytest.approx(low, abs=1e-9), pytest.approx(high, abs=1e-9)), (
                    pair
                )
                assert interval[2:] == (0.8, 40, 3, None)


@pytest.mark.simulation
@pytest.mark.parametrize(("documents", "method"), [(60, "kendall"), (60, "spearman"), (6_000, "spearman")])
def test_many_cells_equal_building_each_resample(
    documents: int, method: Method, monkeypatch: pytest.MonkeyPatch
) -> None:
    # ranks are drawn anew however many cells there are; those of 48,000 have more than 16 bits. With little memory,
    # parts of rows and of units are summed up
    monkeypatch.setattr(relevance.analysis.correlation.intervals, "RANKED_CELLS", 1 << 30)
    for module in (resampled, draws_module):
        monkeypatch.setattr(module, "WEIGHTS_AT_ONCE", 1 << 17)
    monkeypatch.setattr(resampled, "CACHED", 1 << 12)
    columns, *places = random_columns(5, documents, 8, 0.05)
    pairs = [("close", "rated"), ("noisy", "rare"), ("far", "noisy")]
    result = correlation_intervals(
        columns, pairs, *places, methods=[method], resample="documents", draws=Draws(level=0.5, resamples=5)
    )
    drawn = draws(*places, "documents", 5, 0)
    for x, y in pairs:
        expected = build_and_correlate(columns[x], columns[y], *places, drawn, method)[0]
        assert result[x, y][method].global_[:2] == pytest.approx(np.quantile(expected, [0.25, 0.75]), abs=1e-9)


@pytest.mark.process
def test_products_of_matrices_take_one_thread() -> None:
    # the threads of many small products wait for each other: two took twice as long as one
    code = "import relevance.analysis, threadpoolctl as t; print(*(one['num_threads'] for one in t.threadpool_info()))"
    by_name = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    completed = subprocess.run([sys.executable, "-c", code], env=by_name, capture_output=True, text=True, check=True)
    assert set(completed.stdout.split()) <= {"1"}


def test_documents_that_lie_far_apart() -> None:
    # each of the 144 comparisons of two documents' summaries says the same: more than 8 bits hold
    random = np.random.default_rng(6)
    documents, systems = np.repeat(np.arange(5), 12).tolist(), list("abcdefghijkl") * 5
    columns = {name: np.repeat(np.arange(5), 12) * 100 + random.normal(size=60) for name in "xy"}
    coefficient = correlation_intervals(
        columns, [("x", "y")], documents, systems, methods=["kendall"], resample="documents", draws=Draws(resamples=20)
    )["x", "y"]["kendall"].global_
    drawn = draws(documents, systems, "documents", 20, 0)
    expected = build_and_correlate(columns["x"], columns["y"], documents, systems, drawn, "kendall")[0]
    assert coefficient[:2] == pytest.approx(np.quantile(expected, [0.025, 0.975]), abs=1e-9)


@pytest.mark.simulation
@pytest.mark.parametrize("resample", RESAMPLES)
def test_the_memory_in_use_and_the_other_pairs_do_not_matter(
    resample: Resample, monkeypatch: pytest.MonkeyPatch
) -> None:
    columns, *places = random_columns(1, 7, 4, 0.1)
    pairs = list(combinations(columns, 2))
    options = {"methods": METHODS, "resample": resample, "draws": Draws(resamples=30)}
    expected = correlation_intervals(columns, pairs, *places, **options)  # type: ignore[arg-type]
    alone = correlation_intervals(columns, pairs[:1], *places, **options)  # type: ignore[arg-type]
    # the package exports a function of the name of its module
    for module in (resampled, draws_module):
        monkeypatch.setattr(module, "WEIGHTS_AT_ONCE", 100)
    monkeypatch.setattr(resampled, "CACHED", 50)
    monkeypatch.setattr(coefficients_module, "BATCH", 50)
    in_parts = correlation_intervals(columns, pairs, *places, **options)  # type: ignore[arg-type]
    for pair in pairs:
        for method in METHODS:
            for result in [in_parts, *([alone] if pair in alone else [])]:
                for interval, same in zip(result[pair][method], expected[pair][method], strict=True):
                    assert interval[2:] == same[2:]
                    assert interval.low == (None if same.low is None else pytest.approx(same.low, abs=1e-12))
                    assert interval.high == (None if same.high is None else pytest.approx(same.high, abs=1e-12))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("resample", RESAMPLES)
def test_values_of_unequal_sizes(resample: Resample, method: Method) -> None:
    # one cell so far off that the others are next to nothing beside it, and runs of near values longer than 1e-9
    random = np.random.default_rng(4)
    x, y = random.normal(size=(2, 20))
    x[7] = 1e12
    near = 0.25 + np.array([0, 0.7e-9, 1.4e-9, 2.1e-9])
    y[8:12], y[16:] = near, near[::-1]
    documents, systems = np.repeat(list("abcde"), 4).tolist(), list("stuv") * 5
    result = correlation_intervals(
        {"x": x, "y": y},
        [("x", "y")],
        documents,
        systems,
        methods=[method],
        resample=resample,
        draws=Draws(resamples=60),
    )
    expected = build_and_correlate(x, y, documents, systems, draws(documents, systems, resample, 60, 0), method)
    for interval, r in zip(result["x", "y"][method], expected, strict=True):
        assert interval[:2] == pytest.approx(tuple(np.quantile(r, [0.025, 0.975])), abs=1e-6)


def test_systems_whose_means_differ_by_little() -> None:
    # s, t and u in a row of gaps below 1e-9: tied where all are drawn, s and u apart where t is not
    x = np.array([1, 1 + 0.8e-9, 1 + 1.6e-9, 2, 1, 1 + 0.8e-9, 1 + 1.6e-9, 2.5])
    y = np.array([1.0, 2, 4, 3, 1, 2, 5, 3])
    documents, systems = ["a"] * 4 + ["b"] * 4, list("stuv") * 2
    drawn = draws(documents, systems, "both", 80, 1)
    for method in ("spearman", "kendall"):
        result = correlation_intervals(
            {"x": x, "y": y}, [("x", "y")], documents, systems, methods=[method], resample="both",
            draws=Draws(resamples=80, seed=1, level=0.5),
        )  # fmt: skip
        r = build_and_correlate(x, y, documents, systems, drawn, method)[2]
        assert result["x", "y"][method].system[:2] == pytest.approx(tuple(np.quantile(r, [0.25, 0.75])))


def test_the_seed_makes_the_interval_and_all_pairs_share_the_draws() -> None:
    columns, *places = random_columns(2, 12, 4, 0)
    pairs = [("close", "rated"), ("rated", "close"), ("close", "close")]
    result = correlation_intervals(columns, pairs, *places, draws=Draws(resamples=50))
    assert result == correlation_intervals(columns, pairs, *places, draws=Draws(resamples=50))
    assert result != correlation_intervals(columns, pairs, *places, draws=Draws(resamples=50, seed=1))
    for interval, turned in zip(result[pairs[0]]["pearson"], result[pairs[1]]["pearson"], strict=True):
        assert interval[:2] == pytest.approx(turned[:2])
    assert {interval.reason for interval in result[pairs[2]]["pearson"]} == {SAME}


def test_the_order_of_cells_does_not_matter() -> None:
    columns, documents, systems = random_columns(3, 8, 4, 0.1)
    pairs = list(combinations(columns, 2))
    result = correlation_intervals(columns, pairs, documents, systems, methods=METHODS, draws=Draws(resamples=40))
    backwards = {name: values[::-1] for name, values in columns.items()}
    turned = correlation_intervals(
        backwards, pairs, documents[::-1], systems[::-1], methods=METHODS, draws=Draws(resamples=40)
    )
    assert turned == result


def test_each_level_draws_what_it_is_read_for() -> None:
    columns, *places = random_columns(4, 12, 5, 0.1)
    pair = ("close", "rated")

    def of(resample: Resample | None) -> dict[Method, LevelIntervals]:
        return correlation_intervals(
            columns, [pair], *places, methods=METHODS, resample=resample, draws=Draws(resamples=50)
        )[pair]

    result, documents, both = of(None), of("documents"), of("both")
    for method in METHODS:
        assert result[method] == documents[method]._replace(system=both[method].system)


@pytest.mark.simulation
def test_system_level_intervals_hold_for_new_systems() -> None:
    # 16 systems that differ: a metric knows .6 of people's opinion of a system, and of each of its summaries
    random, covered = np.random.default_rng(0), {None: 0, "documents": 0}
    places = [f"d{d}" for _ in range(16) for d in range(20)], [f"s{s}" for s in range(16) for _ in range(20)]
    for seed in range(100):
        systems, cells = random.normal(size=(16, 1)), random.normal(size=(16, 20))
        noise = random.normal(size=(16, 1)) + random.normal(size=(16, 20))
        columns = {"x": (0.6 * (systems + cells) + 0.8 * noise).ravel(), "y": (systems + cells).ravel()}
        for resample in covered:
            system = correlation_intervals(
                columns,
                [("x", "y")],
                *places,
                resample=resample,
                draws=Draws(resamples=200, seed=seed),  # type: ignore[arg-type]
            )["x", "y"]["pearson"].system
            assert system.low is not None
            assert system.high is not None
            covered[resample] += system.low <= 0.6 <= system.high
    assert covered[None] >= 86
    assert covered["documents"] <= 60


SAME = "no interval: all resamples have the same coefficient"
ONE_DOCUMENT = "fewer than 2 documents have both scores"
ONE_SYSTEM = "fewer than 2 systems have both scores"
ONE_COEFFICIENT = "fewer than 2 documents have a coefficient"
CONSTANT = "either side is constant"


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("x", "y", "documents", "systems", "resample", "reasons"),
    [
        ([], [], "", "", "documents", [ONE_DOCUMENT] * 3),
        ([], [], "", "", "systems", [ONE_SYSTEM] * 3),
        ([1, 2, 3], [1, 3, 2], "aaa", "stu", "documents", [ONE_DOCUMENT] * 3),
        ([1, 2, 3], [1, 3, 2], "aaa", "stu", "both", [ONE_DOCUMENT] * 3),
        ([1, 2, 3], [1, 3, 2], "aaa", "stu", "systems", [None] * 3),
        ([1, 2, 3], [1, 3, 2], "abc", "sss", "both", [ONE_SYSTEM] * 3),
        ([1, 2, 3], [1, 3, 2], "abc", "sss", "systems", [ONE_SYSTEM] * 3),
        ([1, 2, 3], [1, 3, 2], "abc", "sss", "documents", [None, ONE_COEFFICIENT, ONE_SYSTEM]),
        ([1, 2, 1, NAN], [1, 2, NAN, 1], "aabb", "stst", "documents", [ONE_DOCUMENT] * 3),
        ([NAN] * 4, [1, 2, 3, 4], "aabb", "stst", "documents", [ONE_DOCUMENT] * 3),
        (
            [0.3, 0.1 + 0.2, 0.3, 0.3], [1, 2, 3, 5], "aabb", "stst", "documents",
            [CONSTANT, ONE_COEFFICIENT, "no resample has a coefficient"],
        ),
        (
            [1, 1, 2, 2], [1, 2, 3, 5], "aabb", "stst", "systems",
            [None, "no document has a coefficient", "no resample has a coefficient"],
        ),
    ],
)  # fmt: skip
def test_what_has_no_interval(
    x: list[float],
    y: list[float],
    documents: str,
    systems: str,
    resample: Resample,
    reasons: list[str | None],
    method: Method,
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = correlation_intervals(
            {"x": x, "y": y},
            [("x", "y")],
            documents,
            systems,
            methods=[method],
            resample=resample,
            draws=Draws(resamples=30, seed=1),
        )
    for interval, reason in zip(result["x", "y"][method], reasons, strict=True):
        assert interval.reason == reason
        if reason is None:
            assert interval.low is not None
            assert interval.high is not None
            assert -1 <= interval.low <= interval.high <= 1.0000001
        else:
            assert interval == Interval(None, None, 0.95, 30, 1, reason)


def test_kendall_of_too_many_cells_is_not_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relevance.analysis.correlation.intervals, "KENDALL_CELLS", 27)
    columns, *places = random_columns(0, 7, 4, 0)
    pair = ("close", "far")
    result = correlation_intervals(
        columns, [pair], *places, methods=METHODS, resample="both", draws=Draws(resamples=10)
    )[pair]
    assert result["kendall"].global_ == Interval(None, None, 0.95, 10, 0, "not computed for more than 27 cells")
    levels = [result["pearson"].global_, result["spearman"].global_, *result["kendall"][1:]]
    assert all(interval.reason is None for interval in levels)
    columns["close"][0] = NAN
    result = correlation_intervals(
        columns, [pair], *places, methods=["kendall"], resample="both", draws=Draws(resamples=10)
    )[pair]
    assert result["kendall"].global_.reason is None


@pytest.mark.parametrize("resample", RESAMPLES)
def test_resamples_that_are_all_the_same_are_no_certainty(resample: Resample) -> None:
    # two systems, the one always ahead: every resample's correlation of systems is 1
    x, y = np.tile([1.0, 2.0], 9), np.tile([3.0, 5.0], 9)
    documents = np.repeat(np.arange(9), 2).tolist()
    result = correlation_intervals({"x": x, "y": y}, [("x", "y")], documents, ["s", "t"] * 9, resample=resample)
    for interval in result["x", "y"]["pearson"]:
        assert (interval.low, interval.high) == (None, None)
        assert interval.reason == SAME


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"methods": ["cosine"]}, "method must be one of pearson, spearman, kendall, not cosine"),
        ({"resample": "inputs"}, "resample must be one of documents, systems, both, not inputs"),
        ({"draws": Draws(level=95)}, "level must lie between 0 and 1, not 95"),
        ({"draws": Draws(resamples=0)}, "resamples must be at least 1, not 0"),
        ({"pairs": [("x", "z")]}, "no column is called z"),
        ({"documents": "a"}, "x 2, y 2, documents 1, systems 2"),
        ({"systems": "ss"}, "document a has more than one cell of system s"),
    ],
)
def test_unusable_input_is_refused(options: dict[str, object], message: str) -> None:
    given = {"pairs": [("x", "y")], "documents": "aa", "systems": "st", **options}
    with pytest.raises(ValueError, match=message):
        correlation_intervals({"x": [1, 2], "y": [2, 1]}, **given)  # type: ignore[arg-type]


def test_no_pairs_no_intervals() -> None:
    assert correlation_intervals({}, [], "ab", "st") == {}


SCORES = st.sampled_from([NAN, 0.0, 1.0, 0.1 + 0.2, 0.3]) | st.floats(-1e100, 1e100)
CELLS = st.dictionaries(
    st.tuples(st.sampled_from("abc"), st.sampled_from("stu")), st.tuples(SCORES, SCORES), max_size=9
)


@pytest.mark.simulation
@pytest.mark.parametrize("resample", RESAMPLES)
@given(cells=CELLS)
def test_an_interval_or_a_reason_and_never_a_warning(
    resample: Resample, cells: dict[tuple[str, str], tuple[float, float]]
) -> None:
    x, y = zip(*cells.values(), strict=True) if cells else ((), ())
    documents, systems = zip(*cells, strict=True) if cells else ((), ())
    columns, pairs = {"x": x, "y": y}, [("x", "y"), ("y", "x")]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = correlation_intervals(
            columns, pairs, documents, systems, methods=METHODS, resample=resample, draws=Draws(resamples=8)
        )
    for method in METHODS:
        for interval, turned in zip(result["x", "y"][method], result["y", "x"][method], strict=True):
            assert (interval.low is None) == (interval.high is None) == (interval.reason is not None)
            assert turned.reason == interval.reason
            if interval.low is not None:
                assert turned[:2] == pytest.approx(interval[:2], abs=1e-6)


def test_one_result_a_level() -> None:
    columns, *places = random_columns(0, 5, 3, 0)
    result = correlation_intervals(columns, [("close", "far")], *places, methods=METHODS, draws=Draws(resamples=5))
    assert list(result["close", "far"]) == list(METHODS)
    assert all(isinstance(levels, LevelIntervals) for levels in result["close", "far"].values())
