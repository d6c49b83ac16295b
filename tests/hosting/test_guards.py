"""Every public method of every store that pages have, called by everybody who may come."""

import inspect
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import get_type_hints

import pytest
from sqlalchemy import Engine

from relevance.annotation.adjudication import export_adjudications, load_adjudications
from relevance.annotation.adjudication_records import UnknownPair
from relevance.annotation.phase_store import PhaseStore
from relevance.annotation.previewing import copy_study
from relevance.annotation.protocol.store import ProtocolStore
from relevance.annotation.records import (
    Annotator,
    NotAssigned,
    StudyExists,
    UnknownInvite,
    UnknownStudy,
    WrongPhase,
)
from relevance.annotation.registrations import AlreadyJudged
from relevance.annotation.results import export_judgments, load_judgments
from relevance.annotation.study_data import read_study
from relevance.data.database import make_engine, now
from relevance.data.records import Document, Summary
from relevance.data.rights import Right
from relevance.data.store import DataStore, NotAllowed, NotSignedIn, StoredBound, StoredScore
from relevance.data.store.base import Store
from relevance.pages.components.shared.stores import Stores
from tests.hosting.people import PASSWORD, Lab, build, judge, review_spec, spec

Call = Callable[[Stores, Lab], object]
Outcomes = dict[str, type[Exception] | None]

ACTORS = (
    *("nobody", "annotator", "annotator elsewhere", "researcher elsewhere"),
    *("reader", "adjudicator", "manager", "creator", "owner", "local"),
)


def outcomes(
    *,
    annotator: type[Exception] | None = NotAllowed,
    elsewhere: type[Exception] | None = NotAllowed,
    stranger: type[Exception] | None = None,
    reader: type[Exception] | None = None,
    manager: type[Exception] | None = None,
    creator: type[Exception] | None = None,
    owner: type[Exception] | None = None,
) -> Outcomes:
    """What each actor's call raises, None where it works; an adjudicator only reads what most methods are about."""
    by_actor = (NotSignedIn, annotator, elsewhere, stranger, reader, reader, manager, creator, owner, None)
    return dict(zip(ACTORS, by_actor, strict=True))


SIGNED_IN = outcomes(annotator=None, elsewhere=None)
RESEARCHERS = outcomes()
"""Data sets and reviews of keywords are shared by all researchers of a server."""
READERS = outcomes(stranger=UnknownStudy)
TASK = outcomes(annotator=None, elsewhere=UnknownStudy, stranger=UnknownStudy)
"""What annotators see of their study, too."""
MANAGERS = outcomes(stranger=UnknownStudy, reader=NotAllowed)
ADJUDICATORS = MANAGERS | {"adjudicator": None}
REGISTERING = {**MANAGERS, **dict.fromkeys(("manager", "creator", "owner", "local"), AlreadyJudged)}
"""What managers may do, and what this study has too many judgments for."""
SERVER_OWNERS = outcomes(stranger=NotAllowed, reader=NotAllowed, manager=NotAllowed, creator=NotAllowed)
DATASET_OWNERS = outcomes(stranger=NotAllowed, reader=NotAllowed, manager=NotAllowed)


def own(error: type[Exception]) -> Outcomes:
    """What only the annotator themself may do, however much others may."""
    return outcomes(
        annotator=None, elsewhere=error, stranger=error, reader=error, manager=error, creator=error, owner=error
    )


OWN_WORK = own(NotAssigned)
OWN_MARKS = outcomes(stranger=NotAssigned, reader=NotAssigned, manager=NotAssigned, owner=NotAssigned)
OWN_TOKEN_OF_MARKS = outcomes(stranger=UnknownInvite, reader=UnknownInvite, manager=UnknownInvite, owner=UnknownInvite)

BOUND = StoredBound(0.5, (0,), 0, 0.5, 1.0)
SUMMARIES = [Summary("d0", "c", "another")]


