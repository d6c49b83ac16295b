"""False discovery rates of extractors from people's marks of wrong keywords (Takeshita et al. 2024, section 3)."""

from collections.abc import Hashable, Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from relevance.analysis.arrays import number_by_text, read_numbers, same_length
from relevance.analysis.ratio_intervals import Interval, Ratio, name_sampled_units, ratio_intervals, sampled_annotators


class FalseDiscovery(NamedTuple):
    """People's verdicts on the keywords of one extractor."""

    documents: int
    """Documents reviewed by at least one annotator."""
    annotators: int
    """Annotators who reviewed a document."""
    verdicts: int
    """Reviewed documents, each counted once for each annotator."""
    keywords: int
    """The extractor's keywords in these documents, each counted once."""
    wrong: int
    """Marks of a keyword as wrong, by all annotators."""
    per_document: float | None
    """Wrong keywords per document, 0 or more: the mean over documents of the mean over their annotators."""
    per_document_interval: Interval
    """The interval of `per_document`; its ends are numbers of keywords."""
    rate: float | None
    """The false discovery rate, in [0, 1]: the share of wrong ones among all keywords of these documents."""
    rate_interval: Interval
    over: str
    """The units treated as a sample, in words."""
    reason: str | None = None
    """The reason why a figure is undefined, or None."""


def false_discovery(
    documents: Iterable[Hashable],
    annotators: Iterable[Hashable],
    keywords: ArrayLike,
    wrong: ArrayLike,
) -> FalseDiscovery:
    """Compute the wrong keywords per document and the false discovery rate of one extractor.

    The columns have one entry for each annotator and document that they reviewed: `keywords` is the number that the
    extractor found there, `wrong` the number that the annotator marked. All documents count the same, however many
    annotators reviewed them: annotators are averaged first. The rate is pooled: all wrong keywords over all keywords,
    not the mean of the documents' rates.

    Intervals are those of `ratio_intervals`, by documents and, if there are five or more, annotators; for the wrong
    keywords per document, they are of the share of the most keywords that a document has. Undefined if nobody has
    reviewed a document; the rate also if the extractor found no keyword.
    Raises `ValueError` for columns that differ in length, for counts that are not whole numbers with
    0 <= wrong <= keywords, for an annotator who has a document twice, and for different numbers of keywords of a
    document.
    """
    documents, annotators = list(documents), list(annotators)
    sizes, marked = check_counts(keywords, wrong)
    same_length(documents=documents, annotators=annotators, keywords=sizes)
    document, size = number_by_text(documents)
    if len(set(zip(documents, annotators, strict=True))) < len(documents):
        raise ValueError("an annotator has the same document twice")
    if len(set(zip(document.tolist(), sizes.tolist(), strict=True))) > size:
        raise ValueError("a document has different numbers of keywords")
    share = 1 / np.bincount(document, minlength=size)[document]  # an annotator's part of the document
    sampled = sampled_annotators(annotators)
    # Divided by the most keywords of a document, wrong keywords are in [0, 1], as intervals of ratios need.
    most = max(1.0, float(sizes.max(initial=0)))
    each, rate = ratio_intervals(
        [Ratio(share * marked / most, share, most), Ratio(share * marked, share * sizes, np.maximum(sizes, 1))],
        documents,
        sampled,
    )
    total, bad = float(share @ sizes), float(share @ marked)
    reason = None if total else "nobody has marked keywords yet" if not size else "the extractor found no keyword"
    return FalseDiscovery(
        documents=size,
        annotators=len(set(annotators)),
        verdicts=len(documents),
        keywords=round(total),
        wrong=int(marked.sum()),
        per_document=bad / size if size else None,
        per_document_interval=scale_interval(each, most),
        rate=bad / total if total else None,
        rate_interval=scale_interval(rate),
        over=name_sampled_units(sampled),
        reason=reason,
    )


def check_counts(keywords: ArrayLike, wrong: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return both columns, checked to be counts."""
    sizes, marked = read_numbers(keywords, "keywords"), read_numbers(wrong, "wrong")
    same_length(keywords=sizes, wrong=marked)
    if not ((sizes == np.floor(sizes)) & (marked == np.floor(marked)) & (marked >= 0) & (marked <= sizes)).all():
        raise ValueError("keywords and wrong must be whole numbers, with 0 <= wrong <= keywords")
    return sizes, marked


def scale_interval(interval: Interval, scale: float = 1.0) -> Interval:
    """Scale the interval to its own unit; an undefined one gets a reason in terms of keywords."""
    if interval.low is None or interval.high is None:
        return interval._replace(reason="no interval: keywords of fewer than 2 documents were looked at")
    return interval._replace(low=interval.low * scale, high=interval.high * scale)
