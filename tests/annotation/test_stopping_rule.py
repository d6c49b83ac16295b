"""Studies that end by a stopping rule: the drawn order, which documents are complete, looks and the decision."""

import math
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from sqlalchemy import select, update

from relevance.annotation.protocol.file import write_protocol
from relevance.annotation.protocol.pinning import hash_dataset
from relevance.annotation.protocol.records import Judging, Pinned, Sampling, Stopping, StudyProtocol
from relevance.annotation.protocol.store import ProtocolFixed, ProtocolStore
from relevance.annotation.records import Annotator, ScoresMissing, Study, StudyClosed
from relevance.annotation.registrations import RegistrationStore
from relevance.annotation.sampling import SampledPair, put_in_order
from relevance.annotation.stopping import StoppingStore
from relevance.annotation.store import AnnotationStore
from relevance.annotation.tables import AnnotatorRow, AssignmentRow, PairRow
from relevance.data.database import now
from relevance.data.stopping_state import CompleteDocuments, StoppingDecision
from tests.annotation.conftest import CONTRARY, SIGNATURE, Judge

Register = Callable[..., Study]

EVERY = Sampling(rule="all", seed=3)

RULE = Stopping(first=SIGNATURE, second=CONTRARY, most_documents=4)

STOP = StoppingDecision(1, 1, 25.0, 0.5, 0.1, 0.9, rejected=True)


def never(_: CompleteDocuments) -> None:
    return None


@pytest.fixture
def store(annotation_store: AnnotationStore) -> StoppingStore:
    return StoppingStore(annotation_store.engine)


@pytest.fixture
def register(annotation_store: AnnotationStore, contradicted: str) -> Register:
    """A study of all pairs of six documents; a judgment a pair and a stopping rule, unless it is said otherwise."""

    def register(stopping: Stopping | None = RULE, sampling: Sampling = EVERY, **judging: int) -> Study:
        protocol = StudyProtocol(
            name="S",
            dataset=Pinned(name=contradicted),
            sampling=sampling,
            judging=Judging(**judging),  # type: ignore[arg-type]
            stopping=stopping,
        )
        return annotation_store.create_study(protocol.spec, write_protocol(protocol))

    return register


def pairs_in_order(store: AnnotationStore) -> list[tuple[int, int]]:
    """Each pair and its document, in the order of their positions."""
    with store.reading() as session:
        rows = session.execute(select(PairRow.id, PairRow.document_id).order_by(PairRow.position))
        return [(row.id, row.document_id) for row in rows]


def judge_next(store: AnnotationStore, judge: Judge, annotator: Annotator, times: int = 1) -> list[int]:
    """Judge the next pairs; returns their documents."""
    documents = []
    for _ in range(times):
        task = store.next_task(annotator)
        assert task is not None
        judge(annotator, task.assignment_id)
        documents.append(document_of(store, annotator, task.assignment_id))
    return documents


def document_of(store: AnnotationStore, annotator: Annotator, assignment_id: int) -> int:
    source = store.task(annotator, assignment_id).source
    assert isinstance(source, str)
    return int(source.removeprefix("source "))


# --- the drawn order --------------------------------------------------------------------------------------


def test_every_document_is_as_likely_to_be_first_however_many_pairs_it_has() -> None:
    pairs = [SampledPair(0, 1, 2), *(SampledPair(1, 10, second) for second in range(20, 29))]
    first = [put_in_order(pairs, most_documents=2, seed=seed)[0].document_id for seed in range(2000)]
    # with one pair of ten, document 0 would come first in a tenth of all orders by first pairs
    assert 0.45 < first.count(0) / 2000 < 0.55


def test_pairs_of_a_document_stand_together_and_most_documents_are_kept() -> None:
    pairs = [SampledPair(document, first, 99) for first in range(3) for document in range(5)]
    ordered = put_in_order(pairs, most_documents=3, seed=1)
    assert len(ordered) == 9
    documents = [pair.document_id for pair in ordered]
    assert documents == sorted(documents, key=documents.index)
    assert put_in_order(list(reversed(pairs)), most_documents=3, seed=1)[0].document_id == documents[0]


