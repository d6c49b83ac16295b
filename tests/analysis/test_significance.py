import math
import warnings
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests

from relevance.analysis import significance
from relevance.analysis.significance import (
    MCNEMAR,
    SIGN_FLIP,
    TWO_WAY,
    PairedComparison,
    SignedRank,
    clustered_t,
    compare_metrics,
    draws_for,
    exact_mcnemar,
    fewest_documents,
    holm,
    signed_rank,
)

NAN = math.nan


@pytest.mark.parametrize(
    ("p_values", "expected"),
    [
        # ascending .005 * 4, .01 * 3, .03 * 2, and .04 * 1 lifted to the one before
        ([0.01, 0.04, 0.03, 0.005], [0.03, 0.06, 0.06, 0.02]),
        ([None, 0.02, None, 0.03], [None, 0.04, None, 0.04]),  # two tests, not four
        ([0.7, 0.9], [1, 1]),
        ([None], [None]),
        ([], []),
    ],
)
def test_holm(p_values: list[float | None], expected: list[float | None]) -> None:
    assert holm(p_values) == pytest.approx(expected)


@pytest.mark.parametrize("size", [1, 2, 5, 36])
def test_holm_is_that_of_statsmodels(size: int) -> None:
    p_values = np.random.default_rng(size).uniform(0, 0.2, size).round(2).tolist()  # with ties
    assert holm(p_values) == pytest.approx(multipletests(p_values, method="holm")[1].tolist())


@pytest.mark.parametrize("p", [NAN, -0.1, 1.1])
def test_holm_refuses_what_is_no_p_value(p: float) -> None:
    with pytest.raises(ValueError, match=f"must lie in .* not {p}"):
        holm([0.5, p])


@pytest.mark.parametrize(("comparisons", "draws"), [(1, 400), (55, 22_000)])  # 20 * 55 / .05
def test_draws_follow_from_the_family(comparisons: int, draws: int) -> None:
    assert draws_for(comparisons) == draws
    [smallest, *_] = holm([1 / (draws + 1), *[1.0] * (comparisons - 1)])
    assert smallest is not None
    assert smallest <= 0.05 / 20


@pytest.mark.parametrize(
    ("first_only", "second_only", "expected"),
    [
        (10, 2, 0.0385742),  # 2 * (1 + 12 + 66) / 2^12
        (2, 10, 0.0385742),
        (3, 3, 1),
        (0, 0, 1),
        (0, 5, 2 / 32),
    ],
)
def test_exact_mcnemar(first_only: int, second_only: int, expected: float) -> None:
    result = exact_mcnemar(first_only, second_only)
    assert result == pytest.approx(expected, abs=1e-7)
    assert result == pytest.approx(mcnemar([[7, first_only], [second_only, 4]], exact=True).pvalue)


def test_negative_counts_are_refused() -> None:
    with pytest.raises(ValueError, match="must not be negative: 3, -1"):
        exact_mcnemar(3, -1)


def test_every_two_metrics_in_order() -> None:
    random = np.random.default_rng(0)
    credits = {name: random.choice([0, 0.5, 1], 60) for name in ("rouge1", "apes", "length")}
    metrics = compare_metrics(credits, np.arange(60) % 10, flips=500, seed=3)
    assert [row[:2] for row in metrics] == [("rouge1", "apes"), ("rouge1", "length"), ("apes", "length")]
    assert [row.p_holm for row in metrics] == holm([row.p for row in metrics])
    for row in metrics:
        assert row.difference == pytest.approx(np.mean(credits[row.first]) - np.mean(credits[row.second]))
        assert (row.n, row.documents, row.test) == (60, 10, SIGN_FLIP)
        assert (row.seed, row.flips, row.reason) == (3, 500, None)
        means = [credits[name].reshape(6, 10).mean(axis=0) for name in row[:2]]
        assert row.wilcoxon_p == wilcoxon(*means).p
        assert row.wilcoxon_reason is None


@pytest.mark.parametrize("weighted", [False, True])
def test_all_flips_are_counted_where_they_are_few_and_drawn_flips_come_near(weighted: bool) -> None:
    random = np.random.default_rng(4)
    documents = np.repeat(np.arange(8), 5)
    first, second = (random.uniform(size=40) < 0.75).astype(float), random.choice([0, 0.5, 1], 40)
    weights = random.uniform(0.5, 2, 40) if weighted else np.ones(40)
    sums = np.bincount(documents, weights=weights * (first - second))
    every = np.abs([np.dot(signs, sums) for signs in product([-1, 1], repeat=8)])
    expected = np.mean(every >= abs(sums.sum()) - 1e-9)
    [result] = compare_metrics({"a": first, "b": second}, documents, weights=weights)
    assert result.p == expected
    assert (result.flips, result.seed) == (2**7, None)  # of 2^8, each as far off as its opposite
    [drawn] = compare_metrics({"a": first, "b": second}, documents, weights=weights, flips=2**7 - 1)
    assert (drawn.flips, drawn.seed) == (127, 0)
    assert drawn.p == pytest.approx(expected, abs=0.13)  # 3 standard errors of 127 flips
    assert result.difference == pytest.approx(np.average(first - second, weights=weights))


