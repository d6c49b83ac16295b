"""The part Marked words of the page Keywords, and the same tables of the command line and the report."""

import json
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from relevance.annotation.records import StudySpec
from relevance.annotation.store import AnnotationStore
from relevance.annotation.tables import JudgmentRow
from relevance.data.database import connect, now
from relevance.data.records import Document, Summary
from relevance.data.store import DataStore
from relevance.metrics.keywords.places import KeywordPlaces
from relevance.metrics.rouge_k import RougeK
from relevance.pages.components.keywords.marked import marked_html
from relevance.reports.html_report import write_report
from relevance.reports.marked_words import ShownText
from tests.commands import refused, run
from tests.pages.opening import address, html, open_page, page_text, sound, visible

HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture
def store(sqlite_url: str) -> AnnotationStore:
    """A study of two documents judged by Ann, who marked nothing yet."""
    engine = connect(sqlite_url)
    records = [
        (
            Document(f"d{n}", "Cats and mice.", ("A cat hunts mice.", "Mice fear the cat.")),
            [Summary(f"d{n}", HOSTILE, "The cat sleeps."), Summary(f"d{n}", "b", "Mice dance.")],
        )
        for n in range(2)
    ]
    DataStore(engine).add_dataset(name="pets", format="interchange", sha256="", records=records)
    store = AnnotationStore(engine)
    store.create_study(StudySpec(name="S", dataset="pets", rule="all"))
    ann = store.join(study="S", name="Ann")
    while (task := store.next_task(ann)) is not None:
        presented = now() - timedelta(seconds=2)
        store.judge(annotator=ann, assignment_id=task.assignment_id, choice="left", presented_at=presented)
    return store


def mark(store: AnnotationStore) -> None:
    """Mark `cat` in the one summary of d0 and `dance` in the other one; both of d1 as well, but `sleeps`."""
    words = {"d0": ("cat", "dance"), "d1": ("sleeps", "dance")}
    with Session(store.engine) as session, session.begin():
        for row in session.scalars(select(JudgmentRow)):
            pair = row.assignment.pair
            texts = {"first": pair.first.text, "second": pair.second.text}
            row.marks = [
                (name, text.index(word), text.index(word) + len(word))
                for name, text in texts.items()
                for word in words[pair.document.key]
                if word in text
            ]


def test_without_marks_the_view_says_what_asks_for_them(store: AnnotationStore) -> None:
    app = open_page("keywords.py", view="marked", study="S")
    assert "No annotator of S has marked words" in page_text(app)
    assert not app.dataframe
    assert address(app) == {"view": "marked", "study": "S"}


def test_the_view_shows_tables_and_texts(store: AnnotationStore) -> None:
    mark(store)
    app = open_page("keywords.py", view="marked", study="S")
    total, documents = (frame.value for frame in app.dataframe)
    # words: cat, sleep | mouse, dance, of which cat and mouse are keywords; d0: cat and dance marked, d1: no keyword
    assert list(documents["precision"]) == [0.5, 0.0]
    assert list(documents["recall"]) == [0.5, 0.0]
    assert list(documents["precision by chance"]) == [0.5, 0.5]
    assert list(total["measure"]) == ["precision", "recall"]
    assert (list(total["value"]), list(total["of"])) == ([0.25, 0.25], [4, 4])
    shown = html(app)
    assert '<mark class="k-keyword k-marked"' in shown
    assert HOSTILE not in shown
    assert "The cat sleeps." in visible(shown)
    sound(app.selectbox(key="keywords_marked_document").set_value("d1").run())
    assert '<mark class="k-marked" title="marked by people" data-says="marked by people"' in html(app)


def test_a_word_that_is_both_is_told_in_words_too() -> None:
    text = ShownText("a", "cat sleeps", KeywordPlaces(((0, 3), (4, 10)), ((0, 1),)), [True, True])
    result = marked_html([text])
    assert 'class="k-keyword k-marked"' in result
    assert 'data-says="keyword, marked by people"' in result
    assert 'data-says="marked by people"' in result


def test_commands_and_reports_have_the_tables_where_there_are_marks(store: AnnotationStore, tmp_path: Path) -> None:
    data = DataStore(store.engine)
    assert "marked_words" not in json.loads(run("analyze", "--study", "S", "--format", "json").stdout)["tables"]
    empty = run("analyze", "--study", "S", "--tables", "marked").stdout
    assert "no annotator of this study has marked words" in empty
    mark(store)
    tables = json.loads(run("analyze", "--study", "S", "--tables", "marked", "--format", "json").stdout)["tables"]
    assert list(tables) == ["marked_words", "marked_words_by_document"]
    assert tables["marked_words"]["rows"][0]["value"] == 0.25
    assert RougeK().signature in " ".join(tables["marked_words"]["notes"])
    assert "marked_words" in json.loads(run("analyze", "--study", "S", "--format", "json").stdout)["tables"]
    assert "precision by chance" in run("analyze", "--study", "S", "--tables", "marked", "--format", "latex").stdout
    names = {path.name for path in write_report(data, store, "S", tmp_path / "report")}
    assert {"marked_words.csv", "marked_words_by_document.csv"} < names
    assert "Marked words against keywords" in (tmp_path / "report" / "report.html").read_text()


def test_a_data_set_has_no_marked_words(store: AnnotationStore) -> None:
    assert "there is no table marked_words" in refused("analyze", "pets", "--tables", "marked,matrix")
