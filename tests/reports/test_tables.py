"""Results as tables: what stands in each cell, what is undefined and why, and what is said below."""

import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from relevance.analysis.agreement.planning import observe_metrics, pairs_for_interval, pairs_to_separate
from relevance.analysis.arrays import Draws
from relevance.analysis.correlation.permuted import Permutations
from relevance.analysis.metrics_and_people import (
    analyze_agreement,
    analyze_systems,
    compare_correlations,
    compare_with_rouge_k,
    correlate_columns,
    correlation_tables,
    human_ceiling,
)
from relevance.analysis.people.annotators import others_majority, summarize_annotators
from relevance.analysis.people.kappa import cohen_kappas
from relevance.analysis.people.position import position_check
from relevance.analysis.people.ranking import bradley_terry
from relevance.analysis.people.reliability import fleiss_kappa, krippendorff_alpha, raw_agreement
from relevance.analysis.ratio_intervals import Interval
from relevance.data.cells import Cells
from relevance.data.preferences import Preferences
from relevance.data.records import Document, Summary
from relevance.metrics.dataset_statistics import KeywordStatistics, Lengths
from relevance.metrics.keywords.extractors import ExtractorOverlap
from relevance.metrics.keywords.recall import by_length, by_source, search_keywords
from relevance.metrics.rouge_k import RougeK
from relevance.reports.tables.agreement import (
    agreement_table,
    comparison_table,
    difference_table,
    position_table,
    short_agreement_table,
)
from relevance.reports.tables.correlation import (
    correlation_table,
    correlation_test_table,
    discrepancy_table,
)
from relevance.reports.tables.keywords import (
    by_length_table,
    by_source_table,
    extractors_table,
    keyword_statistics_table,
    length_statistics_table,
    words_label,
)
from relevance.reports.tables.people import annotators_table, cohen_table, ranking_table, reliability_table
from relevance.reports.tables.planning import observed_table, plan_table
from relevance.reports.tables.systems import mean_table, spread_table, system_table, wilcoxon_table
from relevance.reports.tables.table import Cell, Marked, Range, Table, Undefined, interval, number_cell

NAN = math.nan
LENGTH = "length|unit:words"
# Four pairs, one a document, judged by two people: 1 for the first, -1 for the second summary, 0 a tie.
ANN, BOB = [1, 1, 1, 1], [1, -1, 1, 0]
M = [(0.9, 0.1), (0.9, 0.1), (0.1, 0.9), (0.5, 0.5)]  # prefers the first, the first, the second, neither
K = [(0.8, 0.2), (0.4, 0.6), (0.6, 0.5), (0.7, NAN)]  # the first, the second, the first, missing


def judged(
    choices: Sequence[Sequence[float]],
    scores: dict[str, list[tuple[float, float]]],
    inclusion: float | list[float] = NAN,
) -> Preferences:
    """Judgments of four pairs by Ann, Bob, ..., a row of `choices` each."""
    n = len(choices)
    return Preferences(
        documents=np.array([f"d{pair}" for pair in range(4)], dtype=object),
        firsts=np.array(["a"] * 4, dtype=object),
        seconds=np.array(["b"] * 4, dtype=object),
        inclusion=np.broadcast_to(np.array(inclusion, dtype=float), 4),
        scores={signature: np.array(values, dtype=float) for signature, values in scores.items()},
        pair=np.tile(np.arange(4), n),
        choices=np.array(choices, dtype=float).reshape(-1),
        annotators=np.repeat(np.array(["Ann", "Bob", "Cem"][:n], dtype=object), 4),
        left=np.where(np.array(choices).reshape(-1) == 0, NAN, np.array(choices).reshape(-1) > 0),
        took=np.full(4 * n, 2.5),
    )


BOTH = judged([ANN, BOB], {"m|x": M, "k|x": K, LENGTH: [(3, 3)] * 4})
NOBODY = judged([], {"m|x": M, "k|x": K})


def cells_of(section: Table, *columns: str) -> list[tuple[Cell, ...]]:
    return [tuple(row[column] for column in columns) for row in section.rows]


def how_made(over: str) -> str:
    return (
        "Intervals: 95%, Clopper and Pearson's, for as many independent pairs as would leave a ratio as unsure as the "
        f"{over} do (Korn and Graubard 1998)."
    )


TWO_PEOPLE = (
    "2 people judged, too few to speak of others, which takes 5: intervals and p values hold for other documents "
    "judged by the same people."
)


def reason(section: Table, row: int, column: str) -> str:
    cell = section.rows[row][column]
    assert isinstance(cell, Undefined)
    return cell.reason


# --- single cells ---------------------------------------------------------------------------------------------