def test_the_seed_and_the_set_of_documents_make_the_flips() -> None:
    random = np.random.default_rng(5)
    documents = [f"d{number}" for number in random.integers(70, size=300)]
    a, b = random.choice([0.0, 1.0], (2, 300))
    [result] = compare_metrics({"a": a, "b": b}, documents, flips=2000)
    assert [result] == compare_metrics({"a": a, "b": b}, documents, flips=2000)
    assert [result] == compare_metrics({"a": a[::-1], "b": b[::-1]}, documents[::-1], flips=2000)
    assert result.p == compare_metrics({"b": b, "a": a}, documents, flips=2000)[0].p
    assert result.p == compare_metrics({"c": b * 0, "a": a, "b": b}, documents, flips=2000)[2].p
    assert result.p != compare_metrics({"a": a, "b": b}, documents, flips=2000, seed=1)[0].p


def test_how_many_signs_are_held_at_once_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(6)
    columns = {"a": random.choice([0.0, 1.0], 300), "b": random.choice([0.0, 1.0], 300)}
    documents = random.integers(70, size=300)
    metrics = compare_metrics(columns, documents, flips=1000)
    monkeypatch.setattr(significance, "SIGNS_AT_ONCE", 70 * 7)
    assert compare_metrics(columns, documents, flips=1000) == metrics


def test_the_flips_follow_from_the_family() -> None:
    random = np.random.default_rng(8)
    documents = np.repeat(np.arange(30), 2)
    columns = {f"m{number}": random.choice([0.0, 1.0], 60) for number in range(10)} | {"best": np.ones(60)}
    metrics = compare_metrics(columns, documents)
    assert len(metrics) == 55
    assert {(row.flips, row.seed) for row in metrics} == {(draws_for(55), 0)}
    assert min(row.p_holm for row in metrics if row.p_holm is not None) < 0.05


