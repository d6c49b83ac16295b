"""The number of pairs that a study needs, from the difference to detect and from an earlier study's figures."""

import math
from bisect import bisect_left
from collections.abc import Hashable, Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from relevance.analysis.agreement.power import SimulatedPower
from relevance.analysis.arrays import ROUNDING, check_level, number_by_text, read_numbers, read_weights, same_length
from relevance.analysis.intervals import FEWEST_DOCUMENTS
from relevance.analysis.significance import MCNEMAR, SIGN_FLIP, fewest_documents, read_credits
from relevance.data.ties import TIE

EXACT = "exact power of the exact McNemar test"

APPROXIMATE = "normal approximation of the exact McNemar test"

STUDENT = "Student's t approximation of the sign-flip test"

CLOPPER_PEARSON = "Clopper-Pearson interval"

SIMULATED_UP_TO = 40
"""Documents above which Student's t is used: it is within .03 of simulated power there, and takes no time."""

SIMULATED_FROM = 0.01
"""The alpha below which Student's t is used, too: the flips for so small a p value take too long."""

EXACT_UP_TO = 100_000
"""Independent pairs above which the normal approximation is used, to keep the exact search under .3 s."""

NO_ICC = "fewer than 2 documents have pairs, none has 2, or the two differ alike on all pairs"


class Plan(NamedTuple):
    """The size of a study, or the reason why no size would do."""

    pairs: int | None
    """Pairs of summaries: `documents` times the pairs of each, with fewer in the last one if need be."""
    independent_pairs: int | None
    """Pairs needed if each came from a document of its own."""
    design_effect: float
    """The cost of pairs that share documents: 1 + (pairs per document - 1) * icc."""
    documents: int | None
    """Documents that the pairs come from; never fewer than `fewest_documents`."""
    judgments: int | None
    """pairs * judgments per pair, rounded up."""
    fewest_documents: int
    """The documents below which the test cannot reach alpha, or the interval misses its level."""
    test: str | None
    """The planned test of `compare_metrics`; None for an interval, and if the plan is undefined."""
    power: float | None
    """The probability that the test finds the difference with these documents; None for an interval, and if `method` is
    a normal approximation."""
    method: str | None
    """The method that found the number; None if it is undefined."""
    reason: str | None = None


class ObservedMetrics(NamedTuple):
    """Figures of two metrics from earlier judgments, as `pairs_to_separate` takes them."""

    first: float | None
    """The first metric's agreement ratio: its mean credit over the shared pairs, in [0, 1]."""
    second: float | None
    """The second metric's."""
    phi: float | None
    """Pearson correlation of the two credits over the shared pairs, in [-1, 1]."""
    icc: float | None
    """Intraclass correlation of the credit difference within documents, in [0, 1]."""
    pairs_per_document: float | None
    """Shared pairs divided by their documents."""
    n: int
    """Pairs for which both have a credit."""
    reason: str | None = None
    """The undefined figures with their reasons, or None."""


