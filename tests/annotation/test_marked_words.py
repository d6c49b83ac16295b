"""Marked words as they are stored, read, and held against the keywords of ROUGE-K."""

from collections.abc import Callable

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from relevance.annotation.marked_words import MarkedJudgment, load_marks
from relevance.annotation.records import StudySpec
from relevance.annotation.store import AnnotationStore
from relevance.annotation.tables import AnnotatorRow, AssignmentRow, JudgmentRow
from relevance.data.database import now
from relevance.data.records import Document, Summary
from relevance.data.store import DataStore
from relevance.metrics.keywords.overlap import Keyword
from relevance.metrics.keywords.places import find_places
from relevance.metrics.rouge_k import RougeK
from relevance.reports.formats import as_csv, as_latex
from relevance.reports.marked_words import find_rouge_k, read_marked_words
from relevance.reports.tables.marked_words import marked_documents_table, marked_words_table
from relevance.reports.tables.table import Undefined

Judge = Callable[..., None]

TEXTS = {
    # references share "neural parser" and "tree"; d2 has one reference and no title: no keywords
    "d0": (("The neural parser builds a tree.", "A tree by a neural parser."), "Fast neural parsers", "It is slow."),
    "d1": (("Cats hunt mice.", "Mice fear cats."), "Cats sleep.", "Mice and cats are animals."),
    "d2": (("Nothing is shared.",), "Words of a.", "Words of b."),
}


@pytest.fixture
def study(data_store: DataStore, annotation_store: AnnotationStore, judge: Judge) -> str:
    """Three pairs of a and b, judged by Ann and Bob; `mark` says what they marked."""
    records = [
        (Document(key, f"Source of {key}. A tree.", references), [Summary(key, "a", a), Summary(key, "b", b)])
        for key, (references, a, b) in TEXTS.items()
    ]
    data_store.add_dataset(name="texts", format="interchange", sha256="", records=records)
    spec = StudySpec(name="S", dataset="texts", rule="all", judgments_per_pair=2)
    annotation_store.create_study(spec)
    for name in ("Ann", "Bob"):
        annotator = annotation_store.join(study="S", name=name)
        while (task := annotation_store.next_task(annotator)) is not None:
            judge(annotator, task.assignment_id)
    return "S"


def mark(store: AnnotationStore, annotator: str, document: str, system: str | None, *words: str) -> None:
    """Mark words of a text, or with none mark nothing."""
    with Session(store.engine) as session, session.begin():
        judgments = session.scalars(
            select(JudgmentRow).join(AssignmentRow).join(AnnotatorRow).where(AnnotatorRow.name == annotator)
        )
        (row,) = (judgment for judgment in judgments if judgment.assignment.pair.document.key == document)
        pair = row.assignment.pair
        where = "document" if system is None else "first" if pair.first.system == system else "second"
        texts = {"document": pair.document.source, "first": pair.first.text, "second": pair.second.text}
        starts = [(word, str(texts[where]).index(word)) for word in words]
        row.marks = [*(row.marks or []), *((where, start, start + len(word)) for word, start in starts)]


def test_marks_are_read_with_their_texts(annotation_store: AnnotationStore, study: str) -> None:
    assert load_marks(annotation_store, study) == []  # nobody was asked
    mark(annotation_store, "Ann", "d0", "a", "neural")
    mark(annotation_store, "Ann", "d0", None, "Source")
    mark(annotation_store, "Bob", "d1", "b")
    first, second = sorted(load_marks(annotation_store, study))
    assert (first.document, first.annotator, {first.first, first.second}) == ("d0", "Ann", {"a", "b"})
    assert (first.ranges_in("a"), first.ranges_in("b"), first.ranges_in(None)) == ([(5, 11)], [], [(0, 6)])
    assert second == MarkedJudgment("d1", second.first, second.second, "Bob", ())
    with Session(annotation_store.engine) as session, session.begin():
        ann = session.scalars(select(AnnotatorRow).where(AnnotatorRow.name == "Ann")).one()
        ann.excluded_at = now()
    assert load_marks(annotation_store, study) == [second]


