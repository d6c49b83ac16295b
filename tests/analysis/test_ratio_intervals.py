import math
from collections.abc import Hashable, Iterable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike
from scipy import stats

from relevance.analysis.agreement.counts import count_agreement
from relevance.analysis.ratio_intervals import (
    Interval,
    Intervals,
    agreement_ratios,
    ratio_intervals,
    sampled_annotators,
)

RULES = ("strict", "half", "decided")


def agreement_intervals(
    human: ArrayLike,
    difference: ArrayLike,
    documents: Iterable[Hashable],
    *,
    annotators: Iterable[Hashable] | None = None,
    weights: ArrayLike | None = None,
    level: float = 0.95,
) -> Intervals:
    """The intervals of one metric's agreement."""
    ratios = agreement_ratios(human, difference, weights)
    return Intervals(*ratio_intervals(ratios, documents, annotators, level=level))


def random_pairs(seed: int, size: int = 120) -> tuple[list[float], list[float], list[str]]:
    """Pairs of 9 documents with human ties, metric ties and missing values."""
    random = np.random.default_rng(seed)
    human = random.choice([-1.0, 0.0, 1.0], size)
    metric = random.choice([-0.5, 0.0, 0.5, math.nan], size)
    return human.tolist(), metric.tolist(), [f"d{number}" for number in random.integers(9, size=size)]


def test_one_pair_a_document_is_clopper_and_pearson() -> None:
    # 8 of 10: the variance over documents is .8 * .2/9, so that R(1 - R)/V = 9; with the pair that is added,
    # (.16 + 1/10) / (.16/9 + 1/100) = 9.36 effective ones
    n = (0.16 + 1 / 10) / (0.16 / 9 + 1 / 100)
    strict = agreement_intervals(np.ones(10), [1] * 8 + [-1] * 2, range(10)).strict
    expected = stats.beta.ppf([0.025, 0.975], [0.8 * n, 0.8 * n + 1], [0.2 * n + 1, 0.2 * n])
    assert strict == (pytest.approx(expected[0]), pytest.approx(expected[1]), 0.95, None, None, None)
    exact = stats.binomtest(8, 10).proportion_ci(method="exact")
    assert strict[:2] == pytest.approx((exact.low, exact.high), abs=0.02)
    assert strict[:2] != agreement_intervals(np.ones(10), [1] * 8 + [-1] * 2, range(10), level=0.9).strict[:2]


@pytest.mark.parametrize("per_document", [1, 3])
def test_all_agreeing_is_no_certainty(per_document: int) -> None:
    # 12 independent pairs: .025^(1/12), and the mirror image for none; 36 pairs that are taken to correlate by .3, as
    # they say nothing of it: 36 / (1 + 2 * .3)
    documents = np.repeat(np.arange(12), per_document)
    human = np.ones(len(documents))
    low = 0.025 ** ((1 + (per_document - 1) * 0.3) / len(documents))
    every, none, tied = (agreement_intervals(human, human * sign, documents) for sign in (1, -1, 0))
    for rule in ("strict", "half", "decided", "coverage"):
        assert getattr(every, rule)[:2] == pytest.approx((low, 1))
    for rule in ("strict", "half", "decided"):
        assert getattr(none, rule)[:2] == pytest.approx((0, 1 - low))
    assert tied.strict[:2] == tied.coverage[:2] == pytest.approx((0, 1 - low))
    assert tied.half.low < 0.45 < 0.55 < tied.half.high  # type: ignore[operator]
    weighed = agreement_intervals(human, human, documents, weights=np.arange(1, len(human) + 1)).strict
    assert weighed.low < low  # type: ignore[operator]  # uneven weights are fewer documents


