"""How far annotators agree with each other: numbers in, results out.

The functions take columns of one length, one entry a judgment: `pairs` (the id of the judged pair), `annotators`
(names) and `choices` (above 0 for the first summary, below 0 for the second, 0 for a tie). Which summary of a pair is
the first must not depend on the annotator. All raise `ValueError` for columns that differ in length and for choices
that are not finite; those that take `annotators`, also where an annotator judges a pair more than once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sized
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from data.intervals import clustered_variance, kish, share_interval

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]
Counts = NDArray[np.int64]

CATEGORIES = 3
"""First, second and tie: the columns of a table of counts, in this order."""
ROUNDING = 1e-12
"""A variance of one item below this is 0 but for rounding."""


class Estimate(NamedTuple):
    """A coefficient with its interval."""

    value: float | None
    """The coefficient: at most 1; below 0 is less than chance for alpha and kappa."""
    low: float | None
    """The lower end of its interval."""
    high: float | None
    """The upper end of its interval."""
    n: int
    """Pairs that it rests on: those with at least two judgments."""
    documents: int
    """Documents of these pairs."""
    level: float
    """How often such intervals hold the truth, such as .95."""
    reason: str | None = None
    """Why the value, or only the interval, is undefined, or None."""


class FleissKappa(NamedTuple):
    """Fleiss' kappa of the pairs that were judged equally often."""

    estimate: Estimate
    """Kappa with its interval; `n` counts the pairs that were used."""
    judgments_per_pair: int | None
    """How often each pair that was used was judged: at least 2, or None where no pair could be used."""
    left_out: int
    """Pairs that were judged another number of times."""


class Kappa(NamedTuple):
    """Cohen's kappa of two annotators, over the pairs that both judged."""

    first: str
    """One annotator."""
    second: str
    """The other one."""
    kappa: float | None
    """The coefficient, in [-1, 1]."""
    low: float | None
    """The lower end of its interval."""
    high: float | None
    """The upper end of its interval."""
    n: int
    """Pairs that both judged."""
    agreement: float | None
    """The share of them with the same category (first, second or tie), in [0, 1]."""
    level: float
    """The coverage of the interval, such as .95."""
    reason: str | None = None
    """Why kappa, or only the interval, is undefined, or None."""


class AnnotatorReliability(NamedTuple):
    """One annotator's row: how much, how fast, which side, how much like the others."""

    annotator: str
    """The name."""
    judgments: int
    """Pairs judged, ties included."""
    median_seconds: float | None
    """The median time of a judgment, of those with a time."""
    ties: int
    """Judgments that prefer neither summary."""
    decided: int
    """Judgments that prefer one."""
    left: int
    """Decided judgments that chose the summary on the left."""
    left_share: float | None
    """left/decided, in [0, 1]."""
    agreement: float | None
    """The share of `agreement_n` in which the choice is that of the majority of the others, in [0, 1]."""
    agreement_n: int
    """Decided judgments of pairs for which the majority of the others is decided too."""
    checks_passed: int
    """Attention checks passed."""
    checks: int
    """Attention checks asked."""
    reasons: Mapping[str, str]
    """Why each field that is None is undefined, by the name of the field."""


# --- all annotators together ------------------------------------------------------------------------------


def krippendorff_alpha(
    pairs: Iterable[Hashable], choices: ArrayLike, documents: Iterable[Hashable] | None = None, *, level: float = 0.95
) -> Estimate:
    """Krippendorff's alpha over the categories first, second and tie: 1 for full agreement, 0 for chance.

    Nominal: a tie is as far from "first" as "second" is (Krippendorff 2019, Content Analysis, ch. 12). "First" is
    what the order of the two systems' names makes it, so chance is reckoned from how often the first name wins,
    not from the sides of the screen. Pairs with one judgment are left out; any number of judgments from two on
    may be mixed. Undefined where no pair has two judgments and where all judgments are of one category.

    `documents`, shape (n,), holds the document of each judgment's pair: pairs of one document are not independent.
    Without, every pair is taken to have one of its own. The interval is that of the share of equal judgments
    (`share_interval`), by the variance of alpha over documents, beyond the same chance; -1 is the least it says.
    """
    table, document = _judged(pairs, choices, documents)
    return _estimate(table, table.sum(axis=1) >= 2, document, _krippendorff, level)


