import pytest

from relevance.data.importers import read_documents
from relevance.data.records import Document, Summary, make_examples
from relevance.summarizers.human import Reference, Title

TWO = Document("two", "Text.", (" First. ", "Second."), "Its title")
ONE = Document("one", "", ("Only.",))


@pytest.mark.parametrize(
    ("system", "expected"),
    [
        (Reference(1), [Summary("two", "reference:1", " First. "), Summary("one", "reference:1", "Only.")]),
        (Reference(2), [Summary("two", "reference:2", "Second.")]),
        (Reference(3), []),
        (Title(), [Summary("two", "title", "Its title")]),
    ],
)
def test_texts_are_copied_verbatim_where_a_document_has_them(system, expected):
    assert system.summarize([TWO, ONE]) == expected


@pytest.mark.parametrize("number", [0, -1])
def test_references_are_counted_from_1(number):
    with pytest.raises(ValueError, match=f"references are counted from 1, not {number}"):
        Reference(number)


def test_what_stands_as_a_system_is_not_what_it_is_measured_against():
    for example in make_examples(TWO, [*Reference(1).summarize([TWO]), *Title().summarize([TWO])]):
        assert (example.references, example.title) == (("Second.",), None)


def test_scitldr_has_fewer_second_references_than_documents(shared_data):
    documents = [document for document, _ in read_documents(shared_data / "scitldr" / "dev.jsonl")]
    several = [document.id for document in documents if len(document.references) > 1]
    assert 0 < len(several) < len(documents)
    assert [summary.document_id for summary in Reference(2).summarize(documents)] == several
    assert len(Title().summarize(documents)) == sum(document.title is not None for document in documents)
