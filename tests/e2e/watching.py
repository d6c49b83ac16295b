"""A page in the browser, with all that goes wrong on it kept, and the texts that try to make something go wrong."""

from contextlib import suppress

from playwright.sync_api import ConsoleMessage, Locator, Page, expect
from playwright.sync_api import TimeoutError as TookTooLong

from tests.waiting import until

HOSTILE = (
    "<img src=x onerror=\"document.title='pwned'\"> <script>document.title='pwned'</script> "
    "[link](http://127.0.0.1:9/) ![image](http://127.0.0.1:9/x.png) :red[red] **bold** $x^2$ \u202ebidi\u202c end"
)
"""A text that is markup to whoever reads it as such."""

NAME = "<img src=x onerror=\"document.title='pwned'\"> [l](http://127.0.0.1:9/) :red[x] **b** $x^2$ -> :streamlit:"
"""The same in the length of a name."""

READING = 500
"""Milliseconds before a choice: sooner ones are refused as keys held down."""

BRIGHTNESS = "Math.max(...getComputedStyle(document.querySelector('.stApp')).backgroundColor.match(/\\d+/g))"
FITS = "document.scrollingElement.scrollWidth <= innerWidth"


def settled(page: Page) -> None:
    """Wait until the page is drawn: nothing runs, nothing is out of date, and nothing was raised."""
    expect(page.locator("[data-testid=stApp][data-test-script-state=notRunning]")).to_be_visible()
    expect(page.get_by_test_id("stException")).to_have_count(0)
    expect(page.locator("[data-stale=true]")).to_have_count(0)


def wait_for_choices(page: Page) -> None:
    """Wait until a choice is taken: a small screen refuses those that come as the choices appear, however late."""
    settled(page)
    page.evaluate(
        "Promise.allSettled(document.getAnimations().filter(one => one.animationName === 'appear')"
        ".map(one => one.finished))"
    )
    page.wait_for_timeout(READING)


def press(button: Locator) -> None:
    """Press a button by its key: what opens or grows above it may move it away from under the pointer."""
    button.press("Enter")


def choose_option(box: Locator, option: Locator) -> None:
    """Open a list and choose from it.

    A list that is opened while its surroundings still move closes again, or stands partly outside of the window.
    """

    def is_chosen() -> bool:
        box.click()
        with suppress(TookTooLong):
            option.click(timeout=3000)
            return True
        box.press("Escape")
        return False

    until(is_chosen, f"an open list with {option}")


class Watched:
    """A page whose errors, requests and dialogs are kept."""

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        self.errors: list[str] = []
        self.requests: list[str] = []
        page.on("console", self.heard)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("dialog", lambda dialog: self.errors.append(f"a dialog: {dialog.message}"))
        page.goto(address)

    def heard(self, message: ConsoleMessage) -> None:
        # Streamlit fetches the symbol in the page's tab from Google, which the tests do not reach, and on a page's
        # address first looks for itself below it
        where = message.location["url"]
        if message.type == "error" and "gstatic" not in where and "/_stcore/" not in where:
            self.errors.append(f"{message.text} {message.location}")

    def settled(self) -> None:
        settled(self.page)

    def innocent(self) -> None:
        """Nothing of the data was taken for markup, and nothing went wrong."""
        assert self.page.locator("img[src='x'], a[href^='http://127.0.0.1:9/']").count() == 0
        assert self.page.locator(".stMain script, .stMain .katex, .text img, .text a").count() == 0
        assert "pwned" not in self.page.title()
        assert not [request for request in self.requests if ":9/" in request]
        expect(self.page.get_by_test_id("stException")).to_have_count(0)
        assert not self.errors, self.errors