def fleiss_kappa(
    pairs: Iterable[Hashable], choices: ArrayLike, documents: Iterable[Hashable] | None = None, *, level: float = 0.95
) -> FleissKappa:
    """Fleiss' kappa (Fleiss 1971, Psychological Bulletin 76) over the categories first, second and tie.

    It wants as many judgments of every pair: of the numbers of judgments from two on, it takes the one that most
    pairs have (the larger one where two are as common) and leaves the other pairs out. Undefined where alpha is;
    documents and interval are as for alpha.
    """
    table, document = _judged(pairs, choices, documents)
    judgments = table.sum(axis=1)
    common = Counter(judgments[judgments >= 2].tolist())
    per_pair = max(common, key=lambda number: (common[number], number), default=None)
    used = judgments == (per_pair or -1)  # -1: none
    estimate = _estimate(table, used, document, _fleiss, level)
    return FleissKappa(estimate, per_pair, int((~used).sum()))


def raw_agreement(
    pairs: Iterable[Hashable], choices: ArrayLike, documents: Iterable[Hashable] | None = None, *, level: float = 0.95
) -> Estimate:
    """The share of pairs of judgments of the same pair that are of the same category, in [0, 1].

    A pair with m judgments gives m(m - 1)/2 of them, all of one weight. Nothing is taken off for chance.
    Undefined where no pair has two judgments; documents and interval are as for alpha.
    """
    table, document = _judged(pairs, choices, documents)
    return _estimate(table, table.sum(axis=1) >= 2, document, None, level)


def alpha(table: ArrayLike) -> float | None:
    """Krippendorff's nominal alpha of counts, shape (items, categories): how often an item was put in a category.

    Items with fewer than two judgments are left out. None where nothing is left, or all is of one category.
    Raises `ValueError` for other shapes and for counts that are not whole numbers from 0 on.
    """
    counts = _counts(table)
    return _beyond_chance(counts[counts.sum(axis=1) >= 2], _krippendorff)


def fleiss(table: ArrayLike) -> float | None:
    """Fleiss' kappa of counts, shape (items, categories), with the same number of judgments, 2 or more, an item.

    None where there are no items, or all is of one category. Raises `ValueError` for other shapes and counts.
    """
    counts = _counts(table)
    judgments = counts.sum(axis=1)
    if len(counts) and (judgments.min() < 2 or judgments.min() != judgments.max()):
        raise ValueError("every item must have the same number of judgments, at least 2")
    return _beyond_chance(counts, _fleiss)


_Chance = Callable[[Counts], float]
"""How often two judgments are equal by chance, from how often each category was chosen, shape (categories,)."""


def _krippendorff(totals: Counts) -> float:
    """Two judgments drawn without replacement."""
    n = int(totals.sum())
    return float((totals * (totals - 1)).sum() / (n * (n - 1)))


def _fleiss(totals: Counts) -> float:
    """Two judgments drawn with replacement."""
    return float((totals**2).sum() / int(totals.sum()) ** 2)


def _equal(counts: Counts, chance: _Chance | None) -> tuple[Floats, Floats]:
    """Equal judgments of each item and what it weighs, shapes (items,): the sums' ratio is the observed agreement.

    With a chance, an item weighs as much as it has judgments (the diagonal of Krippendorff's coincidence matrix);
    without, as much as it has pairs of them.
    """
    judgments = counts.sum(axis=1)
    equal = (counts * (counts - 1)).sum(axis=1)
    per = 1 if chance else judgments - 1
    return equal / (judgments - 1) * per, (judgments * per).astype(np.float64)


def _beyond_chance(counts: Counts, chance: _Chance | None) -> float | None:
    """The coefficient of items with two judgments or more; None where it is undefined."""
    if not len(counts):
        return None
    part, whole = _equal(counts, chance)
    by_chance = chance(counts.sum(axis=0)) if chance else 0.0
    # counts are whole, so chance is 1 exactly where one category has them all
    return None if by_chance == 1 else float((part.sum() / whole.sum() - by_chance) / (1 - by_chance))


