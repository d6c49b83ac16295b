"""The phases of annotators: the way that a protocol asks for, every step once, and every way to end."""

import hashlib
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Engine, select, update
from sqlalchemy.orm import Session

from relevance.annotation.assigning import check_is_due, read_queue
from relevance.annotation.entering import find_rules
from relevance.annotation.people import PeopleStore
from relevance.annotation.phase_store import PhaseStore
from relevance.annotation.phases import (
    AFTER,
    BEFORE,
    CONSENT,
    DECLINED,
    FAILED,
    FINISHED,
    INSTRUCTIONS,
    JUDGING,
    PHASES,
    SCREENED_OUT,
    TIMED_OUT,
    TRAINING,
    WITHDRAWN,
    phases_of,
)
from relevance.annotation.protocol.file import write_protocol
from relevance.annotation.protocol.records import (
    Checks,
    Consent,
    Judging,
    Panel,
    Pinned,
    Sampling,
    StudyProtocol,
    SurveyQuestion,
    Surveys,
    Training,
    TrainingPair,
)
from relevance.annotation.protocol.store import ProtocolStore
from relevance.annotation.protocol.tables import ConsentRow, EventRow, SurveyAnswerRow, TrainingAnswerRow
from relevance.annotation.records import (
    AlreadyAnswered,
    Annotator,
    BadAnswer,
    JudgmentTask,
    NotAssigned,
    StudyClosed,
    StudyPaused,
    TooSoon,
    WrongPhase,
)
from relevance.annotation.results import export_judgments
from relevance.annotation.store import AnnotationStore
from relevance.annotation.tables import AnnotatorRow, JudgmentRow, PairRow, StudyRow
from relevance.data.database import now
from tests.annotation.test_concurrency import THREADS, at_once

Judge = Callable[..., None]
Ask = Callable[..., None]

TEXT = "You may **stop** at any time."
AGE = SurveyQuestion(name="age", ask="How old are you?", kind="number", least=18, most=120)
LEVEL = SurveyQuestion(name="level", ask="How well do you read English?", kind="radio", options=("well", "badly"))
FIELDS = SurveyQuestion(
    name="fields", ask="What do you know?", kind="checkbox", options=("a", "b", "c"), required=False
)
REMARK = SurveyQuestion(name="remark", ask="Anything else?", kind="text", required=False)
PAIRS = tuple(
    TrainingPair(document=f"document {n}", better=f"good {n}", worse=f"bad {n}", explanation=f"because {n}")
    for n in range(2)
)
EVERYTHING: dict[str, Any] = {
    "consent": Consent(text=TEXT),
    "surveys": Surveys(before=(AGE, LEVEL, FIELDS), after=(REMARK,)),
    "training": Training(pairs=PAIRS, pass_mark=2, attempts=2),
}
EARLIER = {"age": 30, "level": "well", "fields": ["c", "a"]}


@pytest.fixture
def phases(engine: Engine) -> PhaseStore:
    return PhaseStore(engine)


@pytest.fixture
def ask(annotation_store: AnnotationStore, dataset: str) -> Ask:
    """Create the study S by a protocol; five pairs are drawn where no count is given."""

    def ask(**tables: Any) -> None:
        protocol = protocol_of(**tables)
        annotation_store.create_study(protocol.spec, write_protocol(protocol))

    return ask


def protocol_of(**tables: Any) -> StudyProtocol:
    return StudyProtocol(name="S", dataset=Pinned(name="news"), sampling=Sampling(rule="random", seed=7), **tables)


def following(store: AnnotationStore, annotator: Annotator) -> JudgmentTask:
    task = store.next_task(annotator)
    assert task is not None
    return task


def train(phases: PhaseStore, ann: Annotator, *, right: bool = True, **settings: Any) -> Any:
    """Answer the next training pair, rightly or wrongly."""
    task = phases.training_task(ann)
    good = "left" if task.shown.left.startswith("good") else "right"
    choice = good if right else {"left": "right", "right": "left"}[good]
    values = {"attempt": task.attempt, "place": task.place, "choice": choice, "presented_at": long_ago()}
    return phases.answer_training(ann, **(values | settings))


