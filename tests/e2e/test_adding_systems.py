"""Adding systems on the page Data sets in a real browser: seen going on, left, cancelled, gone on with."""

import os
import re
import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from relevance.data.database import connect
from relevance.data.importers import read_documents
from relevance.data.store import DataStore
from relevance.pages.components.datasets.systems import FIRST
from tests.driving import serving
from tests.e2e.watching import settled
from tests.waiting import until

pytestmark = pytest.mark.browser

SLOW = "oracle-genetic-rouge1"
DOCUMENTS = 30


def open_form(page: Page, url: str) -> None:
    page.goto(f"{url}/datasets")
    page.get_by_role("tab", name="Systems").click()
    field = page.get_by_role("combobox", name="Systems to add")
    for system in reversed(FIRST):  # what stands there first; what a run draws anew forgets what is typed meanwhile
        settled(page)
        expect(page.get_by_role("button", name=f"Remove {system}", exact=True)).to_be_visible()
        field.press("Backspace")
        expect(page.get_by_role("button", name=f"Remove {system}", exact=True)).to_be_hidden()
    settled(page)
    field.fill(SLOW)
    page.get_by_role("option", name=SLOW, exact=True).click()
    field.press("Escape")
    expect(page.get_by_role("button", name=f"Remove {SLOW}", exact=True)).to_be_visible()


def written(store: DataStore) -> int:
    return sum(summary.system == SLOW for _, summaries in store.records("s") for summary in summaries)


def adding() -> bool:
    """Whether a process that a server of this test started adds systems; others may be at work in other tests."""
    listed = subprocess.run(["ps", "-ewwo", "pid=,ppid=,args="], capture_output=True, text=True, check=True).stdout
    processes = [row.split(None, 2) for row in listed.splitlines()]
    servers = {pid for pid, parent, _ in processes if int(parent) == os.getpid()}
    return any(parent in servers and "relevance.summarizers.adding_run" in args for _, parent, args in processes)


def test_adding_goes_on_when_one_leaves_and_what_is_cancelled_is_gone_on_with(
    page: Page, shared_data: Path, tmp_path: Path
) -> None:
    address = f"sqlite:///{tmp_path / 'adding.db'}"
    store = DataStore(connect(address))
    records = list(read_documents(shared_data / "summeval.jsonl", "interchange"))[:DOCUMENTS]
    store.add_dataset(name="s", format="interchange", sha256="", records=records)
    with serving(address) as url:
        open_form(page, url)
        add = page.get_by_role("tabpanel").get_by_role("button", name="Add systems")
        add.click()
        progress = page.get_by_text(re.compile(rf"Adding {SLOW} to s: \d+ of {DOCUMENTS} summaries"))
        expect(progress).to_be_visible()
        expect(add).to_be_hidden()  # not twice at a time
        page.get_by_role("link", name="Overview").click()
        expect(page.get_by_role("heading", name="Data sets")).to_be_hidden()
        there = written(store)
        until(lambda: written(store) > there, "summaries that are written unseen")
        page.goto(f"{url}/datasets")
        expect(progress).to_be_visible()
        page.get_by_role("button", name="Cancel").click()
        expect(page.get_by_text(f"Adding {SLOW} to s was cancelled.")).to_be_visible()
        until(lambda: not adding(), "the end of the process")
        there = written(store)
        assert 0 < there < DOCUMENTS
        open_form(page, url)
        add.click()
        done = page.get_by_text(f"added {DOCUMENTS - there} summaries of {SLOW} to s ({there} were there)")
        expect(done).to_be_visible()
        assert written(store) == DOCUMENTS
        until(lambda: not adding(), "the end of the process")
