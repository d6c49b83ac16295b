"""The documentation site is built without a warning, its links lead somewhere, and it asks no other host."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.docs.pages import PAGES, ROOT
from tests.waiting import PATIENCE

pytestmark = pytest.mark.process


class Quiet(SimpleHTTPRequestHandler):
    """Serves files and says nothing."""

    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def served(folder: Path) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


def test_the_site_is_built_without_a_warning_and_asks_no_other_host(tmp_path: Path, browser: Browser) -> None:
    # strict: a link or an anchor that leads nowhere fails the build
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(ROOT)}
    built = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
    assert all((tmp_path / name).with_suffix(".html").exists() for name in PAGES)

    wanted: set[str] = set()
    with served(tmp_path) as address, closing(browser.new_page()) as page:
        page.set_default_timeout(PATIENCE * 1000)
        page.on("request", lambda request: wanted.add(request.url.split("/")[2]))
        for name in PAGES:
            page.goto(f"{address}/{Path(name).with_suffix('.html').as_posix()}")
        page.get_by_placeholder("Search").first.press_sequentially("bertscore")  # it listens to keys
        expect(page.locator(".md-search-result__item").first).to_be_visible(timeout=PATIENCE * 1000)
    assert wanted == {address.removeprefix("http://")}
