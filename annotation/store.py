"""The store of studies and judgments: the only code that writes the tables of `annotation.tables`."""

from __future__ import annotations

import secrets
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from statistics import median
from typing import Any, NamedTuple
from unicodedata import normalize

from sqlalchemy import Row, Select, func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session, joinedload

from annotation.sampling import (
    RANDOM_SHARE,
    RULES,
    Candidate,
    Sample,
    draw_checks,
    first_is_left,
    sample_pairs,
)
from annotation.tables import (
    AnnotatorRow,
    AssignmentRow,
    JudgmentRow,
    PairRow,
    RevisionRow,
    StudyRow,
)
from data.database import now
from data.records import TITLE_SYSTEM
from data.store.base import Store, StoreError, checked_name
from data.store.datasets import find_dataset, systems_of
from data.tables import DatasetRow, DocumentRow, ScoreRow, SignatureRow, SummaryRow

QUESTION = "Which summary is more relevant to the document?"
INSTRUCTIONS = (
    "Read the document, then both summaries. Choose the one that tells more of what matters in the document. "
    "Style and length matter less than content."
)
SOONEST = timedelta(milliseconds=400)
"""A choice that comes sooner after its pair was shown is a key held down or pressed twice, not a judgment."""

RESERVED = timedelta(minutes=30)
"""How long an undecided assignment keeps its place among the judgments that a pair still wants.

Whoever returns later finds it still there, and their judgment counts even if somebody else took the place."""

MOST_CHECKS = 100
"""Every annotator has to judge all attention checks of a study."""

LATEST = 100
"""How many of an annotator's latest judgments tell how long one takes."""


class StudyExists(StoreError):
    """A study of that name is already there."""


class UnknownStudy(StoreError):
    """There is no study of that name."""


class StudyClosed(StoreError):
    """The study takes no more judgments."""


class NoPairs(StoreError):
    """The rule and the limits leave no pair to ask about."""


class ScoresMissing(StoreError):
    """The rule compares scores that the data set does not have."""


class UnknownInvite(StoreError):
    """There is no annotator with that token."""


class NameTaken(StoreError):
    """The name belongs to an annotator who was invited, and only their link opens it."""


class AlreadyJudged(StoreError):
    """The annotator has already judged the pair; a change must be asked for as one."""


class NotAssigned(StoreError):
    """The pair was never given to that annotator, or the choice is none of its summaries."""


class TooSoon(StoreError):
    """The choice came before anybody could have read the pair."""


@dataclass(frozen=True, kw_only=True)
class StudySpec:
    """What a study asks, of which pairs and how often.

    `per_document=None` means 1, or no limit with the rules `all` and `conflicts`. `signature` names the stored ROUGE-K
    scores that the rule `rouge_k_differs` compares, `signatures` those of at least two metrics whose conflicts the
    rule `conflicts` looks for; with that rule, `random_share` of the pairs are drawn from the others.
    """

    name: str
    dataset: str
    systems: tuple[str, ...] = ()
    """Systems whose summaries are paired; none named means all."""
    rule: str = "rouge_k_differs"
    signature: str | None = None
    signatures: tuple[str, ...] = ()
    random_share: float = RANDOM_SHARE
    count: int | None = None
    per_document: int | None = None
    judgments_per_pair: int = 1
    ties: bool = False
    question: str = QUESTION
    instructions: str = INSTRUCTIONS
    seed: int = 0
    checks: int = 0
    """Attention checks: pairs of a summary with one of another document, which every annotator gets once."""

    @property
    def most_per_document(self) -> int | None:
        """The limit that holds."""
        return 1 if self.per_document is None and self.rule not in {"all", "conflicts"} else self.per_document

    @property
    def compared(self) -> tuple[str, ...]:
        """Signatures of the stored scores that the rule compares."""
        if self.rule == "rouge_k_differs":
            return (self.signature or "rouge_k",)
        return tuple(dict.fromkeys(self.signatures)) if self.rule == "conflicts" else ()


