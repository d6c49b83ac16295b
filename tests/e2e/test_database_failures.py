"""The database fails under an annotator's open page, and comes back."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from annotation.results import load_judgments
from annotation.store import AnnotationStore
from data.database import connect
from tests.driving import serving
from tests.e2e.watching import READING

pytestmark = pytest.mark.browser


def test_what_is_not_saved_is_said_and_the_page_goes_on_by_itself(page: Page, demo_url: str, tmp_path: Path) -> None:
    file, away = tmp_path / "relevance.db", tmp_path / "away.db"
    engine = connect(demo_url)
    token = AnnotationStore(engine).invite(study="Demo", name="Ana").token
    engine.dispose()
    with serving(demo_url) as url:
        page.goto(f"{url}/annotate?invite={token}")
        choice = page.get_by_role("button", name="1 is more relevant")
        expect(choice).to_be_visible()
        text = page.get_by_label("Summary 1", exact=True).inner_text()
        page.wait_for_timeout(READING)

        file.rename(away)
        choice.click()
        expect(page.get_by_text("Your choice was not saved")).to_be_visible()
        expect(page.get_by_text("This page goes on by itself")).to_be_visible()
        page.wait_for_timeout(4_000)  # longer than it takes to look again
        expect(page.get_by_text("This page goes on by itself")).to_be_visible()
        assert not file.exists()

        away.rename(file)
        expect(choice).to_be_visible()  # nobody touched the page
        expect(page.get_by_text("This page goes on by itself")).to_have_count(0)
        assert page.get_by_label("Summary 1", exact=True).inner_text() == text
        assert len(load_judgments(AnnotationStore(connect(demo_url)), "Demo")) == 0
        page.wait_for_timeout(READING)
        choice.click()
        expect(page.get_by_text("1 of 24 judged")).to_be_visible()

        # A backup is put in the place of the database: the next choice is saved there.
        shutil.copy(file, away)
        os.replace(away, file)
        page.wait_for_timeout(READING)
        choice.click()
        expect(page.get_by_text("2 of 24 judged")).to_be_visible()
        assert len(load_judgments(AnnotationStore(connect(demo_url)), "Demo")) == 2
