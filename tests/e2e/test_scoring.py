"""The button that scores by all metrics: a process of its own, seen from the page, while judging goes on."""

import re

import pytest
from playwright.sync_api import Page, expect

from relevance.data.database import connect
from relevance.data.demo import NAME
from relevance.data.store import DataStore
from relevance.metrics.registry import usual_metrics
from tests.driving import serving
from tests.e2e.conftest import Opener
from tests.e2e.watching import READING

pytestmark = pytest.mark.browser


@pytest.fixture
def store(demo_url: str) -> DataStore:
    return DataStore(connect(demo_url))


def open_data_sets(page: Page, url: str) -> None:
    page.goto(f"{url}/datasets")


def press_score(page: Page) -> None:
    page.get_by_role("button", name="Score by all metrics").click()


def test_progress_is_shown_survives_a_reload_and_judging_goes_on(
    new_page: Opener, page: Page, store: DataStore
) -> None:
    with serving(str(store.engine.url)) as url:
        open_data_sets(page, url)
        press_score(page)
        progress = page.get_by_text(re.compile(r"Scoring demo by \d+ metrics:"))
        expect(progress).to_be_visible()
        expect(page.get_by_role("button", name="Score by all metrics")).to_be_hidden()  # not twice at a time
        open_data_sets(page, url)
        expect(progress).to_be_visible()
        annotator = new_page()
        annotator.goto(f"{url}/annotate")
        annotator.get_by_label("Your name", exact=True).fill("Ana")
        annotator.get_by_label("Your name", exact=True).press("Enter")
        expect(annotator.get_by_role("button", name="2 is more relevant")).to_have_count(1)
        annotator.wait_for_timeout(READING)
        annotator.keyboard.press("1")
        expect(annotator.get_by_text("1 of 24 judged")).to_be_visible()
        expect(page.get_by_text("Scored demo.")).to_be_visible()
        expect(progress).to_have_count(0)
    run = store.last_run(NAME)
    assert run is not None
    assert (run.state, run.failed) == ("ended", {})
    assert {entry.metric for entry in store.signatures(NAME)} == set(usual_metrics())


def test_what_failed_is_named_by_metric(page: Page, store: DataStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RELEVANCE_DEVICE", "<b>nonsense</b> **x**")
    with serving(str(store.engine.url)) as url:
        open_data_sets(page, url)
        press_score(page)
        expect(page.get_by_text("Metrics that could not score demo")).to_be_visible()
        expect(page.get_by_role("listitem").filter(has_text="CAROUGE:")).to_contain_text("<b>nonsense</b> **x**")
        expect(page.get_by_text("Scored demo.")).to_have_count(0)
        open_data_sets(page, url)
        expect(page.get_by_role("listitem").filter(has_text="BERTScore:")).to_be_visible()
