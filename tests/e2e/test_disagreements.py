"""When metrics disagree, in a real browser: by buttons and keys, as slides, on paper, as a figure, on any screen."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from relevance.data.database import connect
from relevance.data.demo import add_demo
from relevance.data.store import DataStore
from relevance.metrics import make_metrics
from relevance.metrics.registry import usual_metrics
from relevance.metrics.scoring import score_dataset
from relevance.pages.components.disagreements.examples import load_chosen_examples
from relevance.pages.components.shared.records import opening_of
from tests.driving import serving
from tests.e2e.conftest import Opener
from tests.e2e.watching import BRIGHTNESS, FITS, Watched
from tests.waiting import until

pytestmark = pytest.mark.browser

EXAMPLES = load_chosen_examples()
LAST = len(EXAMPLES)

SHEET = re.compile(rb"/Type\s*/Page\b(?!s)")


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The app over an empty database: the page needs none."""
    with serving(f"sqlite:///{tmp_path_factory.mktemp('disagreements') / 'empty.db'}") as served:
        yield served


class Presented(Watched):
    """The page with the examples that are shown."""

    def __init__(self, page: Page, url: str, example: str = "") -> None:
        super().__init__(page, f"{url}/disagreements{example and f'?example={example}'}")
        expect(page.get_by_role("heading", name="When metrics disagree", exact=True)).to_be_visible()

    def shows(self, number: int) -> None:
        """The example of this number alone, and its address."""
        example = EXAMPLES[number - 1]
        expect(self.page.locator(".presented")).to_have_count(1)
        expect(self.page.locator(".presented .why")).to_have_text(f"{number}. {example.why}")
        expect(self.page.get_by_text(f"{number} of {LAST}", exact=True)).to_be_visible()
        expect(self.page.locator("[aria-label^='Summary A']")).to_have_text(example.examples[0].candidate)

    def settled(self) -> None:
        """All models have answered, and nothing is drawn any more."""
        expect(self.page.locator(".presented .camp").first).to_be_visible()
        expect(self.page.locator(".presented .waiting")).to_have_count(0)
        super().settled()
        expect(self.page.get_by_text("— No score")).to_have_count(0)


def test_turning_the_pages_by_buttons_and_keys(new_page: Opener, page: Page, url: str) -> None:
    shown = Presented(page, url)
    shown.shows(1)
    # the lexical metrics do not wait for the models
    expect(page.locator(".chip", has_text="ROUGE-K")).to_have_text(re.compile(r"\d\.\d{3} : \d\.\d{3}"))
    previous, following = (page.get_by_role("button", name=name) for name in ("Previous", "Next"))
    expect(previous).to_be_disabled()
    following.click()
    shown.shows(2)
    assert page.url.endswith(f"?example={EXAMPLES[1].document_id}")
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
    assert page.locator(".presented .chip").count() == len(usual_metrics())
    text = page.locator(".presented .camps").inner_text()
    page.get_by_text("Details", exact=True).click()
    expect(page.locator("tr.metric")).to_have_count(len(usual_metrics()))

    again = Presented(new_page(1920, 1080), url, EXAMPLES[LAST - 3].document_id)
    again.shows(LAST - 2)
    again.settled()
    assert again.page.locator(".presented .camps").inner_text() == text
    again.innocent()
    shown.innocent()


def test_pointing_at_a_keyword_lights_it_in_all_texts(page: Page, url: str) -> None:
    shown = Presented(page, url, "2")
    shown.shows(2)
    shown.settled()  # what arrives moves the texts
    keyword = page.locator(".keywords li").filter(has_text="sarcasm")
    keyword.scroll_into_view_if_needed()
    box = keyword.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 10, box["y"] + box["height"] / 2)
    group = keyword.get_attribute("data-group")
    lit = page.locator(f".presented mark[data-group~={group}]")
    expect(lit).to_have_count(2)  # the title, summary B
    for mark in lit.all():
        expect(mark).to_have_css("outline-width", "2px")


