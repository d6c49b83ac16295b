import math
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from relevance.analysis.ratio_differences import RatioDifference, compare_ratios
from relevance.analysis.ratio_intervals import Ratio, RatioEstimate, estimate_from_sums, estimate_ratio


def estimate(part: list[float], whole: list[float]) -> RatioEstimate:
    """An estimate from sums by document."""
    estimate = estimate_from_sums(part, whole)
    assert estimate is not None
    return estimate


FIRST = estimate([4, 3, 5, 2, 4, 0, 0, 0], [5, 5, 5, 5, 5, 0, 0, 0])
SECOND = estimate([0, 0, 0, 0, 0, 1, 3, 2], [0, 0, 0, 0, 0, 5, 5, 5])

Documents = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=4, max_size=12)


def both(documents: list[tuple[int, int]]) -> tuple[RatioEstimate, RatioEstimate]:
    """The estimates of two judges of the same five pairs of each document."""
    first, second = ([float(document[side]) for document in documents] for side in (0, 1))
    return tuple(estimate(part, [5.0] * len(documents)) for part in (first, second))  # type: ignore[return-value]


def test_ratios_of_other_documents_are_independent() -> None:
    ratios = compare_ratios(FIRST, SECOND)
    first, second = FIRST.interval(0.95), SECOND.interval(0.95)
    assert ratios.value == pytest.approx(18 / 25 - 6 / 15)
    low = ratios.value - math.hypot(18 / 25 - first.low, second.high - 6 / 15)  # type: ignore[operator]
    high = ratios.value + math.hypot(first.high - 18 / 25, 6 / 15 - second.low)  # type: ignore[operator]
    assert ratios.interval[:3] == (pytest.approx(low), pytest.approx(high), 0.95)


def test_documents_of_both_tell_more_about_a_difference_than_others() -> None:
    # the second judge is .2 lower in each document
    same = compare_ratios(estimate([4, 3, 5, 2, 4], [5] * 5), estimate([3, 2, 4, 1, 3], [5] * 5))
    rest = compare_ratios(
        estimate([4, 3, 5, 2, 4, 0, 0, 0, 0, 0], [5] * 5 + [0] * 5),
        estimate([0, 0, 0, 0, 0, 3, 2, 4, 1, 3], [0] * 5 + [5] * 5),
    )
    assert same.value == pytest.approx(0.2)
    assert rest.value == pytest.approx(0.2)
    assert same.p < rest.p
    assert width(same) < 0.7 * width(rest)


def width(ratio_difference: RatioDifference) -> float:
    """How wide the interval of a difference is."""
    assert ratio_difference.interval.low is not None
    assert ratio_difference.interval.high is not None
    return ratio_difference.interval.high - ratio_difference.interval.low


@given(Documents)
def test_which_comes_first_changes_the_sign_alone(documents: list[tuple[int, int]]) -> None:
    first, second = both(documents)
    left, right = compare_ratios(first, second), compare_ratios(second, first)
    assert left.value == -right.value
    assert left.p == pytest.approx(right.p)
    assert (left.interval.low, left.interval.high) == (
        pytest.approx(-(right.interval.high or 0)),
        pytest.approx(-(right.interval.low or 0)),
    )


@given(Documents)
def test_p_says_what_the_interval_says(documents: list[tuple[int, int]]) -> None:
    first, second = both(documents)
    ratios = compare_ratios(first, second)
    low, high = ratios.interval.low, ratios.interval.high
    assert low is not None
    assert high is not None
    assert -1 <= low <= ratios.value <= high <= 1
    assert width(ratios) > 0  # also where the two never part
    assert (ratios.p < 0.05) == (low > 0 or high < 0)
    if 1e-8 < ratios.p < 1:
        touching = compare_ratios(first, second, 1 - ratios.p).interval
        assert min(abs(touching.low or 0), abs(touching.high or 0)) == pytest.approx(0, abs=1e-6)


def test_judges_who_never_part_are_not_known_to_be_the_same() -> None:
    ratios = compare_ratios(estimate([1] * 20, [1] * 20), estimate([1] * 20, [1] * 20))
    assert ratios.value == 0
    assert ratios.p == 1
    assert width(ratios) > 0.05


