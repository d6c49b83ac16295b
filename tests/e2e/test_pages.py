"""What only a real browser shows: cold deep links, hostile data, keys held down, small screens, restarts."""

from __future__ import annotations

import json
import sqlite3
import time
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from annotation.records import StudySpec
from annotation.store import AnnotationStore
from data.database import connect
from data.importing import import_file
from data.store import DataStore
from tests.driving import serving

pytestmark = pytest.mark.e2e

HOSTILE = (
    "<img src=x onerror=\"document.title='pwned'\"> <script>document.title='pwned'</script> "
    "[link](http://127.0.0.1:9/) ![image](http://127.0.0.1:9/x.png) :red[red] **bold** $x^2$ \u202ebidi\u202c end"
)


STUDY = "<b>study</b> :red[x] a -> b <- c -- :streamlit: >= www.x.y"


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """A study whose every text, name and label is hostile."""
    records = [
        {
            "id": f"{number} {HOSTILE}",
            "title": f"Title {number} {HOSTILE}",
            "source": [f"Sentence {number} {place}. {HOSTILE}" for place in range(8)],
            "references": [f"Reference {number} {HOSTILE}", f"Reference {number}"],
            "summaries": [
                {"system": f"{name} {HOSTILE}", "text": f"Text {name} {number} {HOSTILE}", "human": {HOSTILE: place}}
                for place, name in enumerate(("first", "second"))
            ],
        }
        for number in range(12)
    ]
    file = tmp_path / "hostile.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in records))
    path = tmp_path / "pages.db"
    engine = connect(f"sqlite:///{path}")
    import_file(DataStore(engine), file, name="<b>set</b> [x](y)")
    AnnotationStore(engine).create_study(StudySpec(name=STUDY, dataset="<b>set</b> [x](y)", rule="random", ties=True))
    engine.dispose()
    return path


def judgments(database: Path) -> int:
    with sqlite3.connect(database) as connection:
        return int(connection.execute("SELECT count(*) FROM judgments").fetchone()[0])


def start_judging(page: Page, url: str, name: str = "Ana") -> None:
    page.goto(f"{url}/annotate")
    field = page.get_by_label("Your name", exact=True)
    field.fill(name)
    field.press("Enter")
    expect(page.get_by_role("button", name="Summary 2")).to_have_count(1)


@pytest.mark.parametrize(
    ("path", "landmark"),
    [
        ("", "Which metric agrees with people?"),
        ("agreement", "Agreement"),
        ("examples", "Examples"),
        ("correlation", "Correlation"),
        ("reliability", "Reliability"),
        ("studies", "Studies"),
        ("annotate", "Annotate"),
    ],
)
def test_a_deep_link_on_a_cold_server_runs_the_whole_app(
    browser: Browser, tmp_path: Path, path: str, landmark: str
) -> None:
    """Streamlit would run a page of `pages/` directly; the navigation shows that ours went through the main script."""
    with serving(f"sqlite:///{tmp_path / 'cold.db'}") as url:
        page = browser.new_page()
        page.goto(f"{url}/{path}")
        expect(page.get_by_role("heading", name=landmark).first).to_be_visible()
        for name in ("Start", "Annotate", "Agreement", "Examples", "Correlation", "Reliability", "Studies"):
            expect(page.get_by_role("link", name=name).first).to_be_visible()
        page.close()


def test_text_from_data_is_never_markup(page: Page, database: Path) -> None:
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.on("dialog", lambda dialog: pytest.fail("a dialog opened"))
    with serving(f"sqlite:///{database}") as url:
        start_judging(page, url, name="<i>Ana</i> [x](y)")
        expect(page.get_by_text("<i>Ana</i> [x](y)")).to_be_visible()
        assert page.get_by_text("<b>").first.inner_text().replace("\u2060", "") == STUDY
        assert page.locator("img[alt='Streamlit logo']").count() == 0
        text = page.get_by_label("Summary 1", exact=True).inner_text()
        assert text.endswith(HOSTILE)
        assert page.get_by_label("Document", exact=True).inner_text().count(HOSTILE) == 9  # the title and 8 sentences
        assert page.locator(".text img, .text script, .text a").count() == 0
        for path in ("agreement", "examples", "correlation", "reliability", "studies"):
            page.goto(f"{url}/{path}")
            page.get_by_role("heading", name=path.capitalize()).wait_for()
            page.wait_for_timeout(1000)
            assert page.locator("img[src='x'], a[href^='http://127.0.0.1:9']").count() == 0
        assert "pwned" not in page.title()
        assert not [request for request in requests if ":9/" in request]


