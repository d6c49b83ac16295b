"""Lists of pairs: what filters leave, the confusion table that they are cells of, and the order."""

import math
import pickle

import numpy as np
import pandas as pd
import pytest

from relevance.data.preferences import Preferences, to_name_column
from relevance.data.store import StarredExample
from relevance.pages.components.examples.pair_list import JudgedPair, PairList, make_pair_list
from relevance.pages.components.examples.pairs import (
    PairFilter,
    Show,
    confusion,
    count_sides,
    describe_filter,
    filter_pairs,
    names_of_metrics,
    presets,
    read_filter,
    verdicts,
)
from tests.pages.listed import list_documents, make_pairs_frame

NAN = math.nan
SCORES = {
    #        d0: people A   d1: people B   d2: people A   d3: tie      d4: split
    "m|1": [(0.9, 0.1), (0.8, 0.2), (0.5, 0.5), (0.1, 0.2), (1, 0)],
    "k|1": [(0, 1), (0.2, 0.8), (NAN, 1), (0, 0), (0, 1)],
}


@pytest.fixture
def preferences() -> Preferences:
    return Preferences(
        documents=to_name_column([f"d{n}" for n in range(5)]),
        firsts=to_name_column(["x", "x", "y", "x", "x"]),
        seconds=to_name_column(["y", "z", "<b>z</b>", "y", "y"]),
        inclusion=np.full(5, NAN),
        scores={name: np.array(both, dtype=float) for name, both in SCORES.items()},
        pair=np.arange(5),
        choices=np.array([1, -2.5, 1, 0, NAN]),
        annotators=to_name_column([None] * 5),
        left=np.full(5, NAN),
        took=np.full(5, NAN),
    )


@pytest.mark.parametrize(
    ("show", "metric", "other", "expected"),
    [
        ("all", None, None, [0, 1, 2, 3, 4]),
        ("agrees", "m", None, [0]),
        ("against", "m", None, [1]),
        ("ties", "m", None, [2]),
        ("missing", "m", None, []),
        ("agrees", "k", None, [1]),
        ("against", "k", None, [0]),
        ("missing", "k", None, [2]),
        ("rather", "m", "k", [0]),
        ("rather", "k", "m", [1]),
        ("everybody", None, None, []),  # on every pair that people decide, somebody is with them or decides nothing
        ("against", "unknown", None, []),
        ("missing", None, None, []),
        ("rather", "m", "unknown", []),
    ],
)
def test_filters(
    preferences: Preferences, show: Show, metric: str | None, other: str | None, expected: list[int]
) -> None:
    left = filter_pairs(verdicts(preferences), PairFilter(show, metric, other))
    assert np.flatnonzero(left).tolist() == expected


def test_everybody_against_people(preferences: Preferences) -> None:
    result = verdicts(preferences)
    turned = result._replace(people=-result.people)
    # d0 and d1: one metric is with them; d2: m ties, k has no score, so nobody decides
    assert not filter_pairs(turned, PairFilter("everybody")).any()
    alone = turned._replace(signs={"m": result.signs["m"]})
    assert np.flatnonzero(filter_pairs(alone, PairFilter("everybody"))).tolist() == [0]
    assert not filter_pairs(turned._replace(signs={}), PairFilter("everybody")).any()


def test_cells_of_the_matrix_are_what_their_filters_leave(preferences: Preferences) -> None:
    result = verdicts(preferences)
    table = count_sides(result)
    assert list(table.index) == list(table.columns) == list(result.signs)
    for right in table.index:
        for wrong in table.columns:
            assert table.loc[right, wrong] == filter_pairs(result, PairFilter("rather", right, wrong)).sum()
    assert table.loc["m", "k"] == 1


def test_cells_of_the_confusion_table_are_what_their_filters_leave(preferences: Preferences) -> None:
    result = verdicts(preferences)
    table = confusion(result)
    expected = pd.DataFrame({"agrees": [1, 1], "against": [1, 1], "ties": [1, 0], "missing": [0, 1]}, index=["m", "k"])
    pd.testing.assert_frame_equal(table, expected)
    # every decided pair is in one cell of each row
    assert table.sum(axis=1).tolist() == [3, 3]


def listed(preferences: Preferences, chosen: PairFilter) -> PairList:
    return make_pair_list(preferences, verdicts(preferences), chosen)


def pairs_of(pair_list: PairList) -> list[JudgedPair]:
    return [pair_list.pair(pair) for pair in range(pair_list.pairs)]