def test_a_study_keeps_the_pairs_of_most_documents_in_the_drawn_order(
    register: Register, annotation_store: AnnotationStore
) -> None:
    study = register()
    documents = [document for _, document in pairs_in_order(annotation_store)]
    assert study.in_drawn_order
    assert len(set(documents)) == 4
    assert documents == sorted(documents, key=documents.index)


def test_metrics_without_scores_are_refused_with_what_to_run(
    register: Register, annotation_store: AnnotationStore
) -> None:
    with pytest.raises(ScoresMissing, match=r"relevance score news --metrics rouge2$"):
        register(replace(RULE, second="rouge2|refs:max"))
    assert annotation_store.studies() == []


def test_a_rule_that_is_registered_later_orders_the_pairs_until_somebody_has_come(
    register: Register, annotation_store: AnnotationStore, store: StoppingStore
) -> None:
    assert not register(stopping=None).in_drawn_order
    protocols = ProtocolStore(annotation_store.engine)
    pinned = Pinned(
        name="news", sha256=hash_dataset(annotation_store, "news", ("a", "b", "c")), systems=("a", "b", "c")
    )
    plain = StudyProtocol(name="S", dataset=pinned, sampling=Sampling(rule="all", seed=3))
    ruled = write_protocol(replace(plain, stopping=RULE))
    study = protocols.apply(ruled)
    assert (study.in_drawn_order, study.pairs) == (True, 12)
    assert not protocols.apply(write_protocol(plain)).in_drawn_order
    protocols.apply(ruled)
    annotation_store.join(study="S", name="Ada")
    with pytest.raises(ProtocolFixed, match="stopping stays as it is"):
        protocols.apply(write_protocol(replace(plain, stopping=replace(RULE, alpha=0.1))))
    assert annotation_store.study("S").in_drawn_order


# --- documents one after the other ------------------------------------------------------------------------


def test_people_complete_documents_in_the_drawn_order(
    register: Register, annotation_store: AnnotationStore, store: StoppingStore, judge: Judge
) -> None:
    register(judgments_per_pair=2)
    ordered = [document for _, document in pairs_in_order(annotation_store)]
    ada, ben = (annotation_store.join(study="S", name=name) for name in ("Ada", "Ben"))
    mine = judge_next(annotation_store, judge, ada, 4)
    theirs = judge_next(annotation_store, judge, ben, 3)
    assert theirs == mine[:3]  # a plain study would give Ben what Ada was not given
    assert len(set(mine[:3])) == 1
    complete_documents = store.complete_documents("S")
    assert complete_documents is not None
    assert (complete_documents.documents, complete_documents.drawn, len(complete_documents.choices)) == (1, 4, 6)
    assert len(set(ordered[:3])) == 1


def test_two_people_at_once_get_different_places(register: Register, annotation_store: AnnotationStore) -> None:
    register()
    people = [annotation_store.join(study="S", name=name) for name in ("Ada", "Ben", "Cem", "Dan")]
    tasks = [annotation_store.next_task(person) for person in people]
    documents = [
        document_of(annotation_store, person, task.assignment_id)
        for person, task in zip(people, tasks, strict=True)
        if task
    ]
    assert len(set(documents[:3])) == 1  # as wide as four people need: three pairs of one document, one of the next
    assert documents[3] != documents[0]


def test_a_document_in_between_that_wants_judgments_ends_what_is_complete(
    register: Register, annotation_store: AnnotationStore, store: StoppingStore, judge: Judge
) -> None:
    register()
    ada, ben = (annotation_store.join(study="S", name=name) for name in ("Ada", "Ben"))
    open_task = annotation_store.next_task(ben)
    judge_next(annotation_store, judge, ada, 8)
    complete_documents = store.complete_documents("S")
    assert complete_documents is not None
    assert complete_documents.documents == 0
    assert open_task is not None
    judge(ben, open_task.assignment_id)
    complete_documents = store.complete_documents("S")
    assert complete_documents is not None
    assert (complete_documents.documents, sorted(set(complete_documents.document[complete_documents.pair]))) == (
        3,
        [0, 1, 2],
    )
    assert complete_documents.document.tolist() == [
        0,
        0,
        0,
        1,
        1,
        1,
        2,
        2,
        2,
        3,
        3,
        3,
    ]  # of all pairs, as they bound what is to come


