"""The database fails under an annotator's open page, or another one takes its place, and it comes back."""

import os
import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from relevance.annotation.results import load_judgments
from relevance.annotation.store import AnnotationStore
from relevance.data.database import connect
from tests.driving import serving
from tests.e2e.watching import READING

pytestmark = pytest.mark.browser

NOT_SAVED = "That was not saved: the database does not have this work of yours any more"


def test_what_is_not_saved_is_said_and_the_page_goes_on_by_itself(page: Page, demo_url: str, tmp_path: Path) -> None:
    file, away = tmp_path / "relevance.db", tmp_path / "away.db"
    engine = connect(demo_url)
    token = AnnotationStore(engine).invite(study="Demo", name="Ana").token
    engine.dispose()
    with serving(demo_url) as url:
        page.goto(f"{url}/annotate?invite={token}")
        page.get_by_role("button", name="Start").click()
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


@contextmanager
def judging(page: Page, demo_url: str) -> Iterator[tuple[str, Locator]]:
    """Ana's page on a server of its own, with the address of the server and the button of her first choice."""
    with closing_engine(demo_url) as store:
        token = store.invite(study="Demo", name="Ana").token
    with serving(demo_url) as url:
        page.goto(f"{url}/annotate?invite={token}")
        page.get_by_role("button", name="Start").click()
        choice = page.get_by_role("button", name="1 is more relevant")
        expect(choice).to_be_visible()
        yield url, choice


@contextmanager
def closing_engine(url: str) -> Iterator[AnnotationStore]:
    engine = connect(url)
    yield AnnotationStore(engine)
    engine.dispose()


def count_judgments(file: Path) -> int:
    with closing(sqlite3.connect(file)) as connection:
        (result,) = connection.execute("SELECT count(*) FROM judgments").fetchone()
    return int(result)


def test_a_database_in_the_place_of_the_study_s_gets_no_choice(page: Page, demo_url: str, tmp_path: Path) -> None:
    """It has an annotator and an assignment of the same numbers, of somebody else in a study of the same name."""
    file, right, other = (tmp_path / name for name in ("relevance.db", "right.db", "other.db"))
    shutil.copy(file, other)
    with closing_engine(f"sqlite:///{other}") as store:
        bob = store.invite(study="Demo", name="Bob")
        task = store.next_task(bob)
        assert task is not None
        assert (bob.id, task.assignment_id) == (1, 1)
    with judging(page, demo_url) as (_, choice):
        page.wait_for_timeout(READING)
        shutil.copy(file, right)
        os.replace(other, file)
        choice.click()
        expect(page.get_by_text(NOT_SAVED)).to_be_visible()
        expect(page.get_by_text("This page goes on by itself when your work is there again")).to_be_visible()
        page.wait_for_timeout(4_000)  # longer than it takes to look again
        expect(page.get_by_text("this invite is not known")).to_be_visible()
        assert count_judgments(file) == 0

        os.replace(right, file)
        expect(choice).to_be_visible()  # nobody touched the page
        page.wait_for_timeout(READING)
        choice.click()
        expect(page.get_by_text("1 of 24 judged")).to_be_visible()
        assert count_judgments(file) == 1


def test_a_choice_of_a_pair_that_an_older_backup_lacks_is_said_not_to_be_saved(
    page: Page, demo_url: str, tmp_path: Path
) -> None:
    file, backup = tmp_path / "relevance.db", tmp_path / "backup.db"
    with judging(page, demo_url) as (_, choice):
        shutil.copy(file, backup)
        page.wait_for_timeout(READING)
        choice.click()
        expect(page.get_by_text("1 of 24 judged")).to_be_visible()
        expect(choice).to_be_visible()
        page.wait_for_timeout(READING)
        os.replace(backup, file)
        choice.click()
        expect(page.get_by_text(NOT_SAVED)).to_be_visible()
        assert count_judgments(file) == 0
        expect(page.get_by_text("0 of 24 judged")).to_be_visible()
        page.wait_for_timeout(READING)
        choice.click()
        expect(page.get_by_text("1 of 24 judged")).to_be_visible()
        assert count_judgments(file) == 1


def test_only_researchers_read_which_file_is_another_program_s(
    page: Page, browser: Browser, demo_url: str, tmp_path: Path
) -> None:
    file, right = tmp_path / "relevance.db", tmp_path / "right.db"
    with judging(page, demo_url) as (url, choice):
        page.wait_for_timeout(READING)
        file.rename(right)
        with closing(sqlite3.connect(file)) as connection:
            connection.execute("CREATE TABLE recipes (id INTEGER)")
            connection.commit()
        choice.click()
        expect(page.get_by_text("Your choice was not saved: the database cannot be used")).to_be_visible()
        told = page.get_by_text(re.compile(r"^The database cannot be used: it is not .* please tell whoever runs it"))
        expect(told).to_be_visible()
        text = page.locator("body").inner_text()
        assert str(tmp_path) not in text
        assert "RELEVANCE_DATABASE_URL" not in text
        with closing(browser.new_context()) as context:
            researcher = context.new_page()
            researcher.goto(f"{url}/studies")
            expect(researcher.get_by_text(f"{file} is a database of another program")).to_be_visible()
        os.replace(right, file)
        expect(choice).to_be_visible()
        page.wait_for_timeout(READING)
        choice.click()
        expect(page.get_by_text("1 of 24 judged")).to_be_visible()
