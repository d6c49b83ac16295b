"""A real Chromium."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.conftest import absent
from tests.driving import FLAGS, chromium

WAIT = 20_000
"""Milliseconds that a page may take to follow: machines that test are slow and busy."""


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = chromium()
    if path is None:
        absent("no Chromium", "apt-get install chromium, or name one in the variable CHROMIUM")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        expect.set_options(timeout=WAIT)
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(WAIT)
    yield context.new_page()
    context.close()
