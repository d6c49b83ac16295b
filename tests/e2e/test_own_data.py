"""A researcher's own data in a real browser: from a table with one reference to a study and the link to it."""

import csv
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from relevance.annotation.store import AnnotationStore
from relevance.data.database import connect
from relevance.data.demo import NAME
from relevance.data.store import DataStore
from relevance.metrics import metric
from relevance.pages.components.shared.keywords import EXTRACTOR
from tests.driving import serving
from tests.e2e.watching import FITS, press, settled

pytestmark = pytest.mark.browser


def one_reference(demo: DataStore, path: Path) -> None:
    """The demo corpus with one reference a document and no titles, its columns called as people call them."""
    with path.open("w", newline="") as file:
        table = csv.writer(file, delimiter=";")
        table.writerow(["id", "article", "gold", "model", "output", "relevance"])
        for document, summaries in demo.records(NAME):
            for place, one in enumerate(summaries):
                row = [document.id, document.source_text, document.references[0], one.system, one.text, place]
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
        expect(page.get_by_text("24 drawn.")).to_be_visible()
        expect(page.get_by_role("radio", name="Pairs on which ROUGE-K differs")).to_be_checked()
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
    assert metric("rouge_k", keywords=EXTRACTOR).signature in [one.signature for one in store.signatures("mine")]
