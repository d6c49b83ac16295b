"""How far annotators agree: golden values, statsmodels on the same tables, and what is undefined."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats import inter_rater

from relevance.analysis.people.annotators import others_majority, summarize_annotators
from relevance.analysis.people.kappa import Kappa, cohen_kappas
from relevance.analysis.people.reliability import (
    correct_for_chance,
    fleiss_chance,
    fleiss_kappa,
    krippendorff_alpha,
    krippendorff_chance,
    raw_agreement,
)

pytestmark = pytest.mark.filterwarnings("error")

# the table of Wikipedia's article on Fleiss' kappa: 10 subjects, 14 raters, 5 categories
WIKIPEDIA = np.array(
    [
        [0, 0, 0, 0, 14],
        [0, 2, 6, 4, 2],
        [0, 0, 3, 5, 6],
        [0, 3, 9, 2, 0],
        [2, 2, 8, 1, 1],
        [7, 7, 0, 0, 0],
        [3, 2, 6, 3, 0],
        [2, 5, 3, 2, 2],
        [6, 5, 2, 1, 0],
        [0, 2, 2, 3, 7],
    ]
)

Columns = tuple[list[str], list[str], list[float]]


def study(seed: int, *, pairs: int = 60, annotators: int = 5, per_pair: tuple[int, ...] = (1, 2, 3)) -> Columns:
    """Judgments of annotators who mostly see the same preference."""
    random = np.random.default_rng(seed)
    columns: Columns = ([], [], [])
    for pair in range(pairs):
        truth = random.choice([-1.0, 0.0, 1.0])
        for annotator in random.permutation(annotators)[: random.choice(per_pair)]:
            columns[0].append(f"p{pair}")
            columns[1].append(f"a{annotator}")
            columns[2].append(truth if random.random() < 0.6 else random.choice([-1.0, 0.0, 1.0]))
    return columns


def table(pairs: list[str], choices: list[float]) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Counts of first, second and tie, a row a pair, the slow way."""
    return np.array(
        [
            [sum(p == pair and np.sign(c) == sign for p, c in zip(pairs, choices, strict=True)) for sign in (1, -1, 0)]
            for pair in dict.fromkeys(pairs)
        ]
    )


# --- alpha ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("coders", "expected"),
    [
        # Krippendorff 2011, Computing Krippendorff's Alpha-Reliability, example A: two coders, two values.
        # 6 of 10 units are equal -> Ao .6; 14 zeros and 6 ones -> Ae (14 * 13 + 6 * 5)/(20 * 19) = .557895
        # (.6 - .557895)/(1 - .557895) = .095
        (["0100000010", "1110010000"], 0.0952381),
        # Example B: two coders, five values. 9 of 12 are equal -> Ao .75; a 4 times, b 6, c 6, d 6, e 2
        # -> Ae (12 + 30 + 30 + 30 + 2)/(24 * 23) = .188406; (.75 - .188406)/(1 - .188406) = .692
        (["aabbdcccedda", "babbbccceddd"], 0.6919643),
        # Example C: four coders, some values missing; unit 12 has one value and is left out.
        # Sum of n(n - 1)/(m - 1) over units 1 to 11: 3 + 2 + 4 + 4 + 4 + 0 + 4 + 2 + 4 + 3 + 2 = 32 of 40 -> Ao .8
        # 1 comes 9 times, 2 13, 3 10, 4 5, 5 3 -> Ae (72 + 156 + 90 + 20 + 6)/(40 * 39) = .220513
        # (.8 - .220513)/(1 - .220513) = .743
        (["123321412...", "1233224125.3", ".3332342251.", "12332441251."], 0.7434211),
    ],
)
def test_alpha_of_the_textbook(coders: list[str], expected: float) -> None:
    values = sorted(set("".join(coders)) - {"."})
    units = [[unit.count(value) for value in values] for unit in zip(*coders, strict=True)]
    counts = np.array([unit for unit in units if sum(unit) > 1])
    assert correct_for_chance(counts, krippendorff_chance) == pytest.approx(expected)


