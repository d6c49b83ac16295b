"""Annotators' pages from consent to the end, as a script; and the preview, which stores nothing."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from relevance.annotation.phase_store import PhaseStore
from relevance.annotation.phases import FINISHED
from relevance.annotation.protocol.file import write_protocol
from relevance.annotation.protocol.records import (
    Checks,
    Consent,
    Judging,
    Pinned,
    Sampling,
    StudyProtocol,
    SurveyQuestion,
    Surveys,
    Training,
    TrainingPair,
)
from relevance.annotation.records import Annotator
from relevance.annotation.results import export_judgments
from relevance.annotation.store import AnnotationStore
from relevance.data.database import connect
from relevance.data.demo import NAME
from tests.pages.opening import html, open_page, open_work, page_text, press, pressed, sound

pytestmark = pytest.mark.page

TRAINING = Training(
    pairs=tuple(
        TrainingPair(document=f"document {n}", better=f"good {n}", worse=f"bad {n}", explanation=f"It tells {n}.")
        for n in range(2)
    ),
    pass_mark=2,
)
QUESTIONS = (
    SurveyQuestion(name="age", ask="How old are you?", kind="number", least=18),
    SurveyQuestion(name="level", ask="How well do you read?", kind="radio", options=("well", "badly")),
    SurveyQuestion(name="fields", ask="What do you know?", kind="checkbox", options=("a", "b")),
)
REMARK = SurveyQuestion(name="remark", ask="Anything else?", kind="text", required=False)

Ask = Callable[..., Annotator]


@pytest.fixture
def store(demo_url: str) -> AnnotationStore:
    return AnnotationStore(connect(demo_url))


@pytest.fixture
def ask(store: AnnotationStore) -> Ask:
    """Create the study Way by a protocol, and let Ana join."""

    def ask(**tables: Any) -> Annotator:
        settings = {"sampling": Sampling(rule="random", count=6, per_document=1, seed=3)} | tables
        protocol = StudyProtocol(name="Way", title="A *fine* study", dataset=Pinned(name=NAME), **settings)
        store.create_study(protocol.spec, write_protocol(protocol))
        return store.join(study="Way", name="Ana")

    return ask


def way(annotator: Annotator) -> AppTest:
    return open_work(annotator=annotator.token)


def choose(app: AppTest, choice: str, **extras: Any) -> AppTest:
    """Choose a summary of the pair on the page, as if it had been there for ten seconds."""
    number, presented = app.session_state.shown
    app.session_state.shown = (number, presented - timedelta(seconds=10))
    for key, value in extras.items():
        app.session_state[f"{key}:{number}"] = value
    return press(app, f"{choice}:{number}")


def headings(app: AppTest) -> str:
    return f"{page_text(app)} {html(app)}"


def practise(app: AppTest, *, right: bool = True) -> AppTest:
    good_left = html(app).index("good") < html(app).index("bad ")
    return choose(app, "left" if good_left == right else "right")


def answer(app: AppTest) -> AppTest:
    app.number_input(key="survey:before:age").set_value(30)
    app.radio(key="survey:before:level").set_value("well")
    app.checkbox(key="survey:before:fields:1").check()
    return pressed(app, "Go on")


def test_all_phases_to_a_code(store: AnnotationStore, ask: Ask) -> None:
    ana = ask(
        consent=Consent(text="Your answers are **kept**."),
        surveys=Surveys(before=QUESTIONS, after=(REMARK,)),
        training=TRAINING,
        judging=Judging(most_per_annotator=2, confidence=True, rationale="required"),
    )
    app = way(ana)
    assert "Your answers are **kept**." in page_text(app)
    app = pressed(app, "I agree")
    app = pressed(app, "I have read this")
    app = pressed(app, "Go on")
    assert "Please answer: How old are you" in app.warning[0].value.replace("\\", "")
    app = practise(answer(app))
    assert "That is right" in html(app)
    assert "It tells 0." in page_text(app)
    app = practise(pressed(app, "Go on"))
    assert "now the real pairs begin" in page_text(app)
    app = pressed(app, "Go on")
    assert "Pair 1 of 2" in html(app)
    app = choose(app, "left")
    assert "Say why" in app.warning[0].value
    app = choose(app, "left", rationale="it says more")
    assert "how sure you are" in app.warning[0].value
    assert "Pair 1 of 2" in html(app)
    for _ in range(2):
        app = choose(app, "left", rationale="it says more", confidence=4)
    app.text_area(key="survey:after:remark").input("no")
    app = pressed(app, "Go on")
    code = PhaseStore(store.engine).standing(ana).code
    assert "You have finished" in html(app)
    assert [element.value for element in app.code] == [code]
    judged = [(row["confidence"], row["rationale"]) for row in export_judgments(store, "Way")]
    assert judged == [(4, "it says more")] * 2
    app = press(app, "withdraw")
    assert "You have withdrawn" in html(app)
    assert "A *fine* study" in page_text(app)


def test_every_end_says_what_it_means(store: AnnotationStore, ask: Ask) -> None:
    ana = ask(consent=Consent(text="Kept."), training=TRAINING)
    app = pressed(pressed(way(ana), "I agree"), "I have read this")
    for _ in TRAINING.pairs:
        app = practise(app, right=False)
        assert "That is not right" in html(app)
        app = pressed(app, "Go on")
    assert "practice pairs were not answered" in html(app)
    app = pressed(way(store.join(study="Way", name="Ben")), "I do not agree")
    assert "You do not take part" in html(app)
    assert not [button for button in app.button if button.label.startswith("Withdraw")]


def test_checks_warn_once_and_then_end(ask: Ask) -> None:
    app = way(ask(judging=Judging(ties=True), checks=Checks(count=2, warn_after=1, end_after=2)))
    warned = []
    while "Your part ends here" not in html(app):
        app = choose(app, "tie")  # which no check takes for right
        warned.append("attention check was answered wrongly" in page_text(app))
    assert sum(warned) == 1


def test_a_pause_is_said_and_ends(store: AnnotationStore, ask: Ask) -> None:
    ana = ask()
    app = way(ana)
    pause(store, "now")
    app = choose(app, "left")
    assert "The study is paused" in html(app)
    pause(store, None)
    app = press(app, "resumed")
    assert "Pair 1 of 6" in html(app)


def pause(store: AnnotationStore, moment: str | None) -> None:
    with store.engine.execution_options(writing=True).begin() as connection:
        value = "CURRENT_TIMESTAMP" if moment else "NULL"
        connection.exec_driver_sql(f"UPDATE studies SET paused_at = {value}")


def test_a_preview_goes_all_the_way_and_stores_nothing(store: AnnotationStore, ask: Ask) -> None:
    ask(consent=Consent(text="Kept."), judging=Judging(most_per_annotator=1))
    before = dump(store)
    app = press(open_page("studies.py", study="Way"), "preview").switch_page("annotate.py").run()
    assert "Nothing that you do here is stored" in page_text(app)
    app = pressed(pressed(app, "I agree"), "I have read this")
    app = choose(app, "right")
    assert "You have finished" in html(app)
    assert dump(store) == before
    app = sound(app.button(key="end_preview").click().run())
    assert "preview_stores" not in app.session_state
    assert PhaseStore(store.engine).standing(store.join(study="Way", name="Ana")).phase != FINISHED


def dump(store: AnnotationStore) -> list[str]:
    with store.engine.connect() as connection:
        raw = connection.connection.driver_connection
        assert raw is not None
        return list(raw.iterdump())
