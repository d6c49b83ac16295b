"""Analyses of SummEval give the reference table, to four decimals; and what else pages and commands ask for."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from relevance.analysis.agreement.counts import credit_pairs
from relevance.analysis.agreement.planning import observe_metrics, pairs_to_separate
from relevance.analysis.arrays import Draws
from relevance.analysis.correlation.comparison import permutation_tests
from relevance.analysis.correlation.permuted import Permutations
from relevance.analysis.correlation.williams import williams
from relevance.analysis.metrics_and_people import (
    analyze_agreement,
    analyze_systems,
    common_ground,
    compare_correlations,
    contradictions,
    correlate_columns,
    correlation_tables,
    human_ceiling,
)
from relevance.analysis.significance import exact_mcnemar, holm, sign_flips
from relevance.data.cells import Cells
from relevance.data.importers import read_documents
from relevance.data.preferences import Preferences, rated_pairs
from relevance.data.records import Document, Summary
from relevance.data.signatures import labels
from relevance.metrics import make_metrics
from relevance.metrics.scoring import NoRatings, check_ratings, score_cells, with_length

NAN = math.nan

# ../shared/data/README.md: made with public libraries only, against the first reference.
REFERENCE = {
    "rouge1": (0.3373, 0.2804, 0.1970, 0.6135, 6086, 3919, 138, 0.6000, 0.6068),
    "rouge2": (0.2470, 0.2257, 0.1389, 0.6397, 5750, 4220, 173, 0.5669, 0.5754),
    "rougeL": (0.2642, 0.2092, 0.1411, 0.6084, 5782, 4236, 125, 0.5700, 0.5762),
    "length": (0.2599, 0.1432, 0.1025, 0.2402, 5515, 4387, 241, 0.5437, 0.5556),
}


@pytest.fixture(scope="module")
def summeval(shared_data: Path) -> Cells:
    records = list(read_documents(shared_data / "summeval.jsonl", "interchange"))
    chosen = with_length(make_metrics(["rouge1", "rouge2", "rougeL"], references="first"))
    cells, gaps = score_cells(records, chosen)
    assert {gap.missing for gap in gaps.values()} == {0}
    return cells


def test_the_reference_table(summeval: Cells) -> None:
    analysis = analyze_agreement(rated_pairs(summeval, "relevance"))
    laid = correlation_tables(summeval, "relevance")
    result = correlate_columns(
        summeval, laid.columns, laid.human, methods=["pearson", "kendall"], draws=Draws(resamples=50)
    )
    pearson, kendall = (
        {row.second: row.levels for row in result if row.method == name} for name in ("pearson", "kendall")
    )
    assert [row.metric for row in analysis.rows] == list(REFERENCE)
    for row in analysis.rows:
        counts = row.evaluation.agreement
        assert (counts.pairs, counts.human_ties, counts.missing) == (10_143, 12_000 - 10_143, 0)
        figures = (
            pearson[row.metric].global_.r,
            pearson[row.metric].input.r,
            kendall[row.metric].input.r,
            pearson[row.metric].system.r,
            *(counts.concordant, counts.discordant, counts.tied, counts.strict, counts.half),
        )
        assert tuple(round(figure, 4) for figure in figures if figure is not None) == REFERENCE[row.metric]


def test_whole_documents_are_flipped(summeval: Cells) -> None:
    """ROUGE-1 against length on SummEval, a tie a miss: p is about .0046 by documents, 1.8e-15 pair by pair."""
    preferences = rated_pairs(summeval, "relevance")
    analysis = analyze_agreement(preferences, rule="strict")
    (results,) = [row for row in analysis.comparisons if (row.first, row.second) == ("rouge1", "length")]
    assert results.test == "sign-flip over documents"
    assert results.p == pytest.approx(0.0046, abs=0.002)  # 10,000 flips: a standard error of .0007
    differences = {
        name: preferences.differences()[signature] for signature, name in labels(list(summeval.scores)).items()
    }
    rouge1, length = (credit_pairs(preferences.choices, differences[name], "strict") for name in ("rouge1", "length"))
    naive = exact_mcnemar(int((rouge1 > length).sum()), int((length > rouge1).sum()))
    assert naive == pytest.approx(1.8e-15, rel=0.05)


@pytest.mark.parametrize(("name", "other_name"), [("rouge1", "length"), ("rouge1", "rouge2")])
def test_a_plan_from_what_was_observed_keeps_its_promise_on_real_documents(
    summeval: Cells, name: str, other_name: str
) -> None:
    """Studies of documents drawn from SummEval, as many as the plan says, find the difference as often as it says."""
    preferences = rated_pairs(summeval, "relevance")
    scores = {name: preferences.differences()[signature] for signature, name in labels(list(summeval.scores)).items()}
    first, second = (credit_pairs(preferences.choices, scores[name], "strict") for name in (name, other_name))
    result = observe_metrics(first, second, preferences.document)
    assert result.first is not None
    assert result.second is not None
    plan = pairs_to_separate(
        result.first,
        result.second,
        phi=result.phi or 0,
        pairs_per_document=result.pairs_per_document or 0,
        icc=result.icc or 0,
    )
    decided = ~np.isnan(first)
    _, place = np.unique(preferences.document[decided], return_inverse=True)
    sums = np.bincount(place, weights=(first - second)[decided])
    drawn = np.random.default_rng(0).integers(len(sums), size=(plan.documents or 0, 1000))
    power = np.mean(np.array(sign_flips(sums[drawn], 1000, 0).p) <= 0.05)
    assert power == pytest.approx(plan.power, abs=0.04)


def test_an_unknown_aspect_names_those_there_are(shared_data: Path) -> None:
    records = list(read_documents(shared_data / "summeval.jsonl", "interchange"))[:1]
    with pytest.raises(NoRatings, match=r"no human ratings of 'beauty'; there are .*relevance"):
        check_ratings(records, "beauty")
    with pytest.raises(NoRatings, match="there are none at all"):
        check_ratings([(Document("d", "s", ("r",)), [Summary("d", "a", "t")])], "relevance")


def test_labels_name_the_options_that_differ() -> None:
    mean, most, other = "rouge1|refs:mean|case:lower", "rouge1|refs:max|case:lower", "rouge2|refs:max|case:lower"
    assert labels([mean, most, other]) == {mean: "rouge1 (refs:mean)", most: "rouge1 (refs:max)", other: "rouge2"}


# --- judgments made by hand ---------------------------------------------------------------------------------

# three pairs, each of its own document; m says first, second, tie; k has no value on the last
PAIRS = {"m": [(0.9, 0.1), (0.2, 0.4), (0.5, 0.5)], "k": [(1, 0), (0, 0), (NAN, 1)]}


def judged(choices: list[tuple[int, str, float]], inclusion: list[float] | None = None) -> Preferences:
    """Judgments (pair, annotator, choice) of the three pairs."""
    pair, annotators, chosen = (list(column) for column in zip(*choices, strict=True))
    return Preferences(
        documents=np.array(["d0", "d1", "d2"], dtype=object),
        firsts=np.array(["a", "a", "b"], dtype=object),
        seconds=np.array(["b", "c", "c"], dtype=object),
        inclusion=np.array(inclusion or [NAN] * 3),
        scores={name: np.array(values, dtype=float) for name, values in PAIRS.items()},
        pair=np.array(pair),
        choices=np.array(chosen, dtype=float),
        annotators=np.array(annotators, dtype=object),
        left=np.full(len(pair), NAN),
        took=np.full(len(pair), NAN),
    )


JUDGED = judged([(0, "Ann", 1), (1, "Ann", 1), (2, "Ann", 1), (0, "Ben", 1), (1, "Ben", -1), (2, "Ben", 0)])


def test_agreement_with_judgments() -> None:
    analysis = analyze_agreement(JUDGED)
    m, k = (row.evaluation.agreement for row in analysis.rows)
    # m: right about pair 0 twice, wrong about pair 1 with Ann, right with Ben, a tie about 2; Ben's tie is left out
    assert m == (5, 1, 3, 1, 1, 0, None)
    assert k == (4, 1, 2, 0, 2, 1, None)
    assert (analysis.n, analysis.documents, analysis.human_ties, analysis.weighed) == (6, 3, 1, False)
    assert (analysis.annotators, analysis.rows[0].evaluation.over) == (2, "documents")
    assert [row.evaluation.documents for row in analysis.rows] == [3, 2]  # k has no value for pair 2


@pytest.mark.parametrize("people", [1, 2, 3, 4])
def test_few_annotators_of_other_pairs_have_the_intervals_of_the_majority(people: int) -> None:
    """39 pairs, each judged by one annotator: per judgment and by majority the figures are the same for all metrics."""
    random = np.random.default_rng(people)
    n = 39
    preferences = Preferences(
        documents=np.array([f"d{number}" for number in range(n)], dtype=object),
        firsts=np.array(["a"] * n, dtype=object),
        seconds=np.array(["b"] * n, dtype=object),
        inclusion=np.full(n, NAN),
        scores={f"m{place}": random.random((n, 2)) for place in range(8)},
        pair=np.arange(n),
        choices=random.choice([-1.0, 1.0], size=n),
        annotators=np.array([f"P{number % people}" for number in range(n)], dtype=object),
        left=np.full(n, NAN),
        took=np.full(n, NAN),
    )
    judgments, majority = analyze_agreement(preferences), analyze_agreement(preferences.by_majority())
    assert judgments.rows == majority.rows
    assert judgments.comparisons == majority.comparisons
    assert (judgments.annotators, majority.annotators) == (people, 0)
    for row in judgments.rows:
        low, high = row.evaluation.intervals.half[:2]
        assert low is not None
        assert high is not None
        assert high - low < 0.4


def test_agreement_by_majority() -> None:
    by_pair = JUDGED.by_majority()
    # split over pair 1; Ann decides pair 2, where Ben sees a tie
    assert np.array_equal(by_pair.choices, [1, NAN, 1], equal_nan=True)
    analysis = analyze_agreement(by_pair)
    m, k = (row.evaluation.agreement for row in analysis.rows)
    assert m == (2, 0, 1, 0, 1, 0, None)
    assert k == (1, 0, 1, 0, 0, 1, None)
    assert (analysis.human_ties, analysis.split) == (0, 1)


def test_weights_are_carried_in() -> None:
    weighed = judged([(0, "Ann", 1), (1, "Ann", 1), (2, "Ann", 1)], inclusion=[0.5, 0.1, 0.25])
    analysis = analyze_agreement(weighed)
    counts = analysis.rows[0].evaluation.agreement
    # m is right about a pair that stands for 2, wrong about one for 10, ties on one for 4: (2 + 4/2) / 16
    assert counts[:6] == (3, 0, 1, 1, 1, 0)
    assert counts.half == pytest.approx(4 / 16)
    assert analysis.weighed
    (comparison,) = analysis.comparisons
    # k is right about the first and ties on the second; the third has no value: (2 * (1 - 1) + 10 * (0 - .5)) / 12
    assert comparison.difference == pytest.approx(-5 / 12)


def test_people_among_themselves() -> None:
    others = np.array([1, -1, 0, 1, 1, 1])  # what the other one of the two says of each judgment's pair
    agreement = human_ceiling(JUDGED, others).agreement
    # pair 0: both agree, twice; pair 1: they differ, twice; pair 2: Ann against a tie is left out, Ben's tie is a tie
    assert agreement == (5, 1, 2, 2, 1, 0, None)


def test_common_ground_is_what_everybody_decides() -> None:
    assert common_ground(JUDGED).tolist() == [True, False, False, True, False, False]
    kept = JUDGED.where(common_ground(JUDGED))
    assert [row.evaluation.agreement.pairs for row in analyze_agreement(kept).rows] == [2, 2]


def test_contradictions_come_firmest_first() -> None:
    text = judged([(0, "Ann", -1), (1, "Ann", 1), (2, "Ann", 1)])
    assert contradictions(text, "m").tolist() == [0, 1]  # differences of .8 and .2
    assert contradictions(text, "k").tolist() == [0]


def test_no_scores_and_no_judgments() -> None:
    nothing = JUDGED.where(np.zeros(6, dtype=bool))
    analysis = analyze_agreement(nothing)
    assert [row.evaluation.agreement.half for row in analysis.rows] == [None, None]
    assert analysis.comparisons[0].reason is not None
    assert analyze_agreement(rated_pairs(Cells((), (), {}, {}), "relevance")).rows == ()


# --- correlations -------------------------------------------------------------------------------------------


def cells() -> Cells:
    random = np.random.default_rng(0)
    rating = random.integers(1, 6, 60).astype(float)
    scores = {
        name: rating + random.normal(size=60) * noise for name, noise in (("m", 1), ("rouge_k", 2), ("length", 9))
    }
    scores["m"][3] = NAN
    return Cells(
        tuple(f"d{number // 4}" for number in range(60)),
        tuple(f"s{number % 4}" for number in range(60)),
        {"relevance": rating},
        {f"{name}|version:0": values for name, values in scores.items()},
    )


def test_the_tables_of_the_papers() -> None:
    laid = correlation_tables(cells(), "relevance")
    people = "human: relevance"
    assert laid.human == [(people, "m"), (people, "rouge_k"), (people, "length")]
    assert laid.length == [("m", "length"), ("rouge_k", "length")]
    assert laid.rouge_k == [("m", "rouge_k"), ("length", "rouge_k")]
    assert laid.matrix == [("m", "rouge_k"), ("m", "length"), ("rouge_k", "length")]
    assert correlation_tables(cells(), "beauty").human == []


def test_metrics_are_set_beside_the_rouge_k_that_has_values() -> None:
    of = cells()
    (signature,) = (score for score in of.scores if score.startswith("rouge_k"))
    empty = {"rouge_k|kw:none": np.full(60, NAN)}
    laid = correlation_tables(replace(of, scores=empty | of.scores))
    (label,) = {rouge_k for _, rouge_k in laid.rouge_k}
    assert laid.columns[label] is of.scores[signature]


def test_metrics_compared_by_correlation() -> None:
    of = cells()
    columns = correlation_tables(of, "relevance").columns
    correlations = compare_correlations(of, columns, "human: relevance", permutations=Permutations(drawn=99, seed=5))
    assert len(correlations) == 3 * 3
    assert {row.comparisons for row in correlations} == {3}
    places = of.documents, of.systems
    pair = ("m", "length")
    tests = permutation_tests(
        columns, [pair], of.ratings["relevance"], *places, permutations=Permutations(drawn=99, seed=5)
    )[pair]
    rows = {row.level: row for row in correlations if (row.first, row.second) == ("m", "length")}
    for level, test in zip(("global", "input", "system"), tests, strict=True):
        assert rows[level].test == test
    assert [row.p_holm for row in correlations if row.level == "global"] == holm(
        [r.test.p for r in correlations if r.level == "global"]
    )
    there = ~np.isnan(columns["m"])
    r12, r13, r23 = (
        np.corrcoef(first[there], second[there])[0, 1]
        for first, second in (
            (columns["m"], of.ratings["relevance"]),
            (columns["length"], of.ratings["relevance"]),
            (columns["m"], columns["length"]),
        )
    )
    assert rows["global"].test.williams.p == pytest.approx(williams(r12, r13, r23, 59).p)
    assert rows["input"].test.williams.reason == "there is no such test within documents"


def test_systems_by_every_column() -> None:
    of = cells()
    (m, *_) = analyze_systems(of, correlation_tables(of).columns)
    means = [np.nanmean(of.scores["m|version:0"][system::4]) for system in range(4)]
    assert [mean.mean for mean in m.means] == pytest.approx(means)
    assert m.spread.std == pytest.approx(np.std(means))
    assert len(m.comparisons) == 6
