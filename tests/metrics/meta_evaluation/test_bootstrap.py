from __future__ import annotations

import math
from collections import defaultdict

import numpy as np
import pytest
from scipy import stats

from metrics.meta_evaluation import Interval, agreement, agreement_intervals

RULES = ("strict", "half", "decided")


def random_pairs(seed: int, size: int = 120) -> tuple[list[float], list[float], list[str]]:
    """Pairs of 9 documents with human ties, metric ties and missing values."""
    random = np.random.default_rng(seed)
    human = random.choice([-1.0, 0.0, 1.0], size)
    metric = random.choice([-0.5, 0.0, 0.5, math.nan], size)
    return human.tolist(), metric.tolist(), [f"d{number}" for number in random.integers(9, size=size)]


@pytest.mark.parametrize("seed", [0, 7])
def test_equals_a_bootstrap_that_repeats_the_pairs_of_drawn_documents(seed: int) -> None:
    human, metric, documents = random_pairs(seed)
    pairs = defaultdict(list)
    for preferred, difference, document in zip(human, metric, documents, strict=True):
        pairs[document].append((preferred, difference))
    names = sorted(pairs)
    random = np.random.default_rng(seed)
    drawn = []
    for _ in range(200):
        resample = [pair for index in random.integers(len(names), size=len(names)) for pair in pairs[names[index]]]
        drawn.append(agreement(*zip(*resample, strict=True)))
    found = agreement_intervals(human, metric, documents, level=0.9, resamples=200, seed=seed)
    for rule in RULES:
        low, high = np.quantile([getattr(sample, rule) for sample in drawn], [0.05, 0.95])
        interval = getattr(found, rule)
        assert (interval.low, interval.high) == (pytest.approx(low), pytest.approx(high)), rule
        assert interval[2:] == (0.9, 200, seed, None)


def test_the_seed_makes_the_interval() -> None:
    pairs = random_pairs(1)
    assert agreement_intervals(*pairs) == agreement_intervals(*pairs)
    assert agreement_intervals(*pairs, seed=1).strict[:2] != agreement_intervals(*pairs).strict[:2]


def test_the_order_of_pairs_does_not_matter() -> None:
    human, metric, documents = random_pairs(2)
    backwards = agreement_intervals(human[::-1], metric[::-1], documents[::-1])
    assert backwards == agreement_intervals(human, metric, documents)


def test_a_metric_with_missing_values_is_drawn_alike() -> None:
    # d0 to d3 agree, agree, disagree, have no value: the same draws as with d3 weighing nothing
    found = agreement_intervals([1, 1, 1, 1], [1, 1, -1, math.nan], ["d0", "d1", "d2", "d3"], resamples=50)
    random = np.random.default_rng(0)
    shares = []
    for _ in range(50):
        weights = np.bincount(random.integers(4, size=4), minlength=4)
        if weights[:3].any():
            shares.append((weights[0] + weights[1]) / weights[:3].sum())
    assert found.strict[:2] == pytest.approx(tuple(np.quantile(shares, [0.025, 0.975])))


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
    assert widths[0] == 0
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
    undefined = Interval(None, None, 0.95, 2000, 3, "fewer than 2 documents have pairs to count")
    assert agreement_intervals(human, metric, documents, seed=3) == (undefined, undefined, undefined)


def test_metric_ties_count_for_the_rules_that_count_them() -> None:
    found = agreement_intervals([1, 1], [1, 0], ["a", "b"])
    # strict over two documents that score 1 and 0; nothing is decided in b
    assert found.strict[:2] == (0, 1)
    assert found.half[:2] == (0.5, 1)
    assert found.decided.low is None
    assert found.decided.reason == "fewer than 2 documents have pairs to count"


def test_draws_that_all_miss_the_usable_documents() -> None:
    # 2 of 60 documents are usable; take the first seed whose only draw has neither
    human = [1.0, 1.0, *[0.0] * 58]
    documents = [f"d{number:02}" for number in range(60)]
    seed = next(seed for seed in range(100) if np.random.default_rng(seed).integers(60, size=60).min() > 1)
    found = agreement_intervals(human, np.ones(60), documents, resamples=1, seed=seed)
    assert found.strict == Interval(None, None, 0.95, 1, seed, "no resample has pairs to count")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": 95}, "level must lie between 0 and 1, not 95"),
        ({"level": 0}, "level must lie between 0 and 1, not 0"),
        ({"resamples": 0}, "resamples must be at least 1, not 0"),
    ],
)
def test_unusable_options_are_refused(options: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        agreement_intervals([1, 1], [1, 1], ["a", "b"], **options)


def test_columns_of_different_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="pairs 2, documents 1"):
        agreement_intervals([1, 1], [1, 1], ["a"])