def test_a_skipped_pair_holds_nobody_up(
    register: Register, annotation_store: AnnotationStore, store: StoppingStore, judge: Judge
) -> None:
    register()
    ada, ben = (annotation_store.join(study="S", name=name) for name in ("Ada", "Ben"))
    task = annotation_store.next_task(ada)
    assert task is not None
    annotation_store.skip(annotator=ada, assignment_id=task.assignment_id, reason="unreadable")
    assert document_of(annotation_store, ada, task.assignment_id) in judge_next(annotation_store, judge, ben, 2)
    complete_documents = store.complete_documents("S")
    assert complete_documents is not None
    assert (complete_documents.documents, len(complete_documents.choices)) == (1, 2)
    judge(ada, task.assignment_id)  # after all: it was one of those wanted
    complete_documents = store.complete_documents("S")
    assert complete_documents is not None
    assert len(complete_documents.choices) == 3


def test_judgments_beyond_those_wanted_do_not_count(
    register: Register, annotation_store: AnnotationStore, store: StoppingStore, judge: Judge
) -> None:
    register()
    ada, ben = (annotation_store.join(study="S", name=name) for name in ("Ada", "Ben"))
    left = annotation_store.next_task(ada)
    assert left is not None
    with annotation_store.writing() as session:  # Ada was away for so long that her place is given to Ben
        session.execute(update(AssignmentRow).values(reserved_until=now() - timedelta(minutes=1)))
    judge_next(annotation_store, judge, ben, 3)
    before = store.complete_documents("S")
    judge(ada, left.assignment_id)
    after = store.complete_documents("S")
    assert before is not None
    assert after is not None
    assert (before.documents, before.choices.tolist()) == (1, after.choices.tolist())


def test_scores_and_choices_are_of_the_same_pair(
    register: Register, annotation_store: AnnotationStore, store: StoppingStore, judge: Judge
) -> None:
    register()
    ada = annotation_store.join(study="S", name="Ada")
    chosen = []
    for choice in ("left", "right") * 6:
        task = annotation_store.next_task(ada)
        assert task is not None
        judge(ada, task.assignment_id, choice)
        chosen.append((task.left, task.right) if choice == "left" else (task.right, task.left))
    complete_documents = store.complete_documents("S")
    assert complete_documents is not None
    assert complete_documents.second_differences is not None
    first, second = (
        complete_documents.choices * of[complete_documents.pair]
        for of in (complete_documents.first_differences, complete_documents.second_differences)
    )
    for place, (won, lost) in enumerate(chosen):  # such as "a of 4"
        of_second = {"a": 0.1, "b": 0.2, "c": 0.3}
        assert second[place] == pytest.approx(of_second[won[0]] - of_second[lost[0]])
        if "b of 4" in (won, lost):
            assert math.isnan(first[place])
        else:
            of_first = {"a": 0.5, "b": 0.5, "c": 0.5 if won.endswith("4") else 0.25}
            assert first[place] == pytest.approx(of_first[won[0]] - of_first[lost[0]])


def test_pairs_of_conflicts_weigh_one_over_their_probability(
    register: Register, annotation_store: AnnotationStore, store: StoppingStore, judge: Judge
) -> None:
    register(sampling=Sampling(rule="conflicts", signatures=(SIGNATURE, CONTRARY), count=8, per_document=1, seed=3))
    judge_next(annotation_store, judge, annotation_store.join(study="S", name="Ada"), 2)
    complete_documents = store.complete_documents("S")
    assert complete_documents is not None
    assert complete_documents.weights is not None
    with annotation_store.reading() as session:
        drawn = session.execute(select(PairRow.inclusion, PairRow.document_id).order_by(PairRow.position)).all()
    np.testing.assert_allclose(complete_documents.weights, [1 / inclusion for inclusion, _ in drawn])
    assert len(set(complete_documents.weights)) > 1
    documents = list(dict.fromkeys(document for _, document in drawn))
    assert complete_documents.document.tolist() == [documents.index(document) for _, document in drawn]


