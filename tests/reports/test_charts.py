"""Charts: what is drawn of which rows, also of none, and that every chart can be drawn as a picture."""

import io
import json
import math
import xml.etree.ElementTree as ET
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from relevance.analysis.arrays import Draws
from relevance.analysis.metrics_and_people import (
    AgreementAnalysis,
    CorrelationRow,
    analyze_agreement,
    correlate_columns,
)
from relevance.analysis.people.ranking import bradley_terry
from relevance.data.cells import Cells
from relevance.data.one_line import in_one_line
from relevance.data.preferences import rated_pairs
from relevance.metrics.keywords.recall import LengthRecall, Mean
from relevance.reports import agreement_charts, charts, correlation_charts
from relevance.reports.sides_chart import sides_chart

NAN = math.nan
# four documents of two systems; a is better by one point in three of them, in d3 nobody says which is
GOOD = {"a": [2.0, 2.0, 2.0, 1.0], "b": [1.0, 1.0, 1.0, 1.0]}
SCORES = {
    "m|1": {"a": [0.9, 0.8, 0.1, 0.5], "b": [0.1, 0.2, 0.9, 0.4]},  # right, right, wrong
    "k|1": {"a": [0.5, 0.5, 0.9, 0.5], "b": [0.5, 0.5, 0.1, 0.4]},  # neither, neither, right
    "none|1": {"a": [NAN] * 4, "b": [NAN] * 4},
}


def column(values: dict[str, list[float]]) -> np.ndarray:
    return np.array([number for pair in zip(values["a"], values["b"], strict=True) for number in pair])


CELLS = Cells(
    documents=tuple(f"d{n}" for n in range(4) for _ in "ab"),
    systems=tuple("ab" * 4),
    ratings={"relevance": column(GOOD)},
    scores={signature: column(values) for signature, values in SCORES.items()},
)


def analysis_of(cells: Cells) -> AgreementAnalysis:
    return analyze_agreement(rated_pairs(cells, "relevance"))


@pytest.fixture(scope="module")
def analysis() -> AgreementAnalysis:
    return analysis_of(CELLS)


@pytest.fixture(scope="module")
def nothing() -> AgreementAnalysis:
    """No metric at all."""
    return analysis_of(Cells((), (), {}, {}))


def correlations(pairs: list[tuple[str, str]]) -> list[CorrelationRow]:
    columns = {"relevance": column(GOOD), **{name.split("|")[0]: column(values) for name, values in SCORES.items()}}
    return correlate_columns(CELLS, columns, pairs, methods=["pearson"], draws=Draws(resamples=50))


def rows_of(chart: Any, *columns: str) -> list[tuple[Any, ...]]:
    """The rows of a chart's largest table, by the columns; the specification is checked against the schema."""
    result = chart.to_dict(validate=True)
    json.dumps(result, allow_nan=False)
    tables = [rows for rows in result["datasets"].values() if not rows or {*columns} <= {*rows[0]}]
    return [tuple(row[column] for column in columns) for row in max(tables, key=len)]


def drawn(chart: Any) -> ET.Element:
    """The chart as a picture, read as XML."""
    picture = io.StringIO()
    chart.properties(width=300).save(picture, format="svg")
    return ET.fromstring(picture.getvalue())


def words_of(picture: ET.Element) -> set[str]:
    return {
        text for element in picture.iter() if element.tag.endswith("}text") and (text := "".join(element.itertext()))
    }


def marks_of(picture: ET.Element, kind: str) -> int:
    """How many marks of a kind a picture has, such as points."""
    return sum(element.get("aria-roledescription") == kind for element in picture.iter())


# --- what is drawn --------------------------------------------------------------------------------------------


