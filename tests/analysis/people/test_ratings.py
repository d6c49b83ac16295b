"""How far annotators' ratings agree: golden values, alpha the slow way, and how often its interval holds the truth."""

import math
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from relevance.analysis.arrays import Floats
from relevance.analysis.people.ratings import SCALES, Scale, rating_alpha, summarize_ratings
from relevance.analysis.people.reliability import krippendorff_alpha

pytestmark = pytest.mark.filterwarnings("error")

# the data of Krippendorff's "Computing Krippendorff's Alpha-Reliability" (2011), part C: 4 observers, 12 units
OBSERVERS = (
    (1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None),
    (1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3),
    (None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None),
    (1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None),
)
UNITS = [(unit, value) for of in OBSERVERS for unit, value in enumerate(of) if value is not None]


@pytest.mark.parametrize(("scale", "expected"), [("ordinal", 0.815), ("interval", 0.849)])
def test_alpha_of_krippendorffs_example(scale: Scale, expected: float) -> None:
    result = rating_alpha([unit for unit, _ in UNITS], [value for _, value in UNITS], scale=scale)
    assert round(result.value or 0, 3) == expected
    assert result.n == 11  # the last unit has one rating


def ratings(
    seed: int, documents: int = 20, systems: int = 3, people: int = 4, noise: float = 0.8
) -> tuple[list[str], list[str], Floats, list[str]]:
    """Ratings from 1 to 5 of summaries, each by two people or more."""
    random = np.random.default_rng(seed)
    columns: list[tuple[str, str, float, str]] = []
    for document in range(documents):
        of_document = random.normal(3, 0.5)
        for system in range(systems):
            quality = of_document + system / 2 + random.normal(0, 0.5)
            for person in random.permutation(people)[: random.integers(2, people + 1)]:
                value = float(np.clip(np.round(quality + random.normal(0, noise)), 1, 5))
                columns.append((f"{document} {system}", f"a{person}", value, f"d{document}"))
    summaries, names, values, of = zip(*columns, strict=True)
    return list(summaries), list(names), np.array(values), list(of)


def slow_alpha(summaries: list[str], values: Floats) -> float:
    """One less the mean squared difference within summaries over that of all ratings, pair by pair."""
    units: dict[str, list[float]] = {}
    for summary, value in zip(summaries, values.tolist(), strict=True):
        units.setdefault(summary, []).append(value)
    several = [unit for unit in units.values() if len(unit) > 1]
    together = [value for unit in several for value in unit]
    within = sum(2 * sum((a - b) ** 2 for a, b in combinations(unit, 2)) / (len(unit) - 1) for unit in several)
    overall = 2 * sum((a - b) ** 2 for a, b in combinations(together, 2)) / (len(together) - 1)
    return 1 - within / overall


@pytest.mark.parametrize("seed", range(4))
def test_alpha_is_that_of_all_pairs(seed: int) -> None:
    summaries, _, values, _ = ratings(seed, documents=6)
    summaries, values = [*summaries, "alone"], np.append(values, 2.0)
    assert rating_alpha(summaries, values).value == pytest.approx(slow_alpha(summaries, values))
    ranks = stats.rankdata(values[:-1])
    assert rating_alpha(summaries, values, scale="ordinal").value == pytest.approx(slow_alpha(summaries[:-1], ranks))


def test_of_two_categories_all_levels_of_measurement_are_one() -> None:
    summaries, _, values, documents = ratings(1)
    signs = np.where(values > 3, 1.0, -1.0)
    nominal = krippendorff_alpha(summaries, signs, documents).value
    for scale in SCALES:
        assert rating_alpha(summaries, signs, documents, scale=scale).value == pytest.approx(nominal)


@pytest.mark.parametrize("scale", SCALES)
def test_alpha_keeps_its_value_on_another_scale(scale: Scale) -> None:
    summaries, _, values, documents = ratings(2)
    first, second = (rating_alpha(summaries, of, documents, scale=scale) for of in (values, 25 * values - 25))
    assert second == pytest.approx(first)