@dataclass(frozen=True)
class Study:
    """What a list of studies shows of one."""

    id: int
    name: str
    dataset: str
    question: str
    instructions: str
    systems: tuple[str, ...]
    rule: str
    signatures: tuple[str, ...]
    """Signatures whose conflicts the rule `conflicts` looked for; none with other rules."""
    random_share: float | None
    """Share of the pairs wanted that were to come from those without a conflict; None with other rules."""
    pairs: int
    """Pairs that the study is about; attention checks are not counted."""
    checks: int
    """Attention checks, which every annotator gets besides the pairs."""
    judgments_per_pair: int
    ties: bool
    seed: int
    identical: int
    """Pairs left out because their texts are the same, or the same as those of another pair."""
    unscored: int
    """Pairs left out because a score that the rule compares is missing."""
    eligible: int | None
    """Pairs that the rule allowed before the limits were applied; None in a study of an earlier version."""
    conflicts: int | None
    """Eligible pairs on which the metrics contradict each other; None with other rules than `conflicts`."""
    judgments: int
    """Judgments of the pairs; those of attention checks are not counted."""
    created_at: datetime
    closed_at: datetime | None

    @property
    def notes(self) -> tuple[str, ...]:
        """What is worth saying of the draw besides the number of pairs; nothing in most studies."""
        notes = []
        if self.conflicts is not None and self.eligible is not None:
            others = self.eligible - self.conflicts
            notes.append(f"drawn from {self.conflicts} on which the metrics contradict each other and {others} others")
        if self.checks:
            notes.append(f"{self.checks} attention check{'s' if self.checks > 1 else ''} for every annotator")
        return tuple(notes)


@dataclass(frozen=True)
class Annotator:
    """Somebody who judges in a study; the token opens their work again."""

    id: int
    name: str
    study: str
    token: str
    invited: bool


@dataclass(frozen=True)
class Task:
    """One pair as an annotator sees it: no systems, no scores, and no references, which the metrics measure by."""

    assignment_id: int
    title: str | None
    source: str | tuple[str, ...]
    left: str
    right: str
    choice: str | None
    """What was chosen before: `left`, `right`, `tie` or `skip`; None for a new pair."""
    rationale: str | None


class Progress(NamedTuple):
    """How far an annotator is. Pairs that others have judged often enough are not counted."""

    judged: int
    skipped: int
    open: int
    seconds: float | None
    """Median seconds that a judgment took, of the latest hundred; None before the first."""


class AnnotatorProgress(NamedTuple):
    """A row of the study's progress table."""

    annotator: str
    judged: int
    """Judgments of the study's pairs; attention checks are counted by themselves."""
    skipped: int
    seconds: float | None
    ties: int
    """Ties among the judgments that are no attention checks."""
    left: int
    """Judgments that chose the summary on the left; of those that are neither ties nor checks, half would be even."""
    latest: datetime | None
    checks: int
    """Judged attention checks."""
    checks_passed: int
    """Those that chose the summary of the document; a tie does not."""


CHOICES = ("left", "right", "tie")