def long_ago() -> Any:
    return now() - timedelta(seconds=2)


def to_training(phases: PhaseStore, ann: Annotator) -> None:
    phases.answer_consent(ann, text=TEXT, agreed=True)
    phases.read_instructions(ann)
    phases.answer_survey(ann, "before", EARLIER)


def events(engine: Engine, name: str = "Ann") -> list[str]:
    with Session(engine) as session:
        of_theirs = select(EventRow.event).join(AnnotatorRow).where(AnnotatorRow.name == name)
        return list(session.scalars(of_theirs.order_by(EventRow.id)))


def age(engine: Engine, name: str, minutes: float) -> None:
    """Have heard nothing of an annotator for some minutes."""
    with Session(engine.execution_options(writing=True)) as session:
        heard = now() - timedelta(minutes=minutes)
        session.execute(update(AnnotatorRow).where(AnnotatorRow.name == name).values(seen_at=heard))
        session.commit()


def pause(engine: Engine, table: type[AnnotatorRow | StudyRow], *, paused: bool = True) -> None:
    with Session(engine.execution_options(writing=True)) as session:
        session.execute(update(table).values(paused_at=now() if paused else None))
        session.commit()


# --- the way ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tables", "way"),
    [
        ({}, (JUDGING,)),
        ({"checks": Checks(count=2, warn_after=1, end_after=2)}, (JUDGING,)),
        ({"judging": Judging(most_per_annotator=3)}, (JUDGING, FINISHED)),
        ({"judging": Judging(idle_minutes=3)}, (JUDGING, FINISHED)),
        ({"panel": Panel(kind="generic", completed="https://example.org/{code}")}, (JUDGING, FINISHED)),
        ({"consent": Consent(text=TEXT)}, (CONSENT, INSTRUCTIONS, JUDGING, FINISHED)),
        ({"surveys": Surveys(after=(REMARK,))}, (INSTRUCTIONS, JUDGING, AFTER, FINISHED)),
        (EVERYTHING, PHASES),
    ],
)
def test_a_study_has_the_phases_that_its_protocol_asks_for(tables: dict[str, Any], way: tuple[str, ...]) -> None:
    assert phases_of(protocol_of(**tables)) == way


def test_all_phases_from_consent_to_a_code(
    annotation_store: AnnotationStore, phases: PhaseStore, engine: Engine, ask: Ask, judge: Judge
) -> None:
    ask(**EVERYTHING, judging=Judging(most_per_annotator=2))
    ann = annotation_store.join(study="S", name="Ann")
    assert (phases.standing(ann).phase, phases.standing(ann).rules.consent) == (CONSENT, Consent(text=TEXT))
    phases.answer_consent(ann, text=TEXT, agreed=True)
    assert phases.standing(ann).phase == INSTRUCTIONS
    phases.read_instructions(ann)
    assert phases.standing(ann).phase == BEFORE
    phases.answer_survey(ann, "before", EARLIER)
    assert phases.standing(ann).phase == TRAINING
    assert [train(phases, ann).passed for _ in PAIRS] == [None, True]
    for _ in range(2):
        judge(ann, following(annotation_store, ann).assignment_id)
    assert annotation_store.next_task(ann) is None
    assert (phases.standing(ann).phase, phases.standing(ann).code) == (AFTER, None)
    phases.answer_survey(ann, "after", {})
    code = phases.standing(ann).code
    assert code is not None
    assert len(code) == 8
    assert phases.standing(ann).phase == FINISHED
    assert events(engine) == list(PHASES[1:])
    with Session(engine) as session:
        consent = session.scalars(select(ConsentRow)).one()
        assert (consent.agreed, consent.sha256) == (True, hashlib.sha256(TEXT.encode()).hexdigest())
        answers = {(row.survey, row.question): row.answer for row in session.scalars(select(SurveyAnswerRow))}
        assert answers == {("before", "age"): 30, ("before", "level"): "well", ("before", "fields"): ["a", "c"]}
        assert [row.right for row in session.scalars(select(TrainingAnswerRow))] == [True, True]
    assert annotation_store.join(study="S", name="Ann").token == ann.token
    assert phases.standing(ann).code == code  # it is made once


