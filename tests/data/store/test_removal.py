"""Data sets renamed, deleted and brought back."""

import pytest
from sqlalchemy import func, select

from relevance.annotation.records import StudySpec
from relevance.annotation.store import AnnotationStore
from relevance.data.records import Document, Summary
from relevance.data.store import (
    DatasetExists,
    DatasetInUse,
    DataStore,
    RunGoingOn,
    StoredBound,
    StoredScore,
    StoreError,
    UnknownDataset,
)
from relevance.data.tables import BoundRow, DocumentRow, RunRow, SummaryRow
from relevance.data.training_history import TrainingEntry

RECORDS = [
    (
        Document("b", ("One.", "Two\u2028."), ("ref one", "ref two"), "A title"),
        [Summary("b", "bart", "sum é", {"relevance": 4.3}), Summary("b", "t5", "")],
    ),
    (Document("a", "Text.", ("ref",)), []),
]


@pytest.fixture
def store(data_store: DataStore) -> DataStore:
    data_store.add_dataset(name="set", format="csv", sha256="0" * 64, records=RECORDS)
    data_store.add_summaries(dataset="set", summaries=[Summary("a", "lead", "Text.")], signature="lead|k:3")
    (example, *_) = data_store.examples("set")
    data_store.add_scores(metric="m", signature="m|1", scores={example: StoredScore(0.5, None)})
    bounds = {"a": StoredBound(0.5, (0,), 0, None, 0.1)}
    data_store.add_bounds(dataset="set", signature="exact|1", bounds=bounds)
    data_store.keep_history(dataset="set", system="bart", history=[TrainingEntry(3, 1.0, 2.5, 3e-5, 9.0)])
    run = data_store.start_run(dataset="set", metrics=["m"])
    data_store.end_run(run.id)
    return data_store


def rows(store: DataStore) -> list[int]:
    with store.reading() as session:
        tables = (DocumentRow, SummaryRow, BoundRow, RunRow)
        return [session.scalar(select(func.count()).select_from(table)) or 0 for table in tables]


def test_what_is_deleted_is_gone_and_comes_back_whole(store: DataStore) -> None:
    def known() -> object:
        bounds = store.bounds(dataset="set", signature="exact|1")
        lead = store.summarized(dataset="set", system="lead", signature="lead|k:3")
        stored = store.dataset("set"), store.records("set"), store.signatures("set"), store.histories("set")
        return *stored, bounds, lead

    before = known()
    deleted = store.delete_dataset("set")
    assert rows(store) == [0, 0, 0, 0]
    with pytest.raises(UnknownDataset):
        store.dataset("set")
    store.restore_dataset(deleted)
    assert known() == before
    assert store.last_run("set") is None  # what was going on then is of no use


def test_a_name_that_was_taken_meanwhile_is_refused(store: DataStore) -> None:
    deleted = store.delete_dataset("set")
    store.add_dataset(name="set", format="csv", sha256="1" * 64, records=RECORDS[1:])
    with pytest.raises(DatasetExists, match="again; rename that first"):
        store.restore_dataset(deleted)
    assert store.dataset("set").documents == 1


def test_what_studies_are_made_of_stays(store: DataStore) -> None:
    store.add_summaries(dataset="set", summaries=[Summary("a", "b", "Other text.")])
    AnnotationStore(store.engine).create_study(StudySpec(name="s", dataset="set", rule="all"))
    before = rows(store)
    with pytest.raises(DatasetInUse, match="depend on the data set 'set'; it stays"):
        store.delete_dataset("set")
    assert rows(store) == before


def test_what_is_being_scored_stays(store: DataStore) -> None:
    run = store.start_run(dataset="set", metrics=["m"])
    with pytest.raises(RunGoingOn, match="cancel that first"):
        store.delete_dataset("set")
    assert store.cancel_run(run.id)
    assert store.run(run.id).state == "failed"
    assert not store.cancel_run(run.id)  # it is over
    store.delete_dataset("set")


def test_a_data_set_is_renamed(store: DataStore) -> None:
    store.rename_dataset("set", " other ")
    assert store.dataset("other").documents == 2
    store.rename_dataset("other", "other")
    store.add_dataset(name="third", format="csv", sha256="1" * 64, records=[])
    for new, error in (("third", DatasetExists), ("", StoreError)):
        with pytest.raises(error):
            store.rename_dataset("other", new)
    with pytest.raises(UnknownDataset):
        store.rename_dataset("set", "fourth")


def test_documents_with_one_text_are_counted(store: DataStore) -> None:
    assert store.count_single_texts("set") == 1  # "a" has one reference and no title
    store.add_summaries(dataset="set", summaries=[Summary("b", "reference:1", "ref one"), Summary("b", "title", "x")])
    assert store.count_single_texts("set") == 2  # of "b", too, there is one left
