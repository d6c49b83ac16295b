"""The pages while the database cannot be used, and afterwards."""

from datetime import timedelta
from pathlib import Path

import pytest
import streamlit as st
from sqlalchemy import make_url
from streamlit.testing.v1 import AppTest

from relevance.annotation.results import load_judgments
from relevance.annotation.store import AnnotationStore
from relevance.data.database import connect
from tests.pages.opening import PAGES, new_session, open_work, sound, turn_to

NEEDS_NO_DATABASE = {"playground.py", "glossary.py"}


class Database:
    """A database whose file can be taken away and put back."""

    def __init__(self, url: str) -> None:
        self.file = Path(str(make_url(url).database))
        self.away = self.file.with_suffix(".away")
        engine = connect(url)
        self.annotation = AnnotationStore(engine)
        self.token = self.annotation.join(study="Demo", name="Ana").token

    def take_away(self) -> None:
        self.file.rename(self.away)

    def put_back(self) -> None:
        self.away.rename(self.file)


@pytest.fixture
def database(demo_url: str) -> Database:
    return Database(demo_url)


def errors(app: AppTest) -> str:
    assert not app.exception
    return " ".join(error.value.replace("\\", "") for error in app.error)


@pytest.mark.parametrize("page", PAGES)
def test_every_page_says_why_it_cannot_be_drawn_and_is_drawn_afterwards(database: Database, page: str) -> None:
    app = sound(new_session().run())
    assert not errors(app)
    database.take_away()
    st.cache_data.clear()
    turn_to(app, page).run()
    if page not in NEEDS_NO_DATABASE:
        assert "The database cannot be used: its file is not in its place" in errors(app)
        assert "goes on by itself" in errors(app)
    assert not database.file.exists()
    database.put_back()
    app.run()
    assert not errors(app)


def judging(database: Database) -> AppTest:
    app = open_work(annotator=database.token)
    assignment, presented = app.session_state.shown
    app.session_state.shown = (assignment, presented - timedelta(seconds=10))
    return app


@pytest.mark.parametrize(
    ("button", "what"), [("left:{}", "Your choice was not saved"), ("skip:{}", "The skipped pair was not saved")]
)
def test_an_annotator_is_told_that_nothing_was_saved_and_why(database: Database, button: str, what: str) -> None:
    app = judging(database)
    pair = app.session_state.shown[0]
    if button.startswith("skip"):
        app.text_input(key=f"reason:{pair}").input("unreadable")
    database.take_away()
    app.button(key=button.format(pair)).click().run()
    assert what in app.warning[0].value
    assert "its file is not in its place" in app.warning[0].value.replace("\\", "")
    assert "Everything that was shown as saved is kept" in errors(app)
    database.put_back()
    app.run()
    assert not errors(app)
    assert app.session_state.shown[0] == pair  # the same pair, to be judged again
    assert what in app.warning[0].value  # and it is still said
    assert len(load_judgments(database.annotation, "Demo")) == 0
    app.button(key=f"left:{pair}").click().run()
    assert len(load_judgments(database.annotation, "Demo")) == 1
    assert not app.warning


def test_back_is_pressed_again_when_the_database_is_there_again(database: Database) -> None:
    app = judging(database)
    pair = app.session_state.shown[0]
    app.button(key=f"left:{pair}").click().run()
    second = app.session_state.shown[0]
    database.take_away()
    app.button(key=f"back:{second}").click().run()
    assert "The database cannot be used" in errors(app)
    database.put_back()
    app.run()
    app.button(key=f"back:{second}").click().run()
    assert app.session_state.shown[0] == pair