def test_known_and_undefined() -> None:
    assert number_cell(0.0, "unused") == 0.0
    assert number_cell(None, "no pair") == Undefined("no pair")
    assert number_cell(None, None) == Undefined("nothing to count")
    assert interval(Interval(0.25, 0.75, 0.95, 10, 0)) == Range(0.25, 0.75)
    assert interval(Interval(None, None, 0.95, 10, 0, "one document")) == Undefined("one document")
    assert interval(Interval(None, None, 0.95, 10, 0)) == Undefined("no interval")


# --- agreement ------------------------------------------------------------------------------------------------


def test_agreement() -> None:
    analysis = analyze_agreement(BOTH, seed=7)
    section = agreement_table(analysis, "judgment")
    assert section.title == "Agreement of metrics with people, per judgment (1 human tie)"
    # Ann a a a a, Bob a b a =; m: C C D T, C D D; k: C D C and missing, C C C; length: T only
    assert cells_of(section, "metric", "n", "C", "D", "T", "missing", "half", "strict", "decided", "coverage") == [
        ("m", 7, 3, 3, 1, 0, 3.5 / 7, 3 / 7, 1 / 2, 6 / 7),
        ("k", 6, 5, 1, 0, 1, 5 / 6, 5 / 6, 5 / 6, 1.0),
        ("length", 7, 0, 0, 7, 0, 1 / 2, 0.0, Undefined("the metric decides no pair"), 0.0),
    ]
    assert cells_of(section, "signature") == [("m|x",), ("k|x",), (LENGTH,)]
    assert "truncated" not in section.rows[0]
    for table in (section, difference_table(analysis)):
        assert how_made("documents") in table.notes
        assert TWO_PEOPLE in table.notes
    for column in ("half", "strict", "decided", "coverage", "acc_eq"):
        for row in section.rows:
            ratio, ends = row[column], row[f"{column} 95 %"]
            if isinstance(ratio, float):
                assert isinstance(ends, Range)
                assert ends.low <= ratio <= ends.high
    assert not any("unequal probability" in note or "no row for length" in note for note in section.notes)


def test_agreement_names_the_rules_beside_their_ratios() -> None:
    notes = agreement_table(analyze_agreement(BOTH), "judgment").notes
    for rule, formula in {"Half": "(C + T/2) / n", "Strict": "C / n", "Decided": "C / (C + D)"}.items():
        assert any(note.startswith(f"{rule}: {formula}") for note in notes)


def test_people_are_the_last_row() -> None:
    others = others_majority(BOTH.pair, BOTH.annotators, BOTH.choices)
    section = agreement_table(analyze_agreement(BOTH), "judgment", ceiling=human_ceiling(BOTH, others))
    # Ann against Bob: C D C, his tie is a human tie; Bob against Ann: C D C T
    assert cells_of(section, "metric", "n", "C", "D", "T", "half")[-1] == ("people", 7, 4, 2, 1, 4.5 / 7)


def test_cut_texts_are_a_column_where_there_are_any() -> None:
    section = agreement_table(analyze_agreement(BOTH), "judgment", {"m|x": 3, "other|x": 9})
    assert cells_of(section, "metric", "truncated") == [("m", 3), ("k", 0), ("length", 0)]


@pytest.mark.parametrize(
    ("preferences", "note"),
    [
        (judged([ANN], {"m|x": M, LENGTH: M}, 0.5), "Pairs were drawn with unequal probability"),
        (judged([ANN], {"m|x": M}), "There is no row for length"),
        (judged([ANN], {}), "No metric has scores of these pairs."),
    ],
)
def test_what_is_said_below(preferences: Preferences, note: str) -> None:
    notes = agreement_table(analyze_agreement(preferences), "judgment").notes
    assert [result.startswith(note) for result in notes].count(True) == 1


@pytest.mark.parametrize("values", [1, 19])
def test_a_metric_with_hardly_a_value_has_counts_and_no_ratio(values: int) -> None:
    judgments = many(60, 3)
    judgments.scores["m1|x"][values:] = NAN
    analysis = analyze_agreement(judgments)
    table = agreement_table(analysis, "judgment")
    row = table.rows[1]
    assert (row["metric"], row["n"], row["missing"]) == ("m1", values, 120 - values)
    shares = [f"{ratio}{end}" for ratio in ("half", "strict", "decided", "coverage", "acc_eq") for end in ("", " 95 %")]
    assert {row[share] for share in shares} == {Undefined("the metric has values on too few pairs")}
    for item in (table, short_agreement_table(table, analysis, "half"), difference_table(analysis)):
        assert len([note for note in item.notes if f"m1 has values on {values} of 120, of " in note]) == 1
    assert {row["metric"] for row in difference_table(analysis).rows} == {"m0", "m2"}


