"""What only a real browser shows: cold deep links, hostile data, keys held down, small screens, restarts."""

import json
import re
import shutil
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from relevance.annotation.records import StudySpec
from relevance.annotation.store import AnnotationStore
from relevance.data.database import connect
from relevance.data.importing import import_file
from relevance.data.store import DataStore
from tests.driving import serving
from tests.e2e.conftest import Opener
from tests.e2e.watching import FITS, HOSTILE, READING, Watched, settled, wait_for_choices

pytestmark = pytest.mark.browser

STUDY = "<b>study</b> :red[x] a -> b <- c -- :streamlit: >= www.x.y"
PAIRS = 12
EVERYBODY = 99
"""Judgments that each pair wants: more than there are annotators, so that all of them are shown all pairs."""


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
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
        for number in range(PAIRS)
    ]
    folder = tmp_path_factory.mktemp("pages")
    file = folder / "hostile.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in records))
    path = folder / "pages.db"
    engine = connect(f"sqlite:///{path}")
    import_file(DataStore(engine), file, name="<b>set</b> [x](y)")
    AnnotationStore(engine).create_study(
        StudySpec(name=STUDY, dataset="<b>set</b> [x](y)", rule="random", ties=True, judgments_per_pair=EVERYBODY)
    )
    engine.dispose()
    return path


@pytest.fixture(scope="module")
def url(database: Path) -> Iterator[str]:
    with serving(f"sqlite:///{database}") as served:
        yield served


def judgments(database: Path, annotator: str) -> int:
    with sqlite3.connect(database) as connection:
        (count,) = connection.execute(
            "SELECT count(*) FROM judgments JOIN assignments ON assignments.id = assignment_id "
            "JOIN annotators ON annotators.id = annotator_id WHERE annotators.name = ?",
            [annotator],
        ).fetchone()
    return int(count)


def start_judging(page: Page, url: str, name: str) -> None:
    page.goto(f"{url}/annotate")
    field = page.get_by_label("Your name", exact=True)
    field.fill(name)
    field.press("Enter")
    # on a small screen the choices come once the summaries were read
    expect(page.get_by_role("button", name=re.compile("2 is more relevant|Read the summaries"))).to_have_count(1)


def choose(page: Page, key: str) -> None:
    """Choose by a key, after a look at the pair."""
    page.wait_for_timeout(READING)
    page.keyboard.press(key)


def has_judged(page: Page, count: int) -> None:
    expect(page.get_by_text(f"{count} of {PAIRS} judged")).to_be_visible()


def has_begun(page: Page, number: int) -> None:
    """The pair is drawn, and its heading has taken the focus, which it does once."""
    settled(page)
    expect(page.get_by_role("heading", name=f"Pair {number} of {PAIRS}")).to_be_focused()


@pytest.mark.smoke
@pytest.mark.parametrize(
    ("path", "landmark"),
    [
        ("agreement", "Agreement"),
        ("", "Which metric agrees with people?"),
        ("examples", "Examples"),
        ("correlation", "Correlation"),
        ("reliability", "Annotators"),  # addresses of before
        ("people", "Annotators"),
        ("overview", "Which metric agrees with people?"),
        ("corpora", "Corpora"),
        ("compare", "Compare"),
        ("systems", "Systems"),
        ("studies", "Studies"),
        ("annotate", STUDY),
        ("datasets", "Data sets"),
    ],
)
def test_a_deep_link_runs_the_whole_app(page: Page, url: str, path: str, landmark: str) -> None:
    """Streamlit would run a page of `pages/` directly; the navigation shows that ours went through the main script."""
    has_landmarks(page, f"{url}/{path}", landmark)


def test_a_deep_link_on_a_cold_server_runs_the_whole_app(page: Page, tmp_path: Path) -> None:
    with serving(f"sqlite:///{tmp_path / 'cold.db'}") as url:
        has_landmarks(page, f"{url}/examples", "Examples")


def has_landmarks(page: Page, address: str, heading: str) -> None:
    page.goto(address)
    expect(page.get_by_role("heading", name=heading).first).to_be_visible()
    for name in ("Overview", "Judge"):
        expect(page.get_by_role("link", name=name).first).to_be_visible()
    for group in ("Studies", "Results", "Explore", "Data"):
        expect(page.get_by_test_id("stTopNavSection").filter(has_text=group).first).to_be_visible()


