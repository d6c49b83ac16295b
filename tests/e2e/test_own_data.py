"""A researcher's own data in a real browser: from a table with one reference to a study and the link to it."""

import csv
import re
import time
from collections.abc import Callable
from itertools import cycle
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from relevance.annotation.store import AnnotationStore
from relevance.data.database import connect
from relevance.data.demo import AUTHOR, NAME
from relevance.data.store import DataStore
from relevance.metrics import metric
from relevance.pages.components.shared.keywords import EXTRACTOR
from tests.driving import serving
from tests.e2e.watching import FITS, choose_option, press, settled
from tests.waiting import until

pytestmark = pytest.mark.browser


def count_clicks(page: Page) -> None:
    """Begin to count clicks, as `window.clicks`."""
    page.evaluate("window.clicks = 0; addEventListener('click', () => { window.clicks += 1 }, true)")


def choose_file(page: Page, path: Path) -> None:
    """Choose a file to import, by the button."""
    with page.expect_file_chooser() as chooser:
        page.get_by_test_id("stFileUploaderDropzone").get_by_test_id("stBaseButton-secondary").click()
    chooser.value.set_files(path)


def one_reference(demo: DataStore, path: Path) -> None:
    """The demo corpus with one reference a document and no titles, its columns called as people call them."""
    with path.open("w", newline="") as file:
        table = csv.writer(file, delimiter=";")
        table.writerow(["id", "article", "gold", "model", "output", "relevance"])
        for document, summaries in demo.records(NAME):
            for place, summary in enumerate(summaries):
                row = [document.id, document.source_text, document.references[0], summary.system, summary.text, place]
                table.writerow(row)


def test_from_a_table_with_one_reference_to_the_link_of_a_study(page: Page, demo_url: str, tmp_path: Path) -> None:
    engine = connect(demo_url)
    store = DataStore(engine)
    one_reference(store, tmp_path / "mine.csv")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.set_viewport_size({"width": 1280, "height": 800})
    with serving(demo_url) as url:
        page.goto(url)
        page.get_by_role("button", name="Use my data").click()  # which opens the import
        expect(page.get_by_test_id("stFileUploaderDropzone")).to_be_in_viewport()
        page.locator("input[type=file]").set_input_files(tmp_path / "mine.csv")
        expect(page.get_by_text("24 documents, 96 summaries by 4 systems, ratings of relevance")).to_be_visible()
        warning = page.get_by_text("ROUGE-K has no keywords in any document")
        expect(warning).to_be_visible()  # before anything is imported
        press(page.get_by_role("button", name="Import", exact=True))
        expect(page.get_by_test_id("stAlert").get_by_text("Imported 24 documents")).to_be_in_viewport()
        settled(page)
        expect(warning).to_be_visible()
        expect(page.get_by_test_id("stFileUploaderDropzone")).to_be_hidden()
        page.get_by_role("button", name="Score ROUGE-K by TF-IDF keywords").click()
        expect(page.get_by_text("Scored mine by ROUGE-K with TF-IDF keywords")).to_be_visible()
        expect(warning).to_be_hidden()

        page.get_by_role("button", name="Create a study").click()
        expect(page.get_by_text("24 of 144 eligible pairs will be drawn (at most 1 per document).")).to_be_visible()
        expect(page.get_by_role("radio", name="Random pairs")).to_be_checked()
        page.get_by_label("Name of the study").fill("Mine")
        page.get_by_label("Name of the study").press("Tab")
        page.get_by_role("button", name="Create the study").click()
        expect(page.get_by_text("Created Mine.")).to_be_in_viewport()
        expect(page.get_by_role("heading", name="Mine", exact=True)).to_be_in_viewport()
        settled(page)
        expect(page.get_by_text("This address works on this machine only.")).to_be_visible()
        page.get_by_test_id("stCode").hover()
        page.get_by_role("button", name="Copy to clipboard").click()
        link = page.evaluate("navigator.clipboard.readText()")
        assert link == f"{url}/annotate?study=Mine"
        page.set_viewport_size({"width": 360, "height": 740})
        settled(page)
        assert page.evaluate(FITS)
    study = AnnotationStore(engine).study("Mine")
    assert (study.dataset, study.pairs) == ("mine", 24)
    assert metric("rouge_k", keywords=EXTRACTOR).signature in [
        signature.signature for signature in store.signatures("mine")
    ]