def test_nobody_judged() -> None:
    analysis = analyze_agreement(NOBODY)
    section = agreement_table(analysis, "judgment")
    assert cells_of(section, "n", "C", "D", "T") == [(0, 0, 0, 0)] * 2
    assert {reason(section, 0, column) for column in ("half", "strict", "decided", "coverage")} == {
        "no pair that people decide has a value"
    }
    assert reason(section, 0, "half 95 %") == "fewer than 2 documents have pairs to count"
    assert "threshold" in reason(section, 0, "acc_eq")


# --- comparisons ----------------------------------------------------------------------------------------------


def test_one_pair_a_document_is_tested_exactly() -> None:
    # One annotator, four documents, a pair each: m C C D T, k C D C missing. On the first three: 2/3 against 2/3.
    section = comparison_table(analyze_agreement(judged([ANN], {"m|x": M, "k|x": K})))
    assert cells_of(section, "first", "second", "difference", "n", "documents", "p", "p (Holm)", "test") == [
        ("m", "k", 0.0, 3, 3, 1.0, 1.0, "exact McNemar")
    ]
    assert not any("flips, seed" in note for note in section.notes)  # none were drawn


def test_several_pairs_a_document_are_flipped_together() -> None:
    section = comparison_table(analyze_agreement(BOTH, seed=7))
    # m against k on the six judgments that both decide: 3/6 - 5/6
    assert cells_of(section, "first", "second", "difference", "n", "test")[0] == (
        "m", "k", pytest.approx(-2 / 6), 6, "sign-flip over documents"
    )  # fmt: skip
    assert TWO_PEOPLE in section.notes
    assert "All flips of the documents are counted, none is drawn." in section.notes


def many(documents: int, metrics: int) -> Preferences:
    """Ann prefers the first summary of each of two pairs a document, metrics either one."""
    size = 2 * documents
    random = np.random.default_rng(0)
    return Preferences(
        documents=np.array([f"d{number // 2}" for number in range(size)], dtype=object),
        firsts=np.array(["a"] * size, dtype=object),
        seconds=np.array(["b"] * size, dtype=object),
        inclusion=np.full(size, NAN),
        scores={f"m{metric}|x": random.uniform(size=(size, 2)) for metric in range(metrics)},
        pair=np.arange(size),
        choices=np.ones(size),
        annotators=np.array(["Ann"] * size, dtype=object),
        left=np.ones(size),
        took=np.full(size, 2.5),
    )


@pytest.mark.parametrize(
    ("documents", "metrics", "note"),
    [
        (20, 3, "10000 random flips, seed 7."),
        (20, 11, "22000 random flips, seed 7."),  # 20 * 55 / .05
        (11, 3, "All flips of the documents are counted, none is drawn."),
        (5, 2, "Nothing here can be significant at .05: that takes 6 documents or more, however large the difference."),
        (
            11,
            11,
            "Nothing here can be significant at .05: that takes 12 documents or more after Holm's correction over 55 "
            "comparisons, however large the difference.",
        ),
    ],
)
def test_what_flips_rest_on_and_can_show(documents: int, metrics: int, note: str) -> None:
    section = comparison_table(analyze_agreement(many(documents, metrics), seed=7))
    assert section.notes[-1] == note
    if documents > 12:
        assert not any("Nothing here" in note for note in section.notes)


def test_comparisons_that_are_undefined() -> None:
    section = comparison_table(analyze_agreement(NOBODY))
    assert cells_of(section, "test") == [("none",)]
    for column in ("difference", "p", "p (Holm)"):
        assert reason(section, 0, column) == "fewer than 2 pairs are scored by both"
    assert reason(section, 0, "p (Wilcoxon)") == "fewer than 2 documents have both values"
    alone = comparison_table(analyze_agreement(judged([ANN], {"m|x": M})))
    assert (alone.rows, alone.empty) == ([], "there are fewer than 2 metrics")


def test_by_difference() -> None:
    section = difference_table(analyze_agreement(judged([ANN], {"m|x": M, "k|x": K})))
    # m decides by .8 thrice, k by .6, .2 and .1: right, wrong and right
    assert [row[0] for row in cells_of(section, "metric")] == ["m", "k", "k", "k"]
    assert cells_of(section, "n", "decided") == [(3, 2 / 3), (1, 1.0), (1, 0.0), (1, 1.0)]
    assert [value for (value,) in cells_of(section, "from")] == pytest.approx([0.8, 0.1, 0.2, 0.6])