def delete_and_restore(stores: Stores, lab: Lab) -> None:
    """Bring back what Carla had deleted."""
    DataStore(stores.data.engine).end_run(lab.run_id)
    carla = DataStore(stores.data.engine, lab.actors["creator"])
    carla.add_dataset(name="old", format="interchange", sha256="", records=[])
    stores.data.restore_dataset(carla.delete_dataset("old"))


def delete(stores: Stores, _: Lab) -> None:
    """Delete a data set of Carla's that nothing is made of."""
    stores.data.delete_dataset("spare")


def adjudicate(stores: Stores, lab: Lab) -> None:
    """Decide the pair that Ann has judged; nobody else has, so that whoever may decide is told so."""
    presented = now() - timedelta(seconds=2)
    with suppress(UnknownPair):
        stores.adjudication.decide(study="S", pair_id=1, choice="left", presented_at=presented, name="Ada")


def look_at_contested(stores: Stores, lab: Lab) -> None:
    with suppress(UnknownPair):
        stores.adjudication.task("S", 1, "Ada")


def save_marks(stores: Stores, lab: Lab) -> None:
    presented = now() - timedelta(seconds=2)
    stores.keyword_reviews.save(annotator=lab.marker, task_id=lab.marked_id, wrong=[], presented_at=presented)


def in_no_phase(call: Callable[[PhaseStore, Annotator], object]) -> Call:
    """A call that comes to the annotator's own phase, which it does not belong to."""

    def refused(stores: Stores, lab: Lab) -> None:
        with suppress(WrongPhase):
            call(stores.phases, lab.annotator)

    return refused


def answer_training(phases: PhaseStore, annotator: Annotator) -> None:
    presented = now() - timedelta(seconds=2)
    phases.answer_training(annotator, attempt=1, place=0, choice="left", presented_at=presented)


def apply(stores: Stores, _: Lab) -> None:
    """Give the study `S` a title."""
    stores.protocols.apply(f'title = "News"\n{ProtocolStore(stores.data.engine).export("S")}')