@pytest.mark.parametrize(
    ("alpha", "comparisons", "documents"),
    # 2/2^6 = .031, and 2/2^5 itself; 2/2^12 * 55 = .027, but 2/2^11 * 55 = .054
    [(0.05, 1, 6), (0.0625, 1, 5), (0.05, 55, 12)],
)
def test_fewer_documents_cannot_reach_the_level(alpha: float, comparisons: int, documents: int) -> None:
    assert fewest_documents(alpha, comparisons) == documents
    for size, reached in ((documents, True), (documents - 1, False)):
        [result] = compare_metrics({"a": np.ones(2 * size), "b": np.zeros(2 * size)}, np.arange(2 * size) // 2)
        assert result.p is not None
        assert result.p == 2 / 2**size
        assert (result.p * comparisons <= alpha) == reached


def test_noise_does_not_decide_a_flip() -> None:
    # a: .1 + .2 for the first, b: .3 for the second: the sums differ by 6e-17, and so do all flips but for .6
    ends = {"a": [1, 1, 0], "b": [0, 0, 1]}
    [result] = compare_metrics(ends, "aab", weights=[0.1, 0.2, 0.3], flips=200)
    assert result.p == 1
    # three documents of .3, .1 + .2 and .3 for the first: as far off are two of eight flips, none nearer
    ends = {"a": [1, 1, 1, 1], "b": [0, 0, 0, 0]}
    [result] = compare_metrics(ends, "abbc", weights=[0.3, 0.1, 0.2, 0.3])
    assert result.p == 2 / 8


def test_one_pair_a_document_is_the_exact_mcnemar_test() -> None:
    # 10 pairs for the first, 2 for the second, 3 alike, of which one is a tie of both
    first = [1.0] * 10 + [0, 0] + [1, 0, 0.5]
    second = [0.0] * 10 + [1, 1] + [1, 0, 0.5]
    [result] = compare_metrics({"a": first, "b": second}, range(15), weights=[2] * 15)
    assert result.p == result.p_holm == pytest.approx(0.0385742, abs=1e-7)
    assert (result.test, result.n, result.documents, result.seed, result.flips) == (MCNEMAR, 15, 15, None, None)
    # pairs that only one metric scores do not make a second pair of their document
    [missing] = compare_metrics({"a": [*first, NAN], "b": [*second, 1]}, [*range(15), 0])
    assert missing.p == result.p
    [uneven] = compare_metrics({"a": first, "b": second}, range(15), weights=[1] * 14 + [2])
    assert uneven.test == SIGN_FLIP


def test_half_credits_are_no_matter_of_signs() -> None:
    """30 halves for the first are no more than 15 wholes for the second, though they are twice as many pairs."""
    first, second = [1.0] * 30 + [0.0] * 15, [0.5] * 30 + [1.0] * 15
    [result] = compare_metrics({"a": first, "b": second}, range(45))
    assert (result.difference, result.test, result.p) == (0, SIGN_FLIP, 1)
    assert exact_mcnemar(30, 15) < 0.05


@pytest.mark.parametrize(
    ("first", "second", "documents", "weights", "expected"),
    [
        ([], [], "", None, (None, 0, 0, "fewer than 2 pairs are scored by both")),
        ([1, NAN], [0, 1], "ab", None, (1, 1, 1, "fewer than 2 pairs are scored by both")),
        ([1, 1], [0, 0], "ab", [1, 0], (1, 1, 1, "fewer than 2 pairs are scored by both")),
        ([1, 0, 1], [0, 0, NAN], "aab", None, (0.5, 2, 1, "fewer than 2 documents have pairs that both metrics score")),
    ],
)
def test_too_little_to_compare(
    first: list[float], second: list[float], documents: str, weights: list[float] | None, expected: tuple[Any, ...]
) -> None:
    difference, n, count, reason = expected
    assert compare_metrics({"a": first, "b": second}, documents, weights=weights) == [
        PairedComparison(
            "a", "b", difference, n, count, test=None, p=None, p_holm=None, wilcoxon_p=None,
            wilcoxon_reason="fewer than 2 documents have both values", seed=None, flips=None, reason=reason,
        )
    ]  # fmt: skip


@pytest.mark.parametrize(("documents", "test"), [("ab", MCNEMAR), ("aabb", SIGN_FLIP)])
def test_metrics_that_never_differ(documents: str, test: str) -> None:
    credits = {"a": [0.1 + 0.2] * len(documents), "b": [0.3] * len(documents)}
    [result] = compare_metrics(credits, documents)
    assert (result.p, result.p_holm, result.test, result.flips) == (1, 1, test, None)
    assert (result.wilcoxon_p, result.wilcoxon_reason) == (None, "the two differ in no document")


@pytest.mark.parametrize("credits", [{}, {"a": [1, 0]}])
def test_less_than_two_metrics_give_no_comparison(credits: dict[str, list[float]]) -> None:
    assert compare_metrics(credits, "ab") == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"credits": {"a": [1], "b": [1, 0]}}, "credits 1, documents 2, weights 2"),
        ({"documents": "a"}, "credits 1, documents 1, weights 1|credits 2, documents 1"),
        ({"credits": {"a": [1, 2], "b": [1, 0]}}, "credits of a must lie in"),
        ({"credits": {"a": [[1]]}}, "credits of a must have one dimension"),
        ({"weights": [1, -1]}, "weights must not be negative or missing"),
        ({"weights": [1, NAN]}, "weights must not be negative or missing"),
        ({"weights": [1]}, "credits 1, documents 2, weights 1"),
        ({"flips": 0}, "flips must be at least 1, not 0"),
    ],
)
def test_unusable_comparisons_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        compare_metrics(**{"credits": {"a": [1, 1], "b": [1, 0]}, "documents": "ab", **options})


@pytest.mark.simulation
def test_the_flips_keep_their_level_where_pairs_cluster() -> None:
    # no true difference: the advantage of one metric varies by document, 40 documents of 10 pairs
    random = np.random.default_rng(7)
    documents = np.repeat(np.arange(40), 10)
    flipped, naive = [], []
    for seed in range(1000):
        lead = np.repeat(random.uniform(-0.35, 0.35, 40), 10)
        first, second = random.uniform(size=(2, 400)) < np.array([0.6 + lead, 0.6 - lead])
        [result] = compare_metrics({"a": first, "b": second}, documents, flips=999, seed=seed)
        flipped.append(result.p)
        naive.append(exact_mcnemar(int((first & ~second).sum()), int((second & ~first).sum())))
    assert 0.03 <= np.mean(np.array(flipped) <= 0.05) <= 0.07
    assert np.mean(np.array(naive) <= 0.05) > 0.15  # what the test is there for