def test_position() -> None:
    # left: Ann 4 of 4, Bob 2 of 3; all 6 of 7
    section = position_table(position_check(BOTH.left, BOTH.annotators))
    assert cells_of(section, "annotator", "left", "n", "share") == [
        ("all annotators", 6, 7, 6 / 7),
        ("Ann", 4, 4, 1.0),
        ("Bob", 2, 3, 2 / 3),
    ]
    # two-sided: 2 * (1 + 7) / 2^7; 2 / 2^4; 1, of which Holm doubles the least of the annotators'
    assert cells_of(section, "p", "p (Holm)") == [
        (pytest.approx(0.125), pytest.approx(0.125)),
        (pytest.approx(0.125), pytest.approx(0.25)),
        (pytest.approx(1.0), pytest.approx(1.0)),
    ]
    nobody = position_table(position_check([], []))
    assert reason(nobody, 0, "share") == reason(nobody, 0, "95 %") == reason(nobody, 0, "p") == "no choice is decided"


# --- correlation and systems ------------------------------------------------------------------------------------

# three documents of two systems; `good` and `same` move together, `flat` does not move
COLUMNS = {
    "human": np.array([1.0, 2.0, 2.0, 4.0, 3.0, 5.0]),
    "good": np.array([2.0, 4.0, 4.0, 8.0, 6.0, 10.0]),
    "flat": np.ones(6),
    "none": np.full(6, NAN),
}
CELLS = Cells(("d0", "d0", "d1", "d1", "d2", "d2"), ("a", "b") * 3, {}, COLUMNS)


def test_correlation() -> None:
    rows = correlate_columns(
        CELLS, COLUMNS, [("human", "good"), ("human", "flat")], methods=["pearson"], draws=Draws(seed=7)
    )
    section = correlation_table("human", "Metrics with people", rows)
    assert (section.name, section.title) == ("human", "Metrics with people")
    assert cells_of(section, "first", "second", "coefficient", "summaries", "documents", "left out", "systems") == [
        ("human", "good", "pearson", 6, 3, 0, 2),
        ("human", "flat", "pearson", 6, 0, 3, 2),
    ]
    assert cells_of(section, "global", "input", "system")[0] == pytest.approx((1.0, 1.0, 1.0))
    for level in ("global", "input", "system"):
        assert "constant" in reason(section, 1, level)
        assert reason(section, 1, f"{level} 95 %") == reason(section, 1, level)
    assert section.notes[1:] == [
        "Intervals: 95%, percentile bootstrap over documents (global, input) and documents and systems (system), 2,000 "
        "resamples, seed 7.",
        "They hold for new documents, these systems (global, input); new systems and documents (system).",
        "There are 2 systems only: intervals that draw systems are too narrow (those of 3 systems hold the truth in "
        "83 of 100 studies, those of 2 in 48).",
    ]
    both = correlation_table("human", "x", rows, "both").notes
    assert "bootstrap over documents and systems, " in both[1]
    assert both[2] == "They hold for new systems and documents."
    documents = correlation_table("human", "x", rows, "documents").notes
    assert len(documents) == 3


def test_the_note_says_where_resamples_are_not_ranked_anew() -> None:
    (row,) = correlate_columns(CELLS, COLUMNS, [("human", "good")], methods=["spearman"])
    message = "resamples are not ranked anew"
    assert message not in " ".join(correlation_table("human", "x", [row]).notes)
    pooled = row.levels.global_._replace(n=50_001)
    many = row._replace(levels=row.levels._replace(global_=pooled))
    assert message in " ".join(correlation_table("human", "x", [many]).notes)
    assert message not in " ".join(correlation_table("human", "x", [many._replace(method="pearson")]).notes)
    assert message not in " ".join(correlation_table("human", "x", [many], "both").notes)


def test_correlations_of_nothing() -> None:
    section = correlation_table("matrix", "x", [])
    assert (section.rows, section.empty) == ([], "there are not the two columns of scores that it compares")