def pairs_to_separate(
    first: float,
    second: float,
    *,
    phi: float = 0.0,
    alpha: float = 0.05,
    power: float = 0.8,
    pairs_per_document: float = 1,
    icc: float = 0.0,
    judgments_per_pair: float = 1,
) -> Plan:
    """Find the pairs needed to separate two metrics' agreement ratios.

    `first` and `second` are the ratios, in [0, 1], and `phi`, in [-1, 1], the correlation of the two metrics'
    correctness. The result is the smallest number of pairs, or of documents, with which the test that `compare_metrics`
    will use finds a difference with probability `power` at the two-sided level `alpha`:

    - With one pair per document, this is the exact McNemar test, with its exact power over all possible numbers of
      discordant pairs; above some 100,000 pairs, it is the continuity-corrected normal approximation, as `method` says,
      which is within .1 % unless the two metrics hardly ever differ (a quarter too many at 8 discordant pairs).
    - With `pairs_per_document` above 1 (a mean), it is the sign-flip test over documents, on 2,000 simulated studies
      for each number of documents; for up to 12 documents all signs are counted, and the power is exact if documents
      have few pairs. Within a document, credit differences correlate by `icc`, in [0, 1]: its shares of pairs for the
      one, the other and neither metric are drawn from a Dirichlet distribution. Above some 40 documents, Student's t
      approximates the test, with one pair subtracted from the difference for discreteness.

    `judgments_per_pair` is 1 or more; several count by their majority. The plan is for one annotator or for
    several who judge alike, and for credits of 0 and 1: ties that earn half vary less, and need no more pairs.

    Undefined if the ratios are equal, or if no two metrics with these ratios can have this phi: then the reason names
    the nearest possible one. Raises `ValueError` for values out of range.
    Source: Duffy 1984, Asymptotic and exact power for the McNemar test and its analogue with R controls;
    approximations: Connor 1987, Sample size for testing differences in proportions for the paired-sample design;
    Johnson and Welch 1940, Applications of the non-central t-distribution.

    >>> pairs_to_separate(0.8, 0.7).pairs
    313
    """
    for name, value in {"first": first, "second": second}.items():
        if not 0 <= value <= 1:
            raise ValueError(f"{name} must lie in [0, 1], not {value}")
    for name, value in {"alpha": alpha, "power": power}.items():
        if not 0 < value < 1:
            raise ValueError(f"{name} must lie between 0 and 1, not {value}")
    if not -1 <= phi <= 1:
        raise ValueError(f"phi must lie in [-1, 1], not {phi}")
    effect = compute_design_effect(pairs_per_document, icc, judgments_per_pair)
    fewest = fewest_documents(alpha)
    if abs(first - second) <= TIE:
        return undefined_plan(effect, fewest, "the two ratios are equal: no number of pairs separates them")

    # probabilities that only the first, or only the second, agrees with people
    scale = math.sqrt(first * (1 - first) * second * (1 - second))
    only_first = first * (1 - second) - phi * scale
    only_second = second * (1 - first) - phi * scale
    both, neither = first * second + phi * scale, (1 - first) * (1 - second) + phi * scale
    if min(only_first, only_second) < -TIE:
        largest = min(first * (1 - second), second * (1 - first)) / scale
        return undefined_plan(
            effect, fewest, f"phi is {phi:g}, but with these ratios it is at most {towards_zero(largest)}"
        )
    if min(both, neither) < -TIE:
        smallest = -min(first * second, (1 - first) * (1 - second)) / scale
        return undefined_plan(
            effect, fewest, f"phi is {phi:g}, but with these ratios it is at least {towards_zero(smallest)}"
        )
    only_first, only_second = max(0.0, only_first), max(0.0, only_second)

    approximate = approximate_pairs(only_first, only_second, alpha, power)
    exact = exact_pairs(only_first, only_second, alpha, power, approximate) if approximate <= EXACT_UP_TO else None
    pairs, reached = exact or (approximate, None)
    plan = Plan(
        pairs, pairs, effect, pairs, ceiling(pairs * judgments_per_pair), fewest, MCNEMAR, reached,
        APPROXIMATE if exact is None else EXACT,
    )  # fmt: skip
    if pairs_per_document == 1:
        return plan
    documents, reached, method = count_documents(
        only_first, only_second, alpha, power, fewest, pairs_per_document=pairs_per_document, icc=icc
    )
    pairs = ceiling(documents * pairs_per_document)
    return plan._replace(
        pairs=pairs, documents=documents, judgments=ceiling(pairs * judgments_per_pair),
        test=SIGN_FLIP, power=reached, method=method,
    )  # fmt: skip


def detectable_difference(
    pairs: int, *, middle: float = 0.65, phi: float = 0.0, alpha: float = 0.05, power: float = 0.8
) -> float | None:
    """Find the smallest difference of two agreement ratios around `middle` that `pairs` of as many documents separate.

    The result, to three decimals, is the inverse of `pairs_to_separate`, whose other arguments these are, but for `phi`
    below 0; None where no difference that `phi` allows would do. Raises `ValueError` for values out of range.

    >>> detectable_difference(306, middle=0.665)
    0.11
    """
    if not 0 <= phi <= 1:
        raise ValueError(f"phi must lie in [0, 1], not {phi}")
    steps = range(1, int(2000 * min(middle, 1 - middle)))

    def needed(step: int) -> int:
        half = step / 2000
        pairs = pairs_to_separate(middle - half, middle + half, phi=phi, alpha=alpha, power=power).pairs
        return pairs or 0  # phi allows differences up to one of them: so larger ones come last, as fewer pairs do

    place = bisect_left(steps, -pairs, key=lambda step: -needed(step))
    return steps[place] / 1000 if place < len(steps) and needed(steps[place]) else None


