"""How long an annotator waits: from a click in a real Chromium to the next pair on the screen.

    python -m benchmarks.annotate [--judgments 100]

One session, the app as `relevance serve` starts it, a SQLite file whose commits are synced to disk. The clock runs in
the page: from the click to the frame after the texts of the next pair have been put in. Before each click the
reader waits, because choices within 0.4 s are refused.
"""

from __future__ import annotations

import argparse
import os
import platform
import sqlite3
import statistics
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from annotation.records import StudySpec
from annotation.store import AnnotationStore
from data.database import connect
from data.records import Document, Summary
from data.store import DataStore
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
  buttons.find(button => button.innerText.startsWith('Summary 1')).click();
})
"""


def make_study(url: str, pairs: int) -> None:
    """A study of documents of 150 words with two summaries of 25 words."""
    records = []
    for number in range(pairs):
        words = [f"word{number}x{place}" for place in range(150)]
        document = Document(f"d{number}", " ".join(words), (" ".join(words[:20]),))
        texts = (" ".join(words[:25]), " ".join(words[25:50]))
        records.append((document, [Summary(document.id, s, t) for s, t in zip("ab", texts, strict=True)]))
    engine = connect(url)
    DataStore(engine).add_dataset(name="made", format="interchange", sha256="0" * 64, records=records)
    AnnotationStore(engine).create_study(StudySpec(name="made", dataset="made", rule="random"))
    engine.dispose()


def measure(judgments: int) -> list[float]:
    """Milliseconds from click to next pair."""
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{Path(folder) / 'benchmark.db'}"
        make_study(url, judgments + 20)
        with serving(url) as address, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            page.goto(f"{address}/annotate")
            name = page.get_by_label("Your name", exact=True)
            name.fill("reader")
            name.press("Enter")
            page.get_by_role("button", name="Summary 2").wait_for()
            times = []
            for turn in range(judgments + 10):
                page.wait_for_timeout(500)
                took = page.evaluate(CLICK)
                if turn >= 10:  # the first ones warm the page up
                    times.append(took)
            browser.close()
            return times


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--judgments", type=int, default=100)
    times = sorted(measure(parser.parse_args().judgments))
    quantiles = statistics.quantiles(times, n=20)
    print(f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}, {os.cpu_count()} cores")
    print(
        f"click to next pair, {len(times)} judgments: p50 {statistics.median(times):.0f} ms, p95 {quantiles[18]:.0f} ms"
    )
    print(f"max {times[-1]:.0f} ms")


if __name__ == "__main__":
    main()
