"""Rankings of systems by choices of their summaries (Bradley & Terry 1952, Biometrika 39)."""

from collections.abc import Hashable, Iterable, Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from scipy.special import expit

from relevance.analysis.arrays import DRAWS, Draws, Floats, Integers, number_by_text, same_length
from relevance.analysis.people.judgments import read_choices
from relevance.data.sorting import natural_order

EQUAL = 1e-6
"""Strengths that differ by less share a rank, and Newton's last step is shorter; rounding errors are smaller."""

WEAKEST_PENALTY = 1e-6
"""The penalty below which rounding errors drown it."""

ROUNDING = 64 * float(np.finfo(np.float64).eps)
"""The relative rounding error of a sum of wins."""

CELLS = 2_000_000
"""Drawn numbers held at a time: 16 MB."""

MOST_DRAWN = 200
"""The most systems for which strengths have intervals: a resample's time grows with the cube of their number."""

NAMED = 20
"""The most systems of a group, and groups, that a note names."""

STEPS = 500
"""The most Newton steps: at the weakest penalty, one or two hundred are enough."""


class SystemStrength(NamedTuple):
    """One system's row of a ranking."""

    system: str
    strength: float | None
    """Log-odds: a system is chosen over another with probability 1/(1 + exp(-difference)). All sum to 0."""
    low: float | None
    high: float | None
    wins: float
    """Judgments that chose it, regardless of weights; a tie counts half."""
    comparisons: int
    """Judgments that showed it, regardless of weights."""
    win_share: float
    """The weighted share of comparisons won, in [0, 1]: wins/comparisons without weights."""
    rank: int | None
    """1 for the strongest; equal strengths share the better rank."""


class Ranking(NamedTuple):
    """Systems by strength, strongest first, or by name if strengths are undefined."""

    rows: tuple[SystemStrength, ...]
    """A row for each system of the judgments."""
    n: int
    """Judgments, ties included."""
    documents: int
    """Documents of these judgments."""
    penalty: float
    level: float
    """The share of resamples within an interval, such as .95."""
    resamples: int
    """The number of times that the documents were drawn."""
    seed: int
    reason: str | None = None
    """The reason why the strengths, or only the intervals, are undefined, or None."""
    note: str | None = None
    """A caveat about the strengths, or None."""


def bradley_terry(
    first: Iterable[str],
    second: Iterable[str],
    choices: ArrayLike,
    documents: Iterable[Hashable],
    *,
    weights: ArrayLike | None = None,
    penalty: float = 0.01,
    draws: Draws = DRAWS,
) -> Ranking:
    """Rank systems by strengths that maximise the Bradley-Terry log-likelihood minus penalty/2 * sum(strength^2).

    The columns have one entry for each judgment: the two systems, the choice (above 0 for the first, below 0 for the
    second, 0 for a tie, which gives each half a win) and the document. `weights`, shape (n,), are above 0 and are
    scaled to a mean of 1, so that equal weights change nothing. The penalty (a normal prior of variance 1/penalty)
    keeps strengths finite if a system wins or loses everything, which the note says; otherwise .01 is too weak to
    matter with more than a few judgments.

    Intervals are percentiles of resamples of whole documents: judgments of one document are not independent. The draws
    depend on the seed and the set of documents. A system that a resample lacks has strength 0 in it. Strengths are
    undefined if all judgments are ties, and if the systems fall into groups that were never compared with each other;
    intervals also for fewer than two documents, if only the penalty keeps strengths finite, for more than `MOST_DRAWN`
    systems, and if all resamples have the same strengths.
    Raises `ValueError` for columns that differ in length, a system compared with itself, choices that are not finite,
    weights that are not above 0, a penalty below 1e-6, a level outside (0, 1) and fewer than one resample.

    >>> [row.system for row in bradley_terry(["A", "A", "B"], ["B", "C", "C"], [1, 1, 1], ["d", "e", "f"]).rows]
    ['A', 'B', 'C']
    """
    draws.check()
    if not WEAKEST_PENALTY <= penalty < np.inf:
        raise ValueError(f"penalty must be at least {WEAKEST_PENALTY:g}, not {penalty}")
    signs = read_choices(choices)
    first_number, second_number, names = number_systems(first, second)
    document, size = number_by_text(documents)
    same_length(first=first_number, second=second_number, choices=signs, documents=document)
    weight = scale_weights(weights, len(signs))

    def ranking(rows: list[SystemStrength], reason: str | None, note: str | None = None) -> Ranking:
        return Ranking(tuple(rows), len(signs), size, penalty, *draws, reason, note)

    if not len(signs):
        return ranking([], "there are no judgments")
    # Each judgment gives two wins, one for each system: of weight 1 and 0, or half and half.
    cells = np.concatenate([first_number * len(names) + second_number, second_number * len(names) + first_number])
    halves = np.concatenate([(1 + signs) / 2, (1 - signs) / 2])
    weighted = halves * np.concatenate([weight, weight])
    counts, wins = matrix(cells, halves, len(names)), matrix(cells, weighted, len(names))
    nothing = np.full(len(names), np.nan)
    undefined = None if signs.any() else "all judgments are ties: nobody preferred a system"
    groups = group_systems(wins, "weak")
    if len(groups) > 1:
        named = name_groups(sorted(groups, key=lambda group: ", ".join(names[system] for system in group)), names)
        undefined = f"systems in these groups were never compared with each other: {named}"
    if undefined:
        return ranking(make_rows(names, counts, wins, nothing, nothing, nothing), undefined)
    strengths = fit(wins[None], penalty, np.zeros((1, len(names))))[0]
    note = separated(wins, strengths, names)
    low = high = nothing
    if size < 2:
        reason: str | None = "no intervals: fewer than 2 documents"
    elif note:
        reason = "no intervals: some systems never lost to the others"
    elif len(names) > MOST_DRAWN:
        reason = f"no intervals: {len(names):,} systems are too many to rank in every resample, {MOST_DRAWN} are not"
    else:
        documents_of = np.concatenate([document, document])
        by_document = csr_array((weighted, (cells, documents_of)), shape=(len(names) ** 2, size))
        by_document.eliminate_zeros()
        drawn = bootstrap(by_document, strengths, penalty, draws.resamples, draws.seed)
        low, high = np.quantile(drawn, [(1 - draws.level) / 2, (1 + draws.level) / 2], axis=0)
        reason = None
        if (high - low < EQUAL).any():
            low = high = nothing
            reason = "no intervals: all resamples have the same strengths"
    return ranking(make_rows(names, counts, wins, strengths, low, high), reason, note)


