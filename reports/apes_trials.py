"""APES and ROUGE with one assessor's reference at a time, held against people (Eyal et al. 2019, Table 1)."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from statistics import fmean, stdev
from typing import NamedTuple

import numpy as np

from analysis.agreement.counts import count_agreement, within_document_pairs
from analysis.correlation.levels import correlate
from data.records import Document, Example, Summary, make_examples
from metrics.apes.metric import Apes
from metrics.base import Metric
from metrics.rouge import RougeL, RougeN
from metrics.scoring import check_ratings


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


def trials(apes: Apes, records: Sequence[tuple[Document, Sequence[Summary]]], aspect: str) -> list[Trial]:
    """APES and ROUGE of all rated summaries with the first reference alone, the second, and so on.

    References stand in the order of the assessors, so that each trial is one assessor's; documents with fewer are left
    out of the later ones, and so are those where APES has nothing to ask. Raises `NoRatings`, `ModelUnavailable`.
    """
    check_ratings(records, aspect)
    metrics: list[Metric] = [apes, RougeN(1), RougeN(2), RougeL()]
    found = []
    for index in range(max(len(document.references) for document, _ in records)):
        rated = list(judged_by(records, index, aspect))
        examples_of = [example for example, _ in rated]
        scores = [[score.value for score in metric.score(examples_of)] for metric in metrics]
        rows = [(one, *values) for one, *values in zip(rated, *scores, strict=True) if None not in values]
        if rows:
            kept, *columns = zip(*rows, strict=True)
            found += [trial(m.name, index + 1, kept, column) for m, column in zip(metrics, columns, strict=True)]
    return found


def judged_by(
    records: Iterable[tuple[Document, Sequence[Summary]]], index: int, aspect: str
) -> Iterator[tuple[Example, float]]:
    """Each rated summary beside one reference of its document, unless that one stands as a system."""
    for document, summaries in records:
        for example, summary in zip(make_examples(document, summaries), summaries, strict=True):
            own = document.references[index : index + 1]
            if aspect in summary.human and own and own[0] in example.references:
                # questions of the data set belong to no assessor
                yield replace(example, references=own, questions=()), summary.human[aspect]


def trial(metric: str, reference: int, rated: Sequence[tuple[Example, float]], values: Sequence[float]) -> Trial:
    """Hold the values of one metric against the ratings."""
    documents, systems = [e.document_id for e, _ in rated], [e.system for e, _ in rated]
    human, scored = np.array([rating for _, rating in rated]), np.array(values)
    pooled, within, of_systems = (level.r for level in correlate(human, scored, documents, systems))
    first, second = within_document_pairs(documents)
    counts = count_agreement(human[first] - human[second], scored[first] - scored[second])
    return Trial(metric, reference, len(rated), pooled, within, of_systems, counts.half)


def summarize_trials(found: Sequence[Trial]) -> list[TrialSpread]:
    """Means and standard deviations over trials, a row a metric."""
    rows = []
    for name in dict.fromkeys(trial.metric for trial in found):
        own = [trial for trial in found if trial.metric == name]
        every = zip(*(trial[3:] for trial in own), strict=True)
        columns = [[value for value in column if value is not None] for column in every]
        rows.append(
            TrialSpread(
                name,
                len(own),
                tuple(fmean(column) if column else None for column in columns),
                tuple(stdev(column) if len(column) > 1 else None for column in columns),
            )
        )
    return rows
