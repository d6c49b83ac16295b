"""Language models that judge in a study, as annotators of their own kind who never count among its people."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy import Select, func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session, aliased, joinedload

from relevance.annotation.assigning import title_shown
from relevance.annotation.judging import read_source
from relevance.annotation.protocol.tables import ModelAnnotatorRow, ModelJudgmentRow
from relevance.annotation.studies import find_study
from relevance.annotation.tables import PairRow
from relevance.data.database import now
from relevance.data.export import format_timestamp
from relevance.data.model_verdicts import Verdicts
from relevance.data.preferences import to_name_column
from relevance.data.rights import Right
from relevance.data.store import StoredScore
from relevance.data.store.base import Store, StoreError, checked_name
from relevance.data.store.rows import to_source
from relevance.data.tables import DocumentRow, SummaryRow

VALUES = {"first": 1.0, "second": -1.0, "tie": 0.0, None: np.nan}
"""The number of each verdict in a column."""


class JudgeExists(StoreError):
    """A model of that name has judged in the study under another signature."""


class StudyPair(NamedTuple):
    """A pair of a study, with the texts that annotators see."""

    id: int
    document: str
    """The title, where one is shown, and the source."""
    first: str
    second: str


class ModelJudgment(NamedTuple):
    """A model's answers about a pair."""

    pair_id: int
    verdict: str | None
    """`first`, `second` or `tie` where both orders say so, `orders disagree`, or None where an order has no verdict."""
    straight: str | None
    """The verdict on the pair in its own order."""
    swapped: str | None
    """The verdict on the swapped pair, expressed in the pair's own order."""
    reason: str | None
    """The reason why an order has no verdict."""
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost: float | None = None
    answered_by: str | None = None


class VerdictsOnPair(NamedTuple):
    """A model's verdict on a document's summaries A and B: 1 for A, -1 for B, 0 for neither, None for no verdict."""

    a_first: float | None
    """The verdict with A shown first."""
    b_first: float | None
    reason: str | None
    """The reason why an order has no verdict."""

    @property
    def scores(self) -> tuple[StoredScore, StoredScore]:
        """The verdict as scores of A and B, as in `relevance.data.model_verdicts.Verdicts.scores`."""
        if self.a_first is None or self.b_first is None:
            return (StoredScore(None, self.reason),) * 2
        preferred = self.a_first if self.a_first == self.b_first else 0.0
        return StoredScore((1 + preferred) / 2, None), StoredScore((1 - preferred) / 2, None)


class ModelAnnotator(NamedTuple):
    """A model that has judged in a study."""

    name: str
    signature: str
    """Everything that its verdicts depend on; begins with its name."""
    judged: int
    """The number of pairs and attention checks with a verdict."""
    latest: datetime
    """The time of its latest answer."""