def pairs_for_interval(
    ratio: float,
    half_width: float,
    *,
    level: float = 0.95,
    pairs_per_document: float = 1,
    icc: float = 0.0,
    judgments_per_pair: float = 1,
) -> Plan:
    """Find the pairs needed to know an agreement ratio to within `half_width`.

    The result is the smallest number of pairs with which Clopper and Pearson's interval of `ratio`, in [0, 1], at
    `level` has at most that half width, in (0, .5], multiplied by the design effect 1 + (m - 1) `icc` of m
    `pairs_per_document`; `icc` is that of the metric's own credits. A plan has at least 10 documents: with fewer,
    intervals over documents miss their level. Raises `ValueError` for values out of range.
    Source: Clopper and Pearson 1934, The use of confidence or fiducial limits illustrated in the case of the
    binomial; effective number: Korn and Graubard 1998.
    """
    if not 0 <= ratio <= 1:
        raise ValueError(f"ratio must lie in [0, 1], not {ratio}")
    if not 1e-9 <= half_width <= 0.5:
        raise ValueError(f"half_width must lie in [1e-9, 0.5], not {half_width}")
    check_level(level)
    effect = compute_design_effect(pairs_per_document, icc, judgments_per_pair)
    independent = 1 + bisect_left(
        range(1, 10**18), True, key=lambda pairs: find_half_width(ratio, pairs, level) <= half_width * (1 + 1e-9)
    )
    pairs = max(ceiling(independent * effect), ceiling(FEWEST_DOCUMENTS * pairs_per_document))
    return Plan(
        pairs, independent, effect, ceiling(pairs / pairs_per_document), ceiling(pairs * judgments_per_pair),
        FEWEST_DOCUMENTS, None, None, CLOPPER_PEARSON,
    )  # fmt: skip


def observe_metrics(
    first: ArrayLike, second: ArrayLike, documents: Iterable[Hashable], weights: ArrayLike | None = None
) -> ObservedMetrics:
    """Compute the figures of two metrics from earlier judgments, to plan the next study.

    `first` and `second`, shape (n,), are the credits that each metric earned on each pair of summaries, as in
    `compare_metrics`, and `documents` holds the document of each pair. Only pairs for which both have a
    credit count. `weights`, shape (n,), are those of `count_agreement`: ratios and phi are then of all pairs that could
    have been drawn, the ICC of those that were. If documents differ much in their numbers of pairs, a design effect
    from the mean is too small.
    Raises `ValueError` for other shapes and credits outside [0, 1].
    """
    x, y = read_credits(first, "first"), read_credits(second, "second")
    document, _ = number_by_text(documents)
    same_length(first=x, second=y, documents=document)
    weight = read_weights(weights, len(x))
    both = ~(np.isnan(x) | np.isnan(y))
    x, y, document, weight = x[both], y[both], document[both], weight[both]
    n = len(x)
    if n == 0:
        return ObservedMetrics(None, None, None, None, None, 0, "no pair is scored by both metrics")
    phi, within = compute_phi(x, y, weight), compute_icc(x - y, document)
    undefined = []
    if phi is None:
        undefined.append("phi is undefined: a metric earns the same on every pair")
    if within is None:
        undefined.append(f"icc is undefined: {NO_ICC}")
    return ObservedMetrics(
        float(np.average(x, weights=weight)),
        float(np.average(y, weights=weight)),
        phi,
        within,
        n / len(np.unique(document)),
        n,
        "; ".join(undefined) or None,
    )


def icc(values: ArrayLike, documents: Iterable[Hashable]) -> float | None:
    """Compute the intraclass correlation of the values within documents (one-way analysis of variance).

    `values`, shape (n,), are a metric's credits, or any other numbers, NaN if missing, and `documents` holds the
    document of each. The result is clipped to [0, 1]: 0 if values of one document are no more alike than others. None
    if fewer than 2 documents have values, none has 2, or all values are the same.
    Raises `ValueError` for other shapes and infinite numbers.
    Source: Donner 1986, A review of inference procedures for the intraclass correlation coefficient; n0 for
    documents of unequal size.
    """
    column = read_numbers(values, "values")
    document, _ = number_by_text(documents)
    same_length(values=column, documents=document)
    present = ~np.isnan(column)
    return compute_icc(column[present], document[present])


