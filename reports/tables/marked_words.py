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


def marked_words_table(found: MarkedWords) -> Table:
    """Make the table of precision and recall of keywords against marked words, over all documents."""
    rows = [
        row
        for part in PARTS
        for of in [comparison_of(found, part)]
        if of.documents and (part == "summaries" or any_marked(of))
        for row in rows_of_all(part, of)
    ]
    return Table("marked_words", "Marked words against keywords", rows, write_notes(found), EMPTY)


def marked_documents_table(found: MarkedWords) -> Table:
    """Make the same table with a row for each document."""
    rows = [
        row_of_document(part, one)
        for part in PARTS
        for one in comparison_of(found, part).documents
        if part == "summaries" or one.counts.marked  # in most studies words are marked in summaries alone
    ]
    notes = write_notes(found)[:-1]  # no intervals: the words of one document are not independent
    return Table("marked_words_by_document", "Marked words against keywords, by document", rows, notes, EMPTY)


def comparison_of(found: MarkedWords, part: str) -> MarkComparison:
    """Return the comparison of one of `PARTS`."""
    return found.summaries if part == "summaries" else found.documents


def any_marked(found: MarkComparison) -> bool:
    """Tell whether anybody marked a word in these texts."""
    return any(one.counts.marked for one in found.documents)


def counted_documents(found: MarkComparison) -> Sequence[DocumentMarks]:
    """Return the documents that have marks and keywords."""
    return [one for one in found.documents if one.missing is None]


def rows_of_all(part: str, found: MarkComparison) -> list[dict[str, Cell]]:
    """Make the rows of precision and recall over all documents."""
    counts, documents = found.counts, len(counted_documents(found))
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
    recall = counts.recall, counts.chance_of_recall, counts.found, counts.occurrences
    return [row("precision", precision, found.precision), row("recall", recall, found.recall)]


def row_of_document(part: str, found: DocumentMarks) -> dict[str, Cell]:
    """Make the row of one document's counts and ratios."""
    counts, missing = found.counts, found.missing

    def ratio(value: float | None) -> Cell:
        return Undefined(missing) if missing else number_cell(value, NO_OCCURRENCE)

    return {
        "document": found.document,
        "marked in": part,
        "texts": counts.texts,
        "words of texts": counts.words,
        "marked": counts.marked,
        "of keywords": counts.of_keywords,
        "both": counts.both,
        "precision": ratio(counts.precision),
        "precision by chance": ratio(counts.chance_of_precision),
        "occurrences": counts.occurrences,
        "with a mark": counts.found,
        "recall": ratio(counts.recall),
        "recall by chance": ratio(counts.chance_of_recall),
    }


def write_notes(found: MarkedWords) -> list[str]:
    """Explain the figures; the last note is on intervals."""
    without = sum(one.missing not in (None, NO_MARKS) for one in found.summaries.documents)
    left_out = [
        *([f"{format_count(found.unmarked, 'judgment')} without a mark"] if found.unmarked else []),
        *([f"{format_count(without, 'document')} without keywords"] if without else []),
    ]
    people, judgments = format_count(found.annotators, "annotator"), format_count(found.judgments, "judgment")
    once = ", a word that several marked counting once" if found.annotators > 1 else ""
    return [
        f"Words that {people} marked in {judgments}{once}, against the keywords of {found.signature}. Words are "
        "ROUGE-K's: lemmatised, without stop words and punctuation; one is marked where a part of it is.",
        "Precision: the share of marked words that belong to a keyword. Recall: the share of keywords' occurrences in "
        "these texts of which a word is marked. By chance: what either would be if as many words of each text were "
        "marked at random (hypergeometric).",
        *([f"Left out: {', '.join(left_out)}."] if left_out else []),
        ratio_intervals_note(LEVEL, "documents", "words or occurrences"),
    ]
