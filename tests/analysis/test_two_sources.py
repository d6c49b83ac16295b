"""Two sources of preferences side by side: shared pairs, who prefers what on them, and differences of agreement."""

from dataclasses import replace

import numpy as np
import pytest

from relevance.analysis.leaders import SCARCE
from relevance.analysis.ratio_differences import compare_ratios
from relevance.analysis.ratio_intervals import estimate_from_sums
from relevance.analysis.study import Inputs, Settings
from relevance.analysis.two_sources import (
    TOO_LITTLE,
    BothSources,
    TwoSources,
    compare_sources,
    find_shared,
    find_votes,
    name_apart,
)
from relevance.data import preferences as module
from relevance.data.cells import Cells
from relevance.data.preferences import Preferences, prefer_by_scores, rated_pairs, to_name_column
from relevance.metrics.registry import label_of
from relevance.reports.presentation import READER_NAMES
from relevance.reports.tables.table import Range, Undefined
from relevance.reports.tables.two_sources import two_sources_table
from relevance.reports.two_sources import name_metrics, write_both, write_differences, write_headline, write_people
from relevance.reports.two_sources_chart import two_sources_chart

ROUGE1, ROUGE2, GPT = "rouge1|v:1", "rouge2|v:1", "judge: gpt|v:1"
NAMES = ("people", "crowd")


def judged(
    *rows: tuple[str, str, str, str, float], scores: dict[str, list[tuple[float, float]]] | None = None
) -> Preferences:
    """Judgments (document, two systems, annotator, choice), and by signature the scores of each pair in turn."""
    pairs = list(dict.fromkeys(row[:3] for row in rows))
    documents, firsts, seconds = (to_name_column(list(column)) for column in zip(*pairs, strict=True))
    return Preferences(
        documents,
        firsts,
        seconds,
        inclusion=np.full(len(pairs), np.nan),
        scores={name: np.array(both, dtype=float) for name, both in (scores or {}).items()},
        pair=np.array([pairs.index(row[:3]) for row in rows], dtype=np.intp),
        choices=np.array([row[4] for row in rows]),
        annotators=to_name_column([row[3] for row in rows]),
        left=np.full(len(rows), np.nan),
        took=np.full(len(rows), np.nan),
    )


def rated(ratings: list[list[float]], **scores: list[list[float]]) -> Preferences:
    """Pairs of rated summaries: a list of ratings a document, a system each; scores by metric likewise."""
    systems = "abcdefgh"[: len(ratings[0])]
    cells = Cells(
        tuple(f"d{number:02}" for number in range(len(ratings)) for _ in systems),
        tuple(systems) * len(ratings),
        {"relevance": np.array(ratings, dtype=float).ravel()},
        {f"{name}|v:1": np.array(values, dtype=float).ravel() for name, values in scores.items()},
    )
    return rated_pairs(cells, "relevance")


def random_rated(seed: int, documents: int = 12) -> Preferences:
    """Ratings of four systems, and scores of two metrics that know little of them."""
    rng = np.random.default_rng(seed)
    scores = np.random.default_rng(0).random((2, documents, 4)).round(1)
    return rated(rng.integers(1, 5, (documents, 4)).tolist(), rouge1=scores[0].tolist(), rouge2=scores[1].tolist())


def compare(first: Preferences, second: Preferences, *metrics: str) -> TwoSources:
    left, right = (Inputs(of, settings=Settings(human="relevance")) for of in (first, second))
    return compare_sources(left, right, metrics or (ROUGE1, ROUGE2))


def test_a_pair_is_the_same_in_whichever_order_its_systems_stand() -> None:
    first = judged(("d1", "a", "b", "Ann", 1), ("d1", "a", "c", "Ann", -1), ("d2", "a", "b", "Ann", 1))
    second = judged(("d2", "b", "a", "Ben", 1), ("d1", "c", "b", "Ben", 1), ("d1", "b", "a", "Ben", -1))
    shared = find_shared(first, second)
    assert shared is not None
    named = [list(zip(of.documents, of.firsts, of.seconds, strict=True)) for of in (shared.first, shared.second)]
    assert named == [[("d1", "a", "b"), ("d2", "a", "b")], [("d1", "b", "a"), ("d2", "b", "a")]]
    assert shared.turned.tolist() == [True, True]
    votes = find_votes(first, second)
    assert votes is not None
    assert (votes.first.tolist(), votes.second.tolist()) == ([1, 1], [1, -1])
    assert votes.opposite.tolist() == [False, True]