def judgments(
    random: np.random.Generator, people: int, documents: int, apart: float, lead: float, *, crossed: bool
) -> tuple[dict[str, Any], list[int], list[int]]:
    """Two metrics on two pairs a document; each annotator's difference lies about `lead`, each document's, too.

    Judged by all annotators, who see half of each other's reasons, or each pair by one of them.
    """
    size = (documents, 2, people)
    shared = random.uniform(size=(documents, 2, 1))
    mood = np.where(random.uniform(size=size) < 0.5, shared, random.uniform(size=size))
    towards = lead + random.normal(0, apart, people) + random.normal(0, 0.1, (documents, 1, 1))
    first, second = mood < (0.45 + towards) / 2, mood > 1 - (0.45 - towards) / 2
    judged = random.integers(people, size=(documents, 2, 1)) == np.arange(people)
    kept = np.ones(size, dtype=bool) if crossed else judged
    document, _, annotator = np.nonzero(kept)
    return {"a": first[kept], "b": second[kept]}, document.tolist(), annotator.tolist()


@pytest.mark.simulation
@pytest.mark.parametrize(
    ("people", "documents", "apart", "crossed"),
    [(3, 15, 0.15, True), (3, 40, 0.15, True), (3, 40, 0.15, False), (5, 40, 0.15, True), (10, 40, 0.15, True)],
)
def test_several_annotators_keep_the_level(people: int, documents: int, apart: float, crossed: bool) -> None:
    random = np.random.default_rng(people + documents)
    p_values, without = [], []
    for _ in range(400):
        credits, document, annotator = judgments(random, people, documents, apart, 0, crossed=crossed)
        [result] = compare_metrics(credits, document, annotators=annotator, flips=199)
        [naive] = compare_metrics(credits, document, flips=199)
        assert result.test == TWO_WAY
        assert result.p is not None
        assert naive.p is not None
        assert result.p >= naive.p
        p_values.append(result.p)
        without.append(naive.p)
    assert 0.02 <= np.mean(np.array(p_values) <= 0.05) <= 0.085  # standard error .011
    assert np.mean(np.array(without) <= 0.05) > 0.1  # what the test is there for: up to .4


@pytest.mark.simulation
def test_several_annotators_who_agree_cost_little_power() -> None:
    random = np.random.default_rng(1)
    p_values, without = [], []
    for _ in range(200):
        credits, document, annotator = judgments(random, 5, 40, 0, 0.13, crossed=True)
        p_values.append(compare_metrics(credits, document, annotators=annotator, flips=199)[0].p)
        without.append(compare_metrics(credits, document, flips=199)[0].p)
    power, otherwise = (np.mean(np.array(values, dtype=float) <= 0.05) for values in (p_values, without))
    assert power > 0.65
    assert otherwise - 0.12 < power <= otherwise


def test_one_who_judges_most_does_not_pass_for_many() -> None:
    # ann judges 30 pairs and always sees the first ahead, four others judge one or two each, and differ
    documents = [*range(30), 0, 1, 2, 3, 4, 5]
    annotators = ["ann"] * 30 + ["ben", "ben", "cy", "cy", "di", "eve"]
    first = [1.0] * 30 + [0, 1, 1, 0, 0, 1]
    credits = {"a": first, "b": [1 - credit for credit in first]}
    [alone] = compare_metrics(credits, documents)
    [result] = compare_metrics(credits, documents, annotators=annotators)
    assert (alone.test, result.test) == (SIGN_FLIP, TWO_WAY)
    assert alone.p is not None
    assert alone.p < 0.001
    assert result.p is not None
    assert result.p > 0.05


def test_clustered_t_by_hand() -> None:
    # two annotators, three documents, one judgment each: means 1/3 and 2/3, of all 1/2
    part, whole = np.array([[0, 1], [1, 1], [0, 0]], dtype=float), np.ones((3, 2))
    # documents: sums less their share of the mean 0, 1, -1: 2/36 * 3/2 = 1/12; annotators: variance of their means
    # 1/18, times 1/4 + 1/4 = 1/36; each mean's own noise: (2/3)/9 * 3/2 = 1/9, times 1/2 = 1/18 is more than that
    freedom = (1 / 12) ** 2 / ((1 / 12) ** 2 / 2 + (1 / 36) ** 2 / 1)
    assert clustered_t(part, whole) == pytest.approx(2 * stats.t.sf(0.5 * math.sqrt(12), freedom))
    assert clustered_t(np.ones((6, 2)), np.ones((6, 2))) == 0