def test_alpha_of_choices() -> None:
    # p: first, first -> 2 of 2; q: first, second, second -> 2/2 = 1 of 3; r: tie, tie -> 2 of 2; s: one only, out
    # Ao = 5/7; first 3, second 2, tie 2 -> Ae = (6 + 2 + 2)/(7 * 6) = 10/42; (5/7 - 10/42)/(1 - 10/42) = 20/32
    result = krippendorff_alpha(list("pqrspqrq"), [1, 0.5, 0, 1, 2, -1, 0, -3])
    assert result.value == pytest.approx(20 / 32)
    assert (result.n, result.documents, result.level, result.reason) == (3, 3, 0.95, None)


@pytest.mark.parametrize("seed", range(3))
def test_alpha_of_equally_many_judgments_follows_from_kappa(seed: int) -> None:
    # Krippendorff's chance draws without replacement, Fleiss' with: 1 - alpha = (1 - kappa)(n - 1)/n
    counts = np.random.default_rng(seed).multinomial(4, [0.5, 0.3, 0.2], size=20)
    kappa, result = (correct_for_chance(counts, chance) for chance in (fleiss_chance, krippendorff_chance))
    assert kappa is not None
    assert result == pytest.approx(1 - (1 - kappa) * 79 / 80)


# --- Fleiss and raw agreement -----------------------------------------------------------------------------


def test_fleiss_of_wikipedia() -> None:
    correct = correct_for_chance(WIKIPEDIA, fleiss_chance)
    assert correct == pytest.approx(0.209931, abs=1e-6)
    assert correct == pytest.approx(inter_rater.fleiss_kappa(WIKIPEDIA))


def test_fleiss_takes_the_commonest_number_of_judgments() -> None:
    pairs, _, choices = study(0, per_pair=(1, 2, 3, 3))
    counts = table(pairs, choices)
    used = counts[counts.sum(axis=1) == 3]
    result = fleiss_kappa(pairs, choices)
    assert result.estimate.value == pytest.approx(inter_rater.fleiss_kappa(used))
    assert (result.estimate.n, result.judgments_per_pair, result.left_out) == (len(used), 3, len(counts) - len(used))


def test_fleiss_takes_the_larger_of_two_numbers_as_common() -> None:
    # p and q twice, r and s three times, t once
    result = fleiss_kappa(list("ppqqrrrssst"), [1, 1, 1, -1, 1, 1, -1, -1, -1, -1, 1])
    assert (result.judgments_per_pair, result.estimate.n, result.left_out) == (3, 2, 3)


def test_raw_agreement() -> None:
    # p: 1 of 1 equal; q: first, second, second: 1 of 3; r is judged once
    result = raw_agreement(list("pqrpqq"), [1, 1, 1, 1, -1, -1])
    assert (result.value, result.n) == (2 / 4, 2)


# --- intervals and invariance -----------------------------------------------------------------------------


def test_raw_agreement_has_the_interval_of_a_ratio() -> None:
    # 9 of 12 pairs with two judgments, of as many documents: R = 3/4, V = (3/16)/11; one pair is added, as everywhere
    n = (3 / 16 + 1 / 12) / (3 / 16 / 11 + 1 / 144)
    result = raw_agreement([*range(12)] * 2, [1] * 21 + [-1] * 3)
    expected = stats.beta.ppf([0.025, 0.975], [0.75 * n, 0.75 * n + 1], [0.25 * n + 1, 0.25 * n])
    assert result[:4] == (0.75, pytest.approx(expected[0]), pytest.approx(expected[1]), 12)


def test_full_agreement_is_no_certainty() -> None:
    # 12 pairs of 6 documents, half of them first, taken to correlate within documents by .3: 12/1.3 effective ones;
    # raw agreement, corrected by Fleiss' chance of 1/2, Krippendorff's of 2 * 12 * 11/(24 * 23)
    pairs, choices, documents = [*range(12)] * 2, [1, -1] * 12, [*range(6), *range(6)] * 2
    low = 0.025 ** (1.3 / 12)
    assert raw_agreement(pairs, choices, documents)[1:3] == pytest.approx((low, 1))
    assert fleiss_kappa(pairs, choices, documents).estimate[1:3] == pytest.approx((2 * low - 1, 1))
    chance = 2 * 12 * 11 / (24 * 23)
    assert krippendorff_alpha(pairs, choices, documents)[1:3] == pytest.approx(((low - chance) / (1 - chance), 1))
    (kappa,) = cohen_kappas(pairs, ["ann"] * 12 + ["bob"] * 12, choices, documents)
    assert kappa[2:5] == pytest.approx((1, 2 * low - 1, 1))