def _documents(pairs: Iterable[Hashable], documents: Iterable[Hashable] | None) -> Integers:
    """The number of each pair's document, shape (pairs,), pairs in the order in which they come."""
    pair, size = numbered(pairs)
    if documents is None:
        return np.arange(size)
    document, _ = numbered(documents)
    same_length(pairs=pair, documents=document)
    of_pair = np.empty(size, dtype=np.intp)
    of_pair[pair] = document
    if (of_pair[pair] != document).any():
        raise ValueError("a pair is of two documents")
    return of_pair


def _estimate(
    table: Counts, used: NDArray[np.bool_], document: Integers, chance: _Chance | None, level: float
) -> Estimate:
    """The coefficient of the rows of the table that are used, with its interval."""
    check_level(level)
    counts, document = table[used], document[used]
    n, documents = len(counts), len(np.unique(document))

    def undefined(reason: str, value: float | None = None) -> Estimate:
        return Estimate(value, None, None, n, documents, level, reason)

    if not len(table):
        return undefined("there are no judgments")
    if not n:
        return undefined("nothing was judged by 2 annotators or more")
    value = _beyond_chance(counts, chance)
    if value is None:
        return undefined("all judgments are of one category")
    if documents < 2:
        return undefined("no interval: fewer than 2 documents have a pair with 2 judgments or more", value)
    part, whole = _equal(counts, chance)
    observed = float(part.sum() / whole.sum())
    rest, by_chance = part - observed * whole, 0.0
    if chance:
        # what a pair adds to the agreement by chance moves the coefficient, too
        totals = counts.sum(axis=0)
        shares = totals / totals.sum()
        rest -= (1 - value) * 2 * (counts @ shares - float(shares @ shares) * whole)
        by_chance = chance(totals)
    low, high = _corrected_interval(observed, by_chance, rest, whole, document, level)
    return Estimate(value, min(low, value), max(high, value), n, documents, level)


def _corrected_interval(
    observed: float, chance: float, rest: Floats, whole: Floats, document: Integers, level: float
) -> tuple[float, float]:
    """The interval of (observed - chance)/(1 - chance), at least -1.

    `whole`, shape (items,), is what items weigh in the observed agreement; `rest` what each, with that weight, adds to
    the coefficient times 1 - chance.
    """
    rests, wholes = (np.bincount(document, weights=column) for column in (rest, whole))
    variance = float(clustered_variance(rests, wholes))
    ends = share_interval(observed, variance, kish(whole), kish(wholes), level)
    low, high = (max(-1.0, (end - chance) / (1 - chance)) for end in ends)
    return low, high


# --- two annotators ---------------------------------------------------------------------------------------


def cohen_kappas(
    pairs: Iterable[Hashable],
    annotators: Iterable[str],
    choices: ArrayLike,
    documents: Iterable[Hashable] | None = None,
    *,
    level: float = 0.95,
) -> list[Kappa]:
    """Cohen's kappa (categories first, second and tie) of every two annotators who judged a pair in common.

    Sorted by the two names, the earlier one first in each. See `cohen` for what is undefined, and
    `krippendorff_alpha` for the interval and `documents`.
    """
    pairs = _listed(pairs)
    of_pair = _documents(pairs, documents)
    signs = signed(choices)
    pair, size = numbered(pairs)
    annotator, names = _named(annotators)
    same_length(pairs=pair, annotators=annotator, choices=signs)
    _judged_once(pair, annotator, names)
    # one column for each annotator and category: the product counts the pairs in which two of them meet
    cells = csr_array(
        (np.ones(len(pair)), (pair, annotator * CATEGORIES + _categories(signs))), shape=(size, len(names) * CATEGORIES)
    )
    met = (cells.T @ cells).toarray().reshape(len(names), CATEGORIES, len(names), CATEGORIES).swapaxes(1, 2)
    first, second = np.nonzero(np.triu(met.sum(axis=(2, 3)), k=1))
    tables = met[first, second]
    who = [(names[i], names[j]) for i, j in zip(first.tolist(), second.tolist(), strict=True)]
    judged = [np.flatnonzero(annotator == number) for number in range(len(names))]
    categories = _categories(signs)
    results = []
    for found, one, other in zip(_cohens(who, tables, level), first.tolist(), second.tolist(), strict=True):
        shared, here, there = np.intersect1d(
            pair[judged[one]], pair[judged[other]], assume_unique=True, return_indices=True
        )
        rows, columns = categories[judged[one][here]], categories[judged[other][there]]
        results.append(_over_documents(found, rows, columns, of_pair[shared]))
    return results


