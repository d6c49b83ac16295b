import math
import warnings
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from relevance.analysis.agreement import planning
from relevance.analysis.agreement.planning import (
    APPROXIMATE,
    CLOPPER_PEARSON,
    EXACT,
    STUDENT,
    ObservedMetrics,
    Plan,
    detectable_difference,
    icc,
    observe_metrics,
    pairs_for_interval,
    pairs_to_separate,
)
from relevance.analysis.agreement.power import AVERAGED, COUNTED, SIMULATED, SimulatedPower
from relevance.analysis.significance import MCNEMAR, SIGN_FLIP, compare_metrics, exact_mcnemar, sign_flips

NAN = math.nan
mcnemar = cache(exact_mcnemar)


@pytest.mark.parametrize(("phi", "pairs"), [(0, 306), (0.3, 219), (0.5, 161), (0.63, 120)])
def test_golden_numbers_of_pairs(phi: float, pairs: int) -> None:
    result = pairs_to_separate(0.61, 0.72, phi=phi)
    assert result == Plan(pairs, pairs, 1, pairs, pairs, 6, MCNEMAR, result.power, EXACT)
    assert result.power is not None
    assert result.power == pytest.approx(0.8, abs=0.005)
    assert result.power >= 0.8
    assert pairs_to_separate(0.72, 0.61, phi=phi).pairs == pairs


def test_the_design_of_the_study() -> None:
    # 1 + (8 - 1) * .2 = 2.4 times 306 = 734.4 pairs, or 91.8 documents; the test over documents, which flips sums of
    # 8 pairs in place of single pairs, takes one fewer; three judge each pair
    pairs = pairs_to_separate(0.61, 0.72, pairs_per_document=8, icc=0.2, judgments_per_pair=3)
    assert pairs == Plan(8 * 91, 306, 1 + 7 * 0.2, 91, 3 * 8 * 91, 6, SIGN_FLIP, pairs.power, STUDENT)
    # by the normal distribution at one pair less than the difference: (z.8 sqrt(v) + z.975 sqrt(v)) sqrt(n) = n d - 1
    mean, variance = 8 * 0.11, 8 * (0.61 * 0.28 + 0.72 * 0.39 - 0.11**2) * 2.4
    lead = (91 * mean - 1) / math.sqrt(91 * variance)
    assert pairs.power == pytest.approx(stats.norm.cdf(lead - 1.96), abs=0.01)
    assert pairs.power == pytest.approx(stats.nct.sf(stats.t.isf(0.025, 90), 90, lead), abs=0.003)
    assert pairs_to_separate(0.61, 0.72, pairs_per_document=2.5).pairs == math.ceil(2.5 * 124)


def clustered_studies(
    ratios: tuple[float, float], phi: float, pairs: int, icc: float, documents: int, studies: int
) -> Any:
    """Sums of credit differences, shape (documents, studies).

    Each pair repeats what its document is like with chance sqrt(icc), so that two of a document correlate by icc.
    """
    first, second = ratios
    scale = phi * math.sqrt(first * (1 - first) * second * (1 - second))
    left, right = first * (1 - second) - scale, second * (1 - first) - scale
    random = np.random.default_rng(documents)
    chances = [left, right, 1 - left - right]
    repeated = random.binomial(pairs, math.sqrt(icc), (documents, studies))
    alike = random.choice([1, -1, 0], (documents, studies), p=chances)
    counts = random.multinomial(pairs - repeated, chances)
    return (repeated * alike + counts[..., 0] - counts[..., 1]).astype(float)


def sum_chances(ratios: tuple[float, float], phi: float, pairs: int) -> Any:
    """How probable each sum of the credit differences of independent pairs is, from -pairs to pairs."""
    first, second = ratios
    scale = phi * math.sqrt(first * (1 - first) * second * (1 - second))
    left, right = first * (1 - second) - scale, second * (1 - first) - scale
    chances = np.ones(1)
    for _ in range(pairs):
        chances = np.convolve(chances, [right, 1 - left - right, left])
    return chances