def test_correlation_tests() -> None:
    columns = {name: COLUMNS[name] for name in ("human", "good")} | {"bad": -COLUMNS["human"], "none": COLUMNS["none"]}
    correlations = compare_correlations(CELLS, columns, "human", permutations=Permutations(drawn=50, seed=7))
    section = correlation_test_table(correlations, "human")
    # r of 1 against r of -1
    assert cells_of(section, "first", "second", "level", "difference", "n")[:3] == [
        ("good", "bad", "global", pytest.approx(2.0), 6),
        ("good", "bad", "input", pytest.approx(2.0), 3),
        ("good", "bad", "system", pytest.approx(2.0), 2),
    ]
    assert all(isinstance(row[column], Undefined) for row in section.rows[3:6] for column in ("difference", "p"))
    assert cells_of(section, "test", "permutations", "holds for")[:3] == [
        ("Perm-Systems + Perm-Inputs", 50, "new systems and documents"),
        ("Perm-Inputs, exact", 8, "new documents, these systems"),
        ("Perm-Systems, exact", 2, "new systems, these documents"),
    ]
    assert any("draw them with seed 7" in note for note in section.notes)
    # one comparison has a p: three documents swap in 2^3 ways, two systems in 2^2, of which two leave constants
    assert section.notes[-3:] == [
        "No difference at the global level can be significant at 0.05: the smallest p that this test can give here is "
        "0.5. It takes 6 systems and documents.",
        "No difference at the input level can be significant at 0.05: the smallest p that this test can give here is "
        "0.25. It takes 6 documents.",
        "No difference at the system level can be significant at 0.05: the smallest p that this test can give here is "
        "1. It takes 6 systems.",
    ]
    nothing = compare_correlations(
        CELLS, {"human": columns["none"], "good": columns["good"], "bad": columns["bad"]}, "human"
    )
    notes = correlation_test_table(nothing, "human").notes
    assert not any("with seed" in note or "No difference" in note for note in notes)
    assert correlation_test_table([], "human").empty == "there are fewer than 2 metrics"


def test_more_comparisons_take_more_systems() -> None:
    random = np.random.default_rng(0)
    # eight metrics, 28 comparisons: the least p of k systems is 2 / 2^k, and .05 / 28 takes eleven of them
    for systems, possible in ((10, False), (11, True)):
        columns = {name: random.normal(size=systems * 20) for name in ("human", *"abcdefgh")}
        places = [f"d{n % 20}" for n in range(systems * 20)], [f"s{n // 20}" for n in range(systems * 20)]
        correlations = compare_correlations(Cells(*map(tuple, places), {}, columns), columns, "human")
        notes = correlation_test_table(correlations, "human").notes
        message = "after Holm's correction over 28 comparisons. It takes 11 systems, or fewer metrics."
        assert (message in notes[-1]) is not possible
        assert any("No difference at the system level" in note for note in notes) is not possible


def test_perm_both_is_said_to_take_everything_as_fixed() -> None:
    columns = {name: COLUMNS[name] for name in ("human", "good")} | {"bad": -COLUMNS["human"]}
    correlations = compare_correlations(CELLS, columns, "human", permutations=Permutations(permute="cells", drawn=50))
    section = correlation_test_table(correlations, "human")
    assert cells_of(section, "test", "holds for") == [("PERM-BOTH, exact", "these systems and documents")] * 3
    assert any("takes these systems and documents as fixed" in note for note in section.notes)


def test_systems(monkeypatch: pytest.MonkeyPatch) -> None:
    systems = analyze_systems(CELLS, {name: COLUMNS[name] for name in ("human", "none")})
    # human: a 1, 2, 3 and b 2, 4, 5: means 2 and 11/3, each 5/6 from their middle
    spread = spread_table(systems)
    assert cells_of(spread, "metric", "population standard deviation", "mean", "systems")[0] == (
        "human", pytest.approx(5 / 6), pytest.approx(17 / 6), 2
    )  # fmt: skip
    assert (
        reason(spread, 1, "population standard deviation")
        == reason(spread, 1, "mean")
        == "fewer than 2 systems have values"
    )
    means = system_table(systems)
    assert cells_of(means, "system", "human") == [("a", 2.0), ("b", pytest.approx(11 / 3))]
    assert reason(means, 0, "none") == "no summary of this system has a score"
    intervals = mean_table(systems)
    assert cells_of(intervals, "metric", "system", "mean", "documents")[:2] == [
        ("human", "a", 2.0, 3), ("human", "b", pytest.approx(11 / 3), 3)
    ]  # fmt: skip
    low, high = stats.t.interval(0.95, 2, 11 / 3, stats.sem([2, 4, 5]))
    assert intervals.rows[1]["95 %"] == Range(pytest.approx(low), pytest.approx(high))
    assert reason(intervals, 2, "mean") == "no document has a value"
    assert reason(intervals, 2, "95 %") == "fewer than 2 documents have a value"
    assert cells_of(mean_table(systems, "none"), "metric") == [("none",)] * 2
    tests = wilcoxon_table(systems)
    # three differences of one sign: 2 / 2^3
    assert cells_of(tests, "metric", "first", "second", "difference", "documents", "p", "p (Holm)")[0] == (
        "human", "a", "b", pytest.approx(-5 / 3), 3, pytest.approx(0.25), pytest.approx(0.25)
    )  # fmt: skip
    assert reason(tests, 1, "p") == reason(tests, 1, "difference")
    assert wilcoxon_table([]).empty == "there are fewer than 2 systems"
    assert len(tests.notes) == 1
    with monkeypatch.context() as patched:
        patched.setattr("relevance.reports.tables.systems.MOST_COMPARED", 1)
        assert (
            wilcoxon_table(systems).notes[1].startswith("2 systems make 1 pairs: only the 1 systems with the highest")
        )


