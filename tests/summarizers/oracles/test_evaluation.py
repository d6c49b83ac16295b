"""All oracles over documents, in one process and in several, and the figures made of the rows."""

import statistics as plain
from math import sqrt
from pathlib import Path

import numpy as np
import pandas
import pytest
import scipy.stats

from relevance.data.importers import read_documents
from relevance.data.records import Document
from relevance.data.store import StoredBound, UnknownDataset
from relevance.metrics.text import count_words
from relevance.summarizers.base import REFERENCE_LENGTH, SummaryLength
from relevance.summarizers.oracles import BY_DEFAULT, Target, evaluation, find_extract
from relevance.summarizers.oracles.evaluation import (
    OTHER_SCRIPT,
    OracleRow,
    OracleTask,
    evaluate,
    evaluate_stored,
    summarize_algorithms,
    why_left_out,
)
from relevance.summarizers.sentences import sentences_of
from tests.summarizers.oracles.loading import load_evaluation

ROOT = Path(__file__).resolve().parents[3]


def row(document, algorithm, f1, *, sentences=1, bound=None, proven=False, seconds=1.0):
    return OracleRow(document, algorithm, f1, tuple(range(sentences)), 0, bound, proven, seconds)


@pytest.fixture(scope="module")
def articles(shared_data):
    return [document for document, _ in read_documents(shared_data / "summeval.jsonl", "interchange")][:8]


def untimed(evaluation):
    return [row._replace(seconds=0.0) for row in evaluation.rows], evaluation.left_out


# --- rows --------------------------------------------------------------------------------------------------------


def test_rows_are_what_the_searches_find(articles):
    task = OracleTask(Target(2, "set", "first"), ("greedy", "genetic", "exact"), seed=3)
    rows = evaluate(articles[:3], task, processes=0).rows
    assert [(r.document_id, r.algorithm) for r in rows] == [(d.id, a) for d in articles[:3] for a in task.algorithms]
    for document, row in zip([d for d in articles[:3] for _ in task.algorithms], rows, strict=True):
        solution = find_extract(document, task.target, row.algorithm, seed=3).solution
        assert (row.f1, row.places, row.bound, row.proven) == (
            *solution[1::-1],
            solution.bound,
            solution.proven,
        )
        assert row.seconds > 0


@pytest.mark.smoke
@pytest.mark.process
def test_several_processes_find_the_same_and_tell_how_far_they_are(articles):
    task = OracleTask(Target(references="first"))
    documents = [*articles[:4], Document("bare", "", ("r",))]
    told, alone = [], []
    several = evaluate(documents, task, processes=2, progress=lambda *done: told.append(done))
    first = evaluate(documents, task, processes=0, progress=lambda *done: alone.append(done))
    assert untimed(several) == untimed(first)
    assert several.left_out == ("bare",)
    assert alone == [(done, 5) for done in range(6)]
    assert list(dict.fromkeys(told)) == alone  # while one waits it is said again
    assert {row.algorithm for row in first.rows} == set(BY_DEFAULT)


def test_what_is_left_out():
    documents = [
        Document("ok", "Red cars.", ("red",)),
        Document("empty", "", ("red",)),
        Document("no reference", "Red cars.", ()),
        Document("no token", "Red cars.", ("...",)),
        Document("nothing shared", "Red cars.", ("blue",)),
    ]
    result = evaluate(documents, processes=0)
    assert result.left_out == ("empty", "no reference", "no token")
    assert {r.f1 for r in result.rows if r.document_id == "nothing shared"} == {0.0}
    assert evaluate([]) == ((), ())


def test_lengths_are_kept(articles):
    for length in (SummaryLength(1), REFERENCE_LENGTH):
        rows = evaluate(articles[:3], OracleTask(Target(references="first"), length=length), processes=0).rows
        assert len(rows) == 3 * len(BY_DEFAULT)
        for row in rows:
            document = next(d for d in articles if d.id == row.document_id)
            words = sum(count_words(sentences_of(document)[place]) for place in row.places)
            assert len(row.places) <= 1 if length == SummaryLength(1) else words <= count_words(document.references[0])
    bare = Document("bare", "Red cars.", (" ", "red"))
    assert evaluate([bare], OracleTask(length=REFERENCE_LENGTH), processes=0).left_out == ("bare",)


@pytest.mark.parametrize(
    ("task", "processes", "message"),
    [
        (OracleTask(algorithms=("best",)), 1, "algorithm must be one of greedy, .*, not 'best'"),
        (OracleTask(Target(references="mean")), 1, "references must be one of max, first, not 'mean'"),
        (OracleTask(length=SummaryLength(0)), 1, "a summary has at least 1 sentence, not 0"),
        (OracleTask(), -1, "the number of processes must be at least 0, not -1"),
    ],
)
def test_what_is_refused(task, processes, message):
    with pytest.raises(ValueError, match=message):
        evaluate([Document("d", "A.", ("a",))], task, processes=processes)


