"""A page of plain Streamlit, beside which the app's pages are timed in the same run: a button, a counter, a text."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page

from tests.driving import free_port, healthy, wait_for

SCRIPT = """
import streamlit as st

@st.fragment
def count():
    st.session_state.presses = st.session_state.get("presses", 0)
    def press():
        st.session_state.presses += 1
    st.button("Press", on_click=press)
    st.text(f"{st.session_state.presses} " + "word " * 200)

count()
"""

PRESS = """
() => new Promise(resolve => {
  const text = () => document.querySelector('[data-testid="stText"]')?.textContent;
  const before = text();
  const observer = new MutationObserver(() => {
    if (text() !== before) {
      observer.disconnect();
      requestAnimationFrame(() => resolve(performance.now() - start));
    }
  });
  observer.observe(document.body, {subtree: true, childList: true, characterData: true});
  const start = performance.now();
  [...document.querySelectorAll('button')].find(button => button.innerText === 'Press').click();
})
"""


@contextmanager
def serving_plain() -> Iterator[str]:
    """The plain page, served as the app is: by one uvicorn, without Streamlit's own server."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "plain.py"
        script.write_text(SCRIPT, encoding="utf-8")
        (Path(folder) / "plain_app.py").write_text(f"import streamlit as st\napp = st.App({str(script)!r})\n")
        port = free_port()
        server = subprocess.Popen(
            [sys.executable, "-m", "uvicorn", "plain_app:app", "--port", str(port), "--lifespan", "on"],
            cwd=folder,
            env=os.environ | {"PYTHONPATH": folder},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            url = f"http://127.0.0.1:{port}"
            wait_for(lambda: healthy(url), "the plain page", server)
            yield url
        finally:
            server.terminate()
            server.wait()


def time_plain(page: Page, presses: int) -> list[float]:
    """Milliseconds from a press to the frame with the changed text, on a page that `serving_plain` serves."""
    with serving_plain() as url:
        page.goto(url)
        page.get_by_role("button", name="Press").wait_for()
        times = []
        for turn in range(presses + 10):
            page.wait_for_timeout(300)
            took = page.evaluate(PRESS)
            if turn >= 10:  # the first ones warm the page up
                times.append(took)
        return times
