"""What pages say of a study whose judgments came with its data set."""

from pathlib import Path

import pytest

from relevance.annotation.importing import import_judgments
from relevance.annotation.store import AnnotationStore
from relevance.data.database import connect
from relevance.data.importing import Reading
from tests.data.battles import comparison, policies, write
from tests.pages.opening import PAGES, html, open_page, page_text, sound, visible

pytestmark = pytest.mark.page


@pytest.fixture
def imported(sqlite_url: str, tmp_path: Path) -> None:
    posts = [
        comparison(f"p{n}", n % 2, worker=worker, summaries=policies(("<b>a</b>", f"One {n}."), ("b", f"Two {n}.")))
        for n in range(8)
        for worker in ("w1", "w2")
    ]
    engine = connect(sqlite_url)
    import_judgments(
        AnnotationStore(engine), write(tmp_path / "c.jsonl", posts), name="feedback", reading=Reading("human_feedback")
    )
    engine.dispose()


@pytest.mark.parametrize("page", PAGES)
def test_every_page_opens(imported: None, page: str) -> None:
    app = open_page(page, study="feedback")
    assert "<b>a</b>" not in html(app)


def test_the_study_shows_what_came_and_offers_nobody_to_judge(imported: None) -> None:
    app = open_page("studies.py", study="feedback")
    text = page_text(app)
    assert "The judgments came with the data set. They can be read; the study takes no others." in text
    assert "2 annotators" in text
    assert not any("Reopen" in button.label or "Preview" in button.label for button in app.button)
    people = open_page("annotators.py", study="feedback")
    assert "finished: 2" in visible(html(people))
    assert people.dataframe[0].value["judged"].tolist() == [8, 8]
    assert not any("Pause" in button.label for button in people.button)
    for part in ("Design", "Manage", "Export"):
        app.session_state.study_part = part
        sound(app.run())
        assert not any("link" in button.label for button in app.button)
        if part == "Export":
            labels = [button.label for button in app.get("download_button")]
            assert labels[:4] == [f"Judgments ({name})" for name in ("JSONL", "CSV", "LMArena", "Crowd-Kit")]
        if part == "Design":
            assert "Pairs that came with their judgments: 8 pairs." in page_text(app)
            assert "Seed" not in page_text(app)
