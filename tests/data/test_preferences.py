"""Columns of preferences: filters, majorities, pairs of rated summaries."""

import math

import numpy as np
import pytest

from relevance.data.cells import Cells, collect_ratings
from relevance.data.preferences import Preferences, pairs_by_annotator, rated_pairs, to_name_column
from relevance.data.records import Document, Summary
from relevance.data.store import DataStore, StoredScore, UnknownDataset, UnknownDocument

NAN = math.nan


def preferences(pair: list[int], choices: list[float], inclusion: list[float] | None = None) -> Preferences:
    """Judgments of pairs 0 to 2, by Ann and Ben in turn."""
    n = len(pair)
    return Preferences(
        documents=to_name_column(["d0", "d1", "d1"]),
        firsts=to_name_column(["a", "a", "a"]),
        seconds=to_name_column(["b", "b", "c"]),
        inclusion=np.array(inclusion or [NAN] * 3),
        scores={"m": np.array([[1, 0], [0.5, 0.7], [NAN, 1]])},
        pair=np.array(pair, dtype=np.intp),
        choices=np.array(choices, dtype=float),
        annotators=to_name_column(["Ann", "Ben"] * n)[:n],
        left=np.ones(n),
        took=np.arange(n, dtype=float),
    )


def test_columns_of_pairs_are_those_of_their_entries() -> None:
    result = preferences([2, 0, 2], [1, 0, -1])
    assert result.document.tolist() == ["d1", "d0", "d1"]
    assert list(zip(result.first, result.second, strict=True)) == [("a", "c"), ("a", "b"), ("a", "c")]
    assert np.array_equal(result.differences()["m"], [NAN, 1, NAN], equal_nan=True)
    assert len(result) == 3
    assert result.weights is None


def test_a_mask_keeps_all_columns_together() -> None:
    kept = preferences([2, 0, 1], [1, 0, -1]).where(np.array([True, False, True]))
    assert kept.pair.tolist() == [2, 1]
    assert (kept.choices.tolist(), kept.took.tolist(), kept.annotators.tolist()) == ([1, -1], [0, 2], ["Ann", "Ann"])


def test_some_pairs_alone() -> None:
    of_pairs = preferences([2, 0, 1, 2], [1, 0, -1, -1], [0.5, NAN, 0.2]).of_pairs(np.array([2, 0]))
    assert (of_pairs.documents.tolist(), of_pairs.seconds.tolist()) == (["d1", "d0"], ["c", "b"])
    assert np.array_equal(of_pairs.scores["m"], [[NAN, 1], [1, 0]], equal_nan=True)
    assert np.array_equal(of_pairs.inclusion, [0.2, 0.5])
    assert (of_pairs.pair.tolist(), of_pairs.choices.tolist(), of_pairs.took.tolist()) == (
        [0, 1, 0],
        [1, 0, -1],
        [0, 1, 3],
    )
    assert of_pairs.document.tolist() == ["d1", "d0", "d1"]
    assert len(preferences([0], [1]).of_pairs(np.array([], dtype=np.intp))) == 0


@pytest.mark.parametrize(
    ("pair", "choices", "expected"),
    [
        ([0, 0, 0], [1, 1, -1], {0: 1}),
        ([0, 0], [1, -1], {0: None}),  # split: there is no majority, and nobody saw a tie
        ([0, 0, 0], [1, -1, 0], {0: None}),
        ([0, 0, 0], [1, 0, 0], {0: 1}),  # ties have no say against a choice
        ([0, 0], [0, 0], {0: 0}),
        ([2, 0, 2], [0.3, -2, -4], {0: -1, 2: None}),  # a judgment counts once, however large its number
        ([], [], {}),
    ],
)
def test_the_majority(pair: list[int], choices: list[float], expected: dict[int, int | None]) -> None:
    by_majority = preferences(pair, choices).by_majority()
    choices = [None if math.isnan(choice) else choice for choice in by_majority.choices]
    assert dict(zip(by_majority.pair.tolist(), choices, strict=True)) == expected
    assert set(by_majority.annotators) <= {None}


def test_weights_are_one_over_the_inclusion() -> None:
    result = preferences([1, 0, 1], [1, 1, 1], inclusion=[0.5, 0.1, NAN])
    assert result.weights is not None
    assert result.weights.tolist() == pytest.approx([10, 2, 10])
    assert result.by_majority().weights == pytest.approx([2, 10])  # type: ignore[comparison-overlap]


def test_rated_pairs() -> None:
    cells = Cells(
        documents=("x", "x", "y", "x", "y"),
        systems=("a", "b", "a", "c", "b"),
        ratings={"relevance": np.array([5, 2, 1, NAN, 1])},
        scores={"m": np.array([0.1, 0.2, NAN, 0.3, 0.4])},
    )
    result = rated_pairs(cells, "relevance")
    rows = zip(result.document, result.first, result.second, result.choices, strict=True)
    assert list(rows) == [("x", "a", "b", 3), ("y", "a", "b", 0)]  # nobody rated c
    assert np.array_equal(result.differences()["m"], [0.1 - 0.2, NAN], equal_nan=True)
    assert set(result.annotators) == {None}
    assert len(rated_pairs(cells, "beauty")) == 0


