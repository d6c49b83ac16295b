"""Agreement between annotators who rated summaries, and how each of them rates.

The functions take columns of one length, with an entry for each rating: `summaries` and `annotators` (labels), and
`values` (numbers). All raise `ValueError` for columns that differ in length and for values that are not finite.
"""

from collections.abc import Hashable, Iterable, Mapping
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from relevance.analysis.arrays import LEVEL, Floats, Integers, list_labels, number_in_order, read_numbers, same_length
from relevance.analysis.intervals import clustered_variance, kish
from relevance.analysis.people.judgments import number_annotators, number_documents
from relevance.analysis.people.reliability import Estimate

Scale = Literal["ordinal", "interval"]
"""A level of measurement: whether ratings are ranks, or numbers whose differences count."""
SCALES: tuple[Scale, ...] = ("ordinal", "interval")

MOST_ALIKE, FEWEST_APART = 0.9, 4
"""The share of equal ratings from which, and the effective number of documents with disagreement below which, alpha has
no interval: of 95 % ones, 74 to 87 of 100 held the truth there."""

SHARED = 3
"""The fewest summaries rated by others, too, from which an annotator's correlation with them is computed."""


class RatingAnnotator(NamedTuple):
    """How an annotator rates."""

    annotator: str
    ratings: int
    mean: float
    deviation: float
    """The population's standard deviation of their ratings."""
    shared: int
    """The ratings of summaries that others rated, too."""
    difference: float | None
    """The mean of their rating less the mean of the others, over the shared; None without such."""
    pearson: float | None
    """The correlation of their ratings with the means of the others, over the shared."""
    reason: str | None
    """The reason why the correlation is undefined, or None."""


class RatingReliability(NamedTuple):
    """The agreement between the annotators of an aspect."""

    alphas: Mapping[str, Estimate]
    """Krippendorff's alpha by level of measurement (`SCALES`)."""
    annotators: list[RatingAnnotator]


def summarize_ratings(
    summaries: Iterable[Hashable], annotators: Iterable[str], values: ArrayLike, documents: Iterable[Hashable]
) -> RatingReliability:
    """Compute the agreement between annotators and a row for each of them; `documents` are those of the summaries."""
    summary, document, people = list_labels(summaries), list_labels(documents), list(annotators)
    return RatingReliability(
        {scale: rating_alpha(summary, values, document, scale=scale) for scale in SCALES},
        summarize_raters(summary, people, values),
    )


def rating_alpha(
    summaries: Iterable[Hashable],
    values: ArrayLike,
    documents: Iterable[Hashable] | None = None,
    *,
    scale: Scale = "interval",
) -> Estimate:
    """Compute Krippendorff's alpha of ratings: 1 for full agreement, 0 for chance.

    The difference of two ratings is squared (`interval`), or that of their ranks among all ratings, of which equal ones
    share the mean (`ordinal`); see Krippendorff 2019, Content Analysis, ch. 12. Summaries with one rating are left out.
    Undefined if none has two, or if all ratings are the same.

    `documents`, shape (n,), holds the document of each rating's summary; by default, each summary has one of its own.
    The interval takes the logarithm of 1 - alpha, the disagreement as a share of that by chance, and its variance over
    documents, as normal. It is left out where it would not hold: if `MOST_ALIKE` of the ratings or more are the same,
    or the disagreement is that of fewer than `FEWEST_APART` documents.
    """
    summaries, numbers = list_labels(summaries), read_finite(values)
    unit, size = number_in_order(summaries)
    same_length(summaries=unit, values=numbers)
    document = number_documents(summaries, documents)
    several = np.bincount(unit, minlength=size) >= 2
    used, place = several[unit], np.cumsum(several) - 1
    return estimate(numbers[used], place[unit[used]], document[several], scale, empty=not len(numbers))


def estimate(values: Floats, unit: Integers, document: Integers, scale: Scale, *, empty: bool) -> Estimate:
    """Compute alpha of the ratings of numbered summaries, each of which has two or more."""
    n, documents = len(document), len(np.unique(document))

    def undefined(reason: str, value: float | None = None) -> Estimate:
        return Estimate(value, None, None, n, documents, LEVEL, reason)

    if not n:
        return undefined("there are no ratings" if empty else "no summary was rated by 2 annotators or more")
    x = stats.rankdata(values) if scale == "ordinal" else values
    if np.ptp(x) == 0:
        return undefined("all ratings are the same")
    x = x - x.mean()
    total, weight = len(x), np.bincount(unit).astype(np.float64)
    sums, squares = np.bincount(unit, weights=x), np.bincount(unit, weights=x**2)
    apart = np.maximum(0, 2 * (weight * squares - sums**2) / (weight - 1))  # of each summary, times its ratings
    by_chance = 2 * float((x**2).sum()) / (total - 1)
    disagreement = float(apart.sum()) / total / by_chance
    value = 1 - disagreement
    of_document = np.bincount(document, weights=apart)
    if documents < 2:
        return undefined("no interval: fewer than 2 documents have a summary with 2 ratings or more", value)
    if (same := float(np.unique(x, return_counts=True)[1].max()) / total) >= MOST_ALIKE:
        return undefined(f"no interval: {same:.0%} of the ratings are the same", value)
    if not of_document.any() or kish(of_document) < FEWEST_APART:
        return undefined("no interval: annotators differ in too few documents", value)
    # a summary's share in what is by chance moves alpha, too
    spread = float((x**2).mean())
    rest = apart - disagreement * by_chance * weight - disagreement * 2 * (squares - spread * weight)
    variance = clustered_variance(np.bincount(document, rest / by_chance), np.bincount(document, weight))
    width = float(stats.t.ppf((1 + LEVEL) / 2, documents - 1) * np.sqrt(variance)) / disagreement
    low, high = (1 - disagreement * float(np.exp(sign * width)) for sign in (1, -1))
    return Estimate(value, max(-1.0, low), high, n, documents, LEVEL)


def summarize_raters(
    summaries: Iterable[Hashable], annotators: Iterable[str], values: ArrayLike
) -> list[RatingAnnotator]:
    """Make a row for each annotator, in the order of their names."""
    numbers = read_finite(values)
    unit, size = number_in_order(summaries)
    annotator, names = number_annotators(annotators)
    same_length(summaries=unit, annotators=annotator, values=numbers)
    count = np.bincount(unit, minlength=size)[unit] if size else np.empty(0)
    total = np.bincount(unit, weights=numbers, minlength=size)[unit] if size else np.empty(0)
    with np.errstate(invalid="ignore", divide="ignore"):
        others = np.where(count > 1, (total - numbers) / (count - 1), np.nan)
    rows = []
    for number, name in enumerate(names):
        own, theirs = numbers[annotator == number], others[annotator == number]
        both = ~np.isnan(theirs)
        shared, pearson, reason = int(both.sum()), None, None
        if shared < SHARED:
            reason = f"fewer than {SHARED} summaries were rated by others, too"
        elif min(np.ptp(own[both]), np.ptp(theirs[both])) == 0:
            reason = "all of the ratings are the same"
        else:
            pearson = float(np.corrcoef(own[both], theirs[both])[0, 1])
        difference = float((own - theirs)[both].mean()) if shared else None
        rows.append(
            RatingAnnotator(name, len(own), float(own.mean()), float(own.std()), shared, difference, pearson, reason)
        )
    return rows


def read_finite(values: ArrayLike) -> Floats:
    """Read ratings. Raises `ValueError` for a missing one, which must be left out."""
    numbers = read_numbers(values, "values")
    if np.isnan(numbers).any():
        raise ValueError("values must not be missing: leave out what was not rated")
    return numbers
