"""Pairwise accuracy with ties: a metric's agreement with people, ties included, with a calibrated tie threshold."""

from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from relevance.analysis.arrays import Floats, Integers, number_by_text, read_numbers, read_weights, same_length
from relevance.data.ties import TIE, preference_signs

FOLDS = 10
"""The number of parts into which documents are split."""

TOO_FEW = "fewer than 2 documents have pairs to fit a threshold on and to judge"
"""The reason why there is no accuracy."""


class TieAccuracy(NamedTuple):
    """Pairwise accuracy with ties (acc_eq), with each document judged by a threshold fitted on others."""

    accuracy: float | None
    """The share of pairs on which metric and people prefer the same summary or both see a tie, in [0, 1]."""
    threshold: float | None
    """The threshold fitted on all pairs: the one to use on new data."""
    n: int
    """Pairs that both people and the metric judge, human ties included."""
    seed: int
    reason: str | None = None


def tie_outcomes(
    human: ArrayLike,
    difference: ArrayLike,
    documents: Iterable[Hashable],
    *,
    weights: ArrayLike | None = None,
    seed: int = 0,
) -> tuple[TieAccuracy, NDArray[np.float64]]:
    """Compute pairwise accuracy with ties; also return each pair's result, shape (n,): 1 same, 0 not, NaN not counted.

    `human` and `difference`, shape (n,), and `weights` are those of `count_agreement`; human ties count, and pairs with
    NaN on either side are left out. Documents are split at random into `FOLDS` parts, or one per document if there are
    fewer; the pairs of each part are judged by the threshold that is best on all others, the smallest of equally good
    ones. Undefined for fewer than two documents. Raises `ValueError` for other shapes.
    Source: Deutsch, Foster and Freitag 2023, "Ties Matter", section 5, where the threshold is one of the metric's own
    differences, or 0.
    """
    columns = Sorted(human, difference, weights)
    document, _ = number_by_text(documents)
    same_length(human=columns.human, documents=document)
    credit = np.full(len(document), np.nan)
    document = document[columns.order]
    present = np.unique(document)
    if len(present) < 2:
        return TieAccuracy(None, None, len(columns.size), seed, TOO_FEW), credit
    part = draw_parts(present, seed)[document]
    right = np.zeros(len(columns.size))
    for fold in range(int(part.max()) + 1):
        held_out = part == fold
        threshold = columns.fit(~held_out)
        right[held_out] = columns.right(threshold)[held_out]
    credit[columns.order] = right
    accuracy = float(right @ columns.weight / columns.weight.sum())
    threshold_of_all = columns.fit(np.ones(len(right), dtype=bool))
    return TieAccuracy(accuracy, threshold_of_all, len(right), seed), credit


def draw_parts(present: Integers, seed: int) -> Integers:
    """Split documents, given by their numbers, into `FOLDS` parts; return the part of each number, -1 if not given."""
    part_of = np.full(present[-1] + 1, -1)
    part_of[np.random.default_rng(seed).permutation(present)] = np.arange(len(present)) % min(FOLDS, len(present))
    return part_of


class Sorted:
    """The counted pairs, sorted by the metric's absolute difference, so that every threshold is a cut."""

    def __init__(self, human: ArrayLike, difference: ArrayLike, weights: ArrayLike | None) -> None:
        self.human, metric = read_numbers(human, "human"), read_numbers(difference, "difference")
        same_length(human=self.human, difference=metric)
        weight = read_weights(weights, len(metric))
        counted = np.flatnonzero(~np.isnan(self.human) & ~np.isnan(metric))
        self.order = counted[np.argsort(np.abs(metric[counted]), kind="stable")]
        self.size = np.abs(metric[self.order])
        preferred = preference_signs(self.human[self.order])
        self.tie_right = preferred == 0
        self.sign_right = ~self.tie_right & (np.sign(metric[self.order]) == preferred)
        self.weight = weight[self.order]
        # a threshold is a cut after the last of the pairs that are equally far apart; the first is the threshold 0
        ends = np.flatnonzero(np.diff(self.size, append=np.inf) > TIE) + 1
        zero = int(np.searchsorted(self.size, TIE, side="right"))
        self.cuts = np.concatenate([[zero], ends[ends > zero]])

    def right(self, threshold: float) -> NDArray[np.bool_]:
        """Tell for each pair whether metric and people agree under a threshold."""
        tied: NDArray[np.bool_] = self.size <= threshold + TIE
        right: NDArray[np.bool_] = np.where(tied, self.tie_right, self.sign_right)
        return right

    def fit(self, among: NDArray[np.bool_]) -> float:
        """Return the threshold that is right most often on some of the pairs, at least one."""
        weight = self.weight * among  # pairs without weight only add thresholds that change nothing
        gained = np.concatenate([[0.0], np.cumsum(weight * self.tie_right)])
        lost = np.concatenate([[0.0], np.cumsum(weight * self.sign_right)])
        right = gained[self.cuts] + lost[-1] - lost[self.cuts]
        whole = weight.sum()
        best = int(np.argmax(right >= right.max() - TIE * whole))
        return float(self.size[self.cuts[best] - 1]) if best > 0 else 0.0