class AnnotationStore(Store):
    """Studies and judgments over one engine, a short session a call."""

    # --- studies -----------------------------------------------------------------------------------------

    def sample(self, spec: StudySpec) -> Sample:
        """The pairs that a study would get, without making it. Errors as `create_study`."""
        with self.reading() as session:
            return draw(session, spec)

    def create_study(self, spec: StudySpec) -> Study:
        """Draw the pairs and store the study.

        Raises `StudyExists`, `UnknownDataset`, `ScoresMissing`, `NoPairs`, or StoreError for a setting out of range.
        """
        name = checked_name(spec.name)
        if spec.judgments_per_pair < 1:
            raise StoreError("each pair needs at least one judgment")
        if not plain(spec.question):
            raise StoreError("a study needs a question")
        limits = (spec.seed, spec.count or 0, spec.per_document or 0, spec.judgments_per_pair)
        if not all(0 <= number < 2**31 for number in limits):
            raise StoreError("seed and limits must be whole numbers from 0 to 2147483647")
        if not 0 <= spec.checks <= MOST_CHECKS:
            raise StoreError(f"a study can have 0 to {MOST_CHECKS} attention checks")
        exists = StudyExists(f"there is already a study {name!r}; choose another name")
        with self.writing() as session:
            if session.scalar(select(StudyRow.id).where(StudyRow.name == name)) is not None:
                raise exists
            sample = draw(session, spec)
            if not sample.pairs:
                raise NoPairs(
                    f"no pair is left to ask about: {sample.identical} pairs of identical texts, "
                    f"{sample.unscored} without a score; the rule {spec.rule!r} allows {sample.eligible}"
                )
            dataset = find_dataset(session, spec.dataset)
            conflicts = spec.rule == "conflicts"
            study = StudyRow(
                name=name,
                dataset_id=dataset.id,
                question=plain(spec.question),
                instructions=plain(spec.instructions),
                systems=list(spec.systems or systems_of(session, dataset)),
                rule=spec.rule,
                signature=spec.signature,
                signatures=list(spec.compared) if conflicts else None,
                random_share=spec.random_share if conflicts else None,
                wanted_pairs=spec.count,
                per_document=spec.most_per_document,
                judgments_per_pair=spec.judgments_per_pair,
                ties=spec.ties,
                seed=spec.seed,
                identical=sample.identical,
                unscored=sample.unscored,
                eligible=sample.eligible,
                conflicts=sample.conflicts,
            )
            session.add(study)
            try:
                session.flush()
            except IntegrityError as error:  # another session created it at this moment
                raise exists from error
            session.add_all(
                PairRow(study_id=study.id, position=position, **pair._asdict())
                for position, pair in enumerate((*sample.pairs, *sample.checks))
            )
        return self.study(name)

    def studies(self) -> list[Study]:
        """All studies, the newest first."""
        with self.reading() as session:
            rows = session.scalars(
                select(StudyRow).options(joinedload(StudyRow.dataset)).order_by(StudyRow.id.desc())
            ).all()
            return [to_study(session, row) for row in rows]

    def study(self, name: str) -> Study:
        """One study. Raises `UnknownStudy`."""
        with self.reading() as session:
            return to_study(session, find_study(session, name))

    def studies_of(self, dataset: str) -> list[str]:
        """The names of the studies over a data set, the oldest first."""
        with self.reading() as session:
            return list(
                session.scalars(
                    select(StudyRow.name).join(DatasetRow).where(DatasetRow.name == dataset).order_by(StudyRow.id)
                )
            )

    def close_study(self, name: str, *, closed: bool = True) -> Study:
        """Stop taking judgments, or take them again. Raises `UnknownStudy`."""
        with self.writing() as session:
            find_study(session, name).closed_at = now() if closed else None
        return self.study(name)

    def version(self, name: str) -> int:
        """Grows whenever a judgment of a study is made or changed. Raises `UnknownStudy`."""
        with self.reading() as session:
            revisions = session.scalar(
                select(func.sum(JudgmentRow.revision))
                .join(AssignmentRow, AssignmentRow.id == JudgmentRow.assignment_id)
                .join(PairRow, PairRow.id == AssignmentRow.pair_id)
                .where(PairRow.study_id == find_study(session, name).id)
            )
            return revisions or 0

    # --- annotators --------------------------------------------------------------------------------------

    def join(self, *, study: str, name: str) -> Annotator:
        """The annotator of that name, new or returning. Raises `UnknownStudy`, `StudyClosed`, `NameTaken`."""
        name = normalize("NFC", checked_name(name))  # one person, however their keyboard writes an é
        try:
            with self.writing() as session:
                row = find_study(session, study)
                known = session.scalar(
                    select(AnnotatorRow).where(AnnotatorRow.study_id == row.id, AnnotatorRow.name == name)
                )
                if known is not None and known.invited:
                    raise NameTaken(f"{name!r} was invited by a link; open that link, or choose another name")
                if known is None:
                    if row.closed_at is not None:
                        raise StudyClosed(f"the study {study!r} is closed")
                    known = new_annotator(row, name, invited=False)
                    session.add(known)
                    session.flush()
                return to_annotator(known)
        except IntegrityError:  # the same name joined in another session at this moment
            return self.join(study=study, name=name)

    def invite(self, *, study: str, name: str) -> Annotator:
        """An annotator whose work only their token opens, new or invited before.

        Raises `UnknownStudy`, `StudyClosed`, and `NameTaken` where somebody of that name came without an invite.
        """
        name = normalize("NFC", checked_name(name))
        try:
            with self.writing() as session:
                row = find_study(session, study)
                if row.closed_at is not None:
                    raise StudyClosed(f"the study {study!r} is closed")
                known = session.scalar(
                    select(AnnotatorRow).where(AnnotatorRow.study_id == row.id, AnnotatorRow.name == name)
                )
                if known is not None and not known.invited:
                    raise NameTaken(f"the study {study!r} already has an annotator {name!r}")
                if known is None:
                    known = new_annotator(row, name, invited=True)
                    session.add(known)
                    session.flush()
                return to_annotator(known)
        except IntegrityError:  # somebody of that name joined or was invited at this moment
            return self.invite(study=study, name=name)

    def annotator(self, token: str) -> Annotator:
        """The annotator whom a token belongs to. Raises `UnknownInvite`."""
        with self.reading() as session:
            row = session.scalar(
                select(AnnotatorRow).where(AnnotatorRow.token == plain(token)).options(joinedload(AnnotatorRow.study))
            )
            if row is None:
                raise UnknownInvite("this invite is not known; ask whoever sent it for a new link")
            return to_annotator(row)

    # --- assignment --------------------------------------------------------------------------------------

    def next_task(self, annotator: Annotator) -> Task | None:
        """The pair that an annotator is to judge now, None where none is left or the study is closed.

        An open assignment comes back first, so that a reload shows the same pair with the same sides. Else the pair
        with the fewest judgments among those that want more and that the annotator has not been given; now and then
        an attention check instead, and at the end those that are left.
        """
        with self.writing() as session:
            assigned_id = assign(session, annotator.id)
            return None if assigned_id is None else to_task(session, assigned_id)

    def task(self, annotator: Annotator, assignment_id: int) -> Task:
        """A pair that the annotator was given. Raises `NotAssigned`."""
        with self.reading() as session:
            find_assignment(session, annotator, assignment_id)
            return to_task(session, assignment_id)

    def previous_task(self, annotator: Annotator, assignment_id: int | None = None) -> Task | None:
        """The pair that the annotator was given before another one (None: before the end), to look at or change."""
        with self.reading() as session:
            earlier = (
                select(AssignmentRow.id)
                .where(AssignmentRow.annotator_id == annotator.id, AssignmentRow.reserved_until.is_(None))
                .order_by(AssignmentRow.id.desc())
                .limit(1)
            )
            if assignment_id is not None:
                earlier = earlier.where(AssignmentRow.id < assignment_id)
            found = session.scalar(earlier)
            return None if found is None else to_task(session, found)

    # --- judgments ---------------------------------------------------------------------------------------

    def judge(
        self,
        *,
        annotator: Annotator,
        assignment_id: int,
        choice: str,
        presented_at: datetime,
        decided_at: datetime | None = None,
        rationale: str | None = None,
        change: bool = False,
    ) -> None:
        """Record a choice (`left`, `right` or `tie`); it is on disk when this returns.

        With `change` an earlier choice is replaced and kept as a revision; a pair that was skipped can be judged
        after all, and the skip stays on record.

        Raises `AlreadyJudged`, `NotAssigned`, `StudyClosed`, `TooSoon`, or StoreError for a tie where
        the study has none.
        """
        decided_at = decided_at or now()
        if presented_at.tzinfo is None or decided_at.tzinfo is None:
            raise StoreError("a time without a time zone cannot be stored")
        if decided_at - presented_at < SOONEST:
            raise TooSoon("the choice came too soon after the pair was shown; it was not saved")
        with self.writing() as session:
            assignment = find_assignment(session, annotator, assignment_id, lock=True)
            study = assignment.pair.study
            if study.closed_at is not None:
                raise StudyClosed(f"the study {study.name!r} is closed; the choice was not saved")
            if choice not in CHOICES or (choice == "tie" and not study.ties):
                raise StoreError(f"{choice!r} is not a choice of this study")
            judgment = assignment.judgment
            if judgment is not None and not change:
                raise AlreadyJudged("this pair is already judged; go back to it to change the choice")
            if judgment is None:
                judgment = JudgmentRow(assignment_id=assignment.id, revision=1)
                session.add(judgment)
                assignment.pair.judgments = PairRow.judgments + 1  # added by the database, whoever else judges the pair
            else:
                session.add(revision_of(judgment))
                judgment.revision += 1
            judgment.chosen_id = chosen_id(assignment, choice)
            judgment.presented_at, judgment.decided_at = presented_at, decided_at
            judgment.rationale = plain(rationale or "") or None
            assignment.reserved_until = None

    def skip(self, *, annotator: Annotator, assignment_id: int, reason: str) -> None:
        """Leave a pair unjudged, saying why.

        Raises `AlreadyJudged`, `NotAssigned`, `StudyClosed`, or StoreError without a reason.
        """
        reason = plain(reason)
        if not reason:
            raise StoreError("say why the pair is skipped")
        with self.writing() as session:
            assignment = find_assignment(session, annotator, assignment_id, lock=True)
            study = assignment.pair.study
            if study.closed_at is not None:
                raise StudyClosed(f"the study {study.name!r} is closed; the pair was not skipped")
            if assignment.judgment is not None:
                raise AlreadyJudged("this pair is already judged; it cannot be skipped any more")
            assignment.reserved_until = None
            assignment.skipped_at, assignment.skip_reason = now(), reason

    # --- progress ----------------------------------------------------------------------------------------

    def progress(self, annotator: Annotator) -> Progress:
        """How far an annotator is."""
        with self.reading() as session:
            given, judged, skipped = session.execute(
                select(
                    func.count(AssignmentRow.id),
                    func.count(JudgmentRow.id),
                    func.count(AssignmentRow.skipped_at).filter(JudgmentRow.id.is_(None)),
                )
                .outerjoin(JudgmentRow)
                .where(AssignmentRow.annotator_id == annotator.id)
            ).one()
            times = session.execute(
                select(JudgmentRow.presented_at, JudgmentRow.decided_at)
                .join(AssignmentRow)
                .where(AssignmentRow.annotator_id == annotator.id)
                .order_by(AssignmentRow.id.desc())
                .limit(LATEST)
            ).all()
            row = session.get_one(AnnotatorRow, annotator.id)
            unseen = open_pairs(row).order_by(None).subquery()
            left = session.scalar(select(func.count()).select_from(unseen)) or 0
            left += sum(check.given_id is None for check in session.execute(checks_of(row)))
        took = [(decided - presented).total_seconds() for presented, decided in times]
        return Progress(
            judged=judged,
            skipped=skipped,
            open=given - judged - skipped + left,
            seconds=median(took) if took else None,
        )

    def annotators(self, study: str) -> list[AnnotatorProgress]:
        """A study's annotators and what each has done, in the order in which they joined."""
        with self.reading() as session:
            row = find_study(session, study)
            table: dict[str, list[Done]] = {
                name: []
                for name in session.scalars(
                    select(AnnotatorRow.name).where(AnnotatorRow.study_id == row.id).order_by(AnnotatorRow.id)
                )
            }
            name: str
            done: list[Any]
            for name, *done in session.execute(
                select(
                    AnnotatorRow.name,
                    AssignmentRow.left_id,
                    AssignmentRow.skipped_at,
                    PairRow.expected_id,
                    JudgmentRow.chosen_id,
                    JudgmentRow.presented_at,
                    JudgmentRow.decided_at,
                )
                .join(AssignmentRow, AssignmentRow.annotator_id == AnnotatorRow.id)
                .join(PairRow, PairRow.id == AssignmentRow.pair_id)
                .outerjoin(JudgmentRow, JudgmentRow.assignment_id == AssignmentRow.id)
                .where(AnnotatorRow.study_id == row.id)
            ):
                table[name].append(Done(*done))
            return [to_progress(name, done) for name, done in table.items()]


