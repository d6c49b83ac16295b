"""The choice of an annotator's next pair, and the pair as they see it."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import NamedTuple

from sqlalchemy import Row, ScalarSelect, Select, bindparam, case, exists, func, select
from sqlalchemy.orm import Session, joinedload

from relevance.annotation.entering import state_of_study
from relevance.annotation.judging import see_marks
from relevance.annotation.phases import DECLINED, SCREENED_OUT
from relevance.annotation.protocol.records import Judging, StudyProtocol
from relevance.annotation.records import BOTH_BAD, OPEN, Annotator, JudgmentTask, WorkGone
from relevance.annotation.sampling import first_is_left
from relevance.annotation.tables import AnnotatorRow, AssignmentRow, JudgmentRow, PairRow, RevisionRow, StudyRow
from relevance.data.database import now
from relevance.data.records import TITLE_SYSTEM
from relevance.data.store.rows import to_source

RESERVED = timedelta(minutes=30)
"""The time for which an undecided assignment keeps its place among the judgments that a pair still wants.

Whoever returns later finds it still there, and their judgment counts even if somebody else took the place.
"""


def select_wanted(*, in_drawn_order: bool) -> Select[int, int, int]:
    """Select the pairs that want more judgments and that an annotator was not given, the most wanted first.

    A recent assignment of somebody else counts as the judgment that it will probably become. Pairs that two people
    judge come before the others, so that their agreement is known early. If documents are completed in the drawn
    order, the earliest pair comes first instead, so that no more documents are begun than people need at the moment,
    and a skip takes a place of the pair, too.
    """
    reserved = (
        select(AssignmentRow.pair_id, func.count().label("places"))
        .where(AssignmentRow.reserved_until > bindparam("moment"))
        .group_by(AssignmentRow.pair_id)
        .subquery()
    )
    done = PairRow.judgments + count_skips() if in_drawn_order else PairRow.judgments
    taken = done + func.coalesce(reserved.c.places, 0)
    given = select(AssignmentRow.pair_id).where(AssignmentRow.annotator_id == bindparam("annotator"))
    once = case((PairRow.position < bindparam("twice"), 0), else_=1)
    return (
        select(PairRow.id, PairRow.first_id, PairRow.second_id)
        .outerjoin(reserved, reserved.c.pair_id == PairRow.id)
        .where(
            PairRow.study_id == bindparam("study"),
            PairRow.expected_id.is_(None),
            PairRow.id.not_in(given),
            taken < bindparam("judgments") + 1 - once,
        )
        .order_by(*(() if in_drawn_order else (once, taken)), PairRow.position)
    )


def count_skips() -> ScalarSelect[int]:
    """Count the annotators who skipped a pair, did not judge it later, and are not excluded."""
    return (
        select(func.count())
        .select_from(AssignmentRow)
        .join(AnnotatorRow)
        .where(
            AssignmentRow.pair_id == PairRow.id,
            AssignmentRow.skipped_at.is_not(None),
            AnnotatorRow.excluded_at.is_(None),
            ~exists().where(JudgmentRow.assignment_id == AssignmentRow.id),
        )
        .correlate(PairRow)
        .scalar_subquery()
    )


# Each click of an annotator needs these: they are built once, as that takes longer than running them.
WANTED = {drawn: select_wanted(in_drawn_order=drawn) for drawn in (False, True)}
"""The pairs that are wanted, for studies without and with an order of documents."""
NEXT = {drawn: pairs.add_columns(func.count().over().label("wanted")).limit(1) for drawn, pairs in WANTED.items()}
"""The first of them, with the number of all."""
CHECKS = (
    select(PairRow.id, PairRow.first_id, PairRow.second_id, PairRow.position, AssignmentRow.id.label("given_id"))
    .outerjoin(
        AssignmentRow, (AssignmentRow.pair_id == PairRow.id) & (AssignmentRow.annotator_id == bindparam("annotator"))
    )
    .where(PairRow.study_id == bindparam("study"), PairRow.expected_id.is_not(None))
    .order_by(PairRow.position)
)
"""The attention checks in order, each with the annotator's assignment if they were given it."""
ANSWERED = (
    select(
        func.count(AssignmentRow.id),
        func.count(JudgmentRow.id),
        func.count(JudgmentRow.id).filter(JudgmentRow.revision > 1),
        func.count(AssignmentRow.skipped_at).filter(JudgmentRow.id.is_(None)),
    )
    .outerjoin(JudgmentRow)
    .where(AssignmentRow.annotator_id == bindparam("annotator"))
)
UNDECIDED = (
    select(AssignmentRow.id)
    .where(AssignmentRow.annotator_id == bindparam("annotator"), AssignmentRow.reserved_until.is_not(None))
    .order_by(AssignmentRow.id)
    .limit(1)
)
NUMBER = select(func.count()).where(
    AssignmentRow.annotator_id == bindparam("annotator"), AssignmentRow.id <= bindparam("assignment")
)
PEOPLE = select(func.count()).where(
    AnnotatorRow.study_id == bindparam("study"), AnnotatorRow.phase.not_in((DECLINED, SCREENED_OUT))
)