def test_pairs_that_nobody_judged_are_not_shared() -> None:
    first = judged(("d1", "a", "b", "Ann", 1), ("d2", "a", "b", "Ann", 1))
    second = judged(("d1", "a", "b", "Ben", 1), ("d2", "a", "b", "Ben", -1))
    second = second.where(second.choices > 0)
    shared = find_shared(first, second)
    assert shared is not None
    assert [list(of.documents) for of in (shared.first, shared.second)] == [["d1"], ["d1"]]


def test_sources_without_a_pair_in_common() -> None:
    first, second = judged(("d1", "a", "b", "Ann", 1)), judged(("d2", "a", "b", "Ben", 1))
    assert find_shared(first, second) is None
    assert find_votes(first, second) is None


def test_both_prefer_by_their_majorities() -> None:
    people = [("d1", 1, 1, -1), ("d2", 1, -1, 0), ("d3", -1, -1, 1), ("d4", 0, 0, 0), ("d5", 1, 1, 1)]
    others = {"d1": 1, "d2": 1, "d3": 1, "d4": 0, "d5": 0}
    first = judged(
        *(
            (document, "a", "b", name, choice)
            for document, *of in people
            for name, choice in zip("xyz", of, strict=True)
        )
    )
    second = judged(*((document, "a", "b", "w", choice) for document, choice in others.items()))
    both = compare(first, second).both
    assert both is not None
    # same on d1, opposite on d3; the first is split on d2, the second ties on d5, and both tie on d4
    assert both[:3] == (5, 1, 1)
    assert both.decided == 2


def test_the_order_of_two_sources_changes_the_sign_alone() -> None:
    first, second = random_rated(1), random_rated(2)
    left, right = compare(first, second), compare(second, first)
    assert [row.metric for row in left.rows] == [row.metric for row in right.rows]
    for row, turned in zip(left.rows, right.rows, strict=True):
        assert row.difference is not None
        assert turned.difference is not None
        assert row.difference.value == -turned.difference.value
        assert row.p_holm == pytest.approx(turned.p_holm)
    assert left.both == right.both


def test_a_difference_is_counted_from_the_pairs_of_each_document() -> None:
    first, second = random_rated(1), random_rated(2)
    for row in compare(first, second).rows:
        estimates = []
        for of in (first, second):
            part, whole = np.zeros(12), np.zeros(12)
            difference = of.differences()[row.signature]
            for document, choice, score in zip(of.document, of.choices, difference, strict=True):
                if choice:
                    place = int(document[1:])
                    whole[place] += 1
                    part[place] += 0.5 if abs(score) < 1e-9 else float((score > 0) == (choice > 0))
            estimates.append(estimate_from_sums(part, whole))
        left, right = estimates
        assert left is not None
        assert right is not None
        expected = compare_ratios(left, right)
        assert row.difference is not None
        assert row.difference.value == pytest.approx(row.first.agreement.half - row.second.agreement.half)  # type: ignore[operator]
        assert row.difference.value == pytest.approx(expected.value)
        assert row.difference.interval[:2] == pytest.approx(expected.interval[:2])
        assert row.difference.p == pytest.approx(expected.p)


def test_pairs_too_many_to_be_listed_give_the_same_differences(monkeypatch: pytest.MonkeyPatch) -> None:
    listed = compare(random_rated(1), random_rated(2))
    monkeypatch.setattr(module, "MANY", 10)
    first, second = random_rated(1), random_rated(2)
    assert first.unlisted is not None
    result = compare(first, second)
    assert result.both is None
    assert "too many pairs to say on how many they prefer the same summary" in write_both(result, *NAMES)
    assert find_shared(first, second) is None
    for row, other in zip(result.rows, listed.rows, strict=True):
        assert row.difference is not None
        assert other.difference is not None
        assert row.difference.interval[:2] == pytest.approx(other.difference.interval[:2])
        assert row.p_holm == pytest.approx(other.p_holm)


