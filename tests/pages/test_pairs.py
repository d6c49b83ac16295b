"""Lists of pairs: what filters leave, the confusion table that they are cells of, and the order."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from data.preferences import Preferences, to_name_column
from pages.components.examples.pairs import (
    PairFilter,
    Show,
    compact,
    confusion,
    filter_pairs,
    find_place,
    make_pairs_frame,
    presets,
    verdicts,
)

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
    found = verdicts(preferences)
    turned = found._replace(people=-found.people)
    # d0 and d1: one metric is with them; d2: m ties, k has no score, so nobody decides
    assert not filter_pairs(turned, PairFilter("everybody")).any()
    alone = turned._replace(signs={"m": found.signs["m"]})
    assert np.flatnonzero(filter_pairs(alone, PairFilter("everybody"))).tolist() == [0]
    assert not filter_pairs(turned._replace(signs={}), PairFilter("everybody")).any()


def test_cells_of_the_confusion_table_are_what_their_filters_leave(preferences: Preferences) -> None:
    found = verdicts(preferences)
    table = confusion(found)
    expected = pd.DataFrame({"agrees": [1, 1], "against": [1, 1], "ties": [1, 0], "missing": [0, 1]}, index=["m", "k"])
    pd.testing.assert_frame_equal(table, expected)
    # every decided pair is in one cell of each row
    assert table.sum(axis=1).tolist() == [3, 3]


def test_the_list_comes_strongest_first(preferences: Preferences) -> None:
    found = verdicts(preferences)
    rows = make_pairs_frame(preferences, found, PairFilter("all", "m"))
    # differences of m: .8, .6, 0, -.1, 1
    assert rows.index.tolist() == [4, 0, 1, 3, 2]
    assert rows["how strongly"].tolist() == pytest.approx([1, 0.8, 0.6, 0.1, 0])
    assert rows.loc[0].to_dict() == {
        **{"document": "d0", "A": "x", "B": "y", "people": "A", "m": "A", "k": "B"},
        "difference": pytest.approx(0.8),
        "how strongly": pytest.approx(0.8),
    }
    assert rows["people"].tolist() == ["split", "A", "B", "tie", "A"]
    assert rows.loc[2, ["m", "k"]].tolist() == ["tie", "missing"]


@pytest.mark.parametrize(
    ("search", "expected"), [("d3", [3]), ("Z", [1, 2]), ("<b>", [2]), ("nothing", []), (" d0 ", [0])]
)
def test_searching(preferences: Preferences, search: str, expected: list[int]) -> None:
    rows = make_pairs_frame(preferences, verdicts(preferences), PairFilter(search=search))
    assert sorted(rows.index) == expected


def test_no_scores_and_no_pairs(preferences: Preferences) -> None:
    bare = Preferences(**{**vars(preferences), "scores": {}})
    assert make_pairs_frame(bare, verdicts(bare), PairFilter()).columns.tolist() == [
        "document",
        "A",
        "B",
        "people",
        "how strongly",
    ]
    nothing = preferences.where(np.zeros(5, dtype=bool))
    assert make_pairs_frame(nothing, verdicts(nothing), PairFilter("against", "m")).empty
    assert confusion(verdicts(nothing)).to_numpy().sum() == 0


def test_a_metric_by_mean_and_maximum_stands_once(preferences: Preferences) -> None:
    twins = {f"m|refs:{how}|1": np.array(SCORES["k|1"], dtype=float) for how in ("mean", "max")}
    both = Preferences(**{**vars(preferences), "scores": twins})
    assert list(verdicts(both).signs) == ["m"]


def test_the_difference_is_that_of_the_metric_chosen(preferences: Preferences) -> None:
    found = verdicts(preferences)
    assert "difference" not in make_pairs_frame(preferences, found, PairFilter())
    rows = make_pairs_frame(preferences, found, PairFilter("all", "k")).sort_index()
    # A minus B: 0-1, .2-.8, one is missing, 0-0, 0-1
    assert rows["difference"].tolist() == pytest.approx([-1, -0.6, NAN, 0, -1], nan_ok=True)


def test_a_compact_list_is_the_same_list(preferences: Preferences) -> None:
    rows = make_pairs_frame(preferences, verdicts(preferences), PairFilter("all", "k"))
    smaller = compact(rows)
    assert {str(smaller[name].dtype) for name in ("document", "A", "B", "people", "m", "k")} == {"category"}
    pd.testing.assert_frame_equal(smaller, rows, check_dtype=False, check_categorical=False)


def test_the_place_of_a_pair(preferences: Preferences) -> None:
    rows = make_pairs_frame(preferences, verdicts(preferences), PairFilter("all", "m"))
    assert rows.index.tolist() == [4, 0, 1, 3, 2]
    places = [
        find_place(rows, preferences, names)
        for names in zip(preferences.documents, preferences.firsts, preferences.seconds, strict=True)
    ]
    assert places == [1, 2, 4, 3, 0]
    assert find_place(rows, preferences, ("d1", "z", "x")) == 0  # turned round, it is no pair of the list
    assert find_place(rows, preferences, (None, None, None)) == 0
    assert find_place(rows[1:], preferences, ("d4", "x", "y")) == 0


@pytest.mark.parametrize(
    ("metrics", "expected"),
    [
        ([], {}),
        (["length"], {}),
        (
            ["rouge1", "length"],
            {
                "ROUGE-1 and people disagree": PairFilter("against", "rouge1"),
                "all metrics against the majority": PairFilter("everybody"),
            },
        ),
        (
            ["rouge1 (refs:first)", "rouge1 (refs:max)", "rouge_k", "bertscore"],
            {
                "ROUGE-1 and people disagree": PairFilter("against", "rouge1 (refs:first)"),
                "ROUGE-K right where BERTScore is wrong": PairFilter("rather", "rouge_k", "bertscore"),
                "ROUGE-K right where ROUGE-1 is wrong": PairFilter("rather", "rouge_k", "rouge1 (refs:first)"),
                "all metrics against the majority": PairFilter("everybody"),
            },
        ),
    ],
)
def test_filters_to_begin_with(metrics: list[str], expected: dict[str, PairFilter]) -> None:
    assert presets(metrics) == expected
