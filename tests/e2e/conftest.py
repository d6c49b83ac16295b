"""Pages of a real Chromium."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from tests.waiting import PATIENCE

Opener = Callable[..., Page]


@pytest.fixture(scope="session")
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A browser that keeps the app's scripts from test to test; what the app knows of a visitor is in the page."""
    with closing(browser.new_context()) as context:
        context.set_default_timeout(PATIENCE * 1000)
        yield context


@pytest.fixture
def new_page(browser: Browser, context: BrowserContext) -> Iterator[Opener]:
    """Opens pages of a size, light or dark, or as a device by other settings of Playwright's `new_context`."""
    with ExitStack() as opened:

        def open_page(width: int = 1280, height: int = 900, *, color_scheme: str = "light", **device: bool) -> Page:
            if device:
                own = opened.enter_context(closing(browser.new_context(**device)))
                own.set_default_timeout(PATIENCE * 1000)
                page = own.new_page()
            else:
                page = opened.enter_context(closing(context.new_page()))
            page.set_viewport_size({"width": width, "height": height})
            page.emulate_media(color_scheme=color_scheme)
            return page

        yield open_page


@pytest.fixture
def page(new_page: Opener) -> Page:
    return new_page()