def test_annotators_add_to_the_variance() -> None:
    rng = np.random.default_rng(1)
    document, annotator = np.repeat(np.arange(30), 6), np.tile(np.arange(6), 30)
    agrees = (rng.random(180) < np.linspace(0.3, 0.9, 6)[annotator]).astype(float)
    ratio = Ratio(agrees, np.ones(180))
    alone, with_people = (
        estimate_ratio(ratio, document, 30, people, many)
        for people, many in ((np.zeros(180, dtype=np.intp), 1), (annotator, 6))
    )
    assert alone is not None
    assert with_people is not None
    assert with_people.variance(0.95) == pytest.approx(
        alone.variance(0.95) + (special.stdtrit(5, 0.025) / special.ndtri(0.025)) ** 2 * with_people.by_annotators
    )
    other = estimate([2.0] * 30, [6.0] * 30)
    assert width(compare_ratios(with_people, other)) > 1.5 * width(compare_ratios(alone, other))


def test_documents_of_both_have_to_be_the_same() -> None:
    with pytest.raises(ValueError, match="documents differ in number: 8, 5"):
        compare_ratios(FIRST, estimate([4, 3, 5, 2, 4], [5] * 5))


# --- simulated --------------------------------------------------------------------------------------------


class World(NamedTuple):
    """A world in which two judges' agreement with a metric is known."""

    documents: int
    pairs: int
    """Pairs of each document."""
    first: float
    """The true agreement with the first judge."""
    second: float
    shared: str
    """What both judge: the same `pairs`, other pairs of the same `documents`, or `nothing`."""


def draw(world: World, rng: np.random.Generator) -> RatioDifference:
    """A study of each judge in this world, and the difference found; a fifth of what decides a pair is its document."""
    size = world.documents * world.pairs
    document = np.repeat(np.arange(world.documents), world.pairs)
    effects = [rng.normal(size=world.documents), rng.normal(size=world.documents)]
    noise = [rng.normal(size=size), rng.normal(size=size)]
    if world.shared != "nothing":
        effects[1] = effects[0]
    if world.shared == "pairs":
        noise[1] = 0.7 * noise[0] + math.sqrt(1 - 0.49) * noise[1]
    sides = []
    for place, true in enumerate((world.first, world.second)):
        agrees = special.ndtr(math.sqrt(0.2) * effects[place][document] + math.sqrt(0.8) * noise[place]) < true
        part = np.bincount(document, weights=agrees, minlength=world.documents)
        before = world.documents * (place if world.shared == "nothing" else 0)
        after = world.documents * (2 if world.shared == "nothing" else 1) - before - world.documents
        sides.append(
            estimate(
                [0.0] * before + part.tolist() + [0.0] * after,
                [0.0] * before + [float(world.pairs)] * world.documents + [0.0] * after,
            )
        )
    return compare_ratios(*sides)


@pytest.mark.simulation
@pytest.mark.parametrize("shared", ["pairs", "documents", "nothing"])
@pytest.mark.parametrize("size", [(10, 4), (20, 1), (30, 4), (60, 2)])
@pytest.mark.parametrize("true", [(0.5, 0.5), (0.75, 0.75), (0.92, 0.92), (0.8, 0.6)])
def test_intervals_hold_the_difference(shared: str, size: tuple[int, int], true: tuple[float, float]) -> None:
    rng = np.random.default_rng(7)
    results = [draw(World(*size, *true, shared), rng) for _ in range(400)]
    difference = true[0] - true[1]
    held = np.mean([(item.interval.low or 0) <= difference <= (item.interval.high or 0) for item in results])
    assert held > 0.92
    if difference == 0:
        assert np.mean([item.p < 0.05 for item in results]) < 0.08


@pytest.mark.simulation
def test_a_difference_is_found_more_often_where_the_pairs_are_the_same() -> None:
    rng = np.random.default_rng(3)
    power = {
        shared: np.mean([draw(World(30, 4, 0.75, 0.62, shared), rng).p < 0.05 for _ in range(300)])
        for shared in ("pairs", "documents", "nothing")
    }
    assert power["pairs"] > power["documents"] + 0.15
    assert power["pairs"] > power["nothing"] + 0.15
