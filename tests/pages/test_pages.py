"""The pages as scripts: every state that a database can put them in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from annotation.demo import create_demo_study
from annotation.results import judged
from annotation.store import AnnotationStore, StudySpec
from data.database import connect
from data.demo import NAME, add_demo
from data.store import DataStore
from metrics import METRICS, metric, metrics
from metrics.scoring import score_dataset

MAIN = Path(__file__).resolve().parents[2] / "pages" / "main.py"
PAGES = ("start.py", "annotate.py", "agreement.py", "studies.py")


@pytest.fixture(autouse=True)
def fresh_caches() -> Iterator[None]:
    st.cache_resource.clear()
    st.cache_data.clear()
    yield
    st.cache_resource.clear()
    st.cache_data.clear()


@pytest.fixture
def demo(sqlite_url: str) -> tuple[DataStore, AnnotationStore]:
    engine = connect(sqlite_url)
    data, annotation = DataStore(engine), AnnotationStore(engine)
    add_demo(data)
    score_dataset(data, NAME, metrics(list(METRICS)))
    create_demo_study(annotation, metric("rouge_k").signature)
    return data, annotation


def opened(page: str, **query: str) -> AppTest:
    app = AppTest.from_file(MAIN, default_timeout=20)
    for key, value in query.items():
        app.query_params[key] = value
    app.run()
    if page != "start.py" and "invite" not in query:
        app.switch_page(page).run()
    assert not app.exception
    return app


@pytest.mark.parametrize("page", PAGES)
def test_every_page_opens_on_an_empty_database(sqlite_url: str, page: str) -> None:
    opened(page)


@pytest.mark.parametrize("page", PAGES)
def test_every_page_opens_on_the_demo(demo: object, page: str) -> None:
    opened(page)


def test_the_agreement_page_says_what_it_shows(demo: tuple[DataStore, AnnotationStore]) -> None:
    app = opened("agreement.py")
    app.selectbox(key="source").select_index(0).run()
    assert "0 judgments of annotators" in app.markdown[0].value
    app = opened("agreement.py")  # opens where there is something to see
    assert "author labels" in app.markdown[0].value
    assert "not annotators' judgments" in app.markdown[0].value
    table = app.dataframe[0].value.set_index("metric")
    assert list(table.index) == ["rouge1", "rouge2", "rougeL", "rouge_k", "length"]
    # 24 documents x 6 pairs of 4 candidates, no two ranked alike
    assert set(table["n"]) == {144}
    assert (table["C"] + table["D"] + table["T"] == table["n"]).all()
    assert table.loc["rouge_k", "half"] > 0.5 > table.loc["rouge1", "half"]


def judging(demo: tuple[DataStore, AnnotationStore], name: str = "Ana") -> AppTest:
    app = opened("annotate.py", annotator=demo[1].join(study="Demo", name=name).token)
    assert app.button(key=f"left:{current(app)}")
    return app


def current(app: AppTest) -> int:
    return int(next(b.key for b in app.button if b.key and b.key.startswith("left:")).split(":")[1])


def read_for_a_while(app: AppTest) -> None:
    """Make it as if the pair had been on the screen for ten seconds."""
    from datetime import timedelta

    assignment, presented = app.session_state.shown
    app.session_state.shown = (assignment, presented - timedelta(seconds=10))


def press(app: AppTest, button: str) -> None:
    read_for_a_while(app)
    app.button(key=f"{button}:{current(app)}").click().run()
    assert not app.exception


def test_choices_are_saved_before_the_next_pair(demo: tuple[DataStore, AnnotationStore]) -> None:
    app = judging(demo)
    first = current(app)
    press(app, "left")
    assert current(app) != first
    assert len(judged(demo[1], "Demo")) == 1
    press(app, "tie")
    assert [c.preference for c in judged(demo[1], "Demo")][1] == 0


def test_a_choice_within_the_blink_of_an_eye_is_not_saved(demo: tuple[DataStore, AnnotationStore]) -> None:
    app = judging(demo)
    first = current(app)
    app.button(key=f"left:{first}").click().run()
    assert "too soon" in app.warning[0].value
    assert current(app) == first
    assert judged(demo[1], "Demo") == []


def test_back_shows_the_choice_and_changes_it(demo: tuple[DataStore, AnnotationStore]) -> None:
    app = judging(demo)
    first = current(app)
    press(app, "left")
    waiting = current(app)
    app.button(key=f"back:{waiting}").click().run()
    assert current(app) == first
    assert "check" in app.button(key=f"left:{first}").label
    press(app, "right")
    assert current(app) == waiting
    (comparison,) = judged(demo[1], "Demo")
    assert app.session_state.shown[0] == waiting
    assert comparison.preference != 0


def test_skip_needs_a_reason(demo: tuple[DataStore, AnnotationStore]) -> None:
    app = judging(demo)
    first = current(app)
    app.button(key=f"skip:{first}").click().run()
    assert "say why" in app.warning[0].value
    app.text_input(key=f"reason:{first}").input("both are empty").run()
    app.button(key=f"skip:{first}").click().run()
    assert current(app) != first
    assert demo[1].annotators("Demo")[0].skipped == 1


def test_an_invite_opens_the_work_and_a_wrong_one_is_refused(demo: tuple[DataStore, AnnotationStore]) -> None:
    token = demo[1].invite(study="Demo", name="Cleo").token
    app = opened("annotate.py", invite=token)
    assert "Cleo" in app.markdown[0].value
    app = opened("annotate.py", invite="nonsense")
    assert "invite is not known" in app.error[0].value


def test_a_study_ends(demo: tuple[DataStore, AnnotationStore]) -> None:
    demo[1].create_study(StudySpec(name="Short", dataset=NAME, rule="random", count=1))
    app = opened("annotate.py", annotator=demo[1].join(study="Short", name="Ana").token)
    press(app, "left")
    assert "last pair" in app.success[0].value
    app.button(key="back:end").click().run()
    press(app, "right")
    assert len(judged(demo[1], "Short")) == 1


def test_a_new_study_from_the_form(demo: tuple[DataStore, AnnotationStore]) -> None:
    app = opened("studies.py")
    app.text_input(key="new_name").input("Mine <b>").run()
    app.radio(key="new_rule").set_value("all").run()
    app.button(key="create").click().run()
    assert not app.exception
    assert any("144 pairs" in message.value for message in app.success)
    assert demo[1].study("Mine <b>").pairs == 144
    app.button(key="create").click().run()
    assert any("already a study" in message.value for message in app.error)


def test_close_and_reopen(demo: tuple[DataStore, AnnotationStore]) -> None:
    app = opened("studies.py")
    app.button(key="close").click().run()
    assert demo[1].study("Demo").closed_at is not None
    app.button(key="close").click().run()
    assert demo[1].study("Demo").closed_at is None