def test_a_plain_study_is_judged_at_once_and_left_by_nobody(
    annotation_store: AnnotationStore, phases: PhaseStore, engine: Engine, ask: Ask, judge: Judge
) -> None:
    ask()
    ann = annotation_store.join(study="S", name="Ann")
    while (task := annotation_store.next_task(ann)) is not None:
        judge(ann, task.assignment_id)
    assert (phases.standing(ann).phase, phases.standing(ann).code, events(engine)) == (JUDGING, None, [])


def test_no_phase_is_skipped(annotation_store: AnnotationStore, phases: PhaseStore, ask: Ask, judge: Judge) -> None:
    ask(**EVERYTHING)
    ann = annotation_store.join(study="S", name="Ann")
    later = (
        lambda: phases.read_instructions(ann),
        lambda: phases.answer_survey(ann, "before", EARLIER),
        lambda: phases.answer_survey(ann, "after", {}),
        lambda: phases.training_task(ann),
        lambda: phases.answer_training(ann, attempt=1, place=0, choice="left", presented_at=long_ago()),
        lambda: annotation_store.next_task(ann),
    )
    for call in later:
        with pytest.raises(WrongPhase):
            call()
    to_training(phases, ann)
    with pytest.raises(WrongPhase):
        annotation_store.next_task(ann)
    assert phases.standing(ann).phase == TRAINING


def test_what_is_pressed_twice_happens_once(
    annotation_store: AnnotationStore, phases: PhaseStore, engine: Engine, ask: Ask
) -> None:
    ask(**EVERYTHING)
    ann = annotation_store.join(study="S", name="Ann")
    for _ in range(2):
        to_training(phases, ann)
    first = train(phases, ann)
    again = {"attempt": 1, "place": 0, "choice": first.better}
    assert phases.answer_training(ann, **again, presented_at=long_ago()) == first
    with pytest.raises(AlreadyAnswered):
        phases.answer_training(ann, **(again | {"choice": "no"}), presented_at=long_ago())
    with pytest.raises(AlreadyAnswered):
        phases.answer_consent(ann, text=TEXT, agreed=False)
    with pytest.raises(AlreadyAnswered):
        phases.answer_survey(ann, "before", EARLIER | {"age": 31})
    with pytest.raises(WrongPhase):
        train(phases, ann, place=0, attempt=2)
    assert events(engine) == [INSTRUCTIONS, BEFORE, TRAINING]


def test_somebody_elses_way_is_nobody_elses(phases: PhaseStore) -> None:
    stranger = Annotator(id=99, name="Eve", study="S", token="", invited=False)
    with pytest.raises(NotAssigned):
        phases.standing(stranger)


@pytest.mark.exhaustive
def test_two_windows_at_once_take_each_step_once(
    annotation_store: AnnotationStore, phases: PhaseStore, engine: Engine, ask: Ask
) -> None:
    ask(**EVERYTHING)
    ann = annotation_store.join(study="S", name="Ann")
    assert at_once(lambda _: phases.answer_consent(ann, text=TEXT, agreed=True)) == [None] * THREADS
    assert at_once(lambda _: phases.read_instructions(ann)) == [None] * THREADS
    assert at_once(lambda _: phases.answer_survey(ann, "before", EARLIER)) == [None] * THREADS
    for _ in PAIRS:
        task = phases.training_task(ann)
        good = "left" if task.shown.left.startswith("good") else "right"
        told = {"attempt": 1, "place": task.place, "choice": good, "presented_at": long_ago()}
        answers = at_once(lambda _, told=told: phases.answer_training(ann, **told))  # type: ignore[misc]
        assert answers == [answers[0]] * THREADS
    assert events(engine) == [INSTRUCTIONS, BEFORE, TRAINING, JUDGING]
    at_once(lambda number: phases.withdraw(ann) if number % 2 else annotation_store.next_task(ann))
    assert events(engine)[4:] == [WITHDRAWN, "excluded"]


