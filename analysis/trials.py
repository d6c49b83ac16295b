"""Metrics compared with people, with one assessor's reference at a time (Eyal et al. 2019, Table 1)."""

from collections.abc import Iterable, Sequence
from statistics import fmean, stdev
from typing import NamedTuple

from relevance.analysis.agreement.counts import count_agreement, within_document_pairs
from relevance.analysis.correlation.levels import correlate
from relevance.data.cells import Cells
from relevance.data.signatures import name_of


class Trial(NamedTuple):
    """The agreement of one metric with people, with one reference."""

    metric: str
    reference: int
    """The number of the reference in its document, from 1."""
    n: int
    """Summaries with a rating and a value of every metric."""
    pooled: float | None
    """Pearson's r over all summaries; None if undefined, as below."""
    within: float | None
    """The mean over documents of Pearson's r within each."""
    systems: float | None
    """Pearson's r of the systems' means."""
    half: float | None
    """The share of pairs within documents on which metric and people agree; a tie of the metric earns half."""


class TrialSpread(NamedTuple):
    """The spread of one metric over all trials."""

    metric: str
    trials: int
    means: tuple[float | None, ...]
    """Means of the trials' `pooled`, `within`, `systems` and `half`, each over the trials where it is defined."""
    sds: tuple[float | None, ...]
    """Their standard deviations; None with fewer than two."""


def hold_trials(references: Iterable[Cells], aspect: str) -> list[Trial]:
    """Compare metrics with an aspect's ratings, once for each reference; references without summaries are left out."""
    trials = []
    for number, cells in enumerate(references, 1):
        if not len(cells):
            continue
        human = cells.ratings[aspect]
        first, second = within_document_pairs(cells.documents)
        for signature, scores in cells.scores.items():
            pooled, within, of_systems = (c.r for c in correlate(human, scores, cells.documents, cells.systems))
            half = count_agreement(human[first] - human[second], scores[first] - scores[second]).half
            trials.append(Trial(name_of(signature), number, len(cells), pooled, within, of_systems, half))
    return trials


def summarize_trials(trials: Sequence[Trial]) -> list[TrialSpread]:
    """Compute means and standard deviations over trials, a row for each metric."""
    rows = []
    for name in dict.fromkeys(trial.metric for trial in trials):
        own = [trial[3:] for trial in trials if trial.metric == name]
        columns = [[value for value in column if value is not None] for column in zip(*own, strict=True)]
        means = tuple(fmean(column) if column else None for column in columns)
        sds = tuple(stdev(column) if len(column) > 1 else None for column in columns)
        rows.append(TrialSpread(name, len(own), means, sds))
    return rows