def test_print(page: Page, url: str, tmp_path: Path) -> None:
    page.emulate_media(color_scheme="dark")
    shown = Presented(page, url, EXAMPLES[2].document_id)
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
        page.get_by_text("Slides show the document"),
    ):
        expect(hidden).to_be_hidden()
    for text in ("h1", ".presented .text", ".presented mark", ".presented .chip"):
        expect(page.locator(text).first).to_have_css("color", "rgb(0, 0, 0)")
    for behind in (".stApp", "[data-testid=stMain]", ".stMainBlockContainer"):
        expect(page.locator(behind)).to_have_css("background-color", "rgb(255, 255, 255)")
    shown.innocent()


@pytest.mark.parametrize(
    ("width", "height", "theme", "largest"),
    [(1920, 1080, "light", 24), (1024, 768, "dark", 17), (360, 740, "light", 16), (360, 740, "dark", 16)],
)
def test_screens(new_page: Opener, url: str, width: int, height: int, theme: str, largest: int) -> None:
    shown = Presented(new_page(width, height, color_scheme=theme), url, "2")
    shown.shows(2)
    shown.settled()
    page = shown.page
    assert page.evaluate(FITS)
    size = page.locator(".presented .summary .text").first.evaluate("e => parseFloat(getComputedStyle(e).fontSize)")
    assert size >= largest  # pixels
    assert (page.evaluate(BRIGHTNESS) < 64) == (theme == "dark")
    boxes = [page.locator(f".presented .summary [aria-label^='Summary {letter}']").bounding_box() for letter in "AB"]
    assert boxes[0] is not None
    assert boxes[1] is not None
    assert (abs(boxes[0]["y"] - boxes[1]["y"]) < 4) == (width > 400)  # beside each other where there is room
    page.get_by_text("All on one page", exact=True).click()
    expect(page.locator(".presented")).to_have_count(LAST)
    assert page.evaluate(FITS)
    shown.innocent()


def test_slides(new_page: Opener, url: str) -> None:
    shown = Watched(new_page(1280, 720), f"{url}/disagreements?slide=1")
    page = shown.page
    slide = page.locator(".presented.slide")
    expect(slide).to_have_attribute("data-shows", "document")
    expect(page.get_by_role("button", name="Full screen")).to_be_visible()  # the keys are read from then on
    for hidden in (page.get_by_test_id("stHeader"), page.get_by_role("link", name="Overview")):
        expect(hidden).to_be_hidden()
    turns = [("PageDown", "summaries"), (" ", "vote"), ("ArrowRight", "people"), ("PageUp", "vote")]
    turns += [("ArrowRight", "people"), *[("ArrowRight", "metric")] * 3, ("PageDown", "all")]
    number = 1
    for key, shows in turns:
        page.keyboard.press(key)
        number += -1 if key == "PageUp" else 1
        # slides of metrics have the same attribute, and a press while one is being drawn turns to that one again
        expect(page).to_have_url(re.compile(rf"[?&]step={number}(&|$)"))
        expect(slide).to_have_attribute("data-shows", shows)
        shown.settled()
        if key == " ":
            for letter, a, b in (("a", "1 vote", "0 votes"), ("b", "1 vote", "1 vote"), ("a", "2 votes", "1 vote")):
                page.keyboard.press(letter)
                expect(slide.locator(".room")).to_have_text(f"A {a} · B {b}")
        if shows == "people":
            expect(slide).to_contain_text("The paper's annotators preferred B.")
            expect(slide.locator(".room")).to_have_text("This room: A 2 votes · B 1 vote")
        expect(slide.locator(".waiting")).to_have_count(0)
        fits_on_the_screen(slide)
    expect(slide.locator(".chip")).to_have_count(len(usual_metrics()))  # all models have answered
    page.keyboard.press("ArrowRight")
    expect(slide).to_have_attribute("data-shows", "document")
    expect(slide).to_contain_text(opening_of(EXAMPLES[1].examples[0]))
    assert "slide=1" in page.url
    page.keyboard.press("ArrowDown")
    expect(slide).to_contain_text(EXAMPLES[1].why)
    page.keyboard.press("f")
    until(lambda: page.evaluate("document.fullscreenElement !== null"))
    page.get_by_role("button", name="Full screen").click()
    until(lambda: page.evaluate("document.fullscreenElement === null"))
    page.keyboard.press("Escape")
    expect(page.get_by_role("heading", name="When metrics disagree", exact=True)).to_be_visible()
    expect(page.locator(".presented .why")).to_have_text(f"2. {EXAMPLES[1].why}")
    shown.innocent()