def _over_documents(found: Kappa, rows: Integers, columns: Integers, document: Integers) -> Kappa:
    """A kappa with the interval over documents, from the two categories and the document of each pair, shapes (n,)."""
    if found.kappa is None or found.agreement is None:
        return found
    if len(np.unique(document)) < 2:
        return found._replace(low=None, high=None, reason="no interval: fewer than 2 documents have shared pairs")
    of_rows, of_columns = (np.bincount(chosen, minlength=CATEGORIES) / len(rows) for chosen in (rows, columns))
    chance = float(of_rows @ of_columns)
    rest = (rows == columns) - found.agreement - (1 - found.kappa) * (of_columns[rows] + of_rows[columns] - 2 * chance)
    low, high = _corrected_interval(found.agreement, chance, rest, np.ones(len(rows)), document, found.level)
    return found._replace(low=min(low, found.kappa), high=max(high, found.kappa), reason=None)


def cohen(table: ArrayLike, *, level: float = 0.95, first: str = "first", second: str = "second") -> Kappa:
    """Cohen's kappa of counts, shape (categories, categories): rows are one annotator's choice, columns the other's.

    The interval is asymptotic, from the standard error under the alternative (Fleiss, Cohen & Everitt 1969,
    Psychological Bulletin 72, formula 13). Kappa is undefined with fewer than two items and where both use one and the
    same category only, the interval alone where the variance comes out as 0: there the formula says nothing.
    Raises `ValueError` for tables that are not square and for counts that are not whole numbers from 0 on.
    """
    counts = _counts(table)
    if counts.shape[0] != counts.shape[1]:
        raise ValueError(f"the table must be square, not of shape {counts.shape}")
    return _cohens([(first, second)], counts[None].astype(np.float64), level)[0]


def _cohens(who: list[tuple[str, str]], tables: Floats, level: float) -> list[Kappa]:
    """The kappas of tables, shape (len(who), categories, categories)."""
    check_level(level)
    n = tables.sum(axis=(1, 2))
    shares = _ratios(tables, n[:, None, None])
    rows, columns = shares.sum(axis=2), shares.sum(axis=1)
    agreed = np.trace(tables, axis1=1, axis2=2)
    agreement = _ratios(agreed, n)
    # in whole numbers, so that a chance agreement of 1 is found exactly
    chance = _ratios((tables.sum(axis=2) * tables.sum(axis=1)).sum(axis=1), n**2)
    kappa = _ratios(agreement - chance, 1 - chance)
    rest = (1 - kappa)[:, None]
    diagonal = np.diagonal(shares, axis1=1, axis2=2)
    on = (diagonal * (1 - (rows + columns) * rest) ** 2).sum(axis=1)
    crossed = (columns[:, :, None] + rows[:, None, :]) ** 2
    off = (shares * crossed).sum(axis=(1, 2)) - (diagonal * np.diagonal(crossed, axis1=1, axis2=2)).sum(axis=1)
    spread = on + rest[:, 0] ** 2 * off - (kappa - chance * rest[:, 0]) ** 2
    variance = _ratios(spread, (1 - chance) ** 2 * n)
    half = NormalDist().inv_cdf((1 + level) / 2) * np.sqrt(np.where(spread > ROUNDING, variance, 0))
    results = []
    for names, value, width, count, share in zip(
        who, kappa.tolist(), half.tolist(), n.tolist(), agreement.tolist(), strict=True
    ):
        raw = share if count else None
        if count < 2:
            results.append(Kappa(*names, None, None, None, int(count), raw, level, "fewer than 2 shared pairs"))
        elif np.isnan(value):
            reason = "both chose one and the same category throughout"
            results.append(Kappa(*names, None, None, None, int(count), raw, level, reason))
        elif width == 0:
            reason = "no interval: the asymptotic variance is 0"
            results.append(Kappa(*names, value, None, None, int(count), raw, level, reason))
        else:
            results.append(Kappa(*names, value, value - width, value + width, int(count), raw, level))
    return results