@pytest.mark.process
def test_a_stopped_evaluation_ends_its_processes(articles):
    def stop(done, total):
        if done == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evaluate(articles, OracleTask(algorithms=("greedy",)), processes=2, progress=stop)


# --- data sets ---------------------------------------------------------------------------------------------------

WRITTEN = [
    Document("b", "Red cars drive. Blue cars stand. A cat sleeps.", ("red cars and a cat", "blue")),
    Document("empty", "", ("red",)),
    Document("a", ("Two dogs bark.", "Two dogs bark.", "It rains."), ("dogs bark", "it rains and dogs bark")),
    Document("c", "Snow falls. Nobody walks.", ("nobody", "snow")),
    Document("no token", "Red cars.", ("...",)),
    Document("d", "The end.", ("nothing shared",)),
]
WITH_ORACLE = ["b", "a", "c", "d"]
FAST = OracleTask(algorithms=("greedy", "genetic", "exact"))


@pytest.fixture
def store(data_store):
    records = [(document, []) for document in WRITTEN]
    data_store.add_dataset(name="set", format="interchange", sha256="0" * 64, records=records)
    return data_store


@pytest.fixture
def searches(monkeypatch):
    """What is searched from now on: documents and algorithms."""
    evaluation.load_libraries()
    arguments = []

    def counted(document, target, algorithm, **settings):
        if result := find_extract(document, target, algorithm, **settings):
            arguments.append((document.id, algorithm))
        return result

    monkeypatch.setattr(evaluation, "find_extract", counted)
    return arguments


def all_of(documents, task=FAST):
    return [(document, algorithm) for document in documents for algorithm in task.algorithms]


@pytest.mark.process
@pytest.mark.parametrize("processes", [0, 2])
def test_a_data_set_has_the_rows_of_its_documents(store, processes):
    told = []
    result = evaluate_stored(store, "set", FAST, processes=processes, progress=lambda *done: told.append(done))
    assert untimed(result) == untimed(evaluate(WRITTEN, FAST, processes=0))
    assert result.left_out == ("empty", "no token")
    assert list(dict.fromkeys(told)) == [(done, 6) for done in range(7)]
    # Stored to the last bit, and whether they are proven follows.
    assert load_evaluation(store, "set", FAST) == (result.rows, ())
    assert {row.proven for row in result.rows if row.algorithm == "exact"} == {True}


def test_nothing_is_searched_twice(store, searches):
    first = evaluate_stored(store, "set", FAST, processes=0)
    assert searches == all_of(WITH_ORACLE)
    told = []
    again = evaluate_stored(store, "set", FAST, processes=0, progress=lambda *done: told.append(done))
    assert again == first
    assert len(searches) == len(all_of(WITH_ORACLE))
    assert told == [(4, 6), (5, 6), (6, 6)]  # what has no oracle is asked again, which takes no search


def test_what_another_run_stored_first_is_what_is_told(store):
    other = StoredBound(0.125, (0,), 0, 1.0, 60.0)

    def meanwhile(done, total):
        if not done:
            store.add_bounds(dataset="set", signature=FAST.signatures["exact"], bounds={"c": other})

    told = evaluate_stored(store, "set", FAST, processes=0, progress=meanwhile)
    assert told.rows == load_evaluation(store, "set", FAST).rows
    assert [row.f1 for row in told.rows if (row.document_id, row.algorithm) == ("c", "exact")] == [other.f1]


@pytest.mark.parametrize("stop", [ValueError("enough"), KeyboardInterrupt()])
def test_a_stopped_run_goes_on_where_it_stopped(store, searches, stop):
    def stop_after_two(done, total):
        if done == 3:  # b, the empty one, a
            raise stop

    with pytest.raises(type(stop)):
        evaluate_stored(store, "set", FAST, processes=0, progress=stop_after_two)
    begun = load_evaluation(store, "set", FAST)
    assert [(row.document_id, row.algorithm) for row in begun.rows] == all_of(["b", "a"])
    begun_searches = searches.copy()
    assert set(begun_searches) == set(all_of(["b", "a"]))
    told = []
    whole = evaluate_stored(store, "set", FAST, processes=0, progress=lambda *done: told.append(done))
    assert told[0] == (2, 6)
    assert searches == [*begun_searches, *all_of(["c", "d"])]  # none twice
    assert untimed(whole) == untimed(evaluate(WRITTEN, FAST, processes=0))
    assert whole.rows[: len(begun.rows)] == begun.rows  # with the seconds that they took then


