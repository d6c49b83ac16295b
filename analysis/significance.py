"""Significance tests: metric against metric, paired values."""

import math
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special, stats

from relevance.analysis.arrays import number_by_text, read_numbers, same_length
from relevance.analysis.intervals import clustered_variance
from relevance.analysis.threads import map_ahead
from relevance.data.ties import TIE

ALPHA = 0.05
"""The level below which a p value, corrected if several are tested, is significant."""

SIGN_FLIP = "sign-flip over documents"

MCNEMAR = "exact McNemar"

TWO_WAY = "t over documents and annotators"

FLIPS = 10_000
"""The fewest flips drawn for a family of comparisons."""

SIGNS_AT_ONCE = 2**18
"""Signs or flipped sums held at once: 2 MiB as floats, which fit a processor's cache."""

DOCUMENTS_AT_ONCE = 2**13
"""Documents whose flips are unpacked together: a multiple of 64."""

WHOLE = 2**24
"""Whole numbers below this are exact in single precision, which halves the time of a product."""

APPROXIMATED = 50
"""Differing pairs above which scipy takes the normal approximation; it is computed here, in a tenth of scipy's time."""

ENUMERATED = 13
"""Differing pairs up to which all signs of tied ranks are enumerated."""


class PairedComparison(NamedTuple):
    """A comparison of two metrics on the pairs of summaries for which both have a credit."""

    first: str
    """The metric that comes first in the credits."""
    second: str
    difference: float | None
    """Weighted mean credit of the first minus that of the second, in [-1, 1]; None without a pair."""
    n: int
    """Pairs for which both have a credit."""
    documents: int
    test: str | None
    """The test that p comes from, one of the three of `compare_metrics`; None if p is undefined."""
    p: float | None
    """Two-sided p of no difference."""
    p_holm: float | None
    """The p value adjusted for all comparisons of the call."""
    wilcoxon_p: float | None
    """Two-sided p of the signed-rank test over the documents' mean credits, not adjusted."""
    wilcoxon_reason: str | None
    """The reason why the signed-rank test is undefined, or None."""
    seed: int | None
    """The seed of the flips; None if none were drawn."""
    flips: int | None
    """The number of flips that p rests on: drawn ones if there is a seed, otherwise all; None without flips."""
    reason: str | None = None


class SignedRank(NamedTuple):
    """Wilcoxon's signed-rank test of paired values."""

    statistic: float | None
    """The smaller of the two sums of ranks."""
    p: float | None
    """Two-sided p of differences symmetric about 0."""
    n: int
    """Pairs that differ, on which the test rests."""
    median: float | None
    """Median of all differences, first minus second, including zeros; None without a pair."""
    reason: str | None = None
    """The reason why statistic and p are undefined, or None."""


class CreditSums(NamedTuple):
    """The credits of two metrics on the pairs for which both have one, summed by document."""

    pairs: NDArray[np.intp]
    """The number of pairs that count, shape (documents,)."""
    weights: NDArray[np.float64]
    """Their weight, shape (documents,)."""
    sums: NDArray[np.float64]
    """The weighted sum of the first metric's credits minus the second's, shape (documents,)."""
    differ: bool
    """Whether the credits differ on any pair."""
    whole: bool
    """Whether all pairs weigh the same and all differences are 0 or 1 in size."""