@given(
    st.lists(
        st.tuples(st.sampled_from([-1, 0, 1]), st.sampled_from([-1, 0, 1]), st.integers(0, 5), st.integers(0, 3)),
        min_size=1,
        max_size=40,
    ),
    st.sampled_from([0.5, 0.9, 0.95, 0.999]),
)
def test_intervals_hold_the_ratio_lie_within_0_and_1_and_have_a_width(
    pairs: list[tuple[int, int, int, int]], level: float
) -> None:
    human, metric, documents, annotators = (list(column) for column in zip(*pairs, strict=True))
    weights = [1 + document + annotator for document, annotator in zip(documents, annotators, strict=True)]
    counts = count_agreement(human, metric, weights)
    result = agreement_intervals(human, metric, documents, annotators=annotators, weights=weights, level=level)
    for rule in result._fields:
        interval, ratio = getattr(result, rule), getattr(counts, rule)
        if interval.low is not None:
            assert 0 <= interval.low <= ratio <= interval.high <= 1
            assert interval.high - interval.low > 1e-4


@pytest.mark.simulation
@pytest.mark.parametrize("truth", [0.9, 0.97, 0.99])
@pytest.mark.parametrize(
    ("documents", "pairs", "alike"), [(15, 1, 0.0), (15, 2, 0.0), (15, 2, 0.3), (15, 2, 0.8), (40, 1, 0.0)]
)
def test_intervals_cover_the_truth_near_1(documents: int, pairs: int, alike: float, truth: float) -> None:
    """Studies whose documents' pairs agree alike, by an intraclass correlation; percentiles of a bootstrap hold .97 in
    .59 of those of 15 x 2, .37 of 15 x 1 and .69 of 40 x 1."""
    random = np.random.default_rng(0)
    of_documents = np.full((1000, documents), truth)
    if alike:
        size = 1 / alike - 1
        of_documents = random.beta(truth * size, (1 - truth) * size, of_documents.shape)
    counts = random.binomial(pairs, of_documents)
    places = np.repeat(np.arange(documents), pairs)
    held: dict[tuple[int, ...], bool] = {}  # documents are interchangeable
    for study in counts:
        key = tuple(np.sort(study).tolist())
        if key not in held:
            agrees = np.concatenate([np.arange(pairs) < count for count in key])
            strict = agreement_intervals(np.ones(len(places)), np.where(agrees, 1, -1), places).strict
            assert strict.low is not None
            assert strict.high is not None
            held[key] = strict.low <= truth <= strict.high
    assert np.mean([held[tuple(np.sort(study).tolist())] for study in counts]) >= 0.94


def test_the_order_of_pairs_does_not_matter() -> None:
    human, metric, documents = random_pairs(2)
    backwards = agreement_intervals(human[::-1], metric[::-1], documents[::-1])
    assert backwards == agreement_intervals(human, metric, documents)


def test_a_metric_with_missing_values_has_fewer_documents() -> None:
    result = agreement_intervals([1, 1, 1, 1], [1, 1, -1, math.nan], ["d0", "d1", "d2", "d3"])
    assert result == agreement_intervals([1, 1, 1], [1, 1, -1], ["d0", "d1", "d2"])


def test_pairs_that_cluster_in_documents_widen_the_interval() -> None:
    # 40 documents of 10 pairs, 60 % concordant: in every document alike, by chance, or all or none
    documents = np.repeat(np.arange(40), 10)
    alike = np.tile([1, 1, 1, 1, 1, 1, -1, -1, -1, -1], 40)
    chance = np.random.default_rng(0).permutation(alike)
    clustered = np.sort(alike)
    widths = []
    for metric in (alike, chance, clustered):
        low, high = agreement_intervals(np.ones(400), metric, documents).strict[:2]
        assert low is not None
        assert high is not None
        widths.append(high - low)
    # alike: nothing but the pair that is added, (.24 + 1/400) / ((.7/400 + .3/40)/400) = 10,486 effective pairs:
    # 2 * 1.96 * sqrt(.24/10486)
    assert widths[0] == pytest.approx(0.0188, abs=0.0002)
    # by chance: 2 * 1.96 * sqrt(.6 * .4 / 400) = .096; clustered: sqrt(10) times as wide, .304
    assert widths[1] == pytest.approx(0.096, abs=0.025)
    assert widths[2] == pytest.approx(0.304, abs=0.03)