def test_a_dagger_marks_who_beats_the_baselines() -> None:
    documents = tuple(f"d{n}" for n in range(8) for _ in "abc")
    better = np.array([value for n in range(8) for value in (n, n + 0.5 + n / 9, n - 1.0)])
    of = Cells(documents, tuple("abc" * 8), {}, {})
    means = system_table(analyze_systems(of, {"better": better, "flat": np.ones(24)}, ["a", "c"]))
    assert cells_of(means, "system", "better", "flat") == [
        ("a", 3.5, 1.0), ("b", Marked(pytest.approx(4 + 28 / 72), "†"), 1.0), ("c", 2.5, 1.0)
    ]  # fmt: skip
    (note,) = means.notes
    assert note.startswith(
        "†: beats each of a, c: a higher mean, and p below 0.05 by Wilcoxon's signed-rank test, two-"
    )
    assert system_table(analyze_systems(of, {"better": better})).notes == []


def test_discrepancies() -> None:
    of = Cells(("d",) * 3 + ("e",) * 3, tuple("abc" * 2), {}, {
        "rouge_k|1": np.array([1.0, 2, 3, 1, 2, 3]), "rouge1|1": np.array([1.0, 2, 2, 2, 1, 3])
    })  # fmt: skip
    result = discrepancy_table(compare_with_rouge_k(of, correlation_tables(of)))
    # d: ab and ac agree, bc is a tie; e: ab parts, the others agree
    assert cells_of(result, "first", "second", "share", "of decided", "part", "ties", "n", "documents") == [
        ("rouge_k", "rouge1", 1 / 6, 1 / 5, 1, 1, 6, 2)
    ]
    assert result.notes[-1].startswith("Intervals: 95%, Clopper and Pearson's")
    none = discrepancy_table([])
    assert (none.rows, none.empty) == ([], "the summaries are not scored by ROUGE-K and another metric")


def test_the_share_that_the_paper_gives(shared_data: Path) -> None:
    published = json.loads((shared_data / "published_tables.json").read_text())["rouge_k"]["discrepancy_percent"]
    assert f" {published} %" in discrepancy_table([]).notes[0]


def test_data_set() -> None:
    result = keyword_statistics_table(KeywordStatistics(2, 3.5, 0.0, None, 2))
    assert reason(result, 0, "words per keyword") == "no document has keywords"
    assert cells_of(result, "documents", "references per document", "keywords per document") == [(2, 3.5, 0.0)]
    lengths = length_statistics_table([Lengths("title", "words", 1, 8, None, 8, 8, 8, 8, 8)])
    assert reason(lengths, 0, "std") == "there is only one"
    assert length_statistics_table([]).empty == "there are no documents"


# --- reliability ------------------------------------------------------------------------------------------------


def reliability(preferences: Preferences) -> Table:
    pairs, choices = preferences.pair, preferences.choices
    return reliability_table(
        krippendorff_alpha(pairs, choices), fleiss_kappa(pairs, choices), raw_agreement(pairs, choices)
    )


def test_reliability() -> None:
    section = reliability(BOTH)
    # They agree on 2 of 4 pairs. Of 8 judgments 6 say the first, 1 the second, 1 a tie.
    # Chance: Fleiss (36 + 1 + 1) / 64 = 19/32, Krippendorff (6*5 + 0 + 0) / (8*7) = 15/28.
    assert cells_of(section, "coefficient", "value", "pairs") == [
        ("Krippendorff's alpha (nominal)", pytest.approx((1 / 2 - 15 / 28) / (13 / 28)), 4),
        ("Fleiss' kappa, pairs with 2 judgments", pytest.approx((1 / 2 - 19 / 32) / (13 / 32)), 4),
        ("raw agreement", 0.5, 4),
    ]
    assert section.notes[-1].startswith(how_made("documents"))
    assert reliability(NOBODY).rows[0]["coefficient"] == "Krippendorff's alpha (nominal)"
    assert reason(reliability(NOBODY), 1, "value") == "there are no judgments"


def test_cohen() -> None:
    section = cohen_table(cohen_kappas(BOTH.pair, BOTH.annotators, BOTH.choices))
    # Chance: Ann always says the first, Bob in 2 of 4: 1/2, as much as they agree
    assert cells_of(section, "first", "second", "kappa", "raw agreement", "n") == [
        ("Ann", "Bob", pytest.approx(0.0), 0.5, 4)
    ]
    assert cohen_table([]).empty == "no two annotators judged the same pair"