def test_an_excluded_annotators_judgments_are_left_out(
    register: Register, annotation_store: AnnotationStore, store: StoppingStore, judge: Judge
) -> None:
    register(judgments_per_pair=2)
    ada, ben = (annotation_store.join(study="S", name=name) for name in ("Ada", "Ben"))
    judge_next(annotation_store, judge, ada, 3)
    judge_next(annotation_store, judge, ben, 3)
    with annotation_store.writing() as session:
        session.execute(update(AnnotatorRow).where(AnnotatorRow.name == "Ben").values(excluded_at=now()))
    complete_documents = store.complete_documents("S")
    assert complete_documents is not None
    assert len(complete_documents.choices) == 3


def test_a_plain_study_has_no_complete_documents(
    register: Register, store: StoppingStore, annotation_store: AnnotationStore
) -> None:
    assert not register(stopping=None).in_drawn_order
    assert store.complete_documents("S") is None
    store.look("S", lambda _: STOP)
    assert annotation_store.study("S").stopped_at is None


# --- looks ------------------------------------------------------------------------------------------------


def test_a_study_goes_on_until_a_look_decides(
    register: Register, annotation_store: AnnotationStore, store: StoppingStore, judge: Judge
) -> None:
    register()
    ada, ben = (annotation_store.join(study="S", name=name) for name in ("Ada", "Ben"))
    begun = annotation_store.next_task(ben)
    judge_next(annotation_store, judge, ada, 2)
    store.look("S", never)
    assert annotation_store.study("S").stopped_at is None
    store.look("S", lambda _: STOP)
    study = annotation_store.study("S")
    assert study.stopped_at is not None
    assert annotation_store.next_task(ada) is None
    assert annotation_store.progress(ada).open == 0
    with pytest.raises(StudyClosed, match="the study 'S' is stopped"):
        annotation_store.join(study="S", name="Eve")
    assert begun is not None
    assert annotation_store.next_task(ben) is not None  # what was begun may be finished
    judge(ben, begun.assignment_id)
    assert annotation_store.next_task(ben) is None
    store.look("S", lambda _: STOP._replace(documents=2))
    assert annotation_store.study("S").stopped_at == study.stopped_at
    complete_documents = store.complete_documents("S")
    assert complete_documents is not None
    assert (complete_documents.decision, complete_documents.decided_at, complete_documents.documents) == (
        STOP,
        study.stopped_at,
        1,
    )


def test_what_is_said_of_a_study_has_another_version_with_all_that_it_rests_on(
    register: Register, annotation_store: AnnotationStore, store: StoppingStore
) -> None:
    register()
    versions = [annotation_store.version("S")]
    RegistrationStore(store.engine).register("S", "0" * 64, {})
    versions.append(annotation_store.version("S"))
    ProtocolStore(store.engine).edit("S", {"title": "News"})
    versions.append(annotation_store.version("S"))
    ada = annotation_store.join(study="S", name="Ada")
    task = annotation_store.next_task(ada)
    assert task is not None
    versions.append(annotation_store.version("S"))
    assert versions[-2:] == versions[-1:] * 2  # whoever only comes changes nothing
    annotation_store.skip(annotator=ada, assignment_id=task.assignment_id, reason="unreadable")
    versions.append(annotation_store.version("S"))
    store.look("S", lambda _: STOP)
    versions.append(annotation_store.version("S"))
    assert len(set(versions)) == 5


def test_a_judgment_is_looked_at_where_it_completes_a_document(
    register: Register, annotation_store: AnnotationStore, store: StoppingStore, judge: Judge
) -> None:
    register()
    ada = annotation_store.join(study="S", name="Ada")
    looked: list[int] = []

    def decide(complete_documents: CompleteDocuments) -> None:
        looked.append(complete_documents.documents)

    store.look("S", decide, annotator=ada)
    for _ in range(7):
        judge_next(annotation_store, judge, ada)
        store.look("S", decide, annotator=ada)
    assert looked == [1, 2]
