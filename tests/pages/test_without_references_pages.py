"""Pages of a data set without references: its summaries are set against their sources, and pages say so."""

from pathlib import Path

import pytest

from relevance.annotation.importing import import_any
from relevance.annotation.store import AnnotationStore
from relevance.data.database import connect
from relevance.data.signatures import is_against_source, is_length
from relevance.data.store import DataStore
from relevance.metrics import make_metrics
from relevance.metrics.background.explaining import Inspector
from relevance.metrics.registry import lexical_metrics
from relevance.metrics.scoring import score_dataset
from relevance.pages.components.playground.draft import Draft
from relevance.pages.components.playground.sharing import to_link
from tests.pages.opening import html, open_page, page_text, sound

SAID = "No document has a reference: each summary is set against its source by ROUGE-1, ROUGE-2"
PAIRS = "\n".join(
    [
        "document_id,source,system_a,summary_a,system_b,summary_b,choice,annotator",
        *(
            f"{n},Rain fell in May and river {n} rose. Nobody went out.,gpt,Rain fell in May.,bart,Snow fell.,left,ann"
            for n in range(8)
        ),
    ]
)


@pytest.fixture
def store(sqlite_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> DataStore:
    """A study of imported choices, whose texts are scored by metrics without a model."""
    monkeypatch.setattr(Inspector, "warm", lambda self: None)
    engine = connect(sqlite_url)
    data = DataStore(engine)
    (tmp_path / "choices.csv").write_text(PAIRS, encoding="utf-8")
    import_any(data, AnnotationStore(engine), tmp_path / "choices.csv", name="today")
    return data


def score(store: DataStore) -> None:
    score_dataset(store, "today", make_metrics(lexical_metrics(), references="source"))


@pytest.mark.parametrize("page", ["overview.py", "agreement.py", "examples.py"])
def test_pages_name_what_summaries_were_set_against(store: DataStore, page: str) -> None:
    score(store)
    app = open_page(page, study="today")
    shown = page_text(app) + html(app)
    assert ("(refs:source)" if page == "examples.py" else SAID) in shown
    assert "ROUGE-K has no keywords" not in shown


def test_evidence_is_of_the_source(store: DataStore) -> None:
    score(store)
    app = open_page("examples.py", study="today")
    assert "of the source, 4 of 4 of the summary" in html(app)
    assert "beside" not in [element.key for element in app.segmented_control]
    assert "References" not in html(app)


def test_a_new_study_scores_against_the_source(store: DataStore) -> None:
    app = open_page("new_study.py", dataset="today")
    app.text_input(key="new_name").set_value("mine")
    sound(app.button(key="create").click().run())
    signatures = [signature.signature for signature in store.signatures("today")]
    assert signatures
    assert all(is_against_source(signature) or is_length(signature) for signature in signatures)


def test_the_playground_says_that_there_is_no_reference() -> None:
    draft = Draft(("",), "", "A storm hit the coast.", ("The storm hit.", "Rain fell."), ("", ""))
    caption = "There is no reference: the metrics set each summary against the source."
    assert caption in page_text(open_page("playground.py", example=to_link(draft)))
    assert caption not in page_text(
        open_page("playground.py", example=to_link(draft._replace(references=("A storm.",))))
    )