def test_a_room_votes_and_a_phone_turns(new_page: Opener, browser: Browser, url: str) -> None:
    """By an address that other machines could have: Chromium looks for all names in `localhost` on this one."""
    shown = Watched(new_page(1280, 720), f"{url.replace('127.0.0.1', 'lab.localhost')}/disagreements")
    page = shown.page
    expect(page.get_by_text("Save figure")).to_be_visible()
    shown.settled()
    page.get_by_text("Notes, remote control and votes by phone").click()
    page.get_by_label("Your note on this example").fill("Ask who knows it.\nWait.")
    remote = page.get_by_role("link", name="Open your notes and remote control").get_attribute("href")
    expect(page.locator(".code b")).to_have_text(str(remote).removeprefix("http://"))
    page.get_by_role("button", name="Slides").click()
    slide = page.locator(".presented.slide")
    expect(slide).to_have_attribute("data-shows", "document")
    phones = [browser.new_context(viewport={"width": 360, "height": 740}).new_page() for _ in range(3)]
    presenter, *voters = phones
    presenter.goto(str(remote))
    expect(presenter.locator(".own")).to_have_text("Ask who knows it.\nWait.")
    for shows, heading in (("summaries", "Both summaries"), ("vote", "The room votes")):
        presenter.get_by_role("button", name="Next").click()
        expect(slide).to_have_attribute("data-shows", shows)
        expect(presenter.get_by_role("heading")).to_have_text(heading)
    page.reload()  # the room stays
    expect(page.get_by_role("button", name="Full screen")).to_be_visible()
    fits_on_the_screen(slide)
    for voter, choices in zip(voters, ("AB", "B"), strict=True):
        voter.goto(f"http://{page.locator('.code b').inner_text()}")
        for choice in choices:
            voter.get_by_role("button", name=choice, exact=True).click()
            expect(voter.get_by_text(f"You voted for {choice}.")).to_be_visible()
        assert voter.evaluate(FITS)
    for seen in (slide.locator(".room"), presenter.locator(".votes")):
        expect(seen).to_have_text("A 0 votes · B 2 votes")
    page.keyboard.press("a")
    expect(slide.locator(".room")).to_have_text("A 1 vote · B 2 votes")
    presenter.keyboard.press("PageDown")  # by its keys, as a second window
    expect(slide.locator(".room")).to_have_text("This room: A 1 vote · B 2 votes")
    for voter in voters:
        expect(voter.get_by_role("heading")).to_have_text("No vote is open")
    for _ in range(2):  # quickly: neither is lost
        presenter.get_by_role("button", name="Next").click()
    expect(page).to_have_url(re.compile("step=6"))
    expect(presenter.get_by_role("heading")).to_have_text("BERTScore")
    assert presenter.evaluate(FITS)
    shown.settled()
    page.keyboard.press("Escape")
    expect(presenter.get_by_role("heading")).to_have_text("The slides are closed")
    page.get_by_text("Notes, remote control and votes by phone").click()
    expect(page.get_by_role("link", name="Open your notes")).to_have_count(0)
    for phone in phones:
        expect(phone.get_by_text("These slides have ended")).to_be_visible()
        phone.context.close()
    shown.innocent()


def test_phones_cannot_reach_an_address_of_this_machine(new_page: Opener, url: str) -> None:
    shown = Watched(new_page(1280, 720), f"{url}/disagreements")
    page = shown.page
    expect(page.get_by_text("Save figure")).to_be_visible()
    shown.settled()
    page.get_by_text("Notes, remote control and votes by phone").click()
    expect(page.get_by_text("Phones cannot reach this address")).to_be_visible()
    with page.expect_popup() as opened:  # on this machine they work
        page.get_by_role("link", name="Open your notes and remote control").click()
    page.get_by_role("button", name="Slides").click()
    expect(opened.value.get_by_role("heading")).to_have_text("The document")
    opened.value.keyboard.press("ArrowDown")
    expect(page.locator(".presented.slide")).to_have_attribute("data-shows", "all")
    expect(page.locator(".code")).to_have_count(0)
    shown.innocent()


