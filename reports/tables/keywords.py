"""Tables of keywords: how many a data set has, which of them summaries recall, and which extractors find."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from relevance.analysis.intervals import FEWEST_DOCUMENTS
from relevance.analysis.people.false_discovery import FalseDiscovery, false_discovery
from relevance.analysis.people.reliability import krippendorff_alpha, raw_agreement
from relevance.annotation.keyword_records import MarkCounts, MarkDecisions
from relevance.data.wording import format_count
from relevance.metrics.dataset_statistics import KeywordStatistics, Lengths
from relevance.metrics.keywords.extractors import ExtractorOverlap
from relevance.metrics.keywords.recall import LONGEST_ASKED, LengthRecall, Recall
from relevance.reports.tables.table import (
    GROWS,
    Cell,
    Table,
    few_annotators_notes,
    interval,
    number_cell,
    ratio_intervals_note,
)

NO_SUMMARIES = "there is no summary, or no document has keywords"
"""The reason why a table of systems by keywords has no rows."""


def keyword_statistics_table(statistics: KeywordStatistics) -> Table:
    """Make the table of how many references and keywords documents have."""
    no_keyword = "no document has keywords"
    rows: list[dict[str, Cell]] = [
        {
            "documents": statistics.documents,
            "references per document": number_cell(statistics.references, "there are no documents"),
            "keywords per document": number_cell(statistics.keywords, "there are no documents"),
            "words per keyword": number_cell(statistics.words, no_keyword),
            "documents without keywords": statistics.without,
        }
    ]
    notes = [
        "As in the ROUGE-K paper's Table 4: the title is one of the references, keywords are the n-grams that two of "
        "them share, their length is in words without stop words. Texts that stand as systems are counted here."
    ]
    return Table("dataset_keywords", "References and keywords of the data set", rows, notes)


def length_statistics_table(lengths: Sequence[Lengths]) -> Table:
    """Make the table of the lengths of texts."""
    rows: list[dict[str, Cell]] = [
        {
            "text": row.of,
            "unit": row.unit,
            "n": row.n,
            "mean": row.mean,
            "std": number_cell(row.std, "there is only one"),
            "min": row.minimum,
            "25%": row.lower,
            "50%": row.median,
            "75%": row.upper,
            "max": row.maximum,
        }
        for row in lengths
    ]
    notes = [
        "Words as the metric length counts them. Source : reference: how many words of the source there are for one of "
        "a reference. Standard deviation with n - 1 as divisor."
    ]
    return Table("dataset_lengths", "Lengths of the texts", rows, notes, "there are no documents")


def by_source_table(recalls: Sequence[Recall]) -> Table:
    """Make the table of the systems' mean ROUGE-K over keywords in the source and over those that are not."""
    rows: list[dict[str, Cell]] = [
        {
            "system": row.system,
            "ROUGE-K": number_cell(row.everywhere.value, row.everywhere.reason),
            "words": row.words,
            "documents": row.everywhere.documents,
            "IN-SRC": number_cell(row.in_source.value, row.in_source.reason),
            "IN-SRC documents": row.in_source.documents,
            "OUT-SRC": number_cell(row.out_source.value, row.out_source.reason),
            "OUT-SRC documents": row.out_source.documents,
        }
        for row in recalls
    ]
    notes = [
        "IN-SRC: only keywords that occur in the source, as whole lemmatised words in order; OUT-SRC: only those that "
        "do not (ROUGE-K paper, Table 9).",
        "Means over documents; one that has no such keyword, or no source, is left out of that column.",
        GROWS,
    ]
    return Table("keywords_by_source", "ROUGE-K by where the keywords occur", rows, notes, NO_SUMMARIES)


def by_length_table(recalls: Sequence[LengthRecall]) -> Table:
    """Make the table of the systems' mean ROUGE-K over keywords of each length."""
    rows: dict[str, dict[str, Cell]] = {}
    for part in recalls:
        label = words_label(part.words)
        row = rows.setdefault(part.system, {"system": part.system, "words": part.in_summary})
        row[label] = number_cell(part.recall.value, part.recall.reason)
        row[f"{label}: n"] = part.recall.documents
    notes = [
        "Length in words without stop words (ROUGE-K paper, Figure 2). Means over documents; n: those that have "
        "keywords of that length.",
        GROWS,
    ]
    title = "ROUGE-K by the length of the keywords"
    return Table("keywords_by_length", title, list(rows.values()), notes, NO_SUMMARIES)


def words_label(words: int) -> str:
    """Return the label of a keyword's length: `1 word`, `2 words`, `10+ words`."""
    return f"{words}{'+' if words == LONGEST_ASKED else ''} word{'s' if words > 1 else ''}"


def extractors_table(overlaps: Sequence[ExtractorOverlap], called: Callable[[str], str] = str) -> Table:
    """Make the table of how many keywords extractors share; `called` gives an extractor's name."""
    rows: list[dict[str, Cell]] = [
        {
            "first": called(row.first),
            "second": called(row.second),
            "same keywords": number_cell(row.same, "no document has keywords of both"),
            "documents": row.documents,
        }
        for row in overlaps
    ]
    note = "Same keywords: mean over documents of the share that both find, out of the extractor that finds more."
    return Table("extractors", "How much the extractors have in common", rows, [note])


