"""What axe-core finds on the pages, in light and in dark."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.driving import serving
from tests.e2e.conftest import Opener
from tests.e2e.watching import settled
from tests.pages.opening import PAGES as PAGE_FILES

pytestmark = pytest.mark.browser

PAGES = tuple(f"/{page.removesuffix('.py')}".replace("/start", "/") for page in PAGE_FILES)
"""The addresses of all pages: those of the scripts, and the home page's."""


@pytest.fixture(scope="module")
def url(scored_demo: Path) -> Iterator[str]:
    with serving(f"sqlite:///{scored_demo}") as served:
        yield served


@pytest.mark.parametrize("color_scheme", ["light", "dark"])
@pytest.mark.parametrize("address", PAGES)
def test_nothing_is_found_on_a_page(new_page: Opener, url: str, address: str, color_scheme: str) -> None:
    page = new_page(color_scheme=color_scheme)
    page.goto(f"{url}{address}")
    page.get_by_role("heading").first.wait_for()
    settled(page)
    for patience in reversed(range(10)):
        # what was drawn anew fades in, and components write their labels once their scripts have run
        page.wait_for_function("document.getAnimations().every(animation => animation.playState !== 'running')")
        result = violations(page)
        if not result or not patience:
            break
        page.wait_for_timeout(500)
    assert result == []


def violations(page: Page) -> list[str]:
    """What axe finds wrong, a line a place."""
    return [
        f"{violation['id']}: {node['target']} {node['failureSummary']}"
        for violation in Axe().run(page).response["violations"]
        for node in violation["nodes"]
    ]


def test_nothing_is_found_in_a_layer_above_the_app_on_black(new_page: Opener, url: str) -> None:
    page = new_page(color_scheme="dark")
    page.goto(f"{url}/correlation?dataset=demo")
    page.get_by_role("button", name="Intervals").click()
    page.get_by_role("radiogroup", name="Intervals draw").wait_for()
    page.wait_for_function("document.getAnimations().every(animation => animation.playState !== 'running')")
    assert violations(page) == []
