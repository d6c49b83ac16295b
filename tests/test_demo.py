"""What a first visitor finds: the demo with all metrics, a study to judge in, and one of made-up judgments."""

from datetime import timedelta
from pathlib import Path

import pytest
import streamlit as st
from click.testing import CliRunner

from relevance.analysis.people.reliability import krippendorff_alpha
from relevance.analysis.study import Settings
from relevance.annotation.demo import ANNOTATORS, MADE_UP, STUDY, create_demo_study, create_made_up_study
from relevance.annotation.records import AnnotatorProgress, StudyClosed
from relevance.annotation.results import load_judgments
from relevance.annotation.store import AnnotationStore
from relevance.cli import main
from relevance.data.database import connect, now
from relevance.data.demo import NAME
from relevance.data.store import DataStore
from relevance.metrics import metric
from relevance.metrics.registry import usual_metrics
from relevance.reports.html_report import write_report
from tests.pages.opening import new_session


@pytest.mark.exhaustive
def test_the_demo_has_all_metrics_and_both_studies(sqlite_url: str) -> None:
    for _ in range(2):  # a second time changes nothing
        result = CliRunner().invoke(main, ["demo"])
        assert result.exit_code == 0, result.output
        assert result.stdout.splitlines() == [
            f"the study {STUDY} has 24 pairs and 0 judgments",
            f"the study {MADE_UP} has 24 pairs and 72 judgments",
        ]
    data = DataStore(connect(sqlite_url))
    stored = {signature.metric: signature.signature for signature in data.signatures(NAME)}
    assert set(stored) == set(usual_metrics())
    for name, signature in stored.items():
        scores = data.scores(dataset=NAME, signature=signature)
        assert len(scores) == 96
        missing = {document for (document, _), score in scores.items() if score.value is None}
        # the references of this one name a language and a territory, which the entity finder does not know
        assert missing == ({"science-01"} if name == "apes" else set()), signature


@pytest.fixture
def stores(demo_url: str) -> tuple[DataStore, AnnotationStore]:
    st.cache_resource.clear()  # pages may still have the database of another test
    st.cache_data.clear()
    engine = connect(demo_url)
    return DataStore(engine), AnnotationStore(engine)


def done(annotators: list[AnnotatorProgress]) -> dict[str, int]:
    return {row.annotator: row.judged for row in annotators}


def test_made_up_judgments_are_marked_and_say_something(stores: tuple[DataStore, AnnotationStore]) -> None:
    data, annotation = stores
    create_made_up_study(data, annotation, metric("rouge_k").signature)
    assert done(annotation.annotators(MADE_UP)) == dict.fromkeys(ANNOTATORS, 24)
    assert all(name.startswith("made-up") for name in ANNOTATORS)
    preferences = load_judgments(annotation, MADE_UP)
    alpha = krippendorff_alpha(preferences.pair, preferences.choices).value
    assert alpha is not None
    assert 0.3 < alpha < 0.9  # they agree, though not on everything
    with pytest.raises(StudyClosed):  # nobody's judgments mix with them
        annotation.join(study=MADE_UP, name="Ana")


def test_made_up_judgments_go_on_where_they_were_stopped(
    stores: tuple[DataStore, AnnotationStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    data, annotation = stores
    signature = metric("rouge_k").signature
    judge, calls = annotation.judge, 0

    def stopped(**options: object) -> None:
        nonlocal calls
        calls += 1
        if calls == 30:
            raise KeyboardInterrupt
        judge(**options)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(annotation, "judge", stopped)
        with pytest.raises(KeyboardInterrupt):
            create_made_up_study(data, annotation, signature)
    assert sum(done(annotation.annotators(MADE_UP)).values()) == 29
    create_made_up_study(data, annotation, signature)
    assert done(annotation.annotators(MADE_UP)) == dict.fromkeys(ANNOTATORS, 24)


@pytest.mark.exhaustive
def test_pages_say_that_they_are_made_up_and_begin_with_something_else(
    stores: tuple[DataStore, AnnotationStore],
) -> None:
    data, annotation = stores
    create_made_up_study(data, annotation, metric("rouge_k").signature)
    app = new_session().run()
    app.switch_page("agreement.py").run()
    assert "Author labels" in app.markdown[0].value
    place = next(i for i, name in enumerate(app.selectbox(key="source").options) if "Made-up" in name)
    app.selectbox(key="source").select_index(place).run()
    assert not app.exception
    assert "72 made-up judgments" in app.markdown[0].value
    assert "of 24 documents: a program made them" in app.markdown[0].value
    assert "They are not evidence." in app.markdown[0].value
    app.switch_page("correlation.py").run()
    assert app.selectbox(key="source").value.study == MADE_UP  # what was chosen goes along
    assert any("the share of made-up judgments that a summary won" in shown.value for shown in app.caption)
    app.switch_page("annotators.py").run()
    assert app.markdown[0].value == "**3 annotators.** A program made their judgments up."
    assert "**72 made-up judgments** of 24 pairs by 3 annotators." in {shown.value for shown in app.markdown}


@pytest.mark.exhaustive
def test_one_judgment_of_a_person_stands_before_all_that_are_made_up(
    stores: tuple[DataStore, AnnotationStore],
) -> None:
    data, annotation = stores
    signature = metric("rouge_k").signature
    create_made_up_study(data, annotation, signature)
    create_demo_study(annotation, signature)
    annotator = annotation.join(study=STUDY, name="Ana")
    task = annotation.next_task(annotator)
    assert task is not None
    shown = now() - timedelta(seconds=2)
    annotation.judge(annotator=annotator, assignment_id=task.assignment_id, choice="left", presented_at=shown)
    app = new_session().run()
    app.switch_page("annotators.py").run()
    assert app.selectbox(key="study").options == [STUDY, MADE_UP]
    assert "**1 judgment** of 1 pair by 1 annotator." in {shown.value for shown in app.markdown}


@pytest.mark.exhaustive
def test_a_report_says_how_many_judgments_there_are_and_that_they_are_made_up(
    stores: tuple[DataStore, AnnotationStore], tmp_path: Path
) -> None:
    data, annotation = stores
    create_made_up_study(data, annotation, metric("rouge_k").signature)
    systems = ("fluent", "keyword")
    write_report(data, annotation, MADE_UP, tmp_path, Settings(systems=systems))
    page = (tmp_path / "report.html").read_text()
    assert "Metrics against the made-up judgments" in page
    assert "annotators on 0." not in page
    assert "72 judgments were made. A program made them up, " in page
    count = len(load_judgments(annotation, MADE_UP).of_systems(systems))
    assert 0 < count < 72
    assert f"All tables are restricted to the systems fluent, keyword: {count} judgments." in page
