import math
import warnings
from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from relevance.analysis.ratio_intervals import Interval
from relevance.analysis.significance import holm
from relevance.analysis.systems import (
    SystemComparison,
    SystemMean,
    SystemRuns,
    SystemSpread,
    combine_runs,
    compare_systems,
    distinguishability,
    find_beating,
    mean_interval,
    system_means,
)
from relevance.data.demo import FILE
from relevance.data.importers import read_documents
from relevance.data.records import make_examples
from relevance.metrics import make_metrics

NAN = math.nan

NO_INTERVAL = mean_interval([])


def test_means_of_systems() -> None:
    # t has no value of b and no cell of c; u has no value at all; v stands in for a label of another kind
    values = [1, 2, 6, 4, NAN, NAN, 0.5]
    documents = ["a", "b", "c", "a", "b", "a", "c"]
    systems = ["s", "s", "s", "t", "t", "u", 7]
    assert system_means(values, documents, systems) == [
        SystemMean(7, 0.5, 1, 2, mean_interval([0.5])),
        SystemMean("s", 3, 3, 0, mean_interval([1, 2, 6])),
        SystemMean("t", 4, 1, 2, mean_interval([4])),
        SystemMean("u", None, 0, 3, mean_interval([]), "no document has a value"),
    ]


def test_intervals_of_means() -> None:
    values = [0.1, 0.4, 0.35, 0.8]
    for level in (0.8, 0.95):
        result = mean_interval(values, level)
        assert (result.low, result.high) == pytest.approx(
            stats.t.interval(level, 3, np.mean(values), stats.sem(values))
        )
    assert mean_interval([1.0]).reason == "fewer than 2 documents have a value"
    alike = [1.0] * 8 + [1.0 + 1e-12, 2.0]
    assert mean_interval(alike) == Interval(None, None, 0.95, reason="90% of the documents have the same value")
    assert mean_interval([*alike, 3.0]).low is not None


@pytest.mark.simulation
@pytest.mark.parametrize("name", ["rouge1", "rouge_k"])
def test_intervals_contain_the_mean_as_often_as_is_said(name: str) -> None:
    """Documents are drawn from those of the demo corpus, whose systems' means are then the truth."""
    examples = [example for record in read_documents(FILE, "interchange") for example in make_examples(*record)]
    (made,) = make_metrics([name])
    values: dict[str, list[float | None]] = {example.system: [] for example in examples}
    for example, score in zip(examples, made.score(examples), strict=True):
        values[example.system].append(score.value)
    random = np.random.default_rng(1)
    for documents, least in ((24, 0.91), (100, 0.93)):
        inside = [
            result.low <= np.mean(of_system) <= result.high
            for of_system in values.values()
            for drawn in random.choice(of_system, size=(1000, documents))
            if (result := mean_interval(drawn)).low is not None
        ]
        assert least < np.mean(inside) < 0.97


def test_runs_over_seeds_are_one_system() -> None:
    # .40 and .42 and .47: mean .43, deviations -.03, -.01, .04, sqrt((.0009 + .0001 + .0016) / 3) = .029439
    runs = [SystemMean(f"bart#{n}", mean, 20 - n, n, NO_INTERVAL) for n, mean in ((1, 0.40), (2, 0.42), (10, 0.47))]
    [result] = combine_runs(runs)
    assert result[:2] == ("bart", pytest.approx(0.43))
    assert result.std == pytest.approx(0.029439, abs=1e-6)
    assert (result.runs, result.missing, result.n, result.reason) == (3, 0, 10, None)


def test_systems_of_one_run_and_of_none() -> None:
    first = "fewer than 2 runs have values"
    assert combine_runs(
        [
            SystemMean("lead", 0.3, 5, 0, NO_INTERVAL),
            SystemMean("gsum#1", 0.5, 4, 1, NO_INTERVAL),
            SystemMean("lead#0", 0.2, 5, 0, NO_INTERVAL),  # runs are counted from 1: no run's name
            SystemMean("gsum#2", None, 0, 5, NO_INTERVAL, "no document has a value"),
            SystemMean("mtl#1", None, 0, 5, NO_INTERVAL, "no document has a value"),
            SystemMean(7, 0.1, 5, 0, NO_INTERVAL),
        ]
    ) == [
        SystemRuns("lead", 0.3, None, 1, 0, 5, first),
        SystemRuns("gsum", 0.5, None, 1, 1, 4, first),
        SystemRuns("lead#0", 0.2, None, 1, 0, 5, first),
        SystemRuns("mtl", None, None, 0, 1, 0, "no document has a value"),
        SystemRuns(7, 0.1, None, 1, 0, 5, first),
    ]
    assert combine_runs([]) == []