GUARDS: dict[str, tuple[Outcomes, Call]] = {
    # --- data sets: shared by researchers, changed by their owner
    "DataStore.check": (SIGNED_IN, lambda stores, lab: stores.data.check()),
    "DataStore.visitor": (SIGNED_IN, lambda stores, lab: stores.data.visitor()),
    "DataStore.has_dataset": (RESEARCHERS, lambda stores, lab: stores.data.has_dataset("news")),
    "DataStore.same_summaries": (RESEARCHERS, lambda stores, lab: stores.data.same_summaries("news", "news")),
    "DataStore.has_texts": (RESEARCHERS, lambda stores, lab: stores.data.has_texts("news")),
    "DataStore.datasets": (RESEARCHERS, lambda stores, lab: stores.data.datasets()),
    "DataStore.dataset": (RESEARCHERS, lambda stores, lab: stores.data.dataset("news")),
    "DataStore.may_change": (RESEARCHERS, lambda stores, lab: stores.data.may_change("news")),
    "DataStore.records": (RESEARCHERS, lambda stores, lab: stores.data.records("news")),
    "DataStore.first_records": (RESEARCHERS, lambda stores, lab: stores.data.first_records("news", 2)),
    "DataStore.record": (RESEARCHERS, lambda stores, lab: stores.data.record("news", "d0")),
    "DataStore.listed": (RESEARCHERS, lambda stores, lab: stores.data.listed("news", [0])),
    "DataStore.find_documents": (RESEARCHERS, lambda stores, lab: stores.data.find_documents("news", ["d0"])),
    "DataStore.position_of": (RESEARCHERS, lambda stores, lab: stores.data.position_of("news", "d0")),
    "DataStore.find_position": (RESEARCHERS, lambda stores, lab: stores.data.find_position("news", "d0")),
    "DataStore.written_by": (RESEARCHERS, lambda stores, lab: stores.data.written_by("news")),
    "DataStore.summarized": (
        RESEARCHERS,
        lambda stores, lab: stores.data.summarized(dataset="news", system="a", signature=None),
    ),
    "DataStore.count_single_texts": (RESEARCHERS, lambda stores, lab: stores.data.count_single_texts("news")),
    "DataStore.add_dataset": (
        RESEARCHERS,
        lambda stores, lab: stores.data.add_dataset(name="own", format="lines", sha256="", records=[]),
    ),
    "DataStore.add_summaries": (
        DATASET_OWNERS,
        lambda stores, lab: stores.data.add_summaries(dataset="news", summaries=SUMMARIES),
    ),
    "DataStore.add_document": (
        DATASET_OWNERS,
        lambda stores, lab: stores.data.add_document(
            dataset="written", document=Document(id="new", source="s", references=("r",)), summaries=[]
        ),
    ),
    "DataStore.rename_dataset": (DATASET_OWNERS, lambda stores, lab: stores.data.rename_dataset("news", "mine")),
    "DataStore.archive_dataset": (DATASET_OWNERS, lambda stores, lab: stores.data.archive_dataset("news")),
    "DataStore.delete_dataset": (DATASET_OWNERS, delete),
    "DataStore.restore_dataset": (DATASET_OWNERS, delete_and_restore),
    # --- scores, bounds, stars and runs: by whoever looks at the data set
    "DataStore.examples": (RESEARCHERS, lambda stores, lab: stores.data.examples("news")),
    "DataStore.unscored": (
        RESEARCHERS,
        lambda stores, lab: stores.data.unscored(dataset="news", signature="rouge1|test"),
    ),
    "DataStore.add_scores": (
        RESEARCHERS,
        lambda stores, lab: stores.data.add_scores(
            metric="rouge1", signature="rouge1|test", scores={"0" * 64: StoredScore(0.5, None)}
        ),
    ),
    "DataStore.reasons": (
        RESEARCHERS,
        lambda stores, lab: stores.data.reasons(dataset="news", signature="rouge1|test"),
    ),
    "DataStore.signatures": (RESEARCHERS, lambda stores, lab: stores.data.signatures("news")),
    "DataStore.scores": (
        RESEARCHERS,
        lambda stores, lab: stores.data.scores(dataset="news", signature="rouge1|test"),
    ),
    "DataStore.stored": (
        RESEARCHERS,
        lambda stores, lab: stores.data.stored(dataset="news", document_id="d0", systems=["a"]),
    ),
    "DataStore.cells": (RESEARCHERS, lambda stores, lab: stores.data.cells("news")),
    "DataStore.bound_signatures": (RESEARCHERS, lambda stores, lab: stores.data.bound_signatures("news")),
    "DataStore.add_bounds": (
        RESEARCHERS,
        lambda stores, lab: stores.data.add_bounds(dataset="news", signature="o", bounds={"d0": BOUND}),
    ),
    "DataStore.bounds": (RESEARCHERS, lambda stores, lab: stores.data.bounds(dataset="news", signature="o")),
    "DataStore.bound": (
        RESEARCHERS,
        lambda stores, lab: stores.data.bound(dataset="news", document_id="d0", signature="o"),
    ),
    "DataStore.histories": (RESEARCHERS, lambda stores, lab: stores.data.histories("news")),
    "DataStore.keep_history": (
        DATASET_OWNERS,
        lambda stores, lab: stores.data.keep_history(dataset="news", system="a", history=[]),
    ),
    "DataStore.count_bounds": (
        RESEARCHERS,
        lambda stores, lab: stores.data.count_bounds(dataset="news", signatures=["o"]),
    ),
    "DataStore.star": (
        RESEARCHERS,
        lambda stores, lab: stores.data.star(dataset="news", document="d0", systems="ab", note="odd"),
    ),
    "DataStore.unstar": (
        RESEARCHERS,
        lambda stores, lab: stores.data.unstar(dataset="news", document="d0", systems="ab"),
    ),
    "DataStore.starred": (RESEARCHERS, lambda stores, lab: stores.data.starred("news")),
    "DataStore.start_run": (
        RESEARCHERS,
        lambda stores, lab: stores.data.start_run(dataset="spare", metrics=["length"]),
    ),
    "a run that adds systems": (
        DATASET_OWNERS,
        lambda stores, lab: stores.data.start_run(dataset="spare", systems=["lead"]),
    ),
    "DataStore.beat": (RESEARCHERS, lambda stores, lab: stores.data.beat(lab.run_id, done=1, total=2)),
    "DataStore.end_run": (RESEARCHERS, lambda stores, lab: stores.data.end_run(lab.run_id)),
    "DataStore.cancel_run": (DATASET_OWNERS, lambda stores, lab: stores.data.cancel_run(lab.run_id)),
    "DataStore.may_cancel": (RESEARCHERS, lambda stores, lab: stores.data.may_cancel(lab.run_id)),
    "DataStore.count_before": (RESEARCHERS, lambda stores, lab: stores.data.count_before(lab.run_id)),
    "DataStore.change_run": (RESEARCHERS, lambda stores, lab: stores.data.change_run(lab.run_id, done=1)),
    "DataStore.run": (RESEARCHERS, lambda stores, lab: stores.data.run(lab.run_id)),
    "DataStore.runs": (RESEARCHERS, lambda stores, lab: stores.data.runs("news")),
    "DataStore.last_run": (RESEARCHERS, lambda stores, lab: stores.data.last_run("news")),
    # --- studies
    "AnnotationStore.sample": (RESEARCHERS, lambda stores, lab: stores.annotation.sample(spec("new"))),
    "AnnotationStore.count_pairs": (RESEARCHERS, lambda stores, lab: stores.annotation.count_pairs(spec("new"))),
    "AnnotationStore.create_study": (RESEARCHERS, lambda stores, lab: stores.annotation.create_study(spec("new"))),
    "AnnotationStore.studies": (RESEARCHERS, lambda stores, lab: stores.annotation.studies()),
    "AnnotationStore.studies_of": (RESEARCHERS, lambda stores, lab: stores.annotation.studies_of("news")),
    "AnnotationStore.is_studied": (DATASET_OWNERS, lambda stores, lab: stores.annotation.is_studied("news")),
    "AnnotationStore.study": (TASK, lambda stores, lab: stores.annotation.study("S")),
    "AnnotationStore.right": (TASK, lambda stores, lab: stores.annotation.right("S")),
    "AnnotationStore.close_study": (MANAGERS, lambda stores, lab: stores.annotation.close_study("S")),
    "AnnotationStore.pace": (READERS, lambda stores, lab: stores.annotation.pace("S")),
    "AnnotationStore.version": (READERS, lambda stores, lab: stores.annotation.version("S")),
    "copy_study": (READERS, lambda stores, lab: copy_study(stores.annotation, "S").dispose()),
    "AnnotationStore.annotators": (READERS, lambda stores, lab: stores.annotation.annotators("S")),
    "load_judgments": (READERS, lambda stores, lab: load_judgments(stores.annotation, "S")),
    "export_judgments": (READERS, lambda stores, lab: export_judgments(stores.annotation, "S")),
    "export_judgments with names": (
        MANAGERS,
        lambda stores, lab: export_judgments(stores.annotation, "S", names=True),
    ),
    "read_study": (
        TASK | {"annotator": NotAllowed},
        lambda stores, lab: read_study(stores.data, stores.annotation, "S"),
    ),
    "ProtocolStore.apply": (outcomes(stranger=StudyExists, reader=NotAllowed), apply),
    "ProtocolStore.examine": (
        outcomes(stranger=StudyExists, reader=NotAllowed),
        lambda stores, lab: stores.protocols.examine(ProtocolStore(stores.data.engine).export("S")),
    ),
    "ProtocolStore.compare": (
        outcomes(stranger=StudyExists, reader=NotAllowed),
        lambda stores, lab: stores.protocols.compare(ProtocolStore(stores.data.engine).protocol("S")),
    ),
    "ProtocolStore.edit": (MANAGERS, lambda stores, lab: stores.protocols.edit("S", {"title": "News"})),
    "ProtocolStore.protocol": (READERS, lambda stores, lab: stores.protocols.protocol("S")),
    "ProtocolStore.history": (READERS, lambda stores, lab: stores.protocols.history("S")),
    "ProtocolStore.export": (READERS, lambda stores, lab: stores.protocols.export("S")),
    # --- who judges
    "AnnotationStore.join": (READERS, lambda stores, lab: stores.annotation.join(study="S", name="Somebody")),
    "AnnotationStore.invite": (MANAGERS, lambda stores, lab: stores.annotation.invite(study="S", name="Ben")),
    "AnnotationStore.invited": (MANAGERS, lambda stores, lab: stores.annotation.invited("S")),
    "AnnotationStore.annotator": (
        own(UnknownInvite),
        lambda stores, lab: stores.annotation.annotator(lab.annotator.token),
    ),
    "AnnotationStore.own_annotator": (SIGNED_IN, lambda stores, lab: stores.annotation.own_annotator()),
    "AnnotationStore.next_task": (OWN_WORK, lambda stores, lab: stores.annotation.next_task(lab.annotator)),
    "AnnotationStore.task": (
        OWN_WORK,
        lambda stores, lab: stores.annotation.task(lab.annotator, lab.judged_id),
    ),
    "AnnotationStore.turn": (OWN_WORK, lambda stores, lab: stores.annotation.turn(lab.annotator)),
    "AnnotationStore.previous_task": (
        OWN_WORK,
        lambda stores, lab: stores.annotation.previous_task(lab.annotator),
    ),
    "AnnotationStore.answered": (
        OWN_WORK,
        lambda stores, lab: stores.annotation.answered(lab.annotator, count=5),
    ),
    "AnnotationStore.offer": (TASK, lambda stores, lab: stores.annotation.offer("S")),
    "AnnotationStore.judge": (
        OWN_WORK,
        lambda stores, lab: judge(stores.annotation, lab.annotator, lab.given_id),
    ),
    "AnnotationStore.skip": (
        OWN_WORK,
        lambda stores, lab: stores.annotation.skip(
            annotator=lab.annotator, assignment_id=lab.given_id, reason="unreadable"
        ),
    ),
    "AnnotationStore.progress": (OWN_WORK, lambda stores, lab: stores.annotation.progress(lab.annotator)),
    # --- phases: the study has none but the judging, which is told to nobody else
    "PhaseStore.standing": (OWN_WORK, lambda stores, lab: stores.phases.standing(lab.annotator)),
    "PhaseStore.answer_consent": (
        OWN_WORK,
        in_no_phase(lambda phases, annotator: phases.answer_consent(annotator, text="", agreed=True)),
    ),
    "PhaseStore.read_instructions": (
        OWN_WORK,
        lambda stores, lab: stores.phases.read_instructions(lab.annotator),
    ),
    "PhaseStore.answer_survey": (
        OWN_WORK,
        lambda stores, lab: stores.phases.answer_survey(lab.annotator, "before", {}),
    ),
    "PhaseStore.training_task": (
        OWN_WORK,
        in_no_phase(lambda phases, annotator: phases.training_task(annotator)),
    ),
    "PhaseStore.answer_training": (OWN_WORK, in_no_phase(answer_training)),
    "PhaseStore.withdraw": (OWN_WORK, lambda stores, lab: stores.phases.withdraw(lab.annotator)),
    # --- adjudication
    "AdjudicationStore.pairs": (ADJUDICATORS, lambda stores, lab: stores.adjudication.pairs("S", "Ada")),
    "AdjudicationStore.task": (ADJUDICATORS, look_at_contested),
    "AdjudicationStore.decide": (ADJUDICATORS, adjudicate),
    "AdjudicationStore.adjudications": (READERS, lambda stores, lab: stores.adjudication.adjudications("S")),
    "AdjudicationStore.confirmation": (READERS, lambda stores, lab: stores.adjudication.confirmation("S")),
    "AdjudicationStore.decided": (RESEARCHERS, lambda stores, lab: stores.adjudication.decided()),
    "AdjudicationStore.version": (READERS, lambda stores, lab: stores.adjudication.version("S")),
    "load_adjudications": (READERS, lambda stores, lab: load_adjudications(stores.annotation, "S")),
    "export_adjudications": (READERS, lambda stores, lab: export_adjudications(stores.adjudication, "S")),
    "export_adjudications with names": (
        MANAGERS,
        lambda stores, lab: export_adjudications(stores.adjudication, "S", names=True),
    ),
    # --- reviews of keywords: seen by all researchers; each account's marks are its own
    "KeywordReviewStore.create_review": (
        RESEARCHERS,
        lambda stores, lab: stores.keyword_reviews.create_review(review_spec("new")),
    ),
    "KeywordReviewStore.reviews": (RESEARCHERS, lambda stores, lab: stores.keyword_reviews.reviews()),
    "KeywordReviewStore.review": (RESEARCHERS, lambda stores, lab: stores.keyword_reviews.review("K")),
    "KeywordReviewStore.version": (RESEARCHERS, lambda stores, lab: stores.keyword_reviews.version("K")),
    "KeywordReviewStore.counts": (RESEARCHERS, lambda stores, lab: stores.keyword_reviews.counts("K")),
    "KeywordReviewStore.decisions": (RESEARCHERS, lambda stores, lab: stores.keyword_reviews.decisions("K")),
    "KeywordReviewStore.export": (RESEARCHERS, lambda stores, lab: stores.keyword_reviews.export("K")),
    "KeywordReviewStore.join": (
        RESEARCHERS,
        lambda stores, lab: stores.keyword_reviews.join(review="K", name="Somebody"),
    ),
    "KeywordReviewStore.annotator": (
        OWN_TOKEN_OF_MARKS,
        lambda stores, lab: stores.keyword_reviews.annotator(lab.marker.token),
    ),
    "KeywordReviewStore.task": (OWN_MARKS, lambda stores, lab: stores.keyword_reviews.task(lab.marker, 0)),
    "KeywordReviewStore.next_task": (OWN_MARKS, lambda stores, lab: stores.keyword_reviews.next_task(lab.marker)),
    "KeywordReviewStore.save": (OWN_MARKS, save_marks),
    "KeywordReviewStore.progress": (OWN_MARKS, lambda stores, lab: stores.keyword_reviews.progress(lab.marker)),
    # --- models that judge
    "ModelStore.pairs": (READERS, lambda stores, lab: stores.models.pairs("S")),
    "ModelStore.models": (READERS, lambda stores, lab: stores.models.models("S")),
    "ModelStore.judged": (READERS, lambda stores, lab: stores.models.judged("S", "m", "judge: m")),
    "ModelStore.verdicts": (READERS, lambda stores, lab: stores.models.verdicts("S")),
    "ModelStore.verdicts_on": (READERS, lambda stores, lab: stores.models.verdicts_on("S", "d0", ("a", "b"))),
    "ModelStore.export": (READERS, lambda stores, lab: stores.models.export("S")),
    "ModelStore.add": (MANAGERS, lambda stores, lab: stores.models.add("S", "m", "judge: m", [])),
    # --- accounts
    "AccountStore.users": (SERVER_OWNERS, lambda stores, lab: stores.accounts.users()),
    "AccountStore.user": (SERVER_OWNERS, lambda stores, lab: stores.accounts.user("carla")),
    "AccountStore.add_user": (
        SERVER_OWNERS,
        lambda stores, lab: stores.accounts.add_user(name="new", role="owner", email="new@example.org"),
    ),
    "AccountStore.set_password": (
        SERVER_OWNERS,
        lambda stores, lab: stores.accounts.set_password("olga", PASSWORD),
    ),
    "AccountStore.disable": (SERVER_OWNERS, lambda stores, lab: stores.accounts.disable("sven")),
    "AccountStore.sign_out": (SERVER_OWNERS, lambda stores, lab: stores.accounts.sign_out("sven")),
    "AccountStore.has_owner": (SIGNED_IN, lambda stores, lab: stores.accounts.has_owner()),
    "AccountStore.password_of": (SERVER_OWNERS, lambda stores, lab: stores.accounts.password_of("olga")),
    "AccountStore.find_identity": (
        SERVER_OWNERS,
        lambda stores, lab: stores.accounts.find_identity("issuer", "subject", "a@example.org"),
    ),
    "AccountStore.unbind": (SERVER_OWNERS, lambda stores, lab: stores.accounts.unbind("sven")),
    "AccountStore.members": (MANAGERS, lambda stores, lab: stores.accounts.members("S")),
    "AccountStore.owner_of": (MANAGERS, lambda stores, lab: stores.accounts.owner_of("S")),
    "AccountStore.grant": (MANAGERS, lambda stores, lab: stores.accounts.grant("S", "sven", Right.MANAGE)),
    # --- links
    "LinkStore.add_link": (MANAGERS, lambda stores, lab: stores.links.add_link("S")),
    "LinkStore.links": (MANAGERS, lambda stores, lab: stores.links.links("S")),
    "LinkStore.revoke": (MANAGERS, lambda stores, lab: stores.links.revoke("S", lab.link.id)),
    "LinkStore.enter": (SERVER_OWNERS, lambda stores, lab: stores.links.enter(lab.link.token)),
    "LinkStore.wording": (SERVER_OWNERS, lambda stores, lab: stores.links.wording(lab.link.token)),
    "LinkStore.way_back": (OWN_WORK, lambda stores, lab: stores.links.way_back(lab.annotator, "finished")),
    # --- stopping rules; annotators let them look, and learn nothing
    "StoppingStore.complete_documents": (READERS, lambda stores, lab: stores.stopping.complete_documents("S")),
    "StoppingStore.look": (TASK, lambda stores, lab: stores.stopping.look("S", lambda _: None)),
    # --- people
    "StudyRemovalStore.rename_study": (MANAGERS, lambda stores, lab: stores.removal.rename_study("S", "new")),
    "StudyRemovalStore.archive_study": (MANAGERS, lambda stores, lab: stores.removal.archive_study("S")),
    "StudyRemovalStore.delete_study": (
        outcomes(stranger=UnknownStudy, reader=NotAllowed, manager=NotAllowed),
        lambda stores, lab: stores.removal.delete_study("S", with_judgments=True),
    ),
    "StudyRemovalStore.delete_dataset": (DATASET_OWNERS, lambda stores, lab: stores.removal.delete_dataset("spare")),
    "RegistrationStore.registration": (READERS, lambda stores, lab: stores.registrations.registration("S")),
    "RegistrationStore.check_registrable": (
        REGISTERING,
        lambda stores, lab: stores.registrations.check_registrable("S"),
    ),
    "RegistrationStore.register": (
        REGISTERING,
        lambda stores, lab: stores.registrations.register("S", "0" * 64, {}),
    ),
    "PeopleStore.people": (READERS, lambda stores, lab: stores.people.people("S")),
    "PeopleStore.pause": (MANAGERS, lambda stores, lab: stores.people.pause("S", "Ann")),
    "PeopleStore.pause_study": (MANAGERS, lambda stores, lab: stores.people.pause_study("S")),
    "PeopleStore.exclude": (MANAGERS, lambda stores, lab: stores.people.exclude("S", "Ann", "why")),
    "PeopleStore.restore": (MANAGERS, lambda stores, lab: stores.people.restore("S", "Ann")),
    "PeopleStore.erase": (MANAGERS, lambda stores, lab: stores.people.erase("S", "Ann", keep_judgments=True)),
}
"""By method: what the call raises for each actor, and the call, which is about the study `S` and what belongs to it."""