TEXTS = joinedload(PairRow.document), joinedload(PairRow.first), joinedload(PairRow.second)
WITH_TEXTS = joinedload(AssignmentRow.judgment), joinedload(AssignmentRow.pair).options(*TEXTS)


class Queue(NamedTuple):
    """The pairs that an annotator, or a newcomer, was given and has answered, and those still to come."""

    given: int
    """Pairs and checks that they were given."""
    judged: int
    changed: int
    skipped: int
    checks: Sequence[Row[int, int, int, int, int | None]]
    following: Row[int, int, int, int] | None
    """The most wanted pair that they were not given, with the number of all such pairs as `wanted`."""
    judging: Judging

    @property
    def seen(self) -> int:
        """The number of checks that they were given."""
        return sum(check.given_id is not None for check in self.checks)

    @property
    def to_come(self) -> int:
        """The number of pairs and checks that they may still be given."""
        wanted = 0 if self.following is None else self.following.wanted
        pairs = limit_pairs(wanted, self.judging.most_per_annotator, self.given - self.seen)
        return pairs + len(self.checks) - self.seen

    @property
    def open(self) -> int:
        """The number of pairs and checks that they have not decided or may still be given."""
        return self.given - self.judged - self.skipped + self.to_come


def read_queue(session: Session, study: StudyRow, annotator_id: int | None, rules: StudyProtocol) -> Queue:
    """Read what an annotator has done and what is to come; nothing is to come in a study that is not open."""
    of_annotator = {"annotator": annotator_id}
    given, judged, changed, skipped = session.execute(ANSWERED, of_annotator).one()
    checks: Sequence[Row[int, int, int, int, int | None]] = ()
    following = None
    if study.stopped_at is None and state_of_study(study, rules) == OPEN:
        checks = session.execute(CHECKS, {"study": study.id, **of_annotator}).all()
        following = session.execute(NEXT[study.in_drawn_order], wanted_by(study, annotator_id, rules.judging)).first()
    return Queue(given, judged, changed, skipped, checks, following, rules.judging)


def wanted_by(study: StudyRow, annotator_id: int | None, judging: Judging) -> dict[str, object]:
    """Return the parameters of `WANTED`."""
    return {
        "study": study.id,
        "annotator": annotator_id,
        "judgments": judging.judgments_per_pair,
        "twice": judging.judged_twice,
        "moment": now(),
    }


def limit_pairs(pairs: int, most: int | None, given: int) -> int:
    """Limit a number of pairs by the most that one annotator judges, of which some were given."""
    return pairs if most is None else max(0, min(pairs, most - given))