def test_systems_stand_by_the_numbers_in_their_names() -> None:
    values, documents, systems = [1, 2, 3, 4], ["a", "a", "b", "b"], ["M10", "M2", "M10", "M2"]
    assert [system_mean.system for system_mean in system_means(values, documents, systems)] == ["M2", "M10"]
    [result] = compare_systems(values, documents, systems)
    assert (result.first, result.second, result.difference) == ("M2", "M10", 1)


def test_no_cells_no_systems() -> None:
    assert system_means([], [], []) == []
    assert compare_systems([], [], []) == []


@pytest.mark.parametrize(
    ("values", "systems", "expected"),
    [
        # means 1, 3 and 5 around 3: sqrt((4 + 0 + 4) / 3), the population's as in the ROUGE-K paper's Table 8
        ([0, 2, 3, NAN, 5, 5], "ssttuu", SystemSpread(math.sqrt(8 / 3), 3, 3)),
        # 2 4 4 4 5 5 7 9 around 5: 9 + 1 + 1 + 1 + 0 + 0 + 4 + 16 = 32, over 8 systems 4 (over 7 it would be 2.138)
        ([2, 4, 4, 4, 5, 5, 7, 9], "stuvwxyz", SystemSpread(2, 5, 8)),
        ([0, 2, NAN], "sst", SystemSpread(None, 1, 1, "fewer than 2 systems have values")),
        ([NAN], "s", SystemSpread(None, None, 0, "fewer than 2 systems have values")),
        ([], "", SystemSpread(None, None, 0, "fewer than 2 systems have values")),
    ],
)
def test_spread_of_systems(values: list[float], systems: str, expected: SystemSpread) -> None:
    assert distinguishability(values, systems) == expected


@pytest.mark.parametrize("size", [14, 40, 120])
def test_comparisons_are_those_of_scipy_on_shared_documents(size: int) -> None:
    random = np.random.default_rng(size)
    table = random.normal(size=(3, size)) + np.array([[0], [0.2], [0.6]])
    table[0, 1] = table[2, 3] = NAN
    documents, systems = np.tile(np.arange(size), 3), np.repeat(["s", "t", "u"], size)
    order = random.permutation(3 * size)
    result = compare_systems(table.ravel()[order], documents[order], systems[order])
    assert [row[:2] for row in result] == [("s", "t"), ("s", "u"), ("t", "u")]
    for row in result:
        first, second = table["stu".index(str(row.first))], table["stu".index(str(row.second))]
        shared = ~np.isnan(first - second)
        assert row.n == shared.sum()
        assert row.difference == pytest.approx(first[shared].mean() - second[shared].mean())
        assert row.p == pytest.approx(stats.wilcoxon(first[shared], second[shared]).pvalue)
    assert [row.p_holm for row in result] == holm([row.p for row in result])


def test_systems_that_cannot_be_compared() -> None:
    # s and t are alike; u shares one document with them; the one p left is not adjusted
    values = [1, 2, 3, 1, 2, 3, 5, 7, 8]
    documents, systems = "abcabccab", "ssstttuvv"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        by_name = {row[:2]: row for row in compare_systems(values, documents, systems)}
    alone = "fewer than 2 documents have both values"
    assert by_name["s", "t"] == SystemComparison("s", "t", 0, 3, None, None, "the two differ in no document")
    assert by_name["s", "u"] == SystemComparison("s", "u", -2, 1, None, None, alone)
    assert by_name["u", "v"] == SystemComparison("u", "v", None, 0, None, None, alone)
    # differences of -6 and -6: 2 of 4 signs are as far off
    assert by_name["s", "v"] == SystemComparison("s", "v", -6, 2, 0.5, 1)


