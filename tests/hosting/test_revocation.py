"""A right that is taken away is gone with the next call, whatever the caller has kept; guessed numbers open nothing."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import Engine, delete, func, select, text
from sqlalchemy.orm import Session

from relevance.annotation.keyword_records import KeywordAnnotator
from relevance.annotation.keyword_reviews import KeywordReviewStore
from relevance.annotation.people import PeopleStore
from relevance.annotation.protocol.tables import EventRow
from relevance.annotation.records import NotAssigned, UnknownStudy
from relevance.annotation.store import AnnotationStore
from relevance.annotation.tables import AnnotatorRow, JudgmentRow
from relevance.data.rights import Right
from relevance.data.store import NotAllowed, NotSignedIn, StoreError
from relevance.hosting.accounts import AccountStore
from relevance.hosting.links import LinkStore
from relevance.hosting.sign_ins import SignedIn, SignInStore
from relevance.hosting.tables import MembershipRow, SignInRow
from relevance.pages.components.shared.stores import Stores
from tests.hosting.people import Lab, judge, judge_next
from tests.waiting import PATIENCE, until


def digest_of_actor(lab: Lab, name: str) -> str:
    actor = lab.actors[name]
    assert isinstance(actor, SignedIn)
    return actor.digest


def count_judgments(engine: Engine) -> int:
    with Session(engine) as session:
        return session.scalar(select(func.count()).select_from(JudgmentRow)) or 0


# --- between two calls of the same store ---------------------------------------------------------------------


def sign_out(engine: Engine, lab: Lab) -> None:
    SignInStore(engine).sign_out(digest_of_actor(lab, "annotator"))


def exclude(engine: Engine, lab: Lab) -> None:
    PeopleStore(engine, lab.actors["creator"]).exclude("S", "Ann", "why")


@pytest.mark.parametrize("revoke", [sign_out, exclude])
def test_an_annotator_who_is_out_does_nothing_more(
    engine: Engine, lab: Lab, revoke: Callable[[Engine, Lab], None]
) -> None:
    store = AnnotationStore(engine, lab.actors["annotator"])
    judge(store, lab.annotator, lab.given_id)
    revoke(engine, lab)
    before = count_judgments(engine)
    for call in (
        lambda: judge(store, lab.annotator, lab.judged_id, change=True),
        lambda: store.skip(annotator=lab.annotator, assignment_id=lab.given_id, reason="why"),
        lambda: store.next_task(lab.annotator),
        lambda: store.previous_task(lab.annotator),
        lambda: store.task(lab.annotator, lab.judged_id),
        lambda: store.progress(lab.annotator),
        lambda: store.study("S"),
        store.own_annotator,
    ):
        with pytest.raises(NotSignedIn):
            call()
    assert count_judgments(engine) == before


def test_an_excluded_annotator_who_is_let_in_again_needs_a_new_sign_in(engine: Engine, lab: Lab) -> None:
    manager = PeopleStore(engine, lab.actors["manager"])
    manager.exclude("S", "Ann", "why")
    manager.restore("S", "Ann")
    with pytest.raises(NotSignedIn):
        AnnotationStore(engine, lab.actors["annotator"]).own_annotator()
    assert LinkStore(engine).enter(lab.annotator.token) == lab.annotator.id


def test_a_disabled_account_does_nothing_more(engine: Engine, lab: Lab) -> None:
    store = Stores(engine, lab.actors["creator"])
    store.annotation.close_study("S")
    AccountStore(engine, lab.actors["owner"]).disable("carla")
    for call in (
        lambda: store.annotation.close_study("S", closed=False),
        store.data.datasets,
        store.annotation.studies,
    ):
        with pytest.raises(NotSignedIn):
            call()
    AccountStore(engine).disable("carla", disabled=False)
    with pytest.raises(NotSignedIn):  # the sign-ins of before stay ended
        store.data.datasets()


def test_a_membership_ends_at_once(engine: Engine, lab: Lab) -> None:
    member, creator = Stores(engine, lab.actors["manager"]), Stores(engine, lab.actors["creator"])
    own = member.annotation.join(study="S", name="typed")
    judge_next(member.annotation, own)
    creator.accounts.grant("S", "mark", Right.READ)
    with pytest.raises(NotAllowed):
        member.annotation.close_study("S")
    judge_next(member.annotation, own)
    creator.accounts.grant("S", "mark", None)
    with pytest.raises(NotAssigned):
        member.annotation.next_task(own)
    with pytest.raises(UnknownStudy):
        member.annotation.study("S")
    creator.accounts.grant("S", "mark", Right.READ)
    assert member.annotation.progress(own).judged == 2


def test_a_member_who_judges_can_be_excluded(engine: Engine, lab: Lab) -> None:
    member = Stores(engine, lab.actors["reader"])
    own = member.annotation.join(study="S", name="typed")
    assert own.name == "rita"
    PeopleStore(engine, lab.actors["creator"]).exclude("S", "rita", "why")
    with pytest.raises(NotAssigned):
        member.annotation.next_task(own)
    with pytest.raises(StoreError):
        member.annotation.join(study="S", name="typed")


def test_a_member_who_withdrew_and_was_erased_is_named_nowhere(engine: Engine, lab: Lab) -> None:
    member = Stores(engine, lab.actors["reader"])
    own = member.annotation.join(study="S", name="typed")
    member.phases.withdraw(own)
    PeopleStore(engine).erase("S", "rita", keep_judgments=True)
    with Session(engine) as session:
        assert session.get_one(AnnotatorRow, own.id).user_id is None
        events = select(EventRow.event, EventRow.user_id).where(EventRow.annotator_id == own.id)
        assert {tuple(row) for row in session.execute(events)} == {
            ("withdrawn", None),
            ("excluded", None),
            ("erased", None),
        }


# --- while a call waits ---------------------------------------------------------------------------------------


def is_waited_for(engine: Engine) -> bool:
    """Whether somebody waits for a lock. SQLite does not say it; there is only one, which is asked for first."""
    if engine.dialect.name == "sqlite":
        return True
    waiting = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    with engine.connect() as connection:
        return bool(connection.scalar(text(waiting)))


def wait_for_lock(
    engine: Engine, change: Callable[[Session], None], call: Callable[[], object]
) -> type[BaseException] | None:
    """Make a change, begin a call in another thread before it is committed, commit; returns what the call raised."""
    with ThreadPoolExecutor(1) as pool, Session(engine.execution_options(writing=True)) as session:
        change(session)
        session.flush()
        called = pool.submit(call)
        until(lambda: called.done() or is_waited_for(engine))
        session.commit()
        error = called.exception(PATIENCE)
    return None if error is None else type(error)


def test_who_was_signed_out_while_a_choice_waited_has_not_judged(engine: Engine, lab: Lab) -> None:
    digest, store = digest_of_actor(lab, "annotator"), AnnotationStore(engine, lab.actors["annotator"])
    before = count_judgments(engine)
    raised = wait_for_lock(
        engine,
        lambda session: session.execute(delete(SignInRow).where(SignInRow.digest == digest)) and None,
        lambda: judge(store, lab.annotator, lab.given_id),
    )
    assert raised is NotSignedIn
    assert count_judgments(engine) == before


def test_who_lost_a_membership_while_a_change_waited_has_changed_nothing(engine: Engine, lab: Lab) -> None:
    store = AnnotationStore(engine, lab.actors["manager"])
    raised = wait_for_lock(
        engine,
        lambda session: session.execute(delete(MembershipRow)) and None,
        lambda: store.close_study("S"),
    )
    assert raised is UnknownStudy
    assert AnnotationStore(engine).study("S").closed_at is None


def test_what_was_admitted_is_committed_before_the_right_is_gone(engine: Engine, lab: Lab) -> None:
    """Whoever signs somebody out knows that nothing of theirs comes later."""
    store = AnnotationStore(engine, lab.actors["annotator"])
    digest = digest_of_actor(lab, "annotator")
    with ThreadPoolExecutor(1) as pool:
        with store.writing(annotators=True) as session:
            out = pool.submit(SignInStore(engine).sign_out, digest)
            until(lambda: out.done() or is_waited_for(engine))
            assert session.scalar(select(SignInRow.digest).where(SignInRow.digest == digest)) == digest
            assert not out.done()
        out.result(PATIENCE)
    with pytest.raises(NotSignedIn):
        store.own_annotator()


# --- guessed numbers and names --------------------------------------------------------------------------------


def test_guessed_assignments_open_nothing(engine: Engine, lab: Lab) -> None:
    """The annotator of one study asks for the pairs of another's, as themself and in the other's name."""
    store = AnnotationStore(engine, lab.actors["annotator"])
    for annotator, assignment_id in (
        (lab.annotator, lab.other_id),
        (lab.other, lab.other_id),
        (lab.other, lab.given_id),
        (lab.annotator, 10**6),
    ):
        with pytest.raises(NotAssigned):
            store.task(annotator, assignment_id)
        with pytest.raises(NotAssigned):
            judge(store, annotator, assignment_id, change=True)
        with pytest.raises(NotAssigned):
            store.skip(annotator=annotator, assignment_id=assignment_id, reason="why")
    with pytest.raises(NotAssigned):
        store.previous_task(lab.other)
    with pytest.raises(NotAssigned):
        store.progress(lab.other)


def test_an_earlier_pair_is_looked_for_among_ones_own(engine: Engine, lab: Lab) -> None:
    previous_task = AnnotationStore(engine, lab.actors["annotator"]).previous_task(lab.annotator, 10**6)
    assert previous_task is not None
    assert previous_task.assignment_id == lab.judged_id


def test_a_guessed_link_is_revoked_by_nobody_else(engine: Engine, lab: Lab) -> None:
    LinkStore(engine, lab.actors["researcher elsewhere"]).revoke("elsewhere", lab.link.id)
    assert LinkStore(engine).links("S")[0].revoked_at is None


@pytest.mark.parametrize("actor", ["annotator elsewhere", "researcher elsewhere"])
def test_no_message_names_a_study_that_the_caller_may_not_know(engine: Engine, lab: Lab, actor: str) -> None:
    store = Stores(engine, lab.actors[actor])
    with pytest.raises(UnknownStudy) as unknown:
        store.annotation.study("no such study")
    assert str(unknown.value) == "there is no study 'no such study'; there are elsewhere"
    with pytest.raises(UnknownStudy) as hidden:
        store.annotation.study("S")
    assert str(hidden.value) == "there is no study 'S'; there are elsewhere"


def test_lists_have_ones_own_studies_only(engine: Engine, lab: Lab) -> None:
    names = {}
    for actor in ("researcher elsewhere", "reader", "creator", "owner", "local"):
        store = AnnotationStore(engine, lab.actors[actor])
        names[actor] = [study.name for study in store.studies()]
        assert store.studies_of("news") == names[actor][::-1]
        if actor in {"creator", "owner", "local"}:
            assert store.is_studied("news")
        else:
            with pytest.raises(NotAllowed):
                store.is_studied("news")
    assert names == {
        "researcher elsewhere": ["elsewhere"],
        "reader": ["S"],
        "creator": ["S"],
        "owner": ["elsewhere", "S"],
        "local": ["elsewhere", "S"],
    }


# --- marks of keywords ----------------------------------------------------------------------------------------


def test_an_account_marks_by_its_own_name_whatever_is_typed(engine: Engine, lab: Lab) -> None:
    sven = KeywordReviewStore(engine, lab.actors["researcher elsewhere"])
    own = sven.join(review="K", name="carla", returning=True)
    assert own.name == "sven"
    assert sven.join(review="K", name="") == own  # returns without being asked
    assert sven.annotator(own.token) == own
    with pytest.raises(NotAssigned):
        sven.progress(KeywordAnnotator(lab.marker.id, "sven", "K", own.token))


def test_a_name_typed_before_the_server_was_hosted_is_nobodys_account(engine: Engine, lab: Lab) -> None:
    local = KeywordReviewStore(engine).join(review="K", name="sven")
    with pytest.raises(StoreError, match="somebody else called 'sven'"):
        KeywordReviewStore(engine, lab.actors["researcher elsewhere"]).join(review="K", name="", returning=True)
    assert KeywordReviewStore(engine).join(review="K", name="sven", returning=True) == local


def test_an_account_does_not_take_over_who_judged_under_its_name(engine: Engine, lab: Lab) -> None:
    AnnotationStore(engine).join(study="S", name="rita")
    with pytest.raises(StoreError, match="another annotator 'rita'"):
        AnnotationStore(engine, lab.actors["reader"]).join(study="S", name="Rita")