def test_the_power_of_six_documents_is_that_all_have_one_sign() -> None:
    chances = sum_chances((0.61, 0.72), 0.3, 120)
    exact = chances[:120].sum() ** 6 + chances[121:].sum() ** 6  # 2 of 64 flips are at most .05, 4 are not
    pairs = pairs_to_separate(0.61, 0.72, phi=0.3, pairs_per_document=120)
    assert (pairs.documents, pairs.method) == (6, AVERAGED)
    assert exact == pytest.approx(0.896, abs=5e-4)
    assert pairs.power == pytest.approx(exact, abs=0.004)


@pytest.mark.parametrize(("ratios", "pairs", "documents"), [((0.2, 0.9), 2, 7), ((0.3, 0.9), 3, 7)])
def test_the_power_of_few_documents_is_that_of_all_their_outcomes(
    ratios: tuple[float, float], pairs: int, documents: int
) -> None:
    result = pairs_to_separate(*ratios, pairs_per_document=pairs)
    assert (result.documents, result.method) == (documents, COUNTED)
    chances = sum_chances(ratios, 0, pairs)
    outcomes = np.indices((2 * pairs + 1,) * documents).reshape(documents, -1)
    rejected = np.zeros(outcomes.shape[1], dtype=bool)
    for part in np.array_split(np.arange(outcomes.shape[1]), 20):
        flips = sign_flips((outcomes[:, part] - pairs).astype(float), 2**documents, 0)
        assert flips.exact
        rejected[part] = np.array(flips.p) <= 0.05
    exact = float(chances[outcomes[:, rejected]].prod(axis=0).sum())
    assert result.power == pytest.approx(exact, abs=1e-9)


@pytest.mark.parametrize("icc", [0, 0.2])
def test_counted_and_averaged_power_are_the_same(icc: float, monkeypatch: pytest.MonkeyPatch) -> None:
    counted = SimulatedPower(0.15, 0.35, 4, icc, 0.05, 12)
    powers = [counted.of(documents) for documents in range(6, 13)]
    assert {counted.method(documents) for documents in range(6, 13)} == {COUNTED}
    monkeypatch.setattr(SimulatedPower, "counts_all", lambda *_: False)
    assert [counted.of(documents) for documents in range(6, 13)] == pytest.approx(powers, abs=0.01)
    assert [counted.method(documents) for documents in (6, 12, 13)] == [AVERAGED, AVERAGED, SIMULATED]


@pytest.mark.simulation
@pytest.mark.parametrize(
    ("ratios", "phi", "pairs", "icc", "documents", "method"),
    [
        ((0.61, 0.72), 0.3, 120, 0, 6, AVERAGED),
        ((0.61, 0.72), 0.3, 25, 0.02, 15, SIMULATED),
        ((0.61, 0.72), 0.3, 6, 0.1, 56, STUDENT),
        ((0.5, 0.8), 0, 6, 0.1, None, SIMULATED),
        ((0.5, 0.8), 0.3, 25, 0.3, None, AVERAGED),
        ((0.7, 0.78), 0, 120, 0.02, 16, SIMULATED),
    ],
)
def test_clustered_studies_have_the_power_that_was_promised(
    ratios: tuple[float, float], phi: float, pairs: int, icc: float, documents: int | None, method: str
) -> None:
    plan = pairs_to_separate(*ratios, phi=phi, pairs_per_document=pairs, icc=icc)
    assert plan == pairs_to_separate(*ratios, phi=phi, pairs_per_document=pairs, icc=icc)
    assert (plan.test, plan.method) == (SIGN_FLIP, method)
    assert plan.documents is not None
    assert plan.documents == (documents or plan.documents)
    assert plan.pairs == pairs * plan.documents

    def simulated(documents: int) -> float:
        studies = clustered_studies(ratios, phi, pairs, icc, documents, 1500)
        return float(np.mean(np.array(sign_flips(studies, 999, 1).p) <= 0.05))

    result = simulated(plan.documents)
    assert plan.power == pytest.approx(result, abs=0.03)  # standard errors .010 and .009
    assert result > 0.77
    assert plan.documents == 6 or simulated(plan.documents - 1) < 0.83


