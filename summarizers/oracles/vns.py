"""Reduced variable neighbourhood search: random steps, with larger ones if small ones do not help.

`vns` is ours: its extracts have any number of sentences. `exchange` is that of Akhmetov et al. (2022) as their text has
it, with extracts of as many sentences as the reference; `refill` does as their published notebook, whose extracts have
up to `K_MAX` more.
"""

import random
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NamedTuple

from relevance.summarizers.oracles.problem import BETTER, Extract, Problem, Solution, solution

K_MAX = 3
"""The number of moves in the largest step."""


class StopRule(NamedTuple):
    """The end of a search: after these seconds, steps, or steps without improvement, whichever comes first."""

    seconds: float = 60.0
    iterations: int = 5_000
    patience: int = 700
    clock: Callable[[], float] = time.monotonic


USUAL = StopRule()
NOTEBOOK = StopRule(iterations=10_000)


def vns(problem: Problem, seed: int = 0, start: Iterable[int] | None = None, stop: StopRule = USUAL) -> Solution:
    """Repeat k random moves, each of which adds a sentence, removes one, or does both; keep them if the score rises.

    k is 1 after an improvement and grows by 1 after a failure, from `K_MAX` back to 1. Without `start` the search
    begins with random sentences; a `start` must keep the problem's limits. The result is never below the start; equal
    seeds give equal results unless the time limit ends the search.
    """
    draw = random.Random(seed)  # noqa: S311  nothing secret

    def shake(chosen: Collection[int], k: int) -> list[int]:
        return draw_flips(problem.useful, chosen, k, draw)

    first = random_start(problem, draw) if start is None else start
    return improve_extract(problem, first, shake, stop)


def exchange(problem: Problem, seed: int = 0, start: Iterable[int] | None = None, stop: StopRule = USUAL) -> Solution:
    """Repeatedly replace k sentences of an extract by k others; keep them if the score rises (Akhmetov et al. 2022).

    Without `start` the search begins with `paper_size` random sentences. k is 1 at first and after a gain; after a
    failure k grows by 1, from `K_MAX` back to 1. The number of sentences never changes, so that sentences that share
    nothing with the reference may stay. Equal seeds give equal results unless the time limit ends the search.
    """
    draw = random.Random(seed)  # noqa: S311  nothing secret
    every = range(len(problem))

    def shake(chosen: Collection[int], k: int) -> list[int]:
        outside = [place for place in every if place not in chosen]
        many = min(k, len(outside), len(chosen))
        return [*draw.sample(sorted(chosen), many), *draw.sample(outside, many)]

    first = take_fitting(problem, draw.sample(every, len(problem))) if start is None else start
    return improve_extract(problem, first, shake, stop)


def refill(problem: Problem, seed: int = 0, start: Iterable[int] | None = None, stop: StopRule = NOTEBOOK) -> Solution:
    """Repeatedly drop k sentences of an extract and fill it up to k more than its size, as the published notebook does.

    The size is `paper_size`, with which the search begins unless it is given a `start`. A step looks at the first
    sentences of the extract, as many as that size, or at all of them after a `start`; k of the extract are dropped, and
    others are drawn until there are k more than the size. The new extract is kept if its score is higher, or as high
    with a higher ROUGE-2; after a `start` only if it is higher. k is 1 at first and after a gain, grows by 1 after a
    failure and stays at `K_MAX`. All failures count towards the end of the search, not only those in a row.
    """
    if not problem.useful:
        return solution(problem, ())
    draw = random.Random(seed)  # noqa: S311  nothing secret
    every, size = range(len(problem)), paper_size(problem)
    chosen = take_fitting(problem, draw.sample(every, len(problem))) if start is None else list(start)

    def score(extract: Sequence[int]) -> tuple[float, float]:
        return problem.f1(extract), problem.bigrams.f1(extract) if start is None else 0.0

    best = score(chosen)
    deadline = stop.clock() + stop.seconds
    step = failures = 0
    k = 1
    while step < stop.iterations and failures < stop.patience and stop.clock() < deadline:
        step += 1
        dropped = draw.sample(chosen, min(k, len(chosen)))
        looked_at = chosen[:size] if start is None else chosen
        changed = [place for place in looked_at if place not in dropped]
        outside = [place for place in every if place not in changed]
        changed += draw.sample(outside, min(max(0, size + k - len(changed)), len(outside)))
        if (score_of_changed := score(changed)) > best and problem.fits(changed):
            chosen, best, k = changed, score_of_changed, 1
        else:
            k, failures = min(k + 1, K_MAX), failures + 1
    return solution(problem, chosen, iterations=step)


def improve_extract(
    problem: Problem,
    start: Iterable[int],
    shake: Callable[[Collection[int], int], list[int]],
    stop: StopRule,
) -> Solution:
    """Flip the sentences from `shake` for an extract and k; keep changes that raise the score within the limits."""
    if not problem.useful:
        return solution(problem, ())
    extract = Extract(problem)
    for place in start:
        extract.add(place)
    best = extract.f1
    deadline = stop.clock() + stop.seconds
    step = failures = 0
    k = 1
    limited = any(problem.limits)
    while step < stop.iterations and failures < stop.patience and stop.clock() < deadline:
        step += 1
        changed = shake(extract.chosen, k)
        for place in changed:
            extract.flip(place)
        if extract.f1 > best + BETTER and not (limited and not problem.fits(extract.chosen)):
            best, k, failures = extract.f1, 1, 0
        else:
            for place in changed:
                extract.flip(place)
            k, failures = k % K_MAX + 1, failures + 1
    return solution(problem, extract.chosen, iterations=step)


def paper_size(problem: Problem) -> int:
    """Return the number of sentences of an extract of Akhmetov et al.: that of the reference, as their abstracts.

    Fewer if the document or the limit of sentences has no more; at least one.
    """
    most = len(problem) if problem.limits.sentences is None else min(len(problem), problem.limits.sentences)
    return max(1, min(most, problem.reference_sentences))


def take_fitting(problem: Problem, places: Iterable[int]) -> list[int]:
    """Take the first of some sentences that together keep the limits, at most `paper_size`."""
    chosen: list[int] = []
    size = paper_size(problem)
    for place in places:
        if len(chosen) < size and problem.fits([*chosen, place]):
            chosen.append(place)
    return chosen


def draw_flips(useful: Sequence[int], chosen: Collection[int], k: int, draw: random.Random) -> list[int]:
    """Draw the sentences to flip for k random moves, each an insertion, a removal or a swap."""
    inside = [place for place in useful if place in chosen]
    outside = [place for place in useful if place not in chosen]
    moves = [draw.choice(((1, 0), (0, 1), (1, 1))) for _ in range(k)]
    put, take = sum(move[0] for move in moves), sum(move[1] for move in moves)
    return [
        *draw.sample(outside, min(put, len(outside))),
        *draw.sample(inside, min(take, len(inside))),
    ]


def random_start(problem: Problem, draw: random.Random) -> list[int]:
    """Draw sentences until they have as many n-grams as the reference, or the limits are reached."""
    chosen: list[int] = []
    length = 0
    for place in draw.sample(problem.useful, len(problem.useful)):
        if length >= problem.total or not problem.fits([*chosen, place]):
            break
        chosen.append(place)
        length += sum(times for _, times in problem.sentences[place])
    return chosen
