"""Genetic search: the better half of some extracts are parents, and all pairs of them have children.

`genetic` is ours: extracts are as long as they like, and the best is never lost. `breed` is that of Akhmetov et al.
(2022), which begins with chunks of the text, and whose children take their parents' place.
"""

from __future__ import annotations

import random
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from summarizers.oracles.problem import Problem, Solution, solution
from summarizers.oracles.vns import random_start, take_fitting, usual_size

GENERATIONS = 6
"""The paper's."""

POPULATION = 80
"""Extracts of a generation of ours; the paper has as many as the text has chunks."""


def genetic(
    problem: Problem,
    seed: int = 0,
    start: Iterable[int] | None = None,
    *,
    generations: int = GENERATIONS,
    population: int = POPULATION,
) -> Solution:
    """Breed extracts: in each generation the better half survives and every pair of survivors has a child.

    A child has the sentences that both parents have, and each of the others with probability 1/2. The best `population`
    of survivors and children are the next generation, so that the best is never lost: the result is never below
    `start`, which is one of the first generation beside random extracts. Equal seeds give equal results. A child beyond
    the limits loses random sentences until it keeps them. Raises ValueError for a population under 2.
    """
    if not problem.useful:
        return solution(problem, ())
    if population < 2:
        raise ValueError(f"a population has at least 2 extracts, not {population}")
    draw = random.Random(seed)  # noqa: S311  nothing secret
    noise = np.random.default_rng(seed)
    first = [random_start(problem, draw) for _ in range(population)]
    if start is not None:
        first[0] = list(start)
    pool = np.zeros((population, len(problem)), dtype=bool)
    for row, chosen in enumerate(first):
        pool[row, chosen] = True
    values = problem.f1_of_all(pool)
    for _ in range(generations):
        order = np.argsort(-values, kind="stable")[: max(2, len(pool) // 2)]
        parents = pool[order]
        one, other = np.triu_indices(len(parents), k=1)
        children = cross_uniformly(parents[one], parents[other], noise)
        if any(problem.limits):
            keep_limits(problem, children, draw)
        pool = np.unique(np.concatenate([parents, children]), axis=0)
        values = problem.f1_of_all(pool)
        best = np.argsort(-values, kind="stable")[:population]
        pool, values = pool[best], values[best]
        if len(pool) < 2:
            break
    return solution(problem, np.flatnonzero(pool[0]).tolist(), iterations=generations)


def breed(
    problem: Problem, seed: int = 0, start: Iterable[int] | None = None, *, generations: int = GENERATIONS
) -> Solution:
    """Breed chunks of the text; children take the place of their generation (Akhmetov et al. 2022).

    The first generation are the chunks of `usual_size` sentences that follow each other, the last one with what is
    left, and `start`. Of each generation the better half are parents, and random pairs of them have as many children as
    it had extracts. A child takes half of the sentences of each parent, drawn at random; those that both give it has
    once. The best may be lost: the result is the best of the last generation, which may score less than `start`. A text
    of one chunk is its own extract. Equal seeds give equal results. A child beyond the limits loses random sentences
    until it keeps them. The halves and the loss are the paper's; that pairs are drawn at random is ours.
    """
    if not problem.useful:
        return solution(problem, ())
    draw = random.Random(seed)  # noqa: S311  nothing secret
    size = usual_size(problem)
    chunks = [range(at, min(at + size, len(problem))) for at in range(0, len(problem), size)]
    first = [*(take_fitting(problem, chunk) for chunk in chunks), *([list(start)] if start is not None else [])]
    pool = np.zeros((len(first), len(problem)), dtype=bool)
    for row, chosen in enumerate(first):
        pool[row, chosen] = True
    done = generations if len(pool) > 1 else 0
    for _ in range(done):
        order = np.argsort(-problem.f1_of_all(pool), kind="stable")[: max(2, len(pool) // 2)].tolist()
        pairs = [draw.sample(order, 2) for _ in pool]
        pool = np.array([halves(pool[one], pool[other], draw) for one, other in pairs])
        if any(problem.limits):
            keep_limits(problem, pool, draw)
    best = int(np.argmax(problem.f1_of_all(pool)))
    return solution(problem, np.flatnonzero(pool[best]).tolist(), iterations=done)


def halves(one: NDArray[np.bool_], other: NDArray[np.bool_], draw: random.Random) -> NDArray[np.bool_]:
    """A child with half of the sentences of each parent, of an odd number the larger half."""
    child = np.zeros_like(one)
    for parent in (one, other):
        sentences = np.flatnonzero(parent).tolist()
        child[draw.sample(sentences, (len(sentences) + 1) // 2)] = True
    return child


def cross_uniformly(one: NDArray[np.bool_], other: NDArray[np.bool_], noise: np.random.Generator) -> NDArray[np.bool_]:
    """A child of each pair of rows."""
    return np.where(noise.random(one.shape) < 0.5, one, other)


def keep_limits(problem: Problem, extracts: NDArray[np.bool_], draw: random.Random) -> None:
    """Remove random sentences from extracts that exceed the limits, in place."""
    for row in extracts:
        chosen = np.flatnonzero(row).tolist()
        draw.shuffle(chosen)
        while not problem.fits(chosen):
            row[chosen.pop()] = False
