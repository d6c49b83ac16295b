"""Adding systems on the Studies page in a real browser: seen going on, stopped by leaving, gone on with."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from data.database import connect
from data.importing import import_file
from data.store import DataStore
from pages.components.studies.datasets import FIRST
from tests.driving import serving
from tests.e2e.watching import settled
from tests.waiting import until

pytestmark = pytest.mark.browser

SLOW = "oracle-genetic-rouge1"


def open_form(page: Page, url: str) -> None:
    page.goto(f"{url}/studies")
    page.get_by_role("tab", name="Data sets").click()
    page.get_by_text("Add systems and score").click()
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


def summarising() -> bool:
    """Whether a process that the server started summarises; others may be at work in other tests."""
    listed = subprocess.run(["ps", "-ewwo", "pid=,ppid=,args="], capture_output=True, text=True, check=True).stdout
    processes = [row.split(None, 2) for row in listed.splitlines()]
    servers = {pid for pid, parent, _ in processes if int(parent) == os.getpid()}
    return any(parent in servers and "summarizers.processes import work" in args for _, parent, args in processes)


def written(store: DataStore) -> int:
    return sum(summary.system == SLOW for _, summaries in store.records("s") for summary in summaries)


def test_leaving_stops_the_work_and_pressing_again_goes_on(page: Page, shared_data: Path, tmp_path: Path) -> None:
    address = f"sqlite:///{tmp_path / 'adding.db'}"
    store = DataStore(connect(address))
    import_file(store, shared_data / "summeval.jsonl", name="s")
    with serving(address) as url:
        open_form(page, url)
        page.get_by_role("button", name="Add systems").click()
        expect(page.get_by_text(re.compile(rf"Summarizing by {SLOW}: \d\d of 100 summaries"))).to_be_visible()
        assert summarising()
        page.get_by_role("link", name="Examples").click()
        until(lambda: not summarising(), "the end of the processes")
        there = written(store)
        assert 10 <= there < 100
        open_form(page, url)
        page.get_by_role("button", name="Add systems").click()
        done = page.get_by_text(f"added {100 - there} summaries of {SLOW} to s ({there} were there)")
        expect(done).to_be_visible()
        assert written(store) == 100
        assert not summarising()