# --- each annotator ---------------------------------------------------------------------------------------


def others_majority(pairs: Iterable[Hashable], annotators: Iterable[str], choices: ArrayLike) -> Floats:
    """What most of the other annotators of the same pair chose, for each judgment, shape (n,).

    1 for the first summary, -1 for the second, 0 where they split evenly or tie, NaN where there are no others.
    Each annotator has one vote, which a tie leaves unused.
    """
    signs = signed(choices)
    pair, _ = numbered(pairs)
    annotator, names = _named(annotators)
    same_length(pairs=pair, annotators=annotator, choices=signs)
    _judged_once(pair, annotator, names)
    return _others(pair, signs)


def annotator_table(
    pairs: Iterable[Hashable],
    annotators: Iterable[str],
    choices: ArrayLike,
    left: ArrayLike,
    seconds: ArrayLike,
    checks: Mapping[str, tuple[int, int]],
) -> list[AnnotatorReliability]:
    """A row for each annotator, sorted by name: those with judgments, and those with attention checks alone.

    `left`, shape (n,), is 1 where the chosen summary stood on the left, 0 where on the right, NaN for a tie (and only
    there: `ValueError` otherwise). `seconds`, shape (n,), is the time that a judgment took; NaN where it is not
    known. `checks` maps an annotator to the attention checks (passed, asked); who is not in it was asked none.
    """
    signs, sides, times = signed(choices), np.asarray(left, np.float64), np.asarray(seconds, np.float64)
    pair, _ = numbered(pairs)
    judged = list(annotators)
    number = {name: index for index, name in enumerate(sorted({*judged, *checks}))}
    annotator = np.array([number[name] for name in judged], dtype=np.intp)
    same_length(pairs=pair, annotators=annotator, choices=signs, left=sides, seconds=times)
    _judged_once(pair, annotator, list(number))
    decided = signs != 0
    if not np.array_equal(np.isnan(sides), ~decided) or not np.isin(sides[decided], [0, 1]).all():
        raise ValueError("left must be 1 or 0 where a choice is decided, and NaN where it is a tie")
    others = _others(pair, signs)
    compared = decided & (np.abs(others) == 1)

    counted = (np.ones_like(decided), decided, sides == 1, compared, compared & (others == signs))
    counts = np.column_stack([np.bincount(annotator[mask], minlength=len(number)) for mask in counted]).tolist()
    medians = _medians(annotator, times, len(number))
    rows = []
    for name, (judgments, chosen, lefts, with_others, same), median in zip(number, counts, medians, strict=True):
        passed, asked = checks.get(name, (0, 0))
        reasons = {}
        if median is None:
            reasons["median_seconds"] = "no judgment has a time"
        if not chosen:
            reasons["left_share"] = "no decided judgment"
        if not with_others:
            reasons["agreement"] = "no decided judgment of a pair for which the majority of the others is decided"
        rows.append(
            AnnotatorReliability(
                annotator=name,
                judgments=judgments,
                median_seconds=median,
                ties=judgments - chosen,
                decided=chosen,
                left=lefts,
                left_share=lefts / chosen if chosen else None,
                agreement=same / with_others if with_others else None,
                agreement_n=with_others,
                checks_passed=passed,
                checks=asked,
                reasons=reasons,
            )
        )
    return rows


def _others(pair: Integers, signs: Floats) -> Floats:
    """`others_majority` of numbered pairs and signs."""
    if not len(pair):
        return np.empty(0)
    votes = np.bincount(pair, weights=signs)[pair] - signs
    return np.where(np.bincount(pair)[pair] > 1, np.sign(votes), np.nan)