def test_annotators_who_differ_widen_the_interval() -> None:
    # 4 documents of 2 pairs, each pair by Ann and by Ben: Ann always agrees with the metric, Ben with every second
    human = np.ones(16)
    metric = np.array([1, 1, 1, -1] * 4)
    documents = np.repeat(["d0", "d1", "d2", "d3"], 4)
    annotators = ["Ann", "Ben"] * 8
    alone = agreement_intervals(human, metric, documents).strict
    assert alone[:2] == (0.75, 0.75)  # every document has 3 of 4
    # nothing to widen where documents do not differ at all; where they do:
    metric[:4] = 1
    alone, both = (
        agreement_intervals(human, metric, documents, annotators=people).strict for people in (None, annotators)
    )
    # R = 13/16; residuals: agreeing 3/16, not -13/16; by document 4 * 3/16 once and -1/4 three times, so that
    # V_d = (9/16 + 3/16) * 4/3 = 1; by annotator 8 * 3/16 = 1.5 and -1.5: V_a = 4.5 * 2 = 9; by both, of the 8
    # cells Ann's are 3/8, Ben's -5/8 but for 3/8 in d0: V_da = (5 * 9/64 + 3 * 25/64) * 8/7 = 15/7
    few = stats.t.isf(0.025, 1) / stats.norm.isf(0.025)
    widening = math.sqrt(1 + few**2 * (9 - 15 / 7) / 1)
    assert alone.low is not None
    assert both.low == max(0, 13 / 16 + widening * (alone.low - 13 / 16))
    assert both.high == 1


@pytest.mark.parametrize(
    ("annotators", "judgments", "apart"),
    [(4, 1, 0.0), (3, 3, 0.0), (10, 1, 0.1), (5, 3, 0.1)],
)
def test_intervals_cover_the_truth_where_annotators_are_a_sample(annotators: int, judgments: int, apart: float) -> None:
    """Studies of 80 documents of 2 pairs, whose agreement varies around .62, as does that of annotators by `apart`."""
    random = np.random.default_rng(1)
    held = alone = 0
    studies = 250
    for seed in range(studies):
        pair = np.repeat(np.arange(160), judgments)
        documents = pair // 2
        who = np.concatenate([random.permutation(annotators)[:judgments] for _ in range(160)])
        chance = 0.62 + random.normal(0, 0.1, 80)[documents] + random.normal(0, apart, annotators)[who]
        metric = np.where(random.random(len(pair)) < chance, 1.0, -1.0)
        for people in (who, None):
            found = agreement_intervals(
                np.ones(len(metric)), metric, documents, annotators=people, resamples=200, seed=seed
            ).strict
            assert found.low is not None
            assert found.high is not None
            if people is None:
                alone += found.low <= 0.62 <= found.high
            else:
                held += found.low <= 0.62 <= found.high
    assert 0.91 <= held / studies <= 0.985  # the standard error of 250 studies is .014
    assert apart == 0 or alone / studies < 0.9


def test_one_annotator_is_no_sample_of_annotators() -> None:
    human, metric, documents = random_pairs(3)
    alone = agreement_intervals(human, metric, documents, annotators=["Ann"] * len(human))
    assert alone == agreement_intervals(human, metric, documents)


def test_weights_count_as_so_many_pairs() -> None:
    human, metric, documents = random_pairs(4)
    weights = np.random.default_rng(0).integers(1, 5, len(human))
    repeated = [np.repeat(column, weights) for column in (human, metric, documents)]
    counts, weighed = agreement(*repeated[:2]), agreement(human, metric, weights)
    for rule in (*RULES, "coverage"):
        assert getattr(weighed, rule) == pytest.approx(getattr(counts, rule))
    assert weighed[:6] == agreement(human, metric)[:6]  # the counts stay counts
    found = agreement_intervals(human, metric, documents, weights=weights)
    for rule, expected in zip(RULES, agreement_intervals(*repeated), strict=True):
        assert getattr(found, rule)[:2] == pytest.approx(expected[:2])


def test_blocks_of_draws_are_the_draws_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = random_pairs(6)
    whole = agreement_intervals(*pairs, resamples=100)
    monkeypatch.setattr("metrics.meta_evaluation.bootstrap.CELLS", 20)  # two resamples a block
    assert agreement_intervals(*pairs, resamples=100) == whole


def test_intervals_cover_the_truth_where_pairs_cluster() -> None:
    """Simulated studies of 60 documents of 6 pairs: how often a document's pairs agree varies around .62.

    The 95 % interval must hold .62 in 92 to 98 of 100 studies. One that takes pairs to be independent holds it in
    fewer than 90: the design effect is 1 + 5 * .04 / .2356 = 1.85, so that it is a fourth too narrow.
    """
    random = np.random.default_rng(0)
    truth, studies, per_document = 0.62, 1000, 6
    documents = np.repeat(np.arange(60), per_document)
    held = naive = 0
    for seed in range(studies):
        # a beta distribution with this mean and the variance .04
        of_document = random.beta(truth * 4.89, (1 - truth) * 4.89, 60)
        agrees = random.random(len(documents)) < of_document[documents]
        interval = agreement_intervals(
            np.ones(len(agrees)), np.where(agrees, 1.0, -1.0), documents, resamples=200, seed=seed
        ).strict
        assert interval.low is not None
        assert interval.high is not None
        held += interval.low <= truth <= interval.high
        ratio = agrees.mean()
        naive += abs(ratio - truth) <= 1.96 * math.sqrt(ratio * (1 - ratio) / len(agrees))
    assert 0.92 <= held / studies <= 0.98
    assert naive / studies < 0.9