def test_the_plan_is_for_the_comparison_that_will_be_made() -> None:
    # 44 pairs of 44 documents would do, so 8 documents of 6 have enough pairs, but not enough documents
    plan = pairs_to_separate(0.5, 0.8, phi=0.05, pairs_per_document=6)
    assert (plan.independent_pairs, plan.documents) == (44, 10)

    def power(documents: int) -> float:
        random = np.random.default_rng(documents)
        scale = 0.05 * math.sqrt(0.5 * 0.5 * 0.8 * 0.2)
        chances = [0.5 * 0.2 - scale, 0.8 * 0.5 - scale, 0.5 * 0.8 + scale, 0.5 * 0.2 + scale]
        rejected = 0
        for _ in range(400):
            kind = random.choice(4, 6 * documents, p=chances)
            credits = {"a": (kind == 0) | (kind == 2), "b": (kind == 1) | (kind == 2)}
            [result] = compare_metrics(credits, np.arange(6 * documents) // 6)
            assert result.test == plan.test
            rejected += result.p is not None and result.p <= 0.05
        return rejected / 400

    assert power(8) < 0.7
    assert power(10) > 0.76


@pytest.mark.parametrize(("alpha", "fewest"), [(0.05, 6), (0.01, 8), (0.001, 11)])  # 2/2^6, 2/2^8, 2/2^11
@pytest.mark.parametrize("pairs", [30, 500, 10_000])
def test_never_fewer_documents_than_the_test_can_do_with(alpha: float, fewest: int, pairs: int) -> None:
    result = pairs_to_separate(0.3, 0.9, pairs_per_document=pairs, alpha=alpha, power=0.1)
    assert (result.documents, result.fewest_documents, result.pairs) == (fewest, fewest, fewest * pairs)
    assert result.power is not None
    assert result.power > 0.9


def test_ties_that_earn_half_need_no_more_pairs() -> None:
    # one pair a document; each metric ties on a fifth of them: .51 + .2 / 2 = .61 against .62 + .2 / 2 = .72
    random = np.random.default_rng(0)
    rejected = 0
    for _ in range(300):
        draws = random.uniform(size=(2, 306))
        first, second = (
            np.select([u < 0.2, u < 0.2 + r - 0.1], [0.5, 1.0]) for u, r in zip(draws, (0.61, 0.72), strict=True)
        )
        [result] = compare_metrics({"a": first, "b": second}, range(306), flips=399)
        assert result.test == SIGN_FLIP
        rejected += result.p is not None and result.p <= 0.05
    assert rejected / 300 > 0.8


@pytest.mark.parametrize(
    ("first", "second", "phi", "alpha", "power"),
    [
        (0.61, 0.85, 0, 0.05, 0.8),
        (0.7, 0.4, 0.2, 0.01, 0.9),
        (0.7, 0.3, -1, 0.05, 0.8),  # the two always differ: power falls now and then as pairs are added
        (1, 0, 0, 0.0625, 0.5),  # 5 pairs, p = 2 / 2^5: at the level itself
        (0.95, 0.6, 0, 0.1, 0.99),
    ],
)
def test_the_first_number_of_pairs_with_enough_power(
    first: float, second: float, phi: float, alpha: float, power: float
) -> None:
    scale = phi * math.sqrt(first * (1 - first) * second * (1 - second))
    left, right = first * (1 - second) - scale, second * (1 - first) - scale

    def rejected(discordant: int) -> float:
        ways = stats.binom.pmf(np.arange(discordant + 1), discordant, left / (left + right))
        rejects = [mcnemar(count, discordant - count) <= alpha for count in range(discordant + 1)]
        return float(ways[rejects].sum())

    result = pairs_to_separate(first, second, phi=phi, alpha=alpha, power=power)
    assert result.pairs is not None
    # by the definition: all numbers of discordant pairs, all ways in which they fall
    shares = np.array([rejected(discordant) for discordant in range(result.pairs + 1)])
    counts = np.arange(result.pairs + 1)
    powers = [float(stats.binom.pmf(counts, pairs, left + right) @ shares) for pairs in counts]
    assert powers[-1] >= power > max(powers[:-1])
    assert phi > -1 or min(np.diff(powers)) < -0.01


@pytest.mark.simulation
def test_power_by_simulation() -> None:
    # 219 pairs at phi .3 promise 80 %: 5,000 studies of that size, standard error .6 %
    scale = 0.3 * math.sqrt(0.61 * 0.39 * 0.72 * 0.28)
    first, second = 0.61 * 0.28 - scale, 0.72 * 0.39 - scale
    studies = np.random.default_rng(0).multinomial(219, [first, second, 1 - first - second], size=5000)
    level_reached = np.mean([mcnemar(*counts) <= 0.05 for counts in studies[:, :2].tolist()])
    assert level_reached == pytest.approx(0.8, abs=0.018)


@pytest.mark.parametrize(
    ("first", "second", "phi", "tolerance"),
    # the fewer discordant pairs decide, the worse the approximation: 761 * .46, 4,154 * .47, 97,461 * .0001
    [(0.61, 0.68, 0, 0.005), (0.61, 0.64, 0, 0.001), (0.61, 0.62, 0, 0.001), (0, 0.0001, 0, 0.25)],
)
def test_the_approximation_takes_over_smoothly(
    monkeypatch: pytest.MonkeyPatch, first: float, second: float, phi: float, tolerance: float
) -> None:
    exact = pairs_to_separate(first, second, phi=phi)
    monkeypatch.setattr(planning, "EXACT_UP_TO", 0)
    approximate = pairs_to_separate(first, second, phi=phi)
    assert (exact.method, approximate.method) == (EXACT, APPROXIMATE)
    assert approximate.pairs == pytest.approx(exact.pairs, rel=tolerance)


def test_close_ratios_are_answered() -> None:
    pairs = pairs_to_separate(0.61, 0.6165)
    assert pairs.method == EXACT
    assert pairs.pairs == pytest.approx(88_400, rel=0.001)
    assert pairs_to_separate(0.5, 0.501).method == APPROXIMATE
    assert pairs_to_separate(0.61, 0.6101, power=0.049).method == APPROXIMATE  # the test's own level all but does


@pytest.mark.parametrize(
    ("first", "second", "phi", "reason"),
    [
        (0.61, 0.61, 0, "the two ratios are equal: no number of pairs separates them"),
        (0.1 + 0.2, 0.3, 0, "the two ratios are equal: no number of pairs separates them"),
        # min(.61 * .28, .39 * .72) / sqrt(.61 * .39 * .72 * .28) = .1708 / .21900
        (0.61, 0.72, 0.9, "phi is 0.9, but with these ratios it is at most 0.779"),
        # -min(.61 * .72, .39 * .28) / .21900 = -.1092 / .21900
        (0.61, 0.72, -0.9, "phi is -0.9, but with these ratios it is at least -0.498"),
    ],
)
def test_nothing_to_separate(first: float, second: float, phi: float, reason: str) -> None:
    pairs = pairs_to_separate(first, second, phi=phi, pairs_per_document=3, icc=0.5)
    assert pairs == Plan(None, None, 2, None, None, 6, None, None, None, reason)


def test_the_largest_phi_itself_can_be_planned_for() -> None:
    largest = 0.61 * 0.28 / math.sqrt(0.61 * 0.39 * 0.72 * 0.28)
    # all discordant pairs favour the second: .11 of the pairs, 6 of which are needed
    pairs = pairs_to_separate(0.61, 0.72, phi=largest)
    assert pairs.pairs is not None
    assert stats.binom.sf(5, pairs.pairs, 0.11) >= 0.8 > stats.binom.sf(5, pairs.pairs - 1, 0.11)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"first": 61}, r"first must lie in \[0, 1\], not 61"),
        ({"second": NAN}, r"second must lie in \[0, 1\], not nan"),
        ({"phi": 1.5}, r"phi must lie in \[-1, 1\], not 1.5"),
        ({"alpha": 0}, "alpha must lie between 0 and 1, not 0"),
        ({"power": 80}, "power must lie between 0 and 1, not 80"),
        ({"pairs_per_document": 0.5}, "pairs_per_document must be 1 or more, not 0.5"),
        ({"judgments_per_pair": 0}, "judgments_per_pair must be 1 or more, not 0"),
        ({"icc": -0.1}, r"icc must lie in \[0, 1\], not -0.1"),
    ],
)
def test_unusable_plans_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pairs_to_separate(**{"first": 0.6, "second": 0.7, **options})