def test_the_list_comes_strongest_first_and_what_people_do_not_decide_last(preferences: Preferences) -> None:
    result = listed(preferences, PairFilter("all", "m"))
    # differences of m: .8, .6, 0, -.1, 1
    assert [pair.document for pair in pairs_of(result)] == ["d0", "d1", "d2", "d4", "d3"]
    assert result.columns.strengths.tolist() == pytest.approx([0.8, 0.6, 0, 1, 0.1])
    assert [pair.people for pair in pairs_of(result)] == ["A", "B", "A", "split", "tie"]
    assert result.pair(2) == JudgedPair("d2", ("y", "<b>z</b>"), "A")


@pytest.fixture
def together(preferences: Preferences) -> Preferences:
    """The same pairs, but of three documents."""
    return Preferences(**{**vars(preferences), "documents": to_name_column(["d0", "d1", "d1", "d0", "d4"])})


def test_a_row_a_document_in_the_order_of_its_first_pair(together: Preferences) -> None:
    result = listed(together, PairFilter("all", "m"))
    assert [pair.document for pair in pairs_of(result)] == ["d0", "d0", "d1", "d1", "d4"]
    table = result.table(0, 3)
    assert table["document"].tolist() == ["d0", "d1", "d4"]
    assert np.diff(result.starts).tolist() == [2, 2, 1]
    assert table["how strongly"].tolist() == pytest.approx([0.8, 0.6, 1])
    pd.testing.assert_frame_equal(result.table(1, 500), table[1:].reset_index(drop=True))
    assert [list(result.of_document(place)) for place in range(3)] == [[0, 1], [2, 3], [4]]
    assert [result.place_of(pair) for pair in range(5)] == [0, 0, 1, 1, 2]
    assert result.first_of(1) == result.pair(2) == JudgedPair("d1", ("x", "z"), "B")


@pytest.mark.parametrize("show", ["all", "agrees", "against", "ties", "missing"])
@pytest.mark.parametrize("search", ["", "d1", "Z"])
def test_the_list_is_that_of_going_through_the_pairs_one_by_one(together: Preferences, show: Show, search: str) -> None:
    chosen = PairFilter(show, None if show == "all" else "m", search=search)
    result, wanted = listed(together, chosen), make_pairs_frame(together, chosen)
    assert sorted((pair.document, *pair.systems, pair.people) for pair in pairs_of(result)) == sorted(
        tuple(row) for row in wanted[["document", "A", "B", "people"]].to_numpy()
    )
    pd.testing.assert_frame_equal(result.table(0, 5), list_documents(wanted), check_dtype=False)


@pytest.mark.parametrize(
    ("search", "expected"), [("d3", [3]), ("Z", [1, 2]), ("<b>", [2]), ("nothing", []), (" d0 ", [0])]
)
def test_searching(preferences: Preferences, search: str, expected: list[int]) -> None:
    pairs = pairs_of(listed(preferences, PairFilter(search=search)))
    assert sorted(item.document for item in pairs) == [f"d{place}" for place in expected]


def test_starred_pairs_whichever_summary_is_the_first(together: Preferences) -> None:
    result = listed(together, PairFilter("all", "m"))
    starred = [
        StarredExample("d1", ("x", "z"), ""),
        StarredExample("d0", ("y", "x"), ""),
        StarredExample("d4", ("x", "z"), "no such pair"),
        StarredExample("gone", ("x", "y"), ""),
    ]
    pairs = result.find_starred(starred)
    named = [("d0", ("x", "y")), ("d0", ("x", "y")), ("d1", ("x", "z"))]  # two pairs here have the same names
    assert sorted(result.pair(pair)[:2] for pair in pairs) == named
    only = result.only(pairs)
    assert [pair[:2] for pair in pairs_of(only)] == named
    assert np.diff(only.starts).tolist() == [2, 1]
    assert only.columns.strengths.tolist() == pytest.approx([0.8, 0.1, 0.6])
    assert result.only([]).pairs == len(result.only([]).documents) == 0
    assert result.find_starred([]) == []


