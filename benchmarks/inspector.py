"""How long a reader waits to see why: the next example, its evidence by models, the playground's numbers while typing.

    python -m benchmarks.inspector [summeval.jsonl] [--steps 25] [--all]

The app as `relevance serve` starts it, a SQLite file, a real Chromium. The clock runs in the page: from the press of
"Next" to the frame after texts and evidence of another example stand there, and from a key to the frame with its score,
which the metric itself has computed beforehand. With the models, every example is new to them; they are loaded.
"""

import argparse
import os
import platform
import statistics
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from benchmarks.plain import time_plain
from relevance.data.database import connect
from relevance.data.importers import read_documents
from relevance.data.records import Document, Summary
from relevance.data.store import DataStore
from relevance.metrics import METRICS, default_metrics, is_lexical, make_metrics, metric
from relevance.metrics.registry import label_of
from relevance.metrics.scoring import score_dataset
from relevance.pages.components.disagreements.examples import load_chosen_examples
from relevance.pages.components.playground.draft import examples_of, from_examples
from tests.driving import FLAGS, chromium, serving

FILE = Path(__file__).resolve().parents[2] / "shared" / "data" / "summeval.jsonl"

MODELS = [name for name in METRICS if not is_lexical(name)]
DEFAULT = default_metrics()
SCORED = [*DEFAULT, *MODELS]
"""What is opened together: ROUGE-Lsum and -SU4 stand in a study only where somebody asks for them."""

DOCUMENTS = 40
"""Documents of the data set with scores of all metrics, opened as they stand in the list."""

WARMING = 5
"""First steps, which are not counted."""

LOADING = 170_000
"""Milliseconds that models may take to load."""

# The new example is there when its place in the list, its summaries and the evidence in them have changed; a metric
# that is still waited for has a message instead of its evidence.
NEXT = """
([sections]) => new Promise(resolve => {
  // Not innerText, which would have the browser lay out the page at every look.
  const place = () => document.querySelector('.st-key-way [data-testid="stMarkdown"]')?.textContent;
  const before = place();
  const there = () => {
    const summaries = [...document.querySelectorAll('[aria-label="Summary A"], [aria-label="Summary B"]')];
    const evidence = [...document.querySelectorAll('.saw .evidence [aria-label="Summary"]')];
    const texts = summaries.map(element => element.textContent);
    return texts.length == 2 && evidence.length >= 2 * sections && place() !== before
      && evidence.every(element => texts.includes(element.textContent));
  };
  const observer = new MutationObserver(() => {
    if (there()) {
      observer.disconnect();
      requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - start)));
    }
  });
  observer.observe(document.body, {subtree: true, childList: true, characterData: true});
  const button = [...document.querySelectorAll('button')].find(button => button.innerText.startsWith('Next'));
  const start = performance.now();
  button.click();
})
"""

VISIT = """
() => new Promise(resolve => {
  const title = () => document.querySelector('h1')?.textContent;
  const before = title();
  const there = () => title() && title() !== before && !document.querySelector('[data-stale=true]')
    && document.querySelector('[data-testid="stVegaLiteChart"] :is(canvas, svg)');
  const observer = new MutationObserver(() => {
    if (there()) {
      observer.disconnect();
      requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - start)));
    }
  });
  observer.observe(document.body, {subtree: true, childList: true, characterData: true});
  const start = performance.now();
  [...document.querySelectorAll('a')].find(link => link.textContent.includes('Overview')).click();
})
"""

TYPED = """
expected => new Promise((resolve, reject) => {
  const look = () => {
    const cell = document.querySelector('[data-score="rouge1-A"]');
    const waited = performance.now() - window.pressedAt;
    if (cell?.querySelector('.value')?.textContent.startsWith(expected))
      requestAnimationFrame(() => resolve(performance.now() - window.pressedAt));
    else if (waited > 10000) reject(new Error(`${cell?.textContent} instead of ${expected}`));
    else setTimeout(look, 1);
  };
  look();
})
"""


@contextmanager
def stored(records: Iterable[tuple[Document, list[Summary]]], scored_by: Sequence[str]) -> Iterator[str]:
    """The URL of a new database with these documents and scores."""
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{Path(folder) / 'benchmark.db'}"
        engine = connect(url)
        data = DataStore(engine)
        data.add_dataset(name="made", format="interchange", sha256="0" * 64, records=list(records))
        score_dataset(data, "made", make_metrics(scored_by))
        engine.dispose()
        yield url


@contextmanager
def opened(url: str, path: str) -> Iterator[Page]:
    """A page of the app over a database, served anew: nothing was computed before."""
    with serving(url) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.set_default_timeout(LOADING)
        page.goto(f"{address}/{path}")
        yield page
        browser.close()


