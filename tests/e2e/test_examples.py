"""The Examples page in a real browser: cells and rows are chosen, evidence is seen, links followed; nothing runs."""

import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import FloatRect, Locator, Page, expect

from relevance.annotation.results import load_rated_pairs
from relevance.data.database import connect
from relevance.data.records import Document, Summary
from relevance.data.store import DataStore
from relevance.metrics import lexical_metrics, make_metrics
from relevance.metrics.scoring import score_dataset
from relevance.pages.components.examples.pairs import PairFilter, verdicts
from tests.driving import serving
from tests.e2e.conftest import Opener
from tests.e2e.watching import BRIGHTNESS, FITS, HOSTILE, NAME, Watched
from tests.pages.listed import make_pairs_frame

pytestmark = pytest.mark.browser

WORDS = ["storm", "coast", "rain", "wind", "flood", "river", "town", "boat", "night", "bridge", "water", "house"]
SET = f"set {NAME}"
ASPECT = f"relevance {HOSTILE}"
NOVELTY, ALL = "Words not in the source", "All metrics"

SAYS = {
    "ROUGE-1": "unigrams of the reference",
    "ROUGE-2": "bigrams of the reference",
    "ROUGE-L": "in the same order",
    "ROUGE-K": "keywords in the summary",
    NOVELTY: "are not in the source",
}
"""What is to be read where one looks at a metric's evidence."""

