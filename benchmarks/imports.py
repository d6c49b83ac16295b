"""Storing 80,000 summaries and their scores: as the product does, and as rows of SQLAlchemy's ORM, as it did before.

python -m benchmarks.imports [--documents 10000] [--database postgresql://...]

The texts are made of sentences of SciTLDR, drawn with a seed. Each way has a fresh SQLite file, or, where a database is
named, data sets of its own in it, which have to be new. The ways take turns, three times.
"""

import argparse
import json
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median

from sqlalchemy import select

from relevance.data.database import connect
from relevance.data.records import Document, Summary, make_examples
from relevance.data.store import DataStore, StoredScore
from relevance.data.store.datasets import find_dataset
from relevance.data.store.rows import document_row, example_hash
from relevance.data.tables import ScoreRow, SignatureRow

SCITLDR = Path(__file__).resolve().parents[2] / "shared" / "data" / "scitldr" / "train.jsonl"
SYSTEMS = 8
FLUSHED = 500
"""Documents that the old way gave SQLAlchemy at once."""

Records = list[tuple[Document, list[Summary]]]


def made_records(documents: int, seed: int = 0, systems: int = SYSTEMS) -> Iterator[tuple[Document, list[Summary]]]:
    """Documents of 4 to 8 sentences of SciTLDR with a reference, and a sentence from each system."""
    with SCITLDR.open(encoding="utf-8") as lines:
        sentences = [sentence for line in lines for sentence in json.loads(line)["source"]]
    draw = random.Random(seed)
    for number in range(documents):
        source = tuple(draw.choices(sentences, k=draw.randint(4, 8)))
        key = f"d{number:06}"
        summaries = [Summary(key, f"s{system}", draw.choice(sentences), {}) for system in range(systems)]
        yield Document(key, source, (draw.choice(sentences),), draw.choice(sentences)[:80]), summaries


def add_by_orm(store: DataStore, name: str, records: Records) -> None:
    """What `add_dataset` did: a row object for each document and summary."""
    store.add_dataset(name=name, format="interchange", sha256="0" * 64, records=[])
    with store.changing("texts") as session:
        number = find_dataset(session, name).id
        for position, (document, summaries) in enumerate(records):
            session.add(document_row(number, position, document, summaries))
            if position % FLUSHED == FLUSHED - 1:
                session.flush()
                session.expunge_all()


def score_by_orm(store: DataStore, signature: str, scores: dict[str, StoredScore]) -> None:
    """What `add_scores` did: a row object for each score."""
    store.add_scores(metric="made", signature=signature, scores={})
    with store.changing("scores") as session:
        number = session.scalar(select(SignatureRow.id).where(SignatureRow.text == signature))
        session.add_all(ScoreRow(signature_id=number, example=key, **score._asdict()) for key, score in scores.items())


def seconds(call: Callable[[], object]) -> float:
    """How long a call takes."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def measure(url: str | None, records: Records) -> dict[str, float]:
    """Seconds of each way, once, in this order."""
    scores = {example_hash(example): StoredScore(0.5, None) for record in records for example in make_examples(*record)}
    took = {}
    for way in ("rows", "bulk"):
        with tempfile.TemporaryDirectory() as folder:
            engine = connect(url or f"sqlite:///{folder}/imports.db")
            store, name = DataStore(engine), f"{way}-{time.time_ns()}"
            if way == "rows":
                took["import, rows"] = seconds(lambda: add_by_orm(store, name, records))  # noqa: B023  called here
                took["scores, rows"] = seconds(lambda: score_by_orm(store, name, scores))  # noqa: B023
            else:
                add = {"name": name, "format": "interchange", "sha256": "0" * 64, "records": records}
                took["import, bulk"] = seconds(lambda: store.add_dataset(**add))  # noqa: B023
                keep = {"metric": "made", "signature": name, "scores": scores}
                took["scores, bulk"] = seconds(lambda: store.add_scores(**keep))  # noqa: B023
            engine.dispose()
    return took


def main() -> None:
    """Print the medians of three turns, and what the rates are to each other."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--database")
    options = parser.parse_args()
    records = list(made_records(options.documents))
    turns = [measure(options.database, records) for _ in range(3)]
    took = {way: median(turn[way] for turn in turns) for way in turns[0]}
    rows = options.documents * SYSTEMS
    for way, value in took.items():
        each = ", ".join(f"{turn[way]:.1f}" for turn in turns)
        print(f"{way}: {value:.1f} s ({each}), {rows / value:,.0f} a second")
    for what in ("import", "scores"):
        print(f"{what}: {took[f'{what}, rows'] / took[f'{what}, bulk']:.1f} times the rate")


if __name__ == "__main__":
    main()