@pytest.mark.parametrize("ratio", [0, 0.2, 0.5, 0.61, 1])
@pytest.mark.parametrize("half_width", [0.3, 0.05, 0.01])
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_the_first_number_of_pairs_with_so_narrow_an_interval(ratio: float, half_width: float, level: float) -> None:
    needed = pairs_for_interval(ratio, half_width, level=level).independent_pairs
    assert needed is not None

    def half(pairs: int) -> float:
        low, high = proportion_confint(ratio * pairs, pairs, alpha=1 - level, method="beta")
        return float(high - low) / 2

    assert half(needed) <= half_width * (1 + 1e-9)
    assert needed == 1 or half(needed - 1) > half_width


def test_intervals_and_designs() -> None:
    # 61 of 100: [.5074, .7060], half of which is .0993; 1 + (5 - 1) * .1 = 1.4
    pairs = pairs_for_interval(0.61, 0.09935, pairs_per_document=5, icc=0.1, judgments_per_pair=2)
    assert pairs == Plan(140, 100, 1.4, 28, 280, 10, None, None, CLOPPER_PEARSON)
    # 100 pairs would lie in one document, of which no interval can be made, and fewer than 10 do not hold their level
    pairs = pairs_for_interval(0.61, 0.09935, pairs_per_document=120)
    assert (pairs.independent_pairs, pairs.documents, pairs.pairs) == (100, 10, 1200)
    assert pairs_for_interval(0.5, 0.5)[:4] == (10, 1, 1, 10)
    assert pairs_for_interval(5e-324, 0.05) == pairs_for_interval(0, 0.05) == pairs_for_interval(1, 0.05)


