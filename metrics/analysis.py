"""A file's metrics against its human ratings: scored, held against each other, and said as JSON."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from data.records import Document, Summary
from metrics.base import Metric
from metrics.length import Length
from metrics.meta_evaluation import Agreement, Evaluation, Levels, evaluate
from metrics.scoring import Failures, score_records


class NoRatings(ValueError):  # noqa: N818  named for the situation
    """The records have no human ratings of the aspect that was asked for."""


class Row(NamedTuple):
    """One metric's row of the table."""

    metric: str
    signature: str
    missing: int
    """Rated summaries without a score."""
    truncated: int
    """Rated summaries of which a model saw only a part, or only a part of what they were compared with."""
    evaluation: Evaluation


class Analysis(NamedTuple):
    """All metrics against one aspect of the human ratings."""

    human: str
    rows: tuple[Row, ...]


def analyze(
    records: Iterable[tuple[Document, Sequence[Summary]]],
    human: str,
    metrics: Sequence[Metric],
    seed: int = 0,
    failures: Failures | None = None,
) -> Analysis:
    """Score the rated summaries and evaluate every metric over all within-document pairs.

    The row `length` is always there: a metric that does not beat it says little. The scores of a metric that fails are
    missing; `failures` has the reasons. Raises `NoRatings`.
    """
    if all(metric.name != "length" for metric in metrics):
        metrics = [*metrics, Length()]
    records = list(records)
    ratings = {
        (document.id, summary.system): summary.human[human]
        for document, summaries in records
        for summary in summaries
        if human in summary.human
    }
    if not ratings:
        aspects = dict.fromkeys(aspect for _, summaries in records for s in summaries for aspect in s.human)
        raise NoRatings(f"there are no human ratings of {human!r}; there are {', '.join(aspects) or 'none at all'}")
    rated = [
        (example, scores)
        for example, scores in score_records(records, metrics, failures)
        if (example.document_id, example.system) in ratings
    ]
    documents = [example.document_id for example, _ in rated]
    systems = [example.system for example, _ in rated]
    preferred = [ratings[document, system] for document, system in zip(documents, systems, strict=True)]
    rows = []
    for metric in metrics:
        values = [scores[metric.name].value for _, scores in rated]
        filled = [math.nan if value is None else value for value in values]
        evaluation = evaluate(preferred, filled, documents, systems, seed=seed)
        truncated = sum(scores[metric.name].truncated for _, scores in rated)
        rows.append(Row(metric.name, metric.signature, values.count(None), truncated, evaluation))
    return Analysis(human, tuple(rows))


def as_json(analysis: Analysis) -> dict[str, Any]:
    """The analysis in plain JSON values; what is undefined is null."""
    return {
        "human": analysis.human,
        "metrics": {
            row.metric: {
                "signature": row.signature,
                "missing": row.missing,
                "truncated": row.truncated,
                "agreement": agreement_as_json(row.evaluation.agreement),
                "pearson": levels_as_json(row.evaluation.pearson),
                "kendall": levels_as_json(row.evaluation.kendall),
            }
            for row in analysis.rows
        },
    }


def agreement_as_json(agreement: Agreement) -> dict[str, Any]:
    """Counts and ratios of one agreement."""
    return {
        "pairs": agreement.pairs,
        "human_ties": agreement.human_ties,
        "concordant": agreement.concordant,
        "discordant": agreement.discordant,
        "tied": agreement.tied,
        "strict": agreement.strict,
        "half": agreement.half,
        "decided": agreement.decided,
    }


def levels_as_json(levels: Levels) -> dict[str, float | None]:
    """One coefficient at the three levels."""
    return {"global": levels.global_.r, "input": levels.input.r, "system": levels.system.r}