def compute_icc(values: NDArray[np.float64], document: NDArray[np.intp]) -> float | None:
    """Estimate the intraclass correlation of pairs of a document, in [0, 1], by a one-way analysis of variance."""
    _, document, sizes = np.unique(document, return_inverse=True, return_counts=True)
    n, groups = len(values), len(sizes)
    if groups < 2 or n == groups or np.ptp(values) <= TIE:
        return None
    means = np.bincount(document, weights=values) / sizes
    between = float(sizes @ (means - values.mean()) ** 2) / (groups - 1)
    within = float(((values - means[document]) ** 2).sum()) / (n - groups)
    size = (n - float(sizes @ sizes) / n) / (groups - 1)  # the mean size, less for unequal ones
    return min(1.0, max(0.0, (between - within) / (between + (size - 1) * within)))


def compute_phi(x: NDArray[np.float64], y: NDArray[np.float64], weight: NDArray[np.float64]) -> float | None:
    """Compute the weighted correlation of two columns, in [-1, 1]; None if either is constant."""
    if np.ptp(x) <= TIE or np.ptp(y) <= TIE:
        return None
    x, y = x - np.average(x, weights=weight), y - np.average(y, weights=weight)
    return min(1.0, max(-1.0, float((weight * x) @ y / np.sqrt(((weight * x) @ x) * ((weight * y) @ y)))))


def count_documents(
    only_first: float,
    only_second: float,
    alpha: float,
    power: float,
    fewest: int,
    *,
    pairs_per_document: float,
    icc: float,
) -> tuple[int, float, str]:
    """Find the smallest number of documents with which the sign-flip test has enough power; with the power reached."""
    gap, discordant = abs(only_first - only_second), only_first + only_second
    mean = pairs_per_document * gap
    effect = 1 + (pairs_per_document - 1) * icc
    deviation = math.sqrt(max(0.0, pairs_per_document * (discordant - gap**2) * effect))

    def approximate(documents: int) -> float:
        if deviation == 0:
            return 1.0
        critical = float(stats.t.isf(alpha / 2, documents - 1))
        lead = max(0.0, documents * mean - 1) / (deviation * math.sqrt(documents))
        return float(stats.norm.cdf((lead - critical) / math.sqrt(1 + critical**2 / (2 * (documents - 1)))))

    documents = fewest + bisect_left(range(fewest, 10**12), True, key=lambda size: approximate(size) >= power)
    by_student = documents, approximate(documents), STUDENT
    if documents > SIMULATED_UP_TO or alpha < SIMULATED_FROM:
        return by_student
    most = 2 * documents + fewest
    simulated = SimulatedPower(only_first, only_second, pairs_per_document, icc, alpha, most)
    documents = fewest + bisect_left(range(fewest, most), True, key=lambda size: simulated.of(size) >= power)
    reached = simulated.of(documents)
    # p values of few flips may all miss a level such as .5: then no number of documents up to `most` is enough
    return (documents, reached, simulated.method(documents)) if reached >= power else by_student


def find_half_width(ratio: float, pairs: int, level: float = 0.95) -> float:
    """Find half the width of Clopper and Pearson's interval of a ratio, in [0, 1], of independent pairs.

    >>> round(find_half_width(0.8, 32), 3)
    0.149
    """
    tail, hits = (1 - level) / 2, ratio * pairs
    low = float(stats.beta.ppf(tail, hits, pairs - hits + 1)) if hits > TIE else 0.0
    high = float(stats.beta.isf(tail, hits + 1, pairs - hits)) if pairs - hits > TIE else 1.0
    return (high - low) / 2