def check_is_due(session: Session, study: StudyRow, queue: Queue) -> bool:
    """Tell whether an annotator's next pair is to be an attention check.

    The checks are spread over the pairs that each of the present number of annotators will probably get, at most
    the most that one of them judges. Those who declined or were screened out judge nothing and are not counted.
    """
    if queue.seen == len(queue.checks):
        return False
    pairs: int = queue.checks[0].position  # checks come after all pairs
    most = limit_pairs(pairs, queue.judging.most_per_annotator, 0)
    annotators = session.scalar(PEOPLE, {"study": study.id}) or 1
    share = min(most, queue.judging.count_wanted(pairs) // annotators)
    return (queue.given + 1) % max(2, share // (len(queue.checks) + 1)) == 0


def assign_pair(session: Session, annotator: AnnotatorRow, queue: Queue) -> int | None:
    """Assign a pair to the annotator; return None if no pair is left or they have had as many as they may.

    A pair that they have not decided comes back.
    The caller holds the study (`lock_study`) since before it read the queue: assignments of a study are made one after
    another, so that no two people get the last place of a pair, and two windows of one person get the same pair.
    """
    if queue.given > queue.judged + queue.skipped:
        return session.scalar(UNDECIDED, {"annotator": annotator.id})
    study, moment = annotator.study, now()
    pair: Row[int, int, int, int] | Row[int, int, int, int, int | None] | None = queue.following
    most = queue.judging.most_per_annotator
    has_enough = most is not None and queue.given - queue.seen >= most
    if has_enough or check_is_due(session, study, queue):
        pair = None
    # Sides are evened out among the pairs alone; checks take turns that no pair comes to.
    side = queue.given - queue.seen
    if pair is None and queue.seen < len(queue.checks):
        pair = next(check for check in queue.checks if check.given_id is None)
        side = 2 * queue.checks[0].position + queue.seen
    if pair is None:
        return None
    first_left = first_is_left(seed=study.seed, annotator_id=annotator.id, turn=side)
    assignment = AssignmentRow(
        annotator_id=annotator.id,
        pair_id=pair.id,
        left_id=pair.first_id if first_left else pair.second_id,
        reserved_until=moment + RESERVED,
    )
    session.add(assignment)
    annotator.seen_at = moment
    session.flush()
    return assignment.id


def lock_study(session: Session, study: StudyRow) -> None:
    """Wait until nobody else assigns pairs of a study, and read it as it is then; SQLite has one writer anyway."""
    if session.get_bind().dialect.name == "postgresql":
        session.refresh(study, with_for_update={"key_share": True})


def find_assignment(session: Session, annotator: Annotator, assignment_id: int, *, lock: bool = False) -> AssignmentRow:
    """Find an assignment of this annotator only, and with `lock` lock it for a change. Raises `WorkGone`."""
    # The judgment is not read in the same query: one that was made while this waited for the lock would be missing.
    with_pair = joinedload(AssignmentRow.pair, innerjoin=True)
    hold = {"of": AssignmentRow} if lock else None
    row = session.get(AssignmentRow, assignment_id, options=[with_pair], with_for_update=hold)
    if row is None or row.annotator_id != annotator.id:
        raise WorkGone("this pair was not given to this annotator")
    return row


def to_judgment_task(session: Session, assignment_id: int) -> JudgmentTask:
    """Return an assignment as its annotator sees it."""
    row = session.get_one(AssignmentRow, assignment_id, options=WITH_TEXTS, populate_existing=True)
    shown = show_pair(row.pair, first_left=row.left_id == row.pair.first_id)
    number = session.scalar(NUMBER, {"annotator": row.annotator_id, "assignment": row.id}) or 0
    shown = replace(shown, assignment_id=row.id, number=number, choice=choice_of(row))
    judgment = row.judgment
    if judgment is None:
        return shown
    marks = see_marks(row, judgment.marks or ())
    return replace(shown, rationale=judgment.rationale, confidence=judgment.confidence, marks=marks)


def show_pair(pair: PairRow, *, first_left: bool = True) -> JudgmentTask:
    """Return a pair as annotators see it, before anybody has judged it; the assignment is 0, as there is none."""
    left, right = (pair.first, pair.second) if first_left else (pair.second, pair.first)
    return JudgmentTask(
        assignment_id=0,
        number=1,
        title=title_shown(pair),
        source=to_source(pair.document),
        left=left.text,
        right=right.text,
        choice=None,
        rationale=None,
    )


def title_shown(pair: PairRow) -> str | None:
    """Return the title over a pair's document; None if it is one of the two summaries, as it would give that away."""
    title, summaries = pair.document.title, (pair.first, pair.second)
    stands = any(summary.system == TITLE_SYSTEM or summary.text == title for summary in summaries)
    return None if stands else title


def choice_of(row: AssignmentRow) -> str | None:
    """Return the choice of an assignment, by side."""
    if row.judgment is None:
        return None if row.skipped_at is None else "skip"
    return name_choice(row.judgment, row.left_id)


def name_choice(judgment: JudgmentRow | RevisionRow, left_id: int) -> str:
    """Return the choice of a judgment, or of an earlier version of it, by side."""
    if judgment.chosen_id is None:
        return BOTH_BAD if judgment.both_bad else "tie"
    return "left" if judgment.chosen_id == left_id else "right"


def chosen_id(assignment: AssignmentRow, choice: str) -> int | None:
    """Return the number of the summary on a side; None for a tie."""
    if choice in {"tie", BOTH_BAD}:
        return None
    pair = assignment.pair
    right_id = pair.second_id if assignment.left_id == pair.first_id else pair.first_id
    return assignment.left_id if choice == "left" else right_id
