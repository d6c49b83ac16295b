"""Adjudication: decisions on the pairs on which annotators agree least. Their judgments stay as they are."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy import Row, Select, func, select
from sqlalchemy.orm import Session, joinedload

from relevance.annotation.adjudication_records import (
    Adjudication,
    AdjudicationTask,
    AlreadyDecided,
    Confirmation,
    ContestedPair,
    Decision,
    UnknownPair,
    Vote,
)
from relevance.annotation.assigning import show_pair
from relevance.annotation.inputs import clean_text, person_name
from relevance.annotation.protocol.tables import AdjudicationRow
from relevance.annotation.records import BOTH_BAD, CHOICES
from relevance.annotation.results import load_judgments, to_float_column
from relevance.annotation.sampling import first_is_left
from relevance.annotation.store import AnnotationStore
from relevance.annotation.studies import find_study, may
from relevance.annotation.tables import AnnotatorRow, AssignmentRow, JudgmentRow, PairRow, StudyRow
from relevance.annotation.timing import check_times
from relevance.data.database import now
from relevance.data.export import format_timestamp
from relevance.data.preferences import Preferences, to_name_column
from relevance.data.rights import Right, visitor_of
from relevance.data.store.base import Store, StoreError
from relevance.data.tables import DocumentRow, SummaryRow

ENOUGH = 2
"""The least number of judgments of a pair from which agreement can be told."""

ADJUDICATORS = 0
"""The annotator number by which sides are drawn for adjudicators: nobody has it, and all see a pair alike."""


class AdjudicationStore(Store):
    """Decisions of adjudicators over one engine, in a short session per call.

    On one's own machine `name` says who calls.
    """

    def pairs(self, study: str, name: str) -> list[ContestedPair]:
        """List the pairs that at least two annotators have judged, those of the lowest agreement first.

        Agreement is the share of the most frequent choice, a tie being a choice, without excluded annotators. Pairs of
        equal agreement are sorted by their number of judgments, the largest first, then as they were drawn. A decided
        pair stays in the list, however many judgments it has now. Raises `UnknownStudy`, `NotAllowed`.
        """
        with self.reading() as session:
            row = find_study(session, study, Right.ADJUDICATE)
            decisions = group_decisions(read_decisions(session, row.id))
            counts = count_votes(session, row.id)
            pairs = session.execute(
                select(PairRow.id, PairRow.position, PairRow.first_id).where(PairRow.study_id == row.id)
            )
            caller = caller_of(session, name)

            def rank(pair: Row[int, int, int]) -> tuple[float, int, int]:
                votes = counts[pair.id]
                return max(votes.values(), default=0) / max(1, votes.total()), -votes.total(), pair.position

            listed = [pair for pair in pairs if pair.id in decisions or counts[pair.id].total() >= ENOUGH]
            contested = []
            for number, pair in enumerate(sorted(listed, key=rank), 1):
                sides = Sides(pair.first_id, first_left(row, pair.position))
                decided = decisions.get(pair.id, [])
                contested.append(to_contested(number, pair.id, sides, counts[pair.id], decided, caller))
            return contested

    def task(self, study: str, pair_id: int, name: str) -> AdjudicationTask:
        """Return a pair to decide, with all votes and decisions once the caller has decided it.

        Raises `UnknownStudy`, `NotAllowed`, `UnknownPair`.
        """
        with self.reading() as session:
            pair = find_pair(session, find_study(session, study, Right.ADJUDICATE), pair_id)
            sides = Sides(pair.first_id, first_left(pair.study, pair.position))
            caller = caller_of(session, name)
            rows = session.scalars(of_pair(pair.id)).all()
            own = [row for row in rows if caller_of_row(row) == caller]
            shown = show_pair(pair, first_left=sides.first_is_left)
            if not own:
                return AdjudicationTask(pair.id, shown, (), ())
            cast = session.execute(select_votes(pair.study_id).where(PairRow.id == pair.id))
            votes = (Vote(BOTH_BAD if v.both_bad else sides.choice(v.chosen_id), v.rationale) for v in cast)
            return AdjudicationTask(
                pair.id,
                replace(shown, choice=sides.choice(own[-1].chosen_id), rationale=own[-1].reason),
                tuple(sorted(votes, key=order_of_vote)),
                tuple(to_decisions(rows, sides)),
            )

    def decide(
        self,
        *,
        study: str,
        pair_id: int,
        choice: str,
        presented_at: datetime,
        name: str,
        reason: str | None = None,
        change: bool = False,
    ) -> None:
        """Add a decision (`left`, `right` or `tie`) on a pair; it is on disk when this returns.

        With `change` it follows an earlier decision of the adjudicator, and both are kept. Raises `UnknownStudy`,
        `NotAllowed`, `UnknownPair`, `AlreadyDecided`, `TooSoon`, or StoreError for a tie where the study has none.
        """
        check_times(presented_at, now(), "the choice came too soon after the pair was shown; it was not saved")
        with self.writing() as session:
            row = find_study(session, study, Right.ADJUDICATE)
            pair = find_pair(session, row, pair_id)
            if choice not in ("left", "right", *(["tie"] if row.ties else [])):
                raise StoreError(f"{choice!r} is not a choice of this study")
            user_id, adjudicator = caller = caller_of(session, name)
            if not change and any(caller_of_row(row) == caller for row in session.scalars(of_pair(pair.id))):
                raise AlreadyDecided("you have decided this pair already; go back to it to change your decision")
            left_id, right_id = pair.first_id, pair.second_id
            if not first_left(row, pair.position):
                left_id, right_id = right_id, left_id
            session.add(
                AdjudicationRow(
                    pair_id=pair.id,
                    adjudicator=adjudicator,
                    user_id=user_id,
                    chosen_id={"left": left_id, "right": right_id, "tie": None}[choice],
                    reason=clean_text(reason or "") or None,
                )
            )

    def adjudications(self, study: str) -> list[Adjudication]:
        """List all decisions of a study, including those changed later, in the order of deciding.

        Raises `UnknownStudy`.
        """
        with self.reading() as session:
            row = find_study(session, study)
            rows = read_decisions(session, row.id, named=True)
            latest = {decision.pair_id: decision.id for decision in rows}
            standing = standing_of(rows)
            return [
                to_adjudication(row, decision, decision.id in standing, decision.id == latest[decision.pair_id])
                for decision in rows
            ]

    def confirmation(self, study: str) -> Confirmation:
        """Count how often decisions agree with most annotators. Raises `UnknownStudy`."""
        with self.reading() as session:
            row = find_study(session, study)
            counts, with_majority, confirmed, disputed = count_votes(session, row.id), 0, 0, 0
            decisions = group_decisions(read_decisions(session, row.id))
            for pair_id, rows in decisions.items():
                majority = find_majority(counts[pair_id])
                standing = standing_of(rows)
                with_majority += majority is not None
                confirmed += majority == (rows[-1].chosen_id,)
                disputed += len({row.chosen_id for row in rows if row.id in standing}) > 1
            return Confirmation(len(decisions), with_majority, confirmed, disputed)

    def decided(self) -> dict[str, int]:
        """Count the decided pairs by study name, for the studies with decisions that the caller may read."""
        with self.reading() as session:
            decided = session.execute(
                select(PairRow.study_id, func.count(AdjudicationRow.pair_id.distinct()))
                .join(AdjudicationRow, AdjudicationRow.pair_id == PairRow.id)
                .group_by(PairRow.study_id)
            ).all()
            counts = {study_id: count for study_id, count in decided}  # noqa: C416  # rows are not pairs to mypy
            rows = session.scalars(select(StudyRow).where(StudyRow.id.in_(counts))) if counts else ()
            return {row.name: counts[row.id] for row in rows if may(session, Right.READ, row)}

    def version(self, study: str) -> int:
        """Return a number that grows with every decision in the study. Raises `UnknownStudy`."""
        with self.reading() as session:
            study_id = find_study(session, study).id
            of_study = select(func.count(AdjudicationRow.id)).join(PairRow).where(PairRow.study_id == study_id)
            return session.scalar(of_study) or 0


# --- who decides, and on which sides ------------------------------------------------------------------------------

Caller = tuple[int | None, str]
"""An adjudicator: the account (None on one's own machine) and the name."""


def caller_of(session: Session, name: str) -> Caller:
    """Return the caller: an account under its own name, whatever is given; anybody else under the given name."""
    visitor = visitor_of(session)
    return visitor.user_id, person_name(visitor.name or name)


def caller_of_row(row: AdjudicationRow) -> Caller:
    """Return the adjudicator who made a decision."""
    return row.user_id, row.adjudicator


def first_left(study: StudyRow, position: int) -> bool:
    """Tell whether adjudicators see a pair's first summary on the left."""
    return first_is_left(seed=study.seed, annotator_id=ADJUDICATORS, turn=position)


class Sides(NamedTuple):
    """The sides on which adjudicators see the summaries of a pair."""

    first_id: int
    first_is_left: bool

    def choice(self, chosen_id: int | None) -> str:
        """Return a choice by its side."""
        if chosen_id is None:
            return "tie"
        return "left" if (chosen_id == self.first_id) == self.first_is_left else "right"


# --- votes and decisions of a study -------------------------------------------------------------------------------


def select_votes(study_id: int) -> Select[int, int | None, bool, str | None]:
    """Select the choices and reasons of the annotators of a study's pairs, without excluded annotators."""
    return (
        select(PairRow.id.label("pair_id"), JudgmentRow.chosen_id, JudgmentRow.both_bad, JudgmentRow.rationale)
        .join(AssignmentRow, AssignmentRow.pair_id == PairRow.id)
        .join(JudgmentRow, JudgmentRow.assignment_id == AssignmentRow.id)
        .join(AnnotatorRow, AnnotatorRow.id == AssignmentRow.annotator_id)
        .where(PairRow.study_id == study_id, PairRow.expected_id.is_(None), AnnotatorRow.excluded_at.is_(None))
    )


def count_votes(session: Session, study_id: int) -> defaultdict[int, Counter[int | None]]:
    """Count by pair how many annotators chose each summary (None: a tie); pairs without a judgment have no entry."""
    votes = select_votes(study_id).with_only_columns(PairRow.id, JudgmentRow.chosen_id, func.count())
    counts: defaultdict[int, Counter[int | None]] = defaultdict(Counter)
    for pair_id, chosen_id, count in session.execute(votes.group_by(PairRow.id, JudgmentRow.chosen_id)):
        counts[pair_id][chosen_id] = count
    return counts


def find_majority(votes: Counter[int | None]) -> tuple[int | None] | None:
    """Return the most frequent choice in a 1-tuple (as a tie is None); None where no choice is the most frequent."""
    best = votes.most_common(2)
    if not best or (len(best) > 1 and best[0][1] == best[1][1]):
        return None
    return (best[0][0],)


def of_pair(pair_id: int) -> Select[AdjudicationRow]:
    """Select the decisions of a pair, the earliest first."""
    return select(AdjudicationRow).where(AdjudicationRow.pair_id == pair_id).order_by(AdjudicationRow.id)


def read_decisions(session: Session, study_id: int, *, named: bool = False) -> Sequence[AdjudicationRow]:
    """Read all decisions of a study in order, each with its pair; with `named`, also its document and systems."""
    pair = joinedload(AdjudicationRow.pair)
    names = (
        pair.joinedload(PairRow.document).load_only(DocumentRow.key),
        pair.joinedload(PairRow.first).load_only(SummaryRow.system),
        pair.joinedload(PairRow.second).load_only(SummaryRow.system),
    )
    return session.scalars(
        select(AdjudicationRow)
        .join(PairRow, PairRow.id == AdjudicationRow.pair_id)
        .where(PairRow.study_id == study_id)
        .order_by(AdjudicationRow.id)
        .options(*(names if named else (pair,)))
    ).all()


def group_decisions(rows: Iterable[AdjudicationRow]) -> dict[int, list[AdjudicationRow]]:
    """Group decisions by pair."""
    by_pair: dict[int, list[AdjudicationRow]] = {}
    for row in rows:
        by_pair.setdefault(row.pair_id, []).append(row)
    return by_pair


def standing_of(rows: Iterable[AdjudicationRow]) -> set[int]:
    """Return the numbers of the decisions that their adjudicators have not changed since; `rows` are in order."""
    return {*{(row.pair_id, caller_of_row(row)): row.id for row in rows}.values()}


def find_pair(session: Session, study: StudyRow, pair_id: int) -> PairRow:
    """Find the row of a pair that may be adjudicated. Raises `UnknownPair`."""
    row = session.get(
        PairRow,
        pair_id,
        options=[joinedload(PairRow.document), joinedload(PairRow.first), joinedload(PairRow.second)],
    )
    if row is None or row.study_id != study.id or row.expected_id is not None:
        raise UnknownPair("there is no such pair in this study")
    votes = session.execute(select_votes(study.id).where(PairRow.id == pair_id)).all()
    if len(votes) < ENOUGH and session.scalar(of_pair(pair_id).limit(1)) is None:
        raise UnknownPair("fewer than two annotators have judged this pair")
    return row


# --- rows into records --------------------------------------------------------------------------------------------


def order_of_vote(vote: Vote) -> tuple[int, str]:
    """Return the sort key of a vote, which reveals nothing about who voted."""
    return CHOICES.index(vote.choice), vote.rationale or ""


def to_decisions(rows: Iterable[AdjudicationRow], sides: Sides) -> Iterable[Decision]:
    """Make records of the decisions of a pair."""
    rows = list(rows)
    standing = standing_of(rows)
    return (
        Decision(row.adjudicator, sides.choice(row.chosen_id), row.reason, row.decided_at, row.id in standing)
        for row in rows
    )


def to_contested(
    number: int,
    pair_id: int,
    sides: Sides,
    votes: Counter[int | None],
    rows: Sequence[AdjudicationRow],
    caller: Caller,
) -> ContestedPair:
    """Make the record of a pair in the list."""
    own = [row for row in rows if caller_of_row(row) == caller]
    unanimous = len(votes) == 1
    if not own:
        return ContestedPair(pair_id, number, unanimous, None, {}, ())
    others = (
        decision
        for row, decision in zip(rows, to_decisions(rows, sides), strict=True)
        if row not in own and decision.stands
    )
    counts = {sides.choice(chosen_id): count for chosen_id, count in votes.items()}
    choice = sides.choice(own[-1].chosen_id)
    return ContestedPair(pair_id, number, unanimous, choice, counts, tuple(others))


def to_adjudication(study: StudyRow, row: AdjudicationRow, stands: bool, is_decision: bool) -> Adjudication:
    """Make the record of a decision for files."""
    pair = row.pair
    systems = {pair.first_id: pair.first.system, pair.second_id: pair.second.system}
    sides = Sides(pair.first_id, first_left(study, pair.position))
    return Adjudication(
        study=study.name,
        dataset=study.dataset.name,
        pair=pair.position,
        document_id=pair.document.key,
        system_a=pair.first.system,
        system_b=pair.second.system,
        left=pair.first.system if sides.first_is_left else pair.second.system,
        adjudicator=row.adjudicator,
        choice=sides.choice(row.chosen_id),
        chosen=None if row.chosen_id is None else systems[row.chosen_id],
        reason=row.reason,
        decided_at=row.decided_at,
        stands=stands,
        is_decision=is_decision,
    )


# --- for analyses and files ---------------------------------------------------------------------------------------


def load_adjudications(store: AnnotationStore, study: str) -> Preferences:
    """Load the decisions of a study in the form of judgments, the latest one of each pair. Raises `UnknownStudy`."""
    judged = load_judgments(store, study)
    with store.reading() as session:
        study_row = find_study(session, study)
        pairs = select(PairRow.id).where(PairRow.study_id == study_row.id, PairRow.expected_id.is_(None))
        place = {pair_id: number for number, pair_id in enumerate(session.scalars(pairs.order_by(PairRow.position)))}
        latest = {row.pair_id: row for row in read_decisions(session, study_row.id)}
        rows = sorted(latest.values(), key=lambda row: row.id)
        first_chosen = to_float_column(
            [None if row.chosen_id is None else row.chosen_id == row.pair.first_id for row in rows]
        )
        on_left = to_float_column([first_left(study_row, row.pair.position) for row in rows])
    return replace(
        judged,
        pair=np.array([place[row.pair_id] for row in rows], dtype=np.intp),
        choices=np.nan_to_num(2 * first_chosen - 1),
        annotators=to_name_column([row.adjudicator for row in rows]),
        left=np.where(np.isnan(first_chosen), np.nan, first_chosen == on_left),
        took=np.full(len(rows), np.nan),
        both_bad=None,
    )


def export_adjudications(store: AdjudicationStore, study: str, *, names: bool = False) -> list[dict[str, Any]]:
    """Return all decisions of a study as records of plain JSON values.

    Adjudicators are numbered; their `names` are for the study's managers. Raises `UnknownStudy`, `NotAllowed`.
    """
    if names:
        with store.reading() as session:
            find_study(session, study, Right.MANAGE)
    decisions = store.adjudications(study)
    people = dict.fromkeys(decision.adjudicator for decision in decisions)
    called = {name: name if names else f"adjudicator {number}" for number, name in enumerate(people, 1)}
    return [
        {
            **decision._asdict(),
            "adjudicator": called[decision.adjudicator],
            "decided_at": format_timestamp(decision.decided_at),
        }
        for decision in decisions
    ]
