"""The same comparison on several corpora: each by itself, as the analysis of that corpus alone has it."""

from collections.abc import Sequence

import pytest

from relevance.analysis.corpora import (
    CorpusAgreement,
    choose_signatures,
    compare_on_corpus,
    count_leading,
    list_columns,
    rank_corpora,
    scored_by,
)
from relevance.analysis.leaders import find_leading
from relevance.analysis.metrics_and_people import analyze_agreement
from relevance.data.preferences import Preferences
from relevance.reports.charts import BEHIND, LEADING
from relevance.reports.corpora_chart import ALONE, corpora_chart
from relevance.reports.tables.corpora import corpora_table
from relevance.reports.tables.table import Marked, Range, Undefined
from tests.analysis.rated import rated as rated_summaries

FEW = "fewer than 20 judgments of 6 documents"


def rated(documents: int, **right: int) -> Preferences:
    """The same with metrics called by their signatures, as where corpora are compared."""
    return rated_summaries(documents, **{f"{metric}|version:1": count for metric, count in right.items()})


def compare(*corpora: Preferences, metrics: Sequence[str] = ()) -> list[CorpusAgreement]:
    return [
        compare_on_corpus(f"set {number}", "ratings of relevance", item, metrics=metrics)
        for number, item in enumerate(corpora, 1)
    ]


def test_a_row_is_the_analysis_of_its_corpus_alone() -> None:
    preferences = rated(40, near=28, best=30, far=5)
    alone = analyze_agreement(preferences)
    result, _ = compare(preferences, rated(40, best=3, far=39))
    assert result.agreement == alone
    assert result.leading == find_leading(alone)
    assert result.leaders == ("best|version:1", "near|version:1")


def test_columns_of_some_metrics_are_compared_with_each_other_alone() -> None:
    preferences = rated(40, near=28, best=30, far=5)
    (result,) = compare(preferences, metrics=["near", "far"])
    assert [row.metric for row in result.agreement.rows] == ["near", "far"]
    assert result.leaders == ("near|version:1",)


def test_scores_of_one_corpus_alone_and_means_beside_their_maximum_are_no_columns() -> None:
    known = [
        "rouge1|refs:max|version:1",
        "rouge1|refs:mean|version:1",
        "given: BLEU|corpus:x",
        "rouge2|refs:mean|version:1",
    ]
    assert choose_signatures(known) == [known[0], known[3]]
    assert choose_signatures(known, ["given: BLEU"]) == [known[2]]


def test_metrics_that_lead_are_counted_where_some_metric_leads() -> None:
    corpora = compare(
        rated(40, best=38, far=5),
        rated(40, best=20, near=21, far=39),
        rated(40, best=39),  # a metric alone
        rated(5, far=5, best=1),  # too few documents to call any metric the best
    )
    assert [
        (item.signature.partition("|")[0], item.corpora, item.leads, item.best) for item in count_leading(corpora)
    ] == [
        ("best", 2, 1, 1),
        ("far", 2, 1, 1),
        ("near", 1, 0, 0),
    ]
    assert list_columns(corpora) == ["best|version:1", "near|version:1", "far|version:1"]
    assert rank_corpora(corpora, "best|version:1") == [2, 0, 1, 3]
    assert rank_corpora(corpora, "near|version:1")[0] == 1


def test_the_table_has_marks_intervals_and_reasons() -> None:
    corpora = compare(rated(40, best=38, far=5), rated(40, far=39, near=3), rated(5, far=5))
    labels = {column: column.partition("|")[0] for column in list_columns(corpora)}
    table = corpora_table(corpora, labels)
    first, second, third = table.rows
    assert list(first) == [
        "data set",
        "judged by",
        "n",
        "best",
        *("far", "near", "people"),
        *("best 95 %", "far 95 %", "near 95 %", "people 95 %"),
    ]
    assert (first["n"], first["best"], first["far"]) == (40, Marked(38 / 40, "*"), Marked(5 / 40))
    assert isinstance(first["best 95 %"], Range)
    assert first["best 95 %"].low < 38 / 40 < first["best 95 %"].high
    assert second["best"] == Undefined("no scores")
    assert second["far"] == Marked(39 / 40, "*")
    assert third["far"] == Marked(1.0)  # nothing leads on so few
    text = " ".join(table.notes)
    assert f"No metric is called the best on {FEW}: set 3 (ratings of relevance)." in text
    assert (
        "Rows in which a metric leads, of those in which it has a ratio: best 1 of 1, far 1 of 2 and near 0 of 1."
        in text
    )


def test_a_row_where_nothing_is_told_apart_says_that_this_proves_nothing() -> None:
    table = corpora_table(corpora := compare(rated(30, one=20, other=19)), {s: s for s in list_columns(corpora)})
    assert "No two metrics differ significantly, which does not show that they are equally good: set 1" in " ".join(
        table.notes
    )


@pytest.mark.parametrize("many", [False, True])
def test_pairs_that_are_too_many_to_be_listed_give_the_same_row(monkeypatch: pytest.MonkeyPatch, many: bool) -> None:
    from relevance.data import preferences as module

    listed = rated(40, best=38, far=5)
    if many:
        monkeypatch.setattr(module, "MANY", 10)
    result = rated(40, best=38, far=5)
    assert (result.unlisted is not None) == many
    assert set(scored_by(result)) == set(scored_by(listed))
    corpora = (*compare(result, metrics=["best"]), *compare(listed, metrics=["best"]))
    first, second = ([row.evaluation.agreement for row in corpus.agreement.rows] for corpus in corpora)
    assert first == second


def test_the_chart_fills_what_leads_and_sets_apart_what_was_not_compared() -> None:
    corpora = compare(rated(40, best=38, far=5), rated(40, far=39), rated(5, far=5, best=1))
    labels = {column: column.partition("|")[0] for column in list_columns(corpora)}
    drawn = corpora_chart(corpora, labels).to_dict()
    (marks,) = drawn["datasets"].values()
    standings = {(mark["corpus"].partition(" (")[0], mark["metric"]): mark["standing"] for mark in marks}
    assert standings == {
        ("set 1", "best"): LEADING,
        ("set 1", "far"): BEHIND,
        ("set 2", "far"): ALONE,
        ("set 3", "best"): ALONE,
        ("set 3", "far"): ALONE,
    }
    assert {(mark["low"] < mark["agreement"] < mark["high"]) for mark in marks if mark["n"] == 40} == {True}


def test_nothing_to_compare() -> None:
    table = corpora_table([], {})
    assert (table.rows, table.notes) == ([], [])
    assert "nobody has judged or rated" in table.empty
