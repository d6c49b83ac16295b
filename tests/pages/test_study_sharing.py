"""A study's page on a hosted server: members, links, and what a reader does not see."""

from datetime import UTC, datetime, timedelta

import pytest
from streamlit.testing.v1 import AppTest

from relevance.annotation.protocol.file import write_protocol
from relevance.annotation.protocol.records import Panel, Pinned, Places, Sampling, StudyProtocol
from relevance.annotation.records import StudySpec
from relevance.annotation.store import AnnotationStore
from relevance.data.database import now
from relevance.data.demo import NAME
from relevance.data.rights import Right
from relevance.hosting.accounts import Member
from relevance.hosting.links import LinkStore
from relevance.pages.components.studies.sharing import describe_link, end_of
from tests.pages.hosted import ADDRESS, Server, server  # noqa: F401  a fixture
from tests.pages.opening import open_page, page_text, pressed, sound


@pytest.fixture
def managed(server: Server) -> Server:  # noqa: F811
    """Mark manages the demo's study, whose page he looks at."""
    mark = server.add("mark")
    server.accounts.grant(server.study(), "mark", Right.MANAGE)
    server.visit(mark)
    return server


def open_part(server: Server, part: str) -> AppTest:  # noqa: F811
    app = open_page("studies.py", study=server.study())
    app.session_state.study_part = part
    return sound(app.run())


def addresses(app: AppTest) -> list[str]:
    """The links that stand on the page; a study's file stands there likewise."""
    return [code.value for code in app.code if code.language != "toml"]


def test_a_manager_gives_and_takes_rights(managed: Server) -> None:
    managed.add("rita")
    app = open_part(managed, "Members")
    app.text_input(key="member_name").input("rita")
    app.selectbox(key="member_right").set_value(Right.ADJUDICATE)
    app = pressed(app, "Give the right")
    assert f"Rita may adjudicate {managed.study()}." in page_text(app)
    assert managed.accounts.members(managed.study()) == [
        Member("mark", Right.MANAGE),
        Member("rita", Right.ADJUDICATE),
    ]
    app.selectbox(key="member_chosen").set_value("rita")
    app = pressed(app, "Take the right away")
    assert [member.name for member in managed.accounts.members(managed.study())] == ["mark"]
    app.text_input(key="member_name").input("nobody")
    app = pressed(app, "Give the right")
    assert app.error[0].value.replace("\\", "") == "There is no account 'nobody'."


def test_members_begin_with_the_owner_who_keeps_their_rights(server: Server) -> None:  # noqa: F811
    carla = server.add("carla")
    AnnotationStore(server.engine, carla).create_study(StudySpec(name="Hers", dataset=NAME, rule="random"))
    server.visit(carla)
    app = open_page("studies.py", study="Hers")
    app.session_state.study_part = "Members"
    app = sound(app.run())
    assert app.dataframe[-1].value.to_numpy().tolist() == [["carla", "owner"]]
    app.text_input(key="member_name").input("carla")
    app = pressed(app, "Give the right")
    assert app.error[0].value.replace("\\", "") == "'carla' owns the study, and has all rights in it."
    assert server.accounts.members("Hers") == []
    assert "member_chosen" not in {box.key for box in app.selectbox}


def test_links_are_made_copied_and_revoked(managed: Server) -> None:
    app = open_page("annotators.py", study=managed.study())
    app.number_input(key="link_places").set_value(20)
    app.date_input(key="link_last").set_value(now().date() + timedelta(days=3))
    app = pressed(app, "Make the link")
    app.selectbox(key="link_kind").set_value("panel")
    app = pressed(app, "Make the link")
    links = LinkStore(managed.engine)
    panel, opened = links.links(managed.study())
    assert (opened.kind, opened.places, panel.kind, panel.places) == ("open", 20, "panel", 20)
    assert opened.ends_at == end_of(now().date() + timedelta(days=3))
    assert addresses(app) == [
        f"{ADDRESS}/p/{panel.token}?PROLIFIC_PID={{{{%PROLIFIC_PID%}}}}",
        f"{ADDRESS}/join/{opened.token}",
    ]
    assert "0 of 20 places taken" in page_text(app)
    links.enter(opened.token)
    app = sound(app.button(key=f"revoke:{opened.id}").click().run())
    assert "The link is revoked. Those who have entered by it can go on." in page_text(app)
    assert "1 of 20 places taken" in page_text(app)
    assert opened.token not in str(addresses(app))
    assert links.links(managed.study())[1].revoked_at is not None
    AnnotationStore(managed.engine).close_study(managed.study())
    app = open_page("annotators.py", study=managed.study())
    assert f"revoke:{panel.id}" in {button.key for button in app.button}  # a closed study can be opened again


def test_a_panels_link_has_what_the_study_file_says(server: Server) -> None:  # noqa: F811
    carla = server.add("carla")
    server.visit(carla)
    protocol = StudyProtocol(
        name="P",
        dataset=Pinned(name=NAME),
        sampling=Sampling(rule="random"),
        panel=Panel(kind="prolific", completed="C1"),
        links=Places(places=20),
    )
    AnnotationStore(server.engine, carla).create_study(protocol.spec, write_protocol(protocol))
    app = open_page("annotators.py", study="P")
    assert app.number_input(key="link_places").proto.placeholder == "20, by the study file"
    app.selectbox(key="link_kind").set_value("panel")
    app = pressed(app, "Make the link")
    ids = "&".join(f"{name}={{{{%{name}%}}}}" for name in ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID"))
    (link,) = LinkStore(server.engine).links("P")
    assert addresses(app) == [f"{ADDRESS}/p/{link.token}?{ids}"]
    assert link.places == 20


def test_a_personal_link_leads_to_the_start_button(managed: Server) -> None:
    invited = AnnotationStore(managed.engine).invite(study=managed.study(), name="Ann")
    assert addresses(open_page("annotators.py", study=managed.study())) == [f"{ADDRESS}/join/{invited.token}"]
    assert addresses(open_part(managed, "Overview")) == []  # a name alone opens nothing


def test_a_reader_sees_results_and_changes_nothing(managed: Server) -> None:
    rita = managed.add("rita")
    managed.accounts.grant(managed.study(), "rita", Right.READ)
    AnnotationStore(managed.engine).invite(study=managed.study(), name="Ann")
    managed.visit(rita)
    for part in ("Overview", "Design", "Export"):
        app = open_part(managed, part)
        assert not app.error
        assert not addresses(app)
        assert {button.label for button in app.button} <= {
            *("All studies", "Preview as an annotator", "See results", "Annotators"),
        }
    assert [tab.label for tab in app.tabs] == ["Overview", "Design", "Export"]
    assert not addresses(open_page("annotators.py", study=managed.study()))


def test_a_researcher_of_other_studies_finds_none(managed: Server) -> None:
    managed.visit(managed.add("sven"))
    app = open_page("studies.py", study=managed.study())
    assert app.warning[0].value.replace("\\", "") == f"There is no study {managed.study()}."
    assert not app.tabs


def test_what_is_said_of_a_link(managed: Server) -> None:
    links = LinkStore(managed.engine)
    link = links.add_link(managed.study(), ends_at=datetime(2100, 1, 2, tzinfo=UTC))
    day = f"{link.created_at:%Y-%m-%d}"
    assert describe_link(link) == f"Open link of {day} · 0 entered · until 2100-01-02 00:00 UTC"
    links.revoke(managed.study(), link.id)
    assert describe_link(links.links(managed.study())[0]).endswith(f" · revoked on {day}")
