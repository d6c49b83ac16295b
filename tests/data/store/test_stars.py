"""Starred examples and their notes, on SQLite and PostgreSQL."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import func, select

from relevance.data.records import Document, Summary
from relevance.data.store import DataStore, StarredExample, StoreError, UnknownDataset, UnknownDocument
from relevance.data.tables import StarRow

RECORDS = [
    (Document(key, "Red cars. Blue cars.", ("red",)), [Summary(key, system, f"{system} cars") for system in "xyz"])
    for key in ("b", "a", " é")
]


@pytest.fixture
def store(data_store: DataStore) -> DataStore:
    for name in ("set", "other"):
        data_store.add_dataset(name=name, format="interchange", sha256="0" * 64, records=RECORDS)
    return data_store


def count(store: DataStore) -> int:
    with store.reading() as session:
        return session.scalar(select(func.count()).select_from(StarRow)) or 0


def test_stars_come_in_the_order_of_the_documents_with_sorted_systems(store: DataStore) -> None:
    store.star(dataset="set", document=" é", systems=("x", "y"))
    store.star(dataset="set", document="a", systems=("z", "x"), note="why?")
    store.star(dataset="set", document="b", systems=("y", "x"))
    assert store.starred("set") == (
        StarredExample("b", ("x", "y"), ""),
        StarredExample("a", ("x", "z"), "why?"),
        StarredExample(" é", ("x", "y"), ""),
    )
    assert store.starred("other") == ()


def test_a_note_stays_until_another_takes_its_place(store: DataStore) -> None:
    for note, kept in (("first", "first"), (None, "first"), ("second", "second"), ("", "")):
        store.star(dataset="set", document="a", systems=("y", "x"), note=note)
        assert store.starred("set") == (StarredExample("a", ("x", "y"), kept),)
    store.unstar(dataset="set", document="a", systems=("x", "y"))
    store.unstar(dataset="set", document="a", systems=("x", "y"))
    assert store.starred("set") == ()


@pytest.mark.parametrize(
    ("note", "kept"),
    [
        ("  two\n lines\t", "two lines"),
        ("<script>alert(1)</script> **x** é 漢", "<script>alert(1)</script> **x** é 漢"),
        ("nul \0, \x1b[31m, \u202e", "nul [U+0000], [U+001B][31m, [U+202E]"),
        ("half \ud800", "half ?"),
        ("x" * 500, "x" * 500),
    ],
)
def test_a_note_is_a_line_of_text(store: DataStore, note: str, kept: str) -> None:
    store.star(dataset="set", document="a", systems=("x", "y"), note=note)
    assert store.starred("set")[0].note == kept


def test_what_is_refused_leaves_nothing_behind(store: DataStore) -> None:
    with pytest.raises(StoreError, match="at most 500 characters, this one has 501"):
        store.star(dataset="set", document="a", systems=("x", "y"), note="x" * 501)
    with pytest.raises(UnknownDocument, match="data set 'set' has no document 'c'"):
        store.star(dataset="set", document="c", systems=("x", "y"))
    for refused in (store.star, store.unstar):
        with pytest.raises(UnknownDataset):
            refused(dataset="none", document="a", systems=("x", "y"))
    with pytest.raises(UnknownDataset):
        store.starred("none")
    assert count(store) == 0


def test_many_star_at_once(store: DataStore) -> None:
    def star(number: int) -> None:
        store.star(dataset="set", document="a", systems=("xy", "yx")[number % 2], note="same")

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(star, range(16)))
    assert store.starred("set") == (StarredExample("a", ("x", "y"), "same"),)


def test_a_data_set_takes_its_stars_along_and_brings_them_back(store: DataStore) -> None:
    for document, note in (("a", "why?"), ("b", "")):
        store.star(dataset="set", document=document, systems=("x", "y"), note=note)
    store.star(dataset="other", document="a", systems=("x", "y"), note="stays")
    before = store.starred("set")
    deleted = store.delete_dataset("set")
    assert count(store) == 1
    store.restore_dataset(deleted)
    assert store.starred("set") == before
    store.rename_dataset("set", "renamed")
    assert store.starred("renamed") == before