def noisy(random: np.random.Generator, documents: int) -> tuple[list[int], list[float], list[int], list[str]]:
    """Judgments of two annotators of 6 pairs a document; how often either judges at random depends on the document."""
    careful = np.repeat(random.beta(1.4, 0.93, documents), 6)  # an intraclass correlation of .3 around .6
    truth = random.choice([-1.0, 1.0], len(careful))
    guess = random.choice([-1.0, 0.0, 1.0], (2, len(careful)), p=[0.45, 0.1, 0.45])
    choices = np.where(random.random(guess.shape) < careful, truth, guess)
    pairs = [*range(len(careful))] * 2
    return pairs, choices.ravel().tolist(), [pair // 6 for pair in pairs], ["a"] * len(careful) + ["b"] * len(careful)


@pytest.mark.simulation
def test_intervals_cover_the_truth_where_documents_differ() -> None:
    """Studies of 30 documents: intervals over documents hold alpha, that of 20,000 documents, in 93 to 99 of 100."""
    random = np.random.default_rng(0)
    pairs, choices, documents, annotators = noisy(random, 20_000)
    truth = krippendorff_alpha(pairs, choices).value
    assert truth is not None
    held = dict.fromkeys(("alpha", "kappa", "alone"), 0)
    studies = 300
    for _ in range(studies):
        pairs, choices, documents, annotators = noisy(random, 30)
        for name, value in {
            "alpha": krippendorff_alpha(pairs, choices, documents),
            "kappa": cohen_kappas(pairs, annotators, choices, documents)[0],
            "alone": krippendorff_alpha(pairs, choices),
        }.items():
            assert value.low is not None
            assert value.high is not None
            held[name] += value.low <= truth <= value.high
    assert 0.93 <= held["alpha"] / studies <= 0.99
    assert 0.93 <= held["kappa"] / studies <= 0.99
    assert held["alone"] / studies < 0.92  # pairs taken to be independent


@pytest.mark.parametrize("estimate", [krippendorff_alpha, fleiss_kappa, raw_agreement])
def test_neither_order_nor_names_nor_which_is_first_matter(estimate: Callable[..., Any]) -> None:
    pairs, _, choices = study(4)
    documents = [pair[-1] for pair in pairs]
    result = estimate(pairs, choices, documents)
    result = getattr(result, "estimate", result)
    for other in (
        estimate(pairs[::-1], choices[::-1], documents[::-1]),
        estimate([("document", pair) for pair in pairs], np.array(choices) * 7, np.array(documents)),
        estimate(np.array(pairs), [-choice for choice in choices], documents),
    ):
        assert getattr(other, "estimate", other)[:5] == pytest.approx(result[:5])
    alone = estimate(pairs, choices)
    assert getattr(alone, "estimate", alone)[1:3] != pytest.approx(result[1:3])


# --- what is undefined ------------------------------------------------------------------------------------

NOT_SHARED = "nothing was judged by 2 annotators or more"
ONE_CATEGORY = "all judgments are of one category"
ONE_PAIR = "no interval: fewer than 2 documents have a pair with 2 judgments or more"


@pytest.mark.parametrize(
    ("pairs", "choices", "value", "raw", "reason", "raw_reason"),
    [
        ("", [], None, None, "there are no judgments", "there are no judgments"),
        ("pqr", [1, -1, 0], None, None, NOT_SHARED, NOT_SHARED),  # one annotator
        ("ppqq", [0, 0, 0, 0], None, 1, ONE_CATEGORY, None),  # all ties
        ("ppqqr", [1, 1, 1, 1, -1], None, 1, ONE_CATEGORY, None),  # r is judged once, and differs
        # one pair: 2/2 of 3 values -> Ao 1/3; 2 * 1 of 3 * 2 -> Ae 1/3; alpha 0; 1 of 3 pairs of judgments
        ("ppp", [1, 1, -1], 0.0, 1 / 3, ONE_PAIR, ONE_PAIR),
    ],
)
def test_what_is_undefined_says_why(
    pairs: str, choices: list[float], value: float | None, raw: float | None, reason: str, raw_reason: str | None
) -> None:
    result = krippendorff_alpha(list(pairs), choices)
    assert result.value == (None if value is None else pytest.approx(value))
    assert (result.low, result.high, result.reason) == (None, None, reason)
    kappa = fleiss_kappa(list(pairs), choices)
    assert (kappa.estimate.value is None, kappa.estimate.reason) == (value is None, reason)
    share = raw_agreement(list(pairs), choices)
    assert (share.value, share.reason) == (None if raw is None else pytest.approx(raw), raw_reason)


def test_one_document_has_no_interval() -> None:
    pairs, choices, documents = list("ppqq"), [1, 1, -1, -1], ["d"] * 4
    assert krippendorff_alpha(pairs, choices, documents)[:5] == (1, None, None, 2, 1)
    (kappa,) = cohen_kappas(pairs, list("abab"), choices, documents)
    assert (kappa.kappa, kappa.low, kappa.reason) == (1, None, "no interval: fewer than 2 documents have shared pairs")


def test_fleiss_without_a_pair_to_use_leaves_all_out() -> None:
    result = fleiss_kappa(list("pqr"), [1, -1, 0])
    assert (result.judgments_per_pair, result.left_out, result.estimate.n) == (None, 3, 0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: krippendorff_alpha(["p"], [1, 1]), "differ in length: pairs 1, choices 2"),
        (lambda: krippendorff_alpha(["p"], [math.nan]), "choices must be finite"),
        (lambda: krippendorff_alpha(["p"], [[1]]), "one dimension"),
        (lambda: raw_agreement(["p"], [1], ["d", "d"]), "differ in length: pairs 1, documents 2"),
        (lambda: raw_agreement(["p", "p"], [1, 1], ["d", "e"]), "a pair is of two documents"),
        (lambda: others_majority(["p", "p"], ["ann", "ann"], [1, 1]), "ann judged the same pair more than once"),
        (lambda: cohen_kappas(["p", "q", "p"], ["ann", "ann", "ann"], [1, 1, 1]), "ann judged the same pair"),
        (lambda: summarize_annotators(["p"] * 2, ["a"] * 2, [1, 1], [1, 1], [1, 1], {}), "a judged the same pair"),
        (lambda: summarize_annotators(["p"], ["a"], [0], [1], [1], {}), "left must be"),
        (lambda: summarize_annotators(["p", "q"], ["a", "a"], [1, 1], [math.nan, 1], [1, 1], {}), "left must be"),
        (lambda: summarize_annotators(["p"], ["a"], [1], [0.5], [1], {}), "left must be"),
    ],
)
def test_bad_columns_are_refused(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


# --- Cohen ------------------------------------------------------------------------------------------------


def kappa_of(counts: list[list[int]]) -> Kappa:
    """The kappa of two annotators from how often they chose which categories, each pair of a document of its own."""
    cells = [(1 - row, 1 - column) for (row, column), count in np.ndenumerate(counts) for _ in range(count)]
    ann, bob = zip(*cells, strict=True)
    (result,) = cohen_kappas([*range(len(cells))] * 2, ["ann"] * len(cells) + ["bob"] * len(cells), [*ann, *bob])
    return result


def test_cohen_of_the_golden_table() -> None:
    # 35 of 50 agree -> .7; chance (25 * 30 + 25 * 20)/2500 = .5; (.7 - .5)/(1 - .5) = .4
    kappa = kappa_of([[20, 5], [10, 15]])
    assert kappa.kappa == pytest.approx(0.4)
    # near the asymptotic interval of Fleiss, Cohen and Everitt (1969), .151 to .649
    assert (kappa.low, kappa.high) == (pytest.approx(0.151, abs=0.05), pytest.approx(0.649, abs=0.03))
    assert (kappa.n, kappa.agreement, kappa.level, kappa.reason) == (50, 0.7, 0.95, None)


@pytest.mark.parametrize("seed", range(5))
def test_cohen_equals_statsmodels(seed: int) -> None:
    counts = np.random.default_rng(seed).integers(12, size=(3, 3))
    result, expected = kappa_of(counts.tolist()), inter_rater.cohens_kappa(counts)
    assert result.kappa == pytest.approx(expected.kappa)
    assert (result.low, result.high) == pytest.approx((expected.kappa_low, expected.kappa_upp), abs=0.05)


def test_cohen_of_every_two_annotators() -> None:
    pairs, annotators, choices = study(6, per_pair=(2, 3))
    votes = {(p, a): int(1 - choice) for p, a, choice in zip(pairs, annotators, choices, strict=True)}
    result = cohen_kappas(pairs, annotators, choices)
    names = [f"a{number}" for number in range(5)]
    assert [(kappa.first, kappa.second) for kappa in result] == [(a, b) for a in names for b in names if a < b]
    for kappa in result:
        counts = np.zeros((3, 3))
        for pair in dict.fromkeys(pairs):
            if (pair, kappa.first) in votes and (pair, kappa.second) in votes:
                counts[votes[pair, kappa.first], votes[pair, kappa.second]] += 1
        expected = inter_rater.cohens_kappa(counts)
        assert kappa.kappa == pytest.approx(expected.kappa)
        assert kappa.low is not None
        assert kappa.high is not None
        assert -1 <= kappa.low < kappa.kappa < kappa.high <= 1
        assert (kappa.n, kappa.agreement) == (counts.sum(), pytest.approx(np.trace(counts) / counts.sum()))


@pytest.mark.parametrize(
    ("counts", "kappa", "agreement", "reason"),
    [
        ([[1, 0], [0, 0]], None, 1, "fewer than 2 shared pairs"),
        ([[9, 0], [0, 0]], None, 1, "both chose one and the same category throughout"),
        ([[9, 0], [0, 4]], 1, 1, None),
        ([[9, 4], [0, 0]], 0, 9 / 13, None),
    ],
)
def test_cohen_that_is_undefined_says_why(
    counts: list[list[int]], kappa: float | None, agreement: float, reason: str | None
) -> None:
    result = kappa_of(counts)
    assert result[:2] == ("ann", "bob")
    assert result.kappa == (None if kappa is None else pytest.approx(kappa, abs=1e-12))
    assert (result.low is None, result.high is None) == (kappa is None, kappa is None)
    assert (result.agreement, result.reason) == (agreement, reason)


def test_annotators_who_share_no_pair_have_no_kappa() -> None:
    assert cohen_kappas([], [], []) == []
    assert cohen_kappas(["p", "q"], ["a", "b"], [1, 1]) == []


# --- majorities and each annotator ------------------------------------------------------------------------


def test_majorities() -> None:
    pairs = list("qpqpqprs")
    annotators = list("aabbccab")
    choices = [1, 1, -1, 1, 5, 0, -1, 0]
    # q: a first, b second, c first; p: a first, b first, c tie; r and s are judged once
    others = others_majority(pairs, annotators, choices)
    np.testing.assert_array_equal(others, [0, 1, 1, 1, 0, 1, math.nan, math.nan])


def test_majorities_of_nothing() -> None:
    assert others_majority([], [], []).shape == (0,)


def test_table_of_annotators() -> None:
    pairs = list("pqrspqrpq")
    annotators = ["ann"] * 4 + ["bob"] * 3 + ["cat"] * 2
    choices = [1, -1, 0, 1, 1, 1, 1, 1, 0]
    left = [1, 0, math.nan, 1, 0, 0, 1, 1, math.nan]
    seconds = [4, 2, 9, 5, math.nan, math.nan, math.nan, 1, 2]
    ann, bob, cat, dan = summarize_annotators(pairs, annotators, choices, left, seconds, {"ann": (2, 3), "dan": (0, 1)})
    # ann: p with the others; q against bob (cat ties); r is her tie, s is hers alone
    assert ann == ("ann", 4, 4.5, 1, 3, 2, 2 / 3, 1 / 2, 2, 2, 3, {})
    # bob: p with; q against ann; r: ann ties, so the others decide nothing
    assert bob == ("bob", 3, None, 0, 3, 1, 1 / 3, 1 / 2, 2, 0, 0, {"median_seconds": "no judgment has a time"})
    # cat: p with; q is her tie
    assert cat == ("cat", 2, 1.5, 1, 1, 1, 1, 1, 1, 0, 0, {})
    assert dan[:6] == ("dan", 0, None, 0, 0, 0)
    assert dan.reasons == {
        "median_seconds": "no judgment has a time",
        "left_share": "no decided judgment",
        "agreement": "no decided judgment of a pair for which the majority of the others is decided",
    }
    assert dan[6:11] == (None, None, 0, 0, 1)


def test_table_of_nobody() -> None:
    assert summarize_annotators([], [], [], [], [], {}) == []
