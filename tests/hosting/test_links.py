"""Links: who enters a study by which, and that all that open nothing answer alike."""

from datetime import datetime, timedelta

import pytest
from sqlalchemy import Engine, func, select, update
from sqlalchemy.orm import Session

from relevance.annotation.people import PeopleStore
from relevance.annotation.store import AnnotationStore
from relevance.annotation.tables import AnnotatorRow, StudyRow
from relevance.data.database import now
from relevance.data.store import StoreError
from relevance.hosting.links import Link, LinkStore, LinkUnusable
from relevance.hosting.tables import LinkRow
from tests.annotation.test_concurrency import at_once
from tests.hosting.people import Lab, judge_next

WORDS = "this link does not open a study; ask whoever sent it for another one"


@pytest.fixture
def gate(engine: Engine) -> LinkStore:
    """As the gate has it."""
    return LinkStore(engine)


@pytest.fixture
def manager(engine: Engine, lab: Lab) -> LinkStore:
    return LinkStore(engine, lab.actors["manager"])


def change(engine: Engine, link: Link, **columns: object) -> None:
    with Session(engine.execution_options(writing=True)) as session:
        session.execute(update(LinkRow).where(LinkRow.id == link.id).values(columns))
        session.commit()


def person(name: str) -> dict[str, str]:
    return {"person": name}


def annotators(engine: Engine) -> dict[int, str]:
    """Names of the annotators by number."""
    with Session(engine) as session:
        return {row.id: row.name for row in session.scalars(select(AnnotatorRow).order_by(AnnotatorRow.id))}


def test_a_personal_link_is_one_annotator_however_often(engine: Engine, gate: LinkStore, lab: Lab) -> None:
    before = annotators(engine)
    for _ in range(2):
        assert gate.enter(lab.annotator.token) == lab.annotator.id
    assert gate.enter(lab.other.token) == lab.other.id
    AnnotationStore(engine).close_study("S")
    assert gate.enter(lab.annotator.token) == lab.annotator.id  # to see that it is closed
    assert annotators(engine) == before


def test_the_token_of_a_typed_name_is_no_link(engine: Engine, gate: LinkStore, lab: Lab) -> None:
    member = AnnotationStore(engine, lab.actors["reader"]).join(study="S", name="")
    typed = AnnotationStore(engine).join(study="S", name="typed")
    for annotator in (member, typed):
        with pytest.raises(LinkUnusable):
            gate.enter(annotator.token)


def test_an_open_link_lets_in_as_many_as_it_has_places(engine: Engine, gate: LinkStore, manager: LinkStore) -> None:
    link = manager.add_link("S", places=2)
    assert (link.taken, link.places, link.kind, link.study) == (0, 2, "open", "S")
    first, second = gate.enter(link.token), gate.enter(link.token)
    assert first != second
    names = annotators(engine)
    assert len({names[first], names[second]}) == 2
    with pytest.raises(LinkUnusable):
        gate.enter(link.token)
    assert manager.links("S")[0].taken == 2
    assert annotators(engine) == names


def test_whoever_entered_by_an_open_link_has_a_personal_one_to_return_by(
    engine: Engine, gate: LinkStore, manager: LinkStore, lab: Lab
) -> None:
    entered = gate.enter(manager.add_link("S").token)
    own = {annotator.id: annotator for annotator in AnnotationStore(engine, lab.actors["manager"]).invited("S")}
    assert gate.enter(own[entered].token) == entered


def test_a_panel_names_its_people(engine: Engine, gate: LinkStore, manager: LinkStore) -> None:
    link, other = (manager.add_link("S", kind="panel", places=2) for _ in range(2))
    first = gate.enter(link.token, person("5f1e"))
    assert gate.enter(link.token, person("5f1e")) == first
    assert gate.enter(link.token, person(" 5f1e ")) == first
    second = gate.enter(link.token, person("60ab"))
    assert second != first
    assert gate.enter(other.token, person("5f1e")) not in {first, second}  # one panel's name says nothing to another
    assert manager.links("S")[1].taken == 2
    assert not {"5f1e", "60ab"} & set(annotators(engine).values())  # what the panel calls them stands nowhere
    with pytest.raises(LinkUnusable):
        gate.enter(link.token, person("third"))
    assert gate.enter(link.token, person("60ab")) == second
    change(engine, link, ends_at=now() - timedelta(hours=1))
    assert gate.enter(link.token, person("60ab")) == second  # who has begun may finish


@pytest.mark.parametrize("name", ["Ann", "Annotator 2", "Annotator 3", "rita"])
def test_a_panels_name_takes_over_nobodys_work(
    engine: Engine, gate: LinkStore, manager: LinkStore, lab: Lab, name: str
) -> None:
    store = AnnotationStore(engine)
    store.invite(study="S", name="Annotator 2")
    store.join(study="S", name="Annotator 3")
    AnnotationStore(engine, lab.actors["reader"]).join(study="S", name="")
    before = annotators(engine)
    entered = gate.enter(manager.add_link("S", kind="panel").token, person(name))
    assert entered not in before
    assert annotators(engine)[entered] not in before.values()


def test_an_open_link_brings_no_person_and_a_panels_always(gate: LinkStore, manager: LinkStore) -> None:
    for link, given in (
        (manager.add_link("S"), person("5f1e")),
        (manager.add_link("S", kind="panel"), None),
        (manager.add_link("S", kind="panel"), {}),
        *((manager.add_link("S", kind="panel"), person(name)) for name in ("", "a\nb", "x" * 201, "\0", "..")),
        (manager.add_link("S", kind="panel"), {"PROLIFIC_PID": "{{%PROLIFIC_PID%}}"}),
    ):
        with pytest.raises(LinkUnusable):
            gate.enter(link.token, given)
    assert {link.taken for link in manager.links("S")} == {0}