def test_names_that_look_like_lists() -> None:
    assert to_name_column(["ab", "c", None]).tolist() == ["ab", "c", None]
    assert to_name_column([]).shape == (0,)


# --- read from a store --------------------------------------------------------------------------------------


@pytest.fixture
def filled(data_store: DataStore) -> DataStore:
    """Documents y and x, in this order; a's summary of x is not scored, b's of y has no value."""
    records = [
        (
            Document(key, f"source {key}", ("r",)),
            [Summary(key, s, f"{s} of {key}", {"fun": 2.5} if s == "a" else {}) for s in "ba"],
        )
        for key in "yx"
    ]
    data_store.add_dataset(name="R", format="x", sha256="", records=records)
    keys = {(e.document_id, e.system): key for key, e in data_store.unscored(dataset="R", signature="m|1")}
    values = {
        ("y", "a"): StoredScore(0.5, None),
        ("y", "b"): StoredScore(None, "why"),
        ("x", "b"): StoredScore(1, None),
    }
    data_store.add_scores(metric="m", signature="m|1", scores={keys[cell]: score for cell, score in values.items()})
    return data_store


def test_cells_of_a_data_set(filled: DataStore) -> None:
    cells = filled.cells("R")
    assert (cells.documents, cells.systems) == (("y", "y", "x", "x"), ("b", "a", "b", "a"))
    assert list(cells.ratings) == ["fun"]
    assert np.array_equal(cells.ratings["fun"], [NAN, 2.5, NAN, 2.5], equal_nan=True)
    assert np.array_equal(cells.scores["m|1"], [NAN, 0.5, 1, NAN], equal_nan=True)
    assert len(cells) == 4
    with pytest.raises(UnknownDataset):
        filled.cells("nothing")


def test_one_record(filled: DataStore) -> None:
    document, summaries = filled.record("R", "x")
    assert document.source == "source x"
    assert [summary.text for summary in summaries] == ["b of x", "a of x"]
    with pytest.raises(UnknownDocument, match="data set 'R' has no document 'z'"):
        filled.record("R", "z")


# --- ratings of each annotator ------------------------------------------------------------------------------------


def rated_cells(seed: int, people: int = 4) -> tuple[Cells, list[dict[str, dict[str, float]]]]:
    """Summaries that some of several people rated from 1 to 3, in the order of documents and systems."""
    random = np.random.default_rng(seed)
    keys = [(f"d{document}", f"s{system}") for document in range(6) for system in range(random.integers(1, 5))]
    given = [
        {f"a{number}": {"quality": float(random.integers(1, 4))} for number in range(people) if random.random() < 0.7}
        for _ in keys
    ]
    documents, systems = zip(*keys, strict=True)
    return Cells(documents, systems, {}, {"m": random.random(len(keys))}, collect_ratings(given)), given


@pytest.mark.parametrize("seed", range(5))
def test_each_annotator_makes_pairs_of_what_they_rated(seed: int) -> None:
    cells, given = rated_cells(seed)
    expected = {
        (cells.documents[number], cells.systems[number], cells.systems[other], name): np.sign(
            given[number][name]["quality"] - given[other][name]["quality"]
        )
        for number in range(len(cells))
        for other in range(number + 1, len(cells))
        if cells.documents[number] == cells.documents[other]
        for name in given[number].keys() & given[other].keys()
    }
    result = pairs_by_annotator(cells, "quality")
    entries = zip(result.document, result.first, result.second, result.annotators, strict=True)
    assert dict(zip(entries, result.choices, strict=True)) == expected
    assert len(result) == len(expected)
    places = {key: place for place, key in enumerate(zip(cells.documents, cells.systems, strict=True))}
    pairs = list(zip(result.documents, result.firsts, result.seconds, strict=True))
    assert len(set(pairs)) == len(pairs)
    for (document, first, second), both in zip(pairs, result.scores["m"], strict=True):
        assert both.tolist() == [cells.scores["m"][places[document, system]] for system in (first, second)]


def test_some_cells_keep_the_ratings_of_their_annotators() -> None:
    cells, given = rated_cells(1)
    some = [7, 2, 3]
    single = cells.at(some).single["quality"]
    expected = {(place, name): value["quality"] for place, at in enumerate(some) for name, value in given[at].items()}
    rows = zip(single.cell, single.annotator, single.value, strict=True)
    assert {(int(cell), single.names[who]): value for cell, who, value in rows} == expected


def test_without_single_ratings_there_are_no_pairs_by_annotator() -> None:
    cells = Cells(("d", "d"), ("a", "b"), {"quality": np.array([1.0, 2.0])}, {})
    assert len(pairs_by_annotator(cells, "quality")) == 0
    alone = Cells(("d",), ("a",), {}, {}, collect_ratings([{"Ann": {"quality": 3.0}}]))
    assert len(pairs_by_annotator(alone, "quality")) == 0
