"""Runs over shards: Ray's overhead, what a second worker brings, and whether time is linear.

    python -m benchmarks.scale FILE [--metrics rouge1,rougeL] [--small 1000] [--large 4000] [--shard 512]

FILE is JSON lines such as SciTLDR's; documents are made of its sentences, drawn with a seed, each with eight summaries.
"""

import argparse
import json
import random
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil

from relevance.data.importers import read_documents
from relevance.distributed.on_ray import RayOptions, on_ray
from relevance.distributed.running import Here, Place, run
from relevance.distributed.sources import PER_SHARD, Planner
from relevance.distributed.work import ScoreWork
from relevance.metrics import make_metrics
from relevance.summarizers.sentences import sentences_of

SYSTEMS = 8


def write_corpus(path: Path, sentences: list[str], documents: int) -> Path:
    """Write documents of 12 drawn sentences, with a reference of two and summaries of three of them."""
    draw = random.Random(1)
    with open(path, "w", encoding="utf-8") as file:
        for number in range(documents):
            source = draw.sample(sentences, 12)
            summaries = [{"system": f"s{k}", "text": " ".join(draw.sample(source, 3))} for k in range(SYSTEMS)]
            reference = " ".join(draw.sample(source, 2))
            record = {"id": str(number), "source": source, "references": [reference], "summaries": summaries}
            file.write(json.dumps(record) + "\n")
    return path


def seconds(file: Path, names: list[str], per_shard: int, place: Place) -> float:
    """Seconds that a run into a fresh folder takes."""
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        run(ScoreWork(tuple(make_metrics(names))), [str(file)], Path(folder), Planner("interchange", per_shard), place)
        return time.perf_counter() - began


@contextmanager
def memory_of_workers() -> Iterator[list[int]]:
    """While the block runs: the most bytes that a worker of Ray held, as the list's one number."""
    most, ended = [0], threading.Event()

    def watch() -> None:
        while not ended.wait(0.2):
            for process in psutil.Process().children(recursive=True):
                with suppress(psutil.Error):
                    if process.name().startswith("ray::"):
                        most[0] = max(most[0], process.memory_info().rss)

    watching = threading.Thread(target=watch)
    watching.start()
    try:
        yield most
    finally:
        ended.set()
        watching.join()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--metrics", default="rouge1,rougeL")
    parser.add_argument("--small", type=int, default=1000, help="documents")
    parser.add_argument("--large", type=int, default=4000)
    parser.add_argument("--shard", type=int, default=PER_SHARD, help="documents of a shard")
    given = parser.parse_args()
    names = given.metrics.split(",")
    sentences = [text for document, _ in read_documents(given.file) for text in sentences_of(document)]
    with tempfile.TemporaryDirectory() as folder:
        small = write_corpus(Path(folder) / "small.jsonl", sentences, given.small)
        large = write_corpus(Path(folder) / "large.jsonl", sentences, given.large)
        taken: dict[tuple[int, str], float] = {}
        held: dict[tuple[int, str], int] = {}
        for workers in (1, 2):
            with on_ray(RayOptions(workers=workers)) as place:
                seconds(small, names, given.shard, place)  # processes start, libraries and weights are loaded
                for name, file in (("small", small), ("large", large)):
                    with memory_of_workers() as memory:
                        taken[workers, name] = seconds(file, names, given.shard, place)
                    held[workers, name] = memory[0]
        seconds(small, names, given.shard, Here())
        plain = seconds(large, names, given.shard, Here())
    pairs = given.large * SYSTEMS
    print(f"plain: {pairs / plain:.0f} pairs/s; one worker of Ray: {pairs / taken[1, 'large']:.0f}")
    print(f"overhead of one worker: {taken[1, 'large'] / plain - 1:+.1%}")
    print(f"efficiency of two workers: {taken[1, 'large'] / taken[2, 'large'] / 2:.2f}")
    print(
        f"time a document, large over small: {taken[1, 'large'] / taken[1, 'small'] / (given.large / given.small):.2f}"
    )
    small_mib, large_mib = (held[1, name] / 2**20 for name in ("small", "large"))
    print(f"most memory of a worker, small and large: {small_mib:.0f} and {large_mib:.0f} MiB")


if __name__ == "__main__":
    main()