@pytest.mark.process
def test_a_run_of_several_processes_keeps_what_came_in_before_it_was_stopped(store):
    def stop_after_two(done, total):
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evaluate_stored(store, "set", FAST, processes=2, progress=stop_after_two)
    assert [row.document_id for row in load_evaluation(store, "set", FAST).rows] == ["b"] * 3 + ["a"] * 3


def test_rows_are_on_disk_while_the_run_goes_on(store, monkeypatch):
    monkeypatch.setattr(evaluation, "EVERY", 0)
    seen = []
    evaluate_stored(
        store,
        "set",
        FAST,
        processes=0,
        progress=lambda done, _: seen.append(
            len({row.document_id for row in load_evaluation(store, "set", FAST).rows})
        ),
    )
    assert seen == [0, 1, 1, 2, 3, 3, 4]  # at first, then after each document


def test_what_a_broken_off_write_left_is_searched_again(store, searches, monkeypatch):
    add = store.add_bounds

    def broken(*, signature, **given):
        if "genetic" in signature:
            raise OSError("the disk is full")
        add(signature=signature, **given)

    monkeypatch.setattr(store, "add_bounds", broken)
    with pytest.raises(OSError, match="full"):
        evaluate_stored(store, "set", FAST, processes=0)
    monkeypatch.setattr(store, "add_bounds", add)
    assert load_evaluation(store, "set", FAST).rows == ()  # no document has all three
    searches.clear()
    evaluate_stored(store, "set", FAST, processes=0)
    assert {algorithm for _, algorithm in searches} == {"genetic", "exact"}  # greedy was written before


def test_only_what_is_asked_for_and_not_there_is_searched(store, searches):
    evaluate_stored(store, "set", FAST._replace(algorithms=("greedy",)), first=3, processes=0)
    assert searches == [("b", "greedy"), ("a", "greedy")]
    result = evaluate_stored(store, "set", FAST, first=4, processes=0)
    assert searches[2:] == [("b", "genetic"), ("b", "exact"), ("a", "genetic"), ("a", "exact"), *all_of(["c"])]
    assert [(row.document_id, row.algorithm) for row in result.rows] == all_of(["b", "a", "c"])
    assert result.left_out == ("empty",)
    assert load_evaluation(store, "set", FAST, first=1).rows == result.rows[:3]
    # In the order in which they are asked for.
    turned = load_evaluation(store, "set", FAST._replace(algorithms=("exact", "greedy")))
    assert [row.algorithm for row in turned.rows[:2]] == ["exact", "greedy"]


@pytest.mark.parametrize(
    ("other", "searched_again"),
    [
        (FAST._replace(seed=1), {"genetic"}),
        (FAST._replace(seconds=1.0), {"exact"}),
        (FAST._replace(length=SummaryLength(1)), {"greedy", "genetic", "exact"}),
        (FAST._replace(target=Target(2)), {"greedy", "genetic", "exact"}),
        (FAST._replace(target=Target(tokenizer="unicode")), {"greedy", "genetic", "exact"}),
    ],
)
def test_results_of_other_settings_do_not_mix(store, searches, other, searched_again):
    evaluate_stored(store, "set", FAST, processes=0)
    searches.clear()
    assert load_evaluation(store, "set", other).rows == ()
    evaluate_stored(store, "set", other, processes=0)
    assert {algorithm for _, algorithm in searches} == searched_again


def test_what_was_stored_unproven_stays_unproven(store):
    signature = FAST.signatures["exact"]
    bounds = {"b": StoredBound(0.5, (0,), 1, 0.75, 60.0), "c": StoredBound(0.5, (0,), 0, 0.5, 60.0)}
    store.add_bounds(dataset="set", signature=signature, bounds=bounds)
    evaluation = load_evaluation(store, "set", OracleTask(algorithms=("exact",)))
    assert [(row.document_id, row.proven, row.bound) for row in evaluation.rows] == [
        ("b", False, 0.75),
        ("c", True, 0.5),
    ]


def test_data_sets_that_there_are_not_and_options_that_there_are_not(store):
    with pytest.raises(UnknownDataset, match="no data set 'none'"):
        evaluate_stored(store, "none", FAST)
    with pytest.raises(ValueError, match="algorithm must be one of"):
        evaluate_stored(store, "set", OracleTask(algorithms=("best",)))


def test_why_documents_have_no_oracle():
    first, words = OracleTask(Target(references="first")), OracleTask(length=REFERENCE_LENGTH)
    no_first = Document("x", "A cat.", (" ", "cat"))
    for document, task, why in (
        (WRITTEN[1], FAST, "the document has no sentence"),
        (WRITTEN[4], FAST, "it has no reference with a word"),
        (Document("x", "猫", ("猫",)), FAST, OTHER_SCRIPT),
        (no_first, first, "it has no reference with a word"),
        (no_first, words, "its first reference, which gives the length, has no word"),
    ):
        assert evaluate([document], task, processes=0).left_out == (document.id,)
        assert why_left_out(document, task) == why
    assert evaluate([no_first], FAST, processes=0).left_out == ()