class Comparison(NamedTuple):
    """A comparison whose p may still need flips."""

    comparison: PairedComparison
    documents: NDArray[np.float64]
    """The sum of the credit differences of each document, shape (documents,)."""
    least: float
    """The lower bound of p because annotators are a sample, too; 0 if there is only one."""


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Adjust p values for their number by Holm's method, which controls the family-wise error rate.

    None stays None and does not count. Raises `ValueError` for values outside [0, 1].
    Source: Holm 1979, A simple sequentially rejective multiple test procedure.

    >>> holm([0.01, 0.04, None])
    [0.02, 0.04, None]
    """
    for p in p_values:
        if p is not None and not 0 <= p <= 1:
            raise ValueError(f"a p value must lie in [0, 1], not {p}")
    ascending = sorted((p, index) for index, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    largest = 0.0
    for rank, (p, index) in enumerate(ascending):
        largest = max(largest, min(1.0, (len(ascending) - rank) * p))
        adjusted[index] = largest
    return adjusted


def draws_for(comparisons: int, alpha: float = ALPHA) -> int:
    """Compute the random draws that a family of `comparisons` needs to tell Holm's smallest p from its threshold.

    With m draws, p is at least 1/(m + 1), and Holm requires alpha / comparisons of the smallest one: at that threshold,
    p rests on 20 draws as extreme as the observed value, so that its standard error is less than a quarter of it.
    """
    return math.ceil(20 * comparisons / alpha)


def fewest_documents(alpha: float = ALPHA, comparisons: int = 1) -> int:
    """Compute the fewest documents with which a sign-flip test can reach `alpha`, with Holm over `comparisons`.

    Two of the 2^n ways to flip n documents are as far off as the most extreme one, so that p is at least 2/2^n.
    """
    return math.ceil(1 + math.log2(comparisons / alpha) - 1e-9)


def exact_mcnemar(first_only: int, second_only: int) -> float:
    """Compute the two-sided p of the exact McNemar test: the binomial test of the discordant counts against 1/2.

    p is 1 if both counts are 0. Raises `ValueError` for negative counts.
    Source: McNemar 1947, Note on the sampling error of the difference between correlated proportions.
    """
    if first_only < 0 or second_only < 0:
        raise ValueError(f"counts must not be negative: {first_only}, {second_only}")
    if first_only + second_only == 0:
        return 1.0
    return float(stats.binomtest(first_only, first_only + second_only).pvalue)


def read_credits(values: ArrayLike, name: str) -> NDArray[np.float64]:
    """Read a metric's credits, shape (n,): 1 agrees, 0 disagrees, .5 ties, NaN is not counted.

    Raises `ValueError` for other shapes and for numbers outside [0, 1].
    """
    column = read_numbers(values, name)
    if ((column < 0) | (column > 1)).any():
        raise ValueError(f"{name} must lie in [0, 1]")
    return column


def compare_metrics(
    credits: Mapping[str, ArrayLike],
    documents: Iterable[Hashable],
    *,
    annotators: Iterable[Hashable] | None = None,
    weights: ArrayLike | None = None,
    flips: int | None = None,
    seed: int = 0,
) -> list[PairedComparison]:
    """Compare the credits of every two metrics, in the order of `credits`.

    `credits` holds what each metric earned on each pair of summaries that people decided, shape (n,): 1 agrees, 0
    disagrees, .5 ties, NaN missing. `documents` holds the document of each pair, `annotators` its annotator, `weights`
    its weight, by default 1; a pair of weight 0 is not counted. Two metrics are compared on the pairs for which both
    have a credit.

    - "sign-flip over documents": pairs of one document are not independent, so the signs of whole documents are
      flipped. p is the share of flips whose summed difference is at least as far from 0 as the observed one. All 2^k
      flips of the k documents that differ are counted if half of them are no more than `flips`; otherwise `flips` are
      drawn, by default 10,000 or more for a large family (`draws_for`), and p = (b + 1)/(m + 1) if b of m are as far
      off. It generalises to other documents, and p is never below 2/2^k: `fewest_documents`.
    - "exact McNemar": the same test if every document has exactly one pair, all weigh the same and no credit is a half:
      the pairs where the first earns more against those where the second does.
    - "t over documents and annotators": several annotators are a sample, too. p is the larger one of `clustered_t` and
      the tests above. It generalises to other documents and other annotators.

    The flips depend on the seed and the set of documents alone, so that all comparisons share them. p is 1 if no pair
    differs, and undefined for fewer than 2 pairs or documents.
    Raises `ValueError` for other shapes, credits outside [0, 1], negative or missing weights and fewer than one flip.
    Source: Edgington and Onghena 2007, Randomization Tests; (b + 1)/(m + 1): Phipson and Smyth 2010.

    >>> credits = {"rouge1": [1, 1, 1, 1, 1, 1], "length": [0, 0, 0, 0, 0, 0]}
    >>> [(one.first, one.second, one.p) for one in compare_metrics(credits, "abcdef")]
    [('rouge1', 'length', 0.03125)]
    """
    if flips is not None and flips < 1:
        raise ValueError(f"flips must be at least 1, not {flips}")
    columns = {name: read_credits(values, f"credits of {name}") for name, values in credits.items()}
    document, size = number_by_text(documents)
    weight = np.ones(len(document)) if weights is None else read_numbers(weights, "weights")
    if not (weight >= 0).all():
        raise ValueError("weights must not be negative or missing")
    annotator, _ = number_by_text(np.zeros_like(document) if annotators is None else annotators)
    for column in [weight, *columns.values()]:
        same_length(credits=column, documents=document, weights=weight, annotators=annotator)

    comparisons = [
        compare(first, second, columns[first], columns[second], document, annotator, weight, size)
        for first, second in combinations(columns, 2)
    ]
    return correct_family(comparisons, flips, seed)


class Flips(NamedTuple):
    """Sign-flip tests of several columns under the same flips."""

    p: list[float]
    """Two-sided p of each column."""
    flips: int
    """The number of flips counted; if these are all, a flip and its opposite count as one."""
    exact: bool
    """Whether these are all possible flips."""


def sign_flips(sums: NDArray[np.float64], flips: int, seed: int) -> Flips:
    """Test whether columns sum to 0 by flipping the signs of documents: `sums` has shape (documents, columns).

    All flips are counted if they are no more than `flips`; otherwise `flips` are drawn.
    """
    observed = sums.sum(axis=0)
    # a flip that is below the observed sum by rounding only counts
    least = np.abs(observed) - TIE * np.abs(sums).sum(axis=0)
    differing = sums[(sums != 0).any(axis=1)]
    every = 2 ** max(0, len(differing) - 1)  # the last document is never flipped: the opposite of a flip is as far off
    exact = every <= flips
    if exact:
        sums, flips = differing, every
    size, twice = len(sums), 2 * sums
    if not exact and (twice == np.rint(twice)).all() and np.abs(twice).sum(axis=0).max(initial=0) < WHOLE:
        twice = twice.astype(np.float32)
    random = np.random.default_rng(seed)
    beyond = np.zeros(len(observed), dtype=np.intp)
    at_once = max(1, SIGNS_AT_ONCE // max(1, min(size, DOCUMENTS_AT_ONCE), sums.shape[1]))

    def draw() -> Iterator[NDArray[np.uint8] | NDArray[np.intp]]:
        for done in range(0, flips, at_once):
            rows = min(at_once, flips - done)
            if exact:
                yield np.arange(done, done + rows)
            else:
                # one random bit a document; whole words for each flip, so that at_once does not change the bits
                yield random.integers(2**64, size=(rows, -(-size // 64)), dtype=np.uint64).view(np.uint8)

    def add_up(drawn: NDArray[Any]) -> NDArray[np.float64]:
        return sign_patterns(drawn, size) @ twice if exact else flipped_sums(drawn, twice)

    for distance in map_ahead(add_up, draw()):
        beyond += np.count_nonzero(np.abs(observed - distance) >= least, axis=0)
    return Flips([int(b) / flips if exact else (int(b) + 1) / (flips + 1) for b in beyond], flips, exact)


def flipped_sums(bits: NDArray[np.uint8], sums: NDArray[np.floating]) -> NDArray[np.float64]:
    """Sum the flipped documents, some at a time; `bits` has a row for each flip and a bit for each document."""
    totals = np.zeros((len(bits), sums.shape[1]))
    for start in range(0, len(sums), DOCUMENTS_AT_ONCE):
        part = sums[start : start + DOCUMENTS_AT_ONCE]
        flipped = np.unpackbits(bits[:, start // 8 : (start + len(part) + 7) // 8], axis=1, count=len(part))
        totals += flipped.astype(part.dtype) @ part
    return totals


def clustered_t(part: NDArray[np.float64], whole: NDArray[np.float64]) -> float:
    """Compute the two-sided p of a mean of 0 if both documents and annotators are samples.

    `part` holds the weighted sum of the differences from an annotator's judgments of a document, `whole` their weight,
    both of shape (documents, annotators). The variance of the mean is that of whole documents, plus the variance of the
    annotators' own means beyond what documents explain. Both are estimated from few, so the degrees of freedom are
    Satterthwaite's: near the number of documents if annotators agree, near the number of annotators if they do not. The
    sum of squares of the annotators' shares accounts for uneven ones. p is 0 if all judgments are alike.
    Source: Cameron, Gelbach and Miller 2011, Robust Inference With Multiway Clustering, section 2, for the variance;
    Satterthwaite 1946, An approximate distribution of estimates of variance components.
    """
    judged = whole.sum(axis=0) > 0
    part, whole = part[:, judged], whole[:, judged]
    weight, total = whole.sum(axis=0), whole.sum()
    mean, own = part.sum() / total, part.sum(axis=0) / weight
    uneven = float(((weight / total) ** 2).sum())
    between = float(clustered_variance((part - mean * whole).sum(axis=1), whole.sum(axis=1)))
    people = float(own.var(ddof=1)) * uneven
    noise = float(clustered_variance(part - own * whole, whole).mean()) * uneven
    variance = between + max(0.0, people - noise)
    if variance <= 0:
        return 0.0 if abs(mean) > TIE else 1.0
    documents = int(np.count_nonzero(whole.sum(axis=1)))
    freedom = variance**2 / (between**2 / (documents - 1) + people**2 / (len(own) - 1))
    return float(2 * stats.t.sf(abs(mean) / math.sqrt(variance), freedom))


def signed_rank(differences: NDArray[np.float64], unit: str) -> SignedRank:
    """Test the differences of paired values, shape (n,), with Wilcoxon's signed-rank test, two-sided.

    No difference may be NaN; `unit` names one in the reasons. Differences within 1e-9 of 0 do not count; others are
    rounded to 9 decimals, so that noise does not separate tied ranks. p is scipy's: exact up to 50 differing pairs
    without ties and up to 13 with ties, otherwise from the normal approximation.
    Source: Wilcoxon 1945, Individual comparisons by ranking methods.
    """
    rounded = np.where(np.abs(differences) <= TIE, 0.0, np.round(differences, 9))
    median = float(np.median(rounded)) if len(rounded) else None
    differing = rounded[rounded != 0]
    n = len(differing)
    if len(rounded) < 2:
        return SignedRank(None, None, n, median, f"fewer than 2 {unit}s have both values")
    if n == 0:
        return SignedRank(None, None, 0, median, f"the two differ in no {unit}")
    if n > APPROXIMATED:
        return signed_rank_of_many(differing, median)
    ranks = stats.rankdata(np.abs(differing))
    plus = float(ranks[differing > 0].sum())
    statistic = min(plus, n * (n + 1) / 2 - plus)
    signed = tuple(np.sort(np.where(differing > 0, ranks, -ranks)).tolist())
    p = p_of_few(signed) if n <= ENUMERATED else p_of_ranks(signed)
    return SignedRank(statistic, p, n, median)


def signed_rank_of_many(differing: NDArray[np.float64], median: float | None) -> SignedRank:
    """Test differences that are not 0 by the normal approximation, with scipy's correction for ties."""
    n = len(differing)
    order = np.argsort(np.abs(differing))
    size = np.abs(differing)[order]
    starts = np.flatnonzero(np.diff(size, prepend=-1.0) > 0)
    alike = np.diff(starts, append=n).astype(np.float64)
    positive = np.add.reduceat(differing[order] > 0, starts, dtype=np.float64)
    plus = float(positive @ (starts + (alike + 1) / 2))
    variance = (n * (n + 1.0) * (2 * n + 1) - float((alike**3 - alike).sum()) / 2) / 24
    z = abs(plus - n * (n + 1) / 4) / math.sqrt(variance)
    return SignedRank(min(plus, n * (n + 1) / 2 - plus), float(2 * special.ndtr(-z)), n, median)


