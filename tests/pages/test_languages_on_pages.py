"""Pages of German and Chinese data: keywords, systems and upper bounds in their language, letters that are not seen."""

from datetime import timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner

from relevance.annotation.keyword_reviews import KeywordReviewStore
from relevance.annotation.records import StudySpec
from relevance.annotation.store import AnnotationStore
from relevance.cli import main
from relevance.data.database import connect, now
from relevance.data.records import Document, Summary
from relevance.data.store import DataStore
from relevance.metrics import make_metrics
from relevance.metrics.scoring import score_dataset
from relevance.reports.html_report import write_report
from relevance.summarizers.oracles import Target
from relevance.summarizers.oracles.oracle import find_extract
from tests.pages.opening import drawn_until, html, open_page, page_text, press, pressed, sound, visible

# Reference and title share Stadt and Fluss in other forms: in German a keyword, as the lemmas are the same, and none
# in English.
SOURCE = "Regen fiel in der Nacht. In den Städten stieg der Fluss. Der Fluss bedroht die Stadt."
GERMAN = Document("d", SOURCE, ("Die Flüsse in den Städten.",), "Fluss in der Stadt")


@pytest.fixture
def store(sqlite_url: str) -> DataStore:
    store = DataStore(connect(sqlite_url))
    written = [Summary("d", "good", "Flüsse und Städte."), Summary("d", "bad", "Regen in der Nacht.")]
    store.add_dataset(name="german", format="interchange", sha256="0", records=[(GERMAN, written)])
    return store


def test_keywords_are_those_of_the_language(store: DataStore) -> None:
    app = open_page("keywords.py")
    assert "fluss" not in visible(html(app)).split("Reference 1")[0].lower()
    sound(app.selectbox(key="keywords_language").set_value("de").run())
    app = drawn_until(app, lambda app: "Flüsse" in visible(html(app)).split("Reference 1")[0])
    assert "Städten" in visible(html(app)).split("Reference 1")[0]
    assert app.query_params["language"] in ("de", ["de"])
    again = open_page("keywords.py", view="compare", language="de")
    assert "Flüsse" in visible(html(again)).split("Reference 1")[0]
    sound(app.button_group(key="keywords_view").set_value("Keyword recall").run())
    assert app.selectbox(key="keywords_language").value == "de"
    assert dict(zip(app.dataframe[0].value["system"], app.dataframe[0].value["ROUGE-K"], strict=True)) == {
        "bad": 0.0,
        "good": 1.0,
    }


def test_a_review_is_of_keywords_of_the_language(store: DataStore) -> None:
    app = open_page("keywords.py", view="mark")
    app.text_input(key="keywords_new_name").set_value("R")
    app.selectbox(key="keywords_new_language").set_value("de")
    pressed(app, "Make the review")
    review = KeywordReviewStore(store.engine).review("R")
    assert "|lang:de|" in review.signature
    assert review.keywords >= 2


def test_systems_are_added_in_the_language(store: DataStore) -> None:
    app = open_page("datasets.py")
    app.session_state.part = "Systems"
    sound(app.run())
    app.multiselect(key="add_systems").set_value(["lead-1", "textrank-1"]).run()
    app.selectbox(key="add_language").set_value("de").run()
    press(app, "add")
    drawn_until(app, lambda app: bool(app.success))
    assert {"lead-1", "textrank-de-1"} < set(store.dataset("german").systems)


def test_a_study_says_which_words_its_metrics_do_not_see(
    sqlite_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, annotation = DataStore(connect(sqlite_url)), AnnotationStore(connect(sqlite_url))
    written = [Summary("d", "a", "北京大火"), Summary("d", "b", "北京雨")]
    store.add_dataset(
        name="chinese", format="interchange", sha256="0", records=[(Document("d", "", ("北京火灾",)), written)]
    )
    score_dataset(store, "chinese", make_metrics(["rouge1"]))
    annotation.create_study(StudySpec(name="S", dataset="chinese", rule="all", judgments_per_pair=1))
    token = annotation.join(study="S", name="Ana")
    task = annotation.next_task(token)
    assert task is not None
    annotation.judge(
        annotator=token,
        assignment_id=task.assignment_id,
        choice="left",
        presented_at=now() - timedelta(seconds=5),
    )
    words = "11 of the 11 words in summaries and references have letters outside a-z"
    monkeypatch.setenv("RELEVANCE_DATABASE_URL", sqlite_url)
    analyzed = CliRunner().invoke(main, ["analyze", "--study", "S", "--tables", "agreement"])
    assert analyzed.exit_code == 0, analyzed.output
    assert f"rouge1: {words}" in " ".join(analyzed.output.split())
    write_report(store, annotation, "S", tmp_path / "report")
    assert f"rouge1: {words}" in (tmp_path / "report" / "report.html").read_text(encoding="utf-8")
    for page in ("overview.py", "agreement.py", "correlation.py"):
        app = drawn_until(open_page(page, study="S"), lambda app: bool(app.warning))
        assert f"ROUGE-1: {words}" in page_text(app)


def test_an_upper_bound_is_that_of_the_language(store: DataStore) -> None:
    """German stems make the words of the reference those of the second sentence, which English ones do not."""
    by_name = {code: find_extract(GERMAN, Target(tokenizer=words)) for code, words in (("en", "ascii"), ("de", "de"))}
    values = {code: value.solution.f1 for code, value in by_name.items() if value is not None}
    assert values["de"] > values["en"]
    app = open_page("upper_bound.py")
    assert f"F1 {values['en']:.4f}" in page_text(app)
    sound(app.selectbox(key="bound_language").set_value("de").run())
    assert f"F1 {values['de']:.4f}" in page_text(app)
    assert app.query_params["language"] in ("de", ["de"])
    assert f"F1 {values['de']:.4f}" in page_text(open_page("upper_bound.py", language="de"))
    assert "names a language that is not here" in page_text(open_page("upper_bound.py", language="xx"))
