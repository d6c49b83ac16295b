"""The report of ratings, made and downloaded on the page: what was found comes first."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from relevance.data.database import connect
from relevance.data.importing import import_file
from relevance.data.store import DataStore
from relevance.metrics import default_metrics, make_metrics
from relevance.metrics.scoring import score_dataset
from tests.driving import serving
from tests.e2e.watching import settled

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory, shared_data: Path) -> Iterator[str]:
    """The app over SummEval, scored by the metrics that need no model."""
    address = f"sqlite:///{tmp_path_factory.mktemp('report') / 'summeval.db'}"
    engine = connect(address)
    store = DataStore(engine)
    import_file(store, shared_data / "summeval.jsonl", name="SummEval")
    score_dataset(store, "SummEval", make_metrics(default_metrics()))
    engine.dispose()
    with serving(address) as served:
        yield served


def test_the_report_of_summeval_from_the_page(page: Page, url: str, tmp_path: Path) -> None:
    page.goto(f"{url}/")
    expect(page.get_by_text("Ratings of relevance, imported with the data set")).to_be_visible()
    headline = page.get_by_role("heading", name="most often with ratings of relevance")
    expect(headline).to_be_visible()
    finding = page.get_by_text(re.compile("The 95 % interval of")).inner_text()
    settled(page)
    page.get_by_text("Report, methods and citation").click()
    page.get_by_role("button", name="Make the report").press("Enter")  # what opens around it may move it
    with page.expect_download() as downloaded:
        page.get_by_role("button", name="Download the report").click()
    settled(page)
    expect(page.get_by_text("Takeshita, Ponzetto, Eckert (2024)")).to_be_visible()  # what to cite, to be copied
    report = tmp_path / "report.html"
    downloaded.value.save_as(report)
    assert downloaded.value.suggested_filename == "SummEval relevance report.html"

    best = headline.inner_text().replace("\u2060", "")
    page.goto(report.as_uri())
    headings = page.get_by_role("heading").all_inner_texts()
    assert headings[:3] == ["Metrics against ratings of relevance: SummEval", best, "Methods"]
    expect(page.locator("#findings")).to_contain_text(finding.replace("\u2060", ""))
    first = page.locator("table").first
    # as wide as the page at 1,280 px, so that no column is cut
    assert first.evaluate("table => table.scrollWidth <= table.parentElement.clientWidth")
    expect(first.get_by_role("columnheader")).to_have_text(
        ["metric", "agreement", "95 % interval", "n", "ties", "missing"]
    )
    assert page.locator("script, link, img[src^=http]").count() == 0
