"""Panels: what Prolific and others say of a person, who comes back as the same annotator and is sent back by a code."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
from sqlalchemy import Engine, select
from sqlalchemy.orm import Session

from relevance.annotation.people import PeopleStore
from relevance.annotation.phase_store import PhaseStore
from relevance.annotation.phases import DECLINED, FAILED, FINISHED, SCREENED_OUT, TIMED_OUT, WITHDRAWN
from relevance.annotation.protocol.file import write_protocol
from relevance.annotation.protocol.panels import BadPanel, check_panel, describe_parameters, find_way_back
from relevance.annotation.protocol.records import Panel, Places, StudyProtocol, protocol_of
from relevance.annotation.records import Annotator
from relevance.annotation.store import AnnotationStore
from relevance.data.database import now
from relevance.data.store import StoreError
from relevance.hosting.links import LinkStore, LinkUnusable, WayBack
from relevance.hosting.tables import EntryRow
from tests.hosting.people import Lab, spec

PROLIFIC = Panel(kind="prolific", completed="C1DONE", failed="C2FAILED")
SESSION = {
    "PROLIFIC_PID": "5f1e60ab0c9d4a0012345678",
    "STUDY_ID": "6123456789abcdef01234567",
    "SESSION_ID": "65a0b1c2d3e4f5a6b7c8d9e0",
}
SONA = Panel(
    kind="generic",
    parameters=("survey_code",),
    completed="https://school.sona-systems.com/webstudy_credit.aspx?experiment_id=1&credit_token=t&survey_code={person}",
)
CONNECT = Panel(
    kind="generic",
    parameters=("participantId", "assignmentId", "projectId"),
    completed="https://connect.cloudresearch.com/participant/project/41B26CAA44/complete",
    screened_out="https://connect.cloudresearch.com/participant/project/41B26CAA44/partial?of={person}&code={code}",
)

ODD_PERSONS = [
    "@evil.example",
    "//evil.example",
    "/\\evil.example",
    ".evil.example",
    ":80@evil.example/",
    "x\r\nLocation: https://evil.example",
    "?a=b&survey_code=1#x",
    "../../../evil",
    "javascript:alert(1)",
    '"><script>alert(1)</script>',
    "evil。example",
    "％２ｆ％２ｆevil.example",
    "%2f%2fevil.example",
    "{code}{person}",
    "\u202egnp.live",
    "محمد",
]


def create(engine: Engine, **changes: object) -> str:
    """A study `P` with what a study file says of a panel."""
    protocol: StudyProtocol = replace(protocol_of(spec("P")), **changes)  # type: ignore[arg-type]
    AnnotationStore(engine).create_study(protocol.spec, write_protocol(protocol))
    return "P"


def entries(engine: Engine) -> list[tuple[str, dict[str, str] | None]]:
    with Session(engine) as session:
        return [(row.person, row.panel_ids) for row in session.scalars(select(EntryRow).order_by(EntryRow.person))]


def annotator_of(engine: Engine, number: int) -> Annotator:
    return next(item for item in AnnotationStore(engine).invited("P") if item.id == number)


def test_prolifics_ids_are_kept_and_a_second_session_is_the_same_annotator(engine: Engine, lab: Lab) -> None:
    links = LinkStore(engine)
    link = links.add_link(create(engine, panel=PROLIFIC), kind="panel", places=1)
    assert link.query == "?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"
    entered = links.enter(link.token, SESSION | {"utm_source": "mail"})
    again = SESSION | {"SESSION_ID": "6600000000000000000000ff"}
    assert links.enter(link.token, again) == entered
    assert entries(engine) == [(SESSION["PROLIFIC_PID"], again)]  # the panel waits for the latest session
    assert links.links("P")[0].taken == 1
    for item in AnnotationStore(engine).invited("P"):
        assert not set(again.values()) & {item.name, item.token}


def test_a_study_has_one_panel_whatever_link_its_people_come_by(engine: Engine, lab: Lab) -> None:
    links = LinkStore(engine)
    first, second = (links.add_link(create(engine, panel=SONA) if not n else "P", kind="panel") for n in range(2))
    entered = links.enter(first.token, {"survey_code": "4711"})
    links.revoke("P", first.id)
    assert links.enter(second.token, {"survey_code": "4711"}) == entered
    assert links.enter(second.token, {"survey_code": "4712"}) != entered


UNFILLED: dict[Panel, list[dict[str, str]]] = {
    PROLIFIC: [
        *({name: value for name, value in SESSION.items() if name != lacking} for lacking in SESSION),
        *(SESSION | {name: ""} for name in SESSION),
        *(SESSION | {"SESSION_ID": value} for value in ("{{%SESSION_ID%}}", "a b", "é", "x" * 101, "a@b")),
        {"person": "5f1e"},
    ],
    SONA: [SESSION, *({"survey_code": value} for value in ("%SURVEY_CODE%", "..", "1\r\n2", "\0", "", "x" * 201))],
    CONNECT: [{"participantId": "P1", "assignmentId": "A1"}],
}


@pytest.mark.parametrize("panel", UNFILLED)
def test_what_is_missing_or_was_not_filled_in_opens_nothing(engine: Engine, lab: Lab, panel: Panel) -> None:
    link = LinkStore(engine).add_link(create(engine, panel=panel), kind="panel")
    for given in UNFILLED[panel]:
        with pytest.raises(LinkUnusable):
            LinkStore(engine).enter(link.token, given)
    assert entries(engine) == []


@pytest.mark.parametrize(
    ("panel", "codes"),
    [
        (PROLIFIC, {FINISHED: "C1DONE", FAILED: "C2FAILED", SCREENED_OUT: "C2FAILED"}),
        (replace(PROLIFIC, screened_out="C3OUT"), {FINISHED: "C1DONE", FAILED: "C2FAILED", SCREENED_OUT: "C3OUT"}),
        (replace(PROLIFIC, failed=None), {FINISHED: "C1DONE"}),
    ],
)
def test_each_end_has_its_code(panel: Panel, codes: dict[str, str]) -> None:
    ends = (FINISHED, FAILED, SCREENED_OUT, DECLINED, WITHDRAWN, TIMED_OUT)
    by_name = {end: find_way_back(panel, end, person="5f1e", code="own") for end in ends}
    sent = {end: f"https://app.prolific.com/submissions/complete?cc={code}" for end, code in codes.items()}
    assert by_name == dict.fromkeys(ends) | sent


@pytest.mark.parametrize("person", ODD_PERSONS)
def test_nobodys_name_changes_where_people_are_sent(person: str) -> None:
    sent = urlsplit(find_way_back(SONA, FINISHED, person=person, code="own") or "")
    assert (sent.scheme, sent.netloc, sent.path) == ("https", "school.sona-systems.com", "/webstudy_credit.aspx")
    assert parse_qs(sent.query) == {"experiment_id": ["1"], "credit_token": ["t"], "survey_code": [person]}
    assert not sent.fragment
    sent = urlsplit(find_way_back(CONNECT, SCREENED_OUT, person=person, code=person) or "")
    assert sent.netloc == "connect.cloudresearch.com"
    assert parse_qs(sent.query) == {"of": [person], "code": [person]}


@pytest.mark.parametrize(
    "address",
    [
        "http://school.example/{person}",
        "https://{person}.example/",
        "https://{person}@school.example/",
        "https://school.example{person}",
        "https://school.example:{person}/",
        "https://me@school.example/",
        "https://school.example\\@evil.example/",
        "https:///{person}",
        "//school.example/{person}",
        "javascript:alert('{person}')",
        "{person}",
        "",
        "https://school.example/ {person}",
        "https://school.example/\r\n{person}",
        "https://school.example/{name}",
        "https://school.example/{person}}",
        "https://школа.example/",
    ],
)
def test_an_address_has_a_host_that_nothing_is_filled_into(address: str) -> None:
    panel = Panel(kind="generic", completed=address)
    with pytest.raises(BadPanel, match="not an address to send people back to"):
        check_panel(panel)
    with pytest.raises(BadPanel):
        find_way_back(panel, FINISHED, person="p", code="c")


@pytest.mark.parametrize(
    "panel",
    [
        Panel(kind="prolific", completed="https://app.prolific.com/submissions/complete?cc=C1"),
        Panel(kind="prolific", completed="C1", parameters=("person",)),
        Panel(kind="generic", completed="https://school.example/", parameters=("a&b",)),
    ],
)
def test_panels_by_which_nobody_could_come_or_go(panel: Panel) -> None:
    with pytest.raises(BadPanel):
        check_panel(panel)


@pytest.mark.parametrize(
    ("panel", "told"),
    [
        (None, "?PROLIFIC_PID={{%PROLIFIC_PID%}}"),
        (SONA, "?survey_code=%SURVEY_CODE%"),
        (CONNECT, ""),
        (Panel(kind="generic", completed="https://school.example/"), "?person={person}"),
    ],
)
def test_what_a_panel_is_told_to_fill_in(panel: Panel | None, told: str) -> None:
    if panel is not None:
        check_panel(panel)
    assert describe_parameters(panel) == told


def test_only_who_came_by_a_panel_is_sent_back(engine: Engine, lab: Lab) -> None:
    links = LinkStore(engine)
    link = links.add_link(create(engine, panel=SONA), kind="panel")
    sent = annotator_of(engine, links.enter(link.token, {"survey_code": "a/b@c"}))
    address = SONA.completed.replace("{person}", "a%2Fb%40c")
    assert links.way_back(sent, FINISHED) == WayBack("generic", address)
    assert links.way_back(sent, FAILED) == WayBack("generic", None)
    assert links.way_back(AnnotationStore(engine).invite(study="P", name="Ann"), FINISHED) is None
    assert links.way_back(lab.annotator, FINISHED) is None  # whose study has no panel


def test_who_has_withdrawn_comes_back_to_read_it_and_who_was_excluded_does_not(engine: Engine, lab: Lab) -> None:
    links = LinkStore(engine)
    link = links.add_link(create(engine, panel=PROLIFIC), kind="panel")
    entered = annotator_of(engine, links.enter(link.token, SESSION))
    PhaseStore(engine).withdraw(entered)
    assert [links.enter(link.token, SESSION), links.enter(entered.token)] == [entered.id] * 2
    assert links.way_back(entered, WITHDRAWN) == WayBack("prolific", None)
    other = annotator_of(engine, links.enter(link.token, SESSION | {"PROLIFIC_PID": "60ab"}))
    PeopleStore(engine).exclude("P", other.name, "why")
    with pytest.raises(LinkUnusable):
        links.enter(link.token, SESSION | {"PROLIFIC_PID": "60ab"})


def test_erasing_leaves_nothing_of_a_panel(engine: Engine, lab: Lab) -> None:
    links = LinkStore(engine)
    link = links.add_link(create(engine, panel=PROLIFIC), kind="panel")
    entered = annotator_of(engine, links.enter(link.token, SESSION))
    PeopleStore(engine).erase("P", entered.name, keep_judgments=True)
    assert entries(engine) == []


def test_links_have_the_places_and_the_end_of_the_study_file(engine: Engine, lab: Lab) -> None:
    links = LinkStore(engine)
    ends = datetime(2100, 1, 2, tzinfo=UTC)
    create(engine, links=Places(places=3, ends=ends))
    assert [(item.places, item.ends_at) for item in (links.add_link("P"),)] == [(3, ends)]
    sooner = now() + timedelta(days=1)
    link = links.add_link("P", places=9, ends_at=sooner)
    assert (link.places, link.ends_at) == (9, sooner)
    with pytest.raises(StoreError, match="at least one place"):
        links.add_link("P", places=0)


def test_a_link_that_opens_a_study_speaks_its_language(engine: Engine, lab: Lab) -> None:
    links = LinkStore(engine)
    create(engine, language="de")
    invited = AnnotationStore(engine).invite(study="P", name="Ann")
    full, panel = links.add_link("P", places=1), links.add_link("P", kind="panel", places=1)
    known = [
        links.wording(token).language for token in (full.token, panel.token, invited.token, lab.link.token, "guessed")
    ]
    assert known == ["de", "de", "de", "en", "en"]
    links.enter(full.token)
    links.enter(panel.token, {"person": "5f1e"})
    assert [links.wording(item.token).language for item in (full, panel)] == [
        "en",
        "de",
    ]  # who has begun comes back by it
    links.revoke("P", panel.id)
    PeopleStore(engine).exclude("P", "Ann", "why")
    assert [links.wording(token).language for token in (panel.token, invited.token)] == ["en", "en"]