EXTRACTOR_LABELS = {"overlap": "Overlap", "tfidf": "TF-IDF", "textrank": "TextRank"}
"""The names of extractors on pages; others go by their own name."""


class Published(NamedTuple):
    """The figures that a paper reports for an extractor."""

    per_document: float
    """Wrong keywords per summary."""
    rate: float
    """False discovery rate, in [0, 1]."""

    @property
    def keywords(self) -> float:
        """The number of keywords per document, if both figures were about the same keywords."""
        return self.per_document / self.rate


PUBLISHED = {"overlap": Published(0.64, 0.13), "tfidf": Published(0.85, 0.16), "textrank": Published(0.94, 0.21)}
"""Figures of keyword extraction, judged by the annotators of Takeshita et al. 2024 (section 3)."""

IMPLIED = ", ".join(f"{of.keywords:.2f} ({EXTRACTOR_LABELS[name]})" for name, of in PUBLISHED.items())

OTHER_RATE = (
    "The paper's rate is another quantity than ours, and the two are not to be compared. Ours is pooled, wrong "
    "keywords over all keywords, so that wrong per document over rate is the number of keywords per document. "
    f"The paper's figures would make that {IMPLIED}, though each of its extractors gives a document as many keywords "
    "as the overlap rule."
)
"""A note wherever a pooled false discovery rate stands beside the paper's."""


def extractor_name(extractor: str) -> str:
    """Return the name of an extractor on pages."""
    return EXTRACTOR_LABELS.get(extractor, extractor)


def discoveries(counts: MarkCounts, extractors: Sequence[str]) -> dict[str, FalseDiscovery]:
    """Compute by extractor how often it is wrong, each over the documents that were saved."""
    columns = [np.array([*column, None], dtype=object)[:-1] for column in counts]  # None: names stay whole texts
    documents, annotators, of, keywords, wrong = columns
    return {
        name: false_discovery(
            documents[of == name], annotators[of == name], keywords[of == name].tolist(), wrong[of == name].tolist()
        )
        for name in extractors
    }


def discovery_tables(rates: Mapping[str, FalseDiscovery], decisions: MarkDecisions) -> list[Table]:
    """Make the tables of what people marked by extractor, of the paper's figures, and of annotators' agreement."""
    return [discovery_table(rates), published_table(), mark_agreement_table(decisions)]


def discovery_table(rates: Mapping[str, FalseDiscovery]) -> Table:
    """Make the table of wrong keywords per document and false discovery rates, a row for each extractor."""
    rows: list[dict[str, Cell]] = [
        {
            "extractor": extractor_name(name),
            "wrong per document": number_cell(of.per_document, of.reason),
            "wrong per document 95 %": interval(of.per_document_interval),
            "pooled false discovery rate": number_cell(of.rate, of.reason),
            "pooled false discovery rate 95 %": interval(of.rate_interval),
            "keywords": of.keywords,
            "keywords per document": number_cell(of.keywords / of.documents if of.documents else None, of.reason),
            "marked": of.wrong,
            "documents": of.documents,
            "annotators": of.annotators,
            "verdicts": of.verdicts,
        }
        for name, of in rates.items()
    ]
    notes = [
        "Pooled false discovery rate: of all keywords of the documents that were saved, the share that is wrong. "
        "Marked: marks of all annotators; they are averaged within a document before documents are. "
        "Verdicts: documents saved, once for each annotator."
    ]
    for of in list(rates.values())[:1]:
        notes.append(ratio_intervals_note(of.rate_interval.level, of.over, "keywords"))
        notes += few_annotators_notes(of.annotators)
        if 0 < of.documents < FEWEST_DOCUMENTS:
            notes.append(f"{format_count(of.documents, 'document')} only: such intervals may be too narrow.")
    return Table("keyword_errors", "Wrong keywords by extractor", rows, notes, "the review has no extractor")


def published_table() -> Table:
    """Make the table of the paper's figures, to compare those of a review with."""
    rows: list[dict[str, Cell]] = [
        {
            "extractor": extractor_name(name),
            "wrong per document": of.per_document,
            "false discovery rate": of.rate,
            "wrong / rate": of.keywords,
        }
        for name, of in PUBLISHED.items()
    ]
    notes = [
        "Quoted from Takeshita et al. 2024, section 3, not computed here: other documents (SciTLDR), other annotators, "
        "and other settings of TF-IDF and TextRank, which the paper does not tell.",
        OTHER_RATE,
    ]
    return Table("keyword_errors_published", "As published", rows, notes)


def mark_agreement_table(decisions: MarkDecisions) -> Table:
    """Make the table of how far annotators agree on which keywords are wrong."""
    choices = [-1 if wrong else 1 for wrong in decisions.wrong]
    alpha, raw = (of(decisions.keywords, choices) for of in (krippendorff_alpha, raw_agreement))
    rows: list[dict[str, Cell]] = [
        {"agreement": name, "value": number_cell(of.value, of.reason), "keywords": of.n}
        for name, of in (("Krippendorff's alpha", alpha), ("equal decisions", raw))
    ]
    note = (
        "Right or wrong, of each keyword whose document two annotators or more have saved. "
        "Alpha: 1 for full agreement, 0 for chance. Equal decisions: the share of pairs of annotators who say the same."
    )
    return Table("keyword_mark_agreement", "Agreement of the annotators", rows, [note])
