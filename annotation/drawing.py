"""The pairs of a study, drawn from a data set in the database."""

from __future__ import annotations

import shlex
from dataclasses import replace

from sqlalchemy import select
from sqlalchemy.orm import Session

from annotation.records import NoPairs, ScoresMissing, StudySpec
from annotation.sampling import SAMPLING_RULES, PairCandidate, PairSample, draw_checks, sample_pairs
from data.signatures import name_of
from data.store import StoreError
from data.store.datasets import count_by_system, find_dataset
from data.tables import DatasetRow, DocumentRow, ScoreRow, SignatureRow, SummaryRow


def draw(session: Session, spec: StudySpec) -> PairSample:
    """Sample the pairs of a specification."""
    dataset = find_dataset(session, spec.dataset)
    known = list(count_by_system(session, dataset))
    unknown = [system for system in spec.systems if system not in known]
    if unknown:
        raise StoreError(
            f"data set {spec.dataset!r} has no system {', '.join(map(repr, unknown))}; it has {', '.join(known)}"
        )
    systems = spec.systems or tuple(known)
    if len(set(systems)) < 2:
        raise NoPairs(
            f"a study compares at least two systems; data set {spec.dataset!r} has {', '.join(known) or 'none'}"
        )
    if spec.rule not in SAMPLING_RULES:
        raise StoreError(f"unknown rule {spec.rule!r}; known are {', '.join(SAMPLING_RULES)}")
    if spec.rule == "conflicts" and len(spec.compared) < 2:
        raise StoreError("metrics can contradict each other only where at least two are named")
    scores = {signature: load_scores(session, dataset, signature) for signature in spec.compared}
    documents: dict[int, list[PairCandidate]] = {}
    for row in session.scalars(
        select(SummaryRow)
        .join(DocumentRow)
        .where(DocumentRow.dataset_id == dataset.id, SummaryRow.system.in_(systems))
        .order_by(DocumentRow.position, SummaryRow.id)
    ):
        lacking = [signature for signature, known in scores.items() if row.example not in known]
        if lacking:
            metrics = ",".join(dict.fromkeys(name_of(signature) for signature in lacking))
            raise ScoresMissing(
                f"data set {spec.dataset!r} has summaries without a score under {' and '.join(lacking)}; first run "
                f"relevance score {shlex.quote(spec.dataset)} --metrics {metrics}"
            )
        values = tuple(known[row.example] for known in scores.values())
        documents.setdefault(row.document_id, []).append(PairCandidate(row.id, row.system, row.text, values))
    candidates = list(documents.items())
    try:
        sample = sample_pairs(
            candidates,
            rule=spec.rule,
            count=spec.count,
            per_document=spec.most_per_document,
            seed=spec.seed,
            random_share=spec.random_share,
        )
        return replace(sample, checks=tuple(draw_checks(candidates, count=spec.checks, seed=spec.seed)))
    except ValueError as error:
        raise StoreError(str(error)) from error


def load_scores(session: Session, dataset: DatasetRow, signature: str) -> dict[str, float | None]:
    """Values of a data set's examples under one signature."""
    rows = session.execute(
        select(ScoreRow.example, ScoreRow.value)
        .join(SignatureRow, SignatureRow.id == ScoreRow.signature_id)
        .where(
            SignatureRow.text == signature,
            ScoreRow.example.in_(
                select(SummaryRow.example).join(DocumentRow).where(DocumentRow.dataset_id == dataset.id)
            ),
        )
    )
    return {example: value for example, value in rows}  # noqa: C416  dict() would ask the result for its keys