def test_pairs_too_many_to_be_listed_are_listed_on_the_documents_of_a_study(monkeypatch: pytest.MonkeyPatch) -> None:
    study = judged(("d03", "b", "a", "Ann", 1), ("d04", "a", "c", "Ann", 1))
    listed = find_votes(study, random_rated(1))
    monkeypatch.setattr(module, "MANY", 15)
    ratings = random_rated(1)
    assert ratings.unlisted is not None
    votes = find_votes(study, ratings)
    assert listed is not None
    assert votes is not None
    assert votes.second.tolist() == listed.second.tolist()
    assert votes.first.tolist() == listed.first.tolist()


def test_sources_of_which_no_document_is_the_same_are_wider_apart() -> None:
    first, second = random_rated(1, 30), random_rated(1, 30)
    same = compare(first, second)
    apart = compare(first, name_apart(second, [], "other"))
    assert same.both == BothSources(180, same.both.same, 0, same.both.interval)  # type: ignore[union-attr]
    assert apart.both is None
    for left, right in zip(same.rows, apart.rows, strict=True):
        assert left.difference is not None
        assert right.difference is not None
        assert left.difference.value == right.difference.value == 0
        assert (left.difference.interval.high or 0) < 0.5 * (right.difference.interval.high or 0)


@pytest.mark.parametrize("many", [10, 1000])
def test_what_is_not_the_same_in_two_data_sets_has_other_names(many: int, monkeypatch: pytest.MonkeyPatch) -> None:
    first = judged(("d00", "a", "b", "Ann", 1), ("d01", "a", "b", "Ann", 1), ("d01", "a", "c", "Ann", 1))
    monkeypatch.setattr(module, "MANY", many)
    same = {("d01", "a"), ("d01", "b"), ("d01", "d")}
    named = name_apart(random_rated(1), same, "copy")
    assert (named.unlisted is not None) == (many == 10)
    shared = find_votes(first, named)
    assert shared is not None
    assert [
        (document, *two)
        for document, *two in zip(
            shared.preferences.documents, shared.preferences.firsts, shared.preferences.seconds, strict=True
        )
    ] == [("d01", "a", "b")]


def test_metrics_of_one_source_alone_are_named_and_not_compared() -> None:
    first, second = random_rated(1), random_rated(2)
    second = replace(second, scores={ROUGE1: second.scores[ROUGE1], GPT: second.scores[ROUGE2]})
    result = compare(first, second, ROUGE1, ROUGE2, GPT)
    assert [row.signature for row in result.rows] == [ROUGE1]
    assert (result.only_first, result.only_second) == ((ROUGE2,), (GPT,))
    notes = " ".join(two_sources_table(result, NAMES).notes)
    assert f"Not compared, as only the first has scores: {label_of('rouge2')}." in notes
    assert "only the second" not in notes  # a judge gives verdicts in its study alone


def test_only_metrics_that_are_asked_for_are_corrected_for() -> None:
    first, second = random_rated(1), random_rated(2)
    alone, beside = (compare(first, second, *of) for of in ([ROUGE1], [ROUGE1, ROUGE2]))
    (row,) = alone.rows
    assert row.difference is not None
    assert row.p_holm == row.difference.p
    assert {row.signature for row in beside.rows} == {ROUGE1, ROUGE2}
    # ROUGE-2 is not a metric that the first lacks, though it was not asked for
    assert not alone.only_first


