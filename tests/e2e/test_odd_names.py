"""What users may write: pictures of other hosts, names that end lines, names without a space."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, Request, expect

from relevance.annotation.records import StudySpec
from relevance.annotation.store import AnnotationStore
from relevance.data.database import connect, now
from relevance.data.records import Document, Summary
from relevance.data.store import DataStore
from relevance.metrics import lexical_metrics, make_metrics
from relevance.metrics.scoring import score_dataset
from relevance.reports.html_report import write_report
from tests.driving import serving
from tests.e2e.conftest import Opener
from tests.e2e.watching import settled
from tests.waiting import until

pytestmark = pytest.mark.browser

LONG = "unbroken" * 20
LINE_END = "one\u2028two"
PICTURE = "![a picture](http://pictures.example/one.png) and ![another][other] and [a link](http://links.example/)"

TOO_WIDE = """() => {
    const main = document.querySelector('[data-testid=stMain]');
    if (main.scrollWidth <= main.clientWidth) return [];
    const inside = e => { for (let p = e.parentElement; p !== main; p = p.parentElement)
        if (getComputedStyle(p).overflowX !== 'visible') return false; return true; };
    return [...main.querySelectorAll('*')].filter(inside)
        .filter(e => e.getBoundingClientRect().right > main.getBoundingClientRect().right)
        .map(e => `${e.tagName} ${e.dataset.testid ?? e.className}: ${e.textContent.slice(0, 40)}`);
}"""
"""What stands out of the page at its right."""


@dataclass
class Site:
    """A served database, and the token of an annotator of its study."""

    url: str
    token: str
    folder: Path


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("odd")
    address = f"sqlite:///{folder / 'relevance.db'}"
    engine = connect(address)
    data, annotation = DataStore(engine), AnnotationStore(engine)
    systems = (LONG, LINE_END, "plain")
    records = [
        (
            Document(id=f"{LONG}{number}", title=LONG, source=f"{LONG} text {number}.", references=("A red fox ran.",)),
            [
                Summary(
                    document_id=f"{LONG}{number}",
                    system=system,
                    text=f"{LONG} a fox {'ran ' * place}{number}",
                    human={LINE_END: float(place + number % 2)},
                )
                for place, system in enumerate(systems)
            ],
        )
        for number in range(6)
    ]
    data.add_dataset(name=LONG, format="interchange", sha256="0" * 64, records=records)
    score_dataset(data, LONG, make_metrics(lexical_metrics()))
    question = f"{LONG}? {PICTURE}\n\n[other]: http://pictures.example/two.png"
    annotation.create_study(
        StudySpec(name=LONG, dataset=LONG, rule="all", question=question, instructions=PICTURE, judgments_per_pair=2)
    )
    annotator = annotation.join(study=LONG, name=LONG)
    for item, judgments in ((annotator, 12), (annotation.join(study=LONG, name="short"), 18)):
        for _ in range(judgments):
            task = annotation.next_task(item)
            assert task is not None
            annotation.judge(
                annotator=item, assignment_id=task.assignment_id, choice="left", presented_at=now().replace(year=2025)
            )
    write_report(data, annotation, LONG, folder / "report")
    token = annotator.token
    engine.dispose()
    with serving(address) as url:
        yield Site(url, token, folder)


def opened(page: Page, site: Site, name: str) -> list[str]:
    """Open a page to its end; returns the addresses that it asked other hosts for."""
    arguments: list[str] = []

    def note(request: Request) -> None:
        if not request.url.startswith((site.url, "data:", "blob:")):
            arguments.append(request.url)

    page.on("request", note)
    query = f"?annotator={site.token}" if name == "annotate" else ""
    page.goto(f"{site.url}/{name}{query}")
    expect(page.get_by_role("heading").first).to_be_visible()
    settled(page)
    page.wait_for_load_state("networkidle")
    return arguments


PAGES = (
    "",
    "annotate",
    "agreement",
    "correlation",
    "corpora",
    "compare",
    "systems",
    "annotators",
    "examples",
    "disagreements",
    "playground",
    "datasets",
    "keywords",
    "upper_bound",
    "studies",
    "new_study",
)


@pytest.mark.parametrize("name", PAGES)
def test_no_page_asks_another_host_for_anything_or_widens(page: Page, site: Site, name: str) -> None:
    assert opened(page, site, name) == []
    for width in (1280, 360):
        page.set_viewport_size({"width": width, "height": 900})
        settled(page)
        with suppress(TimeoutError):  # tables follow the window's width when the browser comes to it
            until(lambda: page.evaluate(TOO_WIDE) == [], seconds=30)
        assert page.evaluate(TOO_WIDE) == [], width


def test_pictures_become_links_and_links_stay(page: Page, site: Site) -> None:
    opened(page, site, "annotate")
    expect(page.get_by_role("link", name="a picture").first).to_be_visible()
    expect(page.get_by_role("link", name="another").first).to_be_visible()
    expect(page.get_by_role("link", name="a link").first).to_be_visible()
    assert page.locator("[data-testid=stMarkdown] img").count() == 0


@pytest.mark.parametrize("width", [1280, 360])
def test_long_names_do_not_widen_the_report(new_page: Opener, site: Site, width: int) -> None:
    page = new_page(width)
    page.goto((site.folder / "report" / "report.html").as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize(
    ("name", "tab"),
    [
        ("", None),
        ("correlation", None),
        ("correlation", "With people"),
        ("systems", None),
        ("systems", "Ranked by annotators"),
    ],
)
def test_a_name_that_ends_a_line_blanks_no_chart(page: Page, site: Site, name: str, tab: str | None) -> None:
    opened(page, site, f"{name}?{urlencode({'study': LONG})}")
    if tab is not None:
        page.get_by_role("tab", name=tab).click()
    expect(page.locator(".vega-embed :is(svg, canvas):visible").first).to_be_visible()
    errors = page.get_by_text("Unexpected token")
    expect(errors).to_have_count(0)