def opening(page: Page, steps: int, see: str, sections: int) -> list[float]:
    """Milliseconds from "Next" to the evidence; `see` is the choice of what is shown, in so many sections.

    All of them are a section for every metric but length, and one for the words that are not in the source.
    """
    page.locator(".saw .evidence").first.wait_for()
    pills = page.locator(".st-key-evidence button")
    pills.first.wait_for()  # they may be drawn after the evidence
    for pill in pills.all():
        chosen = "true" in (pill.get_attribute("aria-checked"), pill.get_attribute("aria-pressed"))
        if chosen != (pill.inner_text().strip() == see):
            pill.click()
            page.wait_for_timeout(500)
    shown = f"document.querySelectorAll('.saw .evidence [aria-label=\"Summary\"]').length >= {2 * sections}"
    page.wait_for_function(shown)
    times = []
    for turn in range(steps + WARMING):
        page.wait_for_timeout(800)
        took = page.evaluate(NEXT, [sections])
        if turn >= WARMING:
            times.append(took)
    return times


def typing(page: Page, keys: int) -> list[float]:
    """Milliseconds from a key to the score of what is then written.

    Each key is a word of its own, so that each has a score of its own; the blank before it changes nothing.
    """
    draft = from_examples(load_chosen_examples()[0].examples)
    rouge = metric("rouge1")
    area = page.get_by_label("Summary A")
    page.wait_for_function("document.querySelector('.scores')?.textContent.includes('ROUGE-1')")
    page.wait_for_function("!document.querySelector('.scores').textContent.includes('computing')")
    page.evaluate("addEventListener('keydown', () => { window.pressedAt = performance.now() }, true)")
    area.click()
    page.keyboard.press("Control+End")
    text = area.input_value()
    times = []
    for turn in range(keys + WARMING):
        letter = "abcdefghijklmnopqrstuvwxyz"[turn % 26]
        page.keyboard.press(" ")
        page.wait_for_timeout(150)
        text = f"{text} {letter}"
        (score,) = rouge.score([examples_of(draft.put("summary", 0, text))["A"]])
        page.keyboard.press(letter)
        took = page.evaluate(TYPED, f"{score.value:.3f}")
        if turn >= WARMING:
            times.append(took)
        page.wait_for_timeout(150)
    assert area.input_value() == text, "letters were lost"
    return times


def visiting(page: Page, visits: int) -> list[float]:
    """Milliseconds from a press on Glossary's link to the chart of Overview, whose analysis is known by then."""
    glossary = page.url.split("/?")[0] + "/glossary"
    times = []
    for turn in range(visits + 1):
        page.goto(glossary)
        page.get_by_role("heading", name="Glossary").wait_for()
        page.wait_for_timeout(1000)
        took = page.evaluate(VISIT)
        if turn:
            times.append(took)
    return times


def in_words(what: str, times: Sequence[float]) -> str:
    """The percentiles."""
    cut = statistics.quantiles(times, n=20)
    return (
        f"{what}: p50 {statistics.median(times):.0f} ms, p95 {cut[18]:.0f} ms, max {max(times):.0f} ms ({len(times)})"
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", nargs="?", type=Path, default=FILE)
    parser.add_argument("--steps", type=int, default=25)
    parser.add_argument("--all", action="store_true", help="with models and a cached page, which takes minutes")
    args = parser.parse_args()
    records = list(read_documents(args.file, "interchange"))
    say = partial(print, flush=True)
    say(f"Python {platform.python_version()}, {os.cpu_count()} cores")
    with stored([], []) as url:
        with opened(url, "playground") as page:
            say(in_words("a press on a page of plain Streamlit", time_plain(page, args.steps)))
        with opened(url, "playground") as page:
            say(in_words("playground, key to ROUGE-1", typing(page, args.steps)))
    examples = "examples?dataset=made&aspect=relevance"
    with stored(records, DEFAULT) as url:
        with opened(url, examples) as page:
            say(in_words("all lexical evidence", opening(page, args.steps, "All metrics", len(DEFAULT))))
        if not args.all:
            return
        with opened(url, examples) as page:
            say(in_words("opening an example, one lexical metric", opening(page, args.steps, "ROUGE-1", 1)))
        with opened(url, "?dataset=made&aspect=relevance") as page:
            say(in_words("a cached page, from the press of its link to its chart", visiting(page, 20)))
    steps = min(args.steps, DOCUMENTS - WARMING - 1)
    with stored(records[:DOCUMENTS], SCORED) as url:
        for name in MODELS:
            with opened(url, examples) as page:
                say(in_words(f"{name}, model warm", opening(page, steps, label_of(name), 1)))
        with opened(url, examples) as page:
            say(in_words("all metrics", opening(page, steps, "All metrics", len(SCORED))))


if __name__ == "__main__":
    main()
