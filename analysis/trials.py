"""Metrics held against people with one assessor's reference at a time (Eyal et al. 2019, Table 1)."""

from collections.abc import Iterable, Sequence
from statistics import fmean, stdev
from typing import NamedTuple

from analysis.agreement.counts import count_agreement, within_document_pairs
from analysis.correlation.levels import correlate
from data.cells import Cells
from data.signatures import name_of


class Trial(NamedTuple):
    """How one metric agrees with people where one reference judges."""

    metric: str
    reference: int
    """Number of the reference in its document, from 1."""
    n: int
    """Summaries that have a rating, and a value of every metric."""
    pooled: float | None
    """Pearson's r over all summaries; None where it is undefined, as below."""
    within: float | None
    """Its mean within documents."""
    systems: float | None
    """Pearson's r of the systems' means."""
    half: float | None
    """Share of pairs within documents on which metric and people agree, a tie of the metric earning half."""


class TrialSpread(NamedTuple):
    """One metric over all trials."""

    metric: str
    trials: int
    means: tuple[float | None, ...]
    """Means of the trials' `pooled`, `within`, `systems` and `half`, each over those where it is defined."""
    sds: tuple[float | None, ...]
    """Their standard deviations; None with fewer than two."""


def hold_trials(references: Iterable[Cells], aspect: str) -> list[Trial]:
    """Hold metrics against the ratings of an aspect, once for each reference; those without summaries are left out."""
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
    """Return means and standard deviations over trials, a row a metric."""
    rows = []
    for name in dict.fromkeys(trial.metric for trial in trials):
        own = [trial[3:] for trial in trials if trial.metric == name]
        columns = [[value for value in column if value is not None] for column in zip(*own, strict=True)]
        means = tuple(fmean(column) if column else None for column in columns)
        sds = tuple(stdev(column) if len(column) > 1 else None for column in columns)
        rows.append(TrialSpread(name, len(own), means, sds))
    return rows