@pytest.mark.parametrize(
    ("human", "metric", "documents"),
    [
        ([], [], []),
        ([1, 1, -1], [1, -1, 1], ["a", "a", "a"]),  # one document
        ([1, 0], [1, 1], ["a", "b"]),  # the other document has human ties only
        ([1, -1], [math.nan, 1], ["a", "b"]),  # the other document has no value
    ],
)
def test_less_than_two_usable_documents_have_no_interval(
    human: list[float], metric: list[float], documents: list[str]
) -> None:
    undefined = Interval(None, None, 0.95, reason="fewer than 2 documents have pairs to count")
    assert agreement_intervals(human, metric, documents) == (undefined,) * 4


def test_metric_ties_count_for_the_rules_that_count_them() -> None:
    result = agreement_intervals([1, 1], [1, 0], ["a", "b"])
    assert result.strict.low is not None  # two documents that score 1 and 0; nothing is decided in b
    assert result.decided.reason == "fewer than 2 documents have pairs to count"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": 95}, "level must lie between 0 and 1, not 95"),
        ({"level": 0}, "level must lie between 0 and 1, not 0"),
    ],
)
def test_unusable_options_are_refused(options: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        agreement_intervals([1, 1], [1, 1], ["a", "b"], **options)


def test_columns_of_different_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="pairs 2, documents 1"):
        agreement_intervals([1, 1], [1, 1], ["a"])


def test_annotators_who_differ_widen_the_interval() -> None:
    # 4 documents of 2 pairs, each pair by Ann and by Ben: Ann always agrees with the metric, Ben with every second,
    # but in d0, where both always do. R = 13/16; residuals: agreeing 3/16, not -13/16; by document 4 * 3/16 once and
    # -1/4 three times, so that V_d = (9/16 + 3/16) * 4/3 = 1; by annotator 8 * 3/16 = 1.5 and -1.5: V_a = 4.5 * 2 = 9;
    # by both, of the 8 cells Ann's are 3/8, Ben's -5/8 but for 3/8 in d0: V_da = (5 * 9/64 + 3 * 25/64) * 8/7 = 15/7
    metric = np.array([1, 1, 1, 1] + [1, 1, 1, -1] * 3)
    documents = np.repeat(["d0", "d1", "d2", "d3"], 4)
    few = stats.t.isf(0.025, 1) / stats.norm.isf(0.025)
    for annotators, variance in ((None, 1.0), (["Ann", "Ben"] * 8, 1 + few**2 * (9 - 15 / 7))):
        strict = agreement_intervals(np.ones(16), metric, documents, annotators=annotators).strict
        n = (13 / 16 * 3 / 16 + 1 / 16) / (variance / 16**2 + (0.7 / 16 + 0.3 / 4) / 16)
        assert strict.low == pytest.approx(stats.beta.ppf(0.025, 13 / 16 * n, 3 / 16 * n + 1))
        assert strict.high == pytest.approx(stats.beta.ppf(0.975, 13 / 16 * n + 1, 3 / 16 * n))


@pytest.mark.simulation
@pytest.mark.parametrize(
    ("annotators", "judgments", "apart"),
    [(4, 1, 0.0), (3, 3, 0.0), (10, 1, 0.1), (5, 3, 0.1)],
)
def test_intervals_cover_the_truth_where_annotators_are_a_sample(annotators: int, judgments: int, apart: float) -> None:
    """Studies of 80 documents of 2 pairs, whose agreement varies around .62, as does that of annotators by `apart`."""
    random = np.random.default_rng(1)
    held = alone = 0
    studies = 250
    for _ in range(studies):
        pair = np.repeat(np.arange(160), judgments)
        documents = pair // 2
        who = np.concatenate([random.permutation(annotators)[:judgments] for _ in range(160)])
        chance = 0.62 + random.normal(0, 0.1, 80)[documents] + random.normal(0, apart, annotators)[who]
        metric = np.where(random.random(len(pair)) < chance, 1.0, -1.0)
        for people in (who, None):
            strict = agreement_intervals(np.ones(len(metric)), metric, documents, annotators=people).strict
            assert strict.low is not None
            assert strict.high is not None
            if people is None:
                alone += strict.low <= 0.62 <= strict.high
            else:
                held += strict.low <= 0.62 <= strict.high
    assert 0.91 <= held / studies <= 0.985  # the standard error of 250 studies is .014
    assert apart == 0 or alone / studies < 0.92