# --- what the methods above are made of -------------------------------------------------------------------


def draw(session: Session, spec: StudySpec) -> Sample:
    """Sample the pairs of a specification."""
    dataset = find_dataset(session, spec.dataset)
    known = list(systems_of(session, dataset))
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
    if spec.rule not in RULES:
        raise StoreError(f"unknown rule {spec.rule!r}; known are {', '.join(RULES)}")
    if spec.rule == "conflicts" and len(spec.compared) < 2:
        raise StoreError("metrics can contradict each other only where at least two are named")
    scores = {signature: scores_under(session, dataset, signature) for signature in spec.compared}
    documents: dict[int, list[Candidate]] = {}
    for row in session.scalars(
        select(SummaryRow)
        .join(DocumentRow)
        .where(DocumentRow.dataset_id == dataset.id, SummaryRow.system.in_(systems))
        .order_by(DocumentRow.position, SummaryRow.id)
    ):
        lacking = [signature for signature, known in scores.items() if row.example not in known]
        if lacking:
            metrics = ",".join(dict.fromkeys(signature.split("|")[0] for signature in lacking))
            raise ScoresMissing(
                f"data set {spec.dataset!r} has summaries without a score under {' and '.join(lacking)}; first run "
                f"relevance score {shlex.quote(spec.dataset)} --metrics {metrics}"
            )
        values = tuple(known[row.example] for known in scores.values())
        documents.setdefault(row.document_id, []).append(Candidate(row.id, row.system, row.text, values))
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