@pytest.mark.exhaustive
def test_yes_and_no_at_once_come_to_one_answer(
    annotation_store: AnnotationStore, phases: PhaseStore, engine: Engine, ask: Ask
) -> None:
    ask(consent=Consent(text=TEXT))
    ann = annotation_store.join(study="S", name="Ann")
    answers = at_once(lambda number: phases.answer_consent(ann, text=TEXT, agreed=number % 2 == 0))
    assert sum(isinstance(answer, AlreadyAnswered) for answer in answers) == THREADS // 2
    assert events(engine) in ([INSTRUCTIONS], [DECLINED])


# --- consent and surveys -------------------------------------------------------------------------------------


def test_no_is_the_end(annotation_store: AnnotationStore, phases: PhaseStore, ask: Ask) -> None:
    ask(**EVERYTHING)
    ann = annotation_store.join(study="S", name="Ann")
    with pytest.raises(BadAnswer, match="read it again"):
        phases.answer_consent(ann, text="another text", agreed=True)
    for _ in range(2):
        phases.answer_consent(ann, text=TEXT, agreed=False)
    assert phases.standing(ann).phase == DECLINED
    with pytest.raises(AlreadyAnswered):
        phases.answer_consent(ann, text=TEXT, agreed=True)
    phases.withdraw(ann)
    assert phases.standing(ann).phase == DECLINED


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ({"age": None}, "How old are you"),
        ({"level": ""}, "How well"),
        ({"age": 17}, "at least 18: How old"),
        ({"age": 121}, "at most 120"),
        ({"age": float("nan")}, "no answer to"),
        ({"age": True}, "no answer to"),
        ({"age": "30"}, "no answer to"),
        ({"level": "so so"}, "no answer to"),
        ({"level": ["well"]}, "no answer to"),
        ({"fields": ["a", "z"]}, "no answer to"),
        ({"fields": "a"}, "no answer to"),
        ({"shoes": 42}, "no question 'shoes'"),
    ],
)
def test_a_survey_is_refused_as_a_whole(
    annotation_store: AnnotationStore,
    phases: PhaseStore,
    engine: Engine,
    ask: Ask,
    answers: dict[str, Any],
    message: str,
) -> None:
    ask(surveys=Surveys(before=(AGE, LEVEL, FIELDS)))
    ann = annotation_store.join(study="S", name="Ann")
    phases.read_instructions(ann)
    with pytest.raises(BadAnswer, match=message):
        phases.answer_survey(ann, "before", EARLIER | answers)
    assert phases.standing(ann).phase == BEFORE
    with Session(engine) as session:
        assert session.scalars(select(SurveyAnswerRow)).all() == []


# --- training -------------------------------------------------------------------------------------------------


def test_training_teaches_and_may_be_tried_again(
    annotation_store: AnnotationStore, phases: PhaseStore, ask: Ask
) -> None:
    ask(training=Training(pairs=PAIRS, pass_mark=2, attempts=2))
    ann = annotation_store.join(study="S", name="Ann")
    phases.read_instructions(ann)
    with pytest.raises(TooSoon):
        train(phases, ann, presented_at=now() + timedelta(hours=1))  # however slow the machine is
    with pytest.raises(BadAnswer):
        train(phases, ann, choice="tie")  # the study has none
    wrong = train(phases, ann, right=False)
    assert (wrong.right, wrong.explanation, wrong.correct, wrong.passed) == (False, "because 0", 0, None)
    assert getattr(wrong.task.shown, wrong.better) == "good 0"
    assert train(phases, ann).passed is False
    assert phases.training_task(ann).attempt == 2
    assert [train(phases, ann).passed for _ in PAIRS] == [None, True]
    assert phases.standing(ann).phase == JUDGING