def test_nobody_new_comes_to_a_study_that_has_stopped(engine: Engine, gate: LinkStore, manager: LinkStore) -> None:
    link = manager.add_link("S", kind="panel")
    number = gate.enter(link.token, person("early"))
    with Session(engine.execution_options(writing=True)) as session:
        session.execute(update(StudyRow).values(stopped_at=now()))
        session.commit()
    assert gate.enter(link.token, person("early")) == number
    with pytest.raises(LinkUnusable):
        gate.enter(link.token, person("late"))


def test_links_that_open_nothing_answer_alike(engine: Engine, gate: LinkStore, manager: LinkStore, lab: Lab) -> None:
    full, revoked, ended, panel, closed = (
        manager.add_link("S", places=1),
        manager.add_link("S"),
        manager.add_link("S"),
        manager.add_link("S", kind="panel"),
        LinkStore(engine).add_link("elsewhere"),
    )
    gate.enter(full.token)
    manager.revoke("S", revoked.id)
    change(engine, ended, ends_at=now() - timedelta(seconds=1))
    gate.enter(panel.token, person("excluded"))
    gate.enter(panel.token, person("known"))
    excluded = max(annotators(engine)) - 1
    for name in (annotators(engine)[excluded], "Ann"):
        PeopleStore(engine).exclude("S", name, "why")
    AnnotationStore(engine).close_study("elsewhere")
    text = set()
    for token, name in (
        ("", None),
        ("guessed", None),
        ("guessed", "person"),
        ("\0", None),
        ("\ud800", None),
        ("' OR 1=1 --", None),
        (full.token, None),
        (revoked.token, None),
        (ended.token, None),
        (closed.token, None),
        (panel.token, "excluded"),
        (panel.token[:-1], "known"),
        (lab.annotator.token, None),
    ):
        with pytest.raises(LinkUnusable) as error:
            gate.enter(token, None if name is None else person(name))
        text.add((type(error.value), str(error.value)))
    assert text == {(LinkUnusable, WORDS)}
    manager.revoke("S", panel.id)
    with pytest.raises(LinkUnusable, match=WORDS):
        gate.enter(panel.token, person("known"))


def test_excluded_and_let_in_again(engine: Engine, gate: LinkStore, lab: Lab) -> None:
    people = PeopleStore(engine, lab.actors["manager"])
    judge_next(AnnotationStore(engine, lab.actors["annotator"]), lab.annotator)
    people.exclude("S", "Ann", "why")
    with pytest.raises(LinkUnusable):
        gate.enter(lab.annotator.token)
    assert [row.judged for row in AnnotationStore(engine).annotators("S")] == [2]  # what they judged stays
    people.restore("S", "Ann")
    assert gate.enter(lab.annotator.token) == lab.annotator.id
    with pytest.raises(StoreError, match="no annotator 'Otto'"):
        people.exclude("S", "Otto", "why")


def test_revoking_twice_keeps_the_first_time(manager: LinkStore) -> None:
    link = manager.add_link("S")
    manager.revoke("S", link.id)
    first = manager.links("S")[0].revoked_at
    assert first is not None
    manager.revoke("S", link.id)
    manager.revoke("S", 10**6)
    assert manager.links("S")[0].revoked_at == first


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"kind": "personal"}, "not a kind of link"),
        ({"places": 0}, "at least one place"),
        ({"places": 2**31}, "at least one place"),
        ({"ends_at": datetime(2020, 1, 1)}, "must be in the future"),
        ({"ends_at": now() - timedelta(days=1)}, "must be in the future"),
    ],
)
def test_what_no_link_can_be(manager: LinkStore, given: dict[str, object], why: str) -> None:
    with pytest.raises(StoreError, match=why):
        manager.add_link("S", **given)  # type: ignore[arg-type]


def test_tokens_cannot_be_guessed(manager: LinkStore) -> None:
    links = [manager.add_link("S", ends_at=now() + timedelta(days=1)) for _ in range(5)]
    assert len({link.token for link in links}) == 5
    assert min(len(link.token) for link in links) >= 43  # 256 bits
    assert [link.id for link in manager.links("S")[:5]] == [link.id for link in reversed(links)]


# --- at once --------------------------------------------------------------------------------------------------


def test_the_last_place_is_given_once(engine: Engine, gate: LinkStore, manager: LinkStore) -> None:
    link = manager.add_link("S", places=1)
    done = at_once(lambda _: gate.enter(link.token), threads=4)
    assert sorted(type(item).__name__ for item in done) == ["LinkUnusable"] * 3 + ["int"]
    assert manager.links("S")[0].taken == 1


def test_a_person_in_two_windows_is_one_annotator(gate: LinkStore, manager: LinkStore) -> None:
    link = manager.add_link("S", kind="panel", places=1)
    assert len(set(at_once(lambda _: gate.enter(link.token, person("5f1e")), threads=4))) == 1
    assert manager.links("S")[0].taken == 1


def test_people_who_enter_by_several_links_at_once_get_names_of_their_own(
    engine: Engine, gate: LinkStore, manager: LinkStore
) -> None:
    links = [manager.add_link("S") for _ in range(4)]
    before = annotators(engine)
    entered = at_once(lambda n: gate.enter(links[n].token), threads=4)
    assert len(set(entered)) == 4
    assert len(set(annotators(engine).values()) - set(before.values())) == 4
    with Session(engine) as session:
        assert session.scalar(select(func.sum(LinkRow.taken))) == 4
