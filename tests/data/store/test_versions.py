"""What is counted of a data set follows every change, whoever makes it, and parts come to the whole."""

import numpy as np
import pytest
from sqlalchemy import ColumnElement, Engine, func, select
from sqlalchemy.orm import Session

from relevance.data.database import connect
from relevance.data.records import Document, Summary
from relevance.data.store import DataStore, StoredScore, StoredSignature, UnknownDataset, versions
from relevance.data.store.datasets import find_dataset
from relevance.data.tables import DocumentRow

Records = list[tuple[Document, list[Summary]]]


def make_records(start: int, end: int) -> Records:
    return [
        (
            Document(f"d{n}", f"Source {n}.", (f"Reference {n}.", *(["Another."] if n % 2 else []))),
            [Summary(f"d{n}", system, f"{n % 3} by {system}.", {"fluency": float(n)}) for system in "ab"],
        )
        for n in range(start, end)
    ]


@pytest.fixture
def url(database_url: str) -> str:
    return database_url


@pytest.fixture
def store(url: str) -> DataStore:
    store = DataStore(connect(url))
    store.add_dataset(name="set", format="interchange", sha256="0" * 64, records=make_records(0, 7))
    return store


def score(store: DataStore, signature: str, *, leave: int = 0) -> None:
    keys = sorted(store.examples("set"))[leave:]
    scores = {key: StoredScore(n / 7, None, truncated=n % 2 == 0) for n, key in enumerate(keys)}
    store.add_scores(metric="rouge1", signature=signature, scores=scores)


def test_counts_follow_every_change_by_another_process(store: DataStore, url: str) -> None:
    other = DataStore(connect(url))
    assert (store.dataset("set").summaries, store.signatures("set"), store.count_single_texts("set")) == (14, [], 4)
    score(other, "rouge1|a", leave=1)
    (result,) = store.signatures("set")
    assert (result.signature, result.scored) == ("rouge1|a", 13)
    score(other, "rouge1|a")
    score(other, "rouge1|b", leave=9)
    assert [(signature.signature, signature.scored) for signature in store.signatures("set")] == [
        ("rouge1|a", 14),
        ("rouge1|b", 5),
    ]
    other.add_summaries(dataset="set", summaries=[Summary(f"d{n}", "c", "By c.", {}) for n in range(7)])
    assert store.dataset("set").systems == ("a", "b", "c")
    other.rename_dataset("set", "new")
    assert [dataset.name for dataset in store.datasets()] == ["new"]
    with pytest.raises(UnknownDataset):
        store.signatures("set")
    deleted = other.delete_dataset("new")
    with pytest.raises(UnknownDataset):
        store.dataset("new")
    other.restore_dataset(deleted)
    assert store.dataset("new").summaries == 21
    assert [signature.scored for signature in store.signatures("new")] == [14, 5]


def test_parts_come_to_the_whole(store: DataStore, monkeypatch: pytest.MonkeyPatch) -> None:
    score(store, "rouge1|b", leave=9)
    score(store, "rouge1|a", leave=1)
    whole = store.cells("set"), store.records("set"), store.signatures("set"), store.count_single_texts("set")
    versions.KEPT.clear()
    monkeypatch.setattr(versions, "PART", 3)
    cells, records, signatures, single = (
        store.cells("set"),
        store.records("set"),
        store.signatures("set"),
        store.count_single_texts("set"),
    )
    assert (records, signatures, single) == whole[1:]
    assert (cells.documents, cells.systems) == (whole[0].documents, whole[0].systems)
    assert list(cells.scores) == list(whole[0].scores) == ["rouge1|b", "rouge1|a"]
    for name, values in whole[0].scores.items():
        np.testing.assert_array_equal(cells.scores[name], values)
    np.testing.assert_array_equal(cells.ratings["fluency"], whole[0].ratings["fluency"])


def test_what_changes_between_two_parts_is_read_again(
    store: DataStore, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(versions, "PART", 3)
    other, parts = DataStore(connect(url)), []

    def read(session: Session, chosen: ColumnElement[bool]) -> int:
        parts.append(session.scalar(select(func.count(DocumentRow.id)).where(chosen)))
        if len(parts) == 1:
            session.rollback()  # the other may write
            other.rename_dataset("set", "renamed")
            other.rename_dataset("renamed", "set")
        return parts[-1]

    assert store.read_in_parts(lambda session: find_dataset(session, "set").id, read) == [7]
    assert parts == [3, 3, 1, 7]


def test_a_count_that_is_overtaken_is_not_kept(store: DataStore, engine_of_another: Engine) -> None:
    other = DataStore(engine_of_another)

    def count_late(name: str) -> int:
        summaries = store.dataset(name).summaries
        score(other, f"rouge1|{summaries}|{len(store.signatures(name))}")
        return summaries

    assert store.keep(("scores",), "set", count_late) == 14
    assert len(store.signatures("set")) == 1
    assert store.keep(("scores",), "set", count_late) == 14
    assert [signature for signature in store.signatures("set") if isinstance(signature, StoredSignature)][
        1
    ].signature == "rouge1|14|1"


@pytest.fixture
def engine_of_another(store: DataStore, url: str) -> Engine:
    return connect(url)
