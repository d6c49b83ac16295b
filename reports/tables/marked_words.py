"""Tables of the words that annotators marked, beside the keywords of ROUGE-K."""

from collections.abc import Sequence

from relevance.analysis.arrays import LEVEL
from relevance.analysis.people.marked_words import NO_MARKS, NO_OCCURRENCE, DocumentMarks, MarkComparison
from relevance.analysis.ratio_intervals import Interval
from relevance.data.wording import format_count
from relevance.reports.marked_words import MarkedWords
from relevance.reports.tables.table import Cell, Table, Undefined, interval, number_cell, ratio_intervals_note

TOO_FEW = "fewer than 2 documents have marks and keywords"

Figures = tuple[float | None, float | None, int, int]
"""A ratio, its value by chance, and the two counts that it divides."""

EMPTY = "no annotator of this study has marked words"

PARTS = ("summaries", "documents")
"""The kinds of texts in which words are marked, as fields of `MarkedWords`."""


def marked_words_table(marked_words: MarkedWords) -> Table:
    """Make the table of precision and recall of keywords against marked words, over all documents."""
    rows = [
        row
        for part in PARTS
        for of in [comparison_of(marked_words, part)]
        if of.documents and (part == "summaries" or any_marked(of))
        for row in rows_of_all(part, of)
    ]
    return Table("marked_words", "Marked words against keywords", rows, write_notes(marked_words), EMPTY)


def marked_documents_table(marked_words: MarkedWords) -> Table:
    """Make the same table with a row for each document."""
    rows = [
        row_of_document(part, document)
        for part in PARTS
        for document in comparison_of(marked_words, part).documents
        if part == "summaries" or document.counts.marked  # in most studies words are marked in summaries alone
    ]
    notes = write_notes(marked_words)[:-1]  # no intervals: the words of one document are not independent
    return Table("marked_words_by_document", "Marked words against keywords, by document", rows, notes, EMPTY)


def comparison_of(marked_words: MarkedWords, part: str) -> MarkComparison:
    """Return the comparison of one of `PARTS`."""
    return marked_words.summaries if part == "summaries" else marked_words.documents


def any_marked(comparison: MarkComparison) -> bool:
    """Tell whether anybody marked a word in these texts."""
    return any(document.counts.marked for document in comparison.documents)


def counted_documents(comparison: MarkComparison) -> Sequence[DocumentMarks]:
    """Return the documents that have marks and keywords."""
    return [document for document in comparison.documents if document.missing is None]


def rows_of_all(part: str, comparison: MarkComparison) -> list[dict[str, Cell]]:
    """Make the rows of precision and recall over all documents."""
    counts, documents = comparison.counts, len(counted_documents(comparison))
    nothing = NO_OCCURRENCE if counts.marked else NO_MARKS

    def row(measure: str, figures: Figures, over: Interval) -> dict[str, Cell]:
        value, chance, counted, of = figures
        ends = interval(over) if over.low is not None else Undefined(TOO_FEW)
        return {
            "marked in": part,
            "measure": measure,
            "value": number_cell(value, nothing),
            "interval": Undefined(nothing) if value is None else ends,
            "by chance": number_cell(chance, nothing),
            "counted": counted,
            "of": of,
            "documents": documents,
        }

    precision = counts.precision, counts.chance_of_precision, counts.both, counts.marked
    recall = counts.recall, counts.chance_of_recall, counts.hits, counts.occurrences
    return [row("precision", precision, comparison.precision), row("recall", recall, comparison.recall)]


def row_of_document(part: str, document_marks: DocumentMarks) -> dict[str, Cell]:
    """Make the row of one document's counts and ratios."""
    counts, missing = document_marks.counts, document_marks.missing

    def ratio(value: float | None) -> Cell:
        return Undefined(missing) if missing else number_cell(value, NO_OCCURRENCE)

    return {
        "document": document_marks.document,
        "marked in": part,
        "texts": counts.texts,
        "words of texts": counts.words,
        "marked": counts.marked,
        "of keywords": counts.of_keywords,
        "both": counts.both,
        "precision": ratio(counts.precision),
        "precision by chance": ratio(counts.chance_of_precision),
        "occurrences": counts.occurrences,
        "with a mark": counts.hits,
        "recall": ratio(counts.recall),
        "recall by chance": ratio(counts.chance_of_recall),
    }


def write_notes(marked_words: MarkedWords) -> list[str]:
    """Explain the figures; the last note is on intervals."""
    without = sum(document.missing not in (None, NO_MARKS) for document in marked_words.summaries.documents)
    left_out = [
        *([f"{format_count(marked_words.unmarked, 'judgment')} without a mark"] if marked_words.unmarked else []),
        *([f"{format_count(without, 'document')} without keywords"] if without else []),
    ]
    people, judgments = (
        format_count(marked_words.annotators, "annotator"),
        format_count(marked_words.judgments, "judgment"),
    )
    once = ", a word that several marked counting once" if marked_words.annotators > 1 else ""
    return [
        f"Words that {people} marked in {judgments}{once}, against the keywords of {marked_words.signature}. Words are "
        "ROUGE-K's: lemmatised, without stop words and punctuation; one is marked where a part of it is.",
        "Precision: the share of marked words that belong to a keyword. Recall: the share of keywords' occurrences in "
        "these texts of which a word is marked. By chance: what either would be if as many words of each text were "
        "marked at random (hypergeometric).",
        *([f"Left out: {', '.join(left_out)}."] if left_out else []),
        ratio_intervals_note(LEVEL, "documents", "words or occurrences"),
    ]
