import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data.importers import read
from data.records import Document
from summarizers.lead import Lead
from summarizers.textrank import TextRank

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


@pytest.mark.parametrize("system", [Lead, TextRank])
@pytest.mark.parametrize("sentences", [0, -1])
def test_an_extract_has_at_least_one_sentence(system, sentences):
    with pytest.raises(ValueError, match=f"a summary has at least 1 sentence, not {sentences}"):
        system(sentences)


words = st.lists(st.sampled_from(["the", "a", "cat", "dog", "sat", "ran", "7", "Café"]), max_size=6).map(" ".join)


@pytest.mark.parametrize("system", [Lead, TextRank])
@settings(deadline=None)  # the first example that needs a library imports it
@given(given_sentences=st.lists(words | st.text(max_size=20), max_size=8), k=st.integers(1, 5))
def test_an_extract_is_sentences_of_the_source_in_their_order(system, given_sentences, k):
    document = Document("d", tuple(given_sentences), ())
    kept = [s.strip() for s in given_sentences if s.strip()]
    chosen = system(k).select(kept)
    remaining = iter(kept)
    assert all(sentence in remaining for sentence in chosen)  # consumes the iterator: a subsequence
    assert len(chosen) == min(k, len(kept))
    assert all(sentence in document.source_text for sentence in chosen)
    summaries = system(k).summarize([document])
    assert [s.text for s in summaries] == ([" ".join(chosen)] if kept else [])
    assert system(k).summarize([document]) == summaries


@pytest.mark.parametrize("system", [Lead, TextRank])
def test_every_document_of_scitldr_has_an_extract(system, shared_data):
    documents = [document for document, _ in read(shared_data / "scitldr" / "dev.jsonl")]
    summaries = system(1).summarize(documents)
    assert len(summaries) == len(documents) == 619
    assert all(s.text in [given.strip() for given in d.source] for s, d in zip(summaries, documents, strict=True))