def _medians(annotator: Integers, times: Floats, size: int) -> list[float | None]:
    """The median time of each of `size` annotators, None where no time is known."""
    known = np.isfinite(times)
    annotator, times = annotator[known], times[known]
    order = np.argsort(annotator, kind="stable")
    groups = np.split(times[order], np.cumsum(np.bincount(annotator, minlength=size))[:-1]) if size else []
    return [float(np.median(group)) if len(group) else None for group in groups]


# --- columns ----------------------------------------------------------------------------------------------


def signed(choices: ArrayLike) -> Floats:
    """Read choices as 1, -1 and 0 for a tie, shape (n,). Raises `ValueError` for other shapes and for NaN."""
    column = np.asarray(choices, dtype=np.float64)
    if column.ndim != 1:
        raise ValueError(f"choices must have one dimension, not {column.ndim}")
    if not np.isfinite(column).all():
        raise ValueError("choices must be finite: leave out what was not judged")
    return np.sign(column)


def numbered(labels: Iterable[Hashable]) -> tuple[Integers, int]:
    """Count the distinct labels off as they come: the number of each entry, shape (n,), and how many there are."""
    values = _listed(labels)
    number = {label: index for index, label in enumerate(dict.fromkeys(values))}
    return np.fromiter(map(number.__getitem__, values), np.intp, len(values)), len(number)


def same_length(**columns: Sized) -> None:
    """Raise `ValueError` with all lengths where the columns differ in length."""
    if len({len(column) for column in columns.values()}) > 1:
        lengths = ", ".join(f"{name} {len(column)}" for name, column in columns.items())
        raise ValueError(f"the columns differ in length: {lengths}")


def check_level(level: float) -> None:
    """Raise `ValueError` for a level outside (0, 1)."""
    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1, not {level}")


def _listed(labels: Iterable[Hashable]) -> list[Hashable]:
    # numpy's own scalars are slow to hash
    return labels.tolist() if isinstance(labels, np.ndarray) else list(labels)


def _named(annotators: Iterable[str]) -> tuple[Integers, list[str]]:
    """The number of each entry's annotator, shape (n,), and the names, sorted."""
    values = list(annotators)
    names = sorted(set(values))
    number = {name: index for index, name in enumerate(names)}
    return np.fromiter(map(number.__getitem__, values), np.intp, len(values)), names


def _judged_once(pair: Integers, annotator: Integers, names: list[str]) -> None:
    """Raise `ValueError` where an annotator judges a pair twice."""
    judgments = np.sort(pair * len(names) + annotator)
    twice = judgments[1:][judgments[1:] == judgments[:-1]]
    if len(twice):
        raise ValueError(f"{names[int(twice[0]) % len(names)]} judged the same pair more than once")


def _categories(signs: Floats) -> Integers:
    """0 for the first, 1 for the second, 2 for a tie."""
    return np.where(signs > 0, 0, np.where(signs < 0, 1, 2)).astype(np.intp)


def _judged(
    pairs: Iterable[Hashable], choices: ArrayLike, documents: Iterable[Hashable] | None
) -> tuple[Counts, Integers]:
    """How often each pair was judged first, second and tie, shape (pairs, 3), and its document's number, (pairs,)."""
    pairs, signs = _listed(pairs), signed(choices)
    pair, size = numbered(pairs)
    same_length(pairs=pair, choices=signs)
    cells = np.bincount(pair * CATEGORIES + _categories(signs), minlength=size * CATEGORIES)
    return cells.reshape(size, CATEGORIES).astype(np.int64), _documents(pairs, documents)


def _counts(table: ArrayLike) -> Counts:
    """Read a table of counts of two dimensions. Raises `ValueError` for anything else."""
    values = np.asarray(table, dtype=np.float64)
    if values.ndim != 2:
        raise ValueError(f"the table must have two dimensions, not {values.ndim}")
    if not (np.isfinite(values).all() and (values >= 0).all() and (values == np.floor(values)).all()):
        raise ValueError("the table must hold counts: whole numbers from 0 on")
    return values.astype(np.int64)


def _ratios(parts: Floats, wholes: Floats) -> Floats:
    """Divide parts by wholes: NaN where the whole is 0."""
    ratios: Floats = np.full(np.broadcast(parts, wholes).shape, np.nan)
    np.divide(parts, wholes, out=ratios, where=wholes != 0)
    return ratios