@pytest.mark.parametrize("width", [1280, 360])
def test_an_invite_opens_the_pair_and_nothing_else(browser: Browser, database: Path, width: int) -> None:
    engine = connect(f"sqlite:///{database}")
    token = AnnotationStore(engine).invite(study=STUDY, name="Cleo").token
    engine.dispose()
    page = browser.new_page(viewport={"width": width, "height": 740})
    with serving(f"sqlite:///{database}") as url:
        page.goto(f"{url}/annotate?invite={token}")
        expect(page.get_by_role("button", name="Summary 2")).to_have_count(1)
        expect(page.get_by_role("dialog")).to_have_count(0)
        expect(page.get_by_role("link", name="Agreement")).to_have_count(0)
        page.wait_for_timeout(500)
        page.get_by_role("button", name="Summary 1").click()
        expect(page.get_by_text("1 of 12 judged")).to_be_visible()
        page.reload()
        expect(page.get_by_text("1 of 12 judged")).to_be_visible()
        assert token in page.url
    page.close()


def test_a_key_held_down_judges_one_pair_at_most(page: Page, database: Path) -> None:
    with serving(f"sqlite:///{database}") as url:
        start_judging(page, url)
        page.wait_for_timeout(600)
        began = time.monotonic()
        for _ in range(15):  # what a key held down for half a second sends
            page.keyboard.press("1")
            page.wait_for_timeout(30)
        took = time.monotonic() - began  # longer on a busy machine
        page.wait_for_timeout(800)
        assert 1 <= judgments(database) <= 1 + took // 0.4  # another one after 0.4 s of looking at the next pair
        before = judgments(database)
        page.keyboard.press("2")
        expect(page.get_by_text(f"{before + 1} of 12 judged")).to_be_visible()


def test_the_keyboard_alone(page: Page, database: Path) -> None:
    with serving(f"sqlite:///{database}") as url:
        start_judging(page, url)
        for done, key in enumerate("120", 1):
            page.wait_for_timeout(500)
            page.keyboard.press(key)
            expect(page.get_by_text(f"{done} of 12 judged")).to_be_visible()
        page.wait_for_timeout(300)
        page.keyboard.press("b")
        expect(page.get_by_role("button", name="Keep and go on")).to_be_visible()
        page.wait_for_timeout(500)
        page.keyboard.press("1")
        expect(page.get_by_role("button", name="Keep and go on")).to_have_count(0)
        page.get_by_role("button", name="Summary 2").focus()
        page.wait_for_timeout(500)
        page.keyboard.press("Enter")
        expect(page.get_by_text("4 of 12 judged")).to_be_visible()
    with sqlite3.connect(database) as connection:
        assert connection.execute("SELECT count(*) FROM judgment_revisions").fetchone() == (1,)


def test_a_small_screen(browser: Browser, database: Path) -> None:
    page = browser.new_page(viewport={"width": 360, "height": 740})
    with serving(f"sqlite:///{database}") as url:
        start_judging(page, url)
        for path in ("annotate", "agreement", "examples", "correlation", "reliability", "studies", ""):
            if path != "annotate":
                page.goto(f"{url}/{path}")
                page.wait_for_timeout(1500)
            assert page.evaluate("document.scrollingElement.scrollWidth <= innerWidth"), path
    page.close()


def test_judging_goes_on_after_a_restart_of_the_server(page: Page, database: Path) -> None:
    """The page left open still shows the pair, and after a reload the work goes on where it was."""
    with serving(f"sqlite:///{database}") as url:
        start_judging(page, url)
        page.wait_for_timeout(500)
        page.keyboard.press("1")
        expect(page.get_by_text("1 of 12 judged")).to_be_visible()
        query = page.url.split("?", 1)[1]
    with serving(f"sqlite:///{database}") as url:
        page.goto(f"{url}/annotate?{query}")
        expect(page.get_by_text("1 of 12 judged")).to_be_visible()
        page.wait_for_timeout(500)
        page.keyboard.press("2")
        expect(page.get_by_text("2 of 12 judged")).to_be_visible()
    assert judgments(database) == 2