ROW, HEAD = 35, 35
"""Pixels: rows are drawn on a canvas."""


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ratings of summaries of which every text and name is hostile, with the scores of the lexical metrics."""
    draw = random.Random(3)
    records = [
        (
            Document(
                f"d{number} {HOSTILE}",
                f"Source {number}: {' '.join(WORDS)}. {HOSTILE}",
                tuple(f"{' '.join(draw.sample(WORDS, 8))} {HOSTILE}" for _ in range(2)),
                f"Title {number} {HOSTILE}",
            ),
            [
                Summary(
                    f"d{number} {HOSTILE}",
                    f"{name} {HOSTILE}",
                    f"{name} {number} {' '.join(draw.sample(WORDS, draw.randint(3, 9)))} {HOSTILE}",
                    {ASPECT: draw.randint(1, 5)},
                )
                for name in ("one", "two", "three")
            ],
        )
        for number in range(8)
    ]
    return filled(tmp_path_factory.mktemp("examples") / "examples.db", SET, records, lexical_metrics())


def filled(path: Path, name: str, records: list[tuple[Document, list[Summary]]], scored_by: tuple[str, ...]) -> Path:
    engine = connect(f"sqlite:///{path}")
    data = DataStore(engine)
    data.add_dataset(name=name, format="interchange", sha256="0", records=records)
    score_dataset(data, name, make_metrics(scored_by))
    engine.dispose()
    return path


@pytest.fixture(scope="module")
def url(database: Path) -> Iterator[str]:
    with serving(f"sqlite:///{database}") as served:
        yield served


class Examples(Watched):
    """The page with its list, its example and the evidence."""

    def __init__(self, page: Page, address: str) -> None:
        super().__init__(page, address)
        expect(page.get_by_role("heading", name="Examples", exact=True)).to_be_visible()
        expect(page.get_by_text("What metrics saw")).to_be_visible()
        self.settled()

    @property
    def documents(self) -> Locator:
        return self.page.locator(".stMain").get_by_test_id("stDataFrame").last

    def says_how_many(self, pairs: int, of: int) -> None:
        """How many pairs are listed."""
        expect(self.page.get_by_text(f": {pairs} of {of} pairs, in ")).to_be_visible()

    @property
    def summaries(self) -> list[str]:
        """The texts of A and B."""
        return [self.page.locator(f"[aria-label='Summary {side}']").inner_text() for side in "AB"]

    @property
    def place(self) -> str:
        """How far the list has been gone through."""
        return self.page.locator(".st-key-way").get_by_test_id("stMarkdown").inner_text()

    def comes_to(self, place: int, *, settled: bool = True) -> None:
        expect(self.page.locator(".st-key-way").get_by_test_id("stMarkdown")).to_have_text(re.compile(f"^{place} of "))
        if settled:
            self.settled()

    def choose_row(self, row: int) -> None:
        self.documents.click(position={"x": 18, "y": HEAD + ROW * row + 17})
        self.settled()

    def choose_evidence(self, *what: str) -> None:
        """Of these metrics and no others."""
        for pill in self.page.locator(".st-key-evidence button").all():
            chosen = "true" in (pill.get_attribute("aria-checked"), pill.get_attribute("aria-pressed"))
            if chosen != (pill.inner_text().strip() in what):
                pill.click()
                self.settled()

    def look_at(self, what: str) -> None:
        self.choose_evidence(what)
        for place in range(2):
            expect(self.page.locator(".evidence").nth(place)).to_contain_text(SAYS[what])
        self.settled()

    def look_at_all(self) -> None:
        self.choose_evidence(ALL)
        for what, value in SAYS.items():
            section = self.page.locator(f"section.saw[aria-label='{what}']")
            expect(section.locator(".evidence").first).to_contain_text(value)
            expect(section.locator(".sides > div")).to_have_count(2)
        self.settled()


def test_from_a_cell_to_an_example_and_its_link(new_page: Opener, page: Page, url: str, database: Path) -> None:
    engine = connect(f"sqlite:///{database}")
    preferences = load_rated_pairs(DataStore(engine), SET, ASPECT)
    engine.dispose()
    result = verdicts(preferences)
    chosen = PairFilter("against", "ROUGE-2")
    row = list(result.signs).index("ROUGE-2")
    pairs = make_pairs_frame(preferences, chosen)
    wanted = pairs.drop_duplicates("document")
    assert 1 < len(wanted) < len(pairs) < len(preferences)

    watched = Examples(page, f"{url}/examples")
    watched.says_how_many(len(preferences), len(preferences))
    before = watched.summaries
    page.get_by_role("button", name="Filter").click()
    counts = page.get_by_test_id("stPopoverBody").get_by_test_id("stDataFrame")
    expect(counts).to_be_visible()
    # columns share the width: the metric, then the four counts
    box = counts.bounding_box()
    assert box is not None
    counts.click(position={"x": box["width"] * 0.5, "y": HEAD + ROW * row + 17})
    watched.says_how_many(len(pairs), len(preferences))
    page.keyboard.press("Escape")
    watched.settled()
    assert "show=against" in page.url
    assert "metric=ROUGE-2" in page.url

    watched.choose_row(1)
    pair = wanted.index[1]
    document, first, second = (of[pair] for of in (preferences.documents, preferences.firsts, preferences.seconds))
    number = document.split()[0].removeprefix("d")
    expect(page.get_by_role("heading", name=f"Title {number} ")).to_be_visible()
    assert watched.summaries != before
    for text, system in zip(watched.summaries, (first, second), strict=True):
        assert text.startswith(f"{system.split()[0]} {number} ")
        assert text.endswith(HOSTILE)

    marks = page.locator(".evidence mark")
    seen = set()
    for what in SAYS:
        watched.look_at(what)
        expect(marks.first).to_be_visible()
        texts = page.locator(".evidence .text[aria-label=Summary]")
        assert [text.split()[0] for text in texts.all_inner_texts()] == [first.split()[0], second.split()[0]]
        assert all(text.endswith(HOSTILE) for text in texts.all_inner_texts())
        seen.add(page.locator(".evidence").first.inner_text())
    assert len(seen) == 5

    watched.look_at("ROUGE-1")
    lighting = page.locator(".evidence mark[data-group]").first
    page.mouse.move(*middle(lighting))  # hover() would aim at what is there for screen readers only
    lights(page, lighting)

    shown = watched.summaries
    again = Examples(new_page(), page.url)
    assert again.summaries == shown
    again.says_how_many(len(pairs), len(preferences))
    assert again.page.url == page.url
    again.innocent()
    watched.innocent()


def middle(mark: Locator) -> tuple[float, float]:
    """Where a mark is, once it is in sight."""
    x, y = mark.evaluate(
        "mark => { mark.scrollIntoView({block: 'center'}); const {x, y, width, height} = mark.getClientRects()[0];"
        " return [x + width / 2, y + height / 2] }"
    )
    return x, y


def lights(page: Page, mark: Locator) -> None:
    """A mark and its match have a frame, and no other has."""
    group = mark.get_attribute("data-group")
    both = page.locator(".evidence").first.locator(f"mark[data-group={group}]")
    expect(both).to_have_count(2)
    for row in both.all():
        expect(row).to_have_css("outline-style", "solid")
    framed = "marks => marks.filter(mark => getComputedStyle(mark).outlineStyle === 'solid').length"
    assert page.locator(".evidence mark[data-group]").evaluate_all(framed) == 2


def test_a_tap_lights_the_match_and_every_match_is_there_as_text(new_page: Opener, url: str) -> None:
    watched = Examples(new_page(360, 800, has_touch=True), f"{url}/examples")
    page = watched.page
    first, second = (page.locator(".evidence mark[data-group]").nth(place) for place in (0, 1))
    for mark in (first, second):  # the first lets go of its match when the second is tapped
        page.touchscreen.tap(*middle(mark))
        lights(page, mark)
    # all marks together are not one stop of the Tab key
    assert page.locator(".evidence mark:not([tabindex='-1'])").count() == page.locator(".legend mark").count()
    block = page.locator(".evidence").first
    block.locator("summary").filter(has_text="match").click()
    rows = block.locator("tbody tr")
    matched = block.locator(".text[aria-label=Summary] mark").count()
    expect(rows).to_have_count(matched)
    expect(rows.first).to_be_visible()
    page.touchscreen.tap(*middle(rows.nth(1)))
    group = rows.nth(1).get_attribute("data-group")
    for mark in block.locator(f"mark[data-group={group}]").all():
        expect(mark).to_have_css("outline-style", "solid")
    watched.innocent()


def test_the_first_press_on_the_page_counts(page: Page, url: str) -> None:
    """The browser reports the chosen row of the list with it."""
    Examples(page, f"{url}/examples")
    page.get_by_role("radio", name="ROUGE-1 and people disagree").click()
    expect(page).to_have_url(re.compile("show=against"))


def test_from_example_to_example(page: Page, url: str) -> None:
    watched = Examples(page, f"{url}/examples")
    forward, back = (page.get_by_role("button", name=name) for name in ("Next", "Previous"))
    expect(back).to_be_disabled()
    seen = [(watched.summaries, page.url)]
    for place in (2, 3):
        forward.click()
        watched.comes_to(place)
        seen.append((watched.summaries, page.url))
    assert len({address for _, address in seen}) == 3
    page.keyboard.press("p")
    watched.comes_to(2)
    assert (watched.summaries, page.url) == seen[1]
    page.keyboard.press("n")
    watched.comes_to(3)
    assert (watched.summaries, page.url) == seen[2]
    # pressed twice before the next one is there, it is one press
    page.evaluate("() => { for (const press of [1, 2]) document.querySelector('.st-key-next button').click() }")
    watched.comes_to(4)
    page.wait_for_timeout(600)
    watched.comes_to(4)
    # who types means letters
    page.get_by_role("button", name="Filter").click()
    search = page.get_by_placeholder("Document or system")
    search.press_sequentially("nop")
    page.wait_for_timeout(600)
    assert watched.place.startswith("4 of")
    search.fill("")
    search.press("Enter")
    page.keyboard.press("Escape")
    watched.settled()
    # a row that is chosen is where one goes on from
    watched.choose_row(1)
    watched.comes_to(2)
    assert (watched.summaries, page.url) == seen[1]
    forward.click()
    watched.comes_to(3)
    # out of sight of the list, the way is still there
    page.locator(".saw").first.scroll_into_view_if_needed()
    page.mouse.move(640, 500)
    page.mouse.wheel(0, 400)
    expect(forward).to_be_in_viewport()
    # the browser's own way back and forth leads to what was open
    page.go_back()
    watched.comes_to(2)
    assert (watched.summaries, page.url) == seen[1]
    page.go_forward()
    watched.comes_to(3)
    assert (watched.summaries, page.url) == seen[2]
    watched.innocent()


@pytest.mark.parametrize("width", [1920, 1280, 768, 360])
def test_the_list_the_source_and_both_summaries(new_page: Opener, url: str, width: int) -> None:
    watched = Examples(new_page(width), f"{url}/examples")
    page = watched.page
    listed = watched.documents.bounding_box()
    boxes = [box.bounding_box() for box in page.locator(".example > div").all()]
    a, b = (box for box in boxes if box is not None)
    source, evidence = (page.locator(name).first.bounding_box() for name in (".st-key-compared", ".evidence"))
    assert listed is not None
    assert source is not None
    assert evidence is not None

    def beside(rectangle: FloatRect, other: FloatRect) -> bool:
        return abs(rectangle["y"] - other["y"]) < 1 and rectangle["x"] + rectangle["width"] <= other["x"]

    assert (listed["x"] + listed["width"] <= a["x"]) == (width > 900)
    assert beside(a, b) == (width > 360)
    # what a metric saw comes at once, the source after all that metrics say
    assert b["y"] + b["height"] <= evidence["y"] < source["y"]
    assert min(a["width"], b["width"]) >= 280
    page.get_by_role("tab", name="References", exact=True).click()
    expect(page.locator(".st-key-compared [aria-label^='Reference ']")).to_have_count(2)
    for text in page.locator(".st-key-compared [aria-label^='Reference ']").all_inner_texts():
        assert text.endswith(HOSTILE)
    watched.look_at_all()
    assert page.evaluate(FITS)
    watched.innocent()


@pytest.mark.parametrize(("width", "theme"), [(1280, "dark"), (360, "light")])
def test_widths_and_themes(new_page: Opener, url: str, width: int, theme: str) -> None:
    watched = Examples(new_page(width, color_scheme=theme), f"{url}/examples")
    page = watched.page
    assert (page.evaluate(BRIGHTNESS) < 64) == (theme == "dark")
    for what in ("ROUGE-1", "ROUGE-K", NOVELTY):
        watched.look_at(what)
        expect(page.locator(".evidence mark").first).to_be_visible()
        assert page.evaluate(FITS), what
        # of a colour that can be told from what is behind it
        colours = "mark => [getComputedStyle(mark).color, getComputedStyle(document.querySelector('.stApp')).color]"
        ours, around = page.locator(".evidence mark").first.evaluate(colours)
        assert ours == around
    watched.innocent()


def test_a_model_explains_in_a_process_of_its_own(page: Page, tmp_path: Path) -> None:
    records = [
        (
            Document(f"d{n}", "A storm hit the coast.", ("A storm hit the coast.", "The town was flooded.")),
            [Summary(f"d{n}", name, f"{text} {n}", {"relevance": place}) for place, (name, text) in enumerate(texts)],
        )
        for n, texts in enumerate([[("one", "The storm reached the coast."), ("two", "Nobody saw a bridge.")]] * 2)
    ]
    path = filled(tmp_path / "models.db", "small", records, ("rouge1", "bertscore"))
    with serving(f"sqlite:///{path}") as url:
        watched = Examples(page, f"{url}/examples")
        answered = page.locator(".evidence").filter(has_text="precision")
        waiting = page.get_by_text("is being computed")
        # Whoever does not wait for a model is not kept waiting by it, even while it is still being loaded.
        watched.choose_evidence(ALL)
        for what in ("ROUGE-1", NOVELTY):
            expect(page.locator(f"section.saw[aria-label='{what}'] .evidence").first).to_be_visible()
        expect(waiting).to_be_visible()
        assert not answered.count()
        page.get_by_role("button", name="Next").click()
        watched.comes_to(2)
        expect(waiting).to_be_visible()
        watched.choose_evidence("BERTScore")
        expect(answered).to_have_count(2)
        expect(waiting).to_have_count(0)
        watched.settled()
        expect(page.get_by_text(re.compile("^Similarities of [AB], token by token$"))).to_have_count(2)
        expect(page.get_by_text("the stored score is")).to_have_count(0)
        watched.choose_row(0)
        expect(answered).to_have_count(2)
        watched.innocent()