@pytest.mark.smoke
def test_text_from_data_is_never_markup(page: Page, url: str) -> None:
    watched = Watched(page, url)
    start_judging(page, url, name="<i>Ana</i> [x](y)")
    expect(page.get_by_text("<i>Ana</i> [x](y)")).to_be_visible()
    assert page.get_by_text("<b>").first.inner_text().replace("\u2060", "") == STUDY
    assert page.locator("img[alt='Streamlit logo']").count() == 0
    text = page.get_by_label("Summary 1", exact=True).inner_text()
    assert text.endswith(HOSTILE)
    assert page.get_by_label("Document", exact=True).inner_text().count(HOSTILE) == 9  # the title and 8 sentences
    watched.innocent()
    for path in ("agreement", "examples", "correlation", "annotators", "studies"):
        page.goto(f"{url}/{path}")
        page.get_by_role("heading", name=path.capitalize(), level=1).wait_for()
        watched.settled()
        watched.innocent()


@pytest.mark.parametrize("width", [1280, 360])
def test_an_invite_opens_the_pair_and_nothing_else(new_page: Opener, url: str, database: Path, width: int) -> None:
    engine = connect(f"sqlite:///{database}")
    token = AnnotationStore(engine).invite(study=STUDY, name=f"Cleo {width}").token
    engine.dispose()
    page = new_page(width, 740)
    page.goto(f"{url}/annotate?invite={token}")
    page.get_by_role("button", name="Start").click()
    if width == 360:
        page.get_by_role("button", name="Read the summaries").click()
    expect(page.get_by_role("button", name="2 is more relevant")).to_have_count(1)
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_role("link", name="Overview")).to_have_count(0)
    wait_for_choices(page)
    page.get_by_role("button", name="1 is more relevant").click()
    has_judged(page, 1)
    page.reload()
    has_judged(page, 1)
    assert token in page.url


def test_a_key_held_down_judges_one_pair_at_most(page: Page, url: str, database: Path) -> None:
    start_judging(page, url, "Holding")
    page.wait_for_timeout(READING)
    began = time.monotonic()
    for _ in range(15):  # what a key held down for half a second sends
        page.keyboard.press("1")
        page.wait_for_timeout(30)
    page.wait_for_timeout(800)  # what was sent last may still be under way
    settled(page)
    took = time.monotonic() - began  # longer on a busy machine
    done = judgments(database, "Holding")
    assert 1 <= done <= 1 + took // 0.4  # another one after 0.4 s of looking at the next pair
    has_judged(page, done)
    choose(page, "2")
    has_judged(page, done + 1)


def test_the_keyboard_alone(page: Page, url: str, database: Path) -> None:
    start_judging(page, url, "Typing")
    for done, key in enumerate("120", 1):
        choose(page, key)
        has_judged(page, done)
    settled(page)
    page.keyboard.press("b")
    keep = page.get_by_role("button", name="Keep and go on")
    expect(keep).to_be_visible()
    choose(page, "1")
    expect(keep).to_have_count(0)
    has_begun(page, 4)
    page.get_by_role("button", name="2 is more relevant").focus()
    choose(page, "Enter")
    has_begun(page, 5)
    page.get_by_role("button", name="Skip").focus()
    page.keyboard.press("Enter")
    reason = page.get_by_label("Why can this pair not be judged?")
    expect(reason).to_be_focused()
    page.keyboard.press("Enter")  # without a reason: the answer stands beside the field
    expect(page.get_by_role("alert").filter(has_text="Say why")).to_be_in_viewport()
    page.keyboard.type("both are empty")
    page.keyboard.press("Enter")
    expect(page.get_by_text(f"4 of {PAIRS} judged, 1 skipped")).to_be_visible()
    with sqlite3.connect(database) as connection:
        assert connection.execute("SELECT count(*) FROM judgment_revisions").fetchone() == (1,)


def test_a_small_screen(new_page: Opener, url: str) -> None:
    page = new_page(360, 740)
    start_judging(page, url, "Small")
    for path in ("annotate", "agreement", "examples", "correlation", "annotators", "studies", "datasets", ""):
        if path != "annotate":
            page.goto(f"{url}/{path}")
            expect(page.get_by_role("heading").first).to_be_visible()
        settled(page)
        assert page.evaluate(FITS), path


def test_judging_goes_on_after_a_restart_of_the_server(page: Page, database: Path, tmp_path: Path) -> None:
    """The page left open still shows the pair, and after a reload the work goes on where it was."""
    own = shutil.copy(database, tmp_path / "own.db")
    with serving(f"sqlite:///{own}") as url:
        start_judging(page, url, "Patient")
        choose(page, "1")
        has_judged(page, 1)
        query = page.url.split("?", 1)[1]
    with serving(f"sqlite:///{own}") as url:
        page.goto(f"{url}/annotate?{query}")
        has_judged(page, 1)
        choose(page, "2")
        has_judged(page, 2)
    assert judgments(own, "Patient") == 2