def test_the_last_attempt_that_fails_screens_out(
    annotation_store: AnnotationStore, phases: PhaseStore, engine: Engine, ask: Ask
) -> None:
    ask(training=Training(pairs=PAIRS, pass_mark=2))
    ann = annotation_store.join(study="S", name="Ann")
    phases.read_instructions(ann)
    train(phases, ann)
    last = train(phases, ann, right=False)
    assert (last.passed, phases.standing(ann).phase) == (False, SCREENED_OUT)
    assert events(engine)[-1] == SCREENED_OUT
    with pytest.raises(WrongPhase):
        annotation_store.next_task(ann)


def test_sides_of_the_training_are_drawn(annotation_store: AnnotationStore, phases: PhaseStore, ask: Ask) -> None:
    ask(training=Training(pairs=PAIRS, pass_mark=1))
    sides = set()
    for number in range(12):
        ann = annotation_store.join(study="S", name=f"p{number}")
        phases.read_instructions(ann)
        sides.add(phases.training_task(ann).shown.left)
    assert sides == {"good 0", "bad 0"}


# --- judging ----------------------------------------------------------------------------------------------------


def answer_check(store: AnnotationStore, judge: Judge, ann: Annotator, *, right: bool) -> None:
    """Judge up to the next attention check, and answer that."""
    task = following(store, ann)
    while not is_check(task):
        judge(ann, task.assignment_id)
        task = following(store, ann)
    document = task.title.removeprefix("title ") if task.title else ""
    good = "left" if task.left.endswith(f"of {document}") else "right"
    judge(ann, task.assignment_id, good if right else {"left": "right", "right": "left"}[good])


def is_check(task: JudgmentTask) -> bool:
    return task.left.split(" of ")[-1] != task.right.split(" of ")[-1]


def test_wrong_checks_warn_once_and_then_end(
    annotation_store: AnnotationStore, phases: PhaseStore, engine: Engine, ask: Ask, judge: Judge
) -> None:
    ask(checks=Checks(count=4, warn_after=1, end_after=3))
    ann = annotation_store.join(study="S", name="Ann")
    answer_check(annotation_store, judge, ann, right=True)
    assert not phases.standing(ann).warned
    answer_check(annotation_store, judge, ann, right=False)
    assert phases.standing(ann).warned
    assert phases.standing(ann).warned  # a reload says it again
    answer_check(annotation_store, judge, ann, right=False)
    assert not phases.standing(ann).warned
    answer_check(annotation_store, judge, ann, right=False)
    assert phases.standing(ann).phase == FAILED
    assert events(engine) == ["warned", FAILED]
    with pytest.raises(WrongPhase):
        annotation_store.next_task(ann)


def test_checks_are_spread_over_the_pairs_of_those_who_judge(
    annotation_store: AnnotationStore, phases: PhaseStore, ask: Ask, engine: Engine
) -> None:
    ask(checks=Checks(count=1), consent=Consent(text=TEXT))
    ann, *others = (annotation_store.join(study="S", name=name) for name in ("Ann", "Ben", "Cyd"))
    for other in others:
        phases.answer_consent(other, text=TEXT, agreed=False)
    phases.answer_consent(ann, text=TEXT, agreed=True)
    phases.read_instructions(ann)
    with Session(engine) as session:
        study = session.scalars(select(StudyRow)).one()
        queue = read_queue(session, study, ann.id, find_rules(session, study))
        pairs = queue.checks[0].position
        due = [check_is_due(session, study, queue._replace(given=turn)) for turn in range(pairs)]
    middle = pairs // 2  # all pairs are Ann's, and the check comes in their middle
    assert [turn for turn in range(pairs) if due[turn]] == list(range(middle - 1, pairs, middle))


def test_whoever_fails_keeps_no_place(
    annotation_store: AnnotationStore, engine: Engine, ask: Ask, judge: Judge
) -> None:
    ask(checks=Checks(count=2, end_after=1))
    ann, ben = (annotation_store.join(study="S", name=name) for name in ("Ann", "Ben"))
    answer_check(annotation_store, judge, ann, right=True)
    shown = following(annotation_store, ann)  # and in another window
    earlier = next(judgment for judgment in export_judgments(annotation_store, "S") if judgment["check"])
    assert earlier["passed"]
    task = annotation_store.previous_task(ann)
    while task is not None and not is_check(task):
        task = annotation_store.previous_task(ann, task.assignment_id)
    assert task is not None
    judge(ann, task.assignment_id, {"left": "right", "right": "left"}[task.choice or ""], change=True)
    with pytest.raises(WrongPhase):
        judge(ann, shown.assignment_id)
    seen = set()
    while (task := annotation_store.next_task(ben)) is not None:
        seen.add(frozenset((task.left, task.right)))
        judge(ben, task.assignment_id, "left" if task.left.endswith(f"of {(task.title or '')[6:]}") else "right")
    assert frozenset((shown.left, shown.right)) in seen