def scores_under(session: Session, dataset: DatasetRow, signature: str) -> dict[str, float | None]:
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


def find_study(session: Session, name: str) -> StudyRow:
    """The row of a study. Raises `UnknownStudy`."""
    row = session.scalar(select(StudyRow).where(StudyRow.name == name))
    if row is None:
        known = session.scalars(select(StudyRow.name).order_by(StudyRow.name)).all()
        raise UnknownStudy(f"there is no study {name!r}; there are {', '.join(known) or 'none'}")
    return row


def to_study(session: Session, row: StudyRow) -> Study:
    """The record of a study's row, with its counts."""
    ordinary = PairRow.expected_id.is_(None)
    pairs, checks, judgments = session.execute(
        select(
            func.count().filter(ordinary),
            func.count(PairRow.expected_id),
            func.coalesce(func.sum(PairRow.judgments).filter(ordinary), 0),
        ).where(PairRow.study_id == row.id)
    ).one()
    return Study(
        id=row.id,
        name=row.name,
        dataset=row.dataset.name,
        question=row.question,
        instructions=row.instructions,
        systems=tuple(row.systems),
        rule=row.rule,
        signatures=tuple(row.signatures or ()),
        random_share=row.random_share,
        pairs=pairs,
        checks=checks,
        judgments_per_pair=row.judgments_per_pair,
        ties=row.ties,
        seed=row.seed,
        identical=row.identical,
        unscored=row.unscored,
        eligible=row.eligible,
        conflicts=row.conflicts,
        judgments=judgments,
        created_at=row.created_at,
        closed_at=row.closed_at,
    )