def p_of_ranks(signed: tuple[float, ...]) -> float:
    """Compute the p of signed ranks."""
    ranks = np.array(signed)
    if len(signed) <= ENUMERATED and len(np.unique(np.abs(ranks))) < len(signed):
        return enumerated(np.abs(ranks), float(ranks[ranks > 0].sum()))
    return float(stats.wilcoxon(ranks, zero_method="wilcox").pvalue)


p_of_few = lru_cache(1 << 14)(p_of_ranks)
"""A cache of p: with many systems and few documents, most comparisons have the ranks of others."""


def enumerated(ranks: NDArray[np.float64], plus: float) -> float:
    """Enumerate all signs of the ranks: scipy's p in a millisecond, where scipy takes .7 s for 13 ranks."""
    sums = sign_patterns(np.arange(2 ** len(ranks)), len(ranks)) @ ranks  # halves at most, so exact
    return float(min(1.0, 2 * min((sums <= plus).mean(), (sums >= plus).mean())))


def sign_patterns(numbers: NDArray[np.int_], size: int) -> NDArray[np.float64]:
    """Return the bits of each number, the lowest first, as signs to flip: 1 or 0, shape (numbers, size)."""
    return ((numbers[:, np.newaxis] >> np.arange(size)) & 1).astype(np.float64)