def test_a_quota_leaves_checks_aside(
    annotation_store: AnnotationStore, phases: PhaseStore, ask: Ask, judge: Judge
) -> None:
    ask(judging=Judging(most_per_annotator=2), checks=Checks(count=1))
    ann = annotation_store.join(study="S", name="Ann")
    assert annotation_store.progress(ann).open == 3
    judged = []
    while (task := annotation_store.next_task(ann)) is not None:
        judge(ann, task.assignment_id)
        judged.append(is_check(task))
        assert annotation_store.progress(ann).open == 3 - len(judged)
    assert sorted(judged) == [False, False, True]
    assert phases.standing(ann).phase == FINISHED
    with pytest.raises(WrongPhase):
        judge(ann, task.assignment_id if task else 1, change=True)


def test_a_study_that_has_been_judged_finishes_whoever_comes(
    annotation_store: AnnotationStore, phases: PhaseStore, ask: Ask
) -> None:
    ask(judging=Judging(idle_minutes=60))
    ann, ben = (annotation_store.join(study="S", name=name) for name in ("Ann", "Ben"))
    annotation_store.close_study("S")
    assert annotation_store.next_task(ann) is None
    assert phases.standing(ann).phase == JUDGING  # it may be opened again
    annotation_store.close_study("S", closed=False)
    task = following(annotation_store, ben)
    annotation_store.skip(annotator=ben, assignment_id=task.assignment_id, reason="empty")
    annotation_store.close_study("S")
    assert annotation_store.next_task(ben) is None
    assert phases.standing(ben).phase == FINISHED


@pytest.mark.parametrize(
    ("wanted", "given", "message"),
    [
        (Judging(rationale="required"), {}, "Say why"),
        (Judging(rationale="required"), {"rationale": " "}, "Say why"),
        (Judging(rationale="off"), {"rationale": "because"}, "does not ask for reasons"),
        (Judging(confidence=True), {}, "how sure you are"),
        (Judging(confidence=True), {"confidence": 0}, "how sure you are"),
        (Judging(confidence=True), {"confidence": 6}, "how sure you are"),
        (Judging(confidence=True), {"confidence": True}, "how sure you are"),
        (Judging(), {"confidence": 3}, "does not ask how sure"),
        (Judging(), {"marks": [("left", 0, 1)]}, "does not ask for marked"),
        (Judging(marks=True), {"marks": [("first", 0, 1)]}, "outside"),
        (Judging(marks=True), {"marks": [("left", 0, 99)]}, "outside"),
        (Judging(marks=True), {"marks": [("left", 2, 2)]}, "outside"),
        (Judging(marks=True), {"marks": [("left", -1, 2)]}, "outside"),
        (Judging(marks=True), {"marks": [("left", 0, 2.5)]}, "where it begins"),
        (Judging(marks=True), {"marks": [("left", 0, 3), ("left", 2, 4)]}, "overlap"),
    ],
)
def test_what_a_judgment_lacks_or_was_not_asked(
    annotation_store: AnnotationStore, ask: Ask, judge: Judge, wanted: Judging, given: dict[str, Any], message: str
) -> None:
    ask(judging=wanted)
    ann = annotation_store.join(study="S", name="Ann")
    task = following(annotation_store, ann)
    with pytest.raises(BadAnswer, match=message):
        judge(ann, task.assignment_id, **given)
    assert annotation_store.progress(ann).judged == 0


