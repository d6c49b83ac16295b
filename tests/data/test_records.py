import pytest

from relevance.data.records import Document, Summary, make_examples

DOCUMENT = Document("d", ("One.", "Two."), ("r one", "r two", "r three"), "The title")


@pytest.mark.parametrize(
    ("candidates", "references", "title"),
    [
        ({"bart": "b"}, ("r one", "r two", "r three"), "The title"),
        ({"bart": "b", "reference:2": "r two"}, ("r one", "r three"), "The title"),
        ({"reference:1": "r one", "reference:3": "r three", "title": "The title"}, ("r two",), None),
        ({"reference:1": "r one", "reference:2": "r two", "reference:3": "r three"}, (), "The title"),
        # A system that is only called so withholds nothing: its text is not the reference's.
        ({"reference:2": "another text", "title": "Another"}, ("r one", "r two", "r three"), "The title"),
        ({"reference:4": "r one", "reference:0": "r one"}, ("r one", "r two", "r three"), "The title"),
    ],
)
def test_what_stands_as_a_candidate_is_withheld_from_all_candidates(candidates, references, title):
    found = make_examples(DOCUMENT, [Summary("d", system, text) for system, text in candidates.items()])
    assert [(e.system, e.candidate) for e in found] == list(candidates.items())
    assert {(e.document_id, e.references, e.title, e.source) for e in found} == {("d", references, title, "One. Two.")}


def test_examples_of_a_document_without_title_or_summaries():
    untitled = Document("d", "Text.", ("r",))
    assert make_examples(untitled, []) == []
    assert make_examples(untitled, [Summary("d", "title", "t")])[0].title is None
    assert untitled.source_text == "Text."


def test_a_copy_of_a_text_that_stands_as_a_system_does_not_judge_either() -> None:
    document = Document("d", "s", ("same", "same", "other"), "same")
    (example,) = make_examples(document, [Summary("d", "reference:1", "same")])
    assert (example.references, example.title) == (("other",), None)
