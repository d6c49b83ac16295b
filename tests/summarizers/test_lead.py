import pytest

from relevance.data.importers import read_documents
from relevance.data.records import Document
from relevance.summarizers.base import REFERENCE_LENGTH, SummaryLength
from relevance.summarizers.lead import Lead
from relevance.summarizers.textrank import TextRank

FIVE = ("One.", "Two.", "Three.", "Four.", "Five.")


@pytest.mark.parametrize(
    ("sentences", "source", "expected"),
    [
        (3, FIVE, ["One. Two. Three."]),
        (1, FIVE, ["One."]),
        (5, FIVE, ["One. Two. Three. Four. Five."]),
        (9, FIVE, ["One. Two. Three. Four. Five."]),
        (2, " ".join(FIVE), ["One. Two."]),
        (2, ("Same.", "Same.", "Same."), ["Same. Same."]),
        (2, ("", "One. "), ["One."]),
        (1, "no end", ["no end"]),
        (1, "", []),
        (1, (), []),
        (1, (" ", ""), []),
    ],
)
def test_lead(sentences, source, expected):
    assert [s.text for s in Lead(sentences).summarize([Document("d", source, ())])] == expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (1, "a b."),  # the first sentence, even where it is too long
        (2, "a b."),
        (4, "a b."),  # ends before the one that does not fit: `f` would
        (5, "a b. c d e."),
        (6, "a b. c d e. f."),
        (99, "a b. c d e. f."),
    ],
)
def test_lead_by_words_is_the_beginning_of_the_source(words, expected):
    document = Document("d", ("a b.", "c d e.", "f."), (" ".join("r" * words),))
    assert [s.text for s in Lead(SummaryLength(words, "words")).summarize([document])] == [expected]
    assert [s.text for s in Lead(REFERENCE_LENGTH).summarize([document])] == [expected]


@pytest.mark.parametrize("references", [(), (" ", "words, but of the second")])
def test_without_a_reference_to_give_the_length_there_is_no_summary(references):
    assert Lead(REFERENCE_LENGTH).summarize([Document("d", FIVE, references)]) == []


@pytest.mark.exhaustive
def test_every_document_of_scitldr_has_an_extract(shared_data):
    documents = [document for document, _ in read_documents(shared_data / "scitldr" / "dev.jsonl")]
    for system in (Lead, TextRank):
        summaries = system(1).summarize(documents)
        assert len(summaries) == len(documents) == 619
        assert all(s.text in [given.strip() for given in d.source] for s, d in zip(summaries, documents, strict=True))