def fits_on_the_screen(slide: Locator) -> None:
    """A slide fills a screen of 1280 by 720, and its letters can be read from afar."""
    box = slide.bounding_box()
    assert box is not None
    assert box["width"] / box["height"] == pytest.approx(16 / 9, rel=0.02)
    assert box["y"] + box["height"] <= 720
    size = slide.locator(".text").last.evaluate("e => parseFloat(getComputedStyle(e).fontSize)")
    assert size >= 24  # pixels


def score_demo(folder: Path, *metrics: str) -> str:
    """Score the demo corpus in a database of its own, and return its address."""
    database = f"sqlite:///{folder / 'scored.db'}"
    engine = connect(database)
    data = DataStore(engine)
    add_demo(data)
    score_dataset(data, "demo", make_metrics(list(metrics)))
    engine.dispose()
    return database


def test_from_home_to_a_figure_in_five_clicks(page: Page, tmp_path: Path) -> None:
    """From the home page to where ROUGE-K is right and BERTScore is wrong, and to a figure of it for a paper."""
    with serving(score_demo(tmp_path, "rouge1", "rouge_k", "bertscore")) as url:
        watched = Watched(page, url)
        page.get_by_role("button", name="See why metrics disagree").click()  # 1
        page.get_by_role("radio", name="ROUGE-K right where BERTScore is wrong").click()  # 2
        expect(page.locator(".presented .why")).to_have_text("1. ROUGE-K right where BERTScore is wrong")
        expect(page.locator(".camp.right .chip").filter(has_text="ROUGE-K")).to_be_visible()
        expect(page.locator(".camp.wrong .chip").filter(has_text="BERTScore")).to_be_visible()
        watched.settled()
        page.get_by_role("button", name="Save figure").click()  # 3
        with page.expect_download() as download:
            page.get_by_role("button", name="SVG").click()  # 4
        drawn = Path(download.value.path()).read_text()
        assert download.value.suggested_filename.endswith(".svg")
        assert drawn.startswith("<svg")
        for word in ("ROUGE-K", "BERTScore", "✓", "✗", "prefer"):
            assert word in drawn
        watched.innocent()


def test_a_square_of_the_matrix_opens_its_pairs(page: Page, tmp_path: Path) -> None:
    """Where ROUGE-K fails, too: from the second figure of Overview, and on this page."""
    square = page.locator(
        "text[aria-roledescription='text mark'][aria-label*='right: ROUGE-1'][aria-label*='wrong: ROUGE-K']"
    )
    with serving(score_demo(tmp_path, "rouge1", "rouge_k", "length")) as url:
        watched = Watched(page, url)
        expect(page.get_by_text("Where one metric is right and another is wrong")).to_be_visible()
        count = re.search(r"pairs: (\d+)", square.get_attribute("aria-label") or "")
        assert count is not None
        watched.settled()
        square.click()  # the number, as people do
        expect(page.get_by_role("heading", name="Examples", exact=True)).to_be_visible()
        assert "show=rather&metric=ROUGE-1&other=ROUGE-K" in page.url
        expect(page.get_by_text(f"{count[1]} pairs").first).to_be_visible()
        page.goto(f"{url}/disagreements?dataset=demo&aspect=author")
        page.get_by_text("Any metric against any other").click()
        watched.settled()
        square.click()  # the number, as people do
        expect(page.locator(".presented .why")).to_have_text("1. ROUGE-1 right where ROUGE-K is wrong")
        page.get_by_role("button", name="Next").click()
        expect(page.locator(".presented .why")).to_have_text("2. ROUGE-1 right where ROUGE-K is wrong")
        watched.innocent()
