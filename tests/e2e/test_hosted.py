"""A hosted server in a real browser: its policy stops nothing that pages do, and nothing leaks from them."""

import csv
import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Request, expect

from tests.e2e.watching import READING, press, settled
from tests.hosting.house import HERS, PASSWORD, House, serving_house
from tests.hosting.test_guessing import PATHS
from tests.waiting import PATIENCE

pytestmark = pytest.mark.browser

TELL = "addEventListener('securitypolicyviolation', (e) => console.error(`CSP ${e.violatedDirective} ${e.blockedURI}`))"


class Visit:
    """A browser of its own, with all that it asked for and all that its policy stopped."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.requests: list[Request] = []
        self.stopped: list[str] = []
        page.context.add_init_script(TELL)
        page.context.on("request", self.ask)
        page.on("console", lambda item: self.stopped.append(item.text) if is_of_policy(item.text) else None)

    def ask(self, request: Request) -> None:
        self.requests.append(request)

    def innocent(self, url: str) -> None:
        """Nothing was stopped, and nobody else was asked for anything."""
        assert not self.stopped
        elsewhere = [item.url for item in self.requests if not item.url.startswith((f"{url}/", "blob:", "data:"))]
        assert not elsewhere


def is_of_policy(text: str) -> bool:
    return text.startswith("CSP ") or "Content Security Policy" in text


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory, scored_demo: Path) -> Iterator[House]:
    with serving_house(tmp_path_factory.mktemp("hosted"), scored_demo) as house:
        yield house


@pytest.fixture
def visit(browser: Browser) -> Iterator[Visit]:
    with closing(browser.new_context()) as context:
        context.set_default_timeout(PATIENCE * 1000)
        yield Visit(context.new_page())


def test_the_policy_stops_nothing_that_an_owner_does(house: House, visit: Visit, tmp_path: Path) -> None:
    page, url = visit.page, house.url
    page.goto(f"{url}/")
    expect(page).to_have_url(f"{url}/sign-in")
    page.get_by_label("Name").fill("Olga")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    settled(page)
    expect(page).to_have_url(re.compile(rf"{re.escape(url)}/(\?|$)"))
    (cookie,) = [element for element in page.context.cookies() if element["name"] == "relevance"]
    assert cookie["httpOnly"]
    assert cookie["sameSite"] == "Lax"

    for path in PATHS:
        page.goto(f"{url}/{path}")
        settled(page)

    page.goto(f"{url}/playground")
    settled(page)
    page.get_by_role("textbox").first.press_sequentially(" and more words")
    page.wait_for_function("document.body.innerText.includes('ROUGE')")

    page.goto(f"{url}/agreement?dataset=demo")
    settled(page)
    for what, kinds in (("figure", ("SVG", "PNG")), ("table", ("CSV",))):
        page.get_by_role("button", name=f"Save {what}").first.click()
        for kind in kinds:
            with page.expect_download() as download:
                page.get_by_role("button", name=kind, exact=True).first.click()
            assert download.value.suggested_filename.endswith(f".{kind.lower()}")
            assert Path(download.value.path()).stat().st_size
        page.keyboard.press("Escape")

    mine = tmp_path / "mine.csv"
    with mine.open("w", newline="", encoding="utf-8") as file:
        rows = [("id", "article", "gold", "model", "output")]
        rows += [
            (n, f"Text {n}.", f"Reference {n}.", system, f"{system} {n}.") for n in range(3) for system in ("a", "b")
        ]
        csv.writer(file).writerows(rows)
    page.goto(f"{url}/datasets")
    settled(page)
    page.get_by_text("Import a file").click()
    page.locator("input[type=file]").set_input_files(mine)
    expect(page.get_by_text("3 documents, 6 summaries by 2 systems")).to_be_visible()
    settled(page)
    press(page.get_by_role("button", name="Import", exact=True))
    expect(page.get_by_text("Imported 3 documents")).to_be_visible()
    settled(page)
    visit.innocent(url)

    page.goto(f"{url}/account")
    page.get_by_role("button", name="Sign out", exact=True).click()
    expect(page).to_have_url(f"{url}/sign-in")
    page.goto(f"{url}/studies")
    expect(page).to_have_url(f"{url}/sign-in")
    visit.innocent(url)


@pytest.mark.smoke
def test_an_annotator_comes_by_a_link_of_which_nothing_stays(house: House, visit: Visit) -> None:
    token = house.studies.invite(study=HERS, name="Emil").token
    page, url = visit.page, house.url
    page.goto(f"{url}/annotate?invite={token}")  # as links were before
    expect(page).to_have_url(f"{url}/join/{token}")
    page.get_by_role("button", name="Go on").click()
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("button", name="1 is more relevant")).to_be_visible()
    settled(page)
    expect(page).to_have_url(f"{url}/annotate")
    expect(page.get_by_role("link", name="Studies")).to_have_count(0)
    page.wait_for_timeout(READING)
    page.keyboard.press("1")
    expect(page.get_by_text(re.compile(r"^1 of \d+ judged"))).to_be_visible()
    page.reload()
    expect(page.get_by_text(re.compile(r"^1 of \d+ judged"))).to_be_visible()
    visit.innocent(url)
    assert token not in page.content()
    for item in visit.requests:
        assert not item.all_headers().get("referer")
    assert token not in house.log.read_text()