class ModelStore(Store):
    """Judgments of language models in studies, over one engine, in a short session per call."""

    def pairs(self, study: str) -> list[StudyPair]:
        """List all pairs of a study in the order of drawing, then its attention checks. Raises `UnknownStudy`."""
        texts = (joinedload(of) for of in (PairRow.document, PairRow.first, PairRow.second))
        with self.reading() as session:
            of_study = PairRow.study_id == find_study(session, study).id
            rows = session.scalars(select(PairRow).where(of_study).order_by(PairRow.position).options(*texts))
            return [StudyPair(pair.id, write_document(pair), pair.first.text, pair.second.text) for pair in rows]

    def models(self, study: str) -> list[ModelAnnotator]:
        """List the models that have judged in a study, in the order in which they began. Raises `UnknownStudy`."""
        with self.reading() as session:
            rows = session.execute(
                select(
                    ModelAnnotatorRow.name,
                    ModelAnnotatorRow.signature,
                    func.count(ModelJudgmentRow.verdict),
                    func.max(ModelJudgmentRow.decided_at),
                )
                .join(ModelJudgmentRow, ModelJudgmentRow.model_id == ModelAnnotatorRow.id)
                .where(ModelAnnotatorRow.study_id == find_study(session, study).id)
                .group_by(ModelAnnotatorRow.id)
                .order_by(ModelAnnotatorRow.id)
            )
            return [ModelAnnotator._make(row) for row in rows]

    def judged(self, study: str, name: str, signature: str) -> set[int]:
        """Return the pairs on which a model has a verdict. Raises `UnknownStudy`, `JudgeExists`."""
        with self.reading() as session:
            model = find_model(session, find_study(session, study).id, name, signature)
            if model is None:
                return set()
            answered = select(ModelJudgmentRow.pair_id).where(
                ModelJudgmentRow.model_id == model.id, ModelJudgmentRow.verdict.is_not(None)
            )
            return set(session.scalars(answered))

    def add(self, study: str, name: str, signature: str, judgments: Sequence[ModelJudgment]) -> int:
        """Store a model's answers, and return the number of pairs that have got their first verdict by it.

        A verdict is final: a later one is not stored. Raises `UnknownStudy`, `JudgeExists`, and StoreError for a bad
        name and for pairs of another study.
        """
        name = check_judge_name(name)
        try:
            with self.writing() as session:
                study_id = find_study(session, study, Right.MANAGE).id
                model = find_model(session, study_id, name, signature, lock=True)
                if model is None:
                    model = ModelAnnotatorRow(study_id=study_id, name=name, signature=signature)
                    session.add(model)
                    session.flush()
                check_pairs(session, study_id, [judgment.pair_id for judgment in judgments])
                return keep(session, model, judgments)
        except IntegrityError:  # another run of the model began at this moment
            return self.add(study, name, signature, judgments)

    def verdicts(self, study: str) -> list[Verdicts]:
        """Return the models' verdicts on the study's pairs, in the order of models. Raises `UnknownStudy`."""
        with self.reading() as session:
            return load_verdicts(session, find_study(session, study).id)

    def verdicts_on(self, study: str, document_id: str, systems: tuple[str, str]) -> dict[str, VerdictsOnPair]:
        """Return models' verdicts on a study's pair of two systems, A and B, by signature. Raises `UnknownStudy`."""
        first, second = aliased(SummaryRow), aliased(SummaryRow)
        with self.reading() as session:
            rows = session.execute(
                select(ModelAnnotatorRow.signature, ModelJudgmentRow, first.system)
                .join(ModelJudgmentRow, ModelJudgmentRow.model_id == ModelAnnotatorRow.id)
                .join(PairRow, PairRow.id == ModelJudgmentRow.pair_id)
                .join(DocumentRow, DocumentRow.id == PairRow.document_id)
                .join(first, first.id == PairRow.first_id)
                .join(second, second.id == PairRow.second_id)
                .where(
                    *(ModelAnnotatorRow.study_id == find_study(session, study).id, PairRow.expected_id.is_(None)),
                    *(DocumentRow.key == document_id, first.system.in_(systems), second.system.in_(systems)),
                )
                .order_by(ModelAnnotatorRow.id)
            ).all()
            return {signature: of_sides(judgment, system == systems[0]) for signature, judgment, system in rows}

    def export(self, study: str) -> list[dict[str, Any]]:
        """Return a record for each answer of a model, pairs named as in `export_judgments`. Raises `UnknownStudy`."""
        first, second = aliased(SummaryRow), aliased(SummaryRow)
        with self.reading() as session:
            rows = session.execute(
                select(ModelJudgmentRow, ModelAnnotatorRow, PairRow, DocumentRow.key, first.system, second.system)
                .join(ModelAnnotatorRow, ModelAnnotatorRow.id == ModelJudgmentRow.model_id)
                .join(PairRow, PairRow.id == ModelJudgmentRow.pair_id)
                .join(DocumentRow, DocumentRow.id == PairRow.document_id)
                .join(first, first.id == PairRow.first_id)
                .join(second, second.id == PairRow.second_id)
                .where(ModelAnnotatorRow.study_id == find_study(session, study).id)
                .order_by(ModelAnnotatorRow.id, PairRow.position)
            )
            return [
                {
                    "study": study,
                    "model": model.name,
                    "signature": model.signature,
                    "document_id": document,
                    "system_a": system_a,
                    "system_b": system_b,
                    "check": pair.expected_id is not None,
                    "passed": None if pair.expected_id is None else passes(judgment.verdict, pair),
                    "verdict": judgment.verdict,
                    "straight": judgment.straight,
                    "swapped": judgment.swapped,
                    "reason": judgment.reason,
                    "tokens_in": judgment.tokens_in,
                    "tokens_out": judgment.tokens_out,
                    "cost": judgment.cost,
                    "answered_by": judgment.answered_by,
                    "decided_at": format_timestamp(judgment.decided_at),
                }
                for judgment, model, pair, document, system_a, system_b in rows
            ]


def write_document(pair: PairRow) -> str:
    """Return the title over a pair, if annotators see one, and the document."""
    return "\n\n".join(filter(None, (title_shown(pair), read_source(to_source(pair.document)))))


def check_judge_name(name: str) -> str:
    """Check the name of a model in a study, and return it stripped. Raises `StoreError`."""
    if "|" in name:
        raise StoreError("the name of a judge cannot contain |, which separates the settings of its signature")
    return checked_name(name, "the name of a judge")


def find_model(
    session: Session, study_id: int, name: str, signature: str, *, lock: bool = False
) -> ModelAnnotatorRow | None:
    """Find the row of a study's model; None if there is none of that name. Raises `JudgeExists`."""
    wanted = select(ModelAnnotatorRow).where(ModelAnnotatorRow.study_id == study_id, ModelAnnotatorRow.name == name)
    row = session.scalar(wanted.with_for_update() if lock else wanted)
    if row is not None and row.signature != signature:
        raise JudgeExists(
            f"{name!r} has judged in this study as {row.signature}, not as {signature}: "
            "other settings need another name"
        )
    return row


