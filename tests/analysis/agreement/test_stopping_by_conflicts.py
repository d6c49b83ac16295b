"""Simulated studies of pairs on which metrics contradict each other, looked at after every document."""

import math
import random
from functools import cache
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from relevance.analysis.agreement.sequential import log_wealth, sum_documents
from relevance.annotation.sampling import SampledPair, draw_rounds, draw_strata, put_in_order
from relevance.data.stopping_state import CompleteDocuments

STUDIES, DOCUMENTS, PAIRS = 300, 400, 15  # studies of one world, its documents, and the pairs of each


class World(NamedTuple):
    """What pairs are like, and how a study draws them: by default as in the example of a study file."""

    conflicts: float = 0.2
    """The share of pairs on which the metrics contradict each other."""
    ties: float = 0.4
    """The share of pairs on which the first metric ties, and the second does not."""
    right: float = 0.4
    """How often the first metric is right where they contradict each other."""
    second_wrong: float = 0.6
    """How often the second metric is wrong where the first one ties."""
    alike: float = 0.0
    """The correlation of the judgments of a document."""
    one_half: bool = False
    """Whether the first metric is compared with one half, being right on `second_wrong` of the other pairs."""
    drawn: int | None = 400
    share: float = 0.25
    per_document: int = 2
    most_documents: int = 200
    judgments: int = 1
    weighed: bool = True
    """Whether pairs count as one over the probability with which they were drawn."""
    random: bool = False
    """Whether pairs are drawn at random, whatever the metrics say."""

    @property
    def truth(self) -> float:
        """The mean difference over all pairs."""
        if self.one_half:
            others = 1 - self.conflicts
            return self.conflicts * (2 * self.right - 1) + others * (2 * self.second_wrong - 1)
        return self.conflicts * (2 * self.right - 1) + self.ties * (self.second_wrong - 0.5)


def simulate(world: World, generator: np.random.Generator) -> CompleteDocuments:
    """Draw a study, and let people judge all of it; on each pair they prefer the first summary."""
    n = DOCUMENTS * PAIRS
    document = np.arange(n) // PAIRS
    kind = generator.choice(3, size=n, p=[world.conflicts, world.ties, 1 - world.conflicts - world.ties])
    pairs = [SampledPair(int(document[pair]), pair, -1) for pair in range(n)]
    conflicts, others = (
        [
            [pairs[number] for number in range(of * PAIRS, of * PAIRS + PAIRS) if (kind[number] == 0) == wanted]
            for of in range(DOCUMENTS)
        ]
        for wanted in (True, False)
    )
    draws = random.Random(int(generator.integers(2**31)))
    if world.random:
        every = [first + second for first, second in zip(conflicts, others, strict=True)]
        sample = draw_rounds(every, world.drawn, world.per_document, draws)
    else:
        sample = draw_strata(conflicts, others, world.drawn, world.per_document, world.share, draws)
    ordered = put_in_order(sample, most_documents=world.most_documents, seed=draws.randrange(2**31))
    chosen = np.array([pair.first_id for pair in ordered])
    _, first, place = np.unique(document[chosen], return_index=True, return_inverse=True)
    place = np.argsort(np.argsort(first))[place]  # the pairs stand in the order of the documents

    of_document, of_judgment = (
        generator.random(DOCUMENTS)[document[chosen]],
        generator.random((len(chosen), world.judgments)),
    )
    same = generator.random(len(chosen)) < math.sqrt(world.alike)
    luck = np.where(same[:, None], of_document[:, None], of_judgment)
    kinds = kind[chosen][:, None]
    favourable = luck < np.where(kinds == 0, world.right, world.second_wrong)
    # a metric's difference does not depend on the judgment: what people choose does
    first_sign = np.where(kind[chosen] == 1, 0.0, 1.0) if not world.one_half else np.ones(len(chosen))
    second_sign = np.where(kind[chosen] == 2, 1.0, -1.0)
    return CompleteDocuments(
        first="a",
        second=None if world.one_half else "b",
        alpha=0.05,
        drawn=int(place.max()) + 1,
        documents=int(place.max()) + 1,
        wanted=world.judgments,
        pair=np.repeat(np.arange(len(chosen)), world.judgments),
        choices=np.where(favourable, 1.0, -1.0).ravel(),
        document=place,
        first_differences=first_sign,
        second_differences=None if world.one_half else second_sign,
        weights=None if world.random or not world.weighed else 1 / np.array([pair.inclusion for pair in ordered]),
    )


@cache
def stops(world: World, null: float = 0.0) -> NDArray[np.intp]:
    """The document at which each simulated study rejects a mean, shape (studies,); 0 where it never does."""
    generator = np.random.default_rng(23)
    result = []
    for _ in range(STUDIES):
        sums = sum_documents(simulate(world, generator))
        wealth = log_wealth(sums.differences, null, weights=sums.weights, bounds=sums.bounds)
        reached = np.flatnonzero(wealth >= math.log(20))
        result.append(int(reached[0]) + 1 if len(reached) else 0)
    return np.array(result)


NULLS = {
    "the example": World(),
    "judgments of a document alike": World(alike=0.5),
    "three judgments a pair": World(alike=0.3, judgments=3),
    "no limit": World(drawn=None),
    "half at random": World(share=0.5),
    "strong opposite effects": World(right=0.1, second_wrong=0.9),
    "rare conflicts": World(conflicts=0.03, ties=0.06, right=0.0, second_wrong=1.0),
    "few documents": World(right=0.1, second_wrong=0.9, drawn=None, most_documents=30),
    "one half": World(one_half=True, right=0.3, second_wrong=0.55),
    "one half, strong": World(one_half=True, right=0.1, second_wrong=0.6, alike=0.3),
}


@pytest.mark.simulation
@pytest.mark.parametrize("world", NULLS.values(), ids=NULLS)
def test_true_nulls_over_all_pairs_are_rejected_in_at_most_five_of_a_hundred_studies(world: World) -> None:
    assert world.truth == pytest.approx(0)
    assert np.mean(stops(world) > 0) <= 0.05


@pytest.mark.simulation
def test_unweighted_pairs_would_reject_them_in_a_third_of_the_studies() -> None:
    assert np.mean(stops(World(weighed=False)) > 0) > 0.3


TRUE = [
    World(ties=0, right=0.75),
    World(right=0.75, second_wrong=0.5),
    World(one_half=True, right=0.5, second_wrong=0.7),
]


@pytest.mark.simulation
@pytest.mark.parametrize("world", TRUE)
def test_the_true_mean_is_outside_of_the_interval_at_any_time_in_at_most_five_of_a_hundred(world: World) -> None:
    assert np.mean(stops(world, null=world.truth) > 0) <= 0.05


@pytest.mark.simulation
@pytest.mark.parametrize(
    ("world", "power", "median"),
    [(World(ties=0, right=0.75), 0.99, 70), (World(ties=0.05, right=0.75, second_wrong=0.5), 0.9, 130)],
)
def test_differences_are_found_where_few_metrics_tie(world: World, power: float, median: float) -> None:
    result = stops(world)
    assert np.mean(result > 0) >= power
    assert np.median(result[result > 0]) < median


@pytest.mark.simulation
def test_random_pairs_find_differences_later_where_few_metrics_tie_and_a_metric_against_one_half_earlier() -> None:
    two, first = World(ties=0, right=0.75), World(one_half=True, right=0.55, second_wrong=0.675)
    assert np.mean(stops(two) > 0) > np.mean(stops(two._replace(random=True)) > 0) + 0.2
    assert np.mean(stops(first) > 0) < np.mean(stops(first._replace(random=True)) > 0) - 0.2