@pytest.mark.parametrize("documents", [range(8), [0, 0, 1, 1, 2, 2, 3, 3]])
def test_annotators_who_all_agree_do_not_get_below_what_the_documents_allow(documents: list[int]) -> None:
    [result] = compare_metrics({"a": [1] * 8, "b": [0] * 8}, documents, annotators="xyxyxyxy")
    assert (result.test, result.p) == (TWO_WAY, 2 / 2 ** len(set(documents)))


CREDITS = st.sampled_from([0.0, 0.5, 1.0, NAN]) | st.floats(0, 1)
ROWS = st.lists(
    st.tuples(CREDITS, CREDITS, st.sampled_from("abcd"), st.sampled_from([0.0, 1.0]) | st.floats(0, 1e100)), max_size=12
)


@given(ROWS)
def test_a_p_value_or_a_reason_and_never_a_warning(rows: list[tuple[float, float, str, float]]) -> None:
    first, second, documents, weights = zip(*rows, strict=True) if rows else ((), (), (), ())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        [result] = compare_metrics({"a": first, "b": second}, documents, weights=weights, flips=20)
    assert (result.p is None) == (result.p_holm is None) == (result.test is None) == (result.reason is not None)
    assert (result.wilcoxon_p is None) == (result.wilcoxon_reason is not None)
    assert result.p is None or 0 < result.p <= 1
    assert (result.difference is None) == (result.n == 0)
    assert result.difference is None or -1.000001 <= result.difference <= 1.000001
    assert (result.seed, result.flips) in [(None, None), *((None, 2**documents) for documents in range(4))]


def wilcoxon(first: ArrayLike, second: ArrayLike) -> SignedRank:
    """The test of paired values, without the pairs in which either is missing."""
    differences = np.asarray(first, float) - np.asarray(second, float)
    return signed_rank(differences[~np.isnan(differences)], "pair")


def test_wilcoxon_by_hand() -> None:
    # differences 1, -2, 3, 4, and 0 that does not count: ranks below 0 sum to 2; of 16 signs, the sums 0, 1, 2
    # come up once each: p = 2 * 3 / 16; the median of -2, 0, 1, 3, 4 is 1
    assert wilcoxon([1, 0, 3, 4, 5, NAN, 1], [0, 2, 0, 0, 5, 1, NAN]) == SignedRank(2, 6 / 16, 4, 1)


@pytest.mark.parametrize("size", [2, 5, 8, 14, 40, 50, 51, 200])
@pytest.mark.parametrize("tied", [False, True])
def test_wilcoxon_is_that_of_scipy(size: int, tied: bool) -> None:
    random = np.random.default_rng(size)
    first = random.choice([1.0, 2.0, 3.0], size) if tied else random.normal(size=size)
    second = first - random.choice([-1, 1, 2], size) if tied else random.normal(size=size)
    expected = stats.wilcoxon(first, second)
    result = wilcoxon(first, second)
    assert (result.statistic, result.p) == pytest.approx((expected.statistic, expected.pvalue))
    assert result.n == size
    # pairs that do not differ, but for noise, change nothing
    same = random.uniform(size=5)
    assert wilcoxon([*first, *same], [*second, *(same + 1e-10)])[:3] == result[:3]


def test_noise_does_not_part_tied_ranks() -> None:
    # .3 - .1 and .4 - .2 differ by 6e-17
    assert wilcoxon([0.3, 0.2, 0.9], [0.1, 0.4, 0.1]).statistic == 1.5


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ([], [], SignedRank(None, None, 0, None, "fewer than 2 pairs have both values")),
        ([3, NAN], [1, 1], SignedRank(None, None, 1, 2, "fewer than 2 pairs have both values")),
        ([0.1 + 0.2, 1], [0.3, 1], SignedRank(None, None, 0, 0, "the two differ in no pair")),
        ([2, 1], [1, 1], SignedRank(0, 1, 1, 0.5)),
    ],
)
def test_degenerate_pairs(first: list[float], second: list[float], expected: SignedRank) -> None:
    assert wilcoxon(first, second) == expected


VALUES = st.sampled_from([NAN, 0.0, 1.0, 0.1 + 0.2, 0.3]) | st.floats(-1e100, 1e100)


@given(st.lists(st.tuples(VALUES, VALUES), max_size=15))
def test_a_signed_rank_test_or_a_reason_and_never_a_warning(pairs: list[tuple[float, float]]) -> None:
    first, second = zip(*pairs, strict=True) if pairs else ((), ())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = wilcoxon(first, second)
    assert (result.p is None) == (result.statistic is None) == (result.reason is not None)
    assert result.p is None or 0 < result.p <= 1