# --- all pairs of many summaries ----------------------------------------------------------------------------

RANGES = 256
"""Ranges into which absolute differences are cut, to search only those where the best threshold may be."""


class SortedPairs(NamedTuple):
    """The pairs of one document, sorted by the metric's absolute difference, the smallest first."""

    size: Floats
    """The absolute differences, shape (pairs,)."""
    gain: NDArray[np.int8]
    """The change in right pairs if the pair is called a tie, shape (pairs,): 1 if people see a tie, -1 if metric and
    people prefer the same summary, 0 if they prefer different ones or the metric sees a tie itself."""


def tie_counts(documents: Sequence[SortedPairs], seed: int = 0) -> tuple[TieAccuracy, Integers]:
    """Compute `tie_outcomes` of pairs of equal weight; return the right pairs by document, shape (documents,).

    Pairs are not looked at for every threshold: counts by document and range bound the number of right pairs under the
    thresholds of a range, and most ranges cannot contain the best one.
    """
    counts = np.array([len(pairs.size) for pairs in documents], dtype=np.intp)
    right = np.zeros(len(documents), dtype=np.intp)
    present = np.flatnonzero(counts)
    if len(present) < 2:
        return TieAccuracy(None, None, int(counts.sum()), seed, TOO_FEW), right
    part = draw_parts(present, seed)
    part = np.append(part, np.full(len(documents) - len(part), -1))
    ranges = Ranges(documents)
    for fold in range(int(part.max()) + 1):
        threshold = ranges.fit(part != fold)
        for held_out in np.flatnonzero(part == fold).tolist():
            size, gain = documents[held_out]
            tied = int(np.searchsorted(size, threshold + TIE, side="right"))
            right[held_out] = np.count_nonzero(gain[:tied] > 0) + np.count_nonzero(gain[tied:] < 0)
    threshold_of_all = ranges.fit(np.ones(len(documents), dtype=bool))
    return TieAccuracy(int(right.sum()) / int(counts.sum()), threshold_of_all, int(counts.sum()), seed), right


