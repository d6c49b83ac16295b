"""The exact optimum: Dinkelbach's method over mixed-integer linear programs.

F1 = 2 m / (l + r) is a ratio: m matched n-grams to l of the extract and r of the reference. For a known score q, the
extract that maximises 2 m - q (l + r) either scores more than q or proves that none does (Dinkelbach 1967). The
objective is linear in indicators of the taken sentences, of their matched n-grams and, in the set definition, of their
n-grams. Hirao et al. (2017) find the extracts with the highest recall by a similar program.
"""

import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from relevance.summarizers.oracles.greedy import climb, greedy
from relevance.summarizers.oracles.problem import BETTER, Extract, Problem, Solution, solution
from relevance.summarizers.oracles.vns import StopRule, vns

SECONDS = 60.0
"""The time limit of one search."""

NODES, PATIENCE = 200, 2.0
"""Branches, and seconds, after which a program is hard."""

MANY = 400
"""Sentences above which a program is hard."""

CORE = 100
"""Sentences, those worth most in the relaxed program, among which a good extract is sought first."""

CORE_SHARE = 0.3
"""The largest share of the remaining time for these sentences."""

MARGIN = 1e-4
"""A gain in 2 m - score x l that counts as rounding when sentences are left out: a thousand times the error."""


class Program(NamedTuple):
    """The linear program without its objective, which depends on the score to beat.

    Columns are the sentences, then classes of n-grams of the reference, then classes of other
    n-grams that several sentences share (set definition only). N-grams that occur equally often in the same sentences
    are one class: one column with their number as its weight.
    """

    length: NDArray[np.float64]
    """The length that each sentence adds by itself."""
    matched: NDArray[np.float64]
    """The number of n-grams in each class of the reference."""
    shared: NDArray[np.float64]
    """The number of n-grams in each class of the others."""
    upper: NDArray[np.float64]
    """The largest value of each column."""
    rows: list[int]
    columns: list[int]
    values: list[float]
    limits: list[float]
    """The constraints' right sides, the upper limits of the rows."""

    @property
    def table(self) -> Any:
        """The constraints' left sides, a sparse array with a row for each."""
        from scipy.sparse import csc_array

        return csc_array((self.values, (self.rows, self.columns)), shape=(len(self.limits), len(self.upper)))


def exact(problem: Problem, start: Iterable[int] | None = None, *, seconds: float = SECONDS) -> Solution:
    """Find the extract with the highest F1, with the proof that none is higher (`Solution.proven`).

    The search begins at `start`, which must keep the problem's limits, or at the better result of `climb` and `greedy`.
    A program that is not solved at once (`NODES`, `PATIENCE`), or has many sentences (`MANY`), is made smaller first
    (`solve_narrowed`). When the time limit is reached, the result is the best extract so far with a bound that no
    extract exceeds: its `proven` is False. Any of several optima may be the result, but none with a sentence that could
    be left out without loss; the same input always gives the same one, unless the time limit ends the search. If
    nothing matches, the optimum is the empty extract with F1 0.

    HiGHS sometimes prints a line to the standard output of the process (not Python's, and regardless of its options),
    when it repairs a solution that its presolve or heuristics left slightly outside the constraints. Without presolve,
    from which these programs gain no time, this is rare: once in some hundred long documents, most of them with a limit
    of words. A command whose output is read by programs searches in child processes, as
    `relevance.summarizers.oracles.evaluation` does, whose standard output goes to standard error.
    """
    useful = problem.useful
    if not useful:
        return solution(problem, (), bound=0.0)
    deadline = time.monotonic() + seconds
    if start is None:
        start = max(climb(problem), greedy(problem), key=lambda search: search.f1).sentences
    search = Search(solution(problem, start), 1.0, 0, ended=False)
    if len(useful) <= MANY:
        search = solve(problem, useful, search.best, min(deadline, time.monotonic() + PATIENCE), NODES)
    if not search.ended:
        rest = solve_narrowed(problem, search.best, deadline)
        search = rest._replace(bound=min(search.bound, rest.bound), rounds=search.rounds + rest.rounds)
    best = solution(problem, without_idle(problem, search.best.sentences))
    return best._replace(bound=max(float(search.bound), best.f1), iterations=search.rounds)


class Search(NamedTuple):
    """The state of a search."""

    best: Solution
    bound: float
    """An upper bound of the F1 of extracts of the searched sentences, unless `best` is higher."""
    rounds: int
    """Programs solved."""
    ended: bool
    """Whether `best` is the best extract of them: no limit of time or branches ended the search."""


