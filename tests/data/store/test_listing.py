"""Lists of documents, which read the page that is shown."""

import pytest

from relevance.data.records import Document, Summary
from relevance.data.store import UnknownDataset

DOCUMENTS = [
    Document("b", "Storms came.", ("storm",), "The 100% Storm"),
    Document("a", ("Rain.", "Snow."), ("rain",)),
    Document("7", "Wind.", ("wind",), "A storm and its wind"),
    Document("c", "Sun.", ("sun",)),
]


@pytest.fixture
def store(data_store):
    records = [
        (item, [Summary(item.id, system, "A text.") for system in "xy"[:place]]) for place, item in enumerate(DOCUMENTS)
    ]
    for name, known in (("other", records[::-1]), ("set", records)):
        data_store.add_dataset(name=name, format="interchange", sha256="0" * 64, records=known)
    return data_store


def test_a_page_has_its_documents_in_order_and_how_many_summaries_they_have(store):
    assert store.listed("set", [2, 1, 9]) == [(1, DOCUMENTS[1], 1), (2, DOCUMENTS[2], 2)]
    assert store.listed("set", range(1)) == [(0, DOCUMENTS[0], 0)]
    assert store.listed("set", []) == []
    with pytest.raises(UnknownDataset):
        store.listed("none", [0])


def test_documents_are_known_by_their_ids(store):
    assert [store.position_of("set", key) for key in ("b", "7", "B", "")] == [0, 2, None, None]
    assert store.position_of("other", "b") == 3
    assert store.find_documents("set", ["c", "a", "B", "c"]) == {"a": DOCUMENTS[1], "c": DOCUMENTS[3]}
    assert store.find_documents("set", []) == {}
    with pytest.raises(UnknownDataset):
        store.find_documents("none", ["a"])


@pytest.mark.parametrize(
    ("wanted", "position"),
    [
        ("c", 3),
        (" c ", 3),
        ("7", 2),  # an id goes before a number
        ("1", 0),
        ("4", 3),
        ("-1", None),
        ("5", None),
        ("9" * 30, None),
        ("storm", 0),
        ("STORM wind", 2),
        ("100%", 0),
        ("%", 0),
        ("_", None),
        ("snow", None),  # the text has it, the title has not
        ("", None),
        ("  ", None),
    ],
)
def test_documents_are_found_by_id_number_or_words_of_the_title(store, wanted, position):
    assert store.find_position("set", wanted) == position
