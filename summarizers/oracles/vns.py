"""Reduced variable neighbourhood search (Akhmetov et al. 2022): random steps, larger where small ones do not help."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Collection, Iterable, Sequence

from summarizers.oracles.problem import BETTER, Extract, Problem, Solution, solution

K_MAX = 3
"""Moves in the largest step."""

SECONDS, ITERATIONS, PATIENCE = 60.0, 5_000, 700
"""The search ends after these seconds, steps, or steps without improvement, whichever comes first."""


def vns(
    problem: Problem,
    seed: int = 0,
    start: Iterable[int] | None = None,
    *,
    k_max: int = K_MAX,
    seconds: float = SECONDS,
    iterations: int = ITERATIONS,
    patience: int = PATIENCE,
    clock: Callable[[], float] = time.monotonic,
) -> Solution:
    """Make k random moves, each of which puts a sentence in, takes one out, or does both; keep what scores higher.

    k is 1 after an improvement and grows by 1 after a failure, from `k_max` back to 1. Without `start` the search
    begins with random sentences; a `start` must keep the problem's limits. The result is never below its start; equal
    seeds give equal results unless the time ends the search.
    """
    useful = problem.useful
    if not useful:
        return solution(problem, ())
    draw = random.Random(seed)  # noqa: S311  nothing secret
    extract = Extract(problem)
    for place in random_start(problem, draw) if start is None else start:
        extract.add(place)
    best = extract.f1
    deadline = clock() + seconds
    step = failures = 0
    k = 1
    limited = any(problem.limits)
    while step < iterations and failures < patience and clock() < deadline:
        step += 1
        changed = shaken(useful, extract.chosen, k, draw)
        for place in changed:
            extract.flip(place)
        if extract.f1 > best + BETTER and not (limited and not problem.fits(extract.chosen)):
            best, k, failures = extract.f1, 1, 0
        else:
            for place in changed:
                extract.flip(place)
            k, failures = k % k_max + 1, failures + 1
    return solution(problem, extract.chosen, iterations=step)


def shaken(useful: Sequence[int], chosen: Collection[int], k: int, draw: random.Random) -> list[int]:
    """Sentences to flip for k random moves: each puts one in, takes one out, or does both."""
    inside = [place for place in useful if place in chosen]
    outside = [place for place in useful if place not in chosen]
    moves = [draw.choice(((1, 0), (0, 1), (1, 1))) for _ in range(k)]
    put, take = sum(move[0] for move in moves), sum(move[1] for move in moves)
    return [
        *draw.sample(outside, min(put, len(outside))),
        *draw.sample(inside, min(take, len(inside))),
    ]


def random_start(problem: Problem, draw: random.Random) -> list[int]:
    """Random sentences until they have as many n-grams as the reference, or the limits are reached."""
    chosen: list[int] = []
    length = 0
    for place in draw.sample(problem.useful, len(problem.useful)):
        if length >= problem.total or not problem.fits([*chosen, place]):
            break
        chosen.append(place)
        length += sum(times for _, times in problem.sentences[place])
    return chosen