def solve(problem: Problem, places: Sequence[int], best: Solution, deadline: float, nodes: int | None = None) -> Search:
    """Run Dinkelbach's method over extracts of some sentences, from the best known extract; `nodes` limits branches."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    program = program_of(problem, places)
    constraints = LinearConstraint(program.table, ub=np.array(program.limits))
    whole = np.zeros(len(program.upper), dtype=np.intp)
    whole[: len(places)] = 1
    bound, rounds = 1.0, 0
    while True:
        rounds += 1
        options: Any = {"time_limit": max(0.01, deadline - time.monotonic()), "mip_rel_gap": 0, "presolve": False}
        if nodes is not None:
            options |= {"node_limit": nodes}
        result = milp(
            objective(problem, program, best.f1),
            constraints=constraints,
            integrality=whole,
            bounds=Bounds(0, program.upper),
            options=options,
        )
        dual = result.mip_dual_bound
        if dual is not None and np.isfinite(dual):
            bound = min(bound, highest_f1(problem, best.f1, -dual))
        before = best.f1
        if result.x is not None:  # otherwise the time is over without a solution
            taken = [place for place, value in zip(places, result.x, strict=False) if value > 0.5]
            best = max(best, solution(problem, taken), key=lambda extract: extract.f1)
        if best.f1 <= before + BETTER or result.status != 0:
            return Search(best, bound, rounds, result.status == 0)


def highest_f1(problem: Problem, score: float, most: float) -> float:
    """Compute an upper bound of the F1 of extracts whose 2 m - score x l is at most `most`.

    For extracts with a higher score, 2 m - score x (l + r) is positive, and F1 is at most score plus that over l + r.
    As m <= l, they have l > score x r / (2 - score), so that l + r is more than 2 r / (2 - score).
    """
    gain = most - score * problem.total
    return score + max(0.0, gain) / max(problem.total + 1, 2 * problem.total / (2 - score))


def solve_narrowed(problem: Problem, best: Solution, deadline: float) -> Search:
    """Run Dinkelbach's method over the sentences that an extract better than a known good one may have.

    The relaxed program, without whole numbers, is quickly solved. Its multipliers tell which sentences are worth most:
    a good extract is sought among the first `CORE` of them, or by VNS if that takes too long. They also bound the score
    of an extract with a given sentence (`Relaxed`): if the bound does not exceed the good extract's score, the sentence
    is left out.
    """
    useful = problem.useful
    program = program_of(problem, useful)
    relaxed = relax(problem, program, best.f1, deadline)
    order = np.argsort(-relaxed.worth, kind="stable")[:CORE]
    core = sorted({*best.sentences, *(useful[column] for column in order)} & {*useful})
    now = time.monotonic()
    first = solve(problem, core, best, now + CORE_SHARE * (deadline - now))
    best = first.best
    if not first.ended:
        best = max([best, *neighbours(problem, best, deadline)], key=lambda extract: extract.f1)
    kept = relax(problem, program, best.f1, deadline, rounds=1)
    enough = best.f1 * problem.total - MARGIN
    places = [place for place, most in zip(useful, kept.with_each, strict=True) if most > enough]
    last = solve(problem, places, best, deadline)
    # Extracts with left-out sentences score no more than the best extract of the core.
    bound = min(relaxed.bound, kept.bound, max(best.f1, last.bound))
    return Search(last.best, bound, first.rounds + last.rounds, last.ended)


class Relaxed(NamedTuple):
    """Bounds from the relaxed program, without whole numbers; they hold however the solver rounds."""

    bound: float
    """An upper bound of the F1 of any extract."""
    with_each: NDArray[np.float64]
    """An upper bound of 2 m - score x l of extracts with each sentence, shape (sentences of the program,)."""
    worth: NDArray[np.float64]
    """The worth of each sentence by the multipliers: sentences of good extracts are worth most."""


def relax(problem: Problem, program: Program, score: float, deadline: float, rounds: int = 9) -> Relaxed:
    """Compute bounds by Lagrangian multipliers at a score, and at higher ones by Dinkelbach's method for `rounds`.

    The multipliers y >= 0 of the constraints A x <= b are those of the solver, but any would do: no x has c x > y b +
    (sum of the positive parts of c - y A, each times its column's largest value), and an x with 1 in column j has no
    more than this plus (c - y A)_j if that is negative. That is Lagrangian relaxation (Fisher 1981, The Lagrangian
    Relaxation Method for Solving Integer Programming Problems, Management Science 27).
    """
    from scipy.optimize import linprog

    table, limits, sentences = program.table, np.array(program.limits), len(program.length)
    upper = program.upper
    between: Any = np.stack([np.zeros_like(upper), upper], axis=1)
    bound = 1.0
    while True:
        rounds -= 1
        costs = objective(problem, program, score)
        options: Any = {"time_limit": max(0.01, deadline - time.monotonic())}
        result: Any = linprog(costs, table, limits, bounds=between, options=options)
        solved = result.status == 0
        multipliers = np.maximum(0, -result.ineqlin.marginals) if solved else np.zeros(len(limits))
        worth = -costs - table.T @ multipliers
        most = float(multipliers @ limits + np.maximum(0, worth) @ upper)
        bound = min(bound, highest_f1(problem, score, most))
        if not solved or not rounds or most - score * problem.total <= MARGIN:
            return Relaxed(bound, most + np.minimum(0, worth[:sentences]), worth[:sentences])
        matched = -objective(problem, program, 0.0) @ result.x
        length = objective(problem, program, 1.0) @ result.x + matched
        score = float(matched / (length + problem.total))


def neighbours(problem: Problem, best: Solution, deadline: float) -> list[Solution]:
    """Run VNS from an extract, from the greedy one and from random sentences."""
    return [
        vns(problem, 0, start, StopRule(max(0.01, deadline - time.monotonic())))
        for start in (best.sentences, greedy(problem).sentences, None)
    ]


def without_idle(problem: Problem, chosen: Iterable[int]) -> set[int]:
    """Remove the sentences of an extract, beginning with the last, whose removal does not lower its F1.

    In the set definition, a sentence whose n-grams others have costs nothing, so that a solver may take it or not.
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
    """Return the coefficients of the objective to minimise: -2 m + score x l."""
    # In the set definition a matched n-gram of the reference is one of the extract, too.
    own = score if problem.definition == "set" else 0.0
    return np.concatenate([score * program.length, (own - 2) * program.matched, score * program.shared])


def program_of(problem: Problem, useful: Sequence[int]) -> Program:
    """Build the linear program of the extracts of some sentences."""
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
        # An n-gram matches at most as often as the sentences have it; the reference's count is the column's upper
        # bound.
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
    """Add a constraint."""
    for column, value in entries:
        program.rows.append(len(program.limits))
        program.columns.append(column)
        program.values.append(value)
    program.limits.append(limit)
