"""The Keywords page in a real browser: a review is made, two people mark, nothing is lost, results appear."""

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from relevance.annotation.keyword_reviews import KeywordReviewStore
from relevance.data.database import connect
from relevance.data.demo import add_demo
from relevance.data.records import Document, Summary
from relevance.data.store import DataStore
from tests.driving import serving
from tests.e2e import watching
from tests.e2e.conftest import Opener
from tests.e2e.watching import FITS, HOSTILE, NAME, READING, choose_option, press
from tests.waiting import until

pytestmark = pytest.mark.browser

VIEWS = {
    "Compare": "in common",
    "Mark": "New review",
    "Results": "As published",
    "Keyword recall": "by the length",
    "Marked words": "There is no study yet",
}
"""What is to be read in each view."""


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo corpus, and a set of which every text and name is hostile."""
    path = tmp_path_factory.mktemp("keywords") / "keywords.db"
    engine = connect(f"sqlite:///{path}")
    data = DataStore(engine)
    add_demo(data)
    records = [
        (
            Document(f"d{n} {HOSTILE}", f"Source {HOSTILE}", (f"Storm {n} {HOSTILE}", f"Storm {HOSTILE}"), HOSTILE),
            [Summary(f"d{n} {HOSTILE}", f"system {HOSTILE}", f"A storm {HOSTILE}")],
        )
        for n in range(3)
    ]
    data.add_dataset(name=f"hostile {NAME}", format="interchange", sha256="0", records=records)
    engine.dispose()
    return path


@pytest.fixture(scope="module")
def url(database: Path) -> Iterator[str]:
    with serving(f"sqlite:///{database}") as served:
        yield served


def settled(page: Page) -> None:
    expect(page.get_by_role("heading", name="Keywords", exact=True)).to_be_visible()
    watching.settled(page)


def look_at(page: Page, view: str) -> None:
    page.get_by_role("radio", name=view, exact=True).click()
    settled(page)


def choose_dataset(page: Page, words: str) -> None:
    """Choose by what its name has."""
    box = page.get_by_role("combobox", name="Data set")
    choose_option(box, page.get_by_role("option").filter(has_text=words))
    expect(box).to_have_value(re.compile(words))
    settled(page)


def make_review(page: Page, name: str, dataset: str | None = None) -> None:
    opener = page.get_by_text("New review", exact=True)
    expect(opener).to_be_visible()
    field = page.get_by_label("Name of the review")
    if page.locator("details[open]").filter(has=opener).count() == 0:
        opener.click()
    expect(page.locator("details[open]").filter(has=opener)).to_be_visible()
    settled(page)
    if dataset is not None:
        choose_dataset(page, dataset)
    field.fill(name)
    field.press("Tab")
    page.get_by_role("spinbutton", name="Documents").fill("3")
    page.get_by_role("spinbutton", name="Documents").press("Tab")
    settled(page)
    press(page.get_by_role("button", name="Make the review"))
    expect(page.get_by_role("combobox", name="Review")).to_have_value(name)  # the form may be there for another one
    settled(page)


def start(page: Page, name: str) -> None:
    page.get_by_label("Your name").fill(name)
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_text("Document 1 of 3")).to_be_visible()
    settled(page)


def save(page: Page) -> None:
    page.wait_for_timeout(READING)
    page.get_by_role("button", name=re.compile("^Save")).click()
    settled(page)


def test_a_review_is_made_marked_and_counted(new_page: Opener, page: Page, url: str, database: Path) -> None:
    page.goto(f"{url}/keywords?view=mark")
    settled(page)
    make_review(page, "By hand")
    start(page, "Ann")
    boxes = page.get_by_role("checkbox")
    expect(boxes.first).to_be_attached()
    boxes.first.focus()
    boxes.first.press("Space")  # by keys alone
    expect(page.get_by_role("button", name=re.compile("^Save: 1 of"))).to_be_visible()
    look_at(page, "Compare")  # what is ticked outlives a look at the lists
    expect(boxes).to_have_count(0)
    look_at(page, "Mark")
    expect(boxes.first).to_be_checked()
    expect(page.get_by_role("button", name=re.compile("^Save: 1 of"))).to_be_visible()
    expect(page.get_by_text("0 of 3 documents saved")).to_be_visible()
    save(page)
    expect(page.get_by_text("1 of 3 documents saved")).to_be_visible()
    expect(page.get_by_text("Document 2 of 3")).to_be_visible()

    engine = connect(f"sqlite:///{database}")
    store = KeywordReviewStore(engine)
    (saved,) = [record for record in store.export("By hand") if record["wrong"]]
    assert saved["annotator"] == "Ann"

    page.reload()
    settled(page)
    expect(page.get_by_text("1 of 3 documents saved")).to_be_visible()
    expect(page.get_by_text("Document 2 of 3")).to_be_visible()
    page.get_by_role("button", name="Back", exact=True).click()
    expect(page.get_by_text("Document 1 of 3")).to_be_visible()
    settled(page)
    expect(boxes.first).to_be_checked()
    page.get_by_role("button", name="Keep and go on").click()
    expect(page.get_by_text("Document 2 of 3")).to_be_visible()
    # A tick and at once the press: both count, and what comes next is not saved along with it.
    settled(page)
    page.wait_for_timeout(READING)
    page.locator("[data-testid=stCheckbox]").first.click()
    page.get_by_role("button", name=re.compile("^Save")).click()
    expect(page.get_by_text("Document 3 of 3")).to_be_visible()
    settled(page)
    assert sum(record["wrong"] for record in store.export("By hand")) == 2
    assert store.review("By hand").verdicts == 2
    save(page)
    expect(page.get_by_text("That was the last document")).to_be_visible()

    second = new_page()
    second.goto(f"{url}/keywords?view=mark")
    settled(second)
    second.get_by_label("Your name").fill("Ann")
    second.get_by_role("button", name="Start").click()
    expect(second.get_by_text("has begun this review")).to_be_visible()
    settled(second)
    start(second, "Bo")
    save(second)
    expect(second.get_by_text("1 of 3 documents saved")).to_be_visible()
    assert store.review("By hand").verdicts == 4
    engine.dispose()

    look_at(page, "Results")
    expect(page.get_by_text(re.compile("different keywords of 3 documents"))).to_be_visible()
    expect(page.locator(".vega-embed")).to_be_visible()
    expect(page.get_by_test_id("stDataFrame")).to_have_count(3)
    assert "marker" not in page.url
    with page.expect_download() as download:
        page.get_by_role("button", name="Marks (JSON lines)").click()
    lines = Path(download.value.path()).read_text().splitlines()
    assert sum('"wrong": true' in line for line in lines) == 2


def test_a_tick_is_shown_however_soon_one_comes_back(page: Page, url: str) -> None:
    """What the server has ended may go on in the browser, which then forgets boxes that the session still knows."""
    late: list[tuple[WebSocketRoute, str | bytes]] = []
    holding = False

    def is_end(message: str | bytes) -> bool:
        return isinstance(message, bytes) and bool(ForwardMsg.FromString(message).HasField("script_finished"))

    def hold_what_ends(browser: WebSocketRoute) -> None:
        def pass_on(message: str | bytes) -> None:
            if late or (holding and is_end(message)):  # what comes later waits, too, or it would overtake
                late.append((browser, message))
            else:
                browser.send(message)

        browser.connect_to_server().on_message(pass_on)

    def send_first() -> None:
        browser, message = late[0]
        browser.send(message)
        late.pop(0)

    def wait_for_ends(number: int) -> None:
        def have_come() -> bool:
            page.wait_for_timeout(20)  # messages are heard meanwhile
            return sum(is_end(message) for _, message in late) == number

        until(have_come, f"the end of {number} runs")

    page.route_web_socket(re.compile("/_stcore/stream"), hold_what_ends)
    page.goto(f"{url}/keywords?view=mark")
    settled(page)
    make_review(page, "Soon back")
    start(page, "Ann")
    boxes, saving = page.get_by_role("checkbox"), page.get_by_role("button", name=re.compile("^Save: 1 of"))
    boxes.first.press("Space")
    expect(saving).to_be_visible()
    settled(page)
    holding = True
    page.get_by_role("radio", name="Compare", exact=True).click()
    expect(boxes).to_have_count(0)
    wait_for_ends(1)
    page.get_by_role("radio", name="Mark", exact=True).click()  # the browser still knows the box, and tells the server
    wait_for_ends(2)
    holding = False
    send_first()
    page.wait_for_timeout(200)  # time enough to forget it
    while late:
        send_first()
    expect(saving).to_be_visible()
    settled(page)
    expect(boxes.first).to_be_checked()


def test_keywords_light_each_other(page: Page, url: str) -> None:
    page.goto(f"{url}/keywords")
    settled(page)
    shared = page.locator(".evidence li mark.k-matched").first
    expect(shared).to_be_visible()
    group = shared.get_attribute("data-group")

    def is_lit() -> bool:  # what is above may still grow, and move it away from under the pointer
        shared.scroll_into_view_if_needed()
        box = shared.bounding_box()
        assert box is not None
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        with suppress(AssertionError):
            expect(shared).to_have_css("outline-style", "solid", timeout=1000)
            return True
        return False

    until(is_lit, "the light")
    lit = page.locator(f".evidence mark[data-group~={group}]")
    assert lit.count() >= 4  # in two lists and two texts
    for mark in lit.all():
        expect(mark).to_have_css("outline-style", "solid")


@pytest.mark.parametrize(("width", "theme"), [(1280, "dark"), (360, "light")])
def test_hostile_texts_in_every_view(new_page: Opener, url: str, width: int, theme: str) -> None:
    page = new_page(width, color_scheme=theme)
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.goto(f"{url}/keywords?view=mark")
    settled(page)
    make_review(page, f"{width} {NAME}", dataset="hostile")
    page.goto(f"{url}/keywords?view=compare")
    settled(page)
    choose_dataset(page, "hostile")
    for view, words in VIEWS.items():
        look_at(page, view)
        expect(page.get_by_text(words).first).to_be_visible()
        settled(page)
        innocent(page)
    look_at(page, "Mark")
    start(page, f"Eve {NAME}")
    expect(page.locator(".evidence mark").first).to_be_visible()
    expect(page.get_by_role("checkbox").first).to_be_attached()
    innocent(page)
    assert not [request for request in requests if ":9/" in request]


def innocent(page: Page) -> None:
    """Nothing of the data was taken for markup, and the page is as wide as its window."""
    assert page.locator("img[src='x'], a[href^='http://127.0.0.1:9'], .stMain script, .stMain .katex").count() == 0
    assert "pwned" not in page.title()
    assert page.evaluate(FITS)
