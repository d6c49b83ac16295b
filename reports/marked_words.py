"""Words that annotators marked, compared with the keywords of ROUGE-K."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from relevance.analysis.people.marked_words import MarkComparison, MarkedText, compare_marks
from relevance.annotation.marked_words import MarkedJudgment, load_marks
from relevance.annotation.store import AnnotationStore
from relevance.data.records import Document, Summary, make_examples
from relevance.data.store import DataStore
from relevance.metrics.from_signature import metric_of
from relevance.metrics.keywords.overlap import Keyword
from relevance.metrics.keywords.places import KeywordPlaces, find_places
from relevance.metrics.registry import is_lexical
from relevance.metrics.rouge_k import NoKeywords, RougeK


class ShownText(NamedTuple):
    """A text that annotators could mark: a system's summary, or (None) the document."""

    system: str | None
    text: str
    places: KeywordPlaces
    marked: list[bool]
    """For each of its words, whether somebody marked it."""


class MarkedWords(NamedTuple):
    """The words that a study's annotators marked, compared with the keywords of the same texts."""

    signature: str
    """The signature of the ROUGE-K whose keywords these are."""
    judgments: int
    """The number of judgments with at least one marked range."""
    unmarked: int
    """The number of those without one although it was asked for; they are left out."""
    annotators: int
    summaries: MarkComparison
    documents: MarkComparison
    """The comparison of marks in the documents themselves."""


def find_rouge_k(signatures: Iterable[str]) -> list[RougeK]:
    """Make the ROUGE-K metrics of these signatures that load no model, as far as possible; else the default one."""
    made = [metric for metric in map(metric_of, filter(is_lexical, signatures)) if isinstance(metric, RougeK)]
    return made or [RougeK()]


def read_marked_words(
    data: DataStore, annotation: AnnotationStore, study: str, metric: RougeK | None = None
) -> MarkedWords:
    """Compare a study's marked words with the keywords of a ROUGE-K, by default the first with stored scores.

    Raises `UnknownStudy`.
    """
    dataset = annotation.study(study).dataset
    metric = metric or find_rouge_k(signature.signature for signature in data.signatures(dataset))[0]
    marks = load_marks(annotation, study)
    judged = {mark.document for mark in marks if mark.ranges}
    return compare_marked_words(marks, [data.record(dataset, key) for key in sorted(judged)], metric)


def compare_marked_words(
    marks: Sequence[MarkedJudgment], records: Iterable[tuple[Document, Sequence[Summary]]], metric: RougeK
) -> MarkedWords:
    """Compare marked words with the keywords of their documents; `records` have all summaries of these."""
    given = [mark for mark in marks if mark.ranges]
    of_document: dict[str, list[MarkedJudgment]] = {}
    for mark in given:
        of_document.setdefault(mark.document, []).append(mark)
    summaries: list[MarkedText] = []
    documents: list[MarkedText] = []
    for document, candidates in records:
        missing, shown = show_texts(of_document[document.id], document, candidates, metric)
        for marked in shown:
            texts = documents if marked.system is None else summaries
            text = MarkedText(document.id, np.array(marked.marked, dtype=np.bool_), marked.places.occurrences, missing)
            texts.append(text)
    return MarkedWords(
        signature=metric.signature,
        judgments=len(given),
        unmarked=len(marks) - len(given),
        annotators=len({mark.annotator for mark in given}),
        summaries=compare_marks(summaries),
        documents=compare_marks(documents),
    )


def show_texts(
    marks: Sequence[MarkedJudgment], document: Document, summaries: Sequence[Summary], metric: RougeK
) -> tuple[str | None, list[ShownText]]:
    """Return the texts that the judgments of one document showed, with their marks and keywords.

    The summaries come first, then the document; before them stands the reason why there are no keywords, or None.
    """
    examples = make_examples(document, summaries)
    keywords: Sequence[Keyword] = ()
    missing = None
    try:
        keywords = metric.keywords_of(examples[0])
    except NoKeywords as error:
        missing = f"no keywords: {error}"
    shown = {system for mark in marks for system in (mark.first, mark.second)}
    texts: list[tuple[str | None, str]] = [
        (summary.system, summary.text) for summary in summaries if summary.system in shown
    ]
    pairs = []
    for system, text in [*texts, (None, document.source_text)]:
        of_text = [mark for mark in marks if system in (None, mark.first, mark.second)]
        places = find_places(keywords, text, metric.language)
        marked = places.overlaps(span for mark in of_text for span in mark.ranges_in(system))
        pairs.append(ShownText(system, text, places, marked))
    return missing, pairs