def new_annotator(study: StudyRow, name: str, *, invited: bool) -> AnnotatorRow:
    """An annotator with a token that cannot be guessed."""
    return AnnotatorRow(study=study, name=name, token=secrets.token_urlsafe(24), invited=invited)


def to_annotator(row: AnnotatorRow) -> Annotator:
    """The record of an annotator's row."""
    return Annotator(id=row.id, name=row.name, study=row.study.name, token=row.token, invited=row.invited)


def open_assignment(session: Session, annotator_id: int) -> int | None:
    """The assignment that an annotator has neither judged nor skipped."""
    return session.scalar(
        select(AssignmentRow.id)
        .where(AssignmentRow.annotator_id == annotator_id, AssignmentRow.reserved_until.is_not(None))
        .order_by(AssignmentRow.id)
        .limit(1)
    )


def open_pairs(annotator: AnnotatorRow) -> Select[int, int, int]:
    """Select the pairs that want more judgments and that the annotator was not given, the most wanted first.

    A fresh assignment of somebody else counts as the judgment that it will probably become.
    """
    study = annotator.study
    reserved = (
        select(AssignmentRow.pair_id, func.count().label("places"))
        .where(AssignmentRow.reserved_until > now())
        .group_by(AssignmentRow.pair_id)
        .subquery()
    )
    taken = PairRow.judgments + func.coalesce(reserved.c.places, 0)
    given = select(AssignmentRow.pair_id).where(AssignmentRow.annotator_id == annotator.id)
    return (
        select(PairRow.id, PairRow.first_id, PairRow.second_id)
        .outerjoin(reserved, reserved.c.pair_id == PairRow.id)
        .where(
            PairRow.study_id == study.id,
            PairRow.expected_id.is_(None),
            PairRow.id.not_in(given),
            taken < study.judgments_per_pair,
        )
        .order_by(taken, PairRow.position)
    )


