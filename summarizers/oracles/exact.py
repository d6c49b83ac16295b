"""The exact optimum: Dinkelbach's method over mixed-integer linear programs.

F1 = 2 m / (l + r) is a ratio, of m matched n-grams to l of the extract and r of the reference. For a known score q the
extract that maximises 2 m - q (l + r) either scores more than q or proves that none does (Dinkelbach 1967), and that
is linear in which sentences are taken, which n-grams they match and, in the set definition, which they have. Hirao et
al. (2017) find the extracts of the highest recall in a similar program.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from summarizers.oracles.greedy import climb, greedy
from summarizers.oracles.problem import BETTER, Extract, Problem, Solution, solution
from summarizers.oracles.vns import vns

SECONDS = 60.0
"""Time for one search."""

NODES, PATIENCE = 200, 2.0
"""Branches, and seconds, after which a program is a hard one: a better extract to begin with then saves more than it
takes to find."""


class Program(NamedTuple):
    """The linear program but for its objective, which depends on the score to beat.

    Columns are the sentences of `problem.useful`, then classes of n-grams of the reference, then classes of other
    n-grams that several sentences share (set definition only). N-grams that stand equally often in the same sentences
    are one class: one column with their number as its weight.
    """

    length: NDArray[np.float64]
    """What a sentence adds to the length by itself."""
    matched: NDArray[np.float64]
    """N-grams in each class of the reference."""
    shared: NDArray[np.float64]
    """N-grams in each class of the others."""
    upper: NDArray[np.float64]
    """The largest value of each column."""
    rows: list[int]
    columns: list[int]
    values: list[float]
    """The constraints' entries."""
    limits: list[float]
    """The constraints' right sides: each row is at most this."""