class Ranges:
    """The sizes of all documents, cut into ranges so that no two sizes of different ranges are within 1e-9."""

    def __init__(self, documents: Sequence[SortedPairs]) -> None:
        self.documents = documents
        step = 1 + sum(len(pairs.size) for pairs in documents) // (16 * RANGES)
        sample = np.sort(np.concatenate([pairs.size[::step] for pairs in documents]))
        wanted = sample[np.arange(1, RANGES) * len(sample) // RANGES] if len(sample) else sample
        edges = dict.fromkeys([TIE, *(self.end_of_run(edge) for edge in wanted[wanted > TIE].tolist())])
        # shape (documents, edges): where a range ends in a document; the first are ties under every threshold
        ends = [np.searchsorted(pairs.size, list(edges), side="right") for pairs in documents]
        self.ends = np.column_stack([np.array(ends), [len(pairs.size) for pairs in documents]])
        cut = [np.split(pairs.gain, end[:-1]) for pairs, end in zip(documents, self.ends, strict=True)]
        self.gained = np.array([[np.count_nonzero(gain > 0) for gain in of_ranges] for of_ranges in cut])
        self.lost = np.array([[np.count_nonzero(gain < 0) for gain in of_ranges] for of_ranges in cut])

    def end_of_run(self, edge: float) -> float:
        """Return the last of the sizes that follow each other within 1e-9, starting from an edge."""
        while True:
            after = (np.searchsorted(pairs.size, edge, side="right") for pairs in self.documents)
            following = [
                pairs.size[place] for pairs, place in zip(self.documents, after, strict=True) if place < len(pairs.size)
            ]
            if not following or min(following) - edge > TIE:
                return edge
            edge = float(min(following))

    def fit(self, among: NDArray[np.bool_]) -> float:
        """Return the threshold that is right most often on some of the documents, the smallest of equally good ones."""
        gained, lost = self.gained[among].sum(axis=0), self.lost[among].sum(axis=0)
        at_end = np.cumsum(gained - lost)  # more right than without ties if the threshold is the end of a range
        reach = np.append(at_end[0], at_end[:-1] + gained[1:])
        best, threshold = int(at_end[0]), 0.0
        for number in range(1, len(at_end)):
            if reach[number] <= max(best, int(at_end.max()) - 1):
                continue
            gain, size = self.best_of(number, among)
            if at_end[number - 1] + gain > best:
                best, threshold = int(at_end[number - 1] + gain), size
        return threshold

    def best_of(self, number: int, among: NDArray[np.bool_]) -> tuple[int, float]:
        """Return the most that a threshold of a range gains over the previous range's end, with the smallest such."""
        places = [slice(ends[number - 1], ends[number]) for ends in self.ends]
        size = np.concatenate([pairs.size[place] for pairs, place in zip(self.documents, places, strict=True)])
        gain = np.concatenate(
            [pairs.gain[place] * counted for pairs, place, counted in zip(self.documents, places, among, strict=True)]
        )
        order = np.argsort(size)
        size = size[order]
        last = np.flatnonzero(np.diff(size, append=np.inf) > TIE)
        gains = np.cumsum(gain[order], dtype=np.intp)[last]
        best = int(np.argmax(gains))
        return int(gains[best]), float(size[last[best]])


def tie_counts_of_columns(
    size: Floats, gain: NDArray[np.int8], document: NDArray[np.int32], documents: int, seed: int = 0
) -> tuple[TieAccuracy, Integers]:
    """Do what `tie_counts` does for pairs of all documents, sorted by absolute difference, the smallest first.

    The columns have the shape (pairs,); `document` numbers each pair's document, of `documents` in all.
    """
    counts = np.bincount(document, minlength=documents)
    present = np.flatnonzero(counts)
    if len(present) < 2:
        return TieAccuracy(None, None, len(size), seed, TOO_FEW), np.zeros(documents, dtype=np.intp)
    part = np.zeros(documents, dtype=np.int8)
    part[: present[-1] + 1] = draw_parts(present, seed)
    fold = part[document]
    ranges = CutRanges(size, gain, fold)
    folds = np.arange(int(fold.max()) + 1)
    thresholds = np.array([ranges.fit(folds != held_out) for held_out in folds])
    right = np.where(size <= thresholds[fold] + TIE, gain > 0, gain < 0)
    of_document = np.bincount(document[right], minlength=documents)
    accuracy = int(of_document.sum()) / len(size)
    return TieAccuracy(accuracy, ranges.fit(folds >= 0), len(size), seed), of_document


class CutRanges:
    """The sorted pairs of all documents, cut into ranges as in `Ranges`, with counts by range and part."""

    def __init__(self, size: Floats, gain: NDArray[np.int8], fold: NDArray[np.int8]) -> None:
        self.size, self.gain, self.fold = size, gain, fold
        ties = int(np.searchsorted(size, TIE, side="right"))
        cuts = np.flatnonzero(np.diff(size, append=np.inf) > TIE) + 1
        self.cuts = cuts[cuts > ties]
        wanted = np.arange(1, RANGES + 1) * len(self.cuts) // RANGES - 1
        self.ends = np.unique([ties, *self.cuts[wanted[wanted >= 0]].tolist()])
        folds, count = int(fold.max()) + 1, len(self.ends)
        place = np.repeat(np.arange(count) * folds, np.diff(self.ends, prepend=0)) + fold
        self.gained, self.lost = (
            np.bincount(place[which], minlength=count * folds).reshape(count, folds) for which in (gain > 0, gain < 0)
        )

    def fit(self, among: NDArray[np.bool_]) -> float:
        """Return the threshold that is right most often on some of the parts, the smallest of equally good ones."""
        gained, lost = self.gained[:, among].sum(axis=1), self.lost[:, among].sum(axis=1)
        at_end = np.cumsum(gained - lost)
        reach = np.append(at_end[0], at_end[:-1] + gained[1:])
        best, threshold = int(at_end[0]), 0.0
        for number in (np.flatnonzero(reach[1:] >= at_end.max()) + 1).tolist():
            if reach[number] <= best:
                continue
            start, end = self.ends[number - 1], self.ends[number]
            inside = slice(*np.searchsorted(self.cuts, [start, end], side="right"))
            last = self.cuts[inside] - 1
            gains = self.gain[start:end] * among[self.fold[start:end]]
            gains_so_far = np.cumsum(gains, dtype=np.intp)[last - start]
            most = int(np.argmax(gains_so_far))
            if at_end[number - 1] + gains_so_far[most] > best:
                best, threshold = int(at_end[number - 1] + gains_so_far[most]), float(self.size[last[most]])
        return threshold