def test_too_few_documents_have_no_difference() -> None:
    result = compare(random_rated(1, 5), random_rated(2, 5))
    assert [(row.difference, row.p_holm, row.reason) for row in result.rows] == [(None, None, TOO_LITTLE)] * 2
    shown = name_metrics(result, READER_NAMES)
    (row, _) = two_sources_table(shown, NAMES).rows
    assert row["difference"] == Undefined(TOO_LITTLE)
    assert write_headline(shown, *NAMES) == "Too early to say which metric agrees best with “people” and “crowd”"
    assert write_differences(shown, *NAMES) == "No metric has enough pairs in both for a difference to be tested."


def test_a_metric_with_hardly_a_value_has_no_difference() -> None:
    sides = []
    for seed in (1, 2):
        of = random_rated(seed)
        scores = of.scores[ROUGE2].copy()
        scores[5:] = np.nan
        sides.append(replace(of, scores={ROUGE1: of.scores[ROUGE1], ROUGE2: scores}))
    result = compare(*sides)
    assert {row.signature: row.reason for row in result.rows} == {ROUGE1: None, ROUGE2: SCARCE}
    assert "rouge2" not in str(two_sources_chart(result, NAMES).to_dict())


def test_verdicts_of_a_model_are_preferences_and_no_metric() -> None:
    study = judged(
        ("d1", "a", "b", "Ann", 1),
        ("d2", "a", "b", "Ann", -1),
        ("d3", "a", "b", "Ann", 1),
        scores={ROUGE1: [(1, 0), (1, 0), (1, 0)], GPT: [(1, 0), (0.5, 0.5), (np.nan, np.nan)]},
    )
    model = prefer_by_scores(study.where(study.pair == 0), GPT)
    assert list(model.scores) == [ROUGE1]
    assert (model.pair.tolist(), model.choices.tolist()) == ([0, 1], [1, 0])  # also where nobody judged
    assert set(model.annotators) == {None}


# --- said and drawn ---------------------------------------------------------------------------------------


def parting() -> TwoSources:
    """ROUGE-1 agrees with the first on 54 of 60 pairs and on 24 with the second, ROUGE-2 with both alike."""
    rows = [[1.0, 0.0]] * 60

    def scores(right: int) -> list[list[float]]:
        return [[1.0, 0.0] if place < right else [0.0, 1.0] for place in range(60)]

    first = rated(rows, rouge1=scores(54), rouge2=scores(40))
    second = rated(rows, rouge1=scores(24), rouge2=scores(40))
    return name_metrics(compare(first, second), READER_NAMES)


def test_the_sentences_say_what_the_table_has() -> None:
    result = parting()
    assert write_headline(result, *NAMES) == "ROUGE-1 agrees most often with “people”, ROUGE-2 with “crowd”"
    assert write_differences(result, *NAMES) == (
        "ROUGE-1 (90 % of 60 and 40 % of 60) agrees significantly more often with “people” than with “crowd” (Holm, "
        "alpha = .05)."
    )
    assert write_both(result, *NAMES).startswith(
        "Where both prefer a summary, it is the same one on 60 of 60 pairs (100 %,"
    )
    assert write_both(result._replace(both=None), *NAMES) == "“people” and “crowd” have no pair of summaries in common."
    assert write_people(result, *NAMES) == ""
    first, second = two_sources_table(result, NAMES).rows
    assert (first["metric"], first["first"], first["second"], first["difference"]) == (
        "ROUGE-1",
        0.9,
        0.4,
        pytest.approx(0.5),
    )
    assert isinstance(first["difference 95 %"], Range)
    assert first["difference 95 %"].low > 0
    assert (second["metric"], second["difference"], second["p (Holm)"]) == ("ROUGE-2", 0.0, 1.0)


def test_the_chart_marks_what_is_significant_and_names_both() -> None:
    drawn = two_sources_chart(parting(), NAMES).to_dict()
    rows = [row for data in drawn["datasets"].values() for row in data if "metric" in row]
    assert [(row["metric"], row["judged by"], row["agreement"]) for row in rows] == [
        ("ROUGE-1 *", "people", 0.9),
        ("ROUGE-1 *", "crowd", 0.4),
        ("ROUGE-2", "people", pytest.approx(2 / 3)),
        ("ROUGE-2", "crowd", pytest.approx(2 / 3)),
    ]