def compare(
    first: str,
    second: str,
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    document: NDArray[np.intp],
    annotator: NDArray[np.intp],
    weight: NDArray[np.float64],
    size: int,
) -> Comparison:
    """Compare two metrics as far as possible without flips: if p needs them, it is None while test is given."""
    both = ~(np.isnan(x) | np.isnan(y)) & (weight > 0)
    x, y, document, annotator, weight = x[both], y[both], document[both], annotator[both], weight[both]
    difference = np.where(np.abs(x - y) <= TIE, 0.0, x - y)
    pairs = np.bincount(document, minlength=size)
    weights, sums = (
        np.bincount(document, weights=column, minlength=size).astype(np.float64)
        for column in (weight, weight * difference)
    )
    alike = len(x) > 0 and bool(np.ptp(weight) == 0) and bool(np.isin(np.abs(difference), (0, 1)).all())
    compared = compare_sums(first, second, CreditSums(pairs, weights, sums, bool(difference.any()), alike))
    if compared.comparison.test is None or np.ptp(annotator) == 0:
        return compared
    many = int(annotator.max()) + 1
    cell = document * many + annotator
    part = np.bincount(cell, weights=weight * difference, minlength=size * many).astype(np.float64)
    whole = np.bincount(cell, weights=weight, minlength=size * many).astype(np.float64)
    least = clustered_t(part.reshape(size, many), whole.reshape(size, many))
    p = compared.comparison.p
    comparison = compared.comparison._replace(test=TWO_WAY, p=None if p is None else max(p, least))
    return compared._replace(comparison=comparison, least=least)