def exact(problem: Problem, start: Iterable[int] | None = None, *, seconds: float = SECONDS) -> Solution:
    """The extract of the highest F1, with the proof that none is higher (`Solution.proven`).

    The search begins at `start`, which must keep the problem's limits, or at the better one of what `climb` and
    `greedy` find; where that is not enough to solve a program at once (`NODES`, `PATIENCE`), VNS looks for a better one
    before it goes on. When the time is over, the result is the best extract so far with a bound above which no extract
    lies: its `proven` is False. Of several optima any may be the result, but none with a sentence that could be left
    out without loss; the same input always gives the same one, unless the time ends the search. Where nothing matches,
    the optimum is the empty extract with F1 0.

    HiGHS now and then prints a line of its own to the standard output of the process (not Python's, and whatever its
    options say), when it mends a solution that its presolve or heuristics left a little outside the constraints.
    Without presolve, from which these programs gain no time, it is rare: once in some hundred long documents with a
    limit of words, never seen elsewhere. A command whose output is read by programs searches in child processes, as
    `summarizers.oracles.evaluation` does, whose standard output goes to standard error.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csc_array

    useful = problem.useful
    if not useful:
        return solution(problem, (), bound=0.0)
    deadline = time.monotonic() + seconds
    best = solution(problem, first_extract(problem) if start is None else start)
    program = program_of(problem)
    entries = (program.values, (program.rows, program.columns))
    table = csc_array(entries, shape=(len(program.limits), len(program.upper)))
    constraints = LinearConstraint(table, ub=np.array(program.limits))
    whole = np.zeros(len(program.upper), dtype=np.intp)
    whole[: len(useful)] = 1
    rounds = 0
    bound, hard = 1.0, False
    while True:
        rounds += 1
        left = max(0.01, deadline - time.monotonic())
        options: Any = {"time_limit": left, "mip_rel_gap": 0, "presolve": False}
        if not hard:
            options |= {"time_limit": min(left, PATIENCE), "node_limit": NODES}
        found = milp(
            objective(problem, program, best.f1),
            constraints=constraints,
            integrality=whole,
            bounds=Bounds(0, program.upper),
            options=options,
        )
        # What is to be maximised is at most this, by any extract.
        dual = found.mip_dual_bound
        gain = -dual - best.f1 * problem.total if dual is not None and np.isfinite(dual) else np.inf
        # gain >= 2 m - q (l + r) for all of them: their F1 is at most q + gain / (l + r), and l + r exceeds r.
        bound = min(bound, best.f1 + max(0.0, gain) / (problem.total + 1))
        before = best.f1
        if found.x is not None:  # else the time is over, and there is nothing new
            taken = [place for place, value in zip(useful, found.x, strict=False) if value > 0.5]
            best = max(best, solution(problem, taken), key=lambda extract: extract.f1)
        if found.status != 0 and not hard:
            hard = True
            best = max([best, *neighbours(problem, best, deadline)], key=lambda extract: extract.f1)
            if time.monotonic() < deadline:
                continue
        if best.f1 <= before + BETTER or found.status != 0:
            best = solution(problem, without_idle(problem, best.sentences))
            return best._replace(bound=max(bound, best.f1), iterations=rounds)


def neighbours(problem: Problem, best: Solution, deadline: float) -> list[Solution]:
    """What VNS finds around an extract, around the greedy one and around random sentences."""
    return [
        vns(problem, 0, start, seconds=max(0.01, deadline - time.monotonic()))
        for start in (best.sentences, greedy(problem).sentences, None)
    ]


def first_extract(problem: Problem) -> tuple[int, ...]:
    """The better one of what two fast searches find."""
    return max(climb(problem), greedy(problem), key=lambda found: found.f1).sentences


def without_idle(problem: Problem, chosen: Iterable[int]) -> set[int]:
    """An extract without the sentences, from the last one on, whose absence does not lower its F1.

    In the set definition a sentence of n-grams that others have costs nothing, so that a solver may take it or not.
    """
    extract = Extract(problem)
    for place in chosen:
        extract.add(place)
    for place in sorted(extract.chosen, reverse=True):
        before = extract.f1
        extract.remove(place)
        if extract.f1 < before - BETTER:
            extract.add(place)
    return extract.chosen


def objective(problem: Problem, program: Program, score: float) -> NDArray[np.float64]:
    """The coefficients that are to be minimised: -2 m + score x l."""
    # In the set definition an n-gram of the reference that is matched is one of the extract, too.
    own = score if problem.definition == "set" else 0.0
    return np.concatenate([score * program.length, (own - 2) * program.matched, score * program.shared])


def program_of(problem: Problem) -> Program:
    """Build the linear program."""
    useful = problem.useful
    where: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for column, place in enumerate(useful):
        for number, times in problem.sentences[place]:
            where[number].append((column, times))
    is_set = problem.definition == "set"
    length = np.zeros(len(useful))
    matched: defaultdict[tuple[int, tuple[tuple[int, int], ...]], int] = defaultdict(int)
    shared: defaultdict[tuple[int, ...], int] = defaultdict(int)
    for number, places in where.items():
        if number < problem.known:
            matched[problem.reference[number], tuple(places)] += 1
        elif is_set and len(places) > 1:
            shared[tuple(column for column, _ in places)] += 1
        if not is_set or (number >= problem.known and len(places) == 1):
            for column, times in places:
                length[column] += times
    program = Program(
        length,
        np.array(list(matched.values()), dtype=float),
        np.array(list(shared.values()), dtype=float),
        np.concatenate(
            [
                np.ones(len(useful)),
                [min(most, sum(times for _, times in places)) for most, places in matched],
                np.ones(len(shared)),
            ]
        ),
        [],
        [],
        [],
        [],
    )
    for column, (most, having) in enumerate(matched, len(useful)):
        # Matched at most as often as the sentences have it; the reference's count is the column's upper bound.
        constrain(program, [(column, 1.0), *((place, -float(min(times, most))) for place, times in having)], 0.0)
    for column, sharing in enumerate(shared, len(useful) + len(matched)):
        for place in sharing:  # the extract has it as soon as one sentence has it
            constrain(program, [(place, 1.0), (column, -1.0)], 0.0)
    sentences, words = problem.limits
    if sentences is not None:
        constrain(program, [(column, 1.0) for column in range(len(useful))], float(sentences))
    if words is not None:
        constrain(program, [(column, float(problem.words[place])) for column, place in enumerate(useful)], float(words))
    return program


def constrain(program: Program, entries: Iterable[tuple[int, float]], limit: float) -> None:
    """Add a row."""
    for column, value in entries:
        program.rows.append(len(program.limits))
        program.columns.append(column)
        program.values.append(value)
    program.limits.append(limit)