def test_confidence_and_marks_are_kept_by_text_and_not_by_side(
    annotation_store: AnnotationStore, engine: Engine, ask: Ask, judge: Judge
) -> None:
    ask(judging=Judging(confidence=True, marks=True))
    ann = annotation_store.join(study="S", name="Ann")
    for _ in range(2):  # of two, each has the sides of the other turned
        task = following(annotation_store, ann)
        marks = [("right", 0, 1), ("document", 7, 8), ("document", 0, 6), ("left", 5, 6)]
        judge(ann, task.assignment_id, confidence=4, marks=marks)
        seen = annotation_store.task(ann, task.assignment_id)
        assert (seen.confidence, set(seen.marks)) == (4, set(marks))
    judge(ann, task.assignment_id, "right", confidence=1, change=True)
    with Session(engine) as session:
        rows = session.scalars(select(JudgmentRow).order_by(JudgmentRow.id)).all()
        sides = [row.assignment.left_id == row.assignment.pair.first_id for row in rows]
        stored = [rows[0].marks, rows[1].earlier[0].marks]
    assert sorted(sides) == [False, True]
    of_document = [["document", 0, 6], ["document", 7, 8]]
    by_side = {True: [["first", 5, 6], ["second", 0, 1]], False: [["first", 0, 1], ["second", 5, 6]]}
    assert stored == [of_document + by_side[side] for side in sides]
    changed = export_judgments(annotation_store, "S")[1]
    assert (changed["confidence"], changed["marks"]) == (1, [])
    assert [(row["confidence"], row["marks"]) for row in changed["history"]] == [(4, stored[1])]


# --- time, pauses, withdrawal ---------------------------------------------------------------------------------


def test_somebody_idle_is_timed_out_by_whoever_comes_next(
    annotation_store: AnnotationStore, phases: PhaseStore, engine: Engine, ask: Ask, judge: Judge
) -> None:
    ask(judging=Judging(idle_minutes=10))
    ann, ben = (annotation_store.join(study="S", name=name) for name in ("Ann", "Ben"))
    first = following(annotation_store, ann)
    judge(ann, first.assignment_id)
    held = following(annotation_store, ann)
    age(engine, "Ann", 9)
    seen = judged_by(annotation_store, judge, ben, 3)
    assert texts_of(held) not in seen
    age(engine, "Ann", 11)
    assert judged_by(annotation_store, judge, ben, 1) == {texts_of(held)}
    assert (phases.standing(ann).phase, annotation_store.progress(ann).judged) == (TIMED_OUT, 1)
    assert events(engine) == [TIMED_OUT]
    with pytest.raises(WrongPhase):
        judge(ann, held.assignment_id)


def test_the_list_of_people_knows_whose_time_is_out(
    annotation_store: AnnotationStore, engine: Engine, ask: Ask, judge: Judge
) -> None:
    ask(judging=Judging(idle_minutes=10))
    ann, people = annotation_store.join(study="S", name="Ann"), PeopleStore(engine)
    judge(ann, following(annotation_store, ann).assignment_id)
    age(engine, "Ann", 9)
    assert [person.phase for person in people.people("S")] == [JUDGING]
    age(engine, "Ann", 11)
    assert [person.phase for person in people.people("S")] == [TIMED_OUT]
    assert events(engine) == [TIMED_OUT]


def judged_by(store: AnnotationStore, judge: Judge, ann: Annotator, count: int) -> set[frozenset[str]]:
    seen = set()
    for _ in range(count):
        task = following(store, ann)
        seen.add(texts_of(task))
        judge(ann, task.assignment_id)
    return seen


def texts_of(task: JudgmentTask) -> frozenset[str]:
    return frozenset((task.left, task.right))