def matrix(cells: Integers, weights: Floats, systems: int) -> Floats:
    """Sum weights by cell, shape (systems, systems)."""
    return np.bincount(cells, weights=weights, minlength=systems**2).reshape(systems, systems).astype(np.float64)


def fit(wins: Floats, penalty: float, start: Floats) -> Floats:
    """Compute strengths from matrices of wins (row over column), shape (batch, systems, systems), by Newton's method.

    `start`, shape (batch, systems), sums to 0 over systems. Each step is shortened to log(1 + r)/r of Newton's, r the
    largest change of a difference of strengths in it: the logistic loss is self-concordant in the generalised sense,
    for which this always descends and becomes Newton's own step near the optimum (Sun & Tran-Dinh 2019, Mathematical
    Programming 178, the case nu = 2). So it converges for matrices of any kind, without a line search.
    """
    strengths = start.copy()
    systems = np.arange(start.shape[1])
    met = wins + wins.swapaxes(1, 2)
    open_ = np.arange(len(wins))  # those not yet converged
    for _ in range(STEPS):
        now = strengths[open_]
        chances = expit(now[:, :, None] - now[:, None, :])
        against = chances.swapaxes(1, 2)
        # A win counts by how unlikely it was: summed this way, no digits cancel if a system wins everything.
        unlikely = wins * against
        up, down, pull = unlikely.sum(axis=2), unlikely.sum(axis=1), penalty * now
        gradient = up - down - pull
        curvature = met * chances * against
        # The optimum sums to 0, so the 1, a second penalty on the sum, moves nothing; it keeps rounding from drifting.
        hessian = 1 - curvature
        hessian[:, systems, systems] += curvature.sum(axis=2) + penalty
        step = np.linalg.solve(hessian, gradient[:, :, None])[:, :, 0]
        reach = np.maximum(step.max(axis=1) - step.min(axis=1), np.finfo(float).tiny)
        strengths[open_] += (np.log1p(reach) / reach)[:, None] * step
        # Between groups that a resample leaves unconnected, a weak penalty may be below rounding: stop there.
        rounding = ROUNDING * (up + down + np.abs(pull))
        going = (reach > EQUAL) & (np.abs(gradient) > rounding).any(axis=1)
        if not going.any():
            return strengths
        if not going.all():
            open_, met, wins = open_[going], met[going], wins[going]
    raise RuntimeError(f"the strengths did not converge in {STEPS} steps")


