import pytest

from relevance.data.records import Document, Summary, fold_text, make_examples

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
        ({"reference:4": "r one", "reference:0": "r one"}, ("r two", "r three"), "The title"),  # as any system would
    ],
)
def test_what_stands_as_a_candidate_is_withheld_from_all_candidates(candidates, references, title):
    examples = make_examples(DOCUMENT, [Summary("d", system, text) for system, text in candidates.items()])
    assert [(e.system, e.candidate) for e in examples] == list(candidates.items())
    assert {(e.document_id, e.references, e.title, e.source) for e in examples} == {
        ("d", references, title, "One. Two.")
    }


def test_examples_of_a_document_without_title_or_summaries():
    untitled = Document("d", "Text.", ("r",))
    assert make_examples(untitled, []) == []
    assert make_examples(untitled, [Summary("d", "title", "t")])[0].title is None
    assert untitled.source_text == "Text."


def test_a_copy_of_a_text_that_stands_as_a_system_does_not_judge_either() -> None:
    document = Document("d", "s", ("same", "same", "other"), "same")
    (example,) = make_examples(document, [Summary("d", "reference:1", "same")])
    assert (example.references, example.title) == (("other",), None)


@pytest.mark.parametrize(
    ("candidates", "references"),
    [
        (["r two"], ("r one", "r three")),
        (["another", "  R  TWO. "], ("r one", "r three")),
        (["r two\u3002"], ("r one", "r three")),
        (["r one", "r three"], ("r two",)),
        (["r one", "r two", "r three"], ("r one", "r two", "r three")),  # nothing would be left
        (["r two and more"], ("r one", "r two", "r three")),
        (["r, two"], ("r one", "r two", "r three")),
        (["", "."], ("r one", "r two", "r three")),
    ],
)
def test_a_reference_that_is_a_summary_judges_no_summary_of_its_document(
    candidates: list[str], references: tuple[str, ...]
) -> None:
    examples = make_examples(DOCUMENT, [Summary("d", f"s{number}", text) for number, text in enumerate(candidates)])
    assert {item.references for item in examples} == {references}


def test_the_only_reference_stays() -> None:
    document = Document("d", "s", ("The ferry stops.",), "The title")
    assert {example.references for example in make_examples(document, [Summary("d", "a", "the ferry stops")])} == {
        ("The ferry stops.",)
    }


@pytest.mark.parametrize(
    ("first", "other"),
    [
        ("The ferry stops.", "the  ferry\nstops"),
        ("The ferry stops.", " The ferry stops .\u00a0"),
        ("Caf\u00e9!", "CAFE\u0301"),
        ("\u201cThe ferry stops.\u201d", "\u201cThe ferry stops"),
        ("Stra\u00dfe", "STRASSE"),
        ("...", "..."),
    ],
)
def test_texts_that_are_the_same_but_for_space_case_and_final_punctuation(first: str, other: str) -> None:
    assert fold_text(first) == fold_text(other) != ""


@pytest.mark.parametrize(("first", "other"), [("The ferry stops.", "The ferry, stops."), ("...", "!"), ("a b", "ab")])
def test_texts_that_are_not_the_same(first: str, other: str) -> None:
    assert fold_text(first) != fold_text(other)