def test_what_is_undefined() -> None:
    assert rating_alpha([], []).reason == "there are no ratings"
    assert rating_alpha(["s", "t"], [1, 2]).reason == "no summary was rated by 2 annotators or more"
    assert rating_alpha(["s", "s"], [3, 3]).reason == "all ratings are the same"
    first = rating_alpha(["s", "s", "t", "t"], [1, 2, 4, 5], ["d"] * 4)
    # squared differences: 1 within each summary, 4 of 4 ratings; 1 + 9 + 16 + 4 + 9 + 1 = 40 of 6 pairs of all
    assert first.value == pytest.approx(1 - (4 / 4) / (2 * 40 / (4 * 3)))
    assert (first.low, first.reason) == (
        None,
        "no interval: fewer than 2 documents have a summary with 2 ratings or more",
    )
    often = rating_alpha([f"{n // 2}" for n in range(40)], [1.0] * 37 + [2.0, 2.0, 3.0])
    assert often.reason == "no interval: 92% of the ratings are the same"
    never = rating_alpha([f"{n // 2}" for n in range(40)], [float(n // 2 % 4) for n in range(40)])
    assert (never.value, never.low, never.reason) == (1, None, "no interval: annotators differ in too few documents")
    with pytest.raises(ValueError, match="must not be missing"):
        rating_alpha(["s", "s"], [1, math.nan])
    with pytest.raises(ValueError, match="differ in length"):
        rating_alpha(["s", "s"], [1, 2, 3])


def test_annotators_are_set_against_the_means_of_the_others() -> None:
    summaries = ["s", "t", "u", "v", "s", "t", "u", "s", "t", "u"]
    names = ["Ann"] * 4 + ["Ben"] * 3 + ["Cem"] * 3
    values = np.array([1, 2, 3, 5, 2, 4, 4, 4, 4, 5], dtype=float)
    ann, ben, cem = summarize_ratings(summaries, names, values, summaries).annotators
    # the others' means of s, t, u: Ann (3, 4, 4.5), Ben (2.5, 3, 4), Cem (1.5, 3, 3.5)
    assert (ann.annotator, ann.ratings, ann.shared, ann.mean) == ("Ann", 4, 3, 2.75)
    assert ann.deviation == pytest.approx(np.std([1, 2, 3, 5]))
    assert ann.difference == pytest.approx(np.mean([1 - 3, 2 - 4, 3 - 4.5]))
    assert ann.pearson == pytest.approx(np.corrcoef([1, 2, 3], [3, 4, 4.5])[0, 1])
    assert ben.difference == pytest.approx(np.mean([2 - 2.5, 4 - 3, 4 - 4]))
    assert cem.pearson == pytest.approx(np.corrcoef([4, 4, 5], [1.5, 3, 3.5])[0, 1])
    few = summarize_ratings(["s", "s", "t"], ["Ann", "Ben", "Ben"], [1, 2, 3], ["d"] * 3).annotators
    assert [(item.shared, item.difference, item.pearson) for item in few] == [(1, -1, None), (1, 1, None)]
    assert few[0].reason == "fewer than 3 summaries were rated by others, too"
    same = summarize_ratings(summaries[:3] + summaries[4:7], ["Ann"] * 3 + ["Ben"] * 3, [2, 2, 2, 1, 2, 3], ["d"] * 6)
    assert (same.annotators[0].pearson, same.annotators[0].reason) == (None, "all of the ratings are the same")
    alone = summarize_ratings(["s"], ["Ann"], [1], ["d"]).annotators
    assert (alone[0].shared, alone[0].difference) == (0, None)


@pytest.mark.simulation
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize(("documents", "noise"), [(10, 0.8), (20, 0.4), (20, 1.5), (60, 0.8)])
def test_intervals_of_alpha_hold_the_truth(documents: int, noise: float, scale: Scale) -> None:
    def alpha(seed: int, documents: int) -> tuple[float, float | None, float | None]:
        summaries, _, values, of = ratings(seed, documents, noise=noise)
        return rating_alpha(summaries, values, of, scale=scale)[:3]  # type: ignore[return-value]

    truth = alpha(0, 20_000)[0]
    ends = [(low, high) for _, low, high in (alpha(seed, documents) for seed in range(1, 501)) if low is not None]
    held = np.mean([low <= truth <= (high or 0) for low, high in ends])
    assert len(ends) > 490
    assert 0.92 <= held <= 0.98  # the standard error of a share of 500 at .95 is .01
