"""What an annotator's click takes while others open the pages of a large data set on the same hosted server.

    python -m benchmarks.clicks [--documents 50000] [--systems 4] [--pages agreement,examples,...] [--database URL]
    python -m benchmarks.clicks --file FILE

A data set with ratings and ROUGE scores is made (minutes), unless `--database` names one with a data set `big`; with
`--file`, it is that file's, scored by the metrics that need no model. One annotator judges pairs of a small study once
a second; meanwhile a researcher opens one page after the other, each in a new session and on a server that has not
computed it before. Printed are, for each page: seconds to its title, to its first text or progress, to its first chart
or table, and to its end; and the annotator's clicks meanwhile.
"""

import argparse
import asyncio
import random
import statistics
import tempfile
import time
from collections.abc import Collection
from pathlib import Path

import httpx
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from benchmarks.annotate import make_records
from benchmarks.hosted import PASSWORD, Page, enter, processor, serving
from relevance.annotation.records import StudySpec
from relevance.annotation.store import AnnotationStore
from relevance.data.database import connect
from relevance.data.importers import Records, read_documents
from relevance.data.records import Document, Summary
from relevance.data.store import DataStore
from relevance.hosting.accounts import AccountStore
from relevance.metrics import lexical_metrics, make_metrics
from relevance.metrics.scoring import score_dataset

PAGES = (
    "",
    "agreement",
    "correlation",
    "systems",
    "examples",
    "disagreements",
    "keywords",
    "upper_bound",
    "datasets",
)

SAYING = {"new_transient", "markdown"}
"""The elements that are text or progress; a spinner is transient."""

FIGURES = {"vega_lite_chart", "dataframe", "table"}
"""The elements that are charts or tables."""

LONGEST = 300.0
"""Seconds after which a page is left."""


def make_big(store: DataStore, documents: int, systems: int) -> None:
    """A data set of made-up texts, with ratings, scored by ROUGE."""
    draw = random.Random(1)
    words = [f"w{number}" for number in range(4000)]
    records = []
    for number in range(documents):
        source = ". ".join(" ".join(draw.choices(words, k=15)).capitalize() for _ in range(8)) + "."
        known = source.split()
        document = Document(f"d{number}", source, (" ".join(known[10:30]),), title=" ".join(known[3:15]))
        summaries = [
            Summary(document.id, f"s{k}", " ".join(draw.choices(known, k=20)), {"relevance": float(draw.randint(1, 5))})
            for k in range(systems)
        ]
        records.append((document, summaries))
    add_scored(store, records, ["rouge1", "rouge2", "rougeL", "rouge_k"])


def add_scored(store: DataStore, records: Records, metrics: Collection[str]) -> None:
    """Store the big data set with its scores."""
    store.add_dataset(name="big", format="interchange", sha256="0" * 64, records=records)
    score_dataset(store, "big", make_metrics(metrics))


def make_world(url: str, args: argparse.Namespace) -> str:
    """The big data set, and a small study with an annotator's link; returns its token."""
    engine = connect(url)
    store, people = DataStore(engine), AnnotationStore(engine)
    if args.file:
        add_scored(store, read_documents(args.file), lexical_metrics())
    elif not store.has_dataset("big"):
        make_big(store, args.documents, args.systems)
    name = f"clicks {time.time():.0f}"
    store.add_dataset(name=name, format="interchange", sha256="1" * 64, records=make_records(400))
    people.create_study(StudySpec(name=name, dataset=name, rule="random", judgments_per_pair=1))
    token = people.invite(study=name, name="Ann").token
    accounts = AccountStore(engine)
    if not accounts.has_owner():
        accounts.add_user(name="Olga", role="owner", password=PASSWORD)
    engine.dispose()
    return token


async def sign_in(url: str) -> str:
    """Sign in as the researcher; the cookie."""
    async with httpx.AsyncClient(base_url=url, headers={"origin": url}, timeout=60) as client:
        answer = await client.post("/sign-in", data={"name": "Olga", "password": PASSWORD})
        return f"relevance={answer.cookies['relevance']}"


async def open_page(url: str, cookie: str, name: str) -> dict[str, float]:
    """Seconds until a page's heading, its first text or progress, its first chart or table, and its end."""
    page = await Page.connect(url, cookie)
    began = time.perf_counter()
    await page.ask(name=name, address="dataset=big")
    seen: dict[str, float] = {}
    while True:
        message = ForwardMsg()
        async with asyncio.timeout(LONGEST):
            message.ParseFromString(bytes(await page.socket.recv(decode=False)))
        kind, now = message.WhichOneof("type"), time.perf_counter() - began
        if kind == "delta":
            delta = message.delta.WhichOneof("type")
            what = message.delta.new_element.WhichOneof("type") if delta == "new_element" else delta
            if what == "exception":
                raise RuntimeError(f"the page {name} failed: {message.delta.new_element.exception.message}")
            if what == "heading":
                seen.setdefault("heading", now)
            elif "heading" in seen and what in SAYING | FIGURES:
                seen.setdefault("text or progress", now)
                if what in FIGURES:
                    seen.setdefault("figure", now)
        elif kind == "script_finished" and message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
            await page.socket.close()
            return seen | {"end": now}


async def measure(args: argparse.Namespace, database: str) -> None:
    """Print the figures of each page."""
    token = make_world(database, args)
    with serving(database, 1) as (server, urls):
        url = urls[0]
        cookie = await sign_in(url)
        annotator = await Page.open(url, await enter(url, token))
        times: list[float] = []

        async def judge() -> None:
            while True:
                await asyncio.sleep(random.uniform(0.6, 1.4))
                took = await annotator.judge()
                if took is not None:
                    times.append(took)

        judging = asyncio.create_task(judge())
        await asyncio.sleep(15)
        print(f"alone: {describe(times)}", flush=True)
        every: list[float] = []
        for name in args.pages.split(","):
            times.clear()
            cpu = processor(server.pid)
            try:
                seen = await open_page(url, cookie, name)
                text = ", ".join(f"{what} {seconds:.2f} s" for what, seconds in seen.items())
            except TimeoutError:
                text = f"not ended after {LONGEST:.0f} s"
            await asyncio.sleep(2)
            every += times
            print(
                f"{name}: {text}; {processor(server.pid) - cpu:.1f} s of the server; clicks {describe(times)}",
                flush=True,
            )
        judging.cancel()
        print(f"clicks in all: {describe(every)}")


def describe(times: list[float]) -> str:
    """Percentiles in ms."""
    if len(times) < 2:
        return f"{[round(1000 * seconds) for seconds in times]} ms"
    hundredths = statistics.quantiles(times, n=100, method="inclusive")
    return (
        f"{len(times)}, p50 {1000 * hundredths[49]:.0f}, p95 {1000 * hundredths[94]:.0f}, "
        f"most {1000 * max(times):.0f} ms"
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=50_000)
    parser.add_argument("--systems", type=int, default=4)
    parser.add_argument("--pages", default=",".join(PAGES))
    parser.add_argument("--database", default="")
    parser.add_argument("--file", type=Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(measure(args, args.database or f"sqlite:///{Path(folder) / 'tables.db'}"))


if __name__ == "__main__":
    main()