PLUMBING = {"reading", "writing", "admit", "failed", "changing", "versions", "keep", "read_in_parts"}
"""Public methods of every store that are not for pages."""


def methods_of(kind: type[Store]) -> set[str]:
    return {name for name, _ in inspect.getmembers(kind, inspect.isfunction) if not name.startswith("_")} - PLUMBING


def test_every_method_of_every_store_is_listed() -> None:
    shared = methods_of(Store)
    result = {
        f"{kind.__name__}.{name}"
        for kind in get_type_hints(Stores).values()
        for name in methods_of(kind) - (shared if kind is not DataStore else set())
    }
    assert result == {name for name in GUARDS if "." in name}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, migrated_sqlite: Path) -> tuple[Lab, Path]:
    """The lab, and the database that it is in, to copy."""
    file = tmp_path_factory.mktemp("lab") / "lab.db"
    engine = make_engine(f"sqlite:///{shutil.copy(migrated_sqlite, file)}")
    lab = build(engine)
    for name, owner in (("written", "creator"), ("spare", "creator")):
        store = DataStore(engine, lab.actors[owner])
        if name == "written":
            store.add_document(dataset=name, document=Document(id="old", source="s", references=("r",)), summaries=[])
        else:
            store.add_dataset(name=name, format="lines", sha256="", records=[])
    engine.dispose()
    return lab, file


