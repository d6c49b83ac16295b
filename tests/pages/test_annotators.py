"""The page Annotators: who is where, and who is paused, excluded, restored and erased."""

from dataclasses import replace
from datetime import timedelta

import pytest
from streamlit.testing.v1 import AppTest

from relevance.annotation.people import PeopleStore
from relevance.annotation.store import AnnotationStore
from relevance.data.database import connect, now
from relevance.data.rights import Right
from relevance.pages.components.annotators.listing import count_phases
from tests.pages.hosted import Server, server  # noqa: F401  a fixture
from tests.pages.opening import html, open_page, page_text, press, pressed, sound, visible
from tests.pages.world import World, world

__all__ = ["world"]

pytestmark = pytest.mark.page

NAMES = ("Ann", "Bob *b*", "<i>Cyd</i>")


def judge_demo(store: AnnotationStore, count: int = 2) -> None:
    """Three annotators of the demo's study, of whom the first two have judged."""
    for number, name in enumerate(NAMES):
        annotator = store.join(study="Demo", name=name)
        for _ in range(count if number < 2 else 0):
            task = store.next_task(annotator)
            assert task is not None
            shown = now() - timedelta(seconds=2)
            store.judge(annotator=annotator, assignment_id=task.assignment_id, choice="left", presented_at=shown)


@pytest.fixture
def people(demo_url: str) -> PeopleStore:
    engine = connect(demo_url)
    judge_demo(AnnotationStore(engine))
    return PeopleStore(engine)


def choose(app: AppTest, name: str) -> AppTest:
    return sound(app.selectbox(key="person").set_value(name).run())


def test_who_is_excluded_is_counted_here_and_in_the_results(people: PeopleStore) -> None:
    app = choose(open_page("annotators.py", study="Demo"), "Ann")
    assert "3 annotators." in page_text(app)
    assert "judging: 3" in visible(html(app))
    app = pressed(app, "Exclude")
    assert "Say why the annotator is excluded." in page_text(app)
    app.text_input(key="exclusion_reason:0").input("clicks *fast*")
    app = pressed(app, "Exclude")
    assert "Ann is excluded." in page_text(app)
    assert "3 annotators, 1 of them excluded.**" in page_text(app)
    assert page_text(app).count("2 judgments by 1 excluded annotator are left out") == 1
    assert "judging: 2" in visible(html(app))
    assert "excluded: 1" in visible(html(app))
    shown = app.dataframe[0].value
    assert list(shown["state"].fillna("")) == ["excluded", "", ""]
    assert list(shown["excluded because"].fillna("")) == ["clicks *fast*", "", ""]
    assert list(shown["judged"]) == [2, 2, 0]
    overview = open_page("overview.py", study="Demo")
    assert "2 judgments of 2 pairs over 2 documents by 1 annotator in the study Demo. 2 judgments by 1" in page_text(
        overview
    ).replace("**", "")
    annotators = open_page("annotators.py", study="Demo")
    assert "2 judgments of 2 pairs by 1 annotator. 2 judgments by 1 excluded" in page_text(annotators).replace("**", "")
    app = choose(open_page("annotators.py", study="Demo"), "Ann")
    app = press(app, "restore")
    assert "Ann counts again." in page_text(app)
    assert people.people("Demo")[0].excluded_at is None


def test_pausing(people: PeopleStore) -> None:
    app = choose(open_page("annotators.py", study="Demo"), "<i>Cyd</i>")
    app = press(app, "pause")
    assert people.people("Demo")[2].paused_at is not None
    assert list(app.dataframe[0].value["state"].fillna("")) == ["", "", "paused"]
    app = press(app, "pause")
    assert people.people("Demo")[2].paused_at is None
    app = press(app, "pause_study")
    assert "nobody judges" in app.info[0].value
    app = press(app, "pause_study")
    assert "nobody judges" not in page_text(app)


@pytest.mark.parametrize("keep", [True, False])
def test_erasing_asks_for_the_name(people: PeopleStore, keep: bool) -> None:
    app = choose(open_page("annotators.py", study="Demo"), "Bob *b*")
    app.text_input(key="erase_typed:0").input("Bob")
    app = pressed(app, "Erase for ever")
    assert "to erase them" in page_text(app)
    assert people.people("Demo")[1].name == "Bob *b*"
    app.radio(key="erase_keep:0").set_value(keep)
    app.text_input(key="erase_typed:0").input("Bob *b*")
    app = pressed(app, "Erase for ever")
    assert "Erased an annotator, now called Erased 2." in page_text(app)
    erased = people.people("Demo")[1]
    assert (erased.name, erased.progress.judged) == ("Erased 2", 2 if keep else 0)
    assert list(app.dataframe[0].value["annotator"])[1] == "Erased 2"
    assert "Bob" not in page_text(app)


def test_readers_look_and_do_nothing(server: Server) -> None:  # noqa: F811
    judge_demo(AnnotationStore(server.engine))
    rita, mark = server.add("rita"), server.add("mark")
    server.accounts.grant("Demo", "rita", Right.READ)
    server.accounts.grant("Demo", "mark", Right.MANAGE)
    server.visit(rita)
    app = open_page("annotators.py", study="Demo")
    assert len(app.dataframe[0].value) == 3
    assert {button.key for button in app.button} == {"to_study"}
    assert "Whoever manages Demo can" in page_text(app)
    server.visit(mark)
    assert "pause_study" in {button.key for button in open_page("annotators.py", study="Demo").button}
    server.visit(server.add("sven"))
    assert "There is no study yet." in page_text(open_page("annotators.py", study="Demo"))


def test_phases_in_their_order(people: PeopleStore) -> None:
    people.exclude("Demo", "Ann", "why")
    people.erase("Demo", "<i>Cyd</i>", keep_judgments=True)
    ann, bob, cyd = people.people("Demo")
    result = [cyd, ann, replace(bob, phase="timed out"), replace(bob, phase="consent"), bob]
    assert count_phases(result) == {"consent": 1, "judging": 1, "timed out": 1, "excluded": 1, "erased": 1}
    assert list(count_phases(result)) == ["consent", "judging", "timed out", "excluded", "erased"]


@pytest.mark.parametrize(
    ("wanted", "said_of_it"),
    [(1, "two people can be asked about a part of the pairs"), (2, "Invite another annotator")],
)
def test_a_second_judgment_is_asked_for_where_no_pair_has_two(world: World, wanted: int, said_of_it: str) -> None:
    world.add()
    world.ask(judgments_per_pair=wanted)
    world.judge("Ana", lambda document, item, other: item)
    text = page_text(open_page("annotators.py", study="Study"))
    assert "nothing can be said of their agreement" in text
    assert said_of_it in text
    assert "Krippendorff" not in text