def checks_of(annotator: AnnotatorRow) -> Select[int, int, int, int, int | None]:
    """Select the study's attention checks in order, each with the annotator's assignment where they were given it."""
    return (
        select(PairRow.id, PairRow.first_id, PairRow.second_id, PairRow.position, AssignmentRow.id.label("given_id"))
        .outerjoin(AssignmentRow, (AssignmentRow.pair_id == PairRow.id) & (AssignmentRow.annotator_id == annotator.id))
        .where(PairRow.study_id == annotator.study_id, PairRow.expected_id.is_not(None))
        .order_by(PairRow.position)
    )


def check_is_due(session: Session, study: StudyRow, *, pairs: int, checks: int, turn: int) -> bool:
    """Whether an annotator's `turn`-th pair, counted from 0, is to be an attention check.

    The checks are spread over the pairs that an annotator of as many as there are by now will probably get.
    """
    annotators = session.scalar(select(func.count()).where(AnnotatorRow.study_id == study.id)) or 1
    share = min(pairs, pairs * study.judgments_per_pair // annotators)
    return (turn + 1) % max(2, share // (checks + 1)) == 0


def assign(session: Session, annotator_id: int) -> int | None:
    """Give the annotator a pair, or none where the study is closed or has none left for them.

    A study's assignments are made one after another, so that no two people get a pair's last place, and one person's
    two windows get the same pair.
    """
    annotator = session.get_one(AnnotatorRow, annotator_id)
    lock_study(session, annotator.study_id)
    if annotator.study.closed_at is not None:
        return None
    open_id = open_assignment(session, annotator_id)
    if open_id is not None:
        return open_id
    study = annotator.study
    turn = session.scalar(select(func.count()).where(AssignmentRow.annotator_id == annotator_id)) or 0
    checks = session.execute(checks_of(annotator)).all()
    unseen = [check for check in checks if check.given_id is None]
    seen = len(checks) - len(unseen)
    pairs = checks[0].position if checks else 0  # checks come after all pairs
    pair: Row[int, int, int] | Row[int, int, int, int, int | None] | None = None
    if not unseen or not check_is_due(session, study, pairs=pairs, checks=len(checks), turn=turn):
        pair = session.execute(open_pairs(annotator).limit(1)).first()
    # Sides are evened out among the pairs alone; checks take turns that no pair comes to.
    side = turn - seen
    if pair is None and unseen:
        pair, side = unseen[0], 2 * pairs + seen
    if pair is None:
        return None
    first_left = first_is_left(seed=study.seed, annotator_id=annotator_id, turn=side)
    assignment = AssignmentRow(
        annotator_id=annotator_id,
        pair_id=pair.id,
        left_id=pair.first_id if first_left else pair.second_id,
        reserved_until=now() + RESERVED,
    )
    session.add(assignment)
    session.flush()
    return assignment.id


def lock_study(session: Session, study_id: int) -> None:
    """Wait until nobody else assigns pairs of a study. SQLite has one writer anyway and ignores it."""
    session.scalar(select(StudyRow.id).where(StudyRow.id == study_id).with_for_update(key_share=True))


def find_assignment(session: Session, annotator: Annotator, assignment_id: int, *, lock: bool = False) -> AssignmentRow:
    """An assignment of this annotator and of nobody else, with `lock` while it changes. Raises `NotAssigned`."""
    row = session.get(AssignmentRow, assignment_id, with_for_update=lock or None)
    if row is None or row.annotator_id != annotator.id:
        raise NotAssigned("this pair was not given to this annotator")
    return row


def to_task(session: Session, assignment_id: int) -> Task:
    """An assignment as its annotator sees it."""
    row = session.get_one(
        AssignmentRow,
        assignment_id,
        options=[
            joinedload(AssignmentRow.judgment),
            joinedload(AssignmentRow.pair).options(
                joinedload(PairRow.document), joinedload(PairRow.first), joinedload(PairRow.second)
            ),
        ],
        populate_existing=True,
    )
    pair, document = row.pair, row.pair.document
    left, right = (pair.first, pair.second) if row.left_id == pair.first_id else (pair.second, pair.first)
    # A title that is itself one of the two would give the pair away.
    shown = {summary.text for summary in (left, right)}
    title_stands = TITLE_SYSTEM in (left.system, right.system) or document.title in shown
    return Task(
        assignment_id=row.id,
        title=None if title_stands else document.title,
        source=document.source if isinstance(document.source, str) else tuple(document.source),
        left=left.text,
        right=right.text,
        choice=choice_of(row),
        rationale=None if row.judgment is None else row.judgment.rationale,
    )


def choice_of(row: AssignmentRow) -> str | None:
    """What was chosen in an assignment, by side."""
    if row.judgment is None:
        return None if row.skipped_at is None else "skip"
    if row.judgment.chosen_id is None:
        return "tie"
    return "left" if row.judgment.chosen_id == row.left_id else "right"


def plain(text: str) -> str:
    """A text that somebody typed, without outer blanks and what a database cannot store: NUL and half characters."""
    return text.replace("\0", "").encode(errors="replace").decode().strip()


def chosen_id(assignment: AssignmentRow, choice: str) -> int | None:
    """The summary that a side stands for; None for a tie."""
    if choice == "tie":
        return None
    pair = assignment.pair
    right_id = pair.second_id if assignment.left_id == pair.first_id else pair.first_id
    return assignment.left_id if choice == "left" else right_id


def revision_of(judgment: JudgmentRow) -> RevisionRow:
    """What a judgment says before it is changed."""
    return RevisionRow(
        judgment_id=judgment.id,
        revision=judgment.revision,
        chosen_id=judgment.chosen_id,
        presented_at=judgment.presented_at,
        decided_at=judgment.decided_at,
        rationale=judgment.rationale,
    )


class Done(NamedTuple):
    """An assignment, the choice that is expected in an attention check, and the judgment where there is one."""

    left_id: int
    skipped_at: datetime | None
    expected_id: int | None
    chosen_id: int | None
    presented_at: datetime | None
    decided_at: datetime | None


def to_progress(name: str, done: Sequence[Done]) -> AnnotatorProgress:
    """Sum up one annotator's assignments."""
    judged = [row for row in done if row.decided_at is not None]
    took = [
        (row.decided_at - row.presented_at).total_seconds() for row in judged if row.decided_at and row.presented_at
    ]
    pairs = [row for row in judged if row.expected_id is None]
    checks = [row.chosen_id == row.expected_id for row in judged if row.expected_id is not None]
    return AnnotatorProgress(
        annotator=name,
        judged=len(pairs),
        skipped=sum(row.skipped_at is not None and row.decided_at is None for row in done),
        seconds=median(took) if took else None,
        ties=sum(row.chosen_id is None for row in pairs),
        left=sum(row.chosen_id == row.left_id for row in pairs),
        latest=max((row.decided_at for row in judged if row.decided_at is not None), default=None),
        checks=len(checks),
        checks_passed=sum(checks),
    )