def test_marked_words_against_keywords(data_store: DataStore, annotation_store: AnnotationStore, study: str) -> None:
    # keywords of d0: "neural parser" and "tree". a: Fast | neural parsers, b: slow ("it is" are stop words)
    mark(annotation_store, "Ann", "d0", "a", "neural")
    mark(annotation_store, "Bob", "d0", "a", "neu", "Fast")  # a part of a word marks it; neural counts once
    mark(annotation_store, "Bob", "d0", "b", "slow", "is")
    # keywords of d1: "cat" and "mouse". a: Cats | sleep, b: Mice | cats | animals, of which nothing is marked
    mark(annotation_store, "Ann", "d1", "a", "sleep")
    mark(annotation_store, "Ann", "d2", "a", "Words")
    mark(annotation_store, "Bob", "d2", None)  # asked, and nothing marked
    marked_words = read_marked_words(data_store, annotation_store, study)
    assert (marked_words.judgments, marked_words.unmarked, marked_words.annotators) == (4, 1, 2)
    assert marked_words.signature == RougeK().signature
    table = marked_documents_table(marked_words)
    first, second, third = table.rows
    # d0: 4 words (3 and 1), of which neural, fast and slow are marked; neural parser is one occurrence
    assert [first[name] for name in ("words of texts", "marked", "of keywords", "both")] == [4, 3, 2, 1]
    assert first["precision"] == 1 / 3
    assert first["precision by chance"] == pytest.approx((2 * 2 / 3 + 0) / 3)
    assert (first["occurrences"], first["with a mark"], first["recall"]) == (1, 1, 1.0)
    assert first["recall by chance"] == 1.0  # 2 of 3 marked: one of any two is
    # d1: 1 of 5 words marked, no keyword; a: cat missed, b: mouse and cat, of which none can be marked by chance
    assert (second["precision"], second["precision by chance"]) == (0.0, 0.5)
    assert (second["recall"], second["recall by chance"]) == (0.0, pytest.approx((1 / 2 + 0 + 0) / 3))
    assert third["precision"] == Undefined(
        "no keywords: there are not two texts among references and title to compare; keywords by tfidf:K or "
        "textrank:K, or a list of your own, need only one"
    )
    precision, recall = marked_words_table(marked_words).rows
    assert [precision[name] for name in ("measure", "value", "counted", "of", "documents")] == [
        *("precision", 0.25, 1, 4, 2)
    ]
    assert [recall[name] for name in ("measure", "value", "counted", "of")] == ["recall", 1 / 4, 1, 4]
    assert recall["by chance"] == pytest.approx((1 + 1 / 2) / 4)
    notes = " ".join(table.notes)
    assert "2 annotators marked in 4 judgments" in notes
    assert "Left out: 1 judgment without a mark, 1 document without keywords." in notes
    assert "by chance" in as_csv(marked_words_table(marked_words))
    assert "precision" in as_latex(marked_words_table(marked_words))


def test_marks_in_documents_are_counted_by_themselves(
    data_store: DataStore, annotation_store: AnnotationStore, study: str
) -> None:
    mark(annotation_store, "Ann", "d0", None, "tree")
    marked_words = read_marked_words(data_store, annotation_store, study)
    summaries, _, precision, recall = marked_words_table(marked_words).rows
    assert (precision["marked in"], precision["value"], recall["value"]) == ("documents", 1.0, 1.0)
    assert precision["by chance"] == 1 / 3  # source, d0, tree
    assert precision["interval"] == Undefined("fewer than 2 documents have marks and keywords")
    assert summaries["value"] == summaries["interval"] == Undefined("nobody marked a word that counts")


def test_without_marks(data_store: DataStore, annotation_store: AnnotationStore, study: str) -> None:
    marked_words = read_marked_words(data_store, annotation_store, study)
    assert marked_words_table(marked_words).rows == []
    assert marked_words_table(marked_words).empty == "no annotator of this study has marked words"


def test_keywords_are_those_of_the_stored_signature() -> None:
    stored = [RougeK(keywords="tfidf:5").signature, "rouge_k|kw:list@12345678|title:always", RougeK().signature]
    assert [metric.keywords for metric in find_rouge_k(stored)] == ["tfidf:5", "overlap"]
    assert [metric.signature for metric in find_rouge_k(["rouge1|x"])] == [RougeK().signature]
    by_spacy = RougeK(lemmas="spacy").signature  # which loads a model
    assert [metric.signature for metric in find_rouge_k([by_spacy])] == [RougeK().signature]


def test_places_are_of_words_without_stop_words() -> None:
    keywords = [Keyword(("neural", "parser"), ()), Keyword(("tree",), ())]
    places = find_places(keywords, "A neural, and fast, parser? Neural parsers of trees!")
    # neural fast parser neural parser tree
    assert places.occurrences == ((3, 5), (5, 6))
    assert places.overlaps([(2, 4), (18, 21)]) == [True, False, True, False, False, False]