@pytest.mark.parametrize(
    ("ratio", "half_width", "level", "message"),
    [
        (1.2, 0.1, 0.95, r"ratio must lie in \[0, 1\], not 1.2"),
        (0.6, 0, 0.95, r"half_width must lie in \[1e-9, 0.5\], not 0"),
        (0.6, 5, 0.95, r"half_width must lie in \[1e-9, 0.5\], not 5"),
        (0.6, 0.1, 95, "level must lie between 0 and 1, not 95"),
    ],
)
def test_unusable_intervals_are_refused(ratio: float, half_width: float, level: float, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pairs_for_interval(ratio, half_width, level=level)


@pytest.mark.parametrize(
    ("values", "documents", "expected"),
    [
        # means 2 and 6 around 4: between (2 * 4 + 2 * 4) / 1 = 16; within (1 + 1 + 1 + 1) / 2 = 2; n0 = 2
        # (16 - 2) / (16 + 1 * 2) = 14/18
        ([1, 3, 5, 7], "aabb", 14 / 18),
        # means 1/3, 1, 1 around 2/3: between (3/9 + 1/9 + 2/9) / 2 = 1/3; within (1/9 + 1/9 + 4/9) / 3 = 2/9
        # n0 = (6 - (9 + 1 + 4) / 6) / 2 = 11/6; (1/3 - 2/9) / (1/3 + 5/6 * 2/9) = 3/14
        ([0, 0, 1, 1, 1, 1, NAN], "aaabcca", 3 / 14),
        ([0, 0, 1, 1], "aabb", 1),
        ([0, 1, 0, 1], "aabb", 0),  # within more than between: (0 - .5) / (0 + .5), cut off
        ([1, 1, 1, 1], "aabb", None),
        ([0.3, 0.1 + 0.2, 0.3, 0.3], "aabb", None),
        ([0, 1, 0], "abc", None),
        ([0, 1, 0], "aaa", None),
        ([NAN, 1], "ab", None),
        ([], "", None),
    ],
)
def test_intraclass_correlation(values: list[float], documents: str, expected: float | None) -> None:
    assert icc(values, documents) == (None if expected is None else pytest.approx(expected))


def test_intraclass_correlation_of_known_variances() -> None:
    # documents vary by 1, pairs within them by 3: 1 / (1 + 3)
    random = np.random.default_rng(2)
    documents = np.repeat(np.arange(2000), random.integers(1, 9, 2000))
    values = random.normal(size=2000)[documents] + math.sqrt(3) * random.normal(size=len(documents))
    assert icc(values, documents) == pytest.approx(0.25, abs=0.03)


def test_what_an_earlier_study_says() -> None:
    first = np.array([1, 1, 0, 1, 0.5, 0, NAN, 1])
    second = np.array([1, 0, 0, 1, 1, 0.5, 1, NAN])
    documents = ["a", "a", "a", "b", "b", "c", "c", "d"]
    result = observe_metrics(first, second, documents)
    shared = slice(0, 6)
    assert (result.first, result.second) == (3.5 / 6, 3.5 / 6)
    assert result.phi == pytest.approx(stats.pearsonr(first[shared], second[shared]).statistic)
    assert result.icc == icc(first - second, documents)
    assert (result.pairs_per_document, result.n, result.reason) == (6 / 3, 6, None)


def test_what_is_observed_can_be_planned_for() -> None:
    # metrics that agree with people as far as they can, so that phi is at its limit
    result = observe_metrics([1, 1, 1, 1, 0, 0] * 5, [1, 1, 0, 0, 0, 0] * 5, np.repeat(range(10), 3))
    assert result.first is not None
    assert result.second is not None
    assert result.phi is not None
    plan = pairs_to_separate(result.first, result.second, phi=result.phi)
    assert plan.reason is None


NO_PAIR = "no pair is scored by both metrics"
NO_PHI = "phi is undefined: a metric earns the same on every pair"
NO_ICC = f"icc is undefined: {planning.NO_ICC}"


@pytest.mark.parametrize(
    ("first", "second", "documents", "expected"),
    [
        ([], [], "", ObservedMetrics(None, None, None, None, None, 0, NO_PAIR)),
        ([1, NAN], [NAN, 1], "ab", ObservedMetrics(None, None, None, None, None, 0, NO_PAIR)),
        ([1], [0], "a", ObservedMetrics(1, 0, None, None, 1, 1, f"{NO_PHI}; {NO_ICC}")),
        ([1, 0], [1, 0], "ab", ObservedMetrics(0.5, 0.5, 1, None, 1, 2, NO_ICC)),
        ([1, 1, 1, 1], [0, 0, 1, 1], "aabb", ObservedMetrics(1, 0.5, None, 1, 2, 4, NO_PHI)),
    ],
)
def test_little_to_observe(first: list[float], second: list[float], documents: str, expected: ObservedMetrics) -> None:
    assert observe_metrics(first, second, documents) == expected


@pytest.mark.parametrize(
    ("first", "documents", "message"),
    [([2, 1], "ab", r"first must lie in \[0, 1\]"), ([1, 1], "a", "first 2, second 2, documents 1")],
)
def test_unusable_credits_are_refused(first: list[float], documents: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        observe_metrics(first, [1, 0], documents)


RATIOS = st.sampled_from([0.0, 0.5, 1.0]) | st.floats(0, 1)

PHIS = st.sampled_from([0.0, 1.0, -1.0]) | st.floats(-1, 1)


@pytest.mark.simulation
@settings(max_examples=60)  # close ratios need many steps
@example(0.25, 5e-324, 0, 0.5, 0.5, 1.25, 1)
@example(0, 0.5, 0, 0.5, 0.5, 1.25, 5e-324)
@example(0, 0.125, 0, 0.5, 0.5, 7, 1)
@given(RATIOS, RATIOS, PHIS, st.floats(0.001, 0.5), st.floats(0.01, 0.99), st.sampled_from([1, 1.25, 7, 200]), RATIOS)
def test_a_plan_or_a_reason_and_never_a_warning(
    first: float, second: float, phi: float, alpha: float, power: float, pairs: float, icc: float
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = pairs_to_separate(first, second, phi=phi, alpha=alpha, power=power, pairs_per_document=pairs, icc=icc)
    assert (result.pairs is None) == (result.method is None) == (result.test is None) == (result.reason is not None)
    if result.pairs is not None and result.documents is not None:
        assert result.pairs >= result.documents >= (1 if pairs == 1 else result.fewest_documents)
    assert result.power is None or result.power >= power


CREDITS = st.sampled_from([0.0, 0.5, 1.0, NAN]) | st.floats(0, 1)


@given(st.lists(st.tuples(CREDITS, CREDITS, st.sampled_from("abc")), max_size=12))
def test_an_observation_or_a_reason_and_never_a_warning(rows: list[tuple[float, float, str]]) -> None:
    first, second, documents = zip(*rows, strict=True) if rows else ((), (), ())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = observe_metrics(first, second, documents)
    assert (None in result[:5]) == (result.reason is not None)
    assert result.phi is None or -1 <= result.phi <= 1
    assert result.icc is None or 0 <= result.icc <= 1


def test_weights_make_the_observed_ratios_those_of_all_pairs() -> None:
    first, second, weights = [1, 0, 1, 0, 1], [1, 1, 0, 0, 0.5], [3, 1, 2, 1, 4]
    result = observe_metrics(first, second, range(5), weights)
    repeated = observe_metrics(np.repeat(first, weights), np.repeat(second, weights), range(11))
    assert (result.first, result.second, result.phi) == pytest.approx((repeated.first, repeated.second, repeated.phi))
    assert (result.n, result.pairs_per_document) == (5, 1)


@pytest.mark.parametrize("pairs", [10, 24, 40, 306])
@pytest.mark.parametrize(("middle", "phi"), [(0.65, 0.0), (0.65, 0.3), (0.8, 0.0), (0.65, 0.8)])
def test_the_detectable_difference_is_the_smallest_that_the_pairs_separate(
    pairs: int, middle: float, phi: float
) -> None:
    result = detectable_difference(pairs, middle=middle, phi=phi)
    if result is None:
        return
    least, less = (
        pairs_to_separate(middle - wide / 2, middle + wide / 2, phi=phi).pairs for wide in (result, result - 0.001)
    )
    assert least is not None
    assert least <= pairs
    assert less is None or less > pairs


def test_a_large_phi_leaves_small_differences() -> None:
    # two metrics with this phi cannot differ by more than about .1, which 306 pairs detect
    result = detectable_difference(306, phi=0.9)
    assert result is not None
    assert result < 0.1
    with pytest.raises(ValueError, match=r"phi must lie in \[0, 1\], not -0.1"):
        detectable_difference(306, phi=-0.1)


def test_few_pairs_detect_nothing() -> None:
    assert detectable_difference(5) is None  # the exact test of 5 documents never gets below .05