def test_agreement(analysis: AgreementAnalysis) -> None:
    # m: C C D of 3, k: T T C; the third has no value and no point
    chart = agreement_charts.agreement_chart(analysis.rows, "half")
    assert rows_of(chart, "metric", "agreement", "n") == [("m", 2 / 3, 3), ("k", 2 / 3, 3)]
    assert rows_of(agreement_charts.agreement_chart(analysis.rows, "strict"), "agreement") == [(2 / 3,), (1 / 3,)]
    assert rows_of(agreement_charts.agreement_chart(analysis.rows, "decided"), "agreement") == [(1.0,), (2 / 3,)]
    interval = analysis.rows[0].evaluation.intervals.half
    assert rows_of(chart, "low", "high")[0] == (interval.low, interval.high)
    picture = drawn(chart)
    assert marks_of(picture, "point") == 2
    assert {"m", "k", "agreement with people"} <= words_of(picture)
    assert "people among themselves" not in words_of(picture)
    with_people = drawn(agreement_charts.agreement_chart(analysis.rows, "half", 0.75))
    assert {"chance", "people among themselves"} <= words_of(with_people)
    # the highest agreement is at the top, and the axis shows what there is
    assert rows_of(agreement_charts.agreement_chart(analysis.rows, "decided"), "metric") == [("k",), ("m",)]


def test_metrics_behind_the_best_are_told_from_it(analysis: AgreementAnalysis) -> None:
    tied = agreement_charts.agreement_chart(analysis.rows, "decided", rivals=["m"])
    assert rows_of(tied, "standing") == [(charts.LEADING,), (charts.LEADING,)]
    assert charts.BEHIND not in words_of(drawn(tied))
    behind = agreement_charts.agreement_chart(analysis.rows, "decided", rivals=[])
    assert rows_of(behind, "standing") == [(charts.LEADING,), (charts.BEHIND,)]
    assert {charts.LEADING, charts.BEHIND} <= words_of(drawn(behind))


def test_comparison(analysis: AgreementAnalysis) -> None:
    chart = agreement_charts.comparison_chart(analysis)
    # both earn 2/3 by the rule half; either way round, and none with the metric that has no values
    assert rows_of(chart, "first", "second", "difference", "n") == [("m", "k", 0.0, 3), ("k", "m", 0.0, 3)]
    assert rows_of(chart, "label", "tested") == [("+0.000", "p 1.000"), ("+0.000", "p 1.000")]
    assert {"+0.000", "p 1.000"} <= words_of(drawn(chart))


def test_a_significant_difference_is_starred(analysis: AgreementAnalysis) -> None:
    [results] = [row for row in analysis.comparisons if (row.first, row.second) == ("m", "k")]
    for p, tested in [(0.00001, "p < .001 *"), (0.049, "p .049 *"), (0.05, "p .050"), (None, "")]:
        changed = analysis._replace(comparisons=(results._replace(difference=0.25, p_holm=p),))
        labels = rows_of(agreement_charts.comparison_chart(changed), "label", "tested")
        assert labels == [("+0.250", tested), ("-0.250", tested)]


def test_only_some_comparisons_are_tested(analysis: AgreementAnalysis) -> None:
    [results] = [row for row in analysis.comparisons if (row.first, row.second) == ("m", "k")]
    tested = results._replace(difference=0.25, p_holm=0.01)
    untested = results._replace(second="other", difference=0.5, p_holm=None)
    chart = agreement_charts.comparison_chart(analysis._replace(comparisons=(tested, untested)))
    labels = [("+0.250", "p .010 *"), ("-0.250", "p .010 *"), ("+0.500", ""), ("-0.500", "")]
    assert rows_of(chart, "label", "tested") == labels


def test_sides() -> None:
    names = ["m", "k\nl", "n"]
    chart = sides_chart(pd.DataFrame([[0, 3, 1_200], [4, 0, 0], [5, 6, 0]], index=names, columns=names))
    assert rows_of(chart, "right", "wrong", "pairs") == [
        *(("m", "k l", 3), ("m", "n", 1200)),
        *(("k l", "m", 4), ("k l", "n", 0)),
        *(("n", "m", 5), ("n", "k l", 6)),
    ]
    assert {"3", "1,200", "4", "0", "5", "6", "k l"} <= words_of(drawn(chart))


def test_difference(analysis: AgreementAnalysis) -> None:
    chart = agreement_charts.difference_chart(analysis.rows)
    # m is decided thrice, by .6, .8 and .8 apart; k once
    assert rows_of(chart, "metric", "part", "n", "decided") == [("m", 1, 1, 1.0), ("m", 2, 2, 0.5), ("k", 1, 1, 1.0)]
    assert [tuple(round(end, 9) for end in ends) for ends in rows_of(chart, "from", "to")] == [
        (0.6, 0.6),
        (0.8, 0.8),
        (0.8, 0.8),
    ]
    picture = drawn(chart)
    assert marks_of(picture, "point") == 3
    assert marks_of(picture, "legend") == 1  # of colours and shapes at once


