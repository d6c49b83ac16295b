"""What oracles reached, as it is stored: on SQLite and PostgreSQL."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import func, select, text
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from relevance.data.records import Document
from relevance.data.store import StoredBound, UnknownDataset, UnknownDocument
from relevance.data.tables import BoundRow, DocumentRow

RECORDS = [(Document(key, "Red cars. Blue cars.", ("red",)), []) for key in ("b", "a", " é")]
EXACT, GREEDY = "oracle|algorithm:exact", "oracle|algorithm:greedy"
FOUND = {
    "a": StoredBound(1 / 3, (0, 7, 12), 2, 0.1 + 0.2, 1e-7),
    "b": StoredBound(0.0, (), 0, 0.0, 61.5),
    " é": StoredBound(1.0, (1,), 0, None, 0.25),
}


@pytest.fixture
def store(data_store):
    for name in ("set", "other"):
        data_store.add_dataset(name=name, format="interchange", sha256="0" * 64, records=RECORDS)
    return data_store


def count(store):
    with Session(store.engine) as session:
        return session.scalar(select(func.count()).select_from(BoundRow))


def test_bounds_come_back_as_they_were_in_the_order_of_the_documents(store):
    store.add_bounds(dataset="set", signature=EXACT, bounds=FOUND)
    bounds = store.bounds(dataset="set", signature=EXACT)
    assert bounds == FOUND  # to the last bit of every float
    assert list(bounds) == ["b", "a", " é"]
    assert store.bounds(dataset="set", signature=GREEDY) == store.bounds(dataset="other", signature=EXACT) == {}


def test_what_is_there_stays(store):
    store.add_bounds(dataset="set", signature=EXACT, bounds={"a": FOUND["a"]})
    later = {key: value._replace(f1=0.5) for key, value in FOUND.items()}
    store.add_bounds(dataset="set", signature=EXACT, bounds=later)
    store.add_bounds(dataset="set", signature=GREEDY, bounds=later)
    assert store.bounds(dataset="set", signature=EXACT) == later | {"a": FOUND["a"]}
    assert store.bounds(dataset="set", signature=GREEDY) == later
    store.add_bounds(dataset="set", signature=GREEDY, bounds={})
    assert count(store) == 6


def test_one_document_is_asked_for_and_those_that_are_done_are_counted(store):
    assert store.bound(dataset="set", document_id="a", signature=EXACT) is None
    store.add_bounds(dataset="set", signature=EXACT, bounds=FOUND)
    store.add_bounds(dataset="set", signature=GREEDY, bounds={"a": FOUND["b"]})
    store.add_bounds(dataset="other", signature=GREEDY, bounds=FOUND)
    assert store.bound(dataset="set", document_id="a", signature=EXACT) == FOUND["a"]
    assert store.bound(dataset="set", document_id="b", signature=GREEDY) is None
    assert store.count_bounds(dataset="set", signatures=[EXACT]) == 3
    assert store.count_bounds(dataset="set", signatures=[EXACT, GREEDY]) == 1
    assert store.count_bounds(dataset="other", signatures=[EXACT, GREEDY]) == 0


def test_what_is_refused_leaves_nothing_behind(store):
    with pytest.raises(UnknownDocument, match="data set 'set' has no document 'c'"):
        store.add_bounds(dataset="set", signature=EXACT, bounds={"a": FOUND["a"], "c": FOUND["b"]})
    with pytest.raises(UnknownDataset, match="there is no data set 'none'; there are other, set"):
        store.add_bounds(dataset="none", signature=EXACT, bounds={})
    with pytest.raises(UnknownDataset):
        store.bounds(dataset="none", signature=EXACT)
    assert count(store) == 0


def test_the_database_keeps_one_a_document_and_signature(store):
    with Session(store.engine) as session:
        first = session.scalar(select(DocumentRow.id))
        values = {"signature": EXACT, "f1": 0.5, "sentences": [0], "reference": 0, "seconds": 1.0}
        session.add(BoundRow(document_id=first, **values))
        session.commit()
        for row in (BoundRow(document_id=first, **values), BoundRow(document_id=999, **values)):
            session.add(row)
            with pytest.raises(IntegrityError):
                session.commit()
            session.rollback()


def test_long_signatures_are_kept(store):
    store.add_bounds(dataset="set", signature="x" * 1000, bounds=FOUND)
    assert store.bounds(dataset="set", signature="x" * 1000) == FOUND


def test_many_write_at_once(store):
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: store.add_bounds(dataset="set", signature=EXACT, bounds=FOUND), range(16)))
    assert store.bounds(dataset="set", signature=EXACT) == FOUND
    assert count(store) == 3


def test_another_connection_sees_what_was_added(store):
    store.add_bounds(dataset="set", signature=EXACT, bounds=FOUND)
    store.engine.dispose()
    with store.engine.connect() as connection:
        assert connection.scalar(text("SELECT count(*) FROM bounds WHERE bound IS NULL")) == 1