def compare_sums(first: str, second: str, credits: CreditSums) -> Comparison:
    """Compare two metrics as far as possible without flips: if p needs them, it is None while test is given."""
    counted = credits.pairs > 0
    n, documents = int(credits.pairs.sum()), int(np.count_nonzero(counted))
    mean = float(credits.sums.sum() / credits.weights.sum()) if n else None
    ranked = signed_rank(credits.sums[counted] / credits.weights[counted], "document")
    test: str | None = None
    p: float | None = None
    reason = None
    if n < 2:
        reason = "fewer than 2 pairs are scored by both"
    elif documents < 2:
        reason = "fewer than 2 documents have pairs that both metrics score"
    elif n == documents and credits.whole:
        more = credits.sums / np.where(counted, credits.weights, 1)
        test, p = MCNEMAR, exact_mcnemar(int((more > 0).sum()), int((more < 0).sum()))
    else:
        test, p = SIGN_FLIP, None if credits.differ else 1.0
    comparison = PairedComparison(
        first, second, mean, n, documents, test, p, p_holm=None,
        wilcoxon_p=ranked.p, wilcoxon_reason=ranked.reason, seed=None, flips=None, reason=reason,
    )  # fmt: skip
    return Comparison(comparison, credits.sums, 0.0)


def correct_family(tested: Sequence[Comparison], flips: int | None, seed: int) -> list[PairedComparison]:
    """Draw the flips that comparisons still need, and correct all p values for their number."""
    flipped = [index for index, sums in enumerate(tested) if sums.comparison.test and sums.comparison.p is None]
    comparisons = [sums.comparison for sums in tested]
    if flipped:
        family = sum(comparison.test is not None for comparison in comparisons)
        result = sign_flips(
            np.column_stack([tested[index].documents for index in flipped]),
            max(FLIPS, draws_for(family)) if flips is None else flips,
            seed,
        )
        for index, p in zip(flipped, result.p, strict=True):
            comparisons[index] = comparisons[index]._replace(
                p=max(p, tested[index].least), seed=None if result.exact else seed, flips=result.flips
            )
    adjusted = holm([comparison.p for comparison in comparisons])
    return [comparison._replace(p_holm=p) for comparison, p in zip(comparisons, adjusted, strict=True)]