def test_a_list_of_a_hundred_thousand_pairs_takes_little_to_send() -> None:
    count = 100_000
    places = np.arange(count)
    large = Preferences(
        documents=to_name_column([f"document-{place // 2}" for place in places]),
        firsts=to_name_column(["x"] * count),
        seconds=to_name_column([("y", "z")[place % 2] for place in places]),
        inclusion=np.full(count, NAN),
        scores={"m|1": np.stack([places / count, np.zeros(count)], axis=1)},
        pair=places,
        choices=np.ones(count),
        annotators=to_name_column([None] * count),
        left=np.full(count, NAN),
        took=np.full(count, NAN),
    )
    result = listed(large, PairFilter())
    sent = pickle.dumps(result)
    assert len(sent) < 20 * count
    assert pickle.loads(sent).pair(0) == result.pair(0) == JudgedPair("document-49999", ("x", "z"), "A")


def test_no_scores_and_no_pairs(preferences: Preferences) -> None:
    bare = Preferences(**{**vars(preferences), "scores": {}})
    assert listed(bare, PairFilter()).pairs == 5
    nothing = preferences.where(np.zeros(5, dtype=bool))
    for chosen in (PairFilter(), PairFilter("against", "m"), PairFilter(search="x")):
        assert listed(nothing, chosen).pairs == 0
        assert listed(nothing, chosen).table(0, 5).empty
    assert confusion(verdicts(nothing)).to_numpy().sum() == 0


def test_a_metric_by_mean_and_maximum_stands_once(preferences: Preferences) -> None:
    twins = {f"m|refs:{how}|1": np.array(SCORES["k|1"], dtype=float) for how in ("mean", "max")}
    both = Preferences(**{**vars(preferences), "scores": twins})
    assert list(verdicts(both).signs) == ["m"]


def test_the_pair_that_an_address_names(preferences: Preferences) -> None:
    result = listed(preferences, PairFilter("all", "m"))
    for pair, item in enumerate(pairs_of(result)):
        assert result.find(*item.address.values()) == pair
    # turned round it is not a pair, but its document is there; what is not there is the first
    assert result.find("d1", "z", "x") == 1
    assert result.find("", "", "") == 0
    assert result.only([1, 2]).find("d4", "x", "y") == 0


NAMES = names_of_metrics(["rouge1|refs:max", "rouge_k|kw:overlap", "length|unit:words"])


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ({}, PairFilter()),
        ({"show": "<b>"}, PairFilter()),
        ({"show": "everybody", "metric": "rouge1"}, PairFilter("everybody")),
        # an older address calls metrics by their names
        ({"show": "against", "metric": "rouge_k"}, PairFilter("against", "ROUGE-K")),
        ({"show": "against", "metric": "ROUGE-K", "search": "x"}, PairFilter("against", "ROUGE-K", None, "x")),
        ({"show": "against", "metric": "unheard of"}, PairFilter("against", "ROUGE-1")),
        ({"show": "rather", "metric": "rouge_k", "other": "rouge1"}, PairFilter("rather", "ROUGE-K", "ROUGE-1")),
        ({"show": "rather", "metric": "rouge1", "other": "rouge1"}, PairFilter("rather", "ROUGE-1", "ROUGE-K")),
    ],
)
def test_what_an_address_asks_for(wanted: dict[str, str], expected: PairFilter) -> None:
    assert read_filter(wanted, NAMES) == expected


def test_a_filter_needs_the_metrics_that_it_is_about() -> None:
    assert read_filter({"show": "against"}, {}) == PairFilter()
    assert read_filter({"show": "rather"}, {"rouge1": "ROUGE-1"}) == PairFilter()


def test_filters_in_words() -> None:
    assert describe_filter(PairFilter("rather", "ROUGE-K", "BERTScore")) == "ROUGE-K right where BERTScore is wrong"
    assert describe_filter(PairFilter("everybody")) == "No metric right"


@pytest.mark.parametrize(
    ("metrics", "expected"),
    [
        ([], []),
        (["Length"], []),
        (["ROUGE-1", "Length"], [PairFilter("against", "ROUGE-1"), PairFilter("everybody")]),
        (
            ["ROUGE-1 (refs:first)", "ROUGE-1 (refs:max)", "ROUGE-K", "BERTScore"],
            [
                PairFilter("rather", "ROUGE-K", "BERTScore"),
                PairFilter("rather", "ROUGE-K", "ROUGE-1 (refs:first)"),
                PairFilter("against", "ROUGE-1 (refs:first)"),
                PairFilter("everybody"),
            ],
        ),
    ],
)
def test_filters_to_begin_with(metrics: list[str], expected: list[PairFilter]) -> None:
    assert presets(metrics) == expected
