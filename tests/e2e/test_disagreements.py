"""When metrics disagree, in a real browser: presented by buttons and keys, printed a sheet an example, any screen."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect

from data.demo import CHOSEN
from metrics import METRICS
from pages.components.disagreements import load_chosen_examples
from tests.driving import serving

pytestmark = pytest.mark.e2e

LAST = len(CHOSEN)

MODELS = 170_000
"""Milliseconds that the models may take to load and answer, on a machine that does other things as well."""

SHEET = re.compile(rb"/Type\s*/Page\b(?!s)")


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The app over an empty database: the page needs none."""
    with serving(f"sqlite:///{tmp_path_factory.mktemp('disagreements') / 'empty.db'}") as served:
        yield served


class Presented:
    """The page, with what went wrong on it kept."""

    def __init__(self, page: Page, url: str, example: str = "") -> None:
        self.page = page
        self.errors: list[str] = []
        page.on("console", self.heard)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.goto(f"{url}/disagreements{example and f'?example={example}'}")
        expect(page.get_by_role("heading", name="When metrics disagree", exact=True)).to_be_visible()

    def heard(self, message: ConsoleMessage) -> None:
        # Streamlit fetches the symbol in the page's tab from Google, which the tests do not reach, and on a page's
        # address first looks for itself below it
        where = message.location["url"]
        if message.type == "error" and "gstatic" not in where and "/_stcore/" not in where:
            self.errors.append(f"{message.text} {message.location}")

    def shows(self, number: int) -> None:
        """The example of this number alone, and its address."""
        example = CHOSEN[number - 1]
        expect(self.page.locator(".presented")).to_have_count(1)
        expect(self.page.locator(".presented .why")).to_have_text(f"{number}. {example.why}")
        expect(self.page.get_by_text(f"{number} of {LAST}", exact=True)).to_be_visible()
        expect(self.page.locator("[aria-label='Summary A']")).to_have_text(
            load_chosen_examples()[number - 1].examples[0].candidate
        )

    def settled(self) -> None:
        """All models have answered, and nothing is drawn any more."""
        expect(self.page.locator(".presented table").first).to_be_visible()
        expect(self.page.locator(".presented .waiting")).to_have_count(0, timeout=MODELS)
        expect(self.page.locator("[data-testid=stApp][data-test-script-state=notRunning]")).to_be_visible()
        expect(self.page.get_by_test_id("stException")).to_have_count(0)
        expect(self.page.get_by_text("Not to be had")).to_have_count(0)

    def fits(self) -> bool:
        """Whether nothing is wider than the screen."""
        return bool(self.page.evaluate("document.scrollingElement.scrollWidth <= innerWidth"))


def test_turning_the_pages_by_buttons_and_keys(browser: Browser, page: Page, url: str) -> None:
    shown = Presented(page, url)
    shown.shows(1)
    # the lexical metrics do not wait for the models
    expect(page.locator("tr", has_text="ROUGE-K").locator(".number").first).to_have_text(re.compile(r"\d\.\d{3}"))
    previous, following = (page.get_by_role("button", name=name) for name in ("Previous", "Next"))
    expect(previous).to_be_disabled()
    following.click()
    shown.shows(2)
    assert page.url.endswith(f"?example={CHOSEN[1].document_id}")
    for number in range(3, LAST + 1):
        page.keyboard.press("ArrowRight")
        shown.shows(number)
    expect(following).to_be_disabled()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    shown.shows(LAST - 1)
    previous.click()
    shown.shows(LAST - 2)
    shown.settled()
    assert page.locator("tr.metric").count() == len(METRICS)
    said = page.locator(".presented .said").inner_text()

    context = browser.new_context(viewport={"width": 1920, "height": 1080})
    again = Presented(context.new_page(), url, CHOSEN[LAST - 3].document_id)
    again.shows(LAST - 2)
    again.settled()
    assert again.page.locator(".presented .said").inner_text() == said
    assert not again.errors, again.errors
    context.close()
    assert not shown.errors, shown.errors


def test_pointing_at_a_keyword_lights_it_in_all_texts(page: Page, url: str) -> None:
    shown = Presented(page, url, "1")
    shown.shows(1)
    shown.settled()  # what arrives moves the texts
    keyword = page.locator(".keywords li").filter(has_text="sarcasm")
    keyword.scroll_into_view_if_needed()
    box = keyword.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 10, box["y"] + box["height"] / 2)
    group = keyword.get_attribute("data-group")
    lit = page.locator(f".presented mark[data-group~={group}]")
    expect(lit).to_have_count(4)  # the title, both references, summary B
    for mark in lit.all():
        expect(mark).to_have_css("outline-width", "2px")


def test_print(page: Page, url: str, tmp_path: Path) -> None:
    page.emulate_media(color_scheme="dark")
    shown = Presented(page, url, CHOSEN[2].document_id)
    shown.shows(3)
    shown.settled()
    assert len(SHEET.findall(page.pdf(format="A4"))) == 1
    page.get_by_text("All on one page", exact=True).click()
    expect(page.locator(".presented")).to_have_count(LAST)
    shown.settled()
    assert len(SHEET.findall(page.pdf(format="A4"))) == LAST  # each on a sheet of its own

    page.emulate_media(media="print", color_scheme="dark")
    for hidden in (
        page.get_by_test_id("stHeader"),
        page.get_by_role("button", name="Next"),
        page.get_by_text("All on one page", exact=True),
        page.get_by_text("To present:"),
    ):
        expect(hidden).to_be_hidden()
    for text in ("h1", ".presented .text", ".presented mark", ".presented td.words"):
        expect(page.locator(text).first).to_have_css("color", "rgb(0, 0, 0)")
    for behind in (".stApp", "[data-testid=stMain]", ".stMainBlockContainer"):
        expect(page.locator(behind)).to_have_css("background-color", "rgb(255, 255, 255)")
    assert not shown.errors, shown.errors


@pytest.mark.parametrize(
    ("width", "height", "theme", "largest"),
    [(1920, 1080, "light", 24), (1024, 768, "dark", 17), (360, 740, "light", 16), (360, 740, "dark", 16)],
)
def test_screens(browser: Browser, url: str, width: int, height: int, theme: str, largest: int) -> None:
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=theme)
    shown = Presented(context.new_page(), url, "2")
    shown.shows(2)
    shown.settled()
    assert shown.fits()
    page = shown.page
    size = page.locator(".presented .summary .text").first.evaluate("e => parseFloat(getComputedStyle(e).fontSize)")
    assert size >= largest  # pixels
    brightness = "Math.max(...getComputedStyle(document.querySelector('.stApp')).backgroundColor.match(/\\d+/g))"
    assert (page.evaluate(brightness) < 64) == (theme == "dark")
    boxes = [page.locator(f"[aria-label='Summary {letter}']").bounding_box() for letter in "AB"]
    assert boxes[0] is not None
    assert boxes[1] is not None
    assert (boxes[0]["y"] == boxes[1]["y"]) == (width > 400)  # beside each other where there is room
    page.get_by_text("All on one page", exact=True).click()
    expect(page.locator(".presented")).to_have_count(LAST)
    assert shown.fits()
    assert not shown.errors, shown.errors
    context.close()
