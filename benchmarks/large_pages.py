"""The pages Data sets and Examples over 200,000 documents x 2 systems, with ratings and scores by one metric.

python -m benchmarks.large_pages [--documents 200000]

Each page is run by Streamlit's AppTest, as a browser's first visit until all is there, and then again; a run is the
server's part of it. `--at-once` has all computed in the page's run, as for a small data set.
"""

import argparse
import asyncio
import os
import random
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from streamlit.testing.v1 import AppTest

from benchmarks.imports import made_records
from relevance.data.database import URL_VARIABLE, connect
from relevance.data.store import DataStore, StoredScore
from relevance.data.store.rows import example_hashes
from relevance.metrics import make_metrics
from relevance.pages.computing.computed import LARGE_VARIABLE
from relevance.pages.computing.waiting import REDRAW

PAGES = Path(__file__).resolve().parents[1] / "pages"
RUNS = 3
"""Of each page once all is there."""


def make_database(url: str, documents: int) -> None:
    """Store a data set with ratings, and scores of the metric `length`."""
    draw, scores, records = random.Random(1), {}, []
    for document, summaries in made_records(documents, systems=2):
        rated = [replace(summary, human={"relevance": float(draw.randint(1, 5))}) for summary in summaries]
        records.append((document, rated))
    store = DataStore(connect(url))
    store.add_dataset(name="large", format="interchange", sha256="0" * 64, records=records)
    (metric,) = make_metrics(["length"])
    for document, summaries in records:
        for key, summary in zip(example_hashes(document, summaries), summaries, strict=True):
            scores[key] = StoredScore(float(len(summary.text.split())), None)
    store.add_scores(metric=metric.name, signature=metric.signature, scores=scores)


def measure(page: str) -> None:
    """Print the seconds of the runs of a page, in a session of its own."""
    test = AppTest.from_file(str(PAGES / "main.py"), default_timeout=600)
    test.query_params["dataset"] = "large"
    test.switch_page(page)
    begun, took = time.perf_counter(), list[float]()
    while not took or test.status:  # as in a browser, the page is drawn anew until all is there
        if took:
            time.sleep(REDRAW)
        took.append(time_run(test, page))
    whole = time.perf_counter() - begun
    later = [time_run(test, page) for _ in range(RUNS)]
    print(f"{page}: first run {took[0]:.2f} s, longest {max(took):.2f} s, all there after {whole:.1f} s and ", end="")
    print(f"{len(took)} runs; then {', '.join(f'{seconds:.2f}' for seconds in later)} s", flush=True)


def time_run(test: AppTest, page: str) -> float:
    """The seconds of one run."""
    start = time.perf_counter()
    test.run()
    if test.exception:
        raise RuntimeError(f"{page}: {test.exception[0].message}")
    return time.perf_counter() - start


async def measure_as_served(pages: Sequence[str]) -> None:
    """Measure pages when what the app imports before anybody comes is there."""
    from relevance.app import app, lifespan

    async with lifespan(app):
        for page in pages:
            measure(page)


def main() -> None:
    """Make the database and measure both pages."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=200_000)
    parser.add_argument("--at-once", action="store_true")
    options = parser.parse_args()
    if options.at_once:
        os.environ[LARGE_VARIABLE] = str(10**9)
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/large.db"
        make_database(url, options.documents)
        os.environ[URL_VARIABLE] = url
        asyncio.run(measure_as_served(("datasets.py", "examples.py")))


if __name__ == "__main__":
    main()