def check_pairs(session: Session, study_id: int, pairs: Collection[int]) -> None:
    """Refuse pairs that do not belong to a study. Raises StoreError."""
    known = set(session.scalars(select(PairRow.id).where(PairRow.study_id == study_id, PairRow.id.in_(pairs))))
    if not known.issuperset(pairs):
        raise StoreError("some of these pairs are not pairs of this study")


def keep(session: Session, model: ModelAnnotatorRow, judgments: Iterable[ModelJudgment]) -> int:
    """Store a model's answers for pairs without a verdict, and return the number of new verdicts."""
    new = 0
    for judgment in judgments:
        row = session.get(ModelJudgmentRow, (model.id, judgment.pair_id))
        if row is not None and row.verdict is not None:
            continue
        if row is None:
            row = ModelJudgmentRow(model_id=model.id, pair_id=judgment.pair_id)
            session.add(row)
        for field, value in judgment._asdict().items():
            setattr(row, field, value)
        row.decided_at = now()
        new += judgment.verdict is not None
    return new


def of_sides(judgment: ModelJudgmentRow, a_is_first: bool) -> VerdictsOnPair:
    """Express a model's verdict on a pair by A and B; A is its first summary or its second."""
    straight, swapped = (None if order is None else VALUES[order] for order in (judgment.straight, judgment.swapped))
    if a_is_first:
        return VerdictsOnPair(straight, swapped, judgment.reason)
    return VerdictsOnPair(
        None if swapped is None else -swapped, None if straight is None else -straight, judgment.reason
    )


def passes(verdict: str | None, pair: PairRow) -> bool | None:
    """Tell whether a verdict on an attention check is the summary of the document; None without a verdict."""
    return (
        None if verdict is None else {"first": pair.first_id, "second": pair.second_id}.get(verdict) == pair.expected_id
    )


def load_verdicts(session: Session, study_id: int) -> list[Verdicts]:
    """Load each model's verdicts on a study's pairs, in the order of `relevance.annotation.results.select_pairs`."""
    models = session.scalars(
        select(ModelAnnotatorRow).where(ModelAnnotatorRow.study_id == study_id).order_by(ModelAnnotatorRow.id)
    ).all()
    pairs = session.execute(select_systems(study_id)).all() if models else []
    judgments = select(ModelJudgmentRow, PairRow).join(PairRow, PairRow.id == ModelJudgmentRow.pair_id)
    return [
        to_verdicts(
            model.signature, pairs, session.execute(judgments.where(ModelJudgmentRow.model_id == model.id)).all()
        )
        for model in models
    ]


def select_systems(study_id: int) -> Select[int, str, str, str]:
    """Select a study's pairs without attention checks: documents, and systems of both summaries."""
    first, second = aliased(SummaryRow), aliased(SummaryRow)
    return (
        select(PairRow.id, DocumentRow.key, first.system, second.system)
        .join(DocumentRow, DocumentRow.id == PairRow.document_id)
        .join(first, first.id == PairRow.first_id)
        .join(second, second.id == PairRow.second_id)
        .where(PairRow.study_id == study_id, PairRow.expected_id.is_(None))
        .order_by(PairRow.position)
    )


def to_verdicts(signature: str, pairs: Sequence[Any], judgments: Sequence[Any]) -> Verdicts:
    """Turn a model's judgments into columns of the pairs."""
    by_pair = {judgment.pair_id: judgment for judgment, _ in judgments}
    judged = [by_pair.get(pair.id) for pair in pairs]
    checks = [passes(judgment.verdict, pair) for judgment, pair in judgments if pair.expected_id is not None]

    def numbers(field: str) -> Any:
        return np.array(
            [None if judgment is None else getattr(judgment, field) for judgment in judged], dtype=np.float64
        )

    def values(field: str) -> Any:
        return np.array(
            [VALUES[None if judgment is None else getattr(judgment, field)] for judgment in judged], dtype=np.float64
        )

    return Verdicts(
        signature=signature,
        documents=to_name_column([key for _, key, _, _ in pairs]),
        firsts=to_name_column([first for _, _, first, _ in pairs]),
        seconds=to_name_column([second for _, _, _, second in pairs]),
        straight=values("straight"),
        swapped=values("swapped"),
        reasons=to_name_column(
            [None if judgment is None or judgment.verdict else judgment.reason for judgment in judged]
        ),
        tokens_in=numbers("tokens_in"),
        tokens_out=numbers("tokens_out"),
        cost=numbers("cost"),
        checks=(checks.count(True), len(checks) - checks.count(None)),
        answered_by=tuple(sorted({judgment.answered_by for judgment, _ in judgments if judgment.answered_by})),
    )