@pytest.mark.simulation
@pytest.mark.parametrize("crossed", [False, True])
@pytest.mark.parametrize("apart", [0.0, 0.1])
@pytest.mark.parametrize("people", [1, 2, 3, 4, 5, 6, 8, 10])
def test_intervals_hold_for_these_annotators_or_for_others(people: int, apart: float, crossed: bool) -> None:
    """Studies of 60 documents of 2 pairs, each judged by one annotator (disjoint) or by all (crossed): of fewer than
    five annotators the interval is of their own agreement, of five and more of that of all annotators."""
    random = np.random.default_rng(people)
    studies, pairs = 400, 120
    held, wide = 0, 0
    for _ in range(studies):
        pair = np.repeat(np.arange(pairs), people) if crossed else np.arange(pairs)
        who = np.tile(np.arange(people), pairs) if crossed else random.permutation(pairs) % people
        own = np.clip(0.62 + random.normal(0, apart, people), 0, 1)
        chance = np.clip(random.normal(0, 0.1, 60)[pair // 2] + own[who], 0, 1)
        metric = np.where(random.random(len(pair)) < chance, 1.0, -1.0)
        sampled = sampled_annotators(who.tolist())
        strict = agreement_intervals(np.ones(len(metric)), metric, pair // 2, annotators=sampled).strict
        assert strict.low is not None
        assert strict.high is not None
        held += strict.low <= (own.mean() if sampled is None else 0.62) <= strict.high
        wide += strict.high - strict.low > 0.8
    assert 0.91 <= held / studies <= 0.995  # the standard error of 400 studies is .011
    assert wide == 0


def test_annotators_are_a_sample_from_five_on() -> None:
    assert sampled_annotators(None) is None
    assert sampled_annotators([None] * 9) is None
    assert sampled_annotators("ABCDABCD") is None
    assert sampled_annotators("ABCDEA") == list("ABCDEA")


def test_one_annotator_is_no_sample_of_annotators() -> None:
    human, metric, documents = random_pairs(3)
    alone = agreement_intervals(human, metric, documents, annotators=["Ann"] * len(human))
    assert alone == agreement_intervals(human, metric, documents)


def test_weights_count_as_so_many_pairs() -> None:
    human, metric, documents = random_pairs(4)
    weights = np.random.default_rng(0).integers(1, 5, len(human))
    repeated = [np.repeat(column, weights) for column in (human, metric, documents)]
    counts, weighed = count_agreement(*repeated[:2]), count_agreement(human, metric, weights)
    for rule in (*RULES, "coverage"):
        assert getattr(weighed, rule) == pytest.approx(getattr(counts, rule))
    assert weighed[:6] == count_agreement(human, metric)[:6]  # the counts stay counts
    for agreement_interval, expected in zip(
        agreement_intervals(human, metric, documents, weights=weights), agreement_intervals(*repeated), strict=True
    ):
        assert agreement_interval[:2] == pytest.approx(expected[:2], abs=0.03)  # but for what one pair is


@pytest.mark.simulation
def test_intervals_cover_the_truth_where_pairs_cluster() -> None:
    """Simulated studies of 60 documents of 6 pairs: how often a document's pairs agree varies around .62.

    The 95 % interval must hold .62 in 92 to 98 of 100 studies. One that takes pairs to be independent holds it in
    fewer than 90: the design effect is 1 + 5 * .04 / .2356 = 1.85, so that it is a fourth too narrow.
    """
    random = np.random.default_rng(0)
    truth, studies, per_document = 0.62, 1000, 6
    documents = np.repeat(np.arange(60), per_document)
    held = naive = 0
    for _ in range(studies):
        # a beta distribution with this mean and the variance .04
        of_document = random.beta(truth * 4.89, (1 - truth) * 4.89, 60)
        agrees = random.random(len(documents)) < of_document[documents]
        interval = agreement_intervals(np.ones(len(agrees)), np.where(agrees, 1.0, -1.0), documents).strict
        assert interval.low is not None
        assert interval.high is not None
        held += interval.low <= truth <= interval.high
        ratio = agrees.mean()
        naive += abs(ratio - truth) <= 1.96 * math.sqrt(ratio * (1 - ratio) / len(agrees))
    assert 0.92 <= held / studies <= 0.98
    assert naive / studies < 0.9