def exact_pairs(
    only_first: float, only_second: float, alpha: float, power: float, near: int
) -> tuple[int, float] | None:
    """Find the smallest number of pairs with enough exact power, and that power; None if it is far beyond `near`.

    Exact power may fall if a pair is added, so every number is tried, from one below which none is enough. The
    probabilities of each number of discordant pairs among n + 1 pairs follow from those among n.
    """
    discordant = min(1.0, only_first + only_second)
    share = only_first / (only_first + only_second)
    pairs = int(0.95 * near) if near > 1000 else 0
    while pairs > 0 and power_bound(pairs, discordant, share, alpha) >= power:
        pairs = int(0.8 * pairs)
    while pairs <= 1000 + 2 * near:
        steps = max(64, pairs // 40)
        counts = likely_counts(pairs, pairs + steps, discordant)
        rejects = conditional_power(counts, share, alpha)
        chances = stats.binom.pmf(counts, pairs, discordant)
        for n in range(pairs, pairs + steps):
            if (reached := float(chances @ rejects)) >= power:
                return n, reached
            chances[1:] = (1 - discordant) * chances[1:] + discordant * chances[:-1]
            chances[0] *= 1 - discordant
        pairs += steps
    return None


def power_bound(pairs: int, discordant: float, share: float, alpha: float) -> float:
    """Compute the power of the randomised test that uses up its level: never below the exact test's, never falling."""
    counts = likely_counts(pairs, pairs, discordant)
    return float(stats.binom.pmf(counts, pairs, discordant) @ conditional_power(counts, share, alpha, randomised=True))


def likely_counts(fewest: int, most: int, discordant: float) -> NDArray[np.int_]:
    """List the numbers of discordant pairs that may occur, except for a probability of 1e-15 on either side."""
    low, high = stats.binom.ppf(1e-15, fewest, discordant), stats.binom.isf(1e-15, most, discordant)
    return np.arange(int(low), int(high) + 1)


def conditional_power(
    discordant: NDArray[np.int_], share: float, alpha: float, *, randomised: bool = False
) -> NDArray[np.float64]:
    """Compute the exact test's power by the number of discordant pairs, of which `share` favour the first."""
    # the largest count whose lower tail is within alpha / 2: the test rejects there and below, and as far above
    quantile = np.asarray(stats.binom.ppf(alpha / 2, discordant, 0.5), dtype=np.float64)
    beyond = stats.binom.cdf(quantile, discordant, 0.5) > alpha / 2 * (1 + ROUNDING)
    critical = np.where(beyond, quantile - 1, quantile)
    power = stats.binom.cdf(critical, discordant, share) + stats.binom.sf(discordant - critical - 1, discordant, share)
    if randomised:  # at the next count, reject as often as the level allows
        edge = critical + 1
        spare = (alpha / 2 - stats.binom.cdf(critical, discordant, 0.5)) / stats.binom.pmf(edge, discordant, 0.5)
        power += spare * (
            stats.binom.pmf(edge, discordant, share) + stats.binom.pmf(discordant - edge, discordant, share)
        )
    return np.asarray(power, dtype=np.float64)


def approximate_pairs(only_first: float, only_second: float, alpha: float, power: float) -> int:
    """Compute Connor's normal approximation, with one pair of the difference subtracted for discreteness."""
    discordant, difference = only_first + only_second, abs(only_first - only_second)
    needed = float(stats.norm.isf(alpha / 2)) * math.sqrt(discordant)
    needed += float(stats.norm.ppf(power)) * math.sqrt(max(0.0, discordant - difference**2))
    # n * difference - 1 = needed * sqrt(n)
    return math.ceil(((needed + math.sqrt(needed**2 + 4 * difference)) / (2 * difference)) ** 2)


def compute_design_effect(pairs_per_document: float, icc: float, judgments_per_pair: float) -> float:
    """Compute the design effect, 1 or more. Raises `ValueError` for arguments out of range."""
    for name, value in {"pairs_per_document": pairs_per_document, "judgments_per_pair": judgments_per_pair}.items():
        if not 1 <= value < math.inf:
            raise ValueError(f"{name} must be 1 or more, not {value}")
    if not 0 <= icc <= 1:
        raise ValueError(f"icc must lie in [0, 1], not {icc}")
    return 1 + (pairs_per_document - 1) * icc


def undefined_plan(effect: float, fewest: int, reason: str) -> Plan:
    """Make a plan without numbers, with the reason."""
    return Plan(None, None, effect, None, None, fewest, None, None, None, reason)


def ceiling(value: float) -> int:
    """Round up, ignoring noise."""
    return math.ceil(value * (1 - ROUNDING))


def towards_zero(phi: float) -> str:
    """Write a limit of phi with three decimals, rounded towards zero."""
    return f"{math.trunc(phi * 1000) / 1000:.3f}"