def test_annotators() -> None:
    section = annotators_table(
        summarize_annotators(BOTH.pair, BOTH.annotators, BOTH.choices, BOTH.left, BOTH.took, {"Bob": (1, 2)})
    )
    columns = ("annotator", "judgments", "median seconds", "ties", "chose left", "checks passed", "checks")
    assert cells_of(section, *columns) == [
        ("Ann", 4, 2.5, 0, 1.0, 0, 0),
        ("Bob", 4, 2.5, 1, 2 / 3, 1, 2),
    ]
    # decided by both: d0, d1, d2, of which they agree on two
    assert cells_of(section, "agrees with others", "of") == [(2 / 3, 3), (2 / 3, 3)]
    alone = judged([[0, 0, 0, 0]], {})
    section = annotators_table(
        summarize_annotators(alone.pair, alone.annotators, alone.choices, alone.left, alone.took, {})
    )
    assert isinstance(section.rows[0]["chose left"], Undefined)
    assert isinstance(section.rows[0]["agrees with others"], Undefined)


def test_ranking() -> None:
    ranking = bradley_terry(BOTH.first, BOTH.second, BOTH.choices, BOTH.document, draws=Draws(seed=7))
    section = ranking_table(ranking)
    assert cells_of(section, "system", "rank", "wins", "comparisons", "win share") == [
        ("a", 1, 6.5, 8, 6.5 / 8),
        ("b", 2, 1.5, 8, 1.5 / 8),
    ]
    assert "bootstrap over 4 documents, 2,000 resamples, seed 7." in section.notes[0]


@pytest.mark.parametrize(
    ("judgments", "column", "why"),
    [
        (("ac", "bd", [1, 1], "xy"), "strength", "systems in these groups were never compared"),
        (("ac", "bd", [1, 1], "xy"), "rank", "systems in these groups were never compared"),
        (("a", "b", [1], "x"), "95 %", "no intervals: fewer than 2 documents"),
        (("aa", "bb", [0, 0], "xy"), "strength", "all judgments are ties"),
        (("aa", "bb", [0, 0], "xy"), "rank", "all judgments are ties"),
        (("aa", "bb", [1, 1], "xy"), "95 %", "no intervals: some systems never lost"),
    ],
)
def test_rankings_that_are_undefined(judgments: tuple[str, str, list[int], str], column: str, why: str) -> None:
    section = ranking_table(bradley_terry(*judgments))
    assert reason(section, 0, column).startswith(why)
    assert any(note.startswith(why) for note in section.notes)


def test_a_ranking_of_nothing() -> None:
    section = ranking_table(bradley_terry([], [], [], []))
    assert (section.rows, section.empty) == ([], "there are no judgments")


# --- planning ---------------------------------------------------------------------------------------------------


def test_plan() -> None:
    section = plan_table(pairs_to_separate(0.61, 0.72, pairs_per_document=3, icc=0.5, judgments_per_pair=2))
    # 306 pairs, and documents that count as 3 / 2 each, are 204 or so: Student's t says 199
    assert section.rows == [
        {"pairs": 597, "judgments": 1194, "documents": 199, "independent pairs": 306, "design effect": 2.0}
    ]
    assert section.notes[0].startswith(
        "Planned for the test that will compare the two: sign-flip over documents, as documents give several pairs. "
        "With fewer than 6 documents it cannot reach alpha, however many pairs each gives. Power 80.1%: Student's t"
    )
    few = plan_table(pairs_to_separate(0.61, 0.72, phi=0.3, pairs_per_document=120))
    assert few.rows[0]["documents"] == 6
    assert "however many pairs each gives; that is why it takes so many. Power 89." in few.notes[0]
    assert few.notes[0].endswith("simulated studies, averaged over all signs of their documents.")
    alone = plan_table(pairs_to_separate(0.61, 0.72))
    assert "exact McNemar, as each document gives one pair" in alone.notes[0]
    assert alone.notes[0].endswith("Power 80.1%: exact power of the exact McNemar test.")
    many_pairs = plan_table(pairs_to_separate(0.5, 0.501))
    assert many_pairs.notes[0].endswith("Number of pairs by normal approximation of the exact McNemar test.")
    measured = plan_table(pairs_for_interval(0.5, 0.05, pairs_per_document=100))
    assert measured.rows[0]["documents"] == 10
    assert "There are at least 10 documents" in measured.notes[0]
    undefined = plan_table(pairs_to_separate(0.6, 0.6))
    assert reason(undefined, 0, "pairs") == "the two ratios are equal: no number of pairs separates them"
    assert len(undefined.notes) == 1