@pytest.mark.parametrize("function", [system_means, compare_systems])
@pytest.mark.parametrize(
    ("values", "documents", "systems", "message"),
    [
        ([1, 2, 3], "aba", "sss", "document a has more than one value of system s"),
        ([1, 2], "ab", "s", "values 2, documents 2, systems 1"),
        ([1, math.inf], "ab", "ss", "values holds a number that is infinite"),
    ],
)
def test_unusable_cells_are_refused(
    function: Callable[..., object], values: list[float], documents: str, systems: str, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        function(values, documents, systems)


def test_spread_of_columns_of_different_lengths_is_refused() -> None:
    with pytest.raises(ValueError, match="values 2, systems 1"):
        distinguishability([1, 2], "s")


# --- baselines ------------------------------------------------------------------------------------------------


def cells_of(rows: dict[str, list[float]]) -> tuple[list[float], list[int], list[str]]:
    """Values, documents and systems of a table of systems."""
    flat = [(value, document, system) for system, row in rows.items() for document, value in enumerate(row)]
    values, documents, systems = zip(*flat, strict=True)
    return list(values), list(documents), list(systems)


BASE = [0.1 * n for n in range(6)]


@pytest.mark.parametrize(
    ("system", "beats"),
    [
        ([x + 0.1 + x / 9 for x in BASE], True),  # six of six, all different: p = 2 / 2^6 = .031
        ([x + 0.1 + x / 9 for x in BASE[:5]] + [NAN], False),  # five of five: 2 / 2^5 = .0625
        ([x - 0.1 - x / 9 for x in BASE], False),  # p is the same, and the baseline is better
        (BASE, False),  # they differ nowhere
        ([NAN] * 6, False),
    ],
)
def test_a_system_beats_a_baseline(system: list[float], beats: bool) -> None:
    table = cells_of({"base": BASE, "new": system})
    assert find_beating(*table, ["base"]) == (["new"] if beats else [])
    assert find_beating(*table, []) == []


def test_all_baselines_are_to_be_beaten() -> None:
    lower, higher = BASE, [x + 1 + x / 7 for x in BASE]
    table = cells_of({"lead": lower, "lexrank": higher, "best": [x + 3 + x for x in BASE]})
    assert find_beating(*table, ["lead"]) == ["best", "lexrank"]
    assert find_beating(*table, ["lead", "lexrank"]) == ["best"]
    with pytest.raises(ValueError, match="there is no value of the baseline random"):
        find_beating(*table, ["lead", "random"])


def test_a_few_large_gains_do_not_beat() -> None:
    """The mean is higher, and the ranks say that it is lower: scipy's p alone would take the one for the other."""
    differences = [-0.01 - 0.001 * n for n in range(30)] + [9.0, 8.0]
    table = cells_of({"base": [0.0] * 32, "new": differences})
    assert compare_systems(*table)[0].p < 0.05  # type: ignore[operator]
    assert np.mean(differences) > 0
    assert find_beating(*table, ["base"]) == []


@pytest.mark.simulation
@pytest.mark.parametrize("baselines", [1, 3])
def test_who_beats_no_baseline_is_seldom_marked(baselines: int) -> None:
    """Level where nothing differs, 40 documents with effects of their own: .025 is half of the two-sided .05."""
    random, marked, trials = np.random.default_rng(5), 0, 400
    names = [f"base {n}" for n in range(baselines)]
    for _ in range(trials):
        drawn = random.normal(size=40) + random.normal(size=(baselines + 1, 40))
        table = cells_of(dict(zip(["new", *names], drawn.tolist(), strict=True)))
        marked += bool(find_beating(*table, names))
    # by the binomial distribution, .025 of 400 is 19 or fewer in 99.7 of 100 such tests
    assert marked <= 19
    assert marked >= 2 if baselines == 1 else marked <= 8


def test_of_many_systems_those_with_the_highest_means_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    values = [1, 2, 5, 6, NAN, NAN, 3, 4, 7, 8]
    documents, systems = ["a", "b"] * 5, [name for name in "stuvw" for _ in "ab"]
    assert len(compare_systems(values, documents, systems)) == 10
    monkeypatch.setattr("relevance.analysis.systems.MOST_COMPARED", 3)
    result = compare_systems(values, documents, systems)
    assert [row[:3] for row in result] == [("t", "v", 2), ("t", "w", -2), ("v", "w", -4)]
    assert result[0].p_holm == 1
