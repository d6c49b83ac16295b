"""How long an annotator waits: from a click in a real Chromium to the next pair on the screen.

    python -m benchmarks.annotate [--judgments 100] [--hosted]

One session, the app as `relevance serve` starts it, a SQLite file whose commits are synced to disk. The clock runs in
the page: from the click to the frame after the texts of the next pair have been put in. Before each click the
reader waits, because choices within 0.4 s are refused. A page of plain Streamlit is timed in the same browser. With
`--hosted` it is a hosted server, which the reader enters by a link.
"""

import argparse
import os
import platform
import sqlite3
import statistics
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from benchmarks.plain import time_plain
from relevance.annotation.records import StudySpec
from relevance.annotation.store import AnnotationStore
from relevance.data.database import connect
from relevance.data.records import Document, Summary
from relevance.data.store import DataStore
from relevance.hosting.accounts import AccountStore
from tests.driving import FLAGS, chromium, serving

CLICK = """
() => new Promise(resolve => {
  const text = () => document.querySelector('[aria-label="Summary 1"]')?.innerText;
  const before = text();
  const observer = new MutationObserver(() => {
    const now = text();
    if (now !== undefined && now !== before) {
      observer.disconnect();
      requestAnimationFrame(() => resolve(performance.now() - start));
    }
  });
  observer.observe(document.body, {subtree: true, childList: true, characterData: true});
  const buttons = [...document.querySelectorAll('button')];
  const start = performance.now();
  buttons.find(button => button.innerText.startsWith('1 is more')).click();
})
"""


def make_records(pairs: int) -> list[tuple[Document, list[Summary]]]:
    """Documents of 150 words with two summaries of 25 words."""
    records = []
    for number in range(pairs):
        words = [f"word{number}x{place}" for place in range(150)]
        document = Document(f"d{number}", " ".join(words), (" ".join(words[:20]),))
        texts = (" ".join(words[:25]), " ".join(words[25:50]))
        records.append((document, [Summary(document.id, s, t) for s, t in zip("ab", texts, strict=True)]))
    return records


def make_study(url: str, pairs: int) -> str:
    """A study of so many pairs, with a reader; returns the token of their link."""
    engine = connect(url)
    DataStore(engine).add_dataset(name="made", format="interchange", sha256="0" * 64, records=make_records(pairs))
    store = AnnotationStore(engine)
    store.create_study(StudySpec(name="made", dataset="made", rule="random"))
    AccountStore(engine).add_user(name="Olga", role="owner", email="olga@example.org")
    token = store.invite(study="made", name="reader").token
    engine.dispose()
    return token


def measure(judgments: int, *, hosted: bool) -> tuple[list[float], list[float]]:
    """Milliseconds from click to next pair, and those of a press on a page of plain Streamlit."""
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{Path(folder) / 'benchmark.db'}"
        token = make_study(url, judgments + 20)
        with serving(url, hosted=hosted) as address, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            page.goto(f"{address}/join/{token}" if hosted else f"{address}/annotate?invite={token}")
            if hosted:
                page.get_by_role("button", name="Go on").click()
            page.get_by_role("button", name="Start").click()
            page.get_by_role("button", name="2 is more relevant").wait_for()
            times = []
            for turn in range(judgments + 10):
                page.wait_for_timeout(500)
                took = page.evaluate(CLICK)
                if turn >= 10:  # the first ones warm the page up
                    times.append(took)
            plain = time_plain(browser.new_page(viewport={"width": 1280, "height": 900}), judgments)
            browser.close()
            return times, plain


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--judgments", type=int, default=100)
    parser.add_argument("--hosted", action="store_true")
    args = parser.parse_args()
    times, plain = map(sorted, measure(args.judgments, hosted=args.hosted))
    quantiles, of_plain = (statistics.quantiles(some, n=20) for some in (times, plain))
    print(f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}, {os.cpu_count()} cores")
    print(
        f"click to next pair, {len(times)} judgments: p50 {statistics.median(times):.0f} ms, p95 {quantiles[18]:.0f} ms"
    )
    print(f"max {times[-1]:.0f} ms")
    print(
        f"a press on a page of plain Streamlit: p50 {statistics.median(plain):.0f} ms, p95 {of_plain[18]:.0f} ms; "
        f"ratios {statistics.median(times) / statistics.median(plain):.2f} and {quantiles[18] / of_plain[18]:.2f}"
    )


if __name__ == "__main__":
    main()
