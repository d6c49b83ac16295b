"""Pages without a browser: opened at an address, pressed and read."""

import html as markup
import re
from collections.abc import Callable

from streamlit.testing.v1 import AppTest

from tests.conftest import ROOT
from tests.waiting import PATIENCE, until

MAIN = ROOT / "pages" / "main.py"
HOSTED = {"account.py", "users.py"}
"""Pages that only a hosted server has."""
FIRST = "overview.py"
PAGES = sorted(path.name for path in MAIN.parent.glob("*.py") if path != MAIN and path.name not in HOSTED)


def new_session(**query: str | list[str]) -> AppTest:
    """A session of its own at an address, before anything is drawn."""
    app = AppTest.from_file(MAIN, default_timeout=PATIENCE)
    for name, value in query.items():
        app.query_params[name] = value
    return app


def open_page(page: str, **query: str | list[str]) -> AppTest:
    """Open a page, named by its file, in a session of its own."""
    return sound(turn_to(new_session(**query), page).run())


def open_work(**query: str | list[str]) -> AppTest:
    """Open the work of an annotator at an address, past the page before the start."""
    app = open_page("annotate.py", **query)
    return press(app, "start") if is_there(app, "start") else app


def is_there(app: AppTest, key: str) -> bool:
    """Whether the page has a button of a key."""
    return any(button.key == key for button in app.button)


def turn_to(app: AppTest, page: str) -> AppTest:
    """Turn to a page, named by its file."""
    app.switch_page(page)
    if page == FIRST:
        app._page_hash = ""  # its address is the bare one, for which AppTest has no name
    return app


def sound(app: AppTest) -> AppTest:
    """The app, which has drawn its page without an exception."""
    assert not app.exception, app.exception
    return app


def drawn_until(app: AppTest, ready: Callable[[AppTest], bool]) -> AppTest:
    """Draw the page again until it is ready."""

    def is_ready() -> bool:
        return ready(app) or ready(sound(app.run()))

    until(is_ready, "the page")
    return app


def press(app: AppTest, key: str) -> AppTest:
    """Press the button of a key."""
    return sound(app.button(key=key).click().run())


def pressed(app: AppTest, label: str) -> AppTest:
    """Press the one button whose label begins so."""
    (button,) = (button for button in app.button if button.label.startswith(label))
    return sound(button.click().run())


def page_text(app: AppTest) -> str:
    """All that is written on the page, without what keeps Markdown from reading it."""
    kinds = (app.title, app.header, app.markdown, app.caption, app.info, app.success, app.warning, app.error)
    return "\n".join(str(element.value) for kind in kinds for element in kind).replace("\\", "").replace("\u2060", "")


def html(app: AppTest) -> str:
    """The page's blocks of HTML."""
    return "\n".join(element.proto.body for element in app.get("html"))


def visible(html: str) -> str:
    """What HTML shows."""
    return markup.unescape(re.sub(r"<style>.*?</style>|<[^>]*>", "", html, flags=re.DOTALL))


def address(app: AppTest) -> dict[str, str]:
    """The parameters of the page's address."""
    return {name: value[-1] if isinstance(value, list) else value for name, value in app.query_params.items()}
