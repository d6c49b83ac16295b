"""Annotators compared with each other: time, ties, sides, agreement, attention checks."""

from collections.abc import Hashable, Iterable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from relevance.analysis.arrays import Floats, Integers, number_in_order, same_length
from relevance.analysis.people.judgments import check_judged_once, number_annotators, read_choices


class AnnotatorReliability(NamedTuple):
    """One annotator's row: amount, speed, side, agreement with the others."""

    annotator: str
    judgments: int
    """Pairs judged, ties included."""
    median_seconds: float | None
    """The median time of the judgments that have one."""
    ties: int
    """Judgments that prefer neither summary."""
    decided: int
    """Judgments that prefer one."""
    left: int
    """Decided judgments that chose the summary on the left."""
    left_share: float | None
    """left/decided, in [0, 1]."""
    agreement: float | None
    """The share of `agreement_n` with the same choice as the majority of the others, in [0, 1]."""
    agreement_n: int
    """Decided judgments of pairs for which the majority of the others is decided too."""
    checks_passed: int
    checks: int
    reasons: Mapping[str, str]
    """The reasons why fields are None, by the name of the field."""


def others_majority(pairs: Iterable[Hashable], annotators: Iterable[str], choices: ArrayLike) -> Floats:
    """Return the majority of the other annotators of the same pair, for each judgment, shape (n,).

    It is 1 for the first summary, -1 for the second, 0 if they split evenly or tie, NaN if there are no others. Each
    annotator has one vote, which a tie leaves unused.
    """
    signs = read_choices(choices)
    pair, _ = number_in_order(pairs)
    annotator, names = number_annotators(annotators)
    same_length(pairs=pair, annotators=annotator, choices=signs)
    check_judged_once(pair, annotator, names)
    return vote_of_others(pair, signs)


def summarize_annotators(
    pairs: Iterable[Hashable],
    annotators: Iterable[str],
    choices: ArrayLike,
    left: ArrayLike,
    seconds: ArrayLike,
    checks: Mapping[str, tuple[int, int]],
) -> list[AnnotatorReliability]:
    """Make a row for each annotator with judgments or attention checks, sorted by name.

    `left`, shape (n,), is 1 if the chosen summary was on the left, 0 if on the right, NaN for a tie (and only then:
    `ValueError` otherwise), or NaN everywhere if no sides were drawn. `seconds`, shape (n,), is the time of a
    judgment, NaN if unknown. `checks` maps an annotator to the attention checks (passed, asked); annotators not in it
    were asked none.
    """
    signs, sides, times = read_choices(choices), np.asarray(left, np.float64), np.asarray(seconds, np.float64)
    pair, _ = number_in_order(pairs)
    judged = list(annotators)
    number = {name: index for index, name in enumerate(sorted({*judged, *checks}))}
    annotator = np.array([number[name] for name in judged], dtype=np.intp)
    same_length(pairs=pair, annotators=annotator, choices=signs, left=sides, seconds=times)
    check_judged_once(pair, annotator, list(number))
    decided = signs != 0
    drawn = not np.isnan(sides).all()
    if drawn and (not np.array_equal(np.isnan(sides), ~decided) or not np.isin(sides[decided], [0, 1]).all()):
        raise ValueError("left must be 1 or 0 where a choice is decided, and NaN where it is a tie, or everywhere")
    others = vote_of_others(pair, signs)
    compared = decided & (np.abs(others) == 1)

    counted = (np.ones_like(decided), decided, sides == 1, compared, compared & (others == signs))
    counts = np.column_stack([np.bincount(annotator[mask], minlength=len(number)) for mask in counted]).tolist()
    medians = compute_medians(annotator, times, len(number))
    rows = []
    for name, (judgments, chosen, lefts, with_others, same), median in zip(number, counts, medians, strict=True):
        passed, shown = checks.get(name, (0, 0))
        reasons = {}
        if median is None:
            reasons["median_seconds"] = "no judgment has a time"
        if not chosen or not drawn:
            reasons["left_share"] = "no sides were drawn" if chosen else "no decided judgment"
        if not with_others:
            reasons["agreement"] = "no decided judgment of a pair for which the majority of the others is decided"
        rows.append(
            AnnotatorReliability(
                annotator=name,
                judgments=judgments,
                median_seconds=median,
                ties=judgments - chosen,
                decided=chosen,
                left=lefts,
                left_share=lefts / chosen if chosen and drawn else None,
                agreement=same / with_others if with_others else None,
                agreement_n=with_others,
                checks_passed=passed,
                checks=shown,
                reasons=reasons,
            )
        )
    return rows


def vote_of_others(pair: Integers, signs: Floats) -> Floats:
    """Compute `others_majority` of numbered pairs and signs."""
    if not len(pair):
        return np.empty(0)
    votes = np.bincount(pair, weights=signs)[pair] - signs
    return np.where(np.bincount(pair)[pair] > 1, np.sign(votes), np.nan)


def compute_medians(annotator: Integers, times: Floats, size: int) -> list[float | None]:
    """Compute the median time of each of `size` annotators, None if no time is known."""
    known = np.isfinite(times)
    annotator, times = annotator[known], times[known]
    order = np.argsort(annotator, kind="stable")
    groups = np.split(times[order], np.cumsum(np.bincount(annotator, minlength=size))[:-1]) if size else []
    return [float(np.median(group)) if len(group) else None for group in groups]