@pytest.fixture
def copies(tmp_path: Path, built: tuple[Lab, Path]) -> Iterator[Callable[[], Engine]]:
    """Makes an engine over a fresh copy of that database."""
    engines: list[Engine] = []

    def copy() -> Engine:
        engines.append(make_engine(f"sqlite:///{shutil.copy(built[1], tmp_path / f'{len(engines)}.db')}"))
        return engines[-1]

    yield copy
    for engine in engines:
        engine.dispose()


REFUSALS = (NotSignedIn, NotAllowed, StudyExists, UnknownStudy, NotAssigned, UnknownInvite, AlreadyJudged)


@pytest.mark.parametrize("name", GUARDS)
def test_a_method_answers_those_it_is_for_and_nobody_else(
    built: tuple[Lab, Path], copies: Callable[[], Engine], name: str
) -> None:
    lab, file = built
    expected, call = GUARDS[name]
    before = file.read_bytes()
    result: Outcomes = {}
    for actor in ACTORS:
        engine = copies()
        try:
            call(Stores(engine, lab.actors[actor]), lab)
            result[actor] = None
        except REFUSALS as error:
            result[actor] = type(error)
            if "restore" not in name:  # for which the test has written itself
                engine.dispose()
                assert Path(str(engine.url.database)).read_bytes() == before, "a refused call has written"
    assert result == expected


def test_a_run_is_cancelled_by_who_started_it_or_owns_its_data_set_alone(
    built: tuple[Lab, Path], copies: Callable[[], Engine]
) -> None:
    lab, _ = built
    for canceller in ("reader", "creator", "owner"):
        engine = copies()
        run = DataStore(engine, lab.actors["reader"]).start_run(dataset="spare", metrics=["length"])
        for actor, may in (DATASET_OWNERS | {"reader": None}).items():
            if may is not None:
                with pytest.raises(may):
                    DataStore(engine, lab.actors[actor]).cancel_run(run.id)
        assert DataStore(engine).run(run.id).state == "going"
        assert DataStore(engine, lab.actors[canceller]).cancel_run(run.id)