def test_correlation_heatmap() -> None:
    rows = correlations([("m", "k"), ("m", "none")])
    chart = correlation_charts.correlation_heatmap(rows, "global")
    r = rows[0].levels.global_.r
    assert r is not None
    assert rows_of(chart, "x", "y", "r", "n") == [("m", "k", r, 8), ("k", "m", r, 8)]
    assert {"m", "k", f"{r:.2f}"} <= words_of(drawn(chart))
    assert rows_of(correlation_charts.correlation_heatmap(rows, "system"), "n") == [(2,), (2,)]


def test_correlation_with_one_other() -> None:
    rows = correlations([("relevance", "m"), ("relevance", "none"), ("k", "relevance")])
    chart = correlation_charts.correlation_chart(rows, "global", "relevance")
    first, _, third = (row.levels.global_ for row in rows)
    assert first.r < third.r
    assert rows_of(chart, "metric", "r", "n") == [("k", third.r, 8), ("m", first.r, 8)]  # the highest first
    assert "correlation with relevance (pooled)" in words_of(drawn(chart))


@pytest.mark.parametrize(("systems", "legend"), [(8, True), (9, False)])
def test_scatter(systems: int, legend: bool) -> None:
    table = pd.DataFrame(
        {"document": "d", "system": [f"s{n}" for n in range(systems)], "x": range(systems), "y": range(systems)}
    )
    chart = correlation_charts.scatter(table, "ROUGE", "relevance")
    assert rows_of(chart, "system", "x", "y") == [(f"s{n}", n, n) for n in range(systems)]
    picture = drawn(chart)
    assert marks_of(picture, "point") == systems
    assert {"ROUGE", "relevance"} <= words_of(picture)
    assert ("s0" in words_of(picture)) is legend  # so many colours that nobody could tell them apart say nothing


def test_the_legend_counts_the_numbers_in_names() -> None:
    table = pd.DataFrame({"document": "d", "system": ["M10", "M2", "M1"], "x": [1, 2, 3], "y": [1, 2, 3]})
    spec = correlation_charts.scatter(table, "ROUGE", "relevance").to_dict()
    assert spec["layer"][0]["encoding"]["color"]["sort"] == ["M1", "M2", "M10"]


def test_points_that_share_a_rating_are_drawn_apart_and_told_as_they_are() -> None:
    ratings = [1.0, 2.0] * 10
    table = pd.DataFrame({"document": "d", "system": "s", "x": ratings, "y": range(20)})
    chart = correlation_charts.scatter(table, "relevance", "ROUGE-1", r=0.25)
    assert rows_of(chart, "x") == [(value,) for value in ratings]
    across = [value for (value,) in rows_of(chart, "across")]
    assert len(set(across)) == 20
    assert all(abs(drawn_at - value) <= 1 / 3 for drawn_at, value in zip(across, ratings, strict=True))
    assert 1 <= min(across) < max(across) <= 2  # a share of judgments won is at most 1
    assert rows_of(chart, "up") == [(value,) for value in range(20)]  # nobody shares these
    assert "r = 0.250" in words_of(drawn(chart))


def test_ranking() -> None:
    result = bradley_terry("aab", "bcc", [1, 1, 1], ["d0", "d1", "d2"], draws=Draws(resamples=50))
    chart = charts.ranking_chart(result)
    assert rows_of(chart, "system", "comparisons") == [("a", 2), ("b", 2), ("c", 2)]
    assert rows_of(chart, "strength", "low", "high") == [(row.strength, row.low, row.high) for row in result.rows]
    assert marks_of(drawn(chart), "point") == 3


def test_a_ranking_without_intervals_has_points() -> None:
    result = bradley_terry("a", "b", [1], ["d"], draws=Draws(resamples=50))
    picture = drawn(charts.ranking_chart(result))
    assert marks_of(picture, "point") == 2
    assert marks_of(picture, "rule mark") == 1  # that of even strengths