def test_who_returns_too_late_is_timed_out_whatever_they_do(
    annotation_store: AnnotationStore, phases: PhaseStore, engine: Engine, ask: Ask, judge: Judge
) -> None:
    ask(judging=Judging(idle_minutes=10), consent=Consent(text=TEXT))
    ann, ben, new = (annotation_store.join(study="S", name=name) for name in ("Ann", "Ben", "New"))
    for item in (ann, ben):
        phases.answer_consent(item, text=TEXT, agreed=True)
    phases.read_instructions(ann)
    task = following(annotation_store, ann)
    for name in ("Ann", "Ben"):
        age(engine, name, 11)
    with pytest.raises(WrongPhase):
        judge(ann, task.assignment_id)
    with pytest.raises(WrongPhase):
        phases.read_instructions(ben)
    assert {phases.standing(item).phase for item in (ann, ben)} == {TIMED_OUT}
    assert phases.standing(new).phase == CONSENT  # whoever has not begun has all the time


@pytest.mark.parametrize("table", [AnnotatorRow, StudyRow])
def test_a_pause_takes_nothing(
    annotation_store: AnnotationStore,
    phases: PhaseStore,
    engine: Engine,
    ask: Ask,
    judge: Judge,
    table: type[AnnotatorRow | StudyRow],
) -> None:
    ask(judging=Judging(idle_minutes=10), consent=Consent(text=TEXT))
    ann, ben = (annotation_store.join(study="S", name=name) for name in ("Ann", "Ben"))
    phases.answer_consent(ann, text=TEXT, agreed=True)
    phases.read_instructions(ann)
    task = following(annotation_store, ann)
    pause(engine, table)
    assert phases.standing(ann).paused
    for call in (
        lambda: annotation_store.next_task(ann),
        lambda: judge(ann, task.assignment_id),
        lambda: phases.answer_consent(ben, text=TEXT, agreed=True),
    ):
        with pytest.raises(StudyPaused):
            call()
    pause(engine, table, paused=False)
    assert following(annotation_store, ann) == task
    judge(ann, task.assignment_id)


@pytest.mark.parametrize("how", ["closed", "dated", "excluded"])
def test_time_stands_still_for_who_cannot_judge(
    annotation_store: AnnotationStore, engine: Engine, ask: Ask, judge: Judge, how: str
) -> None:
    ask(judging=Judging(idle_minutes=10))
    ann = annotation_store.join(study="S", name="Ann")
    task = following(annotation_store, ann)
    people, protocols = PeopleStore(engine), ProtocolStore(engine)
    if how == "closed":
        annotation_store.close_study("S")
    elif how == "dated":
        protocols.edit("S", {"closes": now() - timedelta(days=1)})
    else:
        people.exclude("S", "Ann", "by mistake")
    age(engine, "Ann", 60)
    if how == "closed":
        annotation_store.close_study("S", closed=False)
    elif how == "dated":
        protocols.edit("S", {"closes": now() + timedelta(days=1)})
    else:
        people.restore("S", "Ann")
    judge(ann, task.assignment_id)
    assert annotation_store.progress(ann).judged == 1


def test_a_closed_study_begins_nothing(annotation_store: AnnotationStore, phases: PhaseStore, ask: Ask) -> None:
    ask(consent=Consent(text=TEXT))
    ann = annotation_store.join(study="S", name="Ann")
    annotation_store.close_study("S")
    with pytest.raises(StudyClosed):
        phases.answer_consent(ann, text=TEXT, agreed=True)
    assert (phases.standing(ann).phase, phases.standing(ann).closed) == (CONSENT, True)


def test_whoever_withdraws_gives_their_pairs_back_and_may_read_that_they_did(
    annotation_store: AnnotationStore, phases: PhaseStore, engine: Engine, ask: Ask, judge: Judge
) -> None:
    ask(judging=Judging(most_per_annotator=1))
    ann = annotation_store.join(study="S", name="Ann")
    judge(ann, following(annotation_store, ann).assignment_id)
    assert annotation_store.next_task(ann) is None
    for _ in range(2):
        phases.withdraw(ann)
    assert phases.standing(ann).phase == WITHDRAWN
    with Session(engine) as session:
        row = session.scalars(select(AnnotatorRow)).one()
        assert row.excluded_at is not None
        assert row.exclusion_reason == WITHDRAWN
        assert set(session.scalars(select(PairRow.judgments))) == {0}  # the pair is open to others again
    assert events(engine) == [FINISHED, WITHDRAWN, "excluded"]