def bootstrap(by_document: csr_array, strengths: Floats, penalty: float, resamples: int, seed: int) -> Floats:
    """Compute the strengths of resamples of the documents, shape (resamples, systems).

    `by_document` holds the wins of each document, shape (systems * systems, documents).
    """
    random = np.random.default_rng(seed)
    systems, size = len(strengths), by_document.shape[1]
    drawn = np.empty((resamples, systems))
    step = max(CELLS // max(size, systems**2), 1)
    for start in range(0, resamples, step):
        rows = slice(start, min(start + step, resamples))
        times = np.empty((size, rows.stop - rows.start))
        for resample in range(times.shape[1]):
            times[:, resample] = np.bincount(random.integers(size, size=size), minlength=size)
        wins = (by_document @ times).T.reshape(-1, systems, systems)
        drawn[rows] = fit(wins, penalty, np.tile(strengths, (len(wins), 1)))
    return drawn


def group_systems(wins: Floats, connection: Literal["weak", "strong"]) -> list[list[int]]:
    """Group systems connected by comparisons ("weak") or by wins in both directions ("strong"), also indirectly."""
    count, labels = connected_components(csr_array(wins), directed=True, connection=connection)
    return [np.flatnonzero(labels == group).tolist() for group in range(count)]


def separated(wins: Floats, strengths: Floats, names: list[str]) -> str | None:
    """Return a note if some systems won all comparisons with others: the likelihood alone then has no maximum."""
    groups = group_systems(wins, "strong")
    if len(groups) == 1:
        return None
    groups.sort(key=lambda group: -float(strengths[group].mean()))
    named = name_groups(groups, names)
    return (
        "between these groups all comparisons were won by one side, so that only the penalty keeps the distance of "
        f"their strengths finite: {named}"
    )


def name_groups(groups: Sequence[Sequence[int]], names: Sequence[str]) -> str:
    """Name the systems of groups, given by their numbers; for many, the first ones and the number of the others."""

    def some(items: Sequence[str], what: str) -> list[str]:
        more = len(items) - NAMED
        return [*items[:NAMED], *([f"{more:,} more{what}"] if more > 0 else [])]

    return " | ".join(some([", ".join(some([names[system] for system in group], "")) for group in groups], " groups"))


def make_rows(
    names: list[str], counts: Floats, wins: Floats, strengths: Floats, low: Floats, high: Floats
) -> list[SystemStrength]:
    """Make the rows of a ranking, strongest first; `strengths`, or `low` and `high` alone, are NaN if undefined."""
    rounded = np.round(strengths / EQUAL)
    order = sorted(
        range(len(names)), key=lambda system: (-np.nan_to_num(rounded[system]), natural_order(names[system]))
    )
    won, met = counts.sum(axis=1), (counts + counts.T).sum(axis=1)
    shares = wins.sum(axis=1) / (wins + wins.T).sum(axis=1)
    return [
        SystemStrength(
            system=names[system],
            strength=or_none(strengths[system]),
            low=or_none(low[system]),
            high=or_none(high[system]),
            wins=float(won[system]),
            comparisons=int(met[system]),
            win_share=float(shares[system]),
            rank=None if np.isnan(strengths[system]) else 1 + int((rounded > rounded[system]).sum()),
        )
        for system in order
    ]


def or_none(value: float) -> float | None:
    """Return a number, or None for NaN."""
    return None if np.isnan(value) else float(value)


def number_systems(first: Iterable[str], second: Iterable[str]) -> tuple[Integers, Integers, list[str]]:
    """Return the numbers of both systems of each judgment, and the systems' sorted names."""
    firsts, seconds = list(first), list(second)
    names = sorted({*firsts, *seconds})
    number = {name: index for index, name in enumerate(names)}
    first_number, second_number = (
        np.array([number[name] for name in column], dtype=np.intp) for column in (firsts, seconds)
    )
    same_length(first=first_number, second=second_number)
    if (first_number == second_number).any():
        raise ValueError(f"{names[int(first_number[first_number == second_number][0])]} was compared with itself")
    return first_number, second_number, names


def scale_weights(weights: ArrayLike | None, size: int) -> Floats:
    """Scale the weights to a mean of 1."""
    if weights is None or size == 0:
        return np.ones(size)
    column = np.asarray(weights, dtype=np.float64)
    if column.shape != (size,):
        raise ValueError(f"weights must have the shape ({size},), not {column.shape}")
    if not (np.isfinite(column) & (column > 0)).all():
        raise ValueError("weights must be above 0 and finite: leave out what is not to count")
    return np.asarray(column / column.mean())
