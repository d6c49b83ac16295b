"""Scores by one assessor's reference at a time, as in the trials of Eyal et al. (2019, Table 1)."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from relevance.data.cells import Cells
from relevance.data.records import Document, Example, Summary, make_examples
from relevance.metrics.apes.metric import Apes
from relevance.metrics.base import Metric
from relevance.metrics.rouge import RougeL, RougeN
from relevance.metrics.scoring import check_ratings


def score_by_assessor(
    apes: Apes, records: Sequence[tuple[Document, Sequence[Summary]]], aspect: str
) -> Iterator[Cells]:
    """Score all rated summaries by APES and ROUGE with the first reference alone, then the second, and so on.

    References are in the order of the assessors, so that each yielded `Cells` are one assessor's. Documents with fewer
    references are left out of the later ones, as are summaries without a score, for example if APES has no question.
    Raises `NoRatings`, `ModelUnavailable`.
    """
    check_ratings(records, aspect)
    metrics: list[Metric] = [apes, RougeN(1), RougeN(2), RougeL()]
    for index in range(max(len(document.references) for document, _ in records)):
        rated = list(rated_by(records, index, aspect))
        examples = [example for example, _ in rated]
        scores = {metric.signature: [score.value for score in metric.score(examples)] for metric in metrics}
        kept = [place for place, row in enumerate(zip(*scores.values(), strict=True)) if None not in row]
        yield Cells(
            tuple(example.document_id for example in examples),
            tuple(example.system for example in examples),
            {aspect: np.array([rating for _, rating in rated], dtype=np.float64)},
            {signature: np.array(values, dtype=np.float64) for signature, values in scores.items()},
        ).at(kept)


def rated_by(
    records: Iterable[tuple[Document, Sequence[Summary]]], index: int, aspect: str
) -> Iterator[tuple[Example, float]]:
    """Yield each rated summary with one reference of its document, unless that reference is also a system."""
    for document, summaries in records:
        for example, summary in zip(make_examples(document, summaries), summaries, strict=True):
            own = document.references[index : index + 1]
            if aspect in summary.human and own and own[0] in example.references:
                # questions of the data set belong to no assessor
                yield replace(example, references=own, questions=()), summary.human[aspect]
