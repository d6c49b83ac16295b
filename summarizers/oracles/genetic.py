"""Genetic search (Akhmetov et al. 2022): the better half survives, and all pairs of it have children."""

from __future__ import annotations

import random
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from summarizers.oracles.problem import Problem, Solution, solution
from summarizers.oracles.vns import random_start

GENERATIONS = 6
"""The paper's."""

POPULATION = 80
"""Extracts that a generation begins with; the paper does not say how many."""


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
        children = crossed(parents[one], parents[other], noise)
        if any(problem.limits):
            keep_limits(problem, children, draw)
        pool = np.unique(np.concatenate([parents, children]), axis=0)
        values = problem.f1_of_all(pool)
        best = np.argsort(-values, kind="stable")[:population]
        pool, values = pool[best], values[best]
        if len(pool) < 2:
            break
    return solution(problem, np.flatnonzero(pool[0]).tolist(), iterations=generations)


def crossed(one: NDArray[np.bool_], other: NDArray[np.bool_], noise: np.random.Generator) -> NDArray[np.bool_]:
    """A child of each pair of rows."""
    return np.where(noise.random(one.shape) < 0.5, one, other)


def keep_limits(problem: Problem, extracts: NDArray[np.bool_], draw: random.Random) -> None:
    """Take random sentences out of what is beyond the limits, in place."""
    for row in extracts:
        chosen = np.flatnonzero(row).tolist()
        draw.shuffle(chosen)
        while not problem.fits(chosen):
            row[chosen.pop()] = False