def rated_file(demo: DataStore, path: Path) -> None:
    """The demo corpus as a table of ratings, under names that everybody uses."""
    with path.open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["doc_id", "document", "reference", "system", "summary", "relevance"])
        for document, summaries in demo.records(NAME):
            for summary in summaries:
                texts = document.source_text, document.references[0]
                table.writerow([document.id, *texts, summary.system, summary.text, summary.human[AUTHOR]])


def test_from_an_empty_database_to_the_chart_in_few_clicks(
    page: Page, demo_url: str, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    rated_file(DataStore(connect(demo_url)), tmp_path / "ratings.csv")
    page.set_viewport_size({"width": 1280, "height": 800})
    with serving(f"sqlite:///{tmp_path / 'new.db'}") as url:
        page.goto(url)
        expect(page.get_by_text("This database is empty.")).to_be_visible()
        settled(page)
        count_clicks(page)
        began = time.monotonic()
        page.get_by_role("link", name="Import a file").click()
        choose_file(page, tmp_path / "ratings.csv")
        expect(page.get_by_text("24 documents, 96 summaries by 4 systems, ratings of relevance")).to_be_visible()
        settled(page)
        page.get_by_role("button", name="Import and compare metrics").click()
        expect(page.get_by_role("heading", name="Agreement", exact=True)).to_be_visible()
        chart = page.get_by_test_id("stVegaLiteChart").first
        expect(chart).to_be_visible(timeout=120_000)
        record_property("seconds", round(time.monotonic() - began, 1))
        assert page.evaluate("window.clicks") <= 4  # one of them is that of the file chooser
        # its first page answers, too, of this data set
        page.get_by_role("link", name="Overview").click()
        expect(page.get_by_role("heading", name=re.compile("most often with ratings of relevance"))).to_be_visible()


def unusual_choices(demo: DataStore, path: Path) -> None:
    """Choices between summaries of the demo corpus, under names that nobody knows, and with answers of their own."""
    answers = cycle(["links besser", "rechts besser", "rechts besser", "gleich gut"])
    with path.open("w", newline="") as file:
        table = csv.writer(file, delimiter=";")
        table.writerow(["Nr", "Beitrag", "Muster", "Text links", "Text rechts", "Von links", "Von rechts", "Urteil"])
        for number, (document, written) in enumerate(demo.records(NAME)):
            for shift in (1, 2):
                first, second = written[number % len(written)], written[(number + shift) % len(written)]
                texts = document.source_text, document.references[0], f"{first.text} So.", f"{second.text} So."
                table.writerow([number, *texts, first.system, second.system, next(answers)])


def test_from_choices_under_unusual_names_to_the_chart_in_six_clicks(
    page: Page, demo_url: str, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    engine = connect(demo_url)
    unusual_choices(DataStore(engine), tmp_path / "urteile.csv")
    page.set_viewport_size({"width": 1280, "height": 800})
    with serving(demo_url) as url:
        page.goto(url)
        settled(page)
        count_clicks(page)
        began = time.monotonic()
        page.get_by_role("button", name="Use my data").click()
        choose_file(page, tmp_path / "urteile.csv")
        expect(page.get_by_text("Choose what the values of")).to_be_visible()
        settled(page)
        choice = page.get_by_role("combobox", name=re.compile("gleich gut"))
        choice.scroll_into_view_if_needed()
        choose_option(choice, page.get_by_role("option", name="a tie", exact=True))
        expect(page.get_by_text("48 judgments of 48 pairs by 1 annotator")).to_be_visible()
        settled(page)
        page.get_by_role("button", name="Import and compare metrics").click()
        expect(page.get_by_role("heading", name="Agreement", exact=True)).to_be_visible()
        chart = page.get_by_test_id("stVegaLiteChart").first
        until(lambda: chart.is_visible() or page.get_by_text("Scored urteile").is_visible(), "a chart or the end")
        expect(chart).to_be_visible()
        record_property("seconds", round(time.monotonic() - began, 1))
        assert page.evaluate("window.clicks") <= 6
        expect(page.get_by_text("Scored urteile")).to_be_visible(timeout=120_000)
        settled(page)
        expect(chart).to_be_visible()
        expect(page.get_by_text("Imported 24 documents")).to_be_visible()
    study = AnnotationStore(engine).study("urteile")
    assert (study.judgments, study.pairs) == (48, 48)