# --- figures -----------------------------------------------------------------------------------------------------


def test_figures_by_hand():
    rows = [
        row("a", "greedy", 0.2, sentences=1, seconds=1.0),
        row("a", "exact", 0.5, sentences=2, bound=0.5, proven=True),
        row("b", "greedy", 0.4, sentences=2, seconds=3.0),
        row("b", "exact", 0.6, sentences=2, bound=0.9),
        row("c", "greedy", 0.6, sentences=6, seconds=2.0),
        row("c", "exact", 0.7, sentences=5, bound=0.7, proven=True),
    ]
    greedy, exact = summarize_algorithms(rows)
    assert (greedy.algorithm, greedy.documents) == ("greedy", 3)
    assert (exact.algorithm, exact.documents) == ("exact", 3)
    assert (greedy.mean, greedy.std) == (pytest.approx(0.4), pytest.approx(0.2))  # squares .04 + 0 + .04, over 2
    assert greedy[4:9] == pytest.approx((0.2, 0.3, 0.4, 0.5, 0.6))
    assert greedy.variation == pytest.approx(0.5)
    # t of 2 degrees of freedom at .975 is 4.302653; .4 - 4.302653 * .2 / sqrt(3) is below 0
    assert (greedy.low, greedy.high) == pytest.approx((0.0, 0.4 + 4.302653 * 0.2 / sqrt(3)))
    assert greedy.sentences == 3
    assert greedy.gap == pytest.approx((0.3 + 0.1) / 2)  # b is not proven
    assert (greedy.proven, exact.proven, exact.gap) == (None, pytest.approx(2 / 3), 0.0)
    assert (greedy.at_optimum, exact.at_optimum) == (0.0, 1.0)
    assert (greedy.seconds, greedy.longest) == (2.0, 3.0)
    assert (greedy.unproven, greedy.bound) == (None, None)
    assert (exact.unproven, exact.bound) == (1, pytest.approx((0.5 + 0.9 + 0.7) / 3))


def test_who_reaches_the_optimum():
    """Only where it is proven, and to within what the solver tells apart."""
    reached = {"a": 0.5, "b": 0.5 - 5e-7, "c": 0.4, "d": 0.7}
    optima = [row(key, "exact", 0.5, bound=0.5, proven=True) for key in "abc"]
    rows = [*(row(key, "vns", f1) for key, f1 in reached.items()), *optima, row("d", "exact", 0.7, bound=0.9)]
    vns, exact = summarize_algorithms(rows)
    assert (vns.at_optimum, exact.at_optimum) == (pytest.approx(2 / 3), 1.0)
    assert summarize_algorithms(rows[:4])[0].at_optimum is None


def test_intervals_stay_where_f1_is():
    [high] = summarize_algorithms([row(key, "greedy", f1) for key, f1 in (("a", 0.5), ("b", 0.9), ("c", 0.95))])
    assert high.low == pytest.approx(high.mean - 4.302653 * high.std / sqrt(3))
    assert high.high == 1.0


@pytest.mark.process
def test_figures_are_those_of_other_libraries(articles):
    rows = evaluate(articles, OracleTask(Target(references="first")), processes=0).rows
    for algorithm in summarize_algorithms(rows):
        f1 = [r.f1 for r in rows if r.algorithm == algorithm.algorithm]
        described = pandas.Series(f1).describe()
        assert [algorithm.documents, *algorithm[2:9]] == pytest.approx(described.tolist())
        assert algorithm.variation == pytest.approx(scipy.stats.variation(f1, ddof=1))
        interval = scipy.stats.t.interval(0.95, len(f1) - 1, plain.mean(f1), scipy.stats.sem(f1))
        assert (algorithm.low, algorithm.high) == pytest.approx(interval)
        assert algorithm.gap == pytest.approx(
            np.mean([r.f1 for r in rows if r.algorithm == "exact"]) - algorithm.mean, abs=1e-12
        )


def test_few_documents():
    [single] = summarize_algorithms([row("a", "vns", 0.5)])
    assert (single.mean, single.minimum, single.maximum) == (0.5, 0.5, 0.5)
    assert (single.std, single.variation, single.low, single.high, single.gap, single.at_optimum) == (None,) * 6
    [zero] = summarize_algorithms([row("a", "vns", 0.0), row("b", "vns", 0.0)])
    assert (zero.mean, zero.std, zero.variation, zero.low) == (0, 0, None, 0)
    assert summarize_algorithms([]) == []
