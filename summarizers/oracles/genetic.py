"""Genetic search: extracts are crossed with each other, and the best of a generation survive.

`genetic` is ours: extracts have any number of sentences, and the best is never lost. `breed` is that of Akhmetov et al.
(2022), whose extracts have as many sentences as the reference, and whose offspring replace their parents.
"""

import random
from collections.abc import Callable, Iterable
from itertools import combinations, islice

import numpy as np
from numpy.typing import NDArray

from relevance.summarizers.oracles.problem import Problem, Solution, solution
from relevance.summarizers.oracles.vns import USUAL, StopRule, paper_size, random_start, take_fitting

GENERATIONS = 6
"""The number of generations in the paper."""

POPULATION = 80
"""Extracts in a generation of our search; the paper keeps half as many as the text has chunks."""

BATCH = 1 << 20
"""Extracts times sentences scored at once."""


def genetic(
    problem: Problem,
    seed: int = 0,
    start: Iterable[int] | None = None,
    *,
    generations: int = GENERATIONS,
    population: int = POPULATION,
) -> Solution:
    """Breed extracts: in each generation the better half survives and every pair of survivors has a child.

    A child has the sentences of both parents, and each sentence of only one with probability 1/2. The best `population`
    of survivors and children are the next generation, so that the best is never lost: the result is never below
    `start`, which is in the first generation with random extracts. Equal seeds give equal results. A child beyond the
    limits loses random sentences until it keeps them. Raises ValueError for a population below 2.
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
    pool = as_rows(problem, first)
    values = problem.f1_of_all(pool)
    for _ in range(generations):
        order = np.argsort(-values, kind="stable")[: max(2, len(pool) // 2)]
        parents = pool[order]
        left, right = np.triu_indices(len(parents), k=1)
        children = np.where(noise.random((len(left), len(problem))) < 0.5, parents[left], parents[right])
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
    problem: Problem,
    seed: int = 0,
    start: Iterable[int] | None = None,
    *,
    generations: int = GENERATIONS,
    stop: StopRule = USUAL,
) -> Solution:
    """Cross all candidates with each other; the best offspring replace them (Akhmetov et al. 2022).

    The first candidates are the shuffled sentences in chunks of as many as the reference has (`paper_size`), the last
    one with the rest, and `start`. In each generation every pair of candidates has one child (`cross`). The next
    generation are the best children, half as many as there were first candidates. The result is the best of the last
    generation: the best of all may be lost, so that it may score less than `start`. The search ends early if one
    candidate is left, or when the time of `stop` is over, in a generation that then does not count; its other rules are
    ignored. Equal seeds give equal results unless the time limit ends the search.

    The steps are the paper's. Our choices where it says nothing: half of an odd number is rounded down, but not to 0; a
    sentence of both parents counts once. A candidate beyond a limit of words, which the paper does not have, leaves out
    sentences.
    """
    if not problem.useful:
        return solution(problem, ())
    draw = random.Random(seed)  # noqa: S311  nothing secret
    deadline = stop.clock() + stop.seconds
    size = paper_size(problem)
    shuffled = draw.sample(range(len(problem)), len(problem))
    chunks = [take_fitting(problem, shuffled[at : at + size]) for at in range(0, len(problem), size)]
    pool = as_rows(problem, chunks if start is None else [*chunks, [*start]])
    values = problem.f1_of_all(pool)
    kept = max(1, len(pool) // 2)
    done = 0
    while done < generations and len(pool) > 1:
        offspring = best_offspring(problem, pool, kept, draw, lambda: stop.clock() >= deadline)
        if offspring is None:
            break
        pool, values = offspring
        done += 1
    return solution(problem, np.flatnonzero(pool[np.argmax(values)]).tolist(), iterations=done)


def best_offspring(
    problem: Problem, pool: NDArray[np.bool_], kept: int, draw: random.Random, is_over: Callable[[], bool]
) -> tuple[NDArray[np.bool_], NDArray[np.float64]] | None:
    """Return the best children of all pairs of candidates, and their F1; None if the time is over."""
    pairs = combinations(pool, 2)
    best, values = pool[:0], np.zeros(0)
    while batch := list(islice(pairs, max(1, BATCH // len(problem)))):
        if is_over():
            return None
        children = as_rows(problem, (cross(problem, first, second, draw) for first, second in batch))
        best = np.concatenate([best, children])
        values = np.concatenate([values, problem.f1_of_all(children)])
        order = np.argsort(-values, kind="stable")[:kept]
        best, values = best[order], values[order]
    return best, values


def cross(problem: Problem, left: NDArray[np.bool_], right: NDArray[np.bool_], draw: random.Random) -> list[int]:
    """Make a child: as many of the shuffled sentences of both parents as the reference has."""
    mixed = np.flatnonzero(left | right).tolist()
    draw.shuffle(mixed)
    return take_fitting(problem, mixed)


def as_rows(problem: Problem, extracts: Iterable[Iterable[int]]) -> NDArray[np.bool_]:
    """Turn extracts, given by positions, into booleans: shape (extracts, sentences)."""
    places = [list(extract) for extract in extracts]
    rows = np.zeros((len(places), len(problem)), dtype=bool)
    for row, chosen in enumerate(places):
        rows[row, chosen] = True
    return rows


def keep_limits(problem: Problem, extracts: NDArray[np.bool_], draw: random.Random) -> None:
    """Remove random sentences from extracts that exceed the limits, in place."""
    for row in extracts:
        chosen = np.flatnonzero(row).tolist()
        draw.shuffle(chosen)
        while not problem.fits(chosen):
            row[chosen.pop()] = False
