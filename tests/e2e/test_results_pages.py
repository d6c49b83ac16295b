"""The pages of results and the planner in a real browser, over names and texts that are all hostile."""

import random
import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from relevance.annotation.records import StudySpec
from relevance.annotation.results import load_judgments
from relevance.annotation.store import AnnotationStore
from relevance.data.database import connect, now
from relevance.data.records import Document, Summary
from relevance.data.store import DataStore
from relevance.metrics import lexical_metrics, make_metrics
from relevance.metrics.scoring import score_dataset
from relevance.pages.components.examples.texts import contradiction_table
from tests.driving import serving
from tests.e2e.conftest import Opener
from tests.e2e.watching import BRIGHTNESS, FITS, HOSTILE, NAME, Watched, choose_option

pytestmark = pytest.mark.browser

SET, STUDY = f"set {NAME}", f"study {NAME}"

TABS = {
    "Overview": [],
    "Agreement": ["Metrics with people", "Metric against metric", "By difference", "Contradictions", "Position"],
    "Correlation": ["Summaries", "With people", "With length", "With ROUGE-K", "With each other"],
    "Compare": [],
    "Systems": ["Mean scores", "Ranked by annotators", "Significant differences", "Spread of systems"],
    "Annotators": [],
    "New study": ["By a form", "From a file"],
}
WORDS = ["storm", "coast", "rain", "wind", "flood", "river", "town", "boat", "night", "bridge", "water", "house"]


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The app over a study that two annotators have judged, and ratings."""
    draw = random.Random(1)
    records = [
        (
            Document(
                f"d{number} {HOSTILE}",
                f"Source {number}: {' '.join(WORDS)}. {HOSTILE}",
                (f"{' '.join(draw.sample(WORDS, 8))} {HOSTILE}",),
                f"Title {number} {HOSTILE}",
            ),
            [
                Summary(
                    f"d{number} {HOSTILE}",
                    f"{name} {NAME}",
                    f"{' '.join(draw.sample(WORDS, draw.randint(3, 9)))} {number} {name} {HOSTILE}",
                    {f"relevance {HOSTILE}": draw.randint(1, 5)},
                )
                for name in ("one", "two", "three")
            ],
        )
        for number in range(8)
    ]
    address = f"sqlite:///{database(tmp_path_factory)}"
    engine = connect(address)
    data, annotation = DataStore(engine), AnnotationStore(engine)
    data.add_dataset(name=SET, format="interchange", sha256="0", records=records)
    score_dataset(data, SET, make_metrics(lexical_metrics()))
    annotation.create_study(StudySpec(name=STUDY, dataset=SET, rule="all", ties=True, judgments_per_pair=2, checks=1))
    for name in (f"Ana {NAME}", f"Ben {NAME}"):
        annotator = annotation.join(study=STUDY, name=name)
        while (task := annotation.next_task(annotator)) is not None:
            annotation.judge(
                annotator=annotator,
                assignment_id=task.assignment_id,
                choice=draw.choice(["left", "left", "right", "right", "tie"]),
                presented_at=now() - timedelta(seconds=3),
            )
    engine.dispose()
    with serving(address) as served:
        yield served


def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.getbasetemp() / "meta_evaluation.db"


class App(Watched):
    """The app, from page to page."""

    def __init__(self, page: Page, url: str) -> None:
        super().__init__(page, url)
        self.url = url
        expect(page.get_by_role("heading", name="Which metric agrees with people?")).to_be_visible()

    def open(self, name: str) -> None:
        """A page, by its address."""
        self.page.goto(f"{self.url}/{name.lower().replace(' ', '_')}")
        heading = "Which metric agrees with people?" if name == "Overview" else name
        expect(self.page.get_by_role("heading", name=heading, exact=True)).to_be_visible()
        self.settled()

    def tab(self, name: str) -> Locator:
        self.page.get_by_role("tab", name=name, exact=True).click()
        panel = self.page.get_by_role("tabpanel", name=name, exact=True)
        expect(panel).to_be_visible()
        return panel

    def press(self, name: str) -> None:
        """A segment of a control; waits until the page has drawn itself anew."""
        segment = self.page.get_by_role("radio", name=name, exact=True)
        segment.click()
        expect(segment).to_be_checked()
        self.settled()


@pytest.mark.parametrize(("width", "theme"), [(1280, "light"), (1280, "dark"), (360, "light")])
def test_every_tab_of_every_page(new_page: Opener, url: str, width: int, theme: str) -> None:
    page = new_page(width, color_scheme=theme)
    watched = App(page, url)
    for name, tabs in TABS.items():
        watched.open(name)
        assert (page.evaluate(BRIGHTNESS) < 64) == (theme == "dark")
        for tab in tabs:
            panel = watched.tab(tab)
            if name in {"Agreement", "Correlation"}:
                if tab != "Summaries":
                    expect(panel.get_by_test_id("stDataFrame").first).to_be_visible()
                if tab not in {"Contradictions", "Position"}:
                    expect(panel.locator(".vega-embed svg").first).to_be_visible()
            assert page.evaluate(FITS), (name, tab)
        if name == "Annotators":
            expect(page.get_by_test_id("stDataFrame")).to_have_count(4)
        if name in {"Overview", "Compare"}:  # Overview has the matrix of metrics, too
            expect(page.locator(".vega-embed svg")).to_have_count(2 if name == "Overview" else 1)
        assert page.evaluate(FITS), name
    watched.innocent()


def test_the_agreement_page_follows_its_controls(
    page: Page, url: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    watched = App(page, url)
    watched.open("Agreement")
    expect(page.get_by_text("48 judgments")).to_be_visible()
    page.get_by_text("Details: all rules, counts and signatures").click()
    expect(page.get_by_text("Agreement of metrics with people, per judgment")).to_be_visible()
    page.get_by_role("button", name="Filters and rules").click()
    watched.press("by majority")
    expect(page.get_by_text("Agreement of metrics with people, per pair")).to_be_visible()
    panel = page.get_by_role("tabpanel", name="Metrics with people", exact=True)
    for tie, rule in (("is a miss", "Strict: C / n"), ("is left out", "Decided: C / (C + D)")):
        watched.press(tie)
        expect(panel.get_by_text(rule).first).to_be_visible()
    page.get_by_text("Only pairs that all metrics and people decide").click()
    expect(page.get_by_text("Filtered.")).to_be_visible()
    page.get_by_text("Only pairs that all metrics and people decide").click()
    expect(page.get_by_text("Filtered.")).to_have_count(0)
    page.keyboard.press("Escape")

    engine = connect(f"sqlite:///{database(tmp_path_factory)}")
    voted = load_judgments(AnnotationStore(engine), STUDY).by_majority()
    engine.dispose()
    signature = next(iter(voted.scores))
    documents = list(contradiction_table(voted, signature)["document"])
    other = next(place for place, document in enumerate(documents) if document != documents[0])
    assert other < 5  # it is in sight without scrolling
    panel = watched.tab("Contradictions")
    expect(panel.get_by_text("the first one is open")).to_be_visible()
    opened = panel.get_by_test_id("stMarkdown").filter(has_text="Document d")
    expect(opened).to_contain_text(documents[0][:3])
    # rows of 35 px under a head as high, on a canvas; the box to choose a row is at their left
    panel.get_by_test_id("stDataFrame").first.click(position={"x": 18, "y": 35 * (other + 1) + 17})
    expect(opened).to_contain_text(documents[other][:3])
    expect(panel.get_by_text("the first one is open")).to_have_count(0)
    source = panel.get_by_label("Document", exact=True)
    expect(source).to_contain_text(f"Source {documents[other][1]}:")
    assert HOSTILE in source.inner_text()
    summaries = panel.locator("[aria-label^='Summary of ']")
    expect(summaries).to_have_count(2)
    for place in range(2):
        assert summaries.nth(place).inner_text().endswith(HOSTILE)
    watched.innocent()


def test_the_correlation_page_follows_its_controls(page: Page, url: str) -> None:
    watched = App(page, url)
    watched.open("Correlation")
    expect(page.get_by_text("24 summaries of 24 were judged")).to_be_visible()
    for coefficient in ("Spearman's rho", "Kendall's tau-b", "Pearson's r"):
        watched.press(coefficient)
    panel = watched.tab("With people")
    for level in ("within documents", "system level", "pooled"):
        watched.press(level)
        expect(panel.locator(".vega-embed svg")).to_contain_text(f"({level})")
    expect(panel.get_by_text("percentile bootstrap over documents (pooled, within documents)")).to_be_visible()
    page.get_by_role("button", name="Intervals").click()
    watched.press("both")
    expect(panel.get_by_text("percentile bootstrap over documents and systems,")).to_be_visible()
    page.keyboard.press("Escape")
    summaries = watched.tab("Summaries")
    point = summaries.locator(".vega-embed svg .mark-symbol.role-mark path").last  # no other point covers it
    point.hover()
    tooltip = page.locator("#vg-tooltip-element")
    expect(tooltip).to_contain_text("document")
    named = tooltip.inner_text()
    assert "<img src=x" in named  # as text
    point.click()
    example = page.get_by_text(re.compile("^Document d"))
    expect(example).to_be_visible()
    assert example.inner_text().removeprefix("Document ")[:2] in named
    expect(page.locator("[aria-label^='Summary of ']")).to_have_count(1)
    system = (page.locator("[aria-label^='Summary of ']").get_attribute("aria-label") or "").split()[2]
    assert f"{system} <img" in named
    watched.innocent()


def test_the_planner_answers_and_takes_what_was_observed(page: Page, url: str) -> None:
    watched = App(page, url)
    watched.open("New study")
    page.get_by_text("How many pairs does it take?").click()
    panel = page.get_by_role("tabpanel", name="By a form")
    pairs = panel.get_by_test_id("stMetric").filter(has_text="Pairs").first
    expect(pairs).to_contain_text("306")
    phi = panel.get_by_label("phi", exact=True)
    phi.fill("0.63")
    phi.press("Enter")
    expect(pairs).to_contain_text("120")
    panel.get_by_role("button", name="Use these numbers below").click()
    expect(panel.get_by_label("Pairs in all")).to_have_value("120")
    choose_option(
        panel.get_by_role("combobox", name="Ratios"), page.get_by_role("option").filter(has_text="Annotators in")
    )
    expect(panel.get_by_test_id("stDataFrame")).to_be_visible()
    watched.settled()
    expect(pairs).to_be_visible()  # the planner stays open
    watched.innocent()


def test_two_sources_are_compared_and_the_address_brings_the_view_back(page: Page, url: str, new_page: Opener) -> None:
    watched = App(page, url)
    link = page.get_by_role("link", name="Compare with other judgments")
    link.click()
    expect(page.get_by_role("heading", name="Compare", exact=True)).to_be_visible()
    expect(page.get_by_text("Compared on the 24 pairs that both have, of 24 and 24.")).to_be_visible()
    watched.settled()
    chart = page.locator(".vega-embed svg")
    expect(chart).to_contain_text("Annotators in study")
    expect(chart).to_contain_text("Ratings of relevance")
    expect(page.get_by_role("heading", name="Where the two prefer different summaries")).to_be_visible()
    # another pair of the list, by its box at the left of the second row
    before = page.url
    listed = page.get_by_test_id("stDataFrame").last
    listed.click(position={"x": 18, "y": 35 * 2 + 17})
    expect(page).not_to_have_url(before)
    watched.settled()
    opened = page.get_by_role("group", name="Summary A", exact=True)
    expect(opened).to_be_visible()
    assert HOSTILE in opened.inner_text()
    # whoever is sent the address sees the same pair
    other = new_page(360)
    other.goto(page.url)
    expect(other.get_by_role("group", name="Summary A", exact=True)).to_have_text(opened.inner_text())
    assert other.evaluate(FITS)
    other.close()
    # a mark opens the pairs that the metric gets wrong
    chart.locator(".mark-symbol.role-mark path").first.click()
    expect(page.get_by_role("heading", name="Examples", exact=True)).to_be_visible()
    expect(page.get_by_text("and people disagree").first).to_be_visible()
    watched.innocent()
