"""Drawing of a study's pairs from a data set in the database."""

import shlex
from collections.abc import Sequence
from dataclasses import replace

from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session

from relevance.annotation.protocol.records import Stopping
from relevance.annotation.records import NoPairs, ScoresMissing, StudySpec
from relevance.annotation.sampling import (
    GIVEN,
    SAMPLING_RULES,
    PairCandidate,
    PairSample,
    draw_checks,
    put_in_order,
    sample_pairs,
)
from relevance.data.signatures import name_of
from relevance.data.store import StoreError
from relevance.data.store.datasets import count_by_system, find_dataset, number_of
from relevance.data.store.versions import VersionedStore
from relevance.data.tables import DocumentRow, ScoreRow, SignatureRow, SummaryRow


def draw(candidates: Sequence[tuple[int, list[PairCandidate]]], spec: StudySpec) -> PairSample:
    """Sample the pairs of a specification from its candidates (`find_candidates`).

    It reads no database: an open transaction would keep others from storing judgments for as long as it takes.
    """
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


def find_candidates(store: VersionedStore, spec: StudySpec) -> list[tuple[int, list[PairCandidate]]]:
    """Read the summaries that can be paired by a specification, by document. Errors as `create_study`."""
    with store.reading() as session:
        systems = find_systems(session, spec)

    def read(session: Session, chosen: ColumnElement[bool]) -> dict[int, list[PairCandidate]]:
        return read_candidates(session, spec, chosen, systems)

    parts = store.read_in_parts(number_of(spec.dataset), read)
    return [of_document for part in parts for of_document in part.items()]


def find_systems(session: Session, spec: StudySpec) -> tuple[str, ...]:
    """Return the systems that a specification compares, and check its rule. Errors as `create_study`."""
    known = list(count_by_system(session, find_dataset(session, spec.dataset)))
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
    if spec.rule == GIVEN:
        raise StoreError(
            "the pairs of such a study came with their judgments (rule 'given') and cannot be drawn; import the file "
            "that has them with relevance import, or open a bundle of the study"
        )
    if spec.rule not in SAMPLING_RULES:
        raise StoreError(f"unknown rule {spec.rule!r}; known are {', '.join(SAMPLING_RULES)}")
    if spec.rule == "conflicts" and len(spec.compared) < 2:
        raise StoreError("metrics can contradict each other only where at least two are named")
    return systems


def read_candidates(
    session: Session, spec: StudySpec, chosen: ColumnElement[bool], systems: Sequence[str]
) -> dict[int, list[PairCandidate]]:
    """Read the candidates of some documents. Raises `ScoresMissing`."""
    scores = {signature: load_scores(session, signature, chosen) for signature in spec.compared}
    documents: dict[int, list[PairCandidate]] = {}
    columns = (SummaryRow.id, SummaryRow.document_id, SummaryRow.system, SummaryRow.text, SummaryRow.example)
    for row in session.execute(
        select(*columns)
        .join(DocumentRow)
        .where(chosen, SummaryRow.system.in_(systems))
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
    return documents


def put_in_order_to_stop(session: Session, sample: PairSample, spec: StudySpec, stopping: Stopping) -> PairSample:
    """Put a study's pairs in the order in which its stopping rule takes documents, up to its limit.

    Raises `ScoresMissing` if a metric that the rule compares has not scored one of their summaries.
    """
    pairs = put_in_order(sample.pairs, most_documents=stopping.most_documents, seed=spec.seed)
    chosen = DocumentRow.id.in_({pair.document_id for pair in pairs})
    shown = {summary for pair in pairs for summary in (pair.first_id, pair.second_id)}
    rows = session.execute(select(SummaryRow.id, SummaryRow.example).join(DocumentRow).where(chosen))
    examples = {example for number, example in rows if number in shown}
    for signature in filter(None, (stopping.first, stopping.second)):
        if lacking := len(examples - load_scores(session, signature, chosen).keys()):
            raise ScoresMissing(
                f"the stopping rule compares {signature}, under which {lacking} of the study's {len(examples)} "
                f"summaries have no score; first run "
                f"relevance score {shlex.quote(spec.dataset)} --metrics {name_of(signature)}"
            )
    return replace(sample, pairs=pairs, in_drawn_order=True)


def load_scores(session: Session, signature: str, chosen: ColumnElement[bool]) -> dict[str, float | None]:
    """Load the scores of some documents' summaries under one signature, by the hash of what a metric sees."""
    # The signature is looked up by number, not joined, as SQLite would scan all of its scores.
    number = session.scalar(select(SignatureRow.id).where(SignatureRow.text == signature))
    shown = select(SummaryRow.example).join(DocumentRow).where(chosen)
    rows = session.execute(
        select(ScoreRow.example, ScoreRow.value).where(ScoreRow.signature_id == number, ScoreRow.example.in_(shown))
    )
    return {example: value for example, value in rows}  # noqa: C416  dict() would ask the result for its keys