def test_observed() -> None:
    # right together once, each alone once, wrong together once: no correlation
    section = observed_table("m", "k", observe_metrics([1, 1, 0, 0], [1, 0, 1, 0], ["x", "x", "y", "y"]))
    columns = ("first", "second", "agreement of the first", "agreement of the second", "phi", "pairs per document", "n")
    assert cells_of(section, *columns) == [("m", "k", 0.5, 0.5, 0.0, 2.0, 4)]
    nothing = observed_table("m", "k", observe_metrics([], [], []))
    assert reason(nothing, 0, "phi") == reason(nothing, 0, "ICC") == "no pair is scored by both metrics"


# --- all of them ------------------------------------------------------------------------------------------------

ALL: dict[str, Callable[[Preferences], Table]] = {
    "agreement": lambda item: agreement_table(analyze_agreement(item), "judgment"),
    "comparisons": lambda item: comparison_table(analyze_agreement(item)),
    "by_difference": lambda item: difference_table(analyze_agreement(item)),
    "position": lambda item: position_table(position_check(item.left, item.annotators)),
    "reliability": reliability,
    "cohen": lambda item: cohen_table(cohen_kappas(item.pair, item.annotators, item.choices)),
    "ranking": lambda item: ranking_table(bradley_terry(item.first, item.second, item.choices, item.document)),
}


@pytest.mark.parametrize("preferences", [BOTH, NOBODY, judged([ANN], {}), judged([[0] * 4] * 2, {"m|x": M})])
@pytest.mark.parametrize("name", ALL)
def test_tables_hold_cells_in_the_same_columns_and_no_nan(name: str, preferences: Preferences) -> None:
    section = ALL[name](preferences)
    assert section.name == name
    assert section.rows or section.empty
    assert len({tuple(row) for row in section.rows}) <= 1
    for row in section.rows:
        for cell in row.values():
            assert type(cell) in {str, int, float, bool, Range, Undefined}, cell
            assert not any(isinstance(number, float) and math.isnan(number) for number in (cell, *ends(cell)))
            assert not isinstance(cell, Undefined) or cell.reason


# --- keywords ---------------------------------------------------------------------------------------------------

CATS = Document("d1", "A cat sat.", ("The cat ate mice.", "A cat hunts mice."), "Cats and mice")
# Both keywords, cat and mouse; the source has the first one only.
KEYWORDS = [
    (CATS, [Summary("d1", "good", "Mice fear a cat."), Summary("d1", "bad", "A cat.")]),
    (Document("d2", "A dog.", ("The dog.",)), [Summary("d2", "alone", "A dog.")]),
]


def test_keywords_by_source() -> None:
    result = by_source_table(by_source(search_keywords(KEYWORDS)))
    none = Undefined("no document has keywords")
    columns = ["system", "ROUGE-K", "words", "documents", "IN-SRC", "IN-SRC documents", "OUT-SRC", "OUT-SRC documents"]
    assert result.name == "keywords_by_source"
    assert result.rows == [
        dict(zip(columns, ["alone", none, 2, 0, none, 0, none, 0], strict=True)),
        dict(zip(columns, ["bad", 0.5, 2, 1, 1.0, 1, 0.0, 1], strict=True)),
        dict(zip(columns, ["good", 1.0, 4, 1, 1.0, 1, 1.0, 1], strict=True)),
    ]


def test_keywords_by_length() -> None:
    result = by_length_table(by_length(search_keywords(KEYWORDS, RougeK(keywords="textrank"))))
    # by TextRank: cat and mouse, both of them of one word
    assert result.name == "keywords_by_length"
    assert result.rows == [
        {"system": "alone", "words": 2, "1 word": Undefined("its documents have no such keyword"), "1 word: n": 0},
        {"system": "bad", "words": 2, "1 word": 0.5, "1 word: n": 1},
        {"system": "good", "words": 4, "1 word": 1.0, "1 word: n": 1},
    ]
    assert [words_label(words) for words in (1, 4, 10)] == ["1 word", "4 words", "10+ words"]


def test_tables_of_keywords_without_summaries_say_so() -> None:
    keywords = search_keywords([(CATS, [])])
    for section in (by_source_table(by_source(keywords)), by_length_table(by_length(keywords))):
        assert (section.rows, section.empty) == ([], "there is no summary, or no document has keywords")


def test_extractors_side_by_side() -> None:
    result = [ExtractorOverlap("overlap", "tfidf", 0.5, 3), ExtractorOverlap("overlap", "none", None, 0)]
    section = extractors_table(result, str.upper)
    assert [row["second"] for row in section.rows] == ["TFIDF", "NONE"]
    assert [row["same keywords"] for row in section.rows] == [0.5, Undefined("no document has keywords of both")]
    assert [row["documents"] for row in section.rows] == [3, 0]


def ends(cell: Cell) -> tuple[float, ...]:
    return tuple(cell) if isinstance(cell, Range) else ()