def recalls(systems: int) -> list[LengthRecall]:
    """Keywords of one word and of ten and more; the first system has none of the latter."""
    none = Mean(None, 0, "its documents have no such keyword")
    of_one = [LengthRecall(f"s{n}", 1, Mean(n / 20, 5), 9, 20) for n in range(systems)]
    return [*of_one, *(LengthRecall(f"s{n}", 10, Mean(n / 40, 3) if n else none, 4, 20) for n in range(systems))]


@pytest.mark.parametrize("systems", [2, charts.TOLD_APART, charts.TOLD_APART + 1])
def test_recall_by_length(systems: int) -> None:
    chart = charts.recall_by_length_chart(recalls(systems))
    rows = rows_of(chart, "system", "length", "ROUGE-K", "documents", "keywords")
    assert len(rows) == 2 * systems - 1
    assert rows[1] == ("s1", "1 word", 0.05, 5, 9)
    assert rows[-1] == (f"s{systems - 1}", "10+ words", (systems - 1) / 40, 3, 4)
    picture = drawn(chart)
    assert {"1 word", "10+ words"} <= words_of(picture)
    assert marks_of(picture, "point") == 2 * systems - 1
    # Each system has its colour and shape under one legend, or none has where there are too many.
    assert ("s1" in words_of(picture)) == (systems <= charts.TOLD_APART)
    assert len([text for text in words_of(picture) if text == "system"]) <= 1


def test_the_name_of_a_system_is_drawn_in_one_line() -> None:
    (row,) = rows_of(charts.recall_by_length_chart([LengthRecall("a\r\nb", 1, Mean(0.5, 1), 1, 20)]), "system")
    assert row == (in_one_line("a\r\nb"),) == ("a b",)


# --- nothing to draw, and hostile names -------------------------------------------------------------------------

EMPTY: dict[str, Callable[[AgreementAnalysis], Any]] = {
    "agreement": lambda analysis: agreement_charts.agreement_chart(analysis.rows, "half"),
    "agreement with people": lambda analysis: agreement_charts.agreement_chart(analysis.rows, "half", 0.75),
    "comparison": agreement_charts.comparison_chart,
    "difference": lambda analysis: agreement_charts.difference_chart(analysis.rows),
    "sides": lambda _: sides_chart(pd.DataFrame()),
    "heatmap": lambda _: correlation_charts.correlation_heatmap([], "input"),
    "correlation": lambda _: correlation_charts.correlation_chart([], "input", "length"),
    "scatter": lambda _: correlation_charts.scatter(pd.DataFrame(columns=["document", "system", "x", "y"]), "x", "y"),
    "ranking": lambda _: charts.ranking_chart(bradley_terry([], [], [], [])),
    "recall by length": lambda _: charts.recall_by_length_chart([]),
}


@pytest.mark.parametrize("chart", EMPTY)
def test_charts_of_nothing_are_drawn(nothing: AgreementAnalysis, chart: str) -> None:
    picture = drawn(EMPTY[chart](nothing))
    assert picture.tag == "{http://www.w3.org/2000/svg}svg"
    assert marks_of(picture, "point") == 0


def test_metrics_without_a_value_are_drawn_as_nothing(analysis: AgreementAnalysis) -> None:
    without = [row for row in analysis.rows if row.metric == "none"]
    assert marks_of(drawn(agreement_charts.agreement_chart(without, "half")), "point") == 0
    assert marks_of(drawn(agreement_charts.difference_chart(without)), "point") == 0


@pytest.mark.parametrize(
    "name", ["<script>alert(1)</script>", "a & b", "datum.x'\"", "</text></svg>", "null", "1e5", "x.y[0]", "é ß 漢字"]
)
def test_names_are_only_text(name: str) -> None:
    result = bradley_terry([name], ["other"], [1], ["d"], draws=Draws(resamples=50))
    chart = charts.ranking_chart(result)
    assert rows_of(chart, "system") == [(name,), ("other",)]
    picture = drawn(chart)
    assert {name, "other"} <= words_of(picture)
    assert {element.tag.rsplit("}", 1)[1] for element in picture.iter()} <= {"svg", "g", "rect", "path", "line", "text"}
